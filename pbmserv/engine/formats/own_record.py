"""Our own records, as ``export`` writes them: a heading and numbered moves."""

from pbmserv.engine.game_format import GameFormat, ReadGame
from pbmserv.engine.record_text import FIRST_LINE, OLDER_FIRST_LINE, format_record, parse_records


def _recognise(text: str) -> bool:
    return text.lstrip().startswith((FIRST_LINE, OLDER_FIRST_LINE))


def _read(text: str) -> list[ReadGame]:
    return [ReadGame(record) for record in parse_records(text)]


FORMAT = GameFormat("record", "a record of pbmserv", _recognise, _read, format_record, between="\n")

"""Our own records, as ``export`` writes them: a heading and numbered moves."""

from pbmserv.engine.game_format import GameFormat, ReadGame
from pbmserv.engine.record_text import format_record, parse_records

BEGINNING = "pbmserv record"


def _recognise(text: str) -> bool:
    return text.lstrip().startswith(BEGINNING)


def _read(text: str) -> list[ReadGame]:
    return [ReadGame(record) for record in parse_records(text)]


FORMAT = GameFormat("record", "a record of pbmserv", _recognise, _read, format_record, between="\n")

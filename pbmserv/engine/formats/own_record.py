"""Our own records, as ``export`` writes them: a heading and numbered moves."""

import re

from pbmserv.engine.game_format import GameFormat, ReadGame
from pbmserv.engine.record_text import format_record, parse_records

BEGINNING = re.compile(r"\s*pbmserv record")


def _read(text: str) -> list[ReadGame]:
    return [ReadGame(record) for record in parse_records(text)]


FORMAT = GameFormat("record", BEGINNING.match, _read, format_record, between="\n")

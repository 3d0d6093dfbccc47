"""Diagrams of HexWiki, which are positions of Hex; only read.

``<hexboard size="11x11" contents="R f2 B g2 R 1:a3"/>`` has red stones, here X, after ``R`` and
blue ones after ``B``, with or without a label; what follows any other letter are marks.
"""

import re
from dataclasses import replace

from pbmserv.engine.game_format import ForeignGame, GameFormat, ReadGame, game_of_size, unreadable
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import parse_each

TITLE = "a diagram of HexWiki"
BEGINNING = re.compile(r"\s*<hexboard", re.IGNORECASE)
BOARD = re.compile(r"<hexboard\b([^<>]*)>", re.IGNORECASE)
VALUE = re.compile(r"\b([a-z]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
SIDES = {"R": Side.X, "B": Side.O}


def _read(text: str) -> list[ReadGame]:
    boards = BOARD.findall(text)
    if not boards:
        raise unreadable(TITLE, "it has no end")
    return parse_each(boards, _read_board)


def _read_board(attributes: str) -> ReadGame:
    values = {name.lower(): one or other for name, one, other in VALUE.findall(attributes)}
    game = game_of_size(TITLE, "hex", values.get("size", "11"))
    stones: dict[Side, list[str]] = {side: [] for side in Side}
    side = None
    for word in values.get("contents", "").split():
        if word.isalpha() and word.isupper():
            side = SIDES.get(word)
        elif side is not None:
            stones[side].append(word.rpartition(":")[2])
    position = game.position_of(stones)
    counts = [len(stones[side]) for side in Side]
    mover = Side.O if counts[0] > counts[1] else Side.X
    notes = [f"{mover} is taken to move, by the number of stones."]
    start = replace(position, to_move=mover, ply=sum(counts))
    return ForeignGame(game, (), start=start, notes=notes).replayed()


FORMAT = GameFormat("", BEGINNING.match, _read)

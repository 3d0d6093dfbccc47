"""The game that plays itself in README: `python -m tests.generators.readme_film`."""

from dataclasses import replace
from pathlib import Path

from pbmserv.engine.record import Record, played
from pbmserv.engine.spec import parse_game
from pbmserv.render.animation import animation
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.view import view_blocks, view_record

PICTURE = Path(__file__).parents[2] / "help" / "game.svg"
MOVES = (
    "I5 J6 A6 F10 A10 J1 F1 J4 J5 H8 I7 G1 J2 I1 D3 A7 H1 C4 F2 G2 H2 I2 I3 H3 G3 F3 C10 D4 E10 D10"
    " A8 B10 B9 C9 D9 E9 F9 G9 H7 E3 E2 G4 I4 F7 F8 E8 D8 C8 E6 F5 F6 H6 I6 G5 G6 G7 G8 D7 E7 B8 A9"
    " H5 B7 pass pass"
)
"""A game of the computer against itself at its highest level."""


def recorded() -> Record[str]:
    """Return the game, as two people of the examples might have played it."""
    record = played(parse_game("star(size=6)"), MOVES.split(), "alice", "bob")
    return replace(record, outcome=record.game.outcome(record.position))


def drawn() -> str:
    """Return the picture."""
    record = recorded()
    board = next(one for one in view_blocks(view_record(record)) if isinstance(one, BoardPicture))
    return animation(board, record)


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")

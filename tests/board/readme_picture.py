"""The picture of the board in README, by the program: `python -m tests.board.readme_picture`."""

import asyncio
import re
from pathlib import Path

from pbmserv.board.app import BoardApp, Equipment
from pbmserv.board.frame import Frame, Size
from pbmserv.board.hosts import LocalHost
from pbmserv.board.play_session import Session
from pbmserv.board.screen import screen
from pbmserv.computer.level_list import HINT_LEVEL
from pbmserv.desk.local_game import LocalGame, new_game
from pbmserv.engine.spec import parse_game

PICTURE = Path(__file__).parents[2] / "help" / "play.svg"
SIZE = Size(90, 27)
MOVES = "I4 F10 J1 F1 J6 A6 A10 H8 C4 H1 A8 J5 C10 J4 J3 E2 I1 I6 I7 H7 D10 B5 D3 A9 B8 B9"
KEYS = ("e", "b", "1", "0")
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""What would have a picture ask another server for letters."""


def game() -> LocalGame:
    rules = parse_game("star(size=6)")
    local = new_game(rules, HINT_LEVEL, computer_begins=False)
    for text in MOVES.split():
        local = local.play(rules.parse_move(text))
    return local


async def drawn() -> tuple[str, Frame]:
    """Return the picture, and what was on the screen."""
    app = BoardApp(LocalHost(game(), None), Equipment())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*KEYS)
        await pilot.pause()
        assert isinstance(app.scene, Session)
        picture = app.export_screenshot(title="star play")
        return FONTS.sub("", picture), screen(app.scene, SIZE)


if __name__ == "__main__":
    PICTURE.write_text(asyncio.run(drawn())[0], encoding="utf-8")

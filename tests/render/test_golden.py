"""Whole pictures kept as files beside this test, to be looked at when one changes."""

from pathlib import Path

import pytest

from pbmserv.engine.position import Position
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.text import Style, text_picture
from tests.render.pictured_boards import read_picture

PICTURES = Path(__file__).parent / "pictures"

GOLDEN: tuple[tuple[str, str, str, Style], ...] = (
    ("star-3", "star(size=3)", "B3 C1 A4", "ascii"),
    ("star-6", "star(size=6)", "E6 G6 A6 F10 J1", "unicode"),
    ("star-14", "star(size=14)", "N1 Z1 A14 Z14 A26 M26", "ascii"),
    ("starstar-4", "starstar(size=4)", "S40 A40 *10 T43", "ascii"),
    ("starstar-10", "starstar(size=10)", "S00 S01 *10 T10 A54 R98 A00", "ascii"),
    ("starstar-10-double", "starstar(size=10,double)", "A50 T31+R30 S00+A01", "unicode"),
    ("starweb-4", "starweb(size=4)", "C2 C7", "ascii"),
    ("starweb-10", "starweb(size=10)", "J10 M1 D16 P13", "ascii"),
    ("starweb-13", "starweb(size=13)", "M13 U1", "unicode"),
    ("polyy-3", "polyy(size=3)", "A21 B20 B10 D20 B21 E10 C20", "ascii"),
    ("polyy-7", "polyy(size=7)", "00 A60 A10 D65", "ascii"),
    ("polyy-triangle", "polyy(size=6,sides=3)", "B52 00", "unicode"),
    ("polyy-seven", "polyy(size=10,sides=7)", "00 A90 E43", "ascii"),
    ("polyy-nine", "polyy(size=10,sides=9)", "00 A90 H98", "ascii"),
    ("y-3", "y(size=3)", "C1 B2 A3", "ascii"),
    ("y-17", "y(size=17)", "I9 Q1 A17", "ascii"),
    ("y-26", "y(size=26)", "Z1 A26 Z26", "ascii"),
    ("hex-11", "hex(size=11)", "F6 K1 A11 J2", "ascii"),
    ("hex-19", "hex(size=19)", "S19 A1", "unicode"),
)

REDRAWN = (
    ("starstar-10-running", "starstar(size=10)", False),
    ("starstar-6-position", "starstar(size=6)", False),
    ("starstar-6-owners", "starstar(size=6)", True),
    ("star-6-owners", "star(size=6)", True),
    ("star-6-owners-two-point-corners", "star(size=6,corners=2)", True),
    ("starweb-4-owners", "starweb(size=4)", True),
    ("polyy-3-owners", "polyy(size=3)", True),
)


@pytest.mark.parametrize(("name", "spec", "moves", "style"), GOLDEN, ids=[one[0] for one in GOLDEN])
def test_the_picture_is_the_kept_one(name: str, spec: str, moves: str, style: Style) -> None:
    game = parse_game(spec)
    kept = (PICTURES / f"{name}.txt").read_text(encoding="utf-8")

    assert text_picture(draw(game, game.replay(moves.split())), style) + "\n" == kept


@pytest.mark.parametrize(("name", "spec", "owners"), REDRAWN, ids=[one[0] for one in REDRAWN])
def test_the_stones_of_the_kept_picture_give_the_whole_of_it(
    name: str,
    spec: str,
    owners: bool,  # noqa: FBT001
) -> None:
    game = parse_game(spec)
    kept = (PICTURES / f"{name}.txt").read_text(encoding="utf-8")
    stones, last = read_picture(game, kept, owners=owners)
    position = Position(stones, last=tuple(last))

    assert text_picture(draw(game, position, owners=owners)) + "\n" == kept


def test_every_kept_picture_belongs_to_a_case() -> None:
    assert {path.stem for path in PICTURES.iterdir()} == {one[0] for one in (*GOLDEN, *REDRAWN)}

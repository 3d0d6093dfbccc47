"""The curve of a game: readable in a terminal, whatever the length of the game, and as SVG."""

from xml.etree import ElementTree as ET

import pytest

from pbmserv.render.curve import COLUMNS, curve_lines, curve_svg

SHORT = """\
X wins |               XXX
       |            XXXXXX
       |            XXXXXX
       |            XXXXXX
       |   XXX      XXXXXX
  50 % |------------------
       |         OOO
       |         OOO
       |         OOO
       |
O wins |
  move  0"""


def test_a_column_rises_for_x_and_falls_for_o() -> None:
    assert SHORT == "\n".join(curve_lines([0.5, 0.6, 0.5, 0.2, 0.9, 1.0]))


@pytest.mark.parametrize("moves", [0, 1, 20, 21, 63, 64, 65, 130, 275])
def test_a_curve_of_any_length_fits(moves: int) -> None:
    lines = curve_lines([0.5, *(number % 10 / 10 for number in range(moves))])

    assert 12 == len(lines)
    assert max(map(len, lines)) <= COLUMNS + 12
    assert lines[-1].startswith("  move  0")


def test_a_long_game_shows_the_mean_of_several_moves() -> None:
    lines = curve_lines([1.0] * 64 + [0.0] * 64)

    assert f"X wins |{'X' * 32}" == lines[0]
    assert f"O wins |{' ' * 32}{'O' * 32}" == lines[10]


def test_the_curve_as_svg_has_a_point_for_every_position() -> None:
    text = curve_svg([0.5, 0.2, 0.9], "Star <Board> 101", ("alice", "bob & co"))
    root = ET.fromstring(text)  # noqa: S314 - our own
    tag = "{http://www.w3.org/2000/svg}"

    assert 3 == len(root.findall(f"{tag}circle"))
    assert "Star <Board> 101: how likely X was to win" == root.findtext(f"{tag}title")
    assert "O wins, below: bob & co" in [each.text for each in root.iter(f"{tag}text")]

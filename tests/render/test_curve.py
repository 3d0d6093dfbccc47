"""The curve of a game: readable in a terminal, whatever the length of the game, and as SVG."""

from xml.etree import ElementTree as ET

import pytest

from pbmserv.render.curve import COLUMNS, HIGH, curve_file, curve_rows, curve_svg

SHORT = """\
100 %                ###
                  ######
                  ######
                  ######
         ###      ######
 50 % #########   ######
      #########   ######
      #########   ######
      ##################
      ##################
  0 % ------^^^---------
 move 0  1  2  3  4  5"""
TAG = "{http://www.w3.org/2000/svg}"


def lines_of(chances: list[float], *turned: int) -> list[str]:
    return [f"{label} {bars}".rstrip() for label, bars in curve_rows(chances, turned)]


def test_a_column_is_as_high_as_the_chance_and_its_move_is_marked() -> None:
    assert SHORT == "\n".join(lines_of([0.5, 0.6, 0.5, 0.2, 0.9, 1.0], 2))


@pytest.mark.parametrize("moves", [0, 1, 20, 21, 63, 64, 65, 130, 275])
def test_a_curve_of_any_length_fits_and_its_last_move_is_numbered(moves: int) -> None:
    lines = lines_of([0.5, *(number % 10 / 10 for number in range(moves))], moves)

    assert HIGH + 2 == len(lines)
    assert max(map(len, lines)) <= COLUMNS + 6
    assert lines[-1].split()[1:] == sorted(set(lines[-1].split()[1:]), key=int)
    assert lines[-1].endswith(f" {moves}")
    assert lines[-2].endswith("^")


@pytest.mark.parametrize("columns", [20, 34, 64])
@pytest.mark.parametrize("count", [1, 2, 9, 19, 41, 150, 400])
def test_every_number_stands_below_its_move(columns: int, count: int) -> None:
    *_, axis, numbers = (bars for _, bars in curve_rows([0.5] * count, columns=columns))
    together, wide = -(-count // columns), max(1, min(3, columns // count))

    assert len(axis) <= columns
    assert len(numbers) <= max(columns, len(str(count - 1)))
    for number in numbers.split()[:-1]:
        assert (
            numbers.index(f" {number} " if number != "0" else "0 ") + (number != "0")
            == int(number) // together * wide
        )
    assert numbers.endswith(str(count - 1))


def test_a_long_game_shows_the_mean_of_several_moves() -> None:
    lines = lines_of([1.0] * 64 + [0.0] * 64)

    assert f"100 % {'#' * 32}" == lines[0]
    assert f"      {'#' * 32}" == lines[9]


def test_the_curve_as_svg_marks_the_moves_that_turned_and_numbers_the_moves() -> None:
    chances = [0.5, 0.2, 0.9, 0.9, 0.4]
    text = curve_file(chances, [1, 4], "Star <Board> 101", ("alice", "bob & co"))
    root = ET.fromstring(text)  # noqa: S314 - our own
    texts = [each.text for each in root.iter(f"{TAG}text")]
    marks = [each for each in root.iter(f"{TAG}path") if each.get("stroke-width") == "9"]

    assert ["Move 1", "Move 4"] == [each.findtext(f"{TAG}title") for each in marks]
    assert ["M150.0 80.0h0", "M600.0 60.0h0"] == [each.get("d") for each in marks]
    assert "Star <Board> 101: winning chance of X" == root.findtext(f"{TAG}title")
    assert "O wins, above: bob & co" in texts
    assert [*"01234"] == texts[-5:]


def test_the_curve_of_a_page_is_that_of_a_file() -> None:
    chances = [0.5, 0.2, 0.9]
    plot = curve_svg(chances, [2], "heard").partition("<svg height")[2]

    assert plot
    assert plot in curve_file(chances, [2], "Star Board 101", ("alice", "bob"))

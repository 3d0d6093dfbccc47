"""A rating over time in letters: what held when, told exactly at both ends."""

import re
from datetime import UTC, datetime

import pytest

from pbmserv.engine.moments import DAY
from pbmserv.render.rating_curve import HEIGHT, WIDTH, CurvePoint, rating_lines

START = int(datetime(2026, 2, 28, 12, tzinfo=UTC).timestamp())
LAST = WIDTH - 1


def curve(*values: tuple[int, float]) -> list[str]:
    """Return the lines of ratings after so many days each."""
    return rating_lines([CurvePoint(START + days * DAY, value, 80.4) for days, value in values])


def heights(lines: list[str]) -> list[tuple[int, str]]:
    """Return for each column the row of its only mark, and the mark."""
    rows = [line[7:].ljust(WIDTH) for line in lines[:HEIGHT]]
    found = []
    for column in range(WIDTH):
        marks = [(row, line[column]) for row, line in enumerate(rows) if line[column] != " "]

        assert len(marks) == 1
        found += marks
    return found


def test_a_mark_stands_at_each_game_and_a_dot_where_its_rating_still_held() -> None:
    lines = curve((0, 1500.0), (20, 1630.0), (40, 1370.0), (LAST, 1560.0))
    step = 260 / (HEIGHT - 1)
    expected = []
    for column in range(WIDTH):
        value = {0: 1500.0, 1: 1630.0, 2: 1370.0}[min(column // 20, 2)]
        value = 1560.0 if column == LAST else value
        expected.append((round((1630 - value) / step), "*" if column in {0, 20, 40, LAST} else "."))

    assert expected == heights(lines)
    assert ["1630", "1490", "1370"] == [
        line[:5].strip() for line in lines[:HEIGHT] if line[:5].strip()
    ]
    assert [0, HEIGHT // 2, HEIGHT - 1] == [
        number for number, line in enumerate(lines[:HEIGHT]) if line[:5].strip()
    ]


def test_days_stand_below_both_ends_and_the_newest_is_told_in_words() -> None:
    *_, axis, days, now = curve((0, 1500.0), (1, 1600.6))

    assert "      +" + "-" * WIDTH == axis
    assert days.startswith("       2026-02-28 ")
    assert days.endswith(" 2026-03-01")
    assert 7 + WIDTH == len(days)
    assert "Now 1601, deviation 80 after the last game." == now


def test_a_flat_curve_looks_flat_and_lies_in_the_middle() -> None:
    for values in (((0, 1500.0),), ((0, 1500.0), (9, 1500.0)), ((0, 1500.4), (9, 1500.0))):
        lines = curve(*values)
        rows = {row for row, _ in heights(lines)}

        assert rows <= {HEIGHT // 2 - 1, HEIGHT // 2}
        assert ["1525", "1475"] == [lines[0][:5].strip(), lines[HEIGHT - 1][:5].strip()]


def test_of_games_in_one_column_the_last_is_shown() -> None:
    one = curve((0, 1500.0), (500, 1800.0), (501, 1600.0), (2000, 1500.0))
    other = curve((0, 1500.0), (500, 1800.0), (501, 1700.0), (2000, 1500.0))
    column = 500 * LAST // 2000

    assert (round(200 / (300 / (HEIGHT - 1))), "*") == heights(one)[column]
    assert (round(100 / (300 / (HEIGHT - 1))), "*") == heights(other)[column]


@pytest.mark.parametrize("count", [1, 2, 300])
def test_no_line_is_wider_than_the_curve(count: int) -> None:
    lines = curve(*((number, 1500.0 + number % 7) for number in range(count)))

    assert HEIGHT + 3 == len(lines)
    assert max(map(len, lines)) <= 7 + WIDTH
    assert not [line for line in lines if re.search(" $", line)]

"""The names of all cells, read off the printed lines of an empty board by the rule of the manual.

Nothing here knows a board: the steps of the rays, the number of rings and the letters are taken
from the page.
"""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pbmserv.engine.game import Game
from pbmserv.render.picture import draw
from pbmserv.render.text import Grid, text_picture
from tests.render.pictured_boards import EACH_GAME

ROW = re.compile(r" *(\d+)-")
MIDDLE = re.compile(r"the cell in the middle is (\w+)")
LETTERS = "ABCDEFGHI*STR"


class Spot(NamedTuple):
    """A column and a line of the page, or the way from one to another."""

    column: int
    line: int

    def moved(self, way: "Spot", times: int = 1) -> "Spot":
        return Spot(self.column + times * way.column, self.line + times * way.line)


class Ray(NamedTuple):
    """A ray as it is seen: its letter, and the way from a ring to the next."""

    letter: str
    step: Spot


Page = dict[Spot, str]


def page_of(text: str) -> Page:
    return {
        Spot(column, line): mark
        for line, row in enumerate(text.split("\n"))
        for column, mark in enumerate(row)
        if mark != " "
    }


def names_on_lattice(text: str) -> dict[Spot, str]:
    """Read the row at its left, and the letter at the end of the falling diagonal."""
    page = page_of(text)
    names = {}
    for line, row in enumerate(text.split("\n")):
        if number := ROW.match(row):
            for column in range(number.end(), len(row)):
                if row[column] in ".+":
                    names[Spot(column, line)] = diagonal(page, Spot(column, line)) + number[1]
    return names


def diagonal(page: Page, spot: Spot) -> str:
    falling = Spot(1, 1)
    while page.get(spot) != "\\":
        spot = spot.moved(falling)
    return page[spot.moved(falling)]


def names_on_rings(text: str) -> dict[Spot, str]:
    """Read the ring where it meets the ray before, and the position at the end of the line."""
    page = page_of(text.rpartition("\n\n")[0])
    rays, middle, rings = rays_of(page)
    names = {}
    for ray, after in pairwise([*rays, rays[0]]):
        for spot, on in cells_of_sector(page, middle, ray, after, rings):
            along_ring = Spot(ray.step.column - after.step.column, ray.step.line - after.step.line)
            ring = ring_read(page, spot.moved(along_ring, on), ray)
            position = position_read(page, spot, ray) if on else "0"
            names[spot] = f"{ray.letter}{ring % 10}{position}"
    if found := MIDDLE.search(text):
        names[middle] = found[1]
    return names


def rays_of(page: Page) -> tuple[list[Ray], Spot, int]:
    """Return the rays clockwise, where they meet, and how many rings there are."""
    corners = [spot for spot, mark in page.items() if mark == "+"]
    rays, middles, counts = [], set(), set()
    for spot, letter in page.items():
        if letter in LETTERS:
            corner = min(corners, key=lambda corner: distance(spot, corner))
            step = Spot(spot.column - corner.column, spot.line - corner.line)
            rings = int(page.get(corner.moved(step, -1), "0").replace(".", "0")) + 1
            counts.add(rings)
            middles.add(corner.moved(step, -rings))
            rays.append(Ray(letter, step))
    (middle,), (rings,) = middles, counts
    return sorted(rays, key=lambda ray: math.atan2(ray.step.line, ray.step.column)), middle, rings


def distance(one: Spot, other: Spot) -> int:
    """Return a distance on paper, where a line is about two columns high, squared."""
    return (one.column - other.column) ** 2 + 4 * (one.line - other.line) ** 2


def cells_of_sector(
    page: Page, middle: Spot, ray: Ray, after: Ray, rings: int
) -> Iterator[tuple[Spot, int]]:
    """Yield the cells from a ray to the one after it, with the steps along their ring to it."""
    for ring in range(1, rings + 1):
        for on in range(ring):
            spot = middle.moved(ray.step, ring - on).moved(after.step, on)
            assert page[spot] in ".+123456789"
            yield spot, on


def ring_read(page: Page, spot: Spot, ray: Ray) -> int:
    """Return the digit on a ray, or one more than the digit before for the corner."""
    if page[spot] != "+":
        return int(page[spot])
    before = page.get(spot.moved(ray.step, -1), "")
    return int(before) + 1 if before.isdigit() else 1


def position_read(page: Page, spot: Spot, ray: Ray) -> str:
    while not page[spot].isdigit():
        spot = spot.moved(ray.step)
    return page[spot]


@EACH_GAME
def test_every_name_can_be_read_off_the_printed_lines(boards: list[Game]) -> None:
    for game in boards:
        picture = draw(game, game.start())
        text = text_picture(picture)
        grid = Grid(game.board, picture.labels, picture.owned)
        places = grid.locate(spot.point for spot in picture.spots)
        names = (spot.name for spot in picture.spots)
        expected = {Spot(*place): name for place, name in zip(places, names, strict=True)}
        if game.board.hull:
            labels = [label.text for label in picture.labels]
            check_labels(
                page_of(text),
                expected,
                dict(zip(labels, grid.locate_labels(picture.labels), strict=True)),
            )
            continue
        read = names_on_lattice(text) if ROW.search(text) else names_on_rings(text)

        assert expected == read, game


def check_labels(page: Page, names: dict[Spot, str], labels: dict[str, tuple[int, int]]) -> None:
    """Check that numbers are beside their cells on the rim, and letters on first cells."""
    for text, (last, line) in labels.items():
        middle = Spot(round(last - (len(text) - 1) / 2), line)
        far = {name: distance(spot, middle) for spot, name in names.items()}

        assert far[f"A{text.removeprefix('A')}"] <= min(far.values()) + 4
    letters = {page[spot]: name for spot, name in names.items() if page[spot].isalpha()}

    assert letters == {letter: f"{letter}1" for letter in letters}
    assert letters.keys() >= {*"BCD"} & {name[0] for name in names.values()}

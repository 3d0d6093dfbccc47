"""Letters in a real browser, as wide as a telephone and as a window: what a click on a cell opens.

Each board is shown as its letter of the first move, light and dark, with style sheets and without.
Where a letter has no room for a link in every cell, those that it says can be asked for are. Cells
are as wide as a finger needs but on a telephone's widest boards, where a move can be typed as well.
"""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from io import BytesIO
from itertools import combinations, pairwise, product
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from PIL import Image

from pbmserv.club.letter import Letter
from pbmserv.engine.game import Game
from pbmserv.engine.games.hex import Hex
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.mail.compose import reply_address
from pbmserv.render.board_letters import board_letters, cells_letter
from pbmserv.render.geometry import geometry_of
from pbmserv.render.letter_board import HALF, WIDEST, LetterBoard
from pbmserv.render.picture import draw
from tests import browser
from tests.engine.sample_games import random_game
from tests.mail.loopback_mail_server import IDENTITY, composed, read
from tests.render.pictured_boards import EACH_GAME
from tests.render.sample_letters import TO_ALICE, TO_BOB, new_match, played

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

WIDTHS = (380, 860)
FINGER = 24
MARGINS = 12
BORDERS = 6
"""Pixels beside the board, and between two cells, with the side of a board at one of them."""

CONTRAST = 4.5

ON_CLICK = """() => addEventListener("click", event => {
    window.opened = event.target.closest("a")?.href;
    if (window.opened?.startsWith("mailto:")) event.preventDefault();
})"""

CELLS = """() => [...document.querySelectorAll("#board a")].map(a => {
    const {x, y, width, height} = a.getBoundingClientRect();
    const look = getComputedStyle(a);
    let ground = a;
    const clear = "rgba(0, 0, 0, 0)";
    while (ground && getComputedStyle(ground).backgroundColor === clear)
        ground = ground.parentElement;
    return {
        name: a.textContent, href: a.href, x, y, width, height, colour: look.color,
        ground: ground ? getComputedStyle(ground).backgroundColor : "rgb(255, 255, 255)",
        isOnTop: document.elementFromPoint(x + width / 2, y + height / 2) === a,
    };
})"""
"""Where each cell lies, how it looks, and whether a click on its middle would reach it."""


PLACES = """() => [...document.querySelectorAll("#board table")].map(table =>
    [...table.querySelectorAll("a, b, i")].map(cell => {
        const {x, y, width, height} = cell.getBoundingClientRect();
        return [cell.title.split(" ")[0] || cell.textContent, x + width / 2, y + height / 2];
    }))"""
"""Where the middle of each cell lies, table by table."""

COLOURS = """() => [...document.querySelectorAll("#board b, .ex, .eo, .lo, .ro")].map(part => {
    const look = getComputedStyle(part), edges = ["Top", "Left", "Right"].filter(
        way => look[`border${way}Width`] !== "0px").map(way => look[`border${way}Color`]);
    const outline = look.outlineStyle === "none" ? [] : [look.outlineColor];
    return [part.className, [look.backgroundColor, ...edges, ...outline, look.boxShadow]];
})"""
"""The colours by which stones and sides stand out, what is clear among them."""

BUTTONS = """() => [...document.querySelectorAll("p.n a[href^='mailto:']")].map(
    a => [a.textContent, a.href])"""


@pytest.fixture(scope="module")
def page() -> Iterator["Page"]:
    with browser.started() as chromium:
        yield chromium.new_page()


class Shown:
    """The letter of the first move at ``game``, shown at one width.

    With a ``part`` it is the one that answers who asked for the cells of that row or sector.
    ``asked`` are those without links, each with its cells, as buttons ask for them.
    """

    def __init__(
        self, page: "Page", game: Game, width: int, look: str, *, bare: bool = False, part: str = ""
    ) -> None:
        match = new_match(format_game(game))
        (letter,) = board_letters(match, (), [TO_ALICE])
        if part:
            letter = cells_letter(match, TO_ALICE, "part", part)
        address = reply_address(letter, IDENTITY)
        assert address is not None
        self.address, self.subject = address, f"Re: {letter.subject}"
        self.page, self.width, self.game = page, width, game
        columns = min(WIDEST, LetterBoard(draw(game, game.start())).width / HALF)
        self.is_wide = (width - MARGINS) * 2 / columns < FINGER + BORDERS
        html = html_of(letter)
        if bare:
            html = re.sub(r"<style>.*?</style>|<meta name[^>]*>", "", html, flags=re.DOTALL)
        # Nothing has to be scrolled to be clicked.
        page.set_viewport_size({"width": width, "height": 12_000})
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        page.set_content(html)
        page.evaluate(ON_CLICK)
        self.cells: list[dict[str, Any]] = page.evaluate(CELLS)
        self.names = {cell["name"] for cell in self.cells}
        self.asked: dict[str, set[str]] = {}
        for shown, link in page.evaluate(BUTTONS):
            words = self.move(link)
            if words.startswith("cells "):
                assert words == f"cells {shown}"
                self.asked[shown] = cells_of(game, shown)

    def check_all(self, *, bare: bool = False) -> None:
        """Every empty cell is there or can be asked for, large and clear, none over another."""
        assert len(self.names) == len(self.cells)
        assert set(self.game.board.names) == self.names.union(*self.asked.values())
        assert self.names.isdisjoint(set().union(*self.asked.values()))
        assert self.page.evaluate("document.documentElement.scrollWidth") == self.width
        for cell in self.cells:
            assert cell["isOnTop"], cell
            assert cell["width"] >= (FINGER if not self.is_wide else 9), cell
            assert cell["height"] >= FINGER or bare, cell
            assert cell["x"] >= 0, cell
            assert cell["x"] + cell["width"] <= self.width, cell
            assert contrast(cell["colour"], cell["ground"]) >= CONTRAST, cell
            assert self.move(cell["href"]) == cell["name"]

    def click(self, cells: list[dict[str, Any]]) -> None:
        """A click anywhere on a cell opens its move."""
        for number, cell in enumerate(cells):
            right, down = ((0.5, 0.5), (0.3, 0.25), (0.75, 0.7))[number % 3]
            self.page.mouse.click(
                cell["x"] + right * cell["width"], cell["y"] + down * cell["height"]
            )

            assert self.move(self.page.evaluate("window.opened")) == cell["name"]

    def move(self, link: str) -> str:
        """Return the move that a link writes, after seeing that it goes where it should."""
        url = urlsplit(link)
        values = parse_qs(url.query)
        assert (url.scheme, unquote(url.path)) == ("mailto", self.address)
        assert values["subject"] == [self.subject]
        (move,) = values["body"]
        return move.removesuffix("+")


def html_of(letter: Letter) -> str:
    """Return the page of the letter as it is sent, with its picture in it."""
    message = read(composed(letter).content)
    page, picture = message.get_body(("html",)), list(message.walk())[-1]
    assert page is not None
    assert isinstance(picture, EmailMessage)
    packed = b64encode(picture.get_content()).decode()
    return re.sub(r'src="cid:[^"]*"', f'src="data:image/png;base64,{packed}"', page.get_content())


def cells_of(game: Game, part: str) -> set[str]:
    """Return the cells of a row or sector, or of the middle of a ringed board."""
    names, sides = game.board.names, game.board.sectors
    if not game.board.hull:
        return {cell for cell in names if part in {cell, cell[0], cell[1:]}}
    length = Counter(name[0] for name in names)
    middle = {name for name in names if name >= names[game.board.core]}
    if part.isalpha():
        return middle
    turn = (int(part[1:]) - 1) / length["A"]
    found = {
        name
        for name in names
        if turn <= (int(name[1:]) - 1) / length[name[0]] < turn + 1 / sides - 1e-9
    }
    return found - middle


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as the guidelines for accessible pages define it."""
    bright, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@EACH_GAME
def test_a_click_on_a_cell_writes_its_move(boards: list[Game], page: "Page", *, full: bool) -> None:
    largest = max(boards, key=lambda game: len(game.board))
    some = [(largest, width) for width in WIDTHS] + [(boards[0], WIDTHS[1])]
    for number, (game, width) in enumerate(product(boards, WIDTHS) if full else some):
        look = "dark" if number % 2 else "light"
        left, part = set(game.board.names), ""
        for _ in range(len(left) if full else 2):
            shown = Shown(page, game, width, look, part=part)
            shown.check_all()
            shown.click(shown.cells if full else Random(number).sample(shown.cells, 4))
            left -= shown.names
            part = next((name for name, cells in shown.asked.items() if cells <= left), "")
            if not part:
                break

        assert not left or not full


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("spec", ["hex(size=11)", "y(size=13)", "star(size=6)"])
def test_on_a_telephone_a_finger_finds_one_cell_of_a_usual_board(
    page: "Page", spec: str, look: str
) -> None:
    cells = Shown(page, parse_game(spec), WIDTHS[0], look).cells
    rows: dict[float, list[dict[str, Any]]] = {}
    for cell in cells:
        rows.setdefault(cell["y"], []).append(cell)
    gaps = [
        after["x"] - before["x"] - before["width"]
        for row in rows.values()
        for before, after in pairwise(sorted(row, key=lambda cell: cell["x"]))
    ]
    between = [low - high - rows[high][0]["height"] for high, low in pairwise(sorted(rows))]

    assert min(cell["width"] for cell in cells) >= 20
    assert min(cell["height"] for cell in cells) >= 32
    assert min(gaps + between) >= 2 - 0.01


@EACH_GAME
def test_without_style_sheets_cells_are_large_enough_too(boards: list[Game], page: "Page") -> None:
    for width in WIDTHS:
        Shown(page, boards[0], width, "light", bare=True).check_all(bare=True)


@EACH_GAME
def test_neighbours_on_the_board_are_neighbours_on_the_screen(
    boards: list[Game], page: "Page", *, full: bool
) -> None:
    by_size = sorted(boards, key=lambda game: len(game.board))
    for game in boards if full else (by_size[0], boards[0], by_size[-1]):
        board = game.board
        links = {tuple(sorted((board.names[a], board.names[b]))) for a, b in board.links}
        for width in WIDTHS:
            match = new_match(format_game(game))
            page.set_viewport_size({"width": width, "height": 12_000})
            page.set_content(html_of(board_letters(match, (), [TO_ALICE])[0]))
            found, everywhere = set(), set()
            for cells in page.evaluate(PLACES):
                beside, shown = neighbours_on_screen(cells), {name for name, *_ in cells}
                everywhere |= shown

                assert {pair for pair in links if shown.issuperset(pair)} == beside, (game, width)
                found |= beside
            # The bridge alone is told in words: the cells that it joins end each sector.
            bridge = {board.names[cell] for cell in board.bridge}
            missing = {pair for pair in links - found if everywhere.issuperset(pair)}
            assert all(map(bridge.issuperset, missing)), (game, width)
            # Of the widest boards a letter has a few rows.
            assert (everywhere == set(board.names)) is (not isinstance(game, Hex) or game.size < 20)


def neighbours_on_screen(cells: list[tuple[str, float, float]]) -> set[tuple[str, ...]]:
    """Return who stands side by side in a row, or half a cell away in the next one."""
    rows = sorted({round(y) for _, _, y in cells})
    high = min(b - a for a, b in pairwise(rows))
    places = {(name, x, y) for name, x, y in cells}
    wide = min(abs(a[1] - b[1]) for a, b in combinations(places, 2) if abs(a[2] - b[2]) < 1)
    return {
        tuple(sorted((a, b)))
        for (a, ax, ay), (b, bx, by) in combinations(places, 2)
        if abs(ay - by) < 1.3 * high
        and abs(ax - bx) < (1.3 if abs(ay - by) < high / 2 else 0.8) * wide
    }


@pytest.mark.parametrize("look", ["light", "dark"])
def test_stones_and_sides_stand_out_from_the_page(page: "Page", look: str) -> None:
    match, events = played("hex(size=5)", ["C3", "B2", "D4"])
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    page.set_content(html_of(board_letters(match, events, [TO_BOB])[0]))
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    found = {
        name: max(contrast(colour, ground) for colour in colours if re.match(r"rgb\(", colour))
        for name, colours in page.evaluate(COLOURS)
    }

    assert set(found) == {"x", "o", "ex", "lo", "ro"}
    assert min(found.values()) >= 3, found


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_picture_is_as_dark_as_the_page_and_its_stones_stand_out(
    page: "Page", look: str
) -> None:
    match, events = played("hex(size=5)", ["C3", "B2", "D4", "A4"])
    game, ground = match.game, geometry_of(match.game)
    page.set_viewport_size({"width": 1000, "height": 2000})
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    page.set_content(html_of(board_letters(match, events, [TO_ALICE])[0]))
    seen = Image.open(BytesIO(page.locator("img").screenshot())).convert("RGB")
    box = ground.box()
    zoom = seen.width / box.width

    def around(name: str, *parts: float) -> list[tuple[int, ...]]:
        """Return the colours at so many radiuses from the middle of a cell."""
        x, y = ground.middles[game.board.index[name]]
        away = [x - box.left + ground.radius * part for part in parts]
        found = [
            seen.getpixel((round(right * zoom), round((y - box.top) * zoom))) for right in away
        ]
        return [pixel for pixel in found if isinstance(pixel, tuple)]

    paper, (tile,) = seen.getpixel((1, seen.height - 2)), around("E1", 0)
    (x,), (o,) = around("C3", -0.78), around("B2", -0.78)

    assert contrast(str(tile), str(paper)) < 1.5
    assert x[2] > x[0] + 50, x
    assert o[0] > o[2] + 50, o
    for name in ("C3", "B2"):
        edges = around(name, 0.78, 0.9, 0.95, 1, 1.05, 1.1)

        assert max(contrast(str(colour), str(tile)) for colour in edges) >= 3, (name, edges)


@EACH_GAME
def test_nothing_but_the_width_of_the_widest_boards_hinders_anybody(
    boards: list[Game], page: "Page"
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    largest = max(boards, key=lambda game: len(game.board))
    for number, (game, width) in enumerate(product((boards[0], largest), WIDTHS)):
        shown = Shown(page, game, width, "dark" if number % 2 else "light")
        found = axe_core.Axe().run(page).response["violations"]

        assert {one["id"] for one in found} <= ({"target-size"} if shown.is_wide else set())
        assert shown.is_wide <= (width == WIDTHS[0])


@EACH_GAME
def test_the_letter_of_a_game_that_is_over_hinders_nobody(boards: list[Game], page: "Page") -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    game = boards[0]
    moves = [move.text for move, _ in random_game(game, 1) if move is not None]
    match, events = played(format_game(game), moves)
    page.set_viewport_size({"width": 380, "height": 800})
    page.set_content(html_of(board_letters(match, events, [TO_ALICE])[0]))

    assert not match.is_running
    assert [] == [one["id"] for one in axe_core.Axe().run(page).response["violations"]]


@EACH_GAME
def test_a_sector_is_found_in_two_steps(boards: list[Game], page: "Page") -> None:
    game = max(boards, key=lambda game: len(game.board))
    if not game.board.sectors:
        return
    shown = Shown(page, game, 380, "light")
    page.set_viewport_size({"width": 380, "height": 700})
    part = page.locator("a[href^='#']").last
    part.click()
    page.wait_for_function("scrollY > 0")
    mine = cells_of(game, part.inner_text())
    on_screen = [cell for cell in page.evaluate(CELLS) if 0 <= cell["y"] <= 700]

    assert mine
    assert mine <= {cell["name"] for cell in on_screen}
    shown.click([cell for cell in on_screen if cell["name"] in mine][:3])

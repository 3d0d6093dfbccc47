"""Letters in a real browser, as wide as a telephone and as a window: what a click on a cell opens.

Each board is shown as its letter of the first move, light and dark, with style sheets and without.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.spec import format_game
from pbmserv.mail.compose import move_link, reply_address
from pbmserv.render.board_letters import board_letters
from pbmserv.render.letter_html import letter_html
from tests import browser
from tests.mail.loopback_mail_server import STATIONERY
from tests.render.boards import EACH_GAME
from tests.render.correspondence import TO_ALICE, new_match

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

WIDTHS = (380, 860)
FINGER = 24
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


@pytest.fixture(scope="module")
def page() -> Iterator["Page"]:
    with browser.started() as chromium:
        yield chromium.new_page()


class Shown:
    """The letter of the first move at ``game``, shown at one width."""

    def __init__(self, page: "Page", game: Game, width: int, look: str, *, bare: bool) -> None:
        (letter,) = board_letters(new_match(format_game(game)), (), [TO_ALICE])
        address = reply_address(letter, STATIONERY)
        assert address is not None
        self.address, self.subject = address, f"Re: {letter.subject}"
        self.page, self.width, self.game = page, width, game
        html = letter_html(letter, "data:,", partial(move_link, address, letter.subject))
        if bare:
            html = re.sub(r"<style>.*?</style>|<meta name[^>]*>", "", html, flags=re.DOTALL)
        # Nothing has to be scrolled to be clicked.
        page.set_viewport_size({"width": width, "height": 12_000})
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        page.set_content(html)
        page.evaluate(ON_CLICK)
        self.cells: list[dict[str, Any]] = page.evaluate(CELLS)

    def check_all(self) -> None:
        """Every empty cell is there, large and clear enough, and nothing lies over another."""
        assert sorted(self.game.board.names) == sorted(cell["name"] for cell in self.cells)
        assert self.page.evaluate("document.documentElement.scrollWidth") == self.width
        for cell in self.cells:
            assert cell["isOnTop"], cell
            assert min(cell["width"], cell["height"]) >= FINGER, cell
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
    chosen = boards if full else list(dict.fromkeys((boards[0], largest)))
    for number, (game, width) in enumerate(product(chosen, WIDTHS)):
        shown = Shown(page, game, width, "dark" if number % 2 else "light", bare=False)

        shown.check_all()
        shown.click(shown.cells if full else Random(number).sample(shown.cells, 4))


@EACH_GAME
def test_without_style_sheets_cells_are_large_enough_too(boards: list[Game], page: "Page") -> None:
    for width in WIDTHS:
        Shown(page, boards[0], width, "light", bare=True).check_all()


@EACH_GAME
def test_a_board_too_large_for_a_telephone_is_found_in_two_steps(
    boards: list[Game], page: "Page"
) -> None:
    game = max(boards, key=lambda game: len(game.board))
    shown = Shown(page, game, 380, "light", bare=False)
    page.set_viewport_size({"width": 380, "height": 700})
    part = page.locator("a[href^='#']").nth(2)
    part.click()
    page.wait_for_function("scrollY > 0")
    name = part.inner_text()
    mine = {cell for cell in game.board.names if name in {cell[0], cell[1:]}}
    on_screen = [cell for cell in page.evaluate(CELLS) if 0 <= cell["y"] <= 700]

    assert mine
    assert mine <= {cell["name"] for cell in on_screen}
    shown.click([cell for cell in on_screen if cell["name"] in mine][:3])

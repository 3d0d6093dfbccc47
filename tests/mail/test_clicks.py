"""Letters in a real browser, as wide as a telephone and as a window: what a click on a cell opens.

Each board is shown as its letter of the first move, light and dark, with style sheets and without.
Where a letter has no room for a link in every cell, those that it says can be asked for are.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from email.message import EmailMessage
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from pbmserv.club.letter import Letter
from pbmserv.engine.game import Game
from pbmserv.engine.spec import format_game
from pbmserv.mail.compose import reply_address
from pbmserv.render.board_letters import board_letters, cells_letter
from tests import browser
from tests.mail.loopback_mail_server import STATIONERY, composed, read
from tests.render.pictured_boards import EACH_GAME
from tests.render.sample_letters import TO_ALICE, new_match

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
        address = reply_address(letter, STATIONERY)
        assert address is not None
        self.address, self.subject = address, f"Re: {letter.subject}"
        self.page, self.width, self.game = page, width, game
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

    def check_all(self) -> None:
        """Every empty cell is there or can be asked for, large and clear, none over another."""
        assert len(self.names) == len(self.cells)
        assert set(self.game.board.names) == self.names.union(*self.asked.values())
        assert self.names.isdisjoint(set().union(*self.asked.values()))
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


def html_of(letter: Letter) -> str:
    """Return the page of the letter as it is sent, with its picture in it."""
    message = read(composed(letter).content)
    page, picture = message.get_body(("html",)), list(message.walk())[-1]
    assert page is not None
    assert isinstance(picture, EmailMessage)
    packed = b64encode(picture.get_content()).decode()
    return re.sub(r'src="cid:[^"]*"', f'src="data:image/png;base64,{packed}"', page.get_content())


def cells_of(game: Game, part: str) -> set[str]:
    return {cell for cell in game.board.names if part in {cell, cell[0], cell[1:]}}


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


@EACH_GAME
def test_without_style_sheets_cells_are_large_enough_too(boards: list[Game], page: "Page") -> None:
    for width in WIDTHS:
        Shown(page, boards[0], width, "light", bare=True).check_all()


@EACH_GAME
def test_a_board_too_large_for_a_telephone_is_found_in_two_steps(
    boards: list[Game], page: "Page"
) -> None:
    game = max(boards, key=lambda game: len(game.board))
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

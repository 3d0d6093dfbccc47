"""The pages in a real browser: replay, trying moves, search, and nothing a page may not do."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import browser
from tests.site.conftest import HOSTILE_NAME, SMALL, Club

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LISTS = (
    *("index", "boards/index", "archive/index", "archive/2027-1", "players/index", "players/1"),
    *("standings/star", "openings/polyy", "games/index", "games/polyy", "games/star"),
    *("tournaments/index", "manual/index", "manual/play", "manual/star"),
)

FEW = 4
"""So many moves are made by buttons and keys; the slider goes through all."""

SHOWN = """() => [...document.querySelectorAll("#cells circle")].map(
    cell => ({e: 0, x: 1, o: 2})[cell.getAttribute("class").split(" ")[0]])"""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.started() as found:
        yield found


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(made: Club) -> Iterator[str]:
    handler = partial(Quiet, directory=str(made.root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def elsewhere(url: str, served: str) -> list[str]:
    return [] if url.startswith((served, "file:")) else [url]


@pytest.fixture
def page(chromium: "Browser", served: str) -> Iterator["Page"]:
    """A page that may say nothing on its console and ask no other host for anything."""
    opened = chromium.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on(
        "request",
        lambda request: (
            None if request.url.startswith((served, "file:")) else said.append(request.url)
        ),
    )
    yield opened
    opened.close()

    assert [] == said


def stones_of(club: Club, game: str, board: int) -> list[list[int]]:
    with club.local.desk.store.reading() as records:
        found = records.matches.find(game, board)

    assert found is not None
    return [list(position.stones) for position in found.record.positions]


@pytest.mark.parametrize("game", SMALL)
def test_a_board_is_replayed_by_button_key_slider_and_list(
    made: Club, served: str, page: "Page", game: str
) -> None:
    expected = stones_of(made, game, 101)
    last = len(expected) - 1
    page.goto(f"{served}boards/{game}/101.html")

    assert expected[-1] == page.evaluate(SHOWN)

    page.keyboard.press("Home")
    for ply in range(FEW):
        assert expected[ply] == page.evaluate(SHOWN), ply
        page.click("[data-go=on]")
    for ply in range(FEW, -1, -1):
        assert expected[ply] == page.evaluate(SHOWN), ply
        page.keyboard.press("ArrowLeft")
    for ply in range(last + 1):
        page.fill("#slider", str(ply))

        assert expected[ply] == page.evaluate(SHOWN), ply
    page.click("#moves li:nth-child(3)")

    assert expected[3] == page.evaluate(SHOWN)
    assert page.inner_text("#now").startswith("Move 3: ")


def test_a_swipe_goes_one_move_back(made: Club, served: str, chromium: "Browser") -> None:
    expected = stones_of(made, "star", 101)
    context = chromium.new_context(has_touch=True, viewport={"width": 380, "height": 800})
    page = context.new_page()
    page.goto(f"{served}boards/star/101.html")
    page.evaluate(
        """() => {
            const board = document.querySelector("#game .b");
            const touch = x => new Touch({identifier: 1, target: board, clientX: x, clientY: 5});
            board.dispatchEvent(new TouchEvent("touchstart", {touches: [touch(100)]}));
            board.dispatchEvent(new TouchEvent("touchend", {changedTouches: [touch(200)]}));
        }"""
    )

    assert expected[-2] == page.evaluate(SHOWN)

    context.close()


def test_moves_are_tried_taken_back_and_copied_as_a_command(
    made: Club, served: str, page: "Page"
) -> None:
    page.goto(f"{served}boards/star/102.html")
    page.click("[data-go=try]")
    empty = page.locator("#cells circle.e")
    names = [empty.nth(number).text_content() for number in (0, 1)]
    empty.nth(0).click()
    empty.nth(0).focus()
    page.keyboard.press("Enter")

    assert f"star preview 102 {names[0]} {names[1]}" == page.input_value("#line")

    page.click("[data-go=undo]")

    assert f"star preview 102 {names[0]}" == page.input_value("#line")
    made.local.do(page.input_value("#line"))


def test_without_scripts_the_final_position_and_the_moves_are_there(
    made: Club, served: str, chromium: "Browser"
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}boards/star/101.html")
    expected = stones_of(made, "star", 101)

    assert len(expected) - 1 == page.locator("#moves li").count()
    assert expected[-1].count(1) == page.locator("#cells circle.x").count()
    assert not page.is_visible("#replay")

    context.close()


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_the_archive_is_searched_without_a_server(
    made: Club, served: str, page: "Page", scheme: str
) -> None:
    root = served if scheme == "http" else f"{made.root.as_uri()}/"
    page.goto(f"{root}archive/index.html")
    page.fill("#wanted", "bob hex resignation")

    assert page.wait_for_selector("#found a").text_content() == "Hex Board 101 size 5"

    page.click("#found a")

    assert page.url == f"{root}boards/hex/101.html"


@pytest.mark.parametrize(
    ("width", "look"),
    [(380, "light"), (380, "dark"), (860, "dark"), (1280, "light"), (1280, "dark")],
)
def test_every_kind_of_page_fits_and_is_accessible(
    served: str, page: "Page", width: int, look: str
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    for path in (*LISTS, "boards/star/101", "tournaments/1"):
        page.goto(f"{served}{path}.html")
        found = axe_core.Axe().run(page).response["violations"] if width != 860 else []

        assert [] == [one["id"] for one in found], path
        assert width >= page.evaluate("document.documentElement.scrollWidth"), path


def test_nothing_hostile_runs(served: str, page: "Page") -> None:
    page.goto(f"{served}tournaments/1.html")

    assert page.inner_text("h1") == HOSTILE_NAME
    assert page.evaluate("window.hurt") is None


def test_a_folder_is_a_site(made: Club, page: "Page") -> None:
    page.goto(Path(made.root / "index.html").as_uri())
    page.click("a:text-is('Star 101')")

    assert stones_of(made, "star", 101)[-1] == page.evaluate(SHOWN)

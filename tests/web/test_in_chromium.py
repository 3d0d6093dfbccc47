"""The room in a real browser, with script and without, as it is seen and used by hand and keys."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

from pbmserv.engine.games import find_game
from tests import browser
from tests.databases import ONE_DATABASE
from tests.web.conftest import Room
from tests.web.test_boards import BOARDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, ONE_DATABASE]

SIDEWAYS = "() => document.documentElement.scrollWidth - innerWidth"
LONG = ("w" * 24, "m" * 24)
"""Names as wide as names can be."""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.started() as found:
        yield found


class Silent(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(room: Room) -> Iterator[str]:
    """Serve the application at a port of this machine."""
    server = make_server("127.0.0.1", 0, room.app, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def opened(chromium: "Browser", root: str, userid: str, *, script: bool) -> Iterator["Page"]:
    """Open a browser of a player's own, signed in; nothing may stand in its console."""
    context = chromium.new_context(
        java_script_enabled=script, viewport={"width": 1280, "height": 900}, base_url=root
    )
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto("signin")
    page.fill("[name=userid]", userid)
    page.fill("[name=password]", f"secret-{userid}")
    page.click("main button")
    page.wait_for_url("**/my")
    yield page
    context.close()
    # A refused move is an answer, which a browser notes.
    assert [one for one in said if "409" not in one] == []


def move(page: "Page", path: str, chance: Random) -> None:
    """Choose empty cells with the mouse until there is something to confirm, and confirm."""
    page.goto(path)
    for _ in range(2):
        if page.locator("[data-key=Enter]").count() == 0:
            cells = page.locator("#cells a")
            at = chance.randrange(cells.count())
            chosen = cells.nth(at).get_attribute("aria-label") or ""
            cells.nth(at).click(force=True)
            page.wait_for_url(f"**{chosen.removesuffix(', empty')}")
    page.click("[data-key=Enter]")
    page.wait_for_url(f"**/{path}")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("game", sorted(BOARDS))
def test_two_people_play_to_the_end(
    room: Room, chromium: "Browser", game: str, *, script: bool
) -> None:
    room.local.game = game
    number = room.local.start(BOARDS[game])
    path, chance = f"boards/{find_game(game).name}/{number}.html", Random(game)
    with (
        served(room) as root,
        opened(chromium, root, "alice", script=script) as alice,
        opened(chromium, root, "bob", script=script) as bob,
    ):
        for turn in range(100):
            if room.local.show(number)["status"] != "running":
                break
            move(bob if turn % 2 else alice, path, chance)

    assert room.local.show(number)["status"] in {"won", "drawn"}


def test_the_opponents_move_appears_by_itself(room: Room, chromium: "Browser") -> None:
    number = room.local.start("-size=3")
    path = f"boards/star/{number}.html"
    with served(room) as root, opened(chromium, root, "bob", script=True) as bob:
        bob.clock.install()
        bob.goto(path)
        assert bob.title().startswith("Star Board")

        room.local.move(number, "alice", "B2")
        bob.clock.fast_forward(10_000)
        bob.wait_for_selector("text=choose a cell")

        assert bob.title().startswith("(1) Star Board")
        assert bob.text_content(".me b") == "1"


def test_a_chosen_cell_is_not_taken_away_by_a_change(room: Room, chromium: "Browser") -> None:
    number = room.local.start("-size=3")
    with served(room) as root, opened(chromium, root, "alice", script=True) as alice:
        alice.clock.install()
        alice.goto(f"boards/star/{number}.html?at=B2")
        room.local.do(f"star chat {number} bob secret-bob hello")
        alice.clock.fast_forward(10_000)
        alice.wait_for_selector("#changed:not([hidden])")

        assert alice.is_visible("text=Play B2?")


def test_a_move_by_keys_alone(room: Room, chromium: "Browser") -> None:
    room.local.game = "hex"
    number = room.local.start("-size=4")
    with served(room) as root, opened(chromium, root, "alice", script=True) as alice:
        alice.goto(f"boards/hex/{number}.html")
        stops = alice.locator("#cells a[tabindex='0']")
        assert stops.count() == 1

        stops.focus()
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            alice.keyboard.press(key)
        alice.wait_for_selector("text=/Play \\w+\\?/")
        alice.keyboard.press("Escape")
        alice.wait_for_selector("text=choose a cell")
        alice.wait_for_load_state()
        assert room.local.show(number)["moves"] == []
        alice.keyboard.press("p")
        alice.wait_for_selector("text=Pass?")
        alice.keyboard.press("Enter")
        alice.wait_for_selector("text=Undo")

    assert room.local.show(number)["moves"] == ["pass"]


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 860, 1280])
def test_every_page_of_a_player_fits_and_is_accessible(
    room: Room, chromium: "Browser", width: int, look: str
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    number = room.local.start("-size=3", *LONG)
    room.local.do(f"star chat {number} {LONG[1]} secret-{LONG[1]} {'i' * 200}")
    board = f"boards/star/{number}.html"
    paths = ["my", board, *(f"{board}?at={at}" for at in ("B2", "resign", "propose"))]
    with served(room) as root, opened(chromium, root, LONG[0], script=True) as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        for path in paths:
            page.goto(path)
            found = axe_core.Axe().run(page).response["violations"]

            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], path
            assert page.evaluate(SIDEWAYS) <= 0, path

"""A guest in a real browser: on a telephone without script, by hand and by Back with one."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests import browser
from tests.databases import ONE_DATABASE
from tests.web.conftest import Room
from tests.web.test_in_chromium import SIDEWAYS, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, ONE_DATABASE]

HEIGHT = 800
BEGUN = "play/hex?spec=hex(size=5)&level=1&side=X&moves=A1,B2"
ENDED = "play/hex?spec=hex(size=5)&level=2&side=X&moves=A1,B2,resign"


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.started() as found:
        yield found


@contextmanager
def opened(chromium: "Browser", root: str, width: int, *, script: bool) -> Iterator["Page"]:
    """Open a browser that nobody uses but this guest; nothing may stand in its console."""
    context = chromium.new_context(
        java_script_enabled=script, viewport={"width": width, "height": HEIGHT}, base_url=root
    )
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    assert context.cookies() == []
    context.close()
    assert said == []


def choose(page: "Page", chance: Random) -> None:
    """Choose an empty cell with the mouse, and see it chosen."""
    cells = page.locator("#cells a")
    at = chance.randrange(cells.count())
    name = (cells.nth(at).get_attribute("aria-label") or "").removesuffix(", empty")
    cells.nth(at).click(force=True)
    page.wait_for_url(f"**at={name}")


@pytest.mark.parametrize("script", [False, True], ids=["plain", "script"])
def test_a_guest_plays_on_a_telephone(room: Room, chromium: "Browser", *, script: bool) -> None:
    chance = Random(7)
    with served(room) as root, opened(chromium, root, 380, script=script) as page:
        page.goto("play/star")
        for _ in range(40):
            if page.locator("text=Again").count():
                break
            choose(page, chance)
            board, button = page.locator("svg.b").bounding_box(), page.locator("[data-key=Enter]")
            place = button.bounding_box()
            assert board is not None
            assert place is not None
            assert 0 <= board["x"] <= board["x"] + board["width"] <= 380
            assert place["y"] + place["height"] <= HEIGHT
            button.click()
            page.wait_for_url(lambda url: "at=" not in url)

        assert page.locator("text=Again").count() == 1
        page.click("text=Again")
        page.wait_for_selector("#cells a")
        assert page.locator("#cells a").count() == 27


def test_back_undoes_a_move(room: Room, chromium: "Browser") -> None:
    with served(room) as root, opened(chromium, root, 1280, script=True) as page:
        page.goto(BEGUN)
        before = page.locator("#cells a").count()
        choose(page, Random(1))
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "at=" not in url)
        assert page.locator("#cells a").count() == before - 2
        page.go_back()
        page.wait_for_url("**at=*")
        page.keyboard.press("Escape")
        page.wait_for_selector("text=choose a cell")

        assert page.locator("#cells a").count() == before


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("width", [380, 860, 1280])
def test_the_pages_of_guests_fit_and_are_accessible(
    room: Room, chromium: "Browser", width: int, look: str
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    paths = ["play/starstar", "play/hex?side=O", BEGUN, f"{BEGUN}&at=C3", f"{BEGUN}&at=resign"]
    paths += ["", ENDED, "puzzle/6.html", "puzzle/6.html?at=A5"]
    with served(room) as root, opened(chromium, root, width, script=True) as page:
        page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        for path in paths:
            page.goto(path)
            found = axe_core.Axe().run(page).response["violations"]

            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], path
            assert page.evaluate(SIDEWAYS) <= 0, path

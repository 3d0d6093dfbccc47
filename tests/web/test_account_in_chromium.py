"""A player's own pages in a real browser: each width, both looks, the longest names, by hand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests import browser
from tests.databases import ONE_DATABASE
from tests.local_server import LocalServer
from tests.web.mail_room import MailRoom
from tests.web.test_account import addresses
from tests.web.test_in_chromium import LONG, SIDEWAYS, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, ONE_DATABASE]

OWN = ("my", "my?game=starstar", "account", "close", "players/2.html", "games/star.html")
OPEN = ("signin", "signup", "reset", "tournaments/1.html", "index.html")
SIZES = ((380, "light"), (860, "dark"), (1280, "light"))
DETAILS = "() => document.querySelectorAll('details').forEach(one => { one.open = true; })"
LEAVING = "Clear-Site-Data"
"""What a browser notes of a sign-out."""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.started() as found:
        yield found


@pytest.fixture
def room(local: LocalServer) -> Iterator[MailRoom]:
    """Two players whose names are as wide as names can be, with all that their pages can have."""
    for name in LONG:
        local.do(f"signup {name} secret-{name} {name}{'x' * 30}@example.org")
    one, other = LONG
    for line in (
        f"star challenge {one} {other} -size=4",
        f"starweb challenge {other} {one}",
        f"hex challenge {other} {one} -size=3",
        f"hex move 101 {other} secret-{other} A1",
        f"hex move 101 {one} secret-{one} A2",
        f"hex move 101 {other} secret-{other} resign",
        f"starstar seek {other} secret-{other} 2 -size=4 -double -forfeittime=99 -unrated",
        f"y seek {one} secret-{one} 1",
        f"block {one} secret-{one} {other}",
        f"message {one} secret-{one} {other}: {'w' * 200}",
        f"vacation {one} secret-{one} 3",
        f"tournament create {other} secret-{other} star {'W' * 60}",
        f"tournament join 1 {other} secret-{other}",
    ):
        local.do(line)
    found = MailRoom(local)
    yield found
    found.close()
    if found.failures:
        raise found.failures[0]


def sign_in(page: "Page", userid: str, word: str) -> None:
    page.goto("signin")
    page.fill("[name=userid]", userid)
    page.fill("[name=password]", word)
    page.click("main button")
    page.wait_for_url("**/my")


@pytest.mark.parametrize(("width", "look"), SIZES)
def test_nothing_is_sideways_silent_or_hard_to_reach(
    room: MailRoom, chromium: "Browser", width: int, look: str
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    with served(room) as root:
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, base_url=root, color_scheme=look
        )
        page, said = context.new_page(), list[str]()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for paths in (OPEN, (*OWN, *OPEN[3:])):
            for path in paths:
                page.goto(path)
                page.evaluate(DETAILS)
                assert page.evaluate(SIDEWAYS) <= 0, path
                found = axe_core.Axe().run(page).response["violations"]
                assert [] == [(path, one["id"], one["nodes"][0]["html"]) for one in found]
            if paths == OPEN:
                sign_in(page, LONG[0], f"secret-{LONG[0]}")
        context.close()
        assert said == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_somebody_joins_by_letter_and_leaves(
    room: MailRoom, chromium: "Browser", *, script: bool
) -> None:
    with served(room) as root:
        context = chromium.new_context(java_script_enabled=script, base_url=root)
        page, said = context.new_page(), list[str]()
        page.on("console", lambda message: said.append(message.text))
        page.goto("")
        page.click("text=Join")
        for name, text in (
            ("userid", "dora"),
            ("password", "secret-dora"),
            ("address", "dora@example.org"),
        ):
            page.fill(f"[name={name}]", text)
        page.click("main button")
        page.wait_for_url("**/my")
        page.goto(room.link_to("dora@example.org").replace("http://localhost/", root))
        page.click("text=Verify this address")
        assert "is verified" in page.inner_text("[role=status]")
        assert addresses(room, "dora") == [("dora@example.org", True)]
        page.goto("my?game=hex#new")
        page.fill("#new [maxlength='24']", LONG[1])
        page.check("#new [type=radio] >> nth=1")
        page.click("text=Challenge")
        page.wait_for_url("**/boards/hex/102.html")
        page.goto("account")
        page.click("text=Close your account")
        page.fill("[name=password]", "secret-dora")
        page.click("text=Close my account")
        assert page.inner_text("[role=status]") == "Your account is closed."
        assert context.cookies() == [] or "pbmserv" not in {c["name"] for c in context.cookies()}
        context.close()
        assert [one for one in said if LEAVING not in one] == []
    assert room.local.json("hex show 102")["players"] == {"X": LONG[1], "O": "dora"}

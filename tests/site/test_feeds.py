"""Feeds, calendars and pages are what their validators take them for."""

import html
import json
import os
import posixpath
import re
import subprocess
from html.parser import HTMLParser
from shutil import which

import feedparser
import html5lib
import icalendar
import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from tests.databases import ONE_DATABASE
from tests.site.conftest import HOSTILE_NAME, SMALL, Club


@pytest.mark.costly
def test_every_page_is_valid_html(made: Club) -> None:
    for path, data in made.files().items():
        if path.endswith(".html"):
            html5lib.HTMLParser(strict=True).parse(data)


class Tags(HTMLParser):
    """The tags of a text with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


def test_no_page_or_feed_has_a_tag_that_a_player_wrote(made: Club) -> None:
    told = 0
    for path, data in made.files().items():
        if not path.endswith((".html", ".atom", ".svg")):
            continue
        tags = Tags(data.decode()).found
        told += HOSTILE_NAME in html.unescape(data.decode())

        assert HOSTILE_NAME not in data.decode(), path
        assert not [name for _, attrs in tags for name, _ in attrs if name.startswith("on")], path
        sources = {dict(attrs).get("src") or "" for tag, attrs in tags if tag == "script"}
        assert all(re.fullmatch(r"((\.\./)*site\.js\?[0-9a-f]{16})?", one) for one in sources), path

    assert told >= 3


LINK = r"""(?:href|src|data-files)="([^"]*)"|content="([^"]*\.png)"|url\(([^)]*)\)"""


def test_whatever_a_page_or_a_feed_leads_to_is_there(made: Club) -> None:
    files, led = made.files(), set[str]()
    for path, data in files.items():
        if not path.endswith((".html", ".atom", ".css")):
            continue
        text = html.unescape(data.decode())
        for link in re.findall(LINK, text):
            for name in "".join(link).split(" ") if "archive/" in path else ["".join(link)]:
                target = re.split("[?#]", name)[0]
                if target and "://" not in target and not target.startswith(("mailto:", "data:")):
                    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                    led.add(found)

                    assert found in files, (path, name)

    assert {"site.css", "site.js", "icon.svg", "feed.atom", "archive/index.html"} <= led
    ours = {path for path in files if path.startswith(("boards/", "players/", "games/"))}
    # The pictures of boards that have ended are for whoever knows their address.
    assert {path for path in ours if not path.endswith("/101.svg")} <= led
    assert {path for path in files if path.startswith("manual/")} <= led


@pytest.mark.slow
def test_the_nu_checker_finds_no_error(made: Club) -> None:
    jar = os.environ.get("PBMSERV_TEST_VNU")
    if jar is None or which("java") is None:
        pytest.skip("PBMSERV_TEST_VNU names no vnu.jar (npm: vnu-jar), or java is not installed")
    words = ["java", "-jar", jar, "--errors-only", "--skip-non-html", "--also-check-svg"]
    done = subprocess.run([*words, str(made.root)], capture_output=True, text=True, check=False)

    assert (0, "") == (done.returncode, done.stderr)


def test_every_feed_is_well_formed_and_complete(made: Club) -> None:
    feeds = {path: data for path, data in made.files().items() if path.endswith(".atom")}

    assert {"feed.atom", "players/1.atom", "boards/star/101.atom"} <= feeds.keys()
    for path, data in feeds.items():
        feed = feedparser.parse(data)

        assert not feed.bozo, path
        assert feed.version == "atom10"
        assert feed.feed.id.startswith("urn:uuid:")
        assert len({entry.id for entry in feed.entries}) == len(feed.entries)
        assert feed.entries or "boards/" in path


def test_deadlines_are_a_calendar(club: Club) -> None:
    local = club.local
    found = [
        icalendar.Calendar.from_ical(local.text(f"calendar {userid} secret-{userid}"))
        for userid in ("alice", "bob")
    ]
    events = [event for one in found for event in one.walk("VEVENT")]

    assert len(events) == len(SMALL) + 1
    assert {"Star Board 102 against alice", "Star Board 102 against bob"} & {
        str(event["SUMMARY"]) for event in events
    }
    assert all(event.decoded("DTSTART").tzinfo is not None for event in events)


@pytest.mark.costly
@ONE_DATABASE
def test_what_was_done_is_told_in_words_and_once(club: Club) -> None:
    local = club.local
    local.desk.tree = root(SHELL, shell_families())
    local.do("admin robot add robot4 -level=4")
    local.game = "star"
    drawn, resigned = (local.start() for _ in range(2))
    local.play(drawn, "C1 swap D1 pass")
    local.move(drawn, "alice", "propose")
    local.move(drawn, "bob", "accept")
    local.play(resigned, "C1 D1")
    local.move(resigned, "alice", "resign")
    with_robot = local.start(o="robot4")
    local.move(with_robot, "alice", "C1")
    club.build()
    feed = feedparser.parse(club.page(f"boards/star/{drawn}.atom"))
    said = [entry.summary for entry in feed.entries]
    page = html.unescape(club.page(f"boards/star/{resigned}.html"))
    record = json.loads(club.page(f"boards/star/{with_robot}.json"))

    assert [
        f"Star Board {drawn} is a draw by agreement.",
        "bob passes.",
        "alice plays D1.",
        "bob swaps.",
        "alice plays C1.",
    ] == said
    shown = " ".join(re.sub("<[^>]+>", " ", club.page("players/1.html")).split())
    assert f"Star {drawn} · size 3 X bob O alice Draw by agreement" in shown
    assert "bob (O) wins Star Board" in page
    assert "Points on the board: X: 1   O: 1" in page
    assert "ahead" not in page
    assert (record["first"], record["second"], record["robots"]) == ("alice", "robot4", ["robot4"])
    assert "robot4 (computer)" in club.page(f"boards/star/{with_robot}.html")
    for path, data in club.files().items():
        if path.endswith((".html", ".atom", ".txt", ".sgf", ".json", ".js")):
            text = data.decode()

            assert "(computer) (computer)" not in text, path
            assert "plays swap" not in text, path
            assert "plays pass" not in text, path

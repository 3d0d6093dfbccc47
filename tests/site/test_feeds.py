"""Feeds, calendars and pages are what their validators take them for."""

import os
import subprocess
from shutil import which

import feedparser
import html5lib
import icalendar
import pytest

from tests.site.conftest import SMALL, Club


def test_every_page_is_valid_html(made: Club) -> None:
    for path, data in made.files().items():
        if path.endswith(".html"):
            html5lib.HTMLParser(strict=True).parse(data)


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

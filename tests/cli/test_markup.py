"""What people write stays words on the club's pages, in its feeds and pictures, and in a sheet."""

import csv
import io
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pbmserv.store.tables import metadata
from tests.cli.test_control_characters import club, curse
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell

__all__ = ["club"]

MARKUP = "</title></text>]]><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'"
HARMLESS = "x" * len(MARKUP)
SAID = [
    metadata.tables["chat"].c.text,
    metadata.tables["tournament"].c.name,
    metadata.tables["outbox"].c.subject,
]
FORMULA = "=cmd|'/C'!A0@example.org"


class Tags(HTMLParser):
    """The tags of a page with the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}",))


def pages(club: Shell, folder: Path, words: str) -> dict[str, str]:
    """Return everything written about a club whose members say these words."""
    curse(club.url, SAID, words)
    folder.mkdir()
    for line in (
        f"site {folder}/site --chat",
        f"tournament show 1 -html={folder}/cup.html",
        f"star show 101 -html={folder}/board.html -svg={folder}/board.svg",
    ):
        assert club.run(line).code == 0
    files = [file for end in ("html", "svg", "xml", "atom") for file in folder.rglob(f"*.{end}")]
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


@pytest.mark.costly
@ONE_DATABASE
def test_markup_in_what_people_write_is_no_tag_of_any_page_feed_or_picture(
    club: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_SITE_URL", "https://club.example.org/")
    before = Path(club.url).read_bytes()
    harmless = pages(club, tmp_path / "harmless", HARMLESS)
    Path(club.url).write_bytes(before)
    written = pages(club, tmp_path / "written", MARKUP)

    assert harmless.keys() == written.keys()
    holding = [name for name, text in harmless.items() if HARMLESS in text]
    assert len(holding) > 3
    for name, text in written.items():
        assert Tags(harmless[name]).found == Tags(text).found, name
        assert "<script>alert" not in text
        if name.endswith((".xml", ".svg", ".atom")):
            ET.fromstring(text)  # noqa: S314 - what we wrote ourselves


@ONE_DATABASE
def test_no_cell_of_a_sheet_is_a_formula(club: Shell) -> None:
    local = [metadata.tables["inbox"].c.sender, metadata.tables["address"].c.address]
    curse(club.url, local, FORMULA, keeps=False)
    for line in ("admin inbox -csv", "admin players -csv", "admin outbox -csv"):
        rows = list(csv.reader(io.StringIO(club.run(line).out)))
        cells = [cell for row in rows for cell in row]

        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
        assert [cell for cell in cells if FORMULA in cell] or line == "admin outbox -csv"

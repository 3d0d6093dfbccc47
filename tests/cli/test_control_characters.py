"""Control characters: taken into no stored text, and obeyed by nothing that shows a stored one."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.club.written_text import OBEYED
from pbmserv.store.connection import Mode, make_engine, open_transaction
from pbmserv.store.files.location import parse_location
from pbmserv.store.mail.inbox import Arrival
from pbmserv.store.tables import metadata
from tests.databases import ONE_DATABASE, made_once
from tests.in_process_shell import Shell
from tests.local_server import LocalServer, Tables

CURSE = "\x1b[2J\x07\x9b1m\r\u202e"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""What we write ourselves on a terminal."""

WRITTEN = [
    ("signup carol\x1b secret-carol", ""),
    ("signup carol secret-carol c\x1b@example.org", ""),
    ("star move 101 alice secret-alice B3 -comment=a\x1b[2Jb", ""),
    ("star queue 101 alice secret-alice B3\x1b", ""),
    ("star chat 101 alice secret-alice -text=a\x9bb", ""),
    ("star chat 101 alice secret-alice -", "a\0b"),
    ("message alice secret-alice bob -text=a\x07b", ""),
    ("message alice secret-alice bob -", "a\x1bb"),
    ("broadcast alice secret-alice -text=a\x1bb", ""),
    ("admin announce -text=a\x1bb", ""),
    ("admin announce -", "a\x7fb"),
    ("admin rename bob b\x1bb", ""),
    ("tournament create alice secret-alice star Cup\x1b", ""),
    ("star import", "pbmserv record 2\ngame: star(size=3)\nfirst: a\x1bb\n"),
]

SHOWN = [
    "star show 101",
    "star show alice",
    "star showas alice secret-alice 101",
    "star games",
    "star history",
    "star chat 101 alice secret-alice",
    "star standings",
    "star export 101",
    "list",
    "stats",
    "players",
    "account alice secret-alice",
    "messages alice secret-alice",
    "tournament show 1",
    "tournament list",
    "admin games -csv",
    "admin games",
    "admin players -csv",
    "admin players",
    "admin player alice",
    "admin moves star 101",
    "admin chat star 101",
    "admin audit",
    "admin audit -csv",
    "admin inbox",
    "admin outbox",
    "admin check",
    "news alice secret-alice",
]

FREE = {
    "player": ["userid"],
    "address": ["address"],
    "chat": ["text"],
    "message": ["text"],
    "notice": ["text"],
    "tournament": ["name"],
    "outbox": ["address", "subject", "lead", "tail", "last_error"],
    "audit": ["verb", "detail", "outcome"],
    "inbox": ["sender", "outcome", "door"],
}
"""Texts with which a board can still be shown."""


@pytest.fixture
def club(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A board and something in every table that has words of people."""
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    return fill(shell)


@made_once
def fill(shell: Shell) -> Shell:
    local = LocalServer(shell.url)
    local.start()
    local.play(101, "C1 C2")
    local.desk.writes_letters = lambda: True
    for line in (
        "add alice secret-alice a@example.org",
        "star chat 101 bob secret-bob -text=hello",
        "message bob secret-bob alice -text=hello",
        "star seek bob secret-bob 2",
        "star queue 101 bob secret-bob D3",
        "tournament create alice secret-alice star Cup -size=3",
        "tournament join 1 bob secret-bob",
    ):
        local.do(line)
    with local.desk.store.writing() as records:
        records.inbox.take(Arrival(1, "key", "a@example.org", 1, "pipe", "done"))
    local.desk.close()
    return shell


@ONE_DATABASE
@pytest.mark.parametrize(("line", "said"), WRITTEN)
def test_none_is_taken_in(club: Shell, line: str, said: str) -> None:
    before = stored(club.url)
    done = club.run(line, said)

    assert done.code in {1, 2}
    assert not OBEYED.search(done.out + done.err)
    assert stored(club.url) == before


def stored(url: str) -> Tables:
    local = LocalServer(url)
    found = local.tables()
    local.desk.close()
    return found


def curse(
    url: str, columns: Iterable[sa.Column[str]], words: str = CURSE, *, keeps: bool = True
) -> None:
    """Add these words to whatever stands in the columns, or put them there, where tables allow."""
    engine = make_engine(parse_location(url))
    with open_transaction(engine, Mode.WRITE) as connection:
        for column in columns:
            try:
                with connection.begin_nested():
                    cursed = sa.func.coalesce(column, "") + words if keeps else words
                    connection.execute(column.table.update().values({column: cursed}))
            except sa.exc.IntegrityError:
                continue
        connection.commit()
    engine.dispose()


@pytest.mark.costly
def test_none_is_obeyed_wherever_a_stored_text_is_shown(club: Shell, tmp_path: Path) -> None:
    curse(
        club.url, (metadata.tables[name].c[each] for name, names in FREE.items() for each in names)
    )
    shown = [club.run(f"{line}{end}") for line in SHOWN for end in ("", " --json")]
    files = [tmp_path / name for name in ("x.svg", "x.html", "cup.html")]
    club.run(f"star show 101 --svg={files[0]} --html={files[1]}")
    club.run(f"tournament show 1 -html={files[2]}")

    assert {done.code for done in shown} <= {0, 1}
    assert sum("\N{REPLACEMENT CHARACTER}[2J" in done.out for done in shown) > len(SHOWN) // 2
    for text in (*(done.out + done.err for done in shown), *(file.read_text() for file in files)):
        assert not OBEYED.search(text)


@pytest.mark.costly
def test_nor_where_everything_is_damaged_or_a_terminal_has_colours(
    club: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLORTERM", "truecolor")  # what rich remembers must suit other tests
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    coloured = [club.run(line).out for line in SHOWN]
    curse(
        club.url,
        (
            each
            for table in metadata.sorted_tables
            for each in table.c
            if isinstance(each.type, sa.Text)
        ),
    )
    damaged = [club.run(line) for line in SHOWN]

    assert any(COLOUR.search(text) for text in coloured)
    for text in (*coloured, *(done.out + done.err for done in damaged)):
        assert not OBEYED.search(COLOUR.sub("", text))

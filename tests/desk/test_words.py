"""Whatever is sent, what comes out is an answer or an error for people, and nothing else."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.club.word_forms import straightened
from pbmserv.commands.command_table import root
from pbmserv.commands.parse import parse
from pbmserv.commands.words import BLANKS, split_line
from pbmserv.desk.polite_moves import read_move
from pbmserv.errors import Refused
from tests.databases import copy_template
from tests.local_server import LocalServer

TREE = root()
CODE = re.compile(r"[a-z]+(-[a-z]+)*")

WORDS = """
star starweb *star y pbmserv help signup add change password address signoff delete list all show
showas challenge chall move mvoe board swap resign submit confirm preview prev games score replay
history export import new next active inactive alice bob carol secret-alice secret-bob 101 102 999
101#1 101#-1 101#99 #1 C1 C2 B3#3 pass -- - ** swap propose undo accept reject -size=3 --size 3
-si=7 -s -maxi -corners=2 -unrated -x=C1 --o -limit=1 -limit -explain a@b.example
"""
KNOWN = st.sampled_from(WORDS.split())
ODD = st.sampled_from(
    ["", "\0", "\x1b[2J", "\udcff", "\u212a", "🌟", "x" * 10_000, "a\nb", "'", '"']
)
TEXT = st.text(max_size=30)
LINES = st.lists(st.one_of(KNOWN, KNOWN, KNOWN, ODD, TEXT), max_size=8)

TEMPLATES = (
    ("star", "move", "101", "alice", "secret-alice"),
    ("star", "submit", "101", "alice", "secret-alice"),
    ("star", "show"),
    ("star", "showas", "bob", "secret-bob"),
    ("star", "preview", "new", "-size=3"),
    ("star", "score", "new", "-size=3"),
    ("star", "games"),
    ("star", "history"),
    ("star", "challenge"),
    ("signup",),
    ("add", "bob", "secret-bob"),
    ("change", "password", "carol"),
    ("help",),
    ("list",),
    ("all", "show"),
    (),
)


def outcome(call: Callable[[], object]) -> str:
    """Return the code of the refusal, or "done"; whatever else is raised fails the test."""
    try:
        call()
    except Refused as error:
        return error.code
    return "done"


@pytest.mark.costly
@settings(max_examples=50)
@given(LINES)
def test_any_words_are_understood_or_refused(words: list[str]) -> None:
    assert CODE.fullmatch(outcome(lambda: parse(TREE, words)))


@pytest.mark.costly
def test_no_kind_of_blank_in_a_word_keeps_the_parser_busy() -> None:
    blanks = [sign for sign in map(chr, range(0x3001)) if sign.isspace()]

    for word in (
        f"{before}{blank}{after}" for blank in blanks for before in "{s" for after in "xy"
    ):
        assert CODE.fullmatch(outcome(lambda word=word: parse(TREE, [word, "show"])))  # type: ignore[misc]


@given(st.text(max_size=60))
def test_any_line_is_split_or_not_understood(line: str) -> None:
    assert outcome(lambda: split_line(line)) in {"done", "unbalanced-quotes"}


def test_an_apostrophe_within_a_word_needs_no_second_one() -> None:
    assert split_line("I'd like it") == ["I'd", "like", "it"]
    assert outcome(lambda: split_line("star show 'alice")) == "unbalanced-quotes"


@given(st.text(st.characters(exclude_characters=f"'\"\\{BLANKS}"), max_size=60))
def test_a_line_without_quotation_is_split_as_a_shell_does(line: str) -> None:
    assert split_line(line) == straightened(shlex.split(line))


@pytest.fixture(scope="module")
def busy(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    opened = LocalServer(copy_template(sqlite_template, tmp_path_factory.mktemp("words")))
    yield from _busy(opened)
    opened.close()


@pytest.fixture
def busy_everywhere(local: LocalServer) -> Iterator[LocalServer]:
    yield from _busy(local)


def _busy(local: LocalServer) -> Iterator[LocalServer]:
    local.sign_up("alice", "bob", "carol")
    local.start()
    local.play(101, "C1 C2")
    yield local
    local.desk.close()


@pytest.mark.costly
@given(st.sampled_from(TEMPLATES), LINES, TEXT)
def test_any_request_is_answered_or_refused(
    busy: LocalServer, start: tuple[str, ...], words: list[str], body: str
) -> None:
    assert CODE.fullmatch(outcome(lambda: busy.ask([*start, *words], body)))


ODD_WORDS = ("\0", "a\0b", "\udcff", "\u212aate", "🌟", "x" * 10_000, "", " ", "%s", "'; --")


@pytest.mark.costly
def test_odd_words_in_every_place_are_refused_on_every_database(
    busy_everywhere: LocalServer,
) -> None:
    lines = [
        ("star", "move", "101", "alice", "secret-alice", "?"),
        ("star", "move", "101", "?", "secret-alice", "B3"),
        ("star", "move", "101", "alice", "?", "B3"),
        ("star", "move", "?", "alice", "secret-alice", "B3"),
        ("star", "challenge", "alice", "?"),
        ("star", "show", "?"),
        ("star", "showas", "?", "secret-alice"),
        ("star", "history", "?"),
        ("star", "?"),
        ("star", "challenge", "alice", "bob", "-size", "?"),
        ("star", "score", "new", "-x", "?"),
        ("all", "show", "?"),
        ("list", "?"),
        ("help", "?"),
        ("signup", "?", "secret-dora"),
        ("signup", "dora", "?"),
        ("signup", "dora", "secret-dora", "?"),
        ("change", "password", "alice", "?", "secret-other"),
        ("?",),
    ]
    before = busy_everywhere.tables()
    for line in lines:
        for odd in ODD_WORDS:
            words = [odd if word == "?" else word for word in line]
            if words[:4] == ["star", "score", "new", "-x"] and not odd.strip():
                continue  # no cells at all: an empty board may be scored
            with pytest.raises(Refused):
                busy_everywhere.ask(words)

    assert busy_everywhere.tables() == before


@pytest.mark.parametrize("text", ["~~F6~~", "F6 ~~good~~", "F\u03366"])
def test_what_is_struck_out_is_no_move(text: str) -> None:
    assert read_move(text) is None
    assert "F6" == read_move("F6, good luck!")

"""What people say in a shell: read letter by letter in every locale, only where that is asked.

The fast tests have words and standard input as Python makes them of a shell's; the slow ones have a
real shell.
"""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.shell_commands import command_tree
from pbmserv.commands.grammar import Command, Group
from pbmserv.engine.games import SAMPLE_GAME
from pbmserv.store.store import Store
from tests.daemon.resident_process import served
from tests.databases import ONE_DATABASE, copy_template
from tests.in_process_shell import Result, Shell
from tests.installed_program import LONGEST, PROGRAM, environment

TEXT = "Grüße aus München, привет, 日本 👩\u200d🚀"
LATIN = b"Gr\xfc\xdfe aus M\xfcnchen"
AS_UTF_8, AS_ASCII = "utf-8", "ascii"
"""What Python takes words and standard input for: bytes that are none become surrogates."""

NEXT = "star resign 101 bob words-of-bob\n"
"""A line behind the command, which is none of its business."""

SAYING = {
    "star chat": "star chat 101 {}",
    "message": "message {} bob",
    "broadcast": "broadcast {}",
    "admin announce": "admin announce",
    "star move": "star move 101 {} B3",
    "star swap": "star swap 101 {}",
    "star resign": "star resign 101 {}",
    "star confirm": "star confirm 101 {}",
}
"""Every command that takes a text, without one."""

DOORS = (
    "star chat 101 alice secret-alice {}",
    "star chat 101 alice secret-alice -text={}",
    "star move 101 alice secret-alice B3 -comment={}",
    "message alice secret-alice bob: {}",
    "message alice secret-alice bob -text={}",
    "broadcast alice secret-alice -text={}",
    "admin announce {}",
    "admin announce -text={}",
)
"""Where a text stands among the words."""

DASHES = (*DOORS, "message alice secret-alice bob {}", "broadcast alice secret-alice {}")
"""Where a dash can stand for one."""

NO_NAMES = (
    "star import",
    "admin import-games star",
    "signup {} secret-{}",
    "signup {} secret-words",
    "signup carol secret-words {}@example.org",
    "tournament create alice secret-alice star {}",
    "admin rename bob {}",
    "star chat 101 {} secret-alice hello",
    "message alice secret-alice {}: hello",
    "star move 101 alice secret-alice {}",
    "help {}",
    "{}",
)
"""Where no text stands, but a word or a record."""


def say(shell: Shell, line: str, word: bytes, said: bytes, locale: str) -> Result:
    """Run a line, with a word in it that no quoting has touched, as in a shell of this locale."""
    words = [each.replace("{}", word.decode(locale, "surrogateescape")) for each in line.split()]
    stream = io.TextIOWrapper(io.BytesIO(said), locale, "surrogateescape")
    shell.monkeypatch.setattr(sys, "stdin", stream)
    shell.capsys.readouterr()
    code = run(words)
    return Result(code, *shell.capsys.readouterr())


def told(url: str) -> list[str]:
    """Return everything that anybody has said."""
    store = Store.open(url)
    with store.reading() as records:
        ask = records.connection.exec_driver_sql
        texts = [*ask("SELECT text FROM chat"), *ask("SELECT text FROM message")]
        texts += [*ask("SELECT text FROM notice WHERE kind = 'announcement'")]
    store.close()
    return [text for (text,) in texts]


def takes_text(verb: object) -> bool:
    names = {option.name for option in verb.known} if isinstance(verb, Command) else set()
    return bool(names & {"text", "comment"})


def test_every_command_that_takes_a_text_is_tried() -> None:
    tree = command_tree()
    families = [tree, *(tree.get_command(None, name) for name in ("admin", SAMPLE_GAME))]
    found = {
        f"{'' if family is tree else f'{family.name} '}{name}"
        for family in families
        if isinstance(family, Group)
        for name in family.table
        if takes_text(family.get_command(None, name))
    }

    assert found == {*SAYING}


@ONE_DATABASE
@pytest.mark.parametrize("who", ["alice secret-alice", "me", "alice -"])
@pytest.mark.parametrize("line", SAYING.values())
def test_standard_input_that_nobody_asks_for_is_left_alone(
    playing: Shell, monkeypatch: pytest.MonkeyPatch, line: str, who: str
) -> None:
    monkeypatch.setenv("PBMSERV_PASSWORD", "secret-alice")
    assert playing.run("login alice").code == 0
    playing.run(f"{line.format(who)} --yes", NEXT)

    assert sys.stdin.read() == NEXT
    assert told(playing.url) == []


@ONE_DATABASE
@pytest.mark.parametrize("line", ["message {} bob", "broadcast {}", "admin announce"])
def test_what_is_missing_is_told_with_the_syntax(playing: Shell, line: str) -> None:
    done = playing.run(line.format("alice secret-alice"), NEXT)

    assert done.code == 1
    assert "There is no text to send." in done.err
    assert "Syntax: pbmserv " in done.err


@pytest.mark.costly(stay=4)
@ONE_DATABASE
@pytest.mark.parametrize("locale", [AS_UTF_8, AS_ASCII])
@pytest.mark.parametrize("line", DASHES)
def test_a_dash_reads_standard_input_or_refuses_it(playing: Shell, line: str, locale: str) -> None:
    refused = say(playing, line, b"-", LATIN, locale)
    assert (refused.code, "The text is not UTF-8." in refused.err) == (1, True)
    assert (told(playing.url), playing.json("star show 101")["ply"]) == ([], 2)
    assert say(playing, line, b"-", TEXT.encode(), locale).code == 0

    assert {*told(playing.url)} == {TEXT}


@ONE_DATABASE
@pytest.mark.parametrize("line", DASHES)
def test_a_dash_for_which_nothing_comes_says_nothing(playing: Shell, line: str) -> None:
    done = say(playing, line, b"-", b" \n", AS_UTF_8)
    if "-comment" in line:  # a move may go without one
        assert done.code == 0
    else:
        assert (done.code, "There is no text to send." in done.err) == (1, True)

    assert told(playing.url) == []


@pytest.mark.costly(stay=2)
@ONE_DATABASE
@pytest.mark.parametrize("locale", [AS_UTF_8, AS_ASCII])
@pytest.mark.parametrize("line", DOORS)
def test_words_are_kept_letter_by_letter_or_refused(playing: Shell, line: str, locale: str) -> None:
    refused = say(playing, line, LATIN, b"", locale)
    assert (refused.code, "The text is not UTF-8." in refused.err) == (1, True)
    assert (
        say(playing, f"{line} --json", LATIN, b"", locale).document["error"]["code"] == "not-text"
    )
    assert (told(playing.url), playing.json("star show 101")["ply"]) == ([], 2)
    assert say(playing, line, TEXT.encode(), b"", locale).code == 0

    assert {*told(playing.url)} == {TEXT}


@pytest.mark.costly(stay=2)
@ONE_DATABASE
@pytest.mark.parametrize("locale", [AS_UTF_8, AS_ASCII])
@pytest.mark.parametrize("line", NO_NAMES)
def test_what_is_no_text_is_refused_in_words_wherever_it_stands(
    playing: Shell, line: str, locale: str
) -> None:
    before = playing.run("admin players --json").out, playing.run("tournament list").out
    done = say(playing, line, LATIN, b"pbmserv record 2\nfirst: " + LATIN, locale)

    assert done.code in {1, 2}
    assert done.err.startswith("pbmserv: ")
    assert (playing.run("admin players --json").out, playing.run("tournament list").out) == before


@ONE_DATABASE
@pytest.mark.parametrize("locale", [AS_UTF_8, AS_ASCII])
def test_the_password_is_the_first_line_and_the_text_all_that_follows(
    playing: Shell, locale: str
) -> None:
    said = f"secret-alice\n{TEXT}\nand more\n".encode()
    assert say(playing, "star chat 101 alice - -", b"", said, locale).code == 0

    assert told(playing.url) == [f"{TEXT}\nand more"]


@ONE_DATABASE
@pytest.mark.parametrize("locale", [AS_UTF_8, AS_ASCII])
@pytest.mark.parametrize("is_file", [True, False])
def test_in_a_batch_a_line_that_is_no_text_is_refused_alone(
    playing: Shell, tmp_path: Path, locale: str, *, is_file: bool
) -> None:
    chat = b"star chat 101 alice secret-alice "
    lines = chat + LATIN + b"\n" + chat + TEXT.encode() + b"\n" + chat + b"-\n"
    path = tmp_path / "in" / "lines"
    path.parent.mkdir()
    path.write_bytes(lines)
    done = say(playing, f"batch {path if is_file else '-'}", b"", lines, locale)

    assert done.code == 1
    assert done.err.count("The text is not UTF-8.") == 1
    assert done.err.count("There is no text to send.") == 1
    assert told(playing.url) == [TEXT]


@ONE_DATABASE
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\u00a0b\u3000c\u2009d", "a b c d"),
        ("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", None),
        ("flag \U0001f3f3\ufe0f\u200d\U0001f308", None),
        ("of a font \uf8ff, of a newer Unicode \U0001fae9\U00010ffd", None),
        ("soft\u00adhyphen \u202eturned\u202c \ufeffmark\u200b \uffff", "softhyphen turned mark "),
    ],
)
def test_no_character_that_shows_anything_is_left_out(
    playing: Shell, text: str, kept: str | None
) -> None:
    assert playing.run(f"message alice secret-alice bob -text='({text})'").code == 0

    assert told(playing.url) == [f"({text if kept is None else kept})"]


# In a real shell


@pytest.fixture
def url(tmp_path: Path, board_template: Path) -> str:
    return copy_template(board_template, tmp_path / "data")


@pytest.fixture(params=["alone", "served"])
def environ(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    alone = {**environment(url), "XDG_CONFIG_HOME": str(tmp_path), "PBMSERV_RESIDENT": "off"}
    serving = nullcontext((alone, None)) if request.param == "alone" else served(url)
    with serving as (found, _):
        found.pop("LANG", None)
        yield found


def answered(environ: dict[str, str], words: list[str | bytes], said: bytes = b"") -> bytes:
    """Return what a command prints as an error."""
    return subprocess.run(
        [PROGRAM, *words],
        env=environ,
        input=said,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        timeout=LONGEST,
    ).stderr


@pytest.mark.slow
def test_a_loop_that_reads_lines_loses_none_of_them(
    url: str, environ: dict[str, str], tmp_path: Path
) -> None:
    who = "alice secret-alice"
    commands = [SAYING[name].format(who) for name in ("star chat", "message", "broadcast")]
    script = (
        f"while read -r line; do {'; '.join(f'{PROGRAM} {each}' for each in commands)}; "
        f'printf "%s\\n" "$line" >> left; done'
    )
    lines = NEXT * 2
    subprocess.run(
        ["bash", "-c", script],
        env=environ,
        cwd=tmp_path,
        input=lines,
        text=True,
        capture_output=True,
        check=True,
        timeout=LONGEST,
    )

    assert (tmp_path / "left").read_text() == lines
    assert told(url) == []
    assert b"words-of-bob" not in Path(url).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C.UTF-8"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_every_locale_has_the_same_letters(
    url: str, environ: dict[str, str], locale: dict[str, str]
) -> None:
    chat, here = ["star", "chat", "101", "alice", "secret-alice"], environ | locale
    refused = [answered(here, [*chat, LATIN]), answered(here, [*chat, "-"], LATIN)]
    assert [error.splitlines()[:1] for error in refused] == [
        [b"pbmserv: The text is not UTF-8."]
    ] * 2
    assert told(url) == []
    assert answered(here, [*chat, os.fsencode(TEXT)]) == b""
    assert answered(here, [*chat, "-"], TEXT.encode()) == b""

    assert told(url) == [TEXT] * 2

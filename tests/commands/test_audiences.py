"""What a wrong word is led to: nothing that others read, that ends something, or that is secret."""

import random
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pbmserv.cli.shell_commands import command_tree
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Command, Group, follow
from pbmserv.commands.parse import parse
from pbmserv.commands.synonyms import Audience, meaning_of, rows, words_of
from pbmserv.engine.games import game_names
from pbmserv.errors import PbmservError, quoted

from .wrong_inputs import answer, club

WORDS = (Path(__file__).parent / "plain_words.txt").read_text(encoding="utf-8").split("\n\n")[1]
PASSWORD = "correcthorsebattery"
PLACES = ((), ("star",), ("tournament",), ("admin",))
SHAPES = ((), ("1", "bob", PASSWORD), ("101", "me", "text"))
SAMPLE = 20
LED = re.compile(r"(?:Did you mean|as in:|player:|challenge:|there is) ([^?\n]+)")
NO_NOTES = "There are no private notes yet."


class Answer(NamedTuple):
    """What is said of a line that is not understood."""

    place: tuple[str, ...]
    word: str
    said: str
    led_to: tuple[str, ...]
    """The commands that it is led to, as they are called in the tree: ``star move``."""


class Asker:
    """Asks nobody."""

    dash = me = ""
    is_at_terminal = False

    def __call__(self, **_: Any) -> str:
        return PASSWORD

    def userid(self) -> str:
        raise AssertionError

    def text(self) -> str:
        return ""


def audience_of(command: str) -> Audience:
    return meaning_of(command.split()).audience


def is_ending(command: str) -> bool:
    return meaning_of(command.split()).is_ending


def commands(family: Group, *path: str) -> Iterator[tuple[str, Command]]:
    """Yield every command below a family, with its name."""
    for name in family.list_commands(None):
        found = family.get_command(None, name)
        if isinstance(found, Group):
            yield from commands(found, *path, name)
        elif isinstance(found, Command):
            yield " ".join((*path, name)), found


def error_of(words: Sequence[str], tree: Group | None = None) -> tuple[str, str]:
    """Return the code of what is wrong with a line, and what is said of it; nothing if nothing."""
    try:
        parse(tree or command_tree(), words, None if tree else Asker())
    except PbmservError as error:
        return error.code, f"{quoted(error)}\n{error.advice}"
    return "", ""


def suggested(said: str) -> Iterator[str]:
    """Yield the commands that an answer leads to."""
    for line in LED.findall(said):
        words = [word for word in line.split() if word != "pbmserv"]
        found = follow(command_tree(), words)
        if isinstance(found.command, Command):
            yield found.path.partition(" ")[2]


def answers(word: str, tree: Group | None = None) -> Iterator[Answer]:
    """Yield what is said of a word at each place with each shape behind it, where it is none."""
    for place in PLACES:
        for shape in SHAPES:
            code, said = error_of([*place, word, *shape], tree)
            if code in {"no-such-command", "no-such-option"}:
                yield Answer(place, word, said, tuple(suggested(said)))


def sweep(words: Sequence[str]) -> list[Answer]:
    return [answer for word in words for answer in answers(word)]


def plain_words(full: bool) -> list[str]:  # noqa: FBT001 - as the fixture has it
    """Return a thousand words and more, else a sample with those that ended something once."""
    words = WORDS.split()
    assert len(words) > 1000
    once = ["withdraw", "abandon", "abort", "quit", "closed", "reign", "note", "clocks", "ban"]
    return words if full else [*once, *random.Random(33).sample(words, SAMPLE)]


@pytest.fixture(scope="module")
def swept(full: bool) -> list[Answer]:  # noqa: FBT001 - as the fixture has it
    return sweep(plain_words(full))


def test_every_command_has_one_audience() -> None:
    told = [" ".join(row.command) for row in rows() if not row.words]
    every = [name for name, _ in commands(command_tree())]
    by_name = {re.sub(rf"^({'|'.join(game_names())}) ", "* ", name) for name in every}

    assert len(told) == len({*told})
    assert len(every) > 200
    assert {*told} - {"--version"} == by_name


def test_what_is_to_be_confirmed_or_ends_a_board_ends_something() -> None:
    every = dict(commands(command_tree()))
    ending = {name for name in every if is_ending(name)}

    assert {name for name, verb in every.items() if verb.entry.confirm} <= ending
    assert {f"{game} resign" for game in game_names()} <= ending
    assert len({row.command for row in rows() if row.is_ending}) - 1 + len(game_names()) == len(
        ending
    )


def test_what_carries_words_to_others_is_no_private_command() -> None:
    every = dict(commands(command_tree()))
    carrying = {
        name
        for name, verb in every.items()
        if {"text", "comment"} & {option.name for option in verb.known}
    }

    assert {"star chat", "message", "broadcast", "admin announce", "hex move"} <= carrying
    assert [] == [name for name in carrying if audience_of(name) is Audience.PRIVATE]


def test_no_row_leads_a_private_word_to_others() -> None:
    private = words_of("apart")
    led = {row for row, said in rows().items() if private & {word.rstrip("#") for word in said}}

    assert {(*row.command, *row.words) for row in led} == {("admin", "audit"), ("help", "clocks")}


def test_no_row_leads_to_what_ends_something(full: bool) -> None:  # noqa: FBT001
    said = [
        (["star" if name == "*" else name for name in row.home], word.rstrip("#"))
        for row, words in rows().items()
        for word in words
    ]
    assert len(said) > 1000
    lines = [[*home, word, *more] for home, word in said for more in ([], ["101", "me"])]
    for line in lines if full else random.Random(33).sample(lines, 100):
        name = {word.lower() for word in line}
        ends = [led for led in suggested(error_of(line)[1]) if is_ending(led)]
        assert [] == [led for led in ends if led.split()[-1] not in name], line


def test_no_plain_word_leads_to_what_ends_something(swept: list[Answer]) -> None:
    own = re.compile(r"[a-z ]+ (\w+)$")
    ends = [(told, led) for told in swept for led in told.led_to if is_ending(led)]

    assert [] == [told for told, led in ends if own.sub(r"\1", led) != told.word]


def test_no_plain_word_leads_out_of_admin(swept: list[Answer]) -> None:
    admin = [told for told in swept if told.place == ("admin",)]
    meant = [told for told in admin if "Did you mean" in told.said]

    assert len(meant) > len(admin) // 50
    assert [] == [told for told in meant if " admin " not in told.said.partition("mean")[2]]


def test_no_plain_word_of_a_player_leads_to_what_operators_do(swept: list[Answer]) -> None:
    for told in swept:
        if told.place in (("star",), ("tournament",)):
            operators = {led for led in told.led_to if audience_of(led) is Audience.OPERATOR}
            assert operators <= {told.word}, told


def test_nothing_is_quoted_that_may_be_a_password(swept: list[Answer]) -> None:
    assert swept
    assert [] == [told for told in swept if PASSWORD in told.said]


PRIVATE = (
    *("note", "notes", "Note", "memo", "memos", "diary", "draft", "drafts", "journal", "jot"),
    *("scribble", "remember", "reminder", "bookmark", "secret", "whisper", "note-to-self"),
    *("write-down", "thoughts"),
)


@pytest.mark.parametrize("word", PRIVATE)
@pytest.mark.parametrize("place", PLACES[:3])
def test_a_private_word_is_told_that_there_are_no_notes(place: tuple[str, ...], word: str) -> None:
    shapes = ("", "101 me plan", "1 bob pw", "101 me tell bob hello", "101 message bob: hi")
    for shape in shapes:
        code, said = error_of([*place, word, *shape.split()])
        assert (code, NO_NOTES) == ("no-such-command", said.partition("\n")[2]), shape


@pytest.mark.parametrize(
    "word", ["ponder", "muse", "think", "outline", "ideas", "doodle", "mutter", "keep", "mental"]
)
def test_a_word_that_says_nothing_is_led_to_nobody_who_reads(word: str) -> None:
    for place in PLACES:
        for shape in ("", "101 me text", "101 me tell bob hello", "101 say hello", "101 me chat"):
            _, said = error_of([*place, word, *shape.split()])
            others = [led for led in suggested(said) if audience_of(led) is not Audience.PRIVATE]
            led = {word for each in others for word in each.split() if each != "admin chat"}
            assert {"chat", "message", "broadcast", "announce"}.isdisjoint(led), (place, shape)


@pytest.mark.parametrize(
    "line",
    [
        "star move 101 me F6 -note=x",
        "star move 101 me F6 --memo x",
        "hex move 101 me F6 -diary=x",
        "star challenge alice bob -draft=x",
        "--note",
        "write a note 101",
        "take notes",
        "show my notes",
        "star leave a note 101 me",
        "star keep a journal",
    ],
)
def test_a_note_is_no_comment(line: str) -> None:
    _, said = error_of(line.split())
    assert said.endswith(NO_NOTES)


def test_a_private_text_behind_a_move_is_offered_as_no_comment() -> None:
    _, aloud = error_of(["star", "move", "101", "me", "F6", "lovely", "evening"])
    _, apart = error_of(["star", "move", "101", "me", "F6", "secret", "plan"])

    assert '-comment="TEXT"?' in aloud
    assert "Did you mean" not in apart


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("resgin 101", "star resign 101 me"),
        ("star resing 101 me", "star resign 101 me"),
        ("hex rsign 101 me", "hex resign 101 me"),
        ("i resign 101", "star resign 101 me"),
        ("admin remvoe star 101", "pbmserv admin remove"),
        ("admin clsoe bob", "pbmserv admin close bob"),
        ("admin supend bob", "pbmserv admin suspend bob"),
        ("tournament levae 1 me", "pbmserv tournament leave 1 me"),
        ("leave tournament 1 me", "pbmserv tournament leave 1 me"),
        ("restor x.sqlite", "pbmserv restore"),
    ],
)
def test_a_slip_for_its_own_name_leads_to_what_ends_something(line: str, meant: str) -> None:
    _, said = error_of(line.split())
    assert f"Did you mean {meant}" in said


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("withdraw 1 bob PW", "star resign"),
        ("star abandon 101 me", "star resign"),
        ("cancel 101", "star resign"),
        ("hex abort 101 me", "hex resign"),
        ("star quitting 101", "star resign"),
        ("star leave 101 me", "star resign"),
        ("surender 101", "star resign"),
        ("give up 101", "star resign"),
        ("star iresign 101 me", "star resign"),
        ("star resigned 101", "star resign"),
        ("delete board 101", "star resign"),
        ("signof bob PW", "signoff"),
        ("removeme", "signoff"),
        ("tournament quit 1 me", "tournament leave"),
        ("tournament abort 1 me", "tournament cancel"),
        ("admin closed bob", "admin close"),
        ("admin delete alice", "admin close"),
        ("admin remove user alice", "admin close"),
        ("admin robotremove deep", "admin robot remove"),
        ("admin remark 5", "admin remark remove"),
        ("admin kick bob", "admin suspend"),
        ("mail outbox delete 5", "mail outbox drop"),
        ("userdel bob", "admin close"),
    ],
)
def test_another_word_leads_to_the_page_of_what_ends_something(line: str, page: str) -> None:
    _, said = error_of(line.split())
    if "Did you mean" in said:
        assert f"Did you mean pbmserv help {page}?" in said
    assert [] == [led for led in suggested(said) if is_ending(led)]


@pytest.mark.parametrize(
    "word", ["surrender", "decline", "resigns", "give up", "concede", "design"]
)
def test_no_other_word_in_place_of_a_move_is_taken_for_resign(tmp_path: Path, word: str) -> None:
    with club(tmp_path):
        _, said = answer(f"star move 101 alice correct-horse {word}")
        _, slip = answer("star move 101 alice correct-horse resgin")

    assert "Did you mean resign?" not in said
    assert "Did you mean resign?" in slip


@pytest.mark.parametrize("line", ["suspend bob", "star suspend bob"])
def test_a_player_is_led_to_the_page_of_what_an_operator_ends(line: str) -> None:
    _, said = error_of(line.split())
    assert "Did you mean pbmserv help admin suspend?" in said


@pytest.mark.parametrize("line", ["ban bob", "star ban bob", "kick bob", "hex kick bob me"])
def test_a_player_bans_nobody_but_blocks(line: str) -> None:
    _, said = error_of(line.split())
    assert "Did you mean pbmserv block me bob?" in said


BEFORE_SECRETS = (
    *("", "1 bob", "shwo 101", "star", "star show", "star games", "star help", "star standings"),
    *("star export", "star chat 101 me", "star challenge alice", "hex move 101", "tournament"),
    *("tournament show", "tournament join", "admin", "admin show", "admin player", "admin robot"),
    *("admin show star", "change", "all", "all show", "db", "mail", "help", "help star", "list"),
    *("message me", "players", "stats", "vacation", "puzzle", "block alice"),
)
SECRETS = (
    *("hunter22x", "Tr0ub4dor&3", "12345678", "101#12345", "qwertyui", "-correcthorse"),
    *("--correcthorse=x", "show123456", "horse.battery", "F6F6F6F6"),
)


@pytest.mark.parametrize(
    "secret",
    [
        "correcthorse",
        "star12345",
        *(pytest.param(secret, marks=pytest.mark.slow) for secret in SECRETS),
    ],
)
def test_no_word_that_may_be_a_password_is_printed_wherever_it_stands(
    tmp_path: Path, secret: str
) -> None:
    bare = secret.strip("-").removesuffix("=x")
    with club(tmp_path):
        for before in BEFORE_SECRETS:
            for behind in ("", "101", "alice"):
                words = [*before.split(), secret, *behind.split()]
                _, said = answer(shlex.join(words))
                assert bare.lower() not in said.lower(), words
                assert bare[-5:].lower() not in said.lower(), words


def test_what_is_known_is_quoted() -> None:
    said = {
        "surrender": "No such command or game: surrender.",
        "tournamnet": "No such command or game: tournamnet.",
        "star vacation": "No such command: star vacation.",
        "star unsubscirbe": "No such command: star unsubscirbe.",
        "--standings": "No such option: --standings.",
        "havannah": "No such command or game: havannah.",
        "star challenge alice bob -unratedd": "No such option: -unratedd.",
    }
    for line, expected in said.items():
        assert expected == error_of(line.split())[1].partition("\n")[0]


def test_nothing_typed_is_in_an_answer_by_mail() -> None:
    for word in ("correcthorse", "withdraw", "jot", "hunter22x"):
        for told in answers(word, root()):
            assert PASSWORD not in told.said
            assert "hunter22x" not in told.said
            assert "correcthorse" not in told.said
            assert [] == [led for led in told.led_to if is_ending(led)]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("star challenge alice bobby hex", "pbmserv hex challenge alice bobby"),
        ("star challenge alice bobby hex -size=7", "pbmserv hex challenge alice bobby -size=7"),
        ("star challenge hex alice bobby", "pbmserv hex challenge alice bobby"),
        ("star challenge alice bobby Y", "pbmserv y challenge alice bobby"),
        ("hex challenge alice bobby star", "star challenge alice bobby"),
        ("hex challenge alice bobby starweb -size=7", "starweb challenge alice bobby -size=7"),
        ("star show 101 hex", "pbmserv hex show 101"),
        ("hex resing 101", "pbmserv hex resign 101 me"),
    ],
)
def test_the_game_that_a_line_ends_with_is_the_one_that_is_meant(
    tmp_path: Path, line: str, meant: str
) -> None:
    with club(tmp_path):
        _, said = answer(line)
        _, as_json = answer(f"{line} --json")

    assert f"Did you mean {meant}?" in " ".join(said.split())
    assert f"Did you mean {meant}?" in as_json

"""Wrong inputs are answered as the text beside this file says, and following a hint helps."""

import re
import shlex
from pathlib import Path

import pytest

from pbmserv.cli.options import take_options
from pbmserv.cli.shell_commands import SHELL, play_first, shell_families
from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Group
from pbmserv.commands.parse import parse
from pbmserv.commands.synonyms import rows
from pbmserv.errors import PbmservError
from tests.generators.manual import PROGRAMS

from .wrong_inputs import answer, answers, club

FEWEST = 600
SUGGESTED = re.compile(r"(?:Did you mean|:) ((?:pbmserv|star|hex|starstar|starweb|polyy|y) )")
LED_ASTRAY = {"no-such-command", "no-such-option", "no-such-page", "surplus-word", "bad-userid"}
"""What a suggested command must not be refused for; that words are missing is told by itself."""

SECRETS = ("correct-horse", "battery-staple", "secret-word-1")
"""Passwords in the lines, which no answer shows."""

DONE = {
    "star show 101": (
        "star show '#101'",
        "star show board 101",
        "star show Game 101.",
        "star show no. 101",
        "star show match 101",
        "star show Nr. 101",
        "star show number 101",
        "star show match number 101",
        "star show star 101",
        "'star show 101'",
        "pbmserv star show 101",
        "star star show '101?'",
        "STAR SHOW 101!",
        "star show [101]",
        "star show board no 101",
        "star show \u2116101",
        "star show \u2018101\u2019",
        "star show \uff11\uff10\uff11\u200b",
        "star\u00a0show\u00a0101",
    ),
    "help": ("help please", "help the"),
    "help star": ("help what is star", "help board sizes", "help the rules of star"),
    "help star swap": ("help swap", "help pie", "help exchange", "star help pierule", "swap -h"),
    "help star move": ("help pass", "help takeback", "help take back", "star help skip"),
    "help star challenge": ("star challenge ?", "star challenge help", "help challenging"),
    "star preview new -size=4 D4": (
        "star preview new -size:4 D4",
        "star preview new /size=4 (D4)",
        "star preview new [-size=4] D,4",
        "star preview new -si4 D4!",
        "star preview new -size==4 \u201cD4\u201d",
    ),
    "help star resign": ("help surrender", "help giveup", "help how do I resign"),
    "help starweb": ("help starweb rules",),
    "help json": ("help json output",),
    "help admin": ("help exit codes", "help environment variables"),
    "help questions": ("help passwords", "help cheating"),
    "help change address": ("help change my email",),
    "help starstar": ("help double star", "help Double-Star", "help *star"),
    "help pictures": ("help cells", "help notation", "help coordinates"),
    "help admin close": ("help admin delete",),
}
"""What is done, and how people say it."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, int, str]]:
    return list(answers(tmp_path_factory.mktemp("club")))


def test_every_wrong_input_is_answered_as_the_text_says(
    given: list[tuple[str, str, int, str]],
) -> None:
    assert len(given) > FEWEST
    for line, expected, code, printed in given:
        assert (line, expected) == (line, printed)
        assert code, line
        assert "defect" not in printed
        assert not any(secret in printed for secret in SECRETS)


def test_following_a_hint_helps(given: list[tuple[str, str, int, str]], tmp_path: Path) -> None:
    tree = root(SHELL, shell_families())
    followed = {s: line for line, *_, printed in given for s in suggestions(printed)}
    with club(tmp_path):
        codes = {s: refusal(tree, s, is_run=True) for s in followed}

    assert len(followed) > FEWEST // 6
    assert {} == {s: code for s, code in codes.items() if code in LED_ASTRAY}
    assert [] == [line for s, line in followed.items() if words_of(s) == words_of(line)]
    assert [] == [s for s in followed if s.split()[0] not in PROGRAMS]


def test_a_hint_of_another_door_can_be_followed_there(
    given: list[tuple[str, str, int, str]],
) -> None:
    followed = {s for line, *_ in given for s in suggestions(hint_without_a_shell(line))}
    codes = {s: refusal(root(), s) for s in followed}

    assert len(followed) > FEWEST // 10
    assert {} == {s: code for s, code in codes.items() if code in LED_ASTRAY}


def test_no_hint_leads_to_the_end_of_an_account_or_out_of_admin(
    given: list[tuple[str, str, int, str]],
) -> None:
    followed = [(line, words_of(s)) for line, *_, printed in given for s in suggestions(printed)]

    ends = [(line, words) for line, words in followed if {"signoff", "delete"} & {*words}]
    assert [] == [line for line, words in ends if words[0] != "help"]
    led_out = [
        line for line, words in followed if line.startswith("admin ") and "admin" not in words
    ]
    assert ["admin show star 999", "admin remove star 999 --yes"] == led_out


def test_what_people_say_is_done_or_leads_to_what_is_done(tmp_path: Path) -> None:
    with club(tmp_path):
        for right, wrongs in DONE.items():
            code, expected = answer(right)
            assert code == 0, right
            assert {} == {wrong: said for wrong in wrongs if (said := answer(wrong)[1]) != expected}


def test_every_word_of_the_table_leads_to_a_command_or_a_page(tmp_path: Path) -> None:
    tree = root(SHELL, shell_families())
    lines = [
        " ".join((*("star" if name == "*" else name for name in row.command), *row.words))
        for row in rows()
    ]
    with club(tmp_path):
        codes = {line: refusal(tree, line, is_run=line.startswith("help")) for line in lines}

    assert len(lines) > 100
    assert {} == {line: code for line, code in codes.items() if code in LED_ASTRAY}


def suggestions(printed: str) -> list[str]:
    """Return the commands that an answer leads to."""
    message, _, hint = printed.partition("Syntax:")[0].partition("\n")
    said = " ".join([*"".join(message.partition("Did you mean")[1:]).split(), *hint.split()])
    found = [said[match.start(1) :] for match in SUGGESTED.finditer(said)]
    return [re.split(r"\?|\.(?: |$)| \.\.\.|; ", line)[0] for line in found]


def words_of(line: str) -> list[str]:
    """Return the words of a line without the name of the program."""
    return [word.lower() for word in shlex.split(line) if word != "pbmserv"]


def hint_without_a_shell(line: str) -> str:
    """Return what is said of a line by a door that has no command of the shell's."""
    try:
        parse(root(), shlex.split(line))
    except PbmservError as error:
        return f"{error.message}\n{error.advice}"
    return ""


def refusal(tree: Group, line: str, *, is_run: bool = False) -> str:
    """Return the code of the error that a line meets, nothing if it is understood.

    Where it ``is_run`` what changes nothing is done too.
    """
    filled = line.replace("USERID", "alice").replace("PASSWORD", "correct-horse")
    words = shlex.split(filled.replace("BOARD", "101").replace("GAME", "star"))
    options = take_options([word for word in words if word != "pbmserv"], lambda _: ())
    if options.help or options.version:
        return ""
    try:
        call = parse(tree, play_first(options.words))
    except PbmservError as error:
        return error.code
    if not is_run or call.access not in (Access.NOTHING, Access.LOOK):
        return ""
    code, printed = answer(shlex.join([*options.words, "--json"]))
    return re.findall(r'"code":"([a-z-]+)"', printed)[0] if code else ""


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("vacation off my", "pbmserv vacation me off"),
        ("end holiday my", "pbmserv vacation me off"),
        ("cancel my premoves 101 F6", "star queue 101 me none"),
        ("alice star games my", "star games alice me"),
    ],
)
def test_who_says_my_stands_once_in_what_is_proposed(line: str, proposed: str) -> None:
    with pytest.raises(PbmservError) as caught:
        parse(root(SHELL, shell_families()), line.split())

    assert caught.value.meant == proposed


MEANT = """
101 C3 please! == star move 101 me C3
?? == pbmserv help
@b: hello == pbmserv help
@bobby == pbmserv message me bobby
@bobby hello there == pbmserv message me bobby: hello there
C3 D3 101 == star move 101 me D3
HELP! == pbmserv help
all show my games == pbmserv all show me
challenge hex alice bobby == pbmserv hex challenge alice bobby
challenging star alice bobby == star challenge alice bobby
change the address of alice == pbmserv change address
chat with nobody1 == pbmserv message me nobody1
create tournament == pbmserv tournament create
games hex alice == pbmserv hex games alice
games of bobby in star == star games bobby
give me rules of hex == pbmserv hex help
help on board 101 == pbmserv help star move
helps == pbmserv help
hex F6 101! == pbmserv hex move 101 me F6
hex#101 == pbmserv hex show 101
hex101#1 == pbmserv hex show 101#1
hexshow 101 == pbmserv hex show 101
hexx show 101 == pbmserv hex show 101
how do I play hex == pbmserv help hex
how do I play hex and star == pbmserv help hex
list of hex games == pbmserv list hex
listed hex == pbmserv list hex
make a tournament == pbmserv tournament create
message alice correct-horse to bobby: hi == pbmserv message alice PASSWORD bobby: hi
message bobby hello how are you == pbmserv message me bobby: hello how are you
message to bobby hello == pbmserv message me bobby: hello
moved star 101 alice correct-horse C3 == star move 101 alice PASSWORD C3
moving star 101 alice correct-horse C3 == star move 101 alice PASSWORD C3
my move is D3 at 101 == star move 101 me D3
play hex against the computer == pbmserv play hex
put a stone at D3 on 101 == star move 101 me D3
remove my address == pbmserv change address
run tick == pbmserv tick
say hello to bobby! == pbmserv message me bobby: hello
score star new C3 == star score new
send me standings star == star standings
set digest on == pbmserv digest me on
set my password == pbmserv change password
show hex 101 == pbmserv hex show 101
show star == star show me
show the list == pbmserv list
show tournament 1 == pbmserv tournament show 1
show tournament == pbmserv tournament show
shows 101 == star show 101
star C3 on board 101. == star move 101 me C3
star challenge against bobby == star challenge me bobby
star challenge alice bobby /size 7 == star challenge alice bobby -size=7
star challenge alice bobby 7*7 == star challenge alice bobby -size=7
star challenge alice bobby MAXI unrated == star challenge alice bobby -maxi -unrated
star challenge alice bobby corners 2 size 7 == star challenge alice bobby -corners=2 -size=7
star challenge alice bobby nagtime 3 days == star challenge alice bobby -nagtime=3
star challenge alice bobby size 99 == None
star challenge alice bobby size7 == star challenge alice bobby -size=7
star challenge bobby with alice == star challenge bobby alice
star history for alice and bobby == star history alice bobby
star move -board=101 -user=alice -password=correct-horse -move=C3 == star move 101 alice PASSWORD C3
star move 101 C3 alice correct-horse == star move 101 alice PASSWORD C3
star move 101 alice correct-horse 3 C3 == star move 101 alice PASSWORD C3
star move 101 alice correct-horse C3 good luck == star move 101 alice PASSWORD C3 -comment="TEXT"
star move 101 alice correct-horse C3 thanks == star move 101 alice PASSWORD C3
star move 101 alice correct-horse at C3 please == star move 101 alice PASSWORD C3
star move 101 alice correct-horse move=C3 == star move 101 alice PASSWORD C3
star move 101 alice correct-horse play C3 == star move 101 alice PASSWORD C3
star move board:101 user:alice pw:correct-horse C3 == star move 101 alice PASSWORD C3
star my games == star games me
star preview 101 after 1 B3 == star preview 101#1 B3
star preview empty C3 == star preview new C3
star queue 101 alice correct-horse C3 -> D3 == star queue 101 alice PASSWORD C3:D3
star queue 101 alice correct-horse C3 => D3 == star queue 101 alice PASSWORD C3:D3
star queue 101 alice correct-horse C3->D3 == star queue 101 alice PASSWORD C3:D3
star queue 101 alice correct-horse Nothing == star queue 101 alice PASSWORD none
star queue 101 alice correct-horse clear == star queue 101 alice PASSWORD none
star queue 101 alice correct-horse if C3 D3 == star queue 101 alice PASSWORD C3 D3
star queue 101 alice correct-horse then C3 == star queue 101 alice PASSWORD C3
star queue alice correct-horse 101 clear == star queue 101 alice PASSWORD none
star score empty == star score new
star show --board=101 == star show 101
star show -game=101 == star show 101
star show 101 & list == star show 101
star show 101 after 2 102 == star show 101#2 102
star show 101 as of move 1 == star show 101#1
star show 101 move 1 == star show 101#1
star show 101 then star show 102 == star show 101 102
star show 101/102 == star show 101 102
star show 101; star show 102 == star show 101 102
star show board 101 from 1 == star show 101#1
star show no.101 == 101
star standings of bobby == star standings bobby
star(101) == star show 101
star-show 101 == star show 101
star:101 == star show 101
starmove101 alice correct-horse C3 == star move 101 alice PASSWORD C3
start game hex == pbmserv hex challenge
starweeb show 101 == starweb show 101
stats for bobby == pbmserv stats bobby
stop tournament 1 == pbmserv help tournament cancel
strweb challenge alice bobby == starweb challenge alice bobby
talk to bobby == pbmserv message me bobby
tournament #1 == pbmserv tournament show 1
tournament (1) == pbmserv tournament show 1
tournament join alice correct-horse 1 == pbmserv tournament join 1 alice PASSWORD
vacation 3 alice correct-horse == pbmserv vacation alice PASSWORD 3
what are rules == star help
what are the rules of y == pbmserv help y
what is my turn == pbmserv all show me next
whatever who no messages from bob == pbmserv block
when is my turn in 101 == star show 101
who plays 101 == star show 101
why can i not move in my game == pbmserv help star move
zzyzx mails no mails from bob == pbmserv block me zzyzx
zzyzx mails one email == pbmserv digest
"""
"""More wrong inputs, and what each is told to be meant for: words and signs between and behind."""

PARTS = 12
"""In so many parts they are typed, each in a club of its own."""


@pytest.mark.parametrize("part", [MEANT.strip().split("\n")[n::PARTS] for n in range(PARTS)])
def test_what_is_meant_by_words_and_signs_between_is_told(part: list[str], tmp_path: Path) -> None:
    said = [line.partition(" == ")[0] for line in part]
    with club(tmp_path):
        told = [" ".join(answer(line)[1].split()) for line in said]
    found = [re.search(r"Did you mean (.+?)\?(?= |$)", text) for text in told]

    assert part == [f"{line} == {each and each[1]}" for line, each in zip(said, found, strict=True)]

"""Whatever a letter says can be answered is run, in the club in which the letter is true.

A story makes every kind of letter. Every answer, Subject, link and command of a shell that one of
them names is sent or run, each in a copy of the club of that moment: it is done, or refused for a
reason of the game, but never because it is no command or lacks a word.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.letter import LetterKind
from pbmserv.commands.command_table import root
from pbmserv.desk.request import Request
from pbmserv.desk.tick import tell_operator, tick
from pbmserv.errors import EXIT_DONE
from pbmserv.mail import compose
from pbmserv.mail.compose import OutgoingMail
from pbmserv.mail.transports import DeliveryFault
from pbmserv.render.service_letters import trial_letter
from tests import databases
from tests.in_process_shell import Shell
from tests.local_server import Clock
from tests.mail.mail_players import Links
from tests.mail.server_by_mail import OPERATOR, ClubByMail, Letter

DAY = 86_400

STORY = (
    ("alice sends", "signup alice secret-alice"),
    ("alice answers", "That is me."),
    ("alice sends", "add alice secret-alice alice@example.com"),
    ("alice sends", "star challenge alice secret-alice bob -size=4"),
    ("alice answers", "D4\n\nGood luck!"),
    ("bob answers", "D5"),
    ("carol sends", "star subscribe 101 carol secret-carol"),
    ("alice answers", "E4"),
    ("alice answers", "undo"),
    ("bob answers", "reject"),
    ("bob answers", "propose 8-7"),
    ("alice answers", "nonsense"),
    ("alice answers", "chat\n\nNo draw."),
    ("bob sends", "message bob secret-bob alice"),
    ("bob sends", "broadcast bob secret-bob"),
    ("operator runs", "admin announce Hello everybody"),
    ("carol sends", "multiple"),
    ("carol sends", "star move 101 carol secret-carol D6"),
    ("carol sends", "star challenge carol alice -size=4"),
    ("bob sends", "reset bob"),
    ("bob sends", "digest bob secret-bob on"),
    ("days pass", "1"),
    ("days pass", "8"),
    ("alice sends", "starstar challenge alice secret-alice carol -size=4 -double"),
    ("alice answers", "A10"),
    ("alice sends", "star challenge alice secret-alice carol -size=14"),
    ("alice answers", "cells 3"),
    ("alice answers", "resign"),
    ("operator runs", "tournament create carol secret-carol star Cup -size=3"),
    ("operator runs", "tournament join 1 bob secret-bob"),
    ("operator runs", "tournament cancel 1 carol secret-carol"),
    ("operator tries", "mail"),
    ("clocks stand", "2"),
    ("letters stay", "message bob secret-bob alice"),
)
"""What happens in a club: who does what, or what else comes to pass."""

TEXTS = {"multiple": "star show 101\nstar show nobody\nnonsense"}
"""The texts of mails, where they are not just words."""


def story(office: ClubByMail) -> Iterator[list[Letter]]:
    """Yield the letters of each thing that happens, while they are true."""
    last = dict[str, Letter]()
    office.desk.tree = root(SHELL, shell_families())
    office.desk.vacation_days = lambda: 0
    tick(office.desk)
    office.join("bob", "carol")
    for what, words in STORY:
        who, does = what.split()
        if does == "answers":
            office.reply(last[who], words)
        elif does == "sends":
            office.mail(f"{who}@example.net", words, TEXTS.get(words, "Some words."))
        elif does == "runs":
            office.desk.handle(Request(tuple(words.split())))
        else:
            come_to_pass(office, does, words)
        letters = office.collect()
        last |= {letter.to.partition("@")[0]: letter for letter in letters}
        yield letters


def come_to_pass(office: ClubByMail, what: str, words: str) -> None:
    def refuse(mail: OutgoingMail) -> None:
        raise DeliveryFault(f"No way for {mail.id}.", code="refused")

    now = office.clock.now()
    if what == "pass":
        office.clock.seconds += int(words) * DAY
        tick(office.desk)
    elif what == "stand":
        office.clock.seconds += int(words) * DAY
        tell_operator(office.desk.store, OPERATOR, office.clock.now())
    elif what == "tries":
        with office.desk.store.writing() as records:
            records.outbox.post([trial_letter(OPERATOR)], now)
    else:
        office.mail("bob@example.net", words, "Some words.")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(office.basket, "send", refuse)
            while office.clock.now() < now + 10 * DAY:
                office.collect()
                office.clock.seconds += DAY // 4


BY_ANSWER = (
    r"answer this mail with your move as the first line, for example (\S+)\.(?= |$)",
    r"Instead of a move you can also write ([^.]+)\.",
    r"^Answer with (accept[^.]*)\.",
    r"To stop, answer with (unsubscribe)\.",
    r"answer this mail with (yes) as the first line",
    r"Answer(?: this mail,)? with (any words) or none",
)
BY_SUBJECT = (
    r"To answer, send a mail with the Subject: (.+)",
    r"Send a mail with the Subject (help) to learn the rest",
    r", or (help star) for a game",
    r"sign up with: (pbmserv .+)",
    r"^ {4}([a-z]+ .*)",
)
BY_SUBJECT_OF_ANSWER = (r"answer with the Subject ([a-z ]+)\.",)
IN_A_SHELL = (r"(?<!sign up with: )(pbmserv(?: (?!and |every )[a-z]+)+(?: NUMBER)?)",)
"""Where a letter names what can be done, by paragraphs in one line."""

PATTERNS = {
    "answer": BY_ANSWER,
    "subject": BY_SUBJECT,
    "subject of answer": BY_SUBJECT_OF_ANSWER,
    "shell": IN_A_SHELL,
}
SEVERAL = re.compile(r", | or ")
ANYTHING = "any words"

SAYS_SO = re.compile(
    r"\b(?:[Aa]nswer|[Ss]end|[Ww]rite|Subject|shell|pbmserv|(?:digest|broadcast) off|unsubscribe)\b"
)
NAMES_NOTHING = (
    "You may write a comment below it, and the quoted text may stay.",
    "Any other answer drops it; if you do not answer, nothing happens.",
    "In a shell of the server, begin with",
    "The Subject of a mail is a command; its text is a comment for your opponent.",
    "To look for an opponent, or to start a game with one, send the Subject",
    "send it as the Subject of a mail:",
    "if you send the challenge as the Subject of an answer to a mail about one of your boards.",
)
"""What speaks of answers and names none, or those of the next paragraph."""

REASONS = {"nothing-to-undo", "offer-pending", "challenge-waits"}
"""Why the game refuses what is a command, and whole."""

Deed = tuple[str, str, str]
"""What a reader is told to do: how, with which words, and to which address if not the letter's."""


def paragraphs(letter: Letter) -> list[str]:
    """Return what the server says in a letter, each paragraph as one line."""
    return [
        "    " + part.strip() if part.startswith("    ") else " ".join(part.split())
        for part in re.split(r"\n\n|(?<=\.)\n|\n(?=    )", letter.text.replace("\r", ""))
        if not part.lstrip().startswith("|")
    ]


def deeds(letter: Letter) -> Iterator[Deed]:
    for part in paragraphs(letter):
        for how, patterns in PATTERNS.items():
            for found in (words for pattern in patterns for words in re.findall(pattern, part)):
                yield from ((how, words, "") for words in SEVERAL.split(found))
    way_out = str(letter.message["List-Unsubscribe"] or "")
    for address, words in re.findall(r"<mailto:(.*?)\?subject=(.*?)>", way_out):
        yield "subject of answer", unquote(words), unquote(address)
    page = letter.message.get_body(("html",))
    links = {} if page is None else Links(str(page.get_content())).mails
    cells = [words for words in links if re.search("[0-9]", words) and " " not in words]
    rows = [words for words in links if words.startswith("cells ")]
    for words, address in links.items():
        if words not in {*cells[1:-1], *rows[1:-1]}:
            second = cells[1].rstrip("+") if words.endswith("+") else ""
            yield "link", f"{words}{second}", address


def filled(words: str, letter: Letter) -> str:
    """Return a command with words in the place of those that stand for some."""
    userid, number = letter.to.partition("@")[0], re.search(r"number ([0-9]+)", letter.text)
    places = {
        "YOUR-USERID": userid,
        "NEWPASSWORD": "another-secret",
        "PASSWORD": f"secret-{userid}",
        "OPPONENT": "bob" if userid == "alice" else "alice",
        "USERID": "dave",
        "NUMBER": number[1] if number else "",
        ANYTHING: "Thank you.",
    }
    return re.sub("|".join(places), lambda found: places[found[0]], words)


def outcome(club: ClubByMail, letter: Letter, deed: Deed) -> str:
    """Do what the letter says, and return what came of it."""
    how, words, address = deed
    words = filled(words, letter)
    to = address or letter.reply_to
    if how == "answer":
        club.reply(letter, words)
    elif how == "subject":
        club.mail(letter.to, words, "These are my words.")
    elif how == "subject of answer":
        club.mail(letter.to, words, to=to)
    else:
        club.mail(letter.to, f"Re: {letter.subject}", words, to=to)
    handled = club.log[-1]
    return handled.reason or handled.outcome


class Told(NamedTuple):
    """A letter, and the club at the moment when it came."""

    kind: LetterKind
    letter: Letter
    club: bytes
    now: int

    @property
    def shape(self) -> str:
        """What letters have in common of which one is enough."""
        return f"{self.kind} {sorted(words for _, words, _ in deeds(self.letter))}"


@pytest.fixture(scope="module")
def told(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """Return the letters of the story, without pictures, which say nothing of answers."""
    folder = tmp_path_factory.mktemp("told")
    office, copy = ClubByMail(databases.copy_template(sqlite_template, folder)), folder / "copy"
    found = []
    with pytest.MonkeyPatch.context() as patch, closing(office):
        patch.setattr(compose, "letter_picture", lambda *_: b"")
        for letters in story(office):
            with closing(sqlite3.connect(office.url)) as club, closing(sqlite3.connect(copy)) as to:
                club.backup(to)
            content, now = copy.read_bytes(), office.clock.seconds
            with office.desk.store.reading() as records:
                entries = [records.outbox.entry(letter.sent.id) for letter in letters]
            kinds = [LetterKind(entry.kind) for entry in entries if entry is not None]
            found += [Told(*each, content, now) for each in zip(kinds, letters, strict=True)]
    return found


def put(told: Told, folder: Path) -> str:
    """Write the club in which a letter is true into a folder, and return its URL."""
    club = folder / "club.sqlite"
    for path in folder.glob(f"{club.name}*"):
        path.unlink()
    club.touch(0o600)
    club.write_bytes(told.club)
    return str(club)


@pytest.mark.costly
def test_the_story_has_every_kind_of_letter(told: list[Told]) -> None:
    assert {*LetterKind} == {each.kind for each in told}


def test_every_sentence_about_answers_is_looked_at(told: list[Told]) -> None:
    known = [*map(re.escape, NAMES_NOTHING), *chain.from_iterable(PATTERNS.values())]
    parts = {re.sub("|".join(known), "", part) for each in told for part in paragraphs(each.letter)}

    assert [] == [part for part in parts if SAYS_SO.search(part)]


@pytest.mark.costly
@pytest.mark.parametrize("kind", LetterKind)
def test_what_a_letter_says_can_be_answered_is_done_or_refused_by_the_game(
    told: list[Told], tmp_path: Path, kind: LetterKind
) -> None:
    came = dict[Deed, str]()
    for each in {each.shape: each for each in told if each.kind is kind}.values():
        for deed in deeds(each.letter):
            if deed[0] != "shell":
                office = ClubByMail(put(each, tmp_path), clock=Clock(each.now), mailed=1000)
                with closing(office):
                    came[deed] = outcome(office, each.letter, deed)
    fine = {ANYTHING: {"verified", "trial-answered"}, "unsubscribe": {"done", "unsubscribed"}}

    assert {} == {
        deed: found
        for deed, found in came.items()
        if found not in fine.get(deed[1], {"done", *REASONS})
    }
    assert came or kind is LetterKind.OPERATOR


@pytest.mark.costly
@databases.ONE_DATABASE
def test_what_a_letter_says_can_be_written_in_a_shell_is_done_there(
    told: list[Told], shell: Shell, tmp_path: Path
) -> None:
    """Where a password is asked for it is typed; nothing else is."""
    came = dict[str, int]()
    for each in told:
        for how, words, _ in deeds(each.letter):
            if how == "shell":
                shell.monkeypatch.setenv("PBMSERV_DATABASE_URL", put(each, tmp_path))
                line = filled(words.removeprefix("pbmserv "), each.letter)
                came[words] = shell.run(line, "secret-alice\n").code

    assert came == dict.fromkeys(came, EXIT_DONE)
    assert {"pbmserv login alice", "pbmserv tick"} < came.keys()

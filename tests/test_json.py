"""Every key of every document is on the page help json, and every key there is printed."""

import io
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.letter import Letter, LetterKind
from pbmserv.commands.command_table import root
from pbmserv.commands.help_files import read_page
from pbmserv.commands.parse import resolve
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.record import played
from pbmserv.engine.record_text import format_record
from pbmserv.engine.score import Reason
from pbmserv.mail.spool import Spool
from pbmserv.store.mail.inbox import Arrival
from pbmserv.store.store import Store
from tests.computer.test_review import BLUNDER, HEX
from tests.generators.manual import every_verb

from . import databases
from .engine.sample_games import random_game, values_of

MATCH, MATCHES, TABLE = "A MATCH", "SEVERAL MATCHES", "A TABLE"
SCORE, ACCOUNT, RECORD, PAGE, ERROR = "A SCORE", "AN ACCOUNT", "A RECORD", "A PAGE", "AN ERROR"
Key = tuple[str, str]

SESSION = [
    ("signup alice correct-horse alice@example.org", ACCOUNT),
    ("signup bob first-staple", ACCOUNT),
    ("signup carol third-password", ACCOUNT),
    ("login alice correct-horse", "WHO IS SIGNED IN"),
    ("whoami", "WHO IS SIGNED IN"),
    ("star games me next", TABLE),
    ("logout", "WHO IS SIGNED IN"),
    ("add bob first-staple bob@example.org", ACCOUNT),
    ("change password bob first-staple battery-staple", ACCOUNT),
    ("change address bob battery-staple", ACCOUNT),
    ("signoff carol third-password --yes", ACCOUNT),
    ("vacation bob battery-staple 3", "A VACATION"),
    ("vacation bob battery-staple off", "A VACATION"),
    ("star challenge -size=3 alice bob", MATCH),
    ("star move 101 alice correct-horse C2", MATCH),
    ("star move 101 alice correct-horse undo", MATCH),
    ("star swap 101 bob battery-staple", MATCH),
    ("star submit 101 alice correct-horse C1", MATCH),
    ("star showas alice correct-horse 101", MATCH),
    ("star showas alice correct-horse", MATCHES),
    ("star confirm 101 alice correct-horse", MATCH),
    ("star preview 101 B3 D2", MATCH),
    ("star queue 101 alice correct-horse C3", "A PLAN"),
    ("star showas alice correct-horse 101", MATCH),
    ("tick", "A TICK"),
    ("star show 101", MATCH),
    ("star show alice", MATCHES),
    ("star show 101 -svg=b.svg -png=b.png -html=b.html", MATCH),
    ("star replay 101 1", MATCH),
    ("star score 101", "SCORE OF star"),
    ("star settled new -size=3 C2 C1 B3 D1 C3 -depth=3", "A PROOF"),
    ("hex settled new -size=4 C2 A1 -links", "A PROOF"),
    ("star hint new -size=3 C1 D2 -level=1", "A HINT"),
    ("star limit alice correct-horse 9", "CHALLENGES TAKEN"),
    ("star reject alice correct-horse", "CHALLENGES TAKEN"),
    ("star accept alice correct-horse", "CHALLENGES TAKEN"),
    ("star seek alice correct-horse 2", "SEEKING"),
    ("star notify alice correct-horse 101", "QUIET BOARDS"),
    ("star games", TABLE),
    ("list", TABLE),
    ("all show alice", TABLE),
    ("admin games", TABLE),
    ("admin show star 101", MATCH),
    ("admin players", "ADMIN PLAYERS"),
    ("admin player alice", "ADMIN PLAYER"),
    ("admin moves star 101", "ADMIN MOVES"),
    ("admin audit", "ADMIN AUDIT"),
    ("admin check", "ADMIN CHECK"),
    ("admin keys -rotate", "KEYS"),
    ("admin inbox", "INBOX"),
    ("admin outbox", "OUTBOX"),
    ("mail shunt list", "SHUNT"),
    ("mail shunt show 1.spoilt", "MAIL PUT ASIDE"),
    ("mail shunt retry 1.spoilt", "SHUNT CHANGE"),
    ("mail shunt drop 2.spoilt", "SHUNT CHANGE"),
    ("mail setup postfix", "RECIPE"),
    ("mail outbox list", "OUTBOX"),
    ("mail outbox retry 1", "OUTBOX CHANGE"),
    ("mail outbox drop 1", "OUTBOX CHANGE"),
    ("mail send", "MAIL SEND"),
    ("mail test -wait=0", "MAIL TEST"),
    ("doctor", "DOCTOR"),
    ("backup copy.sqlite", "BACKUP"),
    ("restore copy.sqlite --dry-run", "RESTORE"),
    ("restore copy.sqlite --yes", "RESTORE"),
    ("db current", "DB CURRENT"),
    ("db upgrade", "DB UPGRADE"),
    ("db check", "DB CHECK"),
    ("star subscribe 101 alice correct-horse", "BOARDS WATCHED"),
    ("star unsubscribe alice correct-horse all", "BOARDS WATCHED"),
    ("star chat 101 alice correct-horse -", "CHAT"),
    ("star chat 101 alice correct-horse -text=", "CHAT"),
    ("admin chat star 101", "CHAT"),
    ("message alice correct-horse bob -", "MESSAGE"),
    ("messages bob battery-staple", "MESSAGES"),
    ("news bob battery-staple", "NEWS"),
    ("account alice correct-horse", "OWN ACCOUNT"),
    ("account export alice correct-horse", "ALL THAT IS STORED OF A PLAYER"),
    ("players", "PLAYERS"),
    ("star showas alice correct-horse 101", MATCH),
    ("admin remark remove 1 --yes", "ADMIN REMARK REMOVE"),
    ("broadcast alice correct-horse -", "BROADCAST"),
    ("broadcast alice correct-horse off", "SWITCH"),
    ("digest alice correct-horse on", "SWITCH"),
    ("private alice correct-horse on", "SWITCH"),
    ("calendar alice correct-horse", TABLE),
    ("site pages", "PAGES"),
    ("puzzle 1", "A PUZZLE"),
    ("block alice correct-horse bob", "BLOCK"),
    ("unblock alice correct-horse bob", "BLOCK"),
    ("reset alice", "RESET"),
    ("star resign 101 bob battery-staple", MATCH),
    ("star rematch 101 bob battery-staple", MATCH),
    ("star history", TABLE),
    ("archive games", "AN ARCHIVE"),
    ("star analyse 101 -svg=curve.svg", "AN ANALYSIS"),
    ("hex analyse blunder.txt", "AN ANALYSIS"),
    ("star show 101", MATCH),
    ("star standings", "STANDINGS"),
    ("star standings -history=alice", "A RATING"),
    ("admin rate", "ADMIN RATE"),
    ("admin player alice", "ADMIN PLAYER"),
    ("admin suspend alice", "ADMIN SUSPEND"),
    ("admin resume alice", "ADMIN SUSPEND"),
    ("admin announce -", "ADMIN ANNOUNCE"),
    ("admin robot add robot1 -level=1", "ADMIN ROBOT"),
    ("admin robot show robot1", "ADMIN ROBOT"),
    ("admin robot change robot1 -games=star", "ADMIN ROBOT"),
    ("admin robot list", "ADMIN ROBOTS"),
    ("robots run -once", "MOVES OF ROBOTS"),
    ("admin robot remove robot1 --yes", "ADMIN ROBOT REMOVE"),
    ("admin maintenance on", "ADMIN MAINTENANCE"),
    ("admin maintenance off", "ADMIN MAINTENANCE"),
    ("export alice correct-horse", RECORD),
    ("star export 101", RECORD),
    ("star import --dry-run", RECORD),
    ("star import alice correct-horse", MATCH),
    ("admin import-games star", MATCH),
    ("signup olga fifth-password", ACCOUNT),
    ("tournament create olga fifth-password star Cup -size=3", "A TOURNAMENT"),
    ("tournament join 1 olga fifth-password", "A TOURNAMENT"),
    ("tournament join 1 alice correct-horse", "A TOURNAMENT"),
    ("tournament join 1 bob battery-staple", "A TOURNAMENT"),
    ("tournament start 1 olga fifth-password", "A TOURNAMENT"),
    ("tournament leave 1 olga fifth-password", "A TOURNAMENT"),
    ("tournament show 1", "A TOURNAMENT"),
    ("tournament cancel Cup olga fifth-password", "A TOURNAMENT"),
    ("tournament standings 1", "A TOURNAMENT"),
    ("tournament list", "TOURNAMENTS"),
    ("stats", "FIGURES"),
    ("stats star", "FIGURES"),
    ("stats alice", "FIGURES OF A PLAYER"),
    ("admin undo star 101", MATCH),
    ("admin remove star 101 --yes", MATCH),
    ("admin reset-password olga sixth-password", "ADMIN RESET-PASSWORD"),
    ("admin rename olga olivia", "ADMIN RENAME"),
    ("signup fred seventh-password", ACCOUNT),
    ("admin merge fred olivia --yes", "ADMIN MERGE"),
    ("admin close olivia --yes", "ADMIN CLOSE"),
    ("admin reopen olivia", "ADMIN REOPEN"),
    ("admin forget", "ADMIN FORGET"),
    ("help move", PAGE),
    ("help -find=vacation", PAGE),
    ("star help", PAGE),
    ("star challenge -size=6 -even alice bob", MATCH),
    ("star nonsense", ERROR),
    ("star show 999", ERROR),
]


def preview(name: str) -> str:
    """Return a line that plays a whole game on the smallest board, on no board of the server."""
    sizing = find_game(name).options()[0]
    size = values_of(sizing)[0]
    game = find_game(name)(**{sizing.name: size})
    moves = [move.text for move, _ in random_game(game, name) if move is not None]
    return f"{name} preview new -{sizing.name}={size} {' '.join(moves)}"


SESSION += [(preview(game), MATCH) for game in game_names()]
SESSION += [('starstar score new -size=4 --x="A40 P40 P41" --o="T40 T41"', "SCORE OF starstar")]

OPEN = {"options", "submitted", "plans", "matches.options", "seeks.options", "files"}
OPEN |= {"tables", "games.variants.options", "games.variants.first_moves"}
"""Objects whose own keys are somebody's names."""


@cache
def documented() -> dict[str, set[str]]:
    """Return the keys of every section of the page."""
    sections: dict[str, set[str]] = {}
    section = ""
    for line in read_page("json").splitlines():
        if title := re.match(r"# (\*?[A-Z][A-Z* -]*)(:|$)", line):
            section = title[1]
            sections[section] = set()
        elif key := re.match(r"  ([a-z_.]+)  +\S", line):
            sections[section].add(key[1])
    return {name: keys for name, keys in sections.items() if keys}


def has_chapter(game: str) -> bool:
    """Tell whether the page explains the lists behind the scores of a game."""
    return find_game(game).title.upper() in documented()


def keys_of(value: Any, section: str, prefix: str = "") -> Iterator[Key]:
    """Yield the section and the dotted name of every key in a document."""
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item, section, prefix)
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        key = f"{prefix}{name}"
        if name in {"X", "O"}:
            yield from keys_of(inner, section, prefix)
            continue
        yield section, key
        if key == "score":
            yield from keys_of(inner, f"SCORE OF {value['game']}")
        elif key == "matches" and section != TABLE:
            yield from keys_of(inner, MATCH if section == MATCHES else TABLE, _row(section))
        elif key not in OPEN:
            yield from keys_of(inner, section, f"{key}.")


def _row(section: str) -> str:
    return "" if section == MATCHES else "matches."


def sorted_by_section(keys: Iterable[Key]) -> dict[str, set[str]]:
    """Return the keys by section as the page has them: what all scores share stands apart.

    The lists of a game without a chapter are left out.
    """
    found: dict[str, set[str]] = {}
    shared = {"points", "winner", "full"}
    for section, key in keys:
        game = section.removeprefix("SCORE OF ")
        if game == section:
            found.setdefault(section, set()).add(key)
        elif key in shared or key.partition(".")[0] == "settled":
            found.setdefault(SCORE, set()).add(key)
        elif has_chapter(game):
            found.setdefault(find_game(game).title.upper(), set()).add(key)
    return found


def do(line: str, body: str, *more: str) -> int:
    """Do a line whose command may read this text; return its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(body or "Hello."))
        return run([*shlex.split(line), *more])


def print_documents(capsys: pytest.CaptureFixture[str]) -> Iterator[Key]:
    """Do every line of the session and yield the keys of what it prints."""
    record = ""
    for line, section in SESSION:
        do(line, record, "--json")
        document = json.loads(capsys.readouterr().out)
        assert ("error" in document) == (section == ERROR), (line, document)
        record = document.get("record", record)
        yield from keys_of({"notices": document.pop("notices", [])}, "NOTICES")
        yield from keys_of(document, section)


def post_letter(url: str) -> None:
    store = Store.open(url)
    with store.writing() as records:
        records.outbox.post([Letter(LetterKind.BOARD, "a@example.org", "Star", "Hello.")], 0)
        records.inbox.take(Arrival(1, "<1@example.org>", "a@example.org", 0, "pipe", "done"))
    store.close()


def put_aside(maildir: Path) -> None:
    Spool(maildir).prepare()
    for name in ("1.spoilt", "2.spoilt"):
        (maildir / "shunt" / name).write_bytes(b"From: a@example.org\n\n")


@pytest.fixture
def empty_club(
    sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheap: None
) -> None:
    """A club for the session, in a folder for its files."""
    del cheap
    url = databases.copy_template(sqlite_template, tmp_path / "database")
    monkeypatch.setenv("PBMSERV_DATABASE_URL", url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", f"maildir:{tmp_path}/out")
    monkeypatch.setenv("PBMSERV_MAILDIR", f"{tmp_path}/in")
    monkeypatch.setattr("pbmserv.operators.mail_trial._domain", lambda _: iter(()))
    monkeypatch.setattr(
        "pbmserv.operators.mail_trial.SYSTEM_PATH", ""
    )  # a Postfix is slow to say it is down
    monkeypatch.chdir(tmp_path)
    post_letter(url)
    put_aside(tmp_path / "in")
    record = played(HEX, BLUNDER).with_players("alice", "bob")  # which has a turning point
    text = re.sub("result: .*", "result: alice wins as X by connection", format_record(record))
    (tmp_path / "blunder.txt").write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("empty_club")
def test_every_key_is_documented_and_every_documented_key_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert documented() == sorted_by_section(print_documents(capsys))


NOT_ALL_WELL = {"doctor", "mail test -wait=0"}
"""What says of a club that was set up for a test that something is missing."""


@pytest.mark.slow
@pytest.mark.usefixtures("empty_club")
def test_every_command_answers_people_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, record = [], ""
    for line, section in SESSION:
        code = do(line, record)
        out, err = capsys.readouterr()
        record = out if line == "star export 101" else record
        told = err if section == ERROR else out
        is_done = code == 0 or line in NOT_ALL_WELL
        if told[:1] in {"", "{"} or told[-1:] != "\n" or is_done == (section == ERROR):
            wrong.append((line, code, out, err))

    assert wrong == []


@pytest.mark.parametrize("name", game_names())
def test_the_lists_behind_a_score_are_there_from_the_start(name: str) -> None:
    promised = documented().get(find_game(name).title.upper(), set[str]())
    score = find_game(name)().score(find_game(name)().start())

    assert has_chapter(name) is bool(score.details), f"help/json.txt and what {name} has differ"
    assert {key.partition(".")[0] for key in promised} == set(score.details)


def test_the_session_has_every_command() -> None:
    tree = root(SHELL, shell_families())
    lines = [shlex.split(line) for line, section in SESSION if section != ERROR]
    done = {resolve(tree, words)[1].command_path for words in lines}
    several_documents = {
        *("pbmserv demo", "pbmserv play", "pbmserv batch"),
        *("pbmserv mail run", "pbmserv mail serve"),
    }
    served = {"pbmserv serve", "pbmserv web"}
    none = served | {"pbmserv mail receive", "pbmserv gate", "pbmserv gtp"}

    assert {path for _, path in every_verb()} - several_documents - none <= done


def test_every_reason_is_documented() -> None:
    text = read_page("json")

    assert [] == [reason.value for reason in Reason if f'"{reason.value}"' not in text]

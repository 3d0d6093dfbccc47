"""What leaves because of mails that nobody signed is bounded; whom they name is not silenced."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from pbmserv.club.letter import Diagram, Letter, LetterKind
from pbmserv.desk.request import Request
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Postponed
from pbmserv.mail.compose import MailIdentity, compose
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.spool import Spool
from pbmserv.mail.tokens import Key
from pbmserv.store.mail import budgets
from pbmserv.store.mail.budgets import BUDGETS, Budget, BudgetScope, Purpose, budgets_of
from pbmserv.store.mail.outbox import OutboxItem
from tests.databases import made_once
from tests.local_server import CheapPasswords
from tests.mail.server_by_mail import US, ClubByMail, written

pytestmark = pytest.mark.costly

ALICE, BOB, EVE = "alice@example.net", "bob@example.net", "eve@example.com"
MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
LEAVING = {Purpose.HELP, Purpose.ANSWER, Purpose.ERROR, Purpose.CONFIRMATION, Purpose.RESET}
"""The kinds of letters that mails cause which nobody signed, to players."""

FORGED: Sequence[tuple[str, str]] = (
    ("list", ""),
    ("list star hex", ""),
    ("starstar show 101", ""),
    ("star show 101", ""),
    ("*star show 101 alice bob", ""),
    ("all show alice", ""),
    ("star standings", ""),
    ("star history alice", ""),
    ("stats", ""),
    ("help commands", ""),
    ("help admin", ""),
    ("help star", ""),
    ("HELP", ""),
    ("nonsense", "help"),
    ("", "F6"),
    ("star move 101 alice C3", ""),
    ("star chalenge alice bob", ""),
    ("star challenge alice bob -size=4", ""),
    ("digest alice wrong-password on", ""),
    ("reset alice", ""),
    ("reset alice 234567 secret-new", ""),
    ("signup alice3 secret-word a1@example.com a2@example.com", ""),
    ("multiple", "help commands\n" * 60),
    ("multiple", "multiple\n" * 60),
    ("Multiple", "starstar show 101\n" * 60),
    ("multiple", "list\n" * 59 + "nonsense"),
    ("multiple", "reset alice\n" * 60),
    ("multiple", "help\nstar challenge alice bob\ndigest alice wrong-password on"),
    ("MULTIPLE", "star challenge alice bob\n" * 60),
)
"""Mails that anybody may send in a player's name."""


@pytest.fixture
@made_once
def club(office: ClubByMail) -> ClubByMail:
    office.join("alice", "bob")
    for game in ("starstar", "star"):
        office.mail(ALICE, f"{game} challenge alice secret-alice bob -size=10")
    office.collect()
    return office


def forge(
    office: ClubByMail, mails: Iterable[tuple[str, str]], sender: str = ALICE
) -> Counter[str]:
    """Send forged mails; return what came of them, those that wait among it."""
    found: Counter[str] = Counter()
    for subject, text in mails:
        try:
            found[office.mail(sender, subject, text)] += 1
        except Postponed as wait:
            found[wait.code] += 1
    return found


def of_a_player(kinds: Iterable[Purpose] = LEAVING) -> Iterator[Budget]:
    return (budgets_of(kind)[0] for kind in kinds)


@pytest.mark.slow
def test_a_day_of_all_kinds_of_forged_mails_stays_within_the_budgets(club: ClubByMail) -> None:
    letters = []
    for _ in range(24):
        forge(club, FORGED)
        club.clock.seconds += HOUR - 1
        letters += club.collect()
    sizes = [len(letter.sent.content) for letter in letters]

    assert {letter.to for letter in letters} == {ALICE}
    assert len(letters) <= sum(row.letters for row in of_a_player()) + 1, "and a welcome"
    assert sum(sizes) <= sum(row.bytes for row in of_a_player())
    assert max(sizes) < 60_000


@pytest.mark.parametrize(
    "line", ["help commands", "starstar show 101", "star show 101", "help admin", "list", "stats"]
)
def test_the_answer_to_forged_lines_is_no_longer_than_another(club: ClubByMail, line: str) -> None:
    forge(club, [("multiple", f"{line}\n" * 60)])
    (letter,) = club.collect()

    assert len(letter.sent.content) < 15_000


def test_a_signed_transcript_is_bounded_too(club: ClubByMail) -> None:
    lines = ["digest alice secret-alice on", *["help commands"] * 50]
    club.mail(ALICE, "multiple", "\n".join(lines))
    (letter,) = club.collect()

    assert "1. digest: done" in letter.text
    assert "COMMANDS BY TOPIC" in letter.text
    assert len(letter.sent.content) < 80_000


def test_forged_looks_are_few_a_day_and_their_bytes_are_counted(club: ClubByMail) -> None:
    letters, ended = [], Counter[str]()
    for _ in range(24):
        ended += forge(club, [("starstar show 101", "")] * 10)
        club.clock.seconds += HOUR - 1
        letters += club.collect()
    (row, *_) = budgets_of(Purpose.ANSWER)
    (told,) = [letter for letter in letters if "not accepted" in letter.subject]
    club.clock.seconds += 24

    assert ended.keys() == {"done", "too-many-answers"}
    assert len(letters) == 1 + ended["done"] <= row.letters
    assert sum(len(letter.sent.content) for letter in letters) <= row.bytes
    assert "limit for mail without a password" in told.text
    assert club.mail(ALICE, "starstar show 101") == "done", "a day later"


def test_many_names_share_what_the_server_sends(
    club: ClubByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"p{number}" for number in range(8)]
    for name in names:
        club.mail(f"{name}@d-{name}.example", f"signup {name} secret-{name}")
        club.reply(club.collect()[0])
    club.collect()
    few = tuple(
        row._replace(letters=5) if row.scope is BudgetScope.UNVOUCHED else row for row in BUDGETS
    )
    monkeypatch.setattr(budgets, "BUDGETS", few)
    for subject in ("list", "help star", "nonsense"):
        for name in names:
            forge(club, [(subject, "")] * 2, f"{name}@d-{name}.example")
        assert len(club.collect()) <= 5 + 5, "answers, and errors that say there are no more"

    assert club.mail(ALICE, "digest alice secret-alice on") == "done"
    assert [letter.to for letter in club.collect()] == [ALICE]


# Honest players in a flood


def later(office: ClubByMail, data: bytes, *, flood: Iterable[tuple[str, str]] = ()) -> int:
    """Bring a mail as a mail server does, each minute until it is taken; return the minutes.

    Meanwhile forged mails come in before it.
    """
    mails, envelope = tuple(flood), Envelope(recipient=US, sender=ALICE)
    for minutes in range(300):
        try:
            assert office.receive(data, envelope) == "done"
        except Postponed:
            office.clock.seconds += MINUTE
            forge(office, mails)
        else:
            return minutes
    raise AssertionError("never")


def test_a_right_password_is_found_out_in_a_flood_of_guesses(club: ClubByMail) -> None:
    guesses = [(f"digest alice wrong-word-{number} on", "") for number in range(100)]
    forge(club, guesses)
    right = written(ALICE, "digest alice secret-alice on", "", number=10_000)
    minutes = later(club, right, flood=guesses[:10])
    (letter,) = [letter for letter in club.collect() if letter.subject == "pbmserv digest"]

    assert 1 <= minutes <= 30
    assert "day" in letter.text


def test_a_flood_from_elsewhere_does_not_make_the_player_wait(club: ClubByMail) -> None:
    for number in range(50):
        forge(club, [(f"digest alice wrong-word-{number} on", "")], f"x@d{number}.example")
    stranger = club.mail(EVE, "digest alice secret-alice on")

    assert club.mail(ALICE, "digest alice secret-alice on") == "done"
    assert stranger == "wait-for-password"


@pytest.mark.parametrize("made_so", ["verified_at = NULL, is_trusted = 0", "stopped_at = 1"])
def test_an_address_that_is_not_open_is_no_home_in_a_flood(club: ClubByMail, made_so: str) -> None:
    club.desk.handle(Request(("add", "alice", "secret-alice", EVE)))
    forge(club, [(f"digest alice wrong-word-{number} on", "") for number in range(20)])
    right = [("digest alice secret-alice on", "")]
    known = forge(club, right, EVE)
    with club.desk.store.writing() as records:
        changed = f"UPDATE address SET {made_so} WHERE address = '{EVE}'"  # noqa: S608 - of ours
        assert records.connection.exec_driver_sql(changed).rowcount == 1

    assert known == {"password-waits": 1}
    assert forge(club, right, EVE) == {"wait-for-password": 1}


def test_lines_of_one_mail_wait_for_one_turn(club: ClubByMail) -> None:
    forge(club, [(f"digest alice wrong-word-{number} on", "") for number in range(20)])
    lines = "digest alice secret-alice on\nstar showas alice secret-alice\n" * 3
    right = written(ALICE, "multiple", lines, number=10_000)

    assert 1 <= later(club, right) <= 3


@pytest.mark.slow
def test_no_more_than_a_hundred_passwords_a_day_are_looked_at_in_a_flood(
    club: ClubByMail,
) -> None:
    """Old mails come again, new ones come; five, and one an hour, would be looked at anyway."""
    passwords = club.desk.passwords
    assert isinstance(passwords, CheapPasswords)
    kept: list[bytes] = []
    before, last, closest = len(passwords.checks), 0, DAY
    for number in range(4 * HOUR // 30):
        checks = len(passwords.checks)
        kept.append(written(ALICE, f"digest alice wrong-{number:05} on", "", number=number))
        for data in {kept[0], kept[-1]}:
            try:
                club.receive(data, Envelope(recipient=US, sender=ALICE))
            except Postponed:
                continue
            kept.remove(data)
        if len(passwords.checks) > checks and number > 10:
            closest, last = min(closest, club.clock.seconds - last), club.clock.seconds
        club.clock.seconds += 30
        kept = kept[-50:]

    assert 100 <= len(passwords.checks) - before <= 5 + 100 + 4
    assert closest >= MINUTE


def test_a_mail_that_waits_leaves_nothing_but_that_it_waits(club: ClubByMail) -> None:
    forge(club, [(f"digest alice wrong-word-{number} on", "") for number in range(20)])
    club.collect()

    def seen() -> tuple[int, int]:
        with club.desk.store.reading() as records:
            return len(records.lists.arrivals().rows), len(records.lists.audit().rows)

    before = seen()
    ended = forge(club, [("digest alice secret-alice on", "")])

    assert ended == {"password-waits": 1}
    assert (seen(), club.collect()) == (before, [])


def test_a_mail_that_waited_for_three_days_is_refused(club: ClubByMail) -> None:
    forge(club, [(f"digest alice wrong-word-{number} on", "") for number in range(20)])
    late = written(ALICE, "digest alice wrong-late on", "", number=10_000)
    with pytest.raises(Postponed) as first:
        club.receive(late, Envelope(recipient=US, sender=ALICE))
    club.clock.seconds += 3 * DAY + MINUTE
    forge(club, [(f"digest alice wrong-again-{number} on", "") for number in range(20)])

    assert first.value.seconds == MINUTE
    assert club.receive(late, Envelope(recipient=US, sender=ALICE)) == "wait-for-password"


def test_help_and_reset_are_answered_in_a_flood_of_anything_else(club: ClubByMail) -> None:
    others = [mail for mail in FORGED if "help" not in mail[0].lower() and "reset" not in mail[0]]
    forge(club, [*others * 4, *[("list", "")] * 70])
    club.collect()
    ended = forge(club, [("help", ""), ("help star move", ""), ("reset alice", "")])
    subjects = [letter.subject for letter in club.collect()]

    assert ended == {"done": 3}
    assert subjects == [
        "pbmserv help",
        "pbmserv help",
        "pbmserv: forgotten password",
        "pbmserv reset",
    ]


@pytest.mark.parametrize("written_as", [str, str.upper])
def test_a_token_sets_a_password_whatever_others_chose_under_the_address(
    club: ClubByMail, written_as: Callable[[str], str]
) -> None:
    forge(club, [(f"signup name{number} secret-word", "") for number in range(30)])
    forge(club, [(f"reset alice token{number} secret-word", "") for number in range(30)])
    club.collect()
    club.mail(ALICE, "reset alice")
    letter = next(letter for letter in club.collect() if "forgotten" in letter.subject)
    (line,) = [line.strip() for line in letter.text.splitlines() if "NEWPASSWORD" in line]

    asked = written_as(line).replace("NEWPASSWORD", "secret-other")
    assert club.mail(ALICE, asked) == "done"
    assert club.mail(ALICE, "change password alice secret-other secret-alice") == "done"


def test_a_mail_in_a_maildir_waits_there_and_is_never_put_aside(
    club: ClubByMail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge(club, [(f"digest alice wrong-word-{number} on", "") for number in range(20)])
    now = [0.0]
    monkeypatch.setattr("pbmserv.mail.spool.time.monotonic", lambda: now[0])
    spool = Spool(tmp_path / "in")
    spool.prepare()
    right = written(ALICE, "digest alice secret-alice on", "", number=10_000)
    (spool.folder / "new" / "1.right").write_bytes(right)
    (spool.folder / "new" / "2.other").write_bytes(written(BOB, "help", "", number=10_001))
    tries: list[bytes] = []

    def receive(data: bytes) -> None:
        tries.append(data)
        club.receive(data, Envelope(recipient=US))

    rounds = []
    for _ in range(8):
        rounds.append(list(spool.work(receive, lambda: True, lambda _: None)))
        now[0] += 20
        club.clock.seconds += 20

    assert rounds[0] == [True], "it holds up no other"
    assert [True] in rounds[1:]
    assert sum(data == right for data in tries) == 2, "it is left alone for a minute"
    assert list(spool.shunted()) == []
    assert spool.waiting() == []


# What is counted is what leaves

LONG_URL = f"https://www.example.org/{'club' * 20}/"

KEYS = [Key(7, b"k" * 32)]
IDENTITIES = {"mail": MailIdentity(US, KEYS), "web": MailIdentity(US, KEYS, web_url=LONG_URL)}
TEXTS = (
    *("x", "A sentence of words. " * 200, "<&>\n" * 1200, "ä" * 4900, "字\n" * 2400, "a\n" * 2450),
    *("<&>\n" * 1300, "字\n" * 9000, "a\n" * 20_000, "    help star\n" * 350, "\U0001f600" * 3000),
)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("player_id", [None, 5])
@pytest.mark.parametrize("way", IDENTITIES)
def test_no_letter_is_larger_than_it_is_counted_as(
    text: str, player_id: int | None, way: str
) -> None:
    kinds = {LetterKind.ANSWER: None, LetterKind.WELCOME: 0, LetterKind.RESET: None}
    for kind, revision in kinds.items():
        letter = Letter(kind, ALICE, "pbmserv list", text, player_id=player_id, revision=revision)
        posted = OutboxItem(1, letter, 0, 0, 1, board="starstar/123456789")

        assert len(compose(posted, IDENTITIES[way]).content) <= letter.max_bytes


@pytest.mark.parametrize(
    "spec",
    ["star(size=10)", "starstar(size=10)", "hex(size=19)", "y(size=19)", "starweb(size=10)"],
)
@pytest.mark.parametrize("is_clickable", [False, True])
def test_no_board_is_larger_than_it_is_counted_as(spec: str, *, is_clickable: bool) -> None:
    game = parse_game(spec)
    names = game.board.names
    played = [names[n] if game.name != "starstar" else names[0] for n in range(len(names) // 2)]
    position = game.replay(played if game.name in {"hex", "y"} else ())
    letter = Letter(
        *(LetterKind.ANSWER, ALICE, "Star show", "Board 101\n" * 40, "Score\n" * 40),
        diagram=Diagram(game, position, is_clickable),
        player_id=5,
        match_id=1,
        revision=1,
    )

    for identity in IDENTITIES.values():
        posted = OutboxItem(1, letter, 0, 0, 1, board="starstar/123456789")

        assert len(compose(posted, identity).content) <= letter.max_bytes

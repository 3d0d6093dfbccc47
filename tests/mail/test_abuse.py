"""What somebody who means ill can make the server write, store, or let them try."""

from collections import Counter

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk import mail_desk
from pbmserv.desk.request import Request
from pbmserv.mail.inbound import Envelope
from tests.databases import made_once
from tests.mail.server_by_mail import US, ClubByMail, written

ALICE, MALLORY = "alice@example.net", "mallory@example.com"
DAY = 24 * 3600


@pytest.fixture
@made_once
def club(office: ClubByMail) -> ClubByMail:
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=6")
    office.collect()
    return office


def bring(office: ClubByMail, sender: str, subject: str, number: int, text: str = "") -> str:
    """Bring a mail whose Message-ID says this number."""
    return office.receive(
        written(sender, subject, text, number=number), Envelope(recipient=US, sender=sender)
    )


@pytest.mark.costly
@pytest.mark.parametrize(
    ("line", "code"),
    [("admin suspend alice", "suspended"), ("admin close alice", "wrong-login")],
)
def test_a_suspended_or_closed_player_does_nothing_by_any_mail(
    office: ClubByMail, line: str, code: str
) -> None:
    office.desk.tree = root(SHELL, shell_families())
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=6")
    letter = next(letter for letter in office.collect() if letter.to == ALICE)
    office.desk.handle(Request(tuple(line.split())))
    office.collect()
    signed = [
        office.mail(ALICE, subject, body)
        for subject, body in (
            ("star move 101 alice secret-alice C2", ""),
            ("star showas alice secret-alice 101", ""),
            ("multiple", "digest alice secret-alice on\nstar move 101 alice secret-alice C2"),
            (f"Re: {letter.subject} secret-alice C2", ""),
            ("star challenge alice secret-alice bob", ""),
        )
    ]
    answered = [office.reply(letter, text) for text in ("C2", "resign", "chat\nhello", "propose")]
    named = [office.mail(ALICE, f"star challenge {pair}") for pair in ("alice bob", "bob alice")]
    told = office.collect()
    confirmed = [office.reply(each, "yes") for each in told if "Confirm" in each.subject]
    shown = office.desk.handle(Request(("star", "show", "101"))).document

    assert set(signed) == {code}
    assert not {"done", "verified"} & {*answered, *named, *confirmed}
    assert {each.to for each in told} <= {ALICE}
    assert (shown["moves"], shown["offer"]) == ([], None)


@pytest.mark.costly
def test_one_mail_writes_to_no_address_more_than_once(office: ClubByMail) -> None:
    victims = " ".join(f"victim{number}@example.com" for number in range(9))
    names = [f"malware{number:02}" for number in range(15)]
    lines = [f"signup {name} secret-word {victims}" for name in names]
    outcome = office.mail(MALLORY, "multiple", "\n".join([*lines, *(f"reset {n}" for n in names)]))
    for name in names[:5]:
        office.mail(MALLORY, f"reset {name}")
    written_to = Counter(letter.to for letter in office.collect())

    assert outcome == "too-many-passwords"
    assert written_to.keys() <= {MALLORY, *victims.split()}
    assert set(written_to.values()) <= {1, 2}, "a welcome, and one token for all the accounts"


def test_help_takes_nothing_from_the_welcome(office: ClubByMail) -> None:
    office.mail(ALICE, "help")
    office.mail(ALICE, "signup alice secret-alice")
    office.mail(ALICE, "signup alice2 secret-alice")

    assert [letter.subject for letter in office.collect()] == ["pbmserv help", "Welcome alice"]


@pytest.mark.parametrize("verb", ["add", "change address"])
def test_an_address_that_was_never_proven_is_asked_again(office: ClubByMail, verb: str) -> None:
    office.mail(ALICE, "signup alice secret-alice")
    office.collect()
    office.clock.seconds += 7 * DAY
    office.mail(ALICE, f"{verb} alice secret-alice {ALICE.upper()}")
    (letter,) = office.collect()
    office.reply(letter)
    office.collect()
    office.mail(ALICE, f"{verb} alice secret-alice {ALICE}")
    with office.desk.store.reading() as records:
        (address,) = records.addresses.holders(ALICE)

    assert letter.subject == "Please confirm your address for alice"
    assert address.is_open
    assert [letter.subject for letter in office.collect()] == [
        f"pbmserv {verb.rsplit(maxsplit=1)[-1]}"
    ]


@pytest.mark.costly
def test_transcripts_of_what_was_refused_are_counted_like_other_refusals(club: ClubByMail) -> None:
    for _ in range(20):
        club.mail(ALICE, "multiple", "nonsense")
    unsigned = club.collect()
    club.clock.seconds += DAY
    for _ in range(20):
        club.mail(ALICE, "multiple", "digest alice secret-alice on\nnonsense")

    assert [letter.subject for letter in unsigned] == ["pbmserv: 0 of 1 commands done"]
    assert len(club.collect()) == 10


def test_guesses_under_one_message_id_are_counted(club: ClubByMail) -> None:
    guesses = [f"star move 101 alice secret-{number} F6" for number in range(8)]
    outcomes = [bring(club, MALLORY, guess, 700) for guess in [*guesses, *guesses]]
    right = bring(club, MALLORY, "star move 101 alice secret-alice F6", 700)

    assert Counter(outcomes[:8]) == {"wrong-login": 5, "wait-for-password": 3}
    assert set(outcomes[8:]) == {"wait-for-password"}
    assert right == "wait-for-password"


def test_guesses_under_the_message_id_of_a_signed_mail_are_counted(club: ClubByMail) -> None:
    club.join("mallory")
    sender = "mallory@example.net"
    assert bring(club, sender, "digest mallory secret-mallory on", 700) == "done"
    for number in range(6):
        bring(club, sender, f"star move 101 alice secret-{number} F6", 700)

    right = "star move 101 alice secret-alice F6"
    assert [bring(club, sender, right, number) for number in (700, 800)] == [
        "duplicate",
        "wait-for-password",
    ]


def test_guesses_sent_at_once_are_counted_before_any_is_acted_upon(
    club: ClubByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare_lines = mail_desk.prepare_lines

    def prepare_while_others_fail(case: mail_desk.MailCase) -> None:
        prepare_lines(case)
        with case.desk.store.writing() as records:
            for _ in range(5):
                records.throttle.failed("alice", MALLORY, club.clock.now())

    monkeypatch.setattr(mail_desk, "prepare_lines", prepare_while_others_fail)
    outcomes = [
        club.mail(MALLORY, f"star move 101 alice secret-{word} F6") for word in ("wrong", "alice")
    ]

    assert outcomes == ["wrong-login", "wait-for-password"]


def test_a_password_in_the_place_of_the_userid_is_not_stored(club: ClubByMail) -> None:
    """Whatever a test leaves behind is searched for passwords."""
    subjects = (
        "star move 101 canary-word alice-alice F6",
        "change password canary-word alice-alice secret-new",
        "vacation canary-word alice 3",
    )

    assert [club.mail(ALICE, subject) for subject in subjects] == ["wrong-login"] * 3


def test_a_mail_refused_once_is_refused_for_good(club: ClubByMail) -> None:
    subject = "star move 102 alice secret-alice F6"
    first = bring(club, ALICE, subject, 700)
    club.mail(ALICE, "star challenge alice secret-alice bob -size=6")
    again = bring(club, ALICE, subject, 700)
    anew = bring(club, ALICE, subject, 800)

    assert (first, again, anew) == ("no-such-board", "duplicate", "done")


def test_several_lines_that_end_their_own_password_are_done_once(club: ClubByMail) -> None:
    lines = "help\nchange password alice secret-alice secret-new"
    outcomes = [bring(club, "alice@elsewhere.example", "multiple", 700, lines) for _ in range(3)]

    assert outcomes == ["done", "duplicate", "duplicate"]

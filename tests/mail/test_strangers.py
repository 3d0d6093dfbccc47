"""Strangers get an answer to a plain help or signup alone; what else they send is only counted."""

import pytest

from pbmserv.mail.inbound import MAX_SIZE, Envelope
from tests.mail.mail_players import whose_turn
from tests.mail.sample_mails import mail
from tests.mail.server_by_mail import US, ClubByMail

ALICE, EVE = "alice@example.net", "eve@example.com"
DAY = 24 * 3600


def rows(office: ClubByMail) -> tuple[int, int]:
    with office.desk.store.reading() as records:
        return len(records.lists.arrivals().rows), len(records.lists.audit().rows)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "subject",
    [
        "HELP WANTED",
        "Help wanted: earn money",
        "Re: help",
        "Fwd: Help",
        "[list] help",
        "help me",
        "help star please",
        "helpful hints",
        "star help",
        "Signup today!",
        "Sign up now and win a prize",
        "signup sheet for the picnic on Monday",
        "list",
        "star show 101",
        "star challenge alice bob",
        "message in a bottle",
        "Re: Star Board 101 alice",
        "reset your password now",
        "move",
        "-",
        "",
        "multiple",
        "F6",
    ],
)
def test_spam_gets_nothing_and_leaves_a_count(office: ClubByMail, subject: str) -> None:
    office.join("alice")
    before = rows(office)
    outcome = office.mail(EVE, subject, "list\nstar show 101")
    with office.desk.store.reading() as records:
        (counted,) = records.ignored_mail.counts()

    assert (outcome, counted.reason, counted.mails) == (counted.reason, outcome, 1)
    assert office.collect() == []
    assert rows(office) == before


@pytest.mark.costly
def test_long_pages_go_to_players_alone_and_ten_times_a_day(office: ClubByMail) -> None:
    office.join("alice")
    office.mail(EVE, "help commands")
    for _ in range(12):
        office.mail(ALICE, "help commands")
    office.mail(ALICE, "help")
    (short, *whole, eleventh, _, index) = office.collect()

    assert (short.to, len(whole)) == (EVE, 10)
    assert max(len(letter.sent.content) for letter in (short, eleventh)) < 8_000
    assert whole[0].text.startswith(short.text[:6_000])
    assert "help mail explains how" in short.text
    assert "pbmserv whoami" in whole[-1].text
    assert "10 long answers" in eleventh.text
    assert index.subject == "pbmserv help"


def test_what_is_ignored_is_counted_by_day(office: ClubByMail) -> None:
    for _ in range(3):
        office.mail(EVE, "You have won")
    office.mail(EVE, "list", headers=[("List-Id", "<x.example.org>")])
    office.clock.seconds += DAY
    office.mail(EVE, "You have won")
    with office.desk.store.reading() as records:
        counts = records.ignored_mail.counts()
    today = office.clock.now() - office.clock.now() % DAY

    assert counts == [
        (today, "no-such-command", 1),
        (today - DAY, "list-header", 1),
        (today - DAY, "no-such-command", 3),
    ]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("sender", [ALICE, f"{ALICE} (Alice)", f'"Alice @ Home" <{ALICE}>'])
def test_a_known_player_is_told_once_a_day_that_a_mail_is_too_large(
    office: ClubByMail, sender: str
) -> None:
    office.join("alice")
    data = mail("Subject: list", body=b"x" * MAX_SIZE, sender=sender)
    outcomes = [
        office.receive(data + b"x" * n, Envelope(recipient=US, sender=ALICE)) for n in range(3)
    ]
    (letter,) = office.collect()
    office.receive(mail(body=b"x" * MAX_SIZE, sender=EVE), Envelope(recipient=US, sender=EVE))

    assert outcomes[0] == "mail-too-large"
    assert "The mail is larger than 1 MiB." in letter.text
    assert office.collect() == []


def test_a_known_player_is_told_once_a_day_that_a_token_is_spent(office: ClubByMail) -> None:
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=4")
    letter = whose_turn(office.collect())
    assert letter is not None
    spoilt = f"{letter.reply_to.partition('@')[0][:-3]}aaa@example.org"
    outcomes = [office.mail(ALICE, f"Re: {letter.subject}", "C2", to=spoilt) for _ in range(3)]
    office.mail(EVE, f"Re: {letter.subject}", "C2", to=spoilt)

    assert outcomes == ["bad-token"] * 3
    assert [answer.to for answer in office.collect()] == [ALICE]

"""Robots: whatever machine answers us, each address hears from us once a day at most."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pbmserv.mail.inbound import Envelope
from pbmserv.mail.loop_guard import ServerAddress
from tests import databases
from tests.local_server import NOW
from tests.mail.server_by_mail import US, ClubByMail, Letter, written

pytestmark = pytest.mark.slow

DAY = 24 * 3600
ROUNDS = 150
"""Without --full: a day of 144 rounds and a little of the next."""
THEM = "games@example.com"
Robot = Callable[[Letter, int], list[tuple[str, str, Sequence[tuple[str, str]]]]]
"""Answers a letter: with sender, Subject and headers of each mail that it sends back."""


def vacation(letter: Letter, number: int) -> list[tuple[str, str, Sequence[tuple[str, str]]]]:
    """A responder that marks its mails as the standard says, but answers everything."""
    del number
    return [(letter.to, f"Auto: {letter.subject}", [("Auto-Submitted", "auto-replied")])]


def old_vacation(letter: Letter, number: int) -> list[tuple[str, str, Sequence[tuple[str, str]]]]:
    """A responder from before that standard."""
    del number
    return [(letter.to, f"Re: {letter.subject}", [("Precedence", "junk"), ("X-Autoreply", "yes")])]


def bouncer(letter: Letter, number: int) -> list[tuple[str, str, Sequence[tuple[str, str]]]]:
    del number
    return [("mailer-daemon@example.net", f"Undeliverable: {letter.subject}", [])]


def mailing_list(letter: Letter, number: int) -> list[tuple[str, str, Sequence[tuple[str, str]]]]:
    """A list that sends our own letter, and its own copy of it, back to us."""
    own = [("List-Id", "<list.example.net>"), ("X-Number", str(number))]
    return [
        (letter.to, letter.subject, own),
        (US, letter.subject, [("X-Loop", US)]),
    ]


def echo(letter: Letter, number: int) -> list[tuple[str, str, Sequence[tuple[str, str]]]]:
    """An address that leads to us again: our own letters come back as they are."""
    del number
    kept = [(n, str(v)) for n, v in letter.message.items() if n in {"Auto-Submitted", "X-Loop"}]
    return [(US, letter.subject, kept)]


ROBOTS: dict[str, Robot] = {
    "vacation": vacation,
    "old vacation": old_vacation,
    "bouncer": bouncer,
    "mailing list": mailing_list,
    "ourselves": echo,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_is_answered_once_a_day_at_most(office: ClubByMail, name: str, full: bool) -> None:  # noqa: FBT001
    """The robot is set off anew each round, by a letter that a person has caused."""
    rounds = 1000 if full else ROUNDS
    office.mail("person@example.net", "help")
    answers: Counter[tuple[str, int]] = Counter()
    letters = office.collect()
    first = letters[0]
    for number in range(rounds):
        for letter in [*letters, first]:
            for sender, subject, headers in ROBOTS[name](letter, number):
                office.mail(sender, subject, "I am away.", to=letter.reply_to, headers=headers)
        letters = office.collect()
        answers.update((letter.to, office.clock.seconds // DAY) for letter in letters)
        office.clock.seconds += 600

    assert [] == [key for key, count in answers.items() if count > 1]
    assert answers.total() <= 1 + rounds * 600 // DAY


@pytest.mark.parametrize(("has_token", "most"), [(False, 1), (True, 10)])
def test_a_responder_that_hides_at_a_players_address_is_soon_left_alone(
    office: ClubByMail,
    has_token: bool,  # noqa: FBT001
    most: int,
    full: bool,  # noqa: FBT001
) -> None:
    """It says in no way what it is; an answer to a reply address counts as the player's own."""
    rounds = 1000 if full else ROUNDS
    office.join("alice", "bob")
    office.mail("alice@example.net", "star challenge alice secret-alice bob -size=3")
    answers: Counter[tuple[str, int]] = Counter()
    letters = office.collect()
    first = letters[0]
    for _ in range(rounds):
        for letter in [*letters, first]:
            to = letter.reply_to if has_token else US
            office.mail(letter.to, f"Re: {letter.subject}", "I am away.", to=to)
        letters = office.collect()
        answers.update((letter.to, office.clock.seconds // DAY) for letter in letters)
        office.clock.seconds += 600

    assert {most} == set(list(answers.values())[:1])
    assert [] == [key for key, count in answers.items() if count > most]


def test_two_servers_do_not_talk_to_each_other(
    office: ClubByMail,
    sqlite_template: Path,
    tmp_path: Path,
    full: bool,  # noqa: FBT001
) -> None:
    other = ClubByMail(databases.copy_template(sqlite_template, tmp_path / "other"))
    other.gateway.own = ServerAddress(THEM)
    answers: list[int] = []
    for number in range(3000 if full else ROUNDS):
        office.receive(written(THEM, "help", "", number=number), Envelope(sender=THEM))
        for letter in office.collect():
            answers.append(office.clock.seconds)
            other.receive(letter.sent.content, Envelope(THEM, letter.sent.sender))
        office.clock.seconds += 60
    back = other.collect()
    other.close()

    # A day begins with the answer, not at midnight.
    assert answers == list(range(NOW, office.clock.seconds, DAY))
    assert back == []


def test_a_person_among_the_robots_is_answered(office: ClubByMail) -> None:
    office.mail("person@example.net", "help", headers=[("Precedence", "bulk")])
    office.mail("person@example.net", "help", headers=[("Auto-Submitted", "no")])

    assert ["person@example.net"] == [letter.to for letter in office.collect()]

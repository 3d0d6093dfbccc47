"""A mail that comes often is acted upon once, and nobody is told what was not committed."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random
from typing import Any

import pytest

from pbmserv.club.letter import Letter
from pbmserv.desk.door import Desk
from pbmserv.mail.compose import MailIdentity, compose
from pbmserv.store.mail.inbox import Arrival, Inbox
from pbmserv.store.mail.outbox import Outbox, OutboxItem
from pbmserv.store.store import Records
from tests.local_server import NOW
from tests.mail.mail_players import by_first_line, cells_to_click, whose_turn
from tests.mail.server_by_mail import US, ClubByMail


class PowerCutError(Exception):
    """The program ends just before a commit."""


@contextmanager
def power_cuts(desk: Desk, rng: Random) -> Iterator[None]:
    """Have one in three writing transactions end before its commit."""
    store = desk.store
    whole = store.writing

    @contextmanager
    def writing(**options: Any) -> Iterator[Records]:
        with whole(**options) as records:
            yield records
            if rng.random() < 1 / 3:
                raise PowerCutError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "writing", writing)
        yield


def stubborn(office: ClubByMail) -> None:
    """Let the mail server keep every mail that was not taken care of, and bring it again."""
    direct = office.receive_directly

    def receive(data: bytes, envelope: Any) -> str:
        while True:
            try:
                return direct(data, envelope)
            except PowerCutError:
                continue

    office.receive = receive


def check_a_game_of_often_delivered_mails(office: ClubByMail) -> None:
    """Play a game with mails that come one to five times and power cuts between; count letters."""
    rng = Random(11)
    office.join("alice", "bob")
    stubborn(office)
    moves, letters = [], []
    with power_cuts(office.desk, rng):
        office.mail("alice@example.net", "star challenge alice secret-alice bob -size=3", times=5)
    news = office.collect()
    while (letter := whose_turn(news)) is not None:
        letters += news
        moves.append(rng.choice(cells_to_click(letter)))
        with power_cuts(office.desk, rng):
            by_first_line(office, letter, moves[-1], rng.randint(1, 5))
        news = office.collect()
    letters += news
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
        assert match is not None

    assert moves == [turn.text for turn in match.turns]
    assert Counter({"alice@example.net": 13, "bob@example.net": 13}) == Counter(
        letter.to for letter in letters
    )
    assert len({str(letter.message["Message-ID"]) for letter in letters}) == 26


@pytest.mark.slow
def test_a_mail_that_comes_often_is_acted_upon_once(office: ClubByMail) -> None:
    check_a_game_of_often_delivered_mails(office)


@pytest.mark.slow
def test_the_check_sees_that_the_check_for_duplicates_is_missing(
    office: ClubByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, numbers = Inbox.take, count()

    def forgetful(self: Inbox, arrival: Arrival, unsigned_key: str = "") -> int | None:
        values = {**vars(arrival), "key": f"{arrival.key} {next(numbers)}"}
        return take(self, Arrival(**values), unsigned_key)

    monkeypatch.setattr(Inbox, "take", forgetful)
    with pytest.raises(AssertionError):
        check_a_game_of_often_delivered_mails(office)


@pytest.mark.slow
def test_the_check_sees_letters_that_leave_before_the_commit(
    office: ClubByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hasty(self: Outbox, letters: Sequence[Letter], now: int, *, held: object = ()) -> None:
        del self, held
        for letter in letters:
            number = int.from_bytes(os.urandom(4), "big")
            posted = OutboxItem(number, letter, now, now, 1)
            identity = MailIdentity(US, office.keyring.signing_keys(NOW))
            office.basket.send(compose(posted, identity))

    monkeypatch.setattr(Outbox, "post", hasty)
    with pytest.raises(AssertionError):
        check_a_game_of_often_delivered_mails(office)

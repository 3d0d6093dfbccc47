from dataclasses import replace

from pbmserv.store.inbox import STRANGER, Arrival
from pbmserv.store.store import Store

from .sample_rows import NOW

MAIL = Arrival(7, "<1@example.org>", "a@example.org", NOW, "pipe")


def test_a_mail_is_taken_once_from_each_player(store: Store) -> None:
    with store.writing() as records:
        taken = [
            records.inbox.take(arrival) is not None
            for arrival in (MAIL, MAIL, replace(MAIL, player_id=STRANGER))
        ]
    with store.writing() as records:
        again = records.inbox.take(replace(MAIL, received_at=NOW + 9))

    assert taken == [True, False, True]
    assert again is None


def test_how_a_mail_ended_is_kept(store: Store) -> None:
    with store.writing() as records:
        number = records.inbox.take(MAIL)
        assert number is not None
        records.inbox.settle(number, "not-your-turn")
    with store.reading() as records:
        arrivals = records.inbox.arrivals()

    assert arrivals == [replace(MAIL, outcome="not-your-turn")]


def test_a_mail_that_was_undone_can_come_again(store: Store) -> None:
    with store.writing() as records, records.connection.begin_nested() as part:
        records.inbox.take(MAIL)
        part.rollback()
    with store.reading() as records:
        has_it = records.inbox.has(MAIL.player_id, MAIL.key)

    assert not has_it


def test_old_mails_are_forgotten(store: Store) -> None:
    with store.writing() as records:
        for n in range(3):
            records.inbox.take(replace(MAIL, key=str(n), received_at=NOW + n))
        gone = records.inbox.forget(NOW + 2)
    with store.reading() as records:
        kept = [arrival.key for arrival in records.inbox.arrivals()]

    assert (gone, kept) == (2, ["2"])

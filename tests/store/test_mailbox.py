from dataclasses import replace

from pbmserv.store.mail.inbox import STRANGER, Arrival, AskedChallenge
from pbmserv.store.store import Store
from tests.local_server import DAY

from .sample_rows import NOW, add_player

TODAY = NOW - NOW % DAY

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
        arrivals = records.lists.arrivals().rows

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
        kept = [arrival.key for arrival in records.lists.arrivals().rows]

    assert (gone, kept) == (2, ["2"])


def test_ignored_mails_are_counted_by_day_and_reason_for_ninety_days(store: Store) -> None:
    with store.writing() as records:
        ignored = records.ignored_mail
        for moment, reason in (
            (TODAY - 90 * DAY - 1, "loop"),
            (TODAY - 90 * DAY, "loop"),
            (TODAY - 1, "unknown-sender"),
            (TODAY, "unknown-sender"),
            (TODAY + DAY - 1, "unknown-sender"),
            (TODAY + DAY - 1, "bulk"),
        ):
            ignored.count(reason, moment)
        today = [(TODAY, "bulk", 1), (TODAY, "unknown-sender", 2)]
        yesterday = [(TODAY - DAY, "unknown-sender", 1)]
        before = [(TODAY - days * DAY, "loop", 1) for days in (90, 91)]

        assert ignored.counts(TODAY + DAY - 1) == today
        assert ignored.counts(TODAY) == today
        assert ignored.counts(TODAY - 1) == [*today, *yesterday]
        assert ignored.counts() == [*today, *yesterday, *before]
        ignored.forget(TODAY)
        assert ignored.counts() == [*today, *yesterday, before[0]]


def test_challenges_wait_a_week_for_their_confirmation_one_mail_of_each_player(
    store: Store,
) -> None:
    week = 7 * DAY
    with store.writing() as records:
        alice, bob = (add_player(records, name).id for name in ("alice", "bob"))
        asked = records.asked_challenges
        lines = ("star challenge alice bob", "hex challenge alice bob")
        first = asked.ask(alice, lines, "Hello.", NOW)
        second = asked.ask(bob, lines[:1], "", NOW)

        assert first is not None
        assert second == first + 1
        assert asked.ask(alice, lines, "", NOW + week - 1) is None
        assert asked.take(bob, first, NOW) is None
        assert asked.take(alice, second, NOW) is None
        assert asked.take(alice, first, NOW + week) is None
        assert asked.take(alice, first, NOW + week - 1) == AskedChallenge(first, lines, "Hello.")
        assert asked.take(alice, first, NOW) is None
        assert asked.ask(bob, lines, "", NOW + week) == second + 1
        assert asked.take(bob, second, NOW + week) is None

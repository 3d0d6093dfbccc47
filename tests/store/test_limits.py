import pytest

from pbmserv.store.quotas import (
    COMMANDS,
    DAY,
    HOUR,
    MEMORY,
    RESET_LIFE,
    Quota,
    wait_after,
)
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE

from .sample_rows import NOW, add_player

SENDER = "a@example.org"


def test_the_wait_after_the_fifth_wrong_password_doubles_up_to_an_hour() -> None:
    waits = [wait_after(failures) for failures in (0, 4, 5, 6, 7, 10, 11, 99)]

    assert waits == [0, 0, 60, 120, 240, 1920, 3600, 3600]


def test_wrong_passwords_are_counted_for_each_userid_whoever_sends_them(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        throttle = records.throttle
        waits = []
        for number in range(6):
            throttle.failed("Alice", f"a@{number}.example", NOW)
            waits.append(throttle.wait_until("alice", "b@other.example") - NOW)
        others = [throttle.wait_until("bob", SENDER), throttle.wait_until("nobody", SENDER)]

    assert waits == [0, 0, 0, 0, 60, 120]
    assert others == [NOW, NOW]


def test_wrong_passwords_are_counted_for_each_domain_and_in_all(store: Store) -> None:
    with store.writing() as records:
        throttle = records.throttle
        for number in range(20):
            throttle.failed(f"name{number}", f"a{number}@example.org", NOW)
        domain = [throttle.wait_until("x", f"b@{at}") - NOW for at in ("EXAMPLE.org", "x.org")]
        for number in range(180):
            throttle.failed(f"name{number}", f"a@{number}.example", NOW)
        everybody = throttle.wait_until("x", "b@x.org") - NOW

    assert domain == [60, 0]
    assert everybody == 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("userid", "sender", "most"),
    [
        ("alice", "a@{}.example", 33),
        ("name{}", "a{}@flood.example", 48),
        ("name{}", "a@{}.example", 227),
    ],
    ids=["one player", "one domain", "all"],
)
@ONE_DATABASE
def test_so_many_guesses_are_looked_at_in_the_first_day(
    store: Store, userid: str, sender: str, most: int
) -> None:
    guesses = 0
    with store.writing() as records:
        add_player(records, "alice")
        second = NOW
        while second < NOW + DAY:
            name, address = userid.format(second), sender.format(second)
            if records.throttle.wait_until(name, address) <= second:
                records.throttle.failed(name, address, second)
                guesses += 1
            second = max(second + 20, records.throttle.wait_until(name, address))

    assert guesses == most


def test_failures_are_forgotten_after_a_day(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        throttle = records.throttle
        for _ in range(5):
            throttle.failed("alice", SENDER, NOW)
        throttle.failed("alice", SENDER, NOW + MEMORY)
        after_a_day = throttle.wait_until("alice", SENDER)
        throttle.forget(NOW + 2 * MEMORY)
        kept = throttle.wait_until("alice", SENDER)

    assert (after_a_day, kept) == (NOW + MEMORY, 0)


def test_a_quota_is_used_up_and_comes_back(store: Store) -> None:
    twice = Quota("answers", 2, HOUR)
    start = NOW - NOW % HOUR
    with store.writing() as records:
        quotas = records.quotas
        used = [quotas.take(twice, "A@x.org", start + n) for n in range(3)]
        other = [quotas.take(twice, "b@x.org", start), quotas.take(COMMANDS, "a@x.org", start)]
        quotas.forget(start + 3 * DAY)
        later = quotas.take(twice, "a@x.org", start + HOUR)

    assert used == [True, True, False]
    assert other == [True, True]
    assert later


def test_a_reset_token_is_good_once_for_an_hour_and_one_player(store: Store) -> None:
    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        records.resets.add(alice.id, "token", NOW)
        records.resets.add(alice.id, "late", NOW)
        used = [
            records.resets.use(bob.id, "token", NOW),
            records.resets.use(alice.id, "TOKEN", NOW),
            records.resets.use(alice.id, "late", NOW + RESET_LIFE),
            records.resets.use(alice.id, "token", NOW + RESET_LIFE - 1),
            records.resets.use(alice.id, "token", NOW),
        ]

    assert used == [False, False, False, True, False]


def test_a_reset_token_that_is_stored_again_keeps_its_time(store: Store) -> None:
    with store.writing() as records:
        alice = add_player(records, "alice")
        records.resets.add(alice.id, "token", NOW)
        records.resets.add(alice.id, "token", NOW + RESET_LIFE)

        assert not records.resets.use(alice.id, "token", NOW + RESET_LIFE)


def test_a_used_reset_token_uses_up_those_beside_it(store: Store) -> None:
    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        for player in (alice, bob):
            records.resets.add(player.id, f"first of {player.userid}", NOW)
            records.resets.add(player.id, f"second of {player.userid}", NOW)

        assert records.resets.use(alice.id, "second of alice", NOW)
        assert not records.resets.use(alice.id, "first of alice", NOW)
        assert records.resets.use(bob.id, "first of bob", NOW)

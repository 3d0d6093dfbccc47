"""What wrong passwords cost, in seconds, and how long a token for a forgotten one is good."""

import pytest

from pbmserv.store.people.guesses import pause_after, wait_after, web_sender
from pbmserv.store.store import Store
from pbmserv.store.tables import reset
from tests.local_server import DAY

from .sample_rows import NOW, add_player

HOUR = 3600


def test_a_wait_doubles_from_a_minute_to_an_hour() -> None:
    waits = [wait_after(failures) for failures in (0, 4, 5, 6, 7, 10, 11, 12, 100)]
    of_all = [wait_after(failures, 200) for failures in (199, 200, 201, 300)]

    assert waits == [0, 0, 60, 120, 240, 1920, 3600, 3600, 3600]
    assert of_all == [0, 60, 120, 3600]


def test_a_pause_doubles_from_a_quarter_of_a_second_to_eight() -> None:
    pauses = [pause_after(failures) for failures in (0, 4, 5, 6, 9, 10, 11, 100)]

    assert pauses == [0, 0, 0.25, 0.5, 4, 8, 8, 8]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("count", "userid", "sender", "seconds"),
    [
        (4, "alice", "a@example.org", 0),
        (5, "alice", "a@example.org", 60),
        (6, "ALICE", "b@example.net", 120),
        (6, "bob", "a@example.org", 0),
        (19, "bob", "a@example.org", 0),
        (20, "bob", "c@EXAMPLE.org", 60),
        (20, "bob", "c@example.net", 0),
        (199, "bob", "c@example.net", 0),
        (200, "bob", "c@example.net", 60),
    ],
)
def test_wrong_passwords_count_for_a_player_for_a_domain_and_for_all(
    store: Store, count: int, userid: str, sender: str, seconds: int
) -> None:
    with store.writing() as records:
        for name in ("alice", "bob"):
            add_player(records, name)
        for _ in range(count):
            records.throttle.failed("alice", "a@example.org", NOW)
        until = records.throttle.wait_until(userid, sender)

    assert max(0, until - NOW) == seconds


def test_who_waits_for_a_player_is_told_until_they_need_not(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        for second in range(6):
            records.throttle.failed("Alice", "a@example.org", NOW + second)
        until = NOW + 5 + 120

        assert records.throttle.waits("ALICE", NOW) == {"": until}
        assert records.throttle.waits("alice", until - 1) == {"": until}
        assert records.throttle.waits("alice", until) == {}


def test_a_day_later_wrong_passwords_count_no_more(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        waits = []
        for late in (0, DAY - 1, 2 * DAY - 1):
            for _ in range(5):
                records.throttle.failed("alice", "a@example.org", NOW + late)
            waits.append(records.throttle.wait_until("alice", "a@example.org") - NOW - late)

    assert waits == [60, 1920, 60]


def test_a_shell_pauses_and_no_mail_waits(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        throttle = records.throttle
        for _ in range(6):
            throttle.failed_in_shell("alice", NOW)
            throttle.failed_in_shell("nobody", NOW)

        def pauses(now: int) -> list[float]:
            return [
                throttle.pause("Alice", now, is_known=True),
                throttle.pause("nobody", now, is_known=False),
                throttle.pause("bob", now, is_known=False),
            ]

        assert pauses(NOW + DAY - 1) == [0.5, 0.5, 0]
        assert pauses(NOW + DAY) == [0, 0, 0]
        assert throttle.wait_until("alice", "a@example.org") <= NOW
        throttle.passed_in_shell("alice")
        assert pauses(NOW) == [0, 0.5, 0]


@pytest.mark.parametrize(
    ("count", "userid", "net", "seconds"),
    [
        (4, "alice", "10.0.0.0/24", 0),
        (5, "ALICE", "10.0.0.0/24", 60),
        (6, "alice", "10.0.1.0/24", 0),
        (6, "bob", "10.0.0.0/24", 0),
        (6, "nobody", "10.0.0.0/24", 0),
        (20, "bob", "10.0.0.0/24", 60),
        (40, "bob", "10.0.0.0/24", 3600),
        (40, "alice", "10.0.1.0/24", 0),
    ],
)
def test_wrong_passwords_by_the_web_count_for_a_network(
    store: Store, count: int, userid: str, net: str, seconds: int
) -> None:
    with store.writing() as records:
        for name in ("alice", "bob"):
            add_player(records, name)
        throttle = records.throttle
        for _ in range(count):
            throttle.failed("Alice", web_sender("10.0.0.0/24"), NOW)

        assert throttle.seconds_to_wait(userid, web_sender(net), NOW) == seconds
        assert throttle.wait_until("alice", "a@example.org") == 0
        assert throttle.seconds_to_wait("alice", web_sender("", 7), NOW) == 0


def test_what_counts_no_more_is_forgotten(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        for _ in range(6):
            records.throttle.failed("alice", "a@example.org", NOW)
        records.throttle.forget(NOW + DAY - 1)

        assert records.throttle.wait_until("alice", "a@example.org") == NOW + 120
        records.throttle.forget(NOW + DAY)
        assert records.throttle.wait_until("alice", "a@example.org") == 0


def test_a_token_is_good_for_an_hour_for_its_player_and_once(store: Store) -> None:
    with store.writing() as records:
        alice, bob = (add_player(records, name).id for name in ("alice", "bob"))
        resets = records.resets
        for player, token in ((alice, "first"), (alice, "second"), (bob, "third")):
            resets.add(player, token, NOW)
        resets.add(alice, "first", NOW + HOUR)

        assert resets.is_good(alice, "first", NOW + HOUR - 1)
        assert not resets.is_good(alice, "first", NOW + HOUR)
        assert not resets.is_good(bob, "first", NOW)
        assert not resets.use(alice, "third", NOW)
        assert not resets.use(alice, "FIRST", NOW)
        assert not resets.use(alice, "first", NOW + HOUR)
        assert resets.use(alice, "first", NOW + HOUR - 1)
        assert not resets.use(alice, "first", NOW)
        assert not resets.is_good(alice, "second", NOW)
        assert resets.is_good(bob, "third", NOW)
        resets.cancel(bob)
        assert not resets.is_good(bob, "third", NOW)


def test_when_a_token_was_used_or_ended_is_kept_and_others_go_on(store: Store) -> None:
    with store.writing() as records:
        alice, bob = (add_player(records, name).id for name in ("alice", "bob"))
        for player, token in ((alice, "first"), (bob, "other"), (alice, "second")):
            records.resets.add(player, token, NOW)
        assert records.resets.use(alice, "first", NOW + 1)
        records.resets.add(alice, "third", NOW + 2)
        assert records.resets.use(alice, "third", NOW + 3)
        rows = records.connection.execute(reset.select().order_by(reset.c.id)).all()

    assert [(row.player_id, row.used_at) for row in rows] == [
        (alice, NOW + 1),
        (bob, None),
        (alice, NOW + 1),
        (alice, NOW + 3),
    ]

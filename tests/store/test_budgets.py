from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import sqlalchemy as sa

from pbmserv.engine.moments import DAY, MINUTE
from pbmserv.store.mail import budgets
from pbmserv.store.mail.budgets import BUDGETS, Budget, BudgetScope, Purpose, Requester, max_letters
from pbmserv.store.people.guesses import MEMORY, RESET_LIFE, wait_after
from pbmserv.store.store import Store
from pbmserv.store.tables import budget
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


SMALL = [row for row in BUDGETS if row.letters <= 100]


@pytest.mark.parametrize("row", SMALL, ids=lambda row: f"{row.kind.value}, {row.scope.value}")
@ONE_DATABASE
def test_each_budget_is_used_up_and_comes_back(
    store: Store, row: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "BUDGETS", (row,))
    alice = Requester("a@example.org", 1, "a net")
    with store.writing() as records:
        used = [records.budgets.allow(row.kind, alice, NOW) for _ in range(row.letters + 1)]
        later = [
            records.budgets.allow(row.kind, alice, NOW + row.window + second) for second in (-1, 0)
        ]

    assert used == [True] * row.letters + [False]
    assert later == [False, True]


@pytest.mark.parametrize("row", SMALL, ids=lambda row: f"{row.kind.value}, {row.scope.value}")
@ONE_DATABASE
def test_a_clock_that_goes_back_empties_no_budget_unless_it_was_far_off(
    store: Store, row: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "BUDGETS", (row,))
    alice = Requester("a@example.org", 1, "a net")
    with store.writing() as records:
        allow = records.budgets.allow
        used = [allow(row.kind, alice, NOW) for _ in range(row.letters)]
        back = [allow(row.kind, alice, NOW - seconds) for seconds in (1, row.window)]
        again = allow(row.kind, alice, NOW)
        far = allow(row.kind, alice, NOW - row.window - 1)

    assert all(used)
    assert [[False, False], False, True] == [back, again, far]


def test_bytes_are_counted_and_what_is_refused_uses_nothing_up(store: Store) -> None:
    player = Requester(player_id=1)
    (mine, *_) = [row for row in BUDGETS if row.kind is Purpose.ANSWER]
    with store.writing() as records:
        sizes = [mine.bytes - 10, 11, 10, 1, mine.bytes + 1]
        used = [records.budgets.allow(Purpose.ANSWER, player, NOW, size) for size in sizes]
        other = records.budgets.allow(Purpose.ANSWER, Requester(player_id=2), NOW, mine.bytes)

    assert used == [True, False, True, False, False]
    assert other


def test_a_flood_of_new_names_leaves_no_rows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in BUDGETS if row.kind is Purpose.WELCOME]
    few = [row._replace(letters=3) if row.scope is BudgetScope.UNVOUCHED else row for row in rows]
    monkeypatch.setattr(budgets, "BUDGETS", tuple(few))
    with store.writing() as records:
        used = [
            records.budgets.allow(
                Purpose.WELCOME, Requester(f"a@d{n}.example", net=f"net {n}"), NOW
            )
            for n in range(50)
        ]
        kept = records.connection.execute(sa.select(budget)).all()

    assert sum(used) == 3
    assert len(kept) == 3 * 3 + 3


def test_a_flood_of_one_kind_or_name_takes_nothing_from_others(store: Store) -> None:
    alice, bob = Requester("alice@example.org", 1), Requester("bob@example.org", 2)
    kinds = {row.kind for row in BUDGETS if row.scope is BudgetScope.PLAYER}
    with store.writing() as records:
        for _ in range(100):
            records.budgets.allow(Purpose.ANSWER, alice, NOW, 100)
        others = [records.budgets.allow(kind, alice, NOW) for kind in kinds - {Purpose.ANSWER}]
        vouched = records.budgets.allow(Purpose.ANSWER, alice._replace(is_vouched=True), NOW)
        told = [records.budgets.allow(Purpose.ANSWER, each, NOW) for each in (alice, bob)]

    assert all(others)
    assert vouched
    assert told == [False, True]


@pytest.mark.parametrize("jump", [-DAY // 2, -10 * DAY, -400 * DAY])
def test_a_clock_that_jumps_back_silences_nobody_for_long(store: Store, jump: int) -> None:
    alice, now = Requester("alice@example.org", 1), NOW + jump
    with store.writing() as records:
        for _ in range(2 * max_letters(Purpose.ANSWER)):
            records.budgets.allow(Purpose.ANSWER, alice, NOW)
        at_once = sum(records.budgets.allow(Purpose.ANSWER, alice, now + n) for n in range(100))
        later = [records.budgets.allow(Purpose.ANSWER, alice, now + 2 * DAY + n) for n in range(2)]

    assert at_once in {0, max_letters(Purpose.ANSWER)}
    assert all(later)


@pytest.mark.slow
def test_programs_that_race_use_no_more_than_there_is(database_url: str) -> None:
    alice = Requester("alice@example.org", 1)
    row = next(row for row in BUDGETS if row.kind is Purpose.ANSWER)

    def use(_: int) -> list[bool]:
        allowed = []
        with closing(Store.open(database_url)) as store:
            for _ in range(12):
                with store.writing() as records:
                    allowed.append(records.budgets.allow(Purpose.ANSWER, alice, NOW, 10))
        return allowed

    with ThreadPoolExecutor(6) as pool:
        allowed = [each for found in pool.map(use, range(6)) for each in found]
    with closing(Store.open(database_url)) as store, store.reading() as records:
        used = records.connection.execute(sa.select(budget.c.letters, budget.c.bytes)).all()

    assert sum(allowed) == row.letters < len(allowed)
    assert [tuple(each) for each in used] == [(row.letters, 10 * row.letters)] * 3


def test_what_counts_no_more_is_forgotten(store: Store) -> None:
    with store.writing() as records:
        records.budgets.allow(Purpose.ANSWER, Requester(player_id=1), NOW)
        records.budgets.allow(Purpose.PASSWORD, Requester(player_id=1), NOW)
        records.budgets.forget(NOW + MINUTE)
        kept = records.connection.execute(sa.select(budget.c.period)).scalars().all()
        records.budgets.forget(NOW + DAY)
        left = records.connection.execute(sa.select(budget)).all()

    assert set(kept) == {DAY}
    assert left == []


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

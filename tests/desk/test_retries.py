"""Transactions that meet others are tried again after a pause."""

import pytest

from pbmserv.desk.door import PAUSE, TRIES, Desk, TimeAndChance
from pbmserv.errors import Fault
from pbmserv.store.faults import known
from pbmserv.store.store import Store


def desk_that_pauses(pauses: list[float]) -> Desk:
    return Desk(_no_store, TimeAndChance(sleep=pauses.append))


def _no_store() -> Store:
    raise AssertionError("a transaction of the test's own needs no database")


def test_a_pause_of_random_length_comes_before_each_further_try() -> None:
    pauses: list[float] = []
    desk = desk_that_pauses(pauses)

    def conflict() -> None:
        raise known("database-conflict", "here")

    for _ in range(20):
        with pytest.raises(Fault):
            desk.with_retries(conflict)
    longest = [attempt * PAUSE for attempt in range(1, TRIES)]

    assert len(pauses) == 20 * len(longest)
    assert len(set(pauses)) > len(longest)
    assert all(0 <= p <= most for p, most in zip(pauses, longest * 20, strict=True))


def test_the_length_of_a_pause_is_the_worlds_chance() -> None:
    pauses: list[float] = []
    desk = Desk(_no_store, TimeAndChance(chance=lambda: 0.5, sleep=pauses.append))
    left = [known("database-conflict", "here")] * 2

    def transaction() -> str:
        if left:
            raise left.pop()
        return "done"

    assert desk.with_retries(transaction) == "done"
    assert pauses == [0.5 * PAUSE, 2 * 0.5 * PAUSE]


@pytest.mark.parametrize("failures", [0, 1, TRIES - 1])
def test_what_succeeds_in_the_end_is_returned(failures: int) -> None:
    pauses: list[float] = []
    left = [known("database-conflict", "here")] * failures

    def transaction() -> str:
        if left:
            raise left.pop()
        return "done"

    assert desk_that_pauses(pauses).with_retries(transaction) == "done"
    assert len(pauses) == failures


def test_what_will_not_get_better_is_not_tried_again() -> None:
    pauses: list[float] = []

    def broken() -> None:
        raise known("database-broken", "here")

    with pytest.raises(Fault):
        desk_that_pauses(pauses).with_retries(broken)

    assert pauses == []

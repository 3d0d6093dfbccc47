"""Transactions that meet others are tried again after a pause."""

import time

import pytest

from pbmserv.desk.door import PAUSE, TRIES, retried
from pbmserv.errors import Fault
from pbmserv.store.faults import known


def test_a_pause_of_random_length_comes_before_each_further_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    def conflict() -> None:
        raise known("database-conflict", "here")

    for _ in range(20):
        with pytest.raises(Fault):
            retried(conflict)
    longest = [attempt * PAUSE for attempt in range(1, TRIES)]

    assert len(pauses) == 20 * len(longest)
    assert len(set(pauses)) > len(longest)
    assert all(0 <= p <= most for p, most in zip(pauses, longest * 20, strict=True))


@pytest.mark.parametrize("failures", [0, 1, TRIES - 1])
def test_what_succeeds_in_the_end_is_returned(
    monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    left = [known("database-conflict", "here")] * failures

    def transaction() -> str:
        if left:
            raise left.pop()
        return "done"

    assert retried(transaction) == "done"
    assert len(pauses) == failures


def test_what_will_not_get_better_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    def broken() -> None:
        raise known("database-broken", "here")

    with pytest.raises(Fault):
        retried(broken)

    assert pauses == []

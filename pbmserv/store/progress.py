"""The progress of a long work, for the bar in a terminal, if there is one."""

from collections.abc import Callable
from contextvars import ContextVar

Watch = Callable[[int, int], object]
"""Told what is done of how much; a work of several parts begins anew with each."""

WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


def teller(total: Callable[[], int]) -> Callable[[int], object]:
    """Return what is told how much is done; ``total`` is asked only where somebody watches."""
    watch = WATCH.get()
    if watch is None:
        return lambda _: None
    whole = total()
    return lambda done: watch(done, whole)

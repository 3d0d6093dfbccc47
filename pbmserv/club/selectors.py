"""Selectors: the words that choose among the boards of a list, each declared in one row."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple


class Selector(NamedTuple):
    """Which boards a word chooses.

    By default running and ended ones; "waiting" are running ones at which a player is to move or to
    answer an offer. ``has`` is what else must be true or false of them, by the names of the truths
    that are stored of a match, or ``in_tournament``.
    """

    name: str
    state: Literal["any", "running", "waiting", "ended"] = "any"
    has: Mapping[str, bool] = MappingProxyType({})


SELECTORS = {
    selector.name: selector
    for selector in (
        Selector("all"),
        Selector("active", state="running"),
        Selector("inactive", state="ended"),
        Selector("next", state="waiting"),
        Selector("tournament", has={"in_tournament": True}),
        Selector("standard", has={"in_tournament": False}),
    )
}

CHOOSING = frozenset({*SELECTORS, "new", "anyone", "none"})
"""Words that choose among boards or players and so can be nobody's userid."""

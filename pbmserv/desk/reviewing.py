"""Looking back on a finished match: thought once, with no transaction open, and kept."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from pbmserv.club.match import Match
from pbmserv.computer.review import Look, Review, look_back, review_from, review_of
from pbmserv.errors import Fault
from pbmserv.store.store import Store

Progress = Callable[[Iterable[Look], int], Iterable[Look]]
"""Passes on the looks, of which there will be so many, and may tell how far they are."""


def review_match(
    store: Store, match: Match, *, threads: int = 1, progress: Progress | None = None
) -> Review:
    """Return the review of a finished match, which is kept; raises :class:`Refused`."""
    moves = [turn.text for turn in match.turns]
    with store.reading() as records:
        kept = records.reviews.find(match.id, match.revision)
    if kept is not None:
        return review_from(match.game, moves, kept)
    looks: Iterable[Look] = look_back(match.game, moves, threads=threads)
    looks = progress(looks, len(moves) + 1) if progress else looks
    found = review_of(match.game, moves, list(looks))
    # Whoever may only read the database, or during maintenance, sees it all the same.
    with suppress(Fault), store.writing() as records:
        records.reviews.keep(match.id, match.revision, found.document)
    return found

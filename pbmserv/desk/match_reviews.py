"""Looking back on a finished match: thought once, with no transaction open, and kept."""

from contextlib import suppress
from typing import Any

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.club.match import Match
from pbmserv.club.written_text import QUOTABLE
from pbmserv.computer.review import Review, analyse_positions, load_review, review_lines, review_of
from pbmserv.computer.search import is_compiled
from pbmserv.engine.record import Record
from pbmserv.errors import Fault
from pbmserv.store.progress import teller
from pbmserv.store.store import Store

ABOUT_BOARDS = {LetterKind.BOARD, LetterKind.WATCHED}
MIN_MOVES = 4
"""A game of fewer moves has nothing to be analysed."""


def analysis_words(store: Store, letter: Letter) -> str:
    """Return where a game turned, for the letter that tells its end; nothing for any other.

    Nothing either where the search is not compiled: no letter may wait for minutes.
    """
    if not is_compiled():
        return ""
    is_of_end = letter.diagram is not None and letter.diagram.shows_owners
    if not is_of_end or letter.kind not in ABOUT_BOARDS or letter.match_id is None:
        return ""
    with store.reading() as records:
        match = records.matches.get(letter.match_id)
    if match is None or match.outcome is None or match.ply < MIN_MOVES:
        return ""
    names = {side: seat.userid for side, seat in match.seats.items()}
    words = review_lines(review_match(store, match), names, QUOTABLE)
    return "\n".join(["Analysis by the computer", *words])


def review_match(
    store: Store, match: Match, *, seconds: float | None = None, threads: int = 1
) -> Review:
    """Return the review of a finished match, which is kept; raises :class:`Refused`.

    It is made anew if so many ``seconds`` are to be thought about each moment.
    """
    with store.reading() as records:
        kept = records.reviews.find(match.id, match.revision)
    is_whole = kept is not None and "proven_at" in kept  # earlier versions asked no proof
    if kept is not None and is_whole and seconds is None:
        return load_review(match.record, kept)
    found = review_record(match.record, seconds=seconds, threads=threads)
    # Whoever may only read the database, or during maintenance, sees it all the same.
    with suppress(Fault), store.writing() as records:
        records.reviews.keep(match.id, match.revision, found.document)
    return found


def review_record(record: Record[Any], *, seconds: float | None = None, threads: int = 1) -> Review:
    """Return the review of a finished game, reporting its progress."""
    tell, looks = teller(lambda: record.ply + 1), []
    for look in analyse_positions(record, seconds=seconds, threads=threads):
        looks.append(look)
        tell(len(looks))
    return review_of(record, looks, seconds=seconds)

"""Game records: boards as text to take away, and finished games to keep here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

from pbmserv.club.match import Match
from pbmserv.club.player import Player
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.slots import BOARD, slot
from pbmserv.commands.types import OptionalLogin, parse_match_number
from pbmserv.engine.moments import format_moment
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import format_records
from pbmserv.render.document import Document, around_document, view_document
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.game_import import require_own, store_records
from pbmserv.services.lookup import around, find_match
from pbmserv.services.session import ReadSession, WriteSession


@command()
def export(
    session: ReadSession,
    game: GameType,
    numbers: Annotated[tuple[int, ...], Word(slot(BOARD, many=True), parse_match_number)],
) -> Answer:
    """Print the records of boards: players, result and every move, as text.

    Several records follow one another, as import reads them. See help records.
    """
    matches = [find_match(session, game, number) for number in dict.fromkeys(numbers)]
    text = format_records(map(record_of, matches))
    return Answer((text.rstrip("\n"),), {"record": text})


@command()
def import_(
    session: WriteSession,
    game: GameType,
    player: Annotated[Player | None, OptionalLogin()] = None,
) -> Answer:
    """Store finished games from their records, read from standard input; they are unrated.

    There may be several records, one after another; all of them are stored or none. A game of
    somebody who has an account here must be signed by one of its players. Players without an
    account are kept by name and can sign up later.
    """
    matches = store_records(
        session, game, require_free_word, lambda match: require_own(session, match, player)
    )
    return imported(session, matches)


def imported(session: WriteSession, matches: Sequence[Match]) -> Answer:
    """Return the answer to whoever has had finished games stored."""
    facts = [_facts(session, match) for match in matches]
    if len(matches) == 1:
        blocks = view_blocks(view_match(matches[0]))
        return Answer((f"Imported as {matches[0].title}.", *blocks), facts[0])
    lines = [f"Imported {len(matches)} games.", *(match.result for match in matches)]
    return Answer(
        ("\n".join(lines),), lambda: {"matches": [make() for make in facts], "more": False}
    )


def _facts(session: WriteSession, match: Match) -> Callable[[], Document]:
    """Return what makes the document of a match if a program asks for it."""
    view, beside = view_match(match), around(session, match, timing=None)
    return lambda: {**view_document(view), **around_document(beside)}


def record_of(match: Match) -> Record[str]:
    """Return the record of a match from its original seats; raises Fault for a damaged one."""
    players = (match.first, match.second)
    return replace(
        match.record.between(*(seat.userid for seat in players)),
        board=str(match.number),
        started=format_moment(match.started_at),
        finished="" if match.is_running else format_moment(match.changed_at),
        computer=" ".join(seat.userid for seat in players if seat.is_robot),
    )

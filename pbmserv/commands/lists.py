"""Boards in tables, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.club.selectors import SELECTORS
from pbmserv.club.wording import left_words
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import GameType, parse_game_name
from pbmserv.commands.match_answers import summary_table
from pbmserv.commands.slots import GAME, USERID, maybe, one_way
from pbmserv.commands.targets import Target, choose_boards, parse_target, player_ids
from pbmserv.commands.types import Userid, Userids, parse_whole_number
from pbmserv.engine.moments import DAY, utc_date
from pbmserv.engine.position import Side
from pbmserv.errors import Misunderstood, invalid_value
from pbmserv.render.blocks import Block, Table
from pbmserv.render.document import summary_document
from pbmserv.services.match_clock import deadlines
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.club.clock import Deadline
    from pbmserv.club.match import MatchSummary

MAX_BOARDS = 200


def _check_targets(targets: tuple[Target, ...]) -> None:
    """Raise :class:`Misunderstood` unless the words choose boards."""
    choose_boards(targets, "all")


def _parse_limit(text: str) -> int:
    return most_rows(parse_whole_number(text))


Limit = Annotated[int | None, Option("N", "show at most N lines", _parse_limit)]


IN_EVERY_GAME = ("next", "active")
"""Words that select among a player's boards in every game."""


def _parse_selector(text: str) -> str:
    if text.lower() not in IN_EVERY_GAME:
        raise Misunderstood(
            f"Not a valid selector ({' or '.join(IN_EVERY_GAME)}).", code="bad-selector", about=text
        )
    return text.lower()


Targets = Word(one_way(maybe(USERID, many=True), maybe(*SELECTORS)), parse_target)


@command(check=_check_targets)
def games(
    session: ReadSession,
    game: GameType,
    targets: Annotated[tuple[Target, ...], Targets] = (),
    *,
    limit: Limit = None,
) -> Answer:
    """List boards in a table: board, moves, players, whose turn or the result, time left.

    With next, only boards where it is a player's turn or an offer waits for their answer. The board
    with the least time left comes first.
    """
    return _table(session, game.name, choose_boards(targets, "all"), limit)


@command()
def show_all(
    session: ReadSession,
    userid: Userid,
    selector: Annotated[str | None, Word(maybe(*IN_EVERY_GAME), _parse_selector)] = None,
    *,
    limit: Limit = None,
) -> Answer:
    """List a player's boards in every game; with next, only those that wait for them.

    A board waits for a player if it is their turn or an offer waits for their answer. The board
    with the least time left comes first.
    """
    return _table(session, None, ([userid], selector or "all"), limit)


@command()
def list_boards(
    session: ReadSession,
    games: Annotated[tuple[str, ...], Word(maybe(GAME, many=True), parse_game_name)] = (),
    *,
    limit: Limit = None,
) -> Answer:
    """List running and recently finished boards, of all or some games, and who seeks opponents."""
    from pbmserv.commands.willingness import seek_documents, seek_table

    most = most_rows(limit)
    found = session.records.matches.recent(games, since=session.now - RECENT, limit=most + 1)
    answer = _table_answer(session, found, most, with_game=True)
    seeks = session.records.people.seeks(games)
    blocks = (*answer.blocks, seek_table(seeks, "")) if seeks else answer.blocks
    return Answer(blocks, {**answer.document, "seeks": seek_documents(seeks)})


NEVER = float("inf")
"""A board without a clock comes behind all that have a deadline."""

RECENT = 30 * DAY
"""How long ago, in seconds, a board still counts as recently finished."""


@command()
def history(
    session: ReadSession, game: GameType, userids: Userids = (), *, limit: Limit = None
) -> Answer:
    """List finished boards: date, board, winner, points, players.

    Who made the games, and when, is on another page: pbmserv help history.
    """
    most = most_rows(limit)
    found = session.records.matches.summaries(
        game.name, player_ids(session, userids, ()), selector="inactive", limit=most + 1
    )
    kept = found[:most]
    rows = tuple(_history_row(summary) for summary in kept)
    heads = ("date", "board", "winner", "points", "X", "O")
    blocks: list[Block] = [Table(heads, rows, right=(1,), empty="No finished boards.")]
    if len(found) > most:
        blocks.append(f"... and more; -limit=N lists more than {most}.")
    return Answer(
        tuple(blocks), _document([(summary, None) for summary in kept], has_more=len(found) > most)
    )


def _table(
    session: ReadSession, game: str | None, chosen: tuple[list[str], str], limit: int | None
) -> Answer:
    userids, selector = chosen
    most = most_rows(limit)
    waits = SELECTORS[selector].state == "waiting"
    found = session.records.matches.summaries(
        game, player_ids(session, userids), selector=selector, limit=None if waits else most + 1
    )
    if waits:
        due = deadlines(session, found)
        found.sort(key=lambda summary: due[summary.id].at if summary.id in due else NEVER)
    return _table_answer(session, found, most, with_game=game is None)


def _table_answer(
    session: ReadSession, found: Sequence[MatchSummary], most: int, *, with_game: bool
) -> Answer:
    kept = found[:most]
    has_more = len(found) > most
    due = deadlines(session, kept)
    left = {match_id: left_words(due[match_id], session.now) for match_id in due}
    blocks: list[Block] = [summary_table(kept, with_game=with_game, left=left)]
    if has_more:
        blocks.append(f"... and more; -limit=N lists more than {most}.")
    rows = tuple((summary, due.get(summary.id)) for summary in kept)
    return Answer(tuple(blocks), _document(rows, has_more=has_more), summaries=rows)


def _document(
    rows: Iterable[tuple[MatchSummary, Deadline | None]], *, has_more: bool
) -> dict[str, Any]:
    return {"matches": [summary_document(*row) for row in rows], "more": has_more}


def most_rows(limit: int | None) -> int:
    """Return how many lines a table may have; raises :class:`Misunderstood` for less than one."""
    if limit is None:
        return MAX_BOARDS
    if limit < 1:
        raise invalid_value("limit", str(limit), "1 or more")
    return limit


def _history_row(summary: MatchSummary) -> tuple[str, ...]:
    winner = summary.seats[summary.winner].name if summary.winner else summary.status.value
    points = summary.points
    return (
        utc_date(summary.changed_at),
        str(summary.number),
        winner,
        f"{points[Side.X]}-{points[Side.O]}" if points else "",
        summary.seats[Side.X].name,
        summary.seats[Side.O].name,
    )

"""Finding boards and players, and the answers that several commands give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.events import describe
from pbmserv.club.player import Player, PlayerStatus
from pbmserv.engine.position import Side
from pbmserv.errors import NotFound
from pbmserv.render.blocks import Block, Table
from pbmserv.render.document import view_document
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import view_blocks, view_match
from pbmserv.services.match_details import around
from pbmserv.services.session import Answer, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.match import Match, MatchSummary
    from pbmserv.services.match_changes import Kept

ROUNDS_AFTER_A_MOVE = 4


def no_such_board(title: str, number: int) -> NotFound:
    """Return the error for a number that no board of the game has."""
    return NotFound(f"There is no {title} Board {number}.", code="no-such-board")


def find_board(session: Session, number: int, *, lock: bool = False) -> Match:
    """Return the board of the session's game; raises :class:`NotFound`."""
    match = session.records.matches.find(session.game.name, number, lock=lock)
    if match is None:
        raise no_such_board(session.game.title, number)
    return match


def find_player(session: Session, userid: str) -> Player:
    """Return the player so called, closed accounts included; raises :class:`NotFound`."""
    player = session.records.players.find(userid)
    if player is None:
        raise NotFound(
            "There is no such player.",
            code="no-such-player",
            hint="New players sign up with: pbmserv signup USERID PASSWORD",
            about=userid,
        )
    return player


def find_opponent(session: Session, userid: str) -> Player:
    """Return a player who can take part in a new game; raises :class:`NotFound`."""
    player = find_player(session, userid)
    if player.status is not PlayerStatus.ACTIVE:
        raise NotFound(f"{player.userid} has no open account.", code="no-such-player")
    return player


def changed_answer(session: Session, kept: Kept) -> Answer:
    """Return the answer to an accepted change: what happened and how the board stands now."""
    match = kept.match
    view = view_match(match)
    beside = around(session, match, kept.timing)
    is_over = not match.is_running
    told = "\n".join(describe(event) for event in (*kept.events, *kept.asides))
    blocks: list[Block] = [told] if told else []
    if not match.is_removed:
        blocks += view_blocks(view, rounds=None if is_over else ROUNDS_AFTER_A_MOVE)
        blocks += ["\n".join(beside.lines)] if beside.lines else []
    if is_over and not match.is_removed:
        score = match.game.score(match.position)
        blocks.append("\n".join(["Score sheet", *sheet_lines(match.game, score, is_over=True)]))
    return Answer(tuple(blocks), {**view_document(view), **beside.document})


def summary_table(summaries: Sequence[MatchSummary], *, with_game: bool) -> Table:
    """Return a table of matches, one line each."""
    rows = []
    for summary in summaries:
        row = (
            str(summary.number),
            str(summary.ply),
            summary.seats[Side.X].userid,
            summary.seats[Side.O].userid,
            state_words(summary),
        )
        rows.append((summary.game, *row) if with_game else row)
    heads = ("board", "moves", "X", "O", "turn or result")
    if with_game:
        return Table(("game", *heads), tuple(rows), right=(1, 2), empty="No boards.")
    return Table(heads, tuple(rows), right=(0, 1), empty="No boards.")


def state_words(summary: MatchSummary) -> str:
    """Return whose turn it is or how the match ended, in a few words."""
    if summary.next_seat is not None and summary.to_move is not None:
        return f"{summary.next_seat.userid} ({summary.to_move.value}) to move"
    if summary.winner is None:
        return "removed" if summary.status.value == "removed" else f"draw ({summary.reason})"
    winner = summary.seats[summary.winner].userid
    points = summary.points
    score = f" {points[Side.X]}-{points[Side.O]}" if points else ""
    return f"{winner} ({summary.winner.value}) won{score} ({summary.reason})"

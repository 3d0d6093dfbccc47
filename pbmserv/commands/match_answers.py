"""The answers that several commands give about matches."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pbmserv.club.events import describe
from pbmserv.club.wording import other_lines
from pbmserv.commands.answer import Answer
from pbmserv.engine.moments import lines_of
from pbmserv.engine.position import Side
from pbmserv.engine.score import UNPLAYED, Outcome, Reason
from pbmserv.render.blocks import Block, Table
from pbmserv.render.document import around_document, view_document
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import score_words, view_blocks, view_match
from pbmserv.services.lookup import context_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.match import MatchSummary
    from pbmserv.club.player import Player
    from pbmserv.services.match_changes import SavedChange
    from pbmserv.services.session import ReadSession

ROUNDS_AFTER_A_MOVE = 4


def changed_answer(session: ReadSession, kept: SavedChange) -> Answer:
    """Return the answer to an accepted change: what happened and how the match stands now."""
    beside = context_of(session, kept.match, kept.timing)
    return Answer(
        partial(_changed_blocks, kept, other_lines(beside), session.signer),
        lambda: {**view_document(view_match(kept.match)), **around_document(beside)},
    )


def _changed_blocks(
    kept: SavedChange, beside: Sequence[str], by: Player | None
) -> tuple[Block, ...]:
    match = kept.match
    told = "\n".join(describe(event) for event in (*kept.events, *kept.asides))
    blocks: list[Block] = [told] if told else []
    if match.is_removed:
        return tuple(blocks)
    view = view_match(match, reader=by.id if by else None)
    blocks += view_blocks(view, rounds=ROUNDS_AFTER_A_MOVE if match.is_running else None)
    blocks += [lines_of(beside)] if beside else []
    if not match.is_running:
        sheet = sheet_lines(match.game, view.score, score_words(view, view.score))
        blocks.append("\n".join(["Score sheet", *sheet]))
    return tuple(blocks)


def summary_table(
    summaries: Sequence[MatchSummary],
    *,
    with_game: bool,
    left: Mapping[int, str] = MappingProxyType({}),
) -> Table:
    """Return a table of matches, one line each; ``left`` is the time for the turn, by match."""
    rows = []
    for summary in summaries:
        row = (
            str(summary.number),
            str(summary.ply),
            summary.seats[Side.X].name,
            summary.seats[Side.O].name,
            state_words(summary),
            left.get(summary.id, ""),
        )
        rows.append((summary.game, *row) if with_game else row)
    heads = ("board", "moves", "X", "O", "turn or result", "time left")
    if with_game:
        return Table(("game", *heads), tuple(rows), right=(1, 2), empty="No boards.")
    return Table(heads, tuple(rows), right=(0, 1), empty="No boards.")


def state_words(summary: MatchSummary) -> str:
    """Return whose turn it is or how the match ended, in a few words."""
    if summary.next_seat is not None and summary.to_move is not None:
        turn = f"{summary.next_seat.name} ({summary.to_move.value}) to move"
        return (
            f"{turn}, offer to {summary.offer_recipient.name}" if summary.offer_recipient else turn
        )
    reason = Reason((summary.reason or "").partition(" ")[0])
    if reason in UNPLAYED:
        return reason.words
    end = Outcome(summary.winner, reason)
    victory = f"{summary.seats[end.winner].name} ({end.winner}) wins" if end.winner else ""
    return end.clause(victory, "", summary.points, reason.words)

"""Looking: boards, tables of boards, replays, and moves tried on a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pbmserv.commands.grammar import command
from pbmserv.commands.pictures import PICTURE_OPTIONS, write_pictures
from pbmserv.commands.selectors import Target, choose_boards, parse_target, player_ids
from pbmserv.commands.types import (
    PASSWORD,
    USERID,
    BoardRef,
    Word,
    argument,
    arguments,
    parse_board_and_ply,
    parse_whole_number,
)
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block
from pbmserv.render.document import Document, view_document
from pbmserv.render.view import (
    View,
    view_blocks,
    view_match,
)
from pbmserv.services.lookup import find_board
from pbmserv.services.match_details import look_around, plan_words
from pbmserv.services.session import Access, Answer, Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.match import Match
    from pbmserv.services.match_details import Around

MOST_PICTURES = 20


def _check_targets(_: object, params: Mapping[str, Any]) -> None:
    """Raise :class:`Misunderstood` unless the words are boards, or choose some."""
    targets = params["targets"]
    boards = [target for target in targets if isinstance(target, BoardRef)]
    if boards and len(boards) == len(targets):
        return
    if boards:
        raise Misunderstood(
            "Boards and players cannot be mixed in one command.", code="mixed-words"
        )
    # Who is shown his own boards (showas) has named himself.
    userid = params.get("userid")
    userids, _selector = choose_boards(targets if userid is None else (userid, *targets), "active")
    if not userids:
        raise Misunderstood("Say whose boards.", code="missing-word", hint="As in: show alice next")


@command(
    arguments(
        "targets",
        "BOARD[#N]... | USERID... [all|active|inactive|next]",
        Word(parse_target),
        least=1,
    ),
    *PICTURE_OPTIONS,
    access=Access.LOOK,
    check=_check_targets,
)
def show(
    session: Session, targets: tuple[Target, ...], *, force: bool, **files: str | None
) -> Answer:
    """Show boards by number, or those of players; 101#7 is the board after seven moves.

    A negative number counts back from now. For players, next chooses the boards where it is
    their turn, active the running ones (as without a selector), inactive the finished ones.
    In the shell --svg, --png and --html write the picture of one board into a file.
    """
    boards, more = _boards(session, targets)
    return write_pictures(session, _answer(boards, targets, more), files, overwrite=force)


@command(
    USERID,
    PASSWORD,
    arguments("targets", "[BOARD[#N]... | all|active|inactive|next]", Word(parse_target)),
    access=Access.LOOK,
    check=_check_targets,
)
def showas(session: Session, targets: tuple[Target, ...]) -> Answer:
    """Show boards as you see them: with the move that you submitted, and with your plan."""
    player = session.player
    if not any(isinstance(target, BoardRef) for target in targets):
        targets = (player.userid, *targets)
    boards, more = _boards(session, targets)
    answer = _answer(boards, targets, more)
    submitted: dict[str, str] = {}
    plans: dict[str, str] = {}
    lines = []
    for match in {shown.match.number: shown.match for shown in boards}.values():
        number = str(match.number)
        if (text := match.submissions.get(player.id)) is not None:
            submitted[number] = text
            lines.append(f"Board {number}: you have submitted {text}.")
        for plan in session.records.plans.of(match.id):
            if plan.player_id == player.id:
                lines.append(f"Board {number}: {plan_words(plan)}")
                plans |= {number: plan.text} if plan.dropped is None else {}
    blocks = (*answer.blocks, "\n".join(lines)) if lines else answer.blocks
    return Answer(blocks, {**answer.document, "submitted": submitted, "plans": plans})


@command(
    argument("board", "BOARD", Word(parse_board_and_ply)),
    lambda: click.Argument(["ply"], type=Word(parse_whole_number), required=False, metavar="[N]"),
    access=Access.LOOK,
)
def replay(session: Session, board: BoardRef, ply: int | None) -> Answer:
    """List the moves of a board and show it as it was after N of them, or as it is."""
    shown = _look(session, board.number, board.ply if ply is None else ply)
    return Answer(tuple(_blocks(shown)), _document(shown))


class Shown(NamedTuple):
    """A board at a moment, with what belongs to it beside its moves if that moment is now."""

    match: Match
    view: View
    beside: Around | None


def _look(session: Session, number: int, ply: int | None = None) -> Shown:
    match = find_board(session, number)
    view = view_match(match, ply)
    is_now = len(view.moves) == match.ply
    return Shown(match, view, look_around(session, match) if is_now else None)


def _blocks(shown: Shown) -> list[Block]:
    blocks = view_blocks(shown.view)
    if shown.beside is not None:
        lines = [*filter(None, [shown.beside.time_line]), *shown.beside.lines]
        blocks += ["\n".join(lines)] if lines else []
    return blocks


def _document(shown: Shown) -> Document:
    beside = shown.beside.document if shown.beside is not None else {}
    return {**view_document(shown.view), **beside}


def _boards(session: Session, targets: Sequence[Target]) -> tuple[list[Shown], bool]:
    """Return the boards that the words choose, and whether there are more of them."""
    boards = [target for target in targets if isinstance(target, BoardRef)]
    if len(boards) == len(targets):
        return [_look(session, b.number, b.ply) for b in boards], False
    userids, selector = choose_boards(targets, "active")
    found = session.records.matches.summaries(
        session.game.name, player_ids(session, userids), selector=selector, limit=MOST_PICTURES + 1
    )
    return [_look(session, s.number) for s in found[:MOST_PICTURES]], len(found) > MOST_PICTURES


def _answer(boards: Sequence[Shown], targets: Sequence[Target], more: bool) -> Answer:  # noqa: FBT001
    blocks: list[Block] = [block for shown in boards for block in _blocks(shown)]
    if not boards:
        blocks.append("No boards.")
    if more:
        blocks.append(f"... and more; games lists them all, {MOST_PICTURES} are shown.")
    if len(targets) == 1 and isinstance(targets[0], BoardRef):
        return Answer(tuple(blocks), _document(boards[0]))
    return Answer(tuple(blocks), {"matches": [_document(shown) for shown in boards], "more": more})

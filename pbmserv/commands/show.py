"""Looking: boards, tables of boards, replays, and moves tried on a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType, join_cells
from pbmserv.commands.messages import said_blocks, said_documents
from pbmserv.commands.pictures import PictureOptions, finish_pictures
from pbmserv.commands.preview import try_moves
from pbmserv.commands.selectors import Target, choose_boards, parse_target, player_ids
from pbmserv.commands.types import (
    BoardRef,
    SignedPlayer,
    parse_board_and_ply,
    parse_whole_number,
)
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block
from pbmserv.render.document import Document, view_document
from pbmserv.render.view import View, view_blocks, view_match
from pbmserv.services.lookup import find_match
from pbmserv.services.match_details import look_around, plan_words
from pbmserv.services.remarks import hearers_of
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.match import Match
    from pbmserv.engine.game import Game
    from pbmserv.services.match_details import Around
    from pbmserv.store.talk import Said

MOST_PICTURES = 20
LAST_REMARKS = 3


def _check_targets(targets: tuple[Target, ...]) -> None:
    """Raise :class:`Misunderstood` unless the words are boards, or userids that choose some."""
    if _are_boards(targets):
        return
    userids, _selector = choose_boards(targets, "active")
    if not userids:
        raise Misunderstood(
            "Missing argument: USERID.",
            code="missing-word",
            hint="Say whose boards, as in: show alice next",
        )


def _check_own_targets(targets: tuple[Target, ...]) -> None:
    """Raise :class:`Misunderstood` unless the words are boards, or choose some of the signer's."""
    if not _are_boards(targets):
        choose_boards(("me", *targets), "active")


def _are_boards(targets: Sequence[Target]) -> bool:
    """Tell whether all words are boards; raises :class:`Misunderstood` if only some are."""
    boards = [target for target in targets if isinstance(target, BoardRef)]
    if boards and len(boards) < len(targets):
        raise Misunderstood(
            "Boards and players cannot be mixed in one command.",
            code="mixed-words",
            about=next(target for target in targets if isinstance(target, str)),
        )
    return bool(boards)


ShowTargets = Word(
    "BOARD[#N]... | USERID... [all|active|inactive|next|tournament|standard]", parse_target
)
OwnTargets = Word("[BOARD[#N]... | all|active|inactive|next|tournament|standard]", parse_target)


@command(check=_check_targets)
def show(
    session: ReadSession,
    game: GameType,
    targets: Annotated[tuple[Target, ...], ShowTargets],
    *,
    picture: PictureOptions,
) -> Answer:
    """Show boards by number, or those of players; 101#7 is the board after seven moves.

    A negative number counts back from now. For players, next chooses the boards where it is
    their turn, active the running ones (as without a selector), inactive the finished ones.
    With --owners the boards show who owns what, as they do at the end of a game. In the shell
    --svg, --png and --html write the picture of one board into a file.
    """
    boards, more = _boards(session, game, targets)
    return finish_pictures(session, _answer(boards, targets, more), picture)


@command(check=_check_own_targets)
def showas(
    session: ReadSession,
    game: GameType,
    player: SignedPlayer,
    targets: Annotated[tuple[Target, ...], OwnTargets] = (),
) -> Answer:
    """Show boards as you see them: with the move that you submitted, and with your plan."""
    if not any(isinstance(target, BoardRef) for target in targets):
        targets = (player.userid, *targets)
    boards, more = _boards(session, game, targets)
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
    told = {"submitted": submitted, "plans": plans}
    return Answer(blocks, lambda: {**answer.document, **told})


@command()
def replay(
    session: ReadSession,
    game: GameType,
    moment: Annotated[BoardRef, Word("BOARD", parse_board_and_ply)],
    ply: Annotated[int | None, Word("[N]", parse_whole_number)] = None,
    moves: Annotated[tuple[str, ...], Word("[MOVE]...")] = (),
) -> Answer:
    """List the moves of a board and show it as it was after N of them, or as it is now.

    Moves after the number are tried from there, as with preview.
    """
    if moves:
        match = find_match(session, game, moment.number)
        return try_moves(view_match(match, ply), join_cells(moves))
    shown = _look(session, game, moment.number, moment.ply if ply is None else ply)
    return Answer(tuple(_blocks(shown)), lambda: _document(shown))


class Shown(NamedTuple):
    """A board at a moment, with what belongs to it beside its moves if that moment is now."""

    match: Match
    view: View
    beside: Around | None
    said: list[Said] | None
    """What was said last, for those alone who play or watch and are signed in."""


def _look(session: ReadSession, game: type[Game], number: int, ply: int | None = None) -> Shown:
    match = find_match(session, game, number)
    view = view_match(match, ply)
    is_now = len(view.moves) == match.ply
    if not is_now:
        return Shown(match, view, None, None)
    viewer = session.viewer
    hears = viewer is not None and viewer.id in hearers_of(session, match)
    said = session.records.talk.said(match.id, LAST_REMARKS) if hears else None
    return Shown(match, view, look_around(session, match), said)


def _blocks(shown: Shown) -> list[Block]:
    blocks = view_blocks(shown.view)
    if shown.beside is not None:
        lines = [*filter(None, [shown.beside.time_line]), *shown.beside.lines]
        blocks += ["\n".join(lines)] if lines else []
    return [*blocks, *said_blocks(shown.said)] if shown.said else blocks


def _document(shown: Shown) -> Document:
    beside = shown.beside.document if shown.beside is not None else {}
    remarks = None if shown.said is None else said_documents(shown.said)
    return {**view_document(shown.view), **beside, "remarks": remarks}


def _boards(
    session: ReadSession, game: type[Game], targets: Sequence[Target]
) -> tuple[list[Shown], bool]:
    """Return the boards that the words choose, and whether there are more of them."""
    boards = [target for target in targets if isinstance(target, BoardRef)]
    if len(boards) == len(targets):
        return [_look(session, game, b.number, b.ply) for b in boards], False
    userids, selector = choose_boards(targets, "active")
    found = session.records.matches.summaries(
        game.name, player_ids(session, userids), selector=selector, limit=MOST_PICTURES + 1
    )
    return [_look(session, game, s.number) for s in found[:MOST_PICTURES]], len(
        found
    ) > MOST_PICTURES


def _answer(boards: Sequence[Shown], targets: Sequence[Target], more: bool) -> Answer:  # noqa: FBT001
    blocks: list[Block] = [block for shown in boards for block in _blocks(shown)]
    if not boards:
        blocks.append("No boards.")
    if more:
        blocks.append(f"... and more; games lists them all, {MOST_PICTURES} are shown.")
    if len(targets) == 1 and isinstance(targets[0], BoardRef):
        return Answer(tuple(blocks), lambda: _document(boards[0]))
    return Answer(
        tuple(blocks), lambda: {"matches": [_document(shown) for shown in boards], "more": more}
    )

"""Looking: boards, tables of boards, replays, and moves tried on a copy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pbmserv.club.selectors import SELECTORS
from pbmserv.club.wording import MatchContext, left_words, other_lines, time_lines
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import GameType, join_cells
from pbmserv.commands.messages import said_blocks, said_documents
from pbmserv.commands.pictures import PictureOptions, finish_pictures
from pbmserv.commands.preview import try_moves
from pbmserv.commands.slots import BOARD, BOARD_THEN, MOVE, USERID, N, Ways, maybe, slot
from pbmserv.commands.targets import Target, choose_boards, parse_target, player_ids
from pbmserv.commands.types import BoardRef, SignedPlayer, parse_board_and_ply, parse_whole_number
from pbmserv.engine.moments import lines_of
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block
from pbmserv.render.document import Document, around_document, view_document
from pbmserv.render.view import View, view_blocks, view_match
from pbmserv.services.lookup import find_match, load_context
from pbmserv.services.remarks import audience_of
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.match import Match
    from pbmserv.engine.game import Game
    from pbmserv.store.matches.plans_and_reviews import StoredPlan
    from pbmserv.store.people.talk import ChatLine

MAX_PICTURES = 20
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
            hint="Name the player, as in: show alice next",
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
    Ways(((slot(BOARD_THEN, many=True),), (slot(USERID, many=True), maybe(*SELECTORS)))),
    parse_target,
)
OwnTargets = Word(
    Ways(((slot(BOARD_THEN, many=True),), (slot(*SELECTORS),)), is_optional=True), parse_target
)


@command(check=_check_targets)
def show(
    session: ReadSession,
    game: GameType,
    targets: Annotated[tuple[Target, ...], ShowTargets],
    *,
    picture: PictureOptions,
) -> Answer:
    """Show boards by number, or those of players; 101#7 is the board after seven moves.

    A negative number counts back from now. For players, next chooses the boards where it is their
    turn or an offer waits for their answer. active chooses running boards (as without a selector),
    inactive finished ones. With --owners the boards show who owns what, as they do at the end of a
    game.

    In a shell, --svg, --png, --html and --pdf write the picture of one board to a file. With
    --poster it is an A4 sheet with the numbers of the turns, with --blank one to play on.
    """
    boards, more = _boards(session, game, targets)
    return finish_pictures(session, _answer(boards, targets, more=more), picture)


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
    answer = _answer(boards, targets, more=more)
    submitted: dict[str, str] = {}
    plans: dict[str, str] = {}
    own: dict[int, list[str]] = {}
    for match in {shown.match.number: shown.match for shown in boards}.values():
        number, lines = str(match.number), own.setdefault(match.number, [])
        if (text := match.submissions.get(player.id)) is not None:
            submitted[number] = text
            lines.append(f"You have submitted {text}.")
        for plan in session.records.plans.of(match.id):
            if plan.player_id == player.id:
                lines.append(_plan_words(plan))
                plans |= {number: plan.text} if plan.dropped is None else {}
    told = [
        f"Board {number}: {line[0].lower()}{line[1:]}" for number in own for line in own[number]
    ]
    blocks = (*answer.blocks, "\n".join(told)) if told else answer.blocks
    views = tuple(_seen(shown, player.id, own[shown.match.number]) for shown in boards)
    facts = {"submitted": submitted, "plans": plans}
    return Answer(blocks, lambda: {**answer.document, **facts}, views=views)


def _plan_words(plan: StoredPlan) -> str:
    """Return a plan as its owner, and nobody else, is shown it."""
    if plan.dropped is None:
        return f"Your plan is {plan.text}, from move {plan.due + 1} on."
    from pbmserv.club.plans import CancelReason

    return f"Your plan {plan.text} was cancelled. {CancelReason[plan.dropped].value}."


def _seen(shown: Shown, player_id: int, own: Sequence[str]) -> View:
    """Return a board as this player sees it on a screen, with lines that are for them alone."""
    seats, around = shown.match.record.seats.values(), shown.beside
    computers = [f"{seat.userid} is a computer." for seat in seats if seat.is_robot]
    clock = () if around is None else (*time_lines(around), *other_lines(around))
    due = None if around is None else around.deadline
    return replace(
        shown.view,
        closing=shown.view.record.result_sentence(),
        reader=player_id if shown.match.is_running else None,
        left="" if around is None or due is None else left_words(due, around.now),
        beside=(*clock, *own, *computers),
        said=tuple(f"{said.userid}: {said.text}" for said in shown.said or ()),
    )


@command()
def replay(
    session: ReadSession,
    game: GameType,
    moment: Annotated[BoardRef, Word(slot(BOARD), parse_board_and_ply)],
    ply: Annotated[int | None, Word(maybe(N), parse_whole_number)] = None,
    moves: Annotated[tuple[str, ...], Word(maybe(MOVE, many=True))] = (),
) -> Answer:
    """List the moves of a board, and show it after N of them, or as it is now.

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
    beside: MatchContext | None
    said: list[ChatLine] | None
    """The last comments, only for signed-in players and observers."""


def _look(session: ReadSession, game: type[Game], number: int, ply: int | None = None) -> Shown:
    match = find_match(session, game, number)
    view = view_match(match, ply)
    is_now = view.record.ply == match.ply
    if not is_now:
        return Shown(match, view, None, None)
    viewer = session.viewer
    hears = viewer is not None and viewer.id in audience_of(session, match)
    said = session.records.talk.said(match.id, LAST_REMARKS) if hears else None
    view = replace(view, reader=viewer.id if viewer else None)
    return Shown(match, view, load_context(session, match), said)


def _blocks(shown: Shown) -> list[Block]:
    blocks = view_blocks(shown.view, aims=True)
    if shown.beside is not None:
        lines = [*time_lines(shown.beside), *other_lines(shown.beside)]
        blocks += [lines_of(lines)] if lines else []
    return [*blocks, *said_blocks(shown.said)] if shown.said else blocks


def _document(shown: Shown) -> Document:
    beside = around_document(shown.beside) if shown.beside is not None else {}
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
        game.name, player_ids(session, userids), selector=selector, limit=MAX_PICTURES + 1
    )
    return [_look(session, game, s.number) for s in found[:MAX_PICTURES]], len(found) > MAX_PICTURES


def _answer(boards: Sequence[Shown], targets: Sequence[Target], *, more: bool) -> Answer:
    blocks: list[Block] = [block for shown in boards for block in _blocks(shown)]
    if not boards:
        blocks.append("No boards.")
    if more:
        blocks.append(f"... and more: {MAX_PICTURES} are shown; games lists them all.")
    if len(targets) == 1 and isinstance(targets[0], BoardRef):
        return Answer(tuple(blocks), lambda: _document(boards[0]))
    return Answer(
        tuple(blocks), lambda: {"matches": [_document(shown) for shown in boards], "more": more}
    )

"""Moves tried on a copy of a board, with what they would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pbmserv.commands.grammar import choose_game, command
from pbmserv.commands.types import BoardRef, Word, argument, arguments, parse_board_and_ply
from pbmserv.errors import Misunderstood
from pbmserv.render.document import view_document
from pbmserv.render.score_change import change_document, change_lines
from pbmserv.render.view import View, view_blocks, view_match, view_new, view_positions
from pbmserv.services.session import Access, Answer, Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.engine.game import Game
    from pbmserv.engine.position import Position

Target = BoardRef | str

CELL_OPTIONS = ("x", "o")
"""Options of score that say what stands on a board typed in."""


def parse_new_or_board(text: str) -> Target:
    """Return ``new`` or a board, possibly at a moment; raises :class:`Misunderstood`."""
    return "new" if text.lower() == "new" else parse_board_and_ply(text)


def only_for_new(game: type[Game] | None, params: Mapping[str, Any]) -> None:
    """Raise :class:`Misunderstood` if game options are given for a board that has its own."""
    if game is None or not isinstance(params["target"], BoardRef):
        return
    for name in (*(option.name for option in game.options()), *CELL_OPTIONS):
        if params.get(name) not in (None, False):
            raise Misunderstood(
                f"The option -{name} goes with new only: a board has its own options.",
                code="option-needs-new",
                hint=f"Write: {game.name} ... new -{name}=...",
            )


def needs_board(params: Mapping[str, Any]) -> Access:
    """Tell that only ``new`` can do without a database."""
    return Access.NOTHING if params["target"] == "new" else Access.LOOK


def view_of(session: Session, target: Target, options: Mapping[str, Any]) -> View:
    """Return the board that is meant, at its moment, or the empty board of a new game."""
    if not isinstance(target, BoardRef):
        return view_new(choose_game(session.game, options))
    from pbmserv.services.lookup import find_board

    return view_match(find_board(session, target.number), target.ply)


NEW_OR_BOARD = argument("target", "BOARD[#N]|new", Word(parse_new_or_board))


@command(
    NEW_OR_BOARD,
    arguments("moves", "[MOVE]...", click.STRING),
    access=needs_board,
    has_game_options=True,
    check=only_for_new,
)
def preview(session: Session, target: Target, moves: tuple[str, ...], **options: Any) -> Answer:
    """Try moves on a copy of a board, or on the empty board of a new game; nothing is played."""
    before = view_of(session, target, options)
    positions, texts = _try_moves(before, moves)
    view = view_positions(before, positions, texts)
    scores = [before.game.score(moment.position) for moment in (before, view)]
    blocks = view_blocks(view)
    if moves:
        blocks.append("\n".join(change_lines(*scores)))
    return Answer(tuple(blocks), {**view_document(view), "change": change_document(*scores)})


def _try_moves(before: View, words: Sequence[str]) -> tuple[tuple[Position, ...], tuple[str, ...]]:
    """Return the positions after each word and the moves in canonical form."""
    game = before.game
    positions = [before.position]
    texts = []
    for word in words:
        move = game.parse_move(word)
        positions.append(game.play(positions[-1], move))
        texts.append(move.text)
    return tuple(positions[1:]), tuple(texts)

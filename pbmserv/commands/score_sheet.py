"""Score sheets: of a board at any moment, and of positions typed in."""

from __future__ import annotations

import re
from typing import Any

from pbmserv.commands.grammar import command
from pbmserv.commands.preview import NEW_OR_BOARD, Target, needs_board, only_for_new, view_of
from pbmserv.commands.types import flag, option
from pbmserv.engine.position import Position, Side
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.render.document import score_document
from pbmserv.render.score_lines import explanation_lines, headline, sheet_lines
from pbmserv.render.view import View, heading, turn_sentence, view_caption
from pbmserv.services.session import Answer, Session

SEPARATORS = re.compile(r"[\s,;]+")


@command(
    NEW_OR_BOARD,
    option("x", '"CELLS"', "with new: the cells with stones of X"),
    option("o", '"CELLS"', "with new: the cells with stones of O"),
    flag("explain", "explain the rule behind each line"),
    access=needs_board,
    has_game_options=True,
    check=only_for_new,
)
def score(
    session: Session, target: Target, *, x: str | None, o: str | None, explain: bool, **options: Any
) -> Answer:
    """Print the score sheet of a board, or of a position that you type in.

    Every line says what earns how much and why. For games played elsewhere, score new takes the
    game's options and the cells of both sides and needs no board.
    """
    view = view_of(session, target, options)
    position = view.position
    if view.number is None:
        position = view.game.position_of({Side.X: _cells(x), Side.O: _cells(o)})
    return _sheet(view, position, explain=explain)


def _sheet(view: View, position: Position, *, explain: bool) -> Answer:
    game = view.game
    found = game.score(position)
    is_over = view.to_move is None or game.outcome(position) is not None
    write = explanation_lines if explain else sheet_lines
    lines = write(game, found, is_over=is_over)
    caption = view_caption(view, headline(found, is_over=is_over))
    picture = BoardPicture(game, position, is_over, caption)
    blocks: list[Block] = [heading(view), picture, "\n".join(lines)]
    if view.number is not None:
        blocks.append(turn_sentence(view))
    return Answer(tuple(blocks), score_document(found))


def _cells(text: str | None) -> list[str]:
    """Return the cells named in an option, separated by blanks or commas."""
    if text is None:
        return []
    if len(text) > 10_000:
        raise Misunderstood("There are too many cells.", code="bad-option-value")
    return [word for word in SEPARATORS.split(text) if word]

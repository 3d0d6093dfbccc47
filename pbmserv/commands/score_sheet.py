"""Score sheets: of a board at any moment, and of positions typed in."""

from __future__ import annotations

import re
from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.game_options import ChosenGame, GameChoice
from pbmserv.commands.pictures import PictureOptions, finish_pictures
from pbmserv.commands.preview import NamedPosition, Target, needs_match, require_new, view_of
from pbmserv.engine.position import Position, Side
from pbmserv.engine.settle import settled
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.render.document import score_document, settled_document
from pbmserv.render.score_lines import explanation_lines, headline, prospect_lines, sheet_lines
from pbmserv.render.view import View, heading, score_words, turn_sentence, view_caption
from pbmserv.services.session import ReadSession

SEPARATORS = re.compile(r"[\s,;]+")


def _check_options(target: Target, x: str | None, o: str | None, chosen: GameChoice) -> None:
    """Raise :class:`Misunderstood` if a match of its own is to have other options or stones."""
    cells = [name for name, given in (("x", x), ("o", o)) if given is not None]
    require_new(target, chosen, [*chosen.given, *cells])


@command(access=needs_match, check=_check_options)
def score(
    session: ReadSession | None,
    target: NamedPosition,
    *,
    x: Annotated[str | None, Option('"CELLS"', "with new: the cells of X")] = None,
    o: Annotated[str | None, Option('"CELLS"', "with new: the cells of O")] = None,
    explain: Annotated[bool, Flag("explain the rule of each line")] = False,
    picture: PictureOptions,
    chosen: ChosenGame,
) -> Answer:
    """Print the score sheet of a board, of a game record, or of a position that you type in.

    Every line says what earns points, how many, and why. For a game played elsewhere, give its
    record (help records), or score new with the game's options and the cells of both sides.
    """
    view = view_of(session, target, chosen)
    typed = None
    if isinstance(target, str):
        typed = view.game.position_of({Side.X: _cells(x), Side.O: _cells(o)})
    return finish_pictures(session, _sheet(view, typed, explain=explain), picture)


def _sheet(view: View, typed: Position | None, *, explain: bool) -> Answer:
    """Return the score sheet of a board or record, or of a position that was ``typed`` in."""
    game, position = view.game, view.position if typed is None else typed
    found = game.score(position)
    is_over = view.to_move is None or game.outcome(position) is not None
    write = explanation_lines if explain else sheet_lines
    # A person who types a position in wants to know who is ahead, however empty the board is.
    first = score_words(view, found) if typed is None else headline(found, is_over=is_over)
    lines = write(game, found, first)
    bounds = None if is_over else settled(game, position)
    standing = "\n".join([first, *prospect_lines(found, bounds)])
    caption = view_caption(view, heading(view), standing)
    picture = BoardPicture(game, position, is_over, caption)
    blocks: list[Block] = [heading(view), picture, "\n".join(lines)]
    blocks += prospect_lines(found, bounds)
    if typed is None:
        blocks.append(turn_sentence(view))
    document = {**score_document(found), "settled": settled_document(bounds)}
    return Answer(tuple(blocks), document)


def _cells(text: str | None) -> list[str]:
    """Return the cells named in an option, separated by blanks or commas."""
    if text is None:
        return []
    if len(text) > 10_000:
        raise Misunderstood("Too many cells.", code="bad-option-value")
    return [word for word in SEPARATORS.split(text) if word]

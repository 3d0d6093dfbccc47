"""Moves tried on a copy of a board, with what they would change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, join_cells, read_move
from pbmserv.commands.pictures import PictureOptions, finish_pictures
from pbmserv.commands.record_words import RecordSource, RecordWord, may_be_record
from pbmserv.commands.slots import BOARD_THEN, FILE_THEN, LINK, MOVE, N, maybe, one_way
from pbmserv.commands.types import BoardRef, parse_board_and_ply
from pbmserv.errors import Misunderstood
from pbmserv.render.document import view_document
from pbmserv.render.score_lines import change_document, change_lines
from pbmserv.render.view import View, view_blocks, view_empty, view_match
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Target = BoardRef | RecordSource | str

COUNT = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)
"""A number of moves, which the cell 00 is not."""


def parse_target(text: str) -> Target:
    """Return ``new``, a record or a match at a moment; raises :class:`Misunderstood`."""
    if text.lower() == "new":
        return "new"
    return RecordSource(text) if may_be_record(text) else parse_board_and_ply(text)


NamedPosition = Annotated[
    Target, RecordWord(maybe(BOARD_THEN, "new", FILE_THEN, LINK), parse_target)
]


def check_options(target: Target, chosen: GameChoice) -> None:
    """Raise :class:`Misunderstood` if game options are given for a game that has its own."""
    require_new(target, chosen, chosen.given)


def require_new(target: Target, chosen: GameChoice, names: Sequence[str]) -> None:
    """Raise :class:`Misunderstood` if options of these names are given, and no new game."""
    if not isinstance(target, str) and names:
        its = "board" if isinstance(target, BoardRef) else "record"
        raise Misunderstood(
            f"The option -{names[0]} works only with new: a {its} has its own options.",
            code="option-needs-new",
            hint=f"Write: {chosen.game.name} ... new -{names[0]}=...",
        )


def needs_match(values: Mapping[str, Any]) -> Access:
    """Tell that only a board needs a database."""
    return Access.LOOK if isinstance(values["target"], BoardRef) else Access.NOTHING


def view_of(session: ReadSession | None, target: Target, chosen: GameChoice) -> View:
    """Return the match or record that is meant, at its moment, or the board of a new game."""
    if isinstance(target, RecordSource):
        return target.view(session)
    if session is None or not isinstance(target, BoardRef):
        return view_empty(chosen.game)
    from pbmserv.services.lookup import find_match

    return view_match(find_match(session, type(chosen.game), target.number), target.ply)


@command(access=needs_match, check=check_options)
def preview(
    session: ReadSession | None,
    target: NamedPosition,
    moves: Annotated[tuple[str, ...], Word(one_way(maybe(N), maybe(MOVE, many=True)))] = (),
    *,
    picture: PictureOptions,
    chosen: ChosenGame,
) -> Answer:
    """Try moves on a copy of a board, on a game record, or on the empty board of a new game.

    Nothing is played. A number before the moves chooses an earlier position of the board, as in
    101#7. With new, it is the number of moves to try. See help records.
    """
    moves = join_cells(moves)
    if moves and COUNT.fullmatch(moves[0]):
        count, moves = int(moves[0]), moves[1:]
        if isinstance(target, BoardRef):
            target = target._replace(ply=count)
        elif isinstance(target, RecordSource):
            target.ply = count
        else:
            moves = moves[:count]
    answer = try_moves(view_of(session, target, chosen), moves)
    return finish_pictures(session, answer, picture)


def try_moves(before: View, moves: Sequence[str]) -> Answer:
    """Return the board after these moves, and how they change the score."""
    view = try_out(before, moves)
    scores = [moment.score for moment in (before, view)]
    blocks = view_blocks(view, aims=True)
    if moves:
        blocks.append("\n".join(change_lines(*scores)))
    return Answer(
        tuple(blocks), lambda: {**view_document(view), "change": change_document(*scores)}
    )


def try_out(before: View, words: Sequence[str]) -> View:
    """Return the board after these moves; raises :class:`~pbmserv.errors.Refused`."""
    return before.with_moves(read_move(before.game, word) for word in words)

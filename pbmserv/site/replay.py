"""Boards on the pages: the drawings, and what a script needs to show each move of a game."""

import json
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from pbmserv.club.match import Match
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Score
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import format_game
from pbmserv.render.picture import LegendText, Picture, draw
from pbmserv.render.svg import DrawingOptions, svg_board, svg_file


def ground_path(game: Game) -> str:
    """Return where the ground of a game's boards is, from the root of the site."""
    return f"grounds/{format_game(game)}.svg"


def board_svg(
    picture: Picture,
    root: str,
    link: str = "",
    ghosts: Mapping[Cell, Side] = MappingProxyType({}),
    *,
    is_replayed: bool = True,
    has_names: bool = True,
) -> str:
    """Return the board of a page; ``root`` leads to the root of the site, ``link`` to a cell.

    It is much smaller if empty cells need no names.
    """
    ground = f"{root}{ground_path(picture.game)}"
    frame = DrawingOptions(is_scripted=is_replayed, has_names=has_names, ground=ground)
    return svg_board(picture, frame._replace(link=link, ghosts=ghosts))


def square_svg(game: Game, position: Position, heard: str, *, owners: bool) -> str:
    """Return a position as a small square file without names, in the colours of the screen."""
    frame = DrawingOptions(has_labels=False, is_square=True, has_names=False)
    picture = draw(game, position, owners=owners, caption=LegendText(heard))
    return svg_file(svg_board(picture, frame))


UNDECIDED = ("Nobody has won on the board.",)


def replay_document(record: Record[Any]) -> str:
    """Return the turns as JSON for a page: text, side, new cells, and the parts of the score.

    A part is null if it is the one before. ``links`` are the cells that touch.
    """
    worths = _points_of_turns(record)
    moments = zip(pairwise(record.positions), pairwise(worths), strict=True)
    turns = [
        [move.text, before.to_move.value, _new_cells(before, after), _changed_parts(was, now)]
        for move, ((before, after), (was, now)) in zip(record.moves, moments, strict=True)
    ]
    links = record.game.board.links
    document: dict[str, Any] = {"start": worths[0], "turns": turns, "links": links}
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")


def _new_cells(before: Position, after: Position) -> list[int]:
    # None after a swap.
    return [] if before.stones == after.stones else sorted(after.last)


def points_parts(score: Score) -> tuple[str, ...]:
    """Return the points of both sides with their parts: ``X 5: chain 3 + 2``."""
    if score.is_undecided:
        return UNDECIDED
    if score.feat:
        return (f"{score.winner} {score.feat}.",)
    found: dict[Side, list[tuple[str, int]]] = {side: [] for side in Side}
    for side, title, points in score.earned:
        if points:
            found[side].append((title, points))
    return tuple(_side_points(side, score.points[side], *found[side]) for side in Side)


def points_sentence(score: Score) -> str:
    """Return the same in one sentence."""
    return "; ".join(points_parts(score))


def _points_of_turns(record: Record[Any]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for position in reversed(record.positions):
        # As stones only come, where nobody has won nobody had won before.
        is_open = bool(found) and found[-1] == UNDECIDED
        found.append(UNDECIDED if is_open else points_parts(record.game.score(position)))
    return found[::-1]


def _changed_parts(before: tuple[str, ...], after: tuple[str, ...]) -> list[str | None]:
    if len(before) != len(after):
        return list(after)
    return [None if now == was else now for was, now in zip(before, after, strict=True)]


@lru_cache(maxsize=4)
def _side_points(side: Side, total: int, *earned: tuple[str, int]) -> str:
    """Return the points of one side; many turns do not change them."""
    found: dict[str, list[str]] = {}
    for title, points in earned:
        found.setdefault(title, []).append(str(points))
    parts = ", ".join(f"{title} {' + '.join(each)}" for title, each in found.items())
    return f"{side} {total}{f': {parts}' if parts else ''}"


def certain_since(match: Match) -> int | None:
    """Return after how many turns the winner was certain, found by bisection; None if never."""

    def is_settled(ply: int) -> bool:
        bounds = settled(match.game, match.record.positions[ply])
        return bounds is not None and bounds.is_certain

    if not is_settled(match.ply):
        return None
    return bisect_left(range(match.ply), x=True, key=is_settled)

"""The swap of other programs, after which the players keep their colours and the stone moves.

Here a swap exchanges the players and the stone stays. Elsewhere the first stone changes its colour
and moves to its mirror cell, and so the same game has every later cell mirrored, too.
"""

from collections.abc import Iterable, Iterator

from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Move, Position

SWAP_PIECES, SWAP_SIDES = "swap-pieces", "swap-sides"
SWAPS = frozenset({SWAP.text, SWAP_PIECES, SWAP_SIDES})
"""The words for a swap, whatever it moves."""


def with_swapped_pieces(game: Game, moves: Iterable[Move]) -> Iterator[Move]:
    """Yield the moves for programs whose swap moves the stone, not the players.

    In a game whose sides have edges of their own each player keeps colour and edges; the first
    stone is mirrored, and so are all that follow. The same function leads back.
    """
    mirror = game.swap_mirror
    has_swapped = False
    for move in moves:
        if has_swapped and move.cells:
            yield game.placing([mirror[cell] for cell in move.cells], passed=move.passed)
        else:
            yield move
        has_swapped = has_swapped or move.is_swap


def format_gtp_move(move: Move) -> str:
    """Return a move as such a program writes it, in small letters."""
    return SWAP_PIECES if move.is_swap else move.text.lower()


def parse_gtp_move(game: Game, text: str) -> Move:
    """Return the move that such a program wrote; raises :class:`InvalidMove`."""
    return SWAP if text.lower() == SWAP_PIECES else game.parse_move(text)


def apply_gtp_move(game: Game, position: Position, move: Move) -> Position:
    """Return the position after a move for such a program, unchecked by any rule."""
    if not move.is_swap:
        return position.after(move)
    side, (cell,) = position.to_move, position.cells_of(position.to_move.other)
    stones, mirrored = bytearray(len(position.stones)), game.swap_mirror[cell]
    stones[mirrored] = side.stone
    return Position(bytes(stones), side.other, ply=2, last=(mirrored,))

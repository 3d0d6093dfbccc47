"""How the Go Text Protocol sees a game: black and white, and whose stone a swap leaves."""

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side


def colour_of(side: Side, *, has_swapped: bool) -> str:
    """Return the colour of a side: black is X until a swap, and O after it."""
    return "black" if (side is Side.X) != has_swapped else "white"


def mirror_after_swap(game: Game) -> tuple[Cell, ...]:
    """Return where each cell lies for the other program after a swap.

    Where the sides have edges of their own, each colour keeps its edges and a swap mirrors
    the stone; here the players change edges instead.
    """
    board = game.board
    as_it_is = tuple(range(len(board)))
    if game.is_colour_symmetric:
        return as_it_is
    own = game.symmetries
    mirrors = (images for images in board.symmetries if images not in own and not images[0])
    return next(mirrors, as_it_is)

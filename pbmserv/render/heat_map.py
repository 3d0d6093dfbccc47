"""Heat maps: how often each cell was the first move, as digits on the board."""

from collections.abc import Mapping

from pbmserv.club.statistics import heat
from pbmserv.club.wording import with_count
from pbmserv.engine.game import Game
from pbmserv.render.picture import draw
from pbmserv.render.text import Grid, text_picture


def heat_lines(game: Game, first_moves: Mapping[str, int]) -> list[str]:
    """Return the board with a digit, 9 for the most frequent, on each first move, and a legend."""
    picture = draw(game, game.start())
    # The digits of rings would be taken for heat.
    picture = picture._replace(spots=tuple(spot._replace(digit="") for spot in picture.spots))
    degrees = heat(first_moves)
    lines = [list(line) for line in text_picture(picture).split("\n")]
    grid = Grid(game.board, picture.labels, picture.owned)
    places = grid.locate([spot.point for spot in picture.spots])
    for spot, (column, line) in zip(picture.spots, places, strict=True):
        if spot.name in degrees:
            lines[line][column] = str(degrees[spot.name])
    drawn = ["".join(line) for line in lines]
    if degrees:
        most = with_count(max(first_moves.values()), "time")
        drawn += [
            "",
            "Digits show how often a game began on that cell, from 1 to 9;",
            f"9 is the most frequent first move ({most}).",
        ]
    others = {move: count for move, count in first_moves.items() if move not in game.board.index}
    if others:
        told = ", ".join(f"{move} {count}" for move, count in sorted(others.items()))
        drawn += ["", f"Other first moves: {told}"]
    return drawn

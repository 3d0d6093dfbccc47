"""Every game with the naive scorer that rivals the engine's, in one shape to compare."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pbmserv.engine.score import Score

from .naive.fillings import Stones
from .naive.hex import score_hex
from .naive.plain_boards import (
    Neighbours,
    bent_board,
    hex_board,
    star_board,
    starstar_board,
    starweb_board,
    y_board,
)
from .naive.polyy import board_of, score_polyy
from .naive.star import score_star
from .naive.starstar import score_starstar
from .naive.starweb import score_starweb
from .naive.y import score_y

Facts = dict[str, Any]
STARSTAR_KEYS = [
    "peries",
    "quarks",
    "quark_peri",
    "stars",
    "reward",
    "standard",
    "simplified",
    "alternative",
    "unowned_peries",
]


@dataclass(frozen=True)
class Rival:
    """The naive board and scorer of one game, and the engine's score brought to the same facts.

    `specs` spread over the game's sizes and options. The game comes in as Any because its options
    are read as attributes.
    """

    specs: tuple[str, ...]
    board: Callable[[Any], Neighbours]
    naive: Callable[[Any, Stones], Facts]
    engine: Callable[[Score], Facts]

    def facts(self, score: Score) -> Facts:
        return {"points": score.points, "winner": score.verdict} | self.engine(score)


def by_side(details: dict[str, list[Any]], fact: Callable[[Any], object]) -> dict[str, set[object]]:
    """Return the facts of each list as sets; no entry may be there twice."""
    sets = {side: {fact(entry) for entry in details[side]} for side in "XO"}
    assert {side: len(details[side]) for side in "XO"} == {side: len(sets[side]) for side in "XO"}
    return sets


def naive_star(game: Any, stones: Stones) -> Facts:
    result = score_star(game.size, game.corners, game.maxi, stones, game.komi)
    positive = {side: [points for points in result.maxi[side] if points > 0] for side in "XO"}
    return vars(result) | {"maxi": positive}


def engine_star(score: Score) -> Facts:
    chains = by_side(
        score.details["chains"],
        lambda chain: (frozenset(chain["cells"]), chain["externals"], chain["points"]),
    )
    return {"chains": chains, "maxi": score.details["maxi"]}


def naive_starstar(game: Any, stones: Stones) -> Facts:
    return vars(score_starstar(game.size, game.scoring, game.komi, stones))


def engine_starstar(score: Score) -> Facts:
    return {key: score.details[key] for key in STARSTAR_KEYS}


def naive_starweb(game: Any, stones: Stones) -> Facts:
    return vars(score_starweb(game.size, game.notch, stones, game.komi))


def engine_starweb(score: Score) -> Facts:
    groups = by_side(
        score.details["groups"],
        lambda web: (
            frozenset(web["cells"]),
            frozenset(web["corner_cells"]),
            web["points"],
        ),
    )
    return {"groups": groups}


def naive_polyy(game: Any, stones: Stones) -> Facts:
    return vars(score_polyy(game.sides, game.size, game.shape, stones))


def engine_polyy(score: Score) -> Facts:
    return {"corners": by_side(score.details["corners"], str)}


def naive_y(game: Any, stones: Stones) -> Facts:
    return vars(score_y(game.size, game.shape, stones))


def naive_hex(game: Any, stones: Stones) -> Facts:
    return vars(score_hex(game.size, stones))


def engine_chains(score: Score) -> Facts:
    chains = by_side(
        score.details["chains"],
        lambda chain: (frozenset(chain["cells"]), frozenset(chain["sides"])),
    )
    return {"chains": chains}


RIVALS = {
    "star": Rival(
        specs=tuple(
            f"star(size={size},{more}corners={corners})"
            for size in (3, 4, 6, 9, 14)
            for corners in (2, 3)
            for more in ("", "maxi,", f"komi={size - 6 or 1},")
        ),
        board=lambda game: star_board(game.size),
        naive=naive_star,
        engine=engine_star,
    ),
    "starstar": Rival(
        specs=tuple(
            f"starstar(size={size},scoring={scoring},komi={komi})"
            for size in (4, 6, 8, 10)
            for scoring, komi in (("standard", 0), ("simplified", 3), ("alternative", -2))
        ),
        board=lambda game: starstar_board(game.size),
        naive=naive_starstar,
        engine=engine_starstar,
    ),
    "starweb": Rival(
        specs=tuple(
            f"starweb(size={size},notch={notch},komi={komi})"
            for komi in (0, -2, 3)
            for size, notch in (
                (4, 1),
                (5, 1),
                (6, 1),
                (6, 2),
                (7, 1),
                (8, 3),
                (10, 3),
                (11, 2),
                (13, 4),
            )
        ),
        board=lambda game: starweb_board(game.size, game.notch),
        naive=naive_starweb,
        engine=engine_starweb,
    ),
    "polyy": Rival(
        specs=(
            "polyy(size=7,sides=9,shape=open)",
            *(
                f"polyy(sides={sides},size={size})"
                for size, numbers in (
                    (2, (3, 9)),
                    (3, (3, 5)),
                    (5, (3, 5, 7)),
                    (7, (5, 9)),
                    (10, (7,)),
                )
                for sides in numbers
            ),
        ),
        board=lambda game: board_of(game.sides, game.size, game.shape),
        naive=naive_polyy,
        engine=engine_polyy,
    ),
    "y": Rival(
        specs=(
            *(f"y(size={size})" for size in (3, 4, 5, 8, 11, 17, 26)),
            *(f"y(size={size},shape=bent)" for size in range(4, 26)),
        ),
        board=lambda game: bent_board(game.size) if game.shape == "bent" else y_board(game.size),
        naive=naive_y,
        engine=engine_chains,
    ),
    "hex": Rival(
        specs=tuple(f"hex(size={size})" for size in (3, 4, 5, 7, 11, 14, 26)),
        board=lambda game: hex_board(game.size),
        naive=naive_hex,
        engine=engine_chains,
    ),
}

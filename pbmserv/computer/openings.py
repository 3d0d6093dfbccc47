"""First stones: how likely X wins after each of them, computed once for every game and size.

``python -m pbmserv.computer.openings`` computes what the table lacks, the usual games first, and
takes an hour for all; after a change of a game's rules its rows are deleted by hand.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from pbmserv.computer.arena import arena_of
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game, Option
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Move
from pbmserv.engine.spec import format_game, parse_game

TABLE = Path(__file__).with_name("openings.json")
SEED = 20
SIMULATIONS = 8_000
"""How hard is thought about every first stone, ..."""
MORE_SIMULATIONS = 40_000
"""... and how hard about the few that seem nearest to even."""
NEAREST = 4
"""So many nearest ones must have been looked at again ..."""
MOST_AGAIN = 12
"""... unless so many were."""
NEARLY = 20
"""First stones so many thousandths further from even than the best one are as good."""


def even_opening(game: Game, chance: Random) -> Move | None:
    """Return a first stone after which neither side has much the better of it.

    None for a game that the table lacks.
    """
    table = _chances(game)
    if table is None:
        return None
    unevenness = {name: abs(chance_of_x - 500) for name, chance_of_x in table.items()}
    least = min(unevenness.values())
    names = [name for name, found in unevenness.items() if found <= least + NEARLY]
    cell = game.board.index[chance.choice(names)]
    cell = chance.choice([cell, *(images[cell] for images in game.symmetries)])
    return Move(game.board.names[cell], (cell,))


def chance_after(game: Game, cell: Cell) -> float | None:
    """Return how likely X wins with a first stone there; None for a game that the table lacks."""
    table = _chances(game)
    return None if table is None else table[game.board.names[representative(game, cell)]] / 1000


def representative(game: Game, cell: Cell) -> Cell:
    """Return the cell that stands for all which turning or mirroring maps onto one another."""
    return min(cell, *(images[cell] for images in game.symmetries))


def distinct_cells(game: Game) -> list[Cell]:
    """Return one cell of each set that turning or mirroring the board maps onto another."""
    return sorted({representative(game, cell) for cell in range(len(game.board))})


def _chances(game: Game) -> Mapping[str, int] | None:
    return _table()["chances"].get(format_game(game)) if game.is_even else None


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """Return the table: for each spec the chance of X in thousandths by the cell's name."""
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def compute(game: Game) -> dict[str, int]:
    """Return the chances of X in thousandths, by the name of each distinct cell."""
    start, names = game.start(), game.board.names

    def thousandths(cell: Cell, simulations: int) -> int:
        after = game.play(start, Move(names[cell], (cell,)))
        chance = Search(game, after, Effort(simulations, SEED)).analysis().chance
        return round(1000 * (1 - chance))

    found = {cell: thousandths(cell, SIMULATIONS) for cell in distinct_cells(game)}
    again: set[Cell] = set()
    while len(again) < MOST_AGAIN:
        nearest = sorted(found, key=lambda cell: abs(found[cell] - 500))[:NEAREST]
        cell = next((cell for cell in nearest if cell not in again), None)
        if cell is None:
            break
        again.add(cell)
        found[cell] = thousandths(cell, MORE_SIMULATIONS)
    return {names[cell]: chance for cell, chance in found.items()}


def all_specs() -> Iterator[str]:
    """Yield every even game of every size that the computer can play, as its spec."""
    for name in game_names():
        game_type = find_game(name)
        options = [option for option in game_type.options() if _values(option)]
        for values in product(*map(_values, options)):
            game = game_type(**{o.name: value for o, value in zip(options, values, strict=True)})
            if game.is_even and arena_of(game):
                yield format_game(game)


def _values(option: Option) -> tuple[Any, ...]:
    """Return the values with which an opening is computed; none for what stays at its default."""
    if option.is_flag:
        return (False, True)
    if option.choices and option.name != "scoring":
        return option.choices
    if option.name == "size" and option.low is not None and option.high is not None:
        return tuple(range(option.low, option.high + 1))
    return ()


def main(specs: list[str]) -> None:
    """Compute what the table lacks, all or these specs, and write it after each game."""
    chances = _table()["chances"] if TABLE.exists() else {}
    for spec in specs or sorted(all_specs(), key=lambda spec: spec.count(",")):
        if spec in chances:
            continue
        chances[spec] = compute(parse_game(spec))
        about = {"seed": SEED, "simulations": [SIMULATIONS, MORE_SIMULATIONS]}
        rows = ",\n".join(
            f"{json.dumps(each)}: {json.dumps(chances[each], separators=(',', ':'))}"
            for each in sorted(chances)
        )
        TABLE.write_text(f'{json.dumps(about)[:-1]}, "chances": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])

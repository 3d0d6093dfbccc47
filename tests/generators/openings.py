"""The chances of first stones: ``python -m tests.generators.openings [SPEC ...]``.

It computes what ``pbmserv/computer/openings.json`` lacks, the usual games first, and takes some
two hours for all; after a change of a game's rules its rows are deleted by hand.
"""

import json
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

from pbmserv.computer.game_arrays import arrays_of
from pbmserv.computer.openings import CHANCES_TABLE, distinct_cells, table
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game, GameOption
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Move
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood

SEED = 20
SIMULATIONS = 8_000
"""How hard is thought about every first stone, ..."""
MORE_SIMULATIONS = 40_000
"""... and how hard about the few that seem nearest to even."""
NEAREST = 4
"""So many nearest ones must have been looked at again ..."""
MOST_AGAIN = 12
"""... unless so many were."""


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
    """Yield every even game with swap of every board that the computer can play, as its spec."""
    for name in game_names():
        game_type = find_game(name)
        options = [option for option in game_type.options() if _values(option)]
        for values in product(*map(_values, options)):
            try:
                game = game_type(**dict(zip((one.name for one in options), values, strict=True)))
            except Misunderstood:
                continue  # Not every shape of a board has every size.
            if game.is_even and arrays_of(game):
                yield format_game(game)


def _values(option: GameOption) -> tuple[Any, ...]:
    """Return the values with which an opening is computed; none for what stays at its default."""
    if option.is_flag:
        return () if option.name == "noswap" else (False, True)
    if option.choices and option.name != "scoring":
        return option.choices
    if option.name == "size" and option.low is not None and option.high is not None:
        return tuple(range(option.low, option.high + 1))
    return ()


def main(specs: list[str]) -> None:
    """Compute what the table lacks, all or these specs, and write it after each game."""
    chances = table()["chances"] if CHANCES_TABLE.exists() else {}
    for spec in specs or sorted(all_specs(), key=lambda spec: spec.count(",")):
        if spec in chances:
            continue
        chances[spec] = compute(parse_game(spec))
        about = {"seed": SEED, "simulations": [SIMULATIONS, MORE_SIMULATIONS]}
        rows = ",\n".join(
            f"{json.dumps(each)}: {json.dumps(chances[each], separators=(',', ':'))}"
            for each in sorted(chances)
        )
        CHANCES_TABLE.write_text(f'{json.dumps(about)[:-1]}, "chances": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])

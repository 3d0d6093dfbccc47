"""What komi and the first move are worth: learned in games of the levels, and put to the test.

Run it as `python -m tests.bench.handicaps learn|even [--games=20] [--board=SPEC ...]`.

`learn` plays games without swap between equal levels, and on boards with komi also between unequal
ones, whose difference is measured in games with swap. Komi goes up by one after each win of X and
down after each of O (the up-and-down method of Dixon and Mood, 1948); between equals two of three
games have two points more or less. Then the log odds of X are fitted for each kind of game as
`factor * lead + first + firstgrowth * x - komi * point * exp(pointgrowth * x)`, where `lead` is
what the games with swap show, and x the mean level as a rating less 1800, in thousands. Without the
factor equals alone would say too much: in Star a point of komi makes up for up to a seventh less of
a difference than it is worth between equals. All boards of a kind share the growths; `first` and
the factor of each are near to those of its kind, and `point` near to a power of the size. `--write`
makes `pbmserv/club/handicaps.json`.

`even` plays, with other seeds, games between pairs of levels that were not learned from, with the
handicaps that `challenge -even` gives them. How far apart they are on a board is measured before,
in games with swap of each level against the next, because that is what ratings in a club would
come from.

`--full` plays what the page `handicap` tells. What has been played is kept in the file `--kept`,
and a later run goes on from there.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from pbmserv.club.handicaps import TABLE, Worth, even_game, strength
from pbmserv.club.rating import SCALE, Rating, chance_of
from pbmserv.computer.level_list import LEVELS, rating_of
from pbmserv.computer.levels import choose
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game
from tests.bench.strength import Result

KEPT = Path(tempfile.gettempdir(), "pbmserv-handicaps.json")
"""What has been played."""

KINDS = (
    tuple(f"star(size={size})" for size in range(5, 10)),
    tuple(f"starstar(size={size})" for size in (4, 6, 8)),
    ("starstar(size=6,double)",),
    tuple(f"starweb(size={size},notch={size // 3})" for size in range(5, 9)),
    tuple(f"star(size={size},maxi)" for size in (6, 7)),
    tuple(f"hex(size={size})" for size in (7, 9, 11, 13)),
    tuple(f"y(size={size})" for size in (7, 9, 11)),
    tuple(f"polyy(size={size})" for size in (5, 6, 7)),
)
"""The boards by kind: those of one share what grows with the strength of the players."""

LEARNED_FROM = (3, 5, 7, 8)
"""Levels whose games are learned from, each against itself."""

FULL_LEARNING = 90
"""Games of each level on each board with --full."""

JITTER = (0, -2, 2)
"""Points by which komi differs from that of the staircase, in turn."""

UNEQUAL = ((5, 4), (5, 3), (7, 5), (7, 3), (8, 7), (8, 6), (8, 5))
"""Levels of which the first, as X, gives komi to the second, on the boards that have komi."""

SHARED = {
    "first": (0.0, 1.0),
    "point": (0.0, 1.0),
    "size": (0.0, 1.0),
    "first growth": (0.0, 1.0),
    "point growth": (0.0, 1.0),
    "lead": (1.0, 0.3),
}
"""What all boards of a kind share, with its prior, as a middle and a deviation: the middle of
``first`` and of the logarithm of ``point``, the slope of that by the logarithm of the size, the
growth of both with strength, and by what a difference in strength counts in games with komi."""

OWN = {"first": (0.0, 0.3), "point": (0.0, 0.15), "lead": (0.0, 0.15)}
"""What a board has of its own, in addition to what its kind lets expect."""

TOLD = ("first", "point", "first growth", "point growth", "lead")
"""What the program is told of a board, in the order of its table."""

STEP = (1.1, 0.7)
"""How far apart neighbours of the ladder are, as log odds."""

TINY, ROUNDS, HALVED = 1e-5, 100, 30

PUT_TO_THE_TEST = (
    *("starstar(size=6)", "starstar(size=6,double)", "star(size=7)", "star(size=8)"),
    *("starweb(size=5,notch=1)", "starweb(size=6,notch=2)"),
    *("star(size=5)", "star(size=6)", "hex(size=9)", "y(size=9)"),
)
"""Boards; on those from the seventh on one step of a handicap is large."""

DISTANCES = (200, 400, 800)
"""Rating points: on each board the pairs of levels that are nearest to so far apart are tested."""

STEPS = range(3, 8)
"""The lower levels of the steps of the ladder."""

FULL_TEST = 200
"""Games of each pair on each board with --full, and half of those of each step of the ladder."""

SURE = 30.0
"""The deviation of ratings that many games have made."""

SHOWN = (1500, 2100)
"""Ratings for which the page shows what a handicap is worth."""

AT_A_TIME = 30
"""Games on one board before the next one has its turn."""


def play(game: Game, levels: tuple[int, int], seed: str) -> float:
    """Return 1.0 if the first of these levels wins, 0.0 if the second does, 0.5 for a draw."""
    chance = Random(seed)
    position, swapped = game.start(), False
    while (outcome := game.outcome(position)) is None:
        is_x = position.to_move is Side.X
        level = LEVELS[levels[is_x is swapped] - 1]
        move = choose(game, position, level, chance.getrandbits(31)).move
        if move is None:
            winner: Side | None = position.to_move.other
            break
        position, swapped = game.play(position, move), swapped or move.is_swap
    else:
        winner = outcome.winner
    if winner is None:
        return 0.5
    return float((winner is Side.X) is not swapped)


class Played:
    """The games played so far, by what was asked: for each komi the first's points, and games."""

    def __init__(self, kept: Path) -> None:
        """Read what was kept."""
        self._kept = kept
        self.found: dict[str, dict[str, list[float]]] = {}
        if kept.exists():
            self.found = json.loads(kept.read_text(encoding="utf-8"))

    def note(self, key: str, komi: int, won: float) -> None:
        """Count a game."""
        counted = self.found.setdefault(key, {}).setdefault(str(komi), [0.0, 0])
        counted[0] += won
        counted[1] += 1

    def total(self, key: str) -> tuple[float, int]:
        """Return what the first has won of all games of a key, and how many there are."""
        rows = self.found.get(key, {}).values()
        return sum(won for won, _ in rows), round(sum(games for _, games in rows))

    def play_until(self, key: str, games: int, once: Callable[[int], tuple[int, float]]) -> None:
        """Play ``once`` for each number until a key has so many games, and keep them."""
        start = self.total(key)[1]
        for number in range(start, games):
            self.note(key, *once(number))
        if games > start:
            new = self._kept.with_suffix(".new")
            new.write_text(json.dumps(self.found, indent=1), encoding="utf-8")
            new.replace(self._kept)


def learn(played: Played, specs: Sequence[str], games: int) -> Iterator[str]:
    """Play games without swap until there are so many of each level, or pair of levels."""
    for done in _by_turns(games):
        for spec in specs:
            for level in LEARNED_FROM:
                pair = level, level
                played.play_until(_learned_key(spec, pair), done, _learner(played, spec, pair))
            if takes_komi(parse_game(spec)):
                for pair in UNEQUAL:
                    played.play_until(_learned_key(spec, pair), done, _learner(played, spec, pair))
                for low in STEPS:
                    played.play_until(f"{spec} step {low}", done, _stepper(spec, low, "step"))
            yield f"{spec}: {done} games of each level"


def _by_turns(games: int) -> list[int]:
    return [*range(AT_A_TIME, games, AT_A_TIME), games]


def _learned_key(spec: str, pair: tuple[int, int]) -> str:
    return f"{spec} {pair[0]}" if pair[0] == pair[1] else f"{spec} {pair[0]} {pair[1]}"


def _learner(
    played: Played, spec: str, pair: tuple[int, int]
) -> Callable[[int], tuple[int, float]]:
    """Return what plays a game of the first of these levels, as X, against the second."""
    game, key = parse_game(spec), _learned_key(spec, pair)
    jitter = JITTER if pair[0] == pair[1] else JITTER[:1]

    def once(number: int) -> tuple[int, float]:
        komi = 0
        if takes_komi(game):
            at = played.found.setdefault(f"{key} stairs", {"at": [2 * (pair[0] - pair[1]), 0]})[
                "at"
            ]
            komi = round(at[0]) + jitter[number % len(jitter)]
        changed: dict[str, Any] = {"komi": komi} if komi else {"noswap": True}
        tried = replace(game, **changed)
        words = f"{format_game(tried)} {key.removeprefix(f'{spec} ')}"
        won = play(tried, pair, f"learn {words} {number}")
        if takes_komi(game) and not jitter[number % len(jitter)]:
            at[0] += 1 if won > 0.5 else -1
        return komi, won

    return once


def _stepper(spec: str, low: int, word: str) -> Callable[[int], tuple[int, float]]:
    """Return what plays an even game of the level above ``low``, by turns as X and as O."""
    game = parse_game(spec)

    def once(number: int) -> tuple[int, float]:
        seed = f"{word} {spec} {low} {number}"
        pair = (low + 1, low)
        return 0, play(game, pair, seed) if number % 2 else 1 - play(game, pair[::-1], seed)

    return once


def takes_komi(game: Game) -> bool:
    """Tell whether a game can be played with komi: Maxi-Star cannot."""
    return hasattr(game, "komi") and not getattr(game, "maxi", False)


class Seen(NamedTuple):
    """Games that were alike: board, levels of X and O, komi, X's points, and how many games.

    Komi is None in even games, with swap.
    """

    board: int
    levels: tuple[int, int]
    komi: int | None
    won: float
    games: float


def _seen(played: Played, specs: Sequence[str]) -> Iterator[Seen]:
    for number, spec in enumerate(specs):
        for pair in (*((level, level) for level in LEARNED_FROM), *UNEQUAL):
            for komi, row in played.found.get(_learned_key(spec, pair), {}).items():
                yield Seen(number, pair, int(komi), *row)
        for low in STEPS:
            for row in played.found.get(f"{spec} step {low}", {}).values():
                yield Seen(number, (low + 1, low), None, *row)


class Model:
    """The log odds of a kind of game as a function of parameters, which have names.

    Those of a board come by its number: what it has of its own of ``first`` and of the logarithm
    of ``point``, and how far apart two neighbours of the ladder are.
    """

    def __init__(self, specs: Sequence[str]) -> None:
        sizes = [math.log(parse_game(spec).option_values["size"]) for spec in specs]
        self.larger = [size - sum(sizes) / len(sizes) for size in sizes]
        self.has_komi = takes_komi(parse_game(specs[0]))
        self.prior = dict(SHARED)
        for number in range(len(specs)):
            self.prior |= {f"{name} {number}": prior for name, prior in OWN.items()}
            self.prior |= {f"step {number} {low}": STEP for low in STEPS}
        self.names = [*self.prior]
        self.values = {name: middle for name, (middle, _) in self.prior.items()}

    def told(self, board: int, name: str, values: dict[str, float]) -> float:
        """Return a figure of a board: of ``point`` the logarithm."""
        if name == "lead" and not self.has_komi:
            return 1.0  # No unequal levels have played without komi.
        if name not in OWN:
            return values[name]
        larger = self.larger[board] if name == "point" else 0.0
        return values[name] + values[f"{name} {board}"] + values["size"] * larger

    def odds(self, each: Seen, values: dict[str, float]) -> float:
        """Return X's log odds."""
        high, low = each.levels
        lead = sum(values[f"step {each.board} {at}"] for at in range(low, high))
        if each.komi is None:
            return lead
        above = strength((rating_of(high) + rating_of(low)) / 2)
        first = self.told(each.board, "first", values) + values["first growth"] * above
        if not self.has_komi:
            return lead + first
        point = self.told(each.board, "point", values) + values["point growth"] * above
        return self.told(each.board, "lead", values) * lead + first - each.komi * math.exp(point)

    def likelihood(self, seen: Iterable[Seen], values: dict[str, float]) -> float:
        """Return the logarithm of the likelihood of parameters, with their priors."""
        found = -sum(
            ((values[name] - middle) / deviation) ** 2 / 2
            for name, (middle, deviation) in self.prior.items()
        )
        for each in seen:
            odds = self.odds(each, values)
            lost = each.games - each.won
            found -= each.won * max(-odds, 0) + lost * max(odds, 0)
            found -= each.games * math.log1p(math.exp(-abs(odds)))
        return found

    def slopes(
        self, function: Callable[[dict[str, float]], float], value: float
    ) -> dict[int, float]:
        """Return the slopes of a function that has this value, by the number of a parameter."""
        found = {}
        for number, name in enumerate(self.names):
            moved = function(self.values | {name: self.values[name] + TINY})
            if moved != value:
                found[number] = (moved - value) / TINY
        return found


def fitted(played: Played, specs: Sequence[str]) -> dict[str, Worth]:
    """Return what was learned of the boards of a kind: the likeliest parameters, by scoring."""
    seen, model = [*_seen(played, specs)], Model(specs)
    names, prior = model.names, model.prior
    for _ in range(ROUNDS):
        right = [(prior[name][0] - model.values[name]) / prior[name][1] ** 2 for name in names]
        bend = [
            [(row == at) / prior[name][1] ** 2 for at in range(len(names))]
            for row, name in enumerate(names)
        ]
        for each in seen:
            odds = model.odds(each, model.values)
            chance = chance_of(odds)
            slopes = model.slopes(partial(model.odds, each), odds)
            for row, one in slopes.items():
                right[row] += one * (each.won - each.games * chance)
                for at, other in slopes.items():
                    bend[row][at] += one * other * each.games * chance * (1 - chance)
        before, way = model.likelihood(seen, model.values), solved(bend, right)
        for halved in range(HALVED):
            by = dict(zip(names, (each / 2**halved for each in way), strict=True))
            tried = {name: value + by[name] for name, value in model.values.items()}
            if model.likelihood(seen, tried) > before:
                model.values = tried
                break
        else:
            break
    inverse = [
        solved(bend, [float(at == row) for at in range(len(names))]) for row in range(len(names))
    ]
    found = {}
    for number, spec in enumerate(specs):
        functions = [partial(model.told, number, name) for name in TOLD]
        told = [function(model.values) for function in functions]
        rows = [model.slopes(*both) for both in zip(functions, told, strict=True)]
        covariance = [
            [
                sum(a * b * inverse[at][by] for at, a in row.items() for by, b in column.items())
                for column in rows
            ]
            for row in rows
        ]
        point = math.exp(told[1]) if model.has_komi else 0.0
        found[spec] = Worth(told[0], point, told[2], told[3], told[4], covariance)
    return found


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return the solution of linear equations whose matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, row in enumerate(rows):
        pivot = rows[at] = [value / row[at] for value in row]
        for number, other in enumerate(rows):
            if number != at:
                rows[number] = [b - other[at] * a for a, b in zip(pivot, other, strict=True)]
    return [row[-1] for row in rows]


def written(found: dict[str, Worth]) -> str:
    """Return the table as it is shipped."""
    lines = []
    for spec, worth in found.items():
        row = [[round(value, 4) for value in line] for line in worth.covariance]
        told = [*(round(value, 3) for value in worth[:5]), row]
        lines.append(f"{json.dumps(spec)}: {json.dumps(told)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def page_row(spec: str, worth: Worth) -> str:
    """Return what is known of a board as the page ``handicap`` has it, in rating points."""
    game = parse_game(spec)
    title = "Maxi-Star" if getattr(game, "maxi", False) else game.title
    double = "Double " * getattr(game, "double", False)
    name = f"{double}{title} {game.option_values['size']}"
    firsts, points = [], ""
    for rating in SHOWN:
        zero, one = (worth.shift(komi, rating) for komi in (0, 1))
        firsts.append(f"{SCALE * zero.odds:4.0f} +-{SCALE * zero.error:3.0f}")
        points += f"{SCALE * (zero.odds - one.odds):7.0f}" if worth.point else ""
    factor = f"{worth.lead:11.2f}" if worth.point else ""
    return f"    {name:17}{firsts[0]:11}{firsts[1]:11}{points}{factor}".rstrip()


def put_to_the_test(played: Played, specs: Sequence[str], games: int) -> Iterator[str]:
    """Play even games between unequal levels, and yield what comes of it."""
    shares = []
    for spec in specs:
        game, lead = parse_game(spec), {STEPS[1]: 0.0}
        for low in STEPS[1:]:
            key = f"{spec} span {low}"
            played.play_until(key, 2 * games, _stepper(spec, low, "span"))
            won, count = played.total(key)
            lead[low + 1] = lead[low] + SCALE * math.log((won + 0.5) / (count - won + 0.5))
        all_won = all_games = 0.0
        for low, high in _tested_pairs(lead):
            middle, half = (rating_of(low) + rating_of(high)) / 2, (lead[high] - lead[low]) / 2
            found = even_game(game, Rating(middle + half, SURE), Rating(middle - half, SURE))
            levels = (high, low) if found.is_first_x else (low, high)
            key = f"{spec} evened {high} {low} {format_game(found.game)} {levels[0]}"

            def once(
                number: int,
                game: Game = found.game,
                levels: tuple[int, int] = levels,
                key: str = key,
            ) -> tuple[int, float]:
                pair = levels[::-1] if game.allows_swap and number % 2 else levels
                won = play(game, pair, f"{key} {number}")
                return 0, won if pair[0] == max(pair) else 1 - won

            played.play_until(key, games, once)
            won, count = played.total(key)
            all_won, all_games = all_won + won, all_games + count
            yield (
                f"{spec:26}{high} v {low}  {2 * half:4.0f} points  {format_game(found.game):36}"
                f" X {levels[0]}  forecast {found.forecast:.0%}: {_share(won, count)}"
            )
        if takes_komi(game):
            shares.append(all_won / all_games)
        yield f"{spec:26}all: {_share(all_won, all_games)}"
    if shares:
        yield f"mean of the boards with komi: {sum(shares) / len(shares):.1%}"


def _tested_pairs(lead: dict[int, float]) -> list[tuple[int, int]]:
    """Return of levels with these ratings those pairs, of low and high, that are to be tested."""
    left = [(low, high) for low in lead for high in lead if low < high]
    found = []
    for distance in DISTANCES:
        nearest = min(left, key=lambda pair: abs(lead[pair[1]] - lead[pair[0]] - distance))
        left.remove(nearest)
        found.append(nearest)
    return found


def _share(won: float, games: float) -> str:
    low, high = Result(round(won), round(games)).interval
    return f"{won:5.1f} of {games:.0f}  {won / games:.0%} ({low:.0%} to {high:.0%})"


def main() -> None:
    """Play, and report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("learn", "even"))
    parser.add_argument("--games", type=int, default=20, help="of each level, or pair of levels")
    parser.add_argument("--board", action="append", default=[], help="in place of the usual")
    parser.add_argument("--kept", type=Path, default=KEPT, help="the file of what was played")
    parser.add_argument("--full", action="store_true", help="as many as the page handicap tells")
    parser.add_argument("--write", action="store_true", help="write the table of the program")
    said = parser.parse_args()
    played = Played(said.kept)
    if said.what == "even":
        games = FULL_TEST if said.full else said.games
        for line in put_to_the_test(played, said.board or PUT_TO_THE_TEST, games):
            print(line, flush=True)
        return
    games = FULL_LEARNING if said.full else said.games
    every = said.board or [spec for kind in KINDS for spec in kind]
    for line in learn(played, every, games):
        print(line, flush=True)
    found: dict[str, Worth] = {}
    for kind in KINDS:
        if asked := [spec for spec in kind if spec in every]:
            found |= fitted(played, asked)
    for spec, worth in found.items():
        print(page_row(spec, worth))
    if said.write:
        TABLE.write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()

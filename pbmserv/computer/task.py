"""The kernel's task: a position, the order of turns, the value of results, and the chance."""

from collections.abc import Callable
from functools import lru_cache
from itertools import chain, cycle, islice, repeat
from math import inf, log, sqrt
from random import Random
from typing import Any, NamedTuple

from pbmserv.computer.game_arrays import GameArrays, can_link
from pbmserv.computer.patterns import Weights, weights_of
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.settle import settled

RAVE_VISITS = 1000
"""The visits after which RAVE weighs one half: k of sqrt(k / (3 visits + k)), as in its paper."""

EXPLORATION = 0.5
"""The weight of the confidence bound in plain UCT."""

MARGIN_BONUS = 0.2
"""The part of a result's value that depends on the margin; the rest is the win."""

EXPAND_VISITS = 8
"""Visits after which a node has children, if patterns weigh them and they are many."""

PRIOR_WEIGHT = 2.0
"""What a move's share by patterns, 0 to 1, is multiplied with to be its prior."""

MIN_SHARE = 0.25
"""The part of the mean share below which a move waits until the node is widened."""

LOOK_VISITS = 256
"""Visits after which a node is looked at for links that decide it."""

EARLY_LOOK_VISITS = 32
"""The same on boards of at most ``SMALL`` cells, where a look is cheap."""

SMALL = 64

LATE_LOOK_VISITS = 2048
"""The same in games that several chains can win together, where links decide less."""

MAX_VISITS = 1 << 16
"""Visits up to which weights that depend on them are tabled: they hardly change after that."""

MAX_NODES = 2_000_000
"""Nodes of the largest tree: some 100 megabytes compiled, and 16 more for every 62 cells if links
are looked for; four times that in plain Python."""


class Effort(NamedTuple):
    """How hard to think: a number of simulations, and the seed of their random numbers.

    There are fewer if they would take more than ``seconds`` of processor time, or if ``watch``,
    which is called with the search now and then, returns True. ``is_plain`` asks for UCT alone,
    without RAVE, bridges, proofs and margins, to measure what these are worth; ``has_patterns`` for
    patterns and links.
    """

    simulations: int
    seed: int = 0
    is_plain: bool = False
    has_patterns: bool = True
    seconds: float = inf
    watch: Callable[[Any], bool] | None = None


class Task(NamedTuple):
    """What to search: a position, and everything that does not follow from the board alone.

    ``empty`` are the empty cells in random order. For each stone from now on, ``movers`` has its
    side, and ``answers`` how many stones before it the one was to which it replies, or 0. ``tie``
    is who wins an even game: 1 X, -1 O, 0 nobody. ``rewards`` are the values of results for X, 0 to
    1, by twice the margin from the lowest to the highest. By a child's visits, ``rave_share`` is
    the weight of RAVE; ``spread`` (of the parent) times ``inverse_root`` is the confidence bound of
    plain UCT. ``capacity`` is the largest number of nodes; ``state`` starts the random numbers.
    After ``expand_visits`` visits a node has children; after ``look_visits`` it is looked at for
    links, never if that is -1. ``weights`` are the patterns; see ``PRIOR_WEIGHT`` and ``MIN_SHARE``
    for the two numbers that tell how they count. ``has_replies`` asks for them in playouts, too.
    ``last`` is the cell of the opponent's last stone, or -1.
    """

    stones: bytes
    empty: list[int]
    movers: list[int]
    answers: list[int]
    tie: int
    rewards: tuple[float, ...]
    rave_share: tuple[float, ...]
    spread: tuple[float, ...]
    inverse_root: tuple[float, ...]
    capacity: int
    state: int
    is_plain: bool
    expand_visits: int
    look_visits: int
    weights: Weights | None
    prior_weight: float
    min_share: float
    has_replies: bool
    last: Cell


def task_of(game: Game, arrays: GameArrays, position: Position, effort: Effort) -> Task:
    """Return the task of searching ``position`` with this effort."""
    simulations, seed, is_plain, has_patterns, *_ = effort
    rave_share, spread, inverse_root = _tables_by_visits(min(simulations, MAX_VISITS))
    chance = Random(seed)
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    chance.shuffle(empty)  # the search takes the first of children with equal values
    movers = movers_from(position, game.stones_due(position), arrays.stones_a_turn)
    tie_winner = game.tie_winner(position)
    end = settled(game, position)
    bonus = 1.0 if end and end.winner else MARGIN_BONUS
    looks = simulations > 0 and has_patterns and not is_plain
    weights = weights_of(game) if has_patterns and not is_plain else None
    return Task(
        stones=position.stones,
        empty=empty,
        movers=movers,
        answers=[0] * len(movers) if is_plain else answers_of(movers),
        tie={Side.X: 1, Side.O: -1, None: 0}[tie_winner],
        rewards=rewards_of(arrays, 0.0 if is_plain else bonus),
        rave_share=rave_share,
        spread=spread,
        inverse_root=inverse_root,
        capacity=min(MAX_NODES, 1 + len(empty) * (simulations + 1)),
        state=chance.getrandbits(60) + 1,  # 0 would only lead to 0
        is_plain=is_plain,
        expand_visits=EXPAND_VISITS if weights else 1,
        look_visits=_look_visits(arrays) if looks else -1,
        weights=weights,
        prior_weight=PRIOR_WEIGHT,
        min_share=MIN_SHARE,
        has_replies=weights is not None and len(weights.replies) > 0,
        last=position.last[0] if position.last else -1,
    )


def _look_visits(arrays: GameArrays) -> int:
    """Return the visits after which a node is looked at for links, -1 for never."""
    if not can_link(arrays):
        return -1
    if arrays.tables.total != 1:
        return LATE_LOOK_VISITS
    return EARLY_LOOK_VISITS if arrays.size <= SMALL else LOOK_VISITS


def movers_from(position: Position, due: int, a_turn: int) -> list[int]:
    """Return the side of each stone until the board is full.

    ``due`` stones are left of this turn; every later turn has ``a_turn``.
    """
    us, them = position.to_move.stone, position.to_move.other.stone
    later = chain.from_iterable(repeat(side, a_turn) for side in cycle((them, us)))
    return list(islice(chain(repeat(us, due), later), position.empty_count))


def answers_of(movers: list[int]) -> list[int]:
    """Return for each stone how many before it the opponent's was that it may answer, or 0."""
    # The first stone of a turn answers the last one before it, the second of two the one before
    # that.
    found = []
    for number, mover in enumerate(movers):
        is_first = number == 0 or movers[number - 1] != mover
        back = 1 if is_first else 3
        found.append(back if number >= back and movers[number - back] != mover else 0)
    return found


@lru_cache(maxsize=8)
def rewards_of(arrays: GameArrays, bonus: float) -> tuple[float, ...]:
    """Return the value of each margin for X: the win, of which ``bonus`` is for its height."""
    tables = arrays.tables
    x, o = tables.marks
    most = max(map(abs, tables.points))
    counting = sum(1 for cell in range(arrays.size) if x[cell] or o[cell])
    bound = 2 * (counting * most + abs(tables.start) + 1) + 1
    found = []
    for margin in range(-bound, bound + 1):
        win = 0.5 if margin == 0 else float(margin > 0)
        height = min(max(0.5 + margin / (4 * most), 0.0), 1.0)
        found.append((1.0 - bonus) * win + bonus * height)
    return tuple(found)


@lru_cache(maxsize=8)
def _tables_by_visits(visits: int) -> list[tuple[float, ...]]:
    """Return ``rave_share``, ``spread`` and ``inverse_root`` of a task, from 0 visits on."""
    counts = range(visits + 2)
    return [
        tuple(sqrt(RAVE_VISITS / (3 * count + RAVE_VISITS)) for count in counts),
        tuple(EXPLORATION * sqrt(log(max(count, 1))) for count in counts),
        tuple(1.0 / sqrt(max(count, 1)) for count in counts),
    ]

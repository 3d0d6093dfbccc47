"""One position as the kernel wants it: whose turn is when, what a result is worth, and chance."""

from functools import lru_cache
from itertools import chain, cycle, islice, repeat
from math import inf, log, sqrt
from random import Random
from typing import NamedTuple

from pbmserv.computer.arena import Arena, can_link
from pbmserv.computer.patterns import Weights, weights_of
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Position, Side
from pbmserv.engine.settle import settled

RAVE_VISITS = 1000
"""The visits at which a child's own results weigh as much as a third of what it shares."""

EXPLORATION = 0.5
"""The weight of what is uncertain in plain UCT."""

MARGIN_BONUS = 0.2
"""The part of a result that depends on the margin; the rest on who wins."""

PATIENCE = 8
"""A node has children after so many visits, where patterns weigh them and they are many."""

PRIOR_WEIGHT = 2.0
"""How much the share that patterns give to a move adds to its worth, before it is visited."""

LEAST_SHARE = 0.25
"""A move of which patterns expect less than so much of the mean waits until a node is wider."""

LOOK_VISITS = 256
"""After so many visits a node is looked at for links that decide it, ..."""

EARLY_LOOK_VISITS = 32
"""... after so many on boards of ``SMALL`` cells at most, where a look is cheap, ..."""

SMALL = 64

LATE_LOOK_VISITS = 2048
"""... after so many where several chains can win together: links decide less there."""

MOST_TOLD = 1 << 16
"""More visits count as so many where a weight depends on them: it hardly changes any more."""

MOST_NODES = 2_000_000
"""The nodes of the largest tree: some 100 megabytes compiled, and 16 more for every 62 cells where
links are looked for; four times that in plain Python."""


class Effort(NamedTuple):
    """How hard to think: so many simulations, whose chance starts from ``seed``.

    Fewer where they would take more than so many ``seconds`` of processor time. ``is_plain`` asks
    for UCT alone, without shared results, bridges, proofs and margins, as a measure of what these
    are worth; ``has_patterns`` for what was learned of moves.
    """

    simulations: int
    seed: int = 0
    is_plain: bool = False
    has_patterns: bool = True
    seconds: float = inf


class Task(NamedTuple):
    """What to search: a position, and everything that does not follow from the board alone.

    ``empty`` are the empty cells in some order. Of the stones that follow one another from now
    on, ``movers`` says whose each is. ``answers`` says how many stones back stands the one to
    which it replies, or 0. ``tie`` is who wins even games: 1 X, -1 O, 0 nobody. ``rewards`` are
    what a result is worth to X, 0 to 1, by twice the margin from the lowest to the highest. By a
    child's visits, ``rave_share`` is the weight of what it shares with others, ``spread`` and
    ``inverse_root`` make the upper confidence bound of plain UCT. ``capacity`` is how many nodes
    the tree may have; ``state`` starts the random numbers. After ``patience`` visits a node has
    children; after ``look_visits`` links may decide it, never if that is -1. ``weights`` are what
    was learned of moves, ``prior_weight`` how much that counts in the tree, ``least_share`` what
    part of the mean a move needs to be tried at once, ``has_replies`` tells whether it is used in
    playouts, and ``last`` is where the opponent's last stone stands, or -1.
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
    patience: int
    look_visits: int
    weights: Weights | None
    prior_weight: float
    least_share: float
    has_replies: bool
    last: Cell


def task_of(game: Game, arena: Arena, position: Position, effort: Effort) -> Task:
    """Return the task of thinking so hard about ``position``."""
    simulations, seed, is_plain, has_patterns, _ = effort
    told = min(simulations, MOST_TOLD)
    chance = Random(seed)
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    chance.shuffle(empty)  # of children that are worth the same the search takes the first
    movers = movers_from(position, game.stones_due(position), arena.stones_a_turn)
    tie_winner = game.tie_winner(position)
    end = settled(game, position)
    bonus = 1.0 if end and end.winner else MARGIN_BONUS
    weights = weights_of(game) if has_patterns and not is_plain else None
    return Task(
        stones=position.stones,
        empty=empty,
        movers=movers,
        answers=[0] * len(movers) if is_plain else answers_of(movers),
        tie={Side.X: 1, Side.O: -1, None: 0}[tie_winner],
        rewards=rewards_of(arena, 0.0 if is_plain else bonus),
        rave_share=_rave_shares(told),
        spread=_spreads(told),
        inverse_root=_inverse_roots(told),
        capacity=min(MOST_NODES, 1 + len(empty) * (simulations + 1)),
        state=chance.getrandbits(60) + 1,  # from 0 there would be no other
        is_plain=is_plain,
        patience=PATIENCE if weights else 1,
        look_visits=_look_visits(arena) if has_patterns and not is_plain else -1,
        weights=weights,
        prior_weight=PRIOR_WEIGHT,
        least_share=LEAST_SHARE,
        has_replies=weights is not None and len(weights.replies) > 0,
        last=position.last[0] if position.last else -1,
    )


def _look_visits(arena: Arena) -> int:
    if not can_link(arena):
        return -1
    if arena.tables.total != 1:
        return LATE_LOOK_VISITS
    return EARLY_LOOK_VISITS if arena.size <= SMALL else LOOK_VISITS


def movers_from(position: Position, due: int, a_turn: int) -> list[int]:
    """Return whose stone is placed first, second, ... until the board is full.

    ``due`` stones are left of the turn at hand, every later turn has ``a_turn``.
    """
    us, them = position.to_move.stone, position.to_move.other.stone
    later = chain.from_iterable(repeat(side, a_turn) for side in cycle((them, us)))
    return list(islice(chain(repeat(us, due), later), position.empty_count))


def answers_of(movers: list[int]) -> list[int]:
    """Return how far back stands the opponent's stone that each stone may answer, or 0.

    The first stone of a turn answers the last one before it, the second of two the one before
    that.
    """
    found = []
    for number, mover in enumerate(movers):
        is_first = number == 0 or movers[number - 1] != mover
        back = 1 if is_first else 3
        found.append(back if number >= back and movers[number - back] != mover else 0)
    return found


@lru_cache(maxsize=8)
def rewards_of(arena: Arena, bonus: float) -> tuple[float, ...]:
    """Return what each margin is worth to X: the win, and ``bonus`` for its height."""
    tables = arena.tables
    x, o = tables.marks
    most = max(map(abs, tables.points))
    counting = sum(1 for cell in range(arena.size) if x[cell] or o[cell])
    bound = 2 * (counting * most + abs(tables.start) + 1) + 1
    found = []
    for margin in range(-bound, bound + 1):
        win = 0.5 if margin == 0 else float(margin > 0)
        height = min(max(0.5 + margin / (4 * most), 0.0), 1.0)
        found.append((1.0 - bonus) * win + bonus * height)
    return tuple(found)


@lru_cache(maxsize=8)
def _rave_shares(visits: int) -> tuple[float, ...]:
    return tuple(sqrt(RAVE_VISITS / (3 * own + RAVE_VISITS)) for own in range(visits + 2))


@lru_cache(maxsize=8)
def _spreads(visits: int) -> tuple[float, ...]:
    return tuple(EXPLORATION * sqrt(log(max(own, 1))) for own in range(visits + 2))


@lru_cache(maxsize=8)
def _inverse_roots(visits: int) -> tuple[float, ...]:
    return tuple(1.0 / sqrt(max(own, 1)) for own in range(visits + 2))

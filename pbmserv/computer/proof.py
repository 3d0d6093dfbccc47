"""Proofs that a side wins, whatever the other plays: by fillings, by links, and by search."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from pbmserv.computer.arena import Arena, arena_of, can_link
from pbmserv.computer.bounds import Bounds, fastest_bounds
from pbmserv.computer.links import FULL, HALF, fastest_links
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, PASS, Position, Side

EFFORT = 1_000_000
"""How many cells a search may look at, those of every position judged: a few seconds' work.

Counted rather than timed, so that every machine gives the same answer.
"""


Link = tuple[Cell, ...]
"""The empty cells of a link; of two of them its owner gets one whatever is played."""


class Proof(NamedTuple):
    """That ``winner`` wins, and what proves it.

    ``move`` is what the winner plays if they are to move, or if the opponent passes; None where
    links alone are enough. ``carrier`` are the empty cells that the proof speaks of, ``move``
    included: what is played elsewhere need not be answered. ``links`` are those that remain after
    the winner's moves where the opponent always passes: each holds if its owner answers every
    stone in it there. ``depth`` is how many moves of the winner the search looked ahead.
    ``must_play`` are the cells with which the opponent, if they are to move, meets all threats at
    once; the winner has an answer to each.
    """

    winner: Side
    move: Cell | None
    carrier: tuple[Cell, ...]
    links: tuple[Link, ...]
    depth: int
    must_play: tuple[Cell, ...] = ()


def prove(game: Game, position: Position, depth: int, effort: int = EFFORT) -> Proof | None:
    """Return the proof of a win that looks at most ``depth`` of the winner's moves ahead.

    Depth 0 is links that share no cell alone; else links that do are looked for last, where they
    can win. Where a turn has two stones a link can be broken in one turn, so only what is settled
    by filling the board is proven. None if there is no such proof or ``effort`` (see
    :data:`EFFORT`) does not find it; after the end; for games without tables.
    """
    arena = arena_of(game)
    if arena is None or game.is_over(position):
        return None
    bounds = fastest_bounds()(arena)
    tie_winner = game.tie_winner(position)
    claims = [Claim(bounds, side, tie_winner is side) for side in Side]
    budget = iter(range(effort // arena.size))
    pairs, left = (claims, claims[::-1]), position.empty_count
    searches = [_Search(claim, rival, budget, left) for claim, rival in pairs]
    try:
        for ahead in range(depth + 1 if arena.stones_a_turn == 1 else 1):
            for search in searches:
                if found := _search(game, position, search, ahead):
                    carrier, meeting = map(tuple, map(sorted, (found.carrier, found.meeting)))
                    winner = search.claim.side
                    return Proof(winner, found.move, carrier, found.links, ahead, meeting)
    except _SpentError:
        pass
    return _by_shared_cells(game, position, arena) if depth and effort else None


class Claim(NamedTuple):
    """That ``side`` wins whatever the opponent, who is to move, plays."""

    bounds: Bounds
    side: Side
    wins_ties: bool

    def winning_links(self, stones: bytes, *, is_near: bool = False) -> tuple[Link, ...] | None:
        """Return links that prove the claim, none of them needless, or None if none are found.

        Those of two cells alone are found much faster: ``is_near`` asks for them.
        """
        bounds = self.bounds
        if not bounds.is_won(bounds.read(stones), self.side.stone, self.wins_ties, is_near):
            return None
        bounds.drop_needless()
        return tuple(map(tuple, bounds.used_links()))


def _by_shared_cells(game: Game, position: Position, arena: Arena) -> Proof | None:
    """Return a proof that stands on one link of all that a side must join, if there is one."""
    if not can_link(arena):
        return None
    links = fastest_links()(arena)
    stones = links.read(position.stones)
    mover, other = position.to_move, position.to_move.other
    if links.look(stones, mover.stone, HALF):
        winner = mover
    elif links.look(stones, other.stone, FULL) == FULL and survives_a_pass(game, position, other):
        winner = other
    else:
        return None
    return Proof(winner, links.best_key(), tuple(links.carrier()), (), 1)


def _search(game: Game, position: Position, search: "_Search", ahead: int) -> "_Found | None":
    side = search.claim.side
    if position.to_move is side:
        return search.moving(position.stones, ahead)
    if survives_a_pass(game, position, side):
        return search.answering(position.stones, ahead)
    return None


class _SpentError(Exception):
    """The search has judged as many positions as it may."""


class _Found(NamedTuple):
    """What proves a win from one position on."""

    move: Cell | None
    carrier: frozenset[Cell]
    links: tuple[Link, ...]
    meeting: frozenset[Cell] = frozenset()
    """The moves of the opponent that meet all threats at once."""


class _Search:
    """The search for a proof of one claim; it remembers every position it has judged.

    Links of more than two cells are worth their time at the root, and a stone further on.
    """

    def __init__(self, claim: Claim, rival: Claim, budget: Iterator[int], empty_count: int) -> None:
        self.claim = claim
        self.rival = rival
        self.budget = budget
        self.empty_count = empty_count
        self._moving: dict[tuple[bytes, int], _Found | None] = {}
        self._answering: dict[tuple[bytes, int], _Found | None] = {}
        self._linked: dict[bytes, _Found | None] = {}
        self._lost: dict[bytes, bool] = {}

    def moving(self, stones: bytes, depth: int) -> _Found | None:
        """Return a proof with the claimant to move."""
        key = stones, depth
        if key not in self._moving:
            found = self._by_links(stones)
            self._moving[key] = found or next(self._threats(stones, depth), None)
        return self._moving[key]

    def answering(self, stones: bytes, depth: int) -> _Found | None:
        """Return a proof with the opponent to move."""
        key = stones, depth
        if key not in self._answering:
            self._answering[key] = self._by_links(stones) or self._by_answers(stones, depth)
        return self._answering[key]

    def _by_links(self, stones: bytes) -> _Found | None:
        if stones not in self._linked:
            self._spend()
            is_near = stones.count(EMPTY) < self.empty_count - 1
            links = self.claim.winning_links(stones, is_near=is_near)
            self._linked[stones] = (
                None if links is None else _Found(None, frozenset(chain(*links)), links)
            )
        return self._linked[stones]

    def _threats(self, stones: bytes, depth: int) -> Iterator[_Found]:
        """Yield a proof for each first move of the claimant that has one."""
        if depth == 0 or self._is_lost(stones):
            return
        for cell in _empty(stones):
            found = self.answering(_with(stones, cell, self.claim.side), depth - 1)
            if found:
                yield _Found(cell, found.carrier | {cell}, found.links)

    def _by_answers(self, stones: bytes, depth: int) -> _Found | None:
        """Return a proof that answers the opponent's pass and each of their moves.

        Whoever moves outside of what a threat needs has as good as passed, so only moves that
        meet all threats at once need an answer of their own.
        """
        if depth == 0 or self._is_lost(stones):
            return None
        main: _Found | None = None
        carrier: frozenset[Cell] = frozenset()
        meeting: frozenset[Cell] = frozenset()
        for ahead in range(1, depth + 1):
            for threat in self._threats(stones, ahead):
                meeting = threat.carrier if main is None else meeting & threat.carrier
                main = main or threat
                carrier |= threat.carrier
                if not meeting:
                    return main._replace(carrier=carrier)
        if main is None:
            return None
        for cell in sorted(meeting):
            answer = self.moving(_with(stones, cell, self.claim.side.other), depth)
            if answer is None:
                return None
            carrier |= answer.carrier
        return main._replace(carrier=carrier, meeting=meeting)

    def _is_lost(self, stones: bytes) -> bool:
        """Tell whether links prove the rival's win even with the claimant to move."""
        if stones not in self._lost:
            self._spend()
            self._lost[stones] = self.rival.winning_links(stones, is_near=True) is not None
        return self._lost[stones]

    def _spend(self) -> None:
        """Raise :class:`_SpentError` once the budget is used up."""
        if next(self.budget, None) is None:
            raise _SpentError


def survives_a_pass(game: Game, position: Position, side: Side) -> bool:
    """Tell whether ``side`` has won if whoever is to move ends the game by passing."""
    if position.passes == 0:
        return True
    outcome = game.outcome(game.play(position, PASS))
    return outcome is not None and outcome.winner is side


def _empty(stones: bytes) -> list[Cell]:
    return [cell for cell, stone in enumerate(stones) if stone == EMPTY]


def _with(stones: bytes, cell: Cell, side: Side) -> bytes:
    return stones[:cell] + bytes((side.stone,)) + stones[cell + 1 :]

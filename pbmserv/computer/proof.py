"""Proofs that a side wins, whatever the other plays: by fillings, by pairs, and by search."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from pbmserv.computer.arena import can_link, most_stones_a_turn, require_arena
from pbmserv.computer.links import FULL, HALF, fastest_links
from pbmserv.computer.pairs import Claim, Pair
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, PASS, Position, Side
from pbmserv.engine.settle import tables_of

EFFORT = 1_000_000
"""How many cells a search may look at, those of every position judged: a few seconds' work.

Counted rather than timed, so that every machine gives the same answer.
"""


class Proof(NamedTuple):
    """That ``winner`` wins, and what proves it.

    ``move`` is what the winner plays if they are to move, or if the opponent passes; None where
    pairs alone are enough. ``carrier`` are the empty cells that the proof speaks of, ``move``
    included: what is played elsewhere need not be answered. ``pairs`` are those that remain after
    the winner's moves where the opponent always passes: lose one cell, take the other. ``depth``
    is how many moves of the winner the search looked ahead. ``must_play`` are the cells with which
    the opponent, if they are to move, meets all threats at once; the winner has an answer to each.
    """

    winner: Side
    move: Cell | None
    carrier: tuple[Cell, ...]
    pairs: tuple[Pair, ...]
    depth: int
    must_play: tuple[Cell, ...] = ()


def prove(game: Game, position: Position, depth: int, effort: int = EFFORT) -> Proof | None:
    """Return the proof of a win that looks at most ``depth`` of the winner's moves ahead.

    Depth 0 is pairs alone; else links are looked for last, where they can win. Where a turn has two
    stones a pair can be broken in one turn, so only what is settled by filling the board is proven.
    None if there is no such proof or ``effort`` (see :data:`EFFORT`) does not find it; after the
    end; for games without tables.
    """
    tables = tables_of(game)
    if tables is None or game.is_over(position):
        return None
    claims = [Claim(tables, side, game.tie_winner(position)) for side in Side]
    if most_stones_a_turn(game) > 1:
        sure = (claim.side for claim in claims if claim.is_settled(position.stones))
        return next((Proof(side, None, (), (), 0) for side in sure), None)
    budget = iter(range(effort // len(game.board)))
    searches = [_Search(claim, rival, budget) for claim, rival in (claims, claims[::-1])]
    try:
        for ahead in range(depth + 1):
            for search in searches:
                if found := _search(game, position, search, ahead):
                    carrier, meeting = map(tuple, map(sorted, (found.carrier, found.meeting)))
                    winner = search.claim.side
                    return Proof(winner, found.move, carrier, found.pairs, ahead, meeting)
    except _SpentError:
        pass
    return _by_links(game, position) if depth and effort else None


def _by_links(game: Game, position: Position) -> Proof | None:
    """Return a proof that stands on links between the sides of the board, if there is one."""
    arena = require_arena(game)
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
    pairs: tuple[Pair, ...]
    meeting: frozenset[Cell] = frozenset()
    """The moves of the opponent that meet all threats at once."""


class _Search:
    """The search for a proof of one claim; it remembers every position it has judged."""

    def __init__(self, claim: Claim, rival: Claim, budget: Iterator[int]) -> None:
        self.claim = claim
        self.rival = rival
        self.budget = budget
        self._moving: dict[tuple[bytes, int], _Found | None] = {}
        self._answering: dict[tuple[bytes, int], _Found | None] = {}
        self._paired: dict[bytes, _Found | None] = {}
        self._lost: dict[bytes, bool] = {}

    def moving(self, stones: bytes, depth: int) -> _Found | None:
        """Return a proof with the claimant to move."""
        key = stones, depth
        if key not in self._moving:
            found = self._by_pairs(stones)
            self._moving[key] = found or next(self._threats(stones, depth), None)
        return self._moving[key]

    def answering(self, stones: bytes, depth: int) -> _Found | None:
        """Return a proof with the opponent to move."""
        key = stones, depth
        if key not in self._answering:
            self._answering[key] = self._by_pairs(stones) or self._by_answers(stones, depth)
        return self._answering[key]

    def _by_pairs(self, stones: bytes) -> _Found | None:
        if stones not in self._paired:
            self._spend()
            pairs = self.claim.winning_pairs(stones)
            self._paired[stones] = (
                None if pairs is None else _Found(None, frozenset(chain(*pairs)), pairs)
            )
        return self._paired[stones]

    def _threats(self, stones: bytes, depth: int) -> Iterator[_Found]:
        """Yield a proof for each first move of the claimant that has one."""
        if depth == 0 or self._is_lost(stones):
            return
        for cell in _empty(stones):
            found = self.answering(_with(stones, cell, self.claim.side), depth - 1)
            if found:
                yield _Found(cell, found.carrier | {cell}, found.pairs)

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
        """Tell whether pairs prove the rival's win even with the claimant to move."""
        if stones not in self._lost:
            self._spend()
            self._lost[stones] = self.rival.winning_pairs(stones) is not None
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

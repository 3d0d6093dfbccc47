"""The solver: proofs that a side wins whatever the other plays, by links and by search.

Both sides are tried, at depth 0, then 1 and so on. At depth 0 the link prover must find links that
win with the opponent to move. Deeper, the claimant looks for threats, which are moves after which a
proof one step shallower holds. The opponent, if it is their turn, must meet all threats at once, so
only the cells that all their carriers share need an answer: the must-play region (Hayward et al.,
"Solving 7x7 Hex: virtual connections and game-state reduction", 2003). A move elsewhere is no
better than a pass. If no such proof is found, a single link of all that a side must join is looked
for at last.

    >>> from pbmserv.engine.spec import parse_game
    >>> y = parse_game("y(size=3)")
    >>> proof = prove(y, y.start(), depth=1)
    >>> str(proof.winner), y.board.names[proof.move], y.board.sorted_names(proof.carrier)
    ('X', 'B2', ['C1', 'B2', 'C2', 'A3', 'B3'])
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from pbmserv.computer.game_arrays import GameArrays, arrays_of, can_link
from pbmserv.computer.link_prover import LinkProver
from pbmserv.computer.links import ALL, FULL, HALF, SCRATCH, Links, fastest
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, PASS, Position, Side

DEFAULT_EFFORT = 1_000_000
"""Cells that a search may look at, of all positions judged together: a few seconds' work.

Counted rather than timed, so that every machine gives the same answer.
"""


Link = tuple[Cell, ...]
"""The carrier of a full link."""


class Proof(NamedTuple):
    """A proof that ``winner`` wins.

    ``move`` is what the winner plays if they are to move, or if the opponent passes; None if links
    alone win. ``carrier`` are the empty cells that the proof needs, ``move`` included: a stone
    elsewhere need not be answered. ``links`` are those that remain after the winner's moves if the
    opponent always passes: each holds if its owner answers every stone in it there. ``depth`` is
    the number of the winner's moves that the search looked ahead. ``must_play`` are the cells with
    which the opponent, if they are to move, meets all threats; the winner has an answer to each.
    """

    winner: Side
    move: Cell | None
    carrier: tuple[Cell, ...]
    links: tuple[Link, ...]
    depth: int
    must_play: tuple[Cell, ...] = ()


def prove(game: Game, position: Position, depth: int, effort: int = DEFAULT_EFFORT) -> Proof | None:
    """Return a proof that looks at most ``depth`` of the winner's moves ahead, or None.

    None means that there is no such proof, that ``effort`` (see :data:`DEFAULT_EFFORT`) was not
    enough, that the game is over or gives no tables. If a turn has two stones it can break a link,
    so only what stones have settled is proven.
    """
    arrays = arrays_of(game)
    if arrays is None or game.is_over(position):
        return None
    prover = fastest(LinkProver)(arrays)
    tie_winner = game.tie_winner(position)
    claims = [WinClaim(prover, side, tie_winner is side) for side in Side]
    budget = iter(range(effort // arrays.size))
    pairs, left = (claims, claims[::-1]), position.empty_count
    searches = [_Search(claim, rival, budget, left) for claim, rival in pairs]
    try:
        for ahead in range(depth + 1 if arrays.stones_a_turn == 1 else 1):
            for search in searches:
                if found := _prove_side(game, position, search, ahead):
                    carrier, must_play = map(tuple, map(sorted, (found.carrier, found.must_play)))
                    winner = search.claim.side
                    return Proof(winner, found.move, carrier, found.links, ahead, must_play)
    except _BudgetExhausted:
        pass
    return _prove_by_one_link(game, position, arrays) if depth and effort else None


class KeptLink(NamedTuple):
    """A full link of ``side`` between two ``ends``: a stone of a chain each, or ``~end`` an edge.

    The links of a side without ``shared`` cells hold all at once. Those of any other link are in
    the carriers of these, too: one stone there may break one of the two.
    """

    side: Side
    ends: tuple[int, int]
    cells: Link
    shared: Link = ()


def kept_links(game: Game, position: Position) -> list[KeptLink]:
    """Return what each side can keep joined whatever is played, smaller carriers first.

    They join chains, or a chain to an edge, that neither touch nor are joined by those before.
    There are none if a turn has two stones, which can break a pair. A link may be missed, but each
    that is returned holds, even if the other side has the move.

    >>> from pbmserv.engine.spec import parse_game
    >>> star = parse_game("star(size=4)")
    >>> [link] = kept_links(star, star.position_of({Side.X: ["C3", "B5"], Side.O: []}))
    >>> str(link.side), [star.board.names[cell] for cell in (*link.ends, *link.cells)]
    ('X', ['C3', 'B5', 'B4', 'C4'])
    """
    arrays = arrays_of(game)
    if arrays is None or arrays.stones_a_turn > 1:
        return []
    return [link for side in Side for link in _links_of(arrays, position.stones, side)]


def _links_of(arrays: GameArrays, stones: bytes, side: Side) -> Iterator[KeptLink]:
    """Yield the links of one side: first those that hold all at once, then the others."""
    links = fastest(Links)(arrays)
    links.look(links.read(stones), side.stone, ALL)
    joined: dict[int, set[int]] = {}  # by chain, the chains and edges to which it is joined so far
    taken, others, known = set[Cell](), [], set()
    for cells, two, one in _links_between_chains(links):
        if one in joined.setdefault(two, {two}):
            continue
        if taken.intersection(cells):
            others.append((cells, two, one))
            continue
        whole = joined[two] | joined.get(one, {one})
        joined.update((end, whole) for end in whole if end > links.sides)
        taken.update(cells)
        if cells:
            yield KeptLink(side, _named(links, arrays, (two, one), cells), cells)
    for cells, two, one in others:
        parts = frozenset((max(joined[two]), max(joined.get(one, {one}))))
        if one not in joined[two] and parts not in known:
            known.add(parts)
            shared = tuple(sorted(taken.intersection(cells)))
            yield KeptLink(side, _named(links, arrays, (two, one), cells), cells, shared)


def _links_between_chains(links: Links) -> list[tuple[Link, int, int]]:
    """Return each full link from a chain to another or to an edge: its carrier and its ends.

    Smaller carriers come first, and of the same size those that join chains.
    """
    found = []
    for link in range(SCRATCH, links.used):
        one, two = links.one[link], links.two[link]
        is_usable = one <= links.sides or links.is_joint[one]
        if is_usable and links.is_joint[two] and links.is_full[link] and not links.is_dead[link]:
            found.append((tuple(links.cells_of(link)), two, one))
    return sorted(found, key=lambda each: (len(each[0]), each[2] <= links.sides, each))


def _named(links: Links, arrays: GameArrays, ends: tuple[int, int], cells: Link) -> tuple[int, int]:
    """Return for a chain its stone that touches most of these cells, for an edge ~its number."""
    beside = arrays.tables.board.neighbours
    touching = {cell: len({*cells} & {*beside[cell]}) for cell in range(arrays.size)}

    def name(end: int) -> int:
        chain = [cell for cell in touching if end > links.sides and links.end_of[cell] == end]
        return max(chain, key=touching.__getitem__, default=-end)

    one, other = sorted(map(name, ends), key=lambda end: (end < 0, end))
    return one, other


def cells_against_threats(
    game: Game, position: Position, effort: int = DEFAULT_EFFORT
) -> tuple[Cell, ...]:
    """Return where alone the side to move can stop all moves after which links win for the other.

    () if there is no such move, if they share no cell, or if ``effort`` was not enough.
    """
    arrays = arrays_of(game)
    if arrays is None or arrays.stones_a_turn > 1:
        return ()
    prover, tie_winner = fastest(LinkProver)(arrays), game.tie_winner(position)
    other, mover = (
        WinClaim(prover, side, tie_winner is side)
        for side in (position.to_move.other, position.to_move)
    )
    budget = iter(range(effort // arrays.size))
    # Where several chains can win, links of more than two cells take seconds.
    empty_count = position.empty_count if can_link(arrays) else position.empty_count + 2
    threats = _Search(other, mover, budget, empty_count).threats(position.stones, 1)
    try:
        carriers = [threat.carrier for threat in threats]
    except _BudgetExhausted:
        return ()
    return tuple(sorted(frozenset.intersection(*carriers))) if carriers else ()


class WinClaim(NamedTuple):
    """The claim that ``side`` wins with the opponent to move."""

    prover: LinkProver
    side: Side
    wins_ties: bool

    def winning_links(self, stones: bytes, *, is_near: bool = False) -> tuple[Link, ...] | None:
        """Return links that prove the claim, each of them needed, or None if none are found.

        ``is_near`` asks for links of two cells alone, which are found much faster.
        """
        prover = self.prover
        if not prover.is_won(prover.read(stones), self.side.stone, self.wins_ties, is_near):
            return None
        prover.drop_needless()
        return tuple(map(tuple, prover.used_links()))


def _prove_by_one_link(game: Game, position: Position, arrays: GameArrays) -> Proof | None:
    """Return a proof by one link between all sides that must be joined, or None."""
    if not can_link(arrays):
        return None
    links = fastest(Links)(arrays)
    stones = links.read(position.stones)
    mover, other = position.to_move, position.to_move.other
    if links.look(stones, mover.stone, HALF):
        winner = mover
    elif links.look(stones, other.stone, FULL) == FULL and wins_after_pass(game, position, other):
        winner = other
    else:
        return None
    return Proof(winner, links.best_key(), tuple(links.cells_of(links.winning_set())), (), 1)


def _prove_side(
    game: Game, position: Position, search: "_Search", ahead: int
) -> "_SubProof | None":
    """Return the proof of one side's claim that looks so many of its moves ahead, or None."""
    side = search.claim.side
    if position.to_move is side:
        return search.prove_moving(position.stones, ahead)
    if wins_after_pass(game, position, side):
        return search.prove_replying(position.stones, ahead)
    return None


class _BudgetExhausted(Exception):
    """The search has looked at as many cells as it may."""


class _SubProof(NamedTuple):
    """A proof within the search, with the fields of :class:`Proof`."""

    move: Cell | None
    carrier: frozenset[Cell]
    links: tuple[Link, ...]
    must_play: frozenset[Cell] = frozenset()


class _Search:
    """The search for a proof of one claim, with every position that it has judged.

    Links of more than two cells are looked for at the root and a stone ahead, where they are worth
    their time.
    """

    def __init__(
        self, claim: WinClaim, rival: WinClaim, budget: Iterator[int], empty_count: int
    ) -> None:
        self.claim = claim
        self.rival = rival
        self.budget = budget
        self.empty_count = empty_count
        self._moving_proofs: dict[tuple[bytes, int], _SubProof | None] = {}
        self._replying_proofs: dict[tuple[bytes, int], _SubProof | None] = {}
        self._link_proofs: dict[bytes, _SubProof | None] = {}
        self._lost: dict[bytes, bool] = {}

    def prove_moving(self, stones: bytes, depth: int) -> _SubProof | None:
        """Return a proof with the claimant to move, or None."""
        key = stones, depth
        if key not in self._moving_proofs:
            found = self._prove_by_links(stones)
            self._moving_proofs[key] = found or next(self.threats(stones, depth), None)
        return self._moving_proofs[key]

    def prove_replying(self, stones: bytes, depth: int) -> _SubProof | None:
        """Return a proof with the opponent to move, or None."""
        key = stones, depth
        if key not in self._replying_proofs:
            self._replying_proofs[key] = self._prove_by_links(stones) or self._prove_replies(
                stones, depth
            )
        return self._replying_proofs[key]

    def _prove_by_links(self, stones: bytes) -> _SubProof | None:
        if stones not in self._link_proofs:
            self._spend()
            is_near = stones.count(EMPTY) < self.empty_count - 1
            links = self.claim.winning_links(stones, is_near=is_near)
            self._link_proofs[stones] = (
                None if links is None else _SubProof(None, frozenset(chain(*links)), links)
            )
        return self._link_proofs[stones]

    def threats(self, stones: bytes, depth: int) -> Iterator[_SubProof]:
        """Yield a proof for each move of the claimant that wins."""
        if depth == 0 or self._is_lost(stones):
            return
        for cell in (cell for cell, stone in enumerate(stones) if stone == EMPTY):
            found = self.prove_replying(_place(stones, cell, self.claim.side), depth - 1)
            if found:
                yield _SubProof(cell, found.carrier | {cell}, found.links)

    def _prove_replies(self, stones: bytes, depth: int) -> _SubProof | None:
        """Return a proof that answers the opponent's pass and each move of the must-play region."""
        if depth == 0 or self._is_lost(stones):
            return None
        main: _SubProof | None = None
        carrier: frozenset[Cell] = frozenset()
        must_play: frozenset[Cell] = frozenset()
        for ahead in range(1, depth + 1):
            for threat in self.threats(stones, ahead):
                must_play = threat.carrier if main is None else must_play & threat.carrier
                main = main or threat
                carrier |= threat.carrier
                if not must_play:
                    return main._replace(carrier=carrier)
        if main is None:
            return None
        for cell in sorted(must_play):
            answer = self.prove_moving(_place(stones, cell, self.claim.side.other), depth)
            if answer is None:
                return None
            carrier |= answer.carrier
        return main._replace(carrier=carrier, must_play=must_play)

    def _is_lost(self, stones: bytes) -> bool:
        """Tell whether links prove the rival's win even with the claimant to move."""
        if stones not in self._lost:
            self._spend()
            self._lost[stones] = self.rival.winning_links(stones, is_near=True) is not None
        return self._lost[stones]

    def _spend(self) -> None:
        """Raise :class:`_BudgetExhausted` once the budget is used up."""
        if next(self.budget, None) is None:
            raise _BudgetExhausted


def wins_after_pass(game: Game, position: Position, side: Side) -> bool:
    """Tell whether ``side`` wins even if the side to move ends the game by passing."""
    if position.passes == 0:
        return True
    outcome = game.outcome(game.play(position, PASS))
    return outcome is not None and outcome.winner is side


def _place(stones: bytes, cell: Cell, side: Side) -> bytes:
    return stones[:cell] + bytes((side.stone,)) + stones[cell + 1 :]

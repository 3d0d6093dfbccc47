"""Why a move is good, in words of the score sheet: what it joins, holds, cuts and earns."""

from collections.abc import Iterator, Sequence
from itertools import islice

from pbmserv.computer.game_arrays import EDGE, Bridge, arrays_of
from pbmserv.computer.links import ALL, Links, fastest
from pbmserv.computer.proof import prove
from pbmserv.engine.board import Cell, groups
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.settle import settled

MAX_REASONS = 4
"""Reasons that are given, the weightiest first."""
MAX_LINKS = 3
"""Winning links that are told by their cells."""


def reasons(game: Game, position: Position, move: Move) -> list[str]:
    """Return sentences on what a placing of stones does; none if nothing stands out."""
    return [*islice(_TurnReasons(game, position, move).sentences(), MAX_REASONS)]


class _TurnReasons:
    """A turn's stones, and the chains before and after them."""

    def __init__(self, game: Game, position: Position, move: Move) -> None:
        self.game = game
        self.arrays = arrays_of(game)
        self.side = position.to_move
        self.before = position
        self.after = game.play(position, move)
        self.cells = move.cells
        self.names = game.board.names
        self.leads = _leads(game, position)
        self.new_leads = _leads(game, self.after)

    def sentences(self) -> Iterator[str]:
        """Yield the reasons."""
        outcome = self.game.outcome(self.after)
        if outcome and outcome.winner is self.side:
            yield "It wins the game."
            return
        end = settled(self.game, self.after)
        if end and end.winner is self.side:
            yield f"It decides the game: {end.words}"
        else:
            yield from self._win()
        yield from self._gains()
        for cell in self.cells:
            yield from self._pairs(cell)
            yield from self._links(cell)
            yield from self._cuts(cell)

    def _win(self) -> Iterator[str]:
        """Yield that links alone win from here on, and how to answer stones in them."""
        proof = prove(self.game, self.after, 0)
        if proof is None or proof.winner is not self.side:
            return
        links = [" ".join(self.names[cell] for cell in link) for link in proof.links]
        if len(links) <= MAX_LINKS:
            *others, last = links
            told = f"{', '.join(others)} or {last}" if others else last
            yield f"It wins: answer each stone on {told} in the same link; ignore all others."
        else:
            yield f"It wins by {len(links)} links: answer each stone in the same link."

    def _gains(self) -> Iterator[str]:
        """Yield what the stones join, and what that adds to the score of either side."""
        joined = max(self.cells, key=lambda cell: len(self._chains(cell, self.side)))
        count = len(self._chains(joined, self.side))
        score, after = (self.game.score(one) for one in (self.before, self.after))
        gain = loss = 0
        other = self.side.other
        if self.game.points_to_agree(after) is not None:
            gain = after.points[self.side] - score.points[self.side]
            loss = score.points[other] - after.points[other]
        worth = f": {gain:+d}" if gain else ""
        if count > 1:
            number = {2: "two", 3: "three"}.get(count, str(count))
            yield f"{self.names[joined]} joins {number} chains{worth}."
        elif gain > 0:
            yield f"It earns {gain} at once."
        if loss > 0:
            yield f"It costs {other} {loss}."

    def _pairs(self, cell: Cell) -> Iterator[str]:
        """Yield the pairs that join the stone on ``cell`` to other chains, or to an edge."""
        told = {self.new_leads[cell]}
        for bridge in self._bridges(self.side):
            if cell not in bridge.ends or any(self.after.stones[end] for end in bridge.pair):
                continue
            [end] = {*bridge.ends} - {cell}
            target = EDGE if end == EDGE else self.new_leads[end]
            if target not in told:
                told.add(target)
                one, other = (self.names[each] for each in bridge.pair)
                where = self._place(end)
                stone = self.names[cell]
                yield f"{one} and {other} are a pair: {stone} cannot be cut off from {where}."

    def _links(self, cell: Cell) -> Iterator[str]:
        """Yield the links from a stone that stands alone to other chains and edges further away."""
        # A link is left out if some of its cells link the stone to another chain or edge.
        arrays = self.arrays
        if not arrays or arrays.stones_a_turn > 1 or self._chains(cell, self.side):
            return
        links = fastest(Links)(arrays)
        links.look(links.read(self.after.stones), self.side.stone, ALL)
        stones = sorted({*self.new_leads.values()} - {self.new_leads[cell]})
        ours = [stone for stone in stones if self.after.stones[stone] == self.side.stone]
        found = [
            (links.to_edge(cell), EDGE),
            *((links.between(cell, stone), stone) for stone in ours),
        ]
        told: list[set[Cell]] = []
        for cells, end in sorted(found, key=lambda one: (len(one[0]), one)):
            if not cells or any(known <= {*cells} for known in told):
                continue
            told.append({*cells})
            if len(cells) > 2:
                names = " ".join(self.names[each] for each in cells)
                where = self._place(end)
                yield f"{self.names[cell]} cannot be cut off from {where}: {names} are enough."

    def _cuts(self, cell: Cell) -> Iterator[str]:
        """Yield what the stone on ``cell`` does to the other side's chains."""
        other = self.side.other
        for bridge in self._bridges(other):
            if cell in bridge.pair:
                [reply] = {*bridge.pair} - {cell}
                if not self.after.stones[reply]:
                    end, far = map(self._place, bridge.ends)
                    answer = f"{other} should answer at {self.names[reply]}"
                    yield f"It threatens to cut {end} off from {far}: {answer}."
                    return
        one, *others = [*self._chains(cell, other).values()] or [cell]
        if others and not self._can_join(one, others[0]):
            names = " and ".join(self.names[each] for each in sorted((one, others[0])))
            yield f"It keeps {other}'s stones on {names} apart."

    def _can_join(self, one: Cell, two: Cell) -> bool:
        """Tell whether one more stone makes these two stones one chain."""
        ends = {self.new_leads[one], self.new_leads[two]}
        board, stones, leads = self.game.board, self.after.stones, self.new_leads
        return any(
            ends <= {leads[beside] for beside in board.neighbours[cell] if stones[beside]}
            for cell, stone in enumerate(stones)
            if not stone
        )

    def _bridges(self, side: Side) -> Iterator[Bridge]:
        """Yield the bridges of which ``side`` holds both ends, not joined yet, after the move."""
        # There are none if a turn has two stones, for one turn can break a pair.
        if self.arrays is None or self.arrays.stones_a_turn > 1:
            return
        marks = self.arrays.tables.marks[side.stone - 1]
        stones, leads = self.after.stones, self.new_leads
        for bridge in self.arrays.bridges:
            one, other = bridge.ends
            if not bridge.users & side.stone or stones[one] != side.stone:
                continue
            if other == EDGE:
                is_new = not self._is_on_edge(marks, bridge)
            else:
                is_new = stones[other] == side.stone and leads[one] != leads[other]
            if is_new:
                yield bridge

    def _place(self, end: Cell) -> str:
        return "the edge" if end == EDGE else self.names[end]

    def _is_on_edge(self, marks: Sequence[int], bridge: Bridge) -> bool:
        """Tell whether the chain at the bridge already touches the edge to which it leads."""
        edge = marks[bridge.pair[0]] & marks[bridge.pair[1]]
        here = self.new_leads[bridge.ends[0]]
        held = 0
        for other, lead in self.new_leads.items():
            held |= marks[other] if lead == here else 0
        return not edge & ~held

    def _chains(self, cell: Cell, side: Side) -> dict[Cell, Cell]:
        """Return a neighbour of ``cell`` in each chain of ``side`` that touches it."""
        stones = self.before.stones
        beside = self.game.board.neighbours[cell]
        return {self.leads[one]: one for one in reversed(beside) if stones[one] == side.stone}


def _leads(game: Game, position: Position) -> dict[Cell, Cell]:
    """Return for each stone the first cell of its chain."""
    return {
        cell: chain[0]
        for side in Side
        for chain in groups(game.board, position.stone_mask(side))
        for cell in chain
    }

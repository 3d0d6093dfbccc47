"""Pairings of tournaments: pools, round robin by the circle method, and Swiss rounds.

In a Swiss round players with equal points meet: the first of them chooses an opponent from the
lower half, and so on down the standings. A choice counts only if all others can still be paired,
which is known from a largest matching (``matching.py``) of the graph of permitted pairings. If not
all can be paired by the strictest terms, these are loosened one by one: first the balance of
colours is given up, then a second meeting is permitted, then a third.

    >>> four = [Entrant(number, "abcd"[number - 1], 1500.0) for number in (1, 2, 3, 4)]
    >>> first = swiss_round(four, ())
    >>> [(board.x, board.o) for board in first]
    [(1, 3), (4, 2)]
    >>> second = swiss_round(four, [replace(board, score=1.0) for board in first])
    >>> [(board.x, board.o) for board in second]
    [(1, 4), (3, 2)]
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pbmserv.club.matching import NOBODY, Mates, largest_matching

BYE_SCORE = 1.0


@dataclass(frozen=True)
class Entrant:
    """A player in a tournament, with the rating they entered with."""

    player_id: int
    userid: str
    rating: float
    is_withdrawn: bool = False


@dataclass(frozen=True)
class Encounter:
    """One board of a tournament, or a bye, by player ids.

    ``score`` is that of ``x``: 1, 0.5 or 0, None until it is known. A bye has no ``o``.
    """

    round: int
    x: int
    o: int | None
    score: float | None = None
    pool: int = 0

    def opponent_of(self, player_id: int) -> int | None:
        """Return the other player, None in a bye."""
        return self.o if player_id == self.x else self.x

    def score_of(self, player_id: int) -> float:
        """Return the score of one of the two, 0 until it is known."""
        if self.score is None:
            return 0.0
        return self.score if player_id == self.x else 1 - self.score


def boards_of(
    entrants: Sequence[Entrant], encounters: Sequence[Encounter]
) -> dict[int, list[Encounter]]:
    """Return the boards and byes of each entrant, by player id."""
    boards: dict[int, list[Encounter]] = {entrant.player_id: [] for entrant in entrants}
    for board in encounters:
        for player in (board.x, board.o):
            if player in boards:
                boards[player].append(board)
    return boards


def points_of(player: int, boards: Sequence[Encounter]) -> float:
    """Return the points of a player from these boards."""
    return sum((board.score_of(player) for board in boards), 0.0)


def pools(entrants: Sequence[Entrant], size: int) -> tuple[tuple[Entrant, ...], ...]:
    """Return groups of about ``size`` entrants of like strength, the strongest first.

    Their sizes differ by at most one, and nobody is alone if there are two.
    """
    ranked = sorted(entrants, key=lambda entrant: (-entrant.rating, entrant.player_id))
    count = max(1, min(round(len(ranked) / size), len(ranked) // 2))
    edges = [len(ranked) * number // count for number in range(count + 1)]
    return tuple(tuple(ranked[low:high]) for low, high in pairwise(edges))


def round_robin(player_ids: Sequence[int], *, both_colours: bool = False) -> tuple[Encounter, ...]:
    """Return boards on which all meet each other, in rounds of at most one board each.

    By the circle method: one player stays, the others move on by one seat a round. The numbers of
    a player's boards with X and with O differ by at most one.
    """
    seats: list[int | None] = list(player_ids)
    if len(seats) % 2:
        seats.append(None)
    circle = len(seats) - 1
    found = []
    for number in range(circle):
        pairs = [(seats[number], seats[-1]) if number % 2 else (seats[-1], seats[number])]
        pairs += [
            (seats[(number + step) % circle], seats[(number - step) % circle])
            for step in range(1, len(seats) // 2)
        ]
        found += [Encounter(number + 1, x, o) for x, o in pairs if x is not None and o is not None]
    return _on_both_sides(found) if both_colours else tuple(found)


def default_rounds(entrants: int) -> int:
    """Return the number of Swiss rounds that find one winner."""
    return max(1, math.ceil(math.log2(max(2, entrants))))


def max_rounds(entrants: int) -> int:
    """Return the largest number of rounds in which nobody meets an opponent twice."""
    return max(1, entrants - 1 + entrants % 2)


def swiss_round(
    entrants: Sequence[Entrant], played: Sequence[Encounter], *, both_colours: bool = False
) -> tuple[Encounter, ...]:
    """Return the boards of the next Swiss round, with a bye if the number of players is odd.

    Players with equal points meet, the upper half against the lower. Nobody meets an opponent
    again, and nobody has one colour three times more than the other, if any pairing of all can
    avoid it. The bye goes to the last of the players with the fewest byes.
    """
    draw = _Draw([entrant for entrant in entrants if not entrant.is_withdrawn], played)
    found = draw.encounters()
    return _on_both_sides(found) if both_colours else tuple(found)


def _on_both_sides(encounters: Sequence[Encounter]) -> tuple[Encounter, ...]:
    """Return every board twice, the second time with exchanged colours, and every bye twice."""
    return tuple(
        board
        for first in encounters
        for board in (first, first if first.o is None else replace(first, x=first.o, o=first.x))
    )


class _Draw:
    """The draw of one Swiss round; players are numbered in the order of the standings.

    If their number is odd, one more number stands for the bye.
    """

    def __init__(self, entrants: Sequence[Entrant], played: Sequence[Encounter]) -> None:
        self.round = 1 + max((board.round for board in played), default=0)
        own = boards_of(entrants, played)
        points = {player: points_of(player, boards) for player, boards in own.items()}
        ranked = sorted(entrants, key=lambda e: (-points[e.player_id], -e.rating, e.player_id))
        self.ids = [entrant.player_id for entrant in ranked]
        self.points = [points[player] for player in self.ids]
        # 1 for each board with X, -1 for each with O.
        colours = [
            [1 if board.x == player else -1 for board in own[player] if board.o is not None]
            for player in self.ids
        ]
        self.balance = list(map(sum, colours))
        self.last = [each[-1] if each else 0 for each in colours]
        self.meetings = _meetings(own)
        self.byes = [self.meetings[player, None] for player in self.ids]
        self.bye = len(ranked) if len(ranked) % 2 else None
        if self.bye is not None:
            self.ids.append(NOBODY)

    def encounters(self) -> list[Encounter]:
        """Return the boards of the round."""
        pairs = self._pairs()
        boards = [self._board(table, *pair) for table, pair in enumerate(pairs)]
        return sorted(boards, key=lambda board: board.o is None)

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs, each the best that leaves all others an opponent."""
        partners, mates = self._possible()
        left = list(range(len(self.ids)))
        pairs = []
        if self.bye is not None:
            # The bye chooses first, from below.
            left.remove(self.bye)
            left.insert(0, self.bye)
        while left:
            first, *others = left
            for second in self._wishes(first, [o for o in others if o in partners[first]]):
                rest = {node for node in left if node not in {first, second}}
                completed = _completed(partners, mates, rest)
                if completed is not None:
                    mates = completed
                    pairs.append((first, second))
                    left = sorted(rest)
                    break
        return pairs

    def _possible(self) -> tuple[list[set[int]], Mates]:
        """Return the permitted opponents by the strictest terms that pair all, and such pairs."""
        terms = 0
        while True:
            partners = [
                {other for other in range(len(self.ids)) if self._may_meet(node, other, terms)}
                for node in range(len(self.ids))
            ]
            mates = largest_matching([sorted(others) for others in partners])
            if NOBODY not in mates:
                return partners, mates
            terms += 1

    def _may_meet(self, one: int, other: int, terms: int) -> bool:
        """Tell whether two may meet by these terms, 0 for the strictest."""
        if one == other:
            return False
        if self.bye in {one, other}:
            return self.byes[min(one, other)] == min(self.byes)
        if self.meetings[self.ids[one], self.ids[other]] > max(0, terms - 1):
            return False
        return terms > 0 or not self._is_clash(one, other)

    def _is_clash(self, one: int, other: int) -> bool:
        """Tell whether both have had the same colour twice more and need the other."""
        sides = (self.balance[one], self.balance[other])
        return min(sides) >= 2 or max(sides) <= -2

    def _wishes(self, first: int, others: list[int]) -> list[int]:
        """Return the possible opponents, the most suitable first."""
        if first == self.bye:
            return sorted(others, reverse=True)
        peers = 1 + sum(self.points[other] == self.points[first] for other in others)
        middle = max(1, peers // 2) - 1

        def unsuitable(other: int) -> tuple[float, ...]:
            return (
                self.meetings[self.ids[first], self.ids[other]],
                abs(self.points[first] - self.points[other]),
                self._is_clash(first, other),
                abs(others.index(other) - middle),
            )

        return sorted(others, key=unsuitable)

    def _board(self, table: int, first: int, second: int) -> Encounter:
        """Return the board of two players: X for the one with fewer X, or who had O last."""
        if first == self.bye:
            return Encounter(self.round, self.ids[second], None, BYE_SCORE)
        # With no difference the better placed has X on every other table.
        first_claim = (self.balance[first], self.last[first], table % 2)
        second_claim = (self.balance[second], self.last[second], (table + 1) % 2)
        x, o = (first, second) if first_claim < second_claim else (second, first)
        return Encounter(self.round, self.ids[x], self.ids[o])


def _meetings(boards: Mapping[int, Sequence[Encounter]]) -> Counter[tuple[int, int | None]]:
    """Return how often each player has met each opponent, and None in byes."""
    # In a set, because two boards of one round are one meeting.
    met = {(player, b.opponent_of(player), b.round) for player, own in boards.items() for b in own}
    return Counter((player, opponent) for player, opponent, _ in met)


def _completed(partners: Sequence[set[int]], mates: Mates, rest: set[int]) -> Mates | None:
    """Return a matching of all of ``rest`` among themselves, or None."""
    kept = [mate if node in rest and mate in rest else NOBODY for node, mate in enumerate(mates)]
    if all(kept[node] != NOBODY for node in rest):
        return kept
    neighbours = [
        sorted(others & rest) if node in rest else [] for node, others in enumerate(partners)
    ]
    grown = largest_matching(neighbours, kept)
    return grown if all(grown[node] != NOBODY for node in rest) else None

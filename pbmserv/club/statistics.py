"""Statistics of the club and of a player, which can be added."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

HOTTEST = 9


@dataclass(frozen=True)
class Results:
    """The numbers of matches that each side has won, by side at the end."""

    x: int = 0
    o: int = 0
    drawn: int = 0

    @property
    def games(self) -> int:
        """The number of matches."""
        return self.x + self.o + self.drawn

    def __add__(self, other: "Results") -> "Results":
        return Results(self.x + other.x, self.o + other.o, self.drawn + other.drawn)


@dataclass(frozen=True)
class Statistics:
    """Statistics of finished matches of one game.

    ``swapped`` are the results of the matches with a swap, in which X is the player who swapped;
    ``plain`` those of all others. ``first_moves`` counts the first move of each match.
    """

    plain: Results = field(default_factory=Results)
    swapped: Results = field(default_factory=Results)
    turns: int = 0
    first_moves: Mapping[str, int] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of matches."""
        return self.plain.games + self.swapped.games

    @property
    def average_turns(self) -> float:
        """The mean number of turns of a match, 0 without matches."""
        return self.turns / self.games if self.games else 0.0

    def __add__(self, other: "Statistics") -> "Statistics":
        return Statistics(
            self.plain + other.plain,
            self.swapped + other.swapped,
            self.turns + other.turns,
            dict(Counter(self.first_moves) + Counter(other.first_moves)),
        )


@dataclass(frozen=True)
class PlayerStatistics:
    """One player's results with each side at the end.

    In ``with_x`` the X of :class:`Results` are the matches they have won, in ``with_o`` the O.
    """

    with_x: Results = field(default_factory=Results)
    with_o: Results = field(default_factory=Results)

    @property
    def won(self) -> int:
        """The number of matches that the player has won."""
        return self.with_x.x + self.with_o.o

    @property
    def lost(self) -> int:
        """The number of matches that the player has lost."""
        return self.with_x.o + self.with_o.x

    @property
    def drawn(self) -> int:
        """The number of matches that were drawn."""
        return self.with_x.drawn + self.with_o.drawn

    def __add__(self, other: "PlayerStatistics") -> "PlayerStatistics":
        return PlayerStatistics(self.with_x + other.with_x, self.with_o + other.with_o)


def heat(first_moves: Mapping[str, int]) -> dict[str, int]:
    """Return the frequency of each first move, from 1 to 9 for the most frequent one."""
    most = max(first_moves.values(), default=0)
    return {
        move: max(1, round(HOTTEST * count / most)) for move, count in first_moves.items() if count
    }

"""A player's standing in one game, rating and results, and the calculation of all anew."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pbmserv.club.rating import NO_SHIFT, Rating, Shift, rate_game
from pbmserv.engine.position import Side


@dataclass(frozen=True)
class Standing:
    """A rating with the results of its games; by default that before the first game."""

    rating: Rating = field(default_factory=Rating)
    won: int = 0
    lost: int = 0
    drawn: int = 0

    @property
    def games(self) -> int:
        """The number of finished rated games."""
        return self.won + self.lost + self.drawn

    def agrees_with(self, other: "Standing") -> bool:
        """Tell whether both are the same except for rounding."""
        results = (self.won, self.lost, self.drawn) == (other.won, other.lost, other.drawn)
        return results and self.rating.agrees_with(other.rating)


class RatingChange(NamedTuple):
    """The change of a player's rating by one game: the value before, the rating after it."""

    match_id: int
    player_id: int
    before: float
    after: Rating

    @property
    def words(self) -> str:
        """The change in short: ``1500 to 1662 (+162)``, from the numbers as they are printed."""
        before, after = round(self.before), round(self.after.value)
        return f"{before} to {after} ({after - before:+d})"


class RatedGame(NamedTuple):
    """One finished game for ratings: its players by side at the end, and the winner."""

    match_id: int
    game: str
    players: Mapping[Side, int]
    winner: Side | None
    ended_at: int
    shift: Shift = NO_SHIFT
    """What its handicap was thought to be worth when it began."""


def after_game(
    before: Mapping[Side, Standing], winner: Side | None, now: int, shift: Shift = NO_SHIFT
) -> dict[Side, Standing]:
    """Return both standings after a game that ended now; its handicap was worth ``shift`` to X."""
    ratings = rate_game(before[Side.X].rating, before[Side.O].rating, winner, now, shift)
    return {
        side: replace(
            before[side],
            rating=rating,
            won=before[side].won + (winner is side),
            lost=before[side].lost + (winner is side.other),
            drawn=before[side].drawn + (winner is None),
        )
        for side, rating in zip((Side.X, Side.O), ratings, strict=True)
    }


class Standings:
    """The standings of all players, calculated game by game in the order of rating.

    ``by_player`` has them by player id and name of the game.
    """

    def __init__(self) -> None:
        self.by_player: dict[tuple[int, str], Standing] = {}

    def add(self, played: RatedGame) -> dict[int, RatingChange]:
        """Rate the next game; return the change for each of its players."""
        keys = {side: (player, played.game) for side, player in played.players.items()}
        before = {side: self.by_player.get(key, Standing()) for side, key in keys.items()}
        after = after_game(before, played.winner, played.ended_at, played.shift)
        self.by_player.update({keys[side]: standing for side, standing in after.items()})
        return {
            player: RatingChange(
                played.match_id, player, before[side].rating.value, after[side].rating
            )
            for side, player in played.players.items()
        }

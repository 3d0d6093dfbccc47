"""A board in one line of the pages."""

from functools import lru_cache
from typing import NamedTuple

from pbmserv.club.match import MatchSummary
from pbmserv.engine.position import Side
from pbmserv.engine.score import UNPLAYED, Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.render.view import options_words
from pbmserv.store.matches.published import PublicPlayer

_UNPLAYED = {reason.words for reason in UNPLAYED}


class BoardLine(NamedTuple):
    """A board in one line; ``path`` is its page without the suffix.

    ``x`` and ``o`` are numbers of players; ``to_move`` and ``winner`` are "X", "O" or ""; ``how``
    is the reason of the end in words.
    """

    id: int
    path: str
    title: str
    options: str
    x: int
    o: int
    names: tuple[str, str]
    result: str
    ply: int
    is_running: bool
    changed_at: int
    to_move: str = ""
    due_at: int | None = None
    winner: str = ""
    how: str = ""

    @property
    def number(self) -> int:
        """The number of the board in its game."""
        return int(self.path.rpartition("/")[2])

    @property
    def short(self) -> str:
        """The name of the board in lists: ``Star 101``."""
        return self.title.replace(" Board ", " ")

    def verdict(self, player_id: int = 0) -> str:
        """Return how the game ended for a player, or for all: ``Won``, ``X won``, ``Draw``."""
        if not self.winner:
            return "Not played" if self.how in _UNPLAYED else "Draw"
        if not player_id:
            return f"{self.winner} won"
        return "Won" if self.winner == ("X" if self.x == player_id else "O") else "Lost"

    @property
    def mover(self) -> str:
        """The name of the player to move, "" after the end."""
        return self.names["XO".index(self.to_move)] if self.to_move else ""


def board_line(
    found: MatchSummary, x: PublicPlayer, o: PublicPlayer, due_at: int | None = None
) -> BoardLine:
    """Return a match in one line, its players named as the pages name them."""
    title, options = _words_of(found.spec)
    names = {Side.X: x.name, Side.O: o.name}
    mover = found.to_move
    result, how = (f"{names[mover]} to move", "") if mover else _end_of(found, names)
    return BoardLine(
        id=found.id,
        path=f"boards/{found.game}/{found.number}",
        title=f"{title} Board {found.number}",
        options=options,
        x=found.seats[Side.X].player_id,
        o=found.seats[Side.O].player_id,
        names=(x.name, o.name),
        result=result,
        ply=found.ply,
        is_running=mover is not None,
        changed_at=found.changed_at,
        to_move=mover.value if mover else "",
        due_at=due_at if mover else None,
        winner=found.winner.value if found.winner else "",
        how=how,
    )


def _end_of(found: MatchSummary, names: dict[Side, str]) -> tuple[str, str]:
    """Return how a match ended, as a sentence and without the winner."""
    winner, reason = found.winner, Reason(found.reason)
    victory = f"{names[winner]} ({winner}) wins" if winner else ""
    outcome = Outcome(winner, reason)
    parts = outcome.score_words(found.points), reason.words
    return outcome.sentence(victory, "", found.points), ", ".join(filter(None, parts))


@lru_cache(maxsize=512)
def _words_of(spec: str) -> tuple[str, str]:
    game = parse_game(spec)
    return game.title, options_words(game)

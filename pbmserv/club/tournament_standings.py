"""The standings of a tournament by points and tie-breaks, and its cross-table."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from pbmserv.club.pairing import Encounter, Entrant, boards_of, points_of

SCORE_TEXTS = {1.0: "1", 0.5: "½", 0.0: "0"}
RUNNING = "."


@dataclass(frozen=True)
class TournamentStanding:
    """One line of the table; players who are equal in everything share a place.

    ``sonneborn_berger`` is the sum of the points of opponents beaten, and half of those drawn with.
    ``direct`` are the points from boards among the players who are equal in both, if all of them
    have met, else 0.
    """

    place: int
    entrant: Entrant
    points: float
    sonneborn_berger: float
    direct: float
    won: int
    drawn: int
    lost: int
    byes: int


@dataclass(frozen=True)
class CrossTable:
    """The scores of all entrants against each other, in the order of the standings.

    ``cells[i][j]`` are the scores of the i-th against the j-th in the order of the boards, None
    for one that is running.
    """

    standings: tuple[TournamentStanding, ...]
    cells: tuple[tuple[tuple[float | None, ...], ...], ...]


def standings(
    entrants: Sequence[Entrant], encounters: Sequence[Encounter]
) -> tuple[TournamentStanding, ...]:
    """Return the table: by points, then Sonneborn-Berger, then the direct encounter."""
    boards = boards_of(entrants, encounters)
    points = {player: points_of(player, own) for player, own in boards.items()}
    berger = {
        player: sum(
            (
                board.score_of(player) * points.get(opponent, 0.0)
                for board in own
                if (opponent := board.opponent_of(player)) is not None
            ),
            0.0,
        )
        for player, own in boards.items()
    }

    def merit(entrant: Entrant) -> tuple[float, float]:
        return -points[entrant.player_id], -berger[entrant.player_id]

    ranked = []
    for _, group in groupby(sorted(entrants, key=merit), key=merit):
        equals = list(group)
        direct = _direct([entrant.player_id for entrant in equals], boards)
        equals.sort(key=lambda e: (-direct[e.player_id], e.userid.lower()))
        ranked += [(entrant, direct[entrant.player_id]) for entrant in equals]
    lines: list[TournamentStanding] = []
    for number, (entrant, direct_points) in enumerate(ranked, start=1):
        player = entrant.player_id
        key = (points[player], berger[player], direct_points)
        above = lines[-1] if lines else None
        is_shared = above and key == (above.points, above.sonneborn_berger, above.direct)
        place = above.place if above and is_shared else number
        lines.append(TournamentStanding(place, entrant, *key, *_counts(player, boards[player])))
    return tuple(lines)


def cross_table(entrants: Sequence[Entrant], encounters: Sequence[Encounter]) -> CrossTable:
    """Return the standings with the scores of all against each other."""
    lines = standings(entrants, encounters)
    boards = boards_of(entrants, encounters)
    players = [line.entrant.player_id for line in lines]
    cells = tuple(
        tuple(
            tuple(
                None if board.score is None else board.score_of(player)
                for board in boards[player]
                if board.opponent_of(player) == other
            )
            for other in players
        )
        for player in players
    )
    return CrossTable(lines, cells)


def format_cell(scores: Sequence[float | None]) -> str:
    """Return the scores of one cell as text: ``1``, ``½0``, a point for a running board.

    >>> format_cell((1.0, None))
    '1.'
    """
    return "".join(RUNNING if score is None else SCORE_TEXTS[score] for score in scores)


def _direct(equals: Sequence[int], boards: dict[int, list[Encounter]]) -> dict[int, float]:
    """Return the points of each from boards among these players, 0 unless all have met."""
    among = {
        player: [board for board in boards[player] if board.opponent_of(player) in equals]
        for player in equals
    }
    have_met = all(
        len({board.opponent_of(player) for board in own if board.score is not None})
        == len(equals) - 1
        for player, own in among.items()
    )
    if not have_met:
        return dict.fromkeys(equals, 0.0)
    return {player: points_of(player, own) for player, own in among.items()}


def _counts(player: int, boards: Sequence[Encounter]) -> tuple[int, int, int, int]:
    """Return the numbers of boards won, drawn and lost, and of byes."""
    over = [board for board in boards if board.o is not None and board.score is not None]
    scores = [board.score_of(player) for board in over]
    byes = sum(board.o is None for board in boards)
    return scores.count(1.0), scores.count(0.5), scores.count(0.0), byes

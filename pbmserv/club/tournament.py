"""A tournament: its entrants, terms and boards, and what its organiser may do with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from pbmserv.club.pairing import (
    Encounter,
    Entrant,
    default_rounds,
    max_rounds,
    pools,
    round_robin,
    swiss_round,
)
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.tournament_standings import CrossTable, cross_table
from pbmserv.engine.game import Game
from pbmserv.errors import Denied, Misunderstood, Refused


class TournamentKind(NamedTuple):
    """How opponents are found; ``value`` is stored and printed.

    ``draw`` returns the boards of a pool's next round, or of all, from its members and the boards
    before. ``default_rounds`` gives the number of rounds by that of players, unless another number
    is chosen, which is ``max_chosen`` at most.
    """

    value: str
    draw: Callable[..., Sequence[Encounter]]
    default_rounds: Callable[[int], int]
    max_chosen: int = 0


KINDS = (
    TournamentKind(
        "round-robin",
        lambda members, _, **both: round_robin([one.player_id for one in members], **both),
        max_rounds,
    ),
    TournamentKind("swiss", swiss_round, default_rounds, 50),
)
"""All kinds, the default first."""


def parse_kind(text: str) -> TournamentKind:
    """Return the kind whose name begins with ``text``; raises :class:`Misunderstood`."""
    for kind in KINDS:
        if kind.value.startswith(text.lower()):
            return kind
    raise Misunderstood(
        "No such kind of tournament.",
        code="bad-tournament",
        hint=f"-kind is {' or '.join(kind.value for kind in KINDS)}.",
    )


class TournamentStatus(Enum):
    """The status of a tournament; the values are stored and printed."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether it has ended, with a winner or without."""
        return self in {TournamentStatus.FINISHED, TournamentStatus.CANCELLED}


@dataclass(frozen=True)
class Terms:
    """The terms of a tournament, fixed before anybody enters.

    ``rounds`` is the number of Swiss rounds, None for as many as find one winner; ``pool_size``
    None is one pool for all. ``start_at`` is when it starts by itself, None if the organiser
    starts it.
    """

    game: Game
    kind: TournamentKind = KINDS[0]
    limits: TimeLimits = field(default_factory=TimeLimits)
    both_colours: bool = False
    rounds: int | None = None
    pool_size: int | None = None
    start_at: int | None = None

    def __post_init__(self) -> None:
        """Raise :class:`Misunderstood` for terms that do not fit together."""
        if self.rounds is not None and not 1 <= self.rounds <= self.kind.max_chosen:
            limits = (f"1 to {k.max_chosen} with -kind={k.value}" for k in KINDS if k.max_chosen)
            hint = f"It is {' or '.join(limits)}; by default it depends on the number of players."
            raise Misunderstood("Invalid number of rounds.", code="bad-tournament", hint=hint)
        if self.pool_size is not None and not 2 <= self.pool_size <= 100:
            hint = "A pool has 2 to 100 players."
            raise Misunderstood("Invalid size of a pool.", code="bad-tournament", hint=hint)


@dataclass(frozen=True)
class Tournament:
    """A tournament at one moment.

    ``encounters`` only ever grows, and its order never changes, so that its places can be stored.
    ``pools`` has the player ids of each pool once the tournament has started.
    """

    id: int
    name: str
    organiser_id: int
    terms: Terms
    status: TournamentStatus = TournamentStatus.OPEN
    entrants: tuple[Entrant, ...] = ()
    pools: tuple[tuple[int, ...], ...] = ()
    encounters: tuple[Encounter, ...] = ()

    def entrant(self, player_id: int) -> Entrant | None:
        """Return the entrant with this player id, or None."""
        found = (entrant for entrant in self.entrants if entrant.player_id == player_id)
        return next(found, None)

    def members(self, pool: int) -> tuple[Entrant, ...]:
        """Return the entrants of a pool, the strongest first."""
        found = (self.entrant(player_id) for player_id in self.pools[pool])
        return tuple(entrant for entrant in found if entrant is not None)

    def boards(self, pool: int) -> tuple[Encounter, ...]:
        """Return the boards and byes of a pool."""
        return tuple(board for board in self.encounters if board.pool == pool)

    def tables(self) -> tuple[CrossTable, ...]:
        """Return the cross-table of each pool."""
        return tuple(
            cross_table(self.members(pool), self.boards(pool)) for pool in range(len(self.pools))
        )


def join(tournament: Tournament, entrant: Entrant) -> Tournament:
    """Return the tournament with one more entrant."""
    _require_open(tournament)
    if tournament.entrant(entrant.player_id) is not None:
        raise Refused("You have already joined.", code="already-entered")
    return replace(tournament, entrants=(*tournament.entrants, entrant))


def leave(tournament: Tournament, player_id: int, taken_out: str | None = None) -> Tournament:
    """Return the tournament without a player; after its start their boards go on.

    ``taken_out`` is their userid if the organiser removes them.
    """
    entrant = tournament.entrant(player_id)
    if entrant is None or entrant.is_withdrawn:
        who = "You have" if taken_out is None else f"{taken_out} has"
        raise Refused(f"{who} not joined.", code="not-entered")
    others = tuple(other for other in tournament.entrants if other != entrant)
    if tournament.status is TournamentStatus.OPEN:
        return replace(tournament, entrants=others)
    _require_going_on(tournament)
    entrants = tuple(
        replace(other, is_withdrawn=True) if other == entrant else other
        for other in tournament.entrants
    )
    return replace(tournament, entrants=entrants)


def start(tournament: Tournament, player_id: int) -> Tournament:
    """Return the tournament started by its organiser."""
    if player_id != tournament.organiser_id:
        raise Denied("Only the organiser can start a tournament.", code="not-organiser")
    return begin(tournament)


def cancel(tournament: Tournament, player_id: int) -> Tournament:
    """Return the tournament cancelled by its organiser; boards that have begun go on."""
    if player_id != tournament.organiser_id:
        raise Denied("Only the organiser can cancel a tournament.", code="not-organiser")
    _require_going_on(tournament)
    return replace(tournament, status=TournamentStatus.CANCELLED)


def begin_due(tournament: Tournament) -> Tournament:
    """Return the tournament at its date: started, or cancelled if there are too few players."""
    if len(tournament.entrants) < 2:
        return replace(tournament, status=TournamentStatus.CANCELLED)
    return begin(tournament)


def begin(tournament: Tournament) -> Tournament:
    """Return the tournament with its pools and first boards."""
    _require_open(tournament)
    if len(tournament.entrants) < 2:
        raise Refused("A tournament needs two players or more.", code="too-few-entrants")
    size = tournament.terms.pool_size or len(tournament.entrants)
    groups = pools(tournament.entrants, size)
    drawn = tuple(tuple(entrant.player_id for entrant in group) for group in groups)
    return advance(replace(tournament, status=TournamentStatus.RUNNING, pools=drawn))


def record(tournament: Tournament, place: int, score: float | None) -> Tournament:
    """Return the tournament with X's score of a board, by its place in ``encounters``.

    What follows from it is done by :func:`advance`.
    """
    boards = list(tournament.encounters)
    boards[place] = replace(boards[place], score=score)
    return replace(tournament, encounters=tuple(boards))


def reopen(tournament: Tournament, place: int) -> Tournament:
    """Return the tournament without the result at this place, whose board was reopened."""
    is_off = tournament.status is TournamentStatus.CANCELLED
    status = tournament.status if is_off else TournamentStatus.RUNNING
    return replace(record(tournament, place, None), status=status)


def advance(tournament: Tournament) -> Tournament:
    """Return the tournament with all boards that can start now, or finished if none are left."""
    # A pool goes on to its next round when its last one is over, without waiting for other pools.
    if tournament.status is not TournamentStatus.RUNNING:
        return tournament
    boards = list(tournament.encounters)
    for number in range(len(tournament.pools)):
        boards += _next_round(tournament, number)
    is_over = all(board.score is not None for board in boards)
    status = TournamentStatus.FINISHED if is_over else TournamentStatus.RUNNING
    return replace(tournament, status=status, encounters=tuple(boards))


def rounds_of(tournament: Tournament, pool: int) -> int:
    """Return the number of rounds that a pool plays."""
    size, terms = len(tournament.pools[pool]), tournament.terms
    return min(terms.rounds or terms.kind.default_rounds(size), max_rounds(size))


def _require_open(tournament: Tournament) -> None:
    _require_going_on(tournament)
    if tournament.status is not TournamentStatus.OPEN:
        raise Refused("This tournament has already started.", code="tournament-started")


def _require_going_on(tournament: Tournament) -> None:
    if tournament.status is TournamentStatus.CANCELLED:
        raise Refused("This tournament was cancelled.", code="tournament-over")
    if tournament.status is TournamentStatus.FINISHED:
        raise Refused("This tournament is over.", code="tournament-over")


def _next_round(tournament: Tournament, pool: int) -> list[Encounter]:
    """Return the boards of a pool's next round, [] if none can begin now."""
    played = tournament.boards(pool)
    members = tournament.members(pool)
    latest = max((board.round for board in played), default=0)
    is_waiting = any(board.score is None for board in played)
    present = sum(not entrant.is_withdrawn for entrant in members)
    if is_waiting or latest >= rounds_of(tournament, pool) or present < 2:
        return []
    terms = tournament.terms
    drawn = terms.kind.draw(members, played, both_colours=terms.both_colours)
    return [replace(board, pool=pool) for board in drawn]

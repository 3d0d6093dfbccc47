"""A match at one moment, or a position tried out: all that is shown of either."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from pbmserv.club.player import marked
from pbmserv.engine.position import EMPTY, PASS, Position, Side
from pbmserv.engine.score import UNPLAYED, Reason, leader
from pbmserv.engine.settle import settled
from pbmserv.engine.spec import named_options
from pbmserv.errors import NotFound
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.render.picture import Caption
from pbmserv.render.score_lines import headline, points_words, prospect_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.club.match import Match, Offer
    from pbmserv.engine.game import Game
    from pbmserv.engine.score import Outcome, Score
    from pbmserv.engine.settle import Settled

MOVES_A_LINE = 4
MOVE_WIDTH = 17

Status = Literal["running", "won", "drawn", "removed"]
"""How the game stands, as JSON says it."""


@dataclass(frozen=True)
class View:
    """What stands on a board after some turns: seats, turn, score and result of that moment.

    ``title`` is the heading, ``number`` None for what is on no stored board, ``names`` the
    userids by side, None where nobody plays, ``movers`` the side that made each move.
    """

    game: Game
    title: str
    number: int | None
    names: dict[Side, str | None]
    moves: tuple[str, ...]
    movers: tuple[Side, ...]
    position: Position
    status: Status
    outcome: Outcome | None
    closing: str
    offer: tuple[Offer, str] | None = None
    """The pending offer and the userid of its maker."""
    robots: frozenset[str] = frozenset()
    """The userids under which the computer plays."""

    @cached_property
    def score(self) -> Score:
        """What stands on the board."""
        return self.game.score(self.position)

    @cached_property
    def settled(self) -> Settled | None:
        """What the margin can still become, None when the game has ended."""
        return settled(self.game, self.position) if self.to_move else None

    @cached_property
    def to_move(self) -> Side | None:
        """The side whose turn it is, None when the game has ended."""
        return self.position.to_move if self.status == "running" else None

    @cached_property
    def is_open(self) -> bool:
        """Whether most of the board is empty and nothing is certain."""
        stones, bounds = self.position.stones, self.settled
        is_empty = 2 * stones.count(EMPTY) > len(stones)
        return is_empty and not (bounds is not None and bounds.is_certain)

    @cached_property
    def names_shown(self) -> dict[Side, str]:
        """The names of the players with their marks, nothing where nobody plays."""
        names, robots = self.names.items(), self.robots
        return {s: marked(name, is_robot=name in robots) if name else "" for s, name in names}

    def name_of(self, side: Side) -> str:
        """Return who plays ``side``, by name where there is one."""
        return self.names_shown[side] or side.value


def view_match(match: Match, ply: int | None = None) -> View:
    """Return the match after ``ply`` turns; None for now, a negative number counts back.

    Raises :class:`NotFound` if fewer turns were made.
    """
    from pbmserv.render.wording import counted

    count = match.ply if ply is None else ply if ply >= 0 else match.ply + ply
    if not 0 <= count <= match.ply:
        raise NotFound(
            f"{match.title} has {counted(match.ply, 'move')} so far.",
            code="no-such-move",
            hint=f"Choose a number from 0 to {match.ply}."
            if match.ply
            else "Nothing was played yet.",
        )
    is_now = count == match.ply
    seats = match.seats if is_now else match.seats_after(count)
    positions = match.positions[: count + 1]
    return View(
        game=match.game,
        title=match.title if is_now else f"{match.title} after {counted(count, 'move')}",
        number=match.number,
        names={side: seat.userid for side, seat in seats.items()},
        moves=tuple([turn.text for turn in match.turns[:count]]),
        movers=tuple([position.to_move for position in positions[:-1]]),
        position=positions[-1],
        status=match.status.value if is_now else "running",
        outcome=match.outcome if is_now else None,
        closing=match.result if is_now and not match.is_running else "",
        offer=_offer(match, match.offer) if is_now and match.offer else None,
        robots=frozenset(seat.userid for seat in seats.values() if seat.is_robot),
    )


def view_positions(before: View, positions: tuple[Position, ...], texts: tuple[str, ...]) -> View:
    """Return a view that goes on from ``before`` by turns that were only tried out.

    ``positions`` are those after each of the moves ``texts``, a swap among which exchanges seats.
    """
    position = positions[-1] if positions else before.position
    outcome = before.game.outcome(position)
    movers = (before.position.to_move, *(p.to_move for p in positions[:-1])) if positions else ()
    status: Status = "running"
    closing = ""
    if outcome is not None:
        status = "drawn" if outcome.winner is None else "won"
        who = "a draw" if outcome.winner is None else f"a win of {outcome.winner.value}"
        closing = f"The game would end here: {who} by {outcome.reason.words}."
    has_swap = "swap" in texts
    return View(
        game=before.game,
        title=f"Preview of {before.title}" if before.number else f"Preview of {before.game.title}",
        number=None,
        names={side: before.names[side.other if has_swap else side] for side in Side},
        moves=(*before.moves, *texts),
        movers=(*before.movers, *movers),
        position=position,
        status=status,
        outcome=outcome,
        closing=closing,
        robots=before.robots,
    )


def view_new(game: Game) -> View:
    """Return the empty board of a game that nobody plays."""
    return View(
        game=game,
        title=game.title,
        number=None,
        names=dict.fromkeys(Side),
        moves=(),
        movers=(),
        position=game.start(),
        status="running",
        outcome=None,
        closing="",
    )


def view_blocks(view: View, *, rounds: int | None = None) -> list[Block]:
    """Return the view for people: heading, moves, picture, score and whose turn it is.

    ``rounds`` limits the moves listed to the last so many rounds; None lists all. The picture
    shows who owns what when the game has ended.
    """
    head = heading(view)
    blocks: list[Block] = [head]
    if moves := move_lines(view, rounds):
        blocks.append("\n".join(moves))
    score = view.score
    is_over = view.to_move is None
    standing = f"{standing_words(view, score)}\n{turn_sentence(view)}"
    caption = view_caption(view, head, standing)
    blocks += [BoardPicture(view.game, view.position, is_over, caption), standing]
    warning = warning_lines(view, score)
    return [*blocks, "\n".join(warning)] if warning else blocks


def standing_words(view: View, score: Score) -> str:
    """Return the points, and while they are worth it what can still become of them."""
    first = score_words(view, score)
    return first if view.is_open else "\n".join([first, *prospect_lines(score, view.settled)])


def score_words(view: View, score: Score) -> str:
    """Return the points: those agreed on, those at the end, or what stands so far."""
    ended = view.outcome
    if ended is not None and ended.points is not None:
        x, o = ended.points[Side.X], ended.points[Side.O]
        stood = points_words(score).partition("   even")[0]
        return f"Agreed: X {x}, O {o}.\nOn the board stood: {stood}"
    if ended is not None and ended.reason is Reason.AGREEMENT and ended.winner is not None:
        return f"Agreed: {ended.winner.value} wins."
    return headline(score, is_over=view.to_move is None, is_open=view.is_open)


def view_caption(view: View, head: str, standing: str) -> Caption:
    """Return what the legend of the picture says; ``head`` is the view's heading.

    ``standing`` is how the game stands.
    """
    first = head.partition("\n")[0]
    return Caption(first, view.names_shown[Side.X], view.names_shown[Side.O], standing)


def warning_lines(view: View, score: Score) -> list[str]:
    """Return, after a first pass, what a second one would make of the game, else nothing."""
    if view.to_move is None or view.position.passes != 1:
        return []
    result = view.game.outcome(view.game.play(view.position, PASS))
    if result is None:
        return []
    who = "a draw" if result.winner is None else f"a win of {view.name_of(result.winner)}"
    points = f"X {score.points[Side.X]}, O {score.points[Side.O]}"
    lines = [f"A second pass now ends the game: {who} ({points}).", *score.notes]
    if score.details.get("unowned_peries"):
        lines.append("What nobody owns counts for nobody: play on to decide it.")
    if result.winner is not None and leader(score.points) is not result.winner:
        lines.append(f"The points do not say so: the tie goes to {view.name_of(result.winner)}.")
    return lines


def heading(view: View) -> str:
    """Return title, options and players in two lines."""
    options = options_words(view.game)
    first = f"{view.title} ({options})" if options else view.title
    if not any(view.names.values()):
        return first
    return f"{first}\nX: {view.name_of(Side.X)}   O: {view.name_of(Side.O)}"


@lru_cache(maxsize=64)
def options_words(game: Game) -> str:
    """Return the options of the game: ``size 7, maxi``."""
    words = [
        option.name if option.is_flag else f"{option.name} {value}"
        for option, value in named_options(game)
    ]
    return ", ".join(words)


def turn_sentence(view: View) -> str:
    """Return whose turn it is, or how the game ended."""
    side = view.to_move
    if side is None:
        return view.closing
    name = view.names_shown[side]
    who = f"{name} ({side.value})" if name else side.value
    turn = f"Move {len(view.moves) + 1}: {who} to move."
    if view.offer is None:
        return turn
    made, userid = view.offer
    maker = marked(userid, is_robot=userid in view.robots)
    return f"{turn}\n{maker} offers {made.words}: {made.answers}."


def closing_words(outcome: Outcome | None, names: Mapping[Side, str]) -> str:
    """Return how a game ended between these players, nothing while it goes on."""
    if outcome is None:
        return ""
    how = f"by {outcome.reason.words}."
    if outcome.winner is None:
        return f"The game ended {how}" if outcome.reason in UNPLAYED else f"A draw {how}"
    return f"{names[outcome.winner]} ({outcome.winner}) wins {how}"


def move_lines(view: View, rounds: int | None = None) -> list[str]:
    """Return the numbered moves, the side that made each before it, some to a line."""
    count, first = len(view.moves), 0
    if rounds is not None:  # a round of two turns begins at an odd move number
        first = max(0, (count - 1) // 2 * 2 - 2 * (rounds - 1))
    cells = [f"{i + 1:>3}. {view.movers[i]} {view.moves[i]}" for i in range(first, count)]
    return [
        "".join(cell.ljust(MOVE_WIDTH) for cell in cells[start : start + MOVES_A_LINE]).rstrip()
        for start in range(0, len(cells), MOVES_A_LINE)
    ]


def _offer(match: Match, pending: Offer) -> tuple[Offer, str] | None:
    seat = match.seat_of(pending.player_id)
    return (pending, seat.userid) if seat else None

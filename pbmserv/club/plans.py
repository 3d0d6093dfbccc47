"""Plans: moves queued by a player for their next turns, as a line, as a tree of answers, or both.

``F6 G7 H8`` plays F6, G7 and H8 in three turns, whatever the opponent does. ``F6:G7 E5:H8``
answers F6 with G7 and E5 with H8, and stops at anything else. ``F6:G7/H8:A6`` goes on: after F6
and G7 it answers H8 with A6. ``F6 E5:H8`` plays F6 and then answers E5 with H8.

A plan is meant for certain turns and is never played later. It is checked twice: when it is
queued, by :mod:`pbmserv.club.plan_check`, and each move again when its turn comes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, MoveKind, Position
from pbmserv.errors import IllegalMove, Misunderstood

ANSWER, DEEPER = ":", "/"
CLEAR = "none"
RESIGN = Move("resign", kind=MoveKind.RESIGN)
"""A planned resignation, which is no move of any game."""

MAX_MOVES = 200
"""Moves that a plan may name, those of the opponent included."""


@dataclass(frozen=True)
class Branch:
    """An answer: if the opponent plays ``when``, play ``answer`` and go on with ``then``."""

    when: Move
    answer: Move
    then: tuple["Branch", ...] = ()


@dataclass(frozen=True)
class Plan:
    """Moves to be played whatever happens, then answers to the opponent's next move.

    ``due`` is the number of moves made when the first planned move is to follow.
    """

    line: tuple[Move, ...] = ()
    branches: tuple[Branch, ...] = ()
    due: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is planned."""
        return not self.line and not self.branches


class CancelReason(Enum):
    """Why a plan is cancelled; the values are sentences for its owner."""

    ILLEGAL = "It cannot be played in this position"
    OTHERWISE = "Your opponent played something else"
    TOO_LATE = "Its turn has passed"


@dataclass(frozen=True)
class PlanStep:
    """The next step of a plan: the move to play, the rest of the plan, or why it is cancelled.

    Without ``move`` and ``drop`` its turn has not come.
    """

    move: Move | None = None
    rest: Plan | None = None
    drop: CancelReason | None = None


def next_move(plan: Plan, game: Game, position: Position, last: Move | None) -> PlanStep:
    """Return the plan's next step in ``position``, after the opponent's move ``last``.

    Its move is legal, or :data:`RESIGN`.
    """
    if position.ply < plan.due:
        return PlanStep(rest=plan)
    if position.ply > plan.due or game.is_over(position):
        return PlanStep(drop=CancelReason.TOO_LATE)
    if plan.line:
        move = plan.line[0]
        rest = replace(plan, line=plan.line[1:], due=plan.due + 2)
    else:
        branch = next((b for b in plan.branches if last and is_same(b.when, last)), None)
        if branch is None:
            return PlanStep(drop=CancelReason.OTHERWISE)
        move = branch.answer
        rest = Plan((), branch.then, plan.due + 2)
    if move != RESIGN:
        try:
            game.play(position, move)
        except IllegalMove:
            return PlanStep(drop=CancelReason.ILLEGAL)
    return PlanStep(move, None if rest.is_empty else rest)


def is_same(one: Move, other: Move) -> bool:
    """Tell whether two moves are the same turn, in any order of their stones."""
    return one.kind is other.kind and (
        set(one.cells) == set(other.cells) and one.passed == other.passed
    )


@dataclass
class _BranchBuilder:
    """A branch to which paths can be added."""

    when: Move
    answer: Move
    then: list["_BranchBuilder"] = field(default_factory=list)

    def build(self) -> Branch:
        """Return the branch with all its paths."""
        return Branch(self.when, self.answer, tuple(twig.build() for twig in self.then))


def parse_plan(words: Sequence[str], game: Game, due: int = 0) -> Plan:
    """Return the plan that these words stand for, the empty one for ``none``.

    Raises :class:`Misunderstood`, or :class:`InvalidMove` for a move that cannot be read.
    """
    if [word.lower() for word in words] == [CLEAR]:
        return Plan(due=due)
    if not words:
        raise _bad_plan("Write at least one move; the word none clears the plan.")
    if sum(1 + word.count(ANSWER) + word.count(DEEPER) for word in words) > MAX_MOVES:
        raise _bad_plan(f"A plan has at most {MAX_MOVES} moves.")
    line: list[Move] = []
    twigs: list[_BranchBuilder] = []
    for word in words:
        if ANSWER in word or DEEPER in word:
            _add_path(twigs, _parse_path(word, game))
        elif twigs:
            raise _bad_plan("A move without a colon cannot follow one with a colon.", word)
        else:
            line.append(_parse_own(word, game))
    if RESIGN in line[:-1] or (RESIGN in line and twigs):
        raise _bad_plan("Nothing can follow a resignation.")
    return Plan(tuple(line), tuple(twig.build() for twig in twigs), due)


def format_plan(plan: Plan) -> str:
    """Return the words of the plan, ``none`` for the empty one."""
    words = [move.text for move in plan.line]
    words += [word for branch in plan.branches for word in _paths(branch)]
    return " ".join(words) or CLEAR


def _paths(branch: Branch) -> Iterator[str]:
    step = f"{branch.when.text}{ANSWER}{branch.answer.text}"
    if not branch.then:
        yield step
    for deeper in branch.then:
        for path in _paths(deeper):
            yield f"{step}{DEEPER}{path}"


def _parse_path(word: str, game: Game) -> list[tuple[Move, Move]]:
    """Return the opponent's moves of one word with the answers to them."""
    path = []
    for step in word.split(DEEPER):
        when, colon, answer = step.partition(ANSWER)
        if not (when and colon and answer) or ANSWER in answer:
            raise _bad_plan("An answer looks like F6:G7, a longer path like F6:G7/H8:A6.", word)
        move = game.parse_move(when)
        if move.cells:  # with its stones in the board's order
            move = game.placing(sorted(move.cells), move.passed)
        path.append((move, _parse_own(answer, game)))
    if any(answer == RESIGN for _, answer in path[:-1]):
        raise _bad_plan("Nothing can follow a resignation.", word)
    return path


def _add_path(twigs: list[_BranchBuilder], path: list[tuple[Move, Move]]) -> None:
    """Add a path to the tree, along the branches that it already has."""
    for when, answer in path:
        twig = next((twig for twig in twigs if is_same(twig.when, when)), None)
        if twig is None:
            twig = _BranchBuilder(when, answer)
            twigs.append(twig)
        elif not is_same(twig.answer, answer):
            raise _bad_plan("You planned two answers to the same move.")
        twigs = twig.then


def _parse_own(word: str, game: Game) -> Move:
    return RESIGN if word.lower() == RESIGN.text else game.parse_move(word)


def _bad_plan(hint: str, about: str | None = None) -> Misunderstood:
    return Misunderstood("This plan cannot be read.", code="bad-plan", hint=hint, about=about)

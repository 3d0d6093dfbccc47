"""The check of a new plan: whether each of its paths can be played to the end.

As long as every turn on the way is known, the rules decide. After an unknown turn only what can
never be legal is refused: a cell that is taken or named twice on one path, a wrong number of
stones, a swap too late, a move after the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pbmserv.club.plans import RESIGN, Branch, Plan
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, Position
from pbmserv.errors import IllegalMove


def checked_plan(plan: Plan, game: Game, position: Position, *, own_turn: bool) -> Plan:
    """Return the plan with the turn, from ``position`` on, at which it is due.

    A line begins with the owner's next turn. Answers are to the opponent's next move, which on
    the owner's own turn is the one after theirs. Raises :class:`IllegalMove` for a plan that can
    never be played to the end of each of its paths.
    """
    outlook = _Outlook(game, position, position, position.empty_count)
    if own_turn and not plan.line:
        outlook = outlook.after_anything()
    for number, move in enumerate(plan.line):
        if number or not own_turn:
            outlook = outlook.after_anything()
        outlook = outlook.after(move)
    _check(outlook, plan.branches)
    wait = 1 if not own_turn else 0 if plan.line else 2
    return replace(plan, due=position.ply + wait)


def _check(outlook: "_Outlook", branches: Iterable[Branch]) -> None:
    for branch in branches:
        _check(outlook.after(branch.when).after(branch.answer), branch.then)


@dataclass(frozen=True)
class _Outlook:
    """A future position: ``known`` has the stones that are certain to be there.

    ``fewest_empty`` is the least number of empty cells; ``is_exact`` says that no turn is unknown.
    """

    game: Game
    now: Position
    known: Position
    fewest_empty: int
    is_exact: bool = True

    def after_anything(self) -> "_Outlook":
        """Return the outlook after an unknown turn."""
        self._require_running()
        return replace(
            self,
            # Any cell will do as the last one: it only matters that there was a stone.
            known=replace(self.known, ply=self.known.ply + 1, passes=0, last=(0,)),
            fewest_empty=max(0, self.fewest_empty - self.game.most_stones_a_turn),
            is_exact=False,
        )

    def after(self, move: Move) -> "_Outlook":
        """Return the outlook after this turn; raises :class:`IllegalMove` if it can never be."""
        self._require_running()
        if move == RESIGN:
            return self
        self._require_free(move)
        if self.is_exact:
            known = self.game.play(self.known, move)
            return replace(self, known=known, fewest_empty=known.empty_count)
        self.game.check_swap(self.known, move)
        if move.cells:
            self._require_stone_count(move)
        fewest = max(0, self.fewest_empty - len(move.cells))
        return replace(self, known=self.known.after(move), fewest_empty=fewest)

    def _require_running(self) -> None:
        if self.is_exact:
            is_over = self.game.is_over(self.known)
        else:
            is_over = self.known.is_full or self.known.passes >= 2
        if is_over:
            raise IllegalMove("The game would be over before that move.", code="game-over")

    def _require_free(self, move: Move) -> None:
        for number, cell in enumerate(move.cells):
            name = self.game.board.names[cell]
            if self.now.stones[cell]:
                raise IllegalMove(f"There is already a stone on {name}.", code="occupied")
            if self.known.stones[cell] or cell in move.cells[:number]:
                raise IllegalMove(
                    f"The cell {name} is used twice on one path of the plan.", code="occupied"
                )

    def _require_stone_count(self, move: Move) -> None:
        fewest = self._stones_due(max(1, self.fewest_empty))
        most = self._stones_due(self.known.empty_count)
        if not fewest <= move.stone_count <= most:
            raise IllegalMove(
                f"That turn will have {'one stone' if most == 1 else 'two stones'}.",
                code="wrong-stone-count",
            )

    def _stones_due(self, empty: int) -> int:
        """Return how many stones the turn would have with so many cells empty."""
        full = len(self.known.stones) - empty
        return self.game.stones_due(replace(self.known, stones=bytes([1] * full + [0] * empty)))

"""Who can force a win, by trying every move of both sides, passes included."""

from itertools import combinations

from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, PASS, Position, Side
from pbmserv.engine.settle import fill_empty


class Exhaustive:
    """Every line of play of one game; each question is answered once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._stands: dict[bytes, Side | None] = {}
        self._forced: dict[tuple[bytes, Side, Side, int], bool] = {}

    def can_force(self, side: Side, stones: bytes, to_move: Side, passes: int = 0) -> bool:
        """Tell whether ``side`` wins against whatever the other side plays."""
        if passes == 2 or EMPTY not in stones:
            return self.standing(stones) is side
        key = stones, side, to_move, passes
        if key not in self._forced:
            lines = (
                self.can_force(side, with_stone(stones, cell, to_move), to_move.other)
                for cell in empty_cells(stones)
            )
            # Passing comes last: what stands then is the dearest question.
            by_passing = (stones, to_move.other, passes + 1)
            if to_move is side:
                self._forced[key] = any(lines) or self.can_force(side, *by_passing)
            else:
                self._forced[key] = all(lines) and self.can_force(side, *by_passing)
        return self._forced[key]

    def standing(self, stones: bytes) -> Side | None:
        """Return who wins by the game's own score if the game ends now."""
        if stones not in self._stands:
            self._stands[stones] = self.game.when_passed_out(Position(stones)).winner
        return self._stands[stones]


class Filled:
    """The same without passes: a side has won that is ahead even if all else is the other's."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._winners: dict[tuple[bytes, Side], Side] = {}
        self._scores: dict[bytes, Side | None] = {}

    def winner(self, stones: bytes, to_move: Side) -> Side:
        """Return who wins by stones alone."""
        for side in Side:
            if self._ahead(fill_empty(stones, side.other)) is side:
                return side
        key = stones, to_move
        if key not in self._winners:
            lines = (with_stone(stones, cell, to_move) for cell in empty_cells(stones))
            wins = any(self.winner(after, to_move.other) is to_move for after in lines)
            self._winners[key] = to_move if wins else to_move.other
        return self._winners[key]

    def _ahead(self, full: bytes) -> Side | None:
        if full not in self._scores:
            self._scores[full] = self.game.score(Position(full)).winner
        return self._scores[full]


class Replayed:
    """The same by the rules of play alone, which know turns of several stones."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._winners: dict[tuple[bytes, Side, int], Side | None] = {}

    def winner(self, position: Position) -> Side | None:
        """Return who can force a win; None where neither can."""
        key = position.stones, position.to_move, position.passes
        if key not in self._winners:
            self._winners[key] = self._winner(position)
        return self._winners[key]

    def _winner(self, position: Position) -> Side | None:
        game, side = self.game, position.to_move
        if game.is_over(position):
            outcome = game.outcome(position)
            return outcome.winner if outcome else None
        turns = combinations(empty_cells(position.stones), game.stones_due(position))
        moves = [*map(game.placing, turns), PASS]
        found = {self.winner(game.play(position, move)) for move in moves}
        if side in found:
            return side
        return None if None in found else side.other


def empty_cells(stones: bytes) -> list[Cell]:
    return [cell for cell, stone in enumerate(stones) if stone == EMPTY]


def with_stone(stones: bytes, cell: Cell, side: Side) -> bytes:
    return stones[:cell] + bytes((side.stone,)) + stones[cell + 1 :]

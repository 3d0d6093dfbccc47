"""The turn of a level: move, swap, pass or resign.

First of all it asks what needs no search: a pass that wins, a lost game, the tables of first
stones and of replies to them. A low level then draws a move that its patterns make likely. Any
other searches for the simulations of its level; if it solves, on a solved or a small board until it
has proven who wins. A level with a time has the processor time of one thread, searches for half of
it at most whether to swap, and for what is left after that (``search.py`` looks at the time). A
high level then looks for a proof if the search gives either side little chance; the proof has its
own limit, counted and not timed, and the move of a proven win replaces the search's unless that one
stays won.
"""

from random import Random
from time import thread_time
from typing import NamedTuple

from pbmserv.computer.level_list import Level
from pbmserv.computer.openings import (
    chance_after,
    distinct_cells,
    even_opening,
    is_solved,
    known_winner,
    winner_after,
    winning_replies,
)
from pbmserv.computer.proof import prove, wins_after_pass
from pbmserv.computer.search import Analysis, Search, is_compiled, think
from pbmserv.computer.task import Effort
from pbmserv.engine.game import Game
from pbmserv.engine.position import PASS, SWAP, Move, Position, Side
from pbmserv.engine.settle import settled

MAX_OPENINGS = 8
"""First stones that a level compares if the opponent may swap and no table knows better."""

MIN_OPENING = 50
"""Simulations for each of them, at least."""

MIN_SWAP = 1_500
"""Simulations on whether to swap, at least: even a beginner sees who is ahead."""

DOUBT = 0.1
"""A proof is looked for if either side has at most this chance."""

SOLVING = 2_000_000
"""Simulations that prove nearly every position of a solved board, most of them by far fewer."""

SMALL = 16
"""Cells of a board that is searched to the end, be it solved or not."""

SOON_SOLVED = 28
"""Cells of a board that is solved, compiled, in some 0.3 seconds."""

MAX_QUICK_WORK = 4_000_000
"""Simulations times cells that take the compiled kernel some 0.3 seconds."""

PYTHON_FACTOR = 32
"""How many times as long plain Python takes."""


class Verdict(NamedTuple):
    """The known winner, and sentences about that."""

    winner: Side
    sentences: tuple[str, ...]


class Choice(NamedTuple):
    """The choice of a level: its move, or None if it resigns; and its search, if there was one.

    With a lesson it is advice: a move then tells a loser what is hardest to answer.
    """

    move: Move | None
    analysis: Analysis | None = None
    verdict: Verdict | None = None


def choose(game: Game, position: Position, level: Level, seed: int) -> Choice:
    """Return the choice of ``level`` in a position; the same seed gives the same.

    It resigns only what is proven lost, ends a game by passing only where that wins, and swaps
    if the stone is worth it.
    """
    if position.passes and wins_after_pass(game, position, position.to_move):
        return Choice(PASS)
    if _is_lost(game, position):
        return Choice(None)
    if game.allows_swap and game.is_first_turn(position):
        chance = Random(seed)
        opening = even_opening(game, chance)
        return Choice(opening or _search_opening(game, position, level, seed))
    return _search_move(game, position, level, seed)


def is_quick(game: Game, position: Position, level: Level) -> bool:
    """Tell whether ``level`` chooses within some 0.3 seconds."""
    is_soon = len(game.board) <= SOON_SOLVED
    simulations = level.simulations if is_soon else _simulations(game, position, level)
    if game.may_swap(position):
        simulations += max(level.simulations, MIN_SWAP)
    elif game.allows_swap and game.is_first_turn(position):
        simulations = max(level.simulations, MAX_OPENINGS * MIN_OPENING)
    work = simulations * len(game.board) * (1 if is_compiled() else PYTHON_FACTOR)
    return level.proof_depth == 0 and work <= MAX_QUICK_WORK


def _simulations(game: Game, position: Position, level: Level) -> int:
    """Return for how many simulations ``level`` searches, unless who wins is proven before."""
    # In plain Python, in which a large board takes minutes, the small ones alone are solved.
    can_solve = len(game.board) <= SMALL or (is_compiled() and is_solved(game))
    if not (can_solve and level.solves) or known_winner(game, position) is Side.X:
        return level.simulations
    return max(level.simulations, SOLVING)


def _search_move(game: Game, position: Position, level: Level, seed: int) -> Choice:
    """Return the move that a search finds, or a proof if the level looks for one."""
    start = thread_time()
    if game.may_swap(position) and (swap := _swap(game, position, level, seed)):
        return swap
    replies = winning_replies(game, position) if level.solves else []
    if replies:
        return Choice(game.placing((Random(seed).choice(replies),)))
    if level.temperature:
        search = Search(game, position, Effort(0, seed))
        return Choice(search.draw(Random(~seed), level.temperature, level.sight))
    left = level.seconds - (thread_time() - start)
    simulations = _simulations(game, position, level)
    effort = Effort(simulations, seed, seconds=left, watch=level.watch)
    analysis = think(game, position, effort, level.threads)
    side = position.to_move
    is_open = analysis.winner is None and DOUBT < analysis.chance < 1 - DOUBT
    is_stopped = level.watch is not None and level.watch(None)
    is_done = is_open or is_stopped or not level.proof_depth
    proof = None if is_done else prove(game, position, level.proof_depth)
    # A proof that its own simulations do not find is no reason to resign to a beginner.
    is_clear = analysis.simulations <= level.simulations or proof is not None
    if side.other in (analysis.winner, proof and proof.winner) and is_clear:
        return Choice(None, analysis)
    move = analysis.best.move
    if proof and proof.move is not None and not _stays_won(game, position, move):
        move = game.placing((proof.move,))
    return Choice(move, analysis)


def _swap(game: Game, position: Position, level: Level, seed: int) -> Choice | None:
    """Return the swap if the first stone wins more often, by proof, table or search, or None."""
    winner = winner_after(game, position.last[0])
    if winner is not None:
        return Choice(SWAP) if winner is Side.X else None
    chance_of_x = chance_after(game, position.last[0])
    if chance_of_x is not None:
        return Choice(SWAP) if chance_of_x > 0.5 else None
    simulations = max(level.simulations, MIN_SWAP)
    seconds, watch = level.seconds / 2, level.watch
    effort = Effort(simulations, seed, has_patterns=False, seconds=seconds, watch=watch)
    analysis = Search(game, position, effort).analysis()
    return Choice(SWAP, analysis) if analysis.chance < 0.5 else None


def _stays_won(game: Game, position: Position, move: Move) -> bool:
    """Tell whether links alone prove the mover's win after its ``move``."""
    after = game.play(position, move)
    if game.is_over(after):
        outcome = game.outcome(after)
        return outcome is not None and outcome.winner is position.to_move
    proof = prove(game, after, 0)
    return proof is not None and proof.winner is position.to_move


def accepts(game: Game, position: Position, side: Side, winner: Side | None) -> bool:
    """Tell whether the computer, which plays ``side``, agrees to an end with this winner.

    It agrees to win, and otherwise only to what it cannot avoid.
    """
    if winner is side:
        return True
    end = settled(game, position)
    return end is not None and end.is_certain and end.winner in (side.other, winner)


def _is_lost(game: Game, position: Position) -> bool:
    """Tell whether the side to move loses whatever is played."""
    end = settled(game, position)
    return end is not None and end.winner is position.to_move.other


def _search_opening(game: Game, position: Position, level: Level, seed: int) -> Move:
    """Return the most even of some first stones, by a search after each, for lack of a table."""
    chance = Random(seed)
    cells = distinct_cells(game)
    tried = chance.sample(cells, min(MAX_OPENINGS, len(cells)))
    simulations = max(level.simulations // len(tried), MIN_OPENING)
    seconds, watch = level.seconds / len(tried), level.watch
    effort = Effort(simulations, seed, has_patterns=False, seconds=seconds, watch=watch)
    moves = [game.placing((cell,)) for cell in tried]

    def unevenness(move: Move) -> float:
        analysis = Search(game, game.play(position, move), effort).analysis()
        return abs(analysis.chance - 0.5)

    return min(moves, key=unevenness)

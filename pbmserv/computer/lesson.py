"""What a hint teaches where the game is decided: the proof, and the move that says most.

A winner is told the move whose proof needs the fewest cells, a loser the one that leaves the winner
the fewest cells on which to answer.

    >>> from pbmserv.computer.level_list import HINT_LEVEL
    >>> from pbmserv.engine.spec import parse_game
    >>> y = parse_game("y(size=5)")
    >>> lost = advise(y, y.replay(["D3", "E1", "D4"]), HINT_LEVEL)
    >>> str(lost.verdict.winner), lost.verdict.sentences
    ('X', ('X answers each stone on D2 C3, C5 D5 or E2 E3 in the same link.',))
"""

from collections.abc import Iterator
from dataclasses import replace

from pbmserv.computer.game_arrays import arrays_of
from pbmserv.computer.level_list import FIRST_SEARCH, Level
from pbmserv.computer.levels import DOUBT, Choice, Verdict, choose
from pbmserv.computer.openings import known_winner, winning_replies
from pbmserv.computer.proof import Proof, cells_against_threats, prove
from pbmserv.computer.search import Analysis
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import EMPTY, Move, Position
from pbmserv.engine.settle import settled

SEED = 1
DEPTH = 1
"""Moves that a proof looks ahead where the search was sure."""
EFFORT, THREAT_EFFORT = 300_000, 50_000
"""Cells that a proof and a look for threats may look at: a second's work, and a part of it."""
MAX_WORK = 15_000
"""Winning moves that are compared, times the cells of the board."""
MAX_TRIED = 12
"""Moves of a loser that are compared, those that the search liked best."""
MAX_NAMED = 3
"""Links, or cells of an answer, that are told by name."""


def advise(game: Game, position: Position, level: Level) -> Choice:
    """Return the move of ``level``, with a verdict if the winner is known.

    Advice on a position is always the same, so that a review never blames a move that was advised.
    """
    choice = choose(game, position, FIRST_SEARCH if level.temperature else level, SEED)
    analysis, side = choice.analysis, position.to_move
    if choice.move is not None and not choice.move.cells:
        return choice
    if replies := winning_replies(game, position):
        return _of_table(game, position, choice, replies)
    winner = known_winner(game, position)
    if winner is None and analysis is None:
        return choice if choice.move else _lost(game, position, choice, None)
    if analysis and not winner and not analysis.winner and DOUBT < analysis.chance < 1 - DOUBT:
        return choice
    proof = prove(game, position, DEPTH, EFFORT)
    winner = winner or (proof.winner if proof else analysis.winner if analysis else None)
    if winner is side:
        return _won(game, position, choice)
    return choice if winner is None else _lost(game, position, choice, proof)


def answer(
    game: Game, position: Position, level: Level, seed: int, *, is_hint: bool = False
) -> Choice:
    """Return the move of ``level`` with this seed, or its advice."""
    return advise(game, position, level) if is_hint else choose(game, position, level, seed)


def _of_table(game: Game, position: Position, choice: Choice, replies: list[Cell]) -> Choice:
    """Return a reply of those that are known to win, with the others."""
    moves = [game.placing((cell,)) for cell in replies]
    best = choice.move if choice.move in moves else moves[0]
    others = ", ".join(move.text for move in moves if move != best)
    told = (f"Also winning: {others}.",) if others else ()
    return Choice(best, None, Verdict(position.to_move, told))


def _won(game: Game, position: Position, choice: Choice) -> Choice:
    """Return the winning move that needs the fewest cells, which its reasons tell."""
    side, move = position.to_move, _smallest_win(game, position, choice)
    if move is None:
        return choice
    told = f"{side} would win even if {side.other} were to move."
    verdict = Verdict(side, (told,) if _wins_waiting(game, position) else ())
    return choice._replace(move=move, verdict=verdict)


def _smallest_win(game: Game, position: Position, choice: Choice) -> Move | None:
    """Return a move that wins at once, or by links with the fewest cells, or one that is proven."""
    side, arrays = position.to_move, arrays_of(game)
    is_sure = choice.analysis is not None and choice.analysis.best.chance == 1
    if arrays is None or arrays.stones_a_turn > 1:
        return choice.move if is_sure else None
    found = list[tuple[int, Cell]]()
    for cell in _tried(position, choice.analysis)[: MAX_WORK // len(game.board)]:
        after = game.play(position, game.placing((cell,)))
        outcome = game.outcome(after)
        if outcome is not None and outcome.winner is side:
            return game.placing((cell,))
        proof = prove(game, after, 0)
        if proof is not None and proof.winner is side:
            found.append((len(proof.carrier), cell))
    if found:
        return game.placing((min(found)[1],))
    if is_sure:
        return choice.move
    proof = prove(game, position, DEPTH, EFFORT)
    return game.placing((proof.move,)) if proof and proof.move is not None else None


def _wins_waiting(game: Game, position: Position) -> bool:
    """Tell whether the side to move is proven to win with the other to move in its place."""
    proof = prove(game, replace(position, to_move=position.to_move.other, passes=0), DEPTH, EFFORT)
    return proof is not None and proof.winner is position.to_move


def _lost(game: Game, position: Position, choice: Choice, proof: Proof | None) -> Choice:
    """Return the move that leaves the winner the fewest answers, with the proof."""
    winner, end, analysis = position.to_move.other, settled(game, position), choice.analysis
    sentences = [end.words] if end and end.winner else [*(_told(game, proof) if proof else ())]
    if known_winner(game, position):
        sentences.insert(0, "This board is solved.")
    count, _, cell, answers = min(_worth_trying(game, position, analysis), default=(0, 0, 0, ()))
    if not answers:
        return Choice(None, analysis, Verdict(winner, tuple(sentences)))
    names = game.board.names
    where = _named([names[each] for each in answers])
    where = where if count <= MAX_NAMED else f"one of {count} cells"
    sentences.append(f"Hardest for {winner}: {names[cell]}, which only {where} can answer.")
    return Choice(game.placing((cell,)), analysis, Verdict(winner, tuple(sentences)))


def _worth_trying(
    game: Game, position: Position, analysis: Analysis | None
) -> Iterator[tuple[int, int, Cell, tuple[Cell, ...]]]:
    """Yield moves of a loser, the number of answers first, and on which cells they are."""
    arrays = arrays_of(game)
    if arrays is None or arrays.stones_a_turn > 1:
        return
    for rank, cell in enumerate(_tried(position, analysis)[:MAX_TRIED]):
        after = game.play(position, game.placing((cell,)))
        answers = () if game.is_over(after) else cells_against_threats(game, after, THREAT_EFFORT)
        yield len(answers) or len(game.board), rank, cell, answers


def _told(game: Game, proof: Proof) -> Iterator[str]:
    """Yield how the winner of a proof answers what is played."""
    names, winner = game.board.names, proof.winner
    links = [" ".join(names[cell] for cell in link) for link in proof.links]
    if proof.move is not None:
        cells = " ".join(names[cell] for cell in proof.must_play)
        could = f"only {cells} could stop that" if cells else "nothing stops all its threats"
        yield f"{winner} threatens {names[proof.move]}, and {could}."
    elif len(links) > MAX_NAMED:
        yield f"{winner} wins by {len(links)} links and answers each stone in the same link."
    elif links:
        yield f"{winner} answers each stone on {_named(links)} in the same link."


def _named(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _tried(position: Position, analysis: Analysis | None) -> list[Cell]:
    """Return the empty cells, those first that a search liked best."""
    if analysis is not None:
        return [one.move.cells[0] for one in analysis.candidates]
    return [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]

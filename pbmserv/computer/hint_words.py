"""A hint in words and as a document: the best move, how it stands, two others, and why."""

from collections.abc import Iterator
from itertools import islice
from textwrap import wrap
from typing import Any

from pbmserv.computer.levels import Choice
from pbmserv.computer.openings import chance_after, known_winner, winner_after
from pbmserv.computer.reasons import reasons
from pbmserv.computer.review import percent
from pbmserv.computer.search import Candidate
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Move, MoveKind, Position, Side

MAX_OTHERS = 2
NEARLY_EVEN = 0.05
"""The distance from one half up to which a chance is called even."""
LETTERS = "abc"
"""The marks on the board of the best move and the others."""


def hint_lines(game: Game, position: Position, choice: Choice, width: int) -> list[str]:
    """Return a hint in lines of this width, which do not break before a per cent sign."""
    lines = (line.replace(" %", "\N{NO-BREAK SPACE}%") for line in hint(game, position, choice))
    wrapped = (part for line in lines for part in wrap(line, width, subsequent_indent="    "))
    return [part.replace("\N{NO-BREAK SPACE}", " ") for part in wrapped]


def hint(game: Game, position: Position, choice: Choice) -> list[str]:
    """Return sentences: the best move with its chance, why it is good, and the next two.

    Where it is known who wins, the verdict of ``choice`` is told in place of chances.
    """
    if choice.move is None or _is_lost(position, choice):
        told = choice.verdict.sentences if choice.verdict else ()
        return ["This position is lost, whatever you play.", *(f"  {each}" for each in told)]
    match choice.move.kind:
        case MoveKind.PASS:
            return [f"Best: pass{', which wins the game' if position.passes else ''}."]
        case MoveKind.SWAP:
            return [_swap_words(game, position)]
    if choice.verdict is None and choice.analysis is None and game.is_first_turn(position):
        return [_opening_words(game, choice.move)]
    return [*_found_words(game, position, choice, choice.move)]


def _found_words(game: Game, position: Position, choice: Choice, move: Move) -> Iterator[str]:
    """Yield what a table or a search found of the ``move`` chosen, and what is proven."""
    shown = _shown_candidates(position, choice)
    if game.may_swap(position) and known_winner(game, position) is Side.O:
        name = game.board.names[position.last[0]]
        yield f"Do not swap: {name} loses with best play. This board is solved."
    if choice.verdict and choice.analysis is None:
        yield f"Best: {move.text}, which wins: this board is solved."
    else:
        yield f"Best: {_candidate_words(shown[0]) if shown else move.text}."
    yield from (f"  {reason}" for reason in _reasons(game, position, choice))
    yield from (f"Also: {_candidate_words(other)}." for other in shown[1:])
    line = _line(choice)
    if len(line) > 1:
        yield f"Likely continuation: {' '.join(line)}."


def _is_lost(position: Position, choice: Choice) -> bool:
    return choice.verdict is not None and choice.verdict.winner is not position.to_move


def _line(choice: Choice) -> list[str]:
    """Return how the game may go on after the move, [] where that was not searched."""
    line = choice.analysis.line if choice.analysis else ()
    return [move.text for move in line] if line[:1] == (choice.move,) else []


def hint_document(game: Game, position: Position, choice: Choice) -> dict[str, Any]:
    """Return the hint for programs; ``best`` is None if the game is lost."""
    move = None if _is_lost(position, choice) else choice.move
    return {
        "best": move.text if move else None,
        "candidates": [
            {
                "move": candidate.move.text,
                "chance": round(candidate.chance, 3),
                "margin": None if candidate.margin is None else round(candidate.margin, 1),
            }
            for candidate in _shown_candidates(position, choice)
        ],
        "reasons": _reasons(game, position, choice),
        "line": _line(choice) if move else [],
    }


def hint_marks(position: Position, choice: Choice) -> dict[Cell, str]:
    """Return the letters on the cells of the best move and of the others."""
    shown = _shown_candidates(position, choice)
    if not shown and choice.move:
        return dict.fromkeys(choice.move.cells, LETTERS[0])
    moves = zip(LETTERS, shown, strict=False)
    return {cell: letter for letter, one in [*moves][::-1] for cell in one.move.cells}


def _shown_candidates(position: Position, choice: Choice) -> list[Candidate]:
    """Return the chosen move and the best others, [] of a lost game and of what was not searched.

    Beside a move that is known to win the others stand only if they are proven, too: their chances
    are those of a search that the proof ended.
    """
    move, analysis = choice.move, choice.analysis
    if move is None or not move.cells or _is_lost(position, choice):
        return []
    if analysis is None:
        return [Candidate(move, 1.0, 1.0, None)] if choice.verdict else []
    found = analysis.candidates
    best = next((one for one in found if one.move == move), analysis.best)
    if choice.verdict:
        best = best._replace(chance=1.0)
    others = [one for one in found if one.move != best.move and one.share > 0]
    if best.chance == 1:
        others = [one for one in others if one.chance in {0, 1}]
    return [best, *sorted(islice(others, MAX_OTHERS), key=_rank, reverse=True)]


def _rank(candidate: Candidate) -> tuple[int, float]:
    """Return the per cent as it is told, then the margin, to sort moves by."""
    return int(percent(candidate.chance).removesuffix(" %")), candidate.margin or 0.0


def _opening_words(game: Game, move: Move) -> str:
    """Return words on a first stone, which is chosen so that a swap gains little."""
    winner = winner_after(game, move.cells[0])
    if winner is not None:
        does = "wins" if winner is Side.X else "loses"
        return (
            f"Best: {move.text}, after which the result is hardest to predict. This board is "
            f"solved: with best play {move.text} {does}, and no first stone is even. A larger "
            "board is fairer."
        )
    chance = chance_after(game, move.cells[0])
    told = "" if chance is None else f": X's winning chance {percent(chance)}"
    if chance is not None and abs(chance - 0.5) <= NEARLY_EVEN:
        return f"Best: {move.text}, after which the game is nearly even{told}."
    return f"Best: {move.text}, the most even first stone, because O may swap{told}."


def _swap_words(game: Game, position: Position) -> str:
    """Return words on the swap as the best move, and whether that is proven."""
    cell = position.last[0]
    if winner_after(game, cell) is None:
        return "Best: swap, because the first stone is strong."
    return f"Best: swap. {game.board.names[cell]} wins with best play: this board is solved."


def _reasons(game: Game, position: Position, choice: Choice) -> list[str]:
    """Return why a move is good, and the verdict, each sentence once."""
    told = choice.verdict.sentences if choice.verdict else ()
    if choice.move is None or not choice.move.cells or _is_lost(position, choice):
        return [*told]
    return [*reasons(game, position, choice.move), *told]


def _candidate_words(candidate: Candidate) -> str:
    """Return a move with its winning chance and its mean margin."""
    if candidate.chance == 1:
        return f"{candidate.move.text}, which wins whatever is played"
    words = f"{candidate.move.text}, winning chance {percent(candidate.chance)}"
    if candidate.margin is None:
        return words
    return f"{words}, expected margin {candidate.margin:+.1f}"

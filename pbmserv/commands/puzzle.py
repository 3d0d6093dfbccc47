"""The puzzle of the day: a position in which one move wins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.club.puzzles import Puzzle, puzzle_of_day, puzzles
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.game_options import read_move
from pbmserv.commands.slots import MOVE, NUMBER, maybe, one_way
from pbmserv.commands.synonyms import words_behind
from pbmserv.engine.position import Position
from pbmserv.engine.spec import option_values
from pbmserv.errors import InvalidMove, NotFound
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.render.view import options_words
from pbmserv.services.session import ReadSession, Source, WriteSession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOLUTION = "solution"
MAX_NUMBER_DIGITS = 4

Words = Annotated[tuple[str, ...], Word(one_way(maybe(NUMBER), maybe(MOVE, "solution")))]


def _needs_nothing(values: Mapping[str, Any]) -> Access:
    del values
    return Access.NOTHING


@command(access=_needs_nothing)
def puzzle(session: ReadSession | None, words: Words = ()) -> Answer:
    """Show the puzzle of the day, or check whether a MOVE solves it: exactly one move wins.

    A NUMBER chooses another puzzle. By mail, answer with the move on the first line. The word
    solution shows the answer.
    """
    now = int(time.time()) if session is None else session.now
    if isinstance(session, WriteSession) and session.source is Source.MAIL:
        words = (*words, *session.read_body().split()[:1])
    found, tried = read_words(words, now)
    return puzzle_answer(found, tried)


def read_words(words: Sequence[str], now: int) -> tuple[Puzzle, str | None]:
    """Return the puzzle that is meant and the move that is tried, if one is.

    Raises :class:`NotFound` for a number that no puzzle has, and :class:`InvalidMove` for a word
    that people say for another command.
    """
    found, rest = puzzle_of_day(now), list(words)
    if rest and rest[0].isascii() and rest[0].isdigit():
        number, known = rest.pop(0), puzzles()
        if len(number) > MAX_NUMBER_DIGITS or not 1 <= int(number) <= len(known):
            raise NotFound(
                "There is no such puzzle.",
                code="no-such-puzzle",
                hint=f"Puzzles are numbered from 1 to {len(known)}.",
                about=number,
            )
        found = known[int(number) - 1]
    if rest and (said := words_behind("puzzle", rest)):
        after = found.number % len(puzzles()) + 1
        line = said.replace("NUMBER", str(found.number)).replace("NEXT", str(after))
        raise InvalidMove(
            "Not a move.", code="invalid-move", meant=f"pbmserv puzzle {line}", about=rest[0]
        )
    return found, rest[0] if rest else None


def is_solution(found: Puzzle, tried: str) -> bool:
    """Tell whether this move wins; raises :class:`InvalidMove` or :class:`IllegalMove`."""
    return judge(found, tried)[0]


def judge(found: Puzzle, tried: str) -> tuple[bool, str, Position]:
    """Return whether this move wins, that as a sentence, and the position after it.

    Raises :class:`InvalidMove` or :class:`IllegalMove`.
    """
    move = read_move(found.game, tried)
    after = found.game.play(found.position, move)
    if move.text == found.solution:
        return True, f"{move.text} wins: solved.", after
    other = found.side.other
    return False, f"After {move.text}, {other} can still win. Look again.", after


def puzzle_answer(found: Puzzle, tried: str | None, note: str = "") -> Answer:
    """Return the puzzle, or what a move makes of it; ``note`` is said at its end."""
    side, is_solved = found.side, None
    head = f"Puzzle {found.number}: {found.game.title}, {options_words(found.game)}"
    blocks: list[Block] = [head]
    if tried is None:
        task = f"{side} to move and win: which move? Answer: pbmserv puzzle {found.number} MOVE"
        blocks += [BoardPicture(found.game, found.position), task]
    elif tried.lower() == SOLUTION:
        blocks.append(f"The solution: {found.solution}. Every other move loses.")
    else:
        is_solved, said, after = judge(found, tried)
        blocks += [BoardPicture(found.game, after), said]
    if note:
        blocks.append(note)
    return Answer(
        tuple(blocks),
        {
            "puzzle": found.number,
            "game": found.game.name,
            "options": option_values(found.game),
            "moves": list(found.moves),
            "to_move": side.value,
            "solved": is_solved,
        },
        subject=f"Puzzle {found.number}",
    )

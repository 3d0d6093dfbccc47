"""Thinking beside the screen: searches in a process of their own, one at a time.

A thread would hold the interpreter while it searches, and a key would wait for the screen.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from pbmserv.board.play_session import Thoughts
from pbmserv.computer.lesson import answer
from pbmserv.computer.level_list import Level
from pbmserv.computer.levels import Choice
from pbmserv.computer.review import (
    SIMULATIONS,
    PositionAnalysis,
    Review,
    analyse_positions,
    percent,
    review_of,
)
from pbmserv.computer.search import Analysis, Search
from pbmserv.computer.task import Effort
from pbmserv.desk.robot_programs import Program, ask_program
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import played
from pbmserv.errors import Fault, PbmservError
from pbmserv.side_processes import SideProcess

STUDIES = (300, 1_500, 6_000, 24_000)
"""The simulations of a study, which is told of after each round."""

CUT_OFF = "The computer's search stopped unexpectedly. Leave the game and open it again to retry."

PROGRAM_SECONDS = 600
"""Seconds that a program at the keyboard may think; who plays it may leave sooner."""

WORKER = f"{__name__}:worker"

Watch = Callable[[int, Callable[[], None]], Callable[[], object]]


class Subject(NamedTuple):
    """The subject of an analysis: a level's choice, a position, or without one all moves.

    A hint is what the level would advise.
    """

    game: Game
    position: Position | None = None
    level: Level | None = None
    moves: tuple[str, ...] = ()
    seed: int = 0
    is_hint: bool = False


class Thinker:
    """A process that thinks for as long as nobody asks it for something else."""

    def __init__(self) -> None:
        self._process: SideProcess | None = None
        self._unwatch: Callable[[], object] | None = None
        """What ends the wait for a result, while one is waited for."""

    def think(self, subject: Subject, watch: Watch, told: Callable[[Any], None]) -> None:
        """Search for this in place of anything else; ``told`` gets each result or an error's text.

        ``watch`` registers a reader of a file number, and returns what removes it.
        """
        self.stop()
        process = self._given(subject)

        def read() -> None:
            try:
                is_last, result = process.result()
            except Fault:
                self.close()
                told(CUT_OFF)
                return
            if is_last:
                self._end()
            told(result)

        self._unwatch = watch(process.ends.fileno(), read)

    def stop(self) -> None:
        """Stop the current search, if any."""
        if self._unwatch is not None:
            self.close()

    def close(self) -> None:
        """End the process."""
        self._end()
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _end(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    def _given(self, subject: Subject) -> SideProcess:
        """Give the subject to the process, a new one if it has died, and return it."""
        try:
            process = self._process = self._process or SideProcess(WORKER)
            process.ends.send(subject)
        except OSError:
            self.close()
            process = self._process = SideProcess(WORKER)
            process.ends.send(subject)
        return process


def worker(_: None) -> Callable[[Subject], Iterator[tuple[bool, Any]]]:
    """Return what thinks about a subject and yields what comes of it, or why nothing does."""

    def think(subject: Subject) -> Iterator[tuple[bool, Any]]:
        try:
            yield from results_of(subject)
        except PbmservError as error:
            yield True, error.words

    return think


def results_of(subject: Subject) -> Iterator[tuple[bool, Any]]:
    """Yield whether it is the last, and what comes: a choice, analyses, or a review so far."""
    game, position, level, moves, seed, is_hint = subject
    if position is None:
        record, looks = played(game, moves), list[PositionAnalysis]()
        for look in analyse_positions(record, SIMULATIONS):
            looks.append(look)
            if len(looks) <= len(moves):
                yield False, Review(record, tuple(looks), None).document
        yield True, review_of(record, looks, SIMULATIONS).document
    elif level is not None:
        yield True, choice_of(game, position, level, moves, seed, is_hint=is_hint)
    else:
        for simulations in STUDIES:
            analysis = Search(game, position, Effort(simulations, seed)).analysis()
            yield simulations == STUDIES[-1], thoughts_of(analysis)


def choice_of(
    game: Game, position: Position, level: Level, moves: Sequence[str], seed: int, *, is_hint: bool
) -> Choice:
    """Return the choice of a level or a program after moves; raises :class:`PbmservError`."""
    if level.program and not is_hint:
        return Choice(ask_program(played(game, moves), Program(level.program, PROGRAM_SECONDS)))
    return answer(game, position, level, seed, is_hint=is_hint)


def thoughts_of(analysis: Analysis) -> Thoughts:
    """Return an analysis as it is shown."""
    best = analysis.best
    of_x = analysis.chance if analysis.side is Side.X else 1.0 - analysis.chance
    margin = "" if best.margin is None else f", margin {best.margin:+.1f}"
    line = " ".join(move.text for move in analysis.line)
    return Thoughts(
        of_x,
        (
            f"Winning chance of X: {percent(of_x)}",
            f"Best: {best.move.text} {percent(best.chance)}{margin}",
            f"Line: {line}",
            f"{analysis.simulations} simulations",
        ),
    )

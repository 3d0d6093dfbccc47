"""Thinking beside the screen: searches in a process of their own, one at a time.

A thread would hold the interpreter while it searches, and a key would wait for the screen.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from pbmserv.computer.level_list import Level
from pbmserv.computer.levels import choose
from pbmserv.computer.search import Analysis, Search
from pbmserv.computer.task import Effort
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.settle import settled

STUDIES = (300, 1_500, 6_000, 24_000)
"""The simulations of a study, which is told of after each round."""

CURVE = 400
"""The simulations for each moment of a curve."""


Watch = Callable[[int, Callable[[], None]], Callable[[], object]]


class Task(NamedTuple):
    """What to think about: ``move`` at a level, ``hint``, ``study`` or ``curve`` of positions."""

    kind: str
    game: Game
    positions: tuple[Position, ...]
    level: Level | None = None
    seed: int = 0


class Thinker:
    """A process that thinks for as long as nobody asks it for something else."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ends: Connection | None = None
        self._is_busy = False
        self._unwatch: Callable[[], object] = lambda: None

    def think(
        self,
        task: Task,
        watch: Watch,
        told: Callable[[Any], None],
    ) -> None:
        """Begin this task in place of any other; ``told`` is called with each result.

        ``watch`` has a function called whenever there is something to read from a file number,
        and returns what ends that.
        """
        self.stop()
        connection = self._connection()

        def read() -> None:
            try:
                is_last, result = connection.recv()
            except (EOFError, OSError):
                self.close()
                return
            if is_last:
                self._end()
            told(result)

        self._is_busy = True
        connection.send(task)
        self._unwatch = watch(connection.fileno(), read)

    def stop(self) -> None:
        """Give up what is thought about, if anything is."""
        if self._is_busy:
            self.close()

    def close(self) -> None:
        """End the process."""
        self._end()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._ends is not None:
            self._ends.close()
            self._ends = None

    def _end(self) -> None:
        self._is_busy = False
        self._unwatch()
        self._unwatch = lambda: None

    def _connection(self) -> Connection:
        if self._ends is None:
            ours, theirs = socket.socketpair()
            with theirs:
                code = f"from {__name__} import work; work()"
                self._process = subprocess.Popen(  # noqa: S603 - ourselves
                    [sys.executable, "-P", "-c", code],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            self._ends = Connection(ours.detach())
        return self._ends


def work() -> None:
    """Do the tasks that come by standard input, until nobody is there any more."""
    connection = Connection(0)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        while True:
            results = with_last(results_of(connection.recv()))
            for is_last, result in results:
                connection.send((is_last, result))
    except (EOFError, OSError):
        return


def with_last(results: Iterator[Any]) -> Iterator[tuple[bool, Any]]:
    """Yield each result with whether it is the last one."""
    waiting = next(results)
    for result in results:
        yield False, waiting
        waiting = result
    yield True, waiting


def results_of(task: Task) -> Iterator[Any]:
    """Yield what comes of a task: a :class:`Choice`, analyses, or X's chance at each moment."""
    game, position = task.game, task.positions[-1]
    if task.level is not None:
        yield choose(game, position, task.level, task.seed)
    elif task.kind == "study":
        for simulations in STUDIES:
            yield Search(game, position, Effort(simulations, task.seed)).analysis()
    else:
        chances: list[float] = []
        for moment in task.positions:
            chances.append(chance_of_x(game, moment, task.seed))
            yield tuple(chances)


def chance_of_x(game: Game, position: Position, seed: int) -> float:
    """Return how likely X wins."""
    if game.is_over(position):
        outcome = game.outcome(position)
        winner = outcome.winner if outcome else None
        return 0.5 if winner is None else float(winner is Side.X)
    end = settled(game, position)
    if end is not None and end.winner is not None:
        return float(end.winner is Side.X)
    return chance_for_x(Search(game, position, Effort(CURVE, seed)).analysis())


def chance_for_x(analysis: Analysis) -> float:
    """Return X's chance by an analysis, which tells that of the side to move."""
    return analysis.chance if analysis.side is Side.X else 1.0 - analysis.chance

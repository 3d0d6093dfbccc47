"""How well the computer plays: against an earlier one, other programs and its own levels.

Run it as `python -m tests.bench.strength [earlier|plain|openspiel|mohex|levels ...] [--games=20]`.
Games are played in pairs with the sides exchanged, from fixed seeds; they begin with a first turn
of each side that is near to even. A match ends early where a sequential test is sure that the share
of wins is above or below what is asked. Behind each stand the simulations of both players and the
processor time that a move of theirs took: where this is to be equal, the rival's simulations follow
ours from pair to pair. A rival that breaks off a game has lost or won it where that is proven; else
the game does not count.

`earlier` is this program at the commit `--before`, built in a temporary folder. `openspiel` wants
the extra `bench`, `mohex` the program MoHex 2.0 (of benzene; its path in `--mohex`): both are left
out, with the reason, where they are missing. `levels` plays every level against the one below on
every board of the ladder, `--rung=5` level 5 alone; what has been played is kept in the file
`--kept`, and a later run goes on from there. `--full` plays what the page `computer` tells.
"""

import argparse
import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import pairwise, zip_longest
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import IO, Any, NamedTuple, cast

from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.computer.levels import choose
from pbmserv.computer.openings import even_opening
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.engine.game import JOINT, Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import EMPTY, Move, Position, Side
from pbmserv.engine.spec import format_game, parse_game

Mover = Callable[[Position, int, int], Move | None]
"""Chooses a move, or None to resign, for a position, with so many simulations and a seed."""

AGAINST_EARLIER = (
    "hex(size=9)",
    "hex(size=11)",
    "y(size=11)",
    "star(size=6)",
    "star(size=9)",
    "starstar(size=6)",
    "starstar(size=10)",
    "starweb(size=8)",
    "polyy(size=7)",
)
AGAINST_MOHEX = ("hex(size=7)", "hex(size=9)", "hex(size=11)")
AGAINST_PLAIN = (
    "star(size=6)",
    "starstar(size=6)",
    "starstar(size=10)",
    "starweb(size=6)",
    "polyy(size=7)",
    "y(size=9)",
)
AGAINST_OPENSPIEL = ("hex(size=9)", "hex(size=11)", "y(size=9)", "y(size=11)")
LADDER = (
    "star(size=5)",
    "star(size=7)",
    "star(size=9,maxi)",
    "starstar(size=6)",
    "starstar(size=6,double)",
    "starstar(size=8)",
    "starweb(size=6)",
    "starweb(size=8)",
    "polyy(size=6)",
    "y(size=11)",
    "hex(size=9)",
    "hex(size=11)",
)
AT_A_TIME = 4
"""Games of a step that are played on one board before the next one has its turn."""

FULL = 80
"""Games of a step on each board with --full; a fourth of them above :data:`QUICK`."""

QUICK = 10_000
"""Simulations of a level that needs at most 0.1 s a move."""

KEPT = Path(tempfile.gettempdir(), "pbmserv-ladder.json")
"""What has been played of the ladder."""

TRIALS = 6
"""An opening is the most even of so many, ..."""

OPENING_SIMULATIONS = 300
"""... by a search with so many simulations."""

JUDGE = 1_000_000
"""Who has won a game that was broken off is asked with so many simulations."""

EARLIER_COMMIT = "3a25c3c"
"""Before anything was learned of moves."""

ERROR = 0.05
"""How often either verdict of the sequential test may be wrong."""


class BrokenOffError(Exception):
    """A rival has crashed, or moved against the rules."""


@dataclass
class Player:
    """One that moves after so many simulations, with the processor time that this has taken.

    ``clock`` tells the processor time of whoever thinks.
    """

    mover: Mover
    simulations: int
    clock: Callable[[], float] = time.process_time
    moves: int = 0
    done: int = 0
    seconds: float = 0.0

    def __call__(self, position: Position, seed: int) -> Move | None:
        """Choose a move and count what it takes."""
        start = self.clock()
        move = self.mover(position, self.simulations, seed)
        self.seconds += self.clock() - start
        self.moves += 1
        self.done += self.simulations
        return move

    def keep_up_with(self, other: "Player") -> None:
        """Think from now on so hard that moves take as long as the other's."""
        if self.seconds and other.moves:
            as_many = self.done / self.seconds * other.seconds / other.moves
            self.simulations = max(round(as_many), 1)

    def __str__(self) -> str:
        moves = max(self.moves, 1)
        return f"{self.done / moves:,.0f} simulations, {1000 * self.seconds / moves:.1f} ms"


class Question(NamedTuple):
    """Whether one player wins at least the share ``high`` rather than at most ``low``."""

    title: str
    game: Game
    players: tuple[Player, Player]
    start: Callable[[Random], Position]
    low: float
    high: float
    is_timed: bool = False
    """Whether the second player is to think as long as the first."""


class Result(NamedTuple):
    """What came of a question: games won of those played, and those broken off undecided."""

    wins: int
    games: int
    undecided: int = 0

    def verdict(self, low: float, high: float) -> str:
        """Return "yes" or "no" once the likelihoods of ``high`` and ``low`` are far apart."""
        losses = self.games - self.wins
        ratio = self.wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
        bound = math.log((1 - ERROR) / ERROR)
        if ratio >= bound:
            return "yes"
        return "no" if ratio <= -bound else ""

    @property
    def interval(self) -> tuple[float, float]:
        """The share of wins that these games speak for, by Wilson, with 95 % confidence."""
        share, z = self.wins / self.games, 1.96
        middle = share + z * z / (2 * self.games)
        half = z * math.sqrt(share * (1 - share) / self.games + z * z / (4 * self.games**2))
        scale = 1 + z * z / self.games
        return (middle - half) / scale, (middle + half) / scale


UNPLAYED = Result(0, 0)


def searching(game: Game, simulations: int) -> Player:
    """Return the computer with so many simulations a move."""
    return _mover(game, simulations, is_plain=False)


def plain(game: Game, simulations: int) -> Player:
    """Return plain UCT with so many simulations a move."""
    return _mover(game, simulations, is_plain=True)


def _mover(game: Game, simulations: int, *, is_plain: bool) -> Player:

    def mover(position: Position, simulations: int, seed: int) -> Move | None:
        analysis = Search(game, position, Effort(simulations, seed, is_plain)).analysis()
        return None if analysis.winner is position.to_move.other else analysis.best.move

    return Player(mover, simulations)


def at_level(game: Game, level: Level) -> Player:
    """Return a player of this level."""

    def mover(position: Position, simulations: int, seed: int) -> Move | None:
        return choose(game, position, level._replace(simulations=simulations), seed).move

    return Player(mover, level.simulations)


EARLIER = """
import pickle, sys
from pbmserv.computer.search import Search, is_compiled
from pbmserv.computer.task import Effort
from pbmserv.engine.spec import parse_game
assert is_compiled()
game = parse_game(sys.argv[1])
for line in sys.stdin:
    simulations, seed, position = line.split()
    position = pickle.loads(bytes.fromhex(position))
    found = Search(game, position, Effort(int(simulations), int(seed))).analysis()
    lost = found.winner is position.to_move.other
    print("resign" if lost else found.best.move.text, flush=True)
"""


@lru_cache(maxsize=1)
def earlier_program(commit: str) -> Path:
    """Return a folder with the whole program as it was at that commit, its kernel compiled."""
    # hatchling is there where something is built, not where tests are run.
    from tests.generators.build_hook import FOLDER, compiled_kernel

    asked = ["git", "rev-parse", "--short=12", f"{commit}^{{commit}}"]
    name = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    folder = Path(tempfile.gettempdir(), f"pbmserv-{os.getuid()}-{name}")
    if not (folder / "scratch").exists():
        folder.mkdir(exist_ok=True)
        packed = subprocess.run(["git", "archive", name], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=packed, check=True)
        for library in compiled_kernel(folder, folder / "scratch"):
            copyfile(library, folder / FOLDER / library.name)
    return folder


class Program:
    """Another program, which answers every line that it is sent."""

    def __init__(self, words: list[str], folder: Path | None = None) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=folder
        )

    def send(self, line: str) -> IO[str]:
        """Send a line; return where the answer is read, and raise if there is nobody."""
        process = self._process
        try:
            cast("IO[str]", process.stdin).write(f"{line}\n")
            cast("IO[str]", process.stdin).flush()
        except OSError as error:
            raise BrokenOffError from error
        return cast("IO[str]", process.stdout)

    def seconds(self) -> float:
        """Return the processor time that it has taken, as the clock of another process says."""
        try:
            return time.clock_gettime(~self._process.pid << 3 | 2)
        except OSError as error:
            raise BrokenOffError from error


def earlier(game: Game, simulations: int, commit: str) -> Player:
    """Return the computer as it was at that commit."""
    words = [sys.executable, "-c", EARLIER, format_game(game)]
    program = Program(words, earlier_program(commit))

    def mover(position: Position, simulations: int, seed: int) -> Move | None:
        line = f"{simulations} {seed} {pickle.dumps(position.with_trace(None)).hex()}"
        answer = program.send(line).readline().strip()
        if not answer:
            raise BrokenOffError
        return None if answer == "resign" else game.parse_move(answer)

    return Player(mover, simulations, program.seconds)


class MoHex:
    """MoHex 2.0 on one board, with one thread; it is begun anew where it has crashed."""

    SETTINGS = ("num_threads 1", "perform_pre_search 0", "max_time 1000")

    def __init__(self, game: Game, path: str) -> None:
        self._path = path
        self._game = game
        self._spent = 0.0
        self._begin()

    def _begin(self) -> None:
        self._program = Program([str(Path(self._path).absolute())], Path(tempfile.gettempdir()))
        self._stones = bytes(len(self._game.board))
        size = self._game.size  # type: ignore[attr-defined]  # Hex has one
        for setting in self.SETTINGS:
            self._ask(f"param_mohex {setting}")
        self._ask(f"boardsize {size} {size}")

    def _ask(self, line: str) -> str:
        """Return the answer, which ends with an empty line."""
        stream = self._program.send(line)
        found = ""
        while not found.endswith("\n\n"):
            more = stream.readline()
            if not more:
                raise BrokenOffError
            found += more
        if not found.startswith("="):
            raise BrokenOffError
        return found[1:].strip()

    def seconds(self) -> float:
        """Return the processor time that it has taken, all processes together."""
        return self._spent + self._program.seconds()

    def __call__(self, position: Position, simulations: int, seed: int) -> Move | None:
        """Return its move; it draws its own chance."""
        del seed
        try:
            self._ask(f"param_mohex max_games {simulations}")
            self._set_up(position)
            answer = self._ask(f"genmove {'white' if position.to_move is Side.O else 'black'}")
        except BrokenOffError:
            self._begin()
            raise
        if answer == "resign":
            return None
        move = self._game.parse_move(answer.upper())
        if position.stones[move.cells[0]]:
            self._begin()
            raise BrokenOffError
        stones = bytearray(position.stones)
        stones[move.cells[0]] = position.to_move.stone
        self._stones = bytes(stones)
        return move

    def _set_up(self, position: Position) -> None:
        """Place the stones that are new, or all of them on an empty board."""
        pairs = [*zip(self._stones, position.stones, strict=True)]
        if any(known and known != stone for known, stone in pairs):
            self._ask("clear_board")
            pairs = [(EMPTY, stone) for stone in position.stones]
        names = self._game.board.names
        new = {
            side: [
                names[at] for at, (known, stone) in enumerate(pairs) if stone == side.stone != known
            ]
            for side in Side
        }
        for x, o in zip_longest(new[Side.X], new[Side.O]):
            for color, name in (("black", x), ("white", o)):
                if name:
                    self._ask(f"play {color} {name.lower()}")
        self._stones = position.stones


@lru_cache(maxsize=8)
def rival_game(name: str, size: int) -> Any:
    """Return the game of OpenSpiel with this name."""
    import pyspiel

    return pyspiel.load_game(name, {"board_size": size})


def rival_actions(game: Game) -> list[int]:
    """Return OpenSpiel's number for each of our cells: its Y stands upside down."""
    size: int = game.size  # type: ignore[attr-defined]  # Hex and Y have one
    points = ((ord(name[0]) - ord("A"), int(name[1:]) - 1) for name in game.board.names)
    if game.name == "hex":
        return [row * size + column for column, row in points]
    return [(size - 1 - row) * size + size - 1 - column for column, row in points]


def rival_state(game: Game, position: Position) -> Any:
    """Return the position as OpenSpiel's state, with the stones placed in turn."""
    state = rival_game(game.name, game.size).new_initial_state()  # type: ignore[attr-defined]
    actions = rival_actions(game)
    x, o = position.cells_of(Side.X), position.cells_of(Side.O)
    for number in range(len(x) + len(o)):
        state.apply_action(actions[(x, o)[number % 2][number // 2]])
    return state


def rival_bot(game: Game, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's MCTSBot for one of its games."""
    import pyspiel

    known = rival_game(game.name, game.size)  # type: ignore[attr-defined]
    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(known, rollouts, 1.4, simulations, 1000, True, seed, False)


def rival(game: Game, simulations: int) -> Player:
    """Return OpenSpiel's MCTSBot, with its solver, as a player."""
    cells = {action: cell for cell, action in enumerate(rival_actions(game))}

    def mover(position: Position, simulations: int, seed: int) -> Move | None:
        bot = rival_bot(game, simulations, seed % 2**31)
        cell = cells[bot.step(rival_state(game, position))]
        return Move(game.board.names[cell], (cell,))

    return Player(mover, simulations)


def opening(game: Game, chance: Random) -> Position:
    """Return a position after a turn of each side that a short search takes for near to even.

    The first stone is one of the table's even ones, or a random one where it has none.
    """
    start = game.start()
    first = even_opening(game, chance)
    tried = []
    for _ in range(TRIALS):
        position = game.play(start, first or _random_turn(game, start, chance))
        position = game.play(position, _random_turn(game, position, chance))
        tried.append(position)
    return min(tried, key=lambda one: _unevenness(game, one))


def _random_turn(game: Game, position: Position, chance: Random) -> Move:
    empty = [cell for cell, stone in enumerate(position.stones) if stone == EMPTY]
    cells = chance.sample(empty, game.stones_due(position))
    return game.parse_move(JOINT.join(game.board.names[cell] for cell in cells))


def _unevenness(game: Game, position: Position) -> float:
    effort = Effort(OPENING_SIMULATIONS, has_patterns=False)
    return abs(Search(game, position, effort).analysis().chance - 0.5)


def is_won(
    game: Game, start: Position, players: tuple[Player, Player], side: Side, seed: int
) -> bool | None:
    """Play one game to its end, our player having ``side`` at first; tell whether it wins.

    None if it was broken off and nobody knows who would have won.
    """
    position = start
    while not game.is_over(position):
        player = players[position.to_move is not side]
        try:
            move = player(position, seed + position.ply)
        except BrokenOffError:
            winner = Search(game, position, Effort(JUDGE)).analysis().winner
            return None if winner is None else winner is side
        if move is None:
            return position.to_move is not side
        if move.is_swap:
            side = side.other
        position = game.play(position, move)
    outcome = game.outcome(position)
    return outcome is not None and outcome.winner is side


def answer(
    question: Question, games: int, *, all_of_them: bool, found: Result = UNPLAYED
) -> Result:
    """Play on from what is ``found`` until the test is sure, or ``games`` have been played."""
    ours, theirs = question.players
    for number in range(found.games + found.undecided, games, 2):
        start = question.start(Random(number))
        for side in Side:
            won = is_won(question.game, start, question.players, side, 1000 * number)
            if won is None:
                found = found._replace(undecided=found.undecided + 1)
            else:
                found = found._replace(wins=found.wins + won, games=found.games + 1)
        if question.is_timed:
            theirs.keep_up_with(ours)
        if not all_of_them and found.verdict(question.low, question.high):
            break
    return found


def against_earlier(simulations: int, boards: list[str], commit: str) -> Iterator[Question]:
    for spec in boards or AGAINST_EARLIER:
        game = parse_game(spec)
        players = searching(game, simulations), earlier(game, simulations, commit)
        title = f"{spec}: this program at {commit}"
        yield Question(title, game, players, partial(opening, game), 0.5, 0.7, is_timed=True)


def against_mohex(simulations: int, boards: list[str], path: str) -> Iterator[Question]:
    for spec in boards or AGAINST_MOHEX:
        game = parse_game(spec)
        rival = MoHex(game, path)
        players = (
            searching(game, simulations),
            Player(rival, max(simulations // 25, 1), rival.seconds),
        )
        title = f"{spec}: MoHex 2.0"
        yield Question(title, game, players, partial(opening, game), 0.4, 0.55, is_timed=True)


def against_plain(simulations: int, boards: list[str]) -> Iterator[Question]:
    for spec in boards or AGAINST_PLAIN:
        game = parse_game(spec)
        ours = searching(game, simulations)
        players = ours, plain(game, 3 * simulations)
        title = f"{spec}: plain UCT, equal time"
        yield Question(title, game, players, partial(opening, game), 0.75, 0.9, is_timed=True)


def against_openspiel(simulations: int, boards: list[str]) -> Iterator[Question]:
    for spec in boards or AGAINST_OPENSPIEL:
        if spec.partition("(")[0] not in game_names():
            continue
        game = parse_game(spec)
        for words in ("time", "simulations"):
            title = f"{spec}: OpenSpiel, equal {words}"
            players = searching(game, simulations), rival(game, simulations)
            is_timed = words == "time"
            yield Question(title, game, players, partial(opening, game), 0.8, 0.95, is_timed)


def ladder(chosen: list[int], boards: list[str], games: int, kept: Path, *, full: bool) -> None:
    """Play all levels that are ``chosen`` against the one below, by turns on all boards.

    What comes of it is kept in a file, by the two levels and the board, and printed at the end.
    """
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    specs = boards or LADDER
    pairs = [pair for pair in pairwise(LEVELS) if pair[1].number in chosen or not chosen]
    for lower, higher in pairs:
        most = games if not full else FULL if higher.simulations <= QUICK else FULL // 4
        for goal in range(AT_A_TIME, most + AT_A_TIME, AT_A_TIME):
            for spec in specs:
                key = step_key(spec, lower, higher)
                wins, done, seconds = known.get(key, (0, 0, 0.0))
                game = parse_game(spec)
                players = at_level(game, higher), at_level(game, lower)
                question = Question(key, game, players, partial(opening, game), 0.7, 0.8)
                before = time.process_time()
                found = answer(
                    question, min(goal, most), all_of_them=True, found=Result(wins, done)
                )
                seconds += time.process_time() - before
                known[key] = found.wins, found.games, seconds
                kept.write_text(json.dumps(known, indent=1), encoding="utf-8")
        print(step_row(specs, lower, higher, known), flush=True)


def step_key(spec: str, lower: Level, higher: Level) -> str:
    """Return the board and all that makes two levels play as they do."""
    rows = (
        f"{level.simulations} {level.proof_depth} {level.temperature} {level.sight} {level.solves}"
        for level in (higher, lower)
    )
    return " v ".join((spec, *rows))


def step_row(specs: Sequence[str], lower: Level, higher: Level, known: dict[str, Any]) -> str:
    """Return what is known of a step: on all boards, on the worst and the best, and the time."""
    rows = {spec: known[step_key(spec, lower, higher)] for spec in specs}
    shares = sorted((wins / games, spec) for spec, (wins, games, _) in rows.items() if games)
    found = Result(sum(row[0] for row in rows.values()), sum(row[1] for row in rows.values()))
    low, high = found.interval
    return (
        f"{f'{higher.number} v {lower.number}':9}{found.wins:5} of {found.games:5}"
        f"{found.wins / found.games:6.0%}   {low:.0%} to {high:.0%}"
        f"   {shares[0][0]:.0%} ({shares[0][1]}) to {shares[-1][0]:.0%} ({shares[-1][1]})"
        f"   {sum(row[2] for row in rows.values()):,.0f} s"
    )


def missing(kind: str, mohex: str) -> str:
    """Return why a kind cannot be played here, or nothing."""
    if kind == "openspiel" and find_spec("pyspiel") is None:
        return "OpenSpiel is not installed: pip install -e '.[bench]'"
    if kind == "mohex" and not os.access(mohex, os.X_OK):
        return "there is no MoHex: name its program in --mohex"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kinds = ("earlier", "plain", "openspiel", "mohex", "levels")
    parser.add_argument("kinds", nargs="*", choices=kinds, default=["plain", "levels"])
    parser.add_argument("--rung", action="append", default=[], type=int, help="of the levels")
    parser.add_argument("--kept", default=KEPT, type=Path, help="the file of the levels")
    parser.add_argument("--games", type=int, default=20, help="at most so many a question")
    parser.add_argument("--all", action="store_true", help="all of them, however sure it is")
    parser.add_argument("--simulations", type=int, default=1000, help="a move, for us")
    parser.add_argument(
        "--board", action="append", default=[], help="a spec, in place of the usual"
    )
    parser.add_argument(
        "--before", default=EARLIER_COMMIT, help="the commit of the earlier program"
    )
    parser.add_argument("--mohex", default="mohex", help="the path of MoHex")
    parser.add_argument(
        "--full",
        action="store_true",
        help="200 games, 4,000 simulations; 960 games a step of the levels, 240 above 10,000",
    )
    given = parser.parse_args()
    games = 200 if given.full else given.games
    simulations = 4000 if given.full else given.simulations
    asked = {
        "earlier": lambda: against_earlier(simulations, given.board, given.before),
        "plain": lambda: against_plain(simulations, given.board),
        "openspiel": lambda: against_openspiel(simulations, given.board),
        "mohex": lambda: against_mohex(simulations, given.board, given.mohex),
    }
    for kind in given.kinds:
        if reason := missing(kind, given.mohex):
            print(f"{kind} is left out: {reason}")
            continue
        if kind == "levels":
            ladder(given.rung, given.board, given.games, given.kept, full=given.full)
            continue
        for question in asked[kind]():
            print(told(question, answer(question, games, all_of_them=given.all)), flush=True)


def told(question: Question, found: Result) -> str:
    """Return what is printed of a question: the result, its interval and who thought how long."""
    low, high = found.interval
    ours, theirs = question.players
    verdict = found.verdict(question.low, question.high) or "open"
    undecided = f" ({found.undecided} broken off)" if found.undecided else ""
    return (
        f"{question.title:42} {found.wins:4} of {found.games:4}{undecided}   "
        f"{low:4.0%} to {high:4.0%}   "
        f"at least {question.high:.0%}: {verdict}   a move: {ours}; {theirs}"
    )


if __name__ == "__main__":
    main()

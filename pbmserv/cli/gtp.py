"""``gtp``: the computer as an engine of the Go Text Protocol, for match managers and viewers."""

import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import signature
from itertools import cycle, islice
from math import inf
from pathlib import Path
from typing import Annotated, NamedTuple

from pbmserv import __version__
from pbmserv.cli.advice import Time, check_level, level_option
from pbmserv.cli.gtp_lines import (
    ANALYZE_COMMANDS,
    CommandLines,
    best_moves,
    chance_map,
    live_lines,
    owner_map,
)
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Option, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.commands.slots import GAME
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.level_list import DEFAULT_LEVEL, HINT_LEVEL, Level, level_of
from pbmserv.computer.levels import choose
from pbmserv.computer.search import Analysis, Search
from pbmserv.computer.task import Effort
from pbmserv.engine.formats.sgf import sgf_game, sgf_trees
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Position, Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.swap_pieces import (
    SWAP_PIECES,
    SWAP_SIDES,
    SWAPS,
    apply_gtp_move,
    format_gtp_move,
)
from pbmserv.errors import EXIT_DONE, IllegalMove, Misunderstood, PbmservError, Refused, quoted
from pbmserv.render.blocks import BoardPicture, board_text

COLOURS = {"b": Side.X, "black": Side.X, "w": Side.O, "white": Side.O}
MIN_TURNS = 5
"""Turns that a side expects at least; else half of those that would fill the board."""

MAX_DIGITS = 9
MAX_SGF = 1_000_000
"""Bytes of a file that are read."""
UNLIMITED = inf, 0.0, 0
IN_HAND = 0.1
"""The part of a turn's time that is not used for thinking."""

LIVE_PAUSE = 1.0
"""Seconds between two drawings of a search."""


@command(check=check_level)
def gtp(
    shell: Shell,
    *,
    game: Annotated[
        type[Game] | None, Option(GAME, "the game to play (default star)", parse_game_type)
    ] = None,
    level: Annotated[int | None, level_option("plays", DEFAULT_LEVEL)] = None,
    time: Time = None,
    chosen: Annotated[GameChoice, OptionsOfNamedGame()],
) -> int:
    """Speak the Go Text Protocol on standard input and output, as an engine for other programs.

    Black is X and moves first; stones of either colour may come in any order. list_commands lists
    all commands, cells all cell names. After play white swap-pieces the first stone is white's, in
    Hex mirrored, and black moves. The engine itself swaps only after param_game allow_swap 1.
    loadsgf FILE sets up a game from a file; reg_genmove prints a move without playing it. After
    time_settings and time_left it keeps within its time. The line "# interrupt" ends its thinking.
    """
    del shell, game  # chosen is of that game
    lines = CommandLines(sys.stdin)
    engine = Engine(chosen.game, level_of(level, time, DEFAULT_LEVEL), lines.has_interrupt)
    for line in lines:
        answer = engine.answer(line)
        if answer is not None:
            _write(answer)
        if engine.has_quit:
            break
    return EXIT_DONE


def _write(answer: str) -> None:
    sys.stdout.write(f"{answer}\n\n")
    sys.stdout.flush()


class Stage(NamedTuple):
    """A position in a conversation, and who has resigned in it."""

    position: Position
    resigned: Side | None = None


@dataclass
class GtpClock:
    """The seconds of a side for so many moves, 0 for all; then ``period``: seconds and moves."""

    seconds: float
    moves: int
    period: tuple[float, int]

    def share(self, turns: float) -> float:
        """Return the seconds for the next move if so many turns are to come."""
        seconds, moves = self.period
        later = seconds / moves if moves else 0.0
        return (1 - IN_HAND) * max(self.seconds / (self.moves or turns), later)

    def spend(self, seconds: float) -> None:
        """Subtract the time of a move."""
        self.seconds -= seconds
        is_over = self.seconds <= 0 or self.moves == 1
        self.moves = max(self.moves - 1, 0)
        if is_over and self.period[1]:
            self.seconds, self.moves = self.period


class Engine:
    """A conversation in the protocol; black is X, white is O, and colours need not take turns."""

    def __init__(self, game: Game, level: Level, is_stopped: Callable[[], bool]) -> None:
        """Begin with the empty board; raises :class:`Refused` for a game it cannot play.

        While it thinks it asks whether it ``is_stopped``.
        """
        require_arrays(game)
        self.level = level
        self.is_stopped = is_stopped
        self.time: tuple[float, float, int] = UNLIMITED
        self._begin(game)
        self.switches = {"allow_swap": False, "live_gfx": False}
        self.next_live = 0.0
        self.has_quit = False

    @cached_property
    def commands(self) -> Mapping[str, Callable[..., str]]:
        """The commands by name; each takes its words and returns the answer."""
        return {
            "protocol_version": lambda: "2",
            "name": lambda: "pbmserv",
            "version": lambda: __version__,
            "known_command": lambda name: str(name in self.commands).lower(),
            "list_commands": lambda: "\n".join(self.commands),
            "hexgui-analyze_commands": lambda: ANALYZE_COMMANDS,
            "gogui-analyze_commands": lambda: ANALYZE_COMMANDS,
            "gogui-interrupt": lambda: "",
            "cputime": lambda: f"{time.process_time():.3f}",
            "boardsize": self._boardsize,
            "clear_board": lambda: self._begin(self.game),
            "komi": self._komi,
            "param_game": self._param_game,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "all_legal_moves": self._all_legal_moves,
            "best_moves": lambda colour: best_moves(self._analysis(colour)),
            "chance_map": lambda colour: chance_map(self._analysis(colour)),
            "owner_map": lambda colour: owner_map(self.game, self._analysis(colour)),
            "loadsgf": self._loadsgf,
            "play-game": self._play_game,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "undo": self._undo,
            "showboard": self._showboard,
            "final_score": self._final_score,
            "cells": lambda: " ".join(self.game.board.names),
            "quit": self._quit,
        }

    def answer(self, line: str) -> str | None:
        """Return the answer to one line, without the empty line behind; None for no command."""
        words = line.partition("#")[0].split()
        number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
        if not words:
            return None
        name, *given = words
        if name not in self.commands:
            return f"?{number} unknown command"
        try:
            signature(self.commands[name]).bind(*given)
        except TypeError:
            return f"?{number} {name} takes a different number of words"
        try:
            # Viewers want the blank even if nothing follows it.
            return f"={number} {self.commands[name](*given).rstrip()}"
        except PbmservError as error:
            return f"?{number} {quoted(error)}"

    @property
    def position(self) -> Position:
        """The position now."""
        return self.history[-1].position

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended, None while it goes on."""
        position, resigned = self.history[-1]
        if resigned is not None:
            return Outcome(resigned.other, Reason.RESIGNATION)
        return self.game.outcome(position)

    def _begin(self, game: Game) -> str:
        self.game = game
        self.history = [Stage(game.start())]
        self.clocks = _clocks(self.time)
        return ""

    def _time_settings(self, main: str, period: str, moves: str) -> str:
        """Set the time for a game; a period for 0 moves means no limit."""
        seconds, later, count = _whole(main), _whole(period), _whole(moves)
        is_limited = count > 0 or (seconds > 0 and not later)
        self.time = (seconds, later, count) if is_limited else UNLIMITED
        self.clocks = _clocks(self.time)
        return ""

    def _time_left(self, colour: str = "", seconds: str = "", moves: str = "") -> str:
        """Set the time of a side by the controller's clock, or return that of both."""
        if not colour:
            black, white = (f"{self.clocks[side].seconds:.0f}" for side in Side)
            return f"Black: {black}, White: {white}"
        self.clocks[_side(colour)] = GtpClock(_whole(seconds), _whole(moves), self.time[1:])
        return ""

    def _boardsize(self, size: str, other: str = "") -> str:
        """Begin on a board of another size; programs of some games name it twice."""
        game = self.game
        option, *others = game.options()
        # What follows from the size, as the notch of Starweb does, follows from the new one.
        usual = type(game)(**{option.name: getattr(game, option.name)})
        chosen = {o.name: getattr(game, o.name) for o in others}
        chosen = {name: v for name, v in chosen.items() if v != getattr(usual, name)}
        try:
            if other in {"", size}:
                return self._begin(type(game)(**{option.name: option.parse(size), **chosen}))
        except Misunderstood:
            pass
        raise Misunderstood("unacceptable size", code="bad-option-value")

    def _komi(self, text: str) -> str:
        """Set the komi; a game without one takes only 0."""
        komi = next((option for option in self.game.options() if option.name == "komi"), None)
        try:
            value = float(text)
        except ValueError:
            raise Misunderstood("komi is not a number", code="bad-option-value") from None
        if komi is not None:
            self.game = replace(self.game, **{komi.name: komi.parse(text.removesuffix(".0"))})
        elif value:
            raise Misunderstood("this game has no komi", code="bad-option-value")
        return ""

    def _param_game(self, name: str = "", value: str = "") -> str:
        """Return or set whether the engine may swap, draws its search, and the main time."""
        seconds = 0 if self.time == UNLIMITED else self.time[0]
        if not name:
            switches = "".join(f"[bool] {each} {int(on)}\n" for each, on in self.switches.items())
            return f"\n{switches}[string] game_time {seconds:.0f}"
        if name.lower() == "game_time":
            return self._time_settings(value, "0", "0")
        if name.lower() not in self.switches or value not in {"0", "1"}:
            words = "param_game takes allow_swap 0|1, live_gfx 0|1 or game_time SECONDS"
            raise Misunderstood(words, code="bad-option-value")
        self.switches[name.lower()] = value == "1"
        return ""

    def _play(self, colour: str, *texts: str) -> str:
        side = _side(colour)
        word = "+".join(texts).lower()
        if not word:
            raise Misunderstood("missing argument: the move", code="missing-word")
        if word == "resign":
            self.history.append(Stage(self.position, resigned=side))
        elif word in SWAPS:
            self._swap(side, keeps_stone=word == SWAP_SIDES)
        else:
            self._place(side, word)
        return ""

    def _place(self, side: Side, word: str) -> None:
        """Play a pass or stones of a side, whether or not it is its turn."""
        position = replace(self.position, to_move=side)
        move = self.game.parse_move(word)
        if any(position.stones[cell] for cell in move.cells):
            raise IllegalMove(f"there is already a stone on {word.upper()}", code="occupied")
        if len(set(move.cells)) < len(move.cells):
            raise IllegalMove("two stones cannot share a cell", code="occupied")
        self._keep(position.after(move))

    def _swap(self, side: Side, *, keeps_stone: bool) -> None:
        """Swap the only stone, or the sides: then it stays as it is."""
        position = self.position
        cells = position.cells_of(side.other)
        if len(cells) != 1 or position.cells_of(side) or not self.game.allows_swap:
            raise IllegalMove("only a first stone can be swapped", code="swap-not-allowed")
        if keeps_stone:
            self._keep(replace(position, to_move=side, ply=2, passes=0, last=tuple(cells)))
        else:
            self._keep(apply_gtp_move(self.game, replace(position, to_move=side), SWAP))

    def _keep(self, position: Position) -> None:
        self.history.append(Stage(position.with_trace(self.game.trace_of(position))))

    def _due(self, side: Side) -> Position:
        """Return the position with this side to move, past the swap unless that is allowed."""
        position = replace(self.position, to_move=side)
        if self.switches["allow_swap"] and side is Side.O and self.game.may_swap(position):
            return position
        later = replace(position, ply=max(2, position.ply))
        # Where another number of stones is due then, the turn stays what it is.
        is_same = self.game.stones_due(later) == self.game.stones_due(position)
        return later if is_same else position

    def _reg_genmove(self, colour: str) -> str:
        """Return the engine's move without playing it."""
        position = self._due(_side(colour))
        if self.outcome is not None:
            return "resign"
        level = self.level._replace(watch=partial(self._watch, position))
        move = choose(self.game, position, level, secrets.randbits(32)).move
        return "resign" if move is None else format_gtp_move(move)

    def _analysis(self, colour: str) -> Analysis:
        """Return a search as deep as a hint's; raises :class:`Refused` after the end."""
        position = self._due(_side(colour))
        simulations = max(self.level.simulations, HINT_LEVEL.simulations)
        watch, seconds = partial(self._watch, position), self.level.seconds
        effort = Effort(simulations, secrets.randbits(32), seconds=seconds, watch=watch)
        if self.outcome is not None:
            raise Refused("the game is over", code="game-over")
        return Search(self.game, position, effort).analysis()

    def _watch(self, asked: Position, search: Search | None) -> bool:
        """Draw a search of the position that was asked about; tell whether it is to end."""
        is_due = self.switches["live_gfx"] and time.monotonic() >= self.next_live
        if is_due and search is not None and search.position == asked:
            self.next_live = time.monotonic() + LIVE_PAUSE
            _write(live_lines(self.game, search.report()))
        return self.is_stopped()

    def _all_legal_moves(self, colour: str = "") -> str:
        """Return the empty cells, and the swap where it may be played."""
        if self.outcome is not None:
            return ""
        position = self._due(_side(colour) if colour else self.position.to_move)
        names = self.game.board.names
        cells = [names[cell].lower() for cell, stone in enumerate(position.stones) if not stone]
        may_swap = self.switches["allow_swap"] and self.game.may_swap(position)
        return " ".join(cells + [SWAP_PIECES] * may_swap)

    def _loadsgf(self, file: str, number: str = "") -> str:
        """Set up the main line of a file, up to the move before this number if one is given."""
        try:
            text = Path(file).read_bytes()[:MAX_SGF].decode(errors="replace")
            nodes, _ = next(sgf_trees(text))
        except (OSError, ValueError, StopIteration, Misunderstood):
            nodes = []
        count = _whole(number) - 1 if number else None
        if not nodes or count == -1:
            raise Refused("cannot load file", code="no-such-file")
        _, game, start, turns, owner = sgf_game(nodes)
        if type(game) is not type(self.game):
            raise Refused("the file is of another game", code="no-such-file")
        with self._all_or_nothing():
            self._begin(game)
            if start is not None:
                self.history = [Stage(start)]
            for colour, word in islice(turns, count):
                self._play("b" if colour == owner else "w", word)
        return ""

    def _play_game(self, *moves: str) -> str:
        """Begin, and play moves of alternating colours."""
        with self._all_or_nothing():
            self._begin(self.game)
            for colour, move in zip(cycle("bw"), moves, strict=False):
                self._play(colour, move)
        return ""

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Go back to the game as it was if not all can be played."""
        before = self.game, self.history, self.clocks
        try:
            yield
        except PbmservError:
            self.game, self.history, self.clocks = before
            raise

    def _genmove(self, colour: str) -> str:
        side = _side(colour)
        if self.outcome is not None:
            return "resign"
        position = self._due(side)
        turns = position.empty_count / (2 * self.game.stones_due(position))
        clock, start = self.clocks[side], time.monotonic()
        seconds = min(self.level.seconds, clock.share(max(turns / 2, MIN_TURNS)))
        level = self.level._replace(seconds=seconds, watch=partial(self._watch, position))
        move = choose(self.game, position, level, secrets.randbits(32)).move
        clock.spend(time.monotonic() - start)
        if move is None:
            self.history.append(Stage(position, resigned=side))
            return "resign"
        self._keep(apply_gtp_move(self.game, position, move))
        return format_gtp_move(move)

    def _undo(self) -> str:
        if len(self.history) == 1:
            raise IllegalMove("cannot undo", code="nothing-to-undo")
        self.history.pop()
        return ""

    def _showboard(self) -> str:
        lines = board_text(BoardPicture(self.game, self.position)).splitlines()
        return "\n".join(["", *filter(None, lines)])  # an empty line would end the answer

    def _final_score(self) -> str:
        """Return the winner or the leader with the margin: ``B+3``, ``W+1``, ``B+``, ``0``."""
        score = self.game.score(self.position)
        outcome = self.outcome
        if outcome is None and score.is_undecided:
            raise Refused("cannot score", code="not-finished")
        winner = score.winner if outcome is None else outcome.winner
        if winner is None:
            return "0"
        is_counted = not score.feat and (outcome is None or outcome.reason.is_by_rules)
        lead = score.lead if is_counted else 0
        return f"{'B' if winner is Side.X else 'W'}+{lead or ''}"

    def _quit(self) -> str:
        self.has_quit = True
        return ""


def _clocks(time: tuple[float, float, int]) -> dict[Side, GtpClock]:
    """Return the clocks at the start: the main time, then so many seconds for so many moves."""
    main, seconds, moves = time
    return {side: GtpClock(main, 0, (seconds, moves)) for side in Side}


def _whole(text: str) -> int:
    """Return a whole number from 0 on; raises :class:`Misunderstood`."""
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        return int(text)
    raise Misunderstood("this is not a whole number", code="bad-option-value")


def _side(colour: str) -> Side:
    """Return the side of a colour; raises :class:`Misunderstood`."""
    side = COLOURS.get(colour.lower())
    if side is None:
        raise Misunderstood("a colour is black or white", code="bad-colour")
    return side

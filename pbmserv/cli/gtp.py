"""``gtp``: the computer as an engine of the Go Text Protocol, for match managers and viewers."""

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from inspect import signature
from typing import Annotated

from pbmserv import __version__
from pbmserv.board.local_game import new_game
from pbmserv.cli.advice import parse_level
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Option, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.computer.arena import require_arena
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.computer.levels import choose
from pbmserv.computer.protocol import colour_of, mirror_after_swap
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Move, Position, Side
from pbmserv.errors import EXIT_DONE, IllegalMove, Misunderstood, PbmservError, Refused, quoted
from pbmserv.render.blocks import BoardPicture, board_text

COLOURS = {"b": "black", "black": "black", "w": "white", "white": "white"}


@command()
def gtp(
    shell: Shell,
    *,
    game: Annotated[
        type[Game] | None, Option("GAME", "the game that is played (star)", parse_game_type)
    ] = None,
    level: Annotated[
        int | None, Option("1..7", "how well the computer plays (1)", parse_level)
    ] = None,
    chosen: Annotated[GameChoice, OptionsOfNamedGame()],
) -> int:
    """Speak the Go Text Protocol on standard input and output, as an engine for other programs.

    Black is X and moves first. list_commands lists what it understands, cells all names of
    cells. After play white swap the first stone is white's, and black moves.
    """
    del shell, game  # its options are those in chosen
    engine = Engine(chosen.game, LEVELS[(level or 1) - 1])
    for line in _lines():
        answer = engine.answer(line)
        if answer is not None:
            sys.stdout.write(f"{answer}\n\n")
            sys.stdout.flush()
        if engine.has_quit:
            break
    return EXIT_DONE


def _lines() -> Iterator[str]:
    """Yield the lines of standard input; raises :class:`Refused` if it is no text."""
    try:
        yield from sys.stdin
    except UnicodeDecodeError:
        raise Refused("Standard input is not UTF-8 text.", code="not-text") from None


class Engine:
    """The state of a conversation in the protocol: a game, and who has which colour."""

    def __init__(self, game: Game, level: Level) -> None:
        """Begin with the empty board; raises :class:`Refused` for what it cannot play."""
        require_arena(game)
        self.level = level
        self.local = new_game(game, None, computer_begins=False)
        self.has_quit = False

    @cached_property
    def commands(self) -> Mapping[str, Callable[..., str]]:
        """What each command does with its words; it returns the answer."""
        return {
            "protocol_version": lambda: "2",
            "name": lambda: "pbmserv",
            "version": lambda: __version__,
            "known_command": lambda name: str(name in self.commands).lower(),
            "list_commands": lambda: "\n".join(self.commands),
            "boardsize": self._boardsize,
            "clear_board": lambda: self._begin(self.local.game),
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "undo": self._undo,
            "showboard": self._showboard,
            "final_score": self._final_score,
            "cells": lambda: " ".join(self.local.game.board.names),
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
            return f"={number} {self.commands[name](*given)}".rstrip()
        except PbmservError as error:
            return f"?{number} {quoted(error)}"

    @property
    def has_swapped(self) -> bool:
        """Whether white has taken over black's first stone."""
        return SWAP in self.local.moves

    @property
    def colour_to_move(self) -> str:
        """Whose turn it is: black is X until a swap, and O after it."""
        return colour_of(self.local.position.to_move, has_swapped=self.has_swapped)

    @property
    def mirror(self) -> tuple[Cell, ...]:
        """Where each cell lies for the other program."""
        game = self.local.game
        return mirror_after_swap(game) if self.has_swapped else tuple(range(len(game.board)))

    def _begin(self, game: Game) -> str:
        self.local = new_game(game, None, computer_begins=False)
        return ""

    def _boardsize(self, size: str, other: str = "") -> str:
        """Begin on a board of another size; programs of some games name it twice."""
        game = self.local.game
        option, *others = game.options()
        if other and other != size:
            raise Misunderstood("unacceptable size", code="bad-option-value")
        # What follows from the size, as the notch of Starweb does, follows from the new one.
        usual = type(game)(**{option.name: getattr(game, option.name)})
        chosen = {o.name: getattr(game, o.name) for o in others}
        chosen = {name: v for name, v in chosen.items() if v != getattr(usual, name)}
        return self._begin(type(game)(**{option.name: option.parse(size), **chosen}))

    def _komi(self, text: str) -> str:
        """Take over a komi where the game has one; elsewhere only none can be taken."""
        found = [option for option in self.local.game.options() if option.name == "komi"]
        try:
            value = float(text)
        except ValueError:
            raise Misunderstood("komi is not a number", code="bad-option-value") from None
        if not found and value:
            raise Misunderstood("this game has no komi", code="bad-option-value")
        if found:
            game = replace(
                self.local.game, **{found[0].name: found[0].parse(text.removesuffix(".0"))}
            )
            moves = self.local.moves
            self._begin(game)
            for move in moves:
                self.local = self.local.play(move)
        return ""

    def _play(self, colour: str, *texts: str) -> str:
        self._require_turn(colour)
        if not texts:
            raise Misunderstood("missing argument: the move", code="missing-word")
        move = self._mirrored(self.local.game.parse_move("+".join(texts)))
        if any(self.local.position.stones[cell] for cell in move.cells):
            # Said here, because the rules would name the cell as it is called on our side.
            raise IllegalMove("there is already a stone on that cell", code="occupied")
        self.local = self.local.play(move)
        return ""

    def _genmove(self, colour: str) -> str:
        self._require_turn(colour)
        local = self.local
        if local.outcome is not None:
            raise Refused("the game is over", code="game-over")
        move = choose(local.game, local.position, self.level, secrets.randbits(32)).move
        if move is None:
            return "resign"
        shown = self._mirrored(move).text
        self.local = local.play(move)
        return shown

    def _undo(self) -> str:
        self.local = self.local.undo()
        return ""

    def _showboard(self) -> str:
        game, position = self.local.game, self.local.position
        if self.has_swapped:
            position = self._recoloured(position)
        lines = board_text(BoardPicture(game, position)).splitlines()
        return "\n".join(["", *filter(None, lines)])  # an empty line would end the answer

    def _recoloured(self, position: Position) -> Position:
        """Return the position after a swap as X for black and O for white."""
        mirror = self.mirror
        stones = bytearray(len(mirror))
        for side in Side:
            for cell in position.cells_of(side):
                stones[mirror[cell]] = side.other.stone
        return Position(bytes(stones), last=tuple(mirror[cell] for cell in position.last))

    def _final_score(self) -> str:
        """Return who has won, or is ahead, by how much: ``B+3``, ``W+1``, ``0``."""
        game, position = self.local.game, self.local.position
        score = game.score(position)
        outcome = self.local.outcome
        if outcome is None and score.is_undecided:
            raise Refused("nobody has won yet", code="not-finished")
        winner = score.winner if outcome is None else outcome.winner
        if winner is None:
            return "0"
        is_black = (winner is Side.X) != self.has_swapped
        return f"{'B' if is_black else 'W'}+{score.lead or ''}"

    def _quit(self) -> str:
        self.has_quit = True
        return ""

    def _require_turn(self, colour: str) -> None:
        named = COLOURS.get(colour.lower())
        if named is None:
            raise Misunderstood("a colour is black or white", code="bad-colour")
        if self.local.outcome is None and named != self.colour_to_move:
            raise Refused(f"it is {self.colour_to_move}'s turn", code="not-your-turn")

    def _mirrored(self, move: Move) -> Move:
        """Return the move between our board and the other program's; the way is the same back."""
        if not move.cells:
            return move
        mirror = self.mirror
        cells = [mirror[cell] for cell in move.cells]
        return self.local.game.placing(cells, passed=move.passed)

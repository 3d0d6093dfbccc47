"""The words that commands take: boards, userids, passwords, moves, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import click

from pbmserv.commands.grammar import ASK_PASSWORD, Secret
from pbmserv.errors import Misunderstood

MOST_DIGITS = 9
"""What every database can store and every clock can count."""

NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
WHOLE_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)
BOARD_AND_PLY = re.compile(r"([0-9]{1,9})(?:#(-?[0-9]{1,9}))?", re.ASCII)
GUARD = re.compile(r"(.*)#(.*)", re.DOTALL)

Param = Callable[[], click.Parameter]


class BoardRef(NamedTuple):
    """A board by its number, and optionally after how many moves (negative: counted back)."""

    number: int
    ply: int | None = None


class MoveWord(NamedTuple):
    """What a player wants to play: a move's text or a vote word, and the guard's number."""

    text: str
    number: int | None = None


class Word(click.ParamType[Any]):
    """A word read by a function that raises :class:`Misunderstood` with words for people."""

    name = "word"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what the word stands for."""
        del param, ctx
        return self.read(value) if isinstance(value, str) else value


class PasswordWord(click.ParamType[Any]):
    """A password, or ``-`` where the shell asks for it in a safer way."""

    name = "password"

    def __init__(self, make: type[Secret], check: Callable[[str], str]) -> None:
        self.make = make
        self.check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the secret; ``-`` is read by the door's ``ask``, kept in the root context."""
        del param
        ask = ctx.find_root().meta.get(ASK_PASSWORD) if ctx else None
        if value == "-" and ask is not None:
            value = ask()
        return self.make(self.check(value))


def argument(name: str, metavar: str, type_: click.ParamType[Any]) -> Param:
    """Return the maker of one word."""
    return lambda: click.Argument([name], type=type_, metavar=metavar)


def arguments(name: str, metavar: str, type_: click.ParamType[Any], *, least: int = 0) -> Param:
    """Return the maker of any number of words, ``least`` 0 or 1 at least."""
    return lambda: click.Argument([name], nargs=-1, type=type_, metavar=metavar, required=least > 0)


def option(name: str, metavar: str, text: str, read: Callable[[str], Any] = str) -> Param:
    """Return the maker of an option with a value."""
    return lambda: click.Option([f"--{name}"], type=Word(read), metavar=metavar, help=text)


def flag(name: str, text: str) -> Param:
    """Return the maker of an option without a value."""
    return lambda: click.Option([f"--{name}"], is_flag=True, default=False, help=text)


def parse_board(text: str) -> int:
    """Return a board's number; raises :class:`Misunderstood`."""
    if not NUMBER.fullmatch(text):
        raise Misunderstood(
            "That is not the number of a board.",
            code="bad-board",
            hint="Boards are numbered from 101.",
            about=text,
        )
    return int(text)


def parse_board_and_ply(text: str) -> BoardRef:
    """Return a board and a moment of it, ``101#7``; raises :class:`Misunderstood`."""
    match = BOARD_AND_PLY.fullmatch(text)
    if match is None:
        raise Misunderstood(
            "That is not a board, nor a board after some moves.",
            code="bad-board",
            hint="Write 101, or 101#7 for the board as it was after seven moves.",
            about=text,
        )
    return BoardRef(int(match[1]), None if match[2] is None else int(match[2]))


def parse_whole_number(text: str) -> int:
    """Return a whole number, which may be negative; raises :class:`Misunderstood`."""
    if not WHOLE_NUMBER.fullmatch(text):
        raise Misunderstood("That is not a whole number.", code="bad-number", about=text)
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise Misunderstood(
            "That number is too large.",
            code="bad-number",
            hint=f"Numbers have at most {MOST_DIGITS} digits.",
            about=text,
        )
    return int(text)


def parse_move_words(words: tuple[str, ...], most: int) -> MoveWord:
    """Return the move that these words make together, with the ``#n`` of the last.

    ``most`` is how many words a turn may have. Raises :class:`Misunderstood`.
    """
    if len(words) > most:
        raise Misunderstood(
            "There are more words than this command takes.",
            code="surplus-word",
            hint="A turn is one word, as in F6." if most == 1 else "A turn is A50+T31 or A50 T31.",
        )
    *before, last = words
    number = None
    guard = GUARD.fullmatch(last)
    if guard is not None:
        last = guard[1]
        if not NUMBER.fullmatch(guard[2]) or int(guard[2]) < 1:
            raise Misunderstood(
                "The guard behind the move is not a move number.",
                code="bad-guard",
                hint="F6#7 plays F6 only as move 7; numbers begin at 1.",
            )
        number = int(guard[2])
    return MoveWord("+".join([*before, last]), number)


def _some_password(text: str) -> str:
    """Return any word: a login that has not even the form of a password fails as any other."""
    return text


BOARD = argument("board", "BOARD", Word(parse_board))
BOARD_AND_PLY_WORD = argument("board", "BOARD[#N]", Word(parse_board_and_ply))
USERID = argument("userid", "USERID", Word(str))
FORCE = flag("force", "overwrite a file that exists")
PASSWORD = argument("password", "PASSWORD", PasswordWord(Secret, _some_password))


def _read_move(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> MoveWord:
    del param
    game = getattr(ctx.command, "game", None)
    return parse_move_words(words, game.most_stones_a_turn if game else 1)


def _make_move() -> click.Argument:
    return click.Argument(
        ["move"], nargs=-1, required=True, metavar="MOVE[#N]", callback=_read_move
    )


MOVE: Param = _make_move

"""Game records as words of a command: a file, a link, or the text on standard input."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from pbmserv.commands.declaration import DeferredValue, Parameter, Word
from pbmserv.commands.grammar import ASK_PASSWORD
from pbmserv.errors import Denied, Refused
from pbmserv.services.session import ReadSession, Source, WriteSession

if TYPE_CHECKING:
    from pbmserv.commands.grammar import AskPassword
    from pbmserv.engine.game import Game
    from pbmserv.engine.game_format import ReadGame
    from pbmserv.engine.record import Record
    from pbmserv.render.view import View

MAX_BYTES = 40_000_100
"""Bytes that are read: more characters than a text of records may have."""

SEE = "What can be read: pbmserv help records"
FILE_NAME = r".*[/\\].*|~.*|.*[^.]\.\w.*"
MOMENT = r"(.+)#(-?[0-9]{1,9})"


class RecordSource(DeferredValue):
    """The records that are meant: a file, a link, a record itself, or standard input.

    ``word`` is what was typed, "" for standard input, which ``may_be_empty`` where a record may
    also come with the command. A moment behind a file's name, as in ``game.sgf#7``, is ``ply``.
    """

    def __init__(self, word: str = "", *, may_be_empty: bool = False) -> None:
        self.word, self.may_be_empty = word, may_be_empty
        self.ply: int | None = None
        self.is_file = bool(word) and not find_reader(word)
        self._typed = ""
        if self.is_file and (found := re.fullmatch(MOMENT, word, re.ASCII)):
            self.word, self.ply = found[1], int(found[2])

    def complete(self, ctx: click.Context) -> None:
        """Read standard input if that is meant and the shell lends it.

        Raises :class:`click.MissingParameter` if there is no text, and must be one.
        """
        ask: AskPassword | None = ctx.meta.get(ASK_PASSWORD)
        if not self.word and ask is not None:
            self._typed = ask.text()
        if self.is_missing and not self.may_be_empty:
            place = next(param for param in ctx.command.params if ctx.params[param.name] is self)
            raise click.MissingParameter(ctx=ctx, param=place)

    @property
    def is_missing(self) -> bool:
        """Whether there is neither a word nor a text on standard input."""
        return not (self.word or self._typed.strip())

    def text(self, session: ReadSession | None) -> str:
        """Return the text of the records; raises :class:`Refused`.

        Without a session it is the shell that asks, which alone may open files.
        """
        if self.is_file:
            if "://" in self.word:
                raise Refused("There is no game in that link.", code="bad-record", hint=SEE)
            if session is not None and session.source is not Source.SHELL:
                raise Denied("Files can be read only in a shell.", code="shell-only")
            return _read_file(self.word)
        if self.is_missing and isinstance(session, WriteSession):
            return session.read_body()
        return self.word or self._typed

    def game(self, session: ReadSession | None = None) -> ReadGame:
        """Return the first game of the text; raises :class:`Refused`."""
        return first_game(self.text(session))

    def view(self, session: ReadSession | None = None) -> View:
        """Return the view of the first game, with notes about it."""
        from pbmserv.render.view import view_record

        return view_record(*self.game(session), self.ply)


@dataclass(eq=False, repr=False)
class RecordWord(Word):
    """A word for what a record may stand in for; without it, a record on standard input."""

    may_be_empty: bool = False

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one argument."""
        (argument,) = super().params(declared, game)
        argument.required = False
        argument.default = partial(RecordSource, may_be_empty=self.may_be_empty)
        return [argument]


def first_game(text: str) -> ReadGame:
    """Return the first game of a text, and note how many there are; raises :class:`Refused`."""
    from pbmserv.engine.formats import read_games

    found, *others = read_games(text)
    if others:
        first = f"This is the first of {len(others) + 1} games."
        found = found._replace(notes=(first, *found.notes))
    return found


def link_to(record: Record[str]) -> str:
    """Return a link to the game on a page elsewhere, "" if there is none."""
    from pbmserv.engine.formats import find_format

    write = find_format("hexworld").write
    try:
        return write(record).strip() if write else ""
    except Refused:
        return ""


def find_reader(text: str) -> str:
    """Return the name of the file of the format that recognises a text, "" if none does."""
    from pbmserv.engine import formats

    return formats.find_reader(text)


def may_be_record(word: str) -> bool:
    """Tell whether a word looks like a record or the name of a file."""
    has_letters = any(map(str.isalpha, word))
    is_name = re.fullmatch(FILE_NAME, word, re.DOTALL)
    return has_letters and bool(is_name or find_reader(word))


def _read_file(name: str) -> str:
    from pathlib import Path

    try:
        with Path(name).expanduser().open("rb") as stream:
            content = stream.read(MAX_BYTES)
    except (OSError, ValueError, RuntimeError) as error:
        is_there = not isinstance(error, FileNotFoundError | IsADirectoryError)
        message = "That file cannot be read." if is_there else "There is no such file."
        raise Refused(message, code="no-such-file", hint=SEE, about=name) from None
    return decode_record(content)


def decode_record(content: bytes) -> str:
    """Return the text of a record in UTF-8, or in Latin-1 as older programs write it."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")

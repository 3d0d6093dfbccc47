"""The formats of game records, one file each; a text is read by the one that recognises it.

A file in this folder is a format without another line: its ``FORMAT`` says what it does.
"""

import pkgutil
from functools import cache
from importlib import import_module

from pbmserv.engine.game_format import MAX_TEXT, GameFormat, ReadGame
from pbmserv.errors import Misunderstood, invalid_value


@cache
def formats() -> dict[str, GameFormat]:
    """Return all formats by the names of their files, in alphabetical order."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in names}


def written_formats() -> dict[str, GameFormat]:
    """Return the formats that can be written, by name."""
    return {form.name: form for form in formats().values() if form.write is not None}


def find_format(name: str) -> GameFormat:
    """Return the format that is written under this name; raises :class:`Misunderstood`."""
    written = written_formats()
    found = written.get(name.lower())
    if found is None:
        raise invalid_value("format", name, " or ".join(written))
    return found


def find_reader(text: str) -> str:
    """Return the name of the file of the format that recognises a text, "" if none does."""
    text = text.removeprefix("\ufeff")
    found = (name for name, form in formats().items() if form.recognise and form.recognise(text))
    return next(found, "")


def read_games(text: str) -> list[ReadGame]:
    """Return the games of a text in any format, at least one; raises :class:`Refused`."""
    if len(text) > MAX_TEXT:
        raise Misunderstood("That is too long for game records.", code="bad-record")
    # What no other format recognises is read, or refused, as moves alone.
    read = formats()[find_reader(text) or "plain_moves"].read
    return read(text.removeprefix("\ufeff")) if read else []

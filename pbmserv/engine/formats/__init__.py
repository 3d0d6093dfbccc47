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


def read_games(text: str) -> list[ReadGame]:
    """Return the games of a text in any format, at least one; raises :class:`Refused`."""
    if len(text) > MAX_TEXT:
        raise Misunderstood("That is too long for game records.", code="bad-record")
    text = text.removeprefix("\ufeff")
    readers = [form for form in formats().values() if form.read is not None]
    # The one that recognises nothing reads what no other does, and refuses what is no record.
    readers.sort(key=lambda form: form.recognise is None)
    form = next(form for form in readers if form.recognise is None or form.recognise(text))
    return form.read(text) if form.read else []

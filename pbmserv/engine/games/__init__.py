"""The games, one file each; a file dropped into this folder is a game of the server.

So are the games of a module from outside that is taken in.
"""

from __future__ import annotations

import pkgutil
import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.errors import Fault, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from pbmserv.engine.game import Game

SAMPLE_GAME = "star"
"""The game whose name stands for any other in syntax and hints."""

PROGRAMS = frozenset({"polyy", "star", "starstar", "starweb"})
"""The games whose names are commands of a shell; ``hex`` and ``y`` are other programs' names."""


def shell_name(game: str) -> str:
    """Return what begins a command of the game in a shell; by mail it is the name alone."""
    return game if game in PROGRAMS else f"pbmserv {game}"


def for_mail(text: str) -> str:
    """Return a text of ours with commands of games as mails have them: without ``pbmserv``."""
    others = "|".join({*game_names()} - PROGRAMS)
    return re.sub(rf"\bpbmserv (?=(?:{others})\b)", "", text)


@lru_cache(maxsize=1)
def game_names() -> tuple[str, ...]:
    """Return the names of all games without importing one of ours: their file names."""
    ours = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted([*ours, *outside.games]))


@lru_cache(maxsize=64)
def find_game(name: str) -> type[Game]:
    """Return the game called ``name`` or so aliased, in any case; raises :class:`NotFound`."""
    word = name.lower()
    if word in outside.games:
        return outside.games[word]
    if word in game_names():
        return _games_in(import_module(f"{__name__}.{word}"))[0]
    for game in map(find_game, game_names()):
        if word in game.aliases:
            return game
    raise NotFound(
        "No such game.",
        code="no-such-game",
        hint=f"Games: {', '.join(game_names())}.",
        about=name,
    )


def _games_in(module: ModuleType) -> list[type[Game]]:
    """Return the games that a module has: its own, and those that are of others than us."""
    from pbmserv.engine.game import Game

    values = [value for value in vars(module).values() if isinstance(value, type)]
    return [
        kind
        for kind in dict.fromkeys(values)
        if issubclass(kind, Game)
        and not kind.__abstractmethods__
        and (kind.__module__ == module.__name__ or not kind.__module__.startswith("pbmserv."))
    ]


class Outside(NamedTuple):
    """A module that is not ours, and its games by name."""

    module: str
    games: dict[str, type[Game]]


outside = Outside("", {})


def take_in(module: str, taken: Iterable[str] = ()) -> None:
    """Have the games of a module found like ours, in place of those taken in before.

    Raises :class:`Fault` where it has none, or one that is called by a word that is ``taken``.
    """
    global outside  # noqa: PLW0603 - whoever asks for a game asks this module
    outside = Outside(module, _named(module, taken) if module else {})
    game_names.cache_clear()
    find_game.cache_clear()


def _named(module: str, taken: Iterable[str]) -> dict[str, type[Game]]:
    why, kinds, words = "", list["type[Game]"](), list[str]()
    try:
        kinds += [k for k in _games_in(import_module(module)) if k.title and k.source]
        words += [word for k in kinds for word in (k.name, *k.aliases)]
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator is told
        why = f"{type(error).__name__}: {error}"
    known = {*taken}
    for word in words:
        if word in known or not re.fullmatch("[a-z][a-z0-9-]*", word):
            why = f"{word} is no name for a game, or one that is taken"
        known.add(word)
    if why or not words:
        raise Fault(
            f"The games of the module {module} cannot be played: {why or 'it holds none'}.",
            code="bad-games",
            hint="The setting games names it: see pbmserv help admin.",
        )
    return {kind.name: kind for kind in kinds}

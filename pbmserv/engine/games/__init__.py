"""The games, one file each; a file dropped into this folder is a game of the server."""

from __future__ import annotations

import pkgutil
import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from pbmserv.errors import NotFound

if TYPE_CHECKING:
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
    """Return the names of all games without importing one: their file names."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@lru_cache(maxsize=64)
def find_game(name: str) -> type[Game]:
    """Return the game called ``name`` or so aliased, in any case; raises :class:`NotFound`."""
    word = name.lower()
    if word in game_names():
        return _load(word)
    for other in game_names():
        game = _load(other)
        if word in game.aliases:
            return game
    raise NotFound(
        "No such game.",
        code="no-such-game",
        hint=f"Games: {', '.join(game_names())}.",
        about=name,
    )


def _load(name: str) -> type[Game]:
    from pbmserv.engine.game import Game

    module = import_module(f"{__name__}.{name}")
    for value in vars(module).values():
        if (
            isinstance(value, type)
            and issubclass(value, Game)
            and value.__module__ == module.__name__
        ):
            return value
    raise TypeError(f"{module.__name__} holds no game")

"""The games, one file each, and those of a module from outside.

A file in this folder is a game of the server without another line.
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
"""The game that syntax and hints use as an example."""

PROGRAMS = frozenset({"polyy", "star", "starstar", "starweb"})
"""The games whose names are shell commands; ``hex`` and ``y`` are names of other programs."""


def shell_name(game: str) -> str:
    """Return the words with which a command of the game begins in a shell."""
    return game if game in PROGRAMS else f"pbmserv {game}"


def for_mail(text: str) -> str:
    """Return a text with commands of games as in mails: without ``pbmserv``."""
    others = "|".join({*game_names()} - PROGRAMS)
    return re.sub(rf"\bpbmserv (?=(?:{others})\b)", "", text)


@lru_cache(maxsize=1)
def game_names() -> tuple[str, ...]:
    """Return the names of all games; ours are file names, and none of them is imported."""
    ours = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted([*ours, *outside.games]))


@lru_cache(maxsize=64)
def find_game(name: str) -> type[Game]:
    """Return the game with this name or alias, in any case; raises :class:`NotFound`."""
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
    """Return the games in a module: its own, and imported ones unless they are ours."""
    from pbmserv.engine.game import Game

    values = [value for value in vars(module).values() if isinstance(value, type)]
    return [
        kind
        for kind in dict.fromkeys(values)
        if issubclass(kind, Game)
        and not kind.__abstractmethods__
        and (kind.__module__ == module.__name__ or not kind.__module__.startswith("pbmserv."))
    ]


class OutsideGames(NamedTuple):
    """A module that is not ours, and its games by name."""

    module: str
    games: dict[str, type[Game]]


outside = OutsideGames("", {})


def load_outside_games(module: str, taken: Iterable[str] = ()) -> None:
    """Load the games of a module, in place of those loaded before; :func:`find_game` finds them.

    Raises :class:`Fault` if it has none, or one whose name or alias is ``taken``.
    """
    global outside  # noqa: PLW0603 - games are looked up by the functions of this module
    outside = OutsideGames(module, _games_by_name(module, taken) if module else {})
    game_names.cache_clear()
    find_game.cache_clear()


def _games_by_name(module: str, taken: Iterable[str]) -> dict[str, type[Game]]:
    why, kinds, words = "", list["type[Game]"](), list[str]()
    try:
        kinds += [k for k in _games_in(import_module(module)) if k.title and k.source]
        words += [word for k in kinds for word in (k.name, *k.aliases)]
    except Exception as error:  # noqa: BLE001 - whatever it is, the operator is told
        why = f"{type(error).__name__}: {error}"
    known = {*taken}
    for word in words:
        if word in known or not re.fullmatch("[a-z][a-z0-9-]*", word):
            why = f"{word} is not a valid name for a game, or is already taken"
        known.add(word)
    if why or not words:
        raise Fault(
            f"The games of the module {module} cannot be played: {why or 'it contains none'}.",
            code="bad-games",
            hint="The setting games names it: see pbmserv help admin.",
        )
    return {kind.name: kind for kind in kinds}

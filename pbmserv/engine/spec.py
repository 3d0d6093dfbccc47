"""A game with its options as one short text, both ways: ``star(size=7,maxi)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.engine.games import find_game
from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from pbmserv.engine.game import Game, GameOption


def format_game(game: Game) -> str:
    """Return the spec of ``game``: its name, its first option, and the others unless default.

    >>> format_game(parse_game("star(maxi)"))
    'star(size=6,maxi)'
    """
    words = [
        option.name if option.is_flag else f"{option.name}={value}"
        for option, value in named_options(game)
    ]
    return f"{game.name}({','.join(words)})"


def is_plain(game: Game) -> bool:
    """Tell whether size, komi and the lack of a swap say all of a game."""
    values, plain = game.option_values, ("size", "komi", "noswap")
    told = {name: values[name] for name in plain if name in values}
    return type(game)(**told) == game


def named_options(game: Game) -> list[tuple[GameOption, Any]]:
    """Return the options that name a game, with their values.

    These are the first, which sizes the board, and all that do not have their default.
    """
    return [
        (option, value)
        for number, option in enumerate(game.options())
        if (value := getattr(game, option.name)) != option.default
        or (number == 0 and not option.is_flag)
    ]


def option_words(game: Game) -> str:
    """Return the options of a game as one would type them, each after a blank."""
    return "".join(
        f" -{option.name}" if option.is_flag else f" -{option.name}={value}"
        for option, value in named_options(game)
    )


def parse_game(spec: str) -> Game:
    """Return the game that ``spec`` describes.

    Raises :class:`NotFound` for an unknown game and :class:`Misunderstood` for its options.
    """
    name, _, rest = spec.strip().partition("(")
    game_type = find_game(name)
    known = {option.name: option for option in game_type.options()}
    values: dict[str, Any] = {}
    for word in rest.removesuffix(")").split(",") if rest else ():
        key, _, text = word.partition("=")
        option = known.get(key)
        if option is None or option.is_flag != ("=" not in word):
            raise Misunderstood(f"No such option of {game_type.name}.", code="bad-spec", about=key)
        values[key] = True if option.is_flag else option.parse(text)
    return game_type(**values)

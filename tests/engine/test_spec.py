"""What every game promises of its options, its spec and its help."""

from typing import Any

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, NotFound

from .sample_games import on_every_game


@on_every_game
def test_a_spec_says_everything_about_a_game(game: Game) -> None:
    assert game == parse_game(format_game(game))


@on_every_game
def test_options_can_be_written_and_read(game: Game) -> None:
    for option in game.options():
        value = getattr(game, option.name)
        if not option.is_flag:
            assert value == option.parse(str(value))


@pytest.mark.parametrize("name", game_names())
def test_options_refuse_what_they_do_not_allow(name: str) -> None:
    for option in find_game(name).options():
        if option.is_flag:
            continue
        for text in ("", "abc", "1000000", "-1000000", "1_0", "1.5", "٣", "9" * 10_000, "1 0"):
            with pytest.raises(Misunderstood):
                option.parse(text)
        for value in () if option.low is None else (option.low - 1, (option.high or 0) + 1):
            with pytest.raises(Misunderstood):
                option.parse(str(value))
            chosen: dict[str, Any] = {option.name: value}
            with pytest.raises(Misunderstood):
                find_game(name)(**chosen)


@pytest.mark.parametrize("name", game_names())
def test_a_spec_with_an_unknown_option_is_refused(name: str) -> None:
    for spec in (f"{name}(colour=3)", f"{name}(=)", f"{name}(,)", f"{name}(size)"):
        with pytest.raises(Misunderstood):
            parse_game(spec)


def test_an_unknown_game_is_refused() -> None:
    for name in ("", "chess", "games", "__init__", "star.py", "*"):
        with pytest.raises(NotFound):
            find_game(name)


@pytest.mark.parametrize("name", game_names())
def test_a_game_explains_itself(name: str) -> None:
    game_type = find_game(name)

    assert game_type is find_game(name.upper())
    assert all(game_type is find_game(alias) for alias in game_type.aliases)
    assert len(game_type.examples) >= 3
    for example in game_type.examples:
        assert example.line.split()[0] == name
        assert example.shows
    assert f"{game_type.title} " in (game_type.__doc__ or "")
    assert all(option.help for option in game_type.options())

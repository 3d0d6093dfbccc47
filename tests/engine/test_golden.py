import pytest

from pbmserv.engine.games import game_names

from .golden_text import FOLDER, kept_specs, moves_of, written


@pytest.mark.parametrize("name", kept_specs())
def test_a_kept_game_still_goes_as_it_went(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")

    assert kept == written(kept_specs()[name], moves_of(kept))


@pytest.mark.parametrize("game", game_names())
def test_kept_games_are_named_after_their_game(game: str) -> None:
    kept = [name for name, spec in kept_specs().items() if spec.startswith(f"{game}(")]

    assert kept, f"no game of {game} is kept: python -m tests.engine.golden_text {game} SPEC"
    assert {game} == {name.partition("-")[0] for name in kept}

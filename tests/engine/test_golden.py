import pytest

from pbmserv.engine.games import game_names

from .golden_text import FOLDER, GAMES, moves_of, written


@pytest.mark.parametrize("name", GAMES)
def test_a_kept_game_still_goes_as_it_went(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")

    assert kept == written(GAMES[name], moves_of(kept))


def test_a_game_of_every_kind_is_kept() -> None:
    assert set(game_names()) == {spec.partition("(")[0] for spec in GAMES.values()}
    assert {f"{name}.txt" for name in GAMES} == {path.name for path in FOLDER.iterdir()}

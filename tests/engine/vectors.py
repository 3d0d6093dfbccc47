"""The reference data: boards, notation and scored positions, computed by another program."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game

PATH = Path(__file__).with_name("vectors.json")


@lru_cache(maxsize=1)
def vectors() -> dict[str, Any]:
    """Return the whole of the reference data."""
    loaded: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return loaded


def game_of(name: str, options: dict[str, Any], **more: Any) -> Game:
    """Return the game with the options of a vector, and ``more``."""
    chosen = {key: value for key, value in options.items() if key != "komi_to"} | more
    if options.get("komi_to") == "X":
        chosen["komi"] = -chosen["komi"]
    words = [key if value is True else f"{key}={value}" for key, value in chosen.items()]
    return parse_game(f"{name}({','.join(words)})")


def vector(identity: str) -> dict[str, Any]:
    """Return the scored position of this name."""
    return next(found for found in vectors()["positions"] if found["id"] == identity)


def position_of(game: Game, stones: dict[str, list[str]]) -> Position:
    """Return the position with these stones."""
    return game.position_of({Side(side): cells for side, cells in stones.items()})

"""Games of Hex and Y as Abstract Play gives them: JSON, only read.

A *state* has a stack of what was done, a *record* a header and rounds of moves. Player 1 there is
who has the side that moves first: whoever takes over the first stone makes no move, but becomes
player 1, which a record says (``pie-invoked``) and a state does not. Cells of Y are a row from the
top, as a letter, and a place in it; those of the bent board have our names.
"""

from itertools import chain
from typing import Any

from pbmserv.engine import game_format
from pbmserv.engine.game import Game
from pbmserv.engine.game_format import ForeignGame, ReadGame, text_of, unreadable
from pbmserv.engine.position import PASS
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import is_plain

TITLE = "a game of Abstract Play"
BENT = "bent"
WINNERS = {"[1]": 0, "[2]": 1, "[1, 2]": -1}
REASONS = {
    "resigned": Reason.RESIGNATION,
    "timeout": Reason.FORFEIT,
    "drawagreed": Reason.AGREEMENT,
}


def _read_game(document: dict[str, Any]) -> ReadGame:
    read = _read_record if "header" in document else _read_state
    try:
        foreign = read(document)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise unreadable(TITLE, "a part of it is missing or not what it should be") from None
    return foreign.replayed()


def _read_state(state: dict[str, Any]) -> ForeignGame:
    game = _game_of(state["game"], state["variants"])
    results = [result for entry in state["stack"] for result in entry["_results"]]
    moves = [
        _our_cell(game, result["where"]) if result["type"] == "place" else PASS.text
        for result in results
        if result["type"] in {"place", PASS.text}
    ]
    winner = WINNERS.get(str(state["winner"])) if state["gameover"] else None
    reasons = (REASONS.get(result["type"]) for result in results)
    return ForeignGame(game, moves, winner=winner, reason=next(filter(None, reasons), None))


def _read_record(record: dict[str, Any]) -> ForeignGame:
    header = record["header"]
    game = _game_of(header["game"]["name"], header["game"].get("variants") or [])
    turns = chain.from_iterable(
        each if isinstance(each, list) else [each] for each in record["moves"]
    )
    moves = [turn["move"] if isinstance(turn, dict) else turn for turn in turns if turn is not None]
    is_swapped = bool(header.get("pie-invoked") or header.get("pied"))
    first, second = header["players"][:: -1 if is_swapped else 1]
    one, other = first.get("result"), second.get("result")
    return ForeignGame(
        game,
        [_our_cell(game, move) for move in moves],
        (text_of(first["name"]), text_of(second["name"])),
        None if None in {one, other} else -1 if one == other else int(one < other),
        started=game_format.moment_of(header.get("date-start")),
        finished=game_format.moment_of(header.get("date-end")),
        is_swapped=is_swapped,
    )


def _game_of(name: str, variants: list[str]) -> Game:
    """Return the game; raises :class:`Refused` for one that is not played here."""
    if name.lower() not in {"hex", "y"}:
        raise game_format.wrong_game(name)
    shape = {"shape": BENT} if name.lower() == "y" and BENT in variants else {}
    sizes = [each.removeprefix("size-") for each in variants if each not in shape.values()]
    if others := [size for size in sizes if not size.isdecimal() or len(size) > 4]:
        raise game_format.wrong_game(f"{name} with the variant {others[0]}")
    return game_format.game_of_size(TITLE, name.lower(), sizes[0] if sizes else "13", **shape)


def _our_cell(game: Game, move: object) -> str:
    text = text_of(move)
    row, place = game_format.place_of(text) if game.name == "y" and is_plain(game) else (0, 0)
    return game_format.cell_at(game_format.size_of(game) - row + place, row) if row else text


FORMAT = game_format.json_format(TITLE, "stack|header", _read_game)

"""Games of Hex as PlayHex gives them, in its dump and by its API: JSON, only read.

``moves`` are a text or a list; a swap moves the first stone to its mirror cell. Red, player 0, is
who moved first. A dump names ``playerRed`` and ``playerBlue``, the API has a list of players.
"""

from typing import Any

from pbmserv.engine import game_format
from pbmserv.engine.game_format import ForeignGame, ReadGame, moment_of, text_of
from pbmserv.engine.score import Reason

TITLE = "a game of PlayHex"
WINNERS = {"red": 0, "blue": 1, "0": 0, "1": 1}
REASONS = {
    "path": Reason.CONNECTION,
    "resign": Reason.RESIGNATION,
    "time": Reason.FORFEIT,
    "forfeit": Reason.FORFEIT,
}


def _read_game(game: dict[str, Any]) -> ReadGame:
    size, moves = game.get("boardsize"), game.get("moves")
    words = moves.split() if isinstance(moves, str) else moves
    if not isinstance(size, int) or not isinstance(words, list):
        raise game_format.unreadable(TITLE, "it has no boardsize and moves")
    first, second = _name(game, "Red", 0), _name(game, "Blue", 1)
    named = {"Red": first, "Blue": second}
    bots = [name for colour, name in named.items() if game.get(f"player{colour}Type") == "bot"]
    return ForeignGame(
        game_format.game_of_size(TITLE, "hex", str(size)),
        [text_of(word) for word in words],
        (first, second),
        WINNERS.get(str(game.get("winner"))),
        REASONS.get(text_of(game.get("outcome"))),
        started=moment_of(game.get("startedAt")),
        finished=moment_of(game.get("endedAt")),
        computer=" ".join(bots),
        swaps_pieces=True,
    ).replayed()


def _name(game: dict[str, Any], colour: str, number: int) -> str:
    players: Any = game.get("gameToPlayers", game.get("hostedGameToPlayers", game.get("players")))
    try:
        return text_of(game.get(f"player{colour}") or players[number]["player"]["pseudo"])
    except (LookupError, TypeError):
        return ""


FORMAT = game_format.json_format(TITLE, "boardsize", _read_game)

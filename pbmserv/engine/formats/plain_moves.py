"""Moves without anything around them, as people write them, and games of OpenSpiel; only read.

A game of OpenSpiel begins with what it is called there, ``hex(board_size=11)`` or ``y(...)``;
actions follow, as numbers or words, or everything in the form in which it stores a game. Any other
text is read as a game of Hex if it has nothing but moves, such as ``a5 swap-pieces d4 f7`` or
``a5d7f3``; then the board has size 11, or what the moves need.
"""

import re

from pbmserv.engine import game_format
from pbmserv.engine.game import Game
from pbmserv.engine.game_format import ForeignGame, GameFormat, ReadGame, place_of, unreadable
from pbmserv.engine.position import SWAP
from pbmserv.engine.record_text import parse_each
from pbmserv.engine.swap_pieces import SWAP_PIECES
from pbmserv.errors import Misunderstood

HEX, OPENSPIEL = "moves of Hex", "a game of OpenSpiel"
STORED = re.compile(r"^[ \t]*(?:#.*|Version: .*|\[(?:Meta|Game|State)\]\s*)$", re.MULTILINE)
GAME = re.compile(r"^[ \t]*([a-z]\w*)\(([^()\n]*)\)", re.IGNORECASE | re.MULTILINE)
DEFAULT_SIZES = {"hex": "11", "y": "19"}
SIZES = re.compile(r"(?:board_size|num_cols|num_rows)=([0-9]{1,4})", re.IGNORECASE)
OPTIONS = re.compile(
    r"[, ]*(?:(?:(?:board_size|num_cols|num_rows)=[0-9]{1,4}"
    r"|(?:swap|ansi_color_output|string_rep)=[a-z_]+)[, ]*)*",
    re.IGNORECASE,
)
GAPS = re.compile(r"[\s,;:]+")
MOVE = re.compile(
    r"[\s,;]*(?:[0-9]{1,4}\.[\s,;]*)?([a-z]{1,2}[0-9]{1,2}|swap(?:-pieces|-sides)?|pass)[\s,;]*",
    re.IGNORECASE,
)
MIN_SIZE = 11


def _read(text: str) -> list[ReadGame]:
    before, *parts = GAME.split(STORED.sub("", text))
    if not parts or before.strip():
        return [_read_moves(text)]
    return parse_each(list(zip(parts[::3], parts[1::3], parts[2::3], strict=True)), _read_actions)


def _read_actions(game_text: tuple[str, str, str]) -> ReadGame:
    name, options, actions = game_text
    if name.lower() not in DEFAULT_SIZES:
        raise game_format.wrong_game(name)
    sizes = {*SIZES.findall(options)} or {DEFAULT_SIZES[name.lower()]}
    if len(sizes) > 1 or OPTIONS.fullmatch(options) is None:
        raise unreadable(OPENSPIEL, "its options are not those of one size and a swap")
    game = game_format.game_of_size(OPENSPIEL, name.lower(), sizes.pop())
    moves = [_move_of(game, word) for word in GAPS.split(actions) if word]
    return ForeignGame(game, moves, swaps_pieces=True).replayed()


def _move_of(game: Game, word: str) -> str:
    """Return the move that an action is: the cells row by row from 0, then the swap; or a word."""
    size = game_format.size_of(game)
    if word.isdecimal() and len(word) < 5 and int(word) <= size * size:
        row, column = divmod(int(word), size)
        word = SWAP.text if int(word) == size * size else game_format.cell_at(column + 1, row + 1)
    return game_format.turned(game, word)


def _read_moves(text: str) -> ReadGame:
    if MOVE.match(text) is None:
        hint = "Give a link alone, and one with moves in it. " if "://" in text[:200] else ""
        hint += "See help records."
        raise Misunderstood("That is not a game record.", code="bad-record", hint=hint)
    words = [word.lower() for word in game_format.split_moves(MOVE, text, HEX)]
    size = max(MIN_SIZE, *(number for word in words for number in place_of(word)))
    game = game_format.game_of_size(HEX, "hex", str(size))
    notes = [f"The size of the board is not recorded; it is taken for {size}."]
    return ForeignGame(game, words, swaps_pieces=SWAP_PIECES in words, notes=notes).replayed()


FORMAT = GameFormat("", read=_read)

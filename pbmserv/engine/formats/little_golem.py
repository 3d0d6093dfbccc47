"""Hex as Little Golem writes it, a text like SGF: one list has all games.

``;W[ad];B[swap];W[ji];W[resign]``: cells are two letters, column and row; nodes begin with W, yet
who moves first is ``PB``, and ``RE`` says by ``B`` and ``W`` which of ``PB`` and ``PW`` won. After
a swap cells are mirrored. Who resigns is the last node; else a game ended by connection or on
time. Values are not escaped: a bracket closes one only before what can follow a value.
"""

import re

from pbmserv.engine import game_format
from pbmserv.engine.formats import sgf
from pbmserv.engine.game import Game
from pbmserv.engine.game_format import GameFormat, ReadGame, cannot_write, unreadable
from pbmserv.engine.position import SWAP
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import parse_each, require_whole
from pbmserv.engine.score import Reason
from pbmserv.engine.swap_pieces import SWAP_PIECES, with_swapped_pieces

TITLE = "a record of Little Golem"
START = re.compile(r"\(\s*+;\s*+(?=[A-Z]{1,2}\[)")
CLOSED = r"\](?=\s*+(?:[\[;()]|[A-Z]{1,2}\[|\Z))"
VALUE = re.compile(rf"([A-Z]{{1,2}})\[(?:(.*?){CLOSED}|)", re.DOTALL)
MARK = re.compile(r"EV\[(?:hex|null)|littlegolem|FF\[[A-Z]")
EVENT = re.compile(r"([a-z]{1,20})[0-9]*\.")
FIRST_MOVE = re.compile(r";\s*+([BW])\[[a-z]{2}\]")
IN_SGF = re.compile(r"(?:GM|AB|AW)\[")
ENDS = {Reason.CONNECTION, Reason.RESIGNATION, Reason.FORFEIT}
OWNERS = {"W": "B", "B": "W"}
"""The colours of the players, as in a result, by those of their nodes."""


def _recognise(text: str) -> bool:
    """Tell whether the first game has no number of SGF, and something of Little Golem."""
    if not sgf.has_tree(text) or (start := START.search(text)) is None:
        return False
    after = START.search(text, start.end())
    first = text[start.end() : after.start() if after else len(text)]
    if IN_SGF.search(first):
        return False
    move = FIRST_MOVE.search(first)
    return MARK.search(first) is not None or (move is not None and move[1] == "W")


def _read(text: str) -> list[ReadGame]:
    return parse_each(START.split(text)[1:], _read_game)


def _read_game(text: str) -> ReadGame:
    head, turns = _values(text)
    game = _game_of(head)
    words = {**sgf.cells_by_word(game), SWAP.text: SWAP_PIECES}
    told = [(colour, words.get(text, text)) for colour, text in turns]
    return sgf.foreign_game(sgf.SgfGame(head, game, None, told, "B"), Reason.FORFEIT).replayed()


def _values(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the heading of a game, and the player's colour and the text of each node after it."""
    head: dict[str, str] = {}
    turns: list[tuple[str, str]] = []
    for found in VALUE.finditer(text):
        name, value = found[1], found[2]
        if value is None:
            raise unreadable(TITLE, "a value in it is not closed by ]")
        if name in OWNERS:
            turns.append((OWNERS[name], value.strip().lower()))
        else:
            head.setdefault(name, value.strip())
    return head, turns


def _game_of(head: dict[str, str]) -> Game:
    """Return Hex of this size; raises :class:`Refused` for another game, or without a size."""
    if not head.get("FF", "4").isdigit():
        is_name = re.fullmatch("[A-Za-z][A-Za-z0-9]{1,14}", head["FF"])
        raise game_format.wrong_game(head["FF"] if is_name else "another game")
    kind = EVENT.match(head.get("EV", ""))
    if kind is not None and kind[1] != "hex":
        raise game_format.wrong_game(kind[1].title())
    return game_format.game_of_size(TITLE, "hex", head.get("SZ", ""))


def _write(record: Record[str]) -> str:
    game, outcome = record.game, record.outcome
    if game.name != "hex" or game.noswap:
        without = " without swap" if game.noswap else ""
        raise cannot_write("Little Golem", f"has no record of {game.title}{without}")
    require_whole(record)
    is_written = outcome is None or outcome.reason in ENDS
    if any(move.is_pass for move in record.moves) or not is_written:
        raise cannot_write("Little Golem", "has no passes, and no draws or wins by agreement")
    names = {"PB": record.first, "PW": record.second}
    if any(re.search(CLOSED, f"{name}.") or START.search(name) for name in names.values()):
        raise cannot_write("Little Golem", "cannot write the name of a player of this game")
    heads = {"FF": "4", "EV": "null", **names, "SZ": str(game_format.size_of(game))}
    told = [sgf.go_letters(move.text.lower()) for move in with_swapped_pieces(game, record.moves)]
    nodes = [f";{'WB'[number % 2]}[{text}]" for number, text in enumerate(told)]
    if outcome is not None:
        heads["RE"] = record.with_players("B", "W").winner or ""
        nodes += [f";{heads['RE']}[resign]"] * (outcome.reason is Reason.RESIGNATION)
    root = "".join(f"{name}[{text}]" for name, text in heads.items())
    return f"(;{root}{''.join(nodes)})\n"


FORMAT = GameFormat("lg", _recognise, _read, _write)

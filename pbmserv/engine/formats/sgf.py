"""Games as SGF, for other programs: Hex as they all write it, the other games as valid FF[4].

Black (``B``) is the player who moved first, all game; with handicap stones, as in Go, the player
who has them. Hex is ``GM[11]`` with ``swap-pieces``, after which every cell is mirrored. The other
games have no number: ``GM[1000]`` is far beyond those given, ``RU`` is the spec, and a swap is a
node that changes the colour of the first stone. Sources: red-bean.com/sgf (FF[4] and hex.html).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from pbmserv import __version__
from pbmserv.engine.game import JOINT, Game
from pbmserv.engine.game_format import GameFormat
from pbmserv.engine.position import PASS, Move, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import UNPLAYED, Reason
from pbmserv.engine.spec import format_game
from pbmserv.engine.swap_pieces import format_gtp_move, with_swapped_pieces

NO_NUMBER = 1000
MIRRORED = "cells after the swap are mirrored here; on the board the stone stayed"
HOW = {Reason.RESIGNATION: "R", Reason.FORFEIT: "T"}


def format_sgf(record: Record[str]) -> str:
    """Return the game as one game tree, ending in a line break."""
    game, moves = record.game, record.moves
    swaps_pieces = game.sgf_number is not None
    nodes = list(_nodes(game, moves, swaps_pieces=swaps_pieces))
    size, *_ = game.options()
    handicap = game.opening_stones()
    black, white = (record.first, record.second)[:: -1 if handicap else 1]
    komi = getattr(game, "komi", 0)
    heads = {
        "FF": "4",
        "GM": str(game.sgf_number or NO_NUMBER),
        "CA": "UTF-8",
        "AP": f"pbmserv:{__version__}",
        "RU": "" if swaps_pieces else format_game(game),
        "SZ": str(getattr(game, size.name)),
        "GN": f"{game.title} Board {record.board}" if record.board else "",
        "PB": black,
        "PW": white,
        "DT": _dates(record),
        "RE": _result(record),
        "GC": MIRRORED if swaps_pieces and record.has_swap else "",
        "KM": str(-komi if handicap else komi) if komi else "",
        "HA": str(len(handicap)) if handicap else "",
    }
    # The one value that is composed of two: its colon parts them and is not escaped.
    root = [f"{name}[{escape_sgf(text)}]" for name, text in heads.items() if text]
    if handicap:
        root.append(f"AB{''.join(f'[{_cell(game, cell)}]' for cell in handicap)}PL[W]")
    return f"(;{''.join(root)}\n{''.join(nodes)})\n"


def escape_sgf(text: str) -> str:
    r"""Return a text escaped for a value in brackets.

    >>> escape_sgf("a]b\\c")
    'a\\]b\\\\c'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]")


SGF_PART = re.compile(r"[();]|([A-Za-z]+)((?:\s*\[(?:[^\\\]]|\\.)*\])+)", re.DOTALL)
SGF_VALUE = re.compile(r"\[((?:[^\\\]]|\\.)*)\]", re.DOTALL)


def parse_sgf(text: str) -> list[dict[str, list[str]]]:
    r"""Return the nodes of the main line: the values of each property by its name.

    >>> parse_sgf(r"(;GM[11]SZ[3];B[a1](;W[b2]C[a\]b])(;W[c3]))")
    [{'GM': ['11'], 'SZ': ['3']}, {'B': ['a1']}, {'W': ['b2'], 'C': ['a]b']}]
    """
    nodes: list[dict[str, list[str]]] = []
    for part in SGF_PART.finditer(text):
        if part[0] == ")":
            break
        if part[0] == ";":
            nodes.append({})
        elif part[1] and nodes:
            found = SGF_VALUE.findall(part[2])
            values = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in found]
            nodes[-1][re.sub("[a-z]", "", part[1])] = values
    return nodes


def sgf_turns(game: Game, nodes: Iterable[dict[str, list[str]]]) -> Iterator[tuple[str, str]]:
    """Yield the colour and the move of each turn in these nodes, a swap too, in words of GTP.

    Stones of one colour that follow one another are one turn where a turn has several.
    """
    words = {_cell(game, cell): name.lower() for cell, name in enumerate(game.board.names)}
    turns: list[tuple[str, str]] = []
    for node in nodes:
        for name, values in node.items():
            text = values[0].lower()
            if name in {"B", "W"}:
                move = words.get(text, text or "pass")
                is_same = bool(turns) and turns[-1][0] == name and JOINT not in turns[-1][1]
                if is_same and game.stones_due(game.start().after(PASS)) > 1:
                    move = JOINT.join((turns.pop()[1], move))
                turns.append((name, move))
            elif name in {"AB", "AW"} and node.get("C") == ["swap"]:
                turns.append((name[1], "swap"))
    return iter(turns)


def _nodes(game: Game, moves: Sequence[Move], *, swaps_pieces: bool) -> Iterator[str]:
    """Yield a node for each stone, pass and swap; colours take turns, also after a swap."""
    colours = "WB" if game.opening_stones() else "BW"
    told = with_swapped_pieces(game, moves) if swaps_pieces else moves
    for number, move in enumerate(told):
        colour = colours[number % 2]
        if move.is_swap and swaps_pieces:
            yield f";{colour}[{format_gtp_move(move)}]"
        elif move.is_swap:
            yield f";A{colour}[{_cell(game, moves[0].cells[0])}]PL[{colours[0]}]C[swap]"
        else:
            stones = [_cell(game, cell) for cell in move.cells]
            passes = ["pass"] * max(move.passed, int(move.is_pass))
            yield from (f";{colour}[{text}]" for text in stones + passes)


def _cell(game: Game, cell: int) -> str:
    return game.board.names[cell].lower().replace("*", "p")


def _dates(record: Record[str]) -> str:
    """Return the first and the last day of the game; the last without what both have in common."""
    first, last = record.started[:10], record.finished[:10]
    if not first or not last or first == last:
        return first or last
    one, other = date.fromisoformat(first), date.fromisoformat(last)
    if one.year != other.year:
        return f"{first},{last}"
    return f"{first},{last[5:] if one.month != other.month else last[8:]}"


def _result(record: Record[str]) -> str:
    """Return ``B+R``, ``W+3``, ``0`` ..., "" while the game runs."""
    outcome = record.outcome
    if outcome is None:
        return ""
    if outcome.reason in UNPLAYED:
        return "Void"
    if outcome.winner is None:
        return "0"
    is_black = outcome.winner is Side.X
    if bool(record.game.opening_stones()) != record.has_swap:
        is_black = not is_black
    return f"{'B' if is_black else 'W'}+{HOW.get(outcome.reason, '') or _margin(record)}"


def _margin(record: Record[str]) -> str:
    """Return the winner's lead, "" if points did not decide the game."""
    outcome, score = record.outcome, record.game.score(record.position)
    if outcome is not None and outcome.points is not None:
        return str(abs(outcome.points[Side.X] - outcome.points[Side.O]))
    is_counted = outcome is not None and outcome.reason.is_by_rules and not score.feat
    return str(score.lead or "") if is_counted else ""


FORMAT = GameFormat("sgf", "SGF", write=format_sgf, ending="sgf")

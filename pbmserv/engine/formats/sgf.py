"""Games as SGF, for other programs: Hex as they all write it, the other games as valid FF[4].

Black (``B``) is the player who moved first, all game; with handicap stones, as in Go, the player
who has them. Hex is ``GM[11]`` with ``swap-pieces``, after which every cell is mirrored. The other
games have no number: ``GM[1000]`` is far beyond those given, ``RU`` is the spec, and a swap is a
node that changes the colour of the first stone. Sources: red-bean.com/sgf (FF[4] and hex.html).

In the files of others a swap may also leave the stone and exchange the players; some write
``swap-pieces`` and mean that. The colour of the node after the swap tells them apart. With stones
exchanged Black moves next, with players exchanged White does, who made the first move::

    ;B[b4];W[swap-pieces];B[g5]    the stone is White's on d2, and Black moves
    ;B[b4];W[swap-sides];W[g5]     the stone is Black's on b4, and its player has White now
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from string import ascii_lowercase
from typing import NamedTuple

from pbmserv import __version__
from pbmserv.engine import game_format
from pbmserv.engine.game import JOINT, Game
from pbmserv.engine.game_format import ForeignGame, GameFormat, ReadGame, unreadable
from pbmserv.engine.position import PASS, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import MAX_RECORDS, format_outcome, parse_each, require_whole
from pbmserv.engine.score import UNPLAYED, Reason, parse_points
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.engine.swap_pieces import SWAP_PIECES, SWAP_SIDES, SWAPS, with_swapped_pieces
from pbmserv.errors import Refused

Node = dict[str, list[str]]
Heading = dict[str, str]
Turn = tuple[str, str]
Tree = tuple[list[Node], int]
"""The nodes of a main line, with the values of each property, and how many variations there are."""

HEX, NO_NUMBER = 11, 1000
MIRRORED = "cells after the swap are mirrored here; on the board the stone stayed"
HOW = {Reason.RESIGNATION: "R", Reason.FORFEIT: "T"}
WHY = {"r": Reason.RESIGNATION, "t": Reason.FORFEIT, "f": Reason.FORFEIT}
GIVEN_UP = {"resign": Reason.RESIGNATION, "forfeit": Reason.FORFEIT}
COLOURS = {"B": "Black", "W": "White"}
OF_SIDE = {Side.X: "B", Side.O: "W"}
DRAW, VOID = "0", "Void"
RESULT = re.compile(r"(b|w|black|white)(?:\s*\+\s*(.*)|\s+w[io]ns?\b.*)?", re.DOTALL)
WITHOUT_WINNER = {
    **dict.fromkeys(("", "?"), ("", None)),
    **dict.fromkeys((DRAW, "draw", "jigo"), (DRAW, Reason.AGREEMENT)),
    "void": (VOID, Reason.REMOVED),
}
ENDED = "ended: "
OWN_END = re.compile(
    f"^{ENDED}(agreement|declined|removed)(?: (-?[0-9]{{1,6}}--?[0-9]{{1,6}}))?$", re.MULTILINE
)

GAMES = (
    *("Go", "Othello", "Chess", "Gomoku", "Nine Men's Morris", "Backgammon", "Chinese Chess"),
    *("Shogi", "Lines of Action", "Ataxx", "Hex", "Jungle", "Neutron", "Philosopher's Football"),
    *("Quadrature", "Trax", "Tantrix", "Amazons", "Octi", "Gess", "Twixt", "Zertz", "Plateau"),
    *("Yinsh", "Punct", "Gobblet", "Hive"),
)
"""The games that have a number in SGF, from 1."""


def format_sgf(record: Record[str], *, swaps_sides: bool = False) -> str:
    """Return the game as one game tree, ending in a line break; raises as :func:`require_whole`.

    With ``swaps_sides`` a swap in Hex exchanges the players, as here, and no cell is mirrored.
    """
    require_whole(record)
    game = record.game
    is_numbered = game.sgf_number is not None
    keeps_stone = is_numbered and swaps_sides and record.has_swap
    handicap = game.opening_stones()
    black, white = (record.first, record.second)[:: -1 if handicap else 1]
    komi = getattr(game, "komi", 0)
    heads = {
        "FF": "4",
        "GM": str(game.sgf_number or NO_NUMBER),
        "CA": "UTF-8",
        "AP": f"pbmserv:{__version__}",
        "RU": "" if is_numbered and not game.noswap else format_game(game),
        "SZ": str(game_format.size_of(game)),
        "GN": f"{game.title} Board {record.board}" if record.board else "",
        "PB": black,
        "PW": white,
        "DT": _dates(record),
        "RE": _result(record, keeps_stone=keeps_stone),
        "GC": "\n".join(_comments(record, keeps_stone=keeps_stone)),
        "KM": str(-komi if handicap else komi) if komi else "",
        "HA": str(len(handicap)) if handicap else "",
    }
    # The one value that is composed of two: its colon parts them and is not escaped.
    root = [f"{name}[{escape_sgf(text)}]" for name, text in heads.items() if text]
    if handicap:
        root.append(f"AB{''.join(f'[{_cell(game, cell)}]' for cell in handicap)}PL[W]")
    nodes = _nodes(record, keeps_stone=keeps_stone)
    return f"(;{''.join(root)}\n{''.join(nodes)})\n"


def escape_sgf(text: str) -> str:
    r"""Return a text escaped for a value in brackets.

    >>> escape_sgf("a]b\\c")
    'a\\]b\\\\c'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]")


START = re.compile(r"\(\s*+;")
TOKEN = re.compile(r"[();]|[A-Za-z]+|\[((?>(?:[^\\\]]++|\\.)*))\]|\[", re.DOTALL)
ESCAPED = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))")
"""What is escaped; a line break that is, is none."""


def sgf_trees(text: str) -> Iterator[Tree]:
    r"""Yield the game trees of a text; raises :class:`Misunderstood` for one that is damaged.

    >>> [nodes for nodes, _ in sgf_trees(r"(;GM[11]SZ[3];B[a1](;W[b2]C[a\]b])(;W[c3]))")]
    [[{'GM': ['11'], 'SZ': ['3']}, {'B': ['a1']}, {'W': ['b2'], 'C': ['a]b']}]]
    """
    at = 0
    while start := START.search(text, at):
        tree, at = _read_tree(text, start.start())
        yield tree


class SgfGame(NamedTuple):
    """A game as its nodes tell it: a position if it does not begin as its game does, and turns.

    ``root`` has the first value of each property, ``owner`` is the colour of who begins as X.
    """

    root: Heading
    game: Game
    start: Position | None
    turns: list[Turn]
    owner: str


def sgf_game(nodes: list[Node]) -> SgfGame:
    """Return the game of the nodes of a main line; raises :class:`Refused` for what none is."""
    root = {name: node[name][0].strip() for node in reversed(nodes) for name in node}
    game = _game_of(root)
    turns = _turns(game, nodes)
    owner = "W" if game.opening_stones() else "B"
    return SgfGame(root, game, _start(game, nodes, turns), turns, owner)


def _turns(game: Game, nodes: list[Node]) -> list[Turn]:
    """Return the colour and the move of each turn in these nodes, a swap too, in words of GTP.

    Stones of one colour that follow one another are one turn where a turn has several. Raises
    :class:`Misunderstood` for stones that are set up after the first turn.
    """
    words = cells_by_word(game)
    is_double = game.stones_due(game.start().after(PASS)) > 1
    turns: list[Turn] = []
    for node in nodes:
        for name, values in node.items():
            texts = ["".join(value.split()).lower() for value in values]
            moves = [words.get(text, text or PASS.text) for text in texts]
            if name in COLOURS:
                is_same = is_double and bool(turns) and turns[-1][0] == name
                if is_same and JOINT not in turns[-1][1]:
                    moves[0] = JOINT.join((turns.pop()[1], moves[0]))
                turns.append((name, moves[0]))
            elif name in {"AB", "AW", "AE"} and turns:
                is_swap = node.get("C") == ["swap"] and moves == [turns[0][1]]
                if not is_swap or len(turns) > 1:
                    raise unreadable("SGF", "it sets up stones after the first move")
                turns.append((name[1], SWAP_PIECES))
    if len(turns) > 1 and turns[1][1] in SWAPS:
        colour, word = turns[1]
        keeps_stone = turns[2][0] == colour if turns[2:] else word != SWAP_PIECES
        turns[1] = colour, SWAP_SIDES if keeps_stone else SWAP_PIECES
    return turns


def _bad_record(why: str) -> Refused:
    """Return the error for a game that cannot have been played so."""
    return Refused(why, code="bad-record")


def _nodes(record: Record[str], *, keeps_stone: bool) -> Iterator[str]:
    """Yield a node for each stone, pass and swap; colours take turns, also after a swap."""
    game, moves = record.game, record.moves
    is_numbered = game.sgf_number is not None
    colours = "WB" if game.opening_stones() else "BW"
    told = with_swapped_pieces(game, moves) if is_numbered and not keeps_stone else moves
    for number, move in enumerate(told):
        colour = colours[(number + (keeps_stone and number > 1)) % 2]
        if move.is_swap and is_numbered:
            yield f";{colour}[{SWAP_SIDES if keeps_stone else SWAP_PIECES}]"
        elif move.is_swap:
            yield f";A{colour}[{_cell(game, moves[0].cells[0])}]PL[{colours[0]}]C[swap]"
        else:
            stones = [_cell(game, cell) for cell in move.cells]
            passes = [PASS.text] * max(move.passed, int(move.is_pass))
            yield from (f";{colour}[{text}]" for text in stones + passes)


def _comments(record: Record[str], *, keeps_stone: bool) -> Iterator[str]:
    """Yield what no other property holds: mirrored cells, and an end without points or by them."""
    if record.game.sgf_number is not None and record.has_swap and not keeps_stone:
        yield MIRRORED
    outcome = record.outcome
    if outcome is not None and outcome.reason in {Reason.AGREEMENT, *UNPLAYED}:
        yield f"{ENDED}{format_outcome(outcome).partition(' ')[2]}"


@lru_cache(maxsize=8)  # a collection has many games of one board
def cells_by_word(game: Game) -> Mapping[str, str]:
    """Return our name of each cell by that in SGF, of Hex also by the letters of Go."""
    words = {_cell(game, cell): name.lower() for cell, name in enumerate(game.board.names)}
    return words | ({go_letters(word): word for word in words} if game.sgf_number == HEX else {})


def go_letters(cell: str) -> str:
    """Return a cell of Hex as Go has it, ``ad`` for a4; any other text as it is."""
    return f"{cell[0]}{ascii_lowercase[int(cell[1:]) - 1]}" if cell[1:].isdecimal() else cell


def _cell(game: Game, cell: int) -> str:
    return game.board.names[cell].lower().replace("*", "p")


def _dates(record: Record[str]) -> str:
    """Return the first and the last day of the game; the last without what both have in common."""
    first, last = record.started[:10], record.finished[:10]
    if not first or not last or first == last:
        return first or last
    known = 0 if first[:4] != last[:4] else 5 if first[:7] != last[:7] else 8
    return f"{first},{last[known:]}"


def _result(record: Record[str], *, keeps_stone: bool) -> str:
    """Return ``B+R``, ``W+3``, ``0`` ..., "" while the game runs."""
    outcome = record.outcome
    if outcome is None:
        return ""
    if outcome.reason in UNPLAYED:
        return VOID
    if outcome.winner is None:
        return DRAW
    is_black = outcome.winner is Side.X
    if bool(record.game.opening_stones()) != (record.has_swap and not keeps_stone):
        is_black = not is_black
    return f"{'B' if is_black else 'W'}+{HOW.get(outcome.reason, '') or _margin(record)}"


def _margin(record: Record[str]) -> str:
    """Return the winner's lead, "" if points did not decide the game."""
    outcome, score = record.outcome, record.game.score(record.position)
    if outcome is not None and outcome.points is not None:
        return str(abs(outcome.points[Side.X] - outcome.points[Side.O]))
    is_counted = outcome is not None and outcome.reason.is_by_rules and not score.feat
    return str(score.lead or "") if is_counted else ""


def _read_tree(text: str, at: int) -> tuple[Tree, int]:
    """Return the game tree that begins here, and where it ends."""
    nodes: list[Node] = []
    depth, lines, branch, name = 0, 0, 0, ""
    is_main, is_open = True, False
    for token in TOKEN.finditer(text, at):
        sign, value = token[0], token[1]
        if value is not None:
            if name and is_main:
                nodes[-1].setdefault(name, []).append(ESCAPED.sub(r"\1", value))
            continue
        name = _property(sign)
        if sign == "(":
            depth, is_open, branch = depth + 1, True, len(nodes)
        elif sign == ")":
            if is_main and branch == len(nodes):
                raise unreadable("SGF", "it has variations and no main line")
            depth, lines, is_main, is_open = depth - 1, lines + is_open, False, False
            if not depth:
                return (nodes, lines - 1), token.end()
        elif sign == ";" and is_main:
            _begin_node(nodes)
        elif sign == "[":
            raise unreadable("SGF", "a value in it is not closed by ]")
    raise unreadable("SGF", "its last ) is missing")


def _begin_node(nodes: list[Node]) -> None:
    if len(nodes) == game_format.MAX_MOVES:
        raise unreadable("SGF", "it has too many moves")
    nodes.append({})


def _property(sign: str) -> str:
    """Return the name of a property; in FF[3] small letters are only there to be read."""
    if not sign.isalpha():
        return ""
    return sign if sign.isupper() else re.sub("[a-z]", "", sign) or sign.upper()


def has_tree(text: str) -> bool:
    """Tell whether a text has a game tree and is neither JSON nor a record of ours."""
    is_other = text.lstrip().startswith(("{", "[", "pbmserv record"))
    return not is_other and START.search(text) is not None


def _read(text: str) -> list[ReadGame]:
    return parse_each(list(islice(sgf_trees(text), MAX_RECORDS + 1)), _read_game)


def _read_game(tree: Tree) -> ReadGame:
    nodes, variations = tree
    found = foreign_game(sgf_game(nodes))
    if variations:
        words = "variation is" if variations == 1 else "variations are"
        found.notes.append(f"{variations} {words} left out.")
    return found.replayed()


def foreign_game(told: SgfGame, why: Reason | None = None) -> ForeignGame:
    """Return the game with its end; ``why`` is the reason of a win if none is given.

    A sentence or a name, which may begin with any letter, is no result. Raises :class:`Refused`
    for turns that do not alternate and for a result that they contradict.
    """
    root, game, start, turns, owner = told
    given_up = turns.pop() if turns and turns[-1][1] in GIVEN_UP else None
    _check_colours(turns, owner if start is None else OF_SIDE[start.to_move])
    swap = turns[1][1] if turns[1:] else ""
    names = root.get("PB", ""), root.get("PW", "")
    title = re.fullmatch(rf"{re.escape(game.title)} Board ([0-9]{{1,9}})", root.get("GN", ""))
    days = [*_days(root.get("DT", ""))] or [""]
    found = ForeignGame(
        game,
        [text for _, text in turns],
        names if owner == "B" else names[::-1],
        start=start,
        started=days[0],
        finished=days[-1],
        board=title[1] if title else "",
        swaps_pieces=swap == SWAP_PIECES,
    )
    words = root.get("RE", "").lower()
    winner, found.reason = WITHOUT_WINNER.get(words, ("", None))
    if result := RESULT.fullmatch(words):
        winner, found.reason = result[1][0].upper(), WHY.get((result[2] or "")[:1])
    elif words not in WITHOUT_WINNER:
        found.notes.append("Its result is in no form that SGF has, and is left out.")
    if given_up:
        left, why = "BW"[given_up[0] == "B"], GIVEN_UP[given_up[1]]
        if winner not in {"", left}:
            raise _bad_record("Its result and its last move contradict each other.")
        winner = left
    found.reason = found.reason or why
    if root.get("AP", "").startswith("pbmserv") and (how := OWN_END.search(root.get("GC", ""))):
        found.reason = Reason(how[1])
        found.points = parse_points(how[2]) if how[2] else None
    if winner:
        is_first = (winner == owner) != (swap == SWAP_SIDES)
        found.winner = -1 if winner in {DRAW, VOID} else 1 - is_first
    if start is not None and (winner or found.replayed().record.outcome is not None):
        raise _bad_record(
            "It begins with stones on the board, so it cannot be a finished game here."
        )
    return found


def _game_of(root: Heading) -> Game:
    number = int(found[0]) if (found := re.fullmatch("[0-9]{1,6}", root.get("GM", "1"))) else 0
    rules = root.get("RU", "")
    if (number == NO_NUMBER and rules) or (number == HEX and rules.startswith("hex(")):
        return parse_game(rules)
    if number == HEX:
        return game_format.game_of_size("SGF", "hex", root.get("SZ") or "11")
    raise game_format.wrong_game(GAMES[number - 1] if 0 < number <= len(GAMES) else "another game")


def _start(game: Game, nodes: list[Node], turns: list[Turn]) -> Position | None:
    """Return the position that is set up before the first turn, None without one."""
    words, to_move = cells_by_word(game), ""
    stones: dict[str, dict[str, None]] = {colour: {} for colour in COLOURS}
    for node in nodes:
        texts = {name: ["".join(text.split()).lower() for text in node[name]] for name in node}
        for colour, cells in stones.items():
            for text in texts.get("AE", ()):
                cells.pop(words.get(text, text), None)
            cells |= {words.get(text, text): None for text in texts.get(f"A{colour}", ())}
        to_move = node.get("PL", [to_move])[0].strip()[:1].upper()
        if node.keys() & COLOURS.keys():
            break
    if handicap := game.opening_stones():
        if {words[_cell(game, cell)] for cell in handicap} != {*stones["B"]} or stones["W"]:
            raise _bad_record("Its handicap stones are not those of its game.")
        return None
    if any(stones.values()) and to_move not in COLOURS:
        to_move = turns[0][0] if turns else "B"
    if not any(stones.values()) and to_move != "W":
        return None
    placed = game.position_of({side: stones[colour] for side, colour in OF_SIDE.items()})
    return replace(placed, to_move=Side.X if to_move == "B" else Side.O)


def _check_colours(turns: Iterable[Turn], mover: str) -> None:
    """Raise :class:`Refused` unless the colours take turns, and nobody gives the game up."""
    for number, (colour, text) in enumerate(turns, start=1):
        if text in GIVEN_UP:
            raise _bad_record(f"Move {number} of the record gives the game up, but others follow.")
        if colour != mover:
            turn = f"{COLOURS[colour]}'s, but {COLOURS[mover]} is to move."
            raise _bad_record(f"Move {number} of the record is {turn}")
        if text != SWAP_SIDES:
            mover = "W" if mover == "B" else "B"


def _days(text: str) -> Iterator[str]:
    """Yield the days of a date in SGF, each without what it has in common with the last."""
    day = ""
    for part in text.split(","):
        word = part.strip()[:10]
        day = f"{day[: max(0, 10 - len(word))]}{word}"
        if len(day) == 10 and (moment := game_format.moment_of(day)):
            yield moment


FORMAT = GameFormat("sgf", has_tree, _read, format_sgf)

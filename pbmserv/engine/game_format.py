"""What a format of game records is, and what all of them share: one file of ``formats/`` each."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import format_moment
from pbmserv.engine.position import SWAP, Position
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import check_result, parse_each, replay
from pbmserv.engine.score import Outcome, Points, Reason
from pbmserv.engine.swap_pieces import SWAPS
from pbmserv.errors import Misunderstood, Refused

MAX_TEXT = 10_000_000
"""Characters of a text that are read."""

MAX_MOVES = 2_000
"""Moves of a game that are read: more than stones and passes of the largest board."""

UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]+")
CELL = re.compile("([a-z]{1,2})([0-9]{1,2})", re.IGNORECASE)
SIZE = re.compile("([0-9]{1,4})(?:[x:]([0-9]{1,4}))?")
NOT_BLANK = re.compile(r"\S")


class ReadGame(NamedTuple):
    """A game that was read: its record, whose names are free text, and sentences about it.

    ``notes`` say what was left out or taken for granted. A game that begins with stones on the
    board has that position first in ``record.known``.
    """

    record: Record[str]
    notes: tuple[str, ...] = ()


class GameFormat(NamedTuple):
    """A form in which games are written down: its name after ``-format=``, "" if it is only read.

    ``recognise`` returns something if a text looks like it. ``read`` returns the games of a text,
    at least one; ``write`` returns a game as text that ends in a line break, or raises
    :class:`Refused` for a game that cannot be written so. ``between`` stands between two games of
    one text.
    """

    name: str
    recognise: Callable[[str], object] | None = None
    read: Callable[[str], list[ReadGame]] | None = None
    write: Callable[[Record[str]], str] | None = None
    between: str = ""


@dataclass
class ForeignGame:
    """A game as a format tells it: what is known of it, and its moves in our words, or of GTP.

    ``winner`` is the number of the player who won, 0 who moved first or 1, -1 for a draw, None if
    that is not told; ``points`` are those on which the players agreed. ``start`` has the stones of
    a game that begins with some. With ``swaps_pieces`` every cell after a swap is the mirror of
    ours; ``is_swapped`` is a game whose second player has taken the first stone, without a move of
    its own for it.
    """

    game: Game
    moves: Iterable[str]
    names: tuple[str, str] = ("", "")
    winner: int | None = None
    reason: Reason | None = None
    points: Points | None = None
    start: Position | None = None
    started: str = ""
    finished: str = ""
    computer: str = ""
    board: str = ""
    swaps_pieces: bool = False
    is_swapped: bool = False
    notes: list[str] = field(default_factory=list)

    def replayed(self) -> ReadGame:
        """Return the game, ended by the rules or else as it is told.

        Raises :class:`Refused` for an illegal move, by its number there, and for a result that
        its moves contradict.
        """
        known = () if self.start is None else (self.start,)
        first, second = map(line_of, self.names)
        record = Record(self.game, first, second, known=known)
        record = replace(record, outcome=self.game.outcome(record.position))
        moves = self._moves()
        if self.is_swapped:
            record = replay(record, islice(moves, 1)).play(SWAP)
        record = replay(record, moves, 2 if self.is_swapped else 1)
        if self.winner is not None:
            record = replace(record, outcome=self._outcome(record))
        check_result(record)
        record = replace(
            record,
            board=self.board,
            started=self.started,
            finished=self.finished if record.outcome else "",
            computer=line_of(self.computer),
        )
        return ReadGame(record, tuple(self.notes))

    def _moves(self) -> Iterator[str]:
        has_swapped = False
        for text in self.moves:
            is_swap = text.lower() in SWAPS
            is_mirrored = has_swapped and self.swaps_pieces and not is_swap
            yield SWAP.text if is_swap else mirrored(self.game, text) if is_mirrored else text
            has_swapped |= is_swap

    def _outcome(self, record: Record[str]) -> Outcome:
        by_rules = record.outcome
        sides = {number: side for side, number in record.with_players(0, 1).seats.items()}
        winner = None if self.winner in {None, -1} else sides[self.winner]
        if by_rules is not None and by_rules.winner is winner:
            return by_rules
        usual = Reason.AGREEMENT if winner is None else Reason.RESIGNATION
        if self.reason is None and by_rules is None:
            verb = "drawn" if winner is None else "won"
            self.notes.append(f"How it ended is not recorded; it is shown as {verb} {usual.words}.")
        return Outcome(winner, self.reason or usual, self.points)


def game_of_size(title: str, name: str, size: str, **options: Any) -> Game:
    """Return the game with a board of this size, such as ``11`` or ``11x11``, and these options.

    Raises :class:`Refused` if there is no such board, with the ``title`` for what is no size.
    """
    found = SIZE.fullmatch("".join(size.split()))
    if found is None:
        raise unreadable(title, "the size of its board is missing or cannot be read", size or None)
    game_type, columns, rows = find_game(name), int(found[1]), int(found[2] or found[1])
    sizes = game_type.options()[0]
    if columns == rows and columns in (sizes.numbers or ()):
        chosen: dict[str, Any] = {sizes.name: columns, **options}
        return game_type(**chosen)
    size = f"{columns}" if columns == rows else f"{columns}x{rows}"
    raise Refused(
        f"This is a record of {game_type.title} of size {size}; here it has {sizes.values}.",
        code="bad-option-value",
    )


def size_of(game: Game) -> int:
    """Return the size of a game's board."""
    size: int = getattr(game, game.options()[0].name)
    return size


def cell_at(column: int, row: int) -> str:
    """Return what the cell of this column and row, from 1, is called here."""
    return f"{chr(ord('A') + column - 1)}{row}" if 0 < column <= 26 else f"({column},{row})"


def place_of(text: str) -> tuple[int, int]:
    """Return column and row of a cell, from 1; after column z come aa and ab. No cell is (0, 0).

    >>> place_of("f6"), place_of("AA1"), place_of("swap")
    ((6, 6), (27, 1), (0, 0))
    """
    found = CELL.fullmatch(text)
    if found is None:
        return 0, 0
    column = 0
    for letter in found[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    return column, int(found[2])


def mirrored(game: Game, text: str) -> str:
    """Return the cell to which a swap of pieces moves a stone; any other text as it is."""
    cell = game.board.find(text)
    return text if cell is None else game.board.names[game.swap_mirror[cell]]


def turned(game: Game, text: str) -> str:
    """Return our name of a cell of Y where column and row begin at an edge, or theirs of ours.

    Any other text, and any of another game, is returned as it is.
    """
    column, row = place_of(text) if game.name == "y" else (0, 0)
    last = size_of(game) + 1
    return cell_at(last - column, last - row) if column else text


def split_moves(pattern: re.Pattern[str], text: str, title: str) -> list[str]:
    """Return the moves of a text that consists of nothing else; raises :class:`Misunderstood`.

    A move is the pattern's last group, or all that it finds if it has none.
    """
    words: list[str] = []
    at = 0
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            raise unreadable(title, "not all of it is moves", text[at : at + 7].strip())
        if len(words) == MAX_MOVES:
            raise unreadable(title, "it has too many moves")
        words.append(found[found.lastindex or 0])
        at = found.end()
    return words


def json_format(title: str, keys: str, read: Callable[[dict[str, Any]], ReadGame]) -> GameFormat:
    """Return a format of JSON objects, of which one of these keys, parted by ``|``, is one."""
    beginning = re.compile(rf'\s*[{{\[].*?"(?:{keys})"\s*:', re.DOTALL)
    return GameFormat("", beginning.match, lambda text: parse_each(_read_json(text, title), read))


def _read_json(text: str, title: str) -> list[dict[str, Any]]:
    """Return the objects of a text, at least one: one after another, or an array of them."""
    decoder, at = json.JSONDecoder(), 0
    found: list[Any] = []
    try:
        while start := NOT_BLANK.search(text, at):
            value, at = decoder.raw_decode(text, start.start())
            found += value if isinstance(value, list) else [value]
    except (ValueError, RecursionError):
        raise unreadable(title, "it is not correct JSON") from None
    if not found or not all(isinstance(each, dict) for each in found):
        raise unreadable(title, "it has no game")
    return found


def text_of(value: object) -> str:
    """Return a value that should be text, "" if it is none, with what no text can have replaced."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def line_of(value: object) -> str:
    """Return the same without what would break or change a line."""
    return UNPRINTABLE.sub(" ", text_of(value)).strip()


def moment_of(value: object) -> str:
    """Return a moment as records have it: of ISO 8601 or seconds since 1970; "" if it is none."""
    if isinstance(value, int):
        return format_moment(value)
    try:
        moment = datetime.fromisoformat(text_of(value))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return format_moment(int(moment.timestamp()))
    except (ValueError, OverflowError):
        return ""


def unreadable(title: str, why: str, about: str | None = None) -> Misunderstood:
    """Return the error for a text that looks like a format but cannot be read as one."""
    return Misunderstood(f"This looks like {title}, but {why}.", code="bad-record", about=about)


def wrong_game(name: str) -> Refused:
    """Return the error for a record of a game that nobody plays here."""
    return Refused(
        f"This is a record of {line_of(name)[:60]}, which is not played here.", code="wrong-game"
    )


def cannot_write(title: str, why: str) -> Refused:
    """Return the error for a game that a format does not have."""
    return Refused(f"{title} {why}.", code="bad-option-value")

"""Whole games as text, both ways; several may follow one another.

A record is a heading of ``key: value`` lines, an empty line, and the numbered moves, one or several
on a line::

    pbmserv record 2
    game: star(size=3)
    first: alice
    second: bob
    result: bob wins as X by resignation

     1. A3
     2. swap

``first`` and ``second`` name the players by who was to move first; a name that would not be read
back as it is, such as an empty one, is quoted as in JSON. ``result`` names the winner
and their side at the end, a swap counted; or it is ``draw by`` a reason, ``declined``,
``removed``, or ``running``. Reasons are the permanent codes; if the players agreed on points,
these follow, X's first: ``by agreement 26-25``. Optional: ``board``, ``computer``
(which of the two are computers), ``started``, ``finished`` (moments as ISO 8601, UTC).

In the older form, ``pbmserv record 1``, the keys are ``x`` and ``o``, the players' sides before
any swap, and the result names only a side, that at the end: ``X resignation``. It is still read.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from pbmserv.engine.moments import parse_moment
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import UNPLAYED, Outcome, Reason, format_points, parse_points
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, Refused

FIRST_LINE = "pbmserv record 2"
OLDER_FIRST_LINE = "pbmserv record 1"
MAX_RECORD = 100_000
MAX_RECORDS = 10_000
"""Games that are read from one text."""
RUNNING = "running"

MOVE = re.compile(r"([0-9]{1,4})\.\s*(\S+)", re.ASCII)
MOVE_LINE = re.compile(rf"\s*{MOVE.pattern}(?:\s+{MOVE.pattern})*\s*", re.ASCII)
HEAD_LINE = re.compile(r"([a-z]+):(.*)")
BLANKS = " \t\n\r\f\v"
RESULT = re.compile(r"(?:(.+) wins as ([XO])|draw) by (\S+(?: \S+)?)", re.ASCII)
PLAIN = re.compile(r"(?![\"\s])[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+(?<!\s)", re.ASCII)
"""A name that fits on a line and is read back as it is."""
KEYS = ("game", "board", "first", "second", "computer", "started", "finished", "result")
OLDER_KEYS = ("game", "board", "x", "o", "started", "finished", "result")

Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


def format_record(record: Record[str]) -> str:
    """Return the record as text, ending in a line break; raises as :func:`require_whole`."""
    require_whole(record)
    values = {
        "game": format_game(record.game),
        "board": record.board,
        "first": _format_name(record.first),
        "second": _format_name(record.second),
        "computer": record.computer,
        "started": record.started,
        "finished": record.finished,
        "result": _format_result(record),
    }
    head = [f"{key}: {values[key]}" for key in KEYS if values[key]]
    moves = [f"{number:>3}. {text}" for number, text in enumerate(record.texts, start=1)]
    return "\n".join([FIRST_LINE, *head, "", *moves]) + "\n"


def require_whole(record: Record[str]) -> None:
    """Raise :class:`Refused` for a game that began with stones on the board."""
    if record.known and record.known[0] != record.game.start():
        raise Refused(
            "This game began with stones on the board, so it cannot be written as moves.",
            code="bad-record",
        )


def parse_records(text: str) -> list[Record[str]]:
    """Return all records of a text, of which it has at least one; raises as :func:`parse_record`.

    Of several the message says which one is wrong.
    """
    return parse_each(_split(text), parse_record)


def parse_each(items: Sequence[Item], parse: Callable[[Item], Parsed]) -> list[Parsed]:
    """Return what ``parse`` makes of each; of several its refusals say which one is wrong.

    Raises :class:`Misunderstood` for more than can be read at a time.
    """
    if len(items) > MAX_RECORDS:
        raise Misunderstood(
            "That is too much for game records.",
            code="bad-record",
            hint=f"At most {MAX_RECORDS:,} games are read at a time.",
        )
    parsed = []
    for number, item in enumerate(items, start=1):
        with naming_record(number, len(items)):
            parsed.append(parse(item))
    return parsed


def parse_lines(text: str, parse: Callable[[str], Parsed]) -> list[Parsed]:
    """Return what ``parse`` makes of each line that is not empty; raises as :func:`parse_each`."""
    return parse_each([line for line in text.splitlines() if line.strip()], parse)


@contextmanager
def naming_record(number: int, count: int) -> Iterator[None]:
    """Add to a refusal which of ``count`` records it is about, if there are several."""
    try:
        yield
    except Refused as error:
        if count == 1:
            raise
        message = f"Record {number} of {count}: {error.message}"
        raise type(error)(message, code=error.code, hint=error.hint, about=error.about) from error


def parse_record(text: str) -> Record[str]:
    """Return the record that ``text`` holds, with its moves in canonical form and replayed once.

    Raises :class:`Misunderstood` for what cannot be read, and :class:`Refused` for moves that
    the rules do not allow or a result that they contradict.
    """
    if len(text) > MAX_RECORD:
        raise _bad_record("It is too long for a game record.")
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    first_line = lines.pop(0).strip() if lines else ""
    if first_line not in {FIRST_LINE, OLDER_FIRST_LINE}:
        raise _bad_record(f"Its first line must be: {FIRST_LINE}")
    is_older = first_line == OLDER_FIRST_LINE
    keys = OLDER_KEYS if is_older else KEYS
    head, moves = _read_lines(lines, keys)
    game_key, _, first, second, *_, result = keys
    for key in (game_key, first, second, result):
        if not head.get(key):
            raise _bad_record(f"The line {key}: is missing.")
    names = _parse_name(head[first]), _parse_name(head[second])
    running = replay(Record(parse_game(head[game_key]), *names), moves)
    said = head[result]
    outcome = parse_outcome(said) if is_older else _parse_result(said, running.seats)
    record = replace(
        running,
        outcome=outcome,
        board=head.get("board", ""),
        started=head.get("started", ""),
        finished=head.get("finished", ""),
        computer=head.get("computer", ""),
    )
    check_result(record)
    return record


def format_outcome(outcome: Outcome | None) -> str:
    """Return a result without names, as it is stored: ``X agreement 26-25``, ``running``."""
    if outcome is None:
        return RUNNING
    winner = "draw" if outcome.winner is None else outcome.winner.value
    words = f"{winner} {outcome.reason.value}"
    return words if outcome.points is None else f"{words} {format_points(outcome.points)}"


def parse_outcome(text: str) -> Outcome | None:
    """Return the result that ``text`` stands for; raises :class:`Misunderstood`."""
    if text == RUNNING:
        return None
    who, _, how = text.partition(" ")
    code, _, points = how.strip().partition(" ")
    try:
        winner = None if who == "draw" else Side(who)
        return Outcome(winner, Reason(code), parse_points(points) if points else None)
    except ValueError:
        raise _bad_record("Its result cannot be read.") from None


def _format_result(record: Record[str]) -> str:
    outcome = record.outcome
    if outcome is None:
        return RUNNING
    how = format_outcome(outcome).partition(" ")[2]
    if outcome.winner is None:
        return how if outcome.reason in UNPLAYED else f"draw by {how}"
    return f"{_format_name(record.seats[outcome.winner])} wins as {outcome.winner} by {how}"


def _format_name(name: str) -> str:
    return name if PLAIN.fullmatch(name) else json.dumps(name)


def _parse_name(text: str) -> str:
    """Return the name that a line has; raises :class:`Misunderstood` for quotes without an end."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise _bad_record("A name in quotes cannot be read.") from None


def _parse_result(text: str, seats: Mapping[Side, str]) -> Outcome | None:
    """Return the result that ``text`` stands for, with the names of these seats."""
    if text == RUNNING or text in {reason.value for reason in UNPLAYED}:
        return parse_outcome(text if text == RUNNING else f"draw {text}")
    found = RESULT.fullmatch(text)
    if found is None:
        raise _bad_record("Its result cannot be read.")
    name, side, how = found.groups()
    outcome = parse_outcome(f"{side or 'draw'} {how}")
    if side and _parse_name(name).lower() != seats[Side(side)].lower():
        raise Refused(
            f"The record's winner did not have the side {side} at the end.",
            code="bad-record",
            hint="A swap exchanges the sides of the players.",
        )
    return outcome


def _split(text: str) -> list[str]:
    """Return the texts of the single records; lines before the first record are one, too."""
    texts: list[list[str]] = [[]]
    for line in text.splitlines():
        is_first = line.strip() in {FIRST_LINE, OLDER_FIRST_LINE}
        if is_first and any(map(str.strip, texts[-1])):
            texts.append([])
        texts[-1].append(line)
    return ["\n".join(lines) for lines in texts]


def _read_lines(lines: Sequence[str], keys: Collection[str]) -> tuple[dict[str, str], list[str]]:
    head: dict[str, str] = {}
    moves: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        if MOVE_LINE.fullmatch(line):
            for number, text in MOVE.findall(line):
                if int(number) != len(moves) + 1:
                    raise _bad_record(f"Move {len(moves) + 1} is missing or out of order.")
                moves.append(text)
        elif not moves and (found := HEAD_LINE.fullmatch(line)) and found[1] in keys:
            if found[1] in head:
                raise _bad_record(f"The line {found[1]}: appears twice.")
            head[found[1]] = found[2].strip(BLANKS)
        else:
            raise _bad_record("It has a line that is neither a heading nor a numbered move.")
    return head, moves


def replay(record: Record[str], moves: Iterable[str], first_number: int = 1) -> Record[str]:
    """Return the record after these moves, which are counted from ``first_number``.

    Raises :class:`Refused` for one that is illegal.
    """
    for number, text in enumerate(moves, start=first_number):
        try:
            record = record.play(record.game.parse_move(text))
        except Refused as error:
            raise Refused(
                f"Move {number} of the record cannot be played: {error.message}",
                code="bad-record",
                hint=error.hint,
                about=error.about,
            ) from error
    return record


def check_result(record: Record[str]) -> None:
    """Raise :class:`Refused` unless the result agrees with the rules at the last position."""
    game, claimed, position = record.game, record.outcome, record.position
    by_rules = game.outcome(position)
    if by_rules is not None and (claimed is None or not game.may_end(position, claimed)):
        first, second = record.first or "the first player", record.second or "the second player"
        right = replace(record, outcome=by_rules, first=first, second=second)
        raise Refused(
            "The record's result does not follow from its moves.",
            code="bad-record",
            hint=f"By the rules it is: {_format_result(right)}.",
        )
    if by_rules is None and claimed is not None and claimed.reason.is_by_rules:
        raise Refused(
            "The record says that the rules ended the game, but its moves do not.",
            code="bad-record",
        )
    is_possible = claimed is None or claimed.is_possible(record.ply)
    if claimed is not None and claimed.reason is Reason.AGREEMENT and claimed.winner is not None:
        # In games with points players agree on points, in others on a winner alone.
        points = record.game.points_to_agree(record.game.score(record.game.start()))
        is_possible &= (points is None) == (claimed.points is None)
    if not is_possible:
        raise Refused(
            "The record's result contradicts itself or the number of its moves.",
            code="bad-record",
            hint="A game is declined before its second move, and resigned or forfeited after it.",
        )


def _bad_record(why: str) -> Misunderstood:
    return Misunderstood(
        f"That is not a game record. {why}",
        code="bad-record",
        hint="To see an example, use export.",
    )


def read_moment(text: str) -> int | None:
    """Return the seconds since 1970 of a moment in a record, None for an empty text.

    Raises :class:`Misunderstood`.
    """
    if not text:
        return None
    try:
        return parse_moment(text)
    except (ValueError, OverflowError):
        raise Misunderstood(
            "A time in the record cannot be read.",
            code="bad-record",
            hint="Times look like 2026-11-20T14:00:00Z.",
        ) from None

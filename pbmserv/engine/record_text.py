"""Whole games as text, both ways; several may follow one another.

A record is a heading of ``key: value`` lines, an empty line, and the numbered moves::

    pbmserv record 2
    game: star(size=3)
    first: alice
    second: bob
    result: bob wins as X by resignation

     1. A3
     2. swap

``first`` and ``second`` name the players by who was to move first. ``result`` names the winner
and their side at the end, a swap counted; or it is ``draw by`` a reason, ``declined``,
``removed``, or ``running``. Reasons are the permanent codes; if the players agreed on points,
these follow, X's first: ``by agreement 26-25``. Optional: ``board``, ``computer``
(which of the two are computers), ``started``, ``finished`` (moments as ISO 8601, UTC).

In the older form, ``pbmserv record 1``, the keys are ``x`` and ``o``, the players' sides before
any swap, and the result names only a side, that at the end: ``X resignation``. It is still read.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from pbmserv.engine.moments import parse_moment
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import UNPLAYED, Outcome, Reason, format_points, parse_points
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, Refused

FIRST_LINE = "pbmserv record 2"
OLDER_FIRST_LINE = "pbmserv record 1"
MAX_RECORD = 100_000
RUNNING = "running"

MOVE_LINE = re.compile(r"\s*([0-9]{1,4})\.\s*(\S+)\s*", re.ASCII)
HEAD_LINE = re.compile(r"([a-z]+):\s*(.*?)\s*", re.ASCII)
RESULT = re.compile(r"(?:(\S+) wins as ([XO])|draw) by (\S+(?: \S+)?)", re.ASCII)
KEYS = ("game", "board", "first", "second", "computer", "started", "finished", "result")
OLDER_KEYS = ("game", "board", "x", "o", "started", "finished", "result")


def format_record(record: Record[str]) -> str:
    """Return the record as text, ending in a line break."""
    values = {
        "game": format_game(record.game),
        "board": record.board,
        "first": record.first,
        "second": record.second,
        "computer": record.computer,
        "started": record.started,
        "finished": record.finished,
        "result": _format_result(record),
    }
    head = [f"{key}: {values[key]}" for key in KEYS if values[key]]
    moves = [f"{number:>3}. {text}" for number, text in enumerate(record.texts, start=1)]
    return "\n".join([FIRST_LINE, *head, "", *moves]) + "\n"


def parse_records(text: str) -> list[Record[str]]:
    """Return all records of a text, of which it has at least one; raises as :func:`parse_record`.

    Of several the message says which one is wrong.
    """
    texts = _split(text)
    records = []
    for number, one in enumerate(texts, start=1):
        with naming_record(number, len(texts)):
            records.append(parse_record(one))
    return records


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
    running = replay(Record(parse_game(head[game_key]), head[first], head[second]), moves)
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
    return f"{record.seats[outcome.winner]} wins as {outcome.winner} by {how}"


def _parse_result(text: str, seats: Mapping[Side, str]) -> Outcome | None:
    """Return the result that ``text`` stands for, with the names of these seats."""
    if text == RUNNING or text in {reason.value for reason in UNPLAYED}:
        return parse_outcome(text if text == RUNNING else f"draw {text}")
    found = RESULT.fullmatch(text)
    if found is None:
        raise _bad_record("Its result cannot be read.")
    name, side, how = found.groups()
    outcome = parse_outcome(f"{side or 'draw'} {how}")
    if side and name.lower() != seats[Side(side)].lower():
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
        if move := MOVE_LINE.fullmatch(line):
            if int(move[1]) != len(moves) + 1:
                raise _bad_record(f"Move {len(moves) + 1} is missing or out of order.")
            moves.append(move[2])
        elif not moves and (found := HEAD_LINE.fullmatch(line)) and found[1] in keys:
            if found[1] in head:
                raise _bad_record(f"The line {found[1]}: appears twice.")
            head[found[1]] = found[2]
        else:
            raise _bad_record("It has a line that is neither a heading nor a numbered move.")
    return head, moves


def replay(record: Record[str], moves: Sequence[str]) -> Record[str]:
    """Return the record after these moves; raises :class:`Refused` for one that is illegal."""
    for number, text in enumerate(moves, start=1):
        try:
            record = record.play(record.game.parse_move(text))
        except Refused as error:
            raise Refused(
                f"Move {number} of the record cannot be played: {error.message}",
                code="bad-record",
                hint=error.hint,
            ) from error
    return record


def check_result(record: Record[str]) -> None:
    """Raise :class:`Refused` unless the result agrees with the rules at the last position."""
    game, claimed, position = record.game, record.outcome, record.position
    by_rules = game.outcome(position)
    if by_rules is not None and (claimed is None or not game.may_end(position, claimed)):
        raise Refused(
            "The record's result does not follow from its moves.",
            code="bad-record",
            hint=f"By the rules it is: {_format_result(replace(record, outcome=by_rules))}.",
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

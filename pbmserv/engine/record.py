"""A whole game as text, both ways.

A record is a heading of ``key: value`` lines, an empty line, and the numbered moves::

    pbmserv record 1
    game: star(size=3)
    x: alice
    o: bob
    result: X resignation

     1. A3
     2. swap

``x`` and ``o`` name the players in their seats before the first move; a swap among the moves
exchanges them. ``result`` is ``X``, ``O``, ``draw`` or ``running`` and the reason's permanent
code; where the players agreed on points, these stand behind it, X's first. Optional: ``board``,
``started``, ``finished`` (moments as ISO 8601, UTC).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Outcome, Reason, format_points, parse_points
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, Refused

FIRST_LINE = "pbmserv record 1"
LONGEST_RECORD = 100_000
RUNNING = "running"
MOVE_LINE = re.compile(r"\s*([0-9]{1,4})\.\s*(\S+)\s*", re.ASCII)
HEAD_LINE = re.compile(r"([a-z]+):\s*(.*?)\s*", re.ASCII)
KEYS = ("game", "board", "x", "o", "started", "finished", "result")


@dataclass(frozen=True)
class Record:
    """A game from its first move: what is needed to play it again.

    ``x`` and ``o`` are the names of the original seats, ``moves`` the texts in order.
    """

    game: Game
    x: str
    o: str
    moves: tuple[str, ...]
    outcome: Outcome | None
    board: str = ""
    started: str = ""
    finished: str = ""

    def replay(self) -> Position:
        """Return the final position; raises InvalidMove or IllegalMove."""
        return self.game.replay(self.moves)


def format_record(record: Record) -> str:
    """Return the record as text, ending in a line break."""
    values = {
        "game": format_game(record.game),
        "board": record.board,
        "x": record.x,
        "o": record.o,
        "started": record.started,
        "finished": record.finished,
        "result": format_outcome(record.outcome),
    }
    head = [f"{key}: {values[key]}" for key in KEYS if values[key]]
    moves = [f"{number:>3}. {text}" for number, text in enumerate(record.moves, start=1)]
    return "\n".join([FIRST_LINE, *head, "", *moves]) + "\n"


def parse_record(text: str) -> Record:
    """Return the record that ``text`` holds, with its moves in canonical form and replayed once.

    Raises :class:`Misunderstood` for what cannot be read, and :class:`Refused` for moves that
    the rules do not allow or a result that they contradict.
    """
    if len(text) > LONGEST_RECORD:
        raise _bad("It is too long for a game record.")
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines or lines.pop(0).strip() != FIRST_LINE:
        raise _bad(f"Its first line must be: {FIRST_LINE}")
    head, moves = _read_lines(lines)
    for key in ("game", "x", "o", "result"):
        if not head.get(key):
            raise _bad(f"The line {key}: is missing.")
    game = parse_game(head["game"])
    record = Record(
        game=game,
        x=head["x"],
        o=head["o"],
        moves=_replayed(game, moves),
        outcome=parse_outcome(head["result"]),
        board=head.get("board", ""),
        started=head.get("started", ""),
        finished=head.get("finished", ""),
    )
    _check_result(record)
    return record


def format_outcome(outcome: Outcome | None) -> str:
    """Return the result as text: ``X resignation``, ``X agreement 26-25``, ``running``."""
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
        raise _bad("Its result cannot be read.") from None


def _read_lines(lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    head: dict[str, str] = {}
    moves: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        if move := MOVE_LINE.fullmatch(line):
            if int(move[1]) != len(moves) + 1:
                raise _bad(f"Move {len(moves) + 1} is missing or out of order.")
            moves.append(move[2])
        elif not moves and (found := HEAD_LINE.fullmatch(line)) and found[1] in KEYS:
            if found[1] in head:
                raise _bad(f"The line {found[1]}: stands twice.")
            head[found[1]] = found[2]
        else:
            raise _bad("It has a line that is neither heading nor numbered move.")
    return head, moves


def _replayed(game: Game, moves: Sequence[str]) -> tuple[str, ...]:
    """Return the moves in canonical form, having played them all."""
    position = game.start()
    texts = []
    for number, text in enumerate(moves, start=1):
        try:
            move = game.parse_move(text)
            position = game.play(position, move)
        except Refused as error:
            raise Refused(
                f"Move {number} of the record cannot be played: {error.message}",
                code="bad-record",
                hint=error.hint,
            ) from error
        texts.append(move.text)
    return tuple(texts)


def _check_result(record: Record) -> None:
    """Hold the result against the rules: what they say of the last position must be so."""
    by_rules = record.game.outcome(record.replay())
    claimed = record.outcome
    if by_rules is not None and claimed != by_rules:
        raise Refused(
            "The record's result is not what its moves lead to.",
            code="bad-record",
            hint=f"By the rules it is: {format_outcome(by_rules)}.",
        )
    if by_rules is None and claimed is not None and claimed.reason.is_by_rules:
        raise Refused(
            "The record says that the rules ended the game, but its moves do not.",
            code="bad-record",
        )
    is_possible = claimed is None or claimed.is_possible(len(record.moves))
    if claimed is not None and claimed.reason is Reason.AGREEMENT and claimed.winner is not None:
        # Where there are points, players agree on points; elsewhere on a winner alone.
        points = record.game.points_to_agree(record.game.score(record.game.start()))
        is_possible &= (points is None) == (claimed.points is None)
    if not is_possible:
        raise Refused(
            "The record's result contradicts itself or the number of its moves.",
            code="bad-record",
            hint="A game is declined before its second move, and resigned or forfeited after it.",
        )


def _bad(why: str) -> Misunderstood:
    return Misunderstood(
        f"That is not a game record. {why}",
        code="bad-record",
        hint="export prints one to copy from.",
    )

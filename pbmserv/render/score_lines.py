"""Score sheets: who has how many points, and why, and what a move changes of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.written_text import QUOTABLE
from pbmserv.engine.games import shell_name
from pbmserv.engine.position import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pbmserv.engine.board import Cell
    from pbmserv.engine.game import Game
    from pbmserv.engine.score import Score, Tally
    from pbmserv.engine.settle import MarginBounds

INDENT = " " * 8


def headline(score: Score, *, is_over: bool, is_open: bool = False) -> str:
    """Return the points in one line; nobody is called ahead while the game ``is_open``."""
    if score.is_undecided:
        return "Nobody had won on the board." if is_over else "Nobody has won yet."
    if score.feat:
        return f"{score.winner} {score.feat}."
    if is_over:
        return f"Score: {points_words(score)}"
    open_words = f"{side_points(score)}   (most of the board is empty)"
    # Nobody is told to win a tie to which nobody has a point.
    is_open |= bool(score.winner) and not (score.lead or any(score.points.values()))
    return f"Score if the game ended now: {open_words if is_open else points_words(score)}"


def prospect_lines(score: Score, bounds: MarginBounds | None) -> list[str]:
    """Return the possible results, nothing if the headline tells them already."""
    if bounds is None or (score.is_undecided and not bounds.is_certain):
        return []
    return [bounds.words]


def side_points(score: Score) -> str:
    """Return the points alone: ``X: 17   O: 14``."""
    return f"X: {score.points[Side.X]}   O: {score.points[Side.O]}"


def points_words(score: Score) -> str:
    """Return the points and who has more: ``X: 17   O: 14   X is ahead by 3``."""
    points = side_points(score)
    if score.is_draw:
        return f"{points}   even"
    lead = f"{score.winner} is ahead by {score.lead}"
    return f"{points}   {lead if score.lead else f'{score.winner} wins the tie'}"


def sheet_lines(game: Game, score: Score, first: str) -> list[str]:
    """Return every line of the score sheet, each with what earned it, below a first one."""
    return _sheet(game, score, first, explain=False)


def explanation_lines(game: Game, score: Score, first: str) -> list[str]:
    """Return the score sheet as a walk: under each line the rule behind it, told once."""
    lines = _sheet(game, score, first, explain=True)
    for lesson in score.lessons:
        lines += ["", *wrap_text(lesson, indent="")]
    return [*lines, "", f"The rules in full: {shell_name(game.name)} help"]


def _sheet(game: Game, score: Score, first: str, *, explain: bool) -> list[str]:
    lines = [first]
    told: set[str] = set()
    for side in Side:
        lines += ["", f"{side}: {score.points[side]}"]
        tallies = [tally for tally in score.sheet if tally.side is side]
        if not tallies:
            lines.append("  nothing")
        for tally in tallies:
            lines += _tally_lines(game, tally)
            if explain and tally.lesson and tally.lesson not in told:
                told.add(tally.lesson)
                lines += [*wrap_text(tally.lesson), ""]
        while lines[-1] == "":
            lines.pop()
    return [*lines, "", *score.notes] if score.notes else lines


def _tally_lines(game: Game, tally: Tally) -> Iterator[str]:
    first = f"  {tally.points:+4d}  "
    words = f"{tally.title}: {tally.why}"
    yield from wrap_text(words, first=first, indent=f"{INDENT}  ")
    if names := names_beside(game, words, tally.cells):
        yield from wrap_text(names)


def names_beside(game: Game, words: str, cells: Sequence[Cell], most: int | None = None) -> str:
    """Return the cells that the words of a line do not name, at most so many with those."""
    named = set(words.replace(":", " ").replace(",", " ").split()) & game.board.index.keys()
    names = [name for name in game.board.sorted_names(cells) if name not in named]
    room = len(names) if most is None else max(0, most - len(named))
    return " ".join([*names[:room], *["..."] * (len(names) > room)])


def wrap_text(
    text: str, *, first: str | None = None, indent: str = INDENT, width: int = QUOTABLE
) -> list[str]:
    """Return the lines of a text, the first after its own indent."""
    start = indent if first is None else first
    if len(start) + len(text) <= width:
        return [start + text]  # as most lines are: no need to take it to pieces
    import textwrap

    return textwrap.wrap(
        text, width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False
    )


def change_document(before: Score, after: Score) -> dict[Side, int]:
    """Return by how many points each side's score changes."""
    return {side: after.points[side] - before.points[side] for side in Side}


def change_lines(before: Score, after: Score, *, width: int = QUOTABLE) -> list[str]:
    """Return the points before and after, a line a side, each with what earned the difference."""
    gained = change_document(before, after)
    lines = ["Change of score"]
    for side in Side:
        change = f"({gained[side]:+d})" if gained[side] else "(no change)"
        lines.append(f"  {side}: {before.points[side]} -> {after.points[side]} {change}")
        for sentence in _sentences(_tallies(before, side), _tallies(after, side)):
            lines += wrap_text(sentence, first=" " * 5, indent=" " * 9, width=width)
    return lines


def _tallies(score: Score, side: Side) -> list[Tally]:
    return [tally for tally in score.sheet if tally.side is side]


def _sentences(before: Sequence[Tally], after: Sequence[Tally]) -> Iterator[str]:
    """Yield what is new or changed, with what it was, and then what is gone."""
    lost = [tally for tally in before if tally not in after]
    followed: list[Tally] = []
    for tally in after:
        if tally in before:
            continue
        origins = [other for other in lost if _leads_to(other, tally)]
        followed += origins
        if not origins:
            yield f"new: {_line(tally)}"
        elif any(_told(origin) != _told(tally) for origin in origins):
            yield f"{_line(tally)}; was {' and '.join(_line(origin) for origin in origins)}"
    for tally in lost:
        if tally not in followed:
            yield f"gone: {_line(tally)}"


def _leads_to(before: Tally, after: Tally) -> bool:
    """Tell whether a line is the same thing as an earlier one, grown, shrunk or joined."""
    if before.cells or after.cells:
        return not set(before.cells).isdisjoint(after.cells)
    return before.title == after.title


def _told(tally: Tally) -> tuple[str, int, str]:
    return tally.title, tally.points, tally.why


def _line(tally: Tally) -> str:
    return f"{tally.title} {tally.points:+d} ({tally.why})"

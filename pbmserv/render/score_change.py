"""What a move does to the score: points before and after, and the lines that came and went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.written_text import QUOTABLE
from pbmserv.engine.position import Side
from pbmserv.render.score_lines import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pbmserv.engine.score import Score, Tally


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
            lines += wrapped(sentence, first=" " * 5, indent=" " * 9, width=width)
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

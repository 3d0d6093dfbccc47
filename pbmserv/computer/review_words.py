"""A review in words and for programs: turning points, when it was settled, and accuracy."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from pbmserv.computer.review import Review, TurningPoint
from pbmserv.engine.position import Side, deed
from pbmserv.engine.settle import settled

TURNING_POINTS = "Turning points, with the chance of winning before and after:"
LONGEST_LINE = 5
"""So many moves of a better line are told."""


def review_lines(review: Review, names: Mapping[Side, str | None], width: int) -> list[str]:
    """Return what there is to say of a game; ``names`` are those of the sides at the end.

    No line is wider than ``width``.
    """
    turns = review.turning_points()
    lines = [TURNING_POINTS if turns else "No move gave much away."]
    lines += [f"  {line}" for turn in turns for line in _turn_lines(turn, width)]
    lines += _settled_lines(review)
    told = [
        f"{side}{f' ({names[side]})' if names[side] else ''} {100 * kept:.0f} %"
        for side, kept in review.accuracy().items()
        if kept is not None
    ]
    return [*lines, f"Accuracy: {', '.join(told)}."] if told else lines


def review_document(review: Review) -> dict[str, Any]:
    """Return the same for programs, with X's chance before the first move and after each."""
    return {
        "chances": [round(chance, 3) for chance in review.chances],
        "turning_points": [
            {**turn._asdict(), "before": round(turn.before, 3), "after": round(turn.after, 3)}
            for turn in review.turning_points()
        ],
        "settled_after": review.settled_at,
        "accuracy": {
            side: None if kept is None else round(kept, 3)
            for side, kept in review.accuracy().items()
        },
    }


def _turn_lines(turn: TurningPoint, width: int) -> list[str]:
    chances = f"{100 * turn.before:.0f} % -> {100 * turn.after:.0f} %"
    further = " ".join(turn.line[1:LONGEST_LINE])
    going_on = f", then {further}" if further else ""
    text = (
        f"Move {turn.number}: {turn.side} {deed(turn.played)}, {chances}."
        f" Better: {turn.better}{going_on}."
    )
    return wrap(text, width - 2, subsequent_indent="  ")


def _settled_lines(review: Review) -> Iterator[str]:
    at = review.settled_at
    end = None if at is None else settled(review.record.game, review.record.positions[at])
    if end is not None:
        yield f"Settled after move {at}: {end.words}"

"""Facts that happened at a board, for those who are to be told."""

from enum import Enum
from typing import NamedTuple

from pbmserv.club.player import Seat


class EventKind(Enum):
    """What happened."""

    STARTED = "started"
    CONTINUED = "continued"
    MOVED = "moved"
    PASSED = "passed"
    SWAPPED = "swapped"
    OFFERED = "offered"
    WITHDRAWN = "withdrawn"
    REJECTED = "rejected"
    UNDONE = "undone"
    RESIGNED = "resigned"
    DECLINED = "declined"
    RAN_OUT = "ran-out"
    SETTLED = "settled"
    """Nothing that is played can change who wins; ``text`` says who."""
    FINISHED = "finished"
    TAKEN_BACK = "taken-back"
    REOPENED = "reopened"
    RESTORED = "restored"
    REMOVED = "removed"
    PLAN_DROPPED = "plan-dropped"
    """For the eyes of the plan's owner only."""


class Event(NamedTuple):
    """One fact: who did what; ``text`` is the move, the kind of offer, or how the game ended.

    ``is_planned`` if it was done by a plan of the actor's; ``answers`` are the words that answer
    an offer.
    """

    kind: EventKind
    actor: Seat | None = None
    text: str = ""
    is_planned: bool = False
    answers: str = ""


def describe(event: Event) -> str:
    """Return the event as one sentence."""
    who = event.actor.name if event.actor else ""
    sentences = {
        EventKind.STARTED: f"{who} plays X and moves first.",
        EventKind.CONTINUED: f"The board begins from {event.text}. {who} is to move.",
        EventKind.MOVED: f"{who} plays {event.text}.",
        EventKind.PASSED: f"{who} passes.",
        EventKind.SWAPPED: f"{who} swaps: {who} is now X and owns the first stone.",
        EventKind.OFFERED: f"{who} offers {event.text}. Answer with {event.answers}.",
        EventKind.WITHDRAWN: f"{who} withdraws the offer of {event.text}.",
        EventKind.REJECTED: f"{who} rejects {event.text}.",
        EventKind.UNDONE: f"{who} accepts: the move {event.text} is taken back.",
        EventKind.RESIGNED: f"{who} resigns.",
        EventKind.DECLINED: f"{who} declines the game. The board is removed.",
        EventKind.RAN_OUT: f"{who} has run out of time.",
        EventKind.SETTLED: f"The game is settled. {event.text}\n"
        "Both may pass now, or agree on the result.",
        EventKind.FINISHED: event.text,
        EventKind.TAKEN_BACK: f"The operator takes back the move {event.text}.",
        EventKind.REOPENED: "The operator takes back the end of the game: it goes on.",
        EventKind.RESTORED: f"The operator brings the board back. {event.text}",
        EventKind.REMOVED: "The operator removes the board.",
        EventKind.PLAN_DROPPED: f"Your plan is dropped. {event.text}.",
    }
    sentence = sentences[event.kind]
    return f"{sentence.removesuffix('.')}, as planned." if event.is_planned else sentence

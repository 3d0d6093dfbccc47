"""Events at a board, and the sentence for each."""

from enum import Enum
from typing import NamedTuple

from pbmserv.club.player import Seat
from pbmserv.engine.position import move_phrase


class EventKind(Enum):
    """The kind of an event."""

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
    """Only the plan's owner sees it."""


class Event(NamedTuple):
    """One event; ``text`` is the move, the offer, or how the game ended.

    ``is_planned`` says that a plan of the actor's did it.
    """

    kind: EventKind
    actor: Seat | None = None
    text: str = ""
    is_planned: bool = False


SENTENCES = {
    EventKind.STARTED: "{who} plays X and moves first.",
    EventKind.CONTINUED: "The board begins from {text}. {who} is to move.",
    EventKind.MOVED: "{who} {deed}.",
    EventKind.PASSED: "{who} {deed}.",
    EventKind.SWAPPED: "{who} swaps: {who} is now X and owns the first stone.",
    EventKind.OFFERED: "{text}.",
    EventKind.WITHDRAWN: "{who} withdraws {text}.",
    EventKind.REJECTED: "{who} rejects {text}.",
    EventKind.UNDONE: "{who} accepts the undo of {text}.",
    EventKind.RESIGNED: "{who} resigns.",
    EventKind.DECLINED: "{who} declines the game. The board is removed.",
    EventKind.RAN_OUT: "{who} has run out of time.",
    EventKind.SETTLED: "The result is certain now. {text}\nYou can both pass, or agree on it.",
    EventKind.FINISHED: "{text}",
    EventKind.TAKEN_BACK: "The operator has undone the move {text}.",
    EventKind.REOPENED: "The operator has reopened the game.",
    EventKind.RESTORED: "The operator has restored the board. {text}",
    EventKind.REMOVED: "The operator removes the board.",
    EventKind.PLAN_DROPPED: "Your plan has been cancelled. {text}.",
}


def describe(event: Event) -> str:
    """Return the event as one sentence."""
    who = event.actor.name if event.actor else ""
    words = {"who": who, "text": event.text, "deed": move_phrase(event.text)}
    sentence = SENTENCES[event.kind].format_map(words)
    return f"{sentence.removesuffix('.')}, as planned." if event.is_planned else sentence

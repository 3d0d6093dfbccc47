"""What a clock tells people, in sentences, and how long a time is, in words."""

from datetime import UTC, datetime

from pbmserv.club.clock import Budget, ClockEvent, ClockEventKind, Deadline
from pbmserv.club.match import Match
from pbmserv.club.vacation import DAY

HOUR = 3600
MINUTE = 60


def reminder_sentence(match: Match, event: ClockEvent, reader_id: int) -> str:
    """Return what a clock's event says to one of the players."""
    late = match.next_seat.name if match.next_seat else ""
    until = moment_words(event.ends_at)
    budget = "this turn" if event.budget is Budget.TURN else "all turns of this game"
    is_late = match.next_seat is not None and match.next_seat.player_id == reader_id
    match event.kind:
        case ClockEventKind.REMINDED:
            return f"It is your turn at {match.title}.\nYour time for it ends on {until}."
        case ClockEventKind.WARNED:
            return (
                f"It is your turn at {match.title}.\n"
                f"Your time for {budget} ends on {until}.\n"
                "Then days of your vacation are used, if you have any left this year, and\n"
                "after the last of them the game is forfeited."
            )
        case ClockEventKind.OPPONENT_WARNED:
            return (
                f"{late} is to move at {match.title}.\n"
                f"The time for {budget} ends on {until}.\n"
                "If there is no vacation left either, the game will be forfeited to you."
            )
        case ClockEventKind.VACATION_TAKEN if is_late:
            return f"Your time is up: a day of your vacation is used, until {until}."
        case ClockEventKind.VACATION_TAKEN:
            return f"{late} has run out of time: a day of vacation is used, until {until}."
        case ClockEventKind.RAN_OUT:
            return f"{late} has run out of time."


def moment_words(moment: int) -> str:
    """Return a moment for people: ``2026-12-24 18:00 UTC``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def span_words(seconds: int) -> str:
    """Return a length of time in its two largest units: ``3 d 4 h``, ``5 h 12 min``, ``0 min``."""
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def left_words(due: Deadline, now: int) -> str:
    """Return how much time is left for a turn: ``2 d 4 h``, ``overdue``, with a reminder noted."""
    left = span_words(due.at - now) if due.at > now else "overdue"
    return f"{left}, reminded" if due.is_reminded else left


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in the plural where that is due: ``1 move``, ``2 moves``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

"""A player's deadlines for calendar programs (iCalendar, RFC 5545)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import command
from pbmserv.commands.types import SignedPlayer
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import ICALENDAR, utc
from pbmserv.render.document import summary_document
from pbmserv.services.match_clock import deadlines
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pbmserv.club.clock import Deadline
    from pbmserv.club.match import MatchSummary

HEAD = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pbmserv//deadlines//EN")


@command()
def calendar(session: ReadSession, player: SignedPlayer) -> Answer:
    """Print the deadlines of your boards for a calendar program, as a file deadlines.ics."""
    found = session.records.matches.summaries(None, [player.id], selector="next")
    due = deadlines(session, found)
    timed = sorted((one for one in found if one.id in due), key=lambda one: due[one.id].at)
    lines = [*HEAD]
    for summary in timed:
        lines += _event(summary, due[summary.id], player.userid)
    lines.append("END:VCALENDAR")
    rows = [summary_document(summary, due[summary.id]) for summary in timed]
    return Answer(("\n".join(lines),), {"matches": rows, "more": False})


def _event(summary: MatchSummary, due: Deadline, userid: str) -> Iterator[str]:
    names = [seat.userid for seat in summary.seats.values() if seat.userid != userid]
    title = f"{find_game(summary.game).title} Board {summary.number}"
    yield "BEGIN:VEVENT"
    yield f"UID:{summary.game}-{summary.number}-{summary.ply}@pbmserv"
    yield f"DTSTAMP:{_moment(summary.changed_at)}"
    yield f"DTSTART:{_moment(due.at)}"
    yield f"SUMMARY:{title} against {names[0] if names else userid}"
    yield "END:VEVENT"


def _moment(seconds: int) -> str:
    return utc(seconds).strftime(ICALENDAR)

"""The lists of operators: boards, accounts and the audit, filtered, counted, also as CSV."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pbmserv.club.match import MatchSummary
from pbmserv.club.vacation import parse_day
from pbmserv.club.wording import left_words
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.game_options import parse_game_name
from pbmserv.commands.match_answers import summary_table
from pbmserv.commands.slots import GAME, USERID
from pbmserv.commands.types import parse_whole_number
from pbmserv.engine.record import Status
from pbmserv.errors import invalid_value
from pbmserv.operators.admin_views import documented, maybe_moment, moment, player_document
from pbmserv.render.blocks import Table
from pbmserv.render.document import summary_document
from pbmserv.services.lookup import find_account
from pbmserv.services.match_clock import deadlines
from pbmserv.services.session import ReadSession
from pbmserv.store.operator_lists import Filter, Page

T = TypeVar("T")

MAX_ROWS = 500

FORMULA = re.compile(r"\A(?:[=+@]|-(?!\d|\Z))")
"""The beginning of a formula in a spreadsheet; an apostrophe before it makes it text."""
BOARD_STATUSES = tuple(status.value for status in Status)
ACCOUNT_STATUSES = ("active", "suspended", "closed", "recorded")


def _at_least(least: int, option: str) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = parse_whole_number(text)
        if number < least:
            raise invalid_value(option, text, f"{least} or more")
        return number

    return parse


@dataclass(frozen=True)
class Listing:
    """The options of every list: which rows, how many, and in which form."""

    game: Annotated[str | None, Option(GAME, "only rows of this game", parse_game_name)] = None
    player: Annotated[str | None, Option(USERID, "only rows of this player")] = None
    status: Annotated[str | None, Option("STATUS", "only rows with this status or outcome")] = None
    since: Annotated[int | None, Option("DATE", "only rows from this day on, UTC", parse_day)] = (
        None
    )
    limit: Annotated[
        int | None, Option("N", f"show at most N rows (default {MAX_ROWS})", _at_least(1, "limit"))
    ] = None
    offset: Annotated[int | None, Option("N", "skip the first N rows", _at_least(0, "offset"))] = (
        None
    )
    csv: Annotated[bool, Flag("print the rows as comma-separated values")] = False

    def wanted(self, session: ReadSession, statuses: Sequence[str] = ()) -> Filter:
        """Return which rows are wanted; raises :class:`Misunderstood` for none of the statuses."""
        status = None if self.status is None else self.status.lower()
        if statuses and status is not None and status not in statuses:
            raise invalid_value("status", status, ", ".join(statuses))
        return Filter(
            self.game,
            None if self.player is None else find_account(session, self.player).id,
            status,
            self.since,
            self.limit or MAX_ROWS,
            self.offset or 0,
        )

    def answer(self, table: Table, name: str, documents: list[Any], total: int) -> Answer:
        """Return the rows as a table with their total, or as CSV; ``name`` is theirs in JSON."""
        document = {name: documents, "total": total}
        if self.csv:
            return Answer((_csv_text(table),), document)
        count = (f"{len(table.rows)} of {total} rows.",) if total else ()
        return Answer((table, *count), document)


def _csv_text(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows([[FORMULA.sub(r"'\g<0>", cell) for cell in row] for row in table.rows])
    return text.getvalue().rstrip("\n")


@command()
def games(
    session: ReadSession,
    *,
    late: Annotated[
        bool, Flag("only boards whose player was reminded, the next forfeit first")
    ] = False,
    listing: Listing,
) -> Answer:
    """List boards of all games, running ones first.

    The status of a board is running, won, drawn or removed; -since is when it last changed.
    """
    wanted = listing.wanted(session, BOARD_STATUSES)
    found = _late(session, wanted) if late else session.records.lists.matches(wanted)
    due = deadlines(session, found.rows)
    left = {match_id: left_words(due[match_id], session.now) for match_id in due}
    return listing.answer(
        summary_table(found.rows, with_game=True, left=left),
        "matches",
        [summary_document(summary, due.get(summary.id)) for summary in found.rows],
        found.total,
    )


def _late(session: ReadSession, wanted: Filter) -> Page[MatchSummary]:
    """Return the boards whose player on move was reminded, the next to be forfeited first."""
    everything = Filter(wanted.game, wanted.player_id, "running", wanted.since)
    running = session.records.lists.matches(everything).rows
    due = deadlines(session, running)
    late = [each for each in running if each.id in due and due[each.id].is_reminded]
    late.sort(key=lambda summary: due[summary.id].at)
    last = None if wanted.limit is None else wanted.offset + wanted.limit
    return Page(late[wanted.offset : last], len(late))


@command()
def players(session: ReadSession, *, listing: Listing) -> Answer:
    """List accounts by userid.

    The status of an account is active, suspended, closed or recorded (known from imported games
    only). -since is when a player was last active, -game a game that they have played.
    """
    found = session.records.lists.players(listing.wanted(session, ACCOUNT_STATUSES))
    rows = tuple(
        (
            *(str(p.id), p.name, p.status.value if p.suspended_at is None else "suspended"),
            *(moment(p.created_at), maybe_moment(p.seen_at) or "", ", ".join(p.addresses)),
        )
        for p in found.rows
    )
    heads = ("id", "userid", "status", "member since", "last active", "addresses")
    table = Table(heads, rows, right=(0,), empty="No accounts.")
    documents = [player_document(player) for player in found.rows]
    return listing.answer(table, "players", documents, found.total)


@command()
def audit(session: ReadSession, *, listing: Listing) -> Answer:
    """List commands done and refused, newest first; the list contains no secrets.

    The outcome is done or the code of a refusal, such as wrong-login.
    """
    found = session.records.lists.audit(listing.wanted(session))
    heads = ("at", "source", "player", "game", "board", "verb", "detail", "outcome")
    rows = ((moment(entry.at), *entry[2:]) for entry in found.rows)
    table, documents = documented(heads, rows, right=(4,), empty="No entries.")
    return listing.answer(table, "audit", documents, found.total)

"""Entries of the Atom feeds of the club, a player or a board."""

from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from pbmserv.club.match import Match
from pbmserv.engine.moments import format_moment
from pbmserv.site.folder import BoardLine

MAX_ENTRIES = 10


class Item(NamedTuple):
    """One event; ``page`` is its page, from the root of the site."""

    id: str
    title: str
    updated: str
    author: str
    page: str
    summary: str


def club_id(founded: int) -> UUID:
    """Return the permanent identity of a club, from when it was founded."""
    return uuid5(NAMESPACE_URL, f"pbmserv:{founded}")


def entry_id(club: UUID, what: str) -> str:
    """Return the permanent identity of a feed or an entry."""
    return f"urn:uuid:{uuid5(club, what)}"


def board_entry(club: UUID, line: BoardLine) -> Item:
    """Return the entry of a board after its last move."""
    x, o = line.names
    moves = f"{line.ply} moves. " if line.is_running else ""
    return Item(
        entry_id(club, f"{line.path} {line.changed_at} {line.ply} {line.is_running}"),
        f"{line.title}: {x} (X), {o} (O)",
        format_moment(line.changed_at),
        x,
        f"{line.path}.html",
        f"{moves}{line.result}",
    )


def turn_entries(club: UUID, match: Match, path: str) -> list[Item]:
    """Return the last turns of a board, and its result, the newest first."""
    turns = list(enumerate(match.turns, 1))[: -MAX_ENTRIES - 1 : -1]
    found = [
        Item(
            entry_id(club, f"{path} {turn.played_at} {ply} {turn.text}"),
            f"{match.title}, move {ply}: {turn.text}",
            format_moment(turn.played_at),
            match.record.mover(ply).name,
            f"{path}.html",
            f"{match.record.told(ply)}.",
        )
        for ply, turn in turns
    ]
    if match.is_running:
        return found
    identity = entry_id(club, f"{path} {match.changed_at} result")
    at, who = format_moment(match.changed_at), match.first.name
    return [Item(identity, match.result, at, who, f"{path}.html", match.result), *found]

"""Standings: the table of ratings in a game, and how one rating came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pbmserv.club.player import display_name
from pbmserv.club.rating import START_VALUE, at
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.lists import Limit, most_rows
from pbmserv.commands.slots import USERID
from pbmserv.commands.targets import player_ids
from pbmserv.commands.types import Userids
from pbmserv.engine.moments import utc_date
from pbmserv.errors import Misunderstood
from pbmserv.render.blocks import Block, Table
from pbmserv.render.rating_curve import CurvePoint, rating_lines
from pbmserv.services.lookup import find_player
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pbmserv.engine.game import Game
    from pbmserv.render.document import Document
    from pbmserv.store.people.ratings import StandingRow

COUNTS = ("games", "won", "lost", "drawn", "playing", "wanted")
HEADS = ("place", "player", "rating", "deviation", *COUNTS, "last active")
RIGHT = (0, 2, 3, 4, 5, 6, 7, 8, 9)
PROVISIONAL = "?"


def _one_history(userids: tuple[str, ...], history: str | None) -> None:
    """Raise :class:`Misunderstood` if further players are named beside the one of -history."""
    if history is not None and userids:
        raise Misunderstood("-history takes exactly one player.", code="surplus-word")


History = Option(USERID, "draw this player's rating over time")


@command(check=_one_history)
def standings(
    session: ReadSession,
    game: GameType,
    userids: Userids = (),
    *,
    history: Annotated[str | None, History] = None,
    limit: Limit = None,
) -> Answer:
    """List players by rating: those named, or all who have finished a rated game.

    The deviation says how certain a rating is: the true strength lies within two deviations of it
    in 19 cases out of 20. A rating with ? is provisional. See help ratings.
    """
    if history is not None:
        return _history(session, game, history)
    most = most_rows(limit)
    ids = player_ids(session, userids, ())
    found = session.records.ratings.lines(game.name, ids, limit=len(ids) if ids else most + 1)
    kept = found if ids else found[:most]
    seeking = session.records.people.wanted(game.name)
    rows = [
        _line_document(session, place, line, seeking) for place, line in enumerate(kept, start=1)
    ]
    table = Table(
        HEADS,
        tuple(_row(row, is_all=not ids) for row in rows),
        right=RIGHT,
        empty="Nobody has finished a rated game yet.",
    )
    blocks: list[Block] = [table]
    if any(row["provisional"] for row in rows):
        blocks.append(f"{PROVISIONAL} marks a provisional rating: too few games, or none recently.")
    has_more = len(found) > len(kept)
    if has_more:
        blocks.append(f"... and more; -limit=N lists more than {most}.")
    return Answer(tuple(blocks), {"standings": rows, "more": has_more})


def _line_document(
    session: ReadSession, place: int, line: StandingRow, seeking: Mapping[int, int]
) -> Document:
    """Return one line; the deviation is that of today."""
    standing = line.standing
    rating = at(standing.rating, session.now)
    return {
        "place": place,
        "userid": line.userid,
        "robot": line.is_robot,
        "rating": round(rating.value),
        "deviation": round(rating.deviation),
        "provisional": rating.is_provisional,
        "games": standing.games,
        "won": standing.won,
        "lost": standing.lost,
        "drawn": standing.drawn,
        "running": line.running,
        "seeking": seeking.get(line.player_id, 0),
        "seen": line.seen_at,
    }


def _row(row: Document, *, is_all: bool) -> tuple[str, ...]:
    mark = PROVISIONAL if row["provisional"] else ""
    counts = (str(row[name]) for name in ("games", "won", "lost", "drawn", "running"))
    wanted = str(row["seeking"] or "")
    return (
        str(row["place"]) if is_all else "",
        display_name(row["userid"], is_robot=row["robot"]),
        f"{row['rating']}{mark}",
        str(row["deviation"]),
        *counts,
        wanted,
        utc_date(row["seen"]) if row["seen"] is not None else "",
    )


def _history(session: ReadSession, game: type[Game], userid: str) -> Answer:
    player = find_player(session, userid)
    changes = session.records.ratings.history(player.id, game.name)
    matches = session.records.matches.numbers(change.match_id for change in changes)
    rows = [
        {
            "board": matches[change.match_id],
            "at": change.after.last_at,
            "before": round(change.before),
            "rating": round(change.after.value),
            "deviation": round(change.after.deviation),
        }
        for change in changes
    ]
    title = f"{game.title} rating of {player.name}"
    if not changes:
        lines = [f"{title}: no rated game yet, so {START_VALUE:.0f}."]
    else:
        points = [
            CurvePoint(change.after.last_at or 0, change.after.value, change.after.deviation)
            for change in changes
        ]
        lines = [f"{title} after each of {len(points)} rated games", "", *rating_lines(points)]
    return Answer(("\n".join(lines),), {"userid": player.userid, "history": rows})

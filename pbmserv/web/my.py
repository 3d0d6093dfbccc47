"""A player's own page: the boards that wait for them, what is new, and how boards are begun."""

import math
from typing import Any

from flask import Blueprint, Response, request

from pbmserv.club.clock import Deadline
from pbmserv.club.match import MatchSummary
from pbmserv.club.player import Player
from pbmserv.commands.match_answers import state_words
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import NotFound
from pbmserv.render.view import options_words
from pbmserv.services.match_clock import deadlines
from pbmserv.site.pages import game_titles
from pbmserv.site.seeking import seek_lines
from pbmserv.web.club import pages, records
from pbmserv.web.forms import private_page, reading_session
from pbmserv.web.visitor import require_signed_in

my = Blueprint("my", __name__)

MAX_BOARDS, MAX_OVER = 300, 12
"""Boards of a player's own page, and finished ones among them that it shows."""

MAX_MESSAGES = 10
MAX_SEEKS = 50


@my.get("/my")
def own_page() -> Response:
    """Return the visitor's boards, those that wait for them first, and what is new."""
    player, found = require_signed_in(), records()
    rows = _rows(player)
    is_proven = any(row.is_proven for row in found.addresses.of([player.id]))
    return private_page(
        "my.html",
        "Your boards",
        waiting=[row for row in rows if row["is_mine"]],
        running=[row for row in rows if row["is_running"] and not row["is_mine"]],
        over=[row for row in rows if not row["is_running"]][:MAX_OVER],
        unproven="" if is_proven else next(iter(player.addresses), ""),
        notices=found.notices.unread(player.id),
        messages=found.talk.messages(player.id, MAX_MESSAGES),
        seeks=seek_lines(pages(), found.people.seeks(), player.id)[:MAX_SEEKS],
        games=game_titles(),
        kind=_chosen_game(rows),
        against=request.args.get("against", ""),
    )


def _rows(player: Player) -> list[dict[str, Any]]:
    """Return the visitor's boards, those that wait for them first, the least time before all."""
    lines = records().matches.summaries(player_ids=[player.id], limit=MAX_BOARDS)
    due = deadlines(reading_session(), lines)
    rows = [_row(line, player.id, due.get(line.id)) for line in lines]
    return sorted(rows, key=lambda row: (not row["is_mine"], row["due_at"] or math.inf))


def _row(line: MatchSummary, player_id: int, due: Deadline | None) -> dict[str, Any]:
    sides = sorted(Side, key=lambda side: line.seats[side].player_id != player_id)
    is_asked = line.offer is not None and line.offer.player_id != player_id
    is_turn = line.next_seat is not None and line.next_seat.player_id == player_id
    if line.offer is not None:
        state = f"{'Offered' if is_asked else 'You offered'}: {line.offer.name}"
    elif line.next_seat is not None:
        state = f"{'Your' if is_turn else 'Their'} move {line.ply + 1}"
    else:
        state = state_words(line)
    return {
        "path": f"boards/{line.game}/{line.number}",
        "short": f"{find_game(line.game).title} {line.number}",
        "options": options_words(parse_game(line.spec)),
        "game": line.game,
        "number": line.number,
        "side": sides[0].value,
        "other": line.seats[sides[1]].name,
        "is_running": line.next_seat is not None,
        "is_mine": is_turn or is_asked,
        "state": state,
        "due_at": due and due.at,
    }


def _chosen_game(rows: list[dict[str, Any]]) -> Any:
    """Return the game of the form for a new board: the one asked for, or one of a board."""
    try:
        return find_game(request.args.get("game", ""))
    except NotFound:
        return find_game(rows[0]["game"] if rows else game_names()[0])

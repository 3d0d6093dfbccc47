"""A player's own pages: signing in and out, their boards, their account."""

import math
from typing import Any

from flask import Blueprint, Response, make_response, request

from pbmserv.club.clock import Deadline
from pbmserv.club.match import MatchSummary
from pbmserv.club.wording import left_words
from pbmserv.commands.match_answers import state_words
from pbmserv.engine.games import find_game
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.view import options_words
from pbmserv.services.match_clock import deadlines
from pbmserv.site.pages import game_titles
from pbmserv.web.club import current, pages, records
from pbmserv.web.forms import known_path, perform, reading_session, see_other, status_of
from pbmserv.web.visitor import SHARED_LIFE, keys, require_signed_in, signed_in, token

account = Blueprint("account", __name__)

GONE = '"cache", "cookies", "storage"'
"""What a browser forgets when somebody signs out."""

MAX_BOARDS, MAX_OVER = 300, 12
"""Boards of a player's own page, and finished ones among them that it shows."""


@account.get("/signin")
def signin() -> Response:
    """Return the form for signing in, or lead on who is signed in already."""
    if signed_in() is not None:
        return see_other(known_path(request.args.get("next", "")))
    return _signin_page(request.args.get("next", ""))


@account.post("/signin")
def sign_in() -> Response:
    """Sign in by userid and password, with a key that is made for it."""
    after, userid = request.form.get("next", ""), request.form.get("userid", "").strip()
    keys().life = SHARED_LIFE if request.form.get("shared") else None
    try:
        perform(["login", userid, request.form.get("password", "")])
    except Refused as error:
        return _signin_page(after, error)
    return see_other(known_path(after))


@account.post("/signout")
def sign_out() -> Response:
    """End the visitor's key, or all of theirs."""
    require_signed_in()
    perform(["logout", *(["-everywhere"] if request.form.get("everywhere") else [])])
    response = see_other(known_path("index.html"))
    response.headers["Clear-Site-Data"] = GONE
    return response


@account.get("/my")
def my() -> Response:
    """Return the visitor's boards, those that wait for them first, and what is new."""
    player = require_signed_in()
    session = reading_session()
    summaries = records().matches.summaries(player_ids=[player.id], limit=MAX_BOARDS)
    due = deadlines(session, summaries)
    rows = [_row(line, player.id, due.get(line.id), session.now) for line in summaries]
    rows.sort(key=lambda row: (not row["is_mine"], row["at"]))
    return private_page(
        "my.html", "Your boards",
        waiting=[row for row in rows if row["is_mine"]],
        running=[row for row in rows if row["is_running"] and not row["is_mine"]],
        over=[row for row in rows if not row["is_running"]][:MAX_OVER],
        notices=records().notices.unread(player.id),
        games=game_titles(),
    )


def _row(line: MatchSummary, player_id: int, due: Deadline | None, at: int) -> dict[str, Any]:
    """Return a board of the visitor as a row; the soonest deadline stands first."""
    mine, other = sorted(line.seats.values(), key=lambda seat: seat.player_id != player_id)
    is_asked = line.offer is not None and line.offer.player_id != player_id
    return {
        "path": f"boards/{line.game}/{line.number}.html",
        "title": f"{find_game(line.game).title} {line.number}",
        "words": options_words(parse_game(line.spec)),
        "name": line.game,
        "number": line.number,
        "other": other.name,
        "ply": line.ply,
        "is_running": line.next_seat is not None,
        "is_mine": line.next_seat == mine or (line.next_seat is not None and is_asked),
        "state": state_words(line),
        "left": "" if due is None else left_words(due, at),
        "at": due.at if due else math.inf,
    }


def _signin_page(after: str, error: Refused | None = None) -> Response:
    userid = request.form.get("userid", "")
    alert = "" if error is None else error.words
    return private_page(
        "signin.html", "Sign in", 200 if error is None else status_of(error),
        after=after, userid=userid, alert=alert, signups=current().takes_signups,
    )


def private_page(template: str, title: str, status: int = 200, **values: object) -> Response:
    """Return a page that no browser keeps."""
    page = pages().page(template, title, "", token=token(), **values)
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response

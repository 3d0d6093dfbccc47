"""Temporary."""

import re
from flask import Blueprint, Response, abort, request
from pbmserv.club.puzzles import count_puzzles, puzzles
from pbmserv.engine.games import find_game
from pbmserv.engine.spec import parse_game, format_game
from pbmserv.render.colours import paper_style
from pbmserv.render.svg import RULES, style, svg_file, svg_ground, svg_sign
from pbmserv.render.curve import CURVE_RULES
from pbmserv.site.pages import TEMPLATES
from pbmserv.services.lookup import no_such_match
from pbmserv.web.boards import acts_at, stamp_of
from pbmserv.web.guests import play_path
from pbmserv.web.club import pages, records, respond

public = Blueprint("public", __name__)


@public.get("/boards/<game>/<number:number>.html")
def board(game: str, number: int) -> Response:
    found = records().matches.find(find_game(game).name, number)
    if found is None:
        raise no_such_match(find_game(game), number)
    return respond(
        pages().board(
            pages().named(found),
            (),
            None,
            acts=acts_at(found),
            stamp=stamp_of(game, number),
            play=play_path(found.record),
        ),
        "text/html",
        found.changed_at,
    )


@public.get("/index.html")
@public.get("/")
def index() -> Response:
    return respond(pages().page("page.html", "Club", ""), "text/html", 0)


@public.get("/grounds/<spec>.svg")
def ground(spec: str) -> Response:
    return respond(svg_file(svg_ground(parse_game(spec), has_labels=False)), "image/svg+xml", 0)


@public.get("/site.css")
def css() -> Response:
    t = re.sub(r"(?m)^ *(?:/\*.*\*/\n *)?", "", (TEMPLATES / "site.css").read_text())
    return respond(paper_style() + t + style(rules=RULES + CURVE_RULES), "text/css", 0)


@public.get("/site.js")
def js() -> Response:
    return respond((TEMPLATES / "site.js").read_text(), "text/javascript", 0)


@public.get("/icon.svg")
def icon() -> Response:
    return respond(svg_file(svg_sign()), "image/svg+xml", 0)


@public.get("/puzzle/<number:which>.html")
def puzzle(which: int) -> Response:
    if which > count_puzzles():
        abort(404)
    return respond(pages().puzzle(puzzles()[which - 1], request.args.get("at", "")), "text/html", 0)

"""The pages and Atom feeds: values from the database, put into the templates."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote
from uuid import NAMESPACE_URL, UUID, uuid5

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pbmserv.club.match import Match, MatchSummary
from pbmserv.club.player import Seat
from pbmserv.club.puzzles import Puzzle
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.wording import with_count
from pbmserv.commands.game_records import record_of
from pbmserv.commands.puzzle import judge
from pbmserv.commands.record_words import link_to
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names, shell_name
from pbmserv.engine.moments import Moment, TimedText, format_moment, utc_date
from pbmserv.engine.position import Side, move_phrase
from pbmserv.engine.record import Record
from pbmserv.engine.score import MAX_NAMES, Score, Tally
from pbmserv.engine.spec import option_words
from pbmserv.errors import Refused
from pbmserv.render.curve import curve_svg
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.score_lines import names_beside, prospect_lines
from pbmserv.render.svg import legend_items, svg_sign
from pbmserv.render.view import View, options_words, points_shown, standing_words, view_match
from pbmserv.settings import CLUB, SENTENCE
from pbmserv.site.board_lines import BoardLine, board_line
from pbmserv.site.replay import board_svg, certain_since, points_sentence, replay_document
from pbmserv.store.matches.published import PublicPlayer
from pbmserv.store.people.talk import ChatLine

TEMPLATES = Path(__file__).parent / "templates"
PLACES = (
    ("Boards", "index.html#boards"),
    ("Players", "players/index.html"),
    ("Tournaments", "tournaments/index.html"),
    ("Games", "games/index.html"),
    ("Manual", "manual/index.html"),
)
"""The navigation of every page; a template sets ``place`` to one of the words."""

YOU = "YOUR-USERID"
"""What visitors replace in the Subject of a prepared mail."""

RECORDS = {"txt": "record", "json": "json", "sgf": "sgf"}
"""The formats of a board's record, by the endings of its files."""

MANY_CELLS = 150
"""A board of more is hard to hit on a telephone, and can be made larger there."""

NONE_KNOWN: Mapping[int, Any] = MappingProxyType({})
"""Deadlines by board, or ratings by player, of none."""

A_PAGE = 80_000
"""Characters of a page of a list, about; a browser scrolls no more with ease."""
A_ROW = 220
"""Characters of a row, about."""

CELL_LINK = re.compile('<a href="[^"]*[?]at=[^>]*>|</a>')
"""What makes the cells of a board links, which only live pages have."""

MAX_ENTRIES = 10
"""Entries of a feed."""

T = TypeVar("T")


class SiteOptions(NamedTuple):
    """The operator's choices, and the ``version`` of the program.

    ``url`` has a slash at its end, ``mail`` is the address that takes commands; both may be "".
    ``sentence`` is the club's tagline, ``archive`` the address of the archive of games, or "".
    """

    version: str
    chat: bool = False
    url: str = ""
    mail: str = ""
    club: str = CLUB
    sentence: str = SENTENCE
    archive: str = ""


class Visitor(NamedTuple):
    """Who is signed in: how many boards wait for them, and the ``token`` of their forms."""

    userid: str
    player_id: int
    waiting: int
    token: str


class Acts(NamedTuple):
    """What a visitor can do at a board; ``shown`` is the board as it would be after their choice.

    ``link`` is where a click on a cell leads, ``ghosts`` are stones only meant, ``said`` is the
    chat if it is for them to read, and ``values`` fill the template of the forms.
    """

    shown: View
    link: str
    ghosts: Mapping[Cell, Side]
    said: Sequence[ChatLine]
    values: Mapping[str, Any]


class FeedEntry(NamedTuple):
    """One event; ``page`` is its page, from the root of the site."""

    id: str
    title: str
    updated: str
    author: str
    page: str
    summary: str


class ListPlace(NamedTuple):
    """Which of so many pages ``stem.html``, ``stem-2.html`` and so on is meant."""

    stem: str
    number: int
    pages: int


class Names(dict[int, PublicPlayer]):
    """The players as the pages name them, each read once by ``read``."""

    def __init__(self, read: Callable[[Collection[int]], Mapping[int, PublicPlayer]]) -> None:
        super().__init__()
        self._read = read

    def load(self, player_ids: Iterable[int]) -> None:
        """Read those of these players that are not known, all at once."""
        self.update(self._read(set(player_ids) - self.keys()))

    def __missing__(self, player_id: int) -> PublicPlayer:
        """Read one more player, who must be there."""
        self.load([player_id])
        return dict(self)[player_id]


@cache
def _templates() -> Environment:
    """Return the templates, which escape all values."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        undefined=StrictUndefined,
        finalize=_with_times,
    )
    found.filters |= {"moment": Moment, "date": utc_date, "day": _day, "until": _until}
    found.globals |= {"places": PLACES, "sign": svg_sign()}
    found.globals |= {"chance": token_hex, "limits": TimeLimits(), "game_of": find_game}
    return found


def _with_times(value: Any) -> Any:
    """Return what a template shows, each moment in it as an element that a script may rewrite."""
    if isinstance(value, Moment):
        return _time("moment", value.at, value)
    return Markup().join(map(_with_times, value.pieces)) if isinstance(value, TimedText) else value


def _day(at: int) -> Markup:
    return _time("day", at, utc_date(at))


def _until(at: int) -> Markup:
    return _time("due", at, f"until {Moment(at)}")


def _time(kind: str, at: int, words: str) -> Markup:
    element = Markup('<time class="{}" datetime="{}">{}</time>')
    return element.format(kind, format_moment(at), str(words))


@cache
def build_of(options: SiteOptions) -> str:
    """Return what differs with the program, the templates and the options."""
    templates = (file.read_bytes() for file in sorted(TEMPLATES.iterdir()))
    made_of = b"".join([*templates, repr(options).encode()])
    return blake2b(made_of, digest_size=8).hexdigest()


@dataclass(frozen=True)
class Pages:
    """Fills the templates for one visitor, None for a guest."""

    names: Names
    club: UUID
    options: SiteOptions
    visitor: Visitor | None = None

    def page(self, template: str, title: str, root: str, **values: Any) -> str:
        """Return one page; ``root`` leads from it to the folder of the site."""
        values |= {"title": title, "root": root, "members": self.names, "visitor": self.visitor}
        values |= {"club": self.options.club, "sentence": self.options.sentence}
        return _templates().get_template(template).render(values, build=build_of(self.options))

    def lines(
        self, found: Sequence[MatchSummary], due: Mapping[int, int] = NONE_KNOWN
    ) -> list[BoardLine]:
        """Return matches in lines; ``due`` are the deadlines of some of them."""
        self.names.load(seat.player_id for line in found for seat in line.seats.values())
        players = [[self.names[line.seats[side].player_id] for side in Side] for line in found]
        return [
            board_line(line, x, o, due.get(line.id))
            for line, (x, o) in zip(found, players, strict=True)
        ]

    def feed(
        self, feed_id: str, title: str, own: str, page: str, entries: Sequence[FeedEntry]
    ) -> str:
        """Return an Atom feed; ``own`` and ``page`` are paths from the root of the site."""
        root = self.options.url or "../" * own.count("/")
        values = {"id": feed_id, "title": title, "own": own, "page": page, "base": root}
        updated = max((entry.updated for entry in entries), default=format_moment(0))
        template = _templates().get_template("feed.atom")
        return template.render(values, updated=updated, entries=entries)

    def named(self, match: Match) -> Match:
        """Return the match with the names of its players that the pages show the visitor."""
        if self.visitor is not None and match.seat_of(self.visitor.player_id):
            return match
        seats = (match.first, match.second)
        first, second = (seat._replace(userid=self.names[seat.player_id].userid) for seat in seats)
        one, other = (
            "" if self.names[seat.player_id].is_private else name
            for seat, name in zip(seats, match.recorded, strict=True)
        )
        return replace(match, first=first, second=second, recorded=(one, other))

    def board(
        self,
        match: Match,
        said: Iterable[tuple[str, int, str]],
        review: Mapping[str, Any] | None = None,
        *,
        due_at: int | None = None,
        ratings: Mapping[int, str] = NONE_KNOWN,
        acts: Acts | None = None,
        stamp: str = "",
        play: str = "",
    ) -> str:
        """Return the page of a match from :meth:`named`; ``review`` is its stored analysis.

        A ``stamp`` tells a running board from what it is after any change. ``play`` is where the
        position is played on with the computer, from the root of the site.
        """
        game, view = match.game, view_match(match)
        path, url = f"{game.name}/{match.number}", self.options.url
        since = certain_since(match)
        start = f"from move {since} on" if since else "from the start"
        return self.page(
            "board.html",
            match.title,
            "../../",
            **_game_values(view, "../../", acts, ratings),
            name=match.number,
            records=RECORDS,
            link=link_to(record_of(match)),
            image=f"{url}boards/{path}.png" if url else f"{match.number}.png",
            due_at=due_at,
            told=standing_words(view, view.score) if match.is_running else match.result,
            stamp=stamp,
            play=play,
            preview=f"{shell_name(game.name)} preview "
            + (str(match.number) if match.is_running else f"new{option_words(game)}"),
            try_from=match.ply if match.is_running else 0,
            certain="" if since is None else f"The result was certain {start}.",
            **_review_values(match, review),
            said=[(one.userid, one.at, one.text) for one in acts.said] if acts else list(said),
        )

    def guest_board(self, view: View, acts: Acts, **values: Any) -> str:
        """Return the page of a guest's game against the computer."""
        game = view.game
        return self.page(
            "play.html",
            f"Play {game.title}",
            "../",
            **_game_values(view, "../", acts, NONE_KNOWN),
            told=game.gist,
            closing=view.closing,
            preview=f"{shell_name(game.name)} preview new{option_words(game)}",
            **values,
        )

    def mail_link(self, line: str) -> str:
        """Return the address that opens a mail with this command as its Subject, "" for none."""
        mail = self.options.mail
        return f"mailto:{quote(mail, safe='@')}?subject={quote(line)}" if mail else ""

    def several(
        self, template: str, title: str, place: ListPlace, items: Sequence[Any], **values: Any
    ) -> str:
        """Return one of the pages that lead to each other, "" if there is no such page."""
        stem, number, count = place
        if number > count:
            return ""
        values |= {"items": items, "stem": stem, "number": number, "count": count}
        heading = title if number == 1 else f"{title}, page {number}"
        return self.page(template, heading, "../", **values)

    def standings(self, rows: Sequence[tuple[Any, ...]], place: ListPlace) -> str:
        """Return a page of the standings in a game."""
        title = find_game(place.stem).title
        more = {"games": game_titles(), "game": title}
        return self.several("standings.html", f"Standings in {title}", place, rows, **more)

    def tournaments(self, rows: Iterable[Mapping[str, object]], number: int) -> str:
        """Return a page of the list of all tournaments."""
        place = chosen_page("index", number, ((A_ROW, row) for row in rows))
        return self.several("tournaments.html", "Tournaments", *place)

    def archive(self, years: Mapping[int, Sequence[int]]) -> str:
        """Return the years with how many boards each of their pages has, the newest first."""
        shown = [(year, [*enumerate(years[year], 1)][::-1]) for year in sorted(years, reverse=True)]
        files = " ".join(f"{year}-{number}.js" for year, pages in shown for number, _ in pages)
        found = {"years": shown, "files": files, "download": self.options.archive}
        return self.page("archive.html", "Archive", "../", **found)


def paginate(items: Iterable[tuple[int, T]]) -> list[list[T]]:
    """Split items with their sizes in characters into pages, at least one.

    >>> paginate([(50_000, "a"), (20_000, "b"), (20_000, "c")])
    [['a', 'b'], ['c']]
    """
    pages: list[list[T]] = [[]]
    room = A_PAGE
    for size, item in items:
        if pages[-1] and size > room:
            pages.append([])
            room = A_PAGE
        pages[-1].append(item)
        room -= size
    return pages


def chosen_page(
    stem: str, number: int, items: Iterable[tuple[int, T]]
) -> tuple[ListPlace, list[T]]:
    """Return one of the pages of a list and its items, none if there is no such page."""
    pages = paginate(items)
    return ListPlace(stem, number, len(pages)), pages[number - 1] if number <= len(pages) else []


def archive_script(lines: Iterable[BoardLine]) -> str:
    """Return a page of the archive as the search reads it."""
    rows = [
        [
            *(line.path, f"{line.title} {line.options}".strip()),
            *(*line.names, line.result, utc_date(line.changed_at)),
        ]
        for line in lines
    ]
    return f"pbmservBoards({json.dumps(rows, separators=(',', ':'))});\n"


def _review_values(match: Match, document: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the curve of the chances and where the game turned, for a board that has them."""
    if document is None:
        return {"curve": "", "turning": ()}
    from pbmserv.computer.review import load_review, percent

    found = load_review(match.record, document)
    heard = f"Winning chance of X, move by move: {percent(found.chances[-1])} at the end"
    turns = found.turning_points()
    turning = []
    for number, side, played, before, after, better, _ in turns:
        words = f"{better} was better ({percent(before)}, not {percent(after)})."
        turning.append((number, side.value, f"{move_phrase(played)}: {words}", better))
    curve = curve_svg(found.chances, [turn.number for turn in turns], heard)
    return {"curve": curve, "turning": turning}


def _game_values(
    view: View, root: str, acts: Acts | None, ratings: Mapping[int, str]
) -> dict[str, Any]:
    """Return what the page of any game shows: its board, score, players and moves."""
    game, record, score = view.game, view.record, view.score
    heard = f"{view.title}. {points_sentence(score)}"
    position = view.position if acts is None else acts.shown.position
    picture = draw(game, position, owners=view.to_move is None, caption=LegendText(heard))
    frame = (acts.link, acts.ghosts) if acts else ("", {})
    return {
        "board": board_svg(picture, root, *frame),
        "acts": acts and acts.values,
        "seats": [_seat(record, side, score, ratings) for side in Side],
        "options": options_words(game),
        "recorded": view.notes,
        "standing": standing_words(view, score),
        "is_open": view.is_open,
        "prospect": " ".join(prospect_lines(score, view.settled)) if view.is_open else "",
        "legend": [*legend_items(picture)],
        "turns": [*zip(record.sides, record.texts, strict=True)],
        "stones": game.stones_due(replace(game.start(), ply=1)),
        "is_large": len(game.board) > MANY_CELLS,
        "notes": score.notes,
        "document": replay_document(record),
    }


def _seat(
    record: Record[Seat], side: Side, score: Score, ratings: Mapping[int, str]
) -> dict[str, Any]:
    """Return a player's card with their lines of the score sheet."""
    seat, outcome = record.seats[side], record.outcome
    state = {side: "Won", None: "Draw"}.get(outcome.winner, "Lost") if outcome else ""
    return {
        "side": side.value,
        "id": seat.player_id,
        "name": seat.name,
        "rating": ratings.get(seat.player_id, ""),
        "goal": record.game.goal_of(side),
        "points": _points(record, score, side),
        "state": state,
        "how": outcome.reason.words if outcome and state != "Lost" else "",
        "is_next": record.to_move is side,
        "lines": [_sheet_line(record.game, score, group) for group in _group_tallies(score, side)],
    }


def _group_tallies(score: Score, side: Side) -> Iterable[list[Tally]]:
    """Return the tallies of a side; those that earn nothing for one reason are one group."""
    found: dict[tuple[str, str, int], list[Tally]] = {}
    for number, line in enumerate(score.sheet):
        if line.side is side:
            kind = line.title.partition(" ")[0]
            found.setdefault((kind, line.why, number if line.points else -1), []).append(line)
    return found.values()


def _sheet_line(game: Game, score: Score, group: Sequence[Tally]) -> dict[str, str]:
    """Return a group of tallies in one line; their titles differ in cells at most."""
    first, last = (line.title.split(" ") for line in (group[0], group[-1]))
    title = " ".join(one for one, other in zip(first, last, strict=False) if one == other)
    many = f"{len(group)} x " if len(group) > 1 else ""
    words = f"{many}{title}: {group[0].why}"
    cells = [cell for line in group for cell in line.cells]
    return {
        "points": "" if score.is_undecided or score.feat else f"{group[0].points:+d}",
        "words": words,
        "names": names_beside(game, words, cells, MAX_NAMES),
        "cells": " ".join(map(str, cells)),
    }


def puzzle_values(puzzle: Puzzle, root: str, tried: str = "") -> dict[str, Any]:
    """Return what the pages show of a puzzle: its cells lead to what a move there does."""
    words = f"{puzzle.game.title}, {options_words(puzzle.game)}: {puzzle.side} to move and win."
    position, told, path = puzzle.position, "", f"{root}puzzle/{puzzle.number}.html"
    if tried:
        try:
            _, told, position = judge(puzzle, tried)
        except Refused as error:
            told = error.words
    picture = draw(puzzle.game, position, caption=LegendText(words))
    board = board_svg(picture, root, f"{path}?at=", is_replayed=False)
    return {
        "number": puzzle.number,
        "path": path,
        "words": words,
        "told": told,
        "answer": puzzle.solution,
        "board": CELL_LINK.sub(r"<!--live-->\g<0><!--/live-->", board),
    }


def featured_values(
    record: Record[Any], path: str, title: str, names: tuple[str, str] = ("", "")
) -> dict[str, Any]:
    """Return what the home page shows of a game; ``path`` is its page without the suffix."""
    score = record.game.score(record.position)
    caption = LegendText(f"{title}. {points_sentence(score)}")
    owners = record.game.outcome(record.position) is not None or record.outcome is not None
    picture = draw(record.game, record.position, owners=owners, caption=caption)
    return {
        "path": path,
        "image": f"{path}.png" if any(names) else "",
        "title": title,
        "ply": record.ply,
        "is_open": View(record, title).is_open,
        "board": board_svg(picture, ""),
        "seats": [
            (side.value, name, _points(record, score, side))
            for side, name in zip(Side, names, strict=True)
        ],
        "document": replay_document(record),
    }


def _points(record: Record[Any], score: Score, side: Side) -> int | str:
    points = points_shown(record, score)
    return "" if points is None else points[side]


def game_titles() -> list[tuple[str, str]]:
    """Return names and titles of all games."""
    return [(name, find_game(name).title) for name in game_names()]


def club_id(founded: int) -> UUID:
    """Return the permanent identity of a club, from when it was founded."""
    return uuid5(NAMESPACE_URL, f"pbmserv:{founded}")


def entry_id(club: UUID, what: str) -> str:
    """Return the permanent identity of a feed or an entry."""
    return f"urn:uuid:{uuid5(club, what)}"


def board_entry(club: UUID, line: BoardLine) -> FeedEntry:
    """Return the entry of a board after its last move."""
    x, o = line.names
    moves = f"{with_count(line.ply, 'move')}. " if line.is_running else ""
    return FeedEntry(
        entry_id(club, f"{line.path} {line.changed_at} {line.ply} {line.is_running}"),
        f"{line.title}: {x} (X), {o} (O)",
        format_moment(line.changed_at),
        x,
        f"{line.path}.html",
        f"{moves}{line.result}",
    )


def turn_entries(club: UUID, match: Match, path: str) -> list[FeedEntry]:
    """Return the last turns of a board, and its result, the newest first."""
    turns = list(enumerate(match.turns, 1))[: -MAX_ENTRIES - 1 : -1]
    found = [
        FeedEntry(
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
    return [FeedEntry(identity, match.result, at, who, f"{path}.html", match.result), *found]

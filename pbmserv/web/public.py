"""Every page that anybody may see, by its address."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from flask import Blueprint, Response, abort, g, request
from werkzeug.routing import BaseConverter, ValidationError

from pbmserv.club.puzzles import Puzzle, count_puzzles, puzzle_of_day, puzzles
from pbmserv.club.wording import with_count
from pbmserv.commands.types import NUMBER
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.moments import MINUTE
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import format_game, option_words, parse_game
from pbmserv.errors import Refused
from pbmserv.render.colours import paper_style
from pbmserv.render.crosstable import terms_lines, tournament_document
from pbmserv.render.curve import CURVE_RULES
from pbmserv.render.svg import RULES, style, svg_file, svg_ground, svg_sign
from pbmserv.site.board_files import FILES, deadlines, draw_preview, load_boards
from pbmserv.site.board_lines import BoardLine
from pbmserv.site.game_pages import game_page, games_page, rules_steps, sample, sheet_to_print
from pbmserv.site.manual_pages import manual_names, manual_page
from pbmserv.site.opening_pages import (
    TABLE,
    favourites,
    first_stones_page,
    first_stones_picture,
    openings_page,
)
from pbmserv.site.pages import (
    MAX_ENTRIES,
    MAX_SQUARES,
    TEMPLATES,
    YOU,
    FeaturedGame,
    ListPlace,
    archive_script,
    board_entry,
    entry_id,
)
from pbmserv.site.people_pages import player_page, player_rows, players_page
from pbmserv.site.replay import square_svg
from pbmserv.site.seeking import SeekLine, seek_line
from pbmserv.site.tournament_pages import tournament_page
from pbmserv.store.matches.published import BoardStamp
from pbmserv.store.people.seeks import Seek
from pbmserv.store.store import Records
from pbmserv.web.boards import acts_at, stamp_of
from pbmserv.web.club import Body, current, leave_transaction, now, pages, records, respond
from pbmserv.web.guests import play_path, small_board
from pbmserv.web.visitor import signed_in

View = Callable[..., Body]

LISTED = 50
"""Finished boards among which the one on the home page is chosen."""

LATEST = 24
"""Running boards, and finished ones, on a player's page."""

SHOWN = 12
"""Running boards on the page of a game."""

SQUARES, RESULTS, SEEKS, TOURNAMENTS, LEADERS = 12, 6, 5, 5, 3
"""How many of each the home page has, and how many players of each game."""

WORTH_A_REPLAY = 20
"""Turns from which a board may be replayed there."""

A_CHUNK = 150
"""Boards on one page of the archive, which has 80 kB then at most."""

LAST_YEAR = 9999

REMARKS = re.compile(r"^ *(?:/\*.*\*/\n *)?", re.MULTILINE)
"""Indents and comments of the style sheet and the script, which are not published."""

MIMES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "atom": "application/atom+xml",
    "txt": "text/plain",
    "json": "application/json",
    "sgf": "application/x-go-sgf",
}

public = Blueprint("public", __name__)


class NumberConverter(BaseConverter):
    """A number as commands have it, without zeros before it."""

    regex = f"(?!0){NUMBER.pattern}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class GameConverter(BaseConverter):
    """The name of a game."""

    def to_python(self, value: str) -> str:
        """Return the name; raises :class:`ValidationError` if there is no such game."""
        if value not in game_names():
            raise ValidationError
        return value


CONVERTERS = {"number": NumberConverter, "game": GameConverter}
"""The kinds of words in addresses."""


def page(*rules: str, is_static: bool = False) -> Callable[[View], View]:
    """Return what publishes a page at these addresses; an empty one is not there.

    ``is_static`` pages change with the program and the options alone, others with the database.
    The first page of a list has no number.
    """

    def publish(view: View) -> View:
        @wraps(view)
        def answer(**values: Any) -> Response:
            if values.get("number") == 1:
                abort(404)
            tag = "" if is_static else f"{records().published.mark()} {_puzzle_of_today().number}"
            return respond(partial(view, **values), MIMES[ending], tag=tag)

        for rule in rules:
            public.add_url_rule(rule, view.__name__, answer)
        return view

    ending = rules[-1].rpartition(".")[2]
    return publish


@page("/", "/index.html")
def home() -> Body:
    """Return the first page."""
    found = pages()
    finished, squares = _finished(LISTED), _squares()
    seeks = [one for one in records().people.seeks() if not found.names[one.player_id].is_private]
    boards, players = records().figures.boards(), records().figures.players()
    return found.club_page(
        counts=(
            with_count(players, "player"),
            f"{with_count(boards['running'], 'board')} running",
            f"{boards['finished']} finished",
        ),
        featured=_featured([*finished, *squares]),
        puzzle=_puzzle_of_today(),
        running=squares,
        finished=finished[:RESULTS],
        seeks=list(map(_seek, seeks[:SEEKS])),
        more_seeks=len(seeks) > SEEKS,
        tournaments=_tournament_rows()[:TOURNAMENTS],
        guest=small_board(),
        signups=current().takes_signups,
        leaders=[
            (game, find_game(game).title, [row[1:4] for row in rows])
            for game in game_names()
            if (rows := _standings(game, LEADERS))
        ],
    )


def _puzzle_of_today() -> Puzzle:
    return puzzle_of_day(current().desk.world.now())


def _running(limit: int, *, game: str = "", player_id: int = 0) -> list[BoardLine]:
    """Return the running boards that changed last, with their deadlines."""
    found = records().published.running(limit, game=game, player_id=player_id)
    return pages().lines(found, deadlines(records(), [line.id for line in found]))


def _finished(
    limit: int, *, game: str | None = None, player_ids: Sequence[int] = ()
) -> list[BoardLine]:
    found = records().matches.summaries(game, player_ids, selector="inactive", limit=limit)
    return pages().lines(found)


def _squares() -> list[BoardLine]:
    """Return running boards for the first page: one of each game, then others with stones."""
    found = list[tuple[int, BoardLine]]()
    for game in game_names():
        found += enumerate(sorted(_running(SQUARES, game=game), key=lambda line: not line.ply))
    found.sort(key=lambda one: (one[0] > 0, not one[1].ply, one[0], -one[1].changed_at))
    return [line for _, line in found[:SQUARES]]


def _featured(lines: Sequence[BoardLine]) -> FeaturedGame:
    """Return the first full board of these, else a long one, else the sample game."""
    full = Reason.FULL_BOARD.words
    worth = [line for line in lines if full in line.how or line.ply >= WORTH_A_REPLAY]
    chosen = max(worth, key=lambda line: full in line.how, default=None)
    if chosen is None:
        kind = find_game(SAMPLE_GAME)
        return FeaturedGame(sample(kind), f"games/{kind.name}.html", kind.title)
    (match,) = records().published.matches([chosen.id])
    return FeaturedGame(match.record, f"{chosen.path}.html", chosen.title, chosen.names)


def _seek(seek: Seek) -> SeekLine:
    line = f"{seek.game.name} challenge {YOU} {seek.userid}{option_words(seek.game)}"
    return seek_line(seek, pages().names[seek.player_id], pages().mail_link(line))


@page("/feed.atom")
def club_feed() -> Body:
    """Return the feed of the club."""
    lines = [*_running(MAX_ENTRIES), *_finished(MAX_ENTRIES)]
    return _feed("club", current().options.club, "feed.atom", "index.html", lines)


def _feed(what: str, title: str, own: str, page: str, lines: Sequence[BoardLine]) -> str:
    """Return a feed of the boards among these that changed last."""
    club = pages().club
    newest = sorted(lines, key=lambda line: (-line.changed_at, -line.id))[:MAX_ENTRIES]
    entries = [board_entry(club, line) for line in newest]
    return pages().feed(entry_id(club, what), title, own, page, entries)


@page("/site.css", is_static=True)
def style_sheet() -> Body:
    """Return the style of all pages."""
    return paper_style() + _template("site.css") + style(rules=RULES + CURVE_RULES)


@page("/site.js", is_static=True)
def script() -> Body:
    """Return the script of all pages."""
    return _template("site.js")


def _template(name: str) -> str:
    return REMARKS.sub("", (TEMPLATES / name).read_text("utf-8"))


@page("/icon.svg", is_static=True)
def icon() -> Body:
    """Return the sign of the club."""
    return svg_file(svg_sign())


@page("/grounds/<spec>.svg", is_static=True)
def ground(spec: str) -> Body:
    """Return a board without stones, on which all boards of this kind are drawn."""
    try:
        game = parse_game(spec)
    except Refused:
        return ""
    # One address for each: others lead to nothing that a page shows.
    return svg_file(svg_ground(game, has_labels=False)) if format_game(game) == spec else ""


@page("/boards/index.html")
def running_boards() -> Body:
    """Return the boards that run."""
    return pages().running(_running(MAX_SQUARES + 1))


@public.get("/boards/<game:game>/<number:number>.<ending>")
def board(game: str, number: int, ending: str) -> Response:
    """Return a file of a board."""
    stamp = records().published.stamp(game, number) if ending in FILES else None
    if stamp is None:
        abort(404)
    tag = stamp.picture if ending == "png" else stamp.text
    if ending == "html":
        tag += _of_visitor()
    return respond(
        partial(_board_file, stamp, ending), MIMES.get(ending, "text/plain"), stamp.changed_at, tag
    )


def _of_visitor() -> str:
    """Return what changes with all that a signed-in visitor sees at a board, time included."""
    club, player = current(), signed_in()
    if club.web is None or player is None:
        return ""
    return f" {records().published.mark()} {now() // MINUTE} {g.get('alert', '')}"


def _board_file(stamp: BoardStamp, ending: str) -> Body:
    """Return a file of the board with this stamp; a preview is drawn once, and alone."""
    if ending == "html" and current().web is not None:
        (shown,) = load_boards(records(), pages(), [stamp.id])
        match, said, review, due_at, ratings = shown
        beat = stamp_of(stamp.game, stamp.number) if match.is_running else ""
        return pages().board(
            *(match, said, review),
            due_at=due_at,
            ratings=ratings,
            acts=acts_at(match),
            stamp=beat,
            play=play_path(match.record),
        )
    if ending != "png":
        (shown,) = load_boards(records(), pages(), [stamp.id])
        return FILES[ending](pages(), shown)

    def draw() -> bytes:
        as_guest = replace(pages(), visitor=None)
        (shown,) = load_boards(records(), as_guest, [stamp.id])
        leave_transaction()
        return draw_preview(shown.match)

    return current().previews.find(stamp.picture, draw)


@page("/players/index.html", "/players/index-<number:number>.html")
def players(number: int = 1) -> Body:
    """Return a page of the list of all players."""
    published = records().published
    rows = player_rows(published.members(), published.ratings(), published.running_counts())
    return players_page(pages(), rows, number)


def _has_page(player_id: int) -> bool:
    pages().names.load([player_id])
    return player_id in pages().names and pages().names[player_id].has_page


@page("/players/<number:player_id>.html")
def player(player_id: int) -> Body:
    """Return the page of a player."""
    if not _has_page(player_id):
        return ""
    ratings, published = records().ratings, records().published
    running = _running(LATEST + 1, player_id=player_id)
    over = _finished(LATEST + 1, player_ids=[player_id])
    return player_page(
        pages(),
        player_id,
        figures=records().figures.of_player(player_id),
        histories={game: ratings.history(player_id, game) for game in ratings.of_player(player_id)},
        favourites=favourites(published.first_moves(player_id)),
        running=running[:LATEST],
        more_running=len(running) > LATEST,
        results=over[:LATEST],
        more_results=len(over) > LATEST,
    )


@page("/players/<number:player_id>.atom")
def player_feed(player_id: int) -> Body:
    """Return the feed of a player."""
    if not _has_page(player_id):
        return ""
    path, name = f"players/{player_id}", pages().names[player_id].name
    lines = _running(MAX_ENTRIES, player_id=player_id)
    lines += _finished(MAX_ENTRIES, player_ids=[player_id])
    return _feed(path, name, f"{path}.atom", f"{path}.html", lines)


@page(
    "/standings/index.html",
    "/standings/<game:game>.html",
    "/standings/<game:game>-<number:number>.html",
)
def standings(game: str = "", number: int = 1) -> Body:
    """Return a page of the standings in a game."""
    game = game or game_names()[0]
    return pages().standings(game, _standings(game), number)


def _standings(game: str, limit: int | None = None) -> list[tuple[Any, ...]]:
    lines, names = records().ratings.lines(game, (), limit=limit), pages().names
    names.load(line.player_id for line in lines)
    return [
        (
            *(place, line.player_id, names[line.player_id].name),
            f"{line.standing.rating.value:.0f}",
            *(line.standing.won, line.standing.lost, line.standing.drawn),
        )
        for place, line in enumerate(lines, 1)
    ]


@page(
    "/openings/index.html",
    "/openings/<game:game>.html",
    "/openings/<game:game>-<number:number>.html",
)
def openings(game: str = "", number: int = 1) -> Body:
    """Return a page of the first moves in a game."""
    game = game or game_names()[0]
    found = (one for one in records().published.first_moves() if one.spec.startswith(f"{game}("))
    return openings_page(pages(), game, found, number)


@page(f"/openings/{TABLE}<game:game>.html", is_static=True)
def first_stones(game: str) -> Body:
    """Return the page of the computer's table of first stones in a game."""
    return first_stones_page(pages(), game)


@page("/openings/<spec>.svg", is_static=True)
def first_stones_board(spec: str) -> Body:
    """Return a board of that table."""
    return first_stones_picture(spec)


@page("/tournaments/index.html", "/tournaments/index-<number:number>.html")
def tournaments(number: int = 1) -> Body:
    """Return a page of the list of all tournaments."""
    return pages().tournaments(_tournament_rows(), number)


def _tournament_rows() -> list[dict[str, object]]:
    return [
        {"id": number, "name": name, "game": parse_game(spec).title, "status": status.value}
        for number, name, spec, status in records().published.tournaments()
    ]


@page(
    "/tournaments/<number:tournament_id>.html",
    "/tournaments/<number:tournament_id>-<number:number>.html",
)
def tournament(tournament_id: int, number: int = 1) -> Body:
    """Return a page of a tournament."""
    found = records().tournaments.find(tournament_id)
    if found is None:
        return ""
    names = pages().names
    names.load([found.organiser_id, *(one.player_id for one in found.entrants)])
    entrants = (replace(one, userid=names[one.player_id].name) for one in found.entrants)
    shown = replace(found, entrants=tuple(entrants))
    organiser = names[found.organiser_id].name
    lines = records().published.tournament_boards(tournament_id)
    due = deadlines(records(), [line.id for line in lines if line.to_move])
    document = tournament_document(shown, organiser, records().tournaments.numbers(tournament_id))
    _, *terms = terms_lines(shown, organiser)
    terms = [found.status.value.capitalize(), *terms]
    place = ListPlace(str(tournament_id), number)
    return tournament_page(pages(), place, document, terms, pages().lines(lines, due))


@page("/games/index.html", is_static=True)
def games() -> Body:
    """Return the list of all games."""
    return games_page(pages())


@page("/games/<game:game>.html")
def game_rules(game: str) -> Body:
    """Return the page of a game."""
    return game_page(pages(), game, _running(SHOWN, game=game), _finished(RESULTS, game=game))


@page("/games/<game:game>.svg", is_static=True)
def game_square(game: str) -> Body:
    """Return the board at the end of the rules of a game."""
    shown = sample(find_game(game))
    return square_svg(shown.game, shown.position, shown.game.title, owners=True)


@page("/games/<game:game>-blank.svg", is_static=True)
def game_sheet(game: str) -> Body:
    """Return the board of a game to be printed."""
    return sheet_to_print(find_game(game))


@page("/games/<game:game>-<number:step>.svg", is_static=True)
def game_step(game: str, step: int) -> Body:
    """Return the picture of a step of the rules."""
    steps = rules_steps(find_game(game))
    return steps[step - 1].picture if step <= len(steps) else ""


@page("/archive/index.html")
def archive() -> Body:
    """Return the years of which there are finished boards."""
    return pages().archive(archive_pages(records()))


def archive_pages(found: Records) -> dict[int, list[int]]:
    """Return for each year how many boards there are on each of its pages, the oldest first."""
    return {
        year: [min(A_CHUNK, count - start) for start in range(0, count, A_CHUNK)]
        for year, count in found.published.finished_years().items()
    }


def _chunk(year: int, chunk: int) -> list[BoardLine]:
    """Return the lines of a page of the archive, the newest first; a full page stays as it is."""
    if year >= LAST_YEAR:
        return []
    offset, published = (chunk - 1) * A_CHUNK, records().published
    ids = published.finished_ids(year=year, offset=offset, limit=A_CHUNK)
    return pages().lines(published.lines(ids[::-1]))


@page("/archive/<number:year>-<number:chunk>.html")
def archive_page(year: int, chunk: int) -> Body:
    """Return a page of the archive."""
    lines, title = _chunk(year, chunk), f"Boards of {year}, page {chunk}"
    return pages().page("archive_page.html", title, "../", lines=lines) if lines else ""


@page("/archive/<number:year>-<number:chunk>.js")
def archive_rows(year: int, chunk: int) -> Body:
    """Return a page of the archive as the search reads it."""
    lines = _chunk(year, chunk)
    return archive_script(lines) if lines else ""


@page("/manual/<name>.html", is_static=True)
def manual(name: str) -> Body:
    """Return a page of the manual."""
    return manual_page(pages(), name) if name in manual_names() else ""


@page("/puzzle/<number:which>.html", is_static=True)
def puzzle(which: int) -> Body:
    """Return the page of a puzzle."""
    if which > count_puzzles():
        return ""
    return pages().puzzle(puzzles()[which - 1], request.args.get("at", ""))

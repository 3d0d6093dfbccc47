"""Every page that anybody may see, by its address."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Blueprint, Response, abort, g, request
from werkzeug.routing import BaseConverter, IntegerConverter, ValidationError

from pbmserv.club.puzzles import Puzzle, count_puzzles, puzzle_of_day, puzzles
from pbmserv.club.wording import with_count
from pbmserv.commands.types import NUMBER
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.moments import MINUTE
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Refused
from pbmserv.render.colours import paper_style
from pbmserv.render.crosstable import terms_lines, tournament_document
from pbmserv.render.curve import CURVE_RULES
from pbmserv.render.svg import RULES, style, svg_file, svg_ground, svg_sign
from pbmserv.site import game_pages, manual_pages, opening_pages, people_pages
from pbmserv.site.board_files import FILES, deadlines, draw_preview, load_boards
from pbmserv.site.board_lines import BoardLine
from pbmserv.site.pages import (
    MAX_ENTRIES,
    TEMPLATES,
    YOU,
    ListPlace,
    archive_script,
    board_entry,
    entry_id,
    featured_values,
    game_titles,
    puzzle_values,
)
from pbmserv.site.replay import square_svg
from pbmserv.site.seeking import seek_lines
from pbmserv.site.tournament_pages import tournament_page
from pbmserv.store.matches.published import BoardStamp
from pbmserv.store.store import Records
from pbmserv.web.boards import acts_at, stamp_of
from pbmserv.web.club import Body, current, leave_transaction, now, pages, records, respond
from pbmserv.web.guests import play_path, small_board
from pbmserv.web.visitor import signed_in

LISTED = 50
"""Finished boards among which the one on the home page is chosen."""

LATEST = 24
"""Running boards, and finished ones, on a player's page."""

MAX_SQUARES = 100
"""Boards on the page of running boards."""

SHOWN = 12
"""Running boards on the page of a game."""

SQUARES, RESULTS, SEEKS, TOURNAMENTS, LEADERS = 12, 6, 5, 5, 3
"""How many of each the home page has, and how many players of each game."""

WORTH_A_REPLAY = 20
"""Turns from which a board may be replayed there."""

A_LIST, A_CHUNK = 200, 150
"""Rows on a page of players or standings, and of the archive, which has 80 kB then at most."""

REMARKS = re.compile(r"^ *(?:/\*.*\*/\n *)?", re.MULTILINE)
"""Indents and comments of the style sheet and the script, which are not published."""

MIMES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "atom": "application/atom+xml",
    "json": "application/json",
}
TEXT = "text/plain"
"""The type of each file by its ending; any other is text."""

public = Blueprint("public", __name__)


class NumberConverter(IntegerConverter):
    """A number as commands have it, without zeros before it."""

    regex = f"(?!0){NUMBER.pattern}"


class GameConverter(BaseConverter):
    """The name of a game."""

    def to_python(self, value: str) -> str:
        """Return the name; raises :class:`ValidationError` if there is no such game."""
        if value not in game_names():
            raise ValidationError
        return value


CONVERTERS = {"number": NumberConverter, "game": GameConverter}
"""The kinds of words in addresses."""


def publish(view: Callable[..., Body], *rules: str, is_static: bool = False) -> None:
    """Publish a page at these addresses; it is not there if the view returns nothing.

    ``is_static`` pages change with the program and the options alone, others with the database.
    """

    def answer(**values: Any) -> Response:
        tag = "" if is_static else f"{records().published.mark()} {_puzzle_of_today().number}"
        return respond(partial(view, **values), mime, tag)

    mime = MIMES.get(rules[0].rpartition(".")[2], TEXT)
    for rule in rules:
        public.add_url_rule(rule, rules[0].replace(".", " "), answer)


def publish_list(view: Callable[..., Body], stem: str, *others: str) -> None:
    """Publish the pages of a list, of which the first has no number."""
    publish(view, f"{stem}.html", f"{stem}-<number(min=2):number>.html", *others)


def _home() -> Body:
    found = pages()
    finished, squares = _finished(LISTED), _squares()
    seeks = seek_lines(found, records().people.seeks())
    boards, players = records().figures.boards(), records().figures.players()
    featured = _featured([*finished, *squares])
    return found.page(
        "club.html",
        found.options.club,
        "",
        image=found.options.url + featured["image"] if featured["image"] else "",
        join=found.mail_link(f"signup {YOU} YOUR-PASSWORD"),
        games=[find_game(name) for name in game_names()],
        counts=(
            with_count(players, "player"),
            f"{with_count(boards['running'], 'board')} running",
            f"{boards['finished']} finished",
        ),
        featured=featured,
        puzzle=puzzle_values(_puzzle_of_today(), ""),
        running=squares,
        finished=finished[:RESULTS],
        seeks=seeks[:SEEKS],
        more_seeks=len(seeks) > SEEKS,
        tournaments=_tournament_rows()[:TOURNAMENTS],
        guest=small_board(),
        signups=current().web.takes_signups,
        leaders=[
            (game, find_game(game).title, [row[1:4] for row in rows])
            for game in game_names()
            if (rows := _standing_rows(game, LEADERS))
        ],
    )


def _puzzle_of_today() -> Puzzle:
    return puzzle_of_day(now())


def _running(limit: int, **such: Any) -> list[BoardLine]:
    """Return such running boards that changed last, with their deadlines."""
    ids = records().published.running(limit, **such)
    return pages().lines(records().matches.lines(ids), deadlines(records(), ids))


def _running_boards() -> Body:
    """Return the page of running boards, those that changed last if there are many."""
    lines = _running(MAX_SQUARES + 1)
    shown = {"lines": lines[:MAX_SQUARES], "more": len(lines) > MAX_SQUARES}
    return pages().page("running.html", "Games in progress", "../", **shown)


def _finished(limit: int, *, game: str = "", player_id: int = 0) -> list[BoardLine]:
    """Return the boards that ended last."""
    ended, them = records().matches.summaries, [player_id] if player_id else []
    return pages().lines(ended(game or None, them, selector="inactive", limit=limit))


def _squares() -> list[BoardLine]:
    """Return running boards for the first page: one of each game, then others with stones."""
    found = list[tuple[int, BoardLine]]()
    for game in game_names():
        found += enumerate(_running(SQUARES, game=game, are_begun_first=True))
    found.sort(key=lambda one: (one[0] > 0, not one[1].ply, one[0], -one[1].changed_at))
    return [line for _, line in found[:SQUARES]]


def _featured(lines: Sequence[BoardLine]) -> dict[str, Any]:
    """Return the first full board of these, else a long one, else the sample game."""
    full = Reason.FULL_BOARD.words
    worth = [line for line in lines if full in line.how or line.ply >= WORTH_A_REPLAY]
    chosen = max(worth, key=lambda line: full in line.how, default=None)
    if chosen is None:
        kind = find_game(SAMPLE_GAME)
        return featured_values(game_pages.sample(kind), f"games/{kind.name}", kind.title)
    (match,) = records().published.matches([chosen.id])
    return featured_values(match.record, chosen.path, chosen.title, chosen.names)


def _feed(what: str, title: str, own: str, page: str, player_id: int = 0) -> str:
    """Return a feed of the boards that changed last, of the club or of a player."""
    lines = _running(MAX_ENTRIES, player_id=player_id) + _finished(MAX_ENTRIES, player_id=player_id)
    newest = sorted(lines, key=lambda line: (-line.changed_at, -line.id))[:MAX_ENTRIES]
    club = pages().club
    entries = [board_entry(club, line) for line in newest]
    return pages().feed(entry_id(club, what), title, own, page, entries)


def _template(name: str) -> str:
    return REMARKS.sub("", (TEMPLATES / name).read_text("utf-8"))


def _ground(spec: str) -> Body:
    """Return a board without stones, on which all boards of this kind are drawn."""
    try:
        game = parse_game(spec)
    except Refused:
        return ""
    # One address for each: others lead to nothing that a page shows.
    return svg_file(svg_ground(game, has_labels=False)) if format_game(game) == spec else ""


@public.get("/boards/<game:game>/<number:number>.<ending>")
def board(game: str, number: int, ending: str) -> Response:
    """Return a file of a board."""
    stamp = records().published.stamp(game, number) if ending in FILES else None
    if stamp is None:
        abort(404)
    tag = stamp.picture if ending == "png" else stamp.text
    if ending == "html":
        tag += _of_visitor()
    make = partial(_preview, stamp) if ending == "png" else partial(_board_file, stamp, ending)
    return respond(make, MIMES.get(ending, TEXT), tag, stamp.changed_at)


def _of_visitor() -> str:
    """Return what changes with all that a signed-in visitor sees at a board, time included."""
    club, player = current(), signed_in()
    if not club.is_alive or player is None:
        return ""
    return f" {records().published.mark()} {now() // MINUTE} {g.get('alert', '')}"


def _board_file(stamp: BoardStamp, ending: str) -> Body:
    """Return a file of the board with this stamp, its page with what the visitor can do there."""
    (shown,) = load_boards(records(), pages(), [stamp.id])
    if ending != "html" or not current().is_alive:
        return FILES[ending](pages(), shown)
    match, said, review, due_at, ratings = shown
    return pages().board(
        *(match, said, review),
        due_at=due_at,
        ratings=ratings,
        acts=acts_at(match),
        stamp=stamp_of(stamp.game, stamp.number) if match.is_running else "",
        play=play_path(match.record),
    )


def _preview(stamp: BoardStamp) -> bytes:
    """Return the preview of a board, whoever asks for it as a guest sees it."""

    def draw() -> bytes:
        (shown,) = load_boards(records(), replace(pages(), visitor=None), [stamp.id])
        leave_transaction()
        return draw_preview(shown.match)

    return current().previews.find(stamp.picture, draw)


def _players(number: int = 1) -> Body:
    published = records().published
    members = published.members(offset=(number - 1) * A_LIST, limit=A_LIST)
    running = published.running_counts(members)
    rows = people_pages.player_rows(members, published.ratings(members), running)
    place = _place("index", number, published.count_members())
    return pages().several("players.html", "Players", place, rows, standings=game_titles())


def _place(stem: str, number: int, rows: int) -> ListPlace:
    return ListPlace(stem, number, max(1, -(-rows // A_LIST)))


def _player(player_id: int) -> Body:
    if not _has_page(player_id):
        return ""
    ratings, published = records().ratings, records().published
    running = _running(LATEST + 1, player_id=player_id)
    over = _finished(LATEST + 1, player_id=player_id)
    return people_pages.player_page(
        pages(),
        player_id,
        figures=records().figures.of_player(player_id),
        histories={game: ratings.history(player_id, game) for game in ratings.of_player(player_id)},
        favourites=opening_pages.favourites(published.first_moves(player_id)),
        running=running[:LATEST],
        more_running=len(running) > LATEST,
        results=over[:LATEST],
        more_results=len(over) > LATEST,
    )


def _has_page(player_id: int) -> bool:
    pages().names.load([player_id])
    return player_id in pages().names and pages().names[player_id].has_page


def _player_feed(player_id: int) -> Body:
    path = f"players/{player_id}"
    if not _has_page(player_id):
        return ""
    name = pages().names[player_id].name
    return _feed(path, name, f"{path}.atom", f"{path}.html", player_id)


def _standings(game: str = "", number: int = 1) -> Body:
    game = game or game_names()[0]
    rows = _standing_rows(game, A_LIST, (number - 1) * A_LIST)
    return pages().standings(rows, _place(game, number, records().published.count_rated(game)))


def _standing_rows(game: str, limit: int, offset: int = 0) -> list[tuple[Any, ...]]:
    lines = records().ratings.lines(game, (), limit=limit, offset=offset)
    names = pages().names
    names.load(line.player_id for line in lines)
    return [
        (
            *(place, line.player_id, names[line.player_id].name),
            f"{line.standing.rating.value:.0f}",
            *(line.standing.won, line.standing.lost, line.standing.drawn),
        )
        for place, line in enumerate(lines, offset + 1)
    ]


def _openings(game: str = "", number: int = 1) -> Body:
    game = game or game_names()[0]
    found = (one for one in records().published.first_moves() if one.spec.startswith(f"{game}("))
    return opening_pages.openings_page(pages(), game, found, number)


def _tournament_rows() -> list[dict[str, object]]:
    return [
        {"id": number, "name": name, "game": parse_game(spec).title, "status": status.value}
        for number, name, spec, status in records().published.tournaments()
    ]


def _tournament(tournament_id: int, number: int = 1) -> Body:
    found = records().tournaments.find(tournament_id)
    if found is None:
        return ""
    names = pages().names
    names.load([found.organiser_id, *(one.player_id for one in found.entrants)])
    entrants = (replace(one, userid=names[one.player_id].name) for one in found.entrants)
    shown = replace(found, entrants=tuple(entrants))
    organiser = names[found.organiser_id].name
    lines = records().matches.lines(records().published.tournament_boards(tournament_id))
    due = deadlines(records(), [line.id for line in lines if line.to_move])
    document = tournament_document(shown, organiser, records().tournaments.numbers(tournament_id))
    _, *terms = terms_lines(shown, organiser)
    terms = [found.status.value.capitalize(), *terms]
    return tournament_page(pages(), document, terms, pages().lines(lines, due), number)


def _game(game: str) -> Body:
    running, over = _running(SHOWN, game=game), _finished(RESULTS, game=game)
    return game_pages.game_page(pages(), game, running, over)


def _game_square(game: str) -> Body:
    shown = game_pages.sample(find_game(game))
    return square_svg(shown.game, shown.position, shown.game.title, owners=True)


def _game_step(game: str, step: int) -> Body:
    steps = game_pages.pictured_steps(find_game(game))
    return steps[step - 1].picture if step <= len(steps) else ""


def archive_pages(found: Records) -> dict[int, list[int]]:
    """Return for each year how many boards there are on each of its pages, the oldest first."""
    return {
        year: [min(A_CHUNK, count - start) for start in range(0, count, A_CHUNK)]
        for year, count in found.published.finished_years().items()
    }


def _chunk(year: int, chunk: int) -> list[BoardLine]:
    """Return the lines of a page of the archive, the newest first; a full page stays as it is."""
    ids = records().published.finished_ids(year=year, offset=(chunk - 1) * A_CHUNK, limit=A_CHUNK)
    return pages().lines(records().matches.lines(ids[::-1]))


def _archive_page(year: int, chunk: int) -> Body:
    lines, title = _chunk(year, chunk), f"Boards of {year}, page {chunk}"
    return pages().page("archive_page.html", title, "../", lines=lines) if lines else ""


def _archive_rows(year: int, chunk: int) -> Body:
    lines = _chunk(year, chunk)
    return archive_script(lines) if lines else ""


def _puzzle(which: int) -> Body:
    if which > count_puzzles():
        return ""
    shown = puzzle_values(puzzles()[which - 1], "../", request.args.get("at", ""))
    more = {"puzzle": shown, "count": count_puzzles()}
    return pages().page("puzzle.html", f"Puzzle {which}", "../", **more)


publish(_home, "/index.html", "/")
publish(lambda: _feed("club", current().options.club, "feed.atom", "index.html"), "/feed.atom")
publish(_running_boards, "/boards/index.html")
publish_list(_players, "/players/index")
publish(_player, "/players/<number:player_id>.html")
publish(_player_feed, "/players/<number:player_id>.atom")
publish_list(_standings, "/standings/<game:game>", "/standings/index.html")
publish_list(_openings, "/openings/<game:game>", "/openings/index.html")
publish_list(lambda number=1: pages().tournaments(_tournament_rows(), number), "/tournaments/index")
publish_list(_tournament, "/tournaments/<number:tournament_id>")
publish(_game, "/games/<game:game>.html")
publish(lambda: pages().archive(archive_pages(records())), "/archive/index.html")
publish(_archive_page, "/archive/<number(max=9999):year>-<number:chunk>.html")
publish(_archive_rows, "/archive/<number(max=9999):year>-<number:chunk>.js")

publish_static = partial(publish, is_static=True)
publish_static(
    lambda: paper_style() + _template("site.css") + style(rules=RULES + CURVE_RULES), "/site.css"
)
publish_static(lambda: _template("site.js"), "/site.js")
publish_static(lambda: svg_file(svg_sign()), "/icon.svg")
publish_static(
    lambda game: opening_pages.first_stones_page(pages(), game),
    f"/openings/{opening_pages.TABLE}<game:game>.html",
)
publish_static(opening_pages.first_stones_picture, "/openings/<spec>.svg")
publish_static(_ground, "/grounds/<spec>.svg")
publish_static(lambda: game_pages.games_page(pages()), "/games/index.html")
publish_static(_game_square, "/games/<game:game>.svg")
publish_static(
    lambda game: game_pages.sheet_to_print(find_game(game)), "/games/<game:game>-blank.svg"
)
publish_static(_game_step, "/games/<game:game>-<number:step>.svg")
publish_static(lambda name: manual_pages.manual_page(pages(), name), "/manual/<name>.html")
publish_static(_puzzle, "/puzzle/<number:which>.html")

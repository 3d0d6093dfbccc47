"""The files of a board: its page, its feed, its pictures and its record in every form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pbmserv.club.clock import deadline
from pbmserv.club.match import Match
from pbmserv.commands.game_records import record_of
from pbmserv.engine.formats import find_format
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import format_record
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.png import png_picture
from pbmserv.render.view import standing_words, view_match
from pbmserv.site.pages import RECORDS, Pages, entry_id, turn_entries
from pbmserv.site.replay import square_svg
from pbmserv.store.store import Records

PREVIEW_ZOOM = 0.75


class ShownBoard(NamedTuple):
    """A match as its page shows it: names, chat, review, deadline and ratings by player."""

    match: Match
    said: Sequence[tuple[str, int, str]]
    review: Mapping[str, Any] | None
    due_at: int | None
    ratings: Mapping[int, str]


def load_boards(records: Records, pages: Pages, match_ids: Sequence[int]) -> list[ShownBoard]:
    """Return these matches, in the order in which they began."""
    published, names = records.published, pages.names
    matches = published.matches(match_ids)
    said = published.said(match_ids) if pages.options.chat else {}
    reviews, changes = published.reviews(match_ids), published.changes(match_ids)
    due = deadlines(records, [match.id for match in matches if match.is_running])
    seats = {seat.player_id for match in matches for seat in (match.first, match.second)}
    names.load({*seats, *(who for lines in said.values() for who, *_ in lines)})
    ratings = {
        (number, line.game): f"{line.value:.0f}"
        for number, lines in published.ratings(seats).items()
        for line in lines
    }

    def shown_rating(match: Match, player_id: int) -> str:
        """Return today's rating, or the change by a finished match."""
        if match.is_running:
            return ratings.get((player_id, match.game.name), "")
        before, after = changes.get((match.id, player_id), (None, 0.0))
        return "" if before is None else f"{after:.0f} ({after - before:+.0f})"

    found = []
    for match in map(pages.named, matches):
        players = {seat.player_id: seat.name for seat in (match.first, match.second)}
        talk = [
            (players.get(who) or names[who].name, at, text)
            for who, at, text in said.get(match.id, ())
        ]
        shown = {number: shown_rating(match, number) for number in players}
        found.append(ShownBoard(match, talk, reviews.get(match.id), due.get(match.id), shown))
    return found


def deadlines(records: Records, match_ids: Iterable[int]) -> dict[int, int]:
    """Return the deadlines of those of these running matches that have a clock."""
    clocks = records.clocks.of(match_ids)
    away = records.absences.of(stored.clock.player_id for stored in clocks)
    return {
        number: deadline(clock, limits, away[clock.player_id]).at
        for number, limits, clock in clocks
    }


def _page(pages: Pages, shown: ShownBoard) -> str:
    match, said, review, due_at, ratings = shown
    return pages.board(match, said, review, due_at=due_at, ratings=ratings)


def _feed(pages: Pages, shown: ShownBoard) -> str:
    match = shown.match
    path = f"boards/{match.game.name}/{match.number}"
    entries = turn_entries(pages.club, match, path)
    own = entry_id(pages.club, path)
    return pages.feed(own, match.title, f"{path}.atom", f"{path}.html", entries)


def _square(_: Pages, shown: ShownBoard) -> str:
    match = shown.match
    return square_svg(match.game, match.position, match.title, owners=not match.is_running)


def draw_preview(match: Match) -> bytes:
    """Return a small picture with the names of the players, for links from elsewhere."""
    score = match.game.score(match.position)
    x, o = (match.seats[side].name for side in Side)
    caption = LegendText(match.title, x, o, standing_words(view_match(match), score))
    picture = draw(match.game, match.position, owners=not match.is_running, caption=caption)
    return png_picture(picture, zoom=PREVIEW_ZOOM)


def _record(name: str) -> Callable[[Pages, ShownBoard], str]:
    write = find_format(name).write or format_record
    return lambda _, shown: write(record_of(shown.match))


FILES: Mapping[str, Callable[[Pages, ShownBoard], str | bytes]] = {
    **{ending: _record(name) for ending, name in RECORDS.items()},
    "atom": _feed,
    "svg": _square,
    "png": lambda _, shown: draw_preview(shown.match),
    "html": _page,
}
"""What makes each file of a board, by its ending."""

"""Who looks for opponents, as the pages list it, and the command that accepts."""

from collections.abc import Sequence
from typing import NamedTuple

from pbmserv.club.time_limits import TimeLimits, format_limits
from pbmserv.engine.spec import option_words
from pbmserv.render.view import options_words
from pbmserv.site.pages import YOU, Pages
from pbmserv.store.people.seeks import Seek


class SeekLine(NamedTuple):
    """A search for opponents in one line; ``link`` opens a mail that accepts, "" for none.

    ``acceptance`` are the words of the command that does, ``end`` of the one that ends the search.
    """

    id: int
    name: str
    words: str
    acceptance: tuple[str, ...]
    end: tuple[str, ...]
    link: str


def seek_lines(pages: Pages, seeks: Sequence[Seek], player_id: int = 0) -> list[SeekLine]:
    """Return the searches of those whom the pages name, and of this player."""
    pages.names.load(seek.player_id for seek in seeks)
    return [
        _seek_line(pages, seek)
        for seek in seeks
        if seek.player_id == player_id or not pages.names[seek.player_id].is_private
    ]


def _seek_line(pages: Pages, seek: Seek) -> SeekLine:
    game, limits, name = seek.game, seek.limits, seek.game.name
    rated = "" if seek.is_rated or not game.allows_swap else ", unrated"
    return SeekLine(
        seek.player_id,
        pages.names[seek.player_id].name,
        f"{game.title}, {options_words(game)}, time {format_limits(limits)}{rated}",
        (name, "challenge", "me", seek.userid, *_terms(seek)),
        (name, "seek", "me", "none"),
        pages.mail_link(f"{name} challenge {YOU} {seek.userid}{option_words(game)}"),
    )


def _terms(seek: Seek) -> list[str]:
    """Return the options of a board like the one sought."""
    limits, usual = seek.limits, TimeLimits()
    times = {
        "nagtime": (limits.nag_days, usual.nag_days),
        "forfeittime": (limits.forfeit_days, usual.forfeit_days),
        "totaltime": (limits.total_days, usual.total_days),
    }
    given = [f"-{name}={days}" for name, (days, most) in times.items() if days != most]
    unrated = [] if seek.is_rated else ["-unrated"]
    return [*option_words(seek.game).split(), *given, *unrated]

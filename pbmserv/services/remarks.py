"""Words between players: kept, told in the shell as notices, and by letter where there is mail."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from pbmserv.club.match import Match
from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import Player
from pbmserv.engine.game import Game
from pbmserv.errors import Denied
from pbmserv.services.lookup import find_match
from pbmserv.services.session import ReadSession, WriteSession

MAX_NOTICE = 200
"""So much of what was said is told in a notice; all of it is kept beside."""


def say(session: WriteSession, match: Match, speaker: Player, text: str) -> None:
    """Add a comment to a board's chat, and notify all there who have not blocked its writer."""
    words = f"{speaker.userid} at {match.title}: {excerpt(text)}"
    others = audience_of(session, match) - {speaker.id}
    talk = session.records.talk
    talk.say(match.id, speaker.id, text, session.now)
    hearers = [reader for reader in others if not talk.is_blocked(reader, speaker.id)]
    session.records.notices.add(hearers, NoticeKind.REMARK, words, session.now, match_id=match.id)


def send(
    session: WriteSession,
    writer: Player,
    readers: Iterable[int],
    text: str,
    *,
    is_broadcast: bool = False,
) -> None:
    """Keep what one player writes to others, and have them notice it."""
    to = list(readers)
    session.records.talk.send(writer.id, to, text, session.now)
    how = "writes to everybody" if is_broadcast else "writes"
    words = f"{writer.userid} {how}: {excerpt(text)}"
    session.records.notices.add(to, NoticeKind.MESSAGE, words, session.now)


def audience_of(session: ReadSession, match: Match) -> set[int]:
    """Return the players and subscribers of a match."""
    watching = session.records.talk.subscribers(match.id)
    return {match.first.player_id, match.second.player_id, *watching}


def mute_boards(
    session: WriteSession, player: Player, game: type[Game], numbers: Iterable[int] | None
) -> None:
    """Let a player hear of these boards only when they end; None are all that they have running.

    Raises :class:`Denied` for a board at which they hear nothing anyway.
    """
    if numbers is None:
        running = session.records.matches.running_of(player.id)
        numbers = [number for name, number in running if name == game.name]
    for number in numbers:
        match = find_match(session, game, number)
        if player.id not in audience_of(session, match):
            raise Denied(
                f"You are neither playing on nor watching {match.title}.", code="not-a-player"
            )
        session.records.people.mute_board(match.id, player.id)


def excerpt(text: str) -> str:
    """Return the beginning of a text, in one line."""
    return textwrap.shorten(text, MAX_NOTICE, placeholder=" ...")

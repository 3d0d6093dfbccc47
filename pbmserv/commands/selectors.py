"""Which boards a looking command is aimed at: by number, or by players and a selector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pbmserv.club.player import SELECTORS
from pbmserv.commands.types import BoardRef, parse_board_and_ply
from pbmserv.errors import Misunderstood
from pbmserv.services.lookup import find_player

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.services.session import ReadSession

Selector = Literal["all", "active", "inactive", "next", "tournament", "standard"]
CHOICES: tuple[Selector, ...] = ("all", "active", "inactive", "next", "tournament", "standard")
Target = BoardRef | str


def parse_target(text: str) -> Target:
    """Return a board, possibly at a moment, or the word itself: a userid or a selector."""
    if text[:1].isdigit():
        return parse_board_and_ply(text)
    return text.lower() if text.lower() in SELECTORS else text


def choose_boards(targets: Sequence[Target], default: Selector) -> tuple[list[str], Selector]:
    """Return the userids among the words and the selector, which may stand once."""
    words = [target for target in targets if isinstance(target, str)]
    selectors = [word for word in words if word in SELECTORS]
    if len(words) < len(targets) or len(selectors) > 1 or not set(selectors) <= set(CHOICES):
        surplus = next((word for word in selectors if word not in CHOICES), selectors[-1:])
        raise Misunderstood(
            "Unexpected argument.",
            code="bad-selector",
            hint=f"Give userids and at most one of {', '.join(CHOICES)}.",
            about="".join(surplus)
            or next((str(t.number) for t in targets if isinstance(t, BoardRef)), None),
        )
    userids = [word for word in words if word not in SELECTORS]
    chosen: Selector = next((choice for choice in CHOICES if choice in selectors), default)
    if chosen == "next" and not userids:
        raise Misunderstood(
            "Missing argument: USERID.",
            code="missing-word",
            hint="Name the player, as in: alice next",
        )
    return userids, chosen


def player_ids(session: ReadSession, userids: Iterable[str]) -> list[int]:
    """Return the numbers of these players; raises :class:`NotFound`."""
    return [find_player(session, userid, CHOICES).id for userid in userids]

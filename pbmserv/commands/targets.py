"""Which boards a looking command is aimed at: by number, or by players and a selector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.selectors import CHOOSING, SELECTORS
from pbmserv.commands.types import BoardRef, parse_board_and_ply
from pbmserv.errors import Misunderstood
from pbmserv.services.lookup import find_player

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pbmserv.services.session import ReadSession

Target = BoardRef | str


def parse_target(text: str) -> Target:
    """Return a board, possibly at a moment, or the word itself: a userid or a selector."""
    if text[:1].isdigit():
        return parse_board_and_ply(text)
    return text.lower() if text.lower() in CHOOSING else text


def choose_boards(targets: Sequence[Target], default: str) -> tuple[list[str], str]:
    """Return the userids among the words and the selector, which may stand once."""
    words = [target for target in targets if isinstance(target, str)]
    selectors = [word for word in words if word in CHOOSING]
    if len(words) < len(targets) or len(selectors) > 1 or not set(selectors) <= set(SELECTORS):
        raise _surplus(targets, selectors)
    userids = [word for word in words if word not in CHOOSING]
    chosen = selectors[0] if selectors else default
    if SELECTORS[chosen].state == "waiting" and not userids:
        raise Misunderstood(
            "Missing argument: USERID.",
            code="missing-word",
            hint=f"Name the player, as in: alice {chosen}",
        )
    return userids, chosen


def _surplus(targets: Sequence[Target], selectors: Sequence[str]) -> Misunderstood:
    """Return the error about a word that selects boards in another command, or twice."""
    wrong = [*(word for word in selectors if word not in SELECTORS), *selectors[-1:]]
    if wrong:
        hint, about = f"Give userids and at most one of {', '.join(SELECTORS)}.", wrong[0]
    else:
        about = next(str(target.number) for target in targets if isinstance(target, BoardRef))
        hint = "See a board with show BOARD."
    return Misunderstood("Unexpected argument.", code="bad-selector", hint=hint, about=about)


def player_ids(
    session: ReadSession, userids: Iterable[str], others: Iterable[str] = SELECTORS
) -> list[int]:
    """Return the numbers of these players; raises :class:`NotFound`.

    ``others`` are the words that may stand beside them.
    """
    return [find_player(session, userid, others).id for userid in userids]

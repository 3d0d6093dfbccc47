"""Notices, which a player is shown in the shell until they have read them."""

from enum import Enum
from typing import Any, NamedTuple


class NoticeKind(Enum):
    """The kind of a notice; the values are stored and printed."""

    REMINDER = "reminder"
    """A deadline, or a warning that a game will be forfeited."""
    ANNOUNCEMENT = "announcement"
    """A broadcast of the operator."""
    REMARK = "remark"
    """Chat at a board."""
    MESSAGE = "message"


class Notice(NamedTuple):
    """One notice; ``game`` and ``number`` name a match, if it is about one.

    ``told_at`` is when a shell last showed it.
    """

    id: int
    kind: NoticeKind
    at: int
    text: str
    game: str | None
    number: int | None
    told_at: int | None

    @property
    def document(self) -> dict[str, Any]:
        """The notice for programs."""
        return {
            "kind": self.kind.value,
            "at": self.at,
            "text": self.text,
            "game": self.game,
            "board": self.number,
        }

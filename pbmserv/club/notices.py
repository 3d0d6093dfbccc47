"""Notices: what a player is told in the shell until they have read it."""

from enum import Enum
from typing import Any, NamedTuple


class NoticeKind(Enum):
    """What a notice is about; the values are stored and printed."""

    REMINDER = "reminder"
    """A deadline, or a warning that a game will be forfeited."""
    ANNOUNCEMENT = "announcement"
    """What the operator says to everybody."""
    REMARK = "remark"
    """What somebody said at a board."""
    MESSAGE = "message"


class Notice(NamedTuple):
    """One thing that a player has not read yet; ``game`` and ``number`` are a match's, if any.

    ``told_at`` is when a shell last told of it.
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

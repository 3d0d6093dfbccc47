"""A command's need of the database, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pbmserv.club.clock import Deadline
    from pbmserv.club.match import MatchSummary
    from pbmserv.club.notices import Notice
    from pbmserv.render.blocks import Block
    from pbmserv.render.view import View


REHEARSED = "Nothing was changed. Without --dry-run:"
"""The heading of the answer to a dry run."""


class Access(Enum):
    """A command's need of the database."""

    NOTHING = "nothing"
    LOOK = "look"
    CHANGE = "change"
    SHELL = "shell"
    """The command is the shell's own: it drives the door or the database file itself."""


class Answer(NamedTuple):
    """The answer to a command that was done: blocks for people, a document for programs.

    ``content`` are the blocks and ``facts`` the document, or what makes them if asked for. ``ok``
    is False for a list of findings that a script should notice (exit code 1). ``notices`` are what
    the player who signed the command has not read yet, None where nobody did. ``subject`` names the
    answer in a mail where the command's name is not enough for an answer to be a command again.
    """

    content: tuple[Block, ...] | Callable[[], tuple[Block, ...]]
    facts: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    ok: bool = True
    notices: tuple[Notice, ...] | None = None
    subject: str = ""
    is_page: bool = False
    """Whether it is a page of the manual, which a terminal may show by a pager."""
    views: tuple[View, ...] = ()
    """The boards as the player who signed sees them, for a screen of the same process."""
    summaries: tuple[tuple[MatchSummary, Deadline | None], ...] = ()
    """The boards of a list, each with when its turn must be made, for the same screen."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks for people."""
        return self.content() if callable(self.content) else self.content

    @property
    def document(self) -> Mapping[str, Any]:
        """The document for programs."""
        return self.facts() if callable(self.facts) else self.facts


def join_answers(answer: Answer, reply: Answer) -> Answer:
    """Return the answer to a command with what a robot has done at once about it.

    Where both show the same board, it is shown as it is after the reply.
    """
    first, second = answer.blocks, reply.blocks
    head = first[:1]
    if reply.facts and head and isinstance(head[0], str) and "ply" in answer.document:
        said, *board = second
        blocks = (f"{head[0]}\n{said}", *board) if isinstance(said, str) else (*head, *second)
        return answer._replace(content=blocks, facts=reply.facts)
    return answer._replace(content=(*first, *second))


def with_operator(answer: Answer, find: Callable[[], str | None]) -> Answer:
    """Return the page that names the operator with their address, any other answer as it is."""
    if answer.is_page and answer.document.get("topic") == "report" and (address := find()):
        blocks = (*answer.blocks[:2], f"The operator's address: {address}", *answer.blocks[2:])
        facts = {"topic": "report", "text": "\n\n".join(map(str, blocks))}
        return answer._replace(content=blocks, facts=facts)
    return answer

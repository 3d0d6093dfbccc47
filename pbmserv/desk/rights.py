"""What may be said where a player is known by the way in: at a gate, and in a browser.

They may say what a mail of theirs could, as themselves, and look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.player import ME
from pbmserv.club.written_text import decoded
from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import SHELL_WORDS
from pbmserv.commands.grammar import MailSender
from pbmserv.commands.types import NewSecret
from pbmserv.commands.words import drop_marks, split_line
from pbmserv.desk.identity import needs_password
from pbmserv.errors import Denied, Misunderstood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.commands.grammar import Call, Group


class WayIn(NamedTuple):
    """How a player comes in, and what is said of what they may not do there."""

    name: str
    others: str
    challenge: str
    example: str
    takes_passwords: bool = True


GATE = WayIn(
    "over ssh",
    "This gate is for {} only.",
    "At this gate {} must be one of the two players.",
    "Write it after the host, as in: ssh HOST star move 101 me F6",
)
WEB = WayIn(
    "in a browser",
    "You are signed in as {}.",
    "You are signed in as {}, who must be one of the two players.",
    "Write it as in: star move 101 me F6",
    takes_passwords=False,
)


def words_of_line(line: str, tree: Group, way: WayIn) -> Sequence[str]:
    """Return the words of a typed line; raises :class:`Denied` for commands of a shell alone."""
    if len(line.splitlines()) > 1:
        raise Denied("A command is one line.", code="several-lines")
    words = drop_marks(split_line(decoded(line)))
    if [word.lower() for word in words[:1]] == ["pbmserv"]:
        words = words[1:]
    if not words:
        raise Misunderstood("Missing command.", code="incomplete-command", hint=way.example)
    first = words[0].lower()
    if first not in tree.table and first in SHELL_WORDS:
        raise Denied(
            "This command needs an account on the server's own machine.",
            code="shell-only",
            about=first,
        )
    return words


def require_right(call: Call, userid: str, way: WayIn) -> None:
    """Raise :class:`Denied` for what a mail of this player may not do, or as somebody else."""
    sender = call.verb.entry.by_mail.sender
    if call.access is Access.SHELL or (
        sender is MailSender.NOBODY and call.access is Access.CHANGE
    ):
        raise Denied(f"This command is not available {way.name}.", code="shell-only")
    own = {ME, userid.lower()}
    is_signed = needs_password(call) or call.access is Access.CHANGE
    if is_signed and str(call.params.get("userid", ME)).lower() not in own:
        raise Denied(way.others.format(userid), code="not-your-gate")
    is_secret = needs_password(call) or any(isinstance(v, NewSecret) for v in call.params.values())
    if is_secret and not way.takes_passwords:
        raise Denied(
            f"Passwords are not typed as part of a command {way.name}.",
            code="no-passwords-here",
            hint="Write me in place of your userid and password.",
        )
    if sender is MailSender.NAMED and call.access is Access.CHANGE:
        players = {str(call.params[name]).lower() for name in ("userid1", "userid2")}
        if not players & own:
            raise Denied(way.challenge.format(userid), code="not-your-challenge")

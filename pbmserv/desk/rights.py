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
from pbmserv.commands.types import Secret
from pbmserv.commands.words import drop_marks, split_line
from pbmserv.desk.identity import needs_password, not_signed_in
from pbmserv.errors import Denied, Misunderstood
from pbmserv.services.session import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.commands.grammar import Call, Group


class WayIn(NamedTuple):
    """How a player comes in, and what is said of what they may not do there."""

    name: str
    others: str
    challenge: str
    example: str


WAYS = {
    Source.GATE: WayIn(
        "over ssh",
        "This gate is for {} only.",
        "At this gate {} must be one of the two players.",
        "Write it after the host, as in: ssh HOST star move 101 me F6",
    ),
    Source.WEB: WayIn(
        "in a browser",
        "You are signed in as {}.",
        "You are signed in as {}, who must be one of the two players.",
        "Write it as in: star move 101 me F6",
    ),
}


def words_of_line(line: str, tree: Group, source: Source) -> Sequence[str]:
    """Return the words of a typed line; raises :class:`Denied` for commands of a shell alone."""
    if len(line.splitlines()) > 1:
        raise Denied("A command is one line.", code="several-lines")
    words = drop_marks(split_line(decoded(line)))
    if [word.lower() for word in words[:1]] == ["pbmserv"]:
        words = words[1:]
    if not words:
        raise Misunderstood(
            "Missing command.", code="incomplete-command", hint=WAYS[source].example
        )
    first = words[0].lower()
    if first not in tree.table and first in SHELL_WORDS:
        raise Denied(
            "This command needs an account on the server's own machine.",
            code="shell-only",
            about=first,
        )
    return words


def require_right(call: Call, userid: str | None, source: Source) -> None:
    """Raise :class:`Denied` for what a mail of this player may not do, or as somebody else.

    Without a userid it is a stranger's: only their own words can say who they are.
    """
    sender, way = call.verb.entry.by_mail.sender, WAYS[source]
    is_barred = sender is MailSender.NOBODY and call.access is Access.CHANGE
    if is_barred or call.access is Access.SHELL:
        raise Denied(f"This command is not available {way.name}.", code="shell-only")
    is_challenge = sender is MailSender.NAMED and call.access is Access.CHANGE
    if userid is None:
        if is_challenge:
            raise not_signed_in()
        return
    own = {ME, userid.lower()}
    is_signed = needs_password(call) or call.access is Access.CHANGE
    if is_signed and str(call.params.get("userid", ME)).lower() not in own:
        raise Denied(way.others.format(userid), code="not-your-gate")
    if is_challenge:
        players = {str(call.params[name]).lower() for name in ("userid1", "userid2")}
        if not players & own:
            raise Denied(way.challenge.format(userid), code="not-your-challenge")


def require_no_password(call: Call) -> None:
    """Raise :class:`Denied` for a line with a password, old or new, where it would be seen."""
    if any(isinstance(value, Secret) for value in call.params.values()):
        raise Denied(
            "Passwords are not typed as part of a command.",
            code="no-passwords-here",
            hint="Write me in place of your userid and password.",
        )

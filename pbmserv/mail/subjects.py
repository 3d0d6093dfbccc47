"""Which line of a mail is the command: its Subject or, below a Subject of ours, its first line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pbmserv.club.letter import TokenScope
from pbmserv.club.player import PASSWORD, USERID
from pbmserv.desk.polite_moves import is_greeting, read_move
from pbmserv.errors import Misunderstood
from pbmserv.mail.inbound import Incoming, first_line

OWN_SUBJECT = re.compile(
    rf"(?P<game>[\w*-]{{1,20}}) board (?P<number>[0-9]{{1,9}})"
    rf"(?P<state>: not accepted| {USERID.pattern}(?!\S))?(?: \*\*)?(?P<rest>(?: .*)?)",
    re.IGNORECASE,
)

SAYS_ANYTHING = re.compile(r"[^\W_]")

IsWhole = Callable[[str], bool]
"""Tells whether a line is a whole command, which begins with a game or a server command."""


@dataclass(frozen=True)
class CommandLine:
    """The command in a mail, not yet split into words, and the comment that goes with it.

    ``is_short`` means that the reply token stands for game, board, userid and password, and
    ``text`` is only what follows them: ``F6``, ``resign``; it is empty where the sender left it
    out. ``board`` is the one that the Subject of a letter of ours names, for comparison with the
    token's: the game's word in lower case and the number. ``in_subject`` if a reply had it there.
    """

    text: str = field(repr=False)
    comment: str = field(repr=False)
    is_short: bool = False
    board: tuple[str, int] | None = None
    in_subject: bool = field(default=False, compare=False)


def command_line(
    incoming: Incoming, claim: TokenScope | None, is_whole: IsWhole, may_mean: IsWhole = bool
) -> CommandLine:
    """Return the command in a mail whose reply token, if it has one, is good for ``claim``.

    ``is_whole`` tells a whole command from a short one, ``may_mean`` a short one from any other
    words: below such a Subject a line that is a move is read. Without a token the Subject is the
    command as it stands; one such as ``Star Board 101 alice PASSWORD F6``, an answer to a letter of
    ours, is a whole one. With a token, a Subject of ours that is untouched, or none, gives the word
    to the first line of the body, or below a greeting to the move in the next. What is added to the
    Subject is a short command unless it begins with what may be a password. Raises the mail's
    refusal, if it has one.
    """
    if incoming.refusal is not None:
        raise incoming.refusal
    text, comment = incoming.subject, incoming.body
    if claim is None:
        return CommandLine(text, comment)
    board, added = _board_in(text)
    if not text or (board and not added):
        # Who verifies an address may answer with any words or none.
        if incoming.is_sealed and claim.match_id:
            raise Misunderstood(
                "The mail has no text that can be read.",
                code="no-text",
                hint="Send it as plain text, neither encrypted nor as an attachment.",
            )
        text, comment = _in_body(comment)
        return CommandLine(text, comment, not is_whole(text), board)
    if added and (len(added) == 1 or not PASSWORD.fullmatch(added[0])):
        text = " ".join(added)
    elif is_whole(text):
        return CommandLine(text, comment, False, board, in_subject=True)
    below, rest = ("", "") if not claim.match_id or may_mean(text) else _in_body(comment)
    if read_move(below):
        return CommandLine(below, rest, True, board)
    return CommandLine(text, comment, True, board, in_subject=True)


def _board_in(subject: str) -> tuple[tuple[str, int] | None, list[str]]:
    """Return the board that a Subject of ours names, and the words added to it."""
    own = OWN_SUBJECT.fullmatch(subject)
    if own is None:
        return None, []
    added = [word for word in own["rest"].split() if word != "**"]
    return (own["game"].lower(), int(own["number"])), added


def _in_body(body: str) -> tuple[str, str]:
    text, comment = first_line(body)
    if is_greeting(text):
        below, rest = first_line(comment)
        text, comment = (below, rest) if read_move(below) else (text, comment)
    # In a Subject a dash is the pass. In a text it is the rest of somebody's signature.
    return text if SAYS_ANYTHING.search(text) else "", comment


def is_answer(subject: str, is_whole: IsWhole) -> bool:
    """Tell whether a mail with this Subject says nothing without the reply token that it needs."""
    own = OWN_SUBJECT.fullmatch(subject)
    return len(own["rest"].split()) < 2 if own else not is_whole(subject)

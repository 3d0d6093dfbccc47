"""``gate``: the commands of one player over ssh, as the forced command of their key."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

from pbmserv.cli.options import load_games
from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Asker, Shell, perform, require_input
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.player import ME
from pbmserv.club.written_text import decoded
from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import root
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.grammar import Call, Group, MailSender
from pbmserv.commands.slots import USERID, slot
from pbmserv.commands.words import drop_marks, split_line
from pbmserv.desk.identity import find_me, needs_password
from pbmserv.desk.request import Request
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Denied, Fault, Misunderstood
from pbmserv.services.session import Source
from pbmserv.store.faults import public_fault

COMMAND_VARIABLE = "SSH_ORIGINAL_COMMAND"
"""Where the ssh server puts the words that the player has typed."""

KEPT = frozenset({"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TERM", "TZ", "USER"})
"""What is left of the environment: nothing that sets this program or a library of it."""


@command()
def gate(shell: Shell, userid: Annotated[str, Word(slot(USERID))]) -> int:
    """Run the command in SSH_ORIGINAL_COMMAND as USERID: for a forced command of ssh.

    It allows the commands that a mail from this player could send, and looking. See help sharing.
    """
    shell.notice = lambda _: None
    try:
        return _pass(shell, userid)
    except Fault as fault:
        raise public_fault(fault) from fault


def _pass(shell: Shell, userid: str) -> int:
    line = os.environ.get(COMMAND_VARIABLE, "")
    _clean_environment()
    load_games()
    shell.desk.tree = root({"whoami": SHELL["whoami"]})
    words = _take_words(line, shell.desk.tree)
    request = Request(
        tuple(words),
        Source.GATE,
        body=require_input,
        ask_password=Asker(may_read=True, at_gate=True),
        acts_as=userid,
    )
    with shell.desk.store.reading() as records:
        find_me(records, request, shell.desk.world.now())
    call = shell.desk.understand(request)
    with shell.logged(call):
        _require_right(call, userid)
        answer = perform(shell.desk, request, call)
    print_answer(answer, shell.options._replace(no_pager=True))  # in which a shell is one key away
    return EXIT_DONE if answer.ok else EXIT_REFUSED


def _take_words(line: str, tree: Group) -> Sequence[str]:
    """Return the typed words; raises :class:`Refused` if they are no command for a gate."""
    words = drop_marks(split_line(decoded(line)))
    if [word.lower() for word in words[:1]] == ["pbmserv"]:
        words = words[1:]
    if not words:
        raise Misunderstood(
            "Missing command.",
            code="incomplete-command",
            hint="Write it after the host, as in: ssh HOST star move 101 me F6",
        )
    first = words[0].lower()
    if first not in tree.table and (first in SHELL or first in shell_families()):
        raise Denied(
            "This command needs an account on the server's own machine.",
            code="shell-only",
            about=first,
        )
    return words


def _clean_environment() -> None:
    """Remove the client's environment: settings come from the file alone."""
    for name in os.environ.keys() - KEPT:
        del os.environ[name]
    if sys.flags.inspect:  # PYTHONINSPECT: Python would ask at the terminal what to do next
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def _require_right(call: Call, userid: str) -> None:
    """Raise :class:`Denied` for what a mail of this player may not do, or as somebody else."""
    sender = call.verb.entry.by_mail.sender
    if sender is MailSender.NOBODY and call.access is Access.CHANGE:
        raise Denied("This command is not available over ssh.", code="shell-only")
    own = {ME, userid.lower()}
    is_signed = needs_password(call) or call.access is Access.CHANGE
    if is_signed and str(call.params.get("userid", ME)).lower() not in own:
        raise Denied(f"This gate is for {userid} only.", code="not-your-gate")
    if sender is MailSender.NAMED and call.access is Access.CHANGE:
        players = {str(call.params[name]).lower() for name in ("userid1", "userid2")}
        if not players & own:
            raise Denied(
                f"At this gate {userid} must be one of the two players.",
                code="not-your-challenge",
            )

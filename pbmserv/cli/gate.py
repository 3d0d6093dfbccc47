"""``gate``: the commands of one player over ssh, as the forced command of their key."""

import os
import sys
from typing import Annotated

from pbmserv.cli.options import load_games
from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Asker, Shell, perform, require_input
from pbmserv.cli.shell_commands import SHELL
from pbmserv.commands.command_table import root
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.slots import USERID, slot
from pbmserv.desk.identity import find_me
from pbmserv.desk.request import Request
from pbmserv.desk.rights import require_right, words_of_line
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault
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
    words = words_of_line(line, shell.desk.tree, Source.GATE)
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
        require_right(call, userid, Source.GATE)
        answer = perform(shell.desk, request, call)
    print_answer(answer, shell.options._replace(no_pager=True))  # in which a shell is one key away
    return EXIT_DONE if answer.ok else EXIT_REFUSED


def _clean_environment() -> None:
    """Remove the client's environment: settings come from the file alone."""
    for name in os.environ.keys() - KEPT:
        del os.environ[name]
    if sys.flags.inspect:  # PYTHONINSPECT: Python would ask at the terminal what to do next
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

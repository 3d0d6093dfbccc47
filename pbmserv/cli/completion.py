"""Shell completion by click: ``_PBMSERV_COMPLETE=bash_source pbmserv`` prints the script."""

import os
import sys
from collections.abc import Sequence

from click.shell_completion import shell_complete

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root


def complete(prefix: Sequence[str]) -> None:
    """Answer the shell's question and leave, if it asks one of this program."""
    program = prefix[0] if prefix else "pbmserv"
    variable = f"_{program.upper()}_COMPLETE"
    instruction = os.environ.get(variable)
    if not instruction:
        return
    tree = root(SHELL, shell_families())
    command = tree.get_command(None, prefix[0]) if prefix else tree
    if command is not None:
        sys.exit(shell_complete(command, {}, program, variable, instruction))

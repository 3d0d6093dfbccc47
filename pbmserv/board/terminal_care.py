"""Taking a whole terminal and giving it back as it was, whatever happens."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv.errors import EXIT_DONE, Fault

if TYPE_CHECKING:
    from pbmserv.board.app import BoardApp


def is_full_terminal() -> bool:
    """Tell whether a whole screen can be drawn: it is read from input and drawn on errors."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(s.isatty() for s in streams) and os.environ.get("TERM", "dumb") not in {"", "dumb"}


def colours_of_terminal() -> str:
    """Return how many colours there are: ``none``, ``16`` or ``full``."""
    if os.environ.get("NO_COLOR"):
        return "none"
    from rich.console import Console

    system = Console(force_terminal=True).color_system
    return {None: "none", "standard": "16"}.get(system, "full")


def run_board(app: "BoardApp", traceback_file: Path) -> int:
    """Run the board until it is left and return the exit code.

    Raises :class:`Fault` for an error of ours; where it happened is written into a file, without
    the values of variables.
    """
    app.run()
    if app.failure is None:
        return EXIT_DONE if app.return_code is None else app.return_code
    import traceback

    lines = "".join(traceback.format_exception(app.failure))
    try:
        traceback_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        traceback_file.write_text(lines, encoding="utf-8")
        hint = f"Where it happened is written in {traceback_file}: please report it."
    except OSError:
        hint = "Set PBMSERV_TRACEBACK=1 to see where, and please report it."
        if os.environ.get("PBMSERV_TRACEBACK"):
            sys.stderr.write(lines)
    raise Fault(
        f"This is a defect of the board ({type(app.failure).__name__}); the game is kept.",
        code="defect",
        hint=hint,
    )

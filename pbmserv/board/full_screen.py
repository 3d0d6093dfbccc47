"""Runs the board on a full terminal, which is restored whatever happens."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from pbmserv.board.server_host import ServerConnection
from pbmserv.cli.options import ShellOptions, load_games
from pbmserv.cli.printing import TRACEBACK, TRACEBACK_HINT, print_error, style_of
from pbmserv.errors import EXIT_DONE, Fault, PbmservError
from pbmserv.settings import data_file

if TYPE_CHECKING:
    from pathlib import Path

    from pbmserv.board.app import BoardApp
    from pbmserv.board.hosts import Host


def is_full_terminal() -> bool:
    """Tell whether a full screen can be drawn: keys come from stdin, and it is drawn on stderr."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(s.isatty() for s in streams) and os.environ.get("TERM", "dumb") not in {"", "dumb"}


def open_start() -> NoReturn:
    """Open the start screen without loading grammar and desk, half of the time, and exit."""
    options = ShellOptions()
    try:
        load_games()
        code = open_screen(ServerConnection(options), None)
    except PbmservError as error:
        print_error(error, options)
        code = error.exit_code
    sys.exit(code)


def open_screen(server: ServerConnection, host: Host | None) -> int:
    """Open a game, or the start screen, and return the exit code."""
    gc.disable()  # imports make much garbage to look at, and none to collect
    from pbmserv.board.app import BoardApp, Equipment

    folder = data_file("unfinished")
    equipment = Equipment(
        style_of(server.options),
        colours_of_terminal(),
        folder,
        server if server.is_signed_in else None,
        lessons=data_file("lessons.solved"),
        puzzles=data_file("puzzles.solved"),
    )
    app = BoardApp(host, equipment)
    gc.freeze()
    gc.enable()
    return run_board(app, folder and folder.with_name("board-error.txt"))


def colours_of_terminal() -> str:
    """Return how many colours there are: ``none``, ``16`` or ``full``."""
    if os.environ.get("NO_COLOR"):
        return "none"
    from rich.console import Console

    system = Console(force_terminal=True).color_system
    return {None: "none", "standard": "16"}.get(system, "full")


def run_board(app: BoardApp, traceback_file: Path | None) -> int:
    """Run the board and return the exit code; raises :class:`Fault` for an internal error."""
    app.run()
    if app.failure is None:
        return EXIT_DONE if app.return_code is None else app.return_code
    import traceback

    # It has no values of variables, which may be passwords.
    lines = "".join(traceback.format_exception(app.failure))
    hint = TRACEBACK_HINT
    if traceback_file is not None:
        with suppress(OSError):
            traceback_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            traceback_file.write_text(lines, encoding="utf-8")
            hint = f"Details are in {traceback_file}; please report this."
    if hint == TRACEBACK_HINT and os.environ.get(TRACEBACK):
        sys.stderr.write(lines)
    raise Fault(
        f"Internal error of the board ({type(app.failure).__name__}); the game is saved.",
        code="defect",
        hint=hint,
    )

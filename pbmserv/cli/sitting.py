"""``play`` in a full terminal: the board, with whatever of the shell it needs."""

from __future__ import annotations

import gc
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pbmserv.board.terminal_care import colours_of_terminal, run_board
from pbmserv.cli.key_file import KeyFile
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.printing import print_error, style_of
from pbmserv.errors import Misunderstood, PbmservError
from pbmserv.settings import database_url, unfinished_game

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.board.hosts import Host
    from pbmserv.board.local_game import LocalGame
    from pbmserv.cli.shell import Shell
    from pbmserv.engine.game import Game


def sit_at_start() -> NoReturn:
    """Sit down at the start screen, as ``play`` without other words does, and exit.

    The grammar and the desk, which take as long to load as half of the screen, are left out.
    """
    options = ShellOptions()
    try:
        code = _run(ShellDoor(options), None)
    except PbmservError as error:
        print_error(error, options)
        code = error.exit_code
    sys.exit(code)


def sit(shell: Shell, local: LocalGame | None, *, has_screen: bool) -> int:
    """Sit down at a new game, or at the start screen, and return the exit code."""
    from pbmserv.board.hosts import LocalHost

    host = None if local is None else LocalHost(local, unfinished_game())
    return _seated(ShellDoor(shell.options), host, has_screen=has_screen)


def sit_at_words(shell: Shell, game: Game, words: Sequence[str], *, has_screen: bool) -> int:
    """Sit down at a board of the server or at a record; raises :class:`Refused`."""
    first, *rest = words
    is_board = first.isascii() and first.isdigit()
    is_file = not is_board and ("." in first or Path(first).exists())
    is_me = is_board and [word.lower() for word in rest[:1]] == ["me"]
    if not (is_board or is_file) or rest[1 if is_me else 0 :]:
        raise Misunderstood(
            "Unexpected argument.",
            code="surplus-word",
            hint=f"Say {game.name} play 101 me, or {game.name} play FILE.",
            about=(words if not (is_board or is_file) else rest)[-1],
        )
    door = ShellDoor(shell.options)
    try:
        host = _server_host(door, game, int(first)) if is_board else _record_host(Path(first))
        return _seated(door, host, has_screen=has_screen)
    finally:
        door.close()


class ShellDoor:
    """The desk of a shell with these options, for whoever is signed in; loaded when first asked."""

    def __init__(self, options: ShellOptions) -> None:
        self.options = options

    @cached_property
    def shell(self) -> Shell:
        """The shell, which opens the database when it first needs it."""
        from pbmserv.cli.shell import Shell

        return Shell(self.options)

    def ask(self, words: Sequence[str]) -> Mapping[str, Any]:
        """Have a command carried out and return its document."""
        return self.shell.desk.handle(self.shell.request(words, reads_input=False)).document

    def pulse(self, game: str, number: int) -> tuple[int, int]:
        """Return what differs after each change of a board."""
        with self.shell.desk.store.reading() as records:
            return records.matches.pulse(game, number)

    def chances(self, game: str, number: int) -> tuple[float, ...]:
        """Return the chances of X that were found at each move of a board, if they are kept."""
        with self.shell.desk.store.reading() as records:
            match = records.matches.find(game, number)
            kept = records.reviews.find(match.id, match.revision) if match else None
        return tuple(look[0] for look in kept["looks"]) if kept else ()

    def close(self) -> None:
        """Let the database go."""
        if "shell" in self.__dict__:
            self.shell.close()

    @property
    def is_signed_in(self) -> bool:
        """Whether there is a sign-in key, without a look at the database."""
        try:
            return KeyFile(lambda: self.options.database or database_url()).read() is not None
        except PbmservError:
            return False


def _server_host(door: ShellDoor, game: Game, number: int) -> Host:
    from pbmserv.board.server_host import ServerBoard, ServerHost
    from pbmserv.services.lookup import no_such_match

    with door.shell.desk.store.reading() as records:
        if records.matches.find(game.name, number) is None:
            raise no_such_match(game, number)
    return ServerHost(door, ServerBoard(game.name, number))


def _record_host(file: Path) -> Host:
    from pbmserv.board.hosts import RecordHost
    from pbmserv.cli.analyse import read_record

    return RecordHost(read_record(file))


def _seated(door: ShellDoor, host: Host | None, *, has_screen: bool) -> int:
    if has_screen or host is None:
        return _run(door, host)
    from pbmserv.cli.conversation import Conversation

    return Conversation(host, door.options).run()


def _run(door: ShellDoor, host: Host | None) -> int:
    gc.disable()  # imports make much garbage to look at, and none to collect
    colours, style = colours_of_terminal(), style_of(door.options)
    from pbmserv.board.app import BoardApp, Equipment

    file = unfinished_game()
    app = BoardApp(host, Equipment(style, colours, file, door if door.is_signed_in else None))
    gc.freeze()
    gc.enable()
    return run_board(app, file.with_name("board-error.txt"))

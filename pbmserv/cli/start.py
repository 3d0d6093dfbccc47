"""The console scripts: as little as possible, then the rest without garbage collection.

A command lives for a fraction of a second, and most of that is imports. These make much for the
collector to look at, and nothing to collect.
"""

from __future__ import annotations

import gc
import os
import sys

from pbmserv.daemon.thin_client import run_on_server

TYPE_CHECKING = False  # typing itself costs a fifth of bare Python
if TYPE_CHECKING:
    from typing import NoReturn

EXIT_LATER = 75
"""The exit code by which a mail server keeps the mail and tries again."""

VALUES = ("database", "style")
"""Options of the shell whose value may be the next word; ``options`` would be slow to import."""


def pbmserv() -> NoReturn:
    """Run ``pbmserv`` with the words of the command line, and leave."""
    words = sys.argv[1:]
    if takes_mail(words) and not (asks_for_help(words) and os.isatty(0)):
        _take_mail(words)
    _start([], sits_down=[word.lower() for word in words] in ([], ["play"]))


def game() -> NoReturn:
    """Run the script of a game, called as the game is: ``star ...`` is ``pbmserv star ...``."""
    name = os.path.basename(sys.argv[0])
    _start([name.removesuffix(".exe")])


def takes_mail(words: list[str]) -> bool:
    """Tell whether the words are ``mail receive``, with options of the shell anywhere."""
    plain: list[str] = []
    rest = [word.lower() for word in reversed(words)]
    while rest:
        word = rest.pop()
        if not word.startswith("-"):
            plain.append(word)
        elif _may_mean(word, VALUES):
            del rest[-1:]
    return plain[:2] == ["mail", "receive"]


def asks_for_help(words: list[str]) -> bool:
    """Tell whether the words ask for a help page."""
    return any(
        word == "-h" or (word.startswith("-") and _may_mean(word.lower(), ("help",)))
        for word in words
    )


def _may_mean(word: str, options: tuple[str, ...]) -> bool:
    """Tell whether the word is one of these options, possibly shortened."""
    name = word.lstrip("-")
    return len(name) > 1 and any(option.startswith(name) for option in options)


def _take_mail(words: list[str]) -> NoReturn:
    """Take one mail in and leave with 0 or 75, whatever happens, and nothing printed.

    A mail server puts what we print into mails to strangers, and takes most exit codes for a
    reason to send the mail back. Who asks for help has brought no mail, or by mistake.
    """
    gc.disable()
    code = None
    try:
        _fall_silent()
        code, is_open = run_on_server([], streams=False)
        if code is None:
            # What a server that died has read of the mail is gone: the mail server has it all.
            code = EXIT_LATER if is_open else mail_code(words)
    finally:
        # No error, and nothing that runs behind this, may have another opinion.
        os._exit(EXIT_LATER if code is None else code)


def mail_code(words: list[str]) -> int:
    """Receive a mail and return 0 or 75; errors are logged."""
    try:
        from pbmserv.cli.shell import run_command

        return EXIT_LATER if asks_for_help(words) or run_command(words) else 0
    except BaseException as error:  # noqa: BLE001 - whatever it was, the mail server keeps the mail
        from pbmserv.daemon.mail_log import note_failure

        note_failure(error)
        return EXIT_LATER


def _fall_silent() -> None:
    import _signal  # type: ignore[import-not-found]  # a third of bare Python goes for its names

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"):
        _signal.signal(getattr(_signal, name), lambda *_: os._exit(EXIT_LATER))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _start(prefix: list[str], *, sits_down: bool = False) -> NoReturn:
    gc.disable()
    try:
        is_completing = any(name.endswith("_COMPLETE") for name in os.environ)
        if sits_down and os.isatty(1) and not is_completing:
            from pbmserv.board.full_screen import is_full_terminal, open_start

            if is_full_terminal():
                open_start()
        # What a shell writes for <(...) is open in this process alone.
        is_piped = any(word.startswith("/dev/fd/") for word in sys.argv)
        code, key = (None, None) if is_piped else run_on_server(prefix)
        if code is not None:
            os._exit(code)
        from pbmserv.cli.main import leave

        leave(prefix, key)
    except KeyboardInterrupt:
        sys.exit(130)  # while still importing: nothing was begun
    finally:
        # Else the interpreter looks once more at all that is about to vanish with the process.
        gc.freeze()

"""The console commands: from the words of a shell to an answer and an exit code."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the names of "signal" cost much
import gc
import io
import os
import sys
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, NoReturn

from pbmserv.cli.options import (
    ShellOptions,
    hint_at_own_option,
    load_games,
    take_options,
    wants_json,
)
from pbmserv.cli.printing import (
    TRACEBACK,
    TRACEBACK_HINT,
    OutputLost,
    guard_output,
    print_answer,
    print_error,
    print_news,
    print_notice,
    with_local_times,
)
from pbmserv.cli.progress_bar import progress_bar
from pbmserv.cli.shell import Shell, describe_version
from pbmserv.cli.shell_commands import own_options, play_first
from pbmserv.cli.worker_context import is_worker, require_own_process
from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import reserved_words
from pbmserv.errors import (
    EXIT_DONE,
    EXIT_FAULT,
    EXIT_INTERRUPTED,
    EXIT_REFUSED,
    EXIT_UNPRINTED,
    Fault,
    PbmservError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from pbmserv.commands.grammar import Call


def run(words: Sequence[str], key: str | None = None) -> int:
    """Execute the command, print the answer, and return the exit code.

    ``key`` identifies the command, which a server may have executed already. Raises
    :class:`OutputLost` or OSError if the answer cannot be printed.
    """
    options = ShellOptions(json=wants_json(words))
    try:
        if "gate" not in map(str.lower, words):  # there the environment is a visitor's still
            load_games(reserved_words)
        options = take_options(words, own_options)
        options = options._replace(words=play_first(options.words))
        return _run(options, key)
    except (BrokenPipeError, OutputLost):
        raise
    except PbmservError as error:
        hint_at_own_option(error)
        print_error(error, options)
        return error.exit_code
    except OSError as error:
        if error.filename is None:
            raise  # no file, but the stream for the answer
        said = f"The system says of {error.filename}: {error.strerror or error}."
        fault = Fault(said, code="system")
        print_error(fault, options)
        return EXIT_FAULT
    except Exception as error:  # noqa: BLE001 - people are told in words, whatever it was
        _report_defect(error, options)
        return EXIT_FAULT


def _run(options: ShellOptions, key: str | None) -> int:
    if options.version:
        sys.stdout.write(f"pbmserv {describe_version()}\n")
        return EXIT_DONE
    shell = Shell(options)
    if options.help or not options.words:
        print_answer(shell.help_page(options.words), options)
        return EXIT_DONE
    try:
        call = shell.understand(options.words)
        if call.access is Access.SHELL and not call.verb.entry.is_brief:
            require_own_process()
        shell.is_rehearsal = call.is_rehearsal
        shell.may_create = call.verb.entry.creates_database and not call.is_rehearsal
        shell.confirm(call)
        if call.access is Access.SHELL:
            if not is_worker():
                gc.enable()  # some of these run for long
            with shell.logged(call), progress_bar(call.path):
                code = call.run_in(shell)
            _tell_of_late_tick(shell, call)
            return code
        with shell.logged(call), progress_bar(call.path):
            answer = shell.perform(call, key)
        with guard_output() if call.access is Access.CHANGE else nullcontext():
            print_answer(answer, options)
        if answer.notices and print_news(answer.notices, options, shell.desk.world.now()):
            shell.desk.note_told(answer.notices)
        _tell_of_late_tick(shell, call)
        return EXIT_DONE if answer.ok else EXIT_REFUSED
    finally:
        shell.close()


def _tell_of_late_tick(shell: Shell, call: Call) -> None:
    """Warn after an operator's command if the clocks are not settled in time."""
    if not call.verb.entry.for_operators or shell.options.json or not shell.desk.is_open:
        return
    from pbmserv.desk.tick import late_since, late_words

    with suppress(Fault), shell.desk.store.reading() as records:
        since = late_since(records, shell.desk.world.now())
        if since is not None:
            sys.stdout.flush()
            print_notice(f"\n{with_local_times(late_words(since))}")


def leave(prefix: Sequence[str], key: str | None = None) -> NoReturn:
    """Run ``prefix`` and the words of the command line, and exit without a traceback."""
    _prepare_streams()
    _end_in_order()
    code = EXIT_DONE
    try:
        if any(name.endswith("_COMPLETE") for name in os.environ):
            from pbmserv.cli.completion import complete

            complete(prefix)
        code = run([*prefix, *sys.argv[1:]], key)
        sys.stdout.flush()
    except BrokenPipeError:
        pass  # whoever read us has gone, and has seen enough
    except OutputLost as lost:
        print_notice(f"pbmserv: {lost}")
        code = EXIT_UNPRINTED
    except KeyboardInterrupt:
        print_notice("\npbmserv: interrupted. Check the result before you repeat the command.")
        code = EXIT_INTERRUPTED
    except OSError as error:
        print_notice(f"pbmserv: the answer cannot be written: {error.strerror}.")
        code = EXIT_FAULT
    finally:
        _empty(sys.stdout)
        _empty(sys.stderr)
    sys.exit(code)


def _end_in_order() -> None:
    """Let SIGTERM and SIGHUP run the blocks that clean up, unless they are ignored."""
    for number in (_signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) == _signal.SIG_DFL:
            _signal.signal(number, lambda number, _: sys.exit(128 + number))


def _prepare_streams() -> None:
    """Open /dev/null in place of closed streams, before any other file takes their numbers.

    Characters that the encoding of the terminal lacks are replaced: no command may fail for them.
    Bytes that are not text are read as those of argv are (``decoded``).
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _empty(stream: TextIO) -> None:
    """Flush a stream, else to /dev/null: the interpreter would exit with a code of its own."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _report_defect(error: Exception, options: ShellOptions) -> None:
    """Report an internal error, with a traceback if that is asked for."""
    if os.environ.get(TRACEBACK):
        import traceback

        print_notice("".join(traceback.format_exception(error)))
    print_error(
        Fault(
            f"Internal error ({type(error).__name__}); nothing was changed.",
            code="defect",
            hint=TRACEBACK_HINT,
        ),
        options,
    )

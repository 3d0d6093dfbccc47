"""``admin check``: replay every stored board and compare it with what is stored beside it."""

import sys
from collections.abc import Iterator

from pbmserv.cli.printing import print_document
from pbmserv.cli.ratings import wrong_ratings
from pbmserv.cli.shell import Shell
from pbmserv.club.check import findings
from pbmserv.commands.answer import Access
from pbmserv.commands.grammar import command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, PbmservError
from pbmserv.store.store import Store

CHUNK = 200
"""Boards read in one transaction: long enough to be quick, short enough to let writers in."""


@command(access=Access.SHELL)
def check(shell: Shell) -> int:
    """Replay every board and compare positions, results, numbers and totals; exit 1 if any differ.

    All ratings are calculated anew from the games in order and compared. Nothing is mended: what
    is wrong is said, a line each.
    """
    problems = []
    count = 0
    for count, found in enumerate(_progress(wrong_boards(shell.desk.store)), start=1):  # noqa: B007
        problems += found
    problems += _wrong_counters(shell)
    problems += wrong_ratings(shell.desk.store)
    if shell.options.json:
        print_document({"boards": count, "problems": problems})
    else:
        boards = "1 board" if count == 1 else f"{count} boards"
        wrong = "1 problem" if len(problems) == 1 else f"{len(problems) or 'no'} problems"
        lines = [*problems, f"{boards} checked, {wrong}."]
        sys.stdout.write("\n".join(lines) + "\n")
    return EXIT_REFUSED if problems else EXIT_DONE


def wrong_boards(store: Store) -> Iterator[list[str]]:
    """Yield the problems of each board, in the order they were made."""
    last = 0
    while True:
        with store.reading() as records:
            chunk = records.matches.after(last, CHUNK)
            found = []
            for _, game, number in chunk:
                try:
                    match = records.matches.find(game, number)
                    if match is None:
                        continue
                    wrong = findings(match)
                    if not wrong:
                        columns = ", ".join(records.matches.wrong_columns(match))
                        wrong = [f"its row differs from its moves: {columns}"] if columns else []
                except PbmservError as error:
                    wrong = [error.message]
                found.append([f"{game} {number}: {sentence}" for sentence in wrong])
        if not chunk:
            return
        yield from found
        last = chunk[-1][0]


def _wrong_counters(shell: Shell) -> list[str]:
    with shell.desk.store.reading() as records:
        games = records.matches.wrong_counters()
    return [f"{game}: its counter is behind the highest board number" for game in games]


def _progress(steps: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the steps, showing their number on a terminal while they take long."""
    if not sys.stderr.isatty():
        yield from steps
        return
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description} {task.completed:.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Boards checked:")
        for step in steps:
            yield step
            bar.advance(task)

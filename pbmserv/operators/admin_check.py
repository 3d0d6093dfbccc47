"""``admin check``: replay every stored board and compare it with what is stored beside it."""

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Annotated

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.club.vacation import parse_day
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Option, command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED
from pbmserv.operators.check_parts import CHUNK, PARTS, Found, Part, found_in, sentence_of
from pbmserv.side_processes import processors, shared_out
from pbmserv.store.progress import teller
from pbmserv.store.store import Store

BOARDS_A_PROCESS = 1000
"""Fewer boards are checked before another process has begun."""


@command()
def check(
    shell: Shell,
    *,
    since: Annotated[
        int | None,
        Option("DATE", "only boards that changed from this day on, UTC", parse_day),
    ] = None,
) -> int:
    """Replay every board and compare positions, results, numbers and totals; exit 1 if any differ.

    Clocks, plans, seeks and tournaments are read too. All ratings are recalculated from the games
    in order and compared. Nothing is repaired: each fault is reported on a line. Many boards are
    shared among all processors. With -since, only boards are replayed.
    """
    count, problems = wrong_of(shell.desk.store, shell.options.url, since=since)
    wrong = "1 problem" if len(problems) == 1 else f"{len(problems) or 'no'} problems"
    lines = [*problems, f"{with_count(count, 'board')} checked, {wrong}."]
    print_result({"boards": count, "problems": problems}, "\n".join(lines), shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


def wrong_of(store: Store, url: str, *, since: int | None = None) -> tuple[int, list[str]]:
    """Return how many boards were checked, and what is wrong, a sentence each.

    It is the same in the same order whether one process does it or several do. ``url`` is where
    the store is.
    """
    ids, problems = _ids(store, since)
    boards = [Part("boards", tuple(ids[n : n + CHUNK])) for n in range(0, len(ids), CHUNK)]
    before, *after = map(Part, PARTS)
    parts = boards if since is not None else [before, *boards, *after]
    results = _results(parts, store, url, len(ids))
    count, is_readable = 0, True
    for part in parts:
        found = results[part]
        # Where a chunk of boards cannot be read, none behind it is told of.
        if part.kind != "boards" or is_readable:
            count += found.boards
            problems += found.problems
            is_readable = is_readable and (found.is_readable or part.kind != "boards")
    return count, problems


def _ids(store: Store, since: int | None) -> tuple[list[int], list[str]]:
    try:
        with store.reading() as records:
            return records.matches.ids(since), []
    except Exception as error:
        return [], [f"boards: {sentence_of(error)}"]


def _results(parts: Sequence[Part], store: Store, url: str, boards: int) -> dict[Part, Found]:
    tell, done, results = teller(lambda: boards), 0, dict[Part, Found]()
    with closing(_as_done(parts, store, url, boards)) as found_parts:
        for part, found in found_parts:
            results[part] = found
            done += found.boards
            tell(done)
    return results


def _as_done(
    parts: Sequence[Part], store: Store, url: str, boards: int
) -> Generator[tuple[Part, Found], None, None]:
    """Yield each part with what was found in it, by this process or by several."""
    processes = min(processors(), boards // BOARDS_A_PROCESS)
    if processes < 2:
        for part in parts:
            yield part, found_in(store, part)
        return
    # What takes long and cannot be shared out, the ratings above all, begins first.
    alone = [part for part in parts if part.kind != "boards"]
    ordered = [*reversed(alone), *(part for part in parts if part.kind == "boards")]
    worker = "pbmserv.operators.check_parts:worker"
    with closing(shared_out(worker, url, ordered, processes)) as results:
        for number, found in results:
            yield ordered[number], found

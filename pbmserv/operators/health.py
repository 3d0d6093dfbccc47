"""``doctor``: as a whole, its quick look for probes, or the figures of the club.

The last two load no library for databases where the club is in a file; elsewhere ``pbmserv serve``
has it loaded.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from pbmserv import __version__, store
from pbmserv.cli.printing import guard_output, print_result
from pbmserv.cli.shell import Shell
from pbmserv.cli.worker_context import require_own_process
from pbmserv.commands.declaration import Flag, command
from pbmserv.engine.moments import HOUR, MINUTE
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault
from pbmserv.listen_address import parse_listen_address, unreached
from pbmserv.settings import find
from pbmserv.store.files.location import parse_location

PATIENCE = 3.0
"""Seconds that a probe waits for the database."""

LIMITS = {
    "up": (1, 1, "The database cannot be read: pbmserv doctor says why."),
    "daemon_age_seconds": (
        0,
        HOUR // 2,
        "serve has ended without a word, or hangs: start it.",
    ),
    "last_tick_age_seconds": (0, 25 * HOUR, "Clocks are not checked: run pbmserv serve or tick."),
    "letter_overdue_seconds": (0, HOUR, "No mail is sent: run pbmserv serve or mail send."),
    "maildir_oldest_seconds": (0, 10 * MINUTE, "Mail is waiting: run pbmserv serve."),
    "web_up": (1, 1, "No browser is answered: run pbmserv serve."),
}
"""The least and the most that a figure may be, and what is wrong else."""


class Gauge(NamedTuple):
    """A figure, with a value for each combination of its labels, None for never."""

    name: str
    help: str
    values: Sequence[tuple[Mapping[str, str], int | None]]
    kind: str = "gauge"


Quick = Flag("look only at database, clocks, mail and web, for a probe that asks often")
Metrics = Flag("print figures of the club as OpenMetrics text")


@command()
def doctor(
    shell: Shell,
    *,
    quick: Annotated[bool, Quick] = False,
    metrics: Annotated[bool, Metrics] = False,
) -> int:
    """Check settings, file permissions and the database; exit 1 if anything is wrong.

    Nothing is created or changed. -quick is a health check that takes some hundredths of a second.
    The page monitoring has rules that raise an alarm on the figures of -metrics.
    """
    if quick or metrics:
        found = list(_figures(shell))
        return _print_metrics(found) if metrics else _judge(found, shell)
    from pbmserv.operators.doctor import examine

    require_own_process()
    return examine(shell)


def _judge(figures: Iterable[Gauge], shell: Shell) -> int:
    """Print what a probe asks for; return the exit code, 1 if anything is wrong."""
    values = {gauge.name: gauge.values[0][1] for gauge in figures if gauge.values}
    told = {name: values[name] for name in LIMITS if name in values}
    limits = {"up": LIMITS["up"]} if values.get("maintenance") else LIMITS
    rows = []
    for name, value in told.items():
        low, high, wrong = limits.get(name, (0, value, ""))
        is_well = value is not None and low <= value <= (high or 0)
        said = "never" if value is None else str(value)
        rows.append({"name": name, "value": said, "problem": "" if is_well else wrong})
    problems = sum(bool(row["problem"]) for row in rows)
    text = "\n".join("{name}: {value} {problem}".format(**row).rstrip() for row in rows)
    print_result({"facts": rows, "problems": problems}, text, shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


def _print_metrics(figures: Sequence[Gauge]) -> int:
    with guard_output():
        for name, words, values, kind in figures:
            sys.stdout.write(f"# TYPE pbmserv_{name} {kind}\n# HELP pbmserv_{name} {words}\n")
            suffix = "_total" if kind == "counter" else ""
            for labels, value in values:
                inner = ",".join(f"{label}={json.dumps(text)}" for label, text in labels.items())
                shown = f"{{{inner}}}" if inner else ""
                said = "+Inf" if value is None else value
                sys.stdout.write(f"pbmserv_{name}{suffix}{shown} {said}\n")
        sys.stdout.write("# EOF\n")
    is_up = any(gauge.name == "maintenance" for gauge in figures)
    return EXIT_DONE if is_up else EXIT_REFUSED


def _figures(shell: Shell) -> Iterator[Gauge]:
    """Yield all figures; where the database cannot be read, those that it does not have."""
    now, found = int(time.time()), list[Gauge]()
    with suppress(sqlite3.Error, Fault), _database(shell) as execute:
        text = Path(store.__file__).with_name("gauges.sql").read_text(encoding="utf-8")
        for block in text.strip().split("\n\n")[1:]:
            head, _, select = block.replace(":now", str(now)).partition("\n")
            told, _, words = head.removeprefix("-- ").partition(": ")
            name, kind, *names = told.split()
            rows = [
                (dict(zip(names, labels, strict=True)), value and max(0, value))
                for *labels, value in execute(select)
            ]
            found.append(Gauge(name, words, rows, kind))
    yield Gauge("build_info", "The version.", [({"version": __version__}, 1)])
    yield Gauge("up", "Whether the database can be read.", [({}, int(bool(found)))])
    yield from found
    if maildir := find("maildir"):
        for name, folder in (("maildir", "new"), ("put_aside", "shunt")):
            ages = _ages(f"{maildir}/{folder}", now)
            yield Gauge(f"{name}_items", "Mails in this folder.", [({}, len(ages))])
            why = "How long the first has been there."
            yield Gauge(f"{name}_oldest_seconds", why, [({}, max(ages, default=0))])
    if place := find("web"):
        problem = unreached(parse_listen_address(place, "web", is_public=True))
        yield Gauge("web_up", "Whether browsers are answered.", [({}, int(not problem))])


@contextmanager
def _database(shell: Shell) -> Iterator[Callable[[str], Iterable[Sequence[Any]]]]:
    """Have what runs a statement, in one transaction that only looks."""
    path = parse_location(shell.options.url).path
    if path is None:
        with closing(shell.open_store()) as opened, opened.reading() as records:
            yield records.connection.exec_driver_sql
        return
    # With the right to write, or what a killed writer left half done could not be read.
    name = f"file:{quote(os.fspath(path))}?mode=rw"
    with closing(sqlite3.connect(name, PATIENCE, uri=True)) as connection:
        connection.execute("BEGIN")
        yield connection.execute


def _ages(folder: str, now: int) -> list[int]:
    """Return how long each mail has been in a folder, in seconds."""
    with suppress(FileNotFoundError), os.scandir(folder) as files:
        mails = [each for each in files if not each.name.endswith(".json")]
        return [max(0, now - int(each.stat().st_mtime)) for each in mails]
    return []

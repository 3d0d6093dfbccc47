"""``doctor``: settings with their origin, files and rights, and the state of the database."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path

from pbmserv.cli.log_lines import SYSTEM_LOG
from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell, describe_version
from pbmserv.club.player import parse_address
from pbmserv.club.wording import with_count
from pbmserv.computer.search import describe_speed
from pbmserv.desk.tick import WHAT_TO_DO, late_since, seldom_words
from pbmserv.engine.moments import HOUR
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, PbmservError
from pbmserv.operators.admin_views import documented, moment
from pbmserv.operators.mail_doctor import mail_facts
from pbmserv.operators.web_doctor import web_facts
from pbmserv.render.blocks import table_text
from pbmserv.settings import config_file, find, load, value
from pbmserv.store.files.database_facts import Fact, inspect
from pbmserv.store.files.kept_backups import minutes_since_backup
from pbmserv.store.files.schema import HEAD
from pbmserv.store.store import Store

LATEST_ROBOT = 2 * HOUR
"""Seconds after which a turn of a robot should be made where tick runs every hour."""


def examine(shell: Shell) -> int:
    """Print all facts; return the exit code, 1 if anything is wrong."""
    facts = [Fact("pbmserv", describe_version()), Fact("Python", sys.version.split()[0])]
    facts.append(Fact("computer", describe_speed()))
    facts += _setting_facts()
    facts += _whatever_happens("database", lambda: inspect(shell.options.url))
    # Opening a database of this version does not change it.
    is_ours = any(fact.name == "schema" and fact.value == HEAD for fact in facts)
    is_well = is_ours and not any(fact.problem for fact in facts)
    now = shell.desk.world.now()
    facts += _whatever_happens(
        "mail", lambda: mail_facts(shell.open_store if is_well else None, now)
    )
    facts += _whatever_happens("web", web_facts)
    facts += _whatever_happens("newest backup", lambda: _backup_facts(now))
    if is_well:
        facts += _whatever_happens("tick", lambda: _tick_facts(shell.open_store, now))
        facts += _whatever_happens("robots", lambda: _robot_facts(shell.open_store, now))
    problems = [fact for fact in facts if fact.problem]
    table, rows = documented(("name", "value", "problem"), (vars(f).values() for f in facts))
    table = table._replace(heads=("item", "value", "problem"))
    document = {"facts": rows, "problems": len(problems)}
    print_result(document, table_text(table), shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


def _backup_facts(now: int) -> Iterator[Fact]:
    if folder := find("backup_folder"):
        age = minutes_since_backup(folder, now)
        problem = "" if age <= 2 * value("backup_minutes") else "Too old: see the log of serve."
        yield Fact("newest backup", "none" if age == inf else f"{age:.0f} minutes old", problem)


def _tick_facts(open_store: Callable[[], Store], now: int) -> Iterator[Fact]:
    with closing(open_store()) as store, store.reading() as records:
        maintenance = records.maintenance.since()
        settled, rest = records.clocks.settled_at(), records.clocks.last_rest()
        is_late = late_since(records, now) is not None
        is_late = is_late or (settled is None and bool(records.clocks.running(0, 1)))
    if maintenance is not None:
        yield Fact("maintenance", f"since {moment(maintenance)} UTC: the clocks are stopped")
        return
    last = "never" if settled is None else f"{moment(settled)} UTC"
    yield Fact("last tick", last, WHAT_TO_DO if is_late else seldom_words(rest))


def _robot_facts(open_store: Callable[[], Store], now: int) -> Iterator[Fact]:
    with closing(open_store()) as store, store.reading() as records:
        robots = records.players.robots()
        waiting = records.robots.waiting(now)
    if not robots:
        return
    programs = value("robot_programs")
    for robot in robots:
        if robot.robot and robot.robot.level is None and robot.userid.lower() not in programs:
            lack = "robot_programs has no command for it."
            yield Fact(f"robot {robot.userid}", "a program", lack)
    is_late = bool(waiting) and now - waiting[0].since > LATEST_ROBOT
    since = f", the first since {moment(waiting[0].since)} UTC" if waiting else ""
    said = f"{with_count(len(robots), 'robot')}, {with_count(len(waiting), 'board')} waiting{since}"
    problem = "Nothing is moving for them: run pbmserv serve or tick." if is_late else ""
    yield Fact("robots", said, problem)


def _whatever_happens(name: str, find_facts: Callable[[], Iterable[Fact]]) -> list[Fact]:
    """Return the facts as far as they can be found; what stopped it is one of them."""
    found: list[Fact] = []
    try:
        found.extend(find_facts())
    except PbmservError as error:
        reason = getattr(error, "reason", "")
        said = f"{error.message} Reason: {reason}." if reason else error.message
        found.append(Fact(name, "could not be checked", said))
    except OSError as error:
        said = f"{error.strerror}: {error.filename}" if error.filename else str(error)
        found.append(Fact(name, "could not be checked", said))
    return found


def _setting_facts() -> list[Fact]:
    """Return every setting with its origin; a secret one is only said to be set."""
    try:
        values = load()
    except PbmservError as error:
        return [Fact("settings", str(config_file()), error.message)]
    path = config_file()
    facts = [Fact("settings file", f"{path}{'' if path.exists() else ' (none)'}")]
    problems = {name: _problem(partial(value, name)) for name in values}
    operator = values["operator_address"].text
    problems["operator_address"] = _problem(partial(parse_address, operator)) if operator else ""
    for name in ("mail_log", "shell_log"):
        problems[name] = _log_problem(values[name].text)
    for name, found in values.items():
        shown = found.text or "" if not found.setting.is_secret else "set"
        shown = "not set" if found.text is None else shown
        new = found.setting.variable if found.key == found.origin else name
        rename = f"; rename {found.key} to {new}" if found.is_renamed else ""
        facts.append(Fact(name, f"{shown} ({found.origin}{rename})", problems[name]))
    return facts


def _log_problem(name: str | None) -> str:
    if not name or name == SYSTEM_LOG:
        return ""
    path = Path(name)
    can_write = os.access(path if path.exists() else path.parent, os.W_OK) and not path.is_dir()
    return "" if can_write else "You cannot write to this file, so nothing is logged."


def _problem(read: Callable[[], object]) -> str:
    """Return the problem of a value that only some commands read."""
    try:
        read()
    except PbmservError as error:
        return error.words
    return ""

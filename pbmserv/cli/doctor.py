"""``doctor``: settings with their origin, files and rights, and the state of the database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv import __version__
from pbmserv.cli.mail_doctor import mail_facts
from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, PbmservError
from pbmserv.render.blocks import Table, table_text
from pbmserv.settings import config_file, database_url, load
from pbmserv.store.database_facts import Fact, inspect
from pbmserv.store.schema import HEAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from pbmserv.store.store import Store


@command()
def doctor(shell: Shell) -> int:
    """Look at settings, file modes and the database, and say what is wrong; exit 1 if anything is.

    Nothing is created or changed.
    """
    from pbmserv.computer.search import speed

    facts = [Fact("pbmserv", __version__), Fact("Python", sys.version.split()[0])]
    facts.append(Fact("computer", speed()))
    facts += _setting_facts()
    try:
        facts += inspect(shell.options.database or database_url())
    except PbmservError as error:
        facts.append(Fact("database", "cannot be used", error.message))
    is_well = not any(fact.problem for fact in facts) and _has_database(facts)
    facts += _mail_facts(shell.open_existing_store if is_well else None, shell.desk.world.now())
    problems = [fact for fact in facts if fact.problem]
    rows = [{"name": f.name, "value": f.value, "problem": f.problem} for f in facts]
    table = Table(("what", "is", "problem"), tuple(tuple(row.values()) for row in rows))
    document = {"facts": rows, "problems": len(problems)}
    print_result(document, table_text(table), shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


def _has_database(facts: list[Fact]) -> bool:
    """Tell whether there is a database of this version, which opening does not change."""
    return any(fact.name == "schema" and fact.value == HEAD for fact in facts)


def _mail_facts(open_store: Callable[[], Store] | None, now: int) -> list[Fact]:
    try:
        return list(mail_facts(open_store, now))
    except PbmservError as error:
        return [Fact("mail", "cannot be looked at", error.message)]


def _setting_facts() -> list[Fact]:
    """Return every setting with its origin; a secret one is only said to be set."""
    try:
        values = load()
    except PbmservError as error:
        return [Fact("settings", str(config_file()), error.message)]
    path: Path = config_file()
    facts = [Fact("settings file", f"{path}{'' if path.exists() else ' (none)'}")]
    for name, value in values.items():
        shown = "not set" if value.text is None else value.text
        if value.setting.is_secret and value.text is not None:
            shown = "set"
        facts.append(Fact(name, f"{shown} ({value.origin})"))
    return facts

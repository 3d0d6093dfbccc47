"""No statement of the product reads or sorts more of a club the more games it has stored.

Whatever the commands ask is explained on a database of 10,000 matches, on both kinds. What a
statement reads of tables that grow with the games must be found by an index, or read along one no
further than a page goes; on SQLite the steps are counted too. What does more than that has its
reason here.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.club.match import MatchSummary
from pbmserv.store.connection import Mode, make_engine, open_transaction
from pbmserv.store.files.location import parse_location
from pbmserv.store.store import Records, Store
from pbmserv.store.tables import match, metadata
from tests import databases
from tests.bench.club_database import build

from .product_statements import (
    Listener,
    Statement,
    methods_of_the_store,
    use_directly,
    use_mail,
    use_shell,
    use_web,
)

pytestmark = pytest.mark.slow

MATCHES = 10_000
GROWING = {
    *("address", "audit", "chat", "clock", "encounter", "entrant", "inbox", "match", "message"),
    *("move", "notice", "origin", "outbox", "player", "quiet", "rating", "rating_change"),
    *("review", "subscription", "tournament"),
}
"""What there is more of the more is played; the rest is what waits or is set."""

MANY = 1000
"""So many rows make a table or index large, and a sort one that grows."""

STEPS, STEPS_A_ROW = 2500, 100
"""What a statement may take on SQLite: a page of 500 rows takes 20 to 60 steps a row."""

WHOLE = {
    "account export": "A player is told all that names them, wherever it stands.",
    "admin check": "Everything is checked.",
    "admin forget": "What is old is looked for everywhere, once a day by night.",
    "admin merge": "Every row that names the one player names the other from then on.",
    "admin rate": "All ratings are worked out from all games.",
    "admin remove": "A rating follows from all games before it: all are worked out anew.",
    "admin undo": "A rating follows from all games before it: all are worked out anew.",
    "archive": "All finished games are written.",
    "backup": "Everything is copied.",
    "db upgrade": "An upgrade looks once whether games are left to be rated.",
    "delete -erase": "Whatever names the player goes, wherever it stands.",
    "doctor": "What waits, and whose addresses there are, is looked through by hand.",
    "restore": "Everything is copied.",
    "site": "The pages show everything; what did not change is not written again.",
}
"""Commands that look at everything there is, and why."""

REASONS = {
    r'^SELECT "?match"?.spec, "?match"?.winner, "?match"?.is_swapped': (
        "stats counts the games that have ended, of which it reads an index alone."
    ),
    r'^SELECT count\(\*\) AS count_1 FROM "?(player|rating|audit|inbox|outbox|match)': (
        "A list of operators or of the web, and stats, tell how many rows there are in all."
    ),
    r"^SELECT count\(\*\) AS count_1 FROM player WHERE player.status": (
        "Accounts are counted one by one: one for some hundred games."
    ),
    r"^SELECT outbox.state, count\(\*\)": "Letters are forgotten when they are old.",
    r"FROM (audit|inbox|outbox) .*(at >= |at\" >= )": (
        "An operator's list with filters looks through what is kept, which is forgotten when old."
    ),
    r"^SELECT player.id FROM player WHERE .*(CASE WHEN|LIKE)": (
        "A word or a state is looked for in all userids."
    ),
    r"^SELECT player.id FROM player WHERE .* (player.robot IS NULL|.player.id NOT IN)": (
        "A broadcast or announcement goes to everybody."
    ),
    r"^SELECT player.userid FROM player WHERE player.status": (
        "A userid that nobody has is compared with all, for the likely one."
    ),
    r"^DELETE FROM notice WHERE notice.match_id": "An operator removes a remark, now and then.",
    r"FROM tournament WHERE lower\(tournament.name\)": "Tournaments are few, and so their names.",
    r"FROM tournament ORDER BY tournament.id DESC$": "All tournaments are in a list on the web.",
}
"""Statements that look through a table, and why they may."""


@dataclass(frozen=True)
class Asked:
    """What the product asked on one kind of database, and a large one to explain it on."""

    listener: Listener
    engine: sa.Engine


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asked]:
    listener = Listener(request.param)
    folder = tmp_path_factory.mktemp("asked")
    with ExitStack() as stack:
        shell, mail, large = _three_places(request, folder, stack)
        for url in (shell, mail):
            databases.create(url)
        use_shell(listener, shell, folder)
        use_web(listener, shell)
        use_mail(listener, mail)
        use_directly(listener, mail)
        build(large, MATCHES)
        engine = make_engine(parse_location(large))
        engine.connect().close()
        yield Asked(listener, engine)
        engine.dispose()


def _three_places(request: pytest.FixtureRequest, folder: Path, stack: ExitStack) -> list[str]:
    if request.param == "sqlite":
        return [str(folder / f"{name}.sqlite") for name in ("shell", "mail", "large")]
    server = databases.require(request.getfixturevalue("postgresql"))
    return [stack.enter_context(server.schema()) for _ in range(3)]


def test_every_method_of_the_store_was_asked(asked: Asked) -> None:
    methods = {name for name, _ in methods_of_the_store()}

    assert methods - asked.listener.methods == set()


def test_no_statement_costs_more_the_more_is_stored(asked: Asked) -> None:
    found = [
        f"{costs} {sorted(statement.callers)} {statement.line}"
        for statement, costs in _costly(asked)
        if not any(re.search(words, statement.line) for words in REASONS)
    ]

    assert found == []


def test_every_reason_is_needed(asked: Asked) -> None:
    if asked.engine.dialect.name == "postgresql":
        pytest.skip("which of them SQLite needs is told by SQLite")
    costly = [statement.line for statement, _ in _costly(asked)]
    callers = {_named(c) for s in asked.listener.statements.values() for c in s.callers}

    assert [words for words in REASONS if not any(re.search(words, t) for t in costly)] == []
    assert WHOLE.keys() <= callers


def _named(caller: str) -> str:
    """Return the name of the command at the beginning of a line, if it is one of these."""
    return next((name for name in WHOLE if f"{caller} ".startswith(f"{name} ")), "")


def _costly(asked: Asked) -> Iterator[tuple[Statement, list[str]]]:
    """Yield each statement that looks through a table, but those of commands that may."""
    costs_of = COSTS[asked.engine.dialect.name]
    with open_transaction(asked.engine, Mode.READ) as connection:
        for statement in asked.listener.statements.values():
            is_read = re.match(r"\s*(SELECT|UPDATE|DELETE|WITH)\b", statement.text)
            if not is_read or not OURS.search(statement.text):
                continue
            if all(map(_named, statement.callers)):
                continue
            if costs := costs_of(connection, statement):
                yield statement, costs


OURS = re.compile(rf'\b(FROM|UPDATE|JOIN) "?({"|".join(metadata.tables)})\b')


def _costs_on_sqlite(connection: sa.Connection, statement: Statement) -> list[str]:
    """Return the scans of growing tables, and the steps if they are too many."""
    told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement.text}", statement.parameters)
    steps = [str(row[3]) for row in told]
    is_page = "LIMIT ?" in statement.text and not any("TEMP B-TREE" in step for step in steps)
    scans = [step for step in steps if _scanned(step, statement.text) in GROWING and not is_page]
    if not statement.text.lstrip().startswith("SELECT"):
        return scans
    driver: Any = connection.connection.dbapi_connection
    count = 0

    def step() -> int:
        nonlocal count
        count += 50
        return 0

    driver.set_progress_handler(step, 50)
    rows = connection.exec_driver_sql(statement.text, statement.parameters).all()
    driver.set_progress_handler(None, 0)
    if count > STEPS + STEPS_A_ROW * len(rows):
        return [*scans, f"{count} steps for {len(rows)} rows"]
    return scans


FEW = ("ix_player_robot", "ix_outbox_due")
"""The indices of the few players that are robots, and of the letters that have not left."""


def _scanned(step: str, text: str) -> str:
    """Return the table that is scanned in this step, by its own name, or nothing."""
    found = re.match(r"SCAN (\w+)", step)
    if not found or step.endswith(FEW):
        return ""
    renamed = re.search(rf'"?(\w+)"? AS {found[1]}\b', text)
    return renamed[1] if renamed else found[1]


def _costs_on_postgresql(connection: sa.Connection, statement: Statement) -> list[str]:
    """Return what PostgreSQL reads whole of large tables and indices, and what it sorts."""
    sizes = {row.relname: row.reltuples for row in connection.exec_driver_sql(SIZES)}
    # Small tables it prefers to read whole: these are to be as if they were large.
    for way in ("seqscan", "hashjoin", "mergejoin"):
        connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
    told = connection.exec_driver_sql(
        f"EXPLAIN (FORMAT JSON) {statement.text}", statement.parameters
    ).scalar_one()
    costs = []
    for node, is_page in _nodes(told[0]["Plan"], is_page=False):
        kind, name = node["Node Type"], node.get("Index Name") or node.get("Relation Name", "")
        is_whole = kind == "Seq Scan" or ("Index" in kind and "Index Cond" not in node)
        if is_whole and not is_page and sizes.get(name, 0) >= MANY:
            costs.append(f"{kind} {name}")
        elif kind == "Sort" and node["Plans"][0]["Plan Rows"] >= MANY:
            costs.append(f"Sort of {node['Plans'][0]['Plan Rows']} rows")
    return costs


SIZES = (
    "SELECT relname, reltuples FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
)
COSTS: dict[str, Callable[[sa.Connection, Statement], list[str]]] = {
    "sqlite": _costs_on_sqlite,
    "postgresql": _costs_on_postgresql,
}


def _nodes(node: dict[str, Any], *, is_page: bool) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield each step of a plan, and whether it stops as soon as a page is full."""
    kind = node["Node Type"]
    yield node, is_page
    goes_on = is_page and kind not in {"Sort", "Hash", "Aggregate", "Materialize"}
    for inner in node.get("Plans", []):
        yield from _nodes(inner, is_page=goes_on or kind == "Limit")


def test_a_scan_and_a_sort_are_noticed(asked: Asked) -> None:
    texts = (
        "SELECT match.id FROM match WHERE match.spec = 'star(size=3)'",
        "SELECT move.text FROM move ORDER BY move.text LIMIT 3",
        "UPDATE audit SET verb = 'x' WHERE audit.verb = 'y'",
    )
    found = Listener(asked.listener.dialect)
    found.statements = {text: Statement(text, (), {"games"}) for text in texts}

    assert [s.text for s, _ in _costly(Asked(found, asked.engine))] == list(texts)


def test_as_many_lines_cost_as_much_wherever_there_are_more(tmp_path: Path) -> None:
    few, many = (_calls_for_a_page(str(tmp_path / f"{n}.sqlite"), n) for n in (60, 2400))

    assert {name: calls for name, calls in many.items() if calls > 1.2 * few[name]} == {}


def _calls_for_a_page(url: str, boards: int) -> dict[str, int]:
    """Return how many functions some lists call, where all of so many boards are of a player."""
    build(url, boards)
    store = Store.open(url)
    with store.writing() as records:
        for column in (match.c.first_id, match.c.second_id):
            mine = match.c.id % 2 == (column is match.c.first_id)
            records.connection.execute(match.update().where(mine).values({column: 3}))
    pages: dict[str, Callable[[Records], list[MatchSummary]]] = {
        "all show": lambda records: records.matches.summaries(
            player_ids=[3], selector="inactive", limit=20
        ),
        "games": lambda records: records.matches.summaries("star", [3], limit=4),
        "list": lambda records: records.matches.recent(["star", "hex"], since=0, limit=8),
    }
    counted = {}
    for name, page in pages.items():
        with store.reading() as records:
            page(records)  # which works out the statements
            calls = 0

            def count(_: object, event: str, __: object) -> None:
                nonlocal calls
                calls += event == "call"

            sys.setprofile(count)
            lines = page(records)
            sys.setprofile(None)
            counted[name] = calls

        assert len(lines) == {"all show": 20, "games": 4, "list": 8}[name]
    store.close()
    return counted

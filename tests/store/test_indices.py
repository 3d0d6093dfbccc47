"""Every query that a command makes finds its rows by an index, however many there are."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.store.connection import Mode, open_transaction
from pbmserv.store.matches.clocks import FIRST
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Records, Store

from .sample_rows import new_match, played

# SQLite tells its plans the same way for few rows and for many.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

ONE_GAME: dict[str, Any] = {"game": "star", "limit": 5}

QUERIES: dict[str, Callable[[Records], object]] = {
    "find": lambda records: records.matches.find("star", 101, lock=True),
    "find player": lambda records: records.players.find("alice"),
    "get player": lambda records: records.players.get(1),
    "players": lambda records: records.lists.players(Filter(limit=5, offset=3)).rows,
    "all of a game": lambda records: records.matches.summaries(**ONE_GAME),
    "all": lambda records: records.matches.summaries(limit=5),
    "active": lambda records: records.matches.summaries("star", selector="active"),
    "inactive": lambda records: records.matches.summaries("star", selector="inactive", limit=5),
    "history": lambda records: records.matches.summaries(selector="inactive", limit=5),
    "all of players": lambda records: records.matches.summaries("star", [1, 2]),
    "next": lambda records: records.matches.summaries("star", [1], selector="next"),
    "next of two": lambda records: records.matches.summaries(None, [1, 2], selector="next"),
    "active of players": lambda records: records.matches.summaries(None, [1], selector="active"),
    "inactive of players": lambda records: records.matches.summaries(
        None, [1, 2], selector="inactive", limit=5
    ),
    "running of": lambda records: records.matches.running_of(1),
    "availability": lambda records: records.people.availability(1, "star"),
    "running boards": lambda records: records.people.running_boards(1, "star"),
    "boards that count": lambda records: records.people.running_boards(1, "star", now=9),
    "seeks of a game": lambda records: records.people.seeks(["star"]),
    "silent boards": lambda records: records.people.muted_boards(1, "star"),
    "who hears of a match": lambda records: records.addresses.at_match(1),
    "tournament": lambda records: records.tournaments.find(1),
    "tournament of a match": lambda records: records.tournaments.place_of(1),
    "boards of a tournament": lambda records: records.tournaments.numbers(1),
    "figures of a player": lambda records: records.figures.of_player(1),
    "chunk": lambda records: records.matches.names([7, 10]),
    "turns of a chunk": lambda records: records.matches.last_plies([7, 10]),
    "due": lambda records: records.clocks.due(5, after=FIRST, limit=10),
    "robot due": lambda records: records.robots.has_due(5),
    "robot waiting": lambda records: records.robots.waiting(5),
    "boards against robots": lambda records: records.robots.boards_against(1),
    "robots": lambda records: records.players.robots(),
    "clock": lambda records: records.clocks.find(1),
    "beside": lambda records: records.matches.extras(1, 5),
    "clocks of a player on move": lambda records: records.clocks.on_move(1),
    "absences": lambda records: records.absences.of([1, 2]),
    "plans": lambda records: records.plans.of(1),
    "ratings of a match": lambda records: records.ratings.of_match(1),
    "standings": lambda records: records.ratings.lines("star", [], limit=5),
    "standings of players": lambda records: records.ratings.lines("star", [1, 2], limit=5),
    "rating history": lambda records: records.ratings.history(1, "star"),
    "ratings in order": lambda records: records.ratings.rated(0, 10),
    "rated matches": lambda records: records.ratings.finished((0, 0), 10),
    "audit": lambda records: records.lists.audit(Filter(limit=5)).rows,
    "audit of a match": lambda records: records.lists.audit(Filter(game="star", limit=5)).rows,
    "audit of a player": lambda records: records.lists.audit(Filter(player_id=1, limit=5)).rows,
}

# Offers are those that wait for an answer: they are few.
TABLES = "player|address|match|move|submission|audit|first|second"
TABLES += "|clock|absence|plan|rating|rating_change"
TABLES += "|robot_turn|availability|seek|quiet|origin|tournament|entrant|encounter"
WHOLE_TABLE = re.compile(rf"SCAN ({TABLES}|player AS \w+|\w+_\d+)$")
SORTS_ALL = "USE TEMP B-TREE FOR ORDER BY"


def plan_of(store: Store, query: Callable[[Records], object]) -> list[str]:
    """Return how SQLite finds the rows of every statement that the query executes."""
    statements: list[tuple[str, Any]] = []

    def note(*event: Any) -> None:
        statements.append(event[2:4])

    with store.reading() as records:
        sa.event.listen(records.connection, "before_cursor_execute", note)
        query(records)
    steps = []
    with open_transaction(store.engine, Mode.READ) as connection:
        for statement, parameters in statements:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps += [str(row[3]) for row in rows]
    return steps


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with one match."""
    match = new_match(store)
    with store.writing() as records:
        records.matches.save(match, played(match, "C1"))
    return store


# The audit, newest first, is read along its primary key: SQLite calls that a scan.
@pytest.mark.costly(stay=9)
@pytest.mark.parametrize("name", sorted(QUERIES.keys() - {"audit"}))
def test_no_query_reads_a_whole_table(filled: Store, name: str) -> None:
    steps = plan_of(filled, QUERIES[name])

    assert steps != []
    assert [step for step in steps if WHOLE_TABLE.search(step)] == []


@pytest.mark.parametrize(
    "name", ["all of a game", "history", "inactive", "chunk", "audit", "due", "standings"]
)
def test_a_page_of_all_matches_is_not_sorted(filled: Store, name: str) -> None:
    steps = plan_of(filled, QUERIES[name])

    assert [step for step in steps if step == SORTS_ALL] == []


OF_EVERYBODY = {"ix_match_running", "ix_match_finished_game"}
RUNNING = {"ix_match_running_first", "ix_match_running_second"}
FINISHED = {"ix_match_finished_first", "ix_match_finished_second"}


@pytest.mark.parametrize(
    ("name", "indices"),
    [
        ("all of a game", OF_EVERYBODY),
        ("all", {"ix_match_running", "ix_match_finished"}),
        ("active", {"ix_match_running"}),
        ("history", {"ix_match_finished"}),
        ("all of players", RUNNING | FINISHED),
        ("next", {"ix_match_next"}),
        ("next of two", {"ix_match_next"}),
        ("active of players", RUNNING),
        ("inactive of players", FINISHED),
        ("running of", RUNNING),
    ],
)
def test_a_list_of_matches_is_found_by_its_own_indices(
    filled: Store, name: str, indices: set[str]
) -> None:
    steps = plan_of(filled, QUERIES[name])
    found = set(re.findall(r"ix_match_\w+", " ".join(steps)))

    assert found == indices
    assert [step for step in steps if "uq_match" in step or "autoindex_match" in step] == []


def test_a_move_writes_only_the_index_of_whose_turn_it_is(filled: Store) -> None:
    updates: list[tuple[str, Any]] = []

    def note(*event: Any) -> None:
        if event[2].startswith("UPDATE"):
            updates.append(event[2:4])

    with filled.writing() as records:
        sa.event.listen(records.connection, "before_cursor_execute", note)
        match = records.matches.find("star", 101, lock=True)
        assert match is not None
        records.matches.save(match, played(match, "C2"))
        ((statement, parameters),) = updates
        steps = records.connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).all()
        named = records.connection.exec_driver_sql("SELECT rootpage, name FROM sqlite_master")
        names = {row.rootpage: row.name for row in named}

    assert {names[step.p2] for step in steps if step.opcode == "OpenWrite"} == {
        "match",
        "ix_match_next",
    }

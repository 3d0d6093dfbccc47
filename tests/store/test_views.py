"""The views for people with ordinary tools."""

from pbmserv.store.tables import VIEWS, metadata
from tests.generators.schema_page import MEANINGS
from tests.local_server import LocalServer


def rows(local: LocalServer, query: str) -> list[tuple[object, ...]]:
    with local.desk.store.reading() as records:
        return [tuple(row) for row in records.connection.exec_driver_sql(query)]


def test_the_views_show_userids_cells_and_results(local: LocalServer) -> None:
    local.start()
    local.start()
    local.start()
    local.play(101, "C1 swap C2")
    local.play(102, "C1 C2")
    local.move(102, "alice", "resign")
    local.move(103, "bob", "resign")

    assert rows(local, "SELECT board, x, o, to_move, moves FROM boards ORDER BY board") == [
        (101, "bob", "alice", "bob", 3),
        (102, "alice", "bob", None, 2),
    ]
    assert rows(local, "SELECT player, cell FROM moves WHERE board = 101 ORDER BY move") == [
        ("alice", "C1"),
        ("bob", "swap"),
        ("alice", "C2"),
    ]
    assert rows(local, "SELECT board, winner, reason, rated FROM results") == [
        (102, "bob", "resignation", 1)
    ]


def test_times_in_the_views_are_written_out(local: LocalServer) -> None:
    local.start()

    assert [str(at) for (at,) in rows(local, "SELECT started FROM boards")] == [
        "2027-01-15 08:00:00"
    ]


def test_nobody_changes_a_board_through_its_view(local: LocalServer) -> None:
    with local.desk.store.reading() as records:
        name = "information_schema.views"
        if records.connection.dialect.name == "postgresql":
            kept = f"SELECT count(*) FROM {name} WHERE is_updatable = 'YES'"  # noqa: S608 - ours
            found = records.connection.exec_driver_sql(
                f"{kept} AND table_schema = current_schema()"
            ).scalar()
        else:
            kept = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
            found = records.connection.exec_driver_sql(kept).scalar()

    assert found == 0
    assert len(VIEWS) == 3


def test_the_page_explains_every_table() -> None:
    assert {*metadata.tables} == {*MEANINGS}

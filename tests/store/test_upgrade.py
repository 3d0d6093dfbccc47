"""A club that played before there were clocks and ratings goes on with both."""

import pytest
import sqlalchemy as sa

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.clock import Clock, StoredClock
from pbmserv.club.play import accept
from pbmserv.club.player import Robot
from pbmserv.club.time_limits import TimeLimits
from pbmserv.commands.command_table import root
from pbmserv.computer.level_list import BEFORE, LEVELS
from pbmserv.desk.tick import tick
from pbmserv.engine.spec import parse_game
from pbmserv.operators.admin_check import wrong_of
from pbmserv.operators.admin_ratings import wrong_ratings
from pbmserv.store.connection import Mode, make_engine, open_transaction
from pbmserv.store.files.location import parse_location
from pbmserv.store.matches.archived import KEY_BYTES
from pbmserv.store.store import Store
from tests.local_server import NOW, LocalServer

from .test_addresses import first_schema

pytestmark = pytest.mark.costly

DAY = 86_400
PLAYER = (
    "INSERT INTO player (userid, userid_key, status, created_at) VALUES ('bob', 'bob', 'active', 1)"
)
MATCH = (
    "INSERT INTO match (game, number, spec, rules_version, first_id, second_id, x_id, o_id, "
    "status, to_move, next_id, ply, revision, is_rated, is_imported, reason, points_x, points_o, "
    "started_at, changed_at, finished_at) VALUES "
)
RUNNING = f"('star', 101, 'star(size=3)', 1, 1, 2, 1, 2, 'running', 'X', 1, 0, 0, 1, 0, NULL, NULL, NULL, 5, {NOW}, NULL)"  # noqa: E501
DRAWN = f"('star', 102, 'star(size=3)', 1, 1, 2, 1, 2, 'drawn', NULL, NULL, 0, 1, 1, 0, 'agreement', 0, 0, 5, {NOW}, {NOW})"  # noqa: E501


def old_club(url: str) -> None:
    """Make the database of an earlier version, with a running board and a drawn one."""
    first_schema(url)
    engine = make_engine(parse_location(url))
    with open_transaction(engine, Mode.WRITE) as connection:
        for statement in (PLAYER, MATCH + RUNNING, MATCH + DRAWN):
            connection.execute(sa.text(statement))
        connection.commit()
    engine.dispose()


def test_running_boards_get_a_clock_that_begins_with_their_last_change(empty_url: str) -> None:
    old_club(empty_url)
    local = LocalServer(empty_url)
    with local.desk.store.reading() as records:
        found = [records.clocks.find(number) for number in (1, 2)]
        due = [records.matches.clock(match_id)[1] for match_id in (1, 2)]

    assert found == [StoredClock(1, TimeLimits(), Clock(1, 2, NOW)), None]
    assert due == [NOW + 7 * DAY, None]
    assert local.show(101)["time"]["used"] == {"X": 0, "O": 0}
    assert local.show(102)["time"] is None
    local.clock.seconds += 8 * DAY
    assert tick(local.desk).due == 1
    local.desk.close()


def test_an_offer_of_before_waits_for_whoever_did_not_make_it(empty_url: str) -> None:
    old_club(empty_url)
    engine = make_engine(parse_location(empty_url))
    with open_transaction(engine, Mode.WRITE) as connection:
        insert = sa.text("INSERT INTO offer VALUES (1, 'draw', 1, :now)")
        connection.execute(insert, {"now": NOW})
        connection.commit()
    engine.dispose()
    local = LocalServer(empty_url)

    for userid, boards in (("alice", [101]), ("bob", [101])):
        found = local.json(f"all show {userid} next")["matches"]
        assert boards == [row["board"] for row in found]
    assert "alice (X) to move, offer to bob" in local.text("all show bob next")
    local.desk.close()


def test_an_undo_of_before_still_means_the_last_move(empty_url: str) -> None:
    old_club(empty_url)
    game = parse_game("star(size=3)")
    engine = make_engine(parse_location(empty_url))
    with open_transaction(engine, Mode.WRITE) as connection:
        for ply, (text, position) in enumerate(
            (("C1", game.replay(["C1"])), ("C2", game.replay(["C1", "C2"]))), start=1
        ):
            insert = sa.text("INSERT INTO move VALUES (1, :ply, :text, :digest, :player, :now)")
            values = {"ply": ply, "text": text, "digest": position.digest(), "player": ply}
            connection.execute(insert, {**values, "now": NOW})
        connection.execute(sa.text("UPDATE match SET ply = 2 WHERE id = 1"))
        insert = sa.text("INSERT INTO offer VALUES (1, 'undo', 1, :now)")
        connection.execute(insert, {"now": NOW})
        connection.commit()
    engine.dispose()
    local = LocalServer(empty_url)
    offered = local.show(101)["offer"]
    players = local.show(101)["players"]
    with local.desk.store.writing() as records:
        match = records.matches.find("star", 101, lock=True)
        assert match is not None
        records.matches.save(match, accept(match, 2, NOW)[0])

    assert offered == {"kind": "undo", "by": players["X"], "result": None, "moves": ["C2"]}
    assert local.show(101)["moves"] == ["C1"]
    local.desk.close()


def test_games_of_before_lose_the_points_that_did_not_decide_them(empty_url: str) -> None:
    old_club(empty_url)
    won = "('star', {}, 'star(size=3)', 1, 1, 2, 1, 2, '{}', NULL, NULL, 0, 1, 1, 0, '{}', 4, 2, 5, 6, 6)"  # noqa: E501
    reasons = ["resignation", "forfeit", "agreement", "two-passes", "full-board"]
    engine = make_engine(parse_location(empty_url))
    with open_transaction(engine, Mode.WRITE) as connection:
        for number, reason in enumerate(reasons, start=103):
            values = won.format(number, "drawn", reason)
            connection.execute(sa.text(MATCH + values))
        connection.commit()
    engine.dispose()
    local = LocalServer(empty_url)
    rows = local.json("star history")["matches"]

    assert {"resignation": None, "forfeit": None, "agreement": None}.items() <= {
        row["reason"]: row["points"] for row in rows
    }.items()
    assert [{"X": 4, "O": 2}] * 2 == [row["points"] for row in rows if row["board"] > 105]
    local.desk.close()


def test_a_draw_of_before_that_was_agreed_on_at_the_empty_board_stays_unrated(
    empty_url: str,
) -> None:
    old_club(empty_url)
    local = LocalServer(empty_url)
    before = wrong_ratings(local.desk.store)
    with local.desk.store.writing() as records:
        count = records.ratings.rebuild()

    assert (before, count, wrong_ratings(local.desk.store)) == ([], 0, [])
    local.desk.close()


TO_0023 = (
    "ALTER TABLE match DROP COLUMN shift",
    "DROP TABLE recorded_name",
    "DROP TABLE secret",
    "UPDATE alembic_version SET version_num = '0023'",
)
TO_0021 = (
    *TO_0023,
    "ALTER TABLE signin_key DROP COLUMN ends_at",
    "UPDATE alembic_version SET version_num = '0021'",
)
TO_0017 = (
    *TO_0021,
    "DROP VIEW results",
    "DROP INDEX ix_match_counted",
    *(
        f"ALTER TABLE match DROP COLUMN {name}"
        for name in ("is_early", "is_swapped", "first_move", "turns")
    ),
    "CREATE TABLE result_count (id INTEGER PRIMARY KEY)",
    "CREATE VIEW results AS SELECT 1 AS one",
    "ALTER TABLE notice DROP COLUMN told_at",
    "ALTER TABLE preference DROP COLUMN keeps_vacation",
    "UPDATE alembic_version SET version_num = '0017'",
    "UPDATE rating SET value = 1729, deviation = 125",
    "UPDATE rating_change SET value = 1729",
    "UPDATE rating_change SET match_id = 1 WHERE match_id = 2",
)


def test_an_upgrade_rates_all_games_anew_and_says_so_once(local: LocalServer) -> None:
    for moves, end in (("C1 swap", "7-6"), ("C1 C2 C3 B2 B3 D2", "6-7"), ("C1 C2", "resign")):
        board = local.start()
        mover = local.show(board)["players"][local.play(board, moves)["to_move"]]
        local.move(board, mover, end if end == "resign" else f"propose {end}")
        if end != "resign":
            local.move(board, "alice" if mover == "bob" else "bob", f"accept {end}")
        local.clock.seconds += 10 * DAY
    before = local.tables()
    with local.desk.store.writing() as records:
        for statement in TO_0017:
            records.connection.exec_driver_sql(statement)
    local.desk.close()
    said: list[str] = []
    for _ in range(2):
        Store.open(local.url, notice=said.append).close()
    again = LocalServer(local.url)
    after = again.tables()

    assert ["All ratings were recalculated" in line for line in said] == [False, True]
    assert after["match"] == before["match"]
    assert [row[-5:-1] for row in after["match"]] == [
        (1, 1, "C1", 2),
        (None, 0, "C1", 6),
        (None, 0, "C1", 2),
    ]
    assert after["rating"] == before["rating"]
    assert [row[1:] for row in after["rating_change"]] == [
        row[1:] for row in before["rating_change"]
    ]
    assert {row[1] for row in after["rating_change"]} == {2, 3}
    assert wrong_of(again.desk.store, local.url)[1] == []
    again.desk.close()


def test_a_game_of_before_that_is_opened_again_gets_a_clock(empty_url: str) -> None:
    old_club(empty_url)
    local = LocalServer(empty_url)
    local.desk.tree = root(SHELL, shell_families())
    local.do("admin undo star 102")

    assert local.show(102)["status"] == "running"
    assert local.show(102)["time"]["used"] == {"X": 0, "O": 0}
    local.clock.seconds += 8 * DAY
    assert tick(local.desk).due == 2
    local.desk.close()


def test_who_was_signed_in_before_keys_had_ends_still_is(local: LocalServer) -> None:
    local.sign_up("alice")
    with local.desk.store.writing() as records:
        alice = records.players.find("alice")
        assert alice
        key = records.signin_keys.add(alice, NOW)
        for statement in TO_0017:
            records.connection.exec_driver_sql(statement)
    local.desk.close()
    again = LocalServer(local.url)
    with again.desk.store.reading() as records:
        found = [records.signin_keys.find(key, NOW + days * DAY) for days in (0, 89, 90)]

    assert [each and each.player.userid for each in found] == ["alice", "alice", None]
    again.desk.close()


def test_a_game_that_was_imported_before_names_were_kept_has_none(local: LocalServer) -> None:
    record = "pbmserv record 2\ngame: hex(size=3)\nfirst: a1\nsecond: b1\n"
    local.do("hex import", f"{record}result: a1 wins as X by resignation\n1. A1\n2. B1\n")
    with local.desk.store.writing() as records:
        for statement in TO_0023:
            records.connection.exec_driver_sql(statement)
    local.desk.close()
    again = LocalServer(local.url)
    given = "-first=a1 -second=c1"
    again.do(f"hex import {given}", "(;GM[11]SZ[3]PB[Ada]RE[B+R];B[a1];W[b1])")
    again.game = "hex"

    assert [("", ""), ("Ada", "")] == [again.match(number).recorded for number in (101, 102)]
    with again.desk.store.writing() as records:
        assert len(records.archived.key()) == KEY_BYTES
    again.desk.close()


def test_robots_of_before_keep_their_strength_under_other_numbers(empty_url: str) -> None:
    insert = sa.text(
        "INSERT INTO player (userid, userid_key, status, created_at, robot) "
        "VALUES (:name, :name, 'active', 1, :robot)"
    )
    store = Store.open(empty_url)
    with store.writing() as records:
        for statement in TO_0021:
            records.connection.exec_driver_sql(statement)
        rows = [(f"old{number}", f"level={number} games=star,y rated") for number in range(1, 8)]
        for name, robot in (*rows, ("ada", "program games=hex")):
            records.connection.execute(insert, {"name": name, "robot": robot})
    store.close()
    store = Store.open(empty_url)
    with store.reading() as records:
        robots = {player.userid: player.robot for player in records.players.robots()}
    store.close()

    assert robots.pop("ada") == Robot(None, ("hex",))
    assert robots == {
        f"old{number}": Robot(BEFORE[number - 1], ("star", "y"), is_rated=True)
        for number in range(1, 8)
    }
    assert [500, 10_000, 200_000] == [LEVELS[number - 1].simulations for number in BEFORE[4:]]

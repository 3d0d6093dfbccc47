"""What is kept about a player: all of it goes to the account it is merged into, or away."""

from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.club.clock import Clock, StoredClock, Warned
from pbmserv.club.notices import NoticeKind
from pbmserv.club.time_limits import TimeLimits
from pbmserv.club.vacation import Absence, Vacations
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.people.seeks import Seek
from pbmserv.store.store import Records, Store
from pbmserv.store.tables import audit, block, match, metadata, player, subscription, throttle
from tests.local_server import LocalServer

from .sample_rows import NOW, add_player, seat

STAR = parse_game("star(size=3)")
DAY = 86_400


def naming(records: Records, player_id: int) -> dict[str, int]:
    """Return in which columns the player is named, and how often."""
    found = {}
    for table in metadata.sorted_tables:
        for column in table.columns:
            if any(key.column is player.c.id for key in column.foreign_keys):
                count = sa.select(sa.func.count()).select_from(table).where(column == player_id)
                if rows := records.connection.execute(count).scalar_one():
                    found[str(column)] = rows
    return found


def rows_of(records: Records, table: sa.Table) -> list[Any]:
    return list(records.connection.execute(table.select().order_by(*table.primary_key)).all())


@pytest.fixture
def ids(store: Store) -> dict[str, int]:
    """Alice and bob, who have a bit of everything, with carol, who knows both."""
    with store.writing() as records:
        people = {userid: add_player(records, userid) for userid in ("alice", "bob", "carol")}
        ids = {userid: each.id for userid, each in people.items()}
        alice, bob, carol = ids.values()
        first = records.matches.add(STAR, seat(people["alice"]), seat(people["carol"]), NOW)
        against = records.matches.add(STAR, seat(people["bob"]), seat(people["alice"]), NOW)
        clock = Clock(
            alice,
            carol,
            NOW,
            used={alice: DAY},
            total_warnings={alice: Warned(NOW, 1), carol: Warned(NOW, 5)},
        )
        records.clocks.add(StoredClock(first.id, TimeLimits(), clock), NOW + 9 * DAY)
        records.clocks.add(StoredClock(against.id, TimeLimits(), Clock(bob, alice, NOW)), NOW)
        records.clocks.save(against.id, Clock(bob, alice, NOW), None)
        talk, people_ = records.talk, records.people
        for one, other in (
            (alice, bob),
            (bob, alice),
            (carol, alice),
            (carol, bob),
            (alice, carol),
        ):
            talk.block(one, other)
        for hearer in (alice, bob):
            talk.subscribe(first.id, hearer)
            people_.mute_board(first.id, hearer)
            people_.seek(Seek(0, hearer, "", STAR, TimeLimits(), True, 1, NOW))
        talk.say(first.id, alice, "hello", NOW)
        talk.send(alice, [bob, carol], "a word", NOW)
        talk.send(carol, [alice], "another", NOW)
        records.notices.add([alice], NoticeKind.MESSAGE, "carol writes: another", NOW)
        records.absences.save(alice, Vacations(absences=(Absence(NOW - DAY, NOW + DAY),)))
        records.budgets.allow(Purpose.HELP, Requester("alice@example.org", alice), NOW, 100)
        for userid in ("Alice", "bob"):
            records.throttle.failed(userid, "somebody@example.net", NOW)
            records.throttle.failed_in_shell(userid, NOW)
        records.audit.add(
            at=NOW, source="shell", verb="move", outcome="done", player_id=alice, detail="alice C1"
        )
        records.audit.add(
            at=NOW, source="shell", verb="block", outcome="done", player_id=carol, detail="Alice"
        )
        records.audit.add(
            at=NOW, source="shell", verb="block", outcome="done", player_id=carol, detail="malice"
        )
    return ids


def test_a_merged_account_is_named_nowhere_any_more(store: Store, ids: dict[str, int]) -> None:
    alice, bob, carol = ids.values()
    with store.writing() as records:
        count = records.accounts.merge(alice, bob, NOW)

        assert 2 == count
        assert {} == naming(records, alice)
        blocks = {(row.player_id, row.blocked_id) for row in rows_of(records, block)}
        assert {(carol, bob), (bob, carol)} == blocks
        assert [bob] == [row.player_id for row in rows_of(records, subscription)]
        assert {(bob, carol, 1), (bob, bob, 0)} == {
            (row.first_id, row.second_id, row.is_rated) for row in rows_of(records, match)
        }
        assert 1 == len(records.people.seeks())
        assert [("bob", "hello")] == [
            (said.userid, said.text) for said in records.talk.said(rows_of(records, match)[0].id)
        ]


def test_the_clocks_of_a_merged_account_run_on_without_its_vacations(
    store: Store, ids: dict[str, int]
) -> None:
    alice, bob, carol = ids.values()
    later = NOW + 3 * DAY
    with store.writing() as records:
        first, against = (row.id for row in rows_of(records, match))
        records.accounts.merge(alice, bob, later)
        found, stopped = (records.clocks.find(number) for number in (first, against))
        dues = [
            row.due_at
            for row in records.connection.execute(
                sa.select(sa.table("clock", sa.column("due_at"), sa.column("match_id")))
            )
        ]

    assert found is not None
    assert stopped is not None
    assert (bob, carol) == (found.clock.player_id, found.clock.opponent_id)
    assert {bob: DAY} == dict(found.clock.used)
    assert {carol: Warned(NOW, 5)} == dict(found.clock.total_warnings)
    # A day of the three was vacation: two have been used of this turn.
    assert later - 2 * DAY == found.clock.began_at
    assert {later, None} == set(dues)


def test_who_took_part_in_one_tournament_is_not_merged(local: LocalServer) -> None:
    local.sign_up("alice", "bob", "carol")
    local.do('tournament create alice secret-alice star "Cup" -size=3')
    for userid in ("bob", "carol"):
        local.do(f"tournament join 1 {userid} secret-{userid}")
    with local.desk.store.writing() as records:
        ids = {each.userid: each.id for each in records.lists.players().rows}
        with pytest.raises(Refused) as caught:
            records.accounts.merge(ids["bob"], ids["carol"], NOW)
        records.accounts.merge(ids["bob"], ids["alice"], NOW)

    assert "same-tournament" == caught.value.code
    assert ["alice", "carol"] == sorted(
        line["userid"] for line in local.json("tournament show 1")["entrants"]
    )


def test_who_is_erased_is_named_in_nothing_but_games(store: Store, ids: dict[str, int]) -> None:
    alice = ids["alice"]
    with store.writing() as records:
        add_player(records, f"erased-{alice}")
        name = records.accounts.erase(alice, "alice")

        assert f"erased-{alice}x" == name
        about = {column.partition(".")[0] for column in naming(records, alice)}
        assert {"block", "chat", "message", "notice", "subscription"}.isdisjoint(about)
        assert {"match", "audit"} <= about
        assert {"", "malice"} == {row.detail for row in rows_of(records, audit)}
        guessed = [row.userid_key for row in rows_of(records, throttle) if row.userid_key]
        assert ["bob"] * 2 == guessed
        assert "'alice'" not in repr([rows_of(records, table) for table in metadata.sorted_tables])


def test_a_player_is_given_all_that_is_kept_of_them_but_who_blocks_them(
    store: Store, ids: dict[str, int]
) -> None:
    with store.writing() as records:
        found = {each.table: each for each in records.accounts.rows_of(ids["alice"], "alice")}
        named = {column.partition(".")[0] for column in naming(records, ids["alice"])}

    assert named <= found.keys()
    assert "player" in found
    assert [("alice", "bob"), ("alice", "carol")] == sorted(
        tuple(row[:2]) for row in found["block"].rows
    )
    assert 1 == len(found["budget"].rows)
    assert 2 == len(found["throttle"].rows)
    assert 2 == len(found["match"].rows)
    assert {"star 101"} == {
        value for row in found["subscription"].rows for value in row if "star" in str(value)
    }


def test_others_are_given_nothing_of_it(store: Store, ids: dict[str, int]) -> None:
    del ids
    with store.writing() as records:
        dora = add_player(records, "dora")
        found = [each.table for each in records.accounts.rows_of(dora.id, "dora")]

    assert ["player"] == found

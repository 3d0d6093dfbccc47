from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from pbmserv.club.match import OfferKind
from pbmserv.club.play import accept, offer, reject, resign, submit
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault
from pbmserv.store.connection import Mode, open_transaction
from pbmserv.store.faults import is_transient
from pbmserv.store.store import Store
from pbmserv.store.tables import match as match_table
from pbmserv.store.tables import move

from .sample_rows import NOW, find, new_match, new_match_within, played, save


def test_a_new_match_is_found_as_it_was_added(store: Store) -> None:
    added = new_match(store, "star(size=7,maxi)")

    assert find(store, added) == added
    assert added.number == 101
    assert added.game == parse_game("star(size=7,maxi)")


def test_numbers_run_per_game_and_are_not_given_again_after_a_decline(store: Store) -> None:
    first = new_match(store)
    declined, _ = resign(first, first.first.player_id, NOW)
    save(store, first, declined)
    with store.writing() as records:
        numbers = [
            records.matches.add(parse_game(spec), first.first, first.second, NOW).number
            for spec in ("star", "star", "starweb")
        ]

    assert numbers == [102, 103, 101]


def test_an_undone_addition_uses_up_no_number(store: Store) -> None:
    first = new_match(store)
    with pytest.raises(ZeroDivisionError), store.writing() as records:  # noqa: PT012
        records.matches.add(first.game, first.first, first.second, NOW)
        raise ZeroDivisionError
    with store.writing() as records:
        added = records.matches.add(first.game, first.first, first.second, NOW)

    assert added.number == 102


def test_nothing_is_found_under_a_number_that_was_not_given(store: Store) -> None:
    with store.writing() as records:
        found = [records.matches.find("star", 101, lock=lock) for lock in (False, True)]

    assert found == [None, None]


def test_moves_swap_and_result_are_kept(store: Store) -> None:
    match = new_match(store)
    after = played(match, "C1", "swap", "D1", "pass", "pass")
    found = save(store, match, after)

    assert found == after
    assert found.status is Status.DRAWN or found.record.winner is not None
    assert found.seats[Side.X].userid == "bob"


def test_offers_and_submissions_are_kept_and_cleared(store: Store) -> None:
    match = played(new_match(store), "C1")
    start = find(store, match)
    bob = match.second.player_id
    submitted, _ = submit(match, bob, match.game.parse_move("D1"), NOW + 2)
    offered, _ = offer(submitted, bob, OfferKind.DRAW, NOW + 3)
    replaced, _ = offer(offered, bob, OfferKind.UNDO, NOW + 4, turns=1)
    rejected, _ = reject(replaced, bob, NOW + 5)
    moved = played(rejected, "D1")
    states = [start, match, submitted, offered, replaced, rejected, moved]
    found = [save(store, before, after) for before, after in pairwise(states)]

    assert found == states[1:]


def test_an_undo_takes_the_last_turn_out_of_the_record(store: Store) -> None:
    start = new_match(store)
    match = played(start, "C1", "swap")
    save(store, start, match)
    offered, _ = offer(match, match.second.player_id, OfferKind.UNDO, NOW + 3)
    undone, _ = accept(offered, match.first.player_id, NOW + 4)
    again = played(undone, "D1")
    found = save(store, match, again)

    assert found == again
    assert [turn.text for turn in found.turns] == ["C1", "D1"]
    assert found.seats[Side.X].userid == "alice"


def test_a_change_of_what_has_changed_meanwhile_is_not_tried_again(store: Store) -> None:
    match = new_match(store)
    save(store, match, played(match, "C1"))
    with pytest.raises(Fault) as caught:
        save(store, match, played(match, "D1"))

    assert caught.value.code == "match-changed"
    assert not is_transient(caught.value)
    assert [turn.text for turn in find(store, match).turns] == ["C1"]


def test_a_damaged_move_is_noticed_and_not_played_on(store: Store) -> None:
    match = new_match(store)
    save(store, match, played(match, "C1", "D1"))
    with store.writing() as records:
        records.connection.execute(move.update().where(move.c.ply == 1).values(text="C2"))
    damaged = find(store, match)
    with pytest.raises(Fault) as caught:
        _ = damaged.position

    assert caught.value.code == "damaged-match"


def test_other_rules_are_noticed(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        records.connection.execute(match_table.update().values(rules_version=99))
    with pytest.raises(Fault) as caught:
        find(store, match)

    assert caught.value.code == "other-rules"


def test_a_row_that_the_turns_do_not_bear_out_is_named(store: Store) -> None:
    match = new_match(store)
    saved = save(store, match, played(match, "C1"))
    with store.writing() as records:
        before = records.matches.wrong_columns(saved)
        records.connection.execute(match_table.update().values(ply=7, to_move="X"))
    with store.reading() as records:
        after = records.matches.wrong_columns(saved)

    assert before == []
    assert after == ["to_move", "ply"]


def test_a_counter_behind_its_boards_is_named(store: Store) -> None:
    new_match(store)
    with store.writing() as records:
        before = records.matches.wrong_counters()
        records.connection.exec_driver_sql("UPDATE counter SET value = 100")
        after = records.matches.wrong_counters()

    assert (before, after) == ([], ["star"])


def test_a_savepoint_is_undone_alone(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        with pytest.raises(ZeroDivisionError), records.savepoint():  # noqa: PT012
            records.matches.save(match, played(match, "C1"))
            raise ZeroDivisionError
        records.audit.add(at=NOW, source="shell", verb="move", outcome="refused")
    with store.reading() as records:
        entries = records.lists.audit().rows

    assert find(store, match) == match
    assert [entry.outcome for entry in entries] == ["refused"]


def test_an_exception_undoes_the_whole_transaction(store: Store) -> None:
    match = new_match(store)
    with pytest.raises(ZeroDivisionError), store.writing() as records:  # noqa: PT012
        records.matches.save(match, played(match, "C1"))
        raise ZeroDivisionError

    assert find(store, match) == match


def test_what_was_undone_is_not_taken_for_what_another_process_did_then(
    store: Store, database_url: str
) -> None:
    match = new_match(store)
    with suppress(ZeroDivisionError), store.writing() as records:
        records.matches.find("star", match.number, lock=True)
        records.matches.save(match, played(match, "C1"))
        raise ZeroDivisionError
    other = Store.open(database_url)
    theirs = save(other, find(other, match), played(match, "D1"))
    other.close()

    assert theirs != played(match, "C1")
    assert [find(store, match) for _ in range(2)] == [theirs, theirs]


def test_whoever_signs_at_a_board_has_it_to_themselves(store: Store) -> None:
    if store.engine.dialect.name == "sqlite":
        pytest.skip("whoever writes on SQLite has the whole database")
    match = new_match(store)
    free = sa.select(match_table.c.id).with_for_update(skip_locked=True)
    found = []
    for board in (None, ("star", match.number)):
        with store.writing() as records, open_transaction(store.engine, Mode.WRITE) as other:
            assert records.signer("alice", board) is not None
            found.append(other.execute(free).scalars().all())

    assert found == [[match.id], []]


def test_nobody_signs_and_no_match_is_locked_for_them(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        signers = [records.signer("carol", ("star", match.number)), records.signer("carol", None)]
        again = records.matches.find("star", match.number, lock=True)

    assert (signers, again) == ([None, None], match)


def test_a_transaction_follows_another_on_the_same_connection_unless_that_failed(
    store: Store,
) -> None:
    def of_database() -> object:
        with store.writing() as records:
            return records.connection.connection.dbapi_connection

    first = of_database()
    with pytest.raises(ZeroDivisionError), store.writing() as records:  # noqa: PT012
        match = new_match_within(records)
        raise ZeroDivisionError
    with store.reading() as records:
        assert records.matches.get(match.id) is None

    assert of_database() is first
    assert isinstance(store.engine.pool, sa.QueuePool)
    assert store.engine.pool.checkedout() == 1
    store.close()
    assert store.engine.pool.checkedout() == 0


def test_a_match_is_loaded_with_its_flags(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        added = records.matches.add(
            match.game, match.first, match.second, NOW, is_rated=False, is_imported=True
        )
    found = find(store, added)

    assert (found.is_rated, found.is_imported) == (False, True)
    assert replace(found, id=0) == replace(added, id=0)


def test_a_locked_match_is_not_read_again_and_is_as_it_was_saved(store: Store) -> None:
    before = new_match(store)
    after = played(before, "C1", "swap")
    read: list[str] = []

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        read.append(statement)

    with store.writing() as records:
        assert records.matches.find("star", before.number, lock=True) == before
        records.matches.save(before, after)
        event.listen(store.engine, "before_cursor_execute", note)
        again = records.matches.find("star", before.number, lock=True)
        event.remove(store.engine, "before_cursor_execute", note)

    assert read == []
    assert again == after == find(store, before)


def test_what_was_undone_with_a_savepoint_is_not_found(store: Store) -> None:
    before = new_match(store)
    with store.writing() as records:
        records.matches.find("star", before.number, lock=True)
        with pytest.raises(ZeroDivisionError), records.savepoint():  # noqa: PT012
            records.matches.save(before, played(before, "C1"))
            raise ZeroDivisionError
        again = records.matches.find("star", before.number, lock=True)

    assert again == before == find(store, before)


def test_a_match_is_got_by_its_identity(store: Store) -> None:
    match = new_match(store)
    with store.reading() as records:
        found = [records.matches.get(match.id), records.matches.get(match.id + 1)]

    assert found == [match, None]

"""Small promises of the store: who may do what during maintenance, keys, pages, and memory."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from pbmserv.club.play import resign
from pbmserv.engine.moments import DAY, WEEK
from pbmserv.engine.spec import parse_game
from pbmserv.errors import CarriedOut, Fault, Paused
from pbmserv.store.faults import translated
from pbmserv.store.files.location import mode_problem, private_mode
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.operator_lists import Filter
from pbmserv.store.progress import WATCH, teller
from pbmserv.store.store import Records, Store
from pbmserv.store.tables import budget
from tests.databases import ONE_DATABASE

from .sample_rows import NOW, add_player, find, new_match, played, save

STAR = parse_game("star(size=3)")


def test_during_maintenance_everybody_looks_and_operators_alone_change(store: Store) -> None:
    new_match(store)
    with store.writing(for_operators=True) as records:
        records.maintenance.begin(NOW)
    with store.reading() as records:
        assert NOW == records.maintenance.since()
        assert ["alice", "bob"] == [each.userid for each in records.lists.players().rows]
    with pytest.raises(Paused), store.writing():
        raise AssertionError
    with store.writing(for_operators=True) as records:
        add_player(records, "carol")
        records.maintenance.end()
    with store.writing() as records:
        add_player(records, "dora")
        assert records.maintenance.since() is None


def noted(records: Records, at: int, key: str | None = None) -> None:
    records.audit.add(at=at, source="shell", verb="move", outcome="done", key=key)


def test_a_request_with_a_key_is_carried_out_once(store: Store) -> None:
    with store.writing() as records:
        assert not records.audit.has("one")
        noted(records, NOW, "one")
        noted(records, NOW)
        noted(records, NOW)
        assert records.audit.has("one")
        assert not records.audit.has("two")
    with pytest.raises(CarriedOut), store.writing() as records:
        noted(records, NOW, "one")
    with store.writing() as records:
        noted(records, NOW, "two")


def test_what_was_noted_before_a_moment_is_forgotten_and_counted(store: Store) -> None:
    with store.writing() as records:
        for at in (1, 2, 3):
            noted(records, NOW + at)
        assert 2 == records.audit.forget(NOW + 3)
        assert [NOW + 3] == [each.at for each in records.lists.audit().rows]


def test_only_rated_games_that_have_ended_count_for_ratings(store: Store) -> None:
    first = new_match(store)
    with store.writing() as records:
        seats = first.first, first.second
        unrated = records.matches.add(STAR, *seats, NOW, is_rated=False)
        other = records.matches.add(STAR, *seats, NOW)
        assert 0 == records.ratings.count()
    for number, one in enumerate((first, unrated, other), start=1):
        before = played(one, "C1", "C2")
        save(store, one, before)
        ended, _ = resign(find(store, one), one.first.player_id, NOW + 5 + number)
        save(store, find(store, one), ended)
    with store.reading() as records:
        assert 2 == records.ratings.count()
        assert [101, 103] == [number for _, _, number in records.ratings.unrecorded(0, 9)]
        assert [101] == [number for _, _, number in records.ratings.unrecorded(0, 1)]
        assert [103] == [n for _, _, n in records.ratings.unrecorded(first.id, 9)]


def test_pages_of_a_list_know_how_many_there_are_in_all(store: Store) -> None:
    with store.writing() as records:
        for userid in ("alice", "bob", "carol", "dora", "emil"):
            add_player(records, userid)
    with store.reading() as records:
        page = records.lists.players(Filter(limit=2, offset=2))
        whole = records.lists.players(Filter())

    assert ["carol", "dora"] == [each.userid for each in page.rows]
    assert 5 == page.total == whole.total == len(whole.rows)


@ONE_DATABASE
def test_a_mail_that_waits_is_forgotten_after_two_weeks_and_others_with_their_window(
    store: Store,
) -> None:
    with store.writing() as records:
        alice = add_player(records, "alice")
        records.waiting_mails.add(alice.id, "mail", NOW)
        records.latecomers.note("a@example.org", NOW)
        records.budgets.allow(Purpose.DIGEST, Requester("", alice.id), NOW)
        counts = []
        for later in (DAY - 1, DAY, 2 * WEEK - 1, 2 * WEEK):
            records.budgets.forget(NOW + later)
            count = sa.select(sa.func.count()).select_from(budget)
            counts.append(records.connection.execute(count).scalar_one())

    assert [3, 2, 2, 0] == counts


def test_an_error_of_the_database_names_it_and_another_passes() -> None:
    with pytest.raises(Fault) as caught, translated("games.sqlite"):
        raise sqlite3.DatabaseError("no matter what")
    assert "games.sqlite" in caught.value.message
    assert "no matter what" not in caught.value.words
    with pytest.raises(ZeroDivisionError), translated("games.sqlite"):
        raise ZeroDivisionError
    with translated("games.sqlite"):
        pass


def test_progress_is_told_to_whoever_watches_and_asked_for_by_nobody_else() -> None:
    seen: list[tuple[int, int]] = []

    def never() -> int:
        raise AssertionError

    teller(never)(1)
    token = WATCH.set(lambda done, whole: seen.append((done, whole)))
    try:
        tell = teller(lambda: 7)
        tell(3)
        tell(7)
    finally:
        WATCH.reset(token)

    assert [(3, 7), (7, 7)] == seen


def test_a_file_is_its_owner_s_or_its_group_s_where_a_group_shares_the_folder(
    tmp_path: Path,
) -> None:
    file = tmp_path / "games.sqlite"
    file.write_text("")
    for mode, is_wrong in ((0o600, False), (0o640, True), (0o604, True), (0o400, False)):
        file.chmod(mode)
        assert is_wrong is bool(mode_problem(file))
    assert 0o600 == private_mode(tmp_path)
    tmp_path.chmod(0o2770)
    assert 0o660 == private_mode(tmp_path)
    for mode, is_wrong in ((0o600, True), (0o660, False), (0o664, True)):
        file.chmod(mode)
        assert is_wrong is bool(mode_problem(file))


@ONE_DATABASE
def test_each_wish_for_an_opponent_is_as_it_was_made(store: Store) -> None:
    from pbmserv.club.time_limits import TimeLimits
    from pbmserv.store.people.seeks import Seek

    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        big = parse_game("star(size=5)")
        for player, game, is_rated in ((alice, STAR, True), (bob, STAR, False), (alice, big, True)):
            wish = Seek(0, player.id, "", game, TimeLimits(), is_rated, 2, NOW)
            records.people.seek(wish)
            records.people.seek(wish)
        found = [(s.userid, s.game, s.is_rated, s.wanted) for s in records.people.seeks(["star"])]
        assert [
            ("alice", STAR, True, 2),
            ("bob", STAR, False, 2),
            ("alice", big, True, 2),
        ] == found
        assert [] == records.people.seeks(["hex"])
        assert 2 == records.people.stop_seeking(alice.id, "star")
        assert [bob.id] == [sought.player_id for sought in records.people.seeks()]

"""Robots' turns, of which each is one worker's for five minutes, and keys that live ninety days."""

import pytest

from pbmserv.club.player import PlayerStatus, Robot
from pbmserv.engine.spec import parse_game
from pbmserv.store.matches.robot_queue import LEASE, RobotTurn
from pbmserv.store.store import Records, Store
from tests.local_server import DAY

from .sample_rows import NOW, add_player, new_match, played, save

MINUTE = 60


@pytest.fixture
def turn(store: Store) -> RobotTurn:
    """The one turn that waits: alice plays X and is a robot."""
    match = new_match(store)
    with store.writing() as records:
        records.players.make_robot(match.first.player_id, Robot(4, ("star",), is_rated=False))
        (found,) = records.robots.waiting(NOW)
    return found


def test_a_turn_is_a_workers_for_five_minutes(store: Store, turn: RobotTurn) -> None:
    with store.writing() as records:
        robots = records.robots

        assert robots.has_due(NOW)
        assert robots.claim(NOW) == turn
        assert not robots.has_due(NOW + 5 * MINUTE - 1)
        assert robots.claim(NOW + 5 * MINUTE - 1) is None
        assert not robots.take(turn, NOW + 5 * MINUTE - 1)
        assert robots.waiting(NOW) == [turn]
        assert robots.claim(NOW + 5 * MINUTE) == turn
        robots.done(turn.match_id)
        assert robots.take(turn, NOW + 5 * MINUTE)


def test_a_turn_that_fails_waits_longer_with_each_try(store: Store, turn: RobotTurn) -> None:
    waits = []
    now = NOW
    with store.writing() as records:
        for _ in range(4):
            assert records.robots.claim(now) == turn
            records.robots.failed(turn, now)
            waits.append(next(m for m in range(99) if records.robots.has_due(now + m * MINUTE)))
            now += waits[-1] * MINUTE
        newer = turn._replace(revision=turn.revision + 1)
        assert records.robots.take(newer, now)
        records.robots.failed(newer, now)
        assert not records.robots.take(newer, now + 5 * MINUTE - 1)
        assert records.robots.take(newer, now + 5 * MINUTE)

    assert waits == [5, 10, 20, 40]


def test_of_several_turns_the_one_that_waits_longest_is_taken_first_and_each_by_itself(
    store: Store, turn: RobotTurn
) -> None:
    with store.writing() as records:
        first = records.matches.find("star", turn.number)
        assert first is not None
        for game, now in (("hex(size=4)", NOW + 2), ("star(size=3)", NOW + 1)):
            records.matches.add(parse_game(game), first.first, first.second, now)
        robots = records.robots
        waiting = robots.waiting(NOW + 9)
        taken = [robots.claim(NOW + 9) for _ in range(4)]
        robots.failed(waiting[1], NOW + 9)
        robots.done(waiting[0].match_id)
        again = [robots.claim(NOW + 9 + LEASE) for _ in range(2)]

    named = [("star", 101, NOW), ("star", 102, NOW + 1), ("hex", 101, NOW + 2)]
    assert [(each.game, each.number, each.since) for each in waiting] == named
    assert taken == [*waiting, None]
    assert again == waiting[:2]
    with store.reading() as records:
        assert records.robots.boards_against(first.second.player_id) == 3


def test_a_person_to_move_is_no_turn_and_no_robot_that_is_suspended_or_gone_has_one(
    store: Store, turn: RobotTurn
) -> None:
    with store.reading() as records:
        match = records.matches.find("star", turn.number)
    assert match is not None
    after = save(store, match, played(match, "C1"))
    with store.reading() as records:
        assert records.robots.waiting(NOW + 9) == []
        assert records.robots.boards_against(after.second.player_id) == 1
        assert records.robots.boards_against(after.first.player_id) == 0
    save(store, after, played(after, "C2"))
    with store.writing() as records:
        assert len(records.robots.waiting(NOW + 9)) == 1
        records.players.suspend(after.first.player_id, NOW)
        assert records.robots.waiting(NOW + 9) == []
        records.players.suspend(after.first.player_id, None)
        assert len(records.robots.waiting(NOW + 9)) == 1
        robot = records.players.get(after.first.player_id)
        records.players.save(robot._replace(status=PlayerStatus.CLOSED), closed_at=NOW)
        assert records.robots.waiting(NOW + 9) == []


def signed_in(records: Records, key: str, now: int) -> str | None:
    found = records.signin_keys.find(key, now)
    return found.player.userid if found else None


def test_a_key_signs_in_for_ninety_days_after_its_last_use(store: Store) -> None:
    with store.writing() as records:
        alice = add_player(records, "alice")
        keys = records.signin_keys
        key = keys.add(alice, NOW)
        number, _, secret = key.partition("-")
        later = NOW + 90 * DAY - 1

        assert signed_in(records, key, later) == "alice"
        assert signed_in(records, key, later + 1) is None
        keys.used(int(number), later)
        assert signed_in(records, key, later + 90 * DAY - 1) == "alice"
        assert keys.forget(later + 90 * DAY - 1) == 0
        assert keys.forget(later + 90 * DAY) == 1
        assert signed_in(records, key, NOW) is None
        assert len(secret) == 64


HOUR = 60 * MINUTE


def test_a_key_with_an_end_signs_in_until_then_however_it_is_used(store: Store) -> None:
    with store.writing() as records:
        keys = records.signin_keys
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        short, long = keys.add(alice, NOW, NOW + 12 * HOUR), keys.add(bob, NOW, NOW + 91 * DAY)
        keys.used(int(short.partition("-")[0]), NOW + 12 * HOUR - 1)
        found = [
            (signed_in(records, short, now), signed_in(records, long, now))
            for now in (NOW - DAY, NOW + 12 * HOUR - 1, NOW + 12 * HOUR, NOW + 90 * DAY)
        ]

        assert found == [("alice", "bob"), ("alice", "bob"), (None, "bob"), (None, None)]
        kept = [keys.find(key, NOW) for key in (short, keys.add(alice, NOW))]
        assert [each and each.ends_at for each in kept] == [NOW + 12 * HOUR, None]
        assert keys.forget(NOW + 12 * HOUR - 1) == 0
        assert keys.forget(NOW + 12 * HOUR) == 1
        assert signed_in(records, short, NOW) is None
        assert signed_in(records, long, NOW) == "bob"


def test_a_players_keys_are_listed_without_those_that_have_ended(store: Store) -> None:
    with store.writing() as records:
        keys = records.signin_keys
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        first, second, third = (
            int(keys.add(alice, made, ends).partition("-")[0])
            for made, ends in ((NOW, None), (NOW + 1, NOW + HOUR), (NOW + 2, NOW + 99 * DAY))
        )
        keys.add(bob, NOW)
        keys.used(first, NOW + DAY)
        listed = {now: keys.of_player(alice.id, now) for now in (NOW + 9, NOW + HOUR)}

    assert listed == {
        NOW + 9: [
            (third, NOW + 2, NOW + 2, NOW + 2 + 90 * DAY),
            (second, NOW + 1, NOW + 1, NOW + HOUR),
            (first, NOW, NOW + DAY, NOW + 91 * DAY),
        ],
        NOW + HOUR: [listed[NOW + 9][0], listed[NOW + 9][2]],
    }


def test_a_player_ends_a_key_of_their_own_and_of_nobody_else(store: Store) -> None:
    with store.writing() as records:
        keys = records.signin_keys
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        own, kept, other = keys.add(alice, NOW), keys.add(alice, NOW), keys.add(bob, NOW)
        number, foreign = (int(key.partition("-")[0]) for key in (own, other))
        ended = [keys.remove_own(alice.id, each) for each in (number, foreign, number, 99)]
        left = [signed_in(records, key, NOW) for key in (own, kept, other)]

    assert ended == [True, False, False, False]
    assert left == [None, "alice", "bob"]


@pytest.mark.parametrize("form", ["{0}-{2}", "{0}{1}", "x-{1}", "-{1}", "{0}-{1}0", "9-{1}", ""])
def test_what_is_no_key_signs_nobody_in(store: Store, form: str) -> None:
    with store.writing() as records:
        key = records.signin_keys.add(add_player(records, "alice"), NOW)
        number, _, secret = key.partition("-")

        assert signed_in(records, form.format(number, secret, secret[::-1]), NOW) is None
        assert signed_in(records, f"{number}-{secret}", NOW) == "alice"


def test_keys_end_one_by_one_or_all_of_a_player_and_with_their_password(store: Store) -> None:
    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        keys = records.signin_keys
        first, second, third = (keys.add(alice, NOW) for _ in range(3))
        other = keys.add(bob, NOW)
        keys.remove(int(first.partition("-")[0]))
        found = [signed_in(records, key, NOW) for key in (first, second, third, other)]

        assert found == [None, "alice", "alice", "bob"]
        assert keys.remove_all(alice.id) == 2
        assert [signed_in(records, key, NOW) for key in (second, other)] == [None, "bob"]
        records.players.save(bob._replace(password_hash="another"))
        assert signed_in(records, other, NOW) is None

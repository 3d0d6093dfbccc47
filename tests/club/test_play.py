"""What players may do at a board, as pure functions of the match."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest

from pbmserv.club.events import EventKind, describe
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import (
    Change,
    accept,
    confirm,
    offer,
    play,
    reject,
    remove,
    resign,
    submit,
    take_back,
)
from pbmserv.club.player import Seat
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault, Refused

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")
NOW = 1_800_000_000


def match(*texts: str, second: Seat = BOB) -> Match:
    """Return a match on the smallest board after these moves, each by whoever is to move."""
    made = Match(7, parse_game("star(size=3)"), 101, ALICE, second, NOW, NOW)
    for number, text in enumerate(texts, start=1):
        on_move = made.next_seat
        assert on_move is not None
        made, _ = play(made, on_move.player_id, made.game.parse_move(text), NOW + number)
    return made


def code(call: object, *arguments: object) -> str:
    assert callable(call)
    with pytest.raises(Refused) as caught:
        call(*arguments)
    return caught.value.code


def test_no_function_changes_the_match_it_is_given() -> None:
    before = match("C1", "C2")
    twin = match("C1", "C2")
    play(before, 1, before.game.parse_move("B3"), NOW)
    resign(before, 2, NOW)
    accept(offer(before, 1, OfferKind.UNDO, NOW)[0], 2, NOW)
    submit(before, 1, before.game.parse_move("B3"), NOW)

    assert before == twin
    with pytest.raises(FrozenInstanceError):
        before.number = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("outcome", "untitled", "titled"),
    [
        (Outcome(Side.O, Reason.FORFEIT), "bob wins on time.", "bob wins #7 on time."),
        (
            Outcome(Side.X, Reason.AGREEMENT, {Side.X: 7, Side.O: 6}),
            "bob wins, 7 to 6, by agreement.",
            "bob wins #7, 7 to 6, by agreement.",
        ),
        (
            Outcome(None, Reason.TWO_PASSES),
            "A draw after two passes.",
            "#7 is a draw after two passes.",
        ),
        (
            Outcome(None, Reason.DECLINED),
            "The game was declined and removed.",
            "#7 was declined and removed.",
        ),
        (
            Outcome(None, Reason.REMOVED),
            "The game was removed by the operator.",
            "#7 was removed by the operator.",
        ),
    ],
)
def test_every_kind_of_ending_has_its_sentence(
    outcome: Outcome, untitled: str, titled: str
) -> None:
    assert (untitled, titled) == (
        outcome.sentence("bob wins", "", outcome.points),
        outcome.sentence("bob wins", "#7", outcome.points),
    )


@pytest.mark.parametrize("change", [take_back, remove])
def test_nothing_that_waited_outlives_what_an_operator_does(
    change: Callable[[Match, int], Change],
) -> None:
    before = match("C1", "C2")
    before, _ = submit(before, 1, before.game.parse_move("B3"), NOW)
    before, _ = offer(before, 2, OfferKind.DRAW, NOW)
    after, _ = change(before, NOW + 9)

    assert (after.submissions, after.offer) == ({}, None)
    assert (after.revision, after.changed_at) == (before.revision + 1, NOW + 9)


def test_seats_follow_the_swap() -> None:
    swapped = match("C1", "swap", "C2")

    assert [swapped.record.seats_after(ply)[Side.X].userid for ply in range(4)] == [
        "alice",
        "alice",
        "bob",
        "bob",
    ]
    assert (swapped.side_of(1), swapped.side_of(2)) == (Side.O, Side.X)
    assert swapped.next_seat == BOB
    assert swapped.seat_of(3) is None


def test_an_end_by_the_rules_follows_the_move_at_once() -> None:
    before = match("C1", "B3", "pass")
    after, events = play(before, 2, before.game.parse_move("pass"), NOW + 9)

    assert [event.kind for event in events] == [EventKind.PASSED, EventKind.FINISHED]
    assert describe(events[-1]) == "alice (X) wins Star Board 101, 1 to 0, after two passes."
    assert (after.status, after.record.winner, after.next_seat) == (Status.WON, ALICE, None)
    assert after.record.points == {"X": 1, "O": 0}


@pytest.mark.parametrize(
    ("texts", "status", "kinds"),
    [
        ((), Status.REMOVED, [EventKind.DECLINED]),
        (("C1",), Status.REMOVED, [EventKind.DECLINED]),
        (("C1", "C2"), Status.WON, [EventKind.RESIGNED, EventKind.FINISHED]),
        (("C1", "swap"), Status.WON, [EventKind.RESIGNED, EventKind.FINISHED]),
    ],
)
@pytest.mark.parametrize("player", [1, 2])
def test_resigning_and_declining(
    texts: tuple[str, ...], status: Status, kinds: list[EventKind], player: int
) -> None:
    before = match(*texts)
    after, events = resign(before, player, NOW)

    assert (after.status, [event.kind for event in events]) == (status, kinds)
    assert after.record.winner in (None, BOB if player == 1 else ALICE)
    assert (after.record.winner is None) == (status is Status.REMOVED)


def test_nothing_happens_after_the_end() -> None:
    over, _ = resign(match("C1", "C2"), 1, NOW)
    move = over.game.parse_move("B3")
    codes = {
        code(play, over, 1, move, NOW),
        code(resign, over, 1, NOW),
        code(offer, over, 1, OfferKind.DRAW, NOW),
        code(accept, over, 2, NOW),
        code(reject, over, 2, NOW),
        code(submit, over, 1, move, NOW),
        code(confirm, over, 1, NOW),
    }

    assert codes == {"game-over"}


def test_strangers_do_nothing() -> None:
    running = match("C1", "C2")
    codes = {code(resign, running, 3, NOW), code(offer, running, 3, OfferKind.DRAW, NOW)}

    assert codes == {"not-a-player"}


def test_every_change_counts_once() -> None:
    start = match("C1")
    offered, _ = offer(start, 1, OfferKind.UNDO, NOW)
    undone, _ = accept(offered, 2, NOW)
    ended, _ = resign(undone, 2, NOW)

    assert [each.revision for each in (start, offered, undone, ended)] == [1, 2, 3, 4]


def test_a_match_that_its_digests_belie_is_a_fault() -> None:
    good, other = match("C1", "C2"), match("D1", "C2")
    damaged = Match(7, good.game, 101, ALICE, BOB, NOW, NOW, turns=(other.turns[0], good.turns[1]))
    with pytest.raises(Fault) as caught:
        _ = damaged.record

    assert caught.value.code == "damaged-match"
    assert "at move 2" in caught.value.message


def test_a_game_against_oneself_is_lost_by_the_side_to_move() -> None:
    alone = match("C1", "C2", "B3", second=ALICE)
    after, _ = resign(alone, 1, NOW)

    assert alone.is_self_play
    assert after.outcome is not None
    assert after.outcome.winner is Side.X

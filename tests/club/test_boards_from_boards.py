"""Boards that began from another one, boards that are not as they say, and who has won what."""

from dataclasses import replace
from typing import Any

import pytest

from pbmserv.club.events import EventKind
from pbmserv.club.match import Match, MatchEnd, Offer, OfferKind, Origin, Turn, restore_moves
from pbmserv.club.match_check import findings
from pbmserv.club.play import (
    certainty_event,
    offer,
    play,
    remove,
    resign,
    run_out,
    submit,
    take_back,
)
from pbmserv.club.player import Seat
from pbmserv.club.puzzles import count_puzzles, puzzle_of_day, puzzles
from pbmserv.club.rating import PROVISIONAL_DEVIATION, START_DEVIATION, Rating, after_idle, at
from pbmserv.club.standing import RatedGame, RatingChange, Standing, Standings, after_game
from pbmserv.engine.moments import DAY, WEEK
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import NotFound

from .test_play import ALICE, BOB, NOW, code, match
from .test_restored import fresh, moves_of

X, O = Side.X, Side.O
CAROL = Seat(3, "carol")


def begun(*texts: str) -> Match:
    """Return a board that began with two moves of another one, after these moves of its own."""
    made = restore_moves(
        replace(fresh("star(size=3)"), origin=Origin(104, 2)), moves_of("C1 C2"), None, NOW
    )
    for text in texts:
        on_move = made.next_seat
        assert on_move is not None
        made, _ = play(made, on_move.player_id, made.game.parse_move(text), NOW)
    return made


@pytest.mark.parametrize("own", [0, 1, 2])
def test_only_its_own_moves_make_a_board_one_that_was_played(own: int) -> None:
    board = begun(*("B3", "D2")[:own])
    status = Status.WON if own == 2 else Status.REMOVED

    assert own == board.own_ply
    assert status is resign(board, 1, NOW)[0].status
    assert status is run_out(board, 1, NOW)[0].status


def test_what_was_played_elsewhere_is_not_taken_back() -> None:
    assert "nothing-to-undo" == code(offer, begun(), 1, OfferKind.UNDO, NOW)
    assert "nothing-to-undo" == code(take_back, begun(), NOW)
    after, _ = take_back(begun("B3"), NOW)
    assert ["C1", "C2"] == [turn.text for turn in after.turns]
    offered, _ = offer(begun("B3"), 1, OfferKind.UNDO, NOW)
    assert offered.offer is not None
    assert OfferKind.UNDO is offered.offer.kind


@pytest.mark.parametrize(
    ("ply", "count"), [(None, 3), (0, 0), (1, 1), (3, 3), (-1, 2), (-2, 1), (-3, 0)]
)
def test_a_moment_is_counted_from_the_beginning_or_from_now(ply: int | None, count: int) -> None:
    assert count == match("C1", "C2", "B3").after(ply).ply


@pytest.mark.parametrize("ply", [4, -4])
def test_there_is_no_moment_before_the_first_or_after_the_last(ply: int) -> None:
    with pytest.raises(NotFound, match="has 3 moves so far"):
        match("C1", "C2", "B3").after(ply)


def test_an_offer_of_a_robot_stands_for_a_day_and_one_to_it_is_answered_at_once() -> None:
    board = match("C1", "C2", second=replace_robot(BOB))
    waiting = replace(board, offer=Offer(OfferKind.DRAW, 1), changed_at=NOW)
    own = replace(match("C1", second=replace_robot(BOB)), changed_at=NOW)
    offered = replace(own, offer=Offer(OfferKind.DRAW, 2))

    assert board.robot_to_act(NOW) is None
    assert BOB.player_id == (waiting.robot_to_act(NOW) or ALICE).player_id
    assert BOB.player_id == (own.robot_to_act(NOW) or ALICE).player_id
    assert offered.robot_to_act(NOW + DAY - 1) is None
    assert BOB.player_id == (offered.robot_to_act(NOW + DAY) or ALICE).player_id
    assert resign(own, 1, NOW)[0].robot_to_act(NOW) is None


def replace_robot(seat: Seat) -> Seat:
    return seat._replace(is_robot=True)


def test_a_game_that_ended_otherwise_than_is_known_is_read_anew() -> None:
    board = match("C1", "C2")
    _ = board.record
    drawn = replace(board, outcome=Outcome(None, Reason.AGREEMENT), known=board.record)
    handed = replace(board, second=CAROL, known=board.record)

    assert drawn.record.outcome == drawn.outcome
    assert CAROL == handed.record.second


# Checks


def forfeited(board: Match) -> Match:
    return replace(board, outcome=Outcome(O, Reason.FORFEIT), known=None)


SOUND = (
    match(),
    match("C1", "C2"),
    match("C1", "swap", "C2"),
    match("C1", "C2", "pass", "pass"),
    resign(match("C1", "C2"), 1, NOW)[0],
    resign(match("C1"), 2, NOW)[0],
    remove(match("C1", "C2", "pass", "pass"), NOW)[0],
    remove(resign(match("C1", "C2"), 1, NOW)[0], NOW)[0],
    match("C1", "C2", second=ALICE),
    begun("B3", "D2"),
)


@pytest.mark.parametrize("board", SOUND, ids=range(len(SOUND)))
def test_what_was_played_is_sound(board: Match) -> None:
    assert [] == findings(board)


def turned(board: Match, number: int, **changes: Any) -> Match:
    turns = list(board.turns)
    turns[number] = turns[number]._replace(**changes)
    return replace(board, turns=tuple(turns), known=None)


ENDED = match("C1", "C2", "pass", "pass")


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (turned(match("C1", "C2"), 1, player_id=1), "move 2 is stored under the wrong player"),
        (turned(match("C1", "C2"), 1, digest="x"), "damaged at move 2: its digest differs"),
        (turned(match("C1", "C2"), 0, text="ZZ9"), "damaged at move 1"),
        (replace(ENDED, outcome=None, known=None), "its moves end it as"),
        (replace(ENDED, outcome=Outcome(O, Reason.RESIGNATION), known=None), "its moves end it as"),
        (replace(match("C1", "C2"), outcome=ENDED.outcome, known=None), "its moves do not end it"),
        (forfeited(match("C1")), "which is impossible after 1 moves"),
        (forfeited(begun("B3")), "which is impossible after 1 moves"),
        (
            replace(resign(match("C1", "C2"), 1, NOW)[0], offer=Offer(OfferKind.DRAW, 1)),
            "still stored",
        ),
        (replace(resign(match("C1", "C2"), 1, NOW)[0], submissions={1: "B3"}), "still stored"),
        (
            replace(remove(match("C1", "C2"), NOW)[0], former=MatchEnd(ENDED.outcome, NOW))
            if ENDED.outcome
            else ENDED,
            "its moves do not end it",
        ),
    ],
)
def test_what_cannot_have_been_is_found(board: Match, words: str) -> None:
    (found,) = findings(board)

    assert words in found


def test_a_player_against_themselves_may_have_made_any_move() -> None:
    own = match("C1", "C2", second=ALICE)
    assert {1} == {turn.player_id for turn in own.turns}
    assert isinstance(own.turns[0], Turn)
    assert [] == findings(own)


def test_a_game_is_told_to_be_settled_once() -> None:
    moves = ["B3", "C3", "C1", "A3", "C4", "D2", "C2", "A4", "D3", "B4"]
    told = []
    board = fresh("star(size=3,maxi)")
    for text in moves:
        before, on_move = board, board.next_seat
        assert on_move is not None
        board, _ = play(board, on_move.player_id, board.game.parse_move(text), NOW)
        told += [event.kind for event in certainty_event(before, board)]

    assert [EventKind.SETTLED] == told


def test_what_is_submitted_is_forgotten_with_the_end() -> None:
    kept, _ = submit(match("C1", "C2", "pass"), 2, match().game.parse_move("B3"), NOW)
    ended, _ = play(kept, 2, kept.game.parse_move("pass"), NOW)

    assert {2: "B3"} == kept.submissions
    assert {} == ended.submissions
    assert {} == resign(kept, 1, NOW)[0].submissions


# Standings


def test_a_game_is_won_by_one_and_lost_by_the_other_or_drawn_by_both() -> None:
    new = {X: Standing(), O: Standing(won=2, lost=3, drawn=4)}
    won, drawn = after_game(new, X, NOW), after_game(new, None, NOW)

    assert (1, 0, 0) == (won[X].won, won[X].lost, won[X].drawn)
    assert (2, 4, 4) == (won[O].won, won[O].lost, won[O].drawn)
    assert (0, 0, 1) == (drawn[X].won, drawn[X].lost, drawn[X].drawn)
    assert (2, 3, 5) == (drawn[O].won, drawn[O].lost, drawn[O].drawn)
    assert 10 == drawn[O].games


def test_a_rating_is_of_one_player_in_one_game() -> None:
    standings = Standings()
    changes = standings.add(RatedGame(1, "star", {X: 1, O: 2}, X, NOW))
    standings.add(RatedGame(2, "hex", {X: 2, O: 1}, X, NOW))

    assert {(1, "star"), (2, "star"), (1, "hex"), (2, "hex")} == standings.by_player.keys()
    star, hexes = (standings.by_player[1, game] for game in ("star", "hex"))
    assert star.rating.value > 1500 > hexes.rating.value
    assert (1, 1500) == (changes[1].match_id, changes[2].before)
    assert changes[2].after == standings.by_player[2, "star"].rating
    assert "1500 to 1338 (-162)" == RatingChange(1, 2, 1500.4, Rating(1337.7)).words


@pytest.mark.parametrize("name", ["won", "lost", "drawn"])
def test_standings_that_differ_in_one_number_differ(name: str) -> None:
    one = Standing(won=1, lost=1, drawn=1)

    assert one.agrees_with(Standing(won=1, lost=1, drawn=1))
    counts: dict[str, Any] = {"won": 1, "lost": 1, "drawn": 1} | {name: 2}
    assert not one.agrees_with(Standing(**counts))
    assert not one.agrees_with(replace(one, rating=Rating(1501)))


@pytest.mark.parametrize("name", ["value", "deviation", "volatility", "last_at"])
def test_ratings_that_differ_in_more_than_rounding_differ(name: str) -> None:
    one = Rating(1500, 100, 0.06, NOW)
    nearly = replace(one, value=1500 * (1 + 1e-12))

    assert one.agrees_with(nearly)
    assert not one.agrees_with(replace(one, **{name: getattr(one, name) * 1.01}))


def test_a_rating_is_never_surer_by_time_nor_by_a_clock_that_went_back() -> None:
    sure, beyond = Rating(1500, 60, 0.06, NOW), Rating(1500, START_DEVIATION + 50, 0.06, NOW)

    assert sure == at(sure, NOW - 9 * WEEK)
    assert sure.deviation < at(sure, NOW + 9 * WEEK).deviation < START_DEVIATION
    assert START_DEVIATION == at(sure, NOW + 99999 * WEEK).deviation
    assert beyond == after_idle(beyond, WEEK)
    assert replace(sure, last_at=None) == at(replace(sure, last_at=None), NOW)
    assert not Rating(deviation=PROVISIONAL_DEVIATION).is_provisional
    assert Rating(deviation=PROVISIONAL_DEVIATION + 1).is_provisional


# Puzzles


def test_every_puzzle_has_its_day_and_the_day_is_utcs() -> None:
    count = count_puzzles()
    days = [puzzle_of_day(day * DAY).number for day in range(count)]

    assert count == len(puzzles()) == len(set(days))
    assert days[0] == puzzle_of_day(count * DAY).number == puzzle_of_day(DAY - 1).number
    assert [number + 1 for number in range(count)] == [puzzle.number for puzzle in puzzles()]
    first = puzzles()[0]
    assert first.side is first.position.to_move
    assert len(first.moves) == first.record.ply

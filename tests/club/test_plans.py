"""Plans: their checks when queued, and their moves when the turn comes."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.events import EventKind
from pbmserv.club.match import Match
from pbmserv.club.plan_check import checked_plan
from pbmserv.club.planned_moves import PlanOutcome, play_plans
from pbmserv.club.plans import (
    MAX_MOVES,
    RESIGN,
    CancelReason,
    Plan,
    PlanStep,
    format_plan,
    is_same,
    next_move,
    parse_plan,
)
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.engine.game import Game
from pbmserv.engine.games.star import Star
from pbmserv.engine.games.starstar import StarStar
from pbmserv.engine.games.y import Y
from pbmserv.engine.position import PASS, Move, Position
from pbmserv.errors import IllegalMove, Misunderstood, Refused

from .random_plans import random_words

ALICE, BOB = Seat(1, "alice"), Seat(2, "bob")
STAR = Star()
TINY = Star(size=3)
DOUBLE = StarStar(size=4, double=True)


def plan_of(text: str, game: Game = STAR) -> Plan:
    return parse_plan(text.split(), game)


def new_match(game: Game = STAR, moves: str = "") -> Match:
    match = Match(1, game, 101, ALICE, BOB, 0, 0)
    for text in moves.split():
        match = moved(match, text)
    return match


def moved(match: Match, text: str) -> Match:
    seat = match.next_seat
    assert seat is not None
    return play(match, seat.player_id, match.game.parse_move(text), 5)[0]


def after_plans(match: Match, **plans: Plan) -> PlanOutcome:
    ids = {ALICE.userid: ALICE.player_id, BOB.userid: BOB.player_id}
    return play_plans(match, {ids[userid]: plan for userid, plan in plans.items()}, 9)


def texts(match: Match) -> list[str]:
    return [turn.text for turn in match.turns]


# Queueing


@pytest.mark.parametrize(
    ("words", "own_turn", "due"),
    [("A6 B6", True, 2), ("A6 B6", False, 3), ("A6:B6", True, 4), ("A6:B6", False, 3)],
)
def test_a_plan_is_meant_for_certain_turns(words: str, own_turn: bool, due: int) -> None:  # noqa: FBT001
    position = new_match(moves="F6 G7").position

    assert checked_plan(plan_of(words), STAR, position, own_turn=own_turn).due == due


@pytest.mark.parametrize(
    ("game", "moves", "words", "code"),
    [
        (STAR, "F6 G7", "F6", "occupied"),
        (STAR, "F6 G7", "H8 A6 H8", "occupied"),
        (STAR, "F6 G7", "H8:A6/B6:H8", "occupied"),
        (STAR, "F6 G7", "H8:H8", "occupied"),
        (STAR, "F6 G7", "G7:H8", "occupied"),
        (STAR, "F6 G7", "swap", "swap-not-allowed"),
        (STAR, "F6 G7", "A6 swap", "swap-not-allowed"),
        (STAR, "F6 G7", "swap:A6", "swap-not-allowed"),
        (STAR, "F6 G7", "pass:pass/A6:B6", "game-over"),
        (STAR, "F6 G7", "A6 pass:pass/B6:C6", "game-over"),
        (STAR, "F6 pass", "pass:A6", "game-over"),
        (DOUBLE, "A40", "A30", "wrong-stone-count"),
        (DOUBLE, "A40", "A30+A31 A20", "wrong-stone-count"),
        (DOUBLE, "A40", "A30+A30", "occupied"),
        (DOUBLE, "A40", "A30:A20+A21", "wrong-stone-count"),
        (STAR, "F6 G7", " ".join(STAR.board.names[:60]) + " A1", "invalid"),
    ],
)
def test_what_can_never_be_played_is_refused(game: Game, moves: str, words: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        checked_plan(plan_of(words, game), game, new_match(game, moves).position, own_turn=False)
    assert caught.value.code.startswith(code)


@pytest.mark.parametrize(
    ("game", "moves", "words"),
    [
        (STAR, "", "swap"),
        (STAR, "", "F6:swap/A6:B6"),
        (STAR, "F6", "A6 A7 A8"),
        (STAR, "F6 G7", "A6 pass B6 resign"),
        (STAR, "F6 G7", "pass:pass"),
        (STAR, "F6 G7", "A6:B6 B6:A6"),
        (DOUBLE, "A40", "A30+A31 A20+-"),
        (DOUBLE, "", "A30+A31:resign A40:A30+A31"),
    ],
)
def test_what_may_be_played_is_kept(game: Game, moves: str, words: str) -> None:
    position = new_match(game, moves).position
    plan = plan_of(words, game)
    if moves or words != "A30+A31:resign A40:A30+A31":
        kept = checked_plan(plan, game, position, own_turn=False)
        assert (kept.line, kept.branches) == (plan.line, plan.branches)
    else:
        with pytest.raises(IllegalMove):
            checked_plan(plan, game, position, own_turn=False)


def test_the_last_cell_of_a_double_game_is_a_turn_of_one_stone() -> None:
    names = DOUBLE.board.names
    moves = [names[0]] + [f"{names[at]}+{names[at + 1]}" for at in range(1, 45, 2)]
    position = DOUBLE.replay(moves)
    assert position.empty_count == 5

    # Two stones now, two unknown ones: one cell is left. Or none unknown: three are.
    for last in (names[47], f"{names[47]}+{names[48]}"):
        checked_plan(
            plan_of(f"{names[45]}+{names[46]} {last}", DOUBLE), DOUBLE, position, own_turn=True
        )


def can_be_played(game: Game, position: Position, steps: Sequence[Move | None]) -> bool:
    """Tell by trying everything whether these turns can follow; None is any turn."""
    if not steps:
        return True
    if steps[0] is None:
        tries = list(game.legal_moves(position))
    elif steps[0] == RESIGN:
        return not game.is_over(position)
    else:
        tries = [steps[0]]
    for move in tries:
        try:
            after = game.play(position, move)
        except IllegalMove:
            continue
        if can_be_played(game, after, steps[1:]):
            return True
    return False


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("game", [TINY, Y(size=4), DOUBLE], ids=repr)
@given(st.integers(0, 10**9))
def test_only_what_can_never_be_played_is_refused(game: Game, seed: int) -> None:
    chance = Random(seed)
    names = list(game.board.names)
    position = game.start()
    while position.empty_count > 6 and not game.is_over(position):
        free = [names[cell] for cell, stone in enumerate(position.stones) if not stone]
        move = game.parse_move("+".join(chance.sample(free, game.stones_due(position))))
        position = game.play(position, move)
    if chance.random() < 0.2 and not game.is_over(position):
        position = game.play(position, PASS)
    free = [names[cell] for cell, stone in enumerate(position.stones) if not stone]
    steps: list[Move | None] = []
    own_turn = chance.random() < 0.5
    line = []
    for number in range(chance.randint(1, 2)):
        if number or not own_turn:
            steps.append(None)
        count = chance.randint(1, game.most_stones_a_turn)
        word = "+".join(chance.choice(free or names) for _ in range(count))
        line.append(chance.choice([word, word, word, "pass", "resign" if number else "swap"]))
        steps.append(RESIGN if line[-1] == "resign" else game.parse_move(line[-1]))

    try:
        checked_plan(parse_plan(line, game), game, position, own_turn=own_turn)
    except IllegalMove:
        is_kept = False
    else:
        is_kept = True

    is_possible = can_be_played(game, position, steps)
    assert is_kept or not is_possible
    if game is TINY and position.passes == 0 and position.empty_count > 4:
        assert is_kept == is_possible


# Playing


def queued(match: Match, words: str, *, own_turn: bool) -> Plan:
    return checked_plan(plan_of(words, match.game), match.game, match.position, own_turn=own_turn)


def test_a_line_is_played_turn_by_turn() -> None:
    match = new_match(moves="F6 G7")
    plan = queued(match, "A6 B6", own_turn=True)

    first = after_plans(match, alice=plan)
    second = after_plans(moved(first.match, "C6"), alice=first.plans[ALICE.player_id])

    assert texts(second.match) == ["F6", "G7", "A6", "C6", "B6"]
    assert (first.plies, second.plies) == ((3,), (5,))
    assert second.plans == {}


def test_two_plans_answer_each_other() -> None:
    match = new_match(moves="F6 G7")
    alice = queued(match, "A6 B6 D6", own_turn=True)
    bob = queued(match, "A6:C6/B6:H6", own_turn=False)

    played = after_plans(match, alice=alice, bob=bob)

    assert texts(played.match) == ["F6", "G7", "A6", "C6", "B6", "H6", "D6"]
    assert played.plies == (3, 4, 5, 6, 7)
    assert played.plans == {}
    assert played.dropped == ()


def test_a_move_that_has_become_illegal_drops_the_plan() -> None:
    match = new_match(moves="F6 G7")
    plan = queued(match, "A6 B6", own_turn=False)

    played = after_plans(moved(match, "A6"), bob=plan, alice=plan)

    assert texts(played.match) == ["F6", "G7", "A6"]
    (dropped,) = played.dropped
    assert (dropped.player_id, dropped.words, dropped.drop) == (2, "A6 B6", CancelReason.ILLEGAL)
    assert played.plans == {ALICE.player_id: plan}


def test_another_move_than_foreseen_drops_the_plan() -> None:
    match = new_match(moves="F6 G7")
    plan = queued(match, "A6:B6 B6:A6", own_turn=False)

    played = after_plans(moved(match, "C6"), bob=plan)

    assert [CancelReason.OTHERWISE] == [dropped.drop for dropped in played.dropped]
    assert played.plans == {}


def test_a_plan_made_on_the_own_turn_waits_for_the_answer() -> None:
    match = new_match(moves="F6 G7")
    plan = queued(match, "A6:B6", own_turn=True)

    waiting = after_plans(match, alice=plan)
    played = after_plans(moved(moved(match, "C6"), "A6"), alice=plan)

    assert (waiting.match, waiting.plans) == (match, {ALICE.player_id: plan})
    assert texts(played.match)[-1] == "B6"


def test_a_plan_is_never_played_later_than_meant() -> None:
    match = new_match(moves="F6 G7")
    plan = queued(match, "A6", own_turn=True)

    late = after_plans(moved(moved(match, "C6"), "D6"), alice=plan)

    assert [CancelReason.TOO_LATE] == [dropped.drop for dropped in late.dropped]
    assert late.plies == ()


def test_swap_pass_and_resignation_can_be_planned() -> None:
    match = new_match()
    bob = queued(match, "swap A6 resign", own_turn=False)

    swapped = after_plans(moved(match, "F6"), bob=bob)
    placed = after_plans(moved(swapped.match, "G7"), bob=swapped.plans[BOB.player_id])
    over = after_plans(moved(placed.match, "pass"), bob=placed.plans[BOB.player_id])

    assert texts(over.match) == ["F6", "swap", "G7", "A6", "pass"]
    assert over.match.record.winner == ALICE
    assert over.plans == {}
    assert over.plies == ()


def test_plans_of_a_match_that_ends_are_cleared() -> None:
    match = new_match(moves="F6 G7 pass")
    bob = queued(match, "pass", own_turn=True)

    played = after_plans(match, bob=bob, alice=plan_of("A6"))

    assert not played.match.is_running
    assert played.plans == {}
    assert played.dropped == ()


def test_a_player_against_himself_plans_every_other_turn() -> None:
    match = Match(1, STAR, 101, ALICE, ALICE, 0, 0)
    plan = queued(match, "A6 B6", own_turn=True)

    played = after_plans(match, alice=plan)

    assert texts(played.match) == ["A6"]
    assert played.plans[ALICE.player_id].due == 2


def model_answer(words: Sequence[str], seen: Sequence[str]) -> str | None:
    """Return what a plan queued before the opponent's moves ``seen`` answers to the last."""
    line = [word for word in words if ":" not in word]
    if len(seen) <= len(line):
        return line[len(seen) - 1]
    for word in words[len(line) :]:
        steps = [step.split(":") for step in word.split("/")]
        own = seen[len(line) :]
        if len(steps) >= len(own) and [when for when, _ in steps[: len(own)]] == list(own):
            return steps[len(own) - 1][1]
    return None


@given(st.integers(0, 10**9))
def test_plans_play_as_a_simple_model_says(seed: int) -> None:
    chance = Random(seed)
    words = random_words(chance, TINY)
    plan: Plan | None = parse_plan(words, TINY, due=1)
    pool = [word.split(":")[0] for part in words for word in part.split("/") if ":" in word]
    position, seen = TINY.start(), []
    while not TINY.is_over(position):
        legal = [move.text for move in TINY.legal_moves(position)]
        wanted = [text for text in pool if text in legal]
        seen.append(chance.choice(wanted if wanted and chance.random() < 0.8 else legal))
        last = TINY.parse_move(seen[-1])
        position = TINY.play(position, last)
        if plan is None:
            assert model_answer(words, seen) is None
            break
        firing = next_move(plan, TINY, position, last)
        answer = model_answer(words, seen)
        playable = {move.text for move in TINY.legal_moves(position)}
        if answer is None or answer not in playable:
            assert firing.move is None
            assert firing.drop is not None
            break
        assert firing.move is not None
        assert firing.move.text == answer
        assert firing.drop is None
        position = TINY.play(position, firing.move)
        plan = firing.rest


def test_before_its_turn_a_plan_does_nothing() -> None:
    plan = parse_plan(["A6"], STAR, due=2)

    assert next_move(plan, STAR, STAR.start(), None) == PlanStep(rest=plan)


def test_two_turns_that_differ_in_a_pass_alone_are_two() -> None:
    plan = plan_of("A30+-:A20+A21 A30:pass", DOUBLE)
    half, whole = (DOUBLE.parse_move(text) for text in ("A30+-", "A30"))

    assert not is_same(half, whole)
    assert is_same(half, DOUBLE.parse_move("A30+-"))
    assert 2 == len(plan.branches)
    assert is_same(DOUBLE.parse_move("A30+A31"), DOUBLE.parse_move("A31+A30"))
    assert not is_same(DOUBLE.parse_move("pass"), DOUBLE.parse_move("swap"))


def test_a_plan_for_a_turn_that_the_end_of_the_game_took_is_too_late() -> None:
    over = TINY.replay(["C1", "pass", "pass"])

    assert (
        CancelReason.TOO_LATE
        is next_move(parse_plan(["resign"], TINY, due=3), TINY, over, None).drop
    )


def test_the_end_that_a_planned_move_brings_was_not_planned() -> None:
    match = new_match(moves="F6 G7 pass")

    planned = after_plans(match, bob=queued(match, "pass", own_turn=True))
    resigned = after_plans(match, bob=queued(match, "resign", own_turn=True))

    for played in (planned, resigned):
        assert [True, False] == [event.is_planned for event in played.events]
        assert EventKind.FINISHED is played.events[-1].kind


@pytest.mark.parametrize("words", ["NONE", "none", "None"])
def test_none_clears_a_plan_in_either_case(words: str) -> None:
    assert plan_of(words).is_empty
    assert "none" == format_plan(plan_of(words))


def words_of(count: int) -> list[str]:
    return ["A6"] * count


def test_a_plan_names_so_many_moves_those_of_its_answers_among_them() -> None:
    assert MAX_MOVES == len(parse_plan(words_of(MAX_MOVES), STAR).line)
    for words in (
        words_of(MAX_MOVES + 1),
        ["/".join(["A6:B6"] * (MAX_MOVES // 2)) + "/A6:B6"],
        [*words_of(MAX_MOVES - 1), "A6:B6"],
    ):
        with pytest.raises(Misunderstood):
            parse_plan(words, STAR)


@pytest.mark.parametrize(
    "words",
    [
        *("", "A6:B6 C6", "A6:", ":A6", "A6/B6", "A6:B6:C6", "A6:B6/", "A6:B6/C6"),
        *("resign A6", "resign A6:B6", "A6 resign B6", "A6:resign/B6:C6", "RESIGN A6"),
        *("A6:B6 A6:C6", "A6:B6/C6:D6 A6:B6/C6:E6"),
    ],
)
def test_what_is_no_plan_cannot_be_read(words: str) -> None:
    with pytest.raises(Misunderstood) as caught:
        plan_of(words)

    assert "bad-plan" == caught.value.code


@pytest.mark.parametrize(
    "words", ["A6", "A6 B6:C6", "A6:B6/C6:D6 A6:B6/E6:F7 G7:resign", "resign", "A6 resign", "pass"]
)
def test_a_plan_is_read_as_it_was_written(words: str) -> None:
    assert words == format_plan(plan_of(words))

"""What two agree on, to which the game must still be able to come, and who reads it how."""

from dataclasses import replace

import pytest

from pbmserv.club.agreement import offer_sentence, parse_result, require_possible
from pbmserv.club.events import describe
from pbmserv.club.match import Match, Offer, OfferKind, offer_recipient_of
from pbmserv.club.play import accept, offer, play, propose, reject, run_out, submit
from pbmserv.engine.position import Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import Denied, Refused

from .test_play import ALICE, BOB, NOW, code, match
from .test_removed import played

X, O = Side.X, Side.O


def refused(spec: str, texts: str, result: str) -> str:
    """Return why a result cannot be agreed on after these moves, nothing if it can."""
    at = played(spec, texts)
    try:
        require_possible(parse_result(result, at.game), at.game, at.position)
    except Refused as error:
        return error.code
    return ""


def test_the_points_of_both_must_still_be_possible() -> None:
    late = "C1 D1 B2 C2 D2 A3 B3 C3 D3 A4"
    possible = {
        (x, o)
        for x in range(15)
        for o in range(15)
        if not refused("star(size=3)", late, f"{x}-{o}")
    }
    ended = {
        (score[X], score[O])
        for last in (("B4", "C4"), ("C4", "B4"), ("pass", "pass"))
        if (score := played("star(size=3)", f"{late} {' '.join(last)}").record.points) is not None
    }

    assert ended <= possible
    assert {(x, o) for x in range(4, 10) for o in range(4, 10)} == possible


LOST_FOR_X = "B3 C3 C1 A3 C4 D2 C2 A4 D3 B4"


@pytest.mark.parametrize(
    ("moves", "result", "why"),
    [
        (LOST_FOR_X, "O", ""),
        (LOST_FOR_X, "X", "impossible-result"),
        (LOST_FOR_X[:-6], "X", ""),
    ],
)
def test_who_can_no_longer_win_cannot_be_agreed_on(moves: str, result: str, why: str) -> None:
    assert why == refused("star(size=3,maxi)", moves, result)


def test_nor_can_a_draw_where_somebody_wins_whatever_is_played() -> None:
    at = played("star(size=3,maxi)", LOST_FOR_X)
    with pytest.raises(Refused):
        require_possible(Outcome(None, Reason.AGREEMENT), at.game, at.position)


@pytest.mark.parametrize(
    ("result", "neutral", "to_x", "to_o"),
    [
        ("7-6", "a win for alice (X) by 1", "your win by 1", "your loss by 1"),
        ("5-8", "a win for bob (O) by 3", "your loss by 3", "your win by 3"),
        ("6-6", "a draw", "a draw", "a draw"),
        ("X", "a win for alice (X)", "your win", "your loss"),
        ("O", "a win for bob (O)", "your loss", "your win"),
    ],
)
def test_a_proposal_is_read_by_each_as_their_own(
    result: str, neutral: str, to_x: str, to_o: str
) -> None:
    by_alice, by_bob = (Offer(OfferKind.RESULT, seat.player_id, result) for seat in (ALICE, BOB))
    record, reader = match().record, ALICE.player_id

    assert f"alice offers the result {result}, {neutral}" == offer_sentence(by_alice, record)
    assert f"alice offers the result {result}, {to_o}" == offer_sentence(
        by_alice, record, BOB.player_id
    )
    assert f"You offer the result {result}, {to_x}" == offer_sentence(by_alice, record, reader)
    assert f"bob offers the result {result}, {to_x}" == offer_sentence(by_bob, record, reader)
    assert f"accept {result} or reject" == by_alice.answers


def test_a_draw_is_a_draw_to_everybody() -> None:
    made = Offer(OfferKind.DRAW, 1)

    sentences = [offer_sentence(made, match().record, reader) for reader in (None, 1, 2)]
    assert ["alice offers a draw", "You offer a draw", "alice offers a draw"] == sentences
    assert "accept or reject" == made.answers


def test_who_made_an_offer_is_not_who_is_asked() -> None:
    made = Offer(OfferKind.DRAW, 2)

    assert ALICE == offer_recipient_of(made, (ALICE, BOB)) == offer_recipient_of(made, (BOB, ALICE))
    assert offer_recipient_of(None, (ALICE, BOB)) is None
    assert ALICE == offer_recipient_of(Offer(OfferKind.DRAW, 1), (ALICE, ALICE))


def proposed(result: str = "7-6") -> Match:
    return propose(match("C1", "C2"), 1, result, NOW)[0]


def test_a_result_is_accepted_by_its_name_or_in_answer_to_its_letter() -> None:
    at = proposed()

    assert "result-unnamed" == code(accept, at, 2, NOW)
    with pytest.raises(Refused) as other:
        accept(at, 2, NOW, named="6-7")
    assert "other-result" == other.value.code
    with pytest.raises(Refused) as answered:
        accept(at, 2, NOW, named="6-7", answers_now=True)
    assert "other-result" == answered.value.code
    for ended in (
        accept(at, 2, NOW, named="7-6")[0],
        accept(at, 2, NOW, answers_now=True)[0],
    ):
        assert ended.outcome is not None
        assert (X, {X: 7, O: 6}) == (ended.outcome.winner, ended.outcome.points)


def test_a_winner_is_accepted_in_either_case() -> None:
    at, _ = propose(played("hex(size=4)", "B2 C3"), 1, "x", NOW)
    ended, _ = accept(at, 2, NOW, named="x")

    assert ended.outcome is not None
    assert (X, Reason.AGREEMENT, None) == (
        ended.outcome.winner,
        ended.outcome.reason,
        ended.outcome.points,
    )
    assert ended.record.points is None


def test_who_made_an_offer_cannot_accept_it_but_for_oneself() -> None:
    own = match("C1", "C2", second=ALICE)
    drawn, _ = accept(offer(own, 1, OfferKind.DRAW, NOW)[0], 1, NOW)

    assert "own-offer" == code(accept, offer(match("C1"), 1, OfferKind.DRAW, NOW)[0], 1, NOW)
    assert not drawn.is_running


@pytest.mark.parametrize(
    ("maker", "turns", "words"),
    [
        (1, None, "D1"),
        (2, None, "C2 and alice's D1"),
        (1, 3, "C1, bob's C2 and D1"),
        (2, 3, "alice's C1, C2 and alice's D1"),
    ],
)
def test_an_undo_is_told_in_the_words_of_who_asked_for_it(
    maker: int, turns: int | None, words: str
) -> None:
    at = match("C1", "C2", "D1")
    asked, (told,) = offer(at, maker, OfferKind.UNDO, NOW, turns=turns)
    undone, (done,) = accept(asked, 3 - maker, NOW)
    who, other = ("alice", "bob") if maker == 1 else ("bob", "alice")

    assert f"{who} asks to undo {words}." == describe(told)
    assert f"{other} accepts the undo of {words}." == describe(done)
    assert 3 - (turns or maker) == undone.ply


def test_an_offer_is_made_once_and_another_result_is_another_offer() -> None:
    at = proposed()

    assert "offer-pending" == code(propose, at, 1, "7-6", NOW)
    assert "offer-pending" == code(propose, at, 2, "7-6", NOW)
    assert Offer(OfferKind.RESULT, 2, "6-7") == propose(at, 2, "6-7", NOW)[0].offer
    assert Offer(OfferKind.DRAW, 1) == offer(at, 1, OfferKind.DRAW, NOW)[0].offer


@pytest.mark.parametrize("stranger", [3, 0])
def test_a_stranger_can_do_nothing_at_a_board(stranger: int) -> None:
    at = proposed()
    for call, *words in (
        (play, at.game.parse_move("B3"), NOW),
        (propose, "6-7", NOW),
        (propose, "nonsense", NOW),
        (accept, NOW),
        (reject, NOW),
        (run_out, NOW),
        (submit, at.game.parse_move("B3"), NOW),
    ):
        with pytest.raises(Denied) as caught:
            call(at, stranger, *words)
        assert "not-a-player" == caught.value.code


def test_nothing_is_pending_after_a_turn_or_an_end() -> None:
    at = proposed()
    kept, _ = submit(at, 1, at.game.parse_move("B3"), NOW)
    moved, _ = play(kept, 1, at.game.parse_move("B3"), NOW)
    agreed, _ = accept(kept, 2, NOW, named="7-6")
    late, _ = run_out(kept, 1, NOW)

    assert {1: "B3"} == kept.submissions
    assert at.offer == kept.offer
    for after in (moved, agreed, late):
        assert (None, {}) == (after.offer, after.submissions)


def test_what_one_submits_leaves_the_other_ones_alone() -> None:
    at = replace(match("C1", "C2"), submissions={2: "D1"})
    both, _ = submit(at, 1, at.game.parse_move("B3"), NOW)

    assert {1: "B3", 2: "D1"} == both.submissions
    assert {2: "D1"} == at.submissions


@pytest.mark.parametrize(
    ("maker", "kind", "reason"),
    [
        (2, OfferKind.DRAW, Reason.AGREEMENT),
        (1, OfferKind.DRAW, Reason.FORFEIT),
        (2, OfferKind.UNDO, Reason.FORFEIT),
    ],
)
def test_who_runs_out_of_time_is_given_the_draw_that_the_other_offered_and_no_more(
    maker: int, kind: OfferKind, reason: Reason
) -> None:
    after, _ = run_out(offer(match("C1", "C2"), maker, kind, NOW)[0], 1, NOW)

    assert after.outcome is not None
    assert reason is after.outcome.reason
    assert (None if reason is Reason.AGREEMENT else O) == after.outcome.winner

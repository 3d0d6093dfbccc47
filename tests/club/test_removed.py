"""A removed board comes back as it was, and a result means what players write."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbmserv.club.agreement import format_result, parse_result
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import accept, offer, play, remove, resign, submit, take_back
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood, Refused
from tests.engine.sample_games import spread

from .test_restored import NOW, fresh


def played(spec: str, texts: str) -> Match:
    match = fresh(spec)
    for number, text in enumerate(texts.split(), start=1):
        on_move = match.next_seat
        assert on_move is not None
        match, _ = play(match, on_move.player_id, match.game.parse_move(text), NOW + number)
    return match


ENDS: dict[str, Callable[[], Match]] = {
    "running": lambda: played("star(size=3)", "C1 C2"),
    "not begun": lambda: fresh("star(size=3)"),
    "resigned": lambda: resign(played("star(size=3)", "C1 C2"), 1, NOW + 50)[0],
    "by the rules": lambda: played("hex(size=3)", "B1 A1 B2 A2 B3"),
    "passed out": lambda: played("star(size=3)", "C1 C2 pass pass"),
    "a draw": lambda: accept(
        offer(played("star(size=3)", "C1 C2"), 1, OfferKind.DRAW, NOW + 3)[0], 2, NOW + 60
    )[0],
}


@pytest.mark.parametrize("name", ENDS)
def test_a_removed_board_comes_back_as_it_was(name: str) -> None:
    before = ENDS[name]()
    gone, _ = remove(before, NOW + 500)
    back, _ = take_back(gone, NOW + 900)

    assert gone.is_removed
    assert NOW + 500 == gone.changed_at
    assert (before.outcome, before.turns, before.seats) == (back.outcome, back.turns, back.seats)
    assert before.is_running is back.is_running
    assert (NOW + 900 if before.is_running else before.changed_at) == back.changed_at
    assert [before.revision + 1, before.revision + 2] == [gone.revision, back.revision]
    assert back.former is None
    with pytest.raises(Refused):
        remove(gone, NOW + 600)


def test_a_board_of_which_no_end_was_kept_comes_back_with_that_of_the_rules() -> None:
    won = played("hex(size=3)", "B1 A1 B2 A2 B3")
    gone, _ = remove(won, NOW + 500)
    back, _ = take_back(replace(gone, former=None), NOW + 900)

    assert won.outcome == back.outcome
    assert NOW + 5 == back.changed_at
    declined, _ = resign(played("star(size=3)", "C1"), 2, NOW + 5)
    again, _ = take_back(declined, NOW + 900)
    assert again.is_running
    assert NOW + 900 == again.changed_at


def test_nothing_that_waited_comes_back() -> None:
    match = played("star(size=3)", "C1 C2")
    match, _ = submit(match, 1, match.game.parse_move("B3"), NOW + 3)
    match, _ = offer(match, 2, OfferKind.UNDO, NOW + 4)
    gone, _ = remove(match, NOW + 5)
    back, _ = take_back(gone, NOW + 6)

    for each in (gone, back):
        assert each.offer is None
        assert not each.submissions


def test_an_imported_game_never_goes_on() -> None:
    ended = replace(ENDS["resigned"](), is_imported=True)
    with pytest.raises(Refused) as caught:
        take_back(ended, NOW)
    gone, _ = remove(ended, NOW)
    back, _ = take_back(gone, NOW + 1)

    assert "imported-game" == caught.value.code
    assert ended.outcome == back.outcome
    running = replace(ENDS["running"](), is_imported=True)
    with pytest.raises(Refused):
        take_back(remove(running, NOW)[0], NOW)


def test_the_last_thing_done_is_taken_back_first() -> None:
    resigned = ENDS["resigned"]()
    open_again, _ = take_back(resigned, NOW + 100)
    shorter, _ = take_back(open_again, NOW + 101)
    shortest, _ = take_back(shorter, NOW + 102)

    assert open_again.is_running
    assert [2, 1, 0] == [each.ply for each in (open_again, shorter, shortest)]
    with pytest.raises(Refused) as caught:
        take_back(shortest, NOW + 103)
    assert "nothing-to-undo" == caught.value.code
    won, _ = take_back(ENDS["by the rules"](), NOW + 100)
    assert won.is_running
    assert 4 == won.ply


def test_a_result_is_points_where_a_game_has_them_and_else_a_winner() -> None:
    for game in spread():
        has_points = game.points_to_agree(game.score(game.start())) is not None
        if has_points:
            result = parse_result("12-10", game)
            assert (Side.X, {Side.X: 12, Side.O: 10}) == (result.winner, result.points)
            assert Side.O is parse_result("1-30", game).winner
            assert parse_result("7-7", game).winner is None
        else:
            for text, side in (("X", Side.X), ("o", Side.O)):
                result = parse_result(text, game)
                assert (side, None) == (result.winner, result.points)
        for wrong in (
            "",
            "Z",
            "XO",
            "12",
            "1-3-4",
            "12:10",
            "x wins",
            "X" if has_points else "3-2",
        ):
            with pytest.raises(Misunderstood) as caught:
                parse_result(wrong, game)
            assert "bad-result" == caught.value.code


def test_results_are_read_as_they_are_written() -> None:
    star, hex_game = parse_game("star(size=5)"), parse_game("hex(size=5)")
    for game, texts in ((star, ("12-10", "0-30", "7-7")), (hex_game, ("X", "O"))):
        for text in texts:
            assert text == format_result(parse_result(text, game))

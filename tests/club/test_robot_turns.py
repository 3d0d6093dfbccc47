"""Robots: what is told and stored of them, and when one of them is to act."""

from dataclasses import replace
from itertools import product

import pytest

from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import offer, play, resign
from pbmserv.club.player import Robot, Seat, format_robot, parse_robot
from pbmserv.engine.moments import DAY
from pbmserv.engine.spec import parse_game

NOW = 1_800_000_000


def test_what_a_robot_is_has_one_text_form() -> None:
    for level, games, is_rated in product((None, 1, 7), (("star",), ("star", "y")), (True, False)):
        robot = Robot(level, games, is_rated)

        assert robot == parse_robot(format_robot(robot))
        assert ("a program" if level is None else f"level {level}") == robot.words
    assert "level=4 games=star,y rated" == format_robot(Robot(4, ("star", "y"), is_rated=True))
    with pytest.raises(ValueError):  # noqa: PT011 - a damaged row
        parse_robot("clever")


def match(*texts: str, robots: str) -> Match:
    """Return a match of X, the first, and O; those named in ``robots`` are computers."""
    first, second = Seat(1, "first", "X" in robots), Seat(2, "second", "O" in robots)
    made = Match(7, parse_game("star(size=3)"), 101, first, second, NOW, NOW)
    for text in texts:
        on_move = made.next_seat
        assert on_move is not None
        made, _ = play(made, on_move.player_id, made.game.parse_move(text), NOW)
    return made


def userid(found: Seat | None) -> str | None:
    return found and found.userid


@pytest.mark.parametrize(
    ("robots", "texts", "acts"),
    [
        ("", "C1", None),
        ("X", "", "first"),
        ("X", "C1", None),
        ("X", "C1 C2", "first"),
        ("X", "C1 swap", "first"),
        ("O", "", None),
        ("O", "C1", "second"),
        ("XO", "C1", "second"),
        ("XO", "C1 C2", "first"),
    ],
)
def test_a_robot_moves_when_it_is_its_turn(robots: str, texts: str, acts: str | None) -> None:
    made = match(*texts.split(), robots=robots)

    assert acts == userid(made.robot_to_act(NOW))


def test_a_robot_answers_an_offer_first_and_lets_its_own_stand_for_a_day() -> None:
    made = match("C1", "C2", robots="X")
    asked, _ = offer(made, 2, OfferKind.DRAW, NOW)
    asking, _ = offer(made, 1, OfferKind.DRAW, NOW)
    between, _ = offer(match("C1", "C2", robots="XO"), 1, OfferKind.DRAW, NOW)

    assert "first" == userid(asked.robot_to_act(NOW))
    assert asking.robot_to_act(NOW) is None
    assert asking.robot_to_act(NOW + DAY - 1) is None
    assert "first" == userid(asking.robot_to_act(NOW + DAY))
    assert "second" == userid(between.robot_to_act(NOW))
    early, _ = offer(match("C1", robots="X"), 2, OfferKind.DRAW, NOW)
    assert "first" == userid(early.robot_to_act(NOW))


def test_nobody_acts_at_a_board_that_has_ended() -> None:
    made = match("C1", "C2", robots="XO")
    ended, _ = resign(made, 1, NOW)

    assert ended.robot_to_act(NOW) is None
    assert replace(ended, outcome=None).robot_to_act(NOW) is not None

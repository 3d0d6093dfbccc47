"""Whole games by mail: nothing but letters out and answers in, through real listeners."""

from random import Random

import pytest

from tests.mail.mail_players import (
    EVERY_WAY,
    by_click,
    by_first_line,
    by_password,
    listening,
    play,
)
from tests.mail.server_by_mail import ClubByMail


def stored_moves(office: ClubByMail, game: str) -> list[str]:
    with office.desk.store.reading() as records:
        match = records.matches.find(game, 101)
        assert match is not None
        assert not match.is_running
        return [turn.text for turn in match.turns]


@pytest.mark.costly
@pytest.mark.parametrize("tongue", ["smtp", pytest.param("lmtp", marks=pytest.mark.slow)])
def test_a_game_of_star_by_replies_only(office: ClubByMail, tongue: str) -> None:
    with listening(office, is_lmtp=tongue == "lmtp"):
        office.join("alice", "bob")
        office.mail("alice@example.net", "star challenge alice secret-alice bob -size=3", times=3)
        moves = play(office, office.collect(), Random(4), EVERY_WAY)

    assert len(moves) == 12
    assert stored_moves(office, "star") == moves


@pytest.mark.slow
def test_a_game_of_double_starstar_by_replies_only(office: ClubByMail) -> None:
    with listening(office, is_lmtp=False):
        office.join("alice", "bob")
        office.mail("bob@example.net", "*star challenge alice secret-alice bob -size=4 -double")
        moves = play(office, office.collect(), Random(4), (by_first_line, by_click, by_password))

    assert len(moves) == 26
    assert stored_moves(office, "starstar") == moves

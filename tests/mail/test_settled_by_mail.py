"""Letters tell what can still become of a game, and once that it is settled."""

import pytest

from tests.commands.test_settled import ADVICE, BEFORE
from tests.mail.server_by_mail import ClubByMail


@pytest.mark.costly
def test_the_letter_about_the_move_says_so_and_the_next_does_not(office: ClubByMail) -> None:
    office.join("alice", "bob")
    office.mail("alice@example.net", "star challenge alice secret-alice bob -size=3")
    moves = [*BEFORE.split(), "C4", "A3", "pass"]
    advice = []
    for number, move in enumerate(moves):
        office.collect()
        who = ("alice", "bob")[number % 2]
        office.mail(f"{who}@example.net", f"star move 101 {who} secret-{who} {move}")
        letters = {letter.to.partition("@")[0]: letter.text for letter in office.collect()}
        advice.append({name: ADVICE in text for name, text in letters.items()})

        assert letters.keys() == {"alice", "bob"}
        assert ("X wins by 3 to" in letters["bob"]) == (number >= 8)

    assert [number for number, told in enumerate(advice) if all(told.values())] == [8]
    assert [number for number, told in enumerate(advice) if any(told.values())] == [8]

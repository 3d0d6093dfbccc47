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


def test_links_are_told_by_mail_on_an_ended_board_and_a_proof_is_not(office: ClubByMail) -> None:
    office.join("alice", "bob")
    office.mail("alice@example.net", "hex challenge alice secret-alice bob -size=4")
    for number, move in enumerate(("B2", "C1", "C3", "B4")):
        who = ("alice", "bob")[number % 2]
        office.mail(f"{who}@example.net", f"hex move 101 {who} secret-{who} {move}")
    asked = list[str]()
    for words in ("settled 101 -links", "resign 101 alice secret-alice", "settled 101 -links"):
        office.collect()
        office.mail("alice@example.net", f"hex {words}")
        asked.append(office.collect()[0].text)
    office.mail("bob@example.net", "hex settled 101 -depth=0")

    assert "Hex Board 101 is still running: no -links until it has ended." in asked[0]
    assert "B2 and C3 stay joined by C2 or B3." in asked[2]
    assert "stay joined" not in asked[0]
    assert "The option -depth works on the command line only." in office.collect()[0].text

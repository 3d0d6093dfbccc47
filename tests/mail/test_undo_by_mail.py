"""An undo that is asked for, and answered, by letters alone."""

import pytest

from tests.mail.server_by_mail import ClubByMail, Letter

ALICE, BOB = "alice@example.net", "bob@example.net"


def letters(office: ClubByMail) -> dict[str, Letter]:
    return {letter.to: letter for letter in office.collect()}


@pytest.fixture
def played(office: ClubByMail) -> dict[str, Letter]:
    """The letters after two moves of a board: alice is to move."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    for move in ("alice secret-alice C1", "bob secret-bob C2"):
        letters(office)
        assert office.mail(f"{move.split()[0]}@example.net", f"star move 101 {move}") == "done"
    return letters(office)


def said(letter: Letter) -> str:
    return " ".join(letter.text.split())


@pytest.mark.costly
def test_a_slip_that_was_answered_is_undone_by_two_letters(
    office: ClubByMail, played: dict[str, Letter]
) -> None:
    assert office.reply(played[ALICE], "Undo.\n\nSorry, a slip!") == "done"
    asked = letters(office)
    assert office.reply(played[BOB], "accept") == "stale-token"
    assert office.reply(asked[BOB], "accept") == "done"
    told = letters(office)

    assert "alice asks to undo C1 and your C2. It is alice's turn." in said(asked[BOB])
    assert "Answer with accept or reject." in said(asked[BOB])
    assert "You ask to undo C1 and bob's C2. It is your turn." in said(asked[ALICE])
    assert "Answer with" not in said(asked[ALICE])
    for letter in (told[ALICE], told[BOB]):
        assert "bob accepts the undo of C1 and bob's C2." in said(letter)
        assert "Move 1: alice (X) to move." in said(letter)


@pytest.mark.costly
@pytest.mark.parametrize("words", ["undo 1", "UNDO 1", "undo 1#3", "undo 1.", "Undo 1!"])
def test_the_last_moves_are_undone_by_number(
    office: ClubByMail, played: dict[str, Letter], words: str
) -> None:
    assert office.reply(played[ALICE], words) == "done"
    asked = letters(office)
    assert office.reply(asked[BOB], "reject") == "done"

    assert said(asked[BOB]).startswith("alice asks to undo your C2.")
    assert "bob rejects the undo." in said(letters(office)[ALICE])


@pytest.mark.costly
def test_too_many_are_refused_in_words(office: ClubByMail, played: dict[str, Letter]) -> None:
    assert office.reply(played[ALICE], "undo 3") == "nothing-to-undo"
    assert "The last 3 moves cannot be undone." in said(letters(office)[ALICE])

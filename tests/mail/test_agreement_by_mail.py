"""A result that is proposed by mail, and accepted by the letter that tells of it."""

import pytest

from tests.mail.server_by_mail import ClubByMail, Letter

ALICE, BOB = "alice@example.net", "bob@example.net"


def letters(office: ClubByMail) -> dict[str, Letter]:
    return {letter.to: letter for letter in office.collect()}


@pytest.fixture
def proposal(office: ClubByMail) -> Letter:
    """The letter that tells bob of alice's proposal."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    for move in ("alice secret-alice C1", "bob secret-bob C2", "alice secret-alice propose 7-6"):
        letters(office)
        assert office.mail(f"{move.split()[0]}@example.net", f"star move 101 {move}") == "done"
    return letters(office)[BOB]


@pytest.mark.costly
def test_the_letter_of_the_moment_needs_no_name(office: ClubByMail, proposal: Letter) -> None:
    outcome = office.reply(proposal, "accept")
    told = letters(office)

    said = " ".join(proposal.text.split())

    assert said.startswith("alice offers the result 7-6, your loss by 1. It is alice's turn.")
    assert "Answer with accept 7-6 or reject." in said
    assert outcome == "done"
    assert "wins Star Board 101, 7 to 6, by agreement." in told[ALICE].text


@pytest.mark.costly
def test_an_older_letter_accepts_nothing(office: ClubByMail, proposal: Letter) -> None:
    office.mail(ALICE, "star move 101 alice secret-alice propose 8-5")
    letter = letters(office)[BOB]

    assert office.reply(proposal, "accept") == "stale-token"
    assert office.reply(letter, "accept 7-6") == "other-result"
    assert office.reply(letter, "accept 8-5") == "done"


@pytest.mark.costly
def test_a_password_alone_names_no_result(office: ClubByMail, proposal: Letter) -> None:
    bare = office.mail(BOB, "star move 101 bob secret-bob accept")
    named = office.mail(BOB, "star move 101 bob secret-bob accept 7-6")

    assert proposal.text
    assert (bare, named) == ("result-unnamed", "done")

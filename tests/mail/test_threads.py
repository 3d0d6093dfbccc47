"""One board, one thread: Subjects, References, and the way out of it."""

import pytest

from tests.databases import made_once
from tests.mail.mail_players import Links, page_of
from tests.mail.server_by_mail import US, ClubByMail, Letter

ALICE, BOB = "alice@example.net", "bob@example.net"


@pytest.fixture
@made_once
def begun(office: ClubByMail) -> list[Letter]:
    """The letters of a new board between alice and bob."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=4")
    return office.collect()


def of(letters: list[Letter], address: str) -> Letter:
    return next(letter for letter in letters if letter.to == address)


@pytest.mark.costly
def test_each_reader_is_told_whom_they_play_and_until_when(office: ClubByMail) -> None:
    office.join("alice", "bob", "carol")
    office.mail("alice@example.net", "star challenge alice secret-alice bob -size=3")
    office.collect()
    office.mail("carol@example.net", "star subscribe 101 carol secret-carol")
    office.collect()
    office.mail("alice@example.net", "star move 101 alice secret-alice C1")
    told = {letter.to: letter for letter in office.collect()}
    names = {to: str(letter.message["From"]) for to, letter in told.items()}
    until = "must move by 2027-02-05 08:00 UTC, in 3 weeks."
    lines = {to: letter.text.splitlines()[:2] for to, letter in told.items()}

    assert names == {
        "alice@example.net": f"bob via Star Club <{US}>",
        "bob@example.net": f"alice via Star Club <{US}>",
        "carol@example.net": f"alice and bob via Star Club <{US}>",
    }
    assert lines == {
        "alice@example.net": ["It is bob's turn.", f"bob {until}"],
        "bob@example.net": ["It is your turn.", f"You {until}"],
        "carol@example.net": ["It is bob's turn.", f"bob {until}"],
    }


@pytest.mark.costly
def test_letters_of_a_board_are_one_thread_of_letters_that_were_sent(
    office: ClubByMail, begun: list[Letter]
) -> None:
    letters = list(begun)
    for address, move in ((ALICE, "C2"), (BOB, "D2"), (ALICE, "E3"), (BOB, "D4")):
        assert office.reply(of(letters[-2:], address), f"{move}\n\nHello.") == "done"
        letters += office.collect()
    office.reply(letters[-1], "chat\n\nWell played.")
    letters += office.collect()
    own = {
        address: {str(each.message["Message-ID"]) for each in letters if each.to == address}
        for address in (ALICE, BOB)
    }

    assert {letter.subject for letter in letters if letter.to == ALICE} == {"Star Board 101 alice"}
    assert {letter.subject for letter in letters if letter.to == BOB} == {"Star Board 101 bob"}
    assert not any("pbmserv." in str(letter.message["References"]) for letter in begun)
    for letter in letters[2:]:
        named = str(letter.message["References"]).split()
        ours = [each for each in named if each.startswith("<pbmserv.")]
        assert ours
        assert own[letter.to].issuperset(ours)
        assert named[-1] == letter.message["In-Reply-To"]


def test_a_clicked_move_stays_in_the_thread(begun: list[Letter]) -> None:
    letter = of(begun, ALICE)
    page = page_of(letter)

    assert Links(page).mails["C2"] == letter.reply_to
    assert "?subject=Re:%20Star%20Board%20101%20alice&amp;body=C2" in page


def test_who_plays_is_told_of_the_end_alone_after_unsubscribing(
    office: ClubByMail, begun: list[Letter]
) -> None:
    letter = of(begun, BOB)
    unsubscribe = str(letter.message["List-Unsubscribe"])
    outcome = office.reply(letter, subject=unsubscribe.rpartition("=")[2].rstrip(">"))
    office.collect()
    office.reply(of(begun, ALICE), "C2")
    told = [each.to for each in office.collect()]
    office.mail(BOB, "star resign 101 bob secret-bob")

    assert (outcome, told) == ("done", [ALICE])
    assert sorted(each.to for each in office.collect()) == [ALICE, BOB]


def test_a_refused_answer_is_answered_by_the_board_from_which_a_click_moves(
    office: ClubByMail, begun: list[Letter]
) -> None:
    stale = of(begun, ALICE)
    refused = office.reply(stale, "Z99")
    (first,) = office.collect()
    office.mail(ALICE, f"Re: {first.subject}", "C2", to=Links(page_of(first)).mails["C2"])
    theirs = of(office.collect(), BOB)
    office.reply(theirs, "D2")
    office.collect()
    late = office.reply(stale, "E3")
    (second,) = office.collect()
    links = Links(page_of(second)).mails

    assert (refused, late) == ("invalid-move", "stale-token")
    assert first.text.startswith("Your mail was not accepted.")
    assert first.subject == second.subject == stale.subject
    assert {"E3", "pass", "resign"} <= links.keys()
    assert "C2" not in links
    assert office.mail(ALICE, f"Re: {second.subject}", "E3", to=links["E3"]) == "done"

"""The second step on a large board: a mail that asks for the cells of a row, and its answer."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.mail.mail_players import whose_turn
from tests.mail.server_by_mail import ClubByMail, Letter

pytestmark = pytest.mark.costly

ALICE, BOB = "alice@example.net", "bob@example.net"


@pytest.fixture
def first(office: ClubByMail) -> Letter:
    """The letter of a board with more cells than a letter has room for."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=14")
    letter = whose_turn(office.collect())
    assert letter is not None
    return letter


def links(letter: Letter) -> dict[str, str]:
    """Return the mails that the letter's links open, by the text that they hold."""
    page = letter.message.get_body(("html",))
    assert page is not None
    found = re.findall(r'href="(mailto:[^"]*)"', page.get_content())
    urls = [urlsplit(url.replace("&amp;", "&")) for url in found]
    return {parse_qs(url.query)["body"][0]: unquote(url.path) for url in urls}


def test_a_cell_without_a_link_is_found_by_one_mail_more(office: ClubByMail, first: Letter) -> None:
    asked = office.mail(ALICE, f"Re: {first.subject}", "cells 26", to=links(first)["cells 26"])
    (second,) = office.collect()
    moved = office.mail(ALICE, f"Re: {first.subject}", "M26", to=links(second)["M26"])

    assert "M26" not in links(first)
    assert (asked, moved) == ("done", "done")
    assert (second.subject, second.to) == (first.subject, ALICE)
    assert second.message["Auto-Submitted"] == "auto-replied"
    assert second.text.startswith(
        "It is your turn.\r\n\r\nHere are links for the cells of row 26.\r\n"
    )


def test_every_row_without_links_can_be_asked_for(office: ClubByMail, first: Letter) -> None:
    found = links(first)
    asked = [text.removeprefix("cells ") for text in found if text.startswith("cells ")]
    cells = set(found)
    for row in asked:
        office.mail(ALICE, f"Re: {first.subject}", f"cells {row}", to=first.reply_to)
        (letter,) = office.collect()
        cells |= set(links(letter))

    assert len(asked) > 2
    assert len({cell for cell in cells if re.fullmatch("[A-Z][0-9]+", cell)}) == 507


@pytest.mark.parametrize(
    ("sender", "text", "outcome", "said"),
    [
        (ALICE, "cells 27", "no-such-part", "Its rows are 1, 2, 3,"),
        (ALICE, "Cells  26", "done", "cells of row 26"),
        (BOB, "cells 26", "not-your-token", "Answer from the address"),
        (ALICE, "cells \u0662\u0666", "surplus-word", "first line, such as"),
        (ALICE, "cells for sale", "surplus-word", "first line, such as"),
        ("mallory@example.com", "cells 26", "not-your-token", ""),
    ],
)
def test_only_its_player_is_sent_the_cells_of_a_row_that_there_is(
    office: ClubByMail, first: Letter, sender: str, text: str, outcome: str, said: str
) -> None:
    found = office.mail(sender, f"Re: {first.subject}", text, to=first.reply_to)
    texts = [letter.text for letter in office.collect()]

    assert found == outcome
    assert [said in text for text in texts] == [True] * bool(said)


def test_an_older_letter_has_no_cells_to_send(office: ClubByMail, first: Letter) -> None:
    office.reply(first, "N14")
    theirs = whose_turn(office.collect())
    assert theirs is not None
    outcomes = [office.reply(letter, "cells 3") for letter in (first, theirs)]
    office.reply(theirs, "N15")

    assert outcomes == ["stale-token", "done"]
    assert office.reply(theirs, "cells 3") == "stale-token"


def test_who_is_not_to_move_is_sent_no_cells(office: ClubByMail, first: Letter) -> None:
    office.reply(first, "N14")
    mine = next(letter for letter in office.collect() if letter.to == ALICE)

    assert office.reply(mine, "cells 3") == "not-your-turn"


def test_cells_are_asked_for_no_oftener_than_anything_else(
    office: ClubByMail, first: Letter
) -> None:
    outcomes = [office.reply(first, "cells 3") for _ in range(70)]

    assert outcomes.count("done") < 60
    assert outcomes[-1] == "too-many-commands"

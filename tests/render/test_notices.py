"""Letters about no change of a board: what they say, and what they never say."""

from dataclasses import replace

import pytest

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.club.match import MatchSummary
from pbmserv.club.player import Seat
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood, Refused
from pbmserv.render.blocks import BoardPicture, Table, board_text
from pbmserv.render.board_letters import Comment, Reader, letter_text
from pbmserv.render.letter_html import letter_html
from pbmserv.render.service_letters import (
    TranscriptLine,
    answer_letter,
    digest_letter,
    message_letters,
    refusal_letter,
    reset_letter,
    transcript_letter,
    trouble_letter,
    verify_letter,
    welcome_letter,
)

from .sample_letters import NOW, TO_ALICE, TO_BOB, played

ASKER = Reader("alice@example.org", 1, is_asker=True, in_reply_to="<1@example.org>")


def test_a_refusal_says_why_and_repeats_nothing() -> None:
    match, _ = played("star", ["F6"])
    error = Misunderstood("No such word.", code="x", hint="Syntax: y", about="s3cret")
    refusals = [refusal_letter(ASKER, error, match), refusal_letter(ASKER, error)]

    assert [letter.subject for letter in refusals] == [
        "Star Board 101 alice",
        "pbmserv: not accepted",
    ]
    assert [letter.revision for letter in refusals] == [match.revision, None]
    for letter in refusals:
        said = "Your mail was not accepted.\nNo such word.\nSyntax: y\n\nNothing was changed."
        assert letter_text(letter).startswith(said)
        assert "s3cret" not in letter_text(letter)
        assert (letter.is_answer, letter.in_reply_to) == (True, "<1@example.org>")


@pytest.mark.parametrize("spec", ["star(size=3)", "hex(size=4)", "starstar(size=4)"])
def test_a_refused_answer_shows_the_board_again_to_be_tapped_by_whoever_is_to_move(
    spec: str,
) -> None:
    match, _ = played(spec, [parse_game(spec).board.names[0]])
    error = Refused("This cell is taken.", code="x", hint="Write a free one.")
    mine, theirs = (
        refusal_letter(replace(reader, is_asker=True), error, match)
        for reader in (TO_BOB, TO_ALICE)
    )
    pages = [letter_html(each, "cid:b", lambda cell: f"mailto:{cell}") for each in (mine, theirs)]
    free = [n for n in match.game.board.names[1:] if f'"mailto:{n}' in pages[0]]

    tappable = [bool(letter.diagram and letter.diagram.is_clickable) for letter in (mine, theirs)]
    heads = ["Your mail was not accepted. It is your turn.</h1>" in page for page in pages]

    assert tappable == heads == [True, False]
    assert free == [*match.game.board.names[1:]]
    assert ["mailto:pass" in page for page in pages] == [True, False]
    assert all("This cell is taken." in page for page in pages)
    assert "It is bob's turn." in letter_text(theirs)
    assert board_text(BoardPicture(match.game, match.position)) in letter_text(mine)
    assert "mailto:" not in pages[1]


def test_the_one_board_of_an_answer_becomes_its_picture() -> None:
    match, _ = played("star(size=3)", ["B3"])
    board = BoardPicture(match.game, match.position)
    table = Table(("a", "b"), (("1", "2"),))
    one = answer_letter(ASKER, "Star show", ["above", board, table])
    two = answer_letter(ASKER, "Star show", [board, "between", board])

    assert (one.lead, one.tail) == ("above", "a  b\n1  2")
    assert one.diagram is not None
    assert not one.diagram.is_clickable
    assert two.diagram is None
    assert two.lead.count("A B C") == 2


def test_a_transcript_tells_each_line() -> None:
    lines = [
        TranscriptLine("star move", "done", "alice plays F6.\n\nnext"),
        TranscriptLine("star move", "refused", "It is not your turn."),
        TranscriptLine("star move", "not tried"),
    ]
    letter = transcript_letter(ASKER, lines)

    assert letter.subject == "pbmserv: 1 of 3 commands done"
    assert letter_text(letter) == (
        "1. star move: done\n   alice plays F6.\n\n   next\n\n"
        "2. star move: refused\n   It is not your turn.\n\n"
        "3. star move: not tried\n"
    )


def test_letters_that_prove_an_address_can_be_answered() -> None:
    letters = [welcome_letter(ASKER, "alice"), verify_letter(TO_ALICE, "alice")]

    assert [(letter.player_id, letter.match_id, letter.revision) for letter in letters] == [
        (1, None, 0),
        (1, None, 0),
    ]
    assert "Answer this mail" in letters[0].lead


def test_a_reset_letter_holds_the_command() -> None:
    letter = reset_letter(TO_ALICE, "alice", "reset alice TOKEN NEW")

    assert letter.kind is LetterKind.RESET
    assert "\n    reset alice TOKEN NEW" in letter.lead
    assert letter.revision is None


def test_messages_show_no_address() -> None:
    for is_broadcast, subject in ((False, "Message from alice"), (True, "Broadcast from alice")):
        message = Comment("alice", "Hi\n-- \nalice")
        letters = message_letters(message, [TO_BOB, TO_BOB], is_broadcast=is_broadcast)
        (letter,) = letters

        assert letter.subject == subject
        assert letter.lead == "alice writes:\n| Hi\n| --\n| alice"
        assert "@" not in letter_text(letter)


def test_the_digest_lists_who_waits() -> None:
    seats = {Side.X: Seat(2, "bob"), Side.O: Seat(1, "alice")}
    summary = MatchSummary(
        7,
        "starstar",
        "starstar(size=4)",
        103,
        seats,
        Status.RUNNING,
        9,
        Side.O,
        None,
        None,
        None,
        NOW,
        NOW,
    )
    letter = digest_letter(TO_ALICE, [summary])

    assert letter.subject == "Your turn: 1 board"
    assert "*Star Board 103  move 10  alice against bob  since 2027-01-15" in letter.lead


def test_trouble_is_told_in_lines() -> None:
    letter = trouble_letter(TO_BOB, "letters given up", ["One.", "Two."])

    assert (letter.subject, letter.lead) == ("pbmserv: letters given up", "One.\nTwo.")


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "a\nBcc: x@y.z"},
        {"subject": "a\r\n"},
        {"subject": ""},
        {"subject": "é"},
        {"subject": "a" * 201},
        {"subject": " a"},
        {"in_reply_to": "<a@b>\r\nBcc: x@y.z"},
        {"in_reply_to": "<a @b>"},
        {"in_reply_to": "a@b"},
        {"in_reply_to": "<a@b> <c@d>"},
    ],
)
def test_no_letter_exists_that_a_header_cannot_hold(change: dict[str, str]) -> None:
    values = {"subject": "Star", "in_reply_to": "<a@b>"} | change
    with pytest.raises(ValueError, match=r"subject|Message-ID"):
        Letter(
            LetterKind.ANSWER,
            "a@example.org",
            values["subject"],
            "",
            in_reply_to=values["in_reply_to"],
        )


@pytest.mark.parametrize("address", ["a@b\r\nBcc: x@y.z", "a@b, c@d", "a b@c", "", "a@b\0"])
def test_no_letter_goes_to_what_is_no_single_address(address: str) -> None:
    with pytest.raises(Misunderstood):
        Letter(LetterKind.ANSWER, address, "Star", "")

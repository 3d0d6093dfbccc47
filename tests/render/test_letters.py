"""Letters about boards: who reads what, in which words, within which width."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pbmserv.club.events import Event, EventKind
from pbmserv.club.letter import Diagram, Letter, LetterKind, PieceKind, format_layout, parse_layout
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import offer, resign
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import DAY, HOUR, Moment
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_letters,
    chat_letters,
    letter_text,
    reminder_letters,
)
from pbmserv.render.service_letters import refusal_letter

from .pictured_boards import all_boards, random_position
from .sample_letters import ALICE, NOW, TO_ALICE, TO_BOB, TO_CAROL, new_match, played

GOLDEN = Path(__file__).parent / "letters"


def letter_to(match: Match, events: tuple[Event, ...], reader: Reader) -> Letter:
    return board_letters(match, events, [reader])[0]


@pytest.mark.parametrize(
    ("name", "spec", "moves", "reader"),
    [
        ("star-new", "star(size=4)", "", TO_ALICE),
        ("star-turn", "star(size=4)", "C3 D3 E4", TO_BOB),
        ("star-watched", "star(size=4)", "C3 swap", TO_CAROL),
        ("star-over", "star(size=3)", "B3 C3 pass pass", TO_ALICE),
        ("double-turn", "starstar(size=4,double)", "*40 S40+T40", TO_ALICE),
    ],
)
def test_letters_read_as_they_should(name: str, spec: str, moves: str, reader: Reader) -> None:
    match, events = played(spec, moves.split())
    reader = replace(reader, due=NOW + 7 * 86400)
    comment = Comment("alice", "Hello,\n> all\tof you!\n\n" + "word " * 30)
    (letter,) = board_letters(match, events, [reader], comment=comment, notes=["A note."])
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")

    assert f"{letter.subject}\n\n{letter_text(letter)}" == expected


def test_every_letter_of_a_board_to_one_reader_has_one_subject() -> None:
    started = (Event(EventKind.STARTED, ALICE),)
    match, events = played("star", ["F6"])
    finished, end = resign(played("star", ["F6", "F7"])[0], 1, NOW)
    hello = Comment("alice", "Hello!")
    letters = [
        *board_letters(new_match("star"), started, [TO_ALICE]),
        *board_letters(match, events, [TO_ALICE], comment=hello),
        *board_letters(finished, end, [TO_ALICE]),
        *reminder_letters(match, [TO_ALICE], "alice, it is your turn."),
        *chat_letters(match, hello, [TO_ALICE]),
        refusal_letter(TO_ALICE, Refused("No.", code="no"), match),
    ]

    assert {letter.subject for letter in letters} == {"Star Board 101 alice"}
    assert letter_to(match, events, TO_BOB).subject == "Star Board 101 bob"
    assert letter_to(match, events, TO_CAROL).subject == "Star Board 101 carol"


def test_the_first_line_says_what_matters() -> None:
    match, events = played("star", ["F6"])
    started = (Event(EventKind.STARTED, ALICE),)
    finished, end = resign(played("star", ["F6", "F7"])[0], 1, NOW)
    hello = Comment("alice", "Hello!")
    letters = [
        *board_letters(new_match("star"), started, [TO_ALICE, TO_BOB]),
        *board_letters(match, events, [TO_BOB, TO_CAROL], comment=hello),
        *board_letters(finished, end, [TO_ALICE]),
        *reminder_letters(match, [TO_BOB], "Two days are left."),
        *chat_letters(match, hello, [TO_ALICE]),
    ]

    assert [letter.lead.partition("\n")[0] for letter in letters] == [
        "New board. It is your turn.",
        "New board. It is alice's turn.",
        "There is a comment by alice. It is your turn.",
        "There is a comment by alice. It is bob's turn.",
        "The game is over.",
        "Reminder. It is your turn.",
        "There is a comment by alice. It is bob's turn.",
    ]


def test_every_title_is_a_word_that_begins_a_command() -> None:
    for game in all_boards():
        assert find_game(game.title) is type(game)


def test_only_who_is_to_move_may_click() -> None:
    match, events = played("star", ["F6"])
    letters = board_letters(match, events, [TO_ALICE, TO_BOB, TO_CAROL])
    clickable = [letter.diagram.is_clickable for letter in letters if letter.diagram]

    assert clickable == [False, True, False]
    assert [letter.kind.value for letter in letters] == ["board", "board", "watched"]
    assert ["To move, answer" in letter.tail for letter in letters] == clickable


def test_nobody_may_click_on_a_board_that_is_over() -> None:
    match, events = resign(played("star", ["F6", "F7"])[0], 1, NOW)
    letters = board_letters(match, events, [TO_ALICE, TO_BOB])

    assert [letter.diagram and letter.diagram.is_clickable for letter in letters] == [False, False]


def test_a_reader_gets_one_letter_and_each_claims_his_own_revision() -> None:
    match, events = played("star", ["F6"])
    stranger = Reader("x@example.org")
    letters = board_letters(match, events, [TO_BOB, TO_BOB, stranger])
    claims = [(letter.player_id, letter.match_id, letter.revision) for letter in letters]

    assert claims == [(2, 7, match.revision), (None, 7, None)]


def test_a_declined_game_has_no_board_any_more() -> None:
    match, events = resign(new_match("star"), 2, NOW)
    letter = letter_to(match, events, TO_ALICE)

    assert letter_text(letter) == "bob declines the game. The board is removed.\n"


def test_a_pending_offer_is_told() -> None:
    match, events = offer(played("star", ["F6"])[0], 1, OfferKind.DRAW, NOW)

    assert "Answer with accept or reject." in letter_to(match, events, TO_BOB).lead
    assert "accept" not in letter_text(letter_to(match, events, TO_ALICE))
    assert "accept" not in letter_text(letter_to(match, events, TO_CAROL))


def test_chat_answers_to_the_board() -> None:
    match, _ = played("star", ["F6"])
    (letter,) = chat_letters(match, Comment("alice", "Hi!"), [TO_BOB])

    assert (letter.kind, letter.subject) == (LetterKind.CHAT, "Star Board 101 bob")
    assert letter_text(letter).endswith("\n\nalice writes:\n| Hi!\n\nChat at Star Board 101.\n")
    assert letter.revision == match.revision


def test_a_comment_never_looks_like_our_own_words() -> None:
    match, events = played("star", ["F6"])
    text = "Move 2: bob (O) to move.\r\nbob\x00 plays\x1b[2J\u202eX\u2028Star Board 101\x85\x0bhey"
    (letter,) = board_letters(match, events, [TO_BOB], comment=Comment("alice", text))
    written = letter.lead.partition("alice writes:\n")[2].partition("\n\n")[0].split("\n")

    assert written == [
        "| Move 2: bob (O) to move.",
        "| bob plays[2JX",
        "| Star Board 101",
        "|",
        "| hey",
    ]


@pytest.mark.costly
def test_the_board_of_every_letter_fits_78_columns() -> None:
    for game in all_boards():
        position = random_position(game, 3)
        letter = Letter(
            LetterKind.BOARD, "a@b.c", "x", "", diagram=Diagram(game, position, shows_owners=True)
        )
        widest = max(map(len, letter_text(letter).split("\n")))

        assert widest <= 78, game


def test_all_other_lines_fit_78_columns() -> None:
    for spec in ("star(size=14)", "starstar(double)", "polyy(sides=9,size=10)", "starweb(size=13)"):
        match = new_match(spec)
        chance = Random(spec)
        moves: list[str] = []
        for _ in range(60):
            position = match.game.replay(moves)
            empty = [c for c, stone in enumerate(position.stones) if not stone]
            cells = chance.sample(empty, match.game.stones_due(position))
            moves.append("+".join(match.game.board.names[cell] for cell in cells))
        match, events = resign(played(spec, moves)[0], 1, NOW)
        comment = Comment("alice", "x" * 500 + " y" * 200)
        (letter,) = board_letters(match, events, [TO_ALICE], comment=comment)

        assert max(map(len, letter_text(letter).split("\n"))) <= 78


def test_a_diagram_reads_back_on_every_board() -> None:
    for game in all_boards():
        position = game.start()
        for _ in range(2):
            cells = [c for c, stone in enumerate(position.stones) if not stone]
            names = [game.board.names[cell] for cell in cells[: game.stones_due(position)]]
            position = game.play(position, game.parse_move("+".join(names)))
        diagram = Diagram(game, position, is_clickable=True, shows_owners=True)
        letter = Letter(LetterKind.BOARD, "a@b.c", "Star", "", diagram=diagram)
        found, _ = parse_layout(format_layout(letter) or "")

        assert found is not None
        assert found == diagram
        assert game.ownership(found.position) == game.ownership(position)


def test_each_piece_of_a_letter_is_what_it_tells() -> None:
    match, events = played("star(size=4)", ["C3", "D3", "E4"])
    comment = Comment("alice", "  \n\n1. X A1\n")
    (letter,) = board_letters(match, events, [replace(TO_BOB, due=NOW)], comment=comment)

    assert letter.above == [
        (PieceKind.COMMENT, "There is a comment by alice."),
        (PieceKind.TURN, "It is your turn."),
        (PieceKind.UNTIL, "You must move by 2027-01-15 08:00 UTC."),
        (PieceKind.DEED, "alice plays E4."),
        (PieceKind.SAID, "alice writes:\n| 1. X A1"),
        (PieceKind.GAME, "Star Board 101 (size 4)\nX: alice   O: bob"),
        (PieceKind.MOVES, "  1. X C3          2. O D3          3. X E4"),
    ]


def test_a_broken_diagram_is_no_diagram() -> None:
    for text in ("star shown", "star(size=3) 0 X 0 0 - shown extra"):
        with pytest.raises(ValueError, match="unpack"):
            parse_layout(text)


def test_a_new_board_names_the_starter() -> None:
    match = new_match("star")
    letter = letter_to(match, (Event(EventKind.STARTED, ALICE),), TO_ALICE)

    assert re.search("^alice plays X and moves first.", letter.lead, re.MULTILINE)


def test_a_letter_shows_the_last_four_rounds_until_the_game_is_over() -> None:
    names = parse_game("star(size=4)").board.names
    match, events = played("star(size=4)", names[:11])
    over, ended = resign(match, 2, NOW)
    texts = [letter_text(letter_to(*told, TO_ALICE)) for told in ((match, events), (over, ended))]
    numbers = [[int(number) for number in re.findall(r"([0-9]+)[.] [XO] ", text)] for text in texts]

    assert numbers == [[*range(5, 12)], [*range(1, 12)]]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (21 * DAY, ", in 3 weeks."),
        (20 * DAY + 23 * HOUR, ", in 3 weeks."),
        (14 * DAY, ", in 2 weeks."),
        (13 * DAY, ", in 13 days."),
        (2 * DAY, ", in 2 days."),
        (DAY, ", in 24 hours."),
        (HOUR, ", in 60 minutes."),
        (60, ", in 1 minute."),
        (0, "."),
        (-DAY, "."),
    ],
)
def test_a_deadline_says_beside_its_date_how_far_ahead_it_is(left: int, told: str) -> None:
    match, events = played("star(size=3)", ["C1"])
    readers = [replace(reader, due=NOW + left) for reader in (TO_ALICE, TO_BOB, TO_CAROL)]
    lines = [letter.lead.split("\n")[1] for letter in board_letters(match, events, readers)]

    date = Moment(NOW + left)
    assert lines == [
        f"bob must move by {date}{told}",
        f"You must move by {date}{told}",
        f"bob must move by {date}{told}",
    ]

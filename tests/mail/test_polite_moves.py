"""What the first line of an answer does: a polite move is a move, and doubt is asked back."""

import pytest

from pbmserv.desk.polite_moves import is_greeting, read_move
from tests.databases import made_once
from tests.mail.server_by_mail import ClubByMail, Letter

ALICE = "alice@example.net"
DASHES = ["-", "--", "---", "\u2014", "\u2013", "-- ", "\u200b--", '"--"', "(-)", "*--*"]


@pytest.fixture
@made_once
def letter(office: ClubByMail) -> Letter:
    """The letter that asks alice for her first move."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=6")
    return next(found for found in office.collect() if found.to == ALICE)


def moves_of(office: ClubByMail) -> list[str]:
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    assert match is not None
    return [turn.text for turn in match.turns]


@pytest.mark.costly(stay=6)
@pytest.mark.parametrize("dashes", DASHES)
@pytest.mark.parametrize("rest", ["", "\nAlice\n+44 20 7946 0000", "\n\nF6"])
def test_an_answer_that_begins_with_a_signature_makes_no_move(
    office: ClubByMail, letter: Letter, dashes: str, rest: str
) -> None:
    outcome = office.reply(letter, f"{dashes}{rest}")

    assert (outcome, moves_of(office)) == ("missing-word", [])


@pytest.mark.parametrize("dash", ["-", "--", "—"])
def test_in_a_subject_a_dash_is_the_pass(office: ClubByMail, letter: Letter, dash: str) -> None:
    office.reply(letter, subject=f"Re: {letter.subject} {dash}")

    assert moves_of(office) == ["pass"]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("F6.", "F6"),
        ("F6, good luck!", "F6"),
        ("F6 - good luck, Bob :-)", "F6"),
        ("(C4)", "C4"),
        ("Pass.", "pass"),
        ("pass, your turn", "pass"),
        ('"F6"', "F6"),
        ("“F6”", "F6"),
        ("*f6*", "F6"),
        ("F6#1!", "F6"),
        ("F6, viel Glück!", "F6"),
        ("F 6", "F6"),
        ("_F6_", "F6"),
        ("__f 6__", "F6"),
        ("My move: F6", "F6"),
        ("*Move*: F6, your turn", "F6"),
        ("Zug: F6", "F6"),
        ("mon coup : F6", "F6"),
        ("Mi jugada = F6!", "F6"),
        ("мой ход: F6", "F6"),
        ("我的棋: F6", "F6"),
        ("F6, sorry for the delay", "F6"),
        ("F6. Désolé pour le retard !", "F6"),
        ("F6 - sorry voor de late reactie", "F6"),
        ("My move: pass", "pass"),
        ("My move is F6", "F6"),
        ("my next move is: F6!", "F6"),
        ("I play F6", "F6"),
        ("I'll play F6, your turn", "F6"),
        ("I move to F6.", "F6"),
        ("-> F6", "F6"),
        ("→ F6", "F6"),
        ("7. F6", "F6"),
        ("7) pass", "pass"),
        ("12... f6", "F6"),
        ("Move 7: F6", "F6"),
        ("7. -> F6", "F6"),
        ("#F6", "F6"),
        ("F6 - your turn", "F6"),
        ("Ich spiele F6 - du bist dran", "F6"),
        ("Mein Zug ist F6.", "F6"),
        ("Je joue en F6, à toi", "F6"),
        ("Juego F6, te toca", "F6"),
        ("La mia mossa è F6", "F6"),
        ("Ik speel F6, jouw beurt", "F6"),
        ("Jeg spiller F6", "F6"),
        ("Mitt drag är F6", "F6"),
        ("Mój ruch to F6", "F6"),
        ("Jogo em F6, sua vez", "F6"),
        ("Hi Bob,\n\nI play F6", "F6"),
        ("Hi Bob,\n\nF6", "F6"),
        ("Good evening, Mr. O'Neill!\nF6", "F6"),
        ("Bonjour à tous,\n  F6, bonne chance", "F6"),
        ("Здравствуйте, Боб!\nF6", "F6"),
        ("你好\nF6", "F6"),
    ],
)
def test_a_polite_move_is_a_move(office: ClubByMail, letter: Letter, line: str, move: str) -> None:
    assert office.reply(letter, f"{line}\n\nSee you.") == "done"
    assert moves_of(office) == [move]
    assert "| See you." in next(told.text for told in office.collect() if told.to != ALICE)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "line",
    [
        "I would not play F6",
        "F6 or G7?",
        "F6?",
        "F6, no, G7",
        "F6, not",
        "F6 was a blunder",
        "F6 is the best move",
        "Shall we pass?",
        "pass me the salt",
        "F6/G7",
        "resign, good game",
        "Resign or C6!",
        "My move is hard to find: C6 or D7",
        "J'ai joué C6",
        "I don't think C6 is good",
        "~~F6~~",
        "F\u03366\u0336",
        "\u202e6F\u202c",
        "F6\u202e",
        "Your move: F6?",
        "Nice F6!",
        "My last move: not F6",
        "accept, thanks",
        "Hi Bob, F6",
        "-- F6",
        "- F6",
        "I played F6",
        "I play F6 or G7",
        "I play F6?",
        "I play not F6",
        "I cannot play F6",
        "My move is not F6",
        "If you play F6",
        "7 F6",
        "7.5 F6",
        "#6",
        "-> F6 -> F7",
        "7. F6 8. F7",
        "F6 - not your turn",
        "I play better on F6 boards",
    ],
)
def test_what_is_in_doubt_is_asked_back(office: ClubByMail, letter: Letter, line: str) -> None:
    outcome = office.reply(letter, line)
    (answer,) = office.collect()

    assert outcome not in {"done", "verified"}
    assert (answer.to, moves_of(office)) == (ALICE, [])


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("10:00", None),
        ("10. 00", None),
        ("I play A50+T31", "A50+T31"),
        ("A50+T31.", "A50+T31"),
        ("(A50 + T31)", "A50+T31"),
        ("*10.", "*10"),
        ("00, thanks", "00"),
    ],
)
def test_cells_of_every_board_may_be_dressed(line: str, move: str | None) -> None:
    assert read_move(line) == move


@pytest.mark.costly
@pytest.mark.parametrize("line", ["Resign!", "resign.", " RESIGN ", "Propose!", "undo."])
def test_what_stands_alone_may_end_as_a_sentence_does(
    office: ClubByMail, letter: Letter, line: str
) -> None:
    for number, cell in enumerate(("F6", "C4", "C5", "C6")):
        assert office.reply(letter, cell) == "done"
        if number < 3:
            letter = next(found for found in office.collect() if "It is your turn" in found.text)
    letter = next(found for found in office.collect() if found.to == ALICE)

    assert office.reply(letter, line) == "done"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "text",
    [
        "J'ai joué C6",
        "Hi Bob,\nshall we play F6?",
        "Hi Bob, no\n\nF6",
        "I'd \"play C6",
        "Thanks for the game!\nF6",
        "the whole story " * 40,
        "\u202e6F",
        "",
        "accept, if you like",
        "-fast F6",
    ],
)
def test_an_answer_is_refused_as_an_answer(office: ClubByMail, letter: Letter, text: str) -> None:
    office.reply(letter, text)
    (answer,) = office.collect()

    assert answer.subject == letter.subject
    assert "as the first line, such as F1." in answer.text
    assert "PASSWORD" not in answer.text
    assert "quotation mark" not in answer.text
    assert moves_of(office) == []


@pytest.mark.parametrize(
    "line", ["Hi", "hello there", "Hi bob", "Dear Anna Berta Carla!", "Good morning", "Hey you"]
)
def test_a_line_that_greets_is_a_greeting(line: str) -> None:
    assert is_greeting(line)


@pytest.mark.parametrize(
    "line",
    [
        "Hi, no way",
        "Dear Bob, I resign",
        "Hello?",
        "Hi Bob, F6",
        "Hi 2 you",
        "Bob",
        "Hi dear old fellow traveller",
        "Hi Bob the great",
        "Hello Anna Berta Carla Dora",
        "Nice move!",
        "",
    ],
)
def test_a_line_that_says_more_is_no_greeting(line: str) -> None:
    assert not is_greeting(line)


def test_telephone_numbers_below_a_signature_do_not_reach_the_opponent(
    office: ClubByMail, letter: Letter
) -> None:
    office.reply(letter, "F6\n\nHello.\n\nVon meinem iPhone gesendet\n+44 20 7946 0000")
    told = next(found.text for found in office.collect() if found.to != ALICE)

    assert "| Hello." in told
    assert "7946" not in told


@pytest.mark.parametrize("userid", ["Bob", "bob", "BOB"])
@pytest.mark.parametrize("said", ["bob", "Bob", "BOB"])
def test_an_opponent_is_spoken_to_in_any_letters(userid: str, said: str) -> None:
    assert read_move(f"F6, {said}!", ("Alice", userid)) == "F6"
    assert read_move(f"F6, {said}!", ("alice",)) is None

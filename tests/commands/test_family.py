"""What each game of the family has for itself, played through the door."""

import pytest

from pbmserv.club.match import restore_moves
from pbmserv.club.match_check import findings
from pbmserv.engine.position import PASS, Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import quoted
from tests.databases import made_once
from tests.local_server import LocalServer, text_of


def begin(local: LocalServer, name: str, options: str) -> None:
    local.game = name
    local.start(options)


@pytest.fixture
@made_once
def double(local: LocalServer) -> LocalServer:
    """Double *Star on four rings after X's single stone; bob is to move."""
    begin(local, "*star", "-double -size=4")
    local.move(101, "alice", "a10")
    return local


# Double *Star


@pytest.mark.parametrize("turn", ["t40 s41", "T40+S41", "'T40+s41'", "T40 S41#2", "t40+s41#2"])
def test_a_turn_of_two_stones_has_one_number(double: LocalServer, turn: str) -> None:
    after = double.move(101, "bob", turn).document

    assert after["moves"] == ["A10", "T40+S41"]
    assert (after["ply"], after["to_move"]) == (2, "X")
    assert after["stones"]["O"] == ["S41", "T40"]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("turn", ["T40+-", "T40 -", "T40 --", "T40+pass", "- T40", "pass+t40"])
def test_a_turn_may_be_one_stone_and_a_pass(double: LocalServer, turn: str) -> None:
    after = double.move(101, "bob", turn).document

    assert after["moves"] == ["A10", "T40+-"]
    assert double.play(101, "pass")["status"] == "running"
    assert double.play(101, "pass")["reason"] == "two-passes"


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ("T40", "wrong-stone-count"),
        ("T40+t40", "occupied"),
        ("T40 T40", "occupied"),
        ("T40+A10", "occupied"),
        ("A10+A10", "occupied"),
        ("T40+T41+T42", "invalid-move"),
        ("T40 T41 T42", "surplus-word"),
        ("T40+swap", "invalid-move"),
        ("T40+", "invalid-move"),
        ("+", "invalid-move"),
        ("T40+Z99", "invalid-move"),
    ],
)
def test_other_turns_are_refused(double: LocalServer, turn: str, code: str) -> None:
    assert double.code(f"starstar move 101 bob secret-bob {turn}") == code


def test_the_refusal_names_cells_of_this_board(double: LocalServer) -> None:
    error = double.refusal("starstar move 101 bob secret-bob T40")

    assert error.message == "This turn is two stones, as in *10+S10, or *10+- for one."


@pytest.mark.parametrize("turn", ["pass", "--", "-", "-+-", "- -"])
def test_a_whole_pass_gives_up_both_stones(double: LocalServer, turn: str) -> None:
    after = double.move(101, "bob", turn).document

    assert after["moves"] == ["A10", "pass"]
    assert double.code("starstar move 101 alice secret-alice T40") == "wrong-stone-count"


def test_the_single_stone_may_be_swapped(double: LocalServer) -> None:
    after = double.json("starstar swap 101 bob secret-bob")

    assert (after["players"]["X"], after["to_move"]) == ("bob", "O")
    assert double.move(101, "alice", "T40 T41").document["stones"]["O"] == ["T40", "T41"]


# Handicap and komi


@pytest.mark.parametrize("options", ["-handicap=1", "-komi=1", "-komi=-1"])
def test_an_uneven_game_is_unrated_and_has_no_swap(local: LocalServer, options: str) -> None:
    begin(local, "starstar", f"-size=4 {options}")
    local.move(101, "alice", "A41")
    with local.desk.store.reading() as records:
        match = records.matches.find("starstar", 101)

    assert match is not None
    assert not match.is_rated
    assert local.code("starstar swap 101 bob secret-bob") == "swap-not-allowed"


def test_equal_scores_are_decided_by_quarks(local: LocalServer) -> None:
    begin(local, "starstar", "-size=4")
    shown = local.play(101, "P40 S41 P41 S42 pass pass")
    text = local.text("starstar score 101")

    assert shown["score"]["points"] == {"X": 2, "O": 2}
    assert (shown["score"]["quarks"], shown["winner"]) == ({"X": 1, "O": 0}, "X")
    assert "Score: X: 2   O: 2   X wins the tie" in text
    assert "Equal scores: X has more quarks." in text


def test_a_first_pass_tells_of_peries_and_empty_cells(local: LocalServer) -> None:
    begin(local, "starstar", "-size=4")
    local.play(101, "A41 S41 A42 S42")
    text = text_of(local.move(101, "alice", "pass"))

    assert "Score if the game ended now: X: 2   O: 2   (most of the board is empty)" in text
    assert "A second pass now ends the game: a draw, 2 to 2." in text
    assert "16 peries belong to nobody." in text
    assert "Peries that nobody owns count for nobody; to win them, play on." in text
    assert "46 cells are empty." in text


def test_p_stands_for_the_sector_that_a_shell_expands(local: LocalServer) -> None:
    begin(local, "*star", "-size=4")

    assert local.move(101, "alice", "p41").document["moves"] == ["*41"]
    assert local.json("'*star' show 101") == local.json("starstar show 101")
    assert local.json("*STAR show 101")["stones"]["X"] == ["*41"]


# Starweb


def test_with_equal_points_the_second_stone_wins(local: LocalServer) -> None:
    begin(local, "starweb", "-size=4")
    shown = local.play(101, "A5 B7 pass pass")

    assert (shown["score"]["points"], shown["winner"]) == ({"X": 1, "O": 1}, "O")
    assert shown["players"]["O"] == "bob"


def test_after_a_swap_the_tie_is_with_who_gave_the_stone_away(local: LocalServer) -> None:
    begin(local, "starweb", "-size=4")
    shown = local.play(101, "A5 swap B7 pass pass")
    text = local.text("starweb score 101")

    assert (shown["score"]["points"], shown["winner"]) == ({"X": 1, "O": 1}, "O")
    assert shown["players"]["O"] == "alice"
    assert "alice (O) wins Starweb Board 101, 1 to 1 on the tie-break, after two passes." in text
    assert "With equal points O wins: the first stone is X's." in text


def test_after_a_pass_by_x_the_tie_is_with_x(local: LocalServer) -> None:
    begin(local, "starweb", "-size=4")
    shown = local.play(101, "pass A5 B7 pass pass")
    text = local.text("starweb score 101")

    assert (shown["score"]["points"], shown["winner"]) == ({"X": 1, "O": 1}, "X")
    assert "With equal points X wins: the first stone is O's." in text


def test_a_stored_game_keeps_the_tie_that_an_earlier_version_gave(local: LocalServer) -> None:
    begin(local, "starweb", "-size=4")
    local.play(101, "pass A5 B7 pass")
    with local.desk.store.writing() as records:
        match = records.matches.find("starweb", 101, lock=True)
        assert match is not None
        moves = (*match.record.moves, PASS)
        outcome = Outcome(Side.O, Reason.TWO_PASSES)
        records.matches.save(match, restore_moves(match, moves, outcome, 1))
    shown = local.show(101)
    record = local.json("starweb export 101")["record"]
    imported = local.json("starweb import bob secret-bob", record)
    with local.desk.store.reading() as records:
        stored = [records.matches.find("starweb", number) for number in (101, 102)]

    assert (shown["winner"], imported["winner"]) == ("O", "O")
    assert [findings(match) for match in stored if match] == [[], []]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-notch=0", "Invalid value for -notch: 0 (1 to 5)."),
        ("-size=4 -notch=2", "Invalid value for -notch: 2 (1 with -size=4)."),
        ("-size=8 -notch=4", "Invalid value for -notch: 4 (1 to 3 with -size=8)."),
    ],
)
def test_a_notch_that_does_not_fit_is_refused(
    local: LocalServer, options: str, message: str
) -> None:
    local.sign_up("alice", "bob")
    error = local.refusal(f"starweb challenge alice bob {options}")

    assert (error.code, error.exit_code) == ("bad-option-value", 2)
    assert quoted(error) == message


# Poly-Y and Y


def test_a_majority_of_corners_ends_the_game_at_once(local: LocalServer) -> None:
    begin(local, "polyy", "-size=3")
    before = local.play(101, "A20 00 A21 C10 B20 D10 B21 E10")
    after = local.play(101, "C20")

    assert (before["status"], before["winner"]) == ("running", None)
    assert before["score"]["points"] == {"X": 0, "O": 0}
    assert (after["status"], after["winner"], after["reason"]) == ("won", "X", "majority")
    assert after["score"]["points"] == {"X": 1, "O": 0}
    assert after["score"]["corners"] == {"X": ["A20", "B20", "C20"], "O": []}
    assert local.code("polyy move 101 bob secret-bob C10") == "game-over"
    assert "A=x" in local.text("polyy show 101")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("y preview new -size=26 Z26", "Y (size 26)"),
        ("polyy preview new -size=10 -sides=9 i98", "sides 9"),
        ("starweb preview new -size=13 -notch=5 pass", "notch 5"),
        ("starstar preview new P00", "*Star (size 10)"),
        ("star preview new -size=14 A14", "Star (size 14)"),
    ],
)
def test_the_largest_boards_are_within_a_hundred_columns(
    local: LocalServer, line: str, shown: str
) -> None:
    text = local.text(line)

    assert shown in text
    assert max(map(len, text.splitlines())) <= 100

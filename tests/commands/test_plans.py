"""Plans through the door: played in their turn, seen by nobody but their owner."""

import pytest

from tests.databases import made_once
from tests.local_server import LocalServer

from .passing_days import DAY, letters, live, with_letters

NAMES = ("qmove", "moveq", "qboard", "boardq", "queue")


@pytest.fixture
@made_once
def board(local: LocalServer) -> LocalServer:
    """A board with two moves; alice is to move."""
    local.start("-size=5")
    local.play(101, "C3 D4")
    return local


def queue(local: LocalServer, userid: str, words: str) -> str:
    return local.text(f"star queue 101 {userid} secret-{userid} {words}")


def moves(local: LocalServer) -> list[str]:
    return [str(text) for text in local.show(101)["moves"][2:]]


@pytest.mark.parametrize("verb", NAMES)
def test_a_plan_is_played_when_its_turn_comes(board: LocalServer, verb: str) -> None:
    answer = board.do(f"star {verb} 101 bob secret-bob e4")

    assert answer.document == {"plan": "E4", "played": []}
    assert moves(board) == []
    text = board.text("star move 101 alice secret-alice C4")
    assert text.startswith("alice plays C4.\nbob plays E4, as planned.\n")
    assert moves(board) == ["C4", "E4"]


def test_on_my_own_turn_the_first_move_is_played_at_once(board: LocalServer) -> None:
    answer = board.do("star queue 101 alice secret-alice C4 C5")
    board.move(101, "bob", "E4")

    assert answer.document == {"plan": "C5", "played": ["C4"]}
    assert moves(board) == ["C4", "E4", "C5"]


def test_a_tree_answers_what_it_names_and_stops_at_anything_else(board: LocalServer) -> None:
    queue(board, "bob", "C4:E4/C5:E5 B4:B5")
    board.move(101, "alice", "C4")
    board.move(101, "alice", "C5")
    queue(board, "bob", "B4:B5")
    board.move(101, "alice", "D5")
    text = board.text("star showas bob secret-bob 101")

    assert moves(board) == ["C4", "E4", "C5", "E5", "D5"]
    assert "Board 101: your plan B4:B5 was cancelled. Your opponent played something" in text
    assert board.json("star showas bob secret-bob 101")["plans"] == {}


def test_a_planned_move_that_has_become_illegal_is_dropped(board: LocalServer) -> None:
    queue(board, "bob", "E4 E5")
    board.move(101, "alice", "E4")

    assert moves(board) == ["E4"]
    assert "It cannot be played in this position" in board.text("star showas bob secret-bob")
    board.move(101, "bob", "C4")
    board.move(101, "alice", "B4")
    assert moves(board) == ["E4", "C4", "B4"]
    assert "plan" not in board.text("star showas bob secret-bob")


def test_a_plan_of_mine_that_my_own_move_ends_is_told_to_me(board: LocalServer) -> None:
    queue(board, "alice", "E4:C5")
    queue(board, "bob", "B4")
    text = board.text("star move 101 alice secret-alice C4")

    assert "Your plan has been cancelled. Your opponent played something else." in text
    assert moves(board) == ["C4", "B4"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("C3", "occupied"),
        ("E4 E4", "occupied"),
        ("swap", "swap-not-allowed"),
        ("C4:E4 C4:E5", "bad-plan"),
        ("F99", "invalid-move"),
        ("resign E4", "bad-plan"),
        ("C4::E4", "bad-plan"),
    ],
)
def test_a_plan_that_can_never_be_is_refused(board: LocalServer, words: str, code: str) -> None:
    assert board.code(f"star queue 101 bob secret-bob {words}") == code


def test_a_new_plan_replaces_the_old_and_none_clears_it(board: LocalServer) -> None:
    queue(board, "bob", "E4 E5")
    queue(board, "bob", "B4")
    shown = board.json("star showas bob secret-bob 101")["plans"]
    answer = board.do("star queue 101 bob secret-bob none")
    board.move(101, "alice", "C4")

    assert shown == {"101": "B4"}
    assert answer.document == {"plan": None, "played": []}
    assert moves(board) == ["C4"]


def test_an_undo_clears_the_plans_of_both(board: LocalServer) -> None:
    queue(board, "alice", "C4:C5")
    queue(board, "bob", "E4 E5")
    board.move(101, "bob", "undo")
    board.move(101, "alice", "accept")
    for userid in ("alice", "bob"):
        assert board.json(f"star showas {userid} secret-{userid} 101")["plans"] == {}
    before = board.show(101)["moves"]
    board.play(101, "D3 C4")

    assert board.show(101)["moves"] == [*before, "D3", "C4"]


@pytest.mark.parametrize(("words", "reason"), [("resign", "resignation"), ("pass", "two-passes")])
def test_resign_and_pass_can_be_planned(board: LocalServer, words: str, reason: str) -> None:
    queue(board, "bob", words)
    text = board.text("star move 101 alice secret-alice pass")

    assert "bob passes, as planned." in text or "bob resigns, as planned." in text
    assert board.show(101)["reason"] == reason
    assert "Ratings: " in text


def test_a_double_turn_is_planned_as_one_word(local: LocalServer) -> None:
    local.game = "starstar"
    local.start("-size=6 -double")
    first = local.show(101)["stones"]
    local.do("starstar queue 101 bob secret-bob T20+S21")
    local.move(101, "alice", "A10")

    assert first == {"X": [], "O": []}
    assert local.show(101)["moves"] == ["A10", "T20+S21"]


def test_nobody_but_the_owner_finds_a_trace_of_a_plan(board: LocalServer) -> None:
    before = board.show(101)
    queue(board, "bob", "E4:E6/B4:F6")
    lines = [
        "star show 101",
        "star showas alice secret-alice 101",
        "star showas alice secret-alice",
        "star games",
        "star export 101",
        "star replay 101",
        "star history",
    ]
    told = [board.text(line) + str(board.json(line)) for line in lines]
    with board.desk.store.reading() as records:
        told += [entry.detail for entry in records.lists.audit().rows]

    assert before == board.show(101)
    assert [text for text in told if "E4:E6" in text or "your plan" in text] == []
    assert board.json("star showas bob secret-bob 101")["plans"] == {"101": "E4:E6/B4:F6"}


def test_letters_tell_the_owner_alone_of_a_dropped_plan(local: LocalServer) -> None:
    with_letters(local, "alice", "bob")
    local.do("star challenge -size=5 alice bob")
    local.play(101, "C3 D4")
    queue(local, "bob", "E4:E6")
    before = len(letters(local, "alice"))
    local.move(101, "alice", "C4")

    assert len(letters(local, "alice")) == before + 1
    assert "plan" not in "".join(letters(local, "alice"))
    assert "Your plan has been cancelled." in letters(local, "bob")[-1]


def test_letters_say_which_moves_were_planned(local: LocalServer) -> None:
    with_letters(local, "alice", "bob")
    local.do("star challenge -size=5 alice bob")
    local.play(101, "C3 D4")
    queue(local, "bob", "E4")
    local.move(101, "alice", "C4")

    for userid in ("alice", "bob"):
        last = letters(local, userid)[-1]
        assert "\n\nalice plays C4.\nbob plays E4, as planned.\n" in last


def test_planned_moves_take_no_time_and_keep_the_clock_going(board: LocalServer) -> None:
    queue(board, "bob", "E4")
    board.clock.seconds += DAY
    board.move(101, "alice", "C4")
    board.clock.seconds += DAY

    assert board.show(101)["time"]["used"] == {"X": 2 * DAY, "O": 0}


@pytest.mark.costly
def test_a_forfeit_forgets_the_plans(local: LocalServer) -> None:
    local.desk.vacation_days = lambda: 0
    live(local, 0.25)
    local.start("-size=5")
    local.play(101, "C3 D4")
    queue(local, "bob", "E4")
    live(local, 22)

    assert local.show(101)["reason"] == "forfeit"
    assert local.tables()["plan"] == []


def test_a_move_by_hand_before_an_answer_keeps_the_answer(board: LocalServer) -> None:
    queue(board, "alice", "E4:E5")
    board.move(101, "alice", "C4")
    board.move(101, "bob", "E4")

    assert moves(board) == ["C4", "E4", "E5"]

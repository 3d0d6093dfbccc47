"""Playing Star from the challenge to the end, through the door."""

import pytest

from tests.databases import ONE_DATABASE
from tests.local_server import NOW, LocalServer

SIZES = (3, 6, 14)

PLAIN = {"komi": 0, "noswap": False}


@pytest.mark.parametrize("size", SIZES)
def test_a_challenge_starts_a_board_at_once(local: LocalServer, size: int) -> None:
    local.sign_up("alice", "bob")
    started = local.json(f"star challenge -size={size} alice bob")

    assert started == local.show(101)
    assert (started["board"], started["ply"], started["to_move"]) == (101, 0, "X")
    assert started["options"] == {"size": size, "maxi": False, "corners": 3} | PLAIN
    assert started["players"] == {"X": "alice", "O": "bob"}
    assert (started["status"], started["winner"], started["reason"]) == ("running", None, None)


def test_a_challenge_keeps_every_option(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    started = local.json("star challenge alice -maxi bob -corners 2 -size=5 --unrated")

    assert started["options"] == {"size": 5, "maxi": True, "corners": 2} | PLAIN


@pytest.mark.parametrize(
    ("options", "x", "o", "is_rated"),
    [("", "alice", "bob", 1), ("-unrated", "alice", "bob", 0), ("", "alice", "alice", 0)],
)
def test_only_a_game_of_two_that_counts_is_rated(
    local: LocalServer, options: str, x: str, o: str, is_rated: int
) -> None:
    local.start(options, x, o)
    with local.desk.store.reading() as records:
        match = records.matches.find("star", 101)

    assert match is not None
    assert match.is_rated == bool(is_rated)


NO_SIZES = ["2", "15", "abc", "", "6.0", "-6", "+", "six", "٦", "9" * 30]


def test_a_size_that_is_none_is_not_understood(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    errors = [local.refusal(f"star challenge alice bob '-size={size}'") for size in NO_SIZES]

    assert {(error.exit_code, error.code) for error in errors} == {(2, "bad-option-value")}
    assert all("(3 to 14)" in error.message for error in errors)


@pytest.mark.parametrize("players", ["alice nobody", "nobody alice", "nobody nobody"])
def test_a_challenge_needs_two_accounts(local: LocalServer, players: str) -> None:
    local.sign_up("alice")

    assert local.code(f"star challenge {players}") == "no-such-player"


def test_a_closed_account_is_not_challenged(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    local.do("signoff bob secret-bob")

    assert local.code("star challenge alice bob") == "no-such-player"


@pytest.mark.parametrize("verb", ["move", "board", "mvoe", "MOVE", "Board"])
def test_a_move_by_every_name_of_its_verb(local: LocalServer, verb: str) -> None:
    local.start("-size=6")
    after = local.json(f"star {verb} 101 ALICE secret-alice f6")

    assert (after["moves"], after["stones"], after["to_move"]) == (
        ["F6"],
        {"X": ["F6"], "O": []},
        "O",
    )


def test_the_answer_to_a_move_tells_all_of_it(local: LocalServer) -> None:
    local.start("-size=4")
    local.play(101, "D3 swap C4")
    text = local.text("star move 101 bob secret-bob C3")

    assert text == (
        "bob plays C3.\n\n"
        "Star Board 101 (size 4)\n"
        "X: bob   O: alice\n\n"
        "  1. X D3          2. O swap        3. O C4          4. X C3\n\n"
        + text.split("\n\n")[3]
        + "\n\nScore if the game ended now: X: 0   O: 0   (most of the board is empty)\nMove "
        "5: alice (O) to move."
    )
    assert ".[X]X . ." in text.split("\n\n")[3]


def test_an_answer_lists_the_last_four_rounds(local: LocalServer) -> None:
    local.start("-size=4")
    local.play(101, "D3 C4 C3 D4 E4 C5 B4 E3 F2")
    text = local.text("star move 101 bob secret-bob D2")

    assert "  3. X C3 " in text
    assert " 2. O C4" not in text
    assert " 1. X D3" in local.text("star show 101")


def test_swap_exchanges_the_seats_and_is_move_two(local: LocalServer) -> None:
    local.start()
    swapped = local.play(101, "C1 swap")
    after = local.move(101, "alice", "C2").document

    assert swapped["players"] == {"X": "bob", "O": "alice"}
    assert (swapped["moves"], swapped["to_move"]) == (["C1", "swap"], "O")
    assert after["stones"] == {"X": ["C1"], "O": ["C2"]}
    assert after["to_move"] == "X"
    assert local.code("star move 101 alice secret-alice B3") == "not-your-turn"
    assert local.move(101, "bob", "B3").document["stones"]["X"] == ["C1", "B3"]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("moves", ["", "C1 C2", "C1 swap", "pass", "C1 C2 B3", "C1 swap C2"])
def test_swap_at_any_other_time_is_refused(local: LocalServer, moves: str) -> None:
    local.start()
    shown = local.play(101, moves)
    userid = shown["players"][shown["to_move"]]

    assert local.code(f"star move 101 {userid} secret-{userid} swap") == "swap-not-allowed"
    assert local.code(f"star swap 101 {userid} secret-{userid}") == "swap-not-allowed"


def test_swap_and_resign_are_verbs_too(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1")
    swapped = local.json("star swap 101 bob secret-bob")
    resigned = local.json("star resign 101 bob secret-bob")

    assert swapped["moves"] == ["C1", "swap"]
    assert (resigned["winner"], resigned["reason"], resigned["players"]["O"]) == (
        "O",
        "resignation",
        "alice",
    )


def test_a_game_against_oneself(local: LocalServer) -> None:
    local.start(x="alice", o="alice")
    after = local.play(101, "C1 swap C2 B3 pass pass")

    assert (after["ply"], after["status"], after["reason"]) == (6, "won", "two-passes")
    assert after["players"] == {"X": "alice", "O": "alice"}


NO_CELLS = [
    "ZZ99",
    "A1",
    "''",
    "x" * 10_000,
    "F6\x07",
    "\x1b[31m",
    "🌟",
    "F٦",
    "C1C2",
    "C1+C2",
    "#3",
    "swap+",
]


def test_a_word_that_is_no_cell_is_refused(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    errors = [local.refusal(f"star move 101 alice secret-alice {text}") for text in NO_CELLS]

    assert {(error.exit_code, error.code) for error in errors} == {(1, "invalid-move")}


NO_GUARDS = ["#0", "#-1", "#", "#x", "#1.0", "#99999999999", "#٣", "#+3"]


def test_a_guard_that_is_no_number_is_not_understood(local: LocalServer) -> None:
    local.start()
    errors = [local.refusal(f"star move 101 alice secret-alice 'C1{text}'") for text in NO_GUARDS]

    assert {(error.exit_code, error.code) for error in errors} == {(2, "bad-guard")}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("text", ["C2", "pass", "propose", "undo 1", "resign", "swap"])
def test_a_guard_goes_with_every_word(local: LocalServer, text: str) -> None:
    local.start()
    local.play(101, "C1")
    refused = [local.code(f"star move 101 bob secret-bob {text}#{n}") for n in (1, 3, 99)]
    local.move(101, "bob", f"{text}#2")

    assert refused == ["wrong-move-number"] * 3


def test_a_guard_of_an_answer_to_an_offer(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1")
    local.move(101, "alice", "undo#2")

    assert local.code("star move 101 bob secret-bob accept#1") == "wrong-move-number"
    assert local.move(101, "bob", "accept#2").document["moves"] == []


def test_a_repeated_mail_with_a_guard_moves_once(local: LocalServer) -> None:
    local.start()
    local.move(101, "alice", "C1#1")

    assert local.code("star move 101 alice secret-alice C1#1") == "wrong-move-number"


def test_every_change_is_dated_by_the_clock(local: LocalServer) -> None:
    local.start()
    local.clock.seconds += 60
    local.play(101, "C1")
    with local.desk.store.reading() as records:
        match = records.matches.find("star", 101)

    assert match is not None
    assert (match.started_at, match.changed_at) == (NOW, NOW + 60)
    assert [turn.played_at for turn in match.turns] == [NOW + 60]


def test_boards_are_numbered_by_game(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    lines = ["star", "starweb", "star", "y", "star"]
    numbers = [local.json(f"{game} challenge alice bob")["board"] for game in lines]

    assert numbers == [101, 101, 102, 101, 103]


@ONE_DATABASE
def test_a_process_forgets_the_turn_that_is_taken_back(local: LocalServer) -> None:
    board = local.start()
    local.play(board, "B2 C2")
    local.move(board, "bob", "undo")
    local.move(board, "alice", "accept")
    local.play(board, "D2")

    assert local.show(board)["moves"] == ["B2", "D2"]

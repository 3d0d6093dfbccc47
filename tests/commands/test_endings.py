"""How a game of Star ends: passes, a full board, resigning and declining."""

from itertools import product

import pytest

from pbmserv.desk.tick import tick
from pbmserv.engine.spec import parse_game
from tests.local_server import LocalServer, text_of


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("first", "second"), list(product(["pass", "--", "-"], repeat=2)))
def test_two_passes_in_any_spelling_end_the_game(
    local: LocalServer, first: str, second: str
) -> None:
    local.start()
    local.play(101, "C1 C2")
    one = local.move(101, "alice", first).document
    two = local.move(101, "bob", second).document

    assert (one["moves"][-1], one["status"]) == ("pass", "running")
    assert (two["moves"][-1], two["reason"], two["to_move"]) == ("pass", "two-passes", None)
    assert local.code("star move 101 alice secret-alice B3") == "game-over"


def test_a_stone_between_two_passes_goes_on(local: LocalServer) -> None:
    local.start()
    after = local.play(101, "C1 pass C2 pass B3")

    assert (after["status"], after["ply"]) == ("running", 5)


def test_passes_as_the_first_moves_end_a_draw_of_nothing(local: LocalServer) -> None:
    local.start()
    after = local.play(101, "pass pass")

    assert (after["status"], after["winner"], after["score"]["points"]) == (
        "drawn",
        None,
        {"X": 0, "O": 0},
    )


def test_a_game_that_passes_end_is_won_by_points(local: LocalServer) -> None:
    local.start()
    # C1 is a corner and touches three externals; B3 and C2 are inside.
    after = local.play(101, "C1 B3 pass pass")

    assert (after["status"], after["winner"], after["score"]["points"]) == (
        "won",
        "X",
        {"X": 1, "O": 0},
    )


def test_the_last_answer_is_the_whole_game_and_its_sheet(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 B3 pass")
    text = local.text("star move 101 bob secret-bob pass")

    assert text.startswith(
        "bob passes.\nalice (X) wins Star Board 101, 1 to 0, after two passes.\n"
    )
    assert "  1. X C1          2. O B3          3. X pass        4. O pass" in text
    assert "Score: X: 1   O: 0   X is ahead by 1" in text
    assert "Score sheet" in text
    assert "    +1  chain: touches 3 externals, minus 2\n        C1" in text


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("moves", "ending"),
    [
        ([("alice", "resign")], "bob (O) wins Star Board 101 by resignation."),
        ([("bob", "resign")], "alice (X) wins Star Board 101 by resignation."),
        ([("bob", "propose"), ("alice", "accept")], "Star Board 101 is a draw by agreement."),
        (
            [("bob", "propose 6-7"), ("alice", "accept 6-7")],
            "wins Star Board 101, 7 to 6, by agreement.",
        ),
    ],
)
def test_nobody_is_called_ahead_in_a_game_that_the_points_did_not_end(
    local: LocalServer, moves: list[tuple[str, str]], ending: str
) -> None:
    board = local.start()
    local.play(board, "C1 B3 A3 B4")
    answers = [text_of(local.move(board, userid, text)) for userid, text in moves]

    for text in (answers[-1], local.text(f"star show {board}"), local.text(f"star score {board}")):
        assert ending in text
        assert "Points on the board: X: 2   O: 0" in text
        assert "ahead" not in text


@pytest.mark.costly
@pytest.mark.parametrize("game", ["star", "hex"])
def test_a_forfeited_game_says_who_won_and_what_stood(local: LocalServer, game: str) -> None:
    local.game = game
    board = local.start("-size=6")
    cells = parse_game(f"{game}(size=6)").board.names
    local.play(board, f"{cells[0]} {cells[9]} {cells[1]}")
    for _ in range(250):
        local.clock.seconds += 6 * 3600
        tick(local.desk)
    text = local.text(f"{game} show {board}")

    assert "alice (X) wins" in text
    assert "on time." in text
    assert "ahead" not in text


def full_board_moves() -> str:
    """Return every cell of the smallest board, in the board's own order."""
    return " ".join(parse_game("star(size=3)").board.names)


@pytest.mark.parametrize(("corners", "total"), [("", 13), ("-corners=2", 7)])
def test_a_full_board_ends_the_game(local: LocalServer, corners: str, total: int) -> None:
    local.start(f"-size=3 {corners}")
    after = local.play(101, full_board_moves())

    assert (after["reason"], after["to_move"], after["ply"]) == ("full-board", None, 12)
    assert sum(after["score"]["points"].values()) == total
    assert after["score"]["full"] is True
    assert after["winner"] == after["score"]["winner"]


def test_two_point_corners_are_worth_nothing_alone(local: LocalServer) -> None:
    local.start("-size=3 -corners=2")
    after = local.play(101, "C1 B3 pass pass")

    assert (after["score"]["points"], after["status"]) == ({"X": 0, "O": 0}, "drawn")


def test_maxi_with_the_same_chains_is_a_draw(local: LocalServer) -> None:
    local.start("-size=6 -maxi")
    after = local.play(101, "F1 J1 J6 A6 pass pass")

    assert (after["status"], after["score"]["winner"]) == ("drawn", "draw")


def test_without_maxi_chains_are_added(local: LocalServer) -> None:
    local.start("-size=6")

    assert local.play(101, "F1 J1 J6 F6 pass pass")["score"]["points"] == {"X": 2, "O": 1}


@pytest.mark.parametrize("by", ["alice", "bob"])
@pytest.mark.parametrize("moves", ["", "C1"])
def test_resigning_before_the_second_move_is_declining(
    local: LocalServer, by: str, moves: str
) -> None:
    local.start()
    local.play(101, moves)
    answer = local.do(f"star resign 101 {by} secret-{by}")

    assert (answer.document["status"], answer.document["winner"]) == ("removed", None)
    assert answer.document["reason"] == "declined"
    assert local.json("star games all")["matches"] == []
    assert local.json("star history")["matches"] == []


@pytest.mark.parametrize(("by", "winner"), [("alice", "O"), ("bob", "X")])
def test_a_resignation_counts_at_once_in_and_out_of_turn(
    local: LocalServer, by: str, winner: str
) -> None:
    local.start()
    local.play(101, "C1 C2")
    after = local.move(101, by, "resign").document

    assert (after["status"], after["winner"], after["ply"]) == ("won", winner, 2)


def test_after_a_swap_the_seats_of_that_moment_resign(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 swap C2")
    after = local.move(101, "alice", "resign").document

    assert (after["winner"], after["players"]["X"]) == ("X", "bob")

"""``gtp``: the computer as an engine for other programs."""

import secrets

import pytest

from pbmserv.engine.spec import parse_game

from .in_process_shell import Shell


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell without any database, and a computer that always has the same luck."""
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 7)
    return Shell("", monkeypatch, capsys)


def answers(engine: Shell, options: str, *lines: str) -> list[str]:
    done = engine.run(f"gtp {options}", "".join(f"{line}\n" for line in lines))

    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\n\n")
    return done.out.removesuffix("\n\n").split("\n\n")


def test_every_answer_has_its_number_and_an_empty_line(engine: Shell) -> None:
    lines = ["7 protocol_version", "", "# nothing", "8 nosuch", "name # us", "quit", "name"]

    assert ["=7 2", "?8 unknown command", "= pbmserv", "="] == answers(engine, "", *lines)


def test_what_is_listed_is_known(engine: Shell) -> None:
    listed = answers(engine, "", "list_commands")[0].removeprefix("= ").split()
    known = answers(engine, "", *(f"known_command {name}" for name in listed))

    assert {"boardsize", "clear_board", "komi", "play", "genmove", "undo"} < set(listed)
    assert {"showboard", "final_score", "cells", "quit"} < set(listed)
    assert ["= true"] * len(listed) == known
    assert ["= false"] == answers(engine, "", "known_command nosuch")


def test_cells_are_those_of_the_board(engine: Shell) -> None:
    names = " ".join(parse_game("hex(size=4)").board.names)

    assert ["=", f"= {names}"] == answers(engine, "-game=hex", "boardsize 4 4", "cells")


def test_black_and_white_take_turns(engine: Shell) -> None:
    lines = ["play white C1", "play black C1", "play b C2", "play green C2", "undo", "play b C2"]

    assert [
        "? it is black's turn",
        "=",
        "? it is white's turn",
        "? a colour is black or white",
        "=",
        "=",
    ] == answers(engine, "-size=3", *lines)


def test_a_move_that_was_made_up_can_be_played(engine: Shell) -> None:
    made = answers(engine, "-game=y -size=5 -level=2", "genmove black", "undo")[0]
    move = made.removeprefix("= ")

    assert move in parse_game("y(size=5)").board.names
    assert ["="] == answers(engine, "-game=y -size=5", f"play black {move}")


def test_after_a_swap_the_stone_is_whites_mirrored_in_hex(engine: Shell) -> None:
    lines = ["play b B1", "play w swap", "play b B1", "play w C1", "showboard"]
    shown = answers(engine, "-game=hex -size=3", *lines)

    assert ["="] * 4 == shown[:4]
    assert ["=", "1-   . X[O]", " 2-   O . .", "  3-   . . ."] == [
        line.rstrip() for line in shown[4].splitlines()[:4]
    ]


def test_the_swapped_stone_leaves_its_cell_in_hex_only(engine: Shell) -> None:
    hex_lines = ["play b B1", "play w swap", "play b A2", "play b B1"]
    star_lines = ["play b C1", "play w swap", "play b C1", "play b C2"]
    taken = "? there is already"

    assert ["=", "=", taken, "="] == [
        answer[: len(taken)] for answer in answers(engine, "-game=hex -size=3", *hex_lines)
    ]
    assert ["=", "=", taken, "="] == [
        answer[: len(taken)] for answer in answers(engine, "-game=star -size=3", *star_lines)
    ]


def test_the_winner_after_a_swap_has_the_colour_of_their_edges(engine: Shell) -> None:
    white = ["play b A1", "play w swap", "play b C1", "play w B1", "play b C2", "play w swap"]
    lines = ["final_score", "play b A1", "play w swap", "play b A2", "play w B1", "play b B2"]
    end = ["play w C1", "final_score", "genmove b"]
    found = answers(engine, "-game=hex -size=3", *lines, *end)

    assert found[0] == "? nobody has won yet"
    assert found[-2].startswith("= W+")
    assert found[-1] == "? the game is over"
    assert answers(engine, "-game=hex -size=3", *white)[-1].startswith("? Swap is not allowed")


def test_komi_is_taken_where_the_game_has_one(engine: Shell) -> None:
    assert ["=", "? this game has no komi"] == answers(engine, "", "komi 0", "komi 6.5")
    assert ["="] == answers(engine, "-game=starstar -size=4", "komi 3.0")
    assert ["? komi is not a number"] == answers(engine, "", "komi much")


@pytest.mark.parametrize("line", ["play black", "boardsize", "boardsize 99", "undo", "komi 1 2"])
def test_what_cannot_be_done_is_answered_in_one_line(engine: Shell, line: str) -> None:
    (answer,) = answers(engine, "-size=3", line)

    assert answer.startswith("? ")
    assert "\n" not in answer

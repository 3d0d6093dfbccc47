"""``settled`` and ``hint``: what they say of a position, and that they help nobody who plays."""

import secrets
from time import process_time

import pytest

from tests.cli.test_gate import ask, environment, gate
from tests.in_process_shell import Shell

__all__ = ["environment", "gate"]

PROVEN = "y settled new -size=6 E3 D5 E4 E5"
"""A position of Y that O wins although X is to move."""

REFUSED = [
    ("hint 101", "no hint until it has ended"),
    ("hint 101#1 D1", "no hint until it has ended"),
    ("settled 101 -depth=0", "no -depth until it has ended"),
    ("settled 101 -links", "no -links until it has ended"),
    ("settled 101#1 D1 -links", "no -links until it has ended"),
]


@pytest.fixture(autouse=True)
def luck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 7)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell without a database."""
    monkeypatch.setenv("PBMSERV_DATABASE_URL", "/nowhere/at/all.sqlite")
    return Shell("", monkeypatch, capsys)


def test_a_proof_is_shown_on_the_board_and_told_in_words(alone: Shell) -> None:
    shown = alone.run(f"{PROVEN} -depth=2").out

    assert "  4-   c c X a\n 5-   c c O[O]a\n6-   * * ? b * .\n" in shown
    assert "O wins, whatever X plays.\n!  D3: O plays here if X plays elsewhere.\n" in shown
    assert "\n?  C6: only here could X interfere; O still wins.\n" in shown
    assert "\na  F4 F5: O gets one of the two.\nb  C6 D6: O gets one of the two.\n" in shown
    assert "\nc  C4 D4 B5 C5: O cannot be cut off here.\n" in shown
    assert "\n*  A6 B6 E6: the rest of what the proof needs.\n" in shown


LINKS = "hex settled new -size=4 D1 C1 B3 A2"
"""A position of Hex in which two links of X share cells."""


def test_links_are_marked_on_the_board_and_told_in_words(alone: Shell) -> None:
    shown = " ".join(alone.run(f"{LINKS} -links").out.split())

    assert "1- . b O X 2- [O]b . . 3- . X . . 4- a a . ." in shown
    assert " a X: B3 and the edge stay joined by A4 or B4." in shown
    assert " b O: C1 and A2 stay joined by B1 or B2." in shown
    sharing = (
        "- X: D1 and the edge stay joined within C2 D2 C3 D3 A4 B4 C4 D4; shares A4 B4 with a."
    )
    assert f" {sharing} " in shown
    assert "one stone there may break one of the two." in shown
    assert "shares" not in alone.run(f"{LINKS} A4 B4 -links").out
    assert "No links were found." in alone.run("starstar settled new S20 -double -links").out


def test_a_cell_of_a_link_of_either_side_is_marked_as_such(alone: Shell) -> None:
    shown = alone.run("star settled new -size=5 E1 D2 F2 E3 -links").out

    assert "* is a cell of both sides' links." in shown


def test_links_as_a_document_name_their_ends_and_cells(alone: Shell) -> None:
    found = alone.json(f"{LINKS} -links")
    first, sharing, last = found["links"]

    assert (None, "X", "a", ["B3", "edge"]) == (
        *(found["proof"], first["side"], first["mark"], first["ends"]),
    )
    assert ("-", ["A4", "B4"]) == (sharing["mark"], sharing["shared"])
    assert ("O", "b", ["C1", "A2"], ["B1", "B2"], []) == tuple(last[key] for key in LINK_KEYS)
    assert [] == alone.json(LINKS)["links"]


LINK_KEYS = ("side", "mark", "ends", "cells", "shared")


def test_links_and_a_proof_are_asked_for_one_by_one(alone: Shell) -> None:
    done = alone.run(f"{LINKS} -links -depth=1")

    assert (2, "") == (done.code, done.out)
    assert "The options -links and -depth cannot be combined." in done.err


def test_what_is_not_proven_is_not_claimed(alone: Shell) -> None:
    found = alone.json(f"{PROVEN} -depth=0")

    assert found["proof"] is None
    assert {"low": -1, "high": 1, "winner": None} == found["settled"]
    assert "Still open.\n\nNo win is proven by links.\n" in alone.run(f"{PROVEN} -depth=0").out


def test_links_prove_what_looking_as_far_ahead_does_not(alone: Shell) -> None:
    proof = alone.json(f"{PROVEN} -depth=1")["proof"]

    assert ("O", []) == (proof["winner"], proof["pairs"])
    assert proof["move"] in proof["carrier"]
    assert "\nO wins, whatever X plays.\n" in alone.run(f"{PROVEN} -depth=1").out


def test_a_proof_as_a_document_names_its_cells(alone: Shell) -> None:
    proof = alone.json(f"{PROVEN} C4 -depth=1")["proof"]

    assert ("O", 1, "B6", []) == tuple(
        proof[key] for key in ("winner", "depth", "move", "must_play")
    )
    assert [["F4", "F5"], ["B5", "A6"], ["C5", "C6"]] == proof["pairs"]
    assert [] == proof["links"]
    assert [["C4", "D4", "B5", "C5"]] == alone.json(f"{PROVEN} -depth=2")["proof"]["links"]


def test_on_a_running_board_only_the_fillings_are_told(playing: Shell) -> None:
    told = playing.run("star settled 101").out

    assert "\nStill open: any margin from X by 13 to O by 11.\n" in told
    for line, words in REFUSED:
        done = playing.run(f"star {line}")
        assert (1, "") == (done.code, done.out)
        assert f"pbmserv: Star Board 101 is still running: {words}.\n" in done.err


def test_an_ended_board_is_looked_at_at_any_moment(playing: Shell) -> None:
    playing.run("star resign 101 alice secret-alice")
    ended = playing.run("star hint 101")

    assert "Star Board 101 has ended." in ended.err
    assert "Choose a position before the end: star hint 101#7" in ended.err
    assert "Best: " in playing.run("star hint 101#1").out
    assert "No win is proven by links.\n" in playing.run("star settled 101#1 -depth=0").out
    assert "No links were found.\n" in playing.run("star settled 101 -links").out
    assert "There is no Star Board 900." in playing.run("star hint 900").err


def test_a_hint_has_its_move_two_others_and_the_reason(alone: Shell) -> None:
    shown = alone.run("y hint new -size=9 E5 swap F6 G4 -level=5").out
    found = alone.json("y hint new -size=9 E5 swap F6 G4 -level=5")
    best, *others = found["candidates"]

    assert f"\nBest: {best['move']}, winning chance {100 * best['chance']:.0f} %.\n" in shown
    assert found["best"] == best["move"]
    assert [f"\nAlso: {each['move']}, winning chance" in shown for each in others] == [True, True]
    assert found["reasons"]
    assert all(f"\n  {reason}\n" in shown for reason in found["reasons"])
    board = shown.split("Move 5")[0].translate({ord(bracket): " " for bracket in "[]"})
    assert [1] * 3 == [board.count(f" {letter} ") for letter in "abc"]


def test_the_hint_before_the_first_stone_is_an_even_one(alone: Shell) -> None:
    assert "after which the game is nearly even" in alone.run("star hint new").out


def test_a_first_stone_is_not_called_even_where_none_is(alone: Shell) -> None:
    shown = " ".join(alone.run("star hint new -size=4 -maxi").out.split())

    assert "the most even first stone, because O may swap: X's winning chance 6" in shown
    assert "neither side" not in shown


def test_a_first_stone_on_a_solved_board_is_told_as_decided(alone: Shell) -> None:
    shown = " ".join(alone.run("star hint new -size=3").out.split())

    assert "This board is solved: with best play" in shown
    assert "no first stone is even. A larger board is fairer." in shown


def test_no_hint_is_given_after_the_end_of_a_record(alone: Shell) -> None:
    ended = alone.run("hex hint #3,b2a1b1a2b3")

    assert "The game in this record has ended." in ended.err
    assert "pbmserv hex hint FILE#7" in ended.err


def test_a_wrong_level_or_depth_is_named(alone: Shell) -> None:
    assert "Invalid value for -level: 15 (1 to 14, or" in alone.run("star hint new -level=15").err
    assert "Invalid value for -depth: 4 (0 to 3)." in alone.run("star settled new -depth=4").err


@pytest.mark.costly
def test_a_hint_takes_as_long_as_is_asked_for(alone: Shell) -> None:
    start = process_time()
    hint = alone.json("star hint new -size=6 E4 swap F6 -time=0.3")
    seconds = process_time() - start

    assert (None, 0.3) == (hint["level"], hint["seconds"])
    assert 0.3 <= seconds < 3
    assert alone.json("star hint new -size=3 C1 D2 -level=1")["seconds"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *(
            (f"-time={text}", f"Invalid value for -time: {text} (0.1 to 3600 seconds).")
            for text in ("0", "-1", "0.09", "3600.1", "99999", "1e2", "nan", "long")
        ),
        ("-time=", "Invalid value for -time (0.1 to 3600 seconds)."),
        ("-time=1 -level=2", "The options -time and -level cannot be combined."),
    ],
)
def test_a_time_is_some_seconds_and_no_level(alone: Shell, words: str, said: str) -> None:
    done = alone.run(f"star hint new {words}")

    assert (2, "") == (done.code, done.out)
    assert f"pbmserv: {said}\n" in done.err


def test_nobody_thinks_at_a_gate_or_in_a_batch(gate: Shell) -> None:
    words = "pbmserv: This command works on the command line only."

    assert "pbmserv: This command is not available over ssh." in ask(gate, "star hint new").err
    assert words in gate.run("batch -", "star hint new\n").err
    assert "The option -depth works on the command line only." in ask(gate, f"{LINKS} -depth=0").err
    assert "B3 and the edge stay joined by A4 or B4." in ask(gate, f"{LINKS} -links").out

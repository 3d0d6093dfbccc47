"""Records in SGF and of Little Golem that others write, odd and damaged ones too."""

import re
from contextlib import nullcontext, suppress
from random import Random

import pytest

from pbmserv.engine.formats import read_games
from pbmserv.engine.game_format import ReadGame
from pbmserv.engine.position import Side
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import format_game
from pbmserv.errors import Refused

FIRST, SECOND, DRAW, RUNS = "first", "second", "draw", ""

PATH = ";B[a1];W[b1];B[a2];W[b2];B[a3]"
"""On a board of size 3 Black joins the top to the bottom."""
PLAYED_PATH = "A1 B1 A2 B2 A3"


def hex_5(text: str) -> str:
    return f"(;FF[4]GM[11]SZ[5]{text})"


READ = {
    "plain": (hex_5(";B[a1];W[e5]"), "A1 E5", RUNS),
    "letters of Go": (hex_5(";B[ad];W[swap-pieces];B[EC]"), "A4 swap C5", RUNS),
    "no size is 11": ("(;GM[11];B[k11])", "K11", RUNS),
    "sizes of both sides": ("(;GM[11]SZ[7:7];B[g7])", "G7", RUNS),
    "size among blanks": ("(;GM[ 11 ]SZ[\n7\n];B[ g7 ])", "G7", RUNS),
    "capitals": (hex_5(";B[A1];W[E5]"), "A1 E5", RUNS),
    "FF[1] with long names": (
        "(;GaMe[11]SiZe[5]PlayerBlack[Ann];Black[a1];White[e5])",
        "A1 E5",
        RUNS,
    ),
    "small letters alone": ("(;gm[11]sz[5];b[a1];w[e5])", "A1 E5", RUNS),
    "FF[3]": ("(;FF[3]GM[11]SZ[5]DaTe[1999-05-01];B[a1])", "A1", RUNS),
    "line breaks everywhere": ("(\r\n;\r\nGM\r\n[11]\r\nSZ [5]\r\n;B\r\n[a1]\r\n)", "A1", RUNS),
    "mark of the byte order": ("\ufeff(;GM[11]SZ[5];B[a1])", "A1", RUNS),
    "letter around it": ("Hi Bob, (here) is it:\n(;GM[11]SZ[5];B[a1])\nBye)", "A1", RUNS),
    "no root properties first": ("(;PB[x]AP[y:1]GM[11]SZ[5];B[a1])", "A1", RUNS),
    "times and evaluations": (
        "(;GM[11]SZ[5]TM[900]OT[5/30];B[a1]BL[890.5]OB[5];BL[0]W[e5]C[hm \\] \\: ok])",
        "A1 E5",
        RUNS,
    ),
    "private properties": (hex_5("XY[1:2][3];KO[]B[a1]QQ[(;B[b2\\])]"), "A1", RUNS),
    "nodes without a move": (hex_5(";C[begin];B[a1];;W[e5];C[end]"), "A1 E5", RUNS),
    "move in the root": ("(;GM[11]SZ[5]B[a1];W[e5])", "A1 E5", RUNS),
    "passes": (hex_5(";B[pass];W[a1];B[];W[c3]"), "pass A1 pass C3", RUNS),
    "Black is named to begin": (hex_5("PL[B];B[a1]"), "A1", RUNS),
    "rectangle around a tree": ("((;GM[11]SZ[5];B[a1]))", "A1", RUNS),
    # Swaps: the letter of the next node decides, else the word.
    "pieces": (hex_5(";B[a2];W[swap-pieces];B[c1];W[e4]"), "A2 swap A3 D5", RUNS),
    "pieces, last": (hex_5("RE[B+R];B[a2];W[swap-pieces]"), "A2 swap", FIRST),
    "sides": (hex_5(";B[a2];W[swap-sides];W[c1];B[e4]"), "A2 swap C1 E4", RUNS),
    "sides, last": (hex_5("RE[B+R];B[a2];W[swap-sides]"), "A2 swap", SECOND),
    "sides said as pieces": (hex_5(";B[a2];W[swap-pieces];W[c1];B[e4]"), "A2 swap C1 E4", RUNS),
    "pieces said as sides": (hex_5(";B[a2];W[swap-sides];B[c1];W[e4]"), "A2 swap A3 D5", RUNS),
    "swap, as sides": (hex_5(";B[a2];W[SWAP];W[c1]"), "A2 swap C1", RUNS),
    "swap, as pieces": (hex_5(";B[a2];W[Swap];B[c1]"), "A2 swap A3", RUNS),
    "swap, last": (hex_5("RE[W+T];B[a2];W[swap]"), "A2 swap", FIRST),
    "pieces, then a resignation": (hex_5(";B[a2];W[swap-pieces];B[resign]"), "A2 swap", SECOND),
    "sides, then a resignation": (hex_5(";B[a2];W[swap-sides];W[resign]"), "A2 swap", SECOND),
    "sides, wins by path": (
        "(;GM[11]SZ[3];B[b1];W[swap-sides];W[a3];B[b2];W[c3];B[b3])",
        "B1 swap A3 B2 C3 B3",
        SECOND,
    ),
    "pieces, wins by path": (
        "(;GM[11]SZ[3];B[b1];W[swap-pieces];B[c1];W[b2];B[c3];W[c2])",
        "B1 swap A3 B2 C3 B3",
        SECOND,
    ),
    # Results
    "by path": (f"(;GM[11]SZ[3]{PATH})", PLAYED_PATH, FIRST),
    "by path, told": (f"(;GM[11]SZ[3]RE[B+]{PATH})", PLAYED_PATH, FIRST),
    "by path, told as a resignation": (f"(;GM[11]SZ[3]RE[B+R]{PATH})", PLAYED_PATH, FIRST),
    "by path, then resigned": (f"(;GM[11]SZ[3]{PATH};W[resign])", PLAYED_PATH, FIRST),
    "resigned, told": (hex_5("RE[W+Resign];B[a1];W[e5]"), "A1 E5", SECOND),
    "resigned, a node": (hex_5(";B[a1];W[e5];B[resign]"), "A1 E5", SECOND),
    "resigned out of turn": (hex_5(";B[a1];W[e5];W[Resign]"), "A1 E5", FIRST),
    "resigned twice told": (hex_5("RE[B+R];B[a1];W[e5];W[resign]"), "A1 E5", FIRST),
    "forfeited, a node": (hex_5(";B[a1];W[e5];B[forfeit]"), "A1 E5", SECOND),
    "on time": (hex_5("RE[B+Time];B[a1];W[e5]"), "A1 E5", FIRST),
    "forfeited": (hex_5("RE[b+f];B[a1];W[e5]"), "A1 E5", FIRST),
    "by points": (hex_5("RE[B+3];B[a1];W[e5]"), "A1 E5", FIRST),
    "letter alone": (hex_5("RE[ W ];B[a1];W[e5]"), "A1 E5", SECOND),
    "words": (hex_5("RE[White wins by resignation];B[a1];W[e5]"), "A1 E5", SECOND),
    "blanks in it": (hex_5("RE[Black + resign];B[a1];W[e5]"), "A1 E5", FIRST),
    "draw": (hex_5("RE[Draw];B[a1];W[e5]"), "A1 E5", DRAW),
    "draw, a figure": (hex_5("RE[0];B[a1];W[e5]"), "A1 E5", DRAW),
    "draw by passes": (hex_5("RE[0];B[a1];W[pass];B[pass]"), "A1 pass pass", DRAW),
    "void": (hex_5("RE[Void];B[a1];W[e5]"), "A1 E5", DRAW),
    "unknown": (hex_5("RE[?];B[a1];W[e5]"), "A1 E5", RUNS),
    "a name": (hex_5("RE[Bob];B[a1];W[e5]"), "A1 E5", RUNS),
    "a sentence": (hex_5("RE[Blue ought to win this];B[a1];W[e5]"), "A1 E5", RUNS),
    "a sentence, and a path": (f"(;GM[11]SZ[3]RE[What a game!]{PATH})", PLAYED_PATH, FIRST),
    # Variations: the first child at each branch
    "branches": (hex_5(";B[a1](;W[e5](;B[a2])(;B[a3];W[b3]))(;W[d4])"), "A1 E5 A2", RUNS),
    "branch after the end": (hex_5("RE[B+R];B[a1];W[e5];W[resign](;C[end])"), "A1 E5", FIRST),
    "resigned in a variation": (hex_5(";B[a1](;W[e5])(;W[resign])"), "A1 E5", RUNS),
    # Ours
    "*Star": ("(;GM[1000]RU[starstar(size=4)]SZ[4];B[p40];W[a10])", "*40 A10", RUNS),
    "ours, swapped and resigned": (
        "(;GM[1000]RU[y(size=5)]RE[B+R];B[a5];AW[a5]PL[B]C[swap])",
        "A5 swap",
        FIRST,
    ),
    "Double *Star": (
        "(;GM[1000]RU[starstar(size=4,double)];B[a40];W[t31];W[p20];B[pass];W[s40];W[pass])",
        "A40 T31+*20 pass S40+-",
        RUNS,
    ),
    "handicap": (
        "(;GM[1000]RU[starstar(size=10,handicap=2)]HA[2]AB[s60][a60]PL[W]RE[W+T];W[t31];B[a10])",
        "T31 A10",
        FIRST,
    ),
    # Little Golem
    "LG": ("(;FF[4]EV[null]PB[x]PW[y]SZ[13];W[ad];B[mm])", "A4 M13", RUNS),
    "LG, swapped": ("(;FF[4]EV[null]PB[x]PW[y]SZ[13];W[ad];B[swap];W[ji])", "A4 swap I10", RUNS),
    "LG, the opener resigns": (
        "(;FF[4]EV[hex.ld.DEFAULT]SZ[13]RE[W];W[ad];B[swap];W[ji];B[aa];W[resign])",
        "A4 swap I10 A1",
        SECOND,
    ),
    "LG, resigned, without a result": (
        "(;EV[null]SZ[13];W[ad];B[swap];B[resign])",
        "A4 swap",
        FIRST,
    ),
    "LG, on time": ("(;EV[null]PB[x]PW[y]SZ[13]RE[B];W[ad];B[bd])", "A4 B4", FIRST),
    "LG, by path": (
        "(;SO[littlegolem]SZ[3]RE[B];W[aa];B[ba];W[ab];B[bb];W[ac])",
        PLAYED_PATH,
        FIRST,
    ),
    "LG, a size in the event": ("(;EV[hex13.in.DEFAULT]SZ[13];W[ad];B[mm])", "A4 M13", RUNS),
    "LG, no mark": ("(;FF[4]PB[x]PW[y]SZ[13]\n;W[ad]\n;B[mm])\n", "A4 M13", RUNS),
}


def winner_of(game: ReadGame) -> str:
    record = game.record.with_players(FIRST, SECOND)
    return RUNS if record.outcome is None else record.winner or DRAW


@pytest.mark.parametrize(("text", "moves", "winner"), READ.values(), ids=READ)
def test_a_record_of_others_is_read_as_it_was_played(text: str, moves: str, winner: str) -> None:
    (game,) = read_games(text)

    assert (moves, winner) == (" ".join(game.record.texts), winner_of(game))


REFUSED = {
    "no number": ("(;FF[4]SZ[19];B[pd];W[dd])", "a record of Go,"),
    "no number, handicap": ("(;SZ[19]HA[2]AB[pd][dd];W[pp])", "a record of Go,"),
    "no number, an event": ("(;SZ[19]EV[Honinbo];B[pd];W[dd])", "a record of Go,"),
    "Go": ("(;FF[4]GM[1]SZ[19];B[pd])", "a record of Go,"),
    "Shogi": ("(;FF[4]GM[8];B[7g7f])", "a record of Shogi,"),
    "Hive": ("(;FF[4]GM[27];B[wQ])", "a record of Hive,"),
    "a number without a game": ("(;FF[4]GM[99];B[a1])", "a record of another game,"),
    "no number at all": ("(;GM[Hex]SZ[5];B[a1])", "a record of another game,"),
    "ours without its game": ("(;GM[1000]SZ[5];B[a1])", "a record of another game,"),
    "ours of no game here": ("(;GM[1000]RU[chess];B[a1])", "No such game"),
    "ours too large": ("(;GM[1000]RU[star(size=99)];B[a1])", "Invalid value for -size"),
    "LG, TZAAR": ("(;FF[TZAAR]PB[x]PW[y];W[aa])", "a record of TZAAR,"),
    "LG, Twixt": ("(;EV[twixt.ld.DEFAULT]SO[littlegolem]SZ[24];W[aa])", "a record of Twixt,"),
    "LG, Havannah": ("(;EV[havannah.ld.DEFAULT]SZ[10]SO[littlegolem];W[aa])", "of Havannah,"),
    "LG, Go": ("(;EV[go19.in.DEFAULT]SZ[19]SO[littlegolem];B[dd])", "a record of Go,"),
    "LG, a digit": ("(;FF[CONNECT6]EV[null];W[j10])", "a record of CONNECT6,"),
    "too large": ("(;GM[11]SZ[27];B[a1])", "of size 27; .*3 to 26"),
    "too small": ("(;GM[11]SZ[2];B[a1])", "of size 2; "),
    "unequal sides": ("(;GM[11]SZ[11:13];B[a1])", "of size 11x13; "),
    "no figure": ("(;GM[11]SZ[big];B[a1])", "the size of its board is missing or cannot be read"),
    "LG, too large": ("(;EV[null]SZ[27];W[ad])", "of size 27; "),
    "LG, no size": ("(;EV[null]PB[x];W[ad])", "size of its board is missing"),
    "taken cell": (hex_5(";B[a1];W[a1]"), "Move 2 .* There is already a stone on A1"),
    "no cell": (hex_5(";B[f6]"), "Move 1 .* Not a cell"),
    "no letters of Go": (hex_5(";B[ad];W[af]"), "Move 2 .* Not a cell"),
    "illegal move 17": (
        hex_5(
            "".join(f";{'BW'[n % 2]}[{'abcde'[n // 5]}{n % 5 + 1}]" for n in range(16)) + ";B[a1]"
        ),
        "Move 17 ",
    ),
    "swap too late": (hex_5(";B[a1];W[b2];B[swap-pieces]"), "Move 3 .* Swap is not allowed"),
    "swap first": (hex_5(";B[swap-sides]"), "Move 1 .* Swap is not allowed"),
    "swap of a pass": (hex_5(";B[pass];W[swap-pieces]"), "Move 2 .* Swap is not allowed"),
    "the same colour again": (hex_5(";B[a1];B[b2]"), "Move 2 .* is Black's, but White"),
    "White first": (hex_5(";W[a1]"), "Move 1 .* is White's, but Black"),
    "after sides": (hex_5(";B[a1];W[swap-sides];W[b2];W[c3]"), "Move 4 .* is White's, but Black"),
    "after a resignation": (hex_5(";B[a1];W[resign];B[b2]"), "Move 2 .* others follow"),
    "after the end": (f"(;GM[11]SZ[3]{PATH};W[c3])", "Move 6 .* The game is over"),
    "LG, the same colour again": ("(;EV[null]SZ[5];W[aa];W[bb])", "Move 2 "),
    "LG, black first": ("(;EV[null]SZ[5];B[aa];W[bb])", "Move 1 "),
    "path of the other": (f"(;GM[11]SZ[3]RE[W+]{PATH})", "does not follow from its moves"),
    "path of the other, on time": (f"(;GM[11]SZ[3]RE[W+T]{PATH})", "does not follow"),
    "path, and a draw": (f"(;GM[11]SZ[3]RE[0]{PATH})", "does not follow"),
    "path, and void": (f"(;GM[11]SZ[3]RE[Void]{PATH})", "does not follow"),
    "path, and the winner resigns": (f"(;GM[11]SZ[3]{PATH};B[resign])", "does not follow"),
    "LG, path of the other": ("(;EV[null]SZ[3]RE[W];W[aa];B[ba];W[ab];B[bb];W[ac])", "not follow"),
    "node and result": (hex_5("RE[B+R];B[a1];W[e5];B[resign]"), "contradict each other"),
    "LG, node and result": ("(;EV[null]SZ[5]RE[B];W[aa];B[bb];W[resign])", "contradict each other"),
    "resigned before it began": (hex_5("RE[W+R]"), "contradicts itself or the number"),
    "stones in the middle": (hex_5(";B[a1];W[b2];AB[c3]"), "stones after the first move"),
    "another swap by stones": (hex_5(";B[a1];AE[a1]AW[b2]"), "stones after the first move"),
    "stones, and a result": (hex_5("AB[a1]AW[b2]RE[B+R];B[c3]"), "begins with stones"),
    "stones, and a path": ("(;GM[11]SZ[3]AB[a1][a2];B[a3])", "begins with stones"),
    "stones, and a resignation": (hex_5("AB[a1];W[b2];B[resign]"), "begins with stones"),
    "stones twice": (hex_5("AB[a1]AW[a1]"), "given twice"),
    "stones nowhere": (hex_5("AB[z9]"), "Not a cell"),
    "other handicap": (
        "(;GM[1000]RU[starstar(size=10,handicap=2)]HA[2]AB[s60];W[t31])",
        "handicap stones",
    ),
    "variations only": (hex_5("()(;B[a1])"), "variations and no main line"),
    "no last bracket": ("(;GM[11]SZ[5];B[a1]", r"its last \) is missing"),
    "cut off in a value": ("(;GM[11]SZ[5];B[a", "not closed"),
    "a value in a variation": (hex_5(";B[a1](;W[b2])(;W[c3)"), "not closed"),
    "an escape at the end": ("(;GM[11]SZ[5]PB[Troll\\])", "not closed"),
    "LG, cut off": ("(;EV[null]SZ[5];W[aa];B[b", "not closed"),
    "the second of three": (
        f"{hex_5(';B[a1]')}{hex_5(';B[a1];W[a1]')}{hex_5('')}",
        "^Record 2 of 3: Move 2 ",
    ),
    "LG, the second of two": ("(;EV[null]SZ[5];W[aa])\n(;FF[TZAAR];W[aa])", "^Record 2 of 2: "),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_what_was_met(text: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        read_games(text)

    assert re.search(why, caught.value.message), caught.value.message


def test_the_corpus_is_large_enough() -> None:
    assert len(READ) + len(REFUSED) >= 120


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Mimhex 2", "Mimhex 2"),
        ("Zoë", "Zoë"),
        ("李世石", "李世石"),
        ("a\\]b\\\\", "a]b\\"),
        ("x\\:y:z", "x:y:z"),
        ("(;B[a1\\]", "(;B[a1]"),
        ("  one\\\n line\r\nof two ", "one line of two"),
        ("tab\there", "tab here"),
        ("", ""),
        ("Bob [1d\\]", "Bob [1d]"),
    ],
)
def test_a_name_has_any_characters(value: str, name: str) -> None:
    (game,) = read_games(hex_5(f"PB[{value}]PW[o];B[a1]"))

    assert (name, "o") == (game.record.first, game.record.second)
    assert ("A1",) == game.record.texts


@pytest.mark.parametrize("name", ["Shumacher;]", "a]b", "[x]", "Troll\\", "B[aa", "]]", "(;)"])
def test_little_golem_escapes_no_names(name: str) -> None:
    text = f"(;FF[4]EV[null]PB[Ann]PW[{name}]SZ[5]RE[B]GC[game #1];W[aa];B[bb])"
    (game,) = read_games(text)

    assert ("Ann", name) == (game.record.first, game.record.second)
    assert ("A1", "B2") == game.record.texts
    assert FIRST == winner_of(game)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("B+R", Reason.RESIGNATION),
        ("B+T", Reason.FORFEIT),
        ("B+F", Reason.FORFEIT),
        ("0", Reason.AGREEMENT),
        ("Void", Reason.REMOVED),
    ],
)
def test_a_result_says_why(result: str, reason: Reason) -> None:
    (game,) = read_games(hex_5(f"RE[{result}];B[a1];W[e5]"))

    assert game.record.outcome is not None
    assert (reason, ()) == (game.record.outcome.reason, game.notes)


@pytest.mark.parametrize("result", ["B+", "B", "B+3.5", "Black wins"])
def test_a_win_without_a_reason_is_taken_for_a_resignation_and_said(result: str) -> None:
    (game,) = read_games(hex_5(f"RE[{result}];B[a1];W[e5]"))

    assert game.record.outcome is not None
    assert Reason.RESIGNATION is game.record.outcome.reason
    assert 1 == len(game.notes)


def test_a_result_that_is_none_is_said() -> None:
    (game,) = read_games(hex_5("RE[Bob won it];B[a1]"))

    assert ("Its result is in no form that SGF has, and is left out.",) == game.notes


@pytest.mark.parametrize(
    ("tree", "notes"),
    [
        (";B[a1]", ()),
        ("(;B[a1])", ()),
        ("(;B[a1])(;B[b1])", ("1 variation is left out.",)),
        ("(;B[a1](;W[b1])(;W[c1]))(;B[b1](;W[c1])(;W[d1]))", ("3 variations are left out.",)),
    ],
)
def test_variations_are_counted(tree: str, notes: tuple[str, ...]) -> None:
    (game,) = read_games(hex_5(tree))

    assert notes == game.notes


@pytest.mark.parametrize(
    ("text", "stones", "to_move", "moves"),
    [
        ("AB[a1][b2]AW[c3]", "XXO", Side.X, ""),
        ("AB[a1][b2]AW[c3]PL[W]", "XXO", Side.O, ""),
        ("AB[a1][b2]AW[c3];W[d4];B[e5]", "XXO", Side.O, "D4 E5"),
        ("AB[a1][b2]AW[c3]PL[White];W[d4]", "XXO", Side.O, "D4"),
        (";C[first];AB[a1]AW[c3]AB[b2]AE[e5];B[d4]", "XXO", Side.X, "D4"),
        ("AB[a1][b2][d1];AE[d1]AW[c3];AE[a1];AB[ a1 ];B[d4]", "XXO", Side.X, "D4"),
        ("PL[W];W[d4]", "...", Side.O, "D4"),
    ],
)
def test_stones_before_the_first_move_are_a_position(
    text: str, stones: str, to_move: Side, moves: str
) -> None:
    (game,) = read_games(hex_5(text))
    start = game.record.positions[0]
    index = game.record.game.board.index

    assert stones == "".join(".XO"[start.stones[index[cell]]] for cell in ("A1", "B2", "C3"))
    assert len(stones.replace(".", "")) == 25 - start.empty_count
    assert (to_move, moves) == (start.to_move, " ".join(game.record.texts))
    assert game.record.outcome is None


@pytest.mark.parametrize(
    ("told", "started", "finished"),
    [
        ("2026-01-31", "2026-01-31", "2026-01-31"),
        ("2026-01-30,31", "2026-01-30", "2026-01-31"),
        ("2026-01-31,02-01", "2026-01-31", "2026-02-01"),
        ("2025-12-31,2026-01-01", "2025-12-31", "2026-01-01"),
        ("2026-01-29,30, 31", "2026-01-29", "2026-01-31"),
        ("2026-01-31 20:15:00", "2026-01-31", "2026-01-31"),
        ("2026-02-30", "", ""),
        ("2026-01", "", ""),
        ("2026", "", ""),
        ("31st of May", "", ""),
    ],
)
def test_days_are_read_where_they_are_whole(told: str, started: str, finished: str) -> None:
    (game,) = read_games(hex_5(f"DT[{told}]RE[B+R];B[a1];W[e5]"))
    (running,) = read_games(hex_5(f"DT[{told}];B[a1];W[e5]"))

    assert (started, finished) == (game.record.started[:10], game.record.finished[:10])
    assert (started, "") == (running.record.started[:10], running.record.finished)


def test_a_collection_has_all_its_games() -> None:
    of_sgf = read_games(f"{hex_5(';B[a1]')}\n\nand (another)\n(;GM[1000]RU[y(size=5)];B[a5])")
    of_golem = read_games("(;EV[null]SZ[5];W[aa])(;EV[null]SZ[7];W[gg];B[aa])\n")

    assert ["hex(size=5)", "y(size=5)"] == [format_game(each.record.game) for each in of_sgf]
    assert ["hex(size=5)", "hex(size=7)"] == [format_game(each.record.game) for each in of_golem]
    assert [("A1",), ("G7", "A1")] == [each.record.texts for each in of_golem]


DEEP = 40_000
"""Deeper than any program calls itself."""


@pytest.mark.costly(stay=4)
@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (f"(;GM[11]SZ[5]{'(;' * DEEP}{')' * DEEP})", False),
        (f"(;GM[11]SZ[5]{'(;' * 1_999}{')' * 1_999})", True),
        (f"(;GM[11]SZ[5](;B[a1])(;{'(;' * DEEP}{')' * DEEP}))", True),
        (f"(;GM[11]SZ[5](;B[a1]{'(;W[b1])' * DEEP}))", True),
        ("(" * DEEP, False),
        ("(;" * DEEP, False),
        ("(;A[" * DEEP, False),
        ("(;GM[11]" + "A" * 4 * DEEP, False),
        ("(;GM[11]SZ[5]C[" + "\\]" * DEEP, False),
        ("(;GM[11]SZ[5]" + "( " * DEEP + " " * DEEP, False),
        (hex_5(";B[a1]" * DEEP), False),
        (hex_5(f"RE[{'B' * DEEP}]"), True),
        (hex_5(f"DT[{',' * DEEP}]"), True),
        ("(;EV[null]SZ[5]PB[" + "]" * DEEP + "]", True),
        ("(;EV[null]SZ[5]" + "A[" * DEEP, False),
        ("(;EV[null]SZ[5]PB[" + "] " * DEEP, True),
        ("(;EV[null]SZ[5]PB[" + "] x" * DEEP, False),
        ("(;GM[1000]RU[starstar(size=4,double)]" + ";B[a10]" * DEEP + ")", False),
    ],
)
def test_nothing_is_too_deep_or_too_long(text: str, *, is_read: bool) -> None:
    with nullcontext() if is_read else pytest.raises(Refused):
        assert read_games(text)


@pytest.mark.costly(stay=1)
def test_what_is_damaged_is_read_or_refused(*, full: bool) -> None:
    """No other exception comes of a few characters that are changed, doubled or left out."""
    chance = Random(39)
    texts = [text for text, *_ in (*READ.values(), *REFUSED.values())]
    for _ in range(100_000 if full else 2_000):
        letters = [*chance.choice(texts)]
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(letters))
            letters[at] = chance.choice(["", letters[at] * 2, *"()[];\\:BWabz019 \n\x00é,+"])
        with suppress(Refused):
            assert all(game.record.positions for game in read_games("".join(letters)))

"""Games as SGF: what sgfmill, which knows nothing of us, reads out of them."""

import warnings
from dataclasses import replace
from random import Random

import pytest

from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.record import played as after
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game

from .sample_games import random_move

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own source has escapes that Python warns of
    from sgfmill import sgf

GAMES = [
    "star(size=4)",
    "starstar(size=6)",
    "starweb(size=4,notch=1)",
    "polyy(size=5)",
    "y(size=7)",
]
RESIGNED = Outcome(Side.O, Reason.RESIGNATION)
COLOURS = {"b": "black", "w": "white"}


def read(record: Record[str]) -> sgf.Sgf_game:
    return sgf.Sgf_game.from_string(format_sgf(record))


def stones(tree: sgf.Sgf_game) -> dict[str, str]:
    """Return what stands where by the standard's rules alone: nothing is known of a board."""
    found: dict[str, str] = {}
    for node in tree.get_main_sequence():
        for name, colour in (("AB", "b"), ("AW", "w")):
            if node.has_property(name):
                found |= {cell.decode(): colour for cell in node.get_raw_list(name)}
        colour, raw = node.get_raw_move()
        if raw is None or raw == b"pass":
            continue
        if raw == b"swap-pieces":
            ((cell, _),) = found.items()
            found = {mirrored(cell): colour}
        else:
            assert raw.decode() not in found
            found[raw.decode()] = colour
    return found


def mirrored(cell: str) -> str:
    return f"{'abcdefghijklmnopqrs'[int(cell[1:]) - 1]}{ord(cell[0]) - ord('a') + 1}"


def standing(record: Record[str]) -> dict[str, str]:
    """Return what stands where, by the name of who owns it: B for who moved first."""
    position = record.position
    names = record.game.board.names
    return {
        names[cell].lower().replace("*", "p"): "b" if seat == record.first else "w"
        for side, seat in record.seats.items()
        for cell in position.cells_of(side)
    }


def played(spec: str, seed: int, turns: int, *, swaps: bool) -> Record[str]:
    """Return a running game of random moves, the second of them a swap if so wished."""
    game, chance, position = parse_game(spec), Random(seed), parse_game(spec).start()
    texts: list[str] = []
    while len(texts) < turns and game.outcome(position) is None:
        move: Move = random_move(game, position, chance)
        if len(texts) == 1 and swaps:
            move = game.parse_move("swap")
        elif len(texts) < 2 and not move.cells:
            continue
        position = game.play(position, move)
        texts.append(move.text)
    assert swaps == (texts[1] == "swap")
    return replace(after(game, texts, "alice", "bob"), board="101")


def finished(record: Record[str], outcome: Outcome | None) -> Record[str]:
    return replace(record, outcome=outcome)


@pytest.mark.parametrize("swaps", [False, True], ids=["plain", "swapped"])
@pytest.mark.parametrize("seed", range(5))
def test_every_stone_of_hex_has_its_colour_and_cell(seed: int, *, swaps: bool) -> None:
    record = played("hex(size=7)", seed, 20, swaps=swaps)
    tree = read(record)
    ours = standing(record)
    expected = {mirrored(cell): colour for cell, colour in ours.items()} if swaps else ours

    assert expected == stones(tree)
    assert (7, 11, "UTF-8") == (tree.get_size(), tree.get_root().get("GM"), tree.get_charset())
    assert swaps == tree.get_root().has_property("GC")
    assert ("alice", "bob") == (tree.get_player_name("b"), tree.get_player_name("w"))


@pytest.mark.parametrize("swaps", [False, True], ids=["plain", "swapped"])
@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (None, None),
        (Outcome(Side.X, Reason.RESIGNATION), "+R"),
        (Outcome(Side.O, Reason.RESIGNATION), "+R"),
        (Outcome(Side.X, Reason.FORFEIT), "+T"),
        (Outcome(Side.O, Reason.AGREEMENT), "+"),
        (Outcome(None, Reason.AGREEMENT), "0"),
        (Outcome(None, Reason.REMOVED), "Void"),
    ],
)
def test_the_winner_of_hex_is_the_person_who_won(
    outcome: Outcome | None, result: str | None, *, swaps: bool
) -> None:
    record = finished(played("hex(size=7)", 3, 6, swaps=swaps), outcome)
    tree = read(record)
    winner = tree.get_winner()
    root = tree.get_root()

    if outcome is None or outcome.winner is None:
        assert winner is None
    else:
        assert record.seats[outcome.winner] == tree.get_player_name(winner)
        result = f"{winner.upper()}{result}"
    assert result == (root.get("RE") if root.has_property("RE") else None)
    assert not any(raw == b"resign" for _, raw in map(move_of, tree.get_main_sequence()))


def move_of(node: sgf.Tree_node) -> tuple[str | None, bytes | None]:
    found: tuple[str | None, bytes | None] = node.get_raw_move()
    return found


@pytest.mark.parametrize("swaps", [False, True], ids=["plain", "swapped"])
def test_who_joins_their_sides_wins(*, swaps: bool) -> None:
    won = ("B1", "swap", "A3", "B2", "C3", "B3") if swaps else ("B1", "A2", "B2", "A3", "B3")
    game = parse_game("hex(size=3)")
    record = finished(after(game, won, "alice", "bob"), game.outcome(game.replay(won)))
    tree = read(record)

    assert ("w", "W+") if swaps else ("b", "B+") == (tree.get_winner(), tree.get_root().get("RE"))


def test_a_swap_is_told_as_programs_of_hex_read_it() -> None:
    record = after(parse_game("hex(size=11)"), ["B4", "swap", "C1", "K2"], "alice", "bob")

    assert format_sgf(record) == (
        "(;FF[4]GM[11]CA[UTF-8]AP[pbmserv:0.1.0]SZ[11]PB[alice]PW[bob]GC[cells after the swap are "
        "mirrored here; on the board the stone stayed]\n;B[b4];W[swap-pieces];B[a3];W[b11])\n"
    )


@pytest.mark.parametrize("swaps", [False, True], ids=["plain", "swapped"])
@pytest.mark.parametrize("spec", GAMES)
def test_every_stone_of_the_other_games_has_its_colour(spec: str, *, swaps: bool) -> None:
    record = played(spec, 4, 15, swaps=swaps)
    tree = read(finished(record, RESIGNED))
    root = tree.get_root()
    size = int(spec.partition("size=")[2].rstrip(")").split(",")[0])

    assert standing(record) == stones(tree)
    assert (1000, size, spec) == (root.get("GM"), tree.get_size(), root.get("RU"))
    assert record.seats[Side.O] == tree.get_player_name(tree.get_winner())
    assert root.get("RE").endswith("+R")


def test_what_a_swap_is_where_no_number_exists() -> None:
    moves = ("E4", "swap", "F5", "G5", "pass")
    record = replace(
        after(parse_game("star(size=6,maxi)"), moves, "alice", "bob"),
        outcome=Outcome(Side.X, Reason.AGREEMENT, {Side.X: 5, Side.O: 2}),
        board="105",
        started="2026-01-30T20:00:00Z",
        finished="2026-01-31T09:00:00Z",
    )

    assert format_sgf(record) == (
        "(;FF[4]GM[1000]CA[UTF-8]AP[pbmserv:0.1.0]RU[star(size=6,maxi)]SZ[6]GN[Star Board 105]"
        "PB[alice]PW[bob]DT[2026-01-30,31]RE[W+3]\n"
        ";B[e4];AW[e4]PL[B]C[swap];B[f5];W[g5];B[pass])\n"
    )


@pytest.mark.parametrize("spec", [*GAMES, "starstar(size=6,komi=7)", "starweb(size=6)"])
def test_a_game_that_was_counted_says_by_how_much(spec: str) -> None:
    record = played(spec, 8, 10_000, swaps=False)
    position: Position = record.position
    outcome = record.game.outcome(position)
    score = record.game.score(position)
    result = read(finished(record, outcome)).get_root().get("RE")

    assert outcome is not None
    margin = "" if record.game.name in {"y", "polyy"} else str(score.lead or "")
    assert result == {Side.X: f"B+{margin}", Side.O: f"W+{margin}", None: "0"}[outcome.winner]


def test_handicap_and_komi_stand_where_programs_of_go_have_them() -> None:
    """The weaker player, who moves second, has the stones: so they are black."""
    game = parse_game("starstar(size=10,komi=5,handicap=3)")
    record = finished(after(game, ["T31"], "alice", "bob"), Outcome(Side.O, Reason.FORFEIT))
    tree = read(record)
    root = tree.get_root()

    assert {"s60": "b", "a60": "b", "p60": "b", "t31": "w"} == stones(tree)
    assert (3, -5.0, "w") == (root.get("HA"), tree.get_komi(), root.get("PL"))
    assert ("bob", "b", "B+T") == (tree.get_player_name("b"), tree.get_winner(), root.get("RE"))
    assert 7.0 == read(played("starstar(size=4,komi=7)", 1, 9, swaps=False)).get_komi()


def test_a_turn_of_two_stones_is_two_nodes_of_one_colour() -> None:
    game = parse_game("starstar(size=4,double)")
    record = after(game, ["A40", "T31+*20", "pass", "S40+-"], "alice", "bob")

    assert format_sgf(record).endswith("\n;B[a40];W[t31];W[p20];B[pass];W[s40];W[pass])\n")


@pytest.mark.parametrize("name", ["Troll\\", "a]b", "[;B[aa]", "x\\]", "Zoë: 5"])
def test_a_name_is_no_part_of_the_tree(name: str) -> None:
    record = after(parse_game("hex(size=5)"), ["C3"], name, "bob")
    tree = read(record)

    assert name == tree.get_player_name("b")
    assert {"c3": "b"} == stones(tree)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-01-31T23:00:00Z", "2026-01-31T23:59:00Z", "2026-01-31"),
        ("2026-01-30T23:00:00Z", "2026-02-01T00:00:00Z", "2026-01-30,02-01"),
        ("2025-12-31T23:00:00Z", "2026-01-01T00:00:00Z", "2025-12-31,2026-01-01"),
        ("2026-01-31T23:00:00Z", "", "2026-01-31"),
    ],
)
def test_days_are_told_once(first: str, last: str, told: str) -> None:
    record = replace(after(parse_game("hex"), ["C9"]), started=first, finished=last)

    assert told == read(record).get_root().get("DT")

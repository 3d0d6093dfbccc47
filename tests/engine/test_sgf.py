"""Games as SGF and as Little Golem has them: what other programs read out of them, and we again.

Others are sgfmill, the library @sabaki/sgf of JavaScript, and HexGui; none knows anything of us.
"""

import json
import os
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from shutil import which

import pytest

from pbmserv.engine.formats import find_format, read_games
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Move, Position, Side
from pbmserv.engine.record import Record
from pbmserv.engine.record import played as after
from pbmserv.engine.score import Outcome, Reason, leader
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Refused
from tests.installed_program import own_environment

from .sample_games import games_with_random_options, random_game, random_move

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


def moves_of(tree: sgf.Sgf_game) -> list[tuple[str, str]]:
    found = map(move_of, tree.get_main_sequence())
    return [(colour.upper(), raw.decode()) for colour, raw in found if colour and raw]


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
        "(;FF[4]GM[11]CA[UTF-8]AP[pbmserv:1.0.0]SZ[11]PB[alice]PW[bob]GC[cells after the swap are "
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
        "(;FF[4]GM[1000]CA[UTF-8]AP[pbmserv:1.0.0]RU[star(size=6,maxi)]SZ[6]GN[Star Board 105]"
        "PB[alice]PW[bob]DT[2026-01-30,31]RE[W+3]GC[ended: agreement 5-2]\n"
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


NAMES = ["alice", "Zoë", "a]b", "Troll\\", "Mimhex 2", "x: (y);", "[]", ""]
DAYS = ["", "2025-12-31", "2026-01-30", "2026-02-01"]


def random_record(name: str, seed: int) -> Record[str]:
    """Return a game of any length and options, ended in any way that its rules allow, or not."""
    chance = Random(f"{name} {seed}")
    game = next(islice(games_with_random_options(name), seed, None))
    turns = [move for move, _ in random_game(game, seed) if move is not None]
    moves = tuple(turns if chance.random() < 0.5 else turns[: chance.randint(0, 9)])
    first, second = chance.sample(NAMES, 2)
    record = Record(game, first, second, moves)
    days = sorted(chance.sample(DAYS, 2))
    outcome = game.outcome(record.position) or random_end(record, chance)
    return replace(
        record,
        outcome=outcome,
        board=chance.choice(["", "101"]),
        started=days[0] and f"{days[0]}T00:00:00Z",
        finished=(days[1] and outcome and f"{days[1]}T00:00:00Z") or "",
    )


def random_end(record: Record[str], chance: Random) -> Outcome | None:
    """Return how a game may end without its rules, None if it goes on."""
    points = record.game.points_to_agree(record.game.score(record.game.start()))
    agreed = points and {Side.X: chance.randint(-9, 60), Side.O: chance.randint(-9, 60)}
    side = chance.choice([*Side])
    ends = [
        None,
        Outcome(side, Reason.RESIGNATION),
        Outcome(side, Reason.FORFEIT),
        Outcome(leader(agreed) if agreed else side, Reason.AGREEMENT, agreed),
        Outcome(None, Reason.AGREEMENT),
        Outcome(None, Reason.DECLINED),
        Outcome(None, Reason.REMOVED),
    ]
    outcome = chance.choice(ends)
    return outcome if outcome is None or outcome.is_possible(record.ply) else None


@pytest.mark.costly
@pytest.mark.parametrize("name", game_names())
def test_what_is_written_is_read_back_as_the_same_record(name: str, *, full: bool) -> None:
    for seed in range(170 if full else 25):
        record = random_record(name, seed)
        (game,) = read_games(format_sgf(record))
        # One day is told for a game that began on it, and for one that ended on it.
        days = {game.record.started, game.record.finished} - {""}

        assert replace(record, started="", finished="") == replace(
            game.record, started="", finished=""
        )
        assert {record.started, record.finished} - {""} <= days
        assert record.has_swap == game.record.has_swap
        assert record.positions[-1].digest() == game.record.positions[-1].digest()
        assert () == game.notes


@pytest.mark.costly
def test_hex_is_read_back_from_both_swaps_and_from_little_golem(*, full: bool) -> None:
    golem = find_format("lg").write
    assert golem is not None
    written = 0
    for seed in range(1_000 if full else 60):
        record = replace(random_record("hex", seed), board="", started="", finished="")
        for text in (format_sgf(record), format_sgf(record, swaps_sides=True)):
            assert record == read_games(text)[0].record
        try:
            text = golem(record)
        except Refused:
            continue
        assert record == read_games(text)[0].record
        written += 1
    assert written > (150 if full else 9)


def test_a_list_of_games_is_read_back_in_its_order() -> None:
    records = [random_record(name, 3) for name in game_names()]
    hexes = [finished(played("hex(size=5)", seed, 4, swaps=False), None) for seed in range(3)]
    golem = find_format("lg").write
    assert golem is not None

    assert [format_game(each.game) for each in records] == [
        format_game(each.record.game) for each in read_games("".join(map(format_sgf, records)))
    ]
    assert [each.texts for each in hexes] == [
        each.record.texts for each in read_games("".join(map(golem, hexes)))
    ]


def test_a_swap_of_sides_is_told_in_our_letters() -> None:
    moves = ["B4", "swap", "C1", "K2"]
    record = finished(after(parse_game("hex"), moves, "alice", "bob"), RESIGNED)

    assert format_sgf(record, swaps_sides=True) == (
        "(;FF[4]GM[11]CA[UTF-8]AP[pbmserv:1.0.0]SZ[11]PB[alice]PW[bob]RE[W+R]"
        "\n;B[b4];W[swap-sides];W[c1];B[k2])\n"
    )
    assert format_sgf(after(record.game, ["B4", "C1"]), swaps_sides=True) == format_sgf(
        after(record.game, ["B4", "C1"])
    )


@pytest.mark.parametrize(
    ("moves", "outcome", "told"),
    [
        (
            "A4 swap C1 K2",
            Outcome(Side.O, Reason.RESIGNATION),
            "RE[B];W[ad];B[swap];W[ac];B[bk];B[resign])\n",
        ),
        ("A4 B1", Outcome(Side.O, Reason.FORFEIT), "RE[W];W[ad];B[ba])\n"),
        ("A4 B1", None, "SZ[11];W[ad];B[ba])\n"),
    ],
)
def test_hex_is_written_as_little_golem_has_it(
    moves: str, outcome: Outcome | None, told: str
) -> None:
    write = find_format("lg").write
    assert write is not None
    text = write(finished(after(parse_game("hex"), moves.split(), "alice", "bob"), outcome))

    assert text.startswith("(;FF[4]EV[null]PB[alice]PW[bob]SZ[11]")
    assert text.endswith(told)


@pytest.mark.parametrize("name", ["Shumacher;]", "a]b", "Troll\\", "Zoë", "[x]"])
def test_a_name_is_written_as_it_is_for_little_golem(name: str) -> None:
    write = find_format("lg").write
    assert write is not None
    (game,) = read_games(write(after(parse_game("hex"), ["A4"], name, "bob")))

    assert (name, "bob") == (game.record.first, game.record.second)


@pytest.mark.parametrize(
    ("spec", "moves", "name", "outcome"),
    [
        ("y(size=5)", "A5", "bob", None),
        ("hex", "A4 pass", "bob", None),
        ("hex", "A4 B1", "bob", Outcome(None, Reason.AGREEMENT)),
        ("hex", "A4 B1", "bob", Outcome(None, Reason.REMOVED)),
        ("hex", "A4 B1", "a];b", None),
    ],
)
def test_what_little_golem_does_not_have_is_not_written(
    spec: str, moves: str, name: str, outcome: Outcome | None
) -> None:
    write = find_format("lg").write
    assert write is not None
    with pytest.raises(Refused, match="Little Golem"):
        write(finished(after(parse_game(spec), moves.split(), name, "alice"), outcome))


def samples() -> Iterator[Record[str]]:
    """Yield games whose names and swaps a reader may stumble over."""
    for swaps in (False, True):
        for spec in ("hex(size=7)", "star(size=4)", "starstar(size=6)"):
            record = played(spec, 7, 12, swaps=swaps)
            yield replace(finished(record, RESIGNED), first="a]b\\", second="Zoë; (x)")


SABAKI = """
const sgf = require('@sabaki/sgf')
const line = (node) => [node.data, ...node.children.flatMap(line)]
const trees = sgf.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(trees.map((tree) => line(tree))))
"""


@pytest.mark.slow
def test_a_library_of_javascript_reads_what_we_write() -> None:
    """It is in the folder ``node_modules`` where ``npm install @sabaki/sgf`` was run."""
    modules = os.environ.get("PBMSERV_TEST_NODE_MODULES", "")
    if which("node") is None or not modules:
        pytest.skip("PBMSERV_TEST_NODE_MODULES has no @sabaki/sgf, or node is missing")
    records = [*samples()]
    done = subprocess.run(
        ["node", "-e", SABAKI],
        input="".join(map(format_sgf, records)),
        env=own_environment(NODE_PATH=modules),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    trees = json.loads(done.stdout)

    assert len(records) == len(trees)
    for record, (root, *nodes) in zip(records, trees, strict=True):
        tree = read(record)
        assert ([record.first], [record.second]) == (root["PB"], root["PW"])
        assert [tree.get_root().get("RE")] == root["RE"]
        told = [(name, node[name][0]) for node in nodes for name in node.keys() & {"B", "W"}]
        assert moves_of(tree) == told


HEXGUI = """
import hexgui.game.Node;
import hexgui.sgf.SgfReader;

class Read {
    public static void main(String[] words) throws Exception {
        SgfReader reader = new SgfReader(System.in);
        System.out.println(reader.getGameInfo().getBoardSize().width);
        for (Node node = reader.getGameTree(); node != null; node = node.getChild())
            if (node.getMove() != null)
                System.out.println(node.getMove().getColor() + " " + node.getMove().getPoint());
    }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("swaps", [False, True], ids=["plain", "swapped"])
def test_hexgui_reads_what_we_write(tmp_path: Path, *, swaps: bool) -> None:
    jar = os.environ.get("PBMSERV_TEST_HEXGUI", "")
    if which("java") is None or not jar:
        pytest.skip("PBMSERV_TEST_HEXGUI is no hexgui.jar, or java is missing")
    source = tmp_path / "Read.java"
    source.write_text(HEXGUI)
    record = finished(played("hex(size=7)", 7, 12, swaps=swaps), RESIGNED)
    done = subprocess.run(
        ["java", "-cp", jar, str(source)],
        input=format_sgf(record),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    size, *moves = done.stdout.lower().splitlines()

    assert "7" == size
    assert moves == [f"{COLOURS[name.lower()]} {move}" for name, move in moves_of(read(record))]

"""Every part of the reference data holds in the engine."""

from collections import Counter
from typing import Any

import pytest

from pbmserv.engine.board import Board
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game
from pbmserv.engine.games.star import externals_of
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.engine.starstar_survey import Account

from .vectors import game_of, position_of, vectors

BOARDS = [(name, facts) for name, boards in vectors()["boards"].items() for facts in boards]
POSITIONS = vectors()["positions"]


def options_of(text: str) -> tuple[str, dict[str, Any]]:
    """Return the game and options of a heading such as ``starweb size 10 notch 3``."""
    name, *words = text.split()
    return name, dict(zip(words[::2], map(int, words[1::2]), strict=True))


def board_of(name: str, facts: dict[str, Any]) -> Board:
    known = {option.name for option in find_game(name).options()}
    return game_of(
        name, {key: value for key, value in facts.items() if key in known - {"corners"}}
    ).board


def rows_of(board: Board) -> list[list[str]]:
    rows: dict[int, list[str]] = {}
    for name in board.names:
        rows.setdefault(int(name[1:]), []).append(name)
    return [rows[number] for number in sorted(rows)]


def links_of(board: Board) -> dict[str, list[str]]:
    return {
        name: sorted(board.names[other] for other in board.neighbours[cell])
        for cell, name in enumerate(board.names)
    }


@pytest.mark.parametrize(("name", "facts"), BOARDS)
def test_boards_have_the_right_cells(name: str, facts: dict[str, Any]) -> None:
    board = board_of(name, facts)

    assert facts["cells"] == len(board)
    assert facts["cells"] == len(set(board.names))
    if "rows" in facts:
        assert facts["rows"] == [len(row) for row in rows_of(board)]
    if "first_of_row" in facts:
        assert facts["first_of_row"] == [row[0] for row in rows_of(board)]
    if "last_of_row" in facts:
        assert facts["last_of_row"] == [row[-1] for row in rows_of(board)]
    if "edges" in facts:
        assert 2 * facts["edges"] == sum(map(len, board.neighbours))


@pytest.mark.parametrize("facts", vectors()["boards"]["star"])
def test_star_boards_have_the_right_rims(facts: dict[str, Any]) -> None:
    size = facts["size"]
    board = parse_game(f"star(size={size})").board
    threes, twos = externals_of(size, 3), externals_of(size, 2)
    whole = {corners: parse_game(f"star(size={size},corners={corners})") for corners in (2, 3)}

    assert facts["perimeter_cells"] == sum(map(bool, threes))
    assert facts["perimeter_cells"] == sum(map(bool, twos))
    assert facts["corners"] == sorted(
        name for name, bits in zip(board.names, threes, strict=True) if bits.bit_count() == 3
    )
    assert facts["externals_3pt"] == len({bit for bits in threes for bit in bits_of(bits)})
    assert facts["externals_2pt"] == len({bit for bits in twos for bit in bits_of(bits)})
    assert facts["total_3pt"] == whole[3].full_board_sum
    assert facts["total_2pt"] == whole[2].full_board_sum


def bits_of(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


@pytest.mark.parametrize("facts", vectors()["boards"]["starstar"])
def test_starstar_boards_have_the_right_corners_and_handicaps(facts: dict[str, Any]) -> None:
    game = parse_game(f"starstar(size={facts['size']},handicap=10)")
    board = game.board
    outer = [cell for cell, others in enumerate(board.neighbours) if len(others) < 5]
    order = [board.names[cell] for cell in game.opening_stones()]

    assert facts["corners"] == [board.names[cell] for cell in board.corners]
    assert facts["peries"] == len(outer)
    assert facts["handicap_order"] == order
    assert facts["total"] == game.full_board_sum


@pytest.mark.parametrize("facts", vectors()["boards"]["starweb"])
def test_starweb_boards_have_the_right_corners(facts: dict[str, Any]) -> None:
    board = board_of("starweb", facts)
    links = {board.names[cell]: len(board.neighbours[cell]) for cell in board.corners}

    assert facts["outward"] == sorted(name for name, count in links.items() if count == 3)
    assert facts["inward"] == sorted(name for name, count in links.items() if count == 5)
    assert facts["perimeter_cells"] == sum(len(others) < 6 for others in board.neighbours)


@pytest.mark.parametrize("facts", vectors()["boards"]["polyy"])
def test_polyy_boards_have_the_right_corners(facts: dict[str, Any]) -> None:
    board = board_of("polyy", facts)

    assert facts["corners"] == [board.names[cell] for cell in board.corners]
    assert facts["side_length"] == facts["size"]
    assert facts["majority"] == facts["sides"] // 2 + 1


@pytest.mark.parametrize("heading", vectors()["adjacency"])
def test_cells_have_the_right_neighbours(heading: str) -> None:
    expected = vectors()["adjacency"][heading]
    actual = links_of(game_of(*options_of(heading)).board)

    assert {name: sorted(others) for name, others in expected.items()} == actual


@pytest.mark.parametrize("heading", vectors()["externals"])
def test_rim_cells_touch_the_right_number_of_externals(heading: str) -> None:
    board_text, _, corners_text = heading.partition(", ")
    name, options = options_of(board_text)
    board = game_of(name, options).board
    externals = externals_of(options["size"], int(corners_text[0]))
    actual = {
        name: bits.bit_count() for name, bits in zip(board.names, externals, strict=True) if bits
    }

    assert vectors()["externals"][heading] == actual


@pytest.mark.parametrize(
    "heading", [key for key, facts in vectors()["notation"].items() if "rows" in facts]
)
def test_rows_are_named_as_they_should_be(heading: str) -> None:
    expected = vectors()["notation"][heading]["rows"]

    assert expected == rows_of(game_of(*options_of(heading)).board)


def test_starstar_cells_are_named_as_they_should_be() -> None:
    expected = vectors()["notation"]["starstar size 10"]
    board = parse_game("starstar(size=10)").board
    edge = [name for name in board.names if name.startswith("S0")]

    assert expected["S corner"] == edge[0]
    assert expected["S edge"] == edge
    assert expected["neighbours of S00"] == links_of(board)["S00"]


TURNS = dict(
    zip(
        ("star starstar starweb polyy y", "starstar(double)", "starstar(handicap=3)"),
        (facts["first_stones"] for facts in vectors()["turns"]),
        strict=True,
    )
)


@pytest.mark.parametrize(
    ("spec", "expected"), [(spec, TURNS[specs]) for specs in TURNS for spec in specs.split()]
)
def test_stones_are_placed_in_turn(spec: str, expected: list[str]) -> None:
    game = parse_game(spec)
    position = game.start()
    sides: list[str] = []
    while len(sides) < len(expected):
        move = next(game.legal_moves(position))
        sides += position.to_move.value * len(move.cells)
        position = game.play(position, move)

    assert expected == sides[: len(expected)]


def test_starstar_adds_up_as_schmittberger_does() -> None:
    facts = next(found for found in vectors()["aggregates"] if found["id"].startswith("starstar"))
    stars = facts["stars"]
    accounts = {
        side: Account(
            facts["peries"][side],
            facts["quarks"][side],
            stars[side],
            2 * (stars[other] - stars[side]),
            0,
        )
        for side, other in ("XO", "OX")
    }
    standard = {side: account.standard for side, account in accounts.items()}
    simplified = {side: account.simplified for side, account in accounts.items()}

    assert facts["expect"]["score"] == standard
    assert facts["expect"]["simplified"] == simplified
    assert facts["expect"]["alternative"]["X"] == standard["X"] - standard["O"]


@pytest.mark.parametrize(
    "facts", [found for found in vectors()["aggregates"] if found["id"].startswith("star/")]
)
def test_star_chains_earn_two_less_than_their_externals(facts: dict[str, Any]) -> None:
    scores = {side: sum(count - 2 for count in facts["chains"][side]) for side in "XO"}
    game = parse_game("star(size=6)")

    assert facts["expect"]["score"] == scores
    assert game.full_board_sum == sum(scores.values())


@pytest.mark.parametrize("found", POSITIONS, ids=[found["id"] for found in POSITIONS])
def test_positions_score_as_they_should(found: dict[str, Any]) -> None:
    game = game_of(found["game"], found["options"])
    position = position_of(game, found["stones"])
    expect = found["expect"]
    score = game.score(position)

    assert expect["winner"] == score.verdict
    assert expect.get("full", position.is_full) == score.full
    CHECKS[found["game"]](game, found, position_facts(game, found))


def position_facts(game: Game, found: dict[str, Any]) -> dict[str, Any]:
    score = game.score(position_of(game, found["stones"]))
    return {"points": score.points, "winner": score.verdict, **score.details}


def check_star(game: Game, found: dict[str, Any], actual: dict[str, Any]) -> None:
    expect = found["expect"]
    chains = {
        side: [[chain["externals"], chain["points"]] for chain in actual["chains"][side]]
        for side in "XO"
    }
    maxi = position_facts(game_of(game.name, found["options"], maxi=True), found)

    assert expect["score"] == actual["points"]
    assert expect["chains"] == chains
    assert expect["maxi"] == actual["maxi"]
    assert expect["maxi"] == maxi["maxi"]
    assert expect["maxi_best"] == maxi["points"]
    assert expect["maxi_winner"] == maxi["winner"]


def check_starstar(game: Game, found: dict[str, Any], actual: dict[str, Any]) -> None:
    expect = found["expect"]
    keys = ("peries", "quarks", "quark_peri", "stars", "reward", "simplified", "alternative")
    stars = {
        side: [
            {"contains": sorted(star["peries"]), "encloses": sorted(star["encloses"])}
            for star in actual["star_groups"][side]
        ]
        for side in "XO"
    }

    assert {key: expect[key] for key in keys} == {key: actual[key] for key in keys}
    assert expect["score"] == actual["standard"]
    assert expect["unowned_peries"] == actual["unowned_peries"]
    for side in "XO":
        assert sorted(expect["star_list"][side], key=str) == sorted(stars[side], key=str)
    for scoring, key in (("simplified", "simplified"), ("alternative", "alternative")):
        shown = position_facts(game_of(game.name, found["options"], scoring=scoring), found)

        assert expect[key] == shown["points"]
        assert expect["winner"] == shown["winner"]


def check_starweb(_game: Game, found: dict[str, Any], actual: dict[str, Any]) -> None:
    expect = found["expect"]
    corners = {side: [web["corners"] for web in actual["groups"][side]] for side in "XO"}

    assert expect["score"] == actual["points"]
    assert expect["groups"] == corners
    assert expect["corners"] == {side: sum(counts) for side, counts in corners.items()}


def check_polyy(game: Game, found: dict[str, Any], actual: dict[str, Any]) -> None:
    assert found["expect"]["corners"] == actual["corners"]
    check_y(game, found, actual)


def check_y(game: Game, found: dict[str, Any], actual: dict[str, Any]) -> None:
    winner = found["expect"]["winner"]
    decision = game.decided(position_of(game, found["stones"]))

    assert {side: int(side == winner) for side in "XO"} == actual["points"]
    assert (Side(winner) if winner else None) == (decision.winner if decision else None)


CHECKS = {
    "star": check_star,
    "starstar": check_starstar,
    "starweb": check_starweb,
    "polyy": check_polyy,
    "y": check_y,
}


def test_the_sample_reaches_every_game() -> None:
    assert set(CHECKS) == set(Counter(found["game"] for found in POSITIONS))

"""The figures of the strategy pages that no session there shows are made anew."""

import re
from collections import Counter
from itertools import combinations

import pytest

from pbmserv.commands.help_files import read_page
from pbmserv.computer.openings import chance_after
from pbmserv.computer.proof import prove
from pbmserv.engine.game import Game
from pbmserv.engine.games.hex import Hex
from pbmserv.engine.games.star import Star
from pbmserv.engine.games.starstar import StarStar
from pbmserv.engine.games.starweb import Starweb
from pbmserv.engine.position import Side


@pytest.mark.slow
def test_most_blocks_of_a_stone_in_hex_are_refuted_three_moves_deep() -> None:
    game = Hex(size=5)
    names = [name for name in game.board.names if name != "C2"]
    found = {name: prove(game, game.replay(["C2", name]), 3) for name in names}
    refuted = [name for name, proof in found.items() if proof and proof.winner is Side.X]
    page = " ".join(read_page("strategy-hex").split())

    assert {"C3", "B5"} == {*names} - {*refuted}
    assert f"Of the {len(names)} answers to C2 on size 5, a proof three moves deep" in page
    assert f"refutes {len(refuted)}; only after C3 and B5 does it find none." in page


def test_corners_of_starweb_earn_what_the_page_says() -> None:
    game = Starweb(size=4)
    points = game.tables().points
    ten = [points[more] + points[10 - more] for more in (5, 6, 7, 8)]
    eleven = [
        points[a] + points[b] + points[11 - a - b]
        for a in range(1, 10)
        for b in range(1, min(a, 10 - a) + 1)
    ]

    rows = dict(re.findall(r"(?m)^    (\d[\d, a-z]*?) +(\d+)$", read_page("strategy-starweb")))
    assert rows == {
        groups: str(sum(points[int(corners)] for corners in re.findall(r"\d+", groups)))
        for groups in (
            "8",
            "5 and 5",
            "6 and 4",
            "7 and 3",
            "8 and 2",
            "7",
            "4, 4 and 3",
            "9",
            "18",
        )
    }
    assert points[8] > max(ten[:3])
    assert ten[3] > points[8]
    assert min(points[a] + points[11 - a] for a in range(1, 11)) > points[7] > min(eleven)


def test_the_middle_cell_of_full_boards_of_star_swings_as_the_page_says() -> None:
    game = Star(size=3)
    others = [name for name in game.board.names if name != "C2"]
    swings = Counter[int]()
    for chosen in combinations(others, 5):
        rest = [name for name in others if name not in chosen]
        with_it = game.score(game.position_of({Side.X: ["C2", *chosen], Side.O: rest})).points
        without = game.score(game.position_of({Side.X: chosen, Side.O: ["C2", *rest]})).points
        swings[sum(with_it.values()) - 2 * with_it[Side.O] - without[Side.X] + without[Side.O]] += 1
    page = " ".join(read_page("strategy-star").split())

    assert {0, 4, 8} == {*swings}
    assert f"There are {swings.total()} full boards of size 3 with X on C2" in page
    assert (
        f"by nothing on {swings[0]} of them, by four on {swings[4]}, and by eight on {swings[8]}."
        in page
    )


def chances(game: Game) -> dict[str, float]:
    """Return X's chances after each first stone, in hundredths."""
    found = {name: chance_after(game, cell) for name, cell in game.board.index.items()}
    return {name: round(100 * chance) for name, chance in found.items() if chance is not None}


def test_chances_of_first_stones_are_those_of_the_computers_table() -> None:
    star, starstar = chances(Star(size=6)), chances(StarStar(size=6))
    edge = [chance for name, chance in starstar.items() if name[1] == "6"]
    middle = [chance for name, chance in starstar.items() if name[1] in "12"]
    page = " ".join(read_page("strategy-starstar").split())

    assert f"the computer gives X {star['F1']} % after F1, more than" in " ".join(
        read_page("strategy-star").split()
    )
    assert star["F1"] == max(star.values())
    assert f"a first stone on the edge gives X {min(edge)} to {max(edge)} %" in page
    assert f"on ring 1 or 2 gives {min(middle)} to {max(middle)} %" in page

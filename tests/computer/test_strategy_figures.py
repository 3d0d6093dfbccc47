"""The figures of the strategy pages that no session there shows are made anew."""

import pytest

from pbmserv.commands.help_files import read_page
from pbmserv.computer.proof import prove
from pbmserv.engine.games.hex import Hex
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
    page = " ".join(read_page("strategy-starweb").split())
    ten = [points[more] + points[10 - more] for more in (5, 6, 7, 8)]
    eleven = [
        points[a] + points[b] + points[11 - a - b]
        for a in range(1, 10)
        for b in range(1, min(a, 10 - a) + 1)
    ]

    assert f"Eight corners in one group earn {points[8]}." in page
    told = "{} as five and five, {} as six and four, {} as seven and three, but {} as eight and two"
    assert told.format(*ten) in page
    assert f"Seven corners in one group earn {points[7]}" in page
    assert f"four, four and three earn {points[4] + points[4] + points[3]}." in page
    assert min(points[a] + points[11 - a] for a in range(1, 11)) > points[7] > min(eleven)
    assert f"Nine in one group earn {points[9]}, and all eighteen earn {points[18]}." in page

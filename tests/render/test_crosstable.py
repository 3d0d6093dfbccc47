"""A tournament in tables, on a page and for programs: all tell the same."""

import re
from dataclasses import replace

import pytest

from pbmserv.club.pairing import Entrant
from pbmserv.club.tournament import (
    KINDS,
    Terms,
    Tournament,
    TournamentKind,
    advance,
    begin,
    leave,
    record,
)
from pbmserv.engine.spec import parse_game
from pbmserv.render.blocks import Table
from pbmserv.render.crosstable import (
    cross_blocks,
    standings_block,
    terms_lines,
    tournament_document,
    tournament_page,
)

GAME = parse_game("star(size=4,maxi)")
NAMES = ("Alice", "bob", "<carol>", "dave", "erin")
SCORES = {"1-0": 1, "=-=": 0.5, "0-1": 0, "running": None}


def tournament(kind: TournamentKind = KINDS[0], **terms: object) -> Tournament:
    entrants = tuple(Entrant(n, name, 1900.4 - n) for n, name in enumerate(NAMES, 1))
    return Tournament(7, "Cup", 1, Terms(GAME, kind, **terms), entrants=entrants)  # type: ignore[arg-type]


def played(open_one: Tournament, *scores: float) -> Tournament:
    """Return it begun, the first boards with these scores, and whatever follows from them."""
    found = begin(open_one)
    for place, score in enumerate(scores):
        if found.encounters[place].o is not None:
            found = record(found, place, score)
    return advance(found)


POOLS = played(tournament(pool_size=3), 1.0, 0.5)
SWISS = leave(played(tournament(KINDS[1], rounds=2), 1.0, 0.0), 5)
BOTH = played(tournament(both_colours=True), 0.0, 0.5, 1.0)
EACH = pytest.mark.parametrize("found", [POOLS, SWISS, BOTH], ids=["pools", "swiss", "both"])


def numbers(found: Tournament) -> dict[int, int]:
    """Return a board for each place but the byes."""
    places = [n for n, board in enumerate(found.encounters) if board.o is not None]
    return {place: 101 + at for at, place in enumerate(places)}


@EACH
def test_each_pool_has_its_cross_table_and_its_boards_round_by_round(found: Tournament) -> None:
    blocks = cross_blocks(found, numbers(found))
    names = {entrant.player_id: entrant.userid for entrant in found.entrants}
    seen = 0

    assert 3 * len(found.pools) == len(blocks)
    for pool in range(len(found.pools)):
        heading, cross, boards = blocks[3 * pool : 3 * pool + 3]
        assert isinstance(heading, str)
        assert isinstance(cross, Table)
        assert isinstance(boards, Table)
        assert heading.startswith(f"Pool {pool + 1}, ") is (len(found.pools) > 1)
        mine = [board for board in found.encounters if board.pool == pool]
        seen += len(boards.rows)
        expected = {
            (str(board.round), names[board.x], names.get(board.o or 0, "(bye)"), board.score)
            for board in mine
        }
        assert expected == {(row[0], row[2], row[3], SCORES[row[4]]) for row in boards.rows}
        assert [*map(int, next(zip(*boards.rows, strict=True)))] == sorted(b.round for b in mine)
        assert [row[1] == "" for row in boards.rows] == [row[3] == "(bye)" for row in boards.rows]
        columns = len(cross.rows)
        assert columns == len(found.pools[pool])
        for at, row in enumerate(cross.rows):
            assert "*" == row[2 + at]
            for other, cell in enumerate(row[2 : 2 + columns]):
                back = cross.rows[other][2 + at]
                mirror = str.maketrans("10", "01")
                assert sorted(cell) == sorted(back.translate(mirror))
        assert [row[1] for row in standings_block(found, pool).rows] == [r[1] for r in cross.rows]
    assert len(found.encounters) == seen


@EACH
def test_programs_and_pages_are_told_the_same_as_people(found: Tournament) -> None:
    document = tournament_document(found, "Alice", numbers(found))
    page = tournament_page(found, "Alice")
    blocks = cross_blocks(found, numbers(found))
    tables = page.split("<table>")[1:]

    assert len(found.pools) == len(document["pools"]) == len(tables)
    for number, (pool, table) in enumerate(zip(document["pools"], tables, strict=True)):
        standings, cross, boards = standings_block(found, number), *blocks[3 * number + 1 :][:2]
        assert isinstance(cross, Table)
        assert isinstance(boards, Table)
        for line, row, told in zip(pool["standings"], standings.rows, cross.rows, strict=True):
            left = " (left)" if line["userid"] == "erin" and found is SWISS else ""
            keys = ("points", "sonneborn_berger", "direct", "won", "drawn", "lost", "byes")
            assert (str(line["place"]), line["userid"] + left) == row[:2]
            assert [float(value) for value in row[2:]] == [line[key] for key in keys]
            assert row[2:5] == told[-3:]
            shown = {1: "1", 0.5: "=", 0: "0", None: "."}
            cells = ["".join(shown[score] for score in scores) for scores in line["against"]]
            place = [row[1] for row in cross.rows].index(told[1])
            cells[place] = "*"
            assert [*told[2:-3]] == cells
        for board, row in zip(pool["boards"], boards.rows, strict=True):
            assert (board["round"], board["board"] or "") == (int(row[0]), row[1] and int(row[1]))
            assert (board["X"], board["O"] or "(bye)", board["score"]) == (
                *row[2:4],
                SCORES[row[4]],
            )
        rows = [re.findall("<td[^>]*>([^<]*)</td>", line) for line in table.split("<tr>")[2:]]
        told_rows = [[cell.replace("=", "½") for cell in row] for row in cross.rows]
        clean = [[cell.replace("*", "") for cell in row] for row in told_rows]
        assert clean == [[c.replace("&lt;", "<").replace("&gt;", ">") for c in row] for row in rows]
    assert "<carol>" not in page


def test_a_heading_tells_the_round_until_it_is_the_last_one() -> None:
    def headings(found: Tournament) -> list[str]:
        return [block for block in cross_blocks(found, numbers(found)) if isinstance(block, str)]

    begun = played(tournament(KINDS[1], rounds=2))

    assert ["Pool 1, 1 round", "Pool 2, 3 rounds"] == headings(POOLS)
    assert ["5 rounds"] == headings(BOTH)
    assert ["round 1 of 2"] == headings(begun)
    assert ["2 rounds"] == headings(SWISS)


def test_the_terms_are_told_as_far_as_they_go() -> None:
    start = 1_800_000_000
    usual = tournament()
    swiss = tournament(KINDS[1], rounds=1, pool_size=3, both_colours=True)

    assert "Tournament 7: Cup (open)" == terms_lines(usual, "bob")[0]
    assert (
        "Star (size 4, maxi), round-robin, time 7/21, organised by bob"
        == terms_lines(usual, "bob")[1]
    )
    assert (
        "Star (size 4, maxi), swiss, both colours, 1 round, pools of 3, time 7/21, organised by bob"
        == terms_lines(swiss, "bob")[1]
    )
    dated = replace(usual, terms=replace(usual.terms, start_at=start))
    assert "Starts on " in str(terms_lines(dated, "bob")[2])
    assert not any("Starts on" in str(line) for line in terms_lines(begin(dated), "bob"))
    assert "Players: Alice (1899), bob (1898), <carol> (1897), dave (1896), erin (1895)" == str(
        terms_lines(usual, "bob")[-1]
    )
    assert "Players: none yet" == terms_lines(replace(usual, entrants=()), "bob")[-1]
    assert not any("Players" in str(line) for line in terms_lines(begin(usual), "bob"))

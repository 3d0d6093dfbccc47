"""Pages of a club that is large in every way: none weighs more than 100 kB."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from urllib.parse import unquote

import pytest

from pbmserv.club.rating import Rating
from pbmserv.club.standing import RatingChange
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.site.build import LATEST
from pbmserv.site.folder import A_CHUNK, BoardLine, open_folder
from pbmserv.site.pages import Pages, archive_script, club_id, favourites, paginate
from pbmserv.site.people_pages import player_page, player_rows, players_pages, result_of
from pbmserv.site.tournament_pages import tournament_pages
from pbmserv.store.matches.published import FirstMove, PublicPlayer, RatingLine

MOST = 100_000
PLAYERS = 10_000
LARGEST = {
    "star": "star(size=14)",
    "starstar": "starstar(size=10)",
    "starweb": "starweb(size=13)",
    "polyy": "polyy(sides=9,size=10)",
    "y": "y(size=26)",
    "hex": "hex(size=19)",
}


def name_of(number: int) -> str:
    return f"bartholomew-{number:012}"


@pytest.fixture(scope="module")
def pages() -> Pages:
    names = {
        number: PublicPlayer(name_of(number), True, False, 0, False)
        for number in range(1, PLAYERS + 1)
    }
    return Pages(names, club_id(1), members=frozenset(names))


def test_whatever_the_club_is_called_a_mail_to_it_can_be_opened(pages: Pages) -> None:
    found = replace(pages, mail="o'k+a&b?c@example.org").mail_link("star challenge a&b c")
    address, _, query = found.removeprefix("mailto:").partition("?subject=")

    assert "o'k+a&b?c@example.org" == unquote(address)
    assert "star challenge a&b c" == unquote(query)
    assert not re.search("[&? ]", address + query)


def heavy(pages: list[str]) -> list[int]:
    return [size for page in pages if (size := len(page.encode())) > MOST]


def line(number: int) -> BoardLine:
    first, second = name_of(number), name_of(number + 1)
    return BoardLine(
        id=number,
        signature="",
        path=f"boards/starstar/{number + 100_000}",
        title=f"*Star Board {number + 100_000}",
        options="size 10, scoring alternative, double, komi -12",
        first_id=1,
        second_id=2,
        x=1,
        o=2,
        names=(first, second),
        result=f"{first} (X) wins by an exceeded time limit.",
        ply=120,
        is_running=False,
        changed_at=1_700_000_000,
        year=2023,
    )


def test_standings_of_ten_thousand_players_go_on_pages(pages: Pages) -> None:
    rows = [(n, n, name_of(n), "1500", 100, 100, 10) for n in range(1, PLAYERS + 1)]
    made = pages.standings("star", rows)

    assert [] == heavy(made)
    assert len(made) > 2
    assert all(f'"star-{n}.html"' in made[0] for n in range(2, len(made) + 1))
    assert all(sum(name_of(n) in page for page in made) == 1 for n in (1, 5_000, PLAYERS))


@pytest.mark.costly
def test_the_list_of_ten_thousand_players_goes_on_pages(pages: Pages) -> None:
    ratings = {
        n: [RatingLine(game, 1500.0, 100, 100, 10) for game in game_names()]
        for n in range(1, PLAYERS + 1)
    }
    made = players_pages(pages, player_rows(pages, ratings, dict.fromkeys(ratings, 100)))

    assert [] == heavy(made)
    assert all(sum(name_of(n) in page for page in made) == 1 for n in (1, 5_000, PLAYERS))


def pool_of(players: int, rounds: int) -> dict[str, object]:
    pairs = list(combinations(range(1, players + 1), 2))
    if rounds < players - 1:
        steps = range(1, rounds // 2 + 1)
        pairs = [(n, (n + step - 1) % players + 1) for n in range(1, players + 1) for step in steps]
    return {
        "standings": [
            {
                "place": n,
                "userid": name_of(n),
                "points": 12.5,
                "sonneborn_berger": 120.75,
                "byes": 0,
            }
            for n in range(1, players + 1)
        ],
        "boards": [
            {"round": 1, "board": 100 + at, "X": name_of(x), "O": name_of(o), "score": 0.5}
            for at, (x, o) in enumerate(pairs)
        ],
    }


@pytest.mark.parametrize(
    ("pools", "players", "rounds"),
    [
        (1, 8, 7),
        (1, 60, 59),
        pytest.param(12, 100, 99, marks=pytest.mark.slow),
        pytest.param(1, 1_000, 10, marks=pytest.mark.slow),
    ],
)
def test_a_tournament_of_any_size_goes_on_pages(
    pages: Pages, pools: int, players: int, rounds: int
) -> None:
    pool = pool_of(players, rounds)
    document = {"name": "Cup", "pools": [pool] * pools}
    boards = {
        100 + at: line(at)._replace(path=f"boards/star/{100 + at}")
        for at in range(players * rounds // 2)
    }
    made = tournament_pages(pages, 1, document, ["The terms"], boards)

    assert [] == heavy(made)
    assert (len(made) == 1) is (players == 8)
    assert pools * players * rounds == sum(page.count('<a class="disc') for page in made)
    assert pools * players == sum(page.count("<b>12.5</b>") for page in made)


@pytest.mark.parametrize(("players", "columns"), [(2, 2), (12, 12), (13, 0)])
def test_a_cross_table_is_no_wider_than_a_small_screen(
    pages: Pages, players: int, columns: int
) -> None:
    document = {"name": "Cup", "pools": [pool_of(players, players - 1)]}
    (page,) = tournament_pages(pages, 1, document, ["The terms"], {})

    assert columns == page.count('<th scope="col"><abbr title')
    assert (columns == 0) is ('<th scope="col">results</th>' in page)
    assert players == page.count(">12.5<")


def first_moves() -> Iterator[FirstMove]:
    for name in game_names():
        spec = LARGEST.get(name) or variants(name)[-1]
        for cell in parse_game(spec).board.names:
            yield FirstMove(name, spec, cell, "X", False, 10)


@pytest.mark.costly
def test_openings_on_the_largest_boards_go_on_pages(pages: Pages) -> None:
    found = list(first_moves())
    for name in game_names():
        others = [FirstMove(name, s, "pass", "O", False, 1) for s in variants(name)]
        own = [one for one in found if one.game == name]
        made = pages.openings(name, [*own, *others])

        assert [] == heavy(made), name


def variants(name: str) -> list[str]:
    """Return boards of a game that are as large as can be, or nearly."""
    kind = find_game(name)
    option = next(o for o in kind.options() if o.name == "size")
    sizes = option.choices or range((option.high or 0) - 7, (option.high or 0) + 1)
    return [format_game(parse_game(f"{name}(size={size})")) for size in sizes]


def test_a_player_of_ten_thousand_games_has_a_small_page(pages: Pages) -> None:
    changes = [RatingChange(n, 1, 1500.0, Rating(1500.0 + n % 300)) for n in range(PLAYERS)]
    made = player_page(
        pages,
        1,
        figures={},
        histories=dict.fromkeys(game_names(), changes),
        favourites=favourites(first_moves()),
        running=[line(number) for number in range(1, LATEST + 1)],
        more_running=True,
        results=[result_of(line(number), 1) for number in range(1, LATEST + 1)],
        more_results=True,
    )

    assert [] == heavy([made])


def test_an_archive_of_a_hundred_thousand_boards_is_read_in_small_files(pages: Pages) -> None:
    lines = [line(number) for number in range(1, A_CHUNK + 1)]
    page = pages.page("archive_page.html", "Boards of 2023, page 1", "../", lines=lines)
    chunks = [(2000 + at // 20, at % 20 + 1, A_CHUNK) for at in range(100_000 // A_CHUNK)]

    assert [] == heavy([page, archive_script(lines), pages.archive(chunks)])


def test_the_archive_begins_with_the_newest_year_and_is_searched_from_its_last_page_back(
    pages: Pages,
) -> None:
    page = pages.archive([(2022, 1, A_CHUNK), (2022, 2, 7), (2024, 1, A_CHUNK), (2024, 2, 1)])
    (files,) = re.findall('data-files="([^"]*)"', page)
    links = re.findall(r'href="(\d{4}-\d+)\.html"', page)

    assert files == "2024-2.js 2024-1.js 2022-2.js 2022-1.js"
    assert links == ["2024-1", "2024-2", "2022-1", "2022-2"]
    assert re.findall(r"<h2>(\d+)</h2>", page) == ["2024", "2022"]


def test_many_tournaments_go_on_pages(pages: Pages) -> None:
    rows = [
        {"id": n, "name": "x" * 60, "game": "Poly-Y", "status": "finished"} for n in range(5_000)
    ]

    assert [] == heavy(pages.tournaments(rows))


def test_what_fits_on_a_page_stays_together() -> None:
    assert [[]] == paginate([])
    assert [["a", "b"], ["c"], ["d"]] == paginate(
        [(50_000, "a"), (30_000, "b"), (90_000, "c"), (1, "d")]
    )


def test_a_page_of_the_archive_has_300_boards_and_a_board_stays_on_its_page(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        for number in range(1, 302):
            page = 1 if number <= 300 else 2

            assert folder.keep_board(line(number)) == {(2023, page)}

        assert folder.keep_board(line(7)) == {(2023, 1)}
        assert folder.keep_board(line(400)._replace(year=2022)) == {(2022, 1)}
        assert folder.keep_board(line(401)._replace(year=None, is_running=True)) == set()
    with open_folder(tmp_path) as folder:
        assert [(2022, 1, 1), (2023, 1, 300), (2023, 2, 1)] == folder.chunks()
        assert folder.keep_board(line(8)._replace(year=None)) == {(2023, 1)}
        assert folder.keep_board(line(9)._replace(year=2022)) == {(2022, 1), (2023, 1)}
        assert folder.forget_board(301) == (line(301).path, {1, 2}, {(2023, 2)})
        assert folder.forget_board(401) == (line(401).path, {1, 2}, set())
        assert [(2022, 1, 2), (2023, 1, 298)] == folder.chunks()
        assert folder.chunk(2022, 1) == [
            line(9)._replace(year=2022),
            line(400)._replace(year=2022),
        ]


def test_the_boards_of_a_list_are_those_that_changed_last(tmp_path: Path) -> None:
    seats = {1: (1, 2), 2: (2, 1), 3: (1, 3), 4: (3, 2), 5: (2, 3), 6: (3, 1)}
    moments = {1: 50, 2: 60, 3: 20, 4: 30, 5: 60, 6: 40}
    with open_folder(tmp_path) as folder:
        for number, (first, second) in seats.items():
            found = line(number)._replace(first_id=first, second_id=second, year=None)
            is_running = number % 2 == 0
            folder.keep_board(found._replace(changed_at=moments[number], is_running=is_running))

        def ids(lines: list[BoardLine]) -> list[int]:
            return [one.id for one in lines]

        assert [5, 2, 1, 6, 4] == ids(folder.newest(5))
        assert [2, 1, 6, 3] == ids(folder.newest_of(1, 9))
        assert [2, 1] == ids(folder.newest_of(1, 2))
        assert [2, 6, 4] == ids(folder.newest(9, are_running=True))
        assert [2, 6] == ids(folder.newest(2, are_running=True))
        assert [5, 1, 3] == ids(folder.newest(9, are_running=False))
        assert [5] == ids(folder.newest(1, are_running=False))
        assert {1, 2, 3, 6} == folder.boards_of({1})
        assert set(seats) == folder.boards_of({1, 2, 3})
        assert set() == folder.boards_of(set())

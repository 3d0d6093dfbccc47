"""Pages of a club that is large in every way: none weighs more than 100 kB."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, count, takewhile
from urllib.parse import unquote

import pytest

from pbmserv.club.rating import Rating
from pbmserv.club.standing import RatingChange
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.site.board_lines import BoardLine
from pbmserv.site.opening_pages import favourites, openings_page
from pbmserv.site.pages import (
    ListPlace,
    Names,
    Pages,
    SiteOptions,
    archive_script,
    club_id,
    game_titles,
    paginate,
)
from pbmserv.site.people_pages import player_page, player_rows
from pbmserv.site.tournament_pages import tournament_page
from pbmserv.store.matches.published import FirstMove, PublicPlayer, RatingLine
from pbmserv.web.public import A_CHUNK, A_LIST, LATEST

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


def players() -> dict[int, PublicPlayer]:
    return {
        number: PublicPlayer(name_of(number), True, False, 0, False)
        for number in range(1, PLAYERS + 1)
    }


@pytest.fixture(scope="module")
def pages() -> Pages:
    names = Names(lambda _: {})
    names.update(players())
    return Pages(names, club_id(1), SiteOptions("1.0"))


def all_of(make: Callable[[int], str]) -> list[str]:
    """Return the pages of a list, from the first to the last."""
    return [*takewhile(bool, map(make, count(1)))]


def test_whatever_the_club_is_called_a_mail_to_it_can_be_opened(pages: Pages) -> None:
    options = SiteOptions("1.0", mail="o'k+a&b?c@example.org")
    found = replace(pages, options=options).mail_link("star challenge a&b c")
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
        path=f"boards/starstar/{number + 100_000}",
        title=f"*Star Board {number + 100_000}",
        options="size 10, scoring alternative, double, komi -12",
        x=1,
        o=2,
        names=(first, second),
        result=f"{first} (X) wins by an exceeded time limit.",
        ply=120,
        is_running=False,
        changed_at=1_700_000_000,
        winner="X",
        how="by an exceeded time limit",
    )


def test_standings_of_ten_thousand_players_go_on_pages(pages: Pages) -> None:
    rows = [(n, n, name_of(n), "1500", 100, 100, 10) for n in range(1, A_LIST + 1)]
    place = ListPlace("star", 2, PLAYERS // A_LIST)
    made = pages.standings(rows, place)

    assert [] == heavy([made])
    assert all(f'"star-{n}.html"' in made for n in range(3, place.pages + 1))
    assert pages.standings([], place._replace(number=place.pages + 1)) == ""


@pytest.mark.costly
def test_the_list_of_ten_thousand_players_goes_on_pages(pages: Pages) -> None:
    some = dict([*players().items()][-A_LIST:])
    ratings = {n: [RatingLine(game, 1500.0) for game in game_names()] for n in some}
    rows = player_rows(some, ratings, dict.fromkeys(some, 100))
    place = ListPlace("index", 7, PLAYERS // A_LIST)
    made = pages.several("players.html", "Players", place, rows, standings=game_titles())

    assert [] == heavy([made])
    assert made.count(' class="num" data-label="running boards">100<') == A_LIST


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
        pytest.param(2, 100, 99, marks=pytest.mark.slow),
        pytest.param(1, 1_000, 10, marks=pytest.mark.slow),
    ],
)
def test_a_tournament_of_any_size_goes_on_pages(
    pages: Pages, pools: int, players: int, rounds: int
) -> None:
    pool = pool_of(players, rounds)
    document = {"tournament": 1, "name": "Cup", "kind": "swiss", "pools": [pool] * pools}
    boards = [
        line(at)._replace(path=f"boards/star/{100 + at}") for at in range(players * rounds // 2)
    ]
    made = all_of(lambda number: tournament_page(pages, document, ["The terms"], boards, number))

    assert [] == heavy(made)
    assert (len(made) == 1) is (players == 8)
    assert pools * players * rounds == sum(page.count('<a class="disc') for page in made)
    assert pools * players == sum(page.count("<b>12.5</b>") for page in made)
    assert pools * players * rounds // 2 == sum(page.count(">½-½</a>") for page in made)


@pytest.mark.parametrize(("players", "columns"), [(2, 2), (12, 12), (13, 0)])
def test_a_cross_table_is_no_wider_than_a_small_screen(
    pages: Pages, players: int, columns: int
) -> None:
    pools = [pool_of(players, players - 1)]
    document = {"tournament": 1, "name": "Cup", "kind": "round-robin", "pools": pools}
    page = tournament_page(pages, document, ["The terms"], [], 1)

    assert tournament_page(pages, document, ["The terms"], [], 2) == ""

    assert columns == page.count('<th scope="col"><abbr title')
    assert (columns == 0) is ('<th scope="col">results</th>' in page)
    assert players == page.count(">12.5<")


def first_moves() -> Iterator[FirstMove]:
    for name in game_names():
        spec = LARGEST.get(name) or variants(name)[-1]
        for cell in parse_game(spec).board.names:
            yield FirstMove(spec, "X", False, cell, 10)


@pytest.mark.costly
def test_openings_on_the_largest_boards_go_on_pages(pages: Pages) -> None:
    found = list(first_moves())
    for name in game_names():
        others = [FirstMove(s, "O", False, "pass", 1) for s in variants(name)]
        own = [one for one in found if one.spec.startswith(f"{name}(")]
        made = all_of(partial(openings_page, pages, name, [*own, *others]))

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
        results=[line(number) for number in range(1, LATEST + 1)],
        more_results=True,
    )

    assert [] == heavy([made])


def test_an_archive_of_a_hundred_thousand_boards_is_read_in_small_files(pages: Pages) -> None:
    lines = [line(number) for number in range(1, A_CHUNK + 1)]
    page = pages.page("archive_page.html", "Boards of 2023, page 1", "../", lines=lines)
    years = {2000 + year: [A_CHUNK] * 20 for year in range(100_000 // A_CHUNK // 20)}

    assert [] == heavy([archive_script(lines), pages.archive(years)])
    assert len(page.encode()) < 80_000
    assert page.count('loading="lazy"') == A_CHUNK


def test_the_archive_begins_with_the_newest_year_and_is_searched_from_its_last_page_back(
    pages: Pages,
) -> None:
    page = pages.archive({2022: [A_CHUNK, 7], 2024: [A_CHUNK, 1]})
    (files,) = re.findall('data-files="([^"]*)"', page)
    links = re.findall(r'href="(\d{4}-\d+)\.html"', page)

    assert files == "2024-2.js 2024-1.js 2022-2.js 2022-1.js"
    assert links == ["2024-2", "2024-1", "2022-2", "2022-1"]
    assert re.findall(r"<h2>(\d+)</h2>", page) == ["2024", "2022"]


def test_many_tournaments_go_on_pages(pages: Pages) -> None:
    rows = [
        {"id": n, "name": "x" * 60, "game": "Poly-Y", "status": "finished"} for n in range(5_000)
    ]

    assert [] == heavy(all_of(lambda number: pages.tournaments(rows, number)))


def test_what_fits_on_a_page_stays_together() -> None:
    assert [[]] == paginate([])
    assert [["a", "b"], ["c"], ["d"]] == paginate(
        [(50_000, "a"), (30_000, "b"), (90_000, "c"), (1, "d")]
    )

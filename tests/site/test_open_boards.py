"""What pages say of boards that are mostly empty, and of those that are full."""

import html
import re
from pathlib import Path
from random import Random

import pytest

from pbmserv.engine.games import game_names
from pbmserv.engine.spec import parse_game
from pbmserv.render.view import view_match
from tests.engine.sample_games import random_move
from tests.local_server import DAY, LocalServer
from tests.site.conftest import WISHES, Club

LINE = re.compile(r'<(?:p|button) class="plain"[^>]*>(.*?)</(?:p|button)>')
OPEN = re.compile("Still open: any margin from X by [0-9]+ to O by [0-9]+\\.")


def page_of(club: Club, game: str, board: int) -> str:
    return html.unescape(club.pages().board(club.pages().named(club.match(game, board)), ()))


def lines_of(page: str) -> list[str]:
    return [re.sub("<[^>]*>", "", line) for line in LINE.findall(page)]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", ["-size=10", "-size=10 -double", "-size=10 -scoring=simplified"])
def test_a_board_that_is_mostly_empty_shows_no_points_but_what_it_can_come_to(
    local: LocalServer, club: Club, spec: str
) -> None:
    local.game = "starstar"
    board = local.start(spec)
    local.play(board, "R02 *98 A92 *00" if "double" not in spec else "R02 *98+R71 A92+*82")
    page = page_of(club, "starstar", board)
    (told,) = OPEN.findall(page)
    bounds = view_match(club.match("starstar", board)).settled

    assert "data-points" not in page
    assert bounds is not None
    assert told == bounds.words
    assert "(most of the board is empty)" in page
    assert ('class="moves two"' in page) == ("double" in spec)


@pytest.mark.parametrize("game", ["star", "starweb"])
def test_a_board_that_has_ended_shows_its_points_however_empty_it_is(
    local: LocalServer, club: Club, game: str
) -> None:
    local.game = game
    board = local.start("-size=5")
    local.play(board, "C3 C4 pass pass")
    page = page_of(club, game, board)

    assert 2 == page.count('class="points" data-points=')
    assert not OPEN.search(page)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "spec",
    [
        "starstar(size=10)",
        "starstar(size=6,double)",
        "starweb",
        "star(size=6)",
        "polyy",
        "hex",
        "y",
    ],
)
def test_a_line_of_the_score_has_at_most_five_names_and_none_twice(
    local: LocalServer, club: Club, spec: str
) -> None:
    game = parse_game(spec)
    chance, position, texts = Random(5), game.start(), list[str]()
    local.game = game.name
    words = re.sub(r"(\w+)(=\w+)?", r"-\1\2", spec.partition("(")[2].strip(")")).replace(",", " ")
    board = local.start(words)
    for part in (0.1, 0.5, 1.0):
        while not game.is_over(position) and position.ply < part * len(game.board):
            move = random_move(game, position, chance)
            texts.append(move.text)
            position = game.play(position, move)
        local.play(board, texts)
        texts.clear()
        lines = lines_of(page_of(club, game.name, board))

        assert lines or position.ply < 20 or game.name in {"hex", "y", "polyy"}
        for line in lines:
            names = [word for word in re.split(r"[\s:,]+", line) if word in game.board.index]

            assert len(names) <= 5, line
            assert len(names) == len({*names}), line
        sheet = local.text(f"{game.name} score {board}")
        for part_of_sheet in re.split(r"\n +[+-]\d+  ", sheet)[1:]:
            told = part_of_sheet.partition("\n\n")[0]
            names = [word for word in re.split(r"[\s:,]+", told) if word in game.board.index]

            assert len(names) == len({*names}), told


def descriptions(page: str) -> dict[str, str]:
    found = re.findall('<meta (?:name|property)="([^"]*)" content="([^"]*)">', page)
    return {name: html.unescape(words) for name, words in found}


def test_every_page_says_what_it_is_to_who_links_to_it(made: Club) -> None:
    for path in made.files():
        if not path.endswith(".html"):
            continue
        page = made.page(path)
        told = descriptions(page)
        title = re.findall("<title>(.*?)</title>", page)[0]

        assert told["description"] == told["og:description"], path
        assert len(told["description"]) > 10, path
        assert html.unescape(title).startswith(told["og:title"]), path
        assert {"og:site_name", "og:type"} < told.keys(), path
    assert descriptions(made.page("index.html"))["description"] == WISHES.sentence
    assert "top and bottom" in descriptions(made.page("games/hex.html"))["description"]


def first_squares(club: Club) -> list[str]:
    running = club.page("index.html").partition('id="boards"')[2].partition("</ul>")[0]
    return re.findall('href="boards/([a-z]+/[0-9]+).html"', running)


@pytest.mark.costly
def test_the_first_page_has_a_running_board_of_each_game_and_those_with_stones(
    club: Club,
) -> None:
    local = club.local
    for _ in range(14):
        local.clock.seconds += DAY
        local.game = "star"
        local.start("-size=3")
    club.build()
    shown, games = first_squares(club), game_names()

    assert {path.partition("/")[0] for path in shown[: len(games)]} == {*games}
    assert shown.index("star/102") < len(games)
    assert len(shown) == 12
    assert [path for path in shown if path.startswith("star/")][1] == "star/117"


@pytest.mark.costly
def test_the_first_page_begins_with_a_full_board_if_there_is_one(club: Club) -> None:
    local = club.local
    local.game = "star"
    full = local.start("-size=3")
    club.play_on("star", full, 99)
    local.clock.seconds += DAY
    resigned = local.start("-size=6")
    club.play_on("star", resigned, 24)
    local.do(f"star resign {resigned} alice secret-alice")
    club.build()
    page = club.page("index.html")

    assert f'<a href="boards/star/{full}.html">Star Board {full}</a>' in page
    assert descriptions(page)["og:image"] == f"boards/star/{full}.png"
    assert f"boards/star/{full}.png" in club.files()


@pytest.mark.costly
def test_where_no_board_is_worth_it_the_first_page_begins_with_a_full_one_of_ours(
    local: LocalServer, tmp_path: Path
) -> None:
    club = Club(local, tmp_path / "pages")
    local.game = "y"
    local.start("-size=6")
    club.play_on("y", local.start("-size=6"), 3)
    club.build()
    page = club.page("index.html")

    assert 'href="games/star.html">Star</a>' in page
    assert "og:image" not in descriptions(page)

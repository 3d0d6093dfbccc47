"""Every public page has an address, is what a guest may see, and is made only when it changed."""

import re
import threading
from collections.abc import Callable
from itertools import count
from time import sleep
from urllib.parse import quote

import pytest
from werkzeug.test import Client

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.puzzles import count_puzzles
from pbmserv.commands.command_table import root
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.spec import format_game
from pbmserv.site.pages import Visitor
from pbmserv.web import club as web_club
from pbmserv.web.limits import MAX_BYTES, Previews
from tests.databases import ONE_DATABASE
from tests.local_server import DAY
from tests.site.conftest import SMALL, Club

pytestmark = pytest.mark.costly

PAGE = "boards/star/102.html"


def test_a_page_is_found_under_the_address_of_its_file(made: Club) -> None:
    visitor = made.app().test_client()
    for path in made.files():
        found = visitor.get(f"/{quote(path)}")

        assert (found.status_code, path) == (200, path)

    assert visitor.get("/").data == visitor.get("/index.html").data


@pytest.mark.parametrize(
    "path",
    [
        *("boards/star/0101.html", "boards/star/+101.html", "boards/star/1e2.html"),
        *(f"boards/star/{'9' * n}.html" for n in (9, 10, 20, 400)),
        *("boards/star/-101.html", "boards/chess/101.html", "boards/STAR/101.html"),
        *("boards/star/101", "boards/star/101.exe", "boards/star/101.html/", "boards/star/0.html"),
        *("players/0.html", "players/99.html", "players/01.atom", "players/index-1.html"),
        *("players/index-2.html", "standings/star-1.html", "standings/chess.html"),
        *("tournaments/7.html", "tournaments/1-2.html", "openings/star-9.html"),
        *(
            "archive/2027-2.html",
            "archive/2026-1.js",
            "archive/9999-1.html",
            "archive/99999-1.html",
        ),
        *("games/star-0.svg", "games/star-9.svg", "manual/none.html", "manual/..%2fplay.html"),
        *("puzzle/0.html", f"puzzle/{count_puzzles() + 1}.html", "puzzle/1.svg"),
        *("../site.css", "%2e%2e/site.css", "boards/%2e%2e/site.css", "site.css%00", "%00"),
        *(".pbmserv-site", ".pbmserv-site.lock", "templates/site.css", "site.py"),
    ],
)
def test_what_is_no_page_is_not_found(made: Club, path: str) -> None:
    assert made.app().test_client().get(f"/{path}").status_code == 404


@pytest.mark.parametrize(
    "spec",
    [
        *("star(size=03)", "star(size=3, maxi)", "star()", "star(size=3)(", "star(size=999)"),
        *("STAR(size=3)", "stern(size=3)", "star(size=3,size=3)", "star(size=-3)", "chess(size=3)"),
        *(f"star(size={'9' * 5000})", "hex", "%28"),
    ],
)
def test_a_board_without_stones_has_one_address(made: Club, spec: str) -> None:
    assert made.app().test_client().get(f"/grounds/{spec}.svg").status_code == 404


def test_a_board_that_nobody_plays_yet_can_be_drawn_on(made: Club) -> None:
    for name in game_names():
        spec = format_game(find_game(name)())
        found = made.app().test_client().get(f"/grounds/{quote(spec)}.svg")

        assert found.data.startswith(b"<svg"), spec


def test_a_page_is_looked_at_and_nothing_else(made: Club) -> None:
    visitor = made.app().test_client()
    for path in ("index.html", PAGE, "boards/star/102.png", "site.css"):
        seen, head = visitor.get(f"/{path}"), visitor.head(f"/{path}")

        assert head.data == b""
        assert head.headers["ETag"] == seen.headers["ETag"]
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
            assert visitor.open(f"/{path}", method=method).status_code == 405


def test_a_page_says_what_it_is(made: Club) -> None:
    visitor = made.app().test_client()
    found = {path: visitor.get(f"/{path}").content_type for path in (PAGE, "feed.atom", "site.css")}

    assert found == {
        PAGE: "text/html; charset=utf-8",
        "feed.atom": "application/atom+xml; charset=utf-8",
        "site.css": "text/css; charset=utf-8",
    }
    assert visitor.get("/boards/star/101.png").content_type == "image/png"


def etags(visitor: Client, *paths: str) -> dict[str, str]:
    """Return the mark of each page, having seen that it is not sent to whoever has it."""
    found = {}
    for path in paths:
        etag = found[path] = visitor.get(f"/{path}").headers["ETag"]
        again = visitor.get(f"/{path}", headers={"If-None-Match": etag})

        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == etag
    return found


STATIC = ("site.css", "games/index.html", "manual/play.html", "puzzle/1.html", "games/star-1.svg")
BOARDS = (PAGE, "boards/star/101.html", "boards/hex/102.html", "boards/star/102.png")
CHANGES: dict[str, tuple[Callable[[Club], object], set[str]]] = {
    "a move": (lambda club: club.play_on("star", 102, 1), {PAGE, "boards/star/102.png"}),
    "a vacation": (
        lambda club: [
            club.local.do(f"vacation {userid} secret-{userid} 10") for userid in ("alice", "bob")
        ],
        {PAGE, "boards/hex/102.html"},
    ),
    "a name": (lambda club: club.local.do("admin rename bob robert"), {*BOARDS}),
    "a private name": (lambda club: club.local.do("private bob secret-bob on"), {*BOARDS}),
    "a closed account": (
        lambda club: club.local.do("admin close bob"),
        {PAGE, "boards/star/101.html", "boards/hex/102.html", "boards/star/102.png"},
    ),
    "a rating": (
        lambda club: club.local.do("hex resign 102 bob secret-bob"),
        {"boards/hex/102.html"},
    ),
    "a review": (
        Club.review,
        {"boards/star/101.html"},
    ),
    "a chat line": (
        lambda club: club.local.do("star chat 102 alice secret-alice -", "Hello."),
        {PAGE},
    ),
    "a wish": (lambda club: club.local.do("star seek alice secret-alice 1"), set()),
}


@ONE_DATABASE
@pytest.mark.parametrize("change", CHANGES)
def test_a_page_is_new_when_anything_on_it_has_changed(club: Club, change: str) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    visitor = club.app().test_client()
    lists = ("index.html", "feed.atom", "players/1.html")
    before = etags(visitor, *BOARDS, *lists, *STATIC)
    make, expected = CHANGES[change]
    make(club)
    after = etags(visitor, *BOARDS, *lists, *STATIC)
    changed = {path for path in before if before[path] != after[path]}

    assert changed - {*lists} == expected
    assert change == "a review" or changed & {*lists} == {*lists}


@ONE_DATABASE
@pytest.mark.parametrize("board", [101, 102])
def test_a_removed_board_is_found_no_more_until_it_is_restored(club: Club, board: int) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    visitor, endings = club.app().test_client(), ("html", "png", "svg", "atom", "json")
    seen = []
    for line in ("", f"admin remove star {board}", f"admin undo star {board}"):
        if line:
            club.local.do(line)
        seen.append([visitor.get(f"/boards/star/{board}.{end}").status_code for end in endings])
        is_listed = f"boards/star/{board}." in visitor.get("/players/1.html").text

        assert is_listed is (seen[-1][0] == 200)

    assert seen == [[200] * 5, [404] * 5, [200] * 5]


@ONE_DATABASE
def test_a_page_of_another_day_has_its_puzzle(club: Club) -> None:
    visitor = club.app().test_client()
    before = visitor.get("/index.html")
    club.local.clock.seconds += DAY
    after = visitor.get("/index.html", headers={"If-None-Match": before.headers["ETag"]})

    assert after.status_code == 200
    assert before.data != after.data


@ONE_DATABASE
def test_a_private_opponent_is_named_to_their_opponent_alone(club: Club) -> None:
    club.local.sign_up("carol")
    club.local.do("private bob secret-bob on")
    app, shown = club.app(), {}
    for number, userid in ((0, ""), (1, "alice"), (3, "carol")):
        with app.test_request_context("/"):
            found = web_club.pages()
            if userid:
                found = type(found)(
                    found.names, found.club, found.options, Visitor(userid, number, 0, "")
                )
            match = found.named(club.match("star", 102))
            shown[userid] = {match.first.name, match.second.name}

    assert shown == {
        "": {"alice", "player 2"},
        "alice": {"alice", "bob"},
        "carol": {"alice", "player 2"},
    }
    for path in ("boards/star/102.html", "boards/star/101.json", "players/1.html", "feed.atom"):
        assert b"bob" not in app.test_client().get(f"/{path}").data, path


@ONE_DATABASE
def test_a_request_reads_one_moment_and_then_lets_go(club: Club) -> None:
    app = club.app()
    app.test_client().get(f"/{PAGE}")
    with app.test_request_context("/"):
        before = web_club.records().published.mark()
        assert web_club.records() is web_club.records()
        assert web_club.records().published.mark() == before
        web_club.leave_transaction()
        club.play_on("star", 102, 1)
        assert web_club.records().published.mark() != before
    club.play_on("star", 102, 1)


@ONE_DATABASE
def test_while_a_picture_is_drawn_the_club_goes_on(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(match: object) -> bytes:
        del match
        club.local.do("star seek alice secret-alice 1")
        return b"drawn"

    monkeypatch.setattr("pbmserv.web.public.draw_preview", draw)

    assert club.app().test_client().get("/boards/star/102.png").data == b"drawn"


@ONE_DATABASE
def test_a_picture_is_drawn_once_for_what_it_shows(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.local.desk.tree = root(SHELL, shell_families())
    numbers = count(1)
    monkeypatch.setattr("pbmserv.web.public.draw_preview", lambda _: b"%d" % next(numbers))
    visitor = club.app().test_client()
    seen = []
    for change in (
        lambda: None,
        lambda: club.local.do("star chat 102 alice secret-alice -", "Hello."),
        lambda: club.play_on("star", 102, 1),
        lambda: club.local.do("admin rename bob robert"),
    ):
        change()
        seen += [visitor.get(f"/boards/star/{number}.png").data for number in (101, 102)]

    assert seen == [b"1", b"2", b"1", b"2", b"1", b"3", b"4", b"5"]


def test_pictures_are_drawn_one_at_a_time_and_once() -> None:
    found, running, most = Previews(), [], []

    def draw() -> bytes:
        running.append(1)
        most.append(len(running))
        sleep(0.01)
        running.pop()
        return b"drawn"

    threads = [
        threading.Thread(target=found.find, args=(f"board {number % 3}", draw))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1, 1, 1]


def test_no_more_pictures_are_kept_than_there_is_room_for() -> None:
    found, drawn = Previews(), []

    def draw(number: int) -> bytes:
        drawn.append(number)
        return bytes(MAX_BYTES // 3)

    for number in (1, 2, 3, 1, 4, 2, 1):
        found.find(str(number), lambda number=number: draw(number))  # type: ignore[misc]

    assert drawn == [1, 2, 3, 4, 1]


def test_a_picture_that_cannot_be_drawn_holds_nobody_up() -> None:
    found = Previews()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            found.find("board", lambda: bytes(1 // 0))

    assert found.find("board", lambda: b"drawn") == b"drawn"


@ONE_DATABASE
def test_a_full_page_of_the_archive_stays_as_it_is(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.web.public.A_CHUNK", 4)
    visitor = club.app().test_client()

    def boards(path: str) -> list[str]:
        page = visitor.get(f"/archive/{path}.html").get_data(as_text=True)
        return [*dict.fromkeys(re.findall(r'href="../boards/(\w+/\d+)\.html"', page))]

    first, second = boards("2027-1"), boards("2027-2")
    club.local.clock.seconds += DAY
    club.local.do("star resign 102 alice secret-alice")
    ended = [f"{game}/101" for game in sorted(SMALL)]

    assert first == ended[3::-1]
    assert second == ended[:3:-1]
    assert (boards("2027-1"), boards("2027-2")) == (first, ["star/102", *second])

    club.local.clock.seconds += 365 * DAY
    club.local.do("hex resign 102 alice secret-alice")
    index = visitor.get("/archive/index.html").get_data(as_text=True)

    assert boards("2028-1") == ["hex/102"]
    assert boards("2027-2") == ["star/102", *second]
    assert 'data-files="2028-1.js 2027-2.js 2027-1.js"' in index
    rows = visitor.get("/archive/2027-2.js").get_data(as_text=True)

    assert rows.count('"boards/') == len(second) + 1


@ONE_DATABASE
def test_players_are_listed_by_name_in_whatever_letter_case_on_pages_of_some(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.web.public.A_LIST", 2)
    club.local.desk.tree = root(SHELL, shell_families())
    club.local.sign_up("Zoe", "Carol", "dave", "bobby", "Anna")
    club.local.do("private dave secret-dave on")
    club.local.do("admin close Zoe")
    visitor = club.app().test_client()

    def named(number: str) -> list[str]:
        page = visitor.get(f"/players/index{number}.html").get_data(as_text=True)
        return re.findall(r'<td><a href="../players/\d+.html">(\w+)</a>', page)

    assert [named(number) for number in ("", "-2", "-3")] == [
        ["alice", "Anna"],
        ["bob", "bobby"],
        ["Carol"],
    ]
    assert visitor.get("/players/index-4.html").status_code == 404
    assert [visitor.get(f"/standings/hex{n}.html").status_code for n in ("", "-2")] == [200, 404]

    monkeypatch.setattr("pbmserv.web.public.A_LIST", 1)
    places = [
        re.findall(r'<tr><td class="num">(\d+)', visitor.get(f"/standings/hex{n}.html").text)
        for n in ("", "-2")
    ]

    assert places == [["1"], ["2"]]


@ONE_DATABASE
def test_the_boards_of_a_list_are_those_that_changed_last(club: Club) -> None:
    local = club.local
    local.sign_up("carol")
    for x, o in (("carol", "alice"), ("bob", "carol"), ("carol", "carol")):
        local.game = "y"
        local.clock.seconds += DAY
        local.start("-size=6", x=x, o=o)
    local.clock.seconds += DAY
    club.play_on("y", 102, 1)
    with local.desk.store.reading() as records:

        def found(limit: int, **such: object) -> list[tuple[str, int]]:
            ids = records.published.running(limit, **such)  # type: ignore[arg-type]
            lines = records.matches.lines(ids)
            return [(line.game, line.number) for line in lines]

        assert found(9, game="y") == [("y", 102), ("y", 105), ("y", 104), ("y", 103)]
        assert found(2, game="y") == [("y", 102), ("y", 105)]
        assert found(3) == [("y", 102), ("y", 105), ("y", 104)]
        assert found(9, player_id=3) == [("y", 105), ("y", 104), ("y", 103)]
        assert found(1, player_id=1) == [("y", 102)]
        assert found(9, game="hex") == [("hex", 102)]
        assert records.published.running_counts([1, 3, 4]) == {1: len(SMALL) + 2, 3: 3}
        assert records.published.running_ids([3]) == {*records.published.running(9, player_id=3)}
        assert records.published.running_ids([]) == set()

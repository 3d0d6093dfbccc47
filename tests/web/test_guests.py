"""Guests against the computer: games by links and forms alone, each wholly in its address."""

import re
from collections import Counter
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from pbmserv.club.player import Robot
from pbmserv.club.puzzles import puzzles
from pbmserv.computer.openings import specs_with_chances
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import SWAP
from pbmserv.engine.spec import parse_game
from pbmserv.site.game_pages import sample_board
from pbmserv.web import guests
from pbmserv.web.club import MAX_REPLIES, WebSettings
from pbmserv.web.freeze import LIVE, frozen
from pbmserv.web.guests import LOWEST, MAX_CELLS, small_board
from tests.databases import ONE_DATABASE
from tests.web.conftest import Room
from tests.web.plain_browser import Page
from tests.web.test_boards import choose_any, place

pytestmark = ONE_DATABASE

PLAYABLE = [game for game in game_names() if specs_with_chances(game)]
"""The games that guests may play: those with a table of first stones."""

REST = sorted({*PLAYABLE} - {"star"})
ENDED = re.compile(r"(You win|The computer wins|The game is drawn|Draw)[^.]*\.")

OPENED = "/play/hex?spec=hex(size=4)&level=1&side=X&moves=A1,B2"
TWO_STONES = "/play/starstar?spec=starstar(size=4,double)&level=1&side=X&moves=A40,S40%2BT40"


def play_on(page: Page, chance: Random) -> Page:
    """Place stones anywhere until the game is over, as somebody who knows no rules."""
    for _ in range(100):
        if "Again" in page.links:
            return page
        before = page.path
        page = choose_any(page, chance)

        assert page.status == 200, page.words
        assert page.path.startswith(before.partition("&moves")[0])
    raise AssertionError("The game does not end.")


def moves_of(page: Page) -> list[str]:
    (moves,) = parse_qs(urlsplit(page.url).query).get("moves", [""])
    return moves.split(",") if moves else []


def another(room: Room, *, takes_guests: bool = True) -> Room:
    """Return a second application over the same database, which closes with the first."""
    return Room(room.local, WebSettings(takes_guests=takes_guests), room.desks, room.failures)


def all_bytes(room: Room) -> dict[str, bytes]:
    """Return every file of the database as it is."""
    file = Path(room.local.url.removeprefix("sqlite:///"))
    assert file.is_file()
    return {each.name: each.read_bytes() for each in file.parent.iterdir() if each.is_file()}


@pytest.mark.parametrize("game", ["star", *(pytest.param(g, marks=pytest.mark.slow) for g in REST)])
def test_a_guest_plays_a_game_to_its_end_and_nothing_is_kept(room: Room, game: str) -> None:
    guest, before = room.browser(), all_bytes(room)
    page = play_on(guest.get(f"/play/{game}"), Random(game))

    assert ENDED.search(page.words), page.words
    assert not page.cells()
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert all_bytes(room) == before
    assert not guest.client._cookies
    assert moves_of(page.click("Again")) == []


def test_the_computer_begins_if_the_guest_plays_second(room: Room) -> None:
    page = room.browser().get("/play/hex").form("New game").send(side="O")

    assert not page.cells()
    page = page.form("The computer begins").send()
    assert len(moves_of(page)) == 1
    assert "The computer plays" in page.words
    assert play_on(page, Random(1)).status == 200


def test_board_level_and_game_are_chosen_by_a_form(room: Room) -> None:
    page = room.browser().get("/play/star").click("*Star")
    form = page.form("New game")
    page = form.send(spec="starstar(size=4,double)", level="3", side="X")

    assert "size 4, double" in page.words
    assert "novice (3)" in page.words
    again = page.form("New game").fields
    assert again == {"spec": ["starstar(size=4,double)"], "level": ["3"], "side": ["X"]}


def test_a_game_begins_small_and_against_the_lowest_level(room: Room) -> None:
    for game in PLAYABLE:
        page = room.browser().get(f"/play/{game}")

        assert "newcomer (1)" in page.words
        assert len(page.cells()) <= 50
        assert "X-Robots-Tag" not in page.headers


def test_every_board_that_can_be_chosen_is_answered(room: Room) -> None:
    for game in PLAYABLE:
        page = room.browser().get(f"/play/{game}")
        select = next(each for each in page.tree.iter("select") if each.get("name") == "spec")
        specs = [each.get("value", "") for each in select.iter("option")]
        cells = [len(parse_game(spec).board) for spec in specs]

        assert len(specs) == len({*specs}) > 3
        assert cells == sorted(cells) or game in {"polyy", "starweb", "y"}
        assert max(cells) <= MAX_CELLS
        large = room.browser().get(f"/play/{game}", {"spec": specs[-1]})
        assert len(moves_of(choose_any(large, Random(2)))) == 2


def test_the_same_address_is_the_same_game(room: Room) -> None:
    other = another(room)
    for path in ("/play/star", OPENED, TWO_STONES):
        ends = {choose_any(one.browser().get(path), Random(3)).path for one in (room, other, room)}

        assert len(ends) == 1


def test_other_moves_get_other_replies(room: Room) -> None:
    first = room.browser().get("/play/y?spec=y(size=6)&moves=A1,D3")
    replies = {moves_of(place(first, cell))[-1] for cell in first.cells()[:8]}

    assert len(replies) > 1


def test_undo_leads_to_the_shorter_address(room: Room) -> None:
    start = room.browser().get(OPENED)
    later = place(start, "D4")
    assert len(moves_of(later)) == 4

    undone = later.click("Undo")
    assert (undone.path, undone.cells()) == (start.path, start.cells())
    assert place(undone, "D4").path == later.path
    assert moves_of(undone.click("Undo")) == []
    assert "Undo" not in undone.click("Undo").links


def test_a_guest_swaps(room: Room) -> None:
    page = room.browser().get("/play/hex?spec=hex(size=5)&side=O&moves=C3")
    assert "computer, newcomer (1)" in page.words

    page = page.click("Swap")
    assert "Take over the first stone?" in page.words
    page = page.form("Confirm").send()

    assert moves_of(page)[:2] == ["C3", SWAP.text]
    assert len(moves_of(page)) == 3
    assert re.search("X you.*O computer", page.words)
    assert "Swap" not in page.links
    assert moves_of(play_on(page, Random(4)))[:2] == ["C3", SWAP.text]


def test_the_computer_swaps_and_says_so(room: Room) -> None:
    page = place(room.browser().get("/play/hex?spec=hex(size=5)"), "C3")

    assert moves_of(page) == ["C3", SWAP.text]
    assert "The computer swaps: your stone now belongs to it." in page.words
    assert re.search("X computer.*O you", page.words)
    assert len(page.cells()) == 24


def test_a_turn_of_two_stones_is_two_clicks_and_one_confirmation(room: Room) -> None:
    page = room.browser().get(TWO_STONES)
    half = page.click("T41, empty")
    assert "T41, and a second stone?" in half.words
    assert not any("Confirm" in form.words for form in half.forms)

    whole = half.click("R40, empty")
    assert "Play T41+R40?" in whole.words
    assert moves_of(whole.form("Confirm").send())[2] == "T41+R40"
    alone = half.click("Only this one").form("Confirm").send()
    assert moves_of(alone)[2] == "T41+-"
    assert half.click("Not yet").path == page.path


def test_a_cell_is_typed_as_well(room: Room) -> None:
    page = room.browser().get(OPENED).form("choose a cell").send(at="d4")

    assert "Play D4?" in page.words
    assert moves_of(page.form("Confirm").send())[2] == "D4"


def test_a_guest_passes_and_the_game_may_end_so(room: Room) -> None:
    moves = "D1,C6,E1,B6,F1,A6,F2,A5,F3,A4,F4,B3,E5,C2,D6,C3"
    page = room.browser().get("/play/star", {"spec": "star(size=4)", "moves": moves})
    page = page.click("Pass")

    assert "Pass?" in page.words
    assert moves_of(page.form("Confirm").send())[16] == "pass"


def test_who_resigns_has_lost_and_may_undo_it(room: Room) -> None:
    start = room.browser().get(OPENED)
    page = start.click("Resign").form("Confirm").send()

    assert moves_of(page) == ["A1", "B2", "resign"]
    assert "The computer wins" in page.words
    assert page.click("Undo").path == start.path
    assert "Resign" not in room.browser().get("/play/hex").links


def test_a_higher_level_is_offered_up_to_the_third(room: Room) -> None:
    page = room.browser().get(f"{OPENED},resign")
    for level in LOWEST[1:]:
        page = page.click(f"Try level {level.title}")
        assert level.title in page.words
        fields = {name: one[0] for name, one in page.form("New game").fields.items()}
        page = page.browser.get("/play/hex", fields | {"moves": "A1,B2,resign"})

    assert not [words for words in page.links if words.startswith("Try level")]


def test_a_guest_is_shown_the_way_to_people(room: Room) -> None:
    page = room.browser().get(OPENED)

    assert page.links["Choose a name and join"].endswith("/signup")
    assert page.links["sign in"].endswith("/signin")
    closed = another(room)
    assert "Choose a name and join" not in closed.browser().get(OPENED).links


def test_a_player_starts_a_board_against_a_robot_like_this_one(room: Room) -> None:
    local = room.local
    local.sign_up("alice", "robi", "strongi")
    with local.desk.store.writing() as records:
        for userid, level in (("robi", 1), ("strongi", 9)):
            player = records.players.find(userid)
            assert player is not None
            records.players.make_robot(player.id, Robot(level, ("star", "hex")))
    alice = room.signed_in("alice")

    for game, side, seats in (("star", "X", ("alice", "robi")), ("hex", "O", ("robi", "alice"))):
        form = alice.get(f"/play/{game}?side={side}").form("Start a board against robi")
        assert form.send().path == "/my"
        local.game = game
        match = local.match(101)
        assert (match.first.userid, match.second.userid) == seats
        assert match.game == sample_board(find_game(game))

    for path in ("/play/star?level=2", "/play/y"):
        assert not [form for form in alice.get(path).forms if "robi" in form.words]
    assert "robi" not in room.browser().get("/play/star").words


WRONG = {
    "no such size": "/play/star?spec=star(size=999)",
    "a board too large": "/play/star?spec=star(size=14)",
    "a board without a table": "/play/starstar?spec=starstar(size=10,double,scoring=simplified)",
    "an uneven board": "/play/starstar?spec=starstar(size=4,handicap=2)",
    "a spec that is none": "/play/star?spec=star(size=4)x",
    "an option that is none": "/play/star?spec=star(sighs=4)",
    "a board of another game": "/play/star?spec=hex(size=5)",
    "a level above": "/play/star?level=4",
    "the highest level": "/play/star?level=14",
    "no level": "/play/star?level=0",
    "a level of a time": "/play/star?level=1s",
    "a level in other figures": "/play/star?level=%D9%A1",
    "no side": "/play/star?side=Z",
    "a side in small letters": "/play/star?side=x",
    "a cell that is none": "/play/star?moves=Z99",
    "a cell twice": "/play/star?moves=C3,C3",
    "a swap too late": "/play/star?moves=C3,B3,swap",
    "a swap at first": "/play/star?moves=swap",
    "two stones in a turn of one": "/play/star?moves=C3%2BB3",
    "one stone in a turn of two": "/play/starstar?spec=starstar(size=4,double)&moves=A40,S40%2BT40",
    "moves after the end": "/play/hex?moves=A1,B2,resign,C3",
    "a third pass": "/play/hex?moves=pass,pass,pass",
    "markup": "/play/star?moves=%3Cimg%20src%3Dx%3E",
    "a zero byte": "/play/star?moves=C3%00",
    "a word of another command": "/play/star?moves=C3,undo",
    "more moves than cells": f"/play/hex?spec=hex(size=3)&moves={','.join(['A1'] * 14)}",
    "very many moves": f"/play/hex?moves={','.join(['A1', 'B1'] * 1500)}",
}
WRONG["one stone in a turn of two"] += ",T40"


@pytest.fixture
def no_thought(monkeypatch: pytest.MonkeyPatch) -> None:
    """See to it that the computer is not asked."""

    def think(*_: object) -> None:
        raise AssertionError("The computer thinks.")

    monkeypatch.setattr(guests, "choose_reply", think)


@pytest.mark.usefixtures("no_thought")
@pytest.mark.parametrize("path", WRONG.values(), ids=WRONG)
def test_what_is_no_game_of_a_guest_is_refused(room: Room, path: str) -> None:
    guest = room.browser()
    looked = guest.get(path)
    query = {name: each[0] for name, each in parse_qs(urlsplit(path).query).items()}
    sent = guest.post(urlsplit(path).path, query | {"text": "A2"})

    for page in (looked, sent):
        assert page.status == 400
        assert len(page.alert) > 20
        assert "<img src" not in page.text
        assert "Traceback" not in page.text
        assert page.links["Star Club"]


@pytest.mark.usefixtures("no_thought")
@pytest.mark.parametrize("at", ["Z9", "A1", "", "undo", "propose", "accept", "A1+A2", "<b>"])
def test_a_cell_that_cannot_be_chosen_is_refused(room: Room, at: str) -> None:
    page = room.browser().get(f"{OPENED}&at={quote(at)}")

    assert (page.status, bool(page.alert)) == (400, True)
    assert page.cells()
    assert not any("Confirm" in form.words for form in page.forms)
    assert "<b>" not in page.alert


@pytest.mark.usefixtures("no_thought")
@pytest.mark.parametrize("text", ["Z9", "A1", "", "swap", "undo", "accept", "A3#1"])
def test_a_turn_that_cannot_be_made_is_refused_over_the_board(room: Room, text: str) -> None:
    fields = {name: one[0] for name, one in parse_qs(urlsplit(OPENED).query).items()}
    page = room.browser().post("/play/hex", fields | {"text": text})

    assert (page.status, bool(page.alert)) == (400, True)
    assert len(page.cells()) == 14


@pytest.mark.usefixtures("no_thought")
def test_a_game_of_too_many_passes_goes_no_further(room: Room) -> None:
    cells = [f"{column}{row}" for row in "12345" for column in "ABCDE"]
    moves = [turn for cell in cells[:14] for turn in (cell, "pass")]
    page = room.browser().get("/play/hex", {"spec": "hex(size=5)", "moves": ",".join(moves)})
    assert page.status == 200

    page = page.click("E5, empty").form("Confirm").send()
    assert (page.status, "too many turns" in page.alert) == (400, True)
    assert len(page.cells()) == 11
    assert "The computer wins" in page.click("Resign").form("Confirm").send().words


def test_unknown_games_and_clubs_without_guests_have_no_such_page(room: Room) -> None:
    number = room.local.start("-size=4")
    assert room.browser().get("/play/chess").status == 404
    assert room.browser().post("/play/chess", {"text": "A1"}).status == 404

    shut = another(room, takes_guests=False)
    assert shut.browser().get("/play/star").status == 404
    assert shut.browser().post("/play/star", {"text": "C3"}).status == 404
    words = "Play this position with the computer"
    assert words in room.browser().get(f"/boards/star/{number}.html").links
    assert words not in shut.browser().get(f"/boards/star/{number}.html").links
    with shut.app.test_request_context():
        assert small_board() is None


@pytest.mark.parametrize("path", ["/play/star", OPENED, f"{OPENED}&at=D4", f"{OPENED}&at=A1"])
def test_a_head_is_that_of_the_page(room: Room, path: str) -> None:
    client, before = room.app.test_client(), all_bytes(room)
    got, head = client.get(path), client.head(path)

    assert (head.status, head.data) == (got.status, b"")
    assert {*head.headers} == {*got.headers}
    assert got.headers.getlist("Set-Cookie") == []
    assert all_bytes(room) == before
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert client.open(path, method=method).status_code == 405


def test_a_page_that_is_the_same_is_not_sent_again(room: Room) -> None:
    client = room.app.test_client()
    tag = client.get(OPENED).headers["ETag"]

    assert client.get(OPENED, headers={"If-None-Match": tag}).status_code == 304
    other = client.get(f"{OPENED}&at=D4", headers={"If-None-Match": tag})
    assert other.status_code == 200


def test_a_form_from_another_site_changes_nothing_and_is_played(room: Room) -> None:
    before = all_bytes(room)
    page = room.browser().post("/play/star", {"text": "C3"}, Origin="https://else.example")

    assert page.status == 200
    assert all_bytes(room) == before


def test_a_crawler_finds_one_empty_board_a_game(room: Room) -> None:
    guest = room.browser()
    rules = guest.get("/robots.txt")
    barred = re.findall("Disallow: (.*)", rules.text)
    assert barred == ["/play/", "/*?at="]
    assert rules.headers["Content-Type"].startswith("text/plain")

    page = guest.get(OPENED)
    for link in page.tree.iter():
        href = link.get("href") or ""
        if "at=" in href or "moves=" in href:
            assert link.get("rel") == "nofollow", href
    seen, waiting = set[str](), ["http://localhost/play/star"]
    while waiting:
        page = guest.get(waiting.pop())
        assert "X-Robots-Tag" not in page.headers
        followed = {
            each.get("href", "")
            for each in page.tree.iter()
            if str(each.tag).endswith("a") and each.get("rel") != "nofollow"
        }
        found = {url.partition("#")[0] for url in page.links.values() if "/play/" in url}
        found &= {one for href in followed for one in found if one.endswith(href) and href}
        waiting += sorted(found - seen)
        seen |= found
    assert {urlsplit(url).path for url in seen} == {f"/play/{game}" for game in PLAYABLE}
    assert not any(urlsplit(url).query for url in seen)
    assert "/players/" not in {rule for rule in barred if "/players/".startswith(rule)}


def test_a_network_has_so_many_replies_a_minute(room: Room) -> None:
    guest, near = room.browser(address="192.0.2.1"), room.browser(address="192.0.2.99")
    fields = {"text": "A1", "spec": "hex(size=3)"}
    for number in range(MAX_REPLIES):
        assert (near if number % 2 else guest).post("/play/hex", fields).status == 200
    refused = guest.post("/play/hex", fields, **{"X-Forwarded-For": "198.51.100.1"})

    assert refused.status == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert "too many moves" in refused.alert
    assert near.post("/play/hex", fields).status == 429
    assert guest.get(OPENED).status == 200, "to look costs no reply"
    assert room.browser(address="192.0.3.1").post("/play/hex", fields).status == 200

    room.local.clock.seconds += int(refused.headers["Retry-After"])
    assert guest.post("/play/hex", fields).status == 200


def test_a_position_of_a_board_is_played_on_by_anybody(room: Room) -> None:
    local, words = room.local, "Play this position with the computer"
    number = local.start("-size=4")
    board = f"/boards/star/{number}.html"
    for turns, mover in (((), "X"), (("C3",), "O"), (("swap",), "O"), (("B3",), "X")):
        local.play(number, turns)
        for browser in (room.browser(), room.signed_in("alice")):
            page = browser.get(board)
            assert page.text.count(words) == 1
            assert words not in frozen(page.text)
            page = page.click(words)

            assert page.status == 200
            assert re.search(f"{mover} you to move", page.words), turns
            assert page.cells()
    before = local.tables()
    choose_any(page, Random(1))
    assert local.tables() == before


def test_a_position_after_very_many_passes_is_not_offered(room: Room) -> None:
    room.local.game, words = "hex", "Play this position with the computer"
    number = room.local.start("-size=3")
    board = f"/boards/hex/{number}.html"
    room.local.play(number, "A1 pass B1 pass C1 pass A2 pass B2")
    assert words in room.browser().get(board).links

    room.local.play(number, "pass")
    assert words not in room.browser().get(board).links


@pytest.mark.parametrize("options", ["-size=12", "-size=4 -komi=3"])
def test_a_position_that_a_guest_cannot_play_is_not_offered(room: Room, options: str) -> None:
    room.local.game = "star" if "komi" not in options else "starstar"
    number = room.local.start(options)
    page = room.browser().get(f"/boards/{room.local.game}/{number}.html")

    assert page.status == 200
    assert "Play this position with the computer" not in page.links


def test_a_finished_board_is_played_on_only_if_it_is_not_over(room: Room) -> None:
    room.local.game = "hex"
    number = room.local.start("-size=3")
    room.local.play(number, "A1 B2 resign")
    words = "Play this position with the computer"
    page = room.browser().get(f"/boards/hex/{number}.html").click(words)
    assert page.cells()

    other = room.local.start("-size=3")
    room.local.play(other, "A1 B1 A2 B2 A3")
    assert room.local.show(other)["status"] == "won"
    assert words not in room.browser().get(f"/boards/hex/{other}.html").links


def test_the_home_page_has_a_board_of_two_clicks(room: Room) -> None:
    with room.app.test_request_context():
        found = small_board()
    assert found is not None
    home = room.browser().get("/").text
    assert found["board"] in "".join(LIVE.findall(home))
    assert 'href="play/' not in frozen(home)
    (link, *_) = re.findall('href="([^"]*)" rel="nofollow"', found["board"])

    page = room.browser().get(link.replace("&amp;", "&"))
    assert page.status == 200
    answer = page.form("Confirm").send()
    assert len(moves_of(answer)) == 3
    assert SWAP.text not in moves_of(answer)
    assert room.browser().get(found["path"]).status == 200


@pytest.mark.parametrize("tried", ["solution", "wrong"])
def test_every_puzzle_says_whether_a_move_wins(room: Room, tried: str) -> None:
    guest, before, told = room.browser(), all_bytes(room), Counter[str]()
    page = guest.get("/puzzle/1.html")
    for number, puzzle in enumerate(puzzles(), start=1):
        assert page.path == f"/puzzle/{number}.html"
        wrong = next(cell for cell in page.cells() if cell != puzzle.solution)
        cell = puzzle.solution if tried == "solution" else wrong
        answer = page.click(f"{cell}, empty")
        assert answer.status == 200
        told[
            next(words for words in ("wins: solved.", "Look again.") if words in answer.words)
        ] += 1
        assert cell not in answer.cells()
        if number < len(puzzles()):
            page = answer.click("Next puzzle")

    assert told == {"wins: solved." if tried == "solution" else "Look again.": 116}
    assert "Next puzzle" not in page.links
    assert all_bytes(room) == before


def test_a_guess_is_typed_and_may_be_no_move(room: Room) -> None:
    page, (puzzle, *_) = room.browser().get("/puzzle/1.html"), puzzles()

    assert "wins: solved." in page.form("Your move").send(at=puzzle.solution.lower()).words
    for at in ("Z99", puzzle.moves[0], "<b>", "solution"):
        wrong = page.form("Your move").send(at=at)
        assert "solved" not in wrong.words
        assert puzzle.solution in wrong.cells()
        assert "<b>" not in wrong.text.partition("<main")[2].partition("The answer")[0]
    assert room.browser().get("/puzzle/117.html").status == 404


def test_a_kept_puzzle_has_no_links_in_its_board(room: Room) -> None:
    kept = frozen(room.browser().get("/puzzle/6.html").text)

    assert "at=" not in kept
    assert kept.count("<circle") > 25
    assert "is the only winning move" in kept

"""What public pages have for who is signed in: challenges, searches, tournaments."""

import pytest

from tests.web.conftest import Room
from tests.web.test_account import rows
from tests.web.test_attacks import routes

pytestmark = pytest.mark.costly(stay=2)


GAMES = ("star", "hex")


@pytest.fixture
def club(room: Room) -> Room:
    room.local.sign_up("alice", "bob", "carol")
    room.local.do("tournament create bob secret-bob star Cup")
    room.local.do("star seek bob secret-bob 2 -size=4")
    return room


def players(room: Room, game: str, number: int = 101) -> dict[str, str]:
    found: dict[str, str] = room.local.json(f"{game} show {number}")["players"]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_a_member_is_challenged_on_their_page(club: Room, game: str) -> None:
    page = club.signed_in("alice").get("/players/2.html")
    form = page.form("Challenge bob")
    assert form.fields["w"][1:] == ["challenge", "me", "bob"]
    begun = form.send(w=[game, *form.fields["w"][1:]])

    assert begun.path == f"/boards/{game}/101.html"
    assert players(club, game) == {"X": "alice", "O": "bob"}
    assert page.click("Choose board and time").form("challenge me USERID").fields["w"][-1] == "bob"


def test_nobody_is_asked_to_challenge_themselves(club: Room) -> None:
    assert "Challenge bob" not in club.signed_in("bob").get("/players/2.html").words
    assert "Challenge bob" not in club.browser().get("/players/2.html").words
    assert "Challenge bob" in club.signed_in("carol").get("/players/2.html").words


@pytest.mark.parametrize("game", GAMES)
def test_a_board_of_a_game_is_begun_and_sought_on_its_page(club: Room, game: str) -> None:
    alice = club.signed_in("alice")
    page = alice.get(f"/games/{game}.html")
    page.form("Look for opponents").send(__size="5")
    found = [(seek["game"], seek["userid"]) for seek in club.local.json(f"list {game}")["seeks"]]
    assert (game, "alice") in found
    begun = page.form("Challenge").send(w=[game, "challenge", "carol", "me"], __size="5")

    assert begun.path == f"/boards/{game}/101.html"
    assert players(club, game) == {"X": "carol", "O": "alice"}


def test_a_search_is_accepted_on_the_first_page(club: Room) -> None:
    assert "Stop looking" in club.signed_in("bob").get("/index.html").words
    page = club.signed_in("alice").get("/index.html")
    begun = page.form("star challenge me bob -size=4").send()

    assert begun.path == "/boards/star/101.html"
    assert players(club, "star") == {"X": "alice", "O": "bob"}
    assert [seek["wanted"] for seek in club.local.json("list")["seeks"]] == [1]


def test_a_tournament_is_joined_and_left(club: Room) -> None:
    path = "/tournaments/1.html"
    alice, bob = club.signed_in("alice"), club.signed_in("bob")

    def entrants() -> list[tuple[str, bool]]:
        found = club.local.json("tournament show 1")["entrants"]
        return [(each["userid"], each["withdrawn"]) for each in found]

    page = alice.get(path).form("tournament join 1 me").send()
    assert page.path == path
    assert entrants() == [("alice", False)]
    page.form("tournament leave 1 me").send()
    assert entrants() == []
    for browser in (alice, bob):
        browser.get(path).form("tournament join 1 me").send()
    club.local.do("tournament start 1 bob secret-bob")
    assert "tournament join" not in club.signed_in("carol").get(path).words
    page = alice.get(path).form("tournament leave 1 me").send()
    assert entrants() == [("alice", True), ("bob", False)]
    assert "tournament leave" not in page.words
    assert "tournament leave 1 me" in bob.get(path).words
    club.local.do("tournament cancel 1 bob secret-bob")
    assert "tournament leave" not in bob.get(path).words


def test_a_private_player_joins_and_leaves_as_any_other(club: Room) -> None:
    club.local.do("private alice secret-alice on")
    alice, guest = club.signed_in("alice"), club.browser()
    page = alice.get("/tournaments/1.html").form("Join").send()

    assert "player 1" in page.words
    assert "tournament leave 1 me" in page.words
    assert "alice" not in guest.get("/tournaments/1.html").words


def test_guests_are_shown_no_form_that_changes_anything(club: Room) -> None:
    club.local.start()
    guest, before = club.browser(), rows(club)
    signing = {"/signin", "/signup", "/reset", "/verify"}
    for path in routes(club, "GET"):
        answer = guest.client.get(path)
        if "text/html" in answer.content_type and path not in signing:
            assert b'name="token"' not in answer.data, path
            assert "Set-Cookie" not in answer.headers or answer.status_code == 303, path
    assert rows(club) == before


def test_the_first_page_leads_on_to_joining_or_to_ones_boards(club: Room) -> None:
    assert club.browser().get("/").click("Join").path == "/signup"
    page = club.signed_in("alice").get("/")
    assert page.click("Your boards").path == "/my"
    assert "Join" not in page.links

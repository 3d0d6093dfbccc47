"""A player's own page: which board waits most, news, messages, and how boards are begun."""

import re

import pytest

from tests.databases import made_once
from tests.local_server import LocalServer
from tests.web.conftest import Room
from tests.web.plain_browser import Page, PlainBrowser
from tests.web.test_account import rows

pytestmark = pytest.mark.costly(stay=2)


DAY = 86_400


@pytest.fixture
@made_once
def filled(local: LocalServer) -> LocalServer:
    """Three players; boards of alice that wait for her, for others and for nobody."""
    local.sign_up("alice", "bob", "carol")
    for line in (
        "star challenge alice bob -size=3",
        "hex challenge alice bob -size=5 -forfeittime=10",
        "y challenge bob alice",
        "polyy challenge carol alice -forfeittime=12",
        "star challenge bob carol -size=3",
        "hex challenge carol alice -size=3",
    ):
        local.do(line)
    local.do("polyy move 101 carol secret-carol propose")
    for who, move in (("carol", "A1"), ("alice", "A2"), ("carol", "resign")):
        local.do(f"hex move 102 {who} secret-{who} {move}")
    return local


@pytest.fixture
def club(filled: LocalServer, room: Room) -> Room:
    assert room.local is filled
    return room


def cards(page: Page) -> list[str]:
    """Return the boards of the page in their order."""
    return [path for path in page.links.values() if "/boards/" in path and path.endswith(".html")]


def start(browser: PlainBrowser, game: str, *names: str, **options: str) -> Page:
    """Challenge somebody by the form; ``me`` stands where the side was chosen."""
    form = browser.get("/my", {"game": game}).form("Challenge")
    typed: dict[str, str | list[str]] = {f"__{name}": value for name, value in options.items()}
    return form.send(w=[game, "challenge", *names], **typed)


def test_boards_that_wait_come_first_and_the_least_time_before_all(club: Room) -> None:
    page = club.signed_in("alice").get("/my")
    found = [path.partition("/boards/")[2] for path in cards(page)]

    assert found[:3] == ["hex/101.html", "polyy/101.html", "star/101.html"]
    assert found[3:] == ["y/101.html", "hex/102.html"]
    assert "Hex 101 · size 5 X against bob Your move 1 until 2027-01-25 08:00 UTC" in spaced(page)
    assert "against carol Offered: the draw" in spaced(page)
    assert "Y 101 · size 17 O against bob Their move 1" in spaced(page)
    assert "star/102" not in page.text
    assert "(3) Your boards" in page.text


def spaced(page: Page) -> str:
    """Return the words of a page, with blanks between its parts."""
    texts = (text.strip() for one in page.tree.iter() for text in (one.text, one.tail) if text)
    return " ".join(text for text in texts if text)


def test_every_moment_is_one_that_a_script_can_tell_in_the_readers_zone(club: Room) -> None:
    for line in (
        "vacation alice secret-alice 2",
        "message bob secret-bob alice: hello",
        "star chat 101 bob secret-bob a fine start",
        "tournament create alice secret-alice y Cup -start=2027-03-01",
        "tournament join 1 alice secret-alice",
    ):
        club.local.do(line)
    browser = club.signed_in("alice")
    paths = ("my", "account", "boards/star/101.html", "tournaments/1.html", "index.html")
    shown = {path: browser.get(f"/{path}") for path in paths}
    shown["say"] = browser.post(
        "/say", browser.get("/my").form("Command").fields | {"line": "news me"}
    )
    found = {path: TIME.findall(page.text) for path, page in shown.items()}

    assert {kind for times in found.values() for kind, *_ in times} == {"moment", "day", "due"}
    for path, page in shown.items():
        assert found[path], path
        assert page.text.count("<time") == len(found[path]), path
        assert not re.search(r"\d\d:\d\d UTC", TIME.sub("", page.text.partition("<main")[2])), path
    for path, hour in (("boards/star/101.html", "2027-01-17 08:00"), ("say", "2027-01-15 08:00")):
        assert ("moment", f"{hour.replace(' ', 'T')}:00Z", f"{hour} UTC") in found[path]
    starts = ("moment", "2027-03-01T00:00:00Z", "2027-03-01 00:00 UTC")
    assert starts in found["tournaments/1.html"]


TIME = re.compile(
    r'<time class="(moment|day|due)" datetime="(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)">'
    r"((?:until )?\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?)</time>"
)
"""An element of a moment, of a day or of a deadline."""


def test_an_offer_of_ones_own_is_told_as_such(club: Room) -> None:
    page = club.signed_in("carol").get("/my")

    assert "You offered: the draw" in spaced(page)
    assert "Offered: the draw" not in spaced(page).replace("You offered", "")


def test_nobody_sees_another_players_page(club: Room) -> None:
    pages = {name: spaced(club.signed_in(name).get("/my")) for name in ("alice", "bob")}

    assert "against bob" in pages["alice"]
    assert "against alice" not in pages["alice"]
    assert "against bob" not in pages["bob"]
    assert "Poly-Y 101" not in pages["bob"]


def test_a_finished_board_is_played_again_with_sides_exchanged(club: Room) -> None:
    page = club.signed_in("alice").get("/my").form("hex rematch 102 me").send()

    assert page.path == "/boards/hex/103.html"
    assert club.local.json("hex show 103")["players"] == {"X": "alice", "O": "carol"}


def test_links_are_marked_on_a_finished_board_and_on_no_running_one(club: Room) -> None:
    alice = club.signed_in("alice")
    page = alice.get("/boards/hex/102.html").form("Mark what stays joined").send()
    running = alice.get("/boards/hex/101.html")

    assert 200 == page.status
    assert "links" in page.words
    assert "Mark what stays joined" not in running.words
    line = alice.get("/my").form("Do it").send(line="hex settled 101 -links")
    assert "still running: no -links until it has ended." in line.words


def test_news_stay_until_they_are_marked_as_read(club: Room) -> None:
    club.local.do("message bob secret-bob alice: <b>hello</b>")
    club.local.do("star chat 101 bob secret-bob a fine start")
    browser = club.signed_in("alice")
    for _ in range(2):
        page = browser.get("/my")
        assert "<b>hello</b>" not in page.text
        assert "&lt;b&gt;hello&lt;/b&gt;" in page.text
        assert page.links["bob at Star Board 101: a fine start"].endswith("/boards/star/101.html")
    form = page.form("Mark as read")
    assert "news me" in form.words
    assert "Mark as read" not in form.send().words
    club.local.do("message bob secret-bob carol: not for alice")
    assert "not for alice" not in browser.get("/my").words


def test_messages_are_read_and_written(club: Room) -> None:
    alice, bob = club.signed_in("alice"), club.signed_in("bob")
    said = "See you\r\n<script>alert(1)</script> -bye 'now"
    page = alice.get("/my").form("Send").send(w=["message", "me", "Bob"], __text=said)

    assert page.path == "/my"
    read = bob.get("/my")
    assert "alice to bob" in read.words
    assert "<script>alert(1)</script> -bye 'now" in read.words
    assert "<script>alert" not in read.text
    assert "See you" not in club.signed_in("carol").get("/my").words
    before = rows(club)
    for name, status in (("nobody", 404), ("", 400)):
        refused = alice.get("/my").form("Send").send(w=["message", "me", name], __text="hi")
        assert (refused.status, bool(refused.alert)) == (status, True)
    assert rows(club) == before


# New boards


@pytest.mark.parametrize(
    ("names", "seats"),
    [
        (("me", "bob"), {"X": "alice", "O": "bob"}),
        (("bob", "me"), {"X": "bob", "O": "alice"}),
        (("me", "BOB"), {"X": "alice", "O": "bob"}),
    ],
)
def test_a_challenge_leads_to_its_board(
    club: Room, names: tuple[str, ...], seats: dict[str, str]
) -> None:
    page = start(club.signed_in("alice"), "starweb", *names, size="5", forfeittime="30")
    board = club.local.json("starweb show 101")

    assert page.path == "/boards/starweb/101.html"
    assert board["players"] == seats
    assert board["options"]["size"] == 5
    assert "until 2027-02-14 08:00 UTC" in spaced(page.browser.get("/my"))


def test_the_form_has_the_options_of_its_game(club: Room) -> None:
    browser = club.signed_in("alice")
    for game, named in (("hex", {"-size"}), ("star", {"-size", "-corners", "-komi"})):
        fields = browser.get("/my", {"game": game}).form("Challenge").fields

        assert fields["w"] == [game, "challenge", "me", ""]
        assert named | {"-forfeittime", "-nagtime", "-totaltime"} == {
            name for name in fields if name.startswith("-")
        }
    page = browser.get("/my", {"game": "star", "against": '"><script>'})
    assert page.form("Challenge").fields["w"][-1] == '"><script>'
    assert page.click("Y").form("Challenge").fields["w"] == ["y", "challenge", "me", '"><script>']
    maxi = page.form("Challenge").send(w=["star", "challenge", "me", "bob", "-maxi", "-unrated"])
    assert maxi.path == "/boards/star/103.html"
    assert club.local.show(103)["options"]["maxi"] is True


@pytest.mark.parametrize("game", ["nonsense", "", "../x", "STAR"])
def test_a_page_for_a_game_that_is_none_has_one_of_ones_own(club: Room, game: str) -> None:
    page = club.signed_in("alice").get("/my", {"game": game})

    assert page.form("Challenge").fields["w"][0] == ("star" if game == "STAR" else "hex")


@pytest.mark.parametrize(
    ("names", "options", "status"),
    [
        (("me", "nobody"), {}, 404),
        (("me", ""), {}, 400),
        (("bob", "carol"), {}, 403),
        (("me", "anyone"), {}, 409),
        (("me", "bob"), {"size": "999"}, 400),
        (("me", "bob"), {"size": "7 -unrated"}, 400),
        (("me", "bob"), {"forfeittime": "1"}, 400),
        (("me", "bob"), {"nonsense": "1"}, 400),
    ],
)
def test_a_challenge_that_cannot_be_begins_nothing(
    club: Room, names: tuple[str, ...], options: dict[str, str], status: int
) -> None:
    browser, before = club.signed_in("alice"), rows(club)
    page = start(browser, "hex", *names, **options)

    assert (page.status, bool(page.alert)) == (status, True)
    assert rows(club) == before


def sought(room: Room) -> list[tuple[str, str, int]]:
    found = room.local.json("list")["seeks"]
    return [(each["game"], each["userid"], each["wanted"]) for each in found]


def test_who_looks_for_opponents_is_listed_and_accepted(club: Room) -> None:
    alice, bob = club.signed_in("alice"), club.signed_in("bob")
    form = alice.get("/my", {"game": "star"}).form("Look for opponents")
    form.send(w=["star", "seek", "me", "2", "-maxi", "-unrated"], __size="4", __totaltime="60")
    assert sought(club) == [("star", "alice", 2)]
    page = bob.get("/my")
    assert "alice: Star, size 4, maxi, time 7/21/60, unrated" in spaced(page)
    page = page.form("Accept").send()

    assert page.path == "/boards/star/103.html"
    assert club.local.show(103)["players"] == {"X": "bob", "O": "alice"}
    assert club.local.show(103)["options"] == {
        "size": 4,
        "maxi": True,
        "corners": 3,
        "komi": 0,
        "noswap": False,
    }
    assert sought(club) == [("star", "alice", 1)]
    assert "Accept" not in alice.get("/my").words
    alice.get("/my").form("Stop looking").send()
    assert sought(club) == []


def test_an_accepted_search_is_answered_once_however_often_it_is_sent(club: Room) -> None:
    club.local.do("star seek alice secret-alice 3 -size=4")
    form = club.signed_in("bob").get("/my").form("Accept")
    pages = [form.send() for _ in range(3)]

    assert [page.status for page in pages] == [200] * 3
    assert sought(club) == [("star", "alice", 2)]
    assert len(club.local.json("star games alice")["matches"]) == 2


def test_who_is_private_is_named_to_nobody_who_does_not_play_them(club: Room) -> None:
    club.local.do("star seek carol secret-carol 1 -size=4")
    club.local.sign_up("dora")
    assert "carol" in club.signed_in("dora").get("/my").words
    club.local.do("private carol secret-carol on")

    assert "carol" not in club.signed_in("dora").get("/my").words
    assert "Stop looking" in club.signed_in("carol").get("/my").words
    assert "against carol" in spaced(club.signed_in("alice").get("/my"))


# As a command


def command(browser: PlainBrowser, line: str) -> Page:
    return browser.get("/my").form("Do it").send(line=line)


def test_a_line_shows_its_answer(club: Room) -> None:
    browser, before = club.signed_in("alice"), rows(club)
    for line, told in (
        ("account me", "alice, a member since"),
        ("pbmserv star games me", "101"),
        ("star show 101", "Star Board 101"),
        ("whoami", "alice"),
        ("help people", "messages"),
        ("starstar preview new -size=4", "*Star"),
    ):
        page = command(browser, line)
        assert (page.status, told in page.words) == (200, True), line
        assert page.headers["Cache-Control"] == "no-store"
    assert rows(club) == before
    command(browser, "star move 101 me C1")
    assert club.local.show(101)["ply"] == 1


def test_an_even_game_is_begun_by_the_form(club: Room) -> None:
    browser = club.signed_in("alice")
    page = start(browser, "star", "me", "bob", "-even", size="6")
    refused = start(browser, "star", "me", "bob", "-even", size="14")

    assert 'value="-even"' in browser.get("/my", {"game": "star"}).text
    assert page.path == "/boards/star/103.html"
    assert "Nobody has measured what a handicap is worth on this board." in refused.alert

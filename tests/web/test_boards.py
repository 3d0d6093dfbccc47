"""Playing in a browser without script: every game to its end by links and forms alone."""

import re
from random import Random

import pytest

from pbmserv.engine.games import find_game, game_names
from tests.web.conftest import Room
from tests.web.plain_browser import Page, PlainBrowser

BOARDS = {
    **dict.fromkeys(game_names(), ""),
    "hex": "-size=3",
    "y": "-size=4",
    "star": "-size=3",
    "starstar": "-size=4 -double",
    "starweb": "-size=4",
    "polyy": "-size=4",
}
"""A small board of every game; one of them takes two stones a turn."""

REST = sorted(BOARDS.keys() - {"star"})


def address(game: str, number: int) -> str:
    return f"/boards/{find_game(game).name}/{number}.html"


def started(room: Room, game: str = "star", options: str = "-size=3") -> int:
    room.local.game = game
    return room.local.start(options)


def place(page: Page, *cells: str) -> Page:
    """Choose the cells one after the other, and confirm."""
    for cell in cells:
        page = page.click(f"{cell}, empty")
    return page.form("Confirm").send()


def choose_any(page: Page, chance: Random) -> Page:
    """Choose empty cells until there is something to confirm, and confirm."""
    for _ in range(2):
        if not any("Confirm" in form.words for form in page.forms):
            page = page.click(f"{chance.choice(page.cells())}, empty")
    return page.form("Confirm").send()


@pytest.mark.parametrize("game", ["star", *(pytest.param(g, marks=pytest.mark.slow) for g in REST)])
def test_two_people_play_a_game_to_its_end(room: Room, game: str) -> None:
    number, chance = started(room, game, BOARDS[game]), Random(game)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    for turn in range(400):
        if room.local.show(number)["status"] != "running":
            break
        mover = bob if turn % 2 else alice
        page = choose_any(mover.get(address(game, number)), chance)

        assert page.status == 200
        assert turn > 1 or not page.cells()
        assert page.path == address(game, number)

    assert room.local.show(number)["winner"] in {"X", "O", None}
    assert "Rematch" in alice.get(address(game, number)).words


def test_a_choice_changes_nothing_and_shows_what_it_would_do(room: Room) -> None:
    number = started(room)
    alice = room.signed_in("alice")
    before = room.local.tables()
    page = alice.get(address("star", number)).click("B2, empty")

    assert room.local.tables() == before
    assert "Play B2?" in page.words
    assert 'class="x ghost"' in page.text
    assert "star move 101 me B2" in page.words
    assert room.local.show(number)["moves"] == []
    assert "Play B2?" not in page.click("Not yet").words


@pytest.mark.parametrize("word", ["pass", "swap", "undo", "resign", "propose"])
def test_each_word_is_asked_about_before_it_is_done(room: Room, word: str) -> None:
    number = started(room, "hex")
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    place(alice.get(address("hex", number)), "A1")
    mover = alice if word == "undo" else bob
    labels = {"undo": "Undo", "propose": "Offer a result"}
    label = labels.get(word, word.capitalize())
    before = room.local.show(number)
    page = mover.get(address("hex", number)).click(label)

    assert room.local.show(number) == before
    done = page.form("Confirm").send()
    assert done.status == 200
    assert room.local.show(number) != before


def test_an_offer_is_answered(room: Room) -> None:
    number = started(room)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    asked = alice.get(address("star", number)).click("Offer a result")
    asked.form("Confirm").send(text="propose 3-2")
    page = bob.get(address("star", number))

    assert "alice offers the result 3-2" in page.words
    assert "Accept" not in alice.get(address("star", number)).words
    page.click("Accept").form("Confirm").send()
    assert room.local.show(number)["winner"] == "X"


def test_an_offer_is_rejected_or_withdrawn(room: Room) -> None:
    number = started(room)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    for who, word in ((bob, "Reject"), (alice, "Withdraw")):
        alice.get(address("star", number)).click("Offer a result").form("Confirm").send()
        page = who.get(address("star", number)).click(word).form("Confirm").send()

        assert "draw" not in page.words
        assert room.local.show(number)["offer"] is None


def test_a_stale_page_moves_nothing(room: Room) -> None:
    number = started(room)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    old = alice.get(address("star", number)).click("B2, empty")
    place(alice.get(address("star", number)), "C1")
    place(bob.get(address("star", number)), "D1")
    page = old.form("Confirm").send()

    assert page.status == 409
    assert page.alert.startswith("This would be move 3, not move 1.")
    assert room.local.show(number)["moves"] == ["C1", "D1"]


def test_a_form_that_is_sent_twice_is_done_once(room: Room) -> None:
    number = started(room)
    alice = room.signed_in("alice")
    form = alice.get(address("star", number)).form("Say it")
    first, second = form.send(text="hello"), form.send(text="hello")

    assert (first.status, second.status) == (200, 200)
    assert second.words.count("hello") == 1


def test_six_tabs_make_one_move(room: Room) -> None:
    number = started(room)
    alice = room.signed_in("alice")
    page = alice.get(address("star", number))
    tabs = [page.click(f"{cell}, empty").form("Confirm") for cell in page.cells()[:6]]
    found = [form.send().status for form in tabs]

    assert found == [200, *[409] * 5]


def test_others_may_not_play_but_follow_and_talk(room: Room) -> None:
    number = started(room)
    room.local.sign_up("carol")
    carol, alice = room.signed_in("carol"), room.signed_in("alice")
    page = carol.get(address("star", number))

    assert not page.cells()
    assert "Resign" not in page.words
    assert "Say it" not in page.words
    page = page.form("Follow this board").send()
    page.form("Say it").send(text="a fine game")
    assert "a fine game" in alice.get(address("star", number)).words
    assert "a fine game" not in room.browser().get(address("star", number)).words
    token = alice.get(address("star", number)).form("Say it").fields["token"]
    stolen = {"token": token, "verb": "move", "text": "B2", "ply": "1"}
    assert carol.post("/boards/star/101/act", stolen).status == 403
    own = {**stolen, "token": page.form("Say it").fields["token"]}
    refused = carol.post("/boards/star/101/act", own)
    assert refused.status == 403
    assert room.local.show(number)["moves"] == []


def test_a_plan_is_for_its_owner_alone(room: Room) -> None:
    number = started(room)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    page = bob.get(address("star", number)).form("Plan").send(text="B2:C1")

    assert "Your plan is B2:C1" in page.words
    assert "B2:C1" not in alice.get(address("star", number)).words
    assert "B2:C1" not in room.browser().get(address("star", number)).words


@pytest.mark.parametrize(
    "at", ["ZZ9", "B2 A1", "<script>", "B2\0", "B" * 500, "resign", "../..", "%s"]
)
def test_what_is_no_cell_is_told_and_quoted_by_nobody(room: Room, at: str) -> None:
    number = started(room)
    alice, guest = room.signed_in("alice"), room.browser()
    before = room.local.tables()
    for browser in (alice, guest):
        page = browser.get(address("star", number), {"at": at})

        assert page.status == 200
        assert "<script>" not in page.text.partition("<main")[2].replace(at, "", 0)
    assert room.local.tables() == before


def test_the_pulse_beats_with_each_change_and_remark(room: Room) -> None:
    number = started(room)
    alice = room.signed_in("alice")

    def pulse(browser: PlainBrowser) -> str:
        return browser.get(f"/boards/star/{number}.pulse").text

    seen = [pulse(alice)]
    place(alice.get(address("star", number)), "B2")
    seen.append(pulse(room.browser()))
    alice.get(address("star", number)).form("Say it").send(text="hello")
    seen.append(pulse(alice))

    assert len({*seen}) == 3
    assert pulse(alice) == seen[-1]
    assert alice.get("/boards/star/999.pulse").status == 404


def test_style_and_script_are_asked_for_once_in_a_year(room: Room) -> None:
    started(room)
    alice, text = room.signed_in("alice"), room.browser().get("/").text
    for kind, path in (("css", 'href="(site.css?'), ("js", 'src="(site.js?')):
        found = re.search(re.escape(path).replace("\\(", "(") + "[0-9a-f]+)", text)
        assert found
        kept = room.browser().get(f"/{found[1]}")

        assert (kept.status, kept.headers["Cache-Control"]) == (200, "max-age=31536000, immutable")
        assert room.browser().get(f"/site.{kind}").headers["Cache-Control"] == "private, no-cache"
        for own in ("/my", "/", "/account"):
            page = alice.get(f"{own}?{found[1].partition('?')[2]}")
            assert page.headers["Cache-Control"] in {"no-store", "private, no-cache"}


HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def test_markup_of_others_is_words_everywhere(room: Room) -> None:
    number = started(room)
    alice, bob = room.signed_in("alice"), room.signed_in("bob")
    path = address("star", number)
    bob.get(path).form("Say it").send(text=HOSTILE)
    bob.get("/my").form("Send").send(w=["message", "me", "alice"], __text=HOSTILE)
    room.local.do(f"tournament create bob secret-bob star '{HOSTILE[:40]}'")
    pages = [path, f"{path}?at={HOSTILE}", "/my", "/tournaments/index.html", "/tournaments/1.html"]
    pages += [f"/signin?next={HOSTILE}", f"/players/1.html?against={HOSTILE}", f"/{HOSTILE}"]
    for page in (browser.get(one) for one in pages for browser in (alice, room.browser())):
        assert not [one for one in page.tree.iter() if one.get("onerror") or one.get("src") == "x"]
        assert "alert(2)" not in "".join(each.text or "" for each in page.tree.iter("script"))
        policy = page.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
    assert HOSTILE in alice.get(path).words


def test_no_page_is_shown_in_a_frame_guessed_at_or_kept_for_others(room: Room) -> None:
    number = started(room)
    alice = room.signed_in("alice")
    for path in (
        "/",
        address("star", number),
        "/my",
        "/account",
        "/play/star",
        "/none",
        "/site.css",
    ):
        headers = alice.get(path).headers

        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "form-action 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Vary"] == "Cookie"
        assert "public" not in headers["Cache-Control"]

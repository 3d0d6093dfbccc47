"""Joining in a browser, forgotten passwords and proofs of addresses, by the links in letters."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from pbmserv.mail.tokens import address_claim, make_token
from pbmserv.store.tables import outbox
from pbmserv.web.club import WebSettings
from tests.local_server import LocalServer
from tests.web.conftest import Room
from tests.web.mail_room import IDENTITY, MailRoom
from tests.web.plain_browser import Page, PlainBrowser
from tests.web.test_account import (
    HOUR,
    NEW,
    addresses,
    can_sign_in,
    is_signed_in,
    keys_of,
    rows,
    save,
    told,
)

pytestmark = pytest.mark.costly(stay=2)


DORA = "dora@example.org"


@pytest.fixture
def club(local: LocalServer) -> Iterator[MailRoom]:
    """A club that sends mail, with two players."""
    local.do("signup alice secret-alice alice@example.org")
    local.do("signup bob secret-bob bob@example.org")
    room = MailRoom(local)
    yield room
    if room.failures:
        raise room.failures[0]
    room.close()


def join(browser: PlainBrowser, userid: str = "dora", **typed: str) -> Page:
    values = {"userid": userid, "password": f"secret-{userid}", "address": DORA, **typed}
    form = browser.get("/signup").form("Join")
    return form.send(**{name: value for name, value in values.items() if name in form.fields})


# Joining


def test_who_joins_is_signed_in_and_asked_by_letter_to_verify_the_address(club: MailRoom) -> None:
    browser = club.browser()
    page = join(browser)

    assert page.path == "/my"
    assert is_signed_in(browser)
    assert f"Your address {DORA} is not verified yet" in page.words
    assert addresses(club, "dora") == [(DORA, False)]
    asked = browser.get(club.link_to(DORA))
    assert addresses(club, "dora") == [(DORA, False)]
    assert told(asked.form("Verify").send()).startswith("This address is verified")
    assert addresses(club, "dora") == [(DORA, True)]
    assert "not verified" not in browser.get("/my").words
    assert can_sign_in(club, "Dora", "secret-dora")


def test_without_mail_no_address_is_asked_for(room: Room) -> None:
    browser = room.browser()

    assert join(browser).path == "/my"
    assert addresses(room, "dora") == []


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ({"userid": "ALICE"}, 409),
        ({"userid": "star"}, 409),
        ({"userid": "me"}, 409),
        ({"userid": "x"}, 400),
        ({"userid": "dora o"}, 400),
        ({"userid": "<b>dora</b>"}, 400),
        ({"userid": "-h"}, 400),
        ({"password": "dora-dora"}, 400),
        ({"password": "password"}, 400),
        ({"password": "secret word"}, 400),
        ({"password": "--help"}, 400),
        ({"password": ""}, 400),
        ({"address": ""}, 400),
        ({"address": "nowhere"}, 400),
        ({"address": "pbmserv@example.org"}, 409),
        ({"address": "a@example.org b@example.org"}, 400),
    ],
)
def test_who_cannot_join_is_told_why_and_keeps_what_they_typed(
    club: MailRoom, typed: dict[str, str], status: int
) -> None:
    browser, before = club.browser(), rows(club)
    page = join(browser, **typed)

    assert (page.status, bool(page.alert)) == (status, True)
    assert "pbmserv " not in page.alert
    fields = page.form("Join").fields
    assert fields["userid"] == [typed.get("userid", "dora")]
    assert fields["address"] == [typed.get("address", DORA)]
    assert fields["password"] == [""]
    assert "secret-" not in page.text
    assert rows(club) == before
    assert not is_signed_in(browser)


def test_a_club_that_is_closed_to_strangers_has_no_such_page(local: LocalServer) -> None:
    room = Room(local, WebSettings(takes_signups=False))
    browser, before = room.browser(), rows(room)
    signin = browser.get("/signin")
    token = signin.form("Password").fields["token"]
    words = {"token": token, "userid": "dora", "password": "secret-dora"}

    assert browser.get("/signup").status == 404
    assert browser.post("/signup", words).status == 404
    assert "signup" not in " ".join(signin.links.values())
    assert rows(room) == before
    for desk in room.desks:
        desk.close()


def test_who_sends_the_form_twice_has_joined_once(club: MailRoom) -> None:
    browser, twin = club.browser(), club.browser()
    form = browser.get("/signup").form("Join")
    cookie = browser.client.get_cookie("pbmserv-form")
    assert cookie is not None
    twin.client.set_cookie("pbmserv-form", cookie.value)
    typed = {"userid": "dora", "password": "secret-dora", "address": DORA}
    values = {**form.fields, **typed}
    pages = [one.post("/signup", values) for one in (browser, twin)]

    assert [page.path for page in pages] == ["/my", "/my"]
    assert club.local.userids() == ["alice", "bob", "dora"]
    assert len(club.letters()) == 1


# A forgotten password


def ask(browser: PlainBrowser, userid: str) -> Page:
    return browser.get("/reset").form("Send the letter").send(userid=userid)


def test_a_letter_leads_to_another_password_and_signs_nobody_in(club: MailRoom) -> None:
    inside, browser = club.signed_in("alice"), club.browser()
    ask(browser, "Alice")
    link = club.link_to("alice@example.org")
    before = rows(club)
    page = browser.get(link)
    assert rows(club) == before
    assert "New password for alice" in page.words
    page = page.form("Set the password").send(password=NEW)

    assert urlsplit(page.url).path == "/signin"
    assert told(page) == "Your password was changed. Sign in with it."
    assert not is_signed_in(browser)
    assert not is_signed_in(inside)
    assert can_sign_in(club, "alice", NEW)
    assert not can_sign_in(club, "alice", "secret-alice")
    assert can_sign_in(club, "bob", "secret-bob")


def test_a_link_is_good_once_and_for_an_hour(club: MailRoom) -> None:
    browser = club.browser()
    ask(browser, "alice")
    link = club.link_to("alice@example.org")
    form = browser.get(link).form("Set the password")
    form.send(password=NEW)
    told = (403, "The token is wrong, already used, or too old.")
    for again in (browser.get(link), form.send(password="secret-third", key="another")):
        assert (again.status, again.alert) == told
        assert "alice" not in again.words
    ask(browser, "bob")
    link = club.link_to("bob@example.org")
    form = browser.get(link).form("Set the password")
    club.local.clock.seconds += HOUR
    for late in (browser.get(link), form.send(password=NEW)):
        assert (late.status, late.alert) == told

    assert can_sign_in(club, "alice", NEW)
    assert can_sign_in(club, "bob", "secret-bob")


@pytest.mark.parametrize("whose", ["{bob}", "0", "99", "-1", "x", "", "9" * 30, "²"])
def test_a_link_is_for_its_owner_alone(club: MailRoom, whose: str) -> None:
    browser = club.browser()
    ask(browser, "alice")
    link, before = club.link_to("alice@example.org"), rows(club)
    form = browser.get(link).form("Set the password")
    number = whose.format(bob=2)
    asked = browser.get("/reset", {"p": number, "t": form.fields["t"][0]})
    for page in (form.send(password=NEW, p=number), asked):
        assert (page.status, bool(page.alert)) == (403, True)
        assert NEW not in page.text
        assert "alice" not in page.words
    assert rows(club) == before


@pytest.mark.parametrize(
    "password", ["alice", "password", "alice-alice", "--help", "", "two words"]
)
def test_with_a_link_no_weak_password_is_set_and_the_link_stays_good(
    club: MailRoom, password: str
) -> None:
    browser = club.browser()
    ask(browser, "alice")
    page, before = browser.get(club.link_to("alice@example.org")), rows(club)
    page = page.form("Set the password").send(password=password)

    assert (page.status, bool(page.alert)) == (400, True)
    assert rows(club) == before
    page.form("Set the password").send(password=NEW)
    assert can_sign_in(club, "alice", NEW)


def test_nobody_learns_whether_there_is_such_a_player(club: MailRoom) -> None:
    club.local.do("signoff bob secret-bob")
    club.local.do("signup carol secret-carol")
    pages = [
        ask(club.browser(), name) for name in ("alice", "ALICE", "nobody", "bob", "carol", "x")
    ]

    assert {page.status for page in pages} == {200}
    assert len({(told(page), page.words, page.path) for page in pages}) == 1
    headers = [{name for name in page.headers if name != "Set-Cookie"} for page in pages]
    assert all(names == headers[0] for names in headers)
    assert {"alice@example.org"} == {str(letter["To"]) for letter in club.letters()}


def test_a_club_without_mail_has_no_letter_to_send(room: Room) -> None:
    page = room.browser().get("/reset")

    assert "This club sends no mail. Ask its operator" in page.words
    assert page.forms == []


# The proof of an address


def test_a_link_proves_its_address_by_a_button_alone_and_is_audited_once(club: MailRoom) -> None:
    browser = club.signed_in("alice")
    save(browser, "alice@example.org", "new@example.org")
    link, before, reader = club.link_to("new@example.org"), rows(club), club.browser()
    for _ in range(3):
        assert "new@example.org" in reader.get(link).words
        assert reader.client.head(link).status_code == 200
    assert rows(club) == before
    reader.get(link).form("Verify").send()
    reader.get(link).form("Verify").send()

    assert addresses(club) == [("alice@example.org", True), ("new@example.org", True)]
    assert addresses(club, "bob") == [("bob@example.org", True)]
    assert club.local.audit().count(("verify", "done")) == 1
    assert not is_signed_in(reader)
    assert keys_of(club, "bob") == []


def test_with_their_first_address_the_others_of_a_player_wait_for_their_letters(
    club: MailRoom,
) -> None:
    browser = club.browser()
    join(browser)
    save(browser, DORA, "other@example.org", word="secret-dora")
    with club.local.desk.store.writing() as records:
        now = club.local.clock.now()
        for each in records.proof_queue.waiting(now):
            records.proof_queue.remove(each.address)
    (link,) = {club.link_in(each) for each in club.letters() if each["To"] == DORA}
    browser.get(link).form("Verify").send()

    with club.local.desk.store.reading() as records:
        waiting = [each.address for each in records.proof_queue.waiting(now)]
    assert waiting == ["other@example.org"]


def test_a_link_of_another_club_player_or_address_proves_nothing(club: MailRoom) -> None:
    save(club.signed_in("alice"), "new@example.org")
    link = club.link_to("new@example.org")
    alice, bob = 1, 2
    forged = {
        "": "no token",
        "x" * 45: "no token of ours",
        link.partition("=")[2][:-1] + "a": "a changed one",
        token_for(bob, "new@example.org"): "another player",
        token_for(alice, "alice@example.org"): "an address that is no longer there",
        make_token(IDENTITY.keys, address_claim(IDENTITY.keys, alice, "x@example.org")): "no such",
    }
    before, browser = rows(club), club.browser()
    secret = browser.get(link).form("Verify").fields["token"]
    for text, why in forged.items():
        assert browser.get("/verify", {"t": text}).status == 404, why
        assert browser.post("/verify", {"token": secret, "t": text}).status == 404, why
    assert rows(club) == before


def token_for(player_id: int, address: str) -> str:
    return make_token(IDENTITY.keys, address_claim(IDENTITY.keys, player_id, address))


def test_a_reply_token_of_a_board_proves_no_address(club: MailRoom) -> None:
    club.local.start(x="alice", o="bob")
    with club.local.desk.store.reading() as records:
        assert records.connection.execute(outbox.select()).first() is None
    browser = club.signed_in("alice")
    browser.get("/my").form("Do it").send(line="star move 101 me C1")
    letters = club.letters()
    tokens = [str(each["Reply-To"]).partition("+")[2].partition("@")[0] for each in letters]

    assert len(tokens) == 2
    assert [404] * 2 == [club.browser().get("/verify", {"t": each}).status for each in tokens]


def test_a_letter_about_a_board_leads_there_and_signs_nobody_in(club: MailRoom) -> None:
    club.local.start(x="alice", o="bob")
    club.signed_in("alice").get("/my").form("Do it").send(line="star move 101 me C1")
    link, reader = club.link_to("bob@example.org"), club.browser()

    assert urlsplit(link).path == "/boards/star/101.html"
    assert reader.get(link).status == 200
    assert not is_signed_in(reader)

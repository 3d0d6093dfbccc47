"""Attacks on who is signed in: forged forms, planted and stolen cookies, floods, lines of a shell.

Each asserts that nothing was changed, and that a second player or network goes on as before.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from pbmserv.store.people.signin_keys import KEY
from pbmserv.web.club import WebSettings
from pbmserv.web.guests import guests
from tests.databases import ONE_DATABASE
from tests.local_server import LocalServer
from tests.web.conftest import Room
from tests.web.mail_room import MailRoom
from tests.web.plain_browser import PlainBrowser
from tests.web.test_account import can_sign_in, is_signed_in, keys_of, rows

pytestmark = pytest.mark.costly(stay=2)


ELSEWHERE = "https://evil.example"
FOREIGN: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Origin": ELSEWHERE},
    {"Origin": "null"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "https://localhost"},
)
"""What a browser says of a form that another site has sent."""

OWN: tuple[dict[str, str], ...] = (
    {},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none", "Origin": ELSEWHERE},
    {"Origin": "http://localhost"},
)


@pytest.fixture
def club(room: Room) -> Room:
    room.local.sign_up("alice", "bob")
    room.local.play(room.local.start(), "C1 C2")
    return room


@pytest.fixture
def mailing(local: LocalServer) -> Iterator[MailRoom]:
    local.do("signup alice secret-alice alice@example.org")
    local.do("signup bob secret-bob bob@example.org")
    room = MailRoom(local)
    yield room
    room.close()
    if room.failures:
        raise room.failures[0]


def routes(room: Room, method: str) -> list[str]:
    """Return an address for each route that takes such requests, but those of guests' games."""
    values = {"game": "star", "number": 101, "name": "x", "spec": "star(size=3)"}
    found = []
    for rule in room.app.url_map.iter_rules():
        if method in (rule.methods or ()) and not rule.endpoint.startswith(f"{guests.name}."):
            given = {name: values.get(name, 1) for name in rule.arguments}
            built = rule.build(given)
            assert built is not None, rule
            found.append(built[1])
    return sorted(found)


def sent(client: Client, path: str, values: dict[str, Any], **headers: str) -> TestResponse:
    """Send a form, following nothing."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return client.post(path, data=values, headers=named)


def token_of(browser: PlainBrowser, path: str = "/my") -> str:
    page = browser.get(path)
    return next(f.fields["token"][0] for f in page.forms if "token" in f.fields)


# 2. Forms of other sites


def test_every_form_is_refused_without_its_token(club: Room) -> None:
    alice, bob, guest = club.signed_in("alice"), club.signed_in("bob"), club.browser()
    tokens = {alice: token_of(alice), guest: token_of(guest, "/signin")}
    wrong = {"", "x", token_of(bob), *tokens.values(), *map(str.upper, tokens.values())}
    typed = dict.fromkeys(("address", "everywhere", "number", "p", "t", "text"), "1")
    typed |= {"userid": "dora", "password": "secret-alice", "new": "secret-newer"}
    typed |= {"what": "password", "verb": "vote", "line": "star resign 101 me"}
    found, before = routes(club, "POST"), rows(club)
    assert {"/say", "/account", "/close", "/signup", "/signin", "/signout", "/verify"} < {*found}
    for path in found:
        for browser in (alice, guest):
            for token in wrong - {tokens[browser]}:
                answer = sent(browser.client, path, {**typed, "token": token})
                assert answer.status_code == 403, path
            assert sent(browser.client, path, typed).status_code == 403, path
    assert rows(club) == before
    assert is_signed_in(alice)
    assert is_signed_in(bob)


@ONE_DATABASE
def test_a_form_of_another_site_is_refused_with_the_right_token(club: Room) -> None:
    alice = club.signed_in("alice")
    values, before = {"token": token_of(alice), "w": ["private", "me", "on"]}, rows(club)
    for headers in FOREIGN:
        answer = alice.client.post("/say", data=values, headers=headers)
        assert answer.status_code == 403, headers
        assert b'role="alert"' in answer.data
    assert rows(club) == before
    for headers in OWN:
        assert alice.client.post("/say", data=values, headers=headers).status_code == 200, headers
    assert rows(club) != before


@ONE_DATABASE
def test_nothing_changes_by_a_look_or_by_another_method(club: Room) -> None:
    alice, before = club.signed_in("alice"), rows(club)
    token = token_of(alice)
    query = {"token": token, "w": "resign", "what": "password", "_method": "POST", "t": "x"}
    override = {"X-HTTP-Method-Override": "POST"}
    for path in routes(club, "GET"):
        alice.client.get(path, query_string=query, headers=override)
        alice.client.head(path, query_string=query)
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
            answer = alice.client.open(path, method=method, data={"token": token})
            assert answer.status_code == 405, (method, path)
    assert rows(club) == before


# 3. Signing somebody in as another


@ONE_DATABASE
@pytest.mark.parametrize("path", ["/signin", "/signup"])
def test_nobody_is_signed_in_by_the_form_of_another_site(club: Room, path: str) -> None:
    attacker, victim = club.browser(), club.browser()
    values = {"userid": "bob", "password": "secret-bob", "token": token_of(attacker, path)}
    before = rows(club)
    answer = sent(victim.client, path, values)
    assert (answer.status_code, KEY.search(str(answer.headers))) == (403, None)
    victim.get(path)
    for headers in ({}, *FOREIGN):
        answer = victim.client.post(path, data=values, headers=headers)
        assert (answer.status_code, KEY.search(str(answer.headers))) == (403, None)
    inside = club.signed_in("alice")
    assert sent(inside.client, path, values).status_code == 403
    assert inside.get("/account").words.count("alice, a member since") == 1
    assert not is_signed_in(victim)
    assert rows(club) == before


# 5. A planted cookie


def cookie(browser: PlainBrowser, name: str = "pbmserv") -> str:
    found = browser.client.get_cookie(name)
    return "" if found is None else found.value


@ONE_DATABASE
def test_a_planted_key_is_never_adopted(club: Room) -> None:
    attacker = club.signed_in("bob")
    own = cookie(attacker)
    for planted in (f"1-{'0' * 64}", "x", "", own, f"{own}x"):
        victim = club.browser()
        victim.client.set_cookie("pbmserv", planted)
        victim.get("/signout")
        if planted == own:
            assert victim.get("/my").words.count("bob") > 0
            victim.post("/signout", {"token": token_of(victim)})
        page = victim.sign_in("alice")

        assert page.path == "/my"
        assert cookie(victim) not in {planted, own}
        assert KEY.fullmatch(cookie(victim))
        thief = club.browser()
        thief.client.set_cookie("pbmserv", planted)
        assert not is_signed_in(thief)
    assert keys_of(club, "bob") == []
    assert len(keys_of(club, "alice")) == 5


@ONE_DATABASE
def test_a_planted_form_cookie_signs_nobody_in(club: Room) -> None:
    victim = club.browser()
    for planted in ("", "x", "0" * 63):
        victim.client.set_cookie("pbmserv-form", planted)
        victim.get("/signin")
        assert len(cookie(victim, "pbmserv-form")) == 64
        assert cookie(victim, "pbmserv-form") != planted
    assert not is_signed_in(victim)


# 6. A stolen cookie


@pytest.mark.parametrize(
    ("url", "name", "path"),
    [
        ("", "pbmserv", "/"),
        ("https://club.example/", "__Host-pbmserv", "/"),
        ("https://club.example/pbm/", "__Secure-pbmserv", "/pbm/"),
    ],
)
@ONE_DATABASE
def test_no_script_and_no_other_site_gets_the_cookie(
    local: LocalServer, url: str, name: str, path: str
) -> None:
    local.sign_up("alice")
    room = Room(local, WebSettings(url))
    host = "club.example" if url else "localhost"
    client = room.app.test_client()
    base = {"base_url": f"{'https' if url else 'http'}://{host}/"}
    page = client.get("/signin", **base)
    form = SimpleCookie(page.headers["Set-Cookie"])
    secret = re.search(rb'name="token" value="(\w+)"', page.data)
    assert secret is not None
    client.set_cookie(*next((n, m.value) for n, m in form.items()), domain=host)
    values = {"token": secret[1].decode(), "userid": "alice", "password": "secret-alice"}
    answer = client.post("/signin", data=values, **base)
    (key,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
    for found in (*form.values(), key):
        assert (found["httponly"], found["samesite"]) == (True, "Lax")
        assert (found["path"], bool(found["secure"]), found["domain"]) == (path, bool(url), "")
    assert key.key == name
    assert {*form} == {name.replace("pbmserv", "pbmserv-form")}
    for desk in room.desks:
        desk.close()


def test_a_stolen_key_ends_with_the_password_and_everywhere(club: Room) -> None:
    for words, typed in (
        ("Change password", {"password": "secret-alice", "new": "secret-newer"}),
        ("End all", {}),
    ):
        owner, thief = club.browser(), club.browser()
        password = "secret-alice" if typed else "secret-newer"
        owner.get("/signin").form("Password").send(userid="alice", password=password)
        thief.client.set_cookie("pbmserv", cookie(owner))
        assert is_signed_in(thief)
        owner.get("/account").form(words).send(**typed)

        assert not is_signed_in(thief)
        assert thief.get("/boards/star/101.html").words.count("alice 1") == 0


@ONE_DATABASE
def test_a_key_is_on_no_page_in_no_address_and_in_the_database_as_a_digest(club: Room) -> None:
    alice = club.signed_in("alice")
    key = cookie(alice)
    secret = key.partition("-")[2]
    told = []
    for path in routes(club, "GET"):
        answer = alice.client.get(path)
        told += [answer.data.decode(errors="replace"), str(answer.headers)]
    for line in ("account me export", "whoami"):
        told.append(alice.get("/my").form("Do it").send(line=line).text)

    assert not any(secret in text for text in told)
    assert secret not in repr(club.local.tables(but=()))


# 7. Where a sign-in leads


EVIL = (
    *("//evil.example", "\\\\evil.example", "/\\evil.example", "https:evil.example", "https://e.x"),
    *("///evil.example", "http:///evil.example", "javascript:alert(1)", "my\r\nX-Evil: 1"),
    *("/my@evil.example", ".evil.example", "..", "../..", "%2f%2fevil.example", "\tmy", "my/..//x"),
    *("x" * 3000, "nowhere", "data:text/html,x", "my?next=//evil.example", "signout", "say"),
)


@ONE_DATABASE
@pytest.mark.parametrize("after", EVIL)
def test_a_sign_in_leads_to_a_page_of_ours(club: Room, after: str) -> None:
    browser = club.browser()
    token = token_of(browser, "/signin")
    values = {"token": token, "userid": "alice", "password": "secret-alice", "next": after}
    answer = sent(browser.client, "/signin", values)
    inside = browser.client.get("/signin", query_string={"next": after})

    assert [answer.status_code, inside.status_code] == [303, 303]
    assert {answer.headers["Location"], inside.headers["Location"]} == {"/my"}
    assert "X-Evil" not in answer.headers


@ONE_DATABASE
@pytest.mark.parametrize("after", ["account", "boards/star/101.html", "index.html"])
def test_a_sign_in_leads_on_to_where_it_was_asked_for(club: Room, after: str) -> None:
    browser = club.browser()
    form = browser.get("/signin", {"next": after}).form("Password")
    page = form.send(userid="alice", password="secret-alice")

    assert page.path == f"/{after}"


# 13, 14. Caches, and the way back after signing out


@ONE_DATABASE
def test_no_cache_keeps_a_page_for_others_and_no_browser_one_of_an_account(club: Room) -> None:
    alice, guest = club.signed_in("alice"), club.browser()
    for path in routes(club, "GET"):
        for browser in (alice, guest):
            answer = browser.client.get(path)
            kept = answer.headers["Cache-Control"]
            if "text/html" not in answer.content_type:
                continue
            assert "public" not in kept, path
            assert "private" in kept or kept == "no-store", path
            assert "Cookie" in answer.headers["Vary"], path
    for path in ("/my", "/account", "/close"):
        assert alice.client.get(path).headers["Cache-Control"] == "no-store"


@ONE_DATABASE
def test_after_signing_out_the_way_back_shows_nothing(club: Room) -> None:
    alice = club.signed_in("alice")
    page = alice.get("/boards/star/101.html")
    tag = page.headers["ETag"]
    answer = sent(alice.client, "/signout", {"token": token_of(alice)})

    assert answer.headers["Clear-Site-Data"] == '"cache", "cookies", "storage"'
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    again = alice.client.get("/boards/star/101.html", headers={"If-None-Match": tag})
    assert again.status_code == 200
    assert b"alice</a>" not in again.data.partition(b"</header>")[0]
    assert alice.get("/account").path == "/signin?next=account"


# 15. Who has an account


def test_a_wrong_sign_in_says_the_same_of_everybody(club: Room) -> None:
    club.local.sign_up("carol", "dora")
    club.local.do("signoff carol secret-carol")
    club.local.damage("UPDATE player SET suspended_at = created_at WHERE userid = 'dora'")
    tried = (
        *(("alice", "secret-wrong"), ("nobody", "secret-wrong"), ("carol", "secret-carol")),
        *(("ALICE", "secret-wrong"), ("dora", "secret-wrong")),
    )
    pages = []
    for number, (userid, password) in enumerate(tried):
        checks = len(club.local.passwords.checks)
        browser = club.browser(address=f"192.0.{number}.1")
        page = browser.get("/signin").form("Password").send(userid=userid, password=password)
        pages.append((page.status, page.alert, len(club.local.passwords.checks) - checks))

    told = "The userid or the password is wrong."
    told += " If you have forgotten your password, ask for a new one."
    assert {*pages} == {(403, told, 1)}


# 17. Floods


def test_a_network_opens_five_accounts_a_day_and_others_go_on(club: Room) -> None:
    def join(userid: str, address: str) -> Any:
        form = club.browser(address=address).get("/signup").form("Join")
        return form.send(userid=userid, password=f"secret-{userid}")

    assert [join(f"eve{n}", f"192.0.2.{n}").path for n in range(5)] == ["/my"] * 5
    before = rows(club)
    page = join("eve6", "192.0.2.99")
    assert (page.status, page.alert) == (
        429,
        "Too many accounts were opened today. Try again tomorrow.",
    )
    assert int(page.headers["Retry-After"]) > 0
    assert rows(club) == before
    assert join("adam", "192.0.3.1").path == "/my"
    club.local.clock.seconds += 86_400
    assert join("eve6", "192.0.2.99").path == "/my"


def test_a_flood_of_resets_writes_three_letters_and_keeps_nobody_out(mailing: MailRoom) -> None:
    club = mailing
    for number in range(8):
        page = club.browser(address=f"192.0.{number}.1").get("/reset").form("Send")
        assert page.send(userid="alice").status == 200
    assert [str(letter["To"]) for letter in club.letters()] == ["alice@example.org"] * 3
    assert can_sign_in(club, "alice", "secret-alice")
    club.browser(address="192.0.2.1").get("/reset").form("Send").send(userid="bob")
    assert [str(letter["To"]) for letter in club.letters()] == ["bob@example.org"]


def test_who_is_signed_in_is_not_slowed_by_who_guesses(club: Room) -> None:
    alice, eve = club.signed_in("alice"), club.browser(address="192.0.2.9")
    for _ in range(30):
        form = eve.get("/signin").form("Password")
        page = form.send(userid="alice", password="secret-guess")
    assert page.status == 429
    assert int(page.headers["Retry-After"]) > 0
    mine = alice.get("/account").form("Change password")

    assert mine.send(password="secret-alice", new="secret-newer").status == 200
    assert is_signed_in(alice)


# 21. Twice


def boards(room: Room, userid: str = "alice") -> int:
    return len(room.local.json(f"star games {userid}")["matches"])


def test_what_is_sent_twice_is_done_once(club: Room) -> None:
    alice, before = club.signed_in("alice"), boards(club)
    form = alice.get("/my", {"game": "star"}).form("Challenge")
    words = ["star", "challenge", "me", "bob"]
    paths = [form.send(w=words).path for _ in range(3)]

    assert paths == ["/boards/star/102.html", "/my", "/my"]
    assert boards(club) == before + 1
    assert alice.get("/my", {"game": "star"}).form("Challenge").send(w=words).status == 200
    assert boards(club) == before + 2


@pytest.mark.slow
def test_twelve_at_once_are_done_once(club: Room) -> None:
    alice, before = club.signed_in("alice"), boards(club)
    values = alice.get("/my", {"game": "star"}).form("Challenge").fields
    values["w"][-1] = "bob"
    key = cookie(alice)

    def send(_: int) -> int:
        client = club.app.test_client()
        client.set_cookie("pbmserv", key)
        return sent(client, "/say", values).status_code

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(send, range(12)))
    assert answers == [303] * 12
    assert boards(club) == before + 1


def test_the_key_of_another_players_form_hinders_nobody(club: Room) -> None:
    alice, bob = club.signed_in("alice"), club.signed_in("bob")
    form = alice.get("/account").form("Hide it")
    own = bob.get("/account").form("Hide it").fields
    bob.post("/say", {**own, "key": form.fields["key"]})
    page = form.send()

    assert "Show it" in page.words
    assert "Show it" in bob.get("/account").words


# 24. Whose it is


def test_a_closed_or_suspended_player_is_signed_out_and_does_nothing(club: Room) -> None:
    closed, suspended = club.signed_in("alice"), club.signed_in("bob")
    tokens = [token_of(closed), token_of(suspended)]
    club.local.do("signoff alice secret-alice")
    club.local.damage("UPDATE player SET suspended_at = created_at WHERE userid = 'bob'")
    before = rows(club)
    for browser, token in zip((closed, suspended), tokens, strict=True):
        for path in routes(club, "POST"):
            values = {"token": token, "w": ["private", "me", "on"], "what": "ended", "number": "1"}
            assert sent(browser.client, path, values).status_code == 403, path
        assert not is_signed_in(browser)
    assert rows(club) == before


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["private", "bob", "on"], 400),
        (["private", "bob", "secret-bob", "on"], 403),
        (["star", "move", "101", "bob", "secret-bob", "C3"], 403),
        (["star", "challenge", "bob", "carol"], 403),
        (["star", "challenge", "Bob", "anyone"], 403),
        (["star", "rematch", "102", "me"], 403),
        (["tournament", "start", "1", "me"], 403),
        (["tournament", "cancel", "1", "me"], 403),
        (["tournament", "leave", "1", "me", "carol"], 403),
        (["star", "queue", "102", "me", "C3"], 403),
        (["star", "chat", "102", "me", "hello", "there"], 403),
    ],
)
def test_nobody_acts_for_others(club: Room, words: list[str], status: int) -> None:
    club.local.sign_up("carol")
    club.local.play(club.local.start(x="bob", o="carol"), "C1 C2")
    club.local.do("tournament create bob secret-bob star Cup")
    club.local.do("tournament join 1 carol secret-carol")
    club.local.do("tournament join 1 bob secret-bob")
    alice, before = club.signed_in("alice"), rows(club)
    answer = sent(alice.client, "/say", {"token": token_of(alice), "w": words})

    assert answer.status_code == status
    assert rows(club) == before


# 25. Lines


LINES = (
    *("admin players", "backup x", "serve", "site /tmp/x", "login bob secret-bob", "gate alice"),
    *("db check", "demo", "play", "doctor", "mail send", "tick", "robots run", "batch x", "web"),
    *("change password me secret-x", "change password alice secret-alice secret-new1"),
    *("add alice secret-alice a@example.org", "signoff alice secret-alice", "signoff me"),
    *("account alice secret-alice", "account bob secret-bob", "account export bob secret-bob"),
    *(
        "signup dora secret-dora",
        "reset bob",
        "reset alice x secret-new1",
        "digest bob secret-b on",
    ),
    *("star show 101 -svg=/tmp/pbmserv-x.svg", "star export 101 -file=/tmp/pbmserv-x"),
    *("star show 101 -png=x.png", "tournament show 1 -html=/tmp/pbmserv-x.html", "star hint 101"),
    *("star import x", "digest me on\ndigest me off", "digest me on\r\nprivate me on", "multiple"),
    *(
        "star move 101 bob secret-bob C3",
        "message bob secret-bob alice: hi",
        "star resign 101 bob x",
    ),
    *("digest me on\u2028private me on", "--yes signoff me", "star challenge bob carol", "", "**"),
    *("digest me on --json", "digest me on && private me on", "'digest me on", "x" * 15_000),
)


@ONE_DATABASE
@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_is_not_a_browsers_to_say_changes_nothing(club: Room, line: str) -> None:
    club.local.sign_up("carol")
    club.local.do("tournament create bob secret-bob star Cup")
    alice, before = club.signed_in("alice"), rows(club)
    page = alice.get("/my").form("Do it").send(line=line)

    assert page.status in {400, 403, 404, 409, 413}, line
    assert page.alert
    assert "secret-" not in page.text
    assert rows(club) == before
    assert is_signed_in(alice)


@ONE_DATABASE
@pytest.mark.parametrize("line", ["digest me on", "DIGEST ME on", "pbmserv digest alice on"])
def test_a_line_may_say_what_is_ones_own(club: Room, line: str) -> None:
    alice = club.signed_in("alice")
    page = alice.get("/my").form("Do it").send(line=line)

    assert page.status == (200 if "me" in line.lower().split() else 400)


@ONE_DATABASE
def test_a_line_needs_a_sign_in(club: Room) -> None:
    guest, before = club.browser(), rows(club)
    token = token_of(guest, "/signin")
    for line in ("digest me on", "digest alice secret-alice on", "signup dora secret-dora"):
        answer = sent(guest.client, "/say", {"token": token, "line": line})

        assert answer.status_code == 303
        assert answer.headers["Location"].startswith("/signin")
    assert rows(club) == before

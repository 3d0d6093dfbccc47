"""A player's account in a browser: signing in and out, addresses, passwords, leaving."""

import pytest

from tests.local_server import Tables
from tests.web.conftest import Room
from tests.web.plain_browser import Form, Page, PlainBrowser

HOUR, DAY = 3600, 86_400

pytestmark = pytest.mark.costly(stay=2)

NEW = "secret-another"
COUNTED = ("audit", "throttle", "budget", "signin_key")
"""Tables that may change although nothing was done."""


@pytest.fixture
def club(room: Room) -> Room:
    room.local.sign_up("alice", "bob")
    return room


def rows(room: Room) -> Tables:
    return room.local.tables(but=COUNTED)


def keys_of(room: Room, userid: str) -> list[int]:
    with room.local.desk.store.reading() as records:
        player = records.players.find(userid)
        assert player is not None
        return [k.key_id for k in records.signin_keys.of_player(player.id, room.local.clock.now())]


def is_signed_in(browser: PlainBrowser) -> bool:
    return browser.get("/my").path == "/my"


def can_sign_in(room: Room, userid: str, password: str) -> bool:
    page = room.browser().get("/signin").form("Password").send(userid=userid, password=password)
    return page.path == "/my"


def account(browser: PlainBrowser, words: str) -> Form:
    return browser.get("/account").form(words)


def told(page: Page) -> str:
    """Return what a page says of the form that led to it."""
    assert page.status == 200
    return " ".join(e.text or "" for e in page.tree.iter() if e.get("role") == "status")


# Signing in and out


@pytest.mark.parametrize(
    ("userid", "password"),
    [("alice", "secret-bob"), ("nobody", "secret-alice"), ("", ""), ("alice", "--help")],
)
def test_a_wrong_sign_in_is_told_in_one_way_and_repeats_no_password(
    club: Room, userid: str, password: str
) -> None:
    browser, before = club.browser(), rows(club)
    page = (
        browser.get("/signin?next=account").form("Password").send(userid=userid, password=password)
    )

    assert page.status in {400, 403}
    assert page.alert
    assert "pbmserv reset" not in page.words
    assert not password or password not in page.text
    assert page.form("Password").fields["next"] == ["account"]
    assert rows(club) == before
    assert not is_signed_in(browser)


def test_letter_case_of_a_name_is_no_matter_and_of_a_password_it_is(club: Room) -> None:
    assert can_sign_in(club, "ALICE", "secret-alice")
    assert not can_sign_in(club, "alice", "SECRET-ALICE")


def test_a_shared_computer_is_signed_out_after_twelve_hours_though_it_is_used(club: Room) -> None:
    own, shared = club.signed_in("alice"), club.browser()
    form = shared.get("/signin").form("Password")
    form.send(userid="alice", password="secret-alice", shared="on")
    for _ in range(11):
        club.local.clock.seconds += HOUR
        assert is_signed_in(shared)
    club.local.clock.seconds += HOUR

    assert not is_signed_in(shared)
    assert is_signed_in(own)


def test_a_key_lives_while_it_is_used_and_ends_ninety_days_later(club: Room) -> None:
    used, unused = club.signed_in("alice"), club.signed_in("alice")
    for _ in range(5):
        club.local.clock.seconds += 20 * DAY
        assert is_signed_in(used)

    assert not is_signed_in(unused)


@pytest.mark.parametrize("everywhere", [{}, {"everywhere": "on"}])
def test_who_signs_out_is_out_here_or_everywhere(club: Room, everywhere: dict[str, str]) -> None:
    here, there, other = (club.signed_in(name) for name in ("alice", "alice", "bob"))
    page = here.get("/my").form("Sign out").send(**everywhere)

    assert page.path == "/index.html"
    assert not is_signed_in(here)
    assert is_signed_in(there) is not bool(everywhere)
    assert is_signed_in(other)


# Passwords


def test_another_password_ends_all_other_sign_ins_and_not_this_one(club: Room) -> None:
    here, there, other = (club.signed_in(name) for name in ("alice", "alice", "bob"))
    page = account(here, "Change password").send(password="secret-alice", new=NEW)

    assert told(page).startswith("Your password was changed.")
    assert (is_signed_in(here), is_signed_in(there), is_signed_in(other)) == (True, False, True)
    assert can_sign_in(club, "alice", NEW)
    assert not can_sign_in(club, "alice", "secret-alice")
    assert can_sign_in(club, "bob", "secret-bob")


def test_on_a_shared_computer_it_stays_signed_in_for_twelve_hours_at_most(club: Room) -> None:
    browser = club.browser()
    form = browser.get("/signin").form("Password")
    form.send(userid="alice", password="secret-alice", shared="on")
    account(browser, "Change password").send(password="secret-alice", new=NEW)
    assert is_signed_in(browser)
    club.local.clock.seconds += 12 * HOUR

    assert not is_signed_in(browser)


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("secret-bob", NEW, 403),
        ("SECRET-alice", NEW, 403),
        ("", NEW, 403),
        ("secret-alice", "alice-alice", 400),
        ("secret-alice", "short", 400),
        ("secret-alice", "secret-alice", 400),
        ("secret-alice", "secret word", 400),
        ("secret-alice", "--help", 400),
        ("--help", NEW, 400),
    ],
)
def test_a_password_that_is_not_changed_stays(club: Room, old: str, new: str, status: int) -> None:
    here, there, before = club.signed_in("alice"), club.signed_in("alice"), rows(club)
    page = account(here, "Change password").send(password=old, new=new)

    assert page.status == status
    assert page.alert
    assert not {old, new} & {*page.text.split('"')} - {""}
    assert "pbmserv" not in page.alert
    assert rows(club) == before
    assert is_signed_in(here)
    assert is_signed_in(there)


# Addresses


def addresses(room: Room, userid: str = "alice") -> list[tuple[str, bool]]:
    with room.local.desk.store.reading() as records:
        player = records.players.find(userid)
        assert player is not None
        return [(row.address, row.is_proven) for row in records.addresses.of([player.id])]


def save(browser: PlainBrowser, *texts: str, word: str = "secret-alice") -> Page:
    return account(browser, "Save addresses").send(address=[*texts], password=word)


def test_addresses_are_added_kept_and_removed(club: Room) -> None:
    club.local.do("add alice secret-alice a@example.org b@example.org")
    browser = club.signed_in("alice")
    fields = account(browser, "Save addresses").fields

    assert fields["address"] == ["a@example.org", "b@example.org", ""]
    assert told(save(browser, "b@example.org", "c@example.org")) == "Your addresses were changed."
    assert addresses(club) == [("b@example.org", True), ("c@example.org", False)]
    assert "c@example.org not verified yet" in browser.get("/account").words
    save(browser, "B@Example.org", "")
    assert [("B@Example.org", True)] == addresses(club)
    save(browser, "")
    assert [] == addresses(club)


@pytest.mark.parametrize(
    ("text", "password", "status"),
    [
        ("a@example.org", "secret-bob", 403),
        ("a@example.org", "", 403),
        ("no address", "secret-alice", 400),
        ("-dry-run", "secret-alice", 400),
        ("<script>@example.org", "secret-alice", 400),
    ],
)
def test_addresses_that_are_not_saved_stay(
    club: Room, text: str, password: str, status: int
) -> None:
    browser, before = club.signed_in("alice"), rows(club)
    page = save(browser, text, word=password)

    assert (page.status, bool(page.alert)) == (status, True)
    assert "<script>@" not in page.text
    assert rows(club) == before


# Sign-ins


def number_of(form: Form) -> int:
    return int(form.fields["number"][0])


def ends(page: Page) -> list[Form]:
    return [form for form in page.forms if "number" in form.fields]


def test_each_sign_in_is_listed_and_ended_alone(club: Room) -> None:
    here, there, last = (club.signed_in("alice") for _ in range(3))
    other = club.signed_in("bob")
    page = here.get("/account")
    first, second = sorted(ends(page), key=number_of)

    assert page.words.count("made 2027-01-15, last used 2027-01-15, ends 2027-04-15") == 3
    assert page.words.count("This one") == 1
    assert {number_of(form) for form in (first, second)} < {*keys_of(club, "alice")}
    assert told(first.send()) == "That sign-in has ended."
    assert [is_signed_in(one) for one in (here, there, last, other)] == [True, False, True, True]
    assert first.send().status == 404
    assert is_signed_in(last)


@pytest.mark.parametrize("number", ["{theirs}", "0", "-1", "x", "", "9" * 20, "1e1", "²"])
def test_nobody_ends_a_sign_in_of_somebody_else(club: Room, number: str) -> None:
    here, _there, other = (club.signed_in(name) for name in ("alice", "alice", "bob"))
    (form,) = ends(here.get("/account"))
    (theirs,) = keys_of(club, "bob")
    page = form.send(number=number.format(theirs=theirs))

    assert (page.status, page.alert) == (404, "That sign-in has ended already.")
    assert is_signed_in(other)
    assert len(keys_of(club, "alice")) == 2


# What buttons say


def test_buttons_say_their_commands(club: Room) -> None:
    browser = club.signed_in("alice")
    club.local.sign_up("carol")
    for words, command, is_there in (
        ("Hide it", "private me on", "Show it"),
        ("Show it", "private me off", "Hide it"),
    ):
        form = account(browser, words)
        assert command in form.words
        page = form.send()
        assert page.path == "/account"
        assert is_there in page.words
    page = account(browser, "Take a vacation").send(w=["vacation", "me", "3"])
    assert "You are on vacation until 2027-01-18" in page.words
    assert "Days left this year: 27." in page.words
    page = account(browser, "Come back").send()
    assert "You are on vacation" not in page.words
    page = account(browser, "block me").send(w=["block", "me", "Bob"])
    assert "unblock me bob" in page.words
    page = account(browser, "unblock me bob").send()
    assert "unblock me" not in page.words
    assert "bob" not in page.words


def test_a_button_that_is_refused_says_why_and_changes_nothing(club: Room) -> None:
    browser, before = club.signed_in("alice"), rows(club)
    for words, typed, status in (
        ("block me", ["block", "me", "nobody"], 404),
        ("block me", ["block", "me", "alice"], 409),
        ("vacation me", ["vacation", "me", "999"], 409),
        ("vacation me", ["vacation", "me", "x"], 400),
    ):
        page = account(browser, words).send(w=typed)

        assert (page.status, bool(page.alert)) == (status, True)
        assert rows(club) == before


# Leaving


@pytest.mark.parametrize("more", [{}, {"erase": "on"}])
def test_who_leaves_is_asked_once_more(club: Room, more: dict[str, str]) -> None:
    club.local.play(club.local.start(), "C1 C2")
    here, there, other = (club.signed_in(name) for name in ("alice", "alice", "bob"))
    before = rows(club)
    page = here.get("/account").click("Close your account \N{HORIZONTAL ELLIPSIS}")
    assert rows(club) == before
    for wrong in ("secret-bob", "", "-erase", "-dry-run"):
        refused = page.form("Close my account").send(password=wrong, **more)
        assert refused.status in {400, 403}
        assert refused.alert
        assert rows(club) == before
    page = page.form("Close my account").send(password="secret-alice", **more)

    assert told(page) == "Your account is closed."
    assert not is_signed_in(here)
    assert not is_signed_in(there)
    assert is_signed_in(other)
    assert not can_sign_in(club, "alice", "secret-alice")
    assert club.local.show(101)["status"] == "won"
    names = club.local.userids()
    assert ("alice" in names) is not bool(more)
    assert "bob" in names


def test_pages_of_the_account_are_for_who_is_signed_in(club: Room) -> None:
    guest = club.browser()
    for path in ("/account", "/close", "/my"):
        page = guest.get(path)

        assert page.path == f"/signin?next={path[1:]}"
    assert "alice" not in guest.get("/account").words

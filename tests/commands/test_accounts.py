"""Accounts: signing up, addresses, passwords, and leaving."""

import shlex

import pytest

from tests.local_server import LocalServer, cheap_hash


def test_a_new_account(local: LocalServer) -> None:
    answer = local.do("signup Alice correct-horse alice@example.org")

    (told,) = answer.blocks
    assert isinstance(told, str)
    assert told.startswith("Welcome, Alice. Your account is open.\n")
    for command in (
        "pbmserv login Alice\n",
        "star seek me 1,",
        "star challenge me ",
        "pbmserv play.",
    ):
        assert command in told
    assert max(map(len, told.splitlines())) < 80
    assert dict(answer.document) == {
        "userid": "Alice",
        "status": "active",
        "addresses": ["alice@example.org"],
    }


@pytest.mark.parametrize("userid", ["al", "a" * 24, "A.b_c-9", "z9"])
def test_userids_that_may_be(local: LocalServer, userid: str) -> None:
    assert local.json(f"signup {userid} correct-horse")["userid"] == userid


NO_USERIDS = ["a", "a" * 25, "9lives", ".dot", "_x", "a b", "älice", "a@b", "a/b", "", "\u212aate"]


def test_userids_that_may_not_be(local: LocalServer) -> None:
    errors = [local.refusal(f"signup '{userid}' correct-horse") for userid in NO_USERIDS]

    assert {(error.code, error.exit_code) for error in errors} == {("bad-userid", 2)}


RESERVED = [
    "all",
    "next",
    "Anyone",
    "none",
    "star",
    "StarWeb",
    "help",
    "move",
    "queue",
    "admin",
    "Show",
]


def test_words_with_another_meaning_are_nobodys_userid(local: LocalServer) -> None:
    codes = {local.code(f"signup {userid} correct-horse") for userid in RESERVED}

    assert codes == {"userid-reserved"}


def test_a_userid_is_unique_without_regard_to_case(local: LocalServer) -> None:
    local.sign_up("Alice")

    assert local.code("signup aLICE correct-horse") == "userid-taken"


@pytest.mark.parametrize(
    "password", ["xq7!" * 2, "xq7!" * 32, "!\"#$%&'()*+,./:;<=>?@", "a-------b-c"]
)
def test_passwords_that_may_be(local: LocalServer, password: str) -> None:
    local.ask(["signup", "alice", password])

    assert local.ask(["add", "alice", password, "a@b.example"]).ok


NO_PASSWORDS = ["x" * 7, "x" * 129, "with blank", "tab\tinside", "ümläute!", "-", "", "--------"]


def test_passwords_that_may_not_be(local: LocalServer) -> None:
    errors = [local.refusal(shlex.join(["signup", "alice", word])) for word in NO_PASSWORDS]

    assert {(error.code, error.exit_code) for error in errors} == {("bad-password", 2)}


EASY = [
    "password",
    "Password1!",
    "12345678",
    "20261120",
    "aaaaaaab",
    "qwertyuiop",
    "alice-carol",
    "1ALICE-CAROL!",
    "Alice.Carol.alicecarol",
]


@pytest.mark.parametrize("password", EASY)
def test_passwords_that_are_easy_to_guess(local: LocalServer, password: str) -> None:
    assert local.code(f"signup Alice.Carol {password}") == "weak-password"


ADDRESSES = [
    "fritz@example.com",
    "Fritz.Maier+x@sub.example.com",
    "fritz@localhost",
    "<fritz@example.com>",
    "mailto:fritz@example.com",
    "fritz@example.com,",
    "(fritz@example.com)",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_no_new_password(local: LocalServer, address: str) -> None:
    local.sign_up("alice")
    lines = [
        ["signup", "fritz", address],
        ["signup", "fritz", address, "fritz@example.com"],
        ["change", "password", "alice", "secret-alice", address],
        ["reset", "alice", "a-token", address],
    ]
    errors = [local.refusal(shlex.join(line)) for line in lines]

    assert {(error.code, error.exit_code) for error in errors} == {("address-for-password", 2)}
    assert errors[0].advice == "Syntax: pbmserv signup USERID PASSWORD [ADDRESS]..."
    assert not any("example" in error.words for error in errors)
    assert local.userids() == ["alice"]


@pytest.mark.parametrize("password", ["at@home!!", "@correct-horse", "correct@", "a@b@c.example"])
def test_a_sign_of_addresses_alone_makes_none(local: LocalServer, password: str) -> None:
    assert local.ask(["signup", "fritz", password]).ok


@pytest.mark.parametrize(
    "line",
    [
        "signup nine99999 nine99999",
        "signup h-9.h-9.h-9 H-9.h-9.h-9",
        "change password alice secret-alice secret-alice",
        "change password alice secret-alice Secret-Alice",
        "reset alice 7f7f-9c9c 7f7f-9C9C",
    ],
)
def test_a_new_password_is_no_other_word_of_its_line(local: LocalServer, line: str) -> None:
    local.sign_up("alice")

    assert local.code(line) in {"password-repeated", "weak-password"}
    assert local.userids() == ["alice"]
    assert local.do("add alice secret-alice a@b.example").ok


def test_an_easy_password_cannot_be_chosen_later_either(local: LocalServer) -> None:
    local.sign_up("alice")

    assert local.code("change password alice secret-alice alice2026") == "weak-password"
    assert local.do("change password alice secret-alice alices-horse").ok


NO_ADDRESSES = [
    "alice",
    "@example.org",
    "a@",
    "a b@c.org",
    "a@b\n.org",
    "a@b..org",
    "<a@b.org>",
    "x" * 250 + "@b.org",
]


def test_addresses_that_may_not_be(local: LocalServer) -> None:
    errors = [local.refusal(f"signup alice correct-horse '{text}'") for text in NO_ADDRESSES]

    assert {(error.code, error.exit_code) for error in errors} == {("bad-address", 2)}


def test_addresses_are_added_once_each(local: LocalServer) -> None:
    local.do("signup alice secret-alice a@b.example")
    added = local.json("add alice secret-alice A@B.example c@d.example c@d.example")

    assert added["addresses"] == ["a@b.example", "c@d.example"]


def test_addresses_are_replaced(local: LocalServer) -> None:
    local.do("signup alice secret-alice a@b.example c@d.example")
    replaced = local.json("change address alice secret-alice e@f.example")
    none = local.do("change address alice secret-alice")

    assert replaced["addresses"] == ["e@f.example"]
    assert (none.document["addresses"], none.blocks) == ([], ("Addresses of alice: none.",))


def test_an_account_has_at_most_ten_addresses(local: LocalServer) -> None:
    local.sign_up("alice")
    many = [f"a{n}@b.example" for n in range(11)]

    assert local.code(f"add alice secret-alice {' '.join(many)}") == "too-many-addresses"
    assert local.json(f"add alice secret-alice {' '.join(many[:10])}")["addresses"] == many[:10]


def test_a_changed_password_is_the_only_one(local: LocalServer) -> None:
    local.sign_up("alice")
    answer = local.do("change password alice secret-alice another-secret")

    assert answer.blocks == ("Changed the password of alice.",)
    assert local.code("add alice secret-alice a@b.example") == "wrong-login"
    assert local.do("add alice another-secret a@b.example").ok


def test_a_new_password_must_have_the_form_of_one(local: LocalServer) -> None:
    local.sign_up("alice")

    assert local.code("change password alice secret-alice short") == "bad-password"


def test_whoever_leaves_resigns_declines_and_is_gone(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    for _ in range(3):
        local.start()
    local.play(101, "C1 C2")
    local.play(102, "C1 C2 pass pass")
    answer = local.do("signoff alice secret-alice")
    first, second, third = (local.show(number) for number in (101, 102, 103))

    assert answer.document["status"] == "closed"
    assert answer.blocks == (
        "The account of alice has been closed. Resigned: Star Board 101, Star Board 103.",
    )
    assert (first["status"], first["winner"], first["reason"]) == ("won", "O", "resignation")
    assert second["reason"] == "two-passes"
    assert third["status"] == "removed"


def test_the_userid_of_whoever_left_is_not_given_out_again(local: LocalServer) -> None:
    local.sign_up("alice")
    local.do("signoff alice secret-alice")

    assert local.code("signup ALICE correct-horse") == "userid-taken"
    assert local.code("add alice secret-alice a@b.example") == "wrong-login"
    assert local.tables()["address"] == []
    assert cheap_hash("secret-alice") not in str(local.tables())


def test_leaving_resigns_a_game_against_oneself(local: LocalServer) -> None:
    local.start(x="alice", o="alice")
    local.play(101, "C1 C2")
    local.do("signoff alice secret-alice")

    assert local.show(101)["status"] == "won"


def test_leaving_twice_is_a_wrong_login(local: LocalServer) -> None:
    local.sign_up("alice")
    local.do("delete alice secret-alice")

    assert local.code("delete alice secret-alice") == "wrong-login"

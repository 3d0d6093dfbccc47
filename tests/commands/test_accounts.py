"""Accounts: signing up, addresses, passwords, and leaving."""

import shlex

import pytest

from tests.house import House, cheap_hash


def test_a_new_account(house: House) -> None:
    answer = house.do("signup Alice correct-horse alice@example.org")

    assert answer.blocks == ("Welcome, Alice. Your account is open.",)
    assert dict(answer.document) == {
        "userid": "Alice",
        "status": "active",
        "addresses": ["alice@example.org"],
    }


@pytest.mark.parametrize("userid", ["al", "a" * 24, "A.b_c-9", "z9"])
def test_userids_that_may_be(house: House, userid: str) -> None:
    assert house.json(f"signup {userid} correct-horse")["userid"] == userid


NO_USERIDS = ["a", "a" * 25, "9lives", ".dot", "_x", "a b", "älice", "a@b", "a/b", "", "\u212aate"]


def test_userids_that_may_not_be(house: House) -> None:
    errors = [house.refusal(f"signup '{userid}' correct-horse") for userid in NO_USERIDS]

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


def test_words_with_another_meaning_are_nobodys_userid(house: House) -> None:
    codes = {house.code(f"signup {userid} correct-horse") for userid in RESERVED}

    assert codes == {"userid-reserved"}


def test_a_userid_is_unique_without_regard_to_case(house: House) -> None:
    house.sign_up("Alice")

    assert house.code("signup aLICE correct-horse") == "userid-taken"


@pytest.mark.parametrize("password", ["x" * 8, "x" * 128, "!\"#$%&'()*+,./:;<=>?@", "a-------"])
def test_passwords_that_may_be(house: House, password: str) -> None:
    house.ask(["signup", "alice", password])

    assert house.ask(["add", "alice", password, "a@b.example"]).ok


NO_PASSWORDS = ["x" * 7, "x" * 129, "with blank", "tab\tinside", "ümläute!", "-", "", "--------"]


def test_passwords_that_may_not_be(house: House) -> None:
    errors = [house.refusal(shlex.join(["signup", "alice", word])) for word in NO_PASSWORDS]

    assert {(error.code, error.exit_code) for error in errors} == {("bad-password", 2)}


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


def test_addresses_that_may_not_be(house: House) -> None:
    errors = [house.refusal(f"signup alice correct-horse '{text}'") for text in NO_ADDRESSES]

    assert {(error.code, error.exit_code) for error in errors} == {("bad-address", 2)}


def test_addresses_are_added_once_each(house: House) -> None:
    house.do("signup alice secret-alice a@b.example")
    added = house.json("add alice secret-alice A@B.example c@d.example c@d.example")

    assert added["addresses"] == ["a@b.example", "c@d.example"]


def test_addresses_are_replaced(house: House) -> None:
    house.do("signup alice secret-alice a@b.example c@d.example")
    replaced = house.json("change address alice secret-alice e@f.example")
    none = house.do("change address alice secret-alice")

    assert replaced["addresses"] == ["e@f.example"]
    assert (none.document["addresses"], none.blocks) == ([], ("Addresses of alice: none.",))


def test_an_account_has_at_most_ten_addresses(house: House) -> None:
    house.sign_up("alice")
    many = [f"a{n}@b.example" for n in range(11)]

    assert house.code(f"add alice secret-alice {' '.join(many)}") == "too-many-addresses"
    assert house.json(f"add alice secret-alice {' '.join(many[:10])}")["addresses"] == many[:10]


def test_a_changed_password_is_the_only_one(house: House) -> None:
    house.sign_up("alice")
    answer = house.do("change password alice secret-alice another-secret")

    assert answer.blocks == ("The password of alice is changed.",)
    assert house.code("add alice secret-alice a@b.example") == "wrong-login"
    assert house.do("add alice another-secret a@b.example").ok


def test_a_new_password_must_have_the_form_of_one(house: House) -> None:
    house.sign_up("alice")

    assert house.code("change password alice secret-alice short") == "bad-password"


def test_whoever_leaves_resigns_declines_and_is_gone(house: House) -> None:
    house.sign_up("alice", "bob")
    for _ in range(3):
        house.start()
    house.play(101, "C1 C2")
    house.play(102, "C1 C2 pass pass")
    answer = house.do("signoff alice secret-alice")
    first, second, third = (house.show(number) for number in (101, 102, 103))

    assert answer.document["status"] == "closed"
    assert answer.blocks == (
        "The account of alice is closed. Resigned: Star Board 101, Star Board 103.",
    )
    assert (first["status"], first["winner"], first["reason"]) == ("won", "O", "resignation")
    assert second["reason"] == "two-passes"
    assert third["status"] == "removed"


def test_the_userid_of_whoever_left_is_not_given_out_again(house: House) -> None:
    house.sign_up("alice")
    house.do("signoff alice secret-alice")

    assert house.code("signup ALICE correct-horse") == "userid-taken"
    assert house.code("add alice secret-alice a@b.example") == "wrong-login"
    assert house.tables()["address"] == []
    assert cheap_hash("secret-alice") not in str(house.tables())


def test_leaving_resigns_a_game_against_oneself(house: House) -> None:
    house.start(x="alice", o="alice")
    house.play(101, "C1 C2")
    house.do("signoff alice secret-alice")

    assert house.show(101)["status"] == "won"


def test_leaving_twice_is_a_wrong_login(house: House) -> None:
    house.sign_up("alice")
    house.do("delete alice secret-alice")

    assert house.code("delete alice secret-alice") == "wrong-login"

"""What a flood of forged mails leaves possible, and what the worst mail of each kind causes."""

import pytest

from pbmserv.mail.gateway import Gateway
from tests.mail.forged_flood import ALICE, Cost, forged, kinds, measure
from tests.mail.mail_players import whose_turn
from tests.mail.server_by_mail import ClubByMail

SERVER = "mx.example.org"
VOUCHED = [("Authentication-Results", f"{SERVER}; spf=pass smtp.mailfrom=newcomer@home.example")]
NAMED = [("Received", f"from home.example (home.example [192.0.2.7]) by {SERVER} (Postfix)")]


def flooded(office: ClubByMail, size: int) -> Cost:
    """Bring a flood of all kinds to a server with two players; return what it came to."""
    office.gateway = Gateway(
        office.desk,
        office.gateway.own,
        keys=office.gateway.keys,
        log=office.log.append,
        mail_server=SERVER,
    )
    each = size // 5
    several = kinds(each)
    chosen = ("signup", "help", "spam", "guess", "forged challenge")
    return measure(office, (mail for name in chosen for mail in several[name]))


@pytest.mark.slow
def test_after_a_flood_newcomers_and_players_are_served(office: ClubByMail, *, full: bool) -> None:
    size = 10_000 if full else 500
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=4")
    letter = whose_turn(office.collect())
    assert letter is not None
    cost = flooded(office, size)
    signup = office.mail("newcomer@home.example", "signup carol secret-carol", headers=VOUCHED)
    (welcome,) = office.collect()
    verified = office.reply(welcome)
    office.collect()
    move = office.reply(letter, "C2, good luck!")
    office.collect()
    elsewhere = office.mail("alice@elsewhere.example", "digest alice secret-alice on")
    at_home = [("Authentication-Results", f"{SERVER}; dkim=pass header.d=example.net")]

    assert cost.mails == size
    assert cost.letters <= 50 + 70 + 2
    assert cost.sent < 800_000, "however many they are"
    assert (signup, verified, move) == ("done", "verified", "done")
    assert office.mail(ALICE, "digest alice secret-alice on", headers=at_home) == "done"
    assert elsewhere == "wait-for-password"
    office.collect()
    asked = office.mail("dave@small.example", "signup dave secret-dave")
    silence = office.collect()
    office.clock.seconds += 15 * 60
    asked_again = office.mail("dave@small.example", "signup dave secret-dave")
    told = [letter.to for letter in office.collect()]

    assert (asked, silence) == ("too-many-newcomers" if full else "done", [])
    assert (asked_again, told) == ("done", ["dave@small.example"])


@pytest.mark.slow
def test_a_newcomer_nobody_vouches_for_is_served_beside_a_flood_from_one_place(
    office: ClubByMail,
) -> None:
    flooded(office, 0)
    for number in range(100):
        office.mail(
            forged(number),
            f"signup flood{number} secret-word",
            headers=[("Received", f"from x (x [198.51.100.9]) by {SERVER}")],
        )
    flood = office.collect()
    office.mail("newcomer@home.example", "signup carol secret-carol", headers=NAMED)

    assert len(flood) == 10
    assert [letter.to for letter in office.collect()] == ["newcomer@home.example"]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("signup, ten addresses", 1),
        ("forged multiple", 1),
        ("forged help", 1),
        ("forged nonsense", 1),
        ("forged challenge", 2),
        ("spam", 0),
    ],
)
def test_the_worst_mail_of_each_kind_causes_few_letters(
    office: ClubByMail, name: str, letters: int
) -> None:
    office.join("alice", "bob")
    cost = measure(office, kinds(5)[name])

    assert cost.letters == letters


@pytest.mark.slow
def test_a_signed_mail_causes_two_letters_a_board_and_ten_boards(office: ClubByMail) -> None:
    office.join("alice", "bob")
    cost = measure(office, kinds(1)["signed multiple"])

    assert cost.letters == 1 + 2 * 10
    assert cost.sent < 1000 * cost.received

"""Challenges by mail: whoever forges a From opens no board, and one letter is all it causes."""

import pytest

from pbmserv.mail.gateway import Gateway
from tests.databases import made_once
from tests.mail.server_by_mail import ClubByMail, Letter

ALICE, BOB = "alice@example.net", "bob@example.net"
LINE = "star challenge alice bob -size=4"
DAY = 24 * 3600


@pytest.fixture
@made_once
def club(office: ClubByMail) -> ClubByMail:
    office.join("alice", "bob")
    return office


def asked(club: ClubByMail, text: str = "") -> Letter:
    """Send a challenge without a proof, and return the only letter that it causes."""
    assert club.mail(ALICE, LINE, text) == "unconfirmed"
    (letter,) = club.collect()
    assert letter.to == ALICE
    return letter


def boards(club: ClubByMail) -> int:
    with club.desk.store.reading() as records:
        return len(records.matches.summaries(player_ids=[1], selector="active"))


@pytest.mark.costly
def test_a_challenge_that_is_confirmed_opens_the_board(club: ClubByMail) -> None:
    letter = asked(club, "Fancy a game?")
    outcome = club.reply(letter, "Yes\n\nThis was me.")
    letters = club.collect()

    assert letter.subject == "Confirm challenge 1"
    assert f"    {LINE}" in letter.text.splitlines()
    assert (outcome, boards(club)) == ("done", 1)
    assert sorted(told.to for told in letters) == [ALICE, BOB]
    assert all("| Fancy a game?" in told.text for told in letters)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("text", ["", "no", "yes please", "not me\nyes", "-- \nyes", "> yes"])
def test_any_other_answer_drops_the_challenge(club: ClubByMail, text: str) -> None:
    letter = asked(club)
    outcomes = [club.reply(letter, text), club.reply(letter, "yes")]

    assert outcomes == ["challenge-dropped", "nothing-asked"]
    assert boards(club) == 0


def test_an_answer_confirms_nothing_but_what_it_was_asked_about(club: ClubByMail) -> None:
    first = asked(club)
    club.reply(first, "no")
    club.collect()
    second = asked(club)

    assert club.reply(first, "yes") == "nothing-asked"
    assert club.mail(BOB, f"Re: {second.subject}", "yes", to=second.reply_to) != "done"
    assert club.mail(ALICE, f"Re: {second.subject}", "yes") != "done"
    assert boards(club) == 0
    assert club.reply(second, "yes", times=3) == "done"
    assert boards(club) == 1


def test_one_challenge_waits_for_a_player_and_three_are_asked_about_a_day(
    club: ClubByMail,
) -> None:
    letters = []
    for _ in range(3):
        letters.append(asked(club))
        assert club.mail(ALICE, LINE) == "challenge-waits"
        club.collect()
        club.reply(letters[-1], "no")
        club.collect()
        club.clock.seconds += 60

    assert club.mail(ALICE, LINE) == "challenge-waits"
    assert boards(club) == 0


def test_a_week_later_nothing_waits(club: ClubByMail) -> None:
    letter = asked(club)
    club.clock.seconds += 7 * DAY

    assert club.reply(letter, "yes") == "nothing-asked"


def test_with_a_password_nothing_is_asked(club: ClubByMail) -> None:
    outcome = club.mail("alice@elsewhere.example", "star challenge alice secret-alice bob -size=4")
    club.collect()
    wrong = [
        club.mail(ALICE, "star challenge alice wrong-word bob -size=4"),
        club.mail(ALICE, "star challenge bob secret-alice alice"),
        club.mail(ALICE, "star challenge alice secret-alice bob carol"),
    ]

    assert outcome == "done"
    assert wrong == ["wrong-login", "wrong-login", "surplus-word"]
    assert boards(club) == 1


def test_a_token_of_any_board_proves_a_challenge_in_its_subject(club: ClubByMail) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=4")
    letters = {letter.to: letter for letter in club.collect()}
    club.reply(letters[ALICE], "C2")
    club.collect()

    assert club.reply(letters[ALICE], subject=LINE) == "done"
    assert club.reply(letters[BOB], subject="star challenge alice alice") == "not-your-challenge"
    assert boards(club) == 2


def test_an_authenticated_sender_is_asked_nothing(club: ClubByMail) -> None:
    club.gateway = Gateway(
        club.desk,
        club.gateway.own,
        keys=club.gateway.keys,
        log=club.log.append,
        mail_server="mx.example.org",
    )
    proof = [("Authentication-Results", "mx.example.org; dkim=pass header.d=example.net")]
    forged = [("Authentication-Results", "mx.example.org; dkim=pass header.d=example.com")]

    assert club.mail(ALICE, LINE, headers=forged) == "unconfirmed"
    assert club.mail(ALICE, LINE, headers=proof) == "done"
    assert boards(club) == 1


@pytest.mark.costly
def test_several_challenges_are_confirmed_by_one_answer(club: ClubByMail) -> None:
    outcome = club.mail(ALICE, "multiple", "\n".join([LINE] * 10))
    (letter,) = club.collect()
    confirmed = club.reply(letter, "yes")

    assert (outcome, confirmed, boards(club)) == ("unconfirmed", "done", 10)
    assert len(club.collect()) == 1 + 2 * 10


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("line", [LINE, "star challenge alice secret-alice bob -size=4"])
def test_a_mail_opens_at_most_ten_boards(club: ClubByMail, line: str) -> None:
    outcome = club.mail(ALICE, "multiple", "\n".join([line] * 60))
    letters = club.collect()

    assert outcome == "too-many-boards"
    assert boards(club) in {0, 10}
    assert len(letters) <= 1 + 2 * 10


def test_a_password_in_the_place_of_an_opponent_is_not_kept(club: ClubByMail) -> None:
    """Whatever a test leaves behind is searched for passwords."""
    assert club.mail(ALICE, "star challenge alice canary-word") == "no-such-player"
    assert all("canary-word" not in letter.text for letter in club.collect())


def test_an_address_that_is_not_proven_is_asked_nothing(club: ClubByMail) -> None:
    club.mail("carol@example.com", "signup carol secret-carol")
    club.collect()

    outcome = club.mail("carol@example.com", "star challenge carol alice")
    assert outcome == "unproven-address"


@pytest.mark.costly
def test_an_even_game_is_begun_by_mail(club: ClubByMail) -> None:
    assert club.mail(ALICE, "star challenge -even -size=6 alice bob") == "unconfirmed"
    club.reply(club.collect()[0], "Yes")
    told = [" ".join(letter.text.split()) for letter in club.collect()]

    assert boards(club) == 1
    assert len(told) == 2
    for text in told:
        assert "The ratings are equal, but uncertain, which allows no handicap" in text

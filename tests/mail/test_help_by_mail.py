"""Help by mail: a search, whom to report to, and what comes next for a newcomer."""

import pytest

from tests.mail.server_by_mail import ClubByMail

ALICE, STRANGER = "alice@example.net", "stranger@example.org"
MOST_LINES = 30


def told(office: ClubByMail, subject: str, text: str = "", sender: str = ALICE) -> str:
    """Return what is answered to a mail."""
    office.mail(sender, subject, text)
    return "\n".join(letter.text.replace("\r", "") for letter in office.collect())


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("subject", ["help -find=komi", "help -find komi", "star help -find=KOMI"])
def test_a_search_is_answered(office: ClubByMail, subject: str) -> None:
    office.join("alice")
    text = told(office, subject)

    assert "In *Star, Star and Starweb points that are added" in text
    assert "words" in text
    assert len(text.splitlines()) < MOST_LINES


def test_a_search_for_what_may_be_a_password_is_not_quoted(office: ClubByMail) -> None:
    office.join("alice")
    text = told(office, "help -find=correct-pony")

    assert "No page has these words." in text
    assert "correct-pony" not in text


def test_a_line_of_several_gets_all_of_a_search(office: ClubByMail) -> None:
    office.join("alice")
    text = told(office, "multiple", "help -find=komi\nhelp -find=telephone\n")

    assert "In *Star, Star and" in text
    assert "Can I play on a telephone" in text


def test_a_stranger_is_not_searched_for(office: ClubByMail) -> None:
    assert told(office, "help -find=komi", sender=STRANGER) == ""
    assert "WORDS" in told(office, "help words", sender=STRANGER)


def test_whom_to_report_to_is_told_where_it_is_known(office: ClubByMail) -> None:
    office.join("alice")
    assert "The operator's address" not in told(office, "help report")

    office.desk.operator = lambda: "olga@example.org"
    assert "The operator's address: olga@example.org" in told(office, "help report")
    assert "olga@example.org" in told(office, "help bug")
    assert "olga@example.org" not in told(office, "help questions")


def test_a_newcomer_is_told_what_comes_next(office: ClubByMail) -> None:
    text = told(office, "signup alice secret-alice")

    for words in (
        "\n    star seek alice PASSWORD 1\n",
        "\n    star challenge alice PASSWORD OPPONENT\n",
        "pbmserv login",
        "pbmserv play",
    ):
        assert words in text
    office.mail(ALICE, "star seek alice secret-alice 1")
    assert "alice" in "".join(letter.text for letter in office.collect())


def test_a_wrong_password_by_mail_says_how_to_get_another(office: ClubByMail) -> None:
    office.join("alice", "bob")
    for sender, userid in ((ALICE, "alice"), ("bob@example.net", "nobody")):
        text = told(office, f"digest {userid} wrong-secret on", sender=sender)
        assert "\nFor a new password, ask the operator or run: pbmserv reset USERID\n" in text
        assert "wrong-secret" not in text
    assert "NEWPASSWORD" in told(office, "pbmserv reset alice")

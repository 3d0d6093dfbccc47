"""A new password is no name, no row and no common word; any other may be chosen."""

import pytest

from pbmserv.club.player import reject_reused_word, require_strong
from pbmserv.errors import Misunderstood


@pytest.mark.parametrize(
    "password",
    ["7#29!41%5", "correct-horse", "alicorn-77", "zq8!zq8?", "alice-bob-99", "Xk4-Xk4-Xk4"],
)
def test_what_is_no_name_and_no_row_may_be_chosen(password: str) -> None:
    require_strong(password, "alice")
    reject_reused_word(password, ["alice", "star", ""])


@pytest.mark.parametrize(
    ("password", "userid"),
    [
        ("alice123", "alice"),
        ("ALICE!!99", "alice"),
        ("alice-alice", "Alice"),
        ("a1l2i3c4e5", "alice"),
        ("al-ice.77", "al-ice"),
        ("1234567890", "alice"),
        ("98989898", "alice"),
        ("aaaaaaaa", "alice"),
        ("ababcabc", "alice"),
        ("AaAaBbBb", "alice"),
        ("password1", "alice"),
        ("Password!", "alice"),
    ],
)
def test_what_is_easy_to_guess_is_refused(password: str, userid: str) -> None:
    with pytest.raises(Misunderstood) as caught:
        require_strong(password, userid)

    assert "weak-password" == caught.value.code


def test_a_userid_without_letters_behind_it_makes_no_password_weak() -> None:
    require_strong("7#29!41%5", "a1")
    require_strong("grobian-7", "g")


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("a@b.example", "address-for-password"),
        ("<a@b.example>", "address-for-password"),
        ("mailto:a@b.example", "address-for-password"),
        ("Spring-Cup", "password-repeated"),
        ("spring-cup", "password-repeated"),
    ],
)
def test_a_password_is_no_other_word_of_the_line(password: str, code: str) -> None:
    with pytest.raises(Misunderstood) as caught:
        reject_reused_word(password, ["alice", "Spring-cup"])

    assert code == caught.value.code

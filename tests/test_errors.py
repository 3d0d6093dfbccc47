"""Errors as they are told: the word that was wrong, but never what may be a password."""

import pytest

from pbmserv import errors
from pbmserv.errors import (
    Busy,
    CarriedOut,
    Fault,
    Missing,
    Misunderstood,
    Paused,
    PbmservError,
    Postponed,
    Refused,
    Throttled,
    invalid_value,
    may_quote,
    quoted,
)

SENTENCE = "No such player."
BRACKETED = "Invalid value for -size (3 to 14)."


@pytest.mark.parametrize(
    ("word", "is_harmless"),
    [
        *(("x", True), ("1234567", True), ("a b", True), ("~!@#$%^", True)),
        *(("", False), ("12345678", False), ("a\tb", False), ("\x7f", False), ("\u00e9", False)),
    ],
)
def test_only_what_is_too_short_for_a_password_is_quoted(word: str, *, is_harmless: bool) -> None:
    error = Refused(SENTENCE, code="x", about=word)

    assert may_quote(word) == is_harmless
    assert quoted(error) == (f"No such player: {word}." if is_harmless else SENTENCE)


@pytest.mark.parametrize(
    ("message", "about", "after", "told"),
    [
        (SENTENCE, None, "", SENTENCE),
        (SENTENCE, "bob", "", "No such player: bob."),
        (SENTENCE, "bob", "star ", "No such player: star bob."),
        (SENTENCE, "x" * 30, "", f"No such player: {'x' * 30}."),
        (SENTENCE, "x" * 31, "", f"No such player: {'x' * 30}...."),
        (BRACKETED, "66", "", "Invalid value for -size: 66 (3 to 14)."),
        ("Say (x) it (y) so (z).", "66", "", "Say (x) it (y) so: 66 (z)."),
        ("Without an end", "bob", "star ", "Without an end"),
    ],
)
def test_a_word_follows_a_colon_before_what_stands_in_brackets(
    message: str, about: str | None, after: str, told: str
) -> None:
    error = Refused(message, code="x", about=about, after=after, is_harmless=True)

    assert quoted(error) == told
    assert error.message == message


def test_the_value_of_an_option_is_told_with_what_it_may_be() -> None:
    error = invalid_value("size", "66", "3 to 14")

    assert quoted(error) == "Invalid value for -size: 66 (3 to 14)."
    assert (error.code, error.exit_code) == ("bad-option-value", 2)


@pytest.mark.parametrize("hint", ["", "Look it up."])
def test_what_was_wrong_stands_before_what_would_be_right(hint: str) -> None:
    assert Fault("It failed.", code="x", hint=hint).words == f"It failed. {hint}".strip()


def test_each_kind_of_error_has_its_exit_code() -> None:
    codes = {
        kind.__name__: kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, PbmservError)
    }

    assert codes == {
        "PbmservError": 70,
        "Refused": 1,
        "Misunderstood": 2,
        **dict.fromkeys(("InvalidMove", "IllegalMove", "NotFound", "Denied", "Throttled"), 1),
        "Fault": 70,
        "Postponed": 70,
        "Busy": 70,
        "Missing": 1,
        "Paused": 1,
        "CarriedOut": 3,
    }
    assert not any(
        issubclass(kind, Refused) for kind in (Missing, Paused, CarriedOut, Postponed, Busy)
    )
    assert issubclass(Misunderstood, Refused)


def test_what_can_be_mended_by_waiting_or_looking_says_so() -> None:
    told = {error.code: error.words for error in (Postponed(60), Busy(), Paused(), CarriedOut())}

    assert Postponed(60).seconds == 60
    assert Busy().seconds > 0
    assert Throttled("It was too often.", 60, code="x").seconds == 60
    assert told == {
        "password-waits": "There were too many wrong passwords by mail: this one will be checked "
        "later.",
        "busy": "The server is busy; nothing was changed. Try again in a few seconds.",
        "maintenance": "The server is under maintenance; nothing was changed. Try again later; all "
        "clocks are stopped.",
        "carried-out": "The command was carried out, but the server stopped before it could "
        "answer. Check the result before you repeat the command.",
    }
    assert not Fault("x", code="x").is_transient

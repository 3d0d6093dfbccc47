"""Refusals that more than one part of the program gives, each in one place."""

from pbmserv.errors import Denied, NotFound


def no_such_board(title: str, number: int) -> NotFound:
    """Return the error for a number that no board of the game has."""
    return NotFound(f"There is no {title} Board {number}.", code="no-such-board")


def wrong_login() -> Denied:
    """Return the one error for an unknown userid and a wrong password."""
    return Denied(
        "The userid or the password is wrong.", code="wrong-login", hint="Nothing was changed."
    )

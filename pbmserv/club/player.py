"""Players and robots: accounts, and what their userids, passwords and addresses may look like."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from collections.abc import Collection

ME = "me"
"""The word for the signed-in player, which so cannot be a userid."""

ERASED = "erased-"
"""How the userid begins that is left of an erased account."""

USERID = re.compile(r"[A-Za-z][A-Za-z0-9._-]{1,23}", re.ASCII)
PASSWORD = re.compile(r"[!-,.-~][!-~]{7,127}", re.ASCII)
COMMON = """
    abcdefgh access administrator asdfghjk asdfghjkl baseball basketball changeme charlie computer
    dragon einstein football freedom iloveyou internet jennifer letmein master michael michelle
    monkey passwd password passwort pbmserv princess qwerty qwertyui qwertyuiop secret shadow
    starstar starweb starwars sunshine superman test trustno welcome whatever
"""
"""Words that are tried first when passwords are guessed."""

ADDRESS = (
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)


class PlayerStatus(Enum):
    """Whether a player can act under a userid; the values are stored."""

    ACTIVE = "active"
    CLOSED = "closed"
    RECORDED = "recorded"
    """Known from an imported game only: has no password, and the userid can still sign up."""


class Robot(NamedTuple):
    """How a robot plays: a player whose moves the computer, or an outside program, makes.

    ``level`` is None for an outside program, whose command is in the settings.
    ``is_rated`` if its games with people may count for ratings.
    """

    level: int | None
    games: tuple[str, ...]
    is_rated: bool = False

    @property
    def words(self) -> str:
        """How it thinks, for people."""
        return "a program" if self.level is None else f"level {self.level}"


class Player(NamedTuple):
    """An account. ``password_hash`` is None for a player known from imported games only.

    ``seen_at`` is when they last did something, to the hour; ``suspended_at`` when the operator
    suspended them. ``robot`` is how the computer plays under this userid, if it does.
    """

    id: int
    userid: str
    status: PlayerStatus
    password_hash: str | None
    created_at: int
    addresses: tuple[str, ...] = ()
    seen_at: int | None = None
    suspended_at: int | None = None
    robot: Robot | None = None

    @property
    def login_hash(self) -> str | None:
        """The hash of the password that lets the player in; None unless the account is open."""
        return self.password_hash if self.status is PlayerStatus.ACTIVE else None

    @property
    def name(self) -> str:
        """The displayed name: the userid, with a mark if it is the computer's."""
        return display_name(self.userid, is_robot=self.robot is not None)

    def __repr__(self) -> str:
        return f"Player({self.id}, {self.userid!r}, {self.status.value})"


class Seat(NamedTuple):
    """A player at a board: id and userid."""

    player_id: int
    userid: str
    is_robot: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The displayed name: the userid, with a mark if it is the computer's."""
        return display_name(self.userid, is_robot=self.is_robot)


def display_name(userid: str, *, is_robot: bool) -> str:
    """Return the name of a player for people."""
    return f"{userid} (computer)" if is_robot else userid


def parse_userid(text: str) -> str:
    """Return ``text`` if it has the form of a userid; raises :class:`Misunderstood`."""
    if not USERID.fullmatch(text):
        raise Misunderstood(
            "Not a valid userid.",
            code="bad-userid",
            hint="A userid has 2 to 24 letters a to z, digits, dots, dashes or underscores, "
            "and begins with a letter.",
            about=text,
        )
    return text


def parse_password(text: str) -> str:
    """Return ``text`` if it has the form of a password; raises :class:`Misunderstood`."""
    if not PASSWORD.fullmatch(text):
        raise Misunderstood(
            "Not a valid password.",
            code="bad-password",
            hint="A password has 8 to 128 printable ASCII characters, no blanks, "
            "and does not begin with a dash.",
        )
    return text


def may_be_password(text: str) -> bool:
    """Tell whether ``text`` may be a password: it has the form of one, and not of an address."""
    return bool(PASSWORD.fullmatch(text)) and not looks_like_address(text)


def reject_reused_word(password: str, others: Collection[str]) -> None:
    """Raise :class:`Misunderstood` if a new password is a mail address or one of other words."""
    if looks_like_address(password):
        raise Misunderstood(
            "There is a mail address in place of the password.", code="address-for-password"
        )
    if password.lower() in {other.lower() for other in others}:
        raise Misunderstood(
            "The new password must differ from the other words of the command.",
            code="password-repeated",
        )


def require_strong(password: str, userid: str) -> None:
    """Raise :class:`Misunderstood` for a common word, a row of digits, or the userid."""
    # Digits and signs around it do not help, nor does the userid twice.
    letters = "".join(character for character in password.lower() if character.isalpha())
    name = "".join(character for character in userid.lower() if character.isalpha())
    is_name = bool(letters and name) and not letters.replace(name, "")
    is_monotonous = password.isdigit() or len(set(password.lower())) < 4
    if is_name or is_monotonous or letters in COMMON.split():
        raise Misunderstood(
            "That password is too easy to guess.",
            code="weak-password",
            hint="Do not use a common word, a number or your userid, even with extra characters.",
        )


def looks_like_address(text: str) -> bool:
    """Tell whether ``text`` is a mail address, also as programs write it: ``<a@b.example>,``."""
    return bool(re.fullmatch(ADDRESS, text.lower().strip("\"'<>(),;:").removeprefix("mailto:")))


def is_mail_for(address: str, own: str) -> bool:
    """Tell whether mail to ``address`` arrives at ``own``: in any case, with or without a token."""
    local, _, domain = address.rpartition("@")
    is_same = f"{local.partition('+')[0]}@{domain}".lower() == own.lower()
    return is_same and address.isascii()


def parse_address(text: str) -> str:
    """Return ``text`` if it is one plain mail address; raises :class:`Misunderstood`."""
    local, _, _ = text.partition("@")
    dots_are_right = ".." not in local and not local.startswith(".") and not local.endswith(".")
    # Readers of mail headers take "=?" for the beginning of something encoded.
    is_plain = len(text) <= 254 and "=?" not in text
    if not is_plain or not dots_are_right or not re.fullmatch(ADDRESS, text):
        raise Misunderstood(
            "Not a valid mail address.",
            code="bad-address",
            hint="An address looks like alice@example.org.",
            about=text,
        )
    return text


def format_robot(robot: Robot) -> str:
    """Return the text of a robot: ``level=4 games=star,y rated``, ``program games=hex``."""
    how = "program" if robot.level is None else f"level={robot.level}"
    return " ".join((how, f"games={','.join(robot.games)}", *["rated"] * robot.is_rated))


def parse_robot(text: str) -> Robot:
    """Return the robot of such a text; raises :class:`ValueError`."""
    how, games, *rest = text.split()
    level = None if how == "program" else int(how.removeprefix("level="))
    return Robot(level, tuple(games.removeprefix("games=").split(",")), rest == ["rated"])

"""The words that several commands take: boards, userids, passwords, numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from pbmserv.club.player import (
    ME,
    Player,
    looks_like_address,
    parse_password,
    reject_reused_word,
    require_strong,
)
from pbmserv.commands.declaration import (
    Argument,
    DeferredValue,
    Flag,
    Parameter,
    ParameterSpec,
    ParsedBy,
    Word,
)
from pbmserv.commands.grammar import ASK_PASSWORD, LEFT_OUT, AskPassword
from pbmserv.commands.slots import BOARD, PASSWORD, USERID, Slot, maybe, one_way, slot
from pbmserv.commands.words import PASSWORD_TYPE, SIGNER_TYPE
from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from pbmserv.engine.game import Game

SECRET = slot(PASSWORD)
MAX_DIGITS = 9
"""The range that every database can store and every clock can count."""

NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
WHOLE_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)
BOARD_AND_PLY = re.compile(r"([0-9]{1,9})(?:#(-?[0-9]{1,9}))?", re.ASCII)


def parse_switch(text: str) -> bool:
    """Return whether the word is on or off; raises :class:`Misunderstood`."""
    if text.lower() not in {"on", "off"}:
        raise Misunderstood("Invalid value (on or off).", code="bad-switch", about=text)
    return text.lower() == "on"


class Secret(DeferredValue):
    """A password on its way in, or ``-`` until the shell has asked for it; it never prints itself.

    A login that has not even the form of a password fails as any other: it is not checked here.
    """

    is_new = False

    def __init__(self, value: str) -> None:
        self.value = value

    def complete(self, ctx: click.Context) -> None:
        """Replace ``-`` by the answer to a question, by the door's ``ask`` in the context."""
        ask: AskPassword | None = ctx.meta.get(ASK_PASSWORD)
        if self.value in {"-", LEFT_OUT} and ask is not None:
            self.value = ask(is_new=self.is_new, is_left_out=self.value == LEFT_OUT)


class NewSecret(Secret):
    """A password that is to be stored, as a hash."""

    is_new = True

    def complete(self, ctx: click.Context) -> None:
        """Ask if need be; refuse what is not a password, likely a slip, or easy to guess."""
        super().complete(ctx)
        parse_password(self.value)
        reject_reused_word(self.value, self._others(ctx))
        require_strong(self.value, str(ctx.params.get("userid", "")))

    def _others(self, ctx: click.Context) -> list[str]:
        """Return the other words of the line."""
        others = ctx.command_path.split()
        for value in ctx.params.values():
            words = value if isinstance(value, tuple) else (value,)
            for word in words:
                if word is not self and isinstance(word, str | Secret):
                    others.append(word.value if isinstance(word, Secret) else word)
        return others


class SignedInUser:
    """The mark in place of a password where ``me`` was written: the signed-in user."""


class BoardRef(NamedTuple):
    """A match by its number, and optionally after how many moves (negative: counted back)."""

    number: int
    ply: int | None = None


class SecretWord(ParsedBy):
    """A password, which is read exactly as it stands."""

    name = PASSWORD_TYPE


class SignerName(click.ParamType[Any]):
    """The userid of who signs, where a board's number or a mail address is a slip."""

    name = SIGNER_TYPE

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word; raises :class:`Misunderstood` for a number or an address."""
        del param, ctx
        if NUMBER.fullmatch(value):
            raise Misunderstood("Not a userid.", code="bad-userid", about=value)
        if looks_like_address(value):
            raise Misunderstood("Write your userid, not a mail address.", code="bad-userid")
        return value


@dataclass(eq=False, repr=False)
class Login(ParameterSpec):
    """Userid and password, or ``me``; the function is given the player they prove.

    The door finds them under ``userid`` and ``password``. ``takes_me`` is off where an unlocked
    terminal must not be enough. With ``asks`` the password may be left out, as if it were ``-``.
    """

    password: Slot = SECRET
    takes_me: bool = True
    asks: bool = False
    gives = Player
    is_login = True

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the two words."""
        del declared, game
        # To click a default of None is a value too, with which nothing would be missing.
        default: dict[str, Any] = {"default": "-"} if self.asks else {}
        return [
            Argument("userid", one_way(slot(USERID)), type=SignerName()),
            Argument("password", one_way(self.password), type=SecretWord(Secret), **default),
        ]

    def expand_me(self, ctx: click.Context, words: list[str], place: int) -> list[str]:
        """Return the words but for a ``me`` at this place that stands for userid and password.

        Raises :class:`Misunderstood` where the password itself is asked for.
        """
        if [word.lower() for word in words[place : place + 1]] != [ME]:
            if [word.lower() for word in words[place + 1 : place + 2]] == [ME] and self.takes_me:
                raise Misunderstood("Unexpected argument.", code="surplus-word", about=words[place])
            return words
        if not self.takes_me:
            raise Misunderstood(
                "This command needs the password itself; me is not enough.",
                code="password-wanted",
            )
        sign_as_me(ctx)
        return [*words[:place], *words[place + 1 :]]


@dataclass(eq=False, repr=False)
class OptionalLogin(Login):
    """The same words, which may be left out together; then the function is given None."""

    gives = Player | None

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the two words."""
        del declared, game
        userid = maybe(USERID)._replace(closes=False)
        password = maybe(PASSWORD)._replace(opens=False)
        may_miss: dict[str, Any] = {"required": False, "default": None}
        secret = SecretWord(Secret)
        return [
            Argument("userid", one_way(userid), type=SignerName(), **may_miss),
            Argument(
                "password", one_way(password), type=secret, callback=_both_or_none, **may_miss
            ),
        ]


def _both_or_none(ctx: click.Context, param: click.Parameter, value: object) -> object:
    """Return the password; raises :class:`Misunderstood` for a userid without one."""
    del param
    if value is None and ctx.params.get("userid") is not None:
        raise Misunderstood("Missing argument: PASSWORD.", code="missing-word")
    return value


@dataclass(eq=False, repr=False)
class NewPassword(ParameterSpec):
    """A password to be stored; the function is given its hash."""

    slots: Slot = SECRET

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one word."""
        del game
        kind = SecretWord(NewSecret)
        required = declared.is_required
        return [Argument(declared.name, one_way(self.slots), required=required, type=kind)]

    def type_of(self, declared: Parameter) -> Any:
        """Return the type of hashes."""
        return str if declared.is_required else str | None


def sign_as_me(ctx: click.Context) -> None:
    """Let userid and password be those of the signed-in user."""
    ctx.params.update(userid=ME, password=SignedInUser())


def parse_match_number(text: str) -> int:
    """Return the number of a match; raises :class:`Misunderstood`."""
    if not NUMBER.fullmatch(text):
        raise Misunderstood(
            "Not a board number.",
            code="bad-board",
            hint="Boards are numbered from 101.",
            about=text,
        )
    return int(text)


def parse_board_and_ply(text: str) -> BoardRef:
    """Return a match and a moment of it, ``101#7``; raises :class:`Misunderstood`."""
    match = BOARD_AND_PLY.fullmatch(text)
    if match is None:
        raise Misunderstood(
            "Not a board number.",
            code="bad-board",
            hint="Write 101, or 101#7 for the board as it was after seven moves.",
            about=text,
        )
    return BoardRef(int(match[1]), None if match[2] is None else int(match[2]))


def parse_whole_number(text: str) -> int:
    """Return a whole number, which may be negative; raises :class:`Misunderstood`."""
    if not WHOLE_NUMBER.fullmatch(text):
        raise Misunderstood("Not a whole number.", code="bad-number", about=text)
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise Misunderstood(
            "The number is too large.",
            code="bad-number",
            hint=f"Numbers have at most {MAX_DIGITS} digits.",
            about=text,
        )
    return int(text)


MatchNumber = Annotated[int, Word(slot(BOARD), parse_match_number)]
Userid = Annotated[str, Word(slot(USERID))]
Userids = Annotated[tuple[str, ...], Word(maybe(USERID, many=True))]
SignedPlayer = Annotated[Player, Login()]
NewPasswordHash = Annotated[str, NewPassword()]
Force = Annotated[bool, Flag("overwrite an existing file")]
Unrated = Annotated[bool, Flag("the game does not count for ratings")]

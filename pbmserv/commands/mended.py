"""The line that the words behind a command were likely meant to be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from pbmserv.club.player import ME, USERID, may_be_password
from pbmserv.club.selectors import CHOOSING
from pbmserv.commands.repairs import (
    IN_A_SHELL,
    NOISE,
    ORDERS,
    REPAIRS,
    TURN,
    as_they_are,
    first_command,
    with_colon,
)
from pbmserv.commands.said import FILLERS, UNPROPOSED, is_said, plain
from pbmserv.commands.slots import TO, WORD, Kind
from pbmserv.commands.words import PASSWORD_TYPE
from pbmserv.errors import PbmservError, may_quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pbmserv.commands.declaration import Argument
    from pbmserv.commands.grammar import Verb
    from pbmserv.commands.repairs import Order, Words

PLANNED = re.compile(rf"{TURN.pattern}(?:[:/]{TURN.pattern})*", re.ASCII)
VOTES = frozenset({"accept", "none", "pass", "propose", "reject", "swap", "undo"})
"""What may stand for a move, and loses nothing."""

NUMBERS = re.compile(r"#?-?[0-9]{1,7}(?:#-?[0-9]{1,7})?", re.ASCII)
SHORT = re.compile(r"[0-9]{1,7}", re.ASCII)
LEAST_SAID = 3
"""From so many words on, one is rather a text than the name of another player."""

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
SEATED = CHOOSING | {ME}
OWN_WORDS = CHOOSING | {"until", "off", "on", ME}
"""Words of the language that stand in place of others."""


def mended(
    verb: Verb, ctx: click.Context, words: Words, *, in_shell: bool, is_new: bool = False
) -> str:
    """Return the line that the words were likely meant to be, as far as it may be shown.

    It is one that is understood, and is not what was typed unless that ``is_new`` behind this
    command. Nothing is returned where there is none, or where a word of it may be a secret.
    """
    if verb.name in UNPROPOSED:
        return ""
    if words and not is_new and {*map(str.lower, words)} <= FILLERS:
        return _line(verb, ctx, [], in_shell=in_shell)
    not_now: set[Order] = set() if in_shell else {*IN_A_SHELL}
    if not is_new and len(words) < LEAST_SAID:
        not_now.add(with_colon)
    orders = [order for order in ORDERS if order not in not_now]
    for found in _ways(verb, words, orders):
        is_other = found and (is_new or found != [*words])
        if is_other and (line := _line(verb, ctx, found, in_shell=in_shell)):
            return line
    return ""


def _ways(verb: Verb, words: Words, orders: Sequence[Order]) -> Iterator[list[str]]:
    """Yield the words as they may have been meant: all of them, or those of a first command."""
    for start in dict.fromkeys((tuple(words), tuple(first_command(words)))):
        tidy = [*start]
        for repair in (as_they_are, *REPAIRS):
            tidy = repair(verb, tidy)
            yield from (order(verb, tidy) for order in orders)


def _line(verb: Verb, ctx: click.Context, words: Words, *, in_shell: bool) -> str:
    """Return the whole line if the words are understood and may be shown."""
    trial = click.Context(verb, info_name=ctx.info_name, obj=ctx.obj)
    try:
        options, arguments, others = verb.tried(trial, words)
    except (PbmservError, click.UsageError):
        return ""
    shown = [_shown_option(option, in_shell=in_shell) for option in options]
    left = [*others]
    for param in verb.arguments:
        if param not in arguments:
            shown += [ME] if param.name == "userid" else []
            continue
        count = 1 if param.nargs == 1 else len(left)
        of_it, left = left[:count], left[count:]
        shown += [_shown(word, param, in_shell=in_shell) for word in of_it]
    if ME in map(str.lower, shown) and not in_shell:
        return ""
    path = ctx.command_path if verb.game is None else ctx.command_path.partition(" ")[2]
    words_shown = [*shown[len(options) :], *shown[: len(options)]]
    return " ".join([path, *words_shown]) if all(shown) else ""


def _shown_option(option: str, *, in_shell: bool) -> str:
    """Return an option as it is shown, or nothing where its value may be a secret."""
    value = option.partition("=")[2]
    return (
        option[1:] if not value or SHORT.fullmatch(value) or (in_shell and may_quote(value)) else ""
    )


def _shown(word: str, param: Argument, *, in_shell: bool) -> str:
    """Return a word as it is shown in its place, nothing where it may not be shown or stand."""
    ways = param.ways
    (first, *_), *others = ways.ways
    kinds, is_userid = ways.kinds, first.kinds == {Kind.PLAYER} and not others
    quote = word if in_shell and may_quote(word) else ""
    own = SEATED if is_userid else OWN_WORDS
    shown_as: tuple[tuple[object, str], ...] = (
        (param.type.name == PASSWORD_TYPE, "PASSWORD" if may_be_password(word) else ""),
        (TO in first.parts and plain(word) in {"to", "with"}, ""),
        (Kind.TEXT in kinds, quote or "..."),
        ("new" in ways.words and word.lower() == "new", word),
        (Kind.MOVE in kinds, word * _is_move(word)),
        (NUMBERS.fullmatch(word) and may_quote(word), word),
        (word.lower() in own, word),
        (Kind.DATE in kinds and DATE.fullmatch(word), "YYYY-MM-DD"),
        (WORD in first.parts and is_said(word), ""),
        (Kind.PLAYER in kinds and TO not in first.parts, _shown_name(word, str(ways), quote)),
        (Kind.BOARD in kinds or len(first.parts) > 1 or others, ""),
    )
    return next((shown for is_it, shown in shown_as if is_it), quote)


def _is_move(word: str) -> bool:
    return word.lower() in VOTES or PLANNED.fullmatch(word) is not None


def _shown_name(word: str, name: str, quote: str) -> str:
    """Return a word that may be a userid as it is shown, nothing where it is none."""
    is_name = USERID.fullmatch(word) and not is_said(word) and plain(word) not in NOISE
    return (quote or name * name.isalnum()) if is_name else ""

"""What is said of words that a command does not understand, or that a call failed for."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from pbmserv.club.player import PASSWORD, USERID, may_be_password
from pbmserv.club.word_forms import BETWEEN
from pbmserv.commands.declaration import Argument
from pbmserv.commands.game_options import WORDS
from pbmserv.commands.mended import OWN_WORDS, mended
from pbmserv.commands.repairs import NOISE
from pbmserv.commands.said import (
    CELL,
    COMPUTER,
    argument_hint,
    instead_hint,
    is_known,
    meant,
    misplaced_hint,
    option_meant,
    option_told,
    plain,
    player_hint,
)
from pbmserv.commands.words import MENDED, SIGNER_TYPE, WRONG_WORDS
from pbmserv.engine.games import game_names
from pbmserv.errors import Misunderstood, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.commands.grammar import Call, Verb
    from pbmserv.errors import InvalidMove

TIMES = ("day", "week", "month")
NO_NAME = re.compile(f"{PASSWORD.pattern}|{CELL.pattern}", re.ASCII)


def explain(
    verb: Verb,
    ctx: click.Context,
    error: Misunderstood | NotFound,
    words: Sequence[str],
    *,
    in_shell: bool,
    is_whole: bool,
) -> None:
    """Have the hint say what was likely meant, and the syntax where words were wrong.

    ``is_whole`` tells whether the words are all that the command takes, and none is known anyway.
    """
    if isinstance(error, NotFound):
        error.is_harmless = is_known(error.about or "", game_names())
    if is_whole and (error.code in MENDED or isinstance(error, NotFound)):
        line = _in_game_named(verb, ctx, words, in_shell=in_shell)
        line = line or mended(verb, ctx, words, in_shell=in_shell)
        if line:
            error.hint = f"Did you mean {line}?"
            return
    if isinstance(error, NotFound):
        error.hint = argument_hint(ctx.command_path, error.about or "", words, error.hint)
        return
    if error.code == "no-such-option" and not error.hint:
        error.hint = option_told(verb.name or "", error.about or "")
    _add_syntax(verb, ctx, error, words)


def _in_game_named(verb: Verb, ctx: click.Context, words: Sequence[str], *, in_shell: bool) -> str:
    """Return the line for another game that the first or last word names: ``alice bob hex``."""
    said = [word for word in words if not word.startswith("-")]
    game = next((word for word in said[:1] + said[-1:] if word.lower() in game_names()), "")
    if verb.game is None or not game or game.lower() == verb.game.name:
        return ""
    command = ctx.obj.get_command(ctx, game).get_command(ctx, verb.name)
    path = f"{ctx.obj.name} {game.lower()} {verb.name}"
    other = click.Context(command, info_name=path, obj=ctx.obj)
    rest = [word for word in words if word is not game]
    return mended(command, other, rest, in_shell=in_shell, is_new=True)


def _add_syntax(verb: Verb, ctx: click.Context, error: Misunderstood, words: Sequence[str]) -> None:
    """Have the hint say where words belong that are out of place, and what would be right."""
    is_wrong = error.code in WRONG_WORDS
    is_out_of_place = error.code == "bad-board" and not (error.about or "0")[:1].isdigit()
    is_unexplained = (is_wrong or error.code == "bad-userid") and not error.hint
    if is_unexplained or is_out_of_place or error.code == "missing-word":
        instead = instead_hint(ctx.command_path, error.about or "", words)
        exchanged = _exchanged_hint(words) if error.code == "missing-word" else ""
        error.hint = "\n".join(filter(None, (exchanged, error.hint, instead)))
    is_told = error.hint or error.code == "bad-option-value"
    if is_out_of_place and verb.shows_board:
        error.hint += "\nIf you meant a player: pbmserv stats USERID"
    if not is_told or is_out_of_place or is_wrong:
        error.hint = "\n".join(filter(None, (error.hint, f"Syntax: {verb.syntax(ctx)}")))


def surplus_error(
    verb: Verb, ctx: click.Context, arguments: Sequence[Argument], others: Sequence[str]
) -> Misunderstood:
    """Return the error for a word that no argument is left for, with the option that it may be."""
    for param, word in zip(arguments, others, strict=False):
        if param.type.name == SIGNER_TYPE:
            param.type.convert(word, param, ctx)  # a board in its place says more
    surplus = next((word for word in others if word.lower() in BETWEEN), others[len(arguments)])
    return Misunderstood(
        "Unexpected argument.",
        code="surplus-word",
        hint=_as_option(verb, others[others.index(surplus) :]),
        about=surplus,
    )


def _as_option(verb: Verb, words: Sequence[str]) -> str:
    """Return the option that the first of the words names, or is the value of, if any."""
    first, *rest = (word.lower().lstrip("-") for word in words[:3])
    number = next(filter(str.isdigit, (first, *rest[:1])), "")
    name = option_meant(first, [each.name for each in verb.known]) or first
    if first.isdigit():
        name = "forfeittime" if any(word.startswith(TIMES) for word in rest) else "size"
    option = next((each for each in verb.known if each.name == name), None)
    if option is None:
        return ""
    value = "" if option.is_flag else f"={number or '...'}"
    return f"Did you mean -{option.name}{value}?"


def explain_move(call: Call, error: InvalidMove, *, in_shell: bool) -> None:
    """Have the hint say the line that was meant, where the move is a word that is none."""
    line = _mended(call, "", in_shell=in_shell)
    if line and (error.about or line) not in line:
        error.hint = line


def explain_player(call: Call, about: str, error: NotFound, *, in_shell: bool) -> None:
    """Have the hint say what was meant by a word that is no player's userid."""
    if "signup" in error.hint:  # where nothing better is known
        error.hint = misplaced_hint(about) or error.hint
    line = _mended(call, about, in_shell=in_shell)
    error.hint = line or player_hint(call.path, about, in_shell=in_shell) or error.hint
    error.is_harmless |= is_known(about, ())


def misread_hint(call: Call) -> str:
    """Return what is said where other words may stand for userid and password, or a slip."""
    userid, password = words = call.params["userid"], call.params["password"].value
    if PASSWORD.fullmatch(password) and plain(userid) not in NOISE:
        is_capital = bool(password == password.capitalize() != password.lower())
        return "Capital letters count: a telephone may have made the first one." * is_capital
    return "\n".join(filter(None, (_exchanged_hint(words), f"Syntax: {call.syntax}")))


def _exchanged_hint(words: Sequence[str]) -> str:
    """Return what is said of what may be a password before what can only be a userid."""
    names = [after for word, after in pairwise(words) if may_be_password(word)]
    names = [name for name in names if not is_known(name, [*WORDS, *OWN_WORDS])]
    is_exchanged = any(USERID.fullmatch(name) and not NO_NAME.fullmatch(name) for name in names)
    return "Userid and password may be exchanged: the userid comes first." * is_exchanged


def _mended(call: Call, about: str, *, in_shell: bool) -> str:
    """Return a hint with the line that was meant, if the word that it is about says nothing."""
    said = meant("player", [about]).replace(COMPUTER, "")
    is_noise = plain(about) in NOISE or not about[-1:].isalnum()
    if not call.words or not (said or is_noise):
        return ""
    ctx = click.Context(call.verb, info_name=call.path)
    words = [said or word if word == about else word for word in call.words]
    line = mended(call.verb, ctx, words, in_shell=in_shell, is_new=bool(said))
    return f"Did you mean {line}?" if line else ""

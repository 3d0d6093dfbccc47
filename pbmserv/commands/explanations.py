"""Explanations of words that a command does not understand, or that made a call fail."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import click

from pbmserv.club.player import ME, PASSWORD, USERID, may_be_password
from pbmserv.club.selectors import CHOOSING, SELECTORS
from pbmserv.club.word_forms import nearest
from pbmserv.commands.filling import own_line, says_nothing
from pbmserv.commands.game_options import WORDS
from pbmserv.commands.grammar import Group
from pbmserv.commands.guess import Elsewhere, Meant, guess, guess_behind
from pbmserv.commands.help import verbs
from pbmserv.commands.synonyms import (
    BOARD,
    CELL,
    MIN_DIGITS,
    board_among,
    is_known,
    is_said,
    meaning_of,
    no_notes,
    option_meant,
    plain,
    player_meant,
    words_of,
)
from pbmserv.commands.words import MENDED, WRONG_WORDS
from pbmserv.engine.games import SAMPLE_GAME, game_names
from pbmserv.errors import InvalidMove, Misunderstood, NotFound, PbmservError, Refused
from pbmserv.services.session import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.commands.grammar import Call, Command, Resolved

COMPUTER = "play"

NAMED = 'Put a name of several words in quotation marks: "Spring Cup"'
INSTEAD: Mapping[str, str] = {
    "accept": "To accept an offer: GAME move BOARD USERID PASSWORD accept; "
    "a challenge needs no answer",
    "reject": "To reject an offer: GAME move BOARD USERID PASSWORD reject; "
    "a challenge: pbmserv help GAME resign",
    "send": "To try the settings: pbmserv mail test ADDRESS",
    "chat": "To write to a player: pbmserv message alice PASSWORD bob: hello",
    "challenge": "Name both players, as in: GAME challenge alice bob",
    "challenge -": "The player named first plays X and moves first.",
    "message": "Write the password before the names, as in: message alice PASSWORD bob: hello",
    "import": "Name a file or a link, or give the record on standard input.",
    "reset": "To get a token by mail: reset USERID",
}
"""For a command with wrong words: another likely command, or an example of right words."""

OF_A_PLAYER: Mapping[str, str] = {
    "list": "pbmserv all show USERID",
    "play": f"pbmserv {SAMPLE_GAME} challenge me USERID",
    "mail": "pbmserv message",
    "admin remove": "pbmserv help admin close",
    "admin show": "pbmserv admin player USERID",
    "admin robot": "pbmserv admin robot show USERID",
}
"""Commands about a player whose userid may follow these names."""


def suggest(error: PbmservError, answer: Meant | Elsewhere | None) -> bool:
    """Put an answer into an error, in place of its hint; tell whether there is one."""
    if answer is not None:
        error.meant = answer.line if isinstance(answer, Meant) else ""
        error.hint = answer.sentence if isinstance(answer, Elsewhere) else ""
    return answer is not None


def unknown_option(
    root: Group, family: click.Command, ctx: click.Context, words: Sequence[str]
) -> Misunderstood:
    """Return the error for an option where a command should stand, which may be its name."""
    about = words[0].partition("=")[0]
    error = Misunderstood("No such option.", code="no-such-option", about=about)
    words = [about.lstrip("-"), *words[1:]]
    if isinstance(family, Group) and len(words[0]) > 1:
        suggest(error, guess(root, ctx.command_path.split(" ")[1:], words))
        error.is_harmless = is_known(words[0], family.known_words())
    return error


def unknown_word(found: Resolved) -> Misunderstood:
    """Return the error for words of which the first left is no command, with a likely one."""
    root, family, words = found.root, found.command, found.left
    if not isinstance(family, Group):
        raise TypeError(f"{found.path} is not a command group.")
    path = (family.name or "") if family.find_game is not None else found.path
    names = path.removeprefix("pbmserv").strip()
    known = [*family.known_words(), *root.known_words(), *verbs(root), *words_of("elsewhere")]
    error = Misunderstood(
        "No such command." if names else "No such command or game.",
        code="no-such-command",
        hint=f"All commands: {path} -h",
        about=words[0] if words[0].strip() else None,
        after=f"{names} " * bool(names),
        is_harmless=is_known(words[0], known),
    )
    if suggest(error, guess(root, found.path.split(" ")[1:], words)):
        return error
    own = family.list_commands(None)
    if len(own) == 1:
        page = "help " * meaning_of(f"{names} {own[0]}".split()).is_ending
        error.meant, error.hint = f"pbmserv {page}{names} {own[0]}", ""
    elif names and root.has(words[0]):
        error.hint = f"Write this command without {names}."
    of_player = f"{names} games USERID" if names in game_names() else OF_A_PLAYER.get(names)
    if of_player and USERID.fullmatch(words[0]):
        error.hint += f"\nIf you meant a player: {of_player}"
    return error


def explain(
    verb: Command,
    ctx: click.Context,
    error: Misunderstood | NotFound,
    words: Sequence[str],
    *,
    is_whole: bool,
) -> None:
    """Say in an error what was likely meant, and the syntax where words were wrong.

    ``is_whole`` tells whether the words are all that the command takes, and none is known anyway.
    """
    is_wrong_name = isinstance(error, NotFound)
    error.is_harmless |= is_wrong_name and is_known(error.about or "", game_names())
    if error.code == "no-such-option" and _explain_option(verb, error):
        return
    can_be_mended = is_whole and (is_wrong_name or error.code in MENDED)
    names = ctx.command_path.split(" ")[1:]
    if can_be_mended and suggest(error, guess_behind(ctx.obj, names, words)):
        error.hint = _exchanged_hint(words) if error.code == "missing-word" else ""
        return
    if is_wrong_name:
        _explain_argument(ctx.command_path, error)
        return
    _add_syntax(verb, ctx, error, words)


def _explain_option(verb: Command, error: PbmservError) -> bool:
    """Say which option was likely meant; tell whether it is known what else was."""
    name, own = (error.about or "").lstrip("-").lower(), [option.name for option in verb.known]
    error.is_harmless = is_known(name, own)
    told = no_notes([name]) or option_told(verb.name or "", name)
    near = nearest(option_meant(name, own) or name, own)
    error.meant = f"-{near}" if near and not told else ""
    error.hint = told or "This command takes no options." * (not own)
    return bool(told)


def _explain_argument(path: str, error: PbmservError) -> None:
    """Add the likely meaning of a word in place of a game."""
    word, place = error.about or "", path.partition(" ")[2]
    if near := nearest(word, game_names()):
        error.meant, error.hint = f"{path} {near}", ""
    elif board := board_among([word]):
        shown = {
            "list": f"{SAMPLE_GAME} show {board}",
            "play": f"pbmserv {SAMPLE_GAME} play {board} me",
        }
        error.meant, error.hint = shown.get(place, f"{path} {SAMPLE_GAME} {board}"), ""
    elif place in OF_A_PLAYER:
        error.hint += f"\nIf you meant a player: {OF_A_PLAYER[place]}"


def _add_syntax(
    verb: Command, ctx: click.Context, error: PbmservError, words: Sequence[str]
) -> None:
    """Add the places of misplaced words, and a right line."""
    is_wrong = error.code in WRONG_WORDS
    is_out_of_place = error.code == "bad-board" and not (error.about or "0")[:1].isdigit()
    is_unexplained = (is_wrong or error.code == "bad-userid") and not error.advice
    if is_unexplained or is_out_of_place or error.code == "missing-word":
        instead = _instead(ctx.command_path, error.about or "", words)
        exchanged = _exchanged_hint(words) if error.code == "missing-word" else ""
        error.hint = "\n".join(filter(None, (exchanged, error.hint, instead)))
    is_told = error.advice or error.code == "bad-option-value"
    if is_out_of_place and verb.shows_board:
        error.hint += "\nIf you meant a player: pbmserv stats USERID"
    if not is_told or is_out_of_place or is_wrong:
        error.syntax = verb.syntax(ctx)


def _instead(path: str, about: str, words: Sequence[str]) -> str:
    """Return another command that may have been meant, or an example of this one.

    ``about`` is the one of the ``words`` that was wrong, if one was.
    """
    *before, verb = path.split(" ")
    is_named = words[1:] and before[-1] == "tournament"
    line = NAMED if is_named else option_told(verb, about) or INSTEAD.get(verb, "")
    return line.replace("GAME", before[-1]).replace("BOARD", board_among([about]) or "BOARD")


def option_told(verb: str, word: str) -> str:
    """Return the answer to a word or option that people look for but that does not exist."""
    return INSTEAD.get(f"{verb} -", "") if plain(word) in words_of("seating") else ""


def explain_answer(call: Call, error: Refused, source: Source | None) -> None:
    """Say in the error of a call, from a shell or another source, what was likely meant."""
    in_shell = source in (None, Source.SHELL)
    if isinstance(error, InvalidMove):
        _explain_move(call, error, in_shell=in_shell)
    elif error.code == "no-such-player" and isinstance(error, NotFound):
        _explain_player(call, error, in_shell=in_shell)
    elif error.code == "no-text" and source not in (None, Source.MAIL):
        error.syntax = call.syntax


def _explain_move(call: Call, error: InvalidMove, *, in_shell: bool) -> None:
    """Say which line was meant, where the move is a word that is none."""
    ctx = click.Context(call.verb, info_name=call.path)
    line = call.words and own_line(call.verb, ctx, call.words, in_shell=in_shell)
    if line and (error.about or line).upper() not in line.upper().split():
        error.meant, error.hint = line, ""


def _explain_player(call: Call, error: NotFound, *, in_shell: bool) -> None:
    """Add the likely meaning of a word that is no player's userid."""
    word = error.about or ""
    error.is_harmless |= is_known(word, ())
    said = player_meant(word)
    is_noise = says_nothing(word) or (word.isascii() and word != "" and not word[-1].isalnum())
    words = [w for w in call.words if w != word] if is_noise and not said else call.words
    ctx = click.Context(call.verb, info_name=call.path)
    is_likely = call.words and (is_noise or (said and said != COMPUTER))
    line = is_likely and own_line(call.verb, ctx, words, in_shell=in_shell, is_new=is_noise)
    if line:
        error.meant, error.hint = line, ""
    else:
        _explain_word(call.path, error, in_shell=in_shell)


def _explain_word(path: str, error: NotFound, *, in_shell: bool) -> None:
    """Add the likely meaning of a word in the place of a userid."""
    word = error.about or ""
    if meant := _meant_for_player(path, word, in_shell=in_shell):
        error.meant, error.hint = meant, ""
    elif player_meant(word) == COMPUTER:
        here = f"Play the computer with: pbmserv play {SAMPLE_GAME}\n" if in_shell else ""
        error.meant, error.hint = "", f"{here}Computer players have userids too: pbmserv players"
    elif player_meant(word):
        error.meant, error.hint = "", "Write a userid."
    elif not error.advice:
        is_word = says_nothing(word) or is_said(word)
        new = "New players sign up with: pbmserv signup USERID PASSWORD"
        other = new if word[:1].isalpha() else "A userid begins with a letter."
        error.hint = "Only userids and boards are allowed there." if is_word else other


def _meant_for_player(path: str, word: str, *, in_shell: bool) -> str:
    """Return the likely meaning of a word in the place of a userid, or nothing."""
    *before, verb = path.split(" ")
    is_in_game, board, said = before[-1] in game_names(), BOARD.fullmatch(word), player_meant(word)
    if board and (is_in_game or not word[0].isdigit()) and len(board[1]) >= MIN_DIGITS:
        return f"{f'{before[-1]} show ' * word[0].isdigit()}{board[1]}"
    if is_in_game and word.lower() in game_names():
        return f"{word.lower()} {verb}"
    if said == COMPUTER or (said == ME and not in_shell):
        return ""
    return said and f"{f'{ME} ' * (in_shell and said in SELECTORS)}{said}"


def explain_login(call: Call, error: PbmservError) -> None:
    """Add the other ways to sign, or a slip."""
    userid, password = words = call.params["userid"], call.params["password"].value
    if PASSWORD.fullmatch(password) and not says_nothing(userid):
        is_capital = bool(password == password.capitalize() != password.lower())
        more = "Capital letters count: a telephone may have made the first one." * is_capital
    else:
        more, error.syntax = _exchanged_hint(words), call.syntax
    error.hint = f"{error.hint}\n{more}".rstrip()


def _exchanged_hint(words: Sequence[str]) -> str:
    """Return the hint about a likely password before a sure userid."""
    names = [after for word, after in pairwise(words) if may_be_password(word)]
    known = [*WORDS, *CHOOSING, "until", "off", "on", ME]
    is_exchanged = any(
        USERID.fullmatch(name) and not (PASSWORD.fullmatch(name) or CELL.fullmatch(name))
        for name in names
        if not is_known(name, known)
    )
    return "Write the userid first, then the password." * is_exchanged


def explain_play(tree: Group, game: str, words: Sequence[str], error: PbmservError) -> None:
    """Add the likely meaning of words after ``play`` and a game."""
    first, *rest = words
    if option := option_meant(first, ("size", "side", "level")):
        error.meant, error.hint = f"-{option}={rest[0] if rest else '...'}", ""
    else:
        suggest(error, guess_behind(tree, (COMPUTER,), [game, *words]))

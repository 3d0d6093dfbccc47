"""From the words of a line to a call: down the tree of commands, then through the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.commands.grammar import (
    ASK_PASSWORD,
    GIVEN,
    SIGNATURE,
    Family,
    Verb,
    follow,
    naming_words,
)
from pbmserv.commands.words import MENDED
from pbmserv.engine.games import SAMPLE_GAME
from pbmserv.errors import Misunderstood, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

    from pbmserv.commands.grammar import AskPassword, Call, Resolved

HELP_OPTIONS = frozenset({"-h", "-help", "--help"})
HELP_SIGNS = frozenset({"?", "-?", "/?", "/h", "/help", "help"})
"""What asks for help behind the name of a command alone."""


def parse(
    root: Family,
    words: Sequence[str],
    ask_password: AskPassword | None = None,
    given: Mapping[str, Any] | None = None,
) -> Call:
    """Return the call that these words make; raises :class:`Misunderstood`.

    ``ask_password`` is called for every password word that is ``-``. Where values are ``given``
    by their names, such as the board, their words are left out, and userid and password too: the
    sender is known otherwise. A word ``-h`` asks for the page of what stands before it.
    """
    asked = _help_asked(root, words)
    if asked is not None:
        words = ["help", *naming_words(root, words[:asked])]
    command, context, left = resolve(root, words)
    if not isinstance(command, Verb):
        if left:
            raise _unknown_option(root, command, context, left)
        raise Misunderstood(
            "Missing command.",
            code="incomplete-command",
            hint=f"Commands: {', '.join(command.list_commands(context))}."
            if isinstance(command, Family)
            else "",
        )
    if ask_password is not None:
        context.meta[ASK_PASSWORD] = ask_password
    if given is not None:
        context.meta[GIVEN] = SIGNATURE
        context.params.update(given)
    try:
        return command.understand(context, left)
    except (Misunderstood, NotFound) as error:
        is_led = error.hint.startswith("Did you mean") or given is not None
        if not is_led and (error.code in MENDED or isinstance(error, NotFound)):
            from pbmserv.commands.meant import hint_behind

            error.hint = hint_behind(root, command, context.command_path, left) or error.hint
        raise


def _help_asked(root: Family, words: Sequence[str]) -> int | None:
    """Return at which of the words help is asked for what stands before it, None if at none."""
    asked = next((n for n, word in enumerate(words) if word.lower() in HELP_OPTIONS), None)
    if asked is not None or not words[1:] or words[-1].lower() not in HELP_SIGNS:
        return asked
    named = follow(root, words[:-1])
    is_named = isinstance(named.command, Verb) and not named.left and not named.options
    return len(words) - 1 if is_named else None


def resolve(root: Family, words: Sequence[str]) -> tuple[click.Command, click.Context, list[str]]:
    """Follow the words down the tree; return the command, its context and the words left.

    Stops at a family when the words end there; raises :class:`Misunderstood` at a word that is
    no command.
    """
    found = follow(root, words)
    if not found.is_whole:
        raise _unknown_word(found)
    return found.command, found.context, [*found.options, *found.left]


def usage_page(tree: Family, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and text of what ``-h`` prints: a command's page, or those of a group.

    Raises :class:`Misunderstood` for words that name neither, nor a verb of the games.
    """
    from pbmserv.commands.command_pages import command_page
    from pbmserv.commands.help import page

    is_verb = len(words) == 1 and follow(tree, [SAMPLE_GAME, *words]).is_whole
    if not is_verb or tree.has(words[0]):
        found, context, _ = resolve(tree, words)
        if isinstance(found, Family):
            return context.command_path, command_page(found, context)
    return page(tree, words)


def _unknown_option(
    root: Family, family: click.Command, context: click.Context, left: Sequence[str]
) -> Misunderstood:
    """Return the error for an option where a command should stand, which may be its name."""
    from pbmserv.commands import meant, said

    about = left[0].partition("=")[0]
    words = [about.lstrip("-"), *left[1:]]
    path = context.command_path.removeprefix(f"{root.name} ")
    hint, is_harmless = "", False
    if isinstance(family, Family) and len(words[0]) > 1:
        hint = meant.hint_for(root, family, words, path)
        is_harmless = said.is_known(words[0], family.known_words())
    return Misunderstood(
        "No such option.", code="no-such-option", hint=hint, about=about, is_harmless=is_harmless
    )


def _unknown_word(found: Resolved) -> Misunderstood:
    """Return the error for words of which the first left is no command, with a likely one."""
    from pbmserv.commands import meant, said
    from pbmserv.commands.help import verbs

    root, family, path, word = found.root, found.command, found.path, found.left[0]
    if not isinstance(family, Family):
        raise TypeError(f"{path} is no family.")
    if family.find_game is not None:
        path = family.name or ""
    is_root = family is root
    known = [*family.known_words(), *root.known_words(), *verbs(root), *meant.OTHER_GAMES]
    return Misunderstood(
        "No such command or game." if is_root else "No such command.",
        code="no-such-command",
        hint=meant.hint_for(root, family, found.left, path) or f"All commands: {path} -h",
        about=word if word.strip() else None,
        after="" if is_root else f"{path.removeprefix('pbmserv ')} ",
        is_harmless=said.is_known(word, known),
    )

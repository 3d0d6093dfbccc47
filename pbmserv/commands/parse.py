"""From the words of a line to a call: down the tree of commands, then through the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.commands.grammar import (
    ASK_PASSWORD,
    GIVEN,
    SIGNATURE,
    Command,
    Group,
    follow,
    naming_words,
)
from pbmserv.engine.games import SAMPLE_GAME
from pbmserv.errors import Misunderstood, NotFound, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

    from pbmserv.commands.answer import Answer
    from pbmserv.commands.grammar import AskPassword, Call
    from pbmserv.services.session import ReadSession

HELP_OPTIONS = frozenset({"-h", "-help", "--help"})
HELP_SIGNS = frozenset({"?", "-?", "/?", "/h", "/help", "help"})
"""The words that ask for help after a command's bare name."""


def parse(
    root: Group,
    words: Sequence[str],
    ask_password: AskPassword | None = None,
    given: Mapping[str, Any] | None = None,
) -> Call:
    """Return the call that these words make; raises :class:`Misunderstood`.

    ``ask_password`` is called for every password word that is ``-``. Where values are ``given``
    by their names, such as the board, their words are left out, and userid and password too: the
    sender is known otherwise. A word ``-h`` asks for the page of what stands before it.
    """
    asked = _find_help_word(root, words)
    if asked is not None:
        words = ["help", *naming_words(root, words[:asked])]
    command, context, left = resolve(root, words)
    if not isinstance(command, Command):
        if left:
            from pbmserv.commands.explanations import unknown_option

            raise unknown_option(root, command, context, left)
        raise Misunderstood(
            "Missing command.",
            code="incomplete-command",
            hint=f"Commands: {', '.join(command.list_commands(context))}."
            if isinstance(command, Group)
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
        from pbmserv.commands.explanations import explain

        explain(command, context, error, left, is_whole=given is None)
        raise


def answer_call(call: Call, session: ReadSession | None, values: Mapping[str, Any]) -> Answer:
    """Run a call with these values and return its answer; an error says the likely meaning."""
    spec, given = call.verb.spec, dict(values)
    if spec.session is not None:
        given[spec.session] = session
    if spec.login is not None and session is not None:
        given[spec.login] = session.signer
    try:
        answer: Answer = call.verb.function(**given)
    except Refused as error:
        from pbmserv.commands.explanations import explain_answer

        explain_answer(call, error, None if session is None else session.source)
        raise
    return answer


def _find_help_word(root: Group, words: Sequence[str]) -> int | None:
    """Return at which of the words help is asked for what stands before it, None if at none."""
    asked = next((n for n, word in enumerate(words) if word.lower() in HELP_OPTIONS), None)
    if asked is not None or not words[1:] or words[-1].lower() not in HELP_SIGNS:
        return asked
    named = follow(root, words[:-1])
    is_named = isinstance(named.command, Command) and not named.left and not named.options
    return len(words) - 1 if is_named else None


def resolve(root: Group, words: Sequence[str]) -> tuple[click.Command, click.Context, list[str]]:
    """Follow the words down the tree; return the command, its context and the words left.

    Stops at a family when the words end there; raises :class:`Misunderstood` at a word that is
    no command.
    """
    found = follow(root, words)
    if not found.is_whole:
        from pbmserv.commands.explanations import unknown_word

        raise unknown_word(found)
    return found.command, found.context, [*found.options, *found.left]


def usage_page(tree: Group, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and text of what ``-h`` prints: a command's page, or those of a group.

    Raises :class:`Misunderstood` for words that name neither, nor a verb of the games.
    """
    from pbmserv.commands.command_pages import command_page
    from pbmserv.commands.help import page

    is_verb = len(words) == 1 and follow(tree, [SAMPLE_GAME, *words]).is_whole
    if not is_verb or tree.has(words[0]):
        found, context, _ = resolve(tree, words)
        if isinstance(found, Group):
            return context.command_path, command_page(found, context)
    return page(tree, words)

"""The grammar: click commands that know the server's own rules for words and options.

A command is a function that declares its words (see declaration.py); a :class:`Family` finds it
through a table of names, imports its module when it is called for, and makes a :class:`Verb` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Annotation, Function, ReadLast, ShellRun, recipe_of
from pbmserv.commands.words import OptionName, drop_marks, likely, sort_out_options
from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from pbmserv.engine.game import Game
    from pbmserv.services.session import ReadSession

ASK_PASSWORD = "pbmserv.ask_password"  # noqa: S105 - where a context keeps the function
AskPassword = Callable[[bool], str]
"""Returns a password from somewhere safe; told whether a new one is to be chosen."""

GIVEN = "pbmserv.given"
"""Where a context keeps the names of the words that are not to be read."""

SIGNATURE = frozenset({"userid", "password"})
"""The names of the words that say who sends a command."""


class MailSender(Enum):
    """Whose mail may hold a command where no password and no reply token says who sends it."""

    ANYONE = "anyone"
    ON_FILE = "a player, by the address"
    NAMED = "one of the two players that the command names"
    NOBODY = "nobody, with a password neither"


class ShortAnswer(Enum):
    """How a command is written in an answer whose reply token stands for board and password."""

    NONE = "not at all"
    NAMED = "its name, then its own words: resign"
    UNNAMED = "its own words alone: F6"
    OFF = "its name and off, where the answer is about no board: digest off"


class ByMail(NamedTuple):
    """What may be done with a command by mail.

    ``old_token`` tells whether a reply token is good for it although the board has changed since
    the token was made, while the game lasts.
    """

    sender: MailSender = MailSender.ON_FILE
    answers_strangers: bool = False
    short_answer: ShortAnswer = ShortAnswer.NONE
    old_token: bool = False


class Entry(NamedTuple):
    """One row of a table of commands: where it is, what it does, how else it may be written.

    ``target`` is ``module:function``; ``shortest`` is the least number of letters to which the
    name may be cut, 0 for none. In a shell a few commands make a database where there is none,
    and those ``for_operators`` go on during maintenance.
    """

    target: str
    summary: str
    synonyms: tuple[str, ...] = ()
    shortest: int = 0
    by_mail: ByMail = ByMail()
    creates_database: bool = False
    for_operators: bool = False


Table = Mapping[str, Entry]


class Verb(click.Command):
    """A command that can be parsed now and run later, inside the door's transaction."""

    def __init__(
        self, name: str, function: Function, game: type[Game] | None, entry: Entry
    ) -> None:
        self.recipe = recipe_of(function)
        params = [p for each in self.recipe.parameters for p in each.stands.params(each, game)]
        super().__init__(
            name,
            params=params,
            help=function.__doc__,
            short_help=entry.summary,
            add_help_option=False,
        )
        self.function = function
        self.entry = entry
        self.game = game

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the words and options that are to be read: all but those given before."""
        given = ctx.meta.get(GIVEN, ())
        return [param for param in super().get_params(ctx) if param.name not in given]

    def understand(self, ctx: click.Context, words: Sequence[str]) -> Call:
        """Return the call that these words make; raises :class:`Misunderstood`.

        Where click would print its own words, the error has ours.
        """
        known = [
            OptionName(option_name(param), param.is_flag)
            for param in self.params
            if isinstance(param, click.Option)
        ]
        try:
            self.parse_args(ctx, self._without_me(ctx, sort_out_options(words, known)))
            return self._call(ctx)
        except Misunderstood as error:
            error.hint = " ".join(filter(None, (error.hint, f"Syntax: {self.syntax(ctx)}")))
            raise
        except click.MissingParameter as error:
            name = error.param.make_metavar(ctx) if error.param else "a word"
            raise Misunderstood(
                f"A word is missing: {name}.",
                code="missing-word",
                hint=f"Syntax: {self.syntax(ctx)}",
            ) from None
        except click.UsageError:
            raise Misunderstood(
                "There are more words than this command takes.",
                code="surplus-word",
                hint=f"Syntax: {self.syntax(ctx)}",
            ) from None

    def _without_me(self, ctx: click.Context, words: list[str]) -> list[str]:
        """Return the sorted words without the ``me`` in place of userid and password, if any."""
        names = [p.name for p in self.get_params(ctx) if isinstance(p, click.Argument)]
        if self.login is None or "userid" not in names:
            return words
        return self.login.take_me(ctx, words, words.index("--") + 1 + names.index("userid"))

    @property
    def login(self) -> Annotation | None:
        """What stands for the player who signs, if anything does."""
        found = (each.stands for each in self.recipe.parameters if each.stands.is_login)
        return next(found, None)

    def _call(self, ctx: click.Context) -> Call:
        """Return the call of words that were read; raises :class:`Misunderstood` for a clash."""
        recipe = self.recipe
        values = {
            each.name: each.stands.value(each, ctx)
            for each in recipe.parameters
            if not each.stands.is_login
        }
        if recipe.check is not None:
            recipe.check(**{name: values[name] for name in recipe.check_names})
        for value in ctx.params.values():
            if isinstance(value, ReadLast):
                value.read_last(ctx)
        access = recipe.access if isinstance(recipe.access, Access) else recipe.access(values)
        match_key, number = None, ctx.params.get("number")
        if self.game is not None and isinstance(number, int):
            match_key = self.game.name, number
        return Call(self, ctx.command_path, dict(ctx.params), values, access, match_key)

    def options(self) -> list[click.Option]:
        """Return the options that are shown to people."""
        found = [param for param in self.params if isinstance(param, click.Option)]
        return [option for option in found if not option.hidden]

    def syntax(self, ctx: click.Context) -> str:
        """Return the command in one line, as it is to be written."""
        words = [p.make_metavar(ctx) for p in self.params if isinstance(p, click.Argument)]
        options = [_option_syntax(option) for option in self.options()]
        usages = [each.stands.usage for each in self.recipe.parameters if each.stands.usage]
        path = ctx.command_path
        # "star move ..." is what players write; the shell has a script of that name too.
        start = path if self.game is None else path.partition(" ")[2]
        return " ".join([start, *words, *options, *usages])


def option_name(option: click.Option) -> str:
    """Return the full name of an option, as players write it."""
    return option.opts[0].lstrip("-")


def _option_syntax(param: click.Option) -> str:
    name = option_name(param)
    return f"[-{name}]" if param.is_flag else f"[-{name}={param.metavar or 'VALUE'}]"


class Family(click.Group):
    """A group of commands found through a table, each imported only when it is called for."""

    def __init__(
        self,
        name: str,
        table: Table,
        *,
        game: Callable[[], type[Game]] | None = None,
        families: Mapping[str, Callable[[], Family]] | None = None,
        summary: str = "",
    ) -> None:
        super().__init__(name, short_help=summary, add_help_option=False)
        self.table = table
        self.find_game = game
        self.families = families or {}

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        """Return the names of all commands and families, without importing any."""
        del ctx
        return [*self.table, *self.families]

    def summaries(self) -> list[tuple[str, str]]:
        """Return each command's name and what it does, without importing any."""
        return [(name, entry.summary) for name, entry in self.table.items()]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Return the command so called, by any of its names; None if there is none."""
        del ctx
        word = cmd_name.lower()
        if word in self.families:
            return self.families[word]()
        name = self.full_name(word)
        if name is None:
            return None
        module, _, attribute = self.table[name].target.partition(":")
        function = getattr(import_module(module), attribute)
        game = self.find_game() if self.find_game else None
        return Verb(name, function, game, self.table[name])

    def full_name(self, word: str) -> str | None:
        """Return the name in the table that ``word`` stands for: itself, a synonym or shortened."""
        if word in self.table:
            return word
        for name, entry in self.table.items():
            is_short = entry.shortest and len(word) >= entry.shortest and name.startswith(word)
            if is_short or word in entry.synonyms:
                return name
        return None

    def hint_for(self, word: str) -> str:
        """Return what a word that is no command here was likely meant to be, if anything."""
        # A synonym only where no name is near: one of them is itself a slip of the pen.
        return likely(word, self.list_commands(None)) or likely(word, self.known_words())

    def known_words(self) -> list[str]:
        """Return every full word that may stand here."""
        synonyms = [word for entry in self.table.values() for word in entry.synonyms]
        return [*self.table, *self.families, *synonyms]


class Call(NamedTuple):
    """A line that was understood: which command, with which words, as which values.

    ``params`` are the words by name, ``userid``, ``password`` and ``number`` (of a match) among
    them; ``values`` are what the function is given, but for the player who signs. ``access`` is
    what this call needs of the database, ``match_key`` game and number of the match it is about.
    """

    verb: Verb
    path: str
    params: dict[str, Any]
    values: dict[str, Any]
    access: Access
    match_key: tuple[str, int] | None = None

    def run(self, session: ReadSession | None, values: Mapping[str, Any]) -> Answer:
        """Do what the command does."""
        recipe = self.verb.recipe
        given = dict(values)
        if recipe.session is not None:
            given[recipe.session] = session
        if recipe.login is not None and session is not None:
            given[recipe.login] = session.signer
        answer: Answer = self.verb.function(**given)
        return answer

    def run_in(self, shell: ShellRun) -> int:
        """Do what a command of the shell's own does; return its exit code."""
        return int(self.verb.function(shell, **self.values))


def resolve(root: Family, words: Sequence[str]) -> tuple[click.Command, click.Context, list[str]]:
    """Follow the words down the tree; return the command, its context and the words left.

    Stops at a family when the words end there; raises :class:`Misunderstood` at a word that is
    no command.
    """
    command: click.Command = root
    context = click.Context(root, info_name=root.name)
    left = list(words)
    while isinstance(command, Family) and left:
        found = command.get_command(context, left[0])
        if found is None:
            raise unknown_word(command, left[0])
        command = found
        context = click.Context(found, info_name=found.name, parent=context)
        left.pop(0)
    return command, context, left


def parse(
    root: Family,
    words: Sequence[str],
    ask_password: AskPassword | None = None,
    given: Mapping[str, Any] | None = None,
) -> Call:
    """Return the call that these words make; raises :class:`Misunderstood`.

    ``ask_password`` is called for every password word that is ``-``. Where values are ``given``
    by their names, such as the board, their words are left out, and userid and password too: the
    sender is known otherwise.
    """
    command, context, left = resolve(root, drop_marks(words))
    if not isinstance(command, Verb):
        raise Misunderstood(
            "The command is incomplete.",
            code="incomplete-command",
            hint=f"Say what to do: {', '.join(list(command.list_commands(context))[:40])}."
            if isinstance(command, Family)
            else "",
        )
    if ask_password is not None:
        context.find_root().meta[ASK_PASSWORD] = ask_password
    if given is not None:
        context.meta[GIVEN] = SIGNATURE | given.keys()
        context.params.update(given)
    return command.understand(context, left)


def unknown_word(family: Family, word: str) -> Misunderstood:
    """Return the error for a word that is no command here, with a likely one if there is any."""
    is_game = family.find_game is not None
    page = f"{family.name} help" if is_game else "pbmserv help"
    return Misunderstood(
        f"{family.name} has no such command." if is_game else "There is no such command or game.",
        code="no-such-command",
        hint=family.hint_for(word) or f"All commands: {page}.",
        about=word,
    )

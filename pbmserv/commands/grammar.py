"""The grammar: click commands that know the server's own rules for words and options.

A command is a plain function marked with :func:`command`; a :class:`Family` finds it through a
table of names, imports its module when it is called for, and makes a :class:`Verb` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from pbmserv.commands.words import OptionName, drop_marks, likely, sort_out_options
from pbmserv.errors import Misunderstood
from pbmserv.services.session import Access, AccessRule, Answer, Session

if TYPE_CHECKING:
    from pbmserv.engine.game import Game, Option

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

ASK_PASSWORD = "pbmserv.ask_password"  # noqa: S105 - where a context keeps the function
GIVEN = "pbmserv.given"
"""Where a context keeps the names of the words that are not to be read."""

SIGNATURE = frozenset({"userid", "password"})
"""The names of the words that say who sends a command."""


class Secret:
    """A password on its way in; it never prints itself."""

    def __init__(self, value: str) -> None:
        self.value = value


class NewSecret(Secret):
    """A password that is to be stored, as a hash."""


Check = Callable[["type[Game] | None", Mapping[str, Any]], object]
"""Looks at the game and all values together; raises :class:`Misunderstood`."""


class Recipe(NamedTuple):
    """What :func:`command` knows of a function: its words, its options, its needs."""

    params: tuple[Callable[[], click.Parameter], ...]
    access: AccessRule
    has_game_options: bool
    check: Check | None


def command(
    *params: Callable[[], click.Parameter],
    access: AccessRule,
    has_game_options: bool = False,
    check: Check | None = None,
) -> Callable[[F], F]:
    """Mark a function as a command with these words; its docstring is its help.

    ``check`` says which words do not go together, before a database is touched.
    """

    def mark(function: F) -> F:
        function.__dict__["recipe"] = Recipe(params, access, has_game_options, check)
        return function

    return mark


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
    name may be cut, 0 for none.
    """

    target: str
    summary: str
    synonyms: tuple[str, ...] = ()
    shortest: int = 0
    by_mail: ByMail = ByMail()


Table = Mapping[str, Entry]


class Verb(click.Command):
    """A command that can be parsed now and run later, inside the door's transaction."""

    def __init__(
        self, name: str, function: Function, game: type[Game] | None, entry: Entry
    ) -> None:
        recipe: Recipe = function.__dict__["recipe"]
        params = [make() for make in recipe.params]
        if recipe.has_game_options and game is not None:
            params += game_params(game)
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
        self.recipe = recipe

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the words and options that are to be read: all but those given before."""
        given = ctx.meta.get(GIVEN, ())
        return [param for param in super().get_params(ctx) if param.name not in given]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, raising :class:`Misunderstood` where click would print its own words."""
        known = [
            OptionName(param.name or "", param.is_flag)
            for param in self.params
            if isinstance(param, click.Option)
        ]
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        try:
            rest = super().parse_args(ctx, sort_out_options(args, known))
            self._check(ctx.params)
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
        return rest

    def _check(self, params: Mapping[str, Any]) -> None:
        """Raise :class:`Misunderstood` for values that do not go together."""
        if self.recipe.check is not None:
            self.recipe.check(self.game, params)
        if self.recipe.has_game_options and self.game is not None:
            choose_game(self.game, params)

    def syntax(self, ctx: click.Context) -> str:
        """Return the command in one line, as it is to be written."""
        words = [p.make_metavar(ctx) for p in self.params if isinstance(p, click.Argument)]
        options = [_option_syntax(p) for p in self.params if isinstance(p, click.Option)]
        path = ctx.command_path
        # "star move ..." is what players write; the shell has a script of that name too.
        start = path if self.game is None else path.partition(" ")[2]
        return " ".join([start, *words, *options])


def _option_syntax(param: click.Option) -> str:
    return f"[-{param.name}]" if param.is_flag else f"[-{param.name}={param.metavar or 'VALUE'}]"


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
    """A line that was understood: which command, with which values."""

    verb: Verb
    path: str
    params: dict[str, Any]

    @property
    def access(self) -> Access:
        """What this call needs of the database."""
        rule = self.verb.recipe.access
        return rule if isinstance(rule, Access) else rule(self.params)

    def run(self, session: Session, params: Mapping[str, Any]) -> Answer:
        """Do what the command does."""
        answer: Answer = self.verb.function(session, **params)
        return answer


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
    ask_password: Callable[[], str] | None = None,
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
    command.parse_args(context, left)
    return Call(command, context.command_path, dict(context.params))


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


def game_params(game: type[Game]) -> list[click.Parameter]:
    """Return the options of a game as click options."""
    return [_game_option(option) for option in game.options()]


def _game_option(option: Option) -> click.Option:
    if option.is_flag:
        return click.Option([f"--{option.name}"], is_flag=True, default=False, help=option.help)
    return click.Option(
        [f"--{option.name}"],
        type=GameOptionValue(option.parse),
        default=None,
        help=option.help,
        metavar=option.values.replace(" to ", "..").replace(", ", "|") or "N",
    )


class GameOptionValue(click.ParamType[Any]):
    """The value of a game's option, read by the game's own declaration."""

    name = "value"

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; raises :class:`Misunderstood`."""
        del param, ctx
        return self.parse(value)


def choose_game(game: type[Game], params: Mapping[str, Any]) -> Game:
    """Return the game with the options among ``params``; those not given keep their defaults."""
    names = {option.name for option in game.options()}
    return game(**{k: v for k, v in params.items() if k in names and v is not None})

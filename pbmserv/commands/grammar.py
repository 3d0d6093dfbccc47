"""The grammar: click commands that know the server's own rules for words and options.

A command is a function that declares its words (see declaration.py); a :class:`Family` finds it
through a table of names, imports its module when it is called for, and makes a :class:`Verb` of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pbmserv.club.player import ME
from pbmserv.club.word_forms import is_slip, nearest
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Function, ReadLast, ShellRun, recipe_of
from pbmserv.commands.words import OPTION, OptionName, drop_marks, sort_out_options
from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from pbmserv.engine.game import Game
    from pbmserv.services.session import ReadSession

ASK_PASSWORD = "pbmserv.ask_password"  # noqa: S105 - where a context keeps the function
PASSWORD_TYPE = "password"  # noqa: S105 - the name of a type
"""The name of the type of words that are read exactly as they stand."""

SIGNER_TYPE = "userid"
"""The name of the type of the word that says who signs."""
AskPassword = Callable[[bool], str]
"""Returns a password from somewhere safe; told whether a new one is to be chosen."""

GIVEN = "pbmserv.given"
"""Where a context keeps the names of words that are not to be read, and have no value here."""

WRONG_WORDS = frozenset({"missing-word", "surplus-word", "mixed-words", "bad-selector"})
"""What is said of words that are too few, too many or in the wrong place, by its codes."""

MEANT = {
    "address": "change address",
    "away": "vacation",
    "boards": "all show USERID",
    "config": "doctor",
    "email": "change address",
    "holiday": "vacation",
    "join": "signup",
    "man": "help",
    "me": "account me",
    "mine": "all show USERID",
    "my": "all show USERID",
    "next": "all show USERID next",
    "passwd": "change password",
    "password": "change password",
    "register": "signup",
    "settings": "account",
    "signin": "login",
    "update": "db upgrade",
    "upgrade": "db upgrade",
    "usage": "help",
    "users": "players",
    "version": "--version",
    "who": "players",
}
"""What other programs call our commands."""

SIGNATURE = frozenset({"userid", "password"})
"""The names of the words that say who sends a command."""


REHEARSAL, REHEARSE = "--dry-run", "say what would be done, and do nothing"


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
    OFF = "its name and a word, where the answer is about no board: digest off, block bob"


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
    name may be cut, 0 for none. In a shell a few commands make a database where there is none;
    ``confirm`` is what must be confirmed there before it is done, as a question. Those
    ``for_operators`` go on during maintenance.
    """

    target: str
    summary: str
    synonyms: tuple[str, ...] = ()
    shortest: int = 0
    by_mail: ByMail = ByMail()
    creates_database: bool = False
    confirm: str = ""
    for_operators: bool = False


Table = Mapping[str, Entry]


class Verb(click.Command):
    """A command that can be parsed now and run later, inside the door's transaction."""

    def __init__(
        self, name: str, function: Function, game: type[Game] | None, entry: Entry
    ) -> None:
        self.recipe = recipe_of(function)
        params = [p for each in self.recipe.parameters for p in each.stands.params(each, game)]
        if self.recipe.can_rehearse:
            params.append(click.Option([REHEARSAL], is_flag=True, default=False, help=REHEARSE))
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
        stands = [each.stands for each in self.recipe.parameters]
        self.login = next((each for each in stands if each.is_login), None)
        self.all_options = [param for param in params if isinstance(param, click.Option)]
        self.known = [
            OptionName(
                option_name(option),
                option.is_flag,
                "" if option.hidden else option.help or "",
                getattr(option.type, "read", str),
            )
            for option in self.all_options
        ]
        self.narrowing = [each for each in stands if each.narrows]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the words and options that are to be read: all whose values are not known."""
        known = ctx.params.keys() | ctx.meta.get(GIVEN, frozenset())
        return [p for p in self.params if p.name not in known]

    def understand(self, ctx: click.Context, words: Sequence[str]) -> Call:
        """Return the call that these words make; raises :class:`Misunderstood`.

        Where click would print its own words, the error has ours.
        """
        try:
            arguments = [p for p in self.get_params(ctx) if isinstance(p, click.Argument)]
            exact = [n for n, param in enumerate(arguments) if param.type.name == PASSWORD_TYPE]
            if ME in map(str.lower, words):
                exact = []  # it stands for the password too
            known = self.known
            for each in self.narrowing:
                known = each.narrowed(known, words)
            options, others = sort_out_options(words, known, exact)
            names = [param.name for param in arguments]
            if self.login is not None and "userid" in names:
                others = self.login.take_me(ctx, others, names.index("userid"))
                arguments = [p for p in arguments if p.name not in ctx.params]
            if len(others) > len(arguments):
                _require_no_surplus(ctx, arguments, others)
            ctx.params.update(self.left_out(options))
            if options or len(others) < len(arguments) or any(p.nargs != 1 for p in arguments[:-1]):
                self.parse_args(ctx, [*options, "--", *others])
            else:
                _read_words(ctx, arguments, others)
            return self._call(ctx)
        except Misunderstood as error:
            is_told = error.hint or error.code == "bad-option-value"
            is_out_of_place = error.code == "bad-board" and not (error.about or "0")[:1].isdigit()
            if not is_told or is_out_of_place or error.code in WRONG_WORDS:
                syntax = f"Syntax: {self.syntax(ctx)}"
                error.hint = "\n".join(filter(None, (error.hint, syntax)))
            raise
        except click.MissingParameter as error:
            name = first_words(error.param.make_metavar(ctx)) if error.param else "a word"
            in_shell = ASK_PASSWORD in ctx.meta
            is_me = in_shell and name == "PASSWORD" and self.login is not None
            me = "After pbmserv login, me stands for USERID PASSWORD.\n" if is_me else ""
            raise Misunderstood(
                f"Missing argument: {name}.",
                code="missing-word",
                hint=f"{me}Syntax: {self.syntax(ctx)}",
            ) from None

    def left_out(self, options: Sequence[str]) -> dict[str, Any]:
        """Return the values of all options but these, so that click need not look for each."""
        given = {option.partition("=")[0] for option in options}
        return {
            option.name: False if option.is_flag else None
            for option in self.all_options
            if option.opts[0] not in given
        }

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
        is_rehearsal = bool(ctx.params.get("dry_run"))
        return Call(self, ctx.command_path, ctx.params, values, access, match_key, is_rehearsal)

    def options(self) -> list[click.Option]:
        """Return the options that are shown to people."""
        return [option for option in self.all_options if not option.hidden]

    def syntax(self, ctx: click.Context) -> str:
        """Return the command in one line, as it is to be written."""
        words = [p.make_metavar(ctx) for p in self.params if isinstance(p, click.Argument)]
        options = [_option_syntax(option) for option in self.options()]
        usages = [each.stands.usage for each in self.recipe.parameters if each.stands.usage]
        path = ctx.command_path
        # "star move ..." is what players write; the shell has a script of that name too.
        start = path if self.game is None else path.partition(" ")[2]
        return " ".join([start, *words, *options, *usages])


def _read_words(
    ctx: click.Context, arguments: Sequence[click.Argument], words: Sequence[str]
) -> None:
    """Read a word for each argument, and for a last one of any number all that are left.

    Where no word is missing and no option given, click's parser comes to the same by a longer way.
    """
    for place, param in enumerate(arguments):
        value: Any
        if param.nargs == 1:
            value = param.type(words[place], param, ctx)
        else:
            value = tuple([param.type(word, param, ctx) for word in words[place:]])
        ctx.params[param.name] = param.callback(ctx, param, value) if param.callback else value


def _require_no_surplus(
    ctx: click.Context, arguments: Sequence[click.Argument], others: Sequence[str]
) -> None:
    """Raise :class:`Misunderstood` for a word that no argument is left for."""
    if any(param.nargs != 1 for param in arguments):
        return
    for param, word in zip(arguments, others, strict=False):
        if param.type.name == SIGNER_TYPE:
            param.type.convert(word, param, ctx)  # a board in its place says more
    raise Misunderstood("Unexpected argument.", code="surplus-word", about=others[len(arguments)])


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
        self._made: dict[str, click.Command] = {}
        """What was called for before, by its full name."""

    def list_commands(self, ctx: click.Context | None) -> list[str]:
        """Return the names of all commands and families, without importing any."""
        del ctx
        return [*self.table, *self.families]

    def summaries(self) -> list[tuple[str, str]]:
        """Return each command's name and what it does, without importing any."""
        own = [(name, entry.summary) for name, entry in self.table.items()]
        return [*own, *((name, make().short_help or "") for name, make in self.families.items())]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Return the command so called, by any of its names; None if there is none."""
        del ctx
        word = cmd_name.lower()
        name = word if word in self.families else self.full_name(word)
        if name is None or name in self._made:
            return self._made.get(name or "")
        if name in self.families:
            self._made[name] = self.families[name]()
            return self._made[name]
        module, _, attribute = self.table[name].target.partition(":")
        function = getattr(import_module(module), attribute)
        game = self.find_game() if self.find_game else None
        self._made[name] = Verb(name, function, game, self.table[name])
        return self._made[name]

    def full_name(self, word: str) -> str | None:
        """Return the name in the table that ``word`` stands for: itself, a synonym or shortened."""
        if word in self.table:
            return word
        for name, entry in self.table.items():
            is_short = entry.shortest and len(word) >= entry.shortest and name.startswith(word)
            if is_short or word in entry.synonyms:
                return name
        return None

    def has(self, word: str) -> bool:
        """Tell whether a command or family is so called, by any of its names."""
        return word.lower() in self.families or self.full_name(word.lower()) is not None

    def hint_for(self, words: Sequence[str], path: str) -> str:
        """Return what words, of which the first is no command here, were likely meant to be.

        ``path`` is what stands before the words.
        """
        near = self.near_name(words[0])
        return f"Did you mean {path} {near}?" if near else ""

    def near_name(self, word: str) -> str:
        """Return the full name that ``word`` was likely meant to be, by a synonym too, or none."""
        near = nearest(word, self.list_commands(None)) or nearest(word, self.known_words())
        return self.full_name(near) or near

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
    is_rehearsal: bool = False
    """Whether all that it does is to be undone at once."""

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
    no command. The context has the tree for its ``obj`` and the whole path for its name: a chain of
    contexts, one for each word of the path, would be made for every line.
    """
    command: click.Command = root
    path = root.name or ""
    left = drop_marks(words)
    options: list[str] = []
    while isinstance(command, Family) and left:
        if OPTION.fullmatch(left[0]):
            options += _early_option(command, left)
            continue
        found = command.get_command(None, left[0])
        if found is None:
            raise _unknown_word(root, command, path, left)
        command = found
        path = f"{path} {found.name}"
        left.pop(0)
    return command, click.Context(command, info_name=path, obj=root), [*options, *left]


def _early_option(family: Family, left: list[str]) -> list[str]:
    """Take an option that stands before its command from the words, with its value if need be."""
    taken = [left.pop(0)]
    if left and "=" not in taken[0] and not family.has(left[0]):
        taken.append(left.pop(0))
    return taken


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
    command, context, left = resolve(root, words)
    if not isinstance(command, Verb):
        if left:
            raise Misunderstood("No such option.", code="no-such-option", about=left[0])
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
    return command.understand(context, left)


def _unknown_word(root: Family, family: Family, path: str, words: Sequence[str]) -> Misunderstood:
    """Return the error for words of which the first is no command here, with a likely one.

    ``path`` are the words that lead to the family.
    """
    if family.find_game is not None:
        path = family.name or ""
    is_root = family is root
    is_known = not is_root and root.has(words[0])
    if is_known and words[0].lower() != "help":
        hint = f"Did you mean {root.name} {words[0].lower()}?"
    else:
        hint = family.hint_for(words, path) or f"All commands: {path} -h"
    return Misunderstood(
        "No such command or game." if is_root else "No such command.",
        code="no-such-command",
        hint=hint,
        about=words[0] if words[0].strip() else None,
        after="" if is_root else f"{path.removeprefix('pbmserv ')} ",
        is_harmless=is_known or is_slip(words[0], [*family.known_words(), *MEANT]),
    )


def first_words(metavar: str) -> str:
    """Return what the first word of a part of a syntax line may be: ``BOARD or USERID``.

    >>> first_words("BOARD[#N]... | USERID... [all|active]")
    'BOARD or USERID'
    """
    firsts = [part.split(" ")[0] for part in re.sub(r"^\[\w+\] ", "", metavar).split(" | ")]
    words = [word for first in firsts for word in first.replace("[#N]", "").split("|")]
    named = dict.fromkeys(word.partition("[/")[0].strip("[].") for word in words if word != "-")
    *others, last = named
    return f"{', '.join(others)} or {last}" if others else last

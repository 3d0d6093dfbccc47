"""The grammar: click commands that know the server's own rules for words and options.

A command is a function that declares its words (see declaration.py); a :class:`Group` finds it
through a table of names, imports its module when it is called for, and makes a :class:`Command`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import click

from pbmserv.club.player import ME, PASSWORD, may_be_password
from pbmserv.club.word_forms import BETWEEN
from pbmserv.commands.answer import Access
from pbmserv.commands.declaration import Argument, DeferredValue, Function, ShellRun, spec_of
from pbmserv.commands.slots import Kind
from pbmserv.commands.words import (
    OPTION,
    PASSWORD_TYPE,
    SIGNER_TYPE,
    OptionName,
    drop_marks,
    plain_board,
    sort_out_options,
    split_line,
)
from pbmserv.engine.games import PROGRAMS, SAMPLE_GAME
from pbmserv.errors import Misunderstood

if TYPE_CHECKING:
    from pbmserv.commands.slots import Ways
    from pbmserv.engine.game import Game

ASK_PASSWORD = "pbmserv.ask_password"

LEFT_OUT = "\0"
"""Stands in place of a password that is left out, until it is asked for; nobody can write it."""


class AskPassword(Protocol):
    """Returns a password from somewhere safe, for a ``-`` or where one is left out."""

    dash: str
    """The other source of a ``-``, in a sentence."""
    me: str
    """The meaning of ``me``, in a sentence."""

    @property
    def is_at_terminal(self) -> bool:
        """Whether somebody can be asked for what is left out."""

    def __call__(self, *, is_new: bool, is_left_out: bool = False) -> str:
        """Return it; told whether a new one is to be chosen. Raises :class:`Misunderstood`."""

    def userid(self) -> str:
        """Return the userid that is left out."""

    def text(self) -> str:
        """Return the text on standard input, "" where a command must not read it."""


GIVEN = "pbmserv.given"
"""The key in a context of the words that are not to be read and have no value here."""

BLANK = re.compile(r"\s")

SIGNATURE = frozenset({"userid", "password"})
"""The names of the words that say who sends a command."""


REHEARSAL, REHEARSE = "--dry-run", "show what would be done, without doing it"


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
    """The rights of a command by mail.

    ``old_token`` tells whether a reply token is good for it although the board has changed since
    the token was made, while the game lasts.
    """

    sender: MailSender = MailSender.ON_FILE
    answers_strangers: bool = False
    short_answer: ShortAnswer = ShortAnswer.NONE
    old_token: bool = False


class Entry(NamedTuple):
    """One row of a table of commands: where it is, what it does, how else it may be written.

    ``target`` is ``room.module:function``; ``shortest`` is the least number of letters to which the
    name may be cut, 0 for none. In a shell a few commands make a database where there is none;
    ``confirm`` is what must be confirmed there before it is done, as a question. Those
    ``for_operators`` go on during maintenance. Of those that only a shell has, a server that stays
    may do what ``is_brief``.
    """

    target: str
    summary: str
    synonyms: tuple[str, ...] = ()
    shortest: int = 0
    by_mail: ByMail = ByMail()
    creates_database: bool = False
    confirm: str = ""
    for_operators: bool = False
    is_brief: bool = False


Table = Mapping[str, Entry]


class Command(click.Command):
    """A command that can be parsed now and run later, inside the door's transaction."""

    def __init__(
        self, name: str, function: Function, game: type[Game] | None, entry: Entry
    ) -> None:
        self.spec = spec_of(function)
        params = [p for each in self.spec.parameters for p in each.spec.params(each, game)]
        if len({param.name for param in params}) < len(params):
            raise TypeError(f"{name} has two words of one name.")
        if self.spec.can_rehearse:
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
        specs = [each.spec for each in self.spec.parameters]
        self.login = next((each for each in specs if each.is_login), None)
        self.all_options = [param for param in params if isinstance(param, click.Option)]
        self.known = [*map(_name_of, self.all_options)]
        self.narrowing = [each for each in specs if each.narrows]
        self.arguments = [param for param in params if isinstance(param, Argument)]
        first = self.arguments[0].ways.kinds if self.arguments else frozenset()
        self.takes_board = Kind.BOARD in first or Kind.TOURNAMENT in first
        self.shows_board = self.takes_board and self.login is None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the words and options that are to be read: all whose values are not known."""
        known = ctx.params.keys() | ctx.meta.get(GIVEN, frozenset())
        return [p for p in self.params if p.name not in known]

    def understand(self, ctx: click.Context, words: Sequence[str]) -> Call:
        """Return the call that these words make; raises :class:`Misunderstood`.

        They are sorted into options and words, read, and put together.
        """
        try:
            options, arguments, others = self._sorted(ctx, words)
            self._read(ctx, options, arguments, others)
            pairs = zip(arguments, others, strict=False)
            secrets = {word for param, word in pairs if param.type.name == PASSWORD_TYPE}
            shown = tuple("PASSWORD" if word in secrets else word for word in words)
            return self._call(ctx)._replace(words=shown)
        except click.MissingParameter as error:  # which has click's own words
            param = error.param
            raise _missing(param.ways if isinstance(param, Argument) else None) from None

    def tried(
        self, ctx: click.Context, words: Sequence[str]
    ) -> tuple[list[str], list[Argument], list[str]]:
        """Return the words sorted if they make a call; raises as :meth:`understand` else."""
        found = options, arguments, others = self._sorted(ctx, words)
        self._read(ctx, options, arguments, others)
        self._call(ctx)
        return found

    def _sorted(
        self, ctx: click.Context, words: Sequence[str]
    ) -> tuple[list[str], list[Argument], list[str]]:
        """Return the options, the arguments to be read, and the words for these.

        Raises :class:`Misunderstood` for an option that there is not, and for words too many.
        """
        arguments = [param for param in self.get_params(ctx) if isinstance(param, Argument)]
        if self.takes_board and "number" not in ctx.params:
            game = self.game
            words = plain_board(words, [game.name, game.title.lower()] if game else ())
        known = self.known
        for each in self.narrowing:
            known = each.narrowed(known, words)
        options, others = sort_out_options(words, known, _exact_places(arguments, words))
        names = [param.name for param in arguments]
        if self.login is not None and "userid" in names:
            others = self.login.expand_me(ctx, others, names.index("userid"))
            arguments = [p for p in arguments if p.name not in ctx.params]
        others = self._completed(ctx, arguments, others)
        if len(others) > len(arguments) and all(param.nargs == 1 for param in arguments):
            raise _surplus(ctx, arguments, others)
        return options, arguments, others

    def _read(
        self,
        ctx: click.Context,
        options: Sequence[str],
        arguments: Sequence[Argument],
        words: Sequence[str],
    ) -> None:
        """Read options and words into the values of the context.

        Where no word is missing and no option given, click's parser comes to the same by a longer
        way: then a word is read for each argument, and for a last one of any number all others.
        """
        ctx.params.update(self.left_out(options))
        if options or len(words) < len(arguments) or any(p.nargs != 1 for p in arguments[:-1]):
            self.parse_args(ctx, [*options, "--", *words])
            return
        for place, param in enumerate(arguments):
            value: Any
            if param.nargs == 1:
                value = param.type(words[place], param, ctx)
            else:
                value = tuple([param.type(word, param, ctx) for word in words[place:]])
            ctx.params[param.name] = param.callback(ctx, param, value) if param.callback else value

    def _completed(
        self, ctx: click.Context, arguments: Sequence[Argument], words: Sequence[str]
    ) -> list[str]:
        """Return the words with a mark for each password that is left out.

        One is where the words end before its place, or where none that may be a password stands
        there and words are missing or any number of them may follow. Raises
        :class:`Misunderstood` where nobody can be asked for it.
        """
        ask: AskPassword | None = ctx.meta.get(ASK_PASSWORD)
        found = [*words]
        is_login_alone = not words and self.login is not None and self.login.asks
        if is_login_alone and ask is not None and ask.is_at_terminal:
            found.append(ask.userid())
        for place, param in enumerate(arguments):
            if param.type.name != PASSWORD_TYPE:
                continue
            word = next(iter(found[place:]), "-")
            if param.default == "-":
                if word != "-" and not may_be_password(word):
                    raise Misunderstood("Unexpected argument.", code="surplus-word", about=word)
                continue
            if self._is_left_out(arguments, place, found, can_ask=ask is not None):
                for each, given in zip(arguments, found[:place], strict=False):
                    each.type.convert(given, each, ctx)  # a slip before it says more
                takes_me = self._is_old(param) and self.login is not None and self.login.takes_me
                found.insert(place, left_out(ctx, param.ways, takes_me=takes_me))
        return found

    def _is_old(self, param: Argument) -> bool:
        """Tell whether a password is the one that signs, rather than a new one."""
        return self.login is not None and param.name == "password"

    def _is_left_out(
        self,
        arguments: Sequence[Argument],
        place: int,
        words: Sequence[str],
        *,
        can_ask: bool,
    ) -> bool:
        """Tell whether the password of this place is left out of the words."""
        if place >= len(words):
            return place == len(words) and can_ask
        word = words[place]
        behind = [each.type.name for each in arguments[place + 1 :]]
        if PASSWORD_TYPE in behind or word == "-":
            return False
        if len(words) < sum(param.required for param in arguments):
            return not may_be_password(word)
        # A number in its place is a word of those behind it.
        has_room = len(words) < len(arguments) or arguments[-1].nargs != 1 or word.isdigit()
        is_other = can_ask and not PASSWORD.fullmatch(word)
        return has_room and is_other and self._is_old(arguments[place])

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
        spec = self.spec
        values = {
            each.name: each.spec.value(each, ctx)
            for each in spec.parameters
            if not each.spec.is_login
        }
        if spec.check is not None:
            spec.check(**{name: values[name] for name in spec.check_names})
        for value in ctx.params.values():
            if isinstance(value, DeferredValue):
                value.complete(ctx)
        access = spec.access if isinstance(spec.access, Access) else spec.access(values)
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
        words = [str(param.ways) for param in self.arguments]
        options = [_option_syntax(option) for option in self.options()]
        usages = [each.spec.usage for each in self.spec.parameters if each.spec.usage]
        path = ctx.command_path
        # "star move ..." is what players write, where the shell has a script of that name too.
        start = path.partition(" ")[2] if self.game and self.game.name in PROGRAMS else path
        return " ".join([start, *words, *options, *usages])


def left_out(ctx: click.Context, ways: Ways, *, takes_me: bool) -> str:
    """Return the placeholder of a password that is left out, until it is asked for.

    Raises :class:`Misunderstood` where nobody can be asked.
    """
    ask: AskPassword | None = ctx.meta.get(ASK_PASSWORD)
    if ask is not None and ask.is_at_terminal:
        return LEFT_OUT
    hints = [] if ask is None else [ask.dash]
    if ask is not None and takes_me:
        hints.append(ask.me)
    raise _missing(ways, hints)


def _missing(ways: Ways | None, hints: Sequence[str] = ()) -> Misunderstood:
    """Return the error for a word that is missing."""
    firsts = "a word" if ways is None else ways.firsts
    return Misunderstood(f"Missing argument: {firsts}.", code="missing-word", hint="\n".join(hints))


def _surplus(
    ctx: click.Context, arguments: Sequence[Argument], words: Sequence[str]
) -> Misunderstood:
    """Return the error for a word that no argument is left for."""
    for param, word in zip(arguments, words, strict=False):
        if param.type.name == SIGNER_TYPE:
            param.type.convert(word, param, ctx)  # a board in its place says more
    about = next((word for word in words if word.lower() in BETWEEN), words[len(arguments)])
    return Misunderstood("Unexpected argument.", code="surplus-word", about=about)


def _exact_places(arguments: Sequence[Argument], words: Sequence[str]) -> list[int]:
    """Return at which places among the words those of passwords stand, which are read as they are.

    There is none where ``me`` signs: it stands for the password too.
    """
    exact = [n for n, param in enumerate(arguments) if param.type.name == PASSWORD_TYPE]
    plain = [word.lower() for word in words if not OPTION.fullmatch(word)]
    return exact if exact and ME not in plain[: exact[0]] else []


def option_name(option: click.Option) -> str:
    """Return the full name of an option, as players write it."""
    return option.opts[0].lstrip("-")


def _name_of(option: click.Option) -> OptionName:
    """Return an option as the sorting of words knows it."""
    told = "" if option.hidden else option.help or ""
    return OptionName(option_name(option), option.is_flag, told, getattr(option.type, "read", str))


def _option_syntax(param: click.Option) -> str:
    name = option_name(param)
    return f"[-{name}]" if param.is_flag else f"[-{name}={param.metavar or 'VALUE'}]"


class Group(click.Group):
    """A group of commands found through a table, each imported only when it is called for."""

    def __init__(
        self,
        name: str,
        table: Table,
        *,
        game: Callable[[], type[Game]] | None = None,
        families: Mapping[str, Callable[[], Group]] | None = None,
        summary: str = "",
    ) -> None:
        super().__init__(name, short_help=summary, add_help_option=False)
        self.table = table
        self.find_game = game
        self.families = families or {}
        self._made: dict[str, click.Command] = {}
        """The command called before, by its full name."""

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
        function = getattr(import_module(f"pbmserv.{module}"), attribute)
        game = self.find_game() if self.find_game else None
        self._made[name] = Command(name, function, game, self.table[name])
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

    verb: Command
    path: str
    params: dict[str, Any]
    values: dict[str, Any]
    access: Access
    match_key: tuple[str, int] | None = None
    is_rehearsal: bool = False
    """Whether all that it does is to be undone at once."""
    words: tuple[str, ...] = ()
    """The words after the command, without secrets."""

    @property
    def syntax(self) -> str:
        """The command in one line, as it is to be written."""
        return self.verb.syntax(click.Context(self.verb, info_name=self.path))

    def run_in(self, shell: ShellRun) -> int:
        """Run a command that only a shell has; return its exit code."""
        return int(self.verb.function(shell, **self.values))


class Resolved(NamedTuple):
    """How far words lead down the tree: the command, what was followed, and the words left.

    ``path`` are the names that lead to the command; ``options`` stood before its name.
    """

    command: click.Command
    path: str
    options: list[str]
    left: list[str]
    root: Group

    @property
    def is_whole(self) -> bool:
        """Whether no word was met that is no command."""
        return not (isinstance(self.command, Group) and self.left)

    @property
    def context(self) -> click.Context:
        """The context of the command, with the tree for its ``obj`` and its path for its name.

        A chain of contexts, one for each word of the path, would be made for every line.
        """
        return click.Context(self.command, info_name=self.path, obj=self.root)


def follow(root: Group, words: Sequence[str]) -> Resolved:
    """Follow the words down the tree, as far as they are commands.

    A name that is said twice counts once, and a line that is quoted as a whole is read as one.
    """
    command: click.Command = root
    path = root.name or ""
    left = drop_marks(words)
    options: list[str] = []
    while isinstance(command, Group) and left:
        if OPTION.fullmatch(left[0]):
            options += _early_option(command, left)
            continue
        found = command.get_command(None, left[0])
        if found is not None:
            command = found
            path = f"{path} {found.name}"
        elif len(parted := _split_quoted(left[0])) > 1:
            left[:1] = parted
            continue
        elif left[0].lower() != command.name:
            break
        left.pop(0)
    is_verb = isinstance(command, Command) and command.game is not None
    if is_verb and left[1:] and left[0].lower() == path.split(" ")[-2]:
        left.pop(0)
    return Resolved(command, path, options, left, root)


def _split_quoted(word: str) -> list[str]:
    """Return the words that a quoted line holds; a word that is none stays as it is."""
    return split_line(word) if BLANK.search(word.strip()) else [word]


def _early_option(family: Group, left: list[str]) -> list[str]:
    """Take an option that stands before its command from the words, with its value if need be."""
    taken = [left.pop(0)]
    if left and "=" not in taken[0] and not family.has(left[0]):
        taken.append(left.pop(0))
    return taken


def naming_words(tree: Group, words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command line without those behind its command's name.

    Those may be anything, a password among them. Words that name no command are left as they are.
    """
    for path in (words, [SAMPLE_GAME, *words]):
        found = follow(tree, path)
        if found.is_whole:
            return words[: len(words) - len(found.options) - len(found.left)]
    return words

"""The declaration of a command: its words and options are the parameters of its function.

A parameter says by an annotation what stands for it in a line, as in
``number: Annotated[int, Word(slot(BOARD), parse_match_number)]``; a default means that it may be
left out. The first parameter says by its type what the command needs of the database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache, cached_property
from inspect import signature
from types import GenericAlias
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_origin, get_type_hints

import click

from pbmserv.commands.answer import Access
from pbmserv.commands.slots import Kind, Slot, Term, Ways, one_way
from pbmserv.errors import Misunderstood
from pbmserv.services.session import ReadSession, WriteSession

if TYPE_CHECKING:
    from pbmserv.commands.words import OptionName
    from pbmserv.engine.game import Game

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
AccessRule = Access | Callable[[Mapping[str, Any]], Access]


class ShellRun:
    """The argument of commands that only a shell has: the program's run there."""


ACCESS: dict[object, Access] = {
    WriteSession: Access.CHANGE,
    ReadSession: Access.LOOK,
    WriteSession | None: Access.CHANGE,
    ReadSession | None: Access.NOTHING,
}
"""A command's need of the database, by the type of its first parameter."""


class Parameter(NamedTuple):
    """One parameter of a command's function, and what stands for it in a line."""

    name: str
    type: Any
    is_required: bool
    spec: ParameterSpec


class ParameterSpec:
    """The words for a parameter in a line; by itself none, if its value comes from elsewhere."""

    gives: Any = None
    """The type of what the function is given, unless it depends on the parameter."""

    is_login = False
    """Whether the value is the player who signs."""

    takes_me = False
    """Whether ``me`` may stand for them."""

    asks = False
    """Whether words that are left out are asked for, as if a dash stood there."""

    def expand_me(self, ctx: click.Context, words: list[str], place: int) -> list[str]:
        """Return the words but for a ``me`` at this place that stands for those of a login."""
        del ctx, place
        return words

    narrows = False
    """Whether other words leave less choice of options, as :meth:`narrowed` says."""

    def narrowed(self, known: list[OptionName], words: Sequence[str]) -> list[OptionName]:
        """Return the options of a command as far as these words leave the choice."""
        del words
        return known

    usage = ""
    """Text of the syntax line beside words and options."""

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the words and options as click reads them."""
        del declared, game
        return []

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return the function's argument; raises :class:`Misunderstood`."""
        return ctx.params[declared.name]

    def type_of(self, declared: Parameter) -> Any:
        """Return the type of what the function is given."""
        del declared
        return self.gives


@dataclass(eq=False)
class ParsedBy(click.ParamType[Any]):
    """A word read by a function that raises :class:`Misunderstood` with words for people.

    ``choices`` are all that it may be, where these are few, or it is of a ``kind``.
    """

    read: Callable[[str], object]
    choices: Sequence[object] = ()
    kind: Kind | None = None
    name = "word"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of the word."""
        del ctx
        try:
            return self.read(value) if isinstance(value, str) else value
        except Misunderstood as error:
            if error.code == "bad-number" and isinstance(param, click.Option) and not error.hint:
                error.message = f"Invalid value for -{param.opts[0].lstrip('-')} (a whole number)."
                error.hint = "Write it in digits, such as 7."
            raise


class DeferredValue:
    """The value of a word that is complete only when all the other words have been understood.

    So nobody types a password for a command that has a slip of the pen elsewhere.
    """

    def complete(self, ctx: click.Context) -> None:
        """Complete the value; raises :class:`Misunderstood`."""
        raise NotImplementedError


class Argument(click.Argument):
    """The words that stand in some places, as click reads them."""

    def __init__(self, name: str, ways: Ways, **attributes: Any) -> None:
        super().__init__([name], **attributes)
        self.ways = ways

    def make_metavar(self, ctx: click.Context) -> str:
        """Return these places as a syntax line prints them."""
        del ctx
        return str(self.ways)


# What else a dataclass gets, none of these uses, and it takes time at every start.
@dataclass(eq=False, repr=False)
class Word(ParameterSpec):
    """A word, or with a tuple for its type any number of words."""

    slots: Slot | Ways
    read: Callable[[str], object] = str

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one argument."""
        del game
        return [
            Argument(
                declared.name,
                self.slots if isinstance(self.slots, Ways) else one_way(self.slots),
                nargs=-1 if get_origin(declared.type) is tuple else 1,
                required=declared.is_required,
                type=ParsedBy(self.read),
            )
        ]

    def type_of(self, declared: Parameter) -> Any:
        """Return the type that the reader returns, or a tuple of it."""
        one = returned_type(self.read)
        if get_origin(declared.type) is tuple:
            return GenericAlias(tuple, (one, ...))
        return one if declared.is_required else one | None


@dataclass(eq=False, repr=False)
class Option(ParameterSpec):
    """An option with a value, None without it; ``name`` where the parameter's is another.

    ``values`` are all that it may have, or what they are.
    """

    values: Term | str | Sequence[object]
    help: str
    read: Callable[[str], object] = str
    name: str = ""
    is_hidden: bool = False

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one option."""
        del game
        return [self.option(declared.name, f"--{self.name or declared.name}")]

    def option(self, *names: str) -> click.Option:
        """Return it as click reads it."""
        values, read = self.values, ParsedBy(self.read)
        if isinstance(values, Term | str):
            shown, read.kind = str(values), getattr(values, "kind", None)
        else:
            shown, read.choices = "|".join(map(str, values)), values
        if isinstance(values, range):
            shown = f"{values[0]}..{values[-1]}"
        return click.Option(names, type=read, metavar=shown, help=self.help, hidden=self.is_hidden)

    def type_of(self, declared: Parameter) -> Any:
        """Return the type that the reader returns, or None."""
        del declared
        return returned_type(self.read) | None


@dataclass(eq=False, repr=False)
class Flag(ParameterSpec):
    """An option without a value."""

    help: str
    gives = bool

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one option."""
        del game
        name = f"--{declared.name.replace('_', '-')}"
        return [click.Option([name], is_flag=True, default=False, help=self.help)]


@dataclass(eq=False, repr=False)
class Fields(ParameterSpec):
    """A dataclass whose fields are declared as parameters are, and read together."""

    gives: type[Any]

    @cached_property
    def parts(self) -> tuple[Parameter, ...]:
        """The declaration of each field."""
        return _declared(self.gives, get_type_hints(self.gives, include_extras=True))

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the words and options of all fields."""
        del declared
        return [param for each in self.parts for param in each.spec.params(each, game)]

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return the whole, which may refuse fields that do not go together."""
        del declared
        return self.gives(**{each.name: each.spec.value(each, ctx) for each in self.parts})


class CommandSpec(NamedTuple):
    """The grammar's view of a command's function.

    ``check`` looks at the values that it names, all together; ``login`` is the parameter that is
    given the player who signs.
    """

    access: AccessRule
    session: str | None
    parameters: tuple[Parameter, ...]
    check: Callable[..., object] | None
    check_names: tuple[str, ...]
    login: str | None
    can_rehearse: bool


def command(
    *,
    access: Callable[[Mapping[str, Any]], Access] | None = None,
    check: Callable[..., object] | None = None,
    can_rehearse: bool = False,
) -> Callable[[F], F]:
    """Mark a function as a command; its docstring is its help.

    ``check`` says which values do not go together, before a database is touched; its parameters
    are some of the command's. ``access`` is for a command that needs a database only at times.
    ``can_rehearse`` gives it an option with which the door undoes all that it did.
    """

    def mark(function: F) -> F:
        function.__dict__.update(access=access, check=check, can_rehearse=can_rehearse)
        return function

    return mark


@cache
def spec_of(function: Function) -> CommandSpec:
    """Return the function's declaration; raises TypeError with a sentence if it is wrong."""
    hints = get_type_hints(function, include_extras=True)
    first = next(iter(signature(function).parameters), "")
    access = _access_of(hints.get(first))
    session = None if access is None else first
    declared = _declared(function, hints, session)
    check = function.__dict__["check"]
    return CommandSpec(
        function.__dict__["access"] or access or Access.NOTHING,
        session,
        declared,
        check,
        _checked_names(function, check, declared) if check else (),
        next((each.name for each in declared if each.spec.is_login), None),
        function.__dict__["can_rehearse"],
    )


def returned_type(read: Callable[..., object]) -> Any:
    """Return the type of what a reader returns."""
    return read if isinstance(read, type) else get_type_hints(read)["return"]


def _access_of(hint: Any) -> Access | None:
    """Return the access that a first parameter of this type asks for; None for a word."""
    if isinstance(hint, type) and issubclass(hint, ShellRun):
        return Access.SHELL
    return ACCESS.get(hint)


def _declared(
    owner: Callable[..., Any], hints: Mapping[str, Any], session: str | None = None
) -> tuple[Parameter, ...]:
    """Return the declarations of a function's parameters but the session, or a dataclass's fields.

    ``hints`` are their types. Raises TypeError with a sentence where one is wrong.
    """
    all_declared = []
    for name, parameter in signature(owner).parameters.items():
        if name == session:
            continue
        hint = hints.get(name)
        marks = getattr(hint, "__metadata__", ())
        found = [each for each in marks if isinstance(each, ParameterSpec)]
        type_ = hint.__origin__ if hint is not None and found else hint
        if not found and is_dataclass(hint) and isinstance(hint, type):
            found = [Fields(hint)]
        where = f"{owner.__qualname__}: the parameter {name}"
        if len(found) != 1:
            raise TypeError(f"{where} declares no word.")
        declared = Parameter(name, type_, parameter.default is parameter.empty, found[0])
        given = declared.spec.type_of(declared)
        if given != type_:
            raise TypeError(f"{where} is {_name(type_)}, but its word is read as {_name(given)}.")
        all_declared.append(declared)
    return tuple(all_declared)


def _checked_names(
    function: Function, check: Callable[..., object], declared: tuple[Parameter, ...]
) -> tuple[str, ...]:
    """Return which values the check looks at; raises TypeError for one that is not declared so."""
    types = {each.name: each.type for each in declared}
    hints = get_type_hints(check)
    for name in signature(check).parameters:
        if types.get(name) != hints.get(name):
            raise TypeError(
                f"{function.__qualname__}: its check looks at {name}, which is "
                f"{_name(types[name]) if name in types else 'no parameter'}."
            )
    return tuple(signature(check).parameters)


def _name(type_: Any) -> str:
    return type_.__name__ if isinstance(type_, type) else str(type_)

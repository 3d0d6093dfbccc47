"""Options of the shell itself, which may stand anywhere among the words of a command."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from pbmserv.cli.worker_context import require_own_process
from pbmserv.club.word_forms import is_slip, nearest, straightened
from pbmserv.commands.words import OPTION
from pbmserv.engine import games
from pbmserv.errors import Fault, Misunderstood, PbmservError, invalid_value
from pbmserv.settings import database_url, find

STYLES = ("ascii", "unicode")


class ShellOptions(NamedTuple):
    """How to answer and where the games are kept; ``words`` is the rest of the line."""

    words: tuple[str, ...] = ()
    json: bool = False
    plain: bool = False
    no_pager: bool = False
    help: bool = False
    version: bool = False
    yes: bool = False
    database: str | None = None
    style: str = "ascii"

    @property
    def url(self) -> str:
        """The database that option, environment or settings name."""
        return database_url() if self.database is None else self.database


FLAGS = ("json", "plain", "no-pager", "help", "version", "yes")
VALUES = ("database", "style")
NAMES = (*FLAGS, *VALUES)

SUMMARIES = (
    ("--json", "print one JSON document instead of text (see: pbmserv help json)"),
    ("--plain", "list the stones in words instead of drawing the board"),
    ("--style=ascii|unicode", "the characters that boards are drawn with"),
    ("--database=FILE|URL", "use this database instead of the default one"),
    ("--yes", "answer yes when asked for confirmation"),
    ("--no-pager", "print long help pages without a pager"),
    ("--version, -V", "print the version"),
    ("--help, -h", "show help for the command before it"),
)

LETTERS = {"-h": "help", "-V": "version"}
"""The only options of one letter."""

MIN_LETTERS = 2
"""Letters of the shortest abbreviation: with one, a slip could name another database."""

OwnOptions = Callable[[Sequence[str]], Collection[str]]
"""Returns the options of the command that these words begin with."""


def take_options(words: Sequence[str], own_options: OwnOptions) -> ShellOptions:
    """Take the shell's options out, but none of ``own_options``; raises :class:`Misunderstood`."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    waiting = straightened(reversed(words))
    while waiting:
        word = waiting.pop()
        match = OPTION.fullmatch(word)
        name = LETTERS.get(word) or (_full_name(match[1], rest, own_options) if match else None)
        if match is None or name is None:
            rest.append(word)
            continue
        if name in found:
            raise Misunderstood(f"The option --{name} is given twice.", code="option-twice")
        if name in FLAGS and match[2] is not None:
            raise Misunderstood(f"The option --{name} takes no value.", code="bad-option-value")
        found[name] = True if name in FLAGS else _value(name, match[2], waiting)
    found["style"] = found.get("style", STYLES[0]).lower()
    fields = {name.replace("-", "_"): value for name, value in found.items()}
    options = ShellOptions(words=tuple(rest), **fields)
    if options.style not in STYLES:
        raise invalid_value("-style", options.style, " or ".join(STYLES))
    return options


def load_games(taken: Callable[[], Iterable[str]] = tuple) -> None:
    """Load the games of the settings; no game may have a name that is ``taken``."""
    try:
        module = find("games") or ""
    except Fault:
        module = ""  # who needs a setting is told what is wrong with them
    if module != games.outside.module:
        require_own_process()
        games.load_outside_games(module, taken())


def wants_json(words: Sequence[str]) -> bool:
    """Tell whether the answer is to be JSON, even if the options are wrong."""
    return any(word.lower() in {"-json", "--json"} for word in words)


def hint_at_own_option(error: PbmservError) -> None:
    """Suggest the option of the shell that an unknown option may mean."""
    if error.code != "no-such-option" or error.meant.startswith("-"):
        return
    from pbmserv.commands.synonyms import option_meant

    name = (error.about or "").lstrip("-").lower()
    if name in NAMES:  # a shell would have taken it
        error.hint = "It works only in a shell on the server's machine."
        return
    name = {"v": "version", "?": "help", "usage": "help"}.get(name, name)
    name = option_meant(name, NAMES) or name
    error.is_harmless |= is_slip(name, NAMES)
    if near := nearest(name, NAMES):
        error.meant, error.hint, error.syntax = f"--{near}", "", ""
    elif not error.advice:
        error.hint = "All commands: pbmserv -h"


def _full_name(text: str, before: Sequence[str], own_options: OwnOptions) -> str | None:
    """Return the option of the shell that ``text`` abbreviates after ``before``, if any."""
    short = text.lower()
    if short in NAMES:
        return short
    meant = [name for name in NAMES if name.startswith(short)]
    if len(short) < MIN_LETTERS or len(meant) != 1:
        return None
    if any(own.startswith(short) for own in own_options(before)):
        return None
    return meant[0]


def _value(name: str, value: str | None, waiting: list[str]) -> str:
    """Return the value of an option: after its equals sign, else the next word."""
    if value is not None:
        return value
    if not waiting or waiting[-1] in {"-", "--"} or OPTION.fullmatch(waiting[-1]):
        told = next(f"{text}: {summary}." for text, summary in SUMMARIES if name in text)
        raise Misunderstood(f"Missing value for --{name}.", code="bad-option-value", hint=told)
    return waiting.pop()

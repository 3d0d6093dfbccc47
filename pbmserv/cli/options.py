"""Options of the shell itself, which may stand anywhere among the words of a command."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbmserv.errors import Misunderstood

STYLES = ("ascii", "unicode")


class ShellOptions(NamedTuple):
    """How to answer and where the games are kept; ``words`` is the rest of the line."""

    words: tuple[str, ...] = ()
    json: bool = False
    plain: bool = False
    help: bool = False
    version: bool = False
    database: str | None = None
    style: str = "ascii"


FLAGS = ("json", "plain", "help", "version")
VALUES = ("database", "style")

SUMMARIES = (
    ("--json", "print one JSON document instead of text (see: pbmserv help json)"),
    ("--plain", "list the stones in words instead of drawing the board"),
    ("--style=ascii|unicode", "the characters of pictures"),
    ("--database=FILE|URL", "keep the games there instead of the default place"),
    ("--version", "print the version"),
    ("--help", "print the help page of what stands before"),
)


def take_options(words: Sequence[str]) -> ShellOptions:
    """Take the shell's options out of the words; raises :class:`Misunderstood`."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        name, equals, value = word.lstrip("-").partition("=")
        name = name.lower()
        if not word.startswith("-") or name not in (*FLAGS, *VALUES):
            rest.append(word)
        elif name in FLAGS:
            if equals:
                raise Misunderstood(f"The option --{name} takes no value.", code="bad-option-value")
            found[name] = True
        else:
            if not equals and not waiting:
                raise Misunderstood(f"The option --{name} needs a value.", code="bad-option-value")
            found[name] = value if equals else waiting.pop()
    options = ShellOptions(words=tuple(rest), **found)
    if options.style not in STYLES:
        raise Misunderstood(
            "The option --style has a value that is not allowed.",
            code="bad-option-value",
            hint=f"--style may be {' or '.join(STYLES)}.",
        )
    return options

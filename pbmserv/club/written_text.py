"""What people write: which characters are taken in, and how any text is shown."""

import re

from pbmserv.errors import Refused

LINE_END = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What no stored text has: all control characters but tabs and the ends of lines."""

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What a terminal or a browser would obey instead of showing it."""


def clean(text: str) -> str:
    """Return somebody's text without control and format characters and without blank ends."""
    lines = LINE_END.split(text.replace("\t", "    "))
    kept = ["".join(filter(str.isprintable, line)).rstrip() for line in lines]
    return "\n".join(kept).strip("\n")


def parse_written(text: str) -> str:
    """Return a text that is to be stored, cleaned; raises :class:`Refused`.

    Invisible format characters are only left out, for many a program writes them unasked.
    """
    if CONTROL.search(LINE_END.sub("\n", text)):
        raise Refused(
            "The text contains a control character.",
            code="control-character",
            hint="Nothing was changed. Use letters, signs, tabs and line breaks only.",
        )
    return clean(text)


def visible(text: str) -> str:
    """Return a text for people, with a mark for each character that would do something."""
    return OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)


def in_markup(text: str) -> str:
    """Return the same for HTML and XML."""
    from html import escape  # with all its entities, which a shell has no use for

    return escape(visible(text))


def in_json(text: str) -> str:
    """Return a JSON document with an escape for each such character in its strings."""
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

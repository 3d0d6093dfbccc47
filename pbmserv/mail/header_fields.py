"""Header fields, cut out of raw bytes within fixed bounds and in linear time.

The standard library's email package is not used for reading. It raises on some headers and takes
quadratic time on others. How many parts a mail has is only known once it has parsed them all.
What a command needs of a mail is little enough to be read here, with every bound kept as we go.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

MAX_BLOCK = 100 * 1024
MAX_FIELD = 8 * 1024
MAX_FIELDS = 1_000
MAX_FIELDS_OF_PART = 100

NAME = re.compile(rb"([!-9;-~]++)[ \t]*+:")
FOLD = re.compile(rb"\r?\n(?=[ \t])")
ENVELOPE_LINE = re.compile(rb">?From (?![ \t]*+:)[^\n]*+\n")
PARAMETER = re.compile(
    r""";\s*+([a-z0-9_-]++)\s*+=\s*+(?:"((?:[^"\\]++|\\.)*)"|([^\s;"]++))""",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
MEDIA_TYPE = re.compile(r"\s*+([a-z0-9!#$&^_.+-]++/[a-z0-9!#$&^_.+-]++)\s*+(?=;|$)", re.IGNORECASE)
DISPOSITION = re.compile(r"\s*+([a-z-]++)", re.IGNORECASE | re.ASCII)


class BadMailError(Exception):
    """The mail breaks a bound or has no readable headers; ``code`` says which, for ever."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


Fields = Mapping[str, tuple[str, ...]]
"""The values of all fields by name in lower case, topmost first, unfolded.

They have one character for each byte behind the colon.
"""


def read_fields(
    data: bytes, start: int, end: int, *, is_strict: bool, cuts_long: bool = False
) -> tuple[Fields, int]:
    """Return the header fields that begin at ``start``, and where the body begins.

    A line that belongs to no field raises :class:`BadMailError` when ``is_strict``: two readers
    could see two different senders in such a mail, and no mail server hands it on. Otherwise, as
    in a part of a mail, the body begins there. With ``cuts_long`` a field that is too long is there
    without its value, else it raises too.
    """
    fields: dict[str, tuple[str, ...]] = {}
    count, most = 0, MAX_FIELDS if is_strict else MAX_FIELDS_OF_PART
    longest = MAX_BLOCK if cuts_long else MAX_FIELD
    here = start
    while here < end:
        if data.startswith((b"\n", b"\r\n"), here, end):
            return fields, data.index(b"\n", here) + 1
        after = _end_of_field(data, here, end, longest)
        name = NAME.match(data, here, after)
        if name is None:
            if is_strict:
                raise BadMailError("bad-header")
            break
        count += 1
        if count > most:
            raise BadMailError("too-many-headers")
        is_long = after - here > MAX_FIELD
        if is_long and not cuts_long:
            raise BadMailError("header-too-long")
        if after - start > MAX_BLOCK:
            raise BadMailError("headers-too-long")
        text = b"" if is_long else data[name.end() : after]
        value = FOLD.sub(b"", text).strip().decode("latin-1")
        key = name.group(1).decode("ascii").lower()
        fields[key] = (*fields.get(key, ()), value)
        here = after
    return fields, here


def _end_of_field(data: bytes, here: int, end: int, longest: int) -> int:
    after = data.find(b"\n", here, end) + 1 or end
    while data[after : min(after + 1, end)] in (b" ", b"\t") and after - here <= longest:
        after = data.find(b"\n", after, end) + 1 or end
    return after


def skip_envelope_line(data: bytes) -> int:
    """Return where the headers begin: behind the ``From`` line that a mailbox file may have."""
    line = ENVELOPE_LINE.match(data)
    return line.end() if line else 0


class ContentType(NamedTuple):
    """A media type in lower case and its plain parameters; continued ones (RFC 2231) are left."""

    media_type: str
    parameters: dict[str, str]


def content_type(fields: Fields) -> ContentType:
    """Return what the fields say of the content; plain text where they say nothing readable."""
    text = next(iter(fields.get("content-type", ())), "")
    media_type = MEDIA_TYPE.match(text)
    if media_type is None:
        return ContentType("text/plain", {})
    parameters: dict[str, str] = {}
    for name, quoted, bare in PARAMETER.findall(text, media_type.end()):
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted else bare
        parameters.setdefault(name.lower(), value)
    return ContentType(media_type.group(1).lower(), parameters)


def is_attachment(fields: Fields) -> bool:
    """Tell whether the part is a file that travels with the mail and no text of it."""
    text = next(iter(fields.get("content-disposition", ())), "")
    disposition = DISPOSITION.match(text)
    return disposition is not None and disposition.group(1).lower() == "attachment"

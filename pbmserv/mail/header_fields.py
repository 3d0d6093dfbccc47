"""Header fields, cut out of raw bytes within fixed bounds and in linear time.

The standard library's email package is not used for reading. It raises on some headers and takes
quadratic time on others. How many parts a mail has is only known once it has parsed them all.
What a command needs of a mail is little enough to be read here, with every bound kept as we go.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_BLOCK = 100 * 1024
MAX_FIELD = 8 * 1024
MAX_FIELDS = 1_000
MAX_FIELDS_OF_PART = 100

NAME = re.compile(rb"([!-9;-~]++)[ \t]*+:")
FOLD = re.compile(rb"\r?\n(?=[ \t])")
ENVELOPE_LINE = re.compile(rb">?From (?![ \t]*+:)[^\n]*+\n")
PARAMETER = re.compile(
    r""";\s*+([a-z0-9_-]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]++))""",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
MEDIA_TYPE = re.compile(r"\s*+([a-z0-9!#$&^_.+-]++/[a-z0-9!#$&^_.+-]++)\s*+(?=;|$)", re.IGNORECASE)
DISPOSITION = re.compile(r"\s*+([a-z-]++)", re.IGNORECASE | re.ASCII)


class BadMailError(Exception):
    """The mail breaks a bound or has no readable headers; ``code`` says which, for ever."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Field:
    """One header field: its name in lower case and its bytes behind the colon, unfolded."""

    name: str
    value: bytes

    @property
    def text(self) -> str:
        """The value with one character for each byte."""
        return self.value.decode("latin-1")


Fields = tuple[Field, ...]


def read_fields(data: bytes, start: int, end: int, *, is_strict: bool) -> tuple[Fields, int]:
    """Return the header fields that begin at ``start``, and where the body begins.

    A line that belongs to no field raises :class:`BadMailError` when ``is_strict``: two readers
    could see two different senders in such a mail, and no mail server hands it on. Otherwise, as
    in a part of a mail, the body begins there.
    """
    fields: list[Field] = []
    most = MAX_FIELDS if is_strict else MAX_FIELDS_OF_PART
    here = start
    while here < end:
        after = _line_end(data, here, end)
        if data[here:after] in (b"\n", b"\r\n"):
            return tuple(fields), after
        while data[after : min(after + 1, end)] in (b" ", b"\t") and after - here <= MAX_FIELD:
            after = _line_end(data, after, end)
        name = NAME.match(data, here, after)
        if name is None:
            if is_strict:
                raise BadMailError("bad-header")
            break
        if len(fields) >= most:
            raise BadMailError("too-many-headers")
        _check_lengths(after - here, after - start)
        value = FOLD.sub(b"", data[name.end() : after]).strip()
        fields.append(Field(name.group(1).decode("ascii").lower(), value))
        here = after
    return tuple(fields), here


def skip_envelope_line(data: bytes) -> int:
    """Return where the headers begin: behind the ``From`` line that a mailbox file may have."""
    line = ENVELOPE_LINE.match(data)
    return line.end() if line else 0


def values(fields: Iterable[Field], name: str) -> tuple[str, ...]:
    """Return the values of every field called ``name`` (in lower case), topmost first."""
    return tuple(field.text for field in fields if field.name == name)


@dataclass(frozen=True)
class ContentType:
    """A media type in lower case and its plain parameters; continued ones (RFC 2231) are left."""

    media_type: str
    parameters: dict[str, str]


def content_type(fields: Fields) -> ContentType:
    """Return what the fields say of the content; plain text where they say nothing readable."""
    text = next(iter(values(fields, "content-type")), "")
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
    text = next(iter(values(fields, "content-disposition")), "")
    disposition = DISPOSITION.match(text)
    return disposition is not None and disposition.group(1).lower() == "attachment"


def _line_end(data: bytes, start: int, end: int) -> int:
    found = data.find(b"\n", start, end)
    return end if found < 0 else found + 1


def _check_lengths(field: int, block: int) -> None:
    if field > MAX_FIELD:
        raise BadMailError("header-too-long")
    if block > MAX_BLOCK:
        raise BadMailError("headers-too-long")

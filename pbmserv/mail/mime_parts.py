"""The parts of a mail: walked once, in order, within fixed bounds, to find the text to read."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from pbmserv.mail.charsets import decode_text, decode_transfer
from pbmserv.mail.header_fields import (
    BadMailError,
    ContentType,
    Fields,
    content_type,
    is_attachment,
    read_fields,
)

MAX_PARTS = 100
MAX_DEPTH = 20
MAX_BOUNDARY = 200


@dataclass(frozen=True)
class MimePart:
    """A part of a mail: its header fields, where its body lies, and how deep it is nested."""

    fields: Fields
    start: int
    end: int
    depth: int = 0

    @cached_property
    def content(self) -> ContentType:
        """What the fields say of the content."""
        return content_type(self.fields)


def walk(data: bytes, root: MimePart) -> Iterator[MimePart]:
    """Yield ``root`` and every part inside it in the order in which they are written.

    Mails that travel inside the mail are not opened: their words are not the sender's. Raises
    :class:`BadMailError` for more than 100 parts and for parts more than 20 deep.
    """
    waiting = [root]
    count = 0
    while waiting:
        part = waiting.pop()
        yield part
        if part.content.media_type.startswith("multipart/"):
            inner = []
            for start, end in _sections(data, part):
                count += 1
                if count > MAX_PARTS:
                    raise BadMailError("too-many-parts")
                if part.depth >= MAX_DEPTH:
                    raise BadMailError("too-deep")
                fields, body = read_fields(data, start, end, is_strict=False)
                inner.append(MimePart(fields, body, end, part.depth + 1))
            waiting += reversed(inner)


def part_text(data: bytes, part: MimePart) -> str | None:
    """Return the text of ``part`` with plain line ends, or None if it cannot be decoded."""
    encoding = next(iter(part.fields.get("content-transfer-encoding", ())), "")
    content = decode_transfer(data[part.start : part.end], encoding)
    if content is None:
        return None
    media_type, parameters = part.content
    text = decode_text(content, parameters.get("charset", ""))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if media_type == "text/plain" and parameters.get("format", "").lower() == "flowed":
        return unflow(text, keeps_blank=parameters.get("delsp", "").lower() != "yes")
    return text


def is_text(part: MimePart, media_type: str) -> bool:
    """Tell whether ``part`` is of this type and meant to be read, not saved."""
    return part.content.media_type == media_type and not is_attachment(part.fields)


def unflow(text: str, *, keeps_blank: bool = True) -> str:
    """Return format=flowed text (RFC 3676) without soft line breaks, but for quoted lines."""
    pieces: list[str] = []
    is_open = False
    for raw in text.split("\n"):
        line = raw.removeprefix(" ")
        is_fixed = line.startswith(">") or line == "-- "
        if pieces and not (is_open and not is_fixed):
            pieces.append("\n")
        is_open = line.endswith(" ") and not is_fixed
        pieces.append(line[:-1] if is_open and not keeps_blank else line)
    return "".join(pieces)


def _sections(data: bytes, part: MimePart) -> Iterator[tuple[int, int]]:
    """Yield where each part directly inside a multipart begins and ends."""
    boundary = part.content.parameters.get("boundary", "").encode("latin-1")
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        return
    begun: int | None = None
    for start, after, is_last in _delimiters(data, part, b"--" + boundary):
        if begun is not None:
            yield begun, max(begun, start)
        begun = after
        if is_last:
            return
    if begun is not None:
        yield begun, part.end


def _delimiters(data: bytes, part: MimePart, mark: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield each delimiter line: where the text before it ends, where it ends, is it the last."""
    here = part.start
    while (found := data.find(mark, here, part.end)) >= 0:
        if found > part.start and data[found - 1 : found] != b"\n":
            here = found + 1
            continue
        newline = data.find(b"\n", found, part.end)
        here = part.end if newline < 0 else newline + 1
        rest = data[found + len(mark) : here].rstrip()
        if rest in (b"", b"--"):
            before = found - 2 if data[found - 2 : found] == b"\r\n" else found - 1
            yield before, here, rest == b"--"

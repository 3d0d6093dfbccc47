"""One mail, read from bytes that anybody may have written.

:func:`read_mail` is the only door. Whatever the bytes are, it answers within a second, in less
than 256 MiB, with an :class:`Incoming` or an :class:`Unreadable`, and it never raises. All work is
linear in the size of the mail, and the size is looked at first.

What the sender must be told of, such as a Subject that is too long, waits in
``Incoming.refusal``: the loop guard comes first, and the question who they are.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pbmserv.errors import Misunderstood
from pbmserv.mail.charsets import decode_text, decode_words
from pbmserv.mail.cleaning import TURNED, clean_line, clean_prose, cut_prefixes
from pbmserv.mail.header_fields import (
    BadMailError,
    Fields,
    content_type,
    read_fields,
    skip_envelope_line,
)
from pbmserv.mail.html_text import IN_DOUBT, text_from_html
from pbmserv.mail.mime_parts import MimePart, is_text, part_text, walk
from pbmserv.mail.quoting import own_text
from pbmserv.mail.sender import addresses_in, sender_address

MAX_SIZE = 1024 * 1024
MAX_BODY = 10_000
MAX_LINES = 20_000
MAX_MESSAGE_ID = 250
MAX_REPORT = 16 * 1024

RECIPIENT_FIELDS = ("delivered-to", "x-original-to", "to")

REASONS = {
    "mail-too-large": "The mail is larger than 1 MiB.",
    "header-too-long": "The mail has a header of more than 8 KiB.",
}
"""Why no more of a mail is read than its headers, by permanent code."""


@dataclass(frozen=True)
class Envelope:
    """The envelope of a mail (RFC 5321); None is unknown, an empty sender the null return path."""

    recipient: str | None = None
    sender: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """A mail that is not read: why, by permanent code; of a defect of ours, its kind.

    ``sha256`` is taken over the first MiB and a byte, which is all that is looked at.
    """

    code: str
    sha256: str
    cause: str = ""


@dataclass(frozen=True)
class Incoming:
    """A mail as far as a command needs it.

    ``sender`` is the one address it is from, None where that is not beyond doubt; ``subject`` and
    ``body`` are cleaned, and empty where ``refusal`` says why they cannot be used. Where something
    was struck out or turned round, ``body`` has the mark ``IN_DOUBT``. ``recipients``
    are the addresses that may hold a reply token, best first. ``return_path`` is "" for a bounce
    and None where nobody tells. ``delivery_status`` has the status codes of a bounce, ``5.1.1``.
    ``is_bare`` if nothing such as ``Re:`` was cut from the Subject, ``before`` is what was.
    ``is_sealed`` if instead of a text there is what cannot be read, such as an attachment.
    Nothing that may hold a password or a token is in the text form of the value.
    """

    sender: str | None
    sha256: str
    subject: str = field(default="", repr=False)
    body: str = field(default="", repr=False)
    refusal: Misunderstood | None = None
    message_id: str | None = None
    recipients: tuple[str, ...] = field(default=(), repr=False)
    return_path: str | None = field(default=None, repr=False)
    media_type: str = "text/plain"
    delivery_status: tuple[str, ...] = ()
    fields: Fields = field(default_factory=dict, repr=False)
    is_bare: bool = False
    before: str = field(default="", repr=False)
    is_sealed: bool = False

    @property
    def authentication_results(self) -> tuple[str, ...]:
        """What mail servers found out about the sender, topmost first, for ``passes_dmarc``."""
        return self.fields.get("authentication-results", ())


def read_mail(data: bytes, envelope: Envelope | None = None) -> Incoming | Unreadable:
    """Return what ``data`` says, or why it is not read; it never raises."""
    sha256 = hashlib.sha256(data[: MAX_SIZE + 1]).hexdigest()
    envelope = envelope or Envelope()
    code = "mail-too-large"
    try:
        if len(data) <= MAX_SIZE:
            try:
                return _read(data, envelope, sha256)
            except BadMailError as error:
                code = error.code
                if code not in REASONS:
                    raise
        begin = skip_envelope_line(data)
        fields, _ = read_fields(data, begin, MAX_SIZE, is_strict=True, cuts_long=True)
        hint = "Send the command alone, in a new mail without attachments."
        refusal = Misunderstood(REASONS[code], code=code, hint=hint)
        # No more of it is read, but a known sender can be told why.
        return replace(_headers(fields, envelope, sha256), refusal=refusal)
    except BadMailError:
        return Unreadable(code, sha256)
    except Exception as error:  # noqa: BLE001 - no mail may stop the door, whatever our defect
        return Unreadable("unreadable-mail", sha256, type(error).__name__)


def first_line(body: str) -> tuple[str, str]:
    """Return the first line of ``body`` that says anything, cleaned as a command, and the rest.

    Raises :class:`Misunderstood` when that line is too long for a command, or when something in it
    is struck out, may be hidden, or is shown from right to left against its nature.
    """
    line, _, rest = body.lstrip().partition("\n")
    return _clear_line(line), rest.strip("\n")


def comment_in(body: str) -> str:
    """Return the words of ``body`` as others may read them."""
    return body.replace(IN_DOUBT, "").strip("\n")


def command_lines(body: str) -> tuple[str, ...]:
    """Return the lines of ``body`` that are not blank, as :func:`first_line` does with one."""
    return tuple(line for line in map(_clear_line, body.split("\n")) if line)


def _clear_line(text: str) -> str:
    if IN_DOUBT in text:
        raise Misunderstood(
            "Something in the mail is struck out, hidden or turned round.",
            code="struck-out",
            hint="Write it again as plain text.",
        )
    return clean_line(text)


def _headers(fields: Fields, envelope: Envelope, sha256: str) -> Incoming:
    """Return what the headers of a mail alone say of it."""
    return Incoming(
        sender=sender_address(fields.get("from", ())),
        sha256=sha256,
        message_id=_message_id(fields),
        recipients=_recipients(fields, envelope),
        return_path=_return_path(fields, envelope),
        media_type=content_type(fields).media_type,
        fields=fields,
    )


def _read(data: bytes, envelope: Envelope, sha256: str) -> Incoming:
    fields, body = read_fields(data, skip_envelope_line(data), len(data), is_strict=True)
    parts = list(walk(data, MimePart(fields, body, len(data))))
    status = _delivery_status(data, parts)
    mail = replace(_headers(fields, envelope, sha256), delivery_status=status)
    try:
        line = _clear_line(_subject(fields))
        subject = cut_prefixes(line)
        text = _body(data, parts)
        mail = replace(mail, before=line.removesuffix(subject), is_bare=line == subject)
        kinds = {part.content.media_type.partition("/")[0] for part in parts}
        has_other = not text and not kinds <= {"text", "multipart"}
        is_sealed = has_other or text.startswith("-----BEGIN PGP MESSAGE-----")
        return replace(mail, subject=subject, body=text, is_sealed=is_sealed)
    except Misunderstood as error:
        return replace(mail, refusal=error)


def _subject(fields: Fields) -> str:
    subjects = fields.get("subject", ())
    if len(subjects) > 1:
        raise Misunderstood(
            "The mail has more than one Subject.",
            code="several-subjects",
            hint="The Subject is the command, and there can be only one.",
        )
    subject = decode_words(decode_text("".join(subjects).encode("latin-1")))
    return TURNED.sub(IN_DOUBT, subject)


def _body(data: bytes, parts: Sequence[MimePart]) -> str:
    """Return the sender's own words from the first plain part that has any, else from HTML."""
    for media_type in ("text/plain", "text/html"):
        part = next((part for part in parts if is_text(part, media_type)), None)
        if part is None:
            continue
        text = part_text(data, part)
        if text is None:
            raise Misunderstood(
                "The text of the mail is written in an encoding that cannot be read here.",
                code="bad-encoding",
                hint="Send it as plain text.",
            )
        if media_type == "text/html":
            text = text_from_html(text)
        if text is None or text.count("\n") > MAX_LINES:
            raise _too_long()
        if text.strip():
            return _own_words(text)
    return ""


def _own_words(text: str) -> str:
    words = clean_prose(TURNED.sub(IN_DOUBT, own_text(text, MAX_BODY))).strip("\n")
    if len(words) > MAX_BODY:
        raise _too_long()
    return words


def _too_long() -> Misunderstood:
    return Misunderstood(
        "The text of the mail is too long.",
        code="body-too-long",
        hint=f"It has at most {MAX_BODY:,} characters, quotations and signature not counted.",
    )


def _message_id(fields: Fields) -> str | None:
    """Return what tells this mail from others, None without a Message-ID.

    An odd one is as good as any for finding the same mail again, so it is kept by its digest.
    """
    text = " ".join(fields.get("message-id", ())).strip()
    if not text:
        return None
    is_plain = text.isascii() and text.isprintable() and len(text) <= MAX_MESSAGE_ID
    return text if is_plain else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _recipients(fields: Fields, envelope: Envelope) -> tuple[str, ...]:
    known = [envelope.recipient.strip(" <>")] if envelope.recipient else []
    for name in RECIPIENT_FIELDS:
        known += addresses_in(fields.get(name, ()))
    return tuple(dict.fromkeys(known))


def _return_path(fields: Fields, envelope: Envelope) -> str | None:
    paths = (envelope.sender,) if envelope.sender is not None else fields.get("return-path", ())
    return paths[0].strip().removeprefix("<").removesuffix(">").strip() if paths else None


def _delivery_status(data: bytes, parts: Sequence[MimePart]) -> tuple[str, ...]:
    """Return the status codes in the report of a mail server on a letter of ours (RFC 3464)."""
    report = next(
        (part for part in parts if part.content.media_type == "message/delivery-status"), None
    )
    if report is None:
        return ()
    codes: list[str] = []
    here, end = report.start, min(report.end, report.start + MAX_REPORT)
    while here < end:
        fields, after = read_fields(data, here, end, is_strict=False)
        codes += fields.get("status", ())
        if after == here:
            break
        here = after
    return tuple(code.split()[0][:20] for code in codes if code.strip())

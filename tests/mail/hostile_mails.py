"""Hostile mails from a grammar, and a harness that holds every one to a second and 256 MiB.

Run it as `python -m tests.mail.hostile_mails [--count N] [--seed N] [--bombs] [FILE ...]`: it reads
that many generated mails, the bombs and the files, prints how they ended, and fails at the first
that breaks a promise. A reader that does not come back is ended by a signal after a second of
computing, so that a slow or busy machine alone makes no failure.
"""

import argparse
import importlib.util
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType

from pbmserv.club.letter import TokenScope
from pbmserv.club.player import parse_address
from pbmserv.errors import Refused
from pbmserv.mail.authentication import passes_dmarc
from pbmserv.mail.inbound import (
    MAX_BODY,
    Envelope,
    Incoming,
    command_lines,
    first_line,
    read_mail,
)
from pbmserv.mail.loop_guard import ServerAddress, reason_to_drop
from pbmserv.mail.subjects import command_line
from pbmserv.mail.tokens import Key, read_bounce_token, read_token, token_in

from .costly_mails import bombs

SECONDS = 1.0
MEMORY = 256 * 1024 * 1024
BASE = "pbmserv@example.org"
KEYS = (Key(2, b"2" * 32), Key(1, b"1" * 32))
HEADS = frozenset({"star", "*star", "help"})


def is_whole(text: str) -> bool:
    return text.partition(" ")[0].lower() in HEADS


NAMES = (
    b"From To Subject Sender Reply-To Message-ID Return-Path Delivered-To X-Original-To Received "
    b"Content-Type Content-Transfer-Encoding Content-Disposition Auto-Submitted Precedence List-Id "
    b"X-Loop X-Autoreply Authentication-Results Date MIME-Version Status"
).split()
PIECES = (
    *(b"alice@example.org", b"<alice@example.org>", b"pbmserv@example.org", b"a@x]<b@y>", b"<>"),
    *(b'"', b'"Alice"', b"\\", b"(", b")", b",", b";", b":", b"=", b"?", b"*", b"@", b"<", b">"),
    *(b" ", b"\t", b"\r", b"\n ", b"\r\n\t", b"\0", b"\xff", b"\xc3\xa9", b"\xe2\x80\xae", b"\x85"),
    *(b"=?utf-8?q?a=40b?=", b"=?utf-8?b?w6k=?=", b"=?x?q?a?=", b"=?utf-16?b?AA?=", b"=?utf-8?q?"),
    *(b"Re:", b"AW[2]:", b"[tag]", b"New ", b"Reminder:", b"Star Board 101 alice", b"F6", b"**"),
    *(b"text/plain", b"text/html", b"multipart/mixed", b"message/rfc822", b"message/"),
    *(b"; boundary=b", b'; boundary="b', b"; charset=utf-8", b"; charset=utf-7", b"; charset=idna"),
    *(b"; format=flowed", b"; name*0*=x", b"; boundary*=utf-8''b", b"base64", b"quoted-printable"),
    *(b"auto-replied", b"bulk", b"mx; dmarc=pass header.from=example.org", b"attachment"),
    *(b"pbmserv+" + b"a" * 45 + b"@example.org", b"7" * 300, "\u0301".encode() * 50),
)
LINES = (
    *(b"F6", b"-- ", b"--", b"> quoted", b">", b"", b" ", b"\0", b"On 3 Nov 2025, Alice wrote:"),
    *(b"-----Original Message-----", b"From: a", b"Sent: b", b"wrote:", b"=46=", b"=", b"RjY="),
    *(b"<br>", b"<blockquote>", b"</blockquote>", b"<!--", b"<style>", b"&#9999999999;", b"&lt"),
    *(
        b"--b",
        b"--b--",
        b"--c",
        b"Content-Type: text/plain",
        b"Content-Type: multipart/x;boundary=b",
    ),
    *(b"\xff\xfe", b"\x1b$B", b"\xe2\x80\x9cx\xe2\x80\x9d", b"x" * 600, b"\r", b"star show 101 "),
)


class BrokenPromiseError(BaseException):
    """A mail was read too slowly or wrongly; no handler of the reader may catch it."""


def hostile_mail(random: Random) -> bytes:
    """Return a mail from the grammar, sometimes bitten, shuffled or repeated afterwards."""
    head = _headers(random, 12)
    if random.random() < 0.5:
        head += b"Content-Type: multipart/mixed; boundary=b0\n"
    body = _body(random, 0, random.choice((0.1, 0.4, 0.4, 0.99)))
    data = head + random.choice((b"\n", b"\n", b"\r\n", b"")) + body
    for _ in range(random.choice((0, 0, 0, 1, 5))):
        data = random.choice(SPOILERS)(random, data)
    return data


def _headers(random: Random, most: int) -> bytes:
    end = random.choice((b"\n", b"\n", b"\r\n"))
    return b"".join(
        random.choice(NAMES) + random.choice((b": ", b":", b" : ")) + _value(random) + end
        for _ in range(random.randint(0, most))
    )


def _value(random: Random) -> bytes:
    pieces = random.choices(PIECES, k=random.choice((0, 1, 1, 1, 2, 3, 6)))
    return b"".join(pieces) * random.choice((1, 1, 1, 1, 1, 2, 30))


def _body(random: Random, depth: int, nesting: float = 0.4) -> bytes:
    if depth < 25 and random.random() < nesting:
        mark = b"b%d" % random.choice((0, depth, depth, depth))
        count = random.choice((1, 1, 2, 3)) if nesting < 0.5 else 1
        return b"".join(
            b"--" + mark + b"\n" + _part(random, depth, nesting) + _body(random, depth + 1, nesting)
            for _ in range(count)
        )
    return b"\n".join(random.choices(LINES, k=random.choice((0, 1, 5, 20))))


def _part(random: Random, depth: int, nesting: float) -> bytes:
    if random.random() < max(0.7, nesting):
        return b"Content-Type: multipart/x; boundary=b%d\n\n" % (depth + 1)
    return _headers(random, 3) + b"\n"


def _flip(random: Random, data: bytes) -> bytes:
    here = random.randrange(len(data) + 1)
    return data[:here] + bytes((random.randrange(256),)) + data[here + 1 :]


def _cut(random: Random, data: bytes) -> bytes:
    start, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def _repeat(random: Random, data: bytes) -> bytes:
    start = random.randrange(len(data) + 1)
    end = start + random.choice((1, 5, 50))
    return data[:end] + data[start:end] * random.choice((1, 3, 100)) + data[end:]


SPOILERS: tuple[Callable[[Random, bytes], bytes], ...] = (_flip, _cut, _repeat)


def check(data: bytes) -> str:
    """Return how the mail ended; raises :class:`BrokenPromiseError` where it should not have."""
    incoming = read_mail(data, Envelope(recipient=None))
    dropped = reason_to_drop(incoming, ServerAddress(BASE))
    if not isinstance(incoming, Incoming):
        _promise(incoming.code != "unreadable-mail", f"a defect: {incoming.cause}")
        return f"unreadable: {incoming.code}"
    _check_values(incoming)
    _check_reading(incoming)
    ending = f"dropped: {dropped}" if dropped else "read"
    return ending if incoming.refusal is None else f"refused: {incoming.refusal.code}"


def _check_values(incoming: Incoming) -> None:
    if incoming.sender is not None:
        _promise(incoming.sender == parse_address(incoming.sender), "a sender that is none")
        _promise(len(incoming.fields["from"]) == 1, "a sender of several")
    _promise(len(incoming.subject) <= 500, "a long subject")
    _promise("\n" not in incoming.subject, "a subject of several lines")
    _promise(len(incoming.body) <= MAX_BODY, "a long body")
    for address in incoming.recipients:
        token = token_in(address, BASE) or ""
        _promise(read_token(KEYS, token) is None, "a token that we did not make")
        _promise(read_bounce_token(KEYS, token) is None, "a bounce of no letter")


def _check_reading(incoming: Incoming) -> None:
    passes_dmarc(incoming.authentication_results, "mx", incoming.sender)
    readings: tuple[Callable[[], object], ...] = (
        lambda: first_line(incoming.body),
        lambda: command_lines(incoming.body),
        lambda: command_line(incoming, None, is_whole),
        lambda: command_line(incoming, TokenScope(1, 2, 3), is_whole),
    )
    for reading in readings:
        try:
            reading()
        except Refused as refusal:
            _promise(bool(refusal.code), "a refusal without a code")


def _promise(kept: bool, broken: str) -> None:  # noqa: FBT001 - a sentence of two halves
    if not kept:
        raise BrokenPromiseError(broken)


@contextmanager
def bounds() -> Iterator[Callable[[], None]]:
    """Hold what is done inside to 256 MiB, and to a second after each call of what it gives."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise BrokenPromiseError("more than a second")

    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = used * resource.getpagesize() + MEMORY
    old_limit = resource.getrlimit(resource.RLIMIT_AS)
    old_stop = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (limit, old_limit[1]))
    try:
        yield lambda: _set_timer(SECONDS)
    finally:
        _set_timer(0)
        signal.signal(signal.SIGPROF, old_stop)
        resource.setrlimit(resource.RLIMIT_AS, old_limit)


def _set_timer(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)


def run(mails: Iterable[tuple[str, bytes]]) -> Counter[str]:
    """Return how often the mails ended in which way, having held each to the bounds."""
    endings: Counter[str] = Counter()
    with bounds() as begin:
        for name, data in mails:
            begin()
            try:
                endings[check(data)] += 1
            except BrokenPromiseError as broken:
                raise SystemExit(f"{name}: {broken}: {data[:2000]!r}") from broken
    return endings


def generated(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield so many mails of the grammar, each with the seed that makes it again."""
    for number in range(seed, seed + count):
        yield f"seed {number}", hostile_mail(Random(number))


def pythons_own() -> list[Path]:
    """Return the mails of CPython's own tests, none where it was installed without them."""
    spec = importlib.util.find_spec("test")
    places = (spec.submodule_search_locations if spec else None) or []
    folders = [Path(place, "test_email", "data") for place in places]
    return [file for folder in folders for file in sorted(folder.glob("msg_*.txt"))]


def main() -> None:
    """Read what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--count", type=int, default=0, help="so many generated mails")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first")
    parser.add_argument("--bombs", action="store_true", help="the bombs too")
    parser.add_argument("files", nargs="*", type=Path, help="mails in files")
    asked = parser.parse_args()
    named = [(file.name, file.read_bytes()) for file in asked.files]
    endings = run(named) + run(bombs().items() if asked.bombs else ())
    endings += run(generated(asked.count, asked.seed))
    for ending, count in endings.most_common():
        sys.stdout.write(f"{count:8} {ending}\n")


if __name__ == "__main__":
    main()

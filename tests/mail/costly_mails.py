"""Mails made to cost time or memory, each of a size that is still read where that matters."""

from pbmserv.mail.inbound import MAX_SIZE

HEAD = b"From: a@example.org\nSubject: x\n"
HTML = HEAD + b"Content-Type: text/html\n\n"
FIELD = 8_000
MARKUP = 250_000


def fill(pattern: bytes, size: int = MAX_SIZE - 300) -> bytes:
    """Return ``size`` bytes of this pattern."""
    return (pattern * (size // len(pattern) + 1))[:size]


def nest(depth: int) -> bytes:
    """Return a mail of multiparts in multiparts, none of them closed."""
    inner = (
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(depth)
    )
    return HEAD + b"".join(inner) + b"\n"


def _in_header(name: bytes, pattern: bytes, end: bytes = b"") -> bytes:
    return name + b": " + fill(pattern, FIELD) + end + b"\n\n"


def _in_headers(name: bytes, pattern: bytes) -> bytes:
    return (name + b": " + fill(pattern, FIELD) + b"\n") * 12 + b"\n"


def _encoded(encoding: bytes, pattern: bytes) -> bytes:
    return HEAD + b"Content-Transfer-Encoding: " + encoding + b"\n\n" + fill(pattern)


def _charset(name: bytes, pattern: bytes) -> bytes:
    return HEAD + b"Content-Type: text/plain; charset=" + name + b"\n\n" + fill(pattern)


def _multipart(boundary: bytes, body: bytes) -> bytes:
    return HEAD + b'Content-Type: multipart/mixed; boundary="' + boundary + b'"\n\n' + body


def _flowed(pattern: bytes) -> bytes:
    head = HEAD + b"Content-Type: text/plain; format=flowed; delsp=yes\n\n"
    return head + fill(pattern)


def bombs() -> dict[str, bytes]:
    """Return every bomb by a name that says what it is made of."""
    return {**_headers(), **_bodies(), **_markup(), **_parts()}


def _headers() -> dict[str, bytes]:
    return {
        "parameters without a value": b"Content-Type: text/plain;"
        + fill(b" name*", FIELD)
        + b"\n\n",
        "open quotes": b"Content-Type: text/plain" + fill(b';a="', FIELD) + b"\n\n",
        "escaped quotes": b"Content-Type: text/plain" + fill(b';a="\\', FIELD) + b"\n\n",
        "continued parameters": b"Content-Type: text/plain"
        + b"".join(b"; name*%d*=x" % n for n in range(550))
        + b"\n\n",
        "comments in To": _in_header(b"To", b"(c):"),
        "a megabyte of comments in To": b"To: " + fill(b"(c):") + b"\n\n",
        "comments in From": _in_header(b"From", b"("),
        "quotes in From": _in_header(b"From", b'"" '),
        "words in From": _in_header(b"From", b"a ", b"<a@b>"),
        "encoded words in From": _in_header(b"From", b"=?utf-8?q?a?= ", b"<a@b>"),
        "a name without end": _in_headers(b"To", b"a"),
        "an address without end": _in_headers(b"To", b"a@a."),
        "a domain without end": _in_headers(b"To", b"x@" + b"a" * 7_000),
        "many addresses": _in_headers(b"To", b"!@"),
        "a long Subject": b"Subject: " + fill(b"x") + b"\n\n",
        "a long folded Subject": b"Subject: " + fill(b"x\n ") + b"\n\n",
        "encoded words": _in_header(b"Subject", b"=?utf-8?q?a?= "),
        "blank encoded words": _in_header(b"Subject", b"=?utf-8?q?=20?= "),
        "half encoded words": _in_header(b"Subject", b"=?"),
        "nearly encoded words": _in_header(b"Subject", b"=?a?q?"),
        "accents": _in_header(b"Subject", "\u0315\u0300".encode()),
        "long compatibility characters": _in_header(b"Subject", "\ufdfa".encode()),
        "tags": _in_header(b"Subject", b"["),
        "answers": _in_header(b"Subject", b"re:"),
        "comments of our server": _in_headers(b"Authentication-Results", b"("),
        "many headers": b"a:\n" * 300_000 + b"\n",
        "many lists": b"List-Id: x\n" * 999 + b"\n",
        "no header": fill(b"x"),
        "blank headers": fill(b" \n"),
    }


def _bodies() -> dict[str, bytes]:
    plain = {
        "line feeds": b"\n",
        "carriage returns": b"\r",
        "quoted lines": b">\n",
        "long quoted lines": b"> " + b"x" * 55 + b"\n",
        "senders": b"From: x\n",
        "long senders": b"From: x" + b"x" * 50 + b"\n",
        "attributions": b"wrote " * 9 + b":\n",
        "long attributions": b"wrote " * 60 + b":\n",
        "quoted attributions": b"wrote " * 60 + b":\n>\n",
        "addresses": b"2000 1:00 " + b"<a@" * 100 + b":\n",
        "ats": b"2000 1:00 <" + b"@" * 300 + b">:\n",
        "rules": b"-" * 398 + b"\n",
        "colons": (b"2000" + b"x" * 55 + b"\n") * 2 + b"1:\n",
        "nulls": b"\0",
        "unseen characters": "\u200b".encode(),
    }
    return {
        **{f"a body of {name}": HEAD + b"\n" + fill(text) for name, text in plain.items()},
        "flowed lines": _flowed(b"a \n"),
        "flowed blanks": _flowed(b"   \n"),
        "flowed quotes": _flowed(b"> \n"),
        "soft line breaks": _encoded(b"quoted-printable", b"=\n"),
        "equal signs": _encoded(b"quoted-printable", b"="),
        "trailing blanks": _encoded(b"quoted-printable", b" "),
        "encoded line ends": _encoded(b"quoted-printable", b"=0A"),
        "base64 line ends": _encoded(b"base64", b"Cg=="),
        "base64 padding": _encoded(b"base64", b"="),
        "utf-16": _charset(b"utf-16", b"\n\0"),
        "escape sequences": _charset(b"iso-2022-jp", b"\x1b$B\x1b(B"),
        "broken escape sequences": _charset(b"iso-2022-kr", b"\x1b"),
        "bytes of no character": _charset(b"gb18030", b"\xff"),
    }


def _markup() -> dict[str, bytes]:
    patterns = (
        *(b"<", b"<b>", b"<br>", b"<!--", b"<!", b"</a", b"<a ", b"<a '", b"<style>", b"<p>x"),
        *(b"<style></style>", b"<style></style", b"<blockquote>x", b"&", b"&#99", b"&#x9999999"),
        *(
            b"&CounterClockwiseContourIntegralx",
            b"&#" + b"9" * 100_000,
            b"<!-- x -->",
            b"<![CDATA[",
            b"<p hidden><div>",
            b"<b style='x:y'>",
            b"<body hidden>",
            b"<style>a{display:none}",
            b"<style>" + b"a > " * 25_000,
            b"<b style='" + b"display:none;" * 8_000,
            b"<b style='margin:" + b"-9" * 50_000,
            b"<p class=moz-cite-prefix>@</p>",
        ),
    )
    return {
        **{f"markup of {p[:40].decode()}": HTML + fill(p, MARKUP) for p in patterns},
        "a megabyte of markup": HTML + fill(b"<p>x"),
    }


def _parts() -> dict[str, bytes]:
    report = HEAD + b"Content-Type: multipart/report; boundary=b\n\n--b\n"
    return {
        "twenty nested parts with nearly boundaries": nest(20) + fill(b"\n--b0x", 900_000),
        "twenty nested parts with half boundaries": nest(20) + fill(b"\n--b", 900_000),
        "three thousand nested parts": nest(3_000),
        "many boundaries": _multipart(b"b", fill(b"--b\n")),
        "many boundaries on a line": _multipart(b"b", fill(b"--b")),
        "nearly boundaries": _multipart(b"b", fill(b"--bx\n")),
        "dashes": _multipart(b"-" * 150, fill(b"-" * 151 + b"\n")),
        "long nearly boundaries": _multipart(b"a" * 150 + b"b", fill(b"--" + b"a" * 149 + b"\n")),
        "a boundary of one letter": _multipart(b"a" * 150 + b"b", fill(b"a")),
        "parts with many headers": _multipart(b"b", (b"--b\n" + b"a:\n" * 990 + b"\n") * 99),
        "parts with the most headers": _multipart(b"b", (b"--b\n" + b"a:\n" * 99 + b"\n") * 99),
        "a long delivery report": report
        + b"Content-Type: message/delivery-status\n\n"
        + fill(b"Status: 5.1.1\n\n"),
    }

import hashlib

import pytest

from pbmserv.errors import Misunderstood
from pbmserv.mail import inbound
from pbmserv.mail.inbound import (
    MAX_SIZE,
    Envelope,
    Incoming,
    Unreadable,
    command_lines,
    first_line,
    read_mail,
)
from pbmserv.mail.loop_guard import ServerAddress, reason_to_drop

from .sample_mails import ALICE, BASE, mail, multipart, read

PLAIN = "Content-Type: text/plain; charset=utf-8"
HTML = "Content-Type: text/html; charset=utf-8"


def code_of(data: bytes) -> str:
    incoming = read_mail(data)
    assert isinstance(incoming, Unreadable)
    return incoming.code


def refusal_of(incoming: Incoming) -> str:
    assert isinstance(incoming.refusal, Misunderstood)
    assert (incoming.subject, incoming.body) == ("", "")
    return incoming.refusal.code


def nested(depth: int) -> bytes:
    opened = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth)
    )
    return f"From: {ALICE}\n{opened}\nF6\n".encode()


# Bounds


def test_a_mail_of_a_mebibyte_is_read_and_a_byte_more_is_not() -> None:
    data = mail(body="> quoted\n" * 10)
    largest = data + b"> " + b"x" * (MAX_SIZE - len(data) - 2)

    read, larger = read_mail(largest), read_mail(largest + b"x")
    assert isinstance(read, Incoming)
    assert isinstance(larger, Incoming)
    assert read.refusal is None
    assert (larger.sender, larger.refusal and larger.refusal.code) == (ALICE, "mail-too-large")
    assert code_of(b"x" * (MAX_SIZE + 1)) == "mail-too-large"


@pytest.mark.parametrize("fold", ["", "\n "])
def test_a_header_has_at_most_eight_kibibytes(fold: str) -> None:
    value = ("x" * 50 + fold) * 100
    room = 8 * 1024 - len(f"X-Long: {value}\n")

    assert isinstance(read_mail(mail(f"X-Long: {value}{'x' * room}")), Incoming)
    longer = read_mail(mail(f"X-Long: {value}{'x' * room}x"))
    assert isinstance(longer, Incoming)
    assert (longer.sender, longer.refusal and longer.refusal.code) == (ALICE, "header-too-long")


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (f"To: {'x@example.com, ' * 900}y@example.com", None),
        (f"References: {'<some.thread@example.com> ' * 400}", None),
        (f"X-Spam-Report:\n{' why, at length' * 40}\n" + f" {'x' * 900}\n" * 12 + " end", None),
        (f"List-Id: {'x' * 9000}", "list-header"),
        (f"Auto-Submitted: auto-replied;\n {'x' * 9000}", "auto-submitted"),
        (f"X-Long: {'x' * 9000}\nPrecedence: bulk", "precedence"),
    ],
)
def test_a_header_that_is_too_long_hides_no_other(header: str, reason: str | None) -> None:
    incoming = read_mail(mail(header, "Delivered-To: pbmserv+token@example.org", body="F6"))

    assert isinstance(incoming, Incoming)
    assert incoming.refusal is not None
    assert (incoming.sender, incoming.refusal.code) == (ALICE, "header-too-long")
    assert incoming.recipients == ("pbmserv+token@example.org",)
    assert reason_to_drop(incoming, ServerAddress(BASE)) == reason


@pytest.mark.parametrize("form", ["{}{}", "{1}{0}"])
def test_whose_sender_is_too_long_is_nobody(form: str) -> None:
    mails = mail("Subject: F6", sender=form.format(f'"{"x" * 9000}" ', f"<{ALICE}>"))
    incoming = read_mail(mails)

    assert isinstance(incoming, Incoming)
    assert incoming.sender is None


def test_headers_have_at_most_a_hundred_kibibytes() -> None:
    headers = ["X-Long: " + "x" * 1000] * 100

    assert isinstance(read_mail(mail(*headers)), Incoming)
    assert code_of(mail(*headers, *headers[:3])) == "headers-too-long"


def test_there_are_at_most_a_thousand_headers() -> None:
    assert isinstance(read_mail(mail(*["X: y"] * 999)), Incoming)
    assert code_of(mail(*["X: y"] * 1000)) == "too-many-headers"


def test_there_are_at_most_a_hundred_parts() -> None:
    header, body = multipart(*["Content-Type: text/plain\n\nF6"] * 100)
    assert read(header, body=body).body == "F6"

    header, body = multipart(*["Content-Type: text/plain\n\nF6"] * 101)
    assert code_of(mail(header, body=body)) == "too-many-parts"


def test_parts_lie_at_most_twenty_deep() -> None:
    deepest = read_mail(nested(20))

    assert isinstance(deepest, Incoming)
    assert deepest.body == "F6"
    assert code_of(nested(21)) == "too-deep"
    assert code_of(nested(3000)) == "too-deep"


@pytest.mark.parametrize("data", [b"no header at all", b" folded: x\n\n", b"\0", b"From x: y\nz\n"])
def test_what_is_no_mail_is_unreadable(data: bytes) -> None:
    assert code_of(data) == "bad-header"


def test_a_defect_of_ours_is_told_by_its_kind_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_text: str) -> str:
        raise RecursionError("secret-word")

    monkeypatch.setattr(inbound, "cut_prefixes", fail)
    data = mail("Subject: secret-word")

    expected = Unreadable(
        "unreadable-mail", hashlib.sha256(data).hexdigest(), cause="RecursionError"
    )
    assert expected == read_mail(data)


# Headers


def test_an_empty_mail_is_a_mail_from_nobody() -> None:
    expected = Incoming(None, hashlib.sha256(b"").hexdigest(), is_bare=True)

    assert expected == read_mail(b"")


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("first", [b"", b"From x Mon Nov  3\n", b">From x Mon Nov  3\n"])
def test_line_ends_and_a_mailbox_files_line_do_not_matter(ends: bytes, first: bytes) -> None:
    data = first + mail("Subject: star\n show 101", body="a\nb\n").replace(b"\n", ends)
    incoming = read_mail(data)

    assert isinstance(incoming, Incoming)
    assert (incoming.sender, incoming.subject, incoming.body) == (ALICE, "star show 101", "a\nb")
    assert incoming.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("=?utf-8?q?star_show_101?=", "star show 101"),
        ("=?UTF-8?B?c3RhciBzaG93?= 101", "star show 101"),
        ("=?utf-8*en?q?star?=\n =?utf-8?q?_show?=", "star show"),
        ("=?utf-8?b?w4M=?= =?utf-8?b?w4M=?=", "ÃÃ"),
        ("=?utf-8?b?ww==?= =?utf-8?b?gw==?=", "Ã"),
        ("=?iso-8859-1?q?=96maxi?=", "-maxi"),
        ("=?iso-2022-jp?b?GyRCJVUbKEI=?=", "フ"),
        ("=?klingon?q?star?= show", "=?klingon?q?star?= show"),
        ("=?utf-8?b?A?= show", "=?utf-8?b?A?= show"),
        ("=?utf-8?q?a=0Ab=00c?=", "a bc"),
        ("star =?utf-8?q??= show", "star show"),
        ("=?utf-8?q?star?= show =?utf-8?q?101?=", "star show 101"),
        ("=?utf-8?q?=FF?=", "\ufffd"),
        ("=?=?utf-8?q?x?=", "=?x"),
        ("stär", "stär"),
    ],
)
def test_a_subject_is_decoded(subject: str, expected: str) -> None:
    assert read(f"Subject: {subject}").subject == expected


def test_a_subject_too_long_is_refused_but_sender_and_headers_are_known() -> None:
    incoming = read(f"Subject: {'x' * 501}", "Auto-Submitted: auto-replied", body="F6")

    assert refusal_of(incoming) == "line-too-long"
    assert incoming.sender == ALICE
    assert incoming.fields["auto-submitted"] == ("auto-replied",)


def test_a_second_subject_is_refused() -> None:
    assert refusal_of(read("Subject: help", "subject: help")) == "several-subjects"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], None),
        (["Message-ID:"], None),
        (["Message-ID: <1@x>"], "<1@x>"),
        (["message-id:\n <1@x>"], "<1@x>"),
        (["Message-ID: odd one"], "odd one"),
        (["Message-ID: <1@x>", "Message-ID: <2@x>"], "<1@x> <2@x>"),
    ],
)
def test_a_mail_is_known_by_its_message_id(headers: list[str], expected: str | None) -> None:
    assert read(*headers).message_id == expected


@pytest.mark.parametrize("value", ["x" * 251, "é", "a\0b"])
def test_an_odd_message_id_is_kept_by_its_digest(value: str) -> None:
    first, second = (read(f"Message-ID: {text}").message_id for text in (value, value + "y"))

    assert first is not None
    assert second is not None
    assert first.startswith("sha256:")
    assert first != second


def test_recipients_come_in_their_order_and_once() -> None:
    incoming = read(
        "To: Us <a@x.org>, e@x.org",
        "X-Original-To: b@x.org",
        "Delivered-To: c@x.org",
        "Delivered-To: a@x.org",
        "Cc: z@x.org",
        envelope=Envelope(recipient="<d@x.org>"),
    )

    assert incoming.recipients == ("d@x.org", "c@x.org", "a@x.org", "b@x.org", "e@x.org")


@pytest.mark.parametrize(
    ("header", "envelope", "expected"),
    [
        ("X: y", None, None),
        ("Return-Path: <>", None, ""),
        ("Return-Path: <a@x>", Envelope(), "a@x"),
        ("Return-Path: <a@x>", Envelope(sender=""), ""),
        ("X: y", Envelope(sender="<b@x>"), "b@x"),
    ],
)
def test_the_envelope_decides_the_return_path(
    header: str, envelope: Envelope | None, expected: str | None
) -> None:
    assert read(header, envelope=envelope).return_path == expected


def test_nothing_secret_is_in_the_text_form() -> None:
    incoming = read(
        "Subject: secret-word", "To: p+secret@x.org", "Return-Path: <secret@x>", body="secret"
    )

    assert "secret" not in repr(incoming)


# Bodies


def test_the_first_plain_part_is_the_body() -> None:
    header, body = multipart(f"{HTML}\n\n<p>markup", f"{PLAIN}\n\nplain", f"{PLAIN}\n\nsecond")

    assert read(header, body=body).body == "plain"


def test_markup_is_read_where_there_is_no_plain_text() -> None:
    header, body = multipart(f"{PLAIN}\n\n \n", f"{HTML}\n\n<p>one<p>two")

    assert read(header, body=body).body == "one\ntwo"


@pytest.mark.parametrize(
    "part",
    [
        f"{PLAIN}\nContent-Disposition: attachment; filename=x.txt\n\nF6",
        f"{PLAIN}\nContent-Disposition:\n ATTACHMENT\n\nF6",
        f"Content-Type: message/rfc822\n\n{PLAIN}\n\nF6",
        "Content-Type: image/png\n\nF6",
        "Content-Type: text/calendar\n\nF6",
    ],
)
def test_other_peoples_words_and_files_are_no_body(part: str) -> None:
    header, body = multipart(part)

    assert read(header, body=body).body == ""


@pytest.mark.parametrize("disposition", ["inline", "Attachments", "\xe4ttachment", "=", ""])
def test_what_is_shown_with_a_mail_is_its_body(disposition: str) -> None:
    header, body = multipart(f"{PLAIN}\nContent-Disposition: {disposition}\n\nF6")

    assert read(header, body=body).body == "F6"


def test_a_part_that_looks_like_the_next_is_not() -> None:
    header, body = multipart(f"{PLAIN}\n\n--cutter\n --cut\nx--cut\n--cut-\nF6")

    assert read(header, body=body).body == "--cutter\n --cut\nx--cut\n--cut-\nF6"


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("Content-Transfer-Encoding: base64", b"RjY=", "F6"),
        ("Content-Transfer-Encoding: BASE64", b"Rj\nY", "F6"),
        ("Content-Transfer-Encoding: quoted-printable", b"F=36 =\r\nx=3D", "F6 x="),
        ("Content-Transfer-Encoding: 8bit", b"F6", "F6"),
        ("Content-Type: text/plain; charset=iso-8859-15", b"\xa4", "€"),
        ('Content-Type: TEXT/PLAIN; Charset="UTF-8"', "é".encode(), "é"),
        ("Content-Type: text/plain; charset=koi8-r", b"\xc1", "а"),  # noqa: RUF001 - it is Russian
        ("Content-Type: text/plain; charset=klingon", b"F6\xff", "F6\ufffd"),
        ("Content-Type: text/plain; charset=rot13", b"F6", "F6"),
        ("X: y", b"\x93F6\x94", "“F6”"),
        ("X: y", "é".encode(), "é"),
        ("Content-Type: rubbish", b"F6", "F6"),
        ("Content-Type: text/plain; format=flowed", b"one \ntwo\n three\n-- \nx", "one two\nthree"),
        ("Content-Type: text/plain; format=flowed; delsp=yes", b"one \ntwo", "onetwo"),
        ("Content-Type: TEXT/plain; Format=Flowed; DelSp=YES", b"one \ntwo", "onetwo"),
        ("Content-Type: text/plain; format=flowed; delsp=no", b"one \ntwo", "one two"),
        ("Content-Type: text/plain; format=fixed; delsp=yes", b"one \ntwo", "one\ntwo"),
        ("Content-Type: multipart/mixed", b"F6", ""),
        ("Content-Type: multipart/mixed; boundary=x", b"F6", ""),
        ("X: y", b"a\x00\x1b[31mb", "a[31mb"),
    ],
)
def test_a_body_is_decoded(header: str, body: bytes, expected: str) -> None:
    assert read(header, body=body).body == expected


CHARSETS = (
    ("iso-8859-2 iso-8859-4 iso-8859-10", b"\xb1", "\u0105"),
    ("iso-8859-3", b"\xb1", "\u0127"),
    ("iso-8859-5", b"\xb1", "\u0411"),
    ("iso-8859-6 windows-1256 cp1256", b"\xc7", "\u0627"),
    ("iso-8859-7 windows-1253 cp1253", b"\xe1", "\u03b1"),
    ("iso-8859-8 windows-1255 cp1255", b"\xe0", "\u05d0"),
    ("iso-8859-9 windows-1254 cp1254", b"\xfd", "\u0131"),
    ("iso-8859-11 tis-620", b"\xa1", "\u0e01"),
    ("iso-8859-13 windows-1257 cp1257", b"\xe0", "\u0105"),
    ("iso-8859-14", b"\xa1", "\u1e02"),
    ("iso-8859-16", b"\xa2", "\u0105"),
    ("us-ascii ascii latin1 windows-1252 cp1252", b"\x80", "\u20ac"),
    ("windows-1250 cp1250", b"\xb9", "\u0105"),
    ("windows-1251 cp1251", b"\xe1", "\u0431"),
    ("windows-1258 cp1258", b"\xfe", "\u20ab"),
    ("koi8-u", b"\xa4", "\u0454"),
    ("macintosh", b"\xa5", "\u2022"),
    ("gb2312 gbk gb18030", b"\xb0\xa1", "\u554a"),
    ("big5", b"\xa4\xa4", "\u4e2d"),
    ("shift_jis shift-jis", b"\x82\xa0", "\u3042"),
    ("euc-jp", b"\xa4\xa2", "\u3042"),
    ("iso-2022-jp", b'\x1b$B$"\x1b(B', "\u3042"),
    ("euc-kr ks_c_5601-1987", b"\xb0\xa1", "\uac00"),
    ("iso-2022-kr", b"\x1b$)C\x0e0!\x0f", "\uac00"),
    ("utf8", b"\xc3\xa9", "\u00e9"),
    ("utf-16le", b"B0", "\u3042"),
    ("utf-16be", b"0B", "\u3042"),
    ("utf-16", b"\xfe\xff0B", "\u3042"),
)
"""A letter of each character set that mail programs still write, beside those above."""


@pytest.mark.parametrize(
    ("charset", "data", "expected"),
    [(name, data, letter) for names, data, letter in CHARSETS for name in names.split()],
)
def test_a_letter_is_read_in_each_character_set(charset: str, data: bytes, expected: str) -> None:
    assert read(f"Content-Type: text/plain; charset={charset.upper()}", body=data).body == expected


@pytest.mark.parametrize("header", ["base64", "x-uuencode", "gzip"])
def test_a_body_that_cannot_be_decoded_is_refused(header: str) -> None:
    incoming = read(f"Content-Transfer-Encoding: {header}", "Subject: help", body="A")

    assert refusal_of(incoming) == "bad-encoding"


@pytest.mark.parametrize("kind", [PLAIN, HTML])
def test_a_body_has_at_most_ten_thousand_characters(kind: str) -> None:
    quoted = "\n> quoted" * 2_000 if kind == PLAIN else "<blockquote>" + "x" * 20_000
    longest = "x" * 10_000

    assert read(kind, body=longest + quoted).body == longest
    assert refusal_of(read(kind, body="y" + longest + quoted)) == "body-too-long"


def test_markup_of_any_length_or_many_lines_is_refused() -> None:
    assert refusal_of(read(HTML, body="<b>" * 100_000)) == "body-too-long"
    assert refusal_of(read(PLAIN, body="\n" * 20_001)) == "body-too-long"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
        ("<div>one</div>\n<div>two</div>", "one\ntwo"),
        ("<style>x</style><script>y</script ><title>z</title>F6", "F6"),
        ("<!-- x -- > <p>no -->F6<!-- open", "F6"),
        ("a &lt;b&gt; &amp;amp; &#70;&#x36; &#99999999999;", "a <b> &amp; F6 \ufffd"),
        ("F6<blockquote>theirs<p>theirs</blockquote>mine", "F6\nmine"),
        ("F6<div>-- <br>Alice</div>", "F6"),
        ("<head><meta></head><body>F6</body>", "F6"),
        ("a < b <1> <", "a < b <1> <"),
        ("F6<p>On 3 Nov 2025, Alice wrote:<br></p><blockquote>x</blockquote>", "F6"),
    ],
)
def test_markup_becomes_text(markup: str, expected: str) -> None:
    assert read(HTML, body=markup).body == expected


def test_the_first_line_is_a_command_and_the_rest_a_comment() -> None:
    assert first_line("\n \n  F6 \u2013 \n\nNice\n move\n") == ("F6 -", "Nice\n move")
    assert first_line("") == ("", "")
    with pytest.raises(Misunderstood):
        first_line("x" * 501)


def test_lines_are_cleaned_commands() -> None:
    body = "star show 101\n\n \u201cx\u201d  y\t\n"

    assert command_lines(body) == ("star show 101", '"x" y')
    with pytest.raises(Misunderstood):
        command_lines(body + "x" * 501)

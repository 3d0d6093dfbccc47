"""Nothing that anybody writes makes a header: 500 payloads in userid, comment and options."""

from collections.abc import Callable, Iterator
from email import message_from_bytes
from itertools import product

import pytest

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.club.player import Seat
from pbmserv.errors import Misunderstood, PbmservError
from pbmserv.render.board_letters import Comment, Reader, board_letters, chat_letters
from pbmserv.render.service_letters import (
    TranscriptLine,
    answer_letter,
    message_letters,
    refusal_letter,
    transcript_letter,
    welcome_letter,
)
from tests.mail.loopback_mail_server import composed, plain_letter
from tests.render.sample_letters import TO_BOB, new_match

pytestmark = pytest.mark.slow

BREAKS = (
    *("\n", "\r", "\r\n", "\n\r", "\0\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85"),
    *("\u2028", "\u2029", "%0d%0a", "=0D=0A", "=?utf-8?q?=0D=0A?=", "\\r\\n", "\n\n", "\r\n\r\n"),
    *("\n ", "\n\t", "\t", "\udc0a", "\u560a\u560d", "\ufe0d\n"),
)
HEADERS = (
    "Bcc: victim@example.net",
    "To: victim@example.net",
    "Reply-To: victim@example.net",
    "Content-Type: text/html",
    "X-Evil: 1",
)
FRONTS = ("alice", "", "Star Board 101 alice", '"a" <a@example.org>')
PAYLOADS = [f"{front}{gap}{header}" for front, gap, header in product(FRONTS, BREAKS, HEADERS)]


def names(content: bytes) -> list[str]:
    """Return the names of the headers, as another reader of mails finds them."""
    return [name.lower() for name in message_from_bytes(content)]


OPTIONAL = {
    "content-transfer-encoding",
    *("in-reply-to", "references", "reply-to"),
    *("list-unsubscribe", "list-unsubscribe-post"),
}
EXPECTED = sorted(set(names(composed(plain_letter()).content)) - OPTIONAL)
"""In any order: that of the last ones depends on whether there are several parts."""


def check(letter: Letter) -> None:
    mail = composed(letter)
    message = message_from_bytes(mail.content)
    found = sorted(name for name in names(mail.content) if name not in OPTIONAL)

    assert found == EXPECTED
    assert message["To"] == mail.recipient == letter.address
    assert b"victim" not in mail.content.partition(b"\r\n\r\n")[0]
    parts = [part.get_content_type() for part in message.walk()]
    assert parts in (["text/plain"], ["multipart/alternative", "text/plain", "text/html"], BOARD)


BOARD = ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]


def made_by(payload: str) -> Iterator[Letter]:
    """Yield every letter in which somebody else's words may stand."""
    match = new_match("star(size=3)")
    words = Comment("alice", payload)
    yield from board_letters(match, (), [TO_BOB], comment=words)
    yield from chat_letters(match, words, [TO_BOB])
    yield from message_letters(words, [TO_BOB])
    yield from message_letters(words, [TO_BOB], is_broadcast=True)
    refusal = Misunderstood("No.", code="x", about=payload)
    yield refusal_letter(TO_BOB, refusal, match)
    yield transcript_letter(TO_BOB, [TranscriptLine("star move", "done", payload)])
    yield answer_letter(TO_BOB, "Star show", [payload])


def test_there_are_500_payloads() -> None:
    assert len(set(PAYLOADS)) >= 500


@pytest.mark.parametrize("start", range(0, len(PAYLOADS), 50))
def test_no_payload_in_a_text_becomes_a_header(start: int) -> None:
    for payload in PAYLOADS[start : start + 50]:
        for letter in made_by(payload):
            check(letter)


def attempts(payload: str) -> list[Callable[[], Letter]]:
    """Return every way to make a letter with the payload in a value that a header holds."""
    match = new_match("star(size=3)", Seat(2, payload))
    return [
        lambda: Letter(LetterKind.BOARD, "a@example.org", payload, ""),
        lambda: Letter(LetterKind.BOARD, payload, "Star", ""),
        lambda: Letter(LetterKind.BOARD, "a@example.org", "Star", "", in_reply_to=payload),
        lambda: Letter(LetterKind.BOARD, "a@example.org", "Star", "", in_reply_to=f"<{payload}@x>"),
        lambda: board_letters(match, (), [TO_BOB])[0],
        lambda: answer_letter(TO_BOB, payload, []),
        lambda: welcome_letter(Reader("a@example.org", 1), payload),
        lambda: message_letters(Comment(payload, "x"), [TO_BOB])[0],
    ]


def test_no_payload_in_a_value_of_a_header_becomes_one() -> None:
    made = 0
    for payload in PAYLOADS:
        for attempt in attempts(payload):
            try:
                letter = attempt()
            except (ValueError, PbmservError):
                continue
            made += 1
            content = composed(letter).content

            assert sorted(name for name in names(content) if name not in OPTIONAL) == EXPECTED
            assert message_from_bytes(content)["To"] == letter.address

    assert 0 < made < len(PAYLOADS), "printable ASCII in one line does no harm, all else is refused"


def test_readers_that_decode_find_no_other_header() -> None:
    for word in ("=?utf-8?q?=0D=0ABcc:?=", "=?utf-8?b?DQpCY2M6?="):
        for attempt in attempts(word):
            with pytest.raises((ValueError, PbmservError)):
                attempt()

"""No line of a mail is longer than SMTP allows, whatever the words of people are."""

from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pbmserv.club.letter import Letter
from pbmserv.club.play import play, resign
from pbmserv.club.player import Seat
from pbmserv.errors import Refused
from pbmserv.mail.compose import MailIdentity, compose
from pbmserv.mail.transports import Server, SmtpTransport
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_letters,
    cells_letter,
    chat_letters,
    reminder_letters,
)
from pbmserv.render.service_letters import (
    TranscriptLine,
    announcement_letters,
    answer_letter,
    confirmation_letter,
    message_letters,
    refusal_letter,
    reset_letter,
    transcript_letter,
    trial_letter,
    trouble_letter,
    verify_letter,
    welcome_letter,
)
from pbmserv.store.mail.outbox import OutboxItem
from tests.mail.loopback_mail_server import IDENTITY, NOW, US, mail_server, read
from tests.mail.test_compose import page_of
from tests.render.sample_letters import TO_ALICE, TO_BOB, TO_CAROL, new_match

MOST = 998
ASKED = Reader(f"{'b' * 64}@{'example.' * 20}org", 2, is_asker=True, in_reply_to=f"<{'x' * 250}@y>")

WORDS = {
    "one word": "x" * 10_000,
    "nine hundred characters of words": "word " * 180,
    "a paragraph of words": "word " * 2000,
    "letters of two bytes": "ü" * 10_000,
    "letters of three bytes": "字" * 10_000,
    "pictographs": "\N{GRINNING FACE}" * 10_000,
    "an ASCII word with one other letter": "x" * 5000 + "é" + "x" * 4999,
    "signs of markup": "<&\"'>" * 2000,
    "entities": "&amp;&#12345;" * 800,
    "blanks": "a" + " " * 9998 + "b",
    "words behind indents": "    " + "wide " * 1999,
    "a table": ("x" * 500 + "  " + "y" * 500 + "\n") * 9,
    "dots": ("." * 999 + "\n") * 10,
    "equals signs": "=" * 10_000,
    "short lines": "x\n" * 5000,
}


def letters_with(words: str) -> Iterator[Letter]:
    """Yield a letter of every kind, with the words wherever words of people can be."""
    said = Comment("a" * 24, words)
    match = new_match("star(size=5)", Seat(1, "a" * 24), Seat(2, "b" * 24))
    cells = list(match.game.board.names)
    Random(1).shuffle(cells)
    for cell in cells[:-1]:
        if match.next_seat is not None:
            match, _ = play(match, match.next_seat.player_id, match.game.parse_move(cell), NOW)
    over, end = resign(match, 1, NOW) if match.is_running else (match, ())
    small = new_match("hex(size=4)")
    for board, events in ((match, ()), (over, end), (small, ())):
        yield from board_letters(board, events, [TO_ALICE, TO_BOB, ASKED, TO_CAROL], comment=said)
    yield from chat_letters(small, said, [TO_ALICE, ASKED])
    yield from reminder_letters(small, [TO_ALICE], words[:500])
    yield cells_letter(small, ASKED, "row", "A")
    yield from message_letters(said, [TO_ALICE])
    yield from message_letters(said, [TO_BOB], is_broadcast=True)
    yield from announcement_letters(words, [TO_ALICE])
    yield answer_letter(ASKED, "Star chat", (words, "behind"))
    yield refusal_letter(ASKED, Refused(words, code="x", hint=words), small)
    yield transcript_letter(ASKED, [TranscriptLine("chat", "done", words)])
    yield welcome_letter(ASKED, "b" * 24)
    yield verify_letter(ASKED, "b" * 24)
    yield confirmation_letter(ASKED, 3, [words[:500]])
    yield reset_letter(TO_BOB, "b" * 24, "reset " + "b" * 24)
    yield trouble_letter(TO_ALICE, "letters given up", [words])
    yield trial_letter("bob@example.org")


def mails_with(words: str, identity: MailIdentity = IDENTITY) -> Iterator[bytes]:
    thread = tuple((number, NOW) for number in range(900_000, 900_005))
    for letter in letters_with(words):
        posted = OutboxItem(5, letter, NOW, NOW, 1, thread, ("a" * 24, "b" * 24))
        yield compose(posted, identity).content


def longest_line(content: bytes) -> int:
    assert b"\n" not in content.replace(b"\r\n", b"")
    assert b"\r" not in content.replace(b"\r\n", b"")
    return max(map(len, content.split(b"\r\n")))


@pytest.mark.costly
@pytest.mark.parametrize("words", WORDS)
def test_no_line_of_any_letter_is_too_long(words: str) -> None:
    for content in mails_with(WORDS[words]):
        assert longest_line(content) <= MOST
        assert content.isascii()


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
    st.sampled_from([1, 33, 900, 4000]),
)
@example("&", 10_000)
def test_no_words_make_a_line_too_long(piece: str, times: int) -> None:
    for content in mails_with((piece * times)[:10_000]):
        assert longest_line(content) <= MOST


@pytest.mark.costly
def test_headers_are_short_for_the_longest_addresses_and_names() -> None:
    long = f"{'p' * 18}@{'.'.join(['d' * 57] * 4)}"
    page = f"https://example.org/{'leave' * 30}"
    room = f"https://example.org/{'club' * 30}/"
    paper = MailIdentity(long, IDENTITY.keys, "\N{GRINNING FACE}" * 60, page, room)
    for content in mails_with("Hello", paper):
        assert longest_line(content) <= MOST
    quoted = replace(TO_BOB, address=f"{'%' * 64}@{'.'.join(['e' * 62] * 3)}")
    (letter,) = chat_letters(new_match("star"), Comment("alice", "Hi"), [quoted])
    message = read(compose(OutboxItem(5, letter, NOW, NOW, 1), paper).content)

    # One click is not promised where the page has no room beside the mail.
    assert str(message["List-Unsubscribe"]).startswith("<mailto:")
    assert message["List-Unsubscribe-Post"] is None


@pytest.mark.costly
@pytest.mark.parametrize("words", ["one word", "pictographs", "nine hundred characters of words"])
def test_a_real_server_takes_every_letter(words: str) -> None:
    """A server with the limits that aiosmtpd has where nothing is said."""
    sent = 0
    with mail_server() as server:
        transport = SmtpTransport(Server("127.0.0.1", server.port))
        for letter in letters_with(WORDS[words]):
            mail = compose(OutboxItem(5, letter, NOW, NOW, 1), IDENTITY)
            transport.send(mail)
            sent += 1
        transport.close()

    assert len(server.mails) == sent > 20


@pytest.mark.parametrize("words", WORDS)
def test_the_words_arrive_as_they_were_written(words: str) -> None:
    said = WORDS[words][:1500]
    (letter,) = chat_letters(new_match("star"), Comment("alice", said), [TO_BOB])
    message = message_from_bytes(
        compose(OutboxItem(5, letter, NOW, NOW, 1), IDENTITY).content, policy=default
    )
    text = message.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    page = page_of(read(message.as_bytes()))
    wanted = "".join(said.split())

    assert wanted in "".join(text.split()).replace("|", "")
    assert wanted in "".join(page.words.split())
    assert "x" * 91 not in said or "x" * 91 in page.words  # no blank is shown within a word
    assert US in message["From"]

"""Answers as programs and people send them: sealed, signed, marked, with a Subject of their own."""

from collections.abc import Sequence

import pytest

from pbmserv.mail.inbound import Envelope
from tests.databases import made_once
from tests.mail.server_by_mail import ClubByMail, Letter

ALICE, BOB = "alice@example.net", "bob@example.net"
SUBJECT_READ = "Only the Subject was read"


@pytest.fixture
@made_once
def letter(office: ClubByMail) -> Letter:
    """Return the letter that asks alice for her first move."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    return next(found for found in office.collect() if found.to == ALICE)


def moves_of(office: ClubByMail) -> list[str]:
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    assert match is not None
    return [turn.text for turn in match.turns]


def told(office: ClubByMail, reader: str) -> str:
    return "".join(found.text for found in office.collect() if found.to == reader)


def flat(text: str) -> str:
    return " ".join(text.split())


def raw(
    office: ClubByMail, to: str, headers: Sequence[str], body: str, subject: str = "Re: x"
) -> str:
    """Send a mail of alice's that is written here to the last byte."""
    office.mailed += 1
    head = [f"From: {ALICE}", f"To: {to}", f"Message-ID: <{office.mailed}.raw@x>"]
    lines = [*head, f"Subject: {subject}", *headers, "", *body.split("\n")]
    data = "\r\n".join(lines).encode()
    return office.receive(data, Envelope(recipient=to, sender=ALICE))


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "subject", ["Re: board", "board", "my move", "Good game!", "Re: Star Board 101 alice - thanks"]
)
@pytest.mark.parametrize("text", ["C2", "I play C2.", "Hi Bob,\n\nC2"])
def test_below_a_subject_that_says_nothing_the_line_is_read(
    office: ClubByMail, letter: Letter, subject: str, text: str
) -> None:
    assert office.reply(letter, f"{text}\n\nSee you.", subject=subject) == "done"
    assert moves_of(office) == ["C2"]
    assert "| See you." in told(office, BOB)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Re: board", "Hello"),
        ("Re: board", "resign"),
        ("Re: board", "C2 or C3"),
        ("C3 or B2", "C2"),
        ("Z99", "C2"),
        ("Help wanted", "C2"),
        ("Help wanted", "resign"),
        ("resign, if I may", "C2"),
    ],
)
def test_else_the_refusal_says_that_the_subject_was_read(
    office: ClubByMail, letter: Letter, subject: str, text: str
) -> None:
    assert office.reply(letter, text, subject=subject) != "done"
    assert moves_of(office) == []
    assert SUBJECT_READ in told(office, ALICE)


@pytest.mark.parametrize("subject", ["C3", "Re: Star Board 101 alice C3", "I play C3"])
def test_a_move_in_the_subject_is_the_move(
    office: ClubByMail, letter: Letter, subject: str
) -> None:
    assert office.reply(letter, "C2", subject=subject) == "done"
    assert moves_of(office) == ["C3"]


def test_of_a_first_line_no_refusal_speaks_of_the_subject(
    office: ClubByMail, letter: Letter
) -> None:
    assert office.reply(letter, "Hello") != "done"
    assert SUBJECT_READ not in told(office, ALICE)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "text",
    [
        "Help wanted: does anyone know a good book?\nresign",
        "Help wanted\n\nresign",
        "help I am lost on this board!",
        "Help is what I need.\nC2",
    ],
)
def test_who_asks_people_for_help_gets_no_page_and_does_nothing(
    office: ClubByMail, letter: Letter, text: str
) -> None:
    assert office.reply(letter, text) == "no-such-page"
    assert moves_of(office) == []
    assert office.mail(ALICE, text.partition("\n")[0], "resign\nstar resign 101") != "done"
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    assert match is not None
    assert match.is_running


def test_lines_behind_a_page_that_is_not_there_are_told_of(office: ClubByMail) -> None:
    office.join("alice", "bob")
    lines = "help STAR MOVE\nhelp one two three four\nstar show 101"

    assert office.mail(ALICE, "multiple", lines) == "no-such-page"
    assert "not tried" in told(office, ALICE)
    assert office.mail("x@elsewhere.example", "help star move nonsense") == "unknown-sender"


@pytest.mark.parametrize("text", ["help", "Help!", "help move", "help star move\n\nThanks"])
def test_help_and_a_page_is_still_help(office: ClubByMail, letter: Letter, text: str) -> None:
    assert office.reply(letter, text) == "done"


SEALED = [
    ("application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", "MIAGCSqGSIb3DQEHA6"),
    ("application/ms-tnef; name=winmail.dat", "eJ8+IjQSAQaQCAAE"),
    ("multipart/mixed; boundary=x", "--x\nContent-Type: application/ms-tnef\n\neJ8+\n--x--"),
    (
        "multipart/mixed; boundary=x",
        "--x\nContent-Type: text/plain\n\n\n--x\nContent-Type: application/ms-tnef\n\neJ\n--x--",
    ),
    (
        'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=x',
        (
            "--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x\n"
            "Content-Type: application/octet-stream\n\nhQ\n--x--"
        ),
    ),
    ("text/plain", "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----"),
    ("image/jpeg; name=move.jpg", "/9j/4AAQ"),
]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("kind", "body"), SEALED)
def test_who_sends_no_text_is_told_so(
    office: ClubByMail, letter: Letter, kind: str, body: str
) -> None:
    headers = ["MIME-Version: 1.0", f"Content-Type: {kind}"]

    assert raw(office, letter.reply_to, headers, body, letter.subject) == "no-text"
    answer = told(office, ALICE)
    assert "The mail has no text that can be read." in answer
    assert "such as C1." in flat(answer)
    assert moves_of(office) == []


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("kind", "body"), SEALED)
def test_a_move_in_the_subject_needs_no_text(
    office: ClubByMail, letter: Letter, kind: str, body: str
) -> None:
    headers = ["MIME-Version: 1.0", f"Content-Type: {kind}"]

    assert raw(office, letter.reply_to, headers, body, f"{letter.subject} C2") == "done"
    assert moves_of(office) == ["C2"]


def test_an_address_is_verified_by_any_words_or_none(office: ClubByMail) -> None:
    office.mail(ALICE, "signup alice secret-alice")
    (welcome,) = office.collect()
    headers = ["MIME-Version: 1.0", "Content-Type: application/pkcs7-mime"]

    assert raw(office, welcome.reply_to, headers, "MIAG", welcome.subject) == "verified"


def test_a_text_beside_a_signature_is_read(office: ClubByMail, letter: Letter) -> None:
    headers = ["MIME-Version: 1.0", "Content-Type: multipart/signed; boundary=x"]
    body = (
        "--x\nContent-Type: text/plain\n\nC2\n--x\n"
        "Content-Type: application/pkcs7-signature; name=smime.p7s\n\nMIAG\n--x--"
    )

    assert raw(office, letter.reply_to, headers, body, letter.subject) == "done"
    assert moves_of(office) == ["C2"]


AUTOMATIC = [
    "Vacation Responder Re: Star Board 101 alice",
    "Vacation reply: Re: Star Board 101 alice",
    "I am on vacation Re: Star Board 101 alice",
    "[AUTO] Re: Star Board 101 alice",
    "Re: Star Board 101 alice [Auto-Reply]",
    "Re: Star Board 101 alice (Automatic reply)",
    "Urlaub: Re: Star Board 101 alice",
]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("subject", AUTOMATIC)
@pytest.mark.parametrize("door", ["reply address", "bare address"])
def test_no_automatic_reply_moves_or_counts_as_a_wrong_password(
    office: ClubByMail, letter: Letter, subject: str, door: str
) -> None:
    to = letter.reply_to if door == "reply address" else "pbmserv@example.org"
    for _ in range(12):
        assert office.mail(ALICE, subject, "C2\nI am away.", to=to) == "dropped"

    assert (moves_of(office), office.collect()) == ([], [])
    assert office.mail(ALICE, "star move 101 alice secret-alice C2") == "done"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "body",
    [
        "CAUTION: This email originated from outside.\nDo not click links.\n\nC2\n\nHi!",
        "[EXTERNAL] C2\n\nHi!",
        (
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nC2\n\nHi!\n"
            "-----BEGIN PGP SIGNATURE-----\n\niQ=\n-----END PGP SIGNATURE-----"
        ),
        "C2 On Wed, Apr 4, 2012 at 4:10 PM, a <a@b.c> wrote:\n> x\n\nHi!",
    ],
)
def test_what_programs_put_around_a_move_is_no_part_of_it(
    office: ClubByMail, letter: Letter, body: str
) -> None:
    assert raw(office, letter.reply_to, [], body, letter.subject) == "done"
    assert moves_of(office) == ["C2"]
    answer = told(office, BOB)
    assert "| Hi!" in answer
    assert not any(word in answer for word in ("CAUTION", "EXTERNAL", "PGP", "wrote"))

from base64 import b64encode

import pytest

from pbmserv.mail.inbound import MAX_SIZE, Envelope, Incoming, read_mail
from pbmserv.mail.loop_guard import TESTS, ServerAddress, reason_to_drop

from .sample_mails import BASE, mail, read

OWN = ServerAddress(BASE)

DROPPED = [
    ("auto-submitted", "Auto-Submitted: auto-replied"),
    ("auto-submitted", "Auto-Submitted: auto-generated; owner-email=x"),
    ("auto-submitted", "auto-submitted: AUTO-NOTIFIED"),
    ("auto-submitted", "Auto-Submitted:"),
    ("auto-submitted", "Auto-Submitted: no\nAuto-Submitted: auto-replied"),
    ("auto-submitted", "Auto-Submitted: none"),
    ("null-return-path", "Return-Path: <>"),
    ("null-return-path", "Return-Path:"),
    ("null-return-path", "Return-Path: < >"),
    ("daemon", "Return-Path: <MAILER-DAEMON@example.org>"),
    ("daemon", "Return-Path: MAILER-DAEMON"),
    ("daemon", "Return-Path: <bounces+x=y@example.com>"),
    ("precedence", "Precedence: bulk"),
    ("precedence", "Precedence: JUNK"),
    ("precedence", "Precedence: first-class, list"),
    ("list-header", "List-Id: <x.example.org>"),
    ("list-header", "List-Unsubscribe: <mailto:x@example.org>"),
    ("list-header", "LIST-WHATEVER: x"),
    ("report", 'Content-Type: multipart/report; report-type=delivery-status; boundary="x"'),
    ("report", "Content-Type: Multipart/Report"),
    ("x-loop", f"X-Loop: {BASE}"),
    ("x-loop", "X-Loop: PBMServ+abc@example.org"),
    ("own-message-id", f"Message-ID: {OWN.message_id('17')}"),
    ("own-message-id", "Message-ID: <PBMSERV.17@EXAMPLE.ORG>"),
    ("responder", "X-Auto-Response-Suppress: All"),
    ("responder", "X-Autoreply: yes"),
    ("responder", "X-Autorespond: x"),
    ("automatic-subject", "Subject: Automatic reply: Star Board 101 alice"),
    ("too-many-received", "\n".join(["Received: from x"] * 31)),
]


@pytest.mark.parametrize(("reason", "header"), DROPPED)
def test_what_a_machine_sent_is_dropped(reason: str, header: str) -> None:
    subject = [] if header.startswith("Subject") else ["Subject: help"]

    assert reason == reason_to_drop(read(*subject, header), OWN)


AUTOMATIC = """
    Automatic reply: Star Board 101 alice
    AUTO-REPLY: away
    Autoreply
    Out of Office: Re: Star Board 101 alice
    Undeliverable: Star Board 101 alice
    Undelivered Mail Returned to Sender
    Delivery Status Notification (Failure)
    Mail delivery failed: returning message to sender
    Read: Star Board 101 alice
    Abwesenheitsnotiz: Star Board 101 alice
    Automatische Antwort: Star Board 101 alice
    Unzustellbar: Star Board 101 alice
    Gelesen: Star Board 101 alice
    Réponse automatique : Star Board 101 alice
    Non remis : Star Board 101 alice
    Respuesta automática: Star Board 101 alice
    No se puede entregar: Star Board 101 alice
    Resposta automática: Star Board 101 alice
    Risposta automatica: Star Board 101 alice
    Automatisch antwoord: Star Board 101 alice
    Onbestelbaar: Star Board 101 alice
    Autosvar: Star Board 101 alice
    Automatiskt svar: Star Board 101 alice
    Frånvarande: Star Board 101 alice
    Kan ikke leveres: Star Board 101 alice
    Automaattinen vastaus: Star Board 101 alice
    Odpowiedź automatyczna: Star Board 101 alice
    Automatická odpověď: Star Board 101 alice
    Automatikus válasz: Star Board 101 alice
    Răspuns automat: Star Board 101 alice
    Автоматический ответ: Star Board 101 alice
    Автоответ: Star Board 101 alice
    Αυτόματη απάντηση: Star Board 101 alice
    自動返信: Star Board 101 alice
    Vacation Responder Re: Star Board 101 alice
    Vacation reply: Re: Star Board 101 alice
    I am on vacation Re: Star Board 101 alice
    I'm away until Monday Re: Star Board 101 alice
    Currently out of office: Star Board 101 alice
    Ich bin im Urlaub: Re: Star Board 101 alice
    Urlaub: Star Board 101 alice
    Bin bis Montag abwesend: Star Board 101 alice
    Je suis en vacances Re: Star Board 101 alice
    Vacaciones: Re: Star Board 101 alice
    Sono in ferie: Star Board 101 alice
    Ik ben op vakantie: Re: Star Board 101 alice
    Jag är på semester: Star Board 101 alice
    Jestem na urlopie: Odp: Star Board 101 alice
    Estou de férias: Res: Star Board 101 alice
    OOO Re: Star Board 101 alice
    [Auto-Reply] Re: Star Board 101 alice
    [AUTO] Star Board 101 alice
    [Abwesenheitsnotiz] AW: Star Board 101 alice
    [Out of Office] Star Board 101 alice
    Star Board 101 alice [Auto-Reply]
    Star Board 101 alice (Automatische Antwort)
    自动答复: Star Board 101 alice
    자동 회신: Star Board 101 alice
"""


@pytest.mark.parametrize("before", ["", "Re: ", "[ext] ", "AW: [x] "])
@pytest.mark.parametrize("subject", AUTOMATIC.strip().splitlines())
def test_a_subject_of_a_machine_is_known_in_many_languages(subject: str, before: str) -> None:
    encoded = b"Subject: =?utf-8?b?" + b64encode(f"{before}{subject.strip()}".encode()) + b"?="

    assert reason_to_drop(read(encoded.decode()), OWN) == "automatic-subject"


@pytest.mark.parametrize(
    "subject",
    [
        *("vacation: alice secret 3", "vacation alice my:secret 3", "away alice secret: 5"),
        *("holiday alice secret until 2030-01-01", "[autumn cup] Star Board 101 alice F6"),
        *("Re: I am away for a week", "message alice secret bob [auto] x", "On leave of absence"),
        *("star chat 101 alice secret I am on vacation: see you", "[chess] Star Board 101 alice"),
        *("Star Board 101 alice", "vacation reply secret 3", "message delayed secret bob", "help"),
        *(
            "signup auto secret-word",
            "star move 101 read secret F6",
            "reset lu",
            "read",
            "Autobahn",
        ),
    ],
)
def test_a_command_is_no_subject_of_a_machine(subject: str) -> None:
    assert reason_to_drop(read(f"Subject: {subject}"), OWN) is None


DAEMONS = """
    mailer-daemon MAILER-DAEMON postmaster Postmaster+x chess-request owner-chess chess-owner
    noreply no-reply NoReply-17 donotreply do-not-reply game.noreply bounce bounces bounce-17
    chess-bounces daemon majordomo
"""


@pytest.mark.parametrize("name", DAEMONS.split())
@pytest.mark.parametrize(
    "form", ["{}@example.com", "Robot <{}@example.com>", "{}", "Joe <joe@x.org>, {}@example.com"]
)
def test_no_daemon_gets_an_answer(name: str, form: str) -> None:
    incoming = read_mail(mail("Subject: help", sender=form.format(name)))

    assert reason_to_drop(incoming, OWN) == "daemon"


@pytest.mark.parametrize(
    "sender", [BASE, f"Us <{BASE}>", "pbmserv+abc@example.org", f"{BASE}, alice@example.org"]
)
def test_we_do_not_talk_to_ourselves(sender: str) -> None:
    assert reason_to_drop(read_mail(mail(sender=sender)), OWN) == "own-address"


PASSED = [
    "Auto-Submitted: no",
    "Auto-Submitted: NO (a person)",
    "Precedence: first-class",
    "Precedence: normal",
    "X-Loop: alice@example.org",
    "X-List: no",
    "Listen: x",
    "Message-ID: <pbmserv.17@example.com>",
    "Message-ID: <17@example.org>",
    "Return-Path: <alice@example.org>",
    "Content-Type: multipart/alternative; boundary=x",
    "\n".join(["Received: from x"] * 30),
    "Reply-To: noreply@example.org",
    "To: owner-chess@example.org",
]


@pytest.mark.parametrize("header", PASSED)
def test_what_a_person_sent_is_not_dropped(header: str) -> None:
    assert reason_to_drop(read("Subject: help", header), OWN) is None


@pytest.mark.parametrize(
    "sender",
    [
        *("alice@example.org", "brownell@example.org", "bob.bounty@example.org", "owner@x.org"),
        "Bounce Jones <alice@example.org>",
        "Owner-Operator Joe <joe@example.org>",
        '"bounces" <alice@example.org>',
        "alice@example.org (Daemon)",
    ],
)
def test_people_whose_names_are_nearly_a_daemons_are_heard(sender: str) -> None:
    assert reason_to_drop(read_mail(mail(sender=sender)), OWN) is None


def test_the_envelope_says_what_the_return_path_is() -> None:
    lies = "Return-Path: <alice@example.org>"

    assert reason_to_drop(read(lies, envelope=Envelope(sender="")), OWN) == "null-return-path"
    assert reason_to_drop(read(lies, envelope=Envelope(sender="<>")), OWN) == "null-return-path"
    assert reason_to_drop(read(envelope=Envelope(sender="x@example.org")), OWN) is None


def test_a_mail_that_is_too_large_passes_the_guard_only_from_a_person() -> None:
    large = b"x" * MAX_SIZE

    assert reason_to_drop(read_mail(mail(body=large)), OWN) is None
    data = mail("Auto-Submitted: auto-replied", body=large)
    assert reason_to_drop(read_mail(data), OWN) == "auto-submitted"
    assert reason_to_drop(read_mail(b"\0"), OWN) == "bad-header"


def test_every_test_of_the_guard_is_shown_here() -> None:
    shown = {reason for reason, _ in DROPPED} | {"own-address"}

    assert shown == {name for name, _ in TESTS}


def test_a_report_on_a_letter_of_ours_keeps_its_status() -> None:
    body = (
        "--x\nContent-Type: text/plain\n\nSorry.\n--x\nContent-Type: message/delivery-status\n\n"
        "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; a@x\nAction: failed\n"
        "Status: 5.1.1 (no such user)\n\nFinal-Recipient: rfc822; b@x\nStatus: 4.2.2\n--x--\n"
    )
    incoming = read("Content-Type: multipart/report; boundary=x", body=body)

    assert isinstance(incoming, Incoming)
    assert incoming.delivery_status == ("5.1.1", "4.2.2")


@pytest.mark.parametrize("address", ["pbmserv@example.org", "Pbmserv@Example.ORG"])
def test_a_message_id_of_ours_is_known_in_any_case(address: str) -> None:
    own = ServerAddress(address)
    made = own.message_id("7.1800000000")

    assert made == f"<pbmserv.7.1800000000@{address.rpartition('@')[2]}>"
    assert all(map(own.wrote, (made, made.upper(), made.lower())))
    for other in ("<x.7@example.org>", "<pbmserv.7@example.net>", "<pbmserv.7@example.org>x"):
        assert not own.wrote(other)

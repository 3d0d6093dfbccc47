"""Every way out, against a real mail server on loopback, a real program and a real folder."""

import os
import shutil
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from pbmserv.errors import Fault
from pbmserv.mail.transports import (
    QUEUED,
    DeliveryFault,
    MaildirTransport,
    ScreenTransport,
    SendmailTransport,
    Server,
    SmtpTransport,
    Transport,
    open_transport,
)
from tests.mail.loopback_mail_server import (
    MailServer,
    composed,
    free_port,
    mail_server,
    plain_letter,
    read,
)

MAIL = composed(plain_letter())


def send(transport: Transport, *mails: Any) -> None:
    try:
        for mail in mails or (MAIL,):
            transport.send(mail)
    finally:
        transport.close()


def refused(transport: Transport) -> DeliveryFault:
    with pytest.raises(DeliveryFault) as caught:
        send(transport)
    return caught.value


def test_a_server_gets_sender_recipient_and_every_byte() -> None:
    second = composed(plain_letter(2), 6)
    with mail_server() as server:
        send(open_transport(f"smtp://127.0.0.1:{server.port}"), MAIL, second)

    assert server.mails == [
        (mail.sender, [mail.recipient], mail.content) for mail in (MAIL, second)
    ]


@pytest.mark.parametrize("offers_size", [True, False])
def test_a_server_that_wants_to_know_is_told_how_large_a_mail_is(*, offers_size: bool) -> None:
    larger = composed(plain_letter(tail="x" * 999))
    with mail_server(data_size_limit=1 << 20 if offers_size else None) as server:
        send(open_transport(f"smtp://127.0.0.1:{server.port}"), MAIL, larger)
    sizes = [[f"SIZE={len(mail.content)}"] if offers_size else [] for mail in (MAIL, larger)]

    assert [[each.upper() for each in said] for said in server.options] == sizes


def test_a_line_with_a_dot_alone_ends_nothing() -> None:
    mail = composed(plain_letter(tail="above\n.\n..\nbelow"))
    with mail_server() as server:
        send(open_transport(f"smtp://127.0.0.1:{server.port}"), mail)

    assert server.mails[0][2] == mail.content


def test_a_refused_recipient_is_told_and_the_next_mail_goes_out() -> None:
    with mail_server() as server:
        server.refuse[MAIL.recipient] = "550 no \x07such user"
        transport = open_transport(f"smtp://127.0.0.1:{server.port}")
        with pytest.raises(DeliveryFault) as caught:
            transport.send(MAIL)
        transport.send(composed(plain_letter(2)))
        transport.close()

    assert caught.value.message == "The mail server said: 550 no such user"
    assert not caught.value.is_for_all
    assert [recipients for _, recipients, _ in server.mails] == [["a2@example.org"]]


def test_a_no_at_the_end_of_the_mail_is_a_no() -> None:
    with mail_server() as server:
        server.refuse["DATA"] = "452 disk full"
        fault = refused(open_transport(f"smtp://127.0.0.1:{server.port}"))

    assert fault.message == "The mail server said: 452 disk full"


def test_a_connection_that_is_cut_is_made_anew_for_the_next_mail() -> None:
    with mail_server() as server:
        server.cuts = 1
        transport = open_transport(f"smtp://127.0.0.1:{server.port}")
        with pytest.raises(DeliveryFault, match="closed the connection"):
            transport.send(MAIL)
        send(transport)

    assert len(server.mails) == 1


SECOND = composed(plain_letter(2), 6)


@pytest.mark.parametrize("farewell", ["", "421 4.7.0 too many mails"])
def test_a_server_may_end_the_conversation_after_each_mail(farewell: str) -> None:
    with mail_server() as server:
        server.most, server.farewell = 1, farewell
        send(open_transport(f"smtp://127.0.0.1:{server.port}"), MAIL, SECOND, MAIL)

    assert [recipients for _, recipients, _ in server.mails] == [
        [mail.recipient] for mail in (MAIL, SECOND, MAIL)
    ]


@pytest.mark.parametrize("farewell", ["", "421 4.3.2 shutting down"])
def test_a_server_that_ends_every_conversation_at_once_is_asked_once_for_each_mail(
    farewell: str,
) -> None:
    with mail_server() as server:
        server.most, server.farewell = 0, farewell
        transport = open_transport(f"smtp://127.0.0.1:{server.port}")
        faults = [refused(transport), refused(transport)]

    assert [fault.code for fault in faults] == ["refused" if farewell else "cut"] * 2
    assert sum(server.begun.values()) == 2


@pytest.mark.parametrize("code", [421, 450, 550])
def test_behind_a_refused_recipient_the_next_mail_is_tried(code: int) -> None:
    with mail_server() as server:
        server.refuse[MAIL.recipient] = f"{code} not now"
        transport = open_transport(f"smtp://127.0.0.1:{server.port}")
        for _ in range(2):
            with pytest.raises(DeliveryFault, match=f"said: {code} not now"):
                transport.send(MAIL)
            transport.send(SECOND)
        transport.close()

    assert [recipients for _, recipients, _ in server.mails] == [[SECOND.recipient]] * 2


def test_a_mail_that_may_have_been_accepted_is_not_sent_anew_at_once() -> None:
    with mail_server() as server:
        transport = open_transport(f"smtp://127.0.0.1:{server.port}")
        transport.send(SECOND)
        server.cuts = 1
        with pytest.raises(DeliveryFault, match="closed the connection"):
            transport.send(MAIL)
        assert len(server.mails) == 1
        send(transport)

    assert len(server.mails) == 2


def test_a_server_that_is_not_there_is_there_for_no_mail() -> None:
    fault = refused(open_transport(f"smtp://127.0.0.1:{free_port()}"))

    assert (fault.code, fault.is_for_all) == ("unreachable", True)


def test_a_server_that_stays_silent_is_given_up() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        fault = refused(SmtpTransport(Server("127.0.0.1", silent.getsockname()[1]), timeout=0.2))

    assert (fault.code, fault.is_for_all) == ("unreachable", True)


def login(server: MailServer, *, is_right: bool) -> dict[str, Any]:
    def authenticate(_s: Any, _session: Any, _e: Any, _m: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        server.logins.append((data.login, data.password))
        return AuthResult(success=is_right, handled=False)

    return {"authenticator": authenticate, "auth_require_tls": False}


def test_user_name_and_password_open_the_server() -> None:
    log = MailServer()
    with mail_server(**login(log, is_right=True)) as server:
        send(open_transport(f"smtp://us%40er:p%3Aw@127.0.0.1:{server.port}"))

    assert log.logins == [(b"us@er", b"p:w")]
    assert len(server.mails) == 1


def test_a_wrong_password_is_not_repeated_in_the_error() -> None:
    with mail_server(**login(MailServer(), is_right=False)) as server:
        url = f"smtp://user:c4nary@127.0.0.1:{server.port}"
        transport = open_transport(url)
        fault = refused(transport)

    assert fault.is_for_all
    assert fault.__cause__ is None
    assert isinstance(transport, SmtpTransport)
    for text in (str(fault), repr(fault), repr(transport.server)):
        assert "c4nary" not in text


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The context of a server whose certificate this process trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl is not installed")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    files = ("-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "certificate"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names, *files]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "certificate", tmp_path / "key")
    return context


@pytest.mark.costly
def test_starttls_encrypts_before_anything_else(certificate: ssl.SSLContext) -> None:
    with mail_server(tls_context=certificate, require_starttls=True) as server:
        send(open_transport(f"smtp://localhost:{server.port}?tls=required"))

    assert len(server.mails) == 1


def test_where_a_server_offers_no_starttls_a_mail_goes_as_it_is() -> None:
    with mail_server() as server:
        send(open_transport(f"smtp://localhost:{server.port}?tls=offered"))

    assert len(server.mails) == 1


def test_no_password_goes_over_a_line_in_the_clear() -> None:
    log = MailServer()
    with mail_server(**login(log, is_right=True)) as server:
        fault = refused(open_transport(f"smtp://u:p@127.0.0.1:{server.port}?tls=required"))
        seen = [*log.logins]
        send(open_transport(f"smtp://u:p@127.0.0.1:{server.port}?tls=offered"))

    assert fault.is_for_all
    assert [] == seen
    assert [(b"u", b"p")] == log.logins  # the server would have taken it
    assert 1 == len(server.mails)
    assert open_transport_server("smtp://u:p@mail.example.org").tls == "required"
    assert open_transport_server("smtp://mail.example.org").tls == "offered"
    assert open_transport_server("smtps://mail.example.org") == Server(
        "mail.example.org", 465, tls="at once"
    )


def open_transport_server(url: str) -> Server:
    transport = open_transport(url)
    assert isinstance(transport, SmtpTransport)
    return transport.server


@pytest.mark.costly
def test_a_certificate_of_nobody_is_not_trusted(
    certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with mail_server(tls_context=certificate) as server:
        fault = refused(open_transport(f"smtp://localhost:{server.port}?tls=required"))

    assert fault.is_for_all


def program(folder: Path, script: str) -> Path:
    path = folder / "sendmail"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_sendmail_gets_the_recipient_behind_a_double_dash(tmp_path: Path) -> None:
    path = program(tmp_path, f'printf "%s\\n" "$@" >{tmp_path}/words; cat >{tmp_path}/mail')
    send(open_transport(f"sendmail:{path}"))

    words = (tmp_path / "words").read_text(encoding="utf-8").split("\n")[:-1]
    assert words == ["-i", "-f", MAIL.sender, "--", MAIL.recipient]
    assert (tmp_path / "mail").read_bytes() == MAIL.content.replace(b"\r\n", b"\n")


@pytest.mark.parametrize("code", [0, 1])
def test_what_sendmail_says_is_not_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], code: int
) -> None:
    path = program(tmp_path, f"cat >{tmp_path}/mail; echo said; echo wrong >&2; exit {code}")
    if code:
        refused(SendmailTransport(path))
    else:
        send(SendmailTransport(path))

    assert (tmp_path / "mail").read_bytes()
    assert capfd.readouterr() == ("", "")


def test_sendmail_may_fail_be_missing_or_hang(tmp_path: Path) -> None:
    failing = refused(SendmailTransport(program(tmp_path, "exit 75")))
    hanging = refused(SendmailTransport(program(tmp_path, "exec sleep 30"), timeout=0.2))
    missing = refused(SendmailTransport(tmp_path / "nothing"))

    assert failing.message == "The sendmail program failed with exit code 75."
    assert [fault.is_for_all for fault in (failing, hanging, missing)] == [False, True, True]


def test_the_name_of_a_machine_is_no_path_and_no_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "a_b/c:d.example")
    send(open_transport(f"maildir:{tmp_path / 'in'}"), MAIL, MAIL)
    names = sorted(path.name for path in (tmp_path / "in" / "new").iterdir())

    assert [name.partition("Q")[2] for name in names] == [
        f"{number}.a_b_c_d.example" for number in (1, 2)
    ]


def test_a_maildir_gets_whole_mails(tmp_path: Path) -> None:
    folder = tmp_path / "a b" / "Maildir"
    send(open_transport(f"maildir:{str(folder).replace(' ', '%20')}"), MAIL, MAIL)
    mails = [read(file.read_bytes()) for file in (folder / "new").iterdir()]

    assert len(mails) == 2
    assert list((folder / "tmp").iterdir()) == []
    for mail in mails:
        assert mail["Return-Path"] == f"<{MAIL.sender}>"
        assert mail["Delivered-To"] == MAIL.recipient
        assert mail["Subject"] == "Star Board 101 alice"


def test_a_mail_is_in_a_maildir_for_good_before_it_counts_as_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[Path, int]] = []
    monkeypatch.setattr(
        "pbmserv.mail.transports.sync",
        lambda folder: synced.append((folder, len([*folder.iterdir()]))),
    )
    written: list[int] = []
    monkeypatch.setattr("os.fsync", lambda file: written.append(os.fstat(file).st_size))
    send(MaildirTransport(tmp_path), MAIL, MAIL)

    assert synced == [(tmp_path / "new", 1), (tmp_path / "new", 2)]
    assert written == [file.stat().st_size for file in (tmp_path / "new").iterdir()]


def test_a_maildir_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    fault = refused(MaildirTransport(tmp_path / "file"))

    assert fault.is_for_all


def test_the_screen_shows_headers_and_words() -> None:
    written: list[str] = []
    send(ScreenTransport(written.append))

    (text,) = written
    assert text.startswith("From: Star Club <pbmserv@example.org>\nTo: a1@example.org\n")
    assert text.rstrip().endswith("\n\nHello.")
    assert "<html" not in text


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "smtp:", "smtp://", "smtp://h:port", "smtp://h:99999", "smtp://h/path"),
        *(
            "smtp://h?tls=maybe",
            "smtp://h?x=1",
            "smtp://h?tls",
            "smtps://h?tls=off",
            "sendmail:relative",
        ),
        *("sendmail://host/path", "maildir:", "maildir:rel", "http://s3cret@x", "smtp://[::1"),
    ],
)
def test_a_url_that_says_nothing_is_a_fault_that_does_not_show_it(url: str) -> None:
    with pytest.raises(Fault) as caught:
        open_transport(url)

    assert caught.value.code == "bad-mail-out"
    assert "s3cret" not in f"{caught.value} {caught.value.advice}"


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (b"2.0.0 Ok: queued as 4bXyZ12WkLmNz", "4bXyZ12WkLmNz"),
        (b"2.0.0 Ok: queued as 9C1E2400A5", "9C1E2400A5"),
        (b"OK id=1rABcd-000000001Ab-2xYz", "1rABcd-000000001Ab-2xYz"),
        (b"2.0.0 4AKC1234567 Message accepted for delivery", "4AKC1234567"),
        (b"2.0.0 2f3e4d5c Message accepted for delivery", "2f3e4d5c"),
        (b"2.6.0 <5.mail@example.org> Queued mail for delivery", ""),
        (b"2.0.0 Message accepted for delivery", ""),
        (b"OK id=carol@example.net", ""),
        (b"OK", ""),
    ],
)
def test_a_mail_servers_name_for_a_mail_is_known_from_its_answer(answer: bytes, name: str) -> None:
    found = QUEUED.search(answer)

    assert (found[1].decode() if found else "") == name

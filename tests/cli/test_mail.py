"""``mail send`` and ``mail outbox`` as an operator meets them."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from pbmserv.cli.main import run
from pbmserv.mail.compose import OutgoingMail
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.transports import MaildirTransport
from pbmserv.store.store import Store
from tests.databases import copy_template
from tests.mail.loopback_mail_server import NOW, plain_letter, read


class MailOut:
    """A database with three letters, a Maildir to send them to, and the settings for both."""

    def __init__(
        self, folder: Path, database: str, patch: pytest.MonkeyPatch, capture: Any
    ) -> None:
        self.database = database
        self.maildir = folder / "out"
        self._capture = capture
        patch.setenv("PBMSERV_CONFIG", os.devnull)
        patch.setenv("PBMSERV_DATABASE_URL", self.database)
        patch.setenv("PBMSERV_MAIL_KEYS", str(folder / "mail.keys"))
        patch.setenv("PBMSERV_MAIL_ADDRESS", "pbmserv@example.org")
        patch.setenv("PBMSERV_MAIL_OUT", f"maildir:{self.maildir}")
        store = Store.open(self.database)
        with store.writing() as records:
            records.outbox.post([plain_letter(n) for n in (1, 2, 3)], NOW - 10**9)
        store.close()

    @property
    def keyring(self) -> Keyring:
        return Keyring(self.maildir.with_name("mail.keys"))

    def run(self, line: str) -> tuple[int, str, str]:
        code = run(line.split())
        out, err = self._capture.readouterr()
        return code, out, err

    def json(self, line: str) -> Any:
        return json.loads(self.run(f"{line} --json")[1])

    @property
    def recipients(self) -> list[str]:
        files = (self.maildir / "new").glob("*")
        return sorted(read(file.read_bytes())["To"] for file in files)


@pytest.fixture
def mail_out(
    tmp_path: Path,
    sqlite_template: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> MailOut:
    database = copy_template(sqlite_template, tmp_path / "club")
    return MailOut(tmp_path, database, monkeypatch, capsys)


def test_send_empties_the_outbox(mail_out: MailOut) -> None:
    first, second = mail_out.run("mail send"), mail_out.run("mail send --once")

    assert first == (0, "Sent: 3. Failed: 0.\n", "")
    assert second == (0, "Sent: 0. Failed: 0.\n", "")
    assert mail_out.recipients == ["a1@example.org", "a2@example.org", "a3@example.org"]


@pytest.mark.parametrize(("words", "sent", "waiting"), [("", 5, 0), (" -once", 3, 2)])
def test_send_goes_on_with_letters_that_come_meanwhile_unless_once_is_asked_for(
    mail_out: MailOut, monkeypatch: pytest.MonkeyPatch, words: str, sent: int, waiting: int
) -> None:
    late = [4, 5]
    send = MaildirTransport.send

    def posting(transport: MaildirTransport, mail: OutgoingMail) -> None:
        send(transport, mail)
        store = Store.open(mail_out.database)
        with store.writing() as records:
            records.outbox.post([plain_letter(number) for number in late[:1]], NOW - 10**9)
        store.close()
        del late[:1]

    monkeypatch.setattr(MaildirTransport, "send", posting)

    assert mail_out.json(f"mail send{words}")["sent"] == sent
    states = [row["state"] for row in mail_out.json("mail outbox list")["letters"]]
    assert states.count("waiting") == waiting


def test_send_says_what_is_wrong_and_shows_no_secret(
    mail_out: MailOut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_OUT", "smtp://user:c4nary@127.0.0.1:1")
    code, out, err = mail_out.run("mail send")
    doctor = mail_out.run("doctor")

    assert (code, out) == (1, "Sent: 0. Failed: 1.\n")
    assert err == "pbmserv: The mail server cannot be reached.\n"
    assert "c4nary" not in f"{mail_out.run('mail outbox list')}{doctor}"
    assert "mail_out" in doctor[1]


def test_send_prints_a_document(mail_out: MailOut) -> None:
    assert mail_out.json("mail send") == {"sent": 3, "failed": 0, "given_up": 0, "stopped": ""}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("MAIL_OUT", "", "no-setting"),
        ("MAIL_OUT", "nonsense", "bad-mail-out"),
        ("MAIL_ADDRESS", "", "no-setting"),
        ("MAIL_ADDRESS", "an-address-that-is-too-long@example.org", "bad-mail-address"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_a_fault(
    mail_out: MailOut, monkeypatch: pytest.MonkeyPatch, name: str, value: str, code: str
) -> None:
    monkeypatch.setenv(f"PBMSERV_{name}", value)
    exit_code, out, _ = mail_out.run("mail send --json")

    assert (exit_code, json.loads(out)["error"]["code"]) == (70, code)


def test_the_outbox_is_listed_dropped_and_retried(mail_out: MailOut) -> None:
    dropped = mail_out.run("mail outbox drop 2")
    retried = mail_out.json("mail outbox retry 1 3")
    mail_out.run("mail send")
    listed = mail_out.json("mail outbox list")["letters"]
    _, text, _ = mail_out.run("mail outbox list -status=dropped -limit=1")

    assert dropped == (0, "waiting: 2, sent: 0, failed: 0, dropped: 1\n", "")
    assert retried == {"changed": [1, 3]}
    assert [(row["id"], row["state"], row["tries"]) for row in listed] == [
        (3, "sent", 1),
        (2, "dropped", 0),
        (1, "sent", 1),
    ]
    assert "a2@example.org" in text
    assert mail_out.recipients == ["a1@example.org", "a3@example.org"]


def test_nothing_is_dropped_if_one_number_is_wrong(mail_out: MailOut) -> None:
    code, _, err = mail_out.run("mail outbox drop 1 99")
    states = {row["state"] for row in mail_out.json("mail outbox list")["letters"]}

    assert code == 1
    assert "mail 99" in err
    assert states == {"waiting"}


def test_an_unknown_state_is_not_understood(mail_out: MailOut) -> None:
    assert mail_out.run("mail outbox list -status=lost")[0] == 2


def test_keys_are_shown_and_rotated_but_never_told(mail_out: MailOut) -> None:
    before = mail_out.json("admin keys")
    for _ in range(3):
        mail_out.run("admin keys -rotate")
    after = mail_out.json("admin keys")["keys"]
    secrets = [key.secret.hex() for key in mail_out.keyring.kept()]

    assert before == {"keys": []}
    assert len(secrets) == 2
    assert [key["number"] for key in after] == [3, 2]
    assert not [secret for secret in secrets if secret in mail_out.run("admin keys")[1]]


def test_doctor_explains_which_server_checks_senders(
    mail_out: MailOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maildir = tmp_path / "in"
    for part in ("cur", "new", "tmp"):
        (maildir / part).mkdir(parents=True)
    postfix = {"smtpd_milters": "inet:127.0.0.1:8891", "myhostname": "mx.example.org"}
    monkeypatch.setattr(
        "pbmserv.operators.mail_doctor._postfix", lambda name: postfix.get(name, "+")
    )
    monkeypatch.setenv("PBMSERV_MAILDIR", str(maildir))
    plain = mail_out.run("doctor")[1]
    header = b"Authentication-Results: mx.example.org; dkim=pass header.d=example.net\n"
    (maildir / "cur" / "1.x").write_bytes(header + b"From: a@example.net\n\nHello.\n")
    found = mail_out.run("doctor")[1]
    monkeypatch.setenv("PBMSERV_MAIL_SERVER", "mx.example.com")
    other = mail_out.run("doctor")[1]
    monkeypatch.setenv("PBMSERV_MAIL_SERVER", "mx.example.org")
    believed = mail_out.run("doctor")[1]
    monkeypatch.setenv("PBMSERV_MAIL_DMARC", "mx.example.org")
    demanded = mail_out.run("doctor")[1]
    postfix["smtpd_milters"] = ""
    unchecked = mail_out.run("doctor")[1]
    monkeypatch.delenv("PBMSERV_MAIL_DMARC")
    monkeypatch.delenv("PBMSERV_MAIL_SERVER")
    perhaps_forged = mail_out.run("doctor")[1]

    assert "Nothing here checks senders" in " ".join(unchecked.split())
    assert "results from mx.example.org" not in " ".join(perhaps_forged.split()).lower()
    assert "passwords and reply addresses identify senders" in plain
    assert "mail_server" not in plain.partition("sender check")[2].partition("\n")[0]
    assert "results from mx.example.org" in " ".join(found.split()).replace("Results", "results")
    assert "from mx.example.org instead" in " ".join(other.split())
    assert "mx.example.org is trusted" in believed
    assert "mail that does not pass DMARC is dropped" in demanded


def facts(mail_out: MailOut) -> dict[str, tuple[str, str]]:
    """Return what doctor says of each thing, and what is wrong with it."""
    return {
        fact["name"]: (fact["value"], fact["problem"]) for fact in mail_out.json("doctor")["facts"]
    }


@pytest.mark.costly
def test_doctor_says_of_each_part_of_mail_how_it_is(
    mail_out: MailOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postfix: dict[str, str | None] = {"smtpd_milters": "inet:127.0.0.1:8891"}
    monkeypatch.setattr("pbmserv.operators.mail_doctor._postfix", postfix.get)
    bare = facts(mail_out)

    assert bare["mail address"] == ("pbmserv@example.org", "")
    assert bare["mail transport"] == ("maildir", "")
    unknown = "not known: the mail server must deliver +TOKEN addresses"
    assert bare["address delimiter"] == (unknown, "")
    assert bare["milters"] == ("inet:127.0.0.1:8891", "")
    assert bare["signing keys"] == ("none yet: created with the first mail", "")
    assert bare["newcomers waiting"] == ("0", "")
    assert bare["ignored today"] == ("0 (nothing)", "")
    assert bare["clock"][1] == ""
    late, hint = bare["oldest mail"]
    assert late.endswith(" min")
    assert "waiting for more than an hour" in hint
    assert "Maildir" not in bare

    mail_out.run("mail send")
    for found, told in (
        ("+-", ("+-", "")),
        ("-", ("-", "Set recipient_delimiter = + in main.cf.")),
    ):
        postfix["recipient_delimiter"] = found
        assert facts(mail_out)["address delimiter"] == told
    postfix["recipient_delimiter"] = ""
    assert facts(mail_out)["address delimiter"][0] == "none"
    monkeypatch.setattr("pbmserv.operators.mail_doctor._postfix", silent)
    sent = facts(mail_out)
    assert sent["address delimiter"] == ("Postfix gives no answer", "")
    assert sent["oldest mail"] == ("none", "")
    assert sent["signing keys"] == (f"{tmp_path / 'mail.keys'}, number 1", "")
    assert "milters" not in sent
    (tmp_path / "mail.keys").chmod(0o644)
    assert facts(mail_out)["signing keys"][1]
    monkeypatch.setenv("PBMSERV_MAIL_OUT", "nonsense")
    assert facts(mail_out)["mail transport"][0] == "set"
    assert "mail_out" in facts(mail_out)["mail transport"][1]
    monkeypatch.setenv("PBMSERV_MAIL_OUT", "")
    assert facts(mail_out)["mail transport"] == ("none", "No mail is sent: set mail_out.")
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "much-too-long-an-address-it-is@example.org")
    assert facts(mail_out)["mail address"][1]
    monkeypatch.delenv("PBMSERV_MAIL_ADDRESS")
    assert facts(mail_out)["mail"] == ("not set up", "")


def test_doctor_asks_the_postfix_of_this_machine(
    mail_out: MailOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "postconf"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = []
    for said in ("smtpd_milters) echo inet:127.0.0.1:8891 ;;", "recipient_delimiter) echo + ;;"):
        program.write_text(f'#!/bin/sh\n[ "$1" = -hx ] && case $2 in {said} esac\n')
        program.chmod(0o700)
        found.append(facts(mail_out))

    assert [each.get("milters") for each in found] == [("inet:127.0.0.1:8891", ""), None]
    assert [each["address delimiter"][0] for each in found] == ["none", "+"]
    program.unlink()
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    assert facts(mail_out)["address delimiter"][0].startswith("not known")


def test_doctor_looks_for_who_checks_senders_at_the_newest_mails(
    mail_out: MailOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.operators.mail_doctor._postfix", lambda _: None)
    monkeypatch.setenv("PBMSERV_MAILDIR", str(tmp_path / "in"))
    kept = tmp_path / "in" / "cur"
    kept.mkdir(parents=True)

    def add(number: int, server: str | None = None) -> str:
        checked = f"Authentication-Results: {server}; spf=pass\n" if server else ""
        (kept / f"{number}.x").write_text(f"{checked}From: a@example.net\n\nHello.\n")
        return facts(mail_out)["sender check"][1]

    assert add(10) == ""
    assert "from old.example.org:" in add(11, "old.example.org")
    assert "from mx.example.org:" in add(12, "mx.example.org")
    monkeypatch.setenv("PBMSERV_MAIL_SERVER", "MX.example.ORG")
    assert add(13) == ""
    monkeypatch.delenv("PBMSERV_MAIL_SERVER")
    for number in range(14, 32):
        (kept / f"{number}.x").write_text("From: a@example.net\n\nHello.\n")
    assert "from mx.example.org:" in facts(mail_out)["sender check"][1]
    assert add(32) == "", "twenty others are newer"


@pytest.mark.parametrize(("ahead", "is_behind"), [(200, False), (400, True)])
def test_doctor_says_where_the_clock_is_behind_what_is_stored(
    mail_out: MailOut, ahead: int, *, is_behind: bool
) -> None:
    assert mail_out.run("signup alice secret-alice")[0] == 0
    store = Store.open(mail_out.database)
    with store.writing() as records:
        records.connection.exec_driver_sql("UPDATE audit SET at = at + ?", (ahead,))
    store.close()
    problem = facts(mail_out)["clock"][1]

    assert problem == (
        "It is behind times stored in the database: set it right." if is_behind else ""
    )


@pytest.mark.parametrize(("minutes", "is_late"), [(59, False), (61, True)])
def test_doctor_says_how_long_the_oldest_letter_waits(
    mail_out: MailOut, minutes: int, *, is_late: bool
) -> None:
    mail_out.run("mail send")
    posted = int(time.time()) - 60 * minutes - 5
    store = Store.open(mail_out.database)
    with store.writing() as records:
        records.outbox.post([plain_letter(4)], posted)
    store.close()
    told, problem = facts(mail_out)["oldest mail"]

    assert (told, bool(problem)) == (f"{minutes} min", is_late)


def silent(_: str) -> str:
    raise OSError


def test_doctor_says_whether_mail_in_the_maildir_is_taken_care_of(
    mail_out: MailOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maildir = tmp_path / "in"
    monkeypatch.setattr("pbmserv.operators.mail_doctor._postfix", lambda _name: None)
    monkeypatch.setenv("PBMSERV_MAILDIR", str(maildir))
    for part in ("nothing", "new", "cur"):
        (maildir / part).mkdir(parents=True)
        assert facts(mail_out)["Maildir"][1] == "It has no new/ and cur/: serve creates them."
        (maildir / part).rmdir()
    for part in ("new", "cur", "shunt"):
        (maildir / part).mkdir()
    assert facts(mail_out)["put aside"] == ("0", "")
    mail = maildir / "new" / "1.mail"
    mail.write_text("From: a@example.net\n\n")
    (maildir / "shunt" / "2.mail").touch()
    fresh = facts(mail_out)
    os.utime(mail, (mail.stat().st_mtime - 60,) * 2)
    old = facts(mail_out)

    assert fresh["Maildir"] == (f"{maildir}, 1 waiting", "")
    assert old["Maildir"] == (
        f"{maildir}, 1 waiting",
        "Mail is waiting: is pbmserv serve running?",
    )
    assert fresh["put aside"] == ("1", "See them: pbmserv mail shunt list.")

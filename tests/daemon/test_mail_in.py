"""``mail run``, ``serve`` and ``shunt`` as an operator meets them; and a password seen nowhere."""

import json
import signal
import smtplib
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import ALICE, PASSWORD, Installation, a_mail
from tests.daemon.resident_process import served_in
from tests.installed_program import waited_for

pytestmark = pytest.mark.slow


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    installation = Installation(tmp_path / "server")
    for part in ("new", "cur", "tmp", "shunt"):
        (installation.folder / "in" / part).mkdir(parents=True)
    return installation


def deliver(here: Installation, name: str, data: bytes) -> None:
    draft = here.folder / "in" / "tmp" / name
    draft.write_bytes(data)
    draft.rename(here.folder / "in" / "new" / name)


def files(here: Installation, part: str) -> list[str]:
    return sorted(path.name for path in (here.folder / part).iterdir())


def test_run_once_works_the_maildir_off_and_sends(here: Installation) -> None:
    deliver(here, "1.a", a_mail(f"signup alice {PASSWORD}"))
    deliver(here, "2.b", a_mail("help", 2, "bob@example.net"))
    done = here.run("mail", "run", "--once")
    lines = done.stderr.decode().splitlines()

    assert done.returncode == 0
    assert [line.split(" ")[1:4] for line in lines] == [
        ["maildir", ALICE, "code=done"],
        ["maildir", "bob@example.net", "code=done"],
        ["out", "welcome", "code=sent"],
        ["out", "answer", "code=sent"],
    ]
    assert files(here, "in/new") == []
    assert files(here, "in/cur") == ["1.a:2,S", "2.b:2,S"]
    assert len(files(here, "out/new")) == 2


def test_run_logs_for_programs(here: Installation) -> None:
    deliver(here, "1.a", a_mail("help"))
    done = here.run("mail", "run", "--once", PBMSERV_LOG_FORMAT="json")
    taken, sent = map(json.loads, done.stderr.decode().splitlines())

    assert (taken["door"], taken["sender"], taken["code"]) == ("maildir", ALICE, "done")
    assert (sent["door"], sent["code"]) == ("out", "sent")


def test_run_goes_on_until_it_is_stopped(here: Installation) -> None:
    process = here.start("mail", "run")
    deliver(here, "1.a", a_mail("help"))
    waited_for(lambda: files(here, "in/cur"), while_runs=process)
    process.send_signal(signal.SIGTERM)
    process.communicate()

    assert process.returncode == 0


def test_two_runs_at_one_maildir_do_every_mail_once(here: Installation) -> None:
    count = 60
    here.run("signup", "alice", PASSWORD, ALICE)
    for number in range(count):
        deliver(here, f"{number}.mail", a_mail("stats alice", number))
    runs = [here.start("mail", "run", "--once") for _ in range(2)]
    said = [run.communicate() for run in runs]

    assert [run.returncode for run in runs] == [0, 0], said
    assert files(here, "in/new") == files(here, "in/shunt") == []
    assert len(files(here, "in/cur")) == count
    assert len(here.outcomes()) == count


def test_run_does_not_begin_without_a_database(here: Installation) -> None:
    Path(here.database).unlink()
    deliver(here, "1.a", a_mail("help"))
    done = here.run("mail", "run", "--once")

    assert done.returncode != 0
    assert files(here, "in/new") == ["1.a"]
    assert not Path(here.database).exists()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def connected(port: int, process: "subprocess.Popen[bytes]") -> smtplib.LMTP:
    def is_listening() -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", port)) == 0

    waited_for(is_listening, while_runs=process)
    return smtplib.LMTP("127.0.0.1", port)


def test_serve_takes_mails_by_lmtp_and_answers_for_each_recipient(here: Installation) -> None:
    port = free_port()
    process = here.start("mail", "serve", f"--lmtp=127.0.0.1:{port}")
    ours = ["pbmserv@example.org", "pbmserv+abc@example.org"]
    with connected(port, process) as client:
        client.ehlo_or_helo_if_needed()
        client.mail(ALICE)
        accepted = [client.rcpt(to)[0] for to in (ours[0], "other@example.org", ours[1])]
        client.putcmd("data")
        client.getreply()
        client.send(a_mail("help").replace(b"\n", b"\r\n") + b"\r\n.\r\n")
        replies = [client.getreply()[0] for _ in ours]
        Path(here.database).rename(f"{here.database}.away")
    process.send_signal(signal.SIGTERM)
    process.communicate()
    Path(f"{here.database}.away").rename(here.database)

    assert accepted == [250, 550, 250]
    assert replies == [250, 250]
    assert process.returncode == 0
    assert here.outcomes() == ["done"]


def test_serve_listens_for_this_machine_only(here: Installation) -> None:
    done = here.run("mail", "serve", "--smtp=0.0.0.0:0")

    assert done.returncode == 70
    assert b"-public" in done.stderr


def test_serve_takes_the_place_of_no_file(here: Installation) -> None:
    precious = here.folder / "precious"
    precious.write_text("keep")
    link = here.folder / "link"
    link.symlink_to(precious)
    runs = [here.run("mail", "serve", f"--lmtp={path}", "--json") for path in (precious, link)]

    assert [done.returncode for done in runs] == [70, 70]
    assert [json.loads(done.stdout)["error"]["code"] for done in runs] == ["not-a-socket"] * 2
    assert precious.read_text() == "keep"
    assert link.is_symlink()


def test_serve_takes_the_place_of_a_socket_only_when_nobody_answers_there(
    here: Installation,
) -> None:
    path = here.folder / "lmtp"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        refused = here.run("mail", "serve", f"--lmtp={path}", "--json")
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(str(path))
    process = here.start("mail", "serve", f"--lmtp={path}")
    assert process.stderr is not None
    said = process.stderr.readline()
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        greeting = caller.recv(100)
    process.send_signal(signal.SIGTERM)
    process.communicate()

    assert json.loads(refused.stdout)["error"]["code"] == "already-listening"
    assert said.decode().endswith(f"Listening at {path}.\n")
    assert greeting.startswith(b"220 ")
    assert process.returncode == 0


def test_a_mail_put_aside_is_shown_without_its_secrets(here: Installation) -> None:
    aside = here.folder / "in" / "shunt" / "1.bad"
    aside.write_bytes(a_mail(f"signup alice {PASSWORD}"))
    listed, shown = here.run("mail", "shunt", "list"), here.run("mail", "shunt", "show", "1.bad")
    back = here.run("mail", "shunt", "retry", "1.bad")

    assert b"1.bad" in listed.stdout
    assert ALICE.encode() in shown.stdout
    assert b"signup" not in shown.stdout
    assert PASSWORD.encode() not in listed.stdout + shown.stdout
    assert back.returncode == 0
    assert files(here, "in/new") == ["1.bad"]


def test_a_password_is_found_nowhere_but_in_the_mails_that_came_in(here: Installation) -> None:
    subjects = [
        f"signup alice {PASSWORD}",
        f"star challenge alice alice {PASSWORD}",
        f"star move 101 alice {PASSWORD}x F6",
        f"star {PASSWORD} 101",
        f"{PASSWORD}",
        f"star move {PASSWORD} alice F6",
        f"help {PASSWORD}",
        f"star challenge alice {PASSWORD}",
        f"message alice {PASSWORD} {PASSWORD}",
        f"change password alice {PASSWORD} {PASSWORD}2",
        f"star show 101 -{PASSWORD}={PASSWORD}",
        f"'{PASSWORD}",
    ]
    printed = b""
    with served_in(here.environ) as (environ, _):
        place = environ["XDG_RUNTIME_DIR"]
        for number, subject in enumerate(subjects):
            deliver(here, f"{number}.mail", a_mail(subject, number))
            data = a_mail(subject, number + 100)
            done = here.run("mail", "receive", data=data, XDG_RUNTIME_DIR=place)
            printed += done.stdout + done.stderr
    deliver(here, "x.multiple", a_mail("multiple", 99) + "\n".join(subjects).encode())
    for words in (("run", "--once"), ("run", "--once", "--json"), ("outbox", "list")):
        done = here.run("mail", *words)
        printed += done.stdout + done.stderr
    for name in ("inbox", "audit", "players"):
        printed += here.run("admin", name).stdout
    incoming = here.folder / "in" / "cur"
    found = [
        str(path)
        for path in here.folder.rglob("*")
        if path.is_file() and path.parent != incoming and PASSWORD.encode() in path.read_bytes()
    ]

    assert len(files(here, "in/cur")) == len(subjects) + 1
    assert found == []
    assert PASSWORD.encode() not in printed


def test_a_letter_to_ourselves_comes_back(here: Installation) -> None:
    """By a Maildir that is both ways: mail test waits while mail run takes it in."""
    way_out = f"maildir:{here.folder / 'in'}"
    trial = here.start("mail", "test", "--json", PBMSERV_MAIL_TRANSPORT=way_out)
    waited_for(lambda: files(here, "in/new"), while_runs=trial)
    here.run("mail", "run", "--once", PBMSERV_MAIL_TRANSPORT=way_out)
    out, _ = trial.communicate()
    told = json.loads(out)

    assert trial.returncode == 0
    assert (told["back"], told["door"], told["facts"]) == (True, "maildir", [])


def test_a_letter_waits_a_moment_for_a_mail_server_that_is_being_started(
    here: Installation,
) -> None:
    program = here.folder / "sendmail"
    way_out = f"sendmail:{program}"
    trial = here.start("mail", "test", ALICE, "-wait=60", "--json", PBMSERV_MAIL_TRANSPORT=way_out)
    with closing(Store.open(here.database)) as store:

        def was_tried() -> bool:
            with store.reading() as records:
                return any(entry.tries for entry in records.lists.letters().rows)

        waited_for(was_tried, while_runs=trial)
    program.write_text("#!/bin/sh\ncat > /dev/null\n")
    program.chmod(0o755)
    assert trial.stderr is not None
    assert b"on its way" in trial.stderr.readline()
    trial.send_signal(signal.SIGINT)
    out, _ = trial.communicate()

    assert (json.loads(out)["sent"], trial.returncode) == (True, 1)


def test_the_answer_of_a_person_counts_too(here: Installation) -> None:
    done = here.run("mail", "test", ALICE, "-wait=0", "--json")
    assert done.returncode == 1, done
    (letter,) = (here.folder / "out" / "new").iterdir()
    address = letter.read_text().partition("Reply-To: ")[2].partition("\n")[0]
    again = here.run("mail", "receive", f"--recipient={address}", data=a_mail("Re: It does"))
    log = (here.folder / "mail.log").read_text()

    assert (json.loads(done.stdout).get("back"), again.returncode) == (False, 0), done
    assert " pipe - code=bounce reason=trial-answered " in log.splitlines()[-1]
    assert here.outcomes() == ["answered"]

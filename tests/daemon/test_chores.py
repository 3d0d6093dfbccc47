"""``serve`` does what ``mail run`` and ``mail serve`` do, and none of it is lost on its way."""

import json
import os
import signal
import smtplib
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shlex import quote
from threading import Event

import pytest

from pbmserv.daemon.resident_worker import WORKERS
from tests import databases
from tests.daemon.mail_receive_process import ALICE, Installation, a_mail
from tests.daemon.resident_process import milliseconds, served_in, workers
from tests.installed_program import PROGRAM, impatient, is_alive, real_board, waited_for

pytestmark = pytest.mark.slow

Server = subprocess.Popen[bytes]


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    return Installation(tmp_path / "server")


def letters(here: Installation) -> int:
    folder = here.folder / "out" / "new"
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def deliver(here: Installation, number: int) -> None:
    name = here.folder / "in" / "tmp" / f"{number}.mail"
    name.write_bytes(a_mail("help", number))
    name.rename(here.folder / "in" / "new" / name.name)


def hasty(here: Installation) -> str:
    names = ("resident.REST", "periodic_tasks.PAUSE", "club_services.PAUSE")
    return str(impatient(here.folder, {f"pbmserv.daemon.{name}": 0.1 for name in names}))


def without_maildir(here: Installation) -> dict[str, str]:
    return {name: text for name, text in here.environ.items() if name != "PBMSERV_MAILDIR"}


def test_it_takes_mails_from_a_maildir_sends_and_settles(here: Installation) -> None:
    with served_in(here.environ, program=[hasty(here)]) as (_, server):
        waited_for((here.folder / "in" / "new").is_dir)
        deliver(here, 1)
        waited_for(lambda: letters(here) == 1 and here.was_settled())
        server.terminate()

        assert server.wait() == 0
    assert here.outcomes() == ["done"]


def test_a_club_without_a_way_for_mail_is_looked_after_where_it_is_said(here: Installation) -> None:
    no_way = {**without_maildir(here), "PBMSERV_MAIL_TRANSPORT": ""}
    with served_in(no_way) as (_, server):
        assert len(workers(server)) == WORKERS
    with served_in(no_way, "-club"):
        waited_for(here.was_settled)


def test_two_servers_keep_backups_of_one_club_and_make_each_once(here: Installation) -> None:
    folder = here.folder / "backups"
    only = {**without_maildir(here), "PBMSERV_MAIL_TRANSPORT": ""}
    only["PBMSERV_BACKUP_FOLDER"] = str(folder)
    with served_in(only) as (_, first), served_in(only) as (_, second):
        waited_for(lambda: [*folder.glob("pbmserv-*.sqlite")])
        waited_for(lambda: not [*folder.glob("trial-*")])
        [backup] = folder.glob("pbmserv-*.sqlite")
        for server in (first, second):
            server.terminate()

        assert [first.wait(), second.wait()] == [0, 0]
    told = here.run("--json", "restore", str(backup), "--dry-run")

    assert json.loads(told.stdout)["wrong"] == []


def test_a_server_that_leaves_when_nobody_comes_looks_after_no_club(here: Installation) -> None:
    with served_in(here.environ, "-idle=10") as (_, server):
        assert len(workers(server)) == WORKERS


def test_without_a_maildir_it_sends_what_the_pipe_took_in(here: Installation) -> None:
    with served_in(without_maildir(here), program=[hasty(here)]) as (environ, server):
        done = subprocess.run(
            [PROGRAM, "mail", "receive"], input=a_mail("help"), env=environ, check=False
        )
        waited_for(lambda: letters(here) == 1 and here.was_settled())

        assert done.returncode == 0
        assert sum(map(milliseconds, workers(server))) > 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def bring(port: int, number: int) -> None:
    with smtplib.LMTP("127.0.0.1", port) as client:
        client.sendmail(ALICE, ["pbmserv@example.org"], a_mail("help", number))


def test_mails_and_commands_come_in_while_it_begins_anew(here: Installation) -> None:
    real_board(here.database)
    port = free_port()
    with served_in(without_maildir(here), f"-lmtp=127.0.0.1:{port}") as (environ, server):
        stop = Event()
        brought: list[int] = []
        shown: list[int] = []

        def bring_on() -> None:
            while not stop.is_set():
                bring(port, len(brought) + 1)
                brought.append(1)

        def look_on() -> None:
            words = [PROGRAM, "star", "show", "101"]
            while not stop.is_set():
                done = subprocess.run(words, env=environ, stdout=subprocess.DEVNULL, check=False)
                shown.append(done.returncode)

        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(bring_on), pool.submit(look_on)]
            try:
                for _ in range(3):
                    before = len(brought), len(shown)
                    begin_anew(server)
                    waited_for(
                        lambda: (
                            (len(brought) > before[0] and len(shown) > before[1])  # noqa: B023
                            or any(each.done() for each in both)
                        )
                    )
            finally:
                stop.set()
        for done in both:
            done.result()

    assert server.returncode == 0
    assert set(shown) == {0}
    assert here.outcomes() == ["done"] * len(brought)


def begin_anew(server: Server) -> None:
    server.send_signal(signal.SIGHUP)
    assert server.stderr is not None
    while b"Serving at" not in (line := server.stderr.readline()):
        assert line


def test_a_chore_that_is_killed_is_begun_again(here: Installation) -> None:
    with served_in(here.environ, "-club", program=[hasty(here)]) as (_, server):
        waited_for((here.folder / "in" / "new").is_dir)
        before = workers(server)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        deliver(here, 1)
        waited_for(lambda: letters(here) == 1)

        assert not {*before} & {*workers(server)}


def test_nothing_is_left_of_a_server_that_is_killed(here: Installation) -> None:
    port = free_port()
    with served_in(here.environ, f"-lmtp=127.0.0.1:{port}") as (environ, server):
        waited_for(lambda: len(workers(server)) == WORKERS + 2)
        children = workers(server)
        server.kill()
        server.wait()  # its end of the sockets, too, is to be closed
        waited_for(lambda: not any(map(is_alive, children)))

        with pytest.raises(ConnectionRefusedError):
            bring(port, 1)
        with served_in(environ, f"-lmtp=127.0.0.1:{port}"):
            bring(port, 1)
    assert here.outcomes() == ["done"]


@pytest.mark.parametrize(
    ("words", "changed", "code"),
    [
        ("-club", {"PBMSERV_MAIL_ADDRESS": ""}, "no-setting"),
        ("-club", {"PBMSERV_DATABASE_URL": "/nowhere/at/all"}, "database-missing"),
        ("-smtp=0.0.0.0:0", {}, "not-loopback"),
        ("-lmtp=/dev/null", {}, "not-a-socket"),
    ],
)
def test_what_it_cannot_do_is_told_before_it_serves(
    here: Installation, words: str, changed: Mapping[str, str], code: str
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        environ = {"XDG_RUNTIME_DIR": folder, **changed}
        done = here.run("serve", words, "--json", data=b"", prefix="", **environ)

    assert done.returncode != 0
    assert code.encode() in done.stdout


def test_systemd_opens_the_socket_and_keeps_it(here: Installation) -> None:
    real_board(here.database)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as own:
        environ = {**here.environ, "XDG_RUNTIME_DIR": folder}
        unit = subprocess.run(
            [PROGRAM, "serve", "-unit"], env=environ, stdout=subprocess.PIPE, check=True
        )
        path = unit.stdout.decode().partition("ListenStream=")[2].partition("\n")[0]
        own.bind(path)
        own.listen()
        os.set_inheritable(own.fileno(), True)
        line = f'exec 3<&{own.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "{PROGRAM}" serve'
        show = [PROGRAM, "--json", "star", "show", "101"]
        for _ in range(2):
            # The command comes before the server, and waits for it.
            client = subprocess.Popen(show, env=environ, stdout=subprocess.PIPE)
            server = subprocess.Popen(
                ["bash", "-c", line], env=environ, pass_fds=[own.fileno()], stderr=subprocess.PIPE
            )
            out, _ = client.communicate()
            assert server.stderr is not None
            assert b"Serving at" in server.stderr.readline()
            begin_anew(server)
            server.terminate()
            server.communicate()

            assert server.returncode == 0
            assert b'"board":101' in out
            assert Path(path).is_socket()


def test_the_unit_says_what_was_asked_for(here: Installation) -> None:
    told = here.run("serve", "-lmtp=127.0.0.1:8024", "--unit").stdout.decode()
    asked_for = here.run("serve", "-unit").stdout.decode()
    no_way = {**here.environ, "PBMSERV_MAILDIR": "", "PBMSERV_MAIL_TRANSPORT": ""}
    plain = subprocess.check_output([PROGRAM, "serve", "-unit"], env=no_way).decode()

    assert f"ExecStart={quote(PROGRAM)} serve -lmtp=127.0.0.1:8024\n" in told
    assert "WantedBy=default.target" in told
    assert "WantedBy=default.target" in asked_for
    assert f"ExecStart={quote(PROGRAM)} serve\n" in plain
    assert "WantedBy=default.target" not in plain

"""The resident server: what is seen is the same to the byte, and nothing is done twice."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbmserv.cli import thin_client
from pbmserv.cli.resident_worker import SPARE
from pbmserv.cli.roster import MOST
from pbmserv.desk.request import Request
from pbmserv.errors import CarriedOut
from tests import databases
from tests.cli.installed_program import PROGRAM, environment
from tests.cli.mail_receive_process import Installation, a_mail
from tests.cli.resident_process import milliseconds, served, served_in, workers
from tests.local_server import LocalServer

pytestmark = pytest.mark.slow

GROUP = 54_321
"""The number of a group that nobody is in but one client of these tests."""


def said(line: str, environ: dict[str, str], folder: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [PROGRAM, *line.split()],
        env=environ,
        cwd=folder,
        input=b"",
        capture_output=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_command_with_the_same_key_is_done_once(local: LocalServer) -> None:
    local.start()
    request = Request(("star", "move", "101", "alice", "secret-alice", "C1"), key="0f")
    local.desk.handle(request)

    for _ in range(2):
        with pytest.raises(CarriedOut):
            local.desk.handle(request)
    again = Request(("star", "challenge", "alice", "bob", "-size=3"), key="0f")
    with pytest.raises(CarriedOut):
        local.desk.handle(again)


def test_a_worker_whose_command_is_broken_off_ends_with_it(
    board_template: Path, tmp_path: Path
) -> None:
    url = databases.copy_template(board_template, tmp_path / "database")
    words = "star move 101 alice secret-alice K5"
    with served(url) as (environ, server), Path(f"{url}.lock-next").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        [worker] = workers(server)
        with subprocess.Popen([PROGRAM, *words.split()], env=environ) as client:
            while Path(lock.name).resolve() not in opened_by(worker):
                time.sleep(0.01)
            client.kill()
        for _ in range(3000):
            if worker not in workers(server):
                break
            time.sleep(0.01)
        lock.close()

        assert worker not in workers(server)
        assert said(words, environ, tmp_path)[0] == 0


def opened_by(pid: int) -> set[Path]:
    return {file.resolve() for file in Path(f"/proc/{pid}/fd").iterdir()}


def test_an_answer_is_printed_once_however_fast_it_comes(tmp_path: Path) -> None:
    with served(str(tmp_path / "none.sqlite")) as (environ, _):
        found = {said("star foo", environ, tmp_path) for _ in range(20)}

    assert len(found) == 1
    assert next(iter(found))[2].count(b"No such command") == 1


def test_a_mail_is_taken_by_the_server_without_a_word(tmp_path: Path) -> None:
    home = Installation(tmp_path / "home")
    assert home.run("db", "upgrade").returncode == 0
    with served(home.database) as (environ, server):
        for number in (1, 2, 2):
            done = home.run(
                "mail", "receive", data=a_mail("help", number), XDG_RUNTIME_DIR=runtime(environ)
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert sum(map(milliseconds, workers(server))) > 10

    assert home.outcomes() == ["done", "done"]


def runtime(environ: dict[str, str]) -> str:
    return environ["XDG_RUNTIME_DIR"]


def test_without_its_server_a_command_does_its_work_itself(
    board_template: Path, tmp_path: Path
) -> None:
    url = databases.copy_template(board_template, tmp_path / "database")
    with served(url) as (environ, server):
        server.kill()
        server.wait()

        assert said("star show 101", environ, tmp_path)[0] == 0


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root chooses its groups"
)
def test_a_client_that_is_in_other_groups_does_its_work_itself(
    board_template: Path, tmp_path: Path
) -> None:
    url = databases.copy_template(board_template, tmp_path / "database")
    for path in (Path(url).parent, *Path(url).parent.iterdir()):
        os.chown(path, 1, GROUP)
        path.chmod(0o770)
    words = [PROGRAM, "star", "show", "101"]
    rights = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
    outside, inside = ([*rights, f"--groups={group}"] for group in (0, GROUP))
    with served_in(environment(url), program=[*outside, PROGRAM]) as (environ, _):
        ends = []
        for group in (outside, inside):
            done = subprocess.run([*group, *words], env=environ, capture_output=True, check=False)
            ends.append(done.returncode)
    assert ends == [70, 0]


HASTY = """
from pbmserv.cli import thin_client
thin_client.PATIENCE = 0.2
from pbmserv.cli import resident_worker, start
resident_worker.LINGER = 0.2
start.pbmserv()
"""


def test_there_are_as_many_workers_as_are_needed_and_no_more_than_are_of_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = [sys.executable, "-c", HASTY]
    kept = environment(str(tmp_path / "none.sqlite"))
    with served_in(kept, program=hasty) as (environ, server), ExitStack() as stack:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime(environ))
        for _ in range(MOST + 1):
            link = stack.enter_context(socket.socket(socket.AF_UNIX))
            link.connect(thin_client.socket_path())
        waited_for(lambda: len(workers(server)) == MOST)
        assert subprocess.run([*hasty, "help"], env=environ, check=True, capture_output=True).stdout
        stack.close()

        waited_for(lambda: len(workers(server)) == SPARE)


def waited_for(what: Callable[[], bool]) -> None:
    """Wait until it is so, for a minute at most."""
    for _ in range(600):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("It is not so.")


def test_a_server_begins_anew_and_stops_without_a_trace(
    board_template: Path, tmp_path: Path
) -> None:
    url = databases.copy_template(board_template, tmp_path / "database")
    with served(url) as (environ, server):
        before = workers(server)
        server.send_signal(signal.SIGHUP)
        assert server.stderr is not None
        assert b"Serving at" in server.stderr.readline()

        assert said("star show 101", environ, tmp_path)[0] == 0
        assert not {*before} & {*workers(server)}
        server.terminate()
        assert server.wait(30) == 0
        left = [path.suffix for path in Path(environ["XDG_RUNTIME_DIR"]).iterdir()]
        assert left == [".lock"]

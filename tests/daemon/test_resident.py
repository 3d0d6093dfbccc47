"""The resident server: what is seen is the same to the byte, and nothing is done twice."""

import fcntl
import io
import marshal
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.start import mail_code
from pbmserv.cli.worker_context import DeclinedByWorker
from pbmserv.daemon import thin_client
from pbmserv.daemon.client_context import BUILD
from pbmserv.daemon.resident_worker import WORKERS
from pbmserv.daemon.thin_client import mount_id
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.request import Request
from pbmserv.errors import CarriedOut
from tests import databases
from tests.daemon.mail_receive_process import ALICE, PASSWORD, Installation, a_mail
from tests.daemon.resident_process import milliseconds, served, served_in, workers
from tests.faults.two_players import audited, opened
from tests.installed_program import LONGEST, PROGRAM, environment, impatient, is_alive, waited_for
from tests.local_server import LocalServer

pytestmark = pytest.mark.slow

MOVE = "star move 101 alice secret-alice K5"

PLAYED = ("N1", "M2")
"""What was played at the board before."""

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
        timeout=LONGEST,
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


@dataclass(frozen=True)
class Midway:
    """A move that a worker of the server has begun for its client, and that waits for a lock."""

    environ: dict[str, str]
    server: "subprocess.Popen[bytes]"
    client: "subprocess.Popen[bytes]"
    worker: int
    lock: IO[str]

    def is_worker_gone(self) -> bool:
        return self.worker not in workers(self.server)

    def end(self) -> int:
        """Let the move go on, and return how its client ends."""
        self.lock.close()
        self.client.communicate(timeout=LONGEST)
        return self.client.returncode


@contextmanager
def midway(url: str) -> Iterator[Midway]:
    with served(url) as (environ, server), Path(f"{url}.lock-next").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pipe = subprocess.PIPE
        client = subprocess.Popen([PROGRAM, *MOVE.split()], env=environ, stdout=pipe, stderr=pipe)
        waited_for(lambda: holders(server, Path(lock.name)))
        [worker] = holders(server, Path(lock.name))
        with client:
            yield Midway(environ, server, client, worker, lock)


@pytest.fixture
def url(board_template: Path, tmp_path: Path) -> str:
    """A club of its own, in which alice is to move at board 101."""
    return databases.copy_template(board_template, tmp_path / "database")


def test_a_worker_whose_command_is_broken_off_ends_with_it(url: str, tmp_path: Path) -> None:
    with midway(url) as scene:
        scene.client.kill()
        waited_for(scene.is_worker_gone)
        scene.lock.close()

        assert moves_done(url) == 0
        assert said(MOVE, scene.environ, tmp_path)[0] == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_command_whose_worker_is_lost_or_stopped_is_done_once(
    url: str, number: signal.Signals
) -> None:
    with midway(url) as scene:
        os.kill(scene.worker, number)
        waited_for(scene.is_worker_gone)

        assert scene.end() == 0
        assert moves_done(url) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_client_can_be_ended_whatever_its_worker_does(url: str, number: signal.Signals) -> None:
    with midway(url) as scene:
        os.kill(scene.worker, signal.SIGSTOP)
        scene.client.send_signal(number)

        assert scene.client.wait(LONGEST) == 128 + number
        scene.end()
        assert moves_done(url) == 0


def moves_done(url: str) -> int:
    with opened(url) as store:
        return audited(store, "move") - len(PLAYED)


def piped(environ: dict[str, str], folder: Path) -> int:
    """Return how many boards `show` tells of through a pipe, which ends when nobody holds it."""
    shown = subprocess.run(
        ["sh", "-c", '"$0" star show 101 | cat', PROGRAM],
        env=environ,
        cwd=folder,
        capture_output=True,
        check=True,
        timeout=LONGEST,
    )
    return shown.stdout.count(b"Star Board 101")


def test_nobody_hangs_on_a_server_that_is_stopped(url: str, tmp_path: Path) -> None:
    with served(url) as (environ, server):
        stopped = [*workers(server), server.pid]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)

        assert piped(environ, tmp_path) == 1
        assert said(MOVE, environ, tmp_path)[0] == 0
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        assert piped(environ, tmp_path) == 1
        assert moves_done(url) == 1


def test_nobody_hangs_behind_who_says_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(url) as (environ, _), ExitStack() as stack:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime(environ))
        for _ in range(130):
            link = stack.enter_context(socket.socket(socket.AF_UNIX))
            link.setblocking(False)
            with suppress(BlockingIOError):
                link.connect(thin_client.socket_path())

        assert piped(environ, tmp_path) == 1


WHOLE = marshal.dumps((BUILD, [], ["star", "show", "101"], {}, "/", 0, [], "0f", True, mount_id()))
HOSTILE: dict[str, bytes] = {
    "a length alone": (1 << 16).to_bytes(4, "big"),
    "half an order": len(WHOLE).to_bytes(4, "big") + WHOLE[:9],
    "a whole one without streams": len(WHOLE).to_bytes(4, "big") + WHOLE,
    "more than was told": b"\0\0\0\1" + WHOLE,
    "too much": b"\xff" * 4 + bytes(1 << 20),
    "no order": b"\0\0\0\4abcd",
    "another order": b"\0\0\0\5" + marshal.dumps(1),
    "nothing": b"\0\0\0\0",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("bytewise", [False, True])
def test_a_worker_is_through_with_who_says_no_command(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, bytewise: bool
) -> None:
    data = HOSTILE[name]
    parts = [data[at : at + 1] for at in range(len(data))] if bytewise else [data]
    with served(url) as (environ, server), socket.socket(socket.AF_UNIX) as link:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime(environ))
        before = workers(server)
        link.settimeout(LONGEST)
        link.connect(thin_client.socket_path())
        with suppress(ConnectionError):
            for part in parts[: 1 << 12]:
                link.sendall(part)
        heard = b""
        with suppress(ConnectionError):
            while more := link.recv(9):
                heard += more

        assert heard in {b"", thin_client.ACCEPTED}
        assert piped(environ, tmp_path) == 1
        assert {*before} <= {*workers(server)}


def test_a_worker_waits_for_nobody_who_speaks_slowly(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(url) as (environ, _), socket.socket(socket.AF_UNIX) as link:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime(environ))
        link.connect(thin_client.socket_path())
        said = 0
        with suppress(ConnectionError):
            for byte in (1 << 12).to_bytes(4, "big") + bytes(1 << 12):
                time.sleep(0.01)
                said += link.send(bytes([byte]))

    assert said < 1 << 12


def holders(server: "subprocess.Popen[bytes]", path: Path) -> list[int]:
    return [worker for worker in workers(server) if path.resolve() in opened_by(worker)]


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


def test_a_worker_hashes_a_password_that_comes_by_mail_but_once(
    sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    databases.copy_template(sqlite_template, tmp_path / "home")
    home = Installation(tmp_path / "home")
    assert home.run("signup", "alice", PASSWORD, ALICE).returncode == 0
    known = CountedPasswords()
    monkeypatch.setattr("pbmserv.cli.worker_context.passwords", known)
    for name, value in home.environ.items():
        monkeypatch.setenv(name, value)
    for number in (1, 2, 3):
        mail = a_mail(f"star limit alice {PASSWORD} {number}", number)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(mail)))
        assert mail_code(["mail", "receive"]) == 0

    assert known.checks == 1


class CountedPasswords(Passwords):
    """Counts the slow checks."""

    checks = 0

    def check(self, password: str, stored: str) -> bool:
        self.checks += 1
        return super().check(password, stored)


def test_the_clocks_are_settled_by_the_server_where_no_robot_has_to_think(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick = [f"--database={url}", "tick"]
    monkeypatch.setattr("pbmserv.cli.worker_context.passwords", Passwords())
    assert run(tick) == 0

    monkeypatch.setattr("pbmserv.cli.worker_context.passwords", None)
    for line in (
        "admin robot add ada -level=14",
        "star challenge alice ada -size=9",
        "star move 102 alice secret-alice F6",
    ):
        assert run([tick[0], *line.split()]) == 0
    monkeypatch.setattr("pbmserv.cli.worker_context.passwords", Passwords())
    with pytest.raises(DeclinedByWorker):
        run(tick)


def test_a_tick_beside_the_server_is_done_by_it(url: str, tmp_path: Path) -> None:
    with served(url) as (environ, server):
        assert said("tick", environ, tmp_path)[0] == 0

        assert holders(server, Path(url))


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


def test_who_finds_no_worker_free_does_the_command_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = {
        "pbmserv.daemon.thin_client.PATIENCE": 0.2,
        "pbmserv.daemon.resident_worker.HEARING": 60,
    }
    hasty = [str(impatient(tmp_path, waits))]
    kept = environment(str(tmp_path / "none.sqlite"))
    with served_in(kept, program=hasty) as (environ, server), ExitStack() as stack:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime(environ))
        for _ in range(WORKERS + 1):
            link = stack.enter_context(socket.socket(socket.AF_UNIX))
            link.connect(thin_client.socket_path())

        assert subprocess.run([*hasty, "help"], env=environ, check=True, capture_output=True).stdout
        assert len(workers(server)) == WORKERS


def test_it_leaves_when_nobody_came_for_a_while_but_not_from_a_command(
    url: str, tmp_path: Path
) -> None:
    hasty = [str(impatient(tmp_path, {"pbmserv.daemon.resident.MINUTE": 0.3}))]
    with (
        served_in(environment(url), "-idle=1", program=hasty) as (environ, server),
        Path(f"{url}.lock-next").open("a") as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        client = subprocess.Popen([PROGRAM, *MOVE.split()], env=environ, stdout=subprocess.DEVNULL)
        waited_for(lambda: holders(server, Path(lock.name)))
        with pytest.raises(subprocess.TimeoutExpired):
            server.wait(1)
        lock.close()

        assert (client.wait(LONGEST), server.wait(LONGEST)) == (0, 0)
        assert moves_done(url) == 1


@pytest.mark.parametrize("begins_anew", [False, True])
def test_a_server_stops_though_nobody_of_its_own_goes_on(
    board_template: Path, tmp_path: Path, *, begins_anew: bool
) -> None:
    url = databases.copy_template(board_template, tmp_path / "database")
    with served(url) as (environ, server):
        before = workers(server)
        # Each has let go of the lock that it was born with.
        (lock,) = Path(environ["XDG_RUNTIME_DIR"]).rglob("*.lock")
        waited_for(lambda: not holders(server, lock))
        for worker in before:
            os.kill(worker, signal.SIGSTOP)
        if begins_anew:  # then they are none of those that it has begun
            server.send_signal(signal.SIGHUP)
            assert server.stderr is not None
            assert b"Serving at" in server.stderr.readline()
            assert said("star show 101", environ, tmp_path)[0] == 0
        server.terminate()

        assert server.wait(LONGEST) == 0
        waited_for(lambda: not any(map(is_alive, before)))
        left = [path.suffix for path in Path(environ["XDG_RUNTIME_DIR"]).iterdir()]
        assert left == [".lock"]


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
        waited_for(lambda: not {*before} & {*workers(server)})
        server.terminate()
        assert server.wait(30) == 0
        left = [path.suffix for path in Path(environ["XDG_RUNTIME_DIR"]).iterdir()]
        assert left == [".lock"]

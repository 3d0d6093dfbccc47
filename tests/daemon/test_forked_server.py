"""The resident server as a fork of the tests: what it does for others, and what it leaves alone.

``test_resident`` has it as a program of its own. What is tried: the keeper, its
workers, and what they have of whoever asks (``pbmserv.daemon``).
"""

import errno
import fcntl
import json
import marshal
import os
import signal
import socket
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from pbmserv import side_processes
from pbmserv.cli.main import run
from pbmserv.cli.shell import Shell
from pbmserv.daemon import resident, resident_worker, thin_client
from pbmserv.daemon.client_context import BUILD, ClientContext, ClientRequest, read_request
from pbmserv.daemon.club_services import Service
from pbmserv.daemon.resident_worker import WORKERS
from pbmserv.daemon.service_manager import Pulse, Watchdog
from pbmserv.daemon.thin_client import mount_id
from pbmserv.errors import EXIT_INTERRUPTED, Fault
from pbmserv.listen_address import ListenAddress
from pbmserv.store.store import Store
from tests import databases
from tests.faults.two_players import audited, opened
from tests.installed_program import is_alive, waited_for

pytestmark = pytest.mark.costly

MOVE = "star move 101 alice secret-alice K5"
SHOW = "star show 101"
PLAYED = 2
"""So many moves were made at the board before."""


def forked(work: Callable[[], object]) -> int:
    """Return a process, a copy of this one, that does it and ends with what it returns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads: of pytest alone
        pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        done = work()
        code = done if isinstance(done, int) else 0
    finally:
        os._exit(code)


def ended(pid: int) -> int:
    """Wait for a process of ours, not for ever, and return its exit code."""
    found: list[int] = []

    def has_ended() -> bool:
        which, status = os.waitpid(pid, os.WNOHANG)
        found.append(status)
        return which == pid

    waited_for(has_ended)
    return os.waitstatus_to_exitcode(found[-1])


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(each) for each in text.split() if is_alive(int(each))]


def service(do: Callable[[], object], *sockets: socket.socket) -> Service:
    return Service(do, sockets, Pulse())


@dataclass
class Club:
    """A club, in whose folder its server and its commands are started."""

    folder: Path
    url: str
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    @contextmanager
    def served(self, *words: str, first: Callable[[], object] = bool) -> Iterator[int]:
        """Have a server, which does something ``first``.

        It ends with 0 when it is told to, if it has not ended by then.
        """

        def serve() -> int:
            first()
            sys.argv = ["pbmserv", "serve", *words]
            return run(sys.argv[1:])

        pid = forked(serve)
        try:
            waited_for(lambda: self._is_ready(pid))
            yield pid
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        if is_alive(pid):
            os.kill(pid, signal.SIGTERM)
        assert ended(pid) == 0

    def _is_ready(self, pid: int) -> bool:
        assert is_alive(pid)
        return "Serving at" in self.capture.readouterr().err

    def asks(self, line: str, *prefix: str, data: str = "") -> tuple[int | None, str, str]:
        """Return how a command ends that the server does; None for one that it leaves to us."""
        self.patch.setattr("sys.argv", ["pbmserv", *line.split()])
        typed = self.folder / "typed"
        typed.write_text(data)
        before = os.dup(0)
        try:
            with typed.open() as file:
                os.dup2(file.fileno(), 0)
                code, key = thin_client.run_on_server([*prefix])
        finally:
            os.dup2(before, 0)
            os.close(before)
        assert key is None
        return code, *self.capture.readouterr()

    def does(self, line: str) -> tuple[int | None, str, str]:
        """Return how it ends where there is no server."""
        code = run(line.split())
        return code, *self.capture.readouterr()

    def link(self) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(60)
        link.connect(thin_client.socket_path())
        return link

    def begun(self, line: str, key: str = "0f", out: int = 1) -> socket.socket:
        """Return the connection of a command whose worker has just been given its streams."""
        self.patch.setattr("sys.argv", ["pbmserv", *line.split()])
        order = thin_client._order([], key, streams=True)
        assert order is not None
        link = self.link()
        link.sendall(len(order).to_bytes(4, "big") + order)
        assert link.recv(1) == thin_client.ACCEPTED
        socket.send_fds(link, [b"\0"], [0, out, 2])
        return link

    def moves(self) -> int:
        with opened(self.url) as store:
            return audited(store, "move") - PLAYED

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody write to the database."""
        with Path(f"{self.url}.lock-next").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def waiting(self, pid: int) -> list[int]:
        """Return the workers of the server that wait for the database."""
        name = f"{Path(self.url).resolve()}.lock-next"
        return [worker for worker in children(pid) if name in opened_by(worker)]


def opened_by(pid: int) -> set[str]:
    with suppress(OSError):
        return {str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()}
    return set()


@pytest.fixture
def club(
    board_template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Club]:
    url = databases.copy_template(board_template, tmp_path / "club")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, Path(os.devnull).open() as stdin:
        for name, text in (
            ("XDG_RUNTIME_DIR", folder),
            ("PBMSERV_CONFIG", os.devnull),
            ("PBMSERV_DATABASE_URL", "club/pbmserv.sqlite"),
            ("XDG_CONFIG_HOME", str(tmp_path)),
            (thin_client.RESIDENT, ""),
        ):
            monkeypatch.setenv(name, text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.stdin", stdin)
        # On a busy machine nobody may give up whom we wait for.
        monkeypatch.setattr(thin_client, "PATIENCE", 60.0)
        monkeypatch.setattr(resident_worker, "HEARING", 60.0)
        yield Club(tmp_path, url, monkeypatch, capfd)


@pytest.mark.parametrize(
    "line",
    [
        "star preview -size=4",
        "help pass",
        "star show 999",
        "star frobnicate",
        "help --version",
    ],
)
def test_a_command_ends_and_prints_as_without_a_server(club: Club, line: str) -> None:
    alone = club.does(line)
    with club.served():
        found = [club.asks(line) for _ in range(2)]
        word, rest = line.split(maxsplit=1)
        by_script = club.asks(rest, word)

    assert alone[0] in {0, 1, 2}
    assert [alone, alone, alone] == [*found, by_script]


def test_a_command_meets_the_folder_mask_and_settings_of_whoever_starts_it(club: Club) -> None:
    with club.served():
        assert club.asks(MOVE)[0] == 0
        assert club.moves() == 1
        other = club.folder / "other"
        other.mkdir()
        club.patch.chdir(other)
        missing = club.asks(f"{SHOW} --json")
        club.patch.setenv("PBMSERV_DATABASE_URL", "../club/pbmserv.sqlite")
        mask = os.umask(0o027)
        try:
            drawn = club.asks(f"{SHOW} -svg=board.svg")
        finally:
            os.umask(mask)

    assert (missing[0], json.loads(missing[1])["error"]["code"]) == (1, "database-missing")
    assert (drawn[0], drawn[2]) == (0, "")
    assert stat.S_IMODE((other / "board.svg").stat().st_mode) == 0o640


def test_whoever_reads_what_a_command_prints_hears_that_it_has_ended(club: Club) -> None:
    with club.served():
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        with club.begun(SHOW, out=writer) as link:
            os.close(writer)
            assert link.recv(2) == thin_client.DONE + b"\0"
        # It would be an error to read on where somebody still holds the other end.
        printed = b"".join(iter(lambda: os.read(reader, 1 << 16), b""))
        os.close(reader)

    assert printed.startswith(b"Star Board 101")


def test_an_order_is_heard_to_its_end_though_it_comes_in_pieces(club: Club) -> None:
    club.patch.setenv("LONG", "x" * (thin_client.MAX_BYTES * 3 // 4))
    with club.served():
        assert club.asks(SHOW)[0] == 0


def test_a_mail_is_taken_in_without_a_word(club: Club) -> None:
    for name, text in (("ADDRESS", "pbmserv@example.org"), ("KEYS", str(club.folder / "keys"))):
        club.patch.setenv(f"PBMSERV_MAIL_{name}", text)
    mail = "From: alice@example.net\nSubject: help\nMessage-ID: <1@example.net>\n\n"
    mail_file = club.folder / "mail"
    mail_file.write_text(mail)
    with club.served(), mail_file.open() as file:
        club.patch.setattr("sys.argv", ["pbmserv", "mail", "receive"])
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            answer = thin_client.run_on_server([], streams=False)
        finally:
            os.dup2(before, 0)
            os.close(before)

    assert answer == (0, None)
    assert club.capture.readouterr() == ("", "")
    with opened(club.url) as store, store.reading() as records:
        assert [each.outcome for each in records.lists.arrivals().rows] == ["done"]


def test_what_only_the_command_itself_can_do_is_left_to_it(club: Club) -> None:
    with club.served():
        assert club.asks("signup carol -", data="secret-carol\n") == (None, "", "")
        assert club.asks("play", data="F6\n") == (None, "", "")
        assert club.asks("doctor") == (None, "", "")
        club.patch.setenv("PYTHONUTF8", "1")
        assert club.asks(SHOW) == (None, "", "")
        club.patch.delenv("PYTHONUTF8")
        assert club.asks(SHOW)[0] == 0
        assert club.asks("tick")[0] == 0
        for line in ("admin robot add ada -program -games=star", "star challenge ada alice"):
            assert club.does(line)[0] == 0
        assert club.asks("tick") == (None, "", ""), "a robot may think for long"


def test_a_command_with_the_same_key_is_done_once(club: Club) -> None:
    with club.served():
        said = []
        for _ in range(2):
            with club.begun(MOVE, "ab") as link:
                said.append(link.recv(2))
        again = club.begun("star move 101 bob secret-bob K6", "cd")
        with again:
            said.append(again.recv(2))

    assert [thin_client.DONE + bytes([code]) for code in (0, 3, 0)] == said
    assert club.moves() == 2


@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT,), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), ()]
)
def test_what_ends_the_client_ends_its_command_and_the_worker(
    club: Club, numbers: tuple[signal.Signals, ...]
) -> None:
    with club.served() as server:
        with club.locked():
            link = club.begun(MOVE)
            waited_for(lambda: club.waiting(server))
            [worker] = club.waiting(server)
            if numbers:
                link.send(bytes(numbers))
                assert link.recv(2) == thin_client.DONE + bytes([128 + numbers[0]])
            else:
                link.close()
            waited_for(lambda: worker not in children(server))
            said = club.capture.readouterr().err
            assert ("pbmserv: interrupted." in said) is (signal.SIGINT in numbers)
        link.close()
        assert club.asks(SHOW)[0] == 0
        assert club.moves() == 0


WHOLE = marshal.dumps((BUILD, [], ["star", "show", "101"], {}, "/", 0, [], "0f", True, mount_id()))


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ((1 << 16).to_bytes(4, "big"), b""),
        (len(WHOLE).to_bytes(4, "big") + WHOLE[:-1], b""),
        (b"\0\0\0\5" + marshal.dumps(1), b""),
        (b"\0\0\0\4abcd", b""),
        (b"\0\0\0\0", b""),
        (b"\xff" * 4 + bytes(thin_client.MAX_BYTES + 5), b""),
        (b"", b""),
    ],
    ids=["too long", "cut off", "a number", "no words", "empty", "far too long", "nothing"],
)
def test_who_says_no_command_is_left_soon_and_harms_nobody(
    club: Club, data: bytes, answer: bytes
) -> None:
    club.patch.setattr(resident_worker, "HEARING", 1.0)
    with club.served() as server, club.link() as link:
        before = children(server)
        began = time.monotonic()
        heard = b""
        with suppress(ConnectionError):
            link.sendall(data)
            while more := link.recv(9):
                heard += more
        assert heard == answer
        assert time.monotonic() - began < 50
        waited_for(lambda: club.asks(SHOW)[0] == 0)
        assert {*before} <= {*children(server)}


def test_a_command_without_streams_is_not_done(club: Club) -> None:
    club.patch.setattr(resident_worker, "HEARING", 1.0)
    with club.served():
        order = thin_client._order([], "0f", streams=True)
        for streams in ((), (1, 2)):
            club.patch.setattr("sys.argv", ["pbmserv", *MOVE.split()])
            order = thin_client._order([], "0f", streams=True)
            assert order is not None
            with club.link() as link:
                link.sendall(len(order).to_bytes(4, "big") + order)
                assert link.recv(1) == thin_client.ACCEPTED
                if streams:
                    socket.send_fds(link, [b"\0"], streams)
                assert link.recv(2) == b""
    assert club.moves() == 0


def test_who_is_at_the_other_end_is_known_with_all_groups() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        user, group, groups = resident_worker._rights_of(ours)

    assert (user, group) == (os.geteuid(), os.getegid())
    assert groups == {os.getegid(), *os.getgroups()}
    assert resident_worker._own_rights() == (user, group, groups)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be in any group")
@pytest.mark.parametrize(("count", "is_known"), [(256, True), (257, False)])
def test_who_is_in_more_groups_than_can_be_told_is_nobody(count: int, *, is_known: bool) -> None:
    def work() -> bool:
        groups = range(50_000, 50_000 + count)
        os.setgroups([*groups])
        ours, theirs = socket.socketpair()
        with ours, theirs, suppress(OSError):
            return resident_worker._rights_of(ours)[2] == {os.getegid(), *groups}
        return False

    assert ended(forked(work)) == is_known


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_nothing_is_done_for_whoever_has_other_rights(club: Club, changed: int) -> None:
    own = resident_worker._own_rights()
    other = (own[0] + 1, own[1] + 1, own[2] | {54_321})
    claimed = tuple(other[at] if at == changed else own[at] for at in range(3))
    club.patch.setattr(resident_worker, "_own_rights", lambda: claimed)
    with club.served():
        assert club.asks(SHOW) == (None, "", "")


def test_whoever_finds_all_workers_busy_does_it_alone_and_no_worker_is_added(club: Club) -> None:
    with club.served() as server:
        before = children(server)
        assert len(before) == WORKERS
        links = [club.link() for _ in range(WORKERS)]
        with club.patch.context() as patch:
            patch.setattr(thin_client, "PATIENCE", 0.5)
            assert club.asks(MOVE) == (None, "", "")
        assert children(server) == before
        for link in links:
            link.close()
        assert club.asks(SHOW)[0] == 0
        assert children(server) == before
    assert club.moves() == 0


def test_a_worker_that_is_killed_is_replaced(club: Club) -> None:
    with club.served() as server:
        before = children(server)
        os.kill(before[0], signal.SIGKILL)
        waited_for(lambda: len({*children(server)} - {*before}) == 1)
        assert {*before[1:]} < {*children(server)}
        assert club.asks(SHOW)[0] == 0


def test_a_server_that_is_told_to_stop_finishes_what_it_has_begun(club: Club) -> None:
    with club.served() as server:
        with club.locked():
            link = club.begun(MOVE)
            waited_for(lambda: club.waiting(server))
            os.kill(server, signal.SIGTERM)
            waited_for(lambda: not Path(thin_client.socket_path()).exists())
            assert is_alive(server)
        with link:
            assert link.recv(2) == thin_client.DONE + b"\0"
    assert club.moves() == 1
    left = {path.suffix for path in Path(thin_client.socket_path()).parent.iterdir()}
    assert left == {".lock"}


def test_a_worker_that_is_stopped_holds_up_no_end_and_its_command_is_done_once(club: Club) -> None:
    club.patch.setattr(side_processes, "GRACE", 0.5)
    with club.served() as server:
        with club.locked():
            link = club.begun(MOVE)
            waited_for(lambda: club.waiting(server))
            before = children(server)
            for worker in before:
                os.kill(worker, signal.SIGSTOP)
            os.kill(server, signal.SIGTERM)
            waited_for(lambda: not is_alive(server))
        with link:
            assert link.recv(2) == b""  # its client does it now
        assert not any(map(is_alive, before))
        assert club.moves() == 0


def test_a_held_database_is_told_by_a_worker_as_by_the_command_itself(club: Club) -> None:
    usual = vars(Store)["open"].__func__.__kwdefaults__
    club.patch.setitem(usual, "wait", 0.2)
    club.patch.setattr("pbmserv.store.files.locks.PATIENCE", 0.1)
    with club.served(), club.locked():
        found = [club.asks(MOVE), club.does(MOVE), club.asks(f"{MOVE} --json")]

    assert [code for code, *_ in found] == [75, 75, 75]
    assert found[0] == found[1]
    assert "Try again later." in found[0][2]
    assert json.loads(found[2][1])["error"]["code"] == "database-locked"
    assert club.moves() == 0


def test_whoever_must_end_in_time_takes_along_all_that_it_has_started(club: Club) -> None:
    club.patch.setattr(side_processes, "GRACE", 0.3)
    started = club.folder / "started"
    started.mkdir()

    def stand_still() -> None:
        (started / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGSTOP)

    def begin_another() -> None:
        ended(forked(stand_still))

    def begin_all() -> None:
        forked(begin_another)
        forked(stand_still)
        waited_for(lambda: len(list(started.iterdir())) == 2)
        side_processes.end_in_time()
        signal.pause()

    parent = forked(begin_all)
    assert ended(parent) == EXIT_INTERRUPTED
    found = [int(each.name) for each in started.iterdir()]
    assert len(found) == 2
    waited_for(lambda: not any(map(is_alive, found)))


def test_a_keeper_that_was_woken_sleeps_again() -> None:
    times = iter((60.0, 0.01, 0.0))

    def left() -> float:
        os.kill(os.getpid(), signal.SIGCHLD)
        return next(times)

    def work() -> bool:
        keeper = resident.Supervisor([], os.dup(0), Watchdog())
        keeper.run(left)
        signal.set_wakeup_fd(-1)
        with suppress(BlockingIOError):
            # The last time it was told to stay no longer, and has not looked again.
            return os.read(keeper._wake, 4096) == bytes([signal.SIGCHLD])
        return False

    assert ended(forked(work)) == 1


def test_who_was_begun_by_the_keeper_before_it_began_anew_may_end() -> None:
    def work() -> bool:
        before = forked(bool)
        os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
        times = iter((0.01, 0.0))
        resident.Supervisor([], os.dup(0), Watchdog()).run(lambda: next(times))
        with suppress(ChildProcessError):
            os.waitpid(before, os.WNOHANG)
            return False
        return True

    assert ended(forked(work)) == 1


@pytest.mark.parametrize(
    ("numbers", "goes_on"),
    [
        ((signal.SIGHUP,), True),
        ((signal.SIGTERM,), False),
        ((signal.SIGINT,), False),
        ((signal.SIGHUP, signal.SIGTERM), False),
        ((signal.SIGINT, signal.SIGHUP), False),
    ],
)
def test_who_is_told_to_stop_does_not_begin_anew(
    monkeypatch: pytest.MonkeyPatch, numbers: tuple[signal.Signals, ...], *, goes_on: bool
) -> None:
    monkeypatch.setattr("os.execve", lambda *_: os._exit(True))

    def work() -> bool:
        keeper = resident.Supervisor([], os.dup(0), Watchdog())
        for number in numbers:
            os.kill(os.getpid(), number)
        keeper.run(lambda: 60.0)
        return False

    assert ended(forked(work)) == goes_on


def test_several_sockets_are_handed_over_under_one_name(tmp_path: Path) -> None:
    names = ["lmtp", "commands", "lmtp"]

    def work() -> bool:
        for at in range(len(names)):
            door = socket.socket(socket.AF_UNIX)
            door.bind(str(tmp_path / str(at)))
            os.dup2(os.dup2(door.fileno(), 50 + at), resident.INHERITED + at)
        os.environ |= {
            "LISTEN_PID": str(os.getpid()),
            "LISTEN_FDS": str(len(names)),
            "LISTEN_FDNAMES": ":".join(names),
        }
        handed = resident._handed_on()
        found = {
            name: [Path(door.getsockname()).name for door in doors]
            for name, doors in handed.items()
        }
        # What we start for a while, such as sendmail, must not keep them open.
        is_ours = not any(door.get_inheritable() for doors in handed.values() for door in doors)
        is_all = not resident._handed_on()
        return is_ours and is_all and found == {"lmtp": ["0", "2"], "commands": ["1"]}

    assert ended(forked(work)) == 1


def test_nobody_is_let_in_any_more_while_a_server_ends(club: Club) -> None:
    port, told, over = (club.folder / name for name in ("port", "told", "over"))

    def lingers(number: int) -> None:
        signal.signal(signal.SIGTERM, lambda *_: told.touch())
        port.with_suffix(".part").write_text(f"{os.getpid()} {number}")
        port.with_suffix(".part").rename(port)
        waited_for(over.exists)

    def chores(_: Shell, places: list[ListenAddress]) -> list[object]:
        return [service(partial(lingers, places[0].sockets[0].getsockname()[1]))]

    club.patch.setattr(resident, "services_for", chores)
    with club.served("-lmtp=127.0.0.1:0") as server:
        waited_for(port.exists)
        lingering, number = map(int, port.read_text().split())
        os.kill(server, signal.SIGTERM)
        waited_for(lambda: children(server) == [lingering])
        with socket.socket() as late:
            refused = late.connect_ex(("127.0.0.1", number))
        waited_for(told.exists)
        over.touch()

    assert refused == errno.ECONNREFUSED


def test_workers_and_chores_leave_when_their_keeper_is_killed(club: Club) -> None:
    club.patch.setattr(resident, "services_for", lambda *_: [service(signal.pause)])
    server = forked(lambda: run(["serve", "-club"]))
    waited_for(lambda: len(children(server)) == WORKERS + 1)
    workers = children(server)
    os.kill(server, signal.SIGKILL)
    assert ended(server) == -signal.SIGKILL
    waited_for(lambda: not any(map(is_alive, workers)))


def test_a_second_server_leaves_the_first_its_place(club: Club) -> None:
    with club.served():
        code, _, err = club.does("serve")
        assert code == 1
        assert "It is already running." in err
        assert club.asks(SHOW)[0] == 0


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_socket_and_lock_are_for_its_user_alone_whatever_the_mask(club: Club, mask: int) -> None:
    with club.served(first=lambda: os.umask(mask)):
        files = [Path(thin_client.socket_path()), Path(f"{thin_client.socket_path()}.lock")]
        modes = [stat.S_IMODE(file.stat().st_mode) for file in files]

    assert modes == [0o600, 0o600 & ~mask]


def test_a_socket_that_was_left_behind_is_no_hindrance(club: Club) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(thin_client.socket_path())
    with club.served():
        mode = Path(thin_client.socket_path()).stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
        assert club.asks(SHOW)[0] == 0


@pytest.mark.parametrize(("mode", "is_ours"), [(0o700, True), (0o755, True), (0o770, False)])
def test_a_server_listens_in_no_folder_that_others_can_write_to(
    club: Club, mode: int, *, is_ours: bool
) -> None:
    folder = club.folder / "run"
    path = str(folder / "x.sock")
    assert resident._lock_file(path) == folder / "x.sock.lock"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(mode)
    if is_ours:
        assert resident._lock_file(path) == folder / "x.sock.lock"
    else:
        with pytest.raises(Fault, match="is not yours, or others can write to it"):
            resident._lock_file(path)
    own = os.getuid()
    club.patch.setattr("os.getuid", lambda: own + 1)
    with pytest.raises(Fault, match="is not yours, or others can write to it"):
        resident._lock_file(path)


@pytest.mark.parametrize("word", ["-unit", "--uni", "-U"])
@pytest.mark.parametrize("has_chores", [False, True])
def test_the_unit_starts_the_same_command(club: Club, word: str, *, has_chores: bool) -> None:
    club.patch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    words = ["serve", word, "-idle=3", *["-club"] * has_chores]
    club.patch.setattr("sys.argv", ["bin/pbmserv", *words])
    code, out, err = club.does(" ".join(words))
    rest = f"serve -idle=3{' -club' * has_chores}"

    assert (code, err) == (0, "")
    assert f"\nListenStream={thin_client.socket_path()}\nSocketMode=0600\n" in out
    assert f"\nExecStart={club.folder}/bin/pbmserv {rest}\n" in out
    assert "\nExecReload=/bin/sh -c 'kill -HUP $MAINPID'\n" in out
    assert ("WantedBy=default.target" in out) is has_chores
    both = "pbmserv.socket pbmserv.service" if has_chores else "pbmserv.socket"
    assert f"# Then: systemctl --user enable --now {both}\n" in out


def test_a_server_stops_when_nobody_came_for_a_while(club: Club) -> None:
    told = club.folder / "seconds"

    def noted(moments: "memoryview[float]", seconds: float | None) -> Callable[[], float]:
        told.write_text(f"{seconds}\n")
        return patience(moments, 0.3)

    patience = resident.idle_time_left
    club.patch.setattr(resident, "idle_time_left", noted)
    for words, seconds in ((("-idle=2",), "120"), ((), "None")):
        pid = forked(lambda words=words: run(["serve", *words]))  # type: ignore[misc]
        assert ended(pid) == 0
        assert told.read_text() == f"{seconds}\n"
        assert not Path(thin_client.socket_path()).exists()


def test_a_server_does_not_stop_while_a_command_goes_on(club: Club) -> None:
    def once_begun(moments: "memoryview[float]", _: object) -> Callable[[], float]:
        left = patience(moments, 0.4)
        return lambda: left() if max(moments) else 0.4

    patience = resident.idle_time_left
    club.patch.setattr(resident, "idle_time_left", once_begun)
    with club.served() as server:
        with club.locked():
            link = club.begun(MOVE)
            waited_for(lambda: club.waiting(server))
            time.sleep(0.8)
            assert is_alive(server)
            assert Path(thin_client.socket_path()).exists()
        with link:
            assert link.recv(2) == thin_client.DONE + b"\0"
        waited_for(lambda: not is_alive(server))


def test_a_server_begins_anew_with_the_same_socket(club: Club) -> None:
    club.patch.setenv("PBMSERV_DATABASE_URL", club.url)
    # It becomes the program that is tested, be it a copy of the installed one, as patient as here.
    first = (
        f"import sys; sys.path.insert(0, {str(Path(side_processes.__file__).parents[1])!r})",
        f"from pbmserv.daemon import resident_worker as w; w.HEARING = {resident_worker.HEARING}",
        thin_client.START,
    )
    club.patch.setattr(thin_client, "START", "; ".join(first))
    with club.served() as server:
        before = children(server)
        socket_file = Path(thin_client.socket_path()).stat().st_ino
        os.kill(server, signal.SIGHUP)
        waited_for(lambda: not {*before} & {*children(server)} and children(server))
        assert Path(f"/proc/{server}/cmdline").read_bytes().endswith(b"\0serve\0")
        with club.begun(SHOW) as link:
            assert link.recv(2) == thin_client.DONE + b"\0"
        assert Path(thin_client.socket_path()).stat().st_ino == socket_file
    assert not Path(thin_client.socket_path()).exists()


def test_each_socket_is_handed_on_under_its_name_whatever_its_number(club: Club) -> None:
    report = club.folder / "report"
    places = [str(club.folder / name) for name in ("first", "second")]

    def note(program: str, words: list[str], environ: dict[str, str]) -> NoReturn:
        found = []
        for number in (3, 4):
            with socket.socket(fileno=number) as door:
                found.append((door.getsockname(), os.get_inheritable(number)))
        handed = {name: text for name, text in environ.items() if "LISTEN_" in name}
        report.write_text(repr([found, handed, environ["OURS"], program, words[-2:]]))
        os._exit(0)

    def work() -> None:
        doors = [socket.socket(socket.AF_UNIX) for _ in places]
        for door, place in zip(doors, places, strict=True):
            door.bind(place)
        away = [os.dup2(door.fileno(), 50 + at) for at, door in enumerate(doors)]
        # Each stands where the other one is to be.
        first, second = (socket.socket(fileno=os.dup2(away[at], 4 - at)) for at in (0, 1))
        os.environ["OURS"] = "1"
        sys.argv = ["pbmserv", "serve", "-club"]
        club.patch.setattr("os.execve", note)
        keeper = resident.Supervisor([("lmtp", first), ("commands", second)], os.dup(0), Watchdog())
        os.kill(os.getpid(), signal.SIGHUP)
        keeper.run(lambda: 60.0)

    pid = forked(work)
    assert ended(pid) == 0
    handed = {
        "LISTEN_FDS": "2",
        "LISTEN_FDNAMES": "lmtp:commands",
        "LISTEN_PID": str(pid),
    }
    assert report.read_text() == repr(
        [[(place, True) for place in places], handed, "1", sys.executable, ["serve", "-club"]]
    )


def test_a_server_takes_the_sockets_that_it_is_handed(club: Club) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(thin_client.socket_path())
        listener.listen()

        def hand_over() -> None:
            os.dup2(listener.fileno(), resident.INHERITED)
            os.environ |= {
                "LISTEN_PID": str(os.getpid()),
                "LISTEN_FDS": "1",
                "LISTEN_FDNAMES": "pbmserv.socket",
            }

        with club.served(first=hand_over):
            assert club.asks(SHOW)[0] == 0
        assert Path(thin_client.socket_path()).exists(), "it is systemd's"


def test_handed_sockets_are_for_the_process_that_they_were_handed_to(club: Club) -> None:
    club.patch.setenv("LISTEN_PID", str(os.getpid() + 1))
    club.patch.setenv("LISTEN_FDS", "1")
    with club.served():
        assert club.asks(SHOW)[0] == 0


def test_a_chore_is_done_beside_the_commands_and_begun_again_when_it_ends(club: Club) -> None:
    done = club.folder / "done"
    club.patch.setattr(resident, "REST", 0.1)

    def ends() -> None:
        with done.open("a") as file:
            file.write(f"{os.getpid()}\n")

    def stays() -> NoReturn:
        (club.folder / "stays").write_text(str(os.getpid()))
        while True:
            time.sleep(60)

    club.patch.setattr(resident, "services_for", lambda *_: [service(ends), service(stays)])
    with club.served("-club") as server:
        waited_for(lambda: done.exists() and len({*done.read_text().split()}) > 2)
        waited_for((club.folder / "stays").exists)
        staying = int((club.folder / "stays").read_text())
        assert staying in children(server)
        assert club.asks(SHOW)[0] == 0
    assert not is_alive(staying)


def test_a_chore_that_ended_rests_while_workers_are_replaced(club: Club) -> None:
    done = club.folder / "done"
    club.patch.setattr(resident, "REST", 600.0)

    def ends() -> None:
        with done.open("a") as file:
            file.write(f"{os.getpid()}\n")

    club.patch.setattr(resident, "services_for", lambda *_: [service(ends)])
    with club.served("-club") as server:
        # It is there before anything is in it.
        waited_for(lambda: done.exists() and done.read_text().endswith("\n"))
        waited_for(lambda: not is_alive(int(done.read_text())))
        for _ in range(3):
            before = children(server)
            os.kill(before[0], signal.SIGKILL)
            waited_for(lambda before=before: {*children(server)} - {*before})  # type: ignore[misc]
        assert len(done.read_text().split()) == 1


def test_a_chore_has_its_own_sockets_no_others_and_the_mask_of_its_server(club: Club) -> None:
    def note(name: str, place: ListenAddress) -> None:
        is_open = any(each.fileno() >= 0 for each in place.sockets)
        (club.folder / f"{name}-{is_open}").touch(0o777)
        signal.pause()

    def chores(_: Shell, places: list[ListenAddress]) -> list[object]:
        [place] = places
        return [
            service(partial(note, "listens", place), *place.sockets),
            service(partial(note, "reads", place)),
        ]

    club.patch.setattr(resident, "services_for", chores)
    with club.served("-lmtp=127.0.0.1:0", first=lambda: os.umask(0o027)):
        for name in ("listens-True", "reads-False"):
            waited_for((club.folder / name).exists)
            assert stat.S_IMODE((club.folder / name).stat().st_mode) == 0o750


@pytest.mark.parametrize("named", [2, 3])
def test_mail_comes_in_at_the_sockets_that_are_handed_over_under_its_tongues(
    club: Club, named: int
) -> None:
    places = {name: str(club.folder / name) for name in ("smtp", "lmtp", "pbmserv.socket")}
    report = club.folder / "report"

    def hand_over() -> None:
        doors = [socket.socket(socket.AF_UNIX) for _ in places]
        away = [os.dup2(door.fileno(), 50 + at) for at, door in enumerate(doors)]
        for number, place in zip(away, places.values(), strict=True):
            door = socket.socket(fileno=number)
            door.bind(place)
            door.listen()
            os.dup2(number, resident.INHERITED + number - 50)
        os.environ |= {
            "LISTEN_PID": str(os.getpid()),
            "LISTEN_FDS": str(len(places)),
            "LISTEN_FDNAMES": ":".join([*places][:named]),
        }

    def chores(_: Shell, found: list[ListenAddress]) -> list[object]:
        told = {each.door: [door.getsockname() for door in each.sockets] for each in found}
        report.write_text(repr(told))
        return []

    club.patch.setattr(resident, "services_for", chores)
    with club.served("-lmtp=127.0.0.1:0", "-smtp=127.0.0.1:0", first=hand_over):
        told = report.read_text()

    assert told == repr({"lmtp": [places["lmtp"]], "smtp": [places["smtp"]]})
    assert not Path(thin_client.socket_path()).exists()


STREAMS = [
    ("utf-8", "strict", False, False),
    ("ascii", "backslashreplace", False, False),
    ("utf-8", "strict", True, True),
]


def test_a_process_lays_down_what_it_had_of_another(club: Club) -> None:
    """The streams, the folder, the mask, the words and the environment, its time zone too."""
    out = club.folder / "out"
    report = club.folder / "report"
    environ = {"TZ": "Asia/Tokyo", "OURS": "1", "SAME": "2"}
    own = (environ, str(club.folder), 0o077, STREAMS, "0f", True, mount_id())
    order = ClientRequest([], ["a", "b"], *own)
    assert read_request(marshal.dumps((BUILD, *order))) == order

    def facts() -> list[object]:
        mask = os.umask(0)
        os.umask(mask)
        kept = {name: os.environ.get(name) for name in ("TZ", "OURS", "SAME", "THEIRS")}
        return [str(Path.cwd()), mask, kept, time.strftime("%H", time.localtime(0)), sys.argv[1:]]

    def work() -> None:
        os.environ |= {"TZ": "UTC", "THEIRS": "1", "SAME": "2"}
        os.environ.pop("OURS", None)
        time.tzset()
        os.umask(0o022)
        lender = ClientContext()
        typed = club.folder / "typed"
        typed.write_text("typed \u00e9\n")
        fds = [os.open(typed, os.O_RDONLY), *(os.open(out, os.O_RDWR | os.O_CREAT),) * 2]
        with lender.adopted(order, fds):
            found = [facts(), sys.stdin.read(), sys.__stdout__ is sys.stdout]
            sys.stdout.write("printed \u00e9\n")
            sys.stdout.flush()
            sys.stderr.write("said\n")
            size = out.stat().st_size
            told = [
                sys.stdout.encoding,
                sys.stderr.line_buffering,
                getattr(sys.stderr, "write_through", None),
            ]
        os.write(1, b"nobody hears it")
        after = facts()
        own = order._replace(environ=dict(os.environ))
        others = [order._replace(environ={"PYTHONX": "1"}), own._replace(mounts=1)]
        same = [*map(lender.is_like, (*others, own, own._replace(mounts=1, prints=False)))]
        report.write_text(repr([found, size, told, after[:4], [*same, read_all(0)]]))

    assert ended(forked(work)) == 0
    printed = "printed \\xe9\nsaid\n"
    assert out.read_text() == printed
    kept = {"TZ": "Asia/Tokyo", "OURS": "1", "SAME": "2", "THEIRS": None}
    theirs = {"TZ": "UTC", "OURS": None, "SAME": "2", "THEIRS": "1"}
    assert report.read_text() == repr(
        [
            [[str(club.folder), 0o077, kept, "09", ["a", "b"]], "typed \u00e9\n", True],
            len(printed),
            ["ascii", True, True],
            ["/", 0o022, theirs, "00"],
            [False, False, True, True, b""],
        ]
    )


def read_all(number: int) -> bytes:
    with open(number, "rb", closefd=False) as file:
        return file.read()

"""``serve`` under what its unit denies it, by bubblewrap and a filter of system calls."""

import ctypes
import ctypes.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pbmserv.daemon.service_manager import CONFINED, SHUT_IN
from tests import databases
from tests.daemon.mail_receive_process import Installation, a_mail
from tests.daemon.test_chores import bring
from tests.installed_program import PROGRAM, children, real_board, waited_for
from tests.mail.loopback_mail_server import mail_server
from tests.web.own_server import SocketVisitor, free_port, is_open

pytestmark = pytest.mark.slow

ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
EQUALS, MASKED = 4, 7
FAMILIES = {"AF_UNIX", "AF_INET", "AF_INET6"}
WRITE_AND_EXECUTE, EXECUTE = 6, 4


class Argument(ctypes.Structure):
    """What a rule of libseccomp compares."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


def calls_of(group: str) -> set[str]:
    """Return the system calls of a group, as systemd has them."""
    told = subprocess.check_output(["systemd-analyze", "syscall-filter", group], text=True)
    words = [line.strip() for line in told.splitlines()[1:]]
    names = {word for word in words if re.fullmatch("[a-z_0-9]+", word)}
    return names.union(*(calls_of(word) for word in words if word.startswith("@")))


def filter_of(unit: str, file: int) -> None:
    """Write the filter that a unit asks for, as bubblewrap reads it."""
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    library.seccomp_init.restype = ctypes.c_void_p
    allowed: set[str] = set()
    for line in re.findall("(?m)^SystemCallFilter=(.*)$", unit):
        groups = set[str]().union(*map(calls_of, line.removeprefix("~").split()))
        allowed = allowed - groups if line[0] == "~" else allowed | groups
    rules = ctypes.c_void_p(library.seccomp_init(EPERM))

    def allow(name: str, *compared: Argument, action: int = ALLOW) -> None:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            kept = (Argument * len(compared))(*compared)
            assert not library.seccomp_rule_add_array(
                rules, ctypes.c_uint(action), number, len(compared), kept
            )

    for name in allowed - {"socket", "mmap", "mprotect", "unshare", "setns", "clone3"}:
        allow(name)
    allow("clone3", action=ENOSYS)  # as systemd does: then clone is used, whose words can be read
    for family in FAMILIES:
        allow("socket", Argument(0, EQUALS, getattr(socket, family)))
    for kept in (0, 2, EXECUTE):
        allow("mmap", Argument(2, MASKED, WRITE_AND_EXECUTE, kept))
    allow("mprotect", Argument(2, MASKED, EXECUTE, 0))
    assert not library.seccomp_export_bpf(rules, file)


def require_tools() -> None:
    missing = [name for name in ("bwrap", "systemd-analyze") if not shutil.which(name)]
    missing += [] if ctypes.util.find_library("seccomp") else ["libseccomp"]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    tried = subprocess.run(
        ["bwrap", "--ro-bind", "/", "/", "true"], capture_output=True, check=False
    )
    if tried.returncode:
        pytest.skip(f"bwrap cannot be used: {tried.stderr.decode().strip()}")


def confined(here: Installation, runtime: str) -> list[str]:
    """Return the words before a program that shut it in as the unit of a recipe does."""
    words = ["bwrap", "--die-with-parent", "--unshare-user", "--unshare-ipc", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108
    for folder in {str(Path(PROGRAM).parents[1]), str(Path(__file__).parents[2]), sys.base_prefix}:
        words += ["--ro-bind", folder, folder]
    for folder in (str(here.folder), runtime):
        words += ["--bind", folder, folder]
    return words


@contextmanager
def served(
    here: Installation, environ: dict[str, str], *words: str
) -> Iterator[tuple[int, socket.socket]]:
    """Run a server so, begun by a socket of systemd's; yield its process."""
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as runtime,
        tempfile.TemporaryFile() as rules,
        socket.socket(socket.AF_UNIX) as own,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told,
    ):
        filter_of(SHUT_IN, rules.fileno())
        rules.seek(0)
        own.bind(f"{runtime}/commands")
        own.listen()
        told.bind(f"{runtime}/notify")
        inherited = (own.fileno(), rules.fileno())
        line = f'exec 3<&{own.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        shut_in = [*confined(here, runtime), "--seccomp", str(rules.fileno())]
        server = subprocess.Popen(
            [*shut_in, "bash", "-c", line, "sh", PROGRAM, "serve", *words],
            env={
                **environ,
                "XDG_RUNTIME_DIR": runtime,
                "NOTIFY_SOCKET": f"{runtime}/notify",
                "WATCHDOG_USEC": "9000000",
            },
            pass_fds=inherited,
            stderr=subprocess.PIPE,
        )
        try:
            told.settimeout(60)
            assert told.recv(99) == b"READY=1"
            (process,) = children(server.pid)
            yield process, told
            os.kill(process, signal.SIGTERM)
            assert server.wait(60) == 0
        finally:
            server.kill()
            server.communicate(timeout=60)


def begin_anew(process: int, told: socket.socket) -> None:
    """Have a server begin anew, as systemd does, and wait until it says that it has."""
    os.kill(process, signal.SIGHUP)
    said = [told.recv(99)]
    while said[-1] != b"READY=1":
        said.append(told.recv(99))

    assert any(each.startswith(b"RELOADING=1\nMONOTONIC_USEC=") for each in said)
    assert b"WATCHDOG=1" in said or told.recv(99) == b"WATCHDOG=1"


def falls_silent_while_a_part_hangs(process: int, told: socket.socket) -> None:
    hangs = children(process)[-1]
    os.kill(hangs, signal.SIGSTOP)
    told.settimeout(12)
    assert [*words_until_silence(told)] in ([b"WATCHDOG=1"] * most for most in range(9))
    os.kill(hangs, signal.SIGCONT)
    assert told.recv(99) == b"WATCHDOG=1"


def words_until_silence(told: socket.socket) -> Iterator[bytes]:
    with suppress(TimeoutError):
        while True:
            yield told.recv(99)


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    require_tools()
    databases.copy_template(sqlite_template, tmp_path / "server")
    found = Installation(tmp_path / "server")
    real_board(found.database)
    return found


def test_every_way_in_and_out_works_in_it(here: Installation) -> None:
    here.run("admin", "robot", "add", "ada", "-level=10")
    here.run("star", "challenge", "ada", "alice", "-size=4")
    web, lmtp = free_port(), free_port()
    with mail_server() as out:
        environ = {
            **here.environ,
            "PBMSERV_MAIL_TRANSPORT": f"smtp://127.0.0.1:{out.port}",
            "PBMSERV_WEB": f"127.0.0.1:{web}",
            "PBMSERV_WEB_URL": "http://club.example.org/",
        }
        with served(here, environ, f"-lmtp=127.0.0.1:{lmtp}") as (process, told):
            for number in (1, 3):
                (here.folder / "in" / "new" / f"{number}").write_bytes(
                    a_mail("help", number, f"m{number}@example.net")
                )
                bring(lmtp, number + 1)
                waited_for(lambda number=number: len(here.outcomes()) == number + 1)  # type: ignore[misc]
                waited_for(lambda: is_open(web))
                assert SocketVisitor(web).ask("GET", "/boards/star/101.html").status == 200
                assert SocketVisitor(web).sign_in("alice", "secret-alice").status == 303
                if number == 1:
                    begin_anew(process, told)
            waited_for(lambda: b"ada" in here.run("star", "show", "102").stdout)
            waited_for(lambda: b'"ply":1' in here.run("star", "games", "ada", "--json").stdout)
            waited_for(lambda: len(out.mails) >= 3)
            falls_silent_while_a_part_hangs(process, told)


@pytest.mark.parametrize(
    "line",
    [
        "import socket; socket.socket(16, 3)",
        "import mmap; mmap.mmap(-1, 4096, prot=7)",
        "import os; os.nice(-1)",
        "import os; os.mkdir('/var/tmp/pbmserv-confined')",
        "import ctypes, os; ctypes.CDLL(None).unshare(1 << 28) and os.stat('/nowhere')",
    ],
)
def test_what_the_unit_denies_is_denied_here_too(here: Installation, line: str) -> None:
    with tempfile.TemporaryFile() as rules:
        filter_of(SHUT_IN, rules.fileno())
        rules.seek(0)
        words = [*confined(here, str(here.folder)), "--seccomp", str(rules.fileno())]
        done = subprocess.run(
            [*words, sys.executable, "-c", line],
            pass_fds=[rules.fileno()],
            capture_output=True,
            check=False,
        )

    assert done.returncode == 1
    assert b"Error" in done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is missing")
@pytest.mark.parametrize(("lines", "most"), [(f"{SHUT_IN}ProtectHome=yes", 1.5), (CONFINED, 6.1)])
def test_the_exposure_of_a_unit_is_low(tmp_path: Path, lines: str, most: float) -> None:
    unit = tmp_path / "pbmserv.service"
    unit.write_text(f"[Service]\nUser=nobody\nUMask=0077\nExecStart=/bin/true\n{lines}\n")
    told = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"Overall exposure level .*: ([0-9.]+)", told)

    assert found
    assert float(found[1]) <= most, told

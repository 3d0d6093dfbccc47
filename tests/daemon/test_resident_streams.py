"""With a resident server a command meets the streams, folder and rights of whoever starts it.

Each thing is done twice, on a club and on its copy: by the command alone, and with a server.
"""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.daemon.resident_process import milliseconds, served_in, workers
from tests.installed_program import LONGEST, PROGRAM, environment

pytestmark = pytest.mark.slow

CTRL_C = b"\x03"
Ending = tuple[int, bytes, bytes]
"""Exit code, standard output and standard error; at a terminal all is in the first of them."""


@dataclass(frozen=True)
class Client:
    """Somebody in a folder with a club of their own."""

    folder: Path
    environ: dict[str, str]

    def says(self, line: str, data: bytes = b"", **options: int) -> Ending:
        done = subprocess.run(
            [PROGRAM, *line.split()],
            env=self.environ,
            cwd=self.folder,
            check=False,
            timeout=LONGEST,
            **{"input": data, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},  # type: ignore[call-overload]
        )
        out, err = (self._shown(text or b"") for text in (done.stdout, done.stderr))
        return done.returncode, out, err

    def types(self, line: str, *typed: tuple[bytes, bytes], columns: int = 80) -> Ending:
        """Run it at a terminal; of each pair the second is typed when the first is shown."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, columns, 0, 0))
        process = subprocess.Popen(
            [PROGRAM, *line.split()],
            env={**self.environ, "TERM": "xterm-256color"},
            cwd=self.folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - the child alone, before anything else
        )
        os.close(slave)
        shown = b""
        waiting = [*typed]
        with suppress(OSError):  # Linux says so when nobody holds the terminal any more
            while chunk := os.read(master, 4096):
                shown += chunk
                if waiting and waiting[0][0] in shown:
                    os.write(master, waiting.pop(0)[1])
        os.close(master)
        return process.wait(LONGEST), self._shown(shown), b""

    def _shown(self, text: bytes) -> bytes:
        """Return it as somebody in another folder would see it."""
        return text.replace(bytes(self.folder), b"HERE")

    def with_(self, **environ: str) -> "Client":
        return replace(self, environ={**self.environ, **environ})


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@dataclass(frozen=True)
class Both:
    """The same person twice; ``worked`` tells how much time the server's workers have used."""

    alone: Client
    served: Client
    worked: Callable[[], int]

    def get(self, what: Callable[[Client], Ending]) -> Ending:
        """Return how it ended, which is the same both ways."""
        first = what(self.alone)

        assert first == what(self.served)
        return first


@pytest.fixture(scope="module")
def both(board_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    home = tmp_path_factory.mktemp("home")
    patch = "import time\ntime.time = lambda: 1794000000.0\n"
    (home / "sitecustomize.py").write_text(patch)
    shutil.copy(board_template, home / "club.sqlite")
    kept = environment("club.sqlite")
    kept |= {"PYTHONPATH": str(home), "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    for name in ("PBMSERV_PASSWORD", "COLUMNS", "LINES", "PAGER"):  # xdist sets a size
        kept.pop(name, None)
    with served_in(kept) as (environ, server):

        def client(way: str) -> Client:
            folder = home / way
            folder.mkdir(mode=0o700)
            for name in ("club.sqlite", "other.sqlite"):
                shutil.copy(home / "club.sqlite", folder / name)
            return Client(folder, {**environ, "PBMSERV_RESIDENT": way})

        yield Both(client("off"), client("on"), lambda: sum(map(milliseconds, workers(server))))


def test_the_server_does_what_it_can_for_whoever_asks_it(both: Both) -> None:
    before = both.worked()
    for _ in range(5):
        both.alone.says("star show 101")
    assert both.worked() < before + 10  # milliseconds, of which one command takes several

    for _ in range(5):
        both.served.says("star show 101")
    assert both.worked() > before


def test_a_password_comes_from_a_prompt(both: Both) -> None:
    typed = (b"Password: ", b"secret-alice\n")
    code, shown, _ = both.get(lambda client: client.types("star move 101 alice - K5", typed))

    assert code == 0
    assert b"Password: " in shown
    assert b"secret" not in shown


def test_a_password_comes_from_the_environment(both: Both) -> None:
    def move(client: Client) -> Ending:
        return client.with_(PBMSERV_PASSWORD="secret-bob").says("star move 101 bob - K6")

    assert both.get(move)[0] == 0


def test_passwords_come_from_standard_input(both: Both) -> None:
    lines = b"secret-bob\nsecret-new\n"

    assert both.get(lambda client: client.says("change password bob - -", lines))[0] == 0
    assert both.get(lambda client: client.says("change password bob - -"))[0] == 2
    again = b"secret-new\nsecret-bob\n"
    assert both.get(lambda client: client.says("change password bob - -", again))[0] == 0


def test_a_body_comes_from_standard_input(both: Both) -> None:
    line = "star chat 101 alice secret-alice"
    both.get(lambda client: client.says(f"{line} -", "Schön gespielt!\nBis morgen.\n".encode()))

    assert b"Bis morgen." in both.get(lambda client: client.says(line))[1]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--version",
        "list",
        "whoami",
        "admin games",
        "star preview 101 K7",
        "star move 101 alice wrong-word K5",
        "star move 101 alice - K5",
        "star show 101 --json",
        "star games alice next --json",
        "star show 999 --json",
        "nonsense --json",
        "star show 101 -style=unicode",
        "star show 101 --plain",
        "standings",
        "help star",
        "star show -h",
    ],
)
def test_what_is_printed_and_the_exit_code_are_the_same(both: Both, line: str) -> None:
    both.get(lambda client: client.says(line))


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("star show 101", 50),
        ("star show 101 -style=unicode", 130),
        ("help clocks", 50),
        ("help clocks", 130),
        ("star mvoe 101", 50),
    ],
)
def test_colours_and_width_are_those_of_the_terminal(both: Both, line: str, columns: int) -> None:
    code, shown, _ = both.get(lambda client: client.types(line, columns=columns))

    assert (b"\x1b[" in shown) == line.startswith("star show")
    if not line.startswith("star show"):
        assert max(map(len, shown.decode().splitlines())) <= columns
    assert code == (2 if "mvoe" in line else 0)


@pytest.mark.parametrize("setting", ["NO_COLOR=1", "LC_ALL=C", "TZ=Asia/Tokyo", "COLUMNS=44"])
def test_the_environment_is_the_clients(both: Both, setting: str) -> None:
    name, _, value = setting.partition("=")
    line = "star show 101 -style=unicode"
    both.get(lambda client: client.with_(**{name: value}).types(line))


def test_ctrl_c_ends_a_command_that_waits(both: Both) -> None:
    def give_up(client: Client) -> Ending:
        with (client.folder / "club.sqlite.lock-next").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return client.types(
                "star move 101 alice secret-alice L5", (b"Waiting for another program", CTRL_C)
            )

    code, shown, _ = both.get(give_up)
    board = both.get(lambda client: client.says("star show 101 --json"))[1]

    assert code == 130
    assert b"pbmserv: interrupted." in shown
    assert b'"L5"' not in board


def test_nobody_reads_what_is_printed(both: Both) -> None:
    def unheard(client: Client, line: str) -> Ending:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return client.says(line, stdout=writing)
        finally:
            os.close(writing)

    assert both.get(lambda client: unheard(client, "star show 101")) == (0, b"", b"")
    move = "star move 101 alice secret-alice M5"
    assert both.get(lambda client: unheard(client, move))[0] == 3


def test_a_full_disk_takes_no_answer(both: Both) -> None:
    def onto_full_disk(client: Client) -> Ending:
        with Path("/dev/full").open("wb") as disk:
            return client.says("star show 101", stdout=disk.fileno())

    assert both.get(onto_full_disk)[0] == 70


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_stream_that_is_closed_is_none(both: Both, closed: int) -> None:
    def close_one(client: Client) -> Ending:
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}>&-', "sh", PROGRAM, "star", "show", "101"],
            env=client.environ,
            cwd=client.folder,
            check=False,
            timeout=LONGEST,
            capture_output=True,
        )
        return done.returncode, done.stdout, done.stderr

    both.get(close_one)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_picture_is_written_where_and_as_the_client_writes(both: Both, mask: int) -> None:
    def draw(client: Client) -> Ending:
        own = client.folder / f"own{mask:o}"
        own.mkdir()
        environ = {**client.environ, "PBMSERV_DATABASE_URL": "../club.sqlite"}
        old = os.umask(mask)
        try:
            ending = Client(own, environ).says("star show 101 -svg=board.svg")
        finally:
            os.umask(old)
        [picture] = own.iterdir()
        return (*ending[:2], f"{picture.name} {picture.stat().st_mode:o}".encode())

    code, _, mode = both.get(draw)

    assert (code, mode) == (0, f"board.svg {0o100666 & ~mask:o}".encode())


def test_a_file_that_cannot_be_written_is_told(both: Both) -> None:
    ending = both.get(lambda client: client.says("star show 101 -svg=none/board.svg"))

    assert ending == (1, b"", b"pbmserv: There is no folder HERE/none.\n")


def test_another_club_is_named_by_the_command(both: Both) -> None:
    move = "star move 101 alice secret-alice N5 --database=other.sqlite"
    show = "star show 101 --json"
    both.get(lambda client: client.says(move))

    assert b'"N5"' in both.get(lambda client: client.says(f"{show} --database=other.sqlite"))[1]
    assert b'"N5"' not in both.get(lambda client: client.says(show))[1]
    assert both.get(lambda client: client.says(f"{show} --database=none.sqlite"))[0] == 1


def test_a_database_that_was_put_in_place_of_another_is_read(both: Both) -> None:
    show = "star show 101 --json"
    both.get(lambda client: client.says(f"{show} --database=other.sqlite"))

    def replace_it(client: Client) -> Ending:
        shutil.copy(client.folder.parent / "club.sqlite", client.folder / "new.sqlite")
        (client.folder / "new.sqlite").replace(client.folder / "other.sqlite")
        return client.says(f"{show} --database=other.sqlite")

    assert b'"N5"' not in both.get(replace_it)[1]

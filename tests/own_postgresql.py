"""A PostgreSQL server of a test's own, which it may stop and start, and a PgBouncer before it."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

USERS = ("postgres", "nobody")
"""Whom the programs run as where a test is root, which both of them refuse to be."""

PLACES = "/usr/lib/postgresql"

BOUNCER = """\
[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {connections}
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def user() -> str | None:
    """Return whom to run the programs as, None for whoever we are."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in USERS if name in names), None)


@dataclass
class OwnServer:
    """The server, in a folder that its user owns."""

    programs: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    def new_database(self) -> str:
        """Make an empty database and return its name."""
        name = f"club_{secrets.token_hex(4)}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        return name

    def start(self) -> None:
        # Whatever dies here, the machine does not: it keeps what was written without a sync.
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        options += " -c fsync=off"
        self._control("start", "-w", "-o", options, "-l", str(self.folder / "log"))

    def stop(self, how: str = "fast") -> None:
        """Stop it, "fast" in good order, or "immediate" as a kill would."""
        self._control("stop", "-w", "-m", how)

    def _control(self, *words: str) -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), *words)

    def run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self.programs / program, *words],
            user=user(),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=120,
        )

    @contextmanager
    def bouncer(self, connections: int) -> Iterator[str]:
        """Put PgBouncer before it, with so many connections to each database.

        Yields the beginning of a URL there, without the name of a database."""
        program = shutil.which("pgbouncer")
        if program is None:
            pytest.skip("PgBouncer is not installed")
        port = free_port()
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(
            BOUNCER.format(server=self.port, port=port, folder=self.folder, connections=connections)
        )
        (self.folder / "users").write_text('"postgres" ""\n')
        with subprocess.Popen(
            [program, "-q", settings], user=user(), cwd=self.folder, stderr=subprocess.DEVNULL
        ) as process:
            try:
                _wait_for(port)
                yield f"postgresql+psycopg://postgres@127.0.0.1:{port}"
            finally:
                process.kill()


def _wait_for(port: int) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("PgBouncer does not listen")


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """Make a server and run it for the time of a block, or skip with the reason why not."""
    found = sorted(Path(PLACES).glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    here = shutil.which("initdb")
    if not (found or here):
        pytest.skip(f"the programs of a PostgreSQL server are not in {PLACES}")
    if os.geteuid() == 0 and user() is None:
        pytest.skip("a PostgreSQL server does not run as root, and there is nobody else")
    programs = (found[-1] if found else Path(here or "")).parent
    with tempfile.TemporaryDirectory() as name:
        owner = user()
        if owner is not None:
            shutil.chown(name, owner)
        server = OwnServer(programs, Path(name), free_port())
        server.run("initdb", "-U", "postgres", "--auth=trust", "--no-sync", "-D", f"{name}/data")
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")

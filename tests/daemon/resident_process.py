"""A resident server for tests, as a process of its own."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.installed_program import PROGRAM, children, environment


@contextmanager
def served(url: str) -> Iterator[tuple[dict[str, str], "subprocess.Popen[bytes]"]]:
    """Run a server; yield its clients' environment and the server."""
    with served_in(environment(url)) as (environ, server):
        yield {**environ, "XDG_CONFIG_HOME": environ["XDG_RUNTIME_DIR"]}, server


@contextmanager
def served_in(
    environ: Mapping[str, str], *words: str, program: Sequence[str] = (PROGRAM,)
) -> Iterator[tuple[dict[str, str], "subprocess.Popen[bytes]"]]:
    """Run a server in this environment, with a short path to its socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        own = {**environ, "XDG_RUNTIME_DIR": folder}
        server = start(own, *words, program=program)
        try:
            yield own, server
        finally:
            server.terminate()
            # Should anything of it live on with its standard error, the test fails, and ends.
            server.communicate(timeout=60)


def start(
    environ: Mapping[str, str], *words: str, program: Sequence[str] = (PROGRAM,)
) -> "subprocess.Popen[bytes]":
    """Start a server and wait until it serves."""
    server = subprocess.Popen([*program, "serve", *words], env=environ, stderr=subprocess.PIPE)
    assert server.stderr is not None
    assert b"Serving at" in server.stderr.readline()
    return server


def workers(server: "subprocess.Popen[bytes]") -> list[int]:
    return children(server.pid)


def milliseconds(pid: int) -> int:
    """Return how much processor time a process has used."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) // 1_000_000

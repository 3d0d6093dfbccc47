"""Does each command in a fork of a process that has all imported, and so spares it the start-up.

The console scripts find it where they would find ``pbmserv serve``, and hand everything over. It is
done as by a process of its own: there was no command before it, and none comes after it.
"""

import gc
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socketserver import ForkingMixIn, StreamRequestHandler, UnixStreamServer

from pbmserv.cli.main import leave
from pbmserv.cli.start import mail_code
from pbmserv.daemon.client_context import ClientContext, ClientRequest, read_request
from pbmserv.daemon.resident_worker import load_all
from pbmserv.daemon.thin_client import ACCEPTED, DONE, socket_path
from pbmserv.store import connection

HAND_OVER = """
import sys
from pbmserv.daemon import thin_client
thin_client.must_run_locally = lambda words: False
sys.modules["pbmserv.cli.shell"] = None
"""
"""What has a console script hand over every command, and fail where nobody takes it."""

READY = b"Ready.\n"


class Command(StreamRequestHandler):
    """One command, in a process that ends with it."""

    def handle(self) -> None:
        lender = ClientContext()
        order = read_request(self.rfile.read(int.from_bytes(self.rfile.read(4), "big")))
        self.request.sendall(ACCEPTED)
        _, streams, _, _ = socket.recv_fds(self.request, 1, 3)
        with lender.adopted(order, streams):
            code = _code(order)
        self.request.sendall(DONE + bytes([code]))


def _code(order: ClientRequest) -> int:
    """Do the command and return its exit code."""
    if not order.prints:
        return mail_code(order.words)
    try:
        leave(order.prefix)
    except SystemExit as end:
        return int(end.code or 0)


class Server(ForkingMixIn, UnixStreamServer):
    """Has every command done in a process of its own."""

    request_queue_size = 100


def serve(moment: float) -> None:
    """Serve this user's console scripts, with a clock that stands still."""
    time.time = lambda: moment
    connection.cache_engines = lambda: None  # there is no next command to keep one for
    load_all()
    gc.disable()
    gc.freeze()
    with Server(socket_path(), Command) as server:
        sys.stdout.buffer.write(READY)
        sys.stdout.flush()
        server.serve_forever()


@contextmanager
def forking_in(
    environ: Mapping[str, str], moment: float
) -> Iterator[tuple[dict[str, str], "subprocess.Popen[bytes]"]]:
    """Run such a server; yield its clients' environment, and the server."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        own = {**environ, "XDG_RUNTIME_DIR": folder}
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, str(moment)],
            cwd=Path(__file__).parent.parent.parent,
            env={name: text for name, text in own.items() if name != "PYTHONPATH"},
            stdout=subprocess.PIPE,
        )
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == READY
            yield own, server
        finally:
            server.terminate()
            server.communicate()


if __name__ == "__main__":
    serve(float(sys.argv[1]))

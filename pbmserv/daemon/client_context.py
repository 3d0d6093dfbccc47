"""The context of a client that its worker adopts: streams, folder, environment."""

from __future__ import annotations

import io
import marshal
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from pbmserv.daemon.thin_client import build_id, mount_id

BUILD = build_id()
"""That of this process, whatever is installed by now."""

STREAMS = ("stdin", "stdout", "stderr")


class ClientRequest(NamedTuple):
    """A client's request; ``thin_client`` writes its fields in this order, behind its build.

    ``prefix`` stands before the ``words`` of the command line. Of each stream it tells encoding,
    errors, line buffering and write-through. ``key`` is the command's own; without ``prints``
    nothing is answered but an exit code.
    """

    prefix: list[str]
    words: list[str]
    environ: dict[str, str]
    folder: str
    mask: int
    streams: list[tuple[str, str, bool, bool]]
    key: str
    prints: bool
    mounts: int


class OtherBuild(ConnectionError):
    """The client is of another version of the program."""


def read_request(data: bytes | bytearray) -> ClientRequest:
    """Return what a client of our own user has written; raises ConnectionError if that is none."""
    try:
        build, *told = marshal.loads(data)  # noqa: S302 - nobody else can connect
        if build != BUILD:
            raise OtherBuild
        return ClientRequest(*told)
    except (EOFError, TypeError, ValueError):
        raise ConnectionError from None


class ClientContext:
    """Adopts the context of a client in this process, and lays it down again."""

    def __init__(self) -> None:
        self._environ = dict(os.environ)
        self._mounts = mount_id()
        self._home = os.open("/", os.O_RDONLY)
        self._nowhere = os.open(os.devnull, os.O_RDWR)

    def is_like(self, request: ClientRequest) -> bool:
        """Tell whether Python would be the same for this client, and the files that it names.

        A mail that is received names none: the settings do.
        """
        sees_same = not request.prints or request.mounts == self._mounts
        return sees_same and _of_python(request.environ) == _of_python(self._environ)

    @contextmanager
    def adopted(self, request: ClientRequest, descriptors: list[int]) -> Iterator[None]:
        """Be as the client is in the block; raises OSError where that cannot be."""
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        mask = os.umask(request.mask)
        try:
            _change_environment(self._environ, request.environ)
            os.chdir(request.folder)
            for number, name in enumerate(STREAMS):
                stream = _opened(number, request.streams[number])
                setattr(sys, name, stream)
                setattr(sys, f"__{name}__", stream)
            sys.argv = ["pbmserv", *request.words]
            yield
        finally:
            for name in STREAMS:
                with suppress(OSError, ValueError):
                    getattr(sys, name).close()
            for number in range(3):
                os.dup2(self._nowhere, number)
            os.fchdir(self._home)
            os.umask(mask)
            _change_environment(request.environ, self._environ)


def _of_python(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in environ.items() if name.startswith("PYTHON")}


def _change_environment(old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for name in old.keys() - new.keys():
        os.environ.pop(name, None)
    os.environ.update(new.items() - old.items())
    if old.get("TZ") != new.get("TZ"):
        time.tzset()


def _opened(number: int, told: tuple[str, str, bool, bool]) -> io.TextIOWrapper:
    # As Python makes it when it begins.
    encoding, errors, by_line, at_once = told
    mode, newline = ("wb", "\n") if number else ("rb", None)
    size = 0 if at_once and number else -1
    raw = open(number, mode, size, closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(raw, encoding, errors, newline, by_line, at_once)

"""A shell for tests: commands in this process, with their exit codes and streams."""

import io
import json
import shlex
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from pbmserv.cli.main import run
from tests.planted_secrets import has_canary


class Result(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


@dataclass
class Shell:
    """Runs the words of a line as the console command does."""

    url: str
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def close(self) -> None:
        """Every command opens the database by itself."""

    def memory(self) -> tuple[()]:
        """Return what it knows besides its database: nothing."""
        return ()

    def remember(self) -> None: ...

    def run(self, line: str, stdin: str | bytes = "") -> Result:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        stream = io.TextIOWrapper(io.BytesIO(raw), "utf-8", "surrogateescape")
        self.monkeypatch.setattr(sys, "stdin", stream)
        self.capsys.readouterr()
        code = run(shlex.split(line))
        out, err = self.capsys.readouterr()
        assert not has_canary(out, err)
        return Result(code, out, err)

    def json(self, line: str, stdin: str = "") -> dict[str, Any]:
        done = self.run(f"{line} --json", stdin)

        assert (done.code, done.err) == (0, "")
        return done.document

"""A server moves by what ``help admin`` says: database, settings and keys, to another folder."""

import shlex
from email import message_from_bytes
from pathlib import Path
from shutil import copy

import pytest

from tests.daemon.mail_receive_process import ALICE, PASSWORD, Installation
from tests.in_process_shell import Shell

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap")]


def test_reply_addresses_mailed_before_go_on_working(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new = Installation(tmp_path / "old"), Installation(tmp_path / "new")

    def run(installation: Installation, line: str, stdin: str = "") -> str:
        for name, text in installation.environ.items():
            monkeypatch.setenv(name, text)
        done = Shell(installation.database, monkeypatch, capsys).run(line, stdin)
        assert done.code == 0, done
        return done.out

    for userid, address in (("alice", ALICE), ("bob", "bob@example.net")):
        run(old, f"signup {userid} {PASSWORD}-{userid} {address}")
    run(old, "star challenge -size=3 alice bob")
    run(old, "mail send")
    letters = [message_from_bytes(file.read_bytes()) for file in old.folder.glob("out/new/*")]
    (token,) = [letter["Reply-To"] for letter in letters if letter["To"] == ALICE]
    place = shlex.quote(str(tmp_path / "copy"))

    run(old, f"backup {place}")
    run(new, f"restore --yes {place}")
    for name in ("pbmserv.toml", "mail.keys"):
        copy(old.folder / name, new.folder)
    run(
        new,
        "mail receive",
        f"From: {ALICE}\nTo: {token}\nSubject: Re: Star Board 101 alice\n\nC1\n",
    )
    record = run(new, "star export 101")
    assert [line.strip() for line in record.partition("\n\n")[2].splitlines()] == ["1. C1"]

"""A server moves by what ``help admin`` says: database, settings and keys, to another folder."""

from email import message_from_bytes
from pathlib import Path
from shutil import copy

import pytest

from tests.cli.mail_receive_process import ALICE, PASSWORD, Installation

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("out", "back"),
    [(["backup"], ["restore", "--yes"]), (["admin", "export"], ["admin", "import"])],
)
def test_reply_addresses_mailed_before_go_on_working(
    tmp_path: Path, out: list[str], back: list[str]
) -> None:
    old, new = Installation(tmp_path / "old"), Installation(tmp_path / "new")
    for userid, address in (("alice", ALICE), ("bob", "bob@example.net")):
        old.run("signup", userid, f"{PASSWORD}-{userid}", address)
    old.run("star", "challenge", "-size=3", "alice", "bob")
    old.run("mail", "send")
    letters = [message_from_bytes(file.read_bytes()) for file in old.folder.glob("out/new/*")]
    (token,) = [letter["Reply-To"] for letter in letters if letter["To"] == ALICE]

    assert old.run(*out, str(tmp_path / "copy")).returncode == 0
    assert new.run(*back, str(tmp_path / "copy")).returncode == 0
    for name in ("pbmserv.toml", "mail.keys"):
        copy(old.folder / name, new.folder)
    answer = f"From: {ALICE}\nTo: {token}\nSubject: Re: Star Board 101 alice\n\nC1\n"
    assert new.run("mail", "receive", data=answer.encode()).returncode == 0
    record = new.run("star", "export", "101").stdout.decode()
    assert [line.strip() for line in record.partition("\n\n")[2].splitlines()] == ["1. C1"]

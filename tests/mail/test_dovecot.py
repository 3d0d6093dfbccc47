"""Our letters in the mailboxes of Dovecot, which takes them by LMTP and stores them."""

import os
import shutil
import smtplib
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.render.board_letters import Comment, board_letters
from tests.mail.loopback_mail_server import composed, read
from tests.render.sample_letters import TO_BOB, played

pytestmark = pytest.mark.slow

NOBODY = 65534
"""Dovecot stores no mail as root."""

SETTINGS = """\
protocols = lmtp
base_dir = {folder}/base
log_path = {folder}/log
ssl = no
default_internal_user = root
default_login_user = root
default_internal_group = root
mail_location = maildir:{folder}/mail/%u
first_valid_uid = {uid}
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid={uid} gid={uid} home={folder}/mail/%u allow_all_users=yes
}}
service lmtp {{
  chroot =
}}
"""


@pytest.fixture
def dovecot(open_folder: Path) -> Iterator[Path]:
    """A Dovecot of our own; its folder, with the socket ``base/lmtp``."""
    program = shutil.which("dovecot", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or not Path("/usr/lib/dovecot/lmtp").exists():
        pytest.skip("dovecot-lmtpd is not installed")
    if os.getuid() != 0:
        pytest.skip("Dovecot changes to the user of each mailbox, which root alone can do")
    (open_folder / "mail").mkdir()
    os.chown(open_folder / "mail", NOBODY, NOBODY)
    settings = open_folder / "dovecot.conf"
    settings.write_text(SETTINGS.format(folder=open_folder, uid=NOBODY))
    with subprocess.Popen([program, "-F", "-c", str(settings)], stderr=subprocess.PIPE) as process:
        while not (open_folder / "base" / "lmtp").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        try:
            yield open_folder
        finally:
            process.terminate()


def test_dovecot_stores_a_letter_as_it_was_sent(dovecot: Path) -> None:
    match, events = played("star(size=4)", ["C3"])
    said = Comment("alice", "Grüße!\n.\n..dots\nFrom me")
    (letter,) = board_letters(match, events, [TO_BOB], comment=said)
    mail = composed(letter)
    with smtplib.LMTP(str(dovecot / "base" / "lmtp")) as client:
        client.sendmail(mail.sender, [mail.recipient], mail.content)
    (stored,) = (dovecot / "mail" / TO_BOB.address / "new").iterdir()
    kept = stored.read_bytes().replace(b"\r\n", b"\n")
    found = read(kept)

    assert kept.endswith(mail.content.replace(b"\r\n", b"\n"))
    assert found["Return-Path"] == f"<{mail.sender}>"
    assert [part.get_content_type() for part in found.walk() if not part.is_multipart()] == [
        "text/plain",
        "text/html",
        "image/png",
    ]

"""A Postfix of our own on loopback: its configuration, queue and log in one folder."""

import os
import pwd
import shutil
import smtplib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import pbmserv
from tests.mail.posting import free_port

USER = "nobody"
DAEMONS = Path("/usr/lib/postfix/sbin")
SITES = [str(Path(pbmserv.__file__).parents[1]), *(p for p in sys.path if "site-packages" in p)]
CALL = "from pbmserv.cli.start import pbmserv; pbmserv()"

MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.example.org
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
alias_maps =
alias_database =
local_recipient_maps =
relayhost = [127.0.0.1]:{sink}
smtp_host_lookup = native
recipient_delimiter = +
"""
PIPE = """\
mydestination = example.org
transport_maps = texthash:{folder}/transport
pbmserv_destination_recipient_limit = 1
"""
MAILDIR = """\
mydestination =
virtual_mailbox_domains = example.org
virtual_mailbox_base = /
virtual_mailbox_maps = texthash:{folder}/mailboxes
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
"""
MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
pbmserv unix - n n - 1 pipe
  flags=Rq user={user} null_sender=
  argv={folder}/receive ${{recipient}} ${{sender}}
"""


def require() -> str:
    """Return a Python that an ordinary user may run, or skip with the reason why not."""
    if not (DAEMONS / "master").exists() or shutil.which("postfix") is None:
        pytest.skip("Postfix is not installed (Debian: apt-get install postfix)")
    if os.geteuid() != 0:
        pytest.skip("only root can start a Postfix")
    for python in (sys.executable, "/usr/bin/python3"):
        words = ["su", USER, "-s", "/bin/sh", "-c", f"PYTHONPATH={':'.join(SITES)} {python} -c "]
        words[-1] += "'import pbmserv.cli.main, sqlalchemy, click'"
        if subprocess.run(words, capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"the user {USER}, as whom Postfix starts us, may not read this Python")


@dataclass
class Postfix:
    """The mail server, and the folder with everything of ours."""

    folder: Path
    python: str
    sink: int
    port: int = 0

    def configure(self, kind: str) -> None:
        owner = pwd.getpwnam(USER)
        self.port = free_port()
        values = {
            "folder": self.folder,
            "sink": self.sink,
            "port": self.port,
            "user": USER,
            "uid": owner.pw_uid,
            "gid": owner.pw_gid,
        }
        for name in ("etc", "queue", "data", "ours"):
            (self.folder / name).mkdir()
        shutil.chown(self.folder / "data", "postfix")
        shutil.chown(self.folder / "ours", USER)
        settings = MAIN + (PIPE if kind == "pipe" else MAILDIR)
        (self.folder / "etc" / "main.cf").write_text(settings.format(**values))
        (self.folder / "etc" / "master.cf").write_text(MASTER.format(**values))
        (self.folder / "transport").write_text("pbmserv@example.org pbmserv:\n")
        box = f"pbmserv@example.org {str(self.folder)[1:]}/ours/in/\n"
        (self.folder / "mailboxes").write_text(box)
        self._script("pbmserv", f"exec {self.python} -c '{CALL}' \"$@\"")
        receive = f'{self.folder}/pbmserv mail receive --recipient="$1" --sender="$2" || exit 75'
        self._script("receive", receive)

    def _script(self, name: str, line: str) -> None:
        ours = self.folder / "ours"
        path = self.folder / name
        path.write_text(
            "#!/bin/sh\n"
            f"export PYTHONPATH={':'.join(SITES)} PYTHONDONTWRITEBYTECODE=1 HOME={ours}\n"
            f"export PBMSERV_CONFIG=/dev/null PBMSERV_DATABASE_URL={ours}/games.sqlite\n"
            f"export PBMSERV_MAIL_ADDRESS=pbmserv@example.org PBMSERV_MAIL_KEYS={ours}/keys\n"
            f"export PBMSERV_MAIL_OUT=smtp://127.0.0.1:{self.port} PBMSERV_MAILDIR={ours}/in\n"
            f"{line}\n"
        )
        path.chmod(0o755)

    def ours(self, *words: str) -> str:
        """Run pbmserv as the user who keeps the games."""
        line = " ".join([str(self.folder / "pbmserv"), *words])
        done = subprocess.run(
            ["su", USER, "-s", "/bin/sh", "-c", line], capture_output=True, check=False, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def send(self, sender: str, recipient: str, content: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", self.port) as client:
            client.sendmail(sender, [recipient], content)

    def control(self, command: str) -> None:
        words = ["postfix", "-c", str(self.folder / "etc"), command]
        subprocess.run(words, check=False, capture_output=True)

    @property
    def log(self) -> str:
        path = self.folder / "postfix.log"
        return path.read_text() if path.exists() else ""

    def wait_for(self, words: str, count: int = 1) -> None:
        """Wait until the log says so this often, or for a minute."""
        for _ in range(600):
            if self.log.count(words) >= count:
                return
            time.sleep(0.1)
        pytest.fail(f"the log never said {words!r}:\n{self.log}")


@contextmanager
def running(folder: Path, sink: int, kind: str) -> Iterator[Postfix]:
    server = Postfix(folder, require(), sink)
    server.configure(kind)
    server.control("start")
    try:
        server.wait_for("daemon started")
        yield server
    finally:
        server.control("stop")

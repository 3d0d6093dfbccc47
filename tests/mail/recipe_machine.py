"""A machine of our own for a recipe: the folders and the network of this one, as new each time.

What is written under /etc, /var, /usr/local and /opt lies in memory and is seen by nobody else;
the network has nothing but the machine itself. All its programs end with it.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from tests.installed_program import script

PROGRAM = "/opt/pbmserv/bin/pbmserv"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE = 60.0

USER = "nobody"
SITES = [str(Path(__file__).parents[2]), *(p for p in sys.path if "site-packages" in p)]

SETUP = """\
mount -t tmpfs none {folder}
for part in etc var usr/local opt; do
    mkdir -p {folder}/$part/upper {folder}/$part/work
    mount -t overlay none /$part \\
        -o lowerdir=/$part,upperdir={folder}/$part/upper,workdir={folder}/$part/work
done
mount -t tmpfs none /root
mount -t tmpfs none /run
ip link set lo up
ip address add 192.0.2.1/32 dev lo
mkdir -p /opt/pbmserv/bin {folder}/mails
cp {folder}.program {program}
cp {folder}.systemctl /usr/local/bin/systemctl
echo example.org > /etc/mailname
chmod 755 {folder} {program} /usr/local/bin/systemctl
chmod 777 {folder}/mails
touch {folder}/ready
exec sleep infinity
"""

SYSTEMCTL = """\
#!/bin/sh
# Does what the recipes ask of systemctl, where systemd is not there.
start() {
    user=$(sed -n 's/^User=//p' "/etc/systemd/system/$1")
    place=$(sed -n 's/^RuntimeDirectory=//p' "/etc/systemd/system/$1")
    install -d -m 700 -o "$user" "/run/$place"
    sed -n 's/^ExecStart=-\\{0,1\\}//p' "/etc/systemd/system/$1" | while read -r line; do
        runuser -u "$user" -- sh -c "umask 0077; exec $line" < /dev/null
    done
}
exec >> /var/log/services 2>&1
case "$*" in
    daemon-reload) ;;
    "enable pbmserv.service") ;;
    "restart pbmserv.service") start pbmserv.service & ;;
    "restart exim4") exim4 -bd -q1m ;;
    "restart opensmtpd") smtpd ;;
    *) exit 5 ;;
esac
"""

OLD = """\
#!/bin/sh
# Postfix waits until its settings are two seconds old before it reads them: here they are always.
touch -d yesterday /etc/postfix/*
exec "/usr/sbin/${0##*/}" "$@"
"""

SINK = "smtp-sink -u nobody -d {folder}/mails/mail. 127.0.0.1:2525 100"
"""Where all mail for other machines goes; it is a program of Postfix."""

OTHER_SINK = (
    "PYTHONPATH='{path}' '{python}' -m aiosmtpd -n -l 127.0.0.1:2525"
    " -c aiosmtpd.handlers.Mailbox {folder}/mails/box"
)
"""The same, where Postfix is not."""


def require(*programs: str) -> str:
    """Return a Python that any user may run, or skip with the reason why not."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a machine of its own")
    missing = [name for name in (*programs, "unshare", "nsenter", "ip") if not shutil.which(name)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    for python in (sys.executable, "/usr/bin/python3"):
        asked = (
            f"PYTHONPATH='{':'.join(SITES)}' '{python}' -c 'import pbmserv.cli.main, sqlalchemy'"
        )
        words = ["su", USER, "-s", "/bin/sh", "-c", asked]
        if subprocess.run(words, capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip(f"users such as {USER} may not read this Python")


@dataclass
class Machine:
    """The machine while it runs."""

    folder: Path
    python: str
    pid: int = 0

    def run(self, script: str, *, check: bool = True) -> str:
        """Run a script as root in an empty environment; return what it printed."""
        words = ["nsenter", f"--target={self.pid}", "--mount", "--net", "--pid"]
        words += ["env", "-i", f"PATH={PATH}", "HOME=/root", "bash", "-e", "-c", script]
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=2 * PATIENCE,
        )
        assert not check or done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def mails(self) -> list[EmailMessage]:
        """Return the mails that have left for other machines, the oldest first."""
        folder = Path(f"/proc/{self.pid}/root{self.folder}/mails")
        paths = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "tmp")
        found = []
        for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns):
            message = message_from_bytes(path.read_bytes(), policy=default)
            assert isinstance(message, EmailMessage)
            found.append(message)
        return found

    def letter(self, to: str, number: int) -> EmailMessage:
        """Return a letter to the address by its number, waiting until it has come."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            mine = [mail for mail in self.mails() if mail["To"] == to and mail["Message-ID"]]
            if len(mine) > number:
                return mine[number]
            time.sleep(0.02)
        logs = self.run("tail -n 40 $(find /var/log -cmin -5 -type f -size -99k)", check=False)
        pytest.fail(f"no letter {number} came to {to}:\n{logs}")

    def wait_for_log(self, words: str) -> None:
        """Wait until the mail server's log says so."""
        self.run(f"until grep -q '{words}' /var/log/mail.log; do sleep 0.1; done")

    def send(self, sender: str, to: str, subject: str, body: str = "Hello.") -> None:
        """Send a mail as another machine does, by swaks."""
        self.run(
            f"swaks --silent 2 --server 192.0.2.1 --helo mail.example.net --from '{sender}'"
            f" --to '{to}' --header 'Subject: {subject}' --body '{body}'"
        )


@contextmanager
def machine(folder: Path, python: str) -> Iterator[Machine]:
    """Start a machine that has the program, at ``PROGRAM``, and nothing of ours beside it."""
    lines = (
        "import sys",
        f"sys.path[:0] = {SITES!r}",
        "sys.dont_write_bytecode = True",
        "import runpy",
        "runpy.run_module('tests.mail.recipe_program', run_name='__main__')",
    )
    Path(f"{folder}.program").write_text(script(*lines, python=python))
    Path(f"{folder}.systemctl").write_text(SYSTEMCTL)
    Path(f"{folder}.old").write_text(OLD)
    setup = SETUP.format(folder=folder, program=PROGRAM)
    spaces = ("--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    words = ["unshare", *spaces, "bash", "-e", "-c", setup]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Machine(folder, python, _inside(process, folder))
        finally:
            process.kill()


def _inside(process: "subprocess.Popen[str]", folder: Path) -> int:
    """Return the process that holds the machine, when it is ready; skip where it cannot be made."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None:
        with_child = children.read_text().split()
        if with_child and Path(f"/proc/{with_child[0]}/root{folder}/ready").exists():
            return int(with_child[0])
        time.sleep(0.02)
    _, said = process.communicate()
    pytest.skip(f"no machine of our own can be made here: {said.strip()}")


def fresh_postfix(here: Machine) -> None:
    """Set Postfix up as its Debian package does when it is installed, and start it."""
    here.run(
        f"for name in postfix postconf; do install {here.folder}.old /usr/local/sbin/$name; done\n"
        "cp /usr/share/postfix/main.cf.debian /etc/postfix/main.cf\n"
        "cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf\n"
        "cat >> /etc/postfix/main.cf <<'END'\n"
        "smtpd_relay_restrictions ="
        " permit_mynetworks permit_sasl_authenticated defer_unauth_destination\n"
        "myhostname = mx.example.org\n"
        "alias_maps = hash:/etc/aliases\n"
        "alias_database = hash:/etc/aliases\n"
        "mydestination = $myhostname, mx, localhost.localdomain, , localhost\n"
        "relayhost = [127.0.0.1]:2525\n"
        "mynetworks = 127.0.0.0/8 [::ffff:127.0.0.0]/104 [::1]/128\n"
        "mailbox_size_limit = 0\n"
        "recipient_delimiter = +\n"
        "inet_interfaces = all\n"
        "inet_protocols = all\n"
        "maillog_file = /var/log/mail.log\n"
        "END\n"
        "rm -f /var/log/mail.log\n"
        "echo 'postmaster: root' > /etc/aliases\n"
        "touch -d yesterday /etc/postfix/*\n"
        "newaliases\n"
        f"{SINK.format(folder=here.folder)} > /dev/null 2>&1 &\n"
        "postfix start"
    )


def fresh_exim(here: Machine) -> None:
    """Set Exim up as its Debian package does for a machine that sends through another one."""
    here.run(
        "cat > /etc/exim4/update-exim4.conf.conf <<'END'\n"
        "dc_eximconfig_configtype='smarthost'\n"
        "dc_other_hostnames=''\n"
        "dc_local_interfaces=''\n"
        "dc_readhost=''\n"
        "dc_relay_domains=''\n"
        "dc_minimaldns='false'\n"
        "dc_relay_nets=''\n"
        "dc_smarthost='127.0.0.1::2525'\n"
        "CFILEMODE='644'\n"
        "dc_use_split_config='false'\n"
        "dc_hide_mailname='false'\n"
        "dc_mailname_in_oh='true'\n"
        "dc_localdelivery='mail_spool'\n"
        "END\n"
        # That other one is here, too, which Exim takes for a mistake.
        "sed -i 's/same_domain_copy_routing = yes/&\\n  self = send/'"
        " /etc/exim4/conf.d/router/200_exim4-config_primary\n"
        "update-exim4.conf.template -r\n"
        "update-exim4.conf\n"
    )
    _sink(here)


def fresh_opensmtpd(here: Machine) -> None:
    """Set OpenSMTPD up as its Debian package does, but to take mail from everywhere."""
    here.run(
        "cat > /etc/smtpd.conf <<'END'\n"
        "table aliases file:/etc/aliases\n"
        "listen on 0.0.0.0\n"
        'action "local" maildir alias <aliases>\n'
        'action "relay" relay host smtp://127.0.0.1:2525\n'
        'match for local action "local"\n'
        'match from local for any action "relay"\n'
        "END\n"
        "echo 'postmaster: root' > /etc/aliases"
    )
    _sink(here)


def _sink(here: Machine) -> None:
    sink = OTHER_SINK.format(path=":".join(SITES), python=here.python, folder=here.folder)
    here.run(
        f"{sink} > /var/log/sink 2>&1 &\nuntil (: < /dev/tcp/127.0.0.1/2525); do sleep 0.1; done"
    )

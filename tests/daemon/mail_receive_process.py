"""``pbmserv mail receive`` as a mail server runs it: a process, a mail on standard input."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from pbmserv.store.matches.match_rows import SETTLED
from pbmserv.store.store import Store
from pbmserv.store.tables import moment
from tests.faults.two_players import PROGRAM
from tests.installed_program import own_environment
from tests.planted_secrets import has_canary

PASSWORD = "canary-8f3b-word"
ALICE = "alice@example.net"


@dataclass(frozen=True)
class Installation:
    """A folder with everything that one server has, its database too unless ``url`` names one."""

    folder: Path
    program: Path = PROGRAM
    url: str = ""
    """Its database, where that is no file in the folder."""

    def __post_init__(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        (self.folder / "pbmserv.toml").touch()

    @property
    def database(self) -> str:
        return self.url or str(self.folder / "pbmserv.sqlite")

    @property
    def environ(self) -> dict[str, str]:
        return own_environment(
            HOME=str(self.folder),
            PBMSERV_CONFIG=str(self.folder / "pbmserv.toml"),
            PBMSERV_DATABASE_URL=self.database,
            PBMSERV_MAIL_ADDRESS="pbmserv@example.org",
            PBMSERV_MAIL_KEYS=str(self.folder / "mail.keys"),
            PBMSERV_MAIL_LOG=str(self.folder / "mail.log"),
            PBMSERV_MAIL_TRANSPORT=f"maildir:{self.folder / 'out'}",
            PBMSERV_MAILDIR=str(self.folder / "in"),
        )

    def run(
        self, *words: str, data: bytes = b"", prefix: str = "", **environ: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the program; ``prefix`` is what a shell does before, such as setting a limit."""
        command = [str(self.program), *words]
        if prefix:
            command = ["sh", "-c", f'{prefix}; exec "$@"', "sh", *command]
        done = subprocess.run(
            command,
            input=data,
            env={**self.environ, **environ},
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert not has_canary(done.stdout, done.stderr)
        return done

    def start(self, *words: str, **environ: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [str(self.program), *words],
            env={**self.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def outcomes(self) -> list[str]:
        """Return what came of the mails received, the oldest first."""
        store = Store.open(self.database)
        with store.reading() as records:
            found = [arrival.outcome for arrival in records.lists.arrivals().rows]
        store.close()
        return found[::-1]

    def was_settled(self) -> bool:
        """Return whether the clocks of the club were ever settled."""
        store = Store.open(self.database)
        with store.reading() as records:
            names = records.connection.execute(sa.select(moment.c.name)).scalars().all()
        store.close()
        return SETTLED in names


def a_mail(subject: str, number: int = 1, sender: str = ALICE) -> bytes:
    lines = (
        f"From: {sender}",
        f"Subject: {subject}",
        f"Message-ID: <{number}@example.net>",
        "",
        "",
    )
    return "\n".join(lines).encode()

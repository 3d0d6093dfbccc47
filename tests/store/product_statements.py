"""What the product asks of its database: every statement, and which commands it comes from.

Every command of the shell and games by mail are done on a small database while somebody listens.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from pbmserv.cli.main import run
from pbmserv.club.letter import Letter, LetterKind
from pbmserv.club.notices import Notice, NoticeKind
from pbmserv.desk.door import Desk
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.tick import tick
from pbmserv.site.pages import SiteOptions
from pbmserv.store.mail.outbox import OutboxItem
from pbmserv.store.mail.proof_queue import ProofRequest
from pbmserv.store.matches.matches import Matches
from pbmserv.store.matches.robot_queue import RobotTurn
from pbmserv.store.people.guesses import web_sender
from pbmserv.store.people.players import Players
from pbmserv.store.store import PARTS, Maintenance, Records, Store
from pbmserv.web.app import make_app
from pbmserv.web.club import Club
from tests.local_server import cheap_hash
from tests.mail.server_by_mail import ClubByMail
from tests.mail.transcript import _double, _star
from tests.test_json import SESSION, post_letter, put_aside

MAIL = "mail"
PLACES = re.compile(r"(\?|%\(\w+\)s(::\w+)?)(, (\?|%\(\w+\)s(::\w+)?))+")
MORE_LINES = (
    "star games bob tournament",
    "star games",
    "star history alice",
    "star show alice all",
    "list star hex",
    "star games alice",
    "star standings alice bob",
    "all show alice next",
    "admin games -status=won -player=alice -since=2020-01-01",
    "admin players -status=active -game=star -since=2020-01-01",
    "admin audit -player=alice -game=star -status=done -since=2020-01-01",
    "admin inbox -player=alice -status=done -since=2020-01-01",
    "admin outbox -player=alice -game=star -status=sent -since=2020-01-01",
    "admin games --late",
    "players ali",
    "star show nobody",
    "signup dora eighth-password",
    "signup erin ninth-password",
    "admin robot add robot4 -level=4 -games=star",
    "star challenge dora erin -size=3",
    "login dora eighth-password",
    "star challenge me robot4 -size=3",
    "star seek erin ninth-password 1 -size=3",
    "star challenge dora anyone -size=3",
    "star queue 109 erin ninth-password C3",
    "star queue 109 erin ninth-password none",
    "star notify erin ninth-password 109",
    "star notify erin ninth-password off",
    "star move 109 dora wrong-password C1",
    "star move 109 dora eighth-password C1",
    "star move 110 me C1",
    "robots run -once",
    "logout -all",
    "change password dora eighth-password tenth-password",
    "site files --chat",
    "star chat 110 dora tenth-password -",
    "site files --chat",
)
"""Lists in other orders and with filters, robots, wrong passwords, wishes."""

PAGES = (
    *("index.html", "feed.atom", "boards/index.html", "boards/star/109.html", "players/2.html"),
    *("players/index.html", "players/2.atom", "standings/star.html", "openings/star.html"),
    *("games/star.html", "tournaments/index.html", "tournaments/1.html", "archive/index.html"),
)
"""A page of each kind that reads the database, but for the archive of a year."""

LOST = OutboxItem(1, Letter(LetterKind.BOARD, "a@example.org", "Star", "Hello."), 0, 0, 1)
ASKED = ProofRequest("a@example.org", 1, "", is_authenticated=False, asked_at=1)
TOLD = Notice(1, NoticeKind.MESSAGE, 1, "", None, None, None)

DIRECTLY: tuple[tuple[str, Callable[[Records], object]], ...] = (
    ("delete -erase", lambda records: records.accounts.erase(1, "alice")),
    ("mail", lambda records: records.addresses.bounced("a@example.org", 1)),
    ("mail", lambda records: records.addresses.close(1, "a@example.org", 1)),
    ("mail", lambda records: records.asked_challenges.take(1, 1, 1)),
    ("serve", lambda records: records.audit.has("key")),
    ("play", lambda records: records.matches.change_stamp("star", 101)),
    ("mail", lambda records: records.outbox.drop_all("a@example.org", 1)),
    ("mail", lambda records: records.outbox.failed(LOST, 1, "No.")),
    ("robots", lambda records: records.outbox.take_back(1, 1)),
    ("star show", lambda records: records.notices.told([TOLD], 1)),
    ("mail", lambda records: records.proof_queue.add(ASKED)),
    ("mail", lambda records: records.proof_queue.remove(ASKED.address)),
    ("mail", lambda records: records.latecomers.note(ASKED.address, 1)),
    ("mail", lambda records: records.latecomers.may_retry(ASKED.address, 1)),
    ("mail", lambda records: records.waiting_mails.add(1, "key", 1)),
    ("mail", lambda records: records.waiting_mails.since(1, "key")),
    ("mail", lambda records: records.proof_queue.forget(1)),
    ("admin rate", lambda records: records.ratings.count()),
    ("reset", lambda records: records.resets.is_good(1, "token", 1)),
    ("reset", lambda records: records.resets.use(1, "token", 1)),
    ("robots", lambda records: records.robots.failed(RobotTurn(1, "star", 101, 1, 1), 1)),
    ("robots", lambda records: records.robots.claim(1)),
    ("robots", lambda records: records.robots.take(RobotTurn(1, "star", 101, 1, 1), 1)),
    ("me", lambda records: records.signin_keys.used(1, 1)),
    ("logout", lambda records: records.signin_keys.remove_all(1)),
    ("keys", lambda records: records.signin_keys.of_player(1, 1)),
    ("keys", lambda records: records.signin_keys.remove_own(1, 1)),
    ("move", lambda records: records.throttle.passed_in_shell("alice")),
    ("mail", lambda records: records.throttle.failed("alice", "a@example.org", 1)),
    ("web", lambda records: records.throttle.failed("alice", web_sender("192.0.2.0/24"), 1)),
    ("web", lambda records: records.throttle.seconds_to_wait("alice", web_sender("a", 1), 1)),
)
"""What none of these lines comes to, each with the command that does."""


@dataclass
class Statement:
    """A statement with some of its parameters, and the commands that asked for it."""

    text: str
    parameters: Any
    callers: set[str] = field(default_factory=set)

    @property
    def line(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())


@dataclass
class Listener:
    """Notes each statement that goes to a kind of database, and which methods of the store run."""

    dialect: str
    caller: str = ""
    statements: dict[str, Statement] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)

    def note(self, connection: sa.Connection, *event: Any) -> None:
        _cursor, text, parameters, _context, is_many = event
        if connection.dialect.name != self.dialect:
            return
        key = PLACES.sub("?, ...", text)
        # Rows whose numbers are asked for come as one mapping even if they are many.
        values = parameters[0] if is_many and isinstance(parameters, list) else parameters
        found = self.statements.setdefault(key, Statement(text, values))
        found.callers.add(self.caller)

    @contextmanager
    def listening(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name, method in methods_of_the_store():
                owner, _, word = name.rpartition(".")
                del owner
                patch.setattr(method[0], word, self._noting(name, method[1]))
            sa.event.listen(sa.Engine, "before_cursor_execute", self.note)
            try:
                yield
            finally:
                sa.event.remove(sa.Engine, "before_cursor_execute", self.note)

    def _noting(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def noting(*args: Any, **options: Any) -> Any:
            self.methods.add(name)
            return method(*args, **options)

        return noting


def methods_of_the_store() -> Iterator[tuple[str, tuple[type, Callable[..., Any]]]]:
    """Yield the name, the class and the function of each method that asks the database."""
    parts = {name: part.made_by for name, part in PARTS.items()}
    for name, part in {
        **parts,
        "maintenance": Maintenance,
        "matches": Matches,
        "players": Players,
    }.items():
        for word, method in vars(part).items():
            if callable(method) and not word.startswith("_"):
                yield f"{name}.{word}", (part, method)


def use_shell(listener: Listener, url: str, folder: Path) -> None:
    """Do every command of a shell, as the test of its documents does, and some more."""
    post_letter(url)
    put_aside(folder / "in")
    with pytest.MonkeyPatch.context() as patch, chdir(folder), listener.listening():
        patch.setattr(Passwords, "hash", lambda _, password: cheap_hash(password))
        patch.setattr(Passwords, "verify", lambda _, word, stored: stored == cheap_hash(word))
        patch.setattr("pbmserv.operators.mail_trial._domain", lambda _: iter(()))
        for name, value in settings(url, folder).items():
            patch.setenv(name, value)
        record = ""
        for line in [*(line for line, _ in SESSION), *MORE_LINES]:
            patch.setattr(sys, "stdin", StringIO(record or "Hello."))
            listener.caller = line
            with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()):
                run([*shlex.split(line), "--json"])
            record = json.loads(out.getvalue()).get("record", record)


def settings(url: str, folder: Path) -> dict[str, str]:
    return {
        "PBMSERV_DATABASE_URL": url,
        "PBMSERV_CONFIG": os.devnull,
        "XDG_CONFIG_HOME": str(folder),
        "PBMSERV_MAIL_ADDRESS": "pbmserv@example.org",
        "PBMSERV_MAIL_TRANSPORT": f"maildir:{folder}/out",
        "PBMSERV_MAILDIR": f"{folder}/in",
    }


def use_directly(listener: Listener, url: str) -> None:
    """Call what no command came to, and undo what it did."""
    store = Store.open(url)
    with listener.listening(), store.writing() as records:
        for listener.caller, call in DIRECTLY:
            call(records)
        records.connection.rollback()
    store.close()


def use_web(listener: Listener, url: str) -> None:
    """Look at a page of each kind."""
    desk = Desk(lambda: Store.open(url))
    visitor = make_app(Club(SiteOptions("1.0", chat=True), lambda: desk)).test_client()
    with listener.listening():
        for path in PAGES:
            listener.caller = f"web {path}"
            assert visitor.get(f"/{path}").status_code == 200, path
    desk.close()


def use_mail(listener: Listener, url: str) -> None:
    """Play games by mail, talk at boards, forget a password, and let the clocks be settled."""
    office = ClubByMail(url)
    listener.caller = MAIL
    with listener.listening():
        list(_star(office))
        list(_double(office))
        office.mail("stranger@example.net", "star show 101")
        for line in (
            "digest alice secret-alice on",
            "message bob secret-bob alice",
            "star seek bob secret-bob 2",
            "star challenge alice anyone",
            "reset bob",
            "star chat 101 bob secret-bob",
        ):
            office.mail("alice@example.net", line, "Hello.")
            office.collect()
        office.clock.seconds += 8 * 86_400
        tick(office.desk)
        office.collect()
    office.close()

"""What ``mail test`` finds out: what comes back and what may be wrong where nothing does."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dns.exception
import dns.resolver
import pytest

from pbmserv.cli.main import run
from pbmserv.mail.bounces import ANSWERED, bounce_key, trial_key
from pbmserv.operators import mail_trial
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.progress import WATCH
from pbmserv.store.store import Store
from tests.databases import copy_template

OURS, YOURS = "pbmserv@example.org", "you@example.net"


@dataclass
class Waiting:
    """A club, its operator at the keyboard, and a time in which each wait is over at once.

    ``meanwhile`` is called in each wait, with the seconds that have gone by.
    """

    folder: Path
    capture: pytest.CaptureFixture[str]
    url: str
    now: float = 5000.0
    waits: list[float] = field(default_factory=list)
    meanwhile: Callable[[float], object] = str

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)
        self.meanwhile(sum(self.waits))

    def arrives(self, key: Callable[[int], str], outcome: str = ANSWERED, *, after: float) -> None:
        """Have something come back of the first letter after so many seconds."""

        def come(seconds: float) -> None:
            if seconds == after:
                store = Store.open(self.url)
                with store.writing() as records:
                    records.inbox.take(Arrival(STRANGER, key(1), YOURS, 0, "pipe", outcome))
                store.close()

        self.meanwhile = come

    def tried(self, *words: str) -> tuple[int, str, str]:
        code = run(["mail", "test", *words])
        out, err = self.capture.readouterr()
        return code, out, err

    def told(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.tried(*words, "--json")[1])
        return found

    def sent(self) -> int:
        return len(list((self.folder / "out" / "new").iterdir()))


@pytest.fixture
def waiting(
    sqlite_template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Waiting:
    url = copy_template(sqlite_template, tmp_path / "club")
    scene = Waiting(tmp_path, capsys, url)
    (tmp_path / "pbmserv.toml").touch()
    for name, text in (
        ("CONFIG", str(tmp_path / "pbmserv.toml")),
        ("DATABASE_URL", scene.url),
        ("MAIL_KEYS", str(tmp_path / "mail.keys")),
        ("MAIL_ADDRESS", OURS),
        ("MAIL_TRANSPORT", f"maildir:{tmp_path / 'out'}"),
    ):
        monkeypatch.setenv(f"PBMSERV_{name}", text)
    monkeypatch.setattr(mail_trial, "time", scene)
    logs = tuple(tmp_path / path.name for path in mail_trial.MAIL_LOGS)
    monkeypatch.setattr(mail_trial, "MAIL_LOGS", logs)
    monkeypatch.setattr(mail_trial, "SYSTEM_PATH", str(tmp_path))
    monkeypatch.setattr(dns.resolver, "resolve", World({}).resolve)
    return scene


@pytest.mark.parametrize(
    ("to", "seconds", "patience"), [((), 2.5, "60"), ((YOURS,), 30, "900"), ((YOURS,), 1.5, "2")]
)
def test_the_wait_ends_when_something_comes_back(
    waiting: Waiting, to: tuple[str, ...], seconds: float, patience: str
) -> None:
    waiting.arrives(trial_key, after=seconds)
    words = [f"-wait={patience}"] if patience == "2" else []
    code, out, err = waiting.tried(*to, *words)

    assert code == 0
    assert set(waiting.waits) == {0.5}
    assert sum(waiting.waits) == seconds
    assert waiting.sent() == 1
    whom = f"{YOURS}. Answer it there." if to else f"{OURS}."
    assert " ".join(err.split()) == f"A mail is on its way to {whom} Ctrl-C ends the wait."
    assert out == (
        f"Mail goes out, and comes in through the pipe: back after {round(seconds)} seconds.\n"
    )


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("words", "patience"), [((), 60), ((YOURS,), 900), (("-wait=3",), 3), (("-wait=0",), 0)]
)
def test_without_an_answer_it_waits_as_long_as_it_says(
    waiting: Waiting, words: tuple[str, ...], patience: int
) -> None:
    code, out, _ = waiting.tried(*words)

    assert code == 1
    assert sum(waiting.waits) == patience
    assert out.startswith(f"Nothing came back in {patience} seconds. What is known:\n  mail: s")


def test_whoever_watches_sees_how_much_of_the_wait_is_over(waiting: Waiting) -> None:
    seen: list[tuple[int, int]] = []
    token = WATCH.set(lambda done, whole: seen.append((done, whole)))
    waiting.tried("-wait=3")
    WATCH.reset(token)

    assert seen == [(round(half / 2), 3) for half in range(6)]


def test_what_comes_back_is_told_in_a_document(waiting: Waiting) -> None:
    waiting.arrives(trial_key, after=1.5)
    back = waiting.told(YOURS)
    waiting.meanwhile = str
    waiting.waits.clear()
    nothing = waiting.told(YOURS, "-wait=1")

    assert back == {
        "to": YOURS,
        "sent": True,
        "back": True,
        "bounced": False,
        "door": "pipe",
        "seconds": 2,
        "facts": [],
    }
    facts = nothing.pop("facts")
    assert nothing | {"facts": []} == {**back, "back": False, "door": None, "seconds": 1}
    assert facts[0] == {"name": "mail", "value": "sent", "problem": ""}


def test_a_bounce_is_no_answer(waiting: Waiting) -> None:
    waiting.arrives(bounce_key, "bounce", after=1)
    code, out, _ = waiting.tried(YOURS)

    assert code == 1
    assert sum(waiting.waits) == 1
    assert out.startswith(
        f"A mail server reports that the mail cannot be delivered to {YOURS}.\nIncoming mail "
        "works; your mail server's log says why outgoing mail does not.\n  mail:"
    )
    waiting.waits.clear()
    waiting.arrives(lambda _: bounce_key(2), "bounce", after=1)
    told = waiting.told(YOURS)
    assert (told["back"], told["bounced"], told["door"]) == (False, True, "pipe")


def test_an_interrupted_wait_tells_what_is_known(waiting: Waiting) -> None:
    def interrupt(seconds: float) -> None:
        if seconds == 2:
            raise KeyboardInterrupt

    waiting.meanwhile = interrupt
    code, out, _ = waiting.tried(YOURS)

    assert code == 1
    assert out.startswith("Nothing came back in 2 seconds. What is known:\n  mail: sent\n")


ADVICE = """\
It has Authentication-Results of mx.example.org. If that mail server is yours and
removes such headers written by others, set mail_authserv_id to its name to trust it.
"""


@pytest.mark.parametrize("setting", ["", "MAIL_AUTHSERV_ID", "MAIL_REQUIRE_DMARC"])
def test_who_checks_senders_is_told_where_nobody_is_believed(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    if setting:
        monkeypatch.setenv(f"PBMSERV_{setting}", "mx.example.org")
    waiting.arrives(trial_key, f"{ANSWERED} mx.example.org", after=1)
    code, out, _ = waiting.tried()

    assert code == 0
    assert out == "Mail goes out, and comes in through the pipe: back after 1 second.\n" + (
        "" if setting else ADVICE
    )


@pytest.mark.costly
def test_a_letter_that_does_not_leave_is_tried_again_for_a_while(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = waiting.folder / "sendmail"
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", f"sendmail:{program}")
    code, out, err = waiting.tried(YOURS)

    assert code == 1
    assert sum(waiting.waits) == 10
    assert err == ""
    assert out.startswith(f"No mail to {YOURS} was sent.\n  mail: waiting\n      ")

    def begin(seconds: float) -> None:
        if seconds == 2:
            program.write_text("#!/bin/sh\ncat > /dev/null\n")
            program.chmod(0o700)

    waiting.meanwhile = begin
    waiting.waits.clear()
    assert waiting.told(YOURS, "-wait=4") | {"facts": []} == {
        "to": YOURS,
        "sent": True,
        "back": False,
        "bounced": False,
        "door": None,
        "seconds": 4,
        "facts": [],
    }
    program.unlink()
    waiting.waits.clear()
    assert waiting.told(YOURS, "-wait=1")["sent"] is False
    assert sum(waiting.waits) == 1


def test_where_no_letter_leaves_the_machine_nothing_is_tried(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", "print:")
    code, _, err = waiting.tried()

    assert code == 1
    assert "No mail is sent from this machine, because the setting mail_transport is print:." in err
    assert waiting.waits == []


@dataclass
class World:
    """What the DNS says: records by kind, or what it raises."""

    records: dict[str, list[Any] | type[Exception]]

    def resolve(self, domain: str, kind: str) -> list[Any]:
        assert domain == "example.org"
        found = self.records.get(kind, dns.resolver.NoAnswer)
        if isinstance(found, list):
            return found
        raise found


@dataclass
class Exchange:
    """A row of kind MX."""

    preference: int
    exchange: str


NOWHERE = "Nobody elsewhere can send mail there: give the domain an MX record."


@pytest.mark.parametrize(
    ("records", "value", "problem"),
    [
        (
            {"MX": [Exchange(20, "b.example."), Exchange(10, "a.example.")]},
            "goes to a.example, b.example",
            "",
        ),
        ({"MX": dns.resolver.NXDOMAIN}, "there is no such domain", NOWHERE),
        ({"A": ["192.0.2.1", "192.0.2.2"]}, "goes to 192.0.2.1, 192.0.2.2 (no MX record)", ""),
        ({}, "no MX record and no address", NOWHERE),
        ({"MX": dns.exception.Timeout}, "unknown", "The DNS gives no answer: Timeout."),
    ],
)
def test_it_says_where_the_world_brings_mail_for_the_domain(
    waiting: Waiting,
    monkeypatch: pytest.MonkeyPatch,
    records: dict[str, Any],
    value: str,
    problem: str,
) -> None:
    monkeypatch.setattr(dns.resolver, "resolve", World(records).resolve)

    assert fact(waiting, "mail for example.org") == [(value, problem)]


def fact(waiting: Waiting, name: str, to: str = YOURS) -> list[tuple[str, str]]:
    """Return what it says of one thing, and what is wrong with it, when nothing comes back."""
    facts = waiting.told(to, "-wait=0")["facts"]
    return [(each["value"], each["problem"]) for each in facts if each["name"] == name]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("rest", ["", '{"queue_id": "2", "rec', "postqueue: warning", "{}"])
def test_it_says_why_postfix_keeps_mail_to_one_of_the_addresses(
    waiting: Waiting, rest: str
) -> None:
    assert fact(waiting, "queue") == [("see the queue of your mail server", "")]

    program = waiting.folder / "postqueue"
    kept = [
        {"address": "YOU@Example.net", "delay_reason": "lost"},
        {"address": "pbmserv+d.abc@example.org"},
        {"address": "Pbmserv@example.org", "delay_reason": "refused"},
        {"address": "she@example.net", "delay_reason": "not ours"},
    ]
    answer(program, json.dumps({"queue_id": "1", "recipients": kept}) + f"\n{rest}")
    assert fact(waiting, "in the queue") == [
        ("YOU@Example.net", "lost"),
        ("pbmserv+d.abc@example.org", ""),
        ("Pbmserv@example.org", "refused"),
    ]
    assert fact(waiting, "queue") == []
    answer(program, json.dumps({"recipients": kept[3:]}))
    assert fact(waiting, "queue") == [("nothing of it in Postfix's queue", "")]
    for said, told in (
        ("postqueue: fatal:\n  Mail system is down", "Postfix is not running."),
        ("postqueue: fatal:\n  no rights", "postqueue: fatal: no rights"),
    ):
        answer(program, said, code=69)
        assert fact(waiting, "queue") == [("unknown", told)]


def answer(program: Path, text: str, code: int = 0) -> None:
    """Make a program that says this, to standard error where it fails."""
    (program.parent / "said").write_text(text)
    cat, words = shutil.which("cat"), '[ "$*" = -j ] || exit 3\n'
    to = " >&2" if code else ""
    program.write_text(f"#!/bin/sh\n{words}{cat} {program.parent}/said{to}\nexit {code}\n")
    program.chmod(0o700)


@pytest.mark.parametrize("system", ["mail.log", "maillog"])
def test_it_quotes_what_the_log_of_the_mail_server_said_last_of_the_address(
    waiting: Waiting, system: str
) -> None:
    name, advice = "mail server's log", f"as root: journalctl --since=-1h | grep -F '{YOURS}'"
    assert fact(waiting, name) == [(advice, "")]

    log = waiting.folder / system
    first = b"first to=<you@example.net>\nnext to=<you@example.net>\n"
    log.write_bytes(first + b" last to=<you+x1@example.net> " + b"." * 500)
    with log.open("ab") as file:
        file.write(b"\nother to=<youyou@example.net>\nother to=<you@examplesnet>\nfrom=\xff\n")
    said = f" last to=<you+x1@example.net> {'.' * 370}"
    assert fact(waiting, name) == [(said, "")]
    assert len(said) == 400
    log.write_text("to=<a@example.net>")
    assert fact(waiting, name) == [(f"nothing about {YOURS}", "")]
    line, much = f" to=<{YOURS}>", 1 << 20
    log.write_text(f"{line}\n{'.' * (much - len(line) - 1)}")
    assert fact(waiting, name) == [(line, "")]
    log.write_text(f"{line}\n{'.' * (much - 1)}")
    assert fact(waiting, name) == [(f"nothing about {YOURS}", "")]


def test_it_quotes_our_own_log(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    advice = "as root: journalctl --since=-1h -t pbmserv"
    assert fact(waiting, "our own log") == [(advice, "")]

    monkeypatch.setenv("PBMSERV_MAIL_LOG", "syslog:")
    assert fact(waiting, "our own log") == [(advice, "")]
    log = waiting.folder / "own.log"
    monkeypatch.setenv("PBMSERV_MAIL_LOG", str(log))
    ((line, _),) = fact(waiting, "our own log")
    assert "out trial code=sent letter=" in line
    log.write_text("")
    assert mail_trial._own_log(0).value == f"{log}: empty"
    log.write_text("one\ntwo\n")
    assert mail_trial._own_log(0).value == "two"
    assert mail_trial._own_log(1 << 40).value == f"{log}: nothing since"


def test_it_says_how_the_maildir_is_and_what_was_ignored(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fact(waiting, "Maildir") == []
    assert fact(waiting, "ignored today") == [("nothing", "")]

    maildir = waiting.folder / "in"
    monkeypatch.setenv("PBMSERV_MAILDIR", str(maildir))
    missing = "It has no new/ and cur/: serve creates them."
    assert fact(waiting, "Maildir") == [(str(maildir), missing)]
    for part in ("new", "cur", "tmp"):
        (maildir / part).mkdir(parents=True)
    (maildir / "new" / "1.x").write_text("From: you@example.net\nPrecedence: bulk\n\n")
    (maildir / "new" / "2.x").write_text("From: you@example.net\nPrecedence: bulk\n\n")
    assert fact(waiting, "Maildir") == [(f"{maildir}, 2 waiting", "")]
    assert run(["mail", "run", "-once"]) == 0
    waiting.capture.readouterr()
    assert fact(waiting, "Maildir") == [(f"{maildir}, 0 waiting", "")]
    assert fact(waiting, "ignored today") == [("precedence 2", "")]

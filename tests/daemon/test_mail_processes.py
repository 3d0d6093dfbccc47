"""What takes mails in and sends letters beside each other, without programs of its own.

The same as programs of their own, and killed: ``test_mail_workers``, ``test_chores`` and
``test_background_work``.
"""

import os
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv import side_processes
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.shell import Shell
from pbmserv.daemon import club_services, letters_out, mail_in, mail_workers, periodic_tasks
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.mail_workers import MAX_WORKERS, Workers
from pbmserv.daemon.periodic_tasks import PeriodicTasks
from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.robot_turns import RobotReport
from pbmserv.desk.tick import TickReport as Settled
from pbmserv.engine.moments import HOUR
from pbmserv.errors import Fault
from pbmserv.listen_address import ListenAddress
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.outbox_sender import SendReport
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.test_forked_server import ended, forked
from tests.installed_program import waited_for

OURS = "pbmserv@example.org"


@pytest.fixture
def url(sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A club with all that it needs for mail."""
    url = databases.copy_template(sqlite_template, tmp_path / "club")
    for name, text in (
        ("CONFIG", os.devnull),
        ("DATABASE_URL", url),
        ("MAIL_KEYS", str(tmp_path / "mail.keys")),
        ("MAIL_ADDRESS", OURS),
        ("MAIL_TRANSPORT", f"maildir:{tmp_path / 'out'}"),
    ):
        monkeypatch.setenv(f"PBMSERV_{name}", text)
    return url


def mail(number: int, sender: str = "alice@example.net") -> bytes:
    return f"From: {sender}\nSubject: help\nMessage-ID: <{number}@x>\n\n".encode()


def arrivals(url: str) -> list[tuple[str, str]]:
    store = Store.open(url)
    with store.reading() as records:
        found = [(each.door, each.outcome) for each in records.lists.arrivals().rows]
    store.close()
    return found


# What a worker does: one answer for each mail.

ANSWERS = """
import os, time
def taker(options):
    def take(task):
        mail, envelope = task
        if mail == b"die":
            os._exit(1)
        if mail == b"who":
            time.sleep(0.1)
        who = f"{envelope.recipient} {envelope.sender} {os.getpid()} {options}"
        yield {b"fail": "\u00e9 " * 200, b"who": who}.get(mail, "")
    return take
"""


@pytest.fixture
def answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have workers answer as they are told; these they would have been."""
    (tmp_path / "answering.py").write_text(ANSWERS)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path.removesuffix(os.pathsep))
    hired: list[str] = []

    def hire(worker: str, options: object, **more: bool) -> side_processes.SideProcess:
        hired.append(worker)
        return side_processes.SideProcess("answering:taker", options, **more)

    monkeypatch.setattr(mail_workers, "SideProcess", hire)
    return hired


TAKER = "pbmserv.daemon.mail_workers:serve_mails"


def said(workers: Workers, content: bytes, sender: str | None = None) -> str:
    try:
        workers.receive(content, Envelope(OURS, sender))
    except Fault as fault:
        return f"{fault.code}: {fault.message}"
    return "taken"


def let_go(workers: Workers) -> None:
    workers.close()
    assert all(each.process.returncode == 0 for each in workers._idle)


@pytest.mark.costly
def test_each_mail_is_taken_in_once_and_what_fails_is_kept(answering: list[str]) -> None:
    workers = Workers(ShellOptions())
    found = [said(workers, word) for word in (b"one", b"fail", b"two", b"die", b"one")]

    kept = "mail-kept: " + "\u00e9 " * 200
    lost = "process-lost: A worker process stopped unexpectedly."
    assert found == ["taken", kept, "taken", lost, "taken"]
    assert answering == [TAKER] * 2, "one stays, and another comes for one that has died"
    assert len(workers._idle) == 1
    let_go(workers)


@pytest.mark.costly
@pytest.mark.parametrize("options", [ShellOptions(), ShellOptions(json=True, database="a.sqlite")])
def test_workers_have_the_options_of_their_listener_and_each_the_whole_mail(
    answering: list[str], options: ShellOptions
) -> None:
    workers = Workers(options)
    senders = [f"{who}@example.net" for who in range(3 * MAX_WORKERS)]
    with ThreadPoolExecutor(MAX_WORKERS) as threads:
        told = list(threads.map(lambda sender: said(workers, b"who", sender), senders))
    found = [text.split(maxsplit=4) for text in told]

    assert [row[:3] for row in found] == [["mail-kept:", OURS, sender] for sender in senders]
    assert {row[4] for row in found} == {str(options)}
    assert 1 < len({row[3] for row in found}) == len(answering) <= MAX_WORKERS
    let_go(workers)


def test_a_worker_takes_mails_until_its_listener_is_gone(url: str) -> None:
    ours, theirs = socket.socketpair()

    def work() -> None:
        ours.close()
        os.dup2(theirs.fileno(), 0)
        theirs.close()
        side_processes.serve(TAKER)
        sys.stdout.write("noise")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(os.getpid(), number)  # they are the listener's business

    pid = forked(work)
    theirs.close()
    wrong = []
    with Connection(ours.detach()) as ends:
        ends.send(ShellOptions())
        for content, sender in (
            (mail(1), "alice@example.net"),
            (7, None),
            (mail(1), "alice@example.net"),
            (mail(2, "bob@example.net"), "bob@example.net"),
        ):
            ends.send((content, Envelope(OURS, sender)))
            wrong.append(ends.recv())
    assert ended(pid) == 0

    assert [bool(each) for each in wrong] == [False, True, False, False]
    assert arrivals(url) == [("listener", "done"), ("listener", "done")]


# What a server does beside commands.


class Shells:
    """A shell whose club is looked after, and what is done for it."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shell = Shell(ShellOptions(database=url))
        self.done: list[str] = []
        for name in ("listen", "run_periodic_tasks"):
            note = lambda *words, name=name: self.note(name, words)  # noqa: E731
            monkeypatch.setattr(club_services, name, note)
        monkeypatch.setattr(club_services, "MaildirConsumer", self.intake)

    def intake(self, *words: Any) -> SimpleNamespace:
        return SimpleNamespace(run=lambda _: self.note("intake", words))

    def note(self, name: str, words: tuple[Any, ...]) -> None:
        assert words[0] is self.shell
        self.done.append(f"{name} {len(words)}")


def test_whoever_looks_after_a_club_does_what_its_settings_ask_for(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Shells(url, monkeypatch)

    def done(places: list[ListenAddress]) -> list[str]:
        scene.done.clear()
        for chore in club_services.services_for(scene.shell, places):
            chore.do()
            assert chore.sockets == ((own,) if "listen" in scene.done[-1] else ())
        return [*scene.done]

    own, other = socket.socketpair()
    place = ListenAddress("lmtp", path=Path("/x"), sockets=(own,))
    with own, other:
        assert done([]) == ["run_periodic_tasks 2"]
        assert done([place]) == ["listen 3"]
        monkeypatch.setenv("PBMSERV_MAILDIR", str(tmp_path / "in"))
        assert done([]) == ["intake 2"]
        assert done([place]) == ["listen 3", "intake 2"]


@pytest.mark.parametrize(("setting", "is_wrong"), [("MAILDIR", True), ("SITE_TITLE", False)])
def test_mails_are_taken_in_only_where_there_is_an_address(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, *, is_wrong: bool
) -> None:
    scene = Shells(url, monkeypatch)
    monkeypatch.delenv("PBMSERV_MAIL_ADDRESS")
    monkeypatch.setenv(f"PBMSERV_{setting}", str(tmp_path / "in"))
    if is_wrong:
        with pytest.raises(Fault, match="mail_address"):
            club_services.services_for(scene.shell, [])
    else:
        assert len(club_services.services_for(scene.shell, [])) == 1
    with pytest.raises(Fault, match="mail_address"):
        club_services.services_for(scene.shell, [ListenAddress("lmtp", path=Path("/x"))])
    gone = Shell(ShellOptions(database=str(tmp_path / "none.sqlite")))
    monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", OURS)
    with pytest.raises(Fault):
        club_services.services_for(gone, [])


def test_a_chore_that_fails_says_why(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    lifeline, life = os.pipe()

    def fail() -> None:
        raise Fault("The letters are away.", code="gone")

    def work() -> int:
        with suppress(Fault):
            club_services.run_service(Shell(ShellOptions(database=url)), fail, lifeline)
            return 0
        sys.stderr.flush()
        return 7

    assert ended(forked(work)) == 7
    assert capfd.readouterr().err.endswith(" The letters are away. code=gone\n")
    os.close(lifeline)
    os.close(life)


@pytest.mark.parametrize("ends_by", ["lifeline", "TERM", "itself"])
def test_a_chore_ends_with_its_keeper_or_when_it_is_told_to(tmp_path: Path, ends_by: str) -> None:
    lifeline, life = os.pipe()
    begun = tmp_path / "begun"

    def chore() -> None:
        begun.touch()
        if ends_by != "itself":
            signal.pause()
            signal.pause()

    def work() -> None:
        os.close(life)
        club_services.run_service(Shell(ShellOptions()), chore, lifeline)

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        pid = forked(work)
    finally:
        signal.signal(signal.SIGTERM, before)
    waited_for(begun.exists)
    if ends_by == "TERM":
        os.kill(pid, signal.SIGHUP)
        os.kill(pid, signal.SIGTERM)
    elif ends_by == "lifeline":
        os.close(life)
    assert ended(pid) == (0 if ends_by == "itself" else -signal.SIGTERM)
    os.close(lifeline)
    if ends_by != "lifeline":
        os.close(life)


# Letters, clocks and robots.


def test_rounds_go_on_beside_the_block_and_at_once_when_asked_for(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = time.sleep
    rests: list[float] = []

    def resting(seconds: float) -> None:
        rests.extend([seconds] * (seconds == periodic_tasks.REST))
        sleep(seconds)

    monkeypatch.setattr(periodic_tasks, "PAUSE", 600.0)
    monkeypatch.setattr(periodic_tasks, "REST", 0.001)
    monkeypatch.setattr("pbmserv.daemon.periodic_tasks.time.sleep", resting)
    done: list[int] = []
    monkeypatch.setattr(PeriodicTasks, "run_once", lambda _: done.append(1))
    shell = Shell(ShellOptions(database=url))
    closed: list[int] = []
    desk = shell.new_desk()
    monkeypatch.setattr(desk, "close", lambda: closed.append(1))
    before = threading.active_count()
    with PeriodicTasks(desk, Log(shell, str)).in_background() as send_soon:
        for number in (1, 2, 3):
            waited_for(lambda number=number: len(done) == number)  # type: ignore[misc]
            send_soon()
        assert not closed
    assert threading.active_count() == before
    assert closed == [1]
    assert len(rests) == len(done) - 1, "however often it is asked for"

    monkeypatch.setattr(periodic_tasks, "PAUSE", 0.01)
    done.clear()
    with suppress(KeyboardInterrupt), PeriodicTasks(desk, Log(shell, str)).in_background():
        waited_for(lambda: len(done) > 3)
        raise KeyboardInterrupt
    assert threading.active_count() == before


WRONG = [f"star {number}: its clock stands" for number in range(101, 109)]


def test_a_round_settles_the_clocks_every_ten_minutes_and_sends_what_waits(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 50.0
    ticks: list[float] = []

    class Done:
        moves = 0
        problems = WRONG

    def tick(_: object) -> type[Done]:
        ticks.append(now)
        return Done

    monkeypatch.setattr("pbmserv.daemon.periodic_tasks.time.monotonic", lambda: now)
    monkeypatch.setattr(periodic_tasks, "tick", tick)
    monkeypatch.setattr(periodic_tasks, "play_due_turns", lambda *_: Done)
    shell = Shell(ShellOptions(database=url))
    lines: list[str] = []
    desk = shell.new_desk()
    work = PeriodicTasks(desk, Log(shell, lines.append))
    for now in (50.0, 649.0, 650.0, 651.0):  # noqa: B007 - the clock above
        work.run_once()
    desk.close()

    assert ticks == [50.0, 650.0]
    assert [line.split(" ", 1)[1] for line in lines] == [f"{each}\n" for each in WRONG]


def test_what_keeps_letters_from_leaving_is_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    away = SendReport(stopped="The mail server is away.")
    monkeypatch.setattr(periodic_tasks, "tick", lambda _: Settled())
    monkeypatch.setattr(periodic_tasks, "play_due_turns", lambda *_: RobotReport(0))
    monkeypatch.setattr(
        periodic_tasks, "open_sender", lambda *_: SimpleNamespace(send_due=lambda **_: away)
    )
    shell = Shell(ShellOptions(database=url))
    lines: list[str] = []
    desk = shell.new_desk()
    PeriodicTasks(desk, Log(shell, lines.append)).run_once()
    desk.close()

    assert [line.split(" ", 1)[1] for line in lines] == ["The mail server is away.\n"]


@pytest.mark.parametrize("only_robots", [False, True])
def test_a_round_in_which_robots_moved_is_followed_by_another_at_once(
    url: str, monkeypatch: pytest.MonkeyPatch, *, only_robots: bool
) -> None:
    monkeypatch.setattr(periodic_tasks, "PAUSE", 600.0)
    monkeypatch.setattr(periodic_tasks, "REST", 0.0)
    moves = [2, 1, 0]
    done: list[str] = []

    def work(*words: object) -> RobotReport:
        assert words == (desk, periodic_tasks.ROBOTS_PAUSE)
        done.append("robots")
        return RobotReport(moves[done.count("robots") - 1])

    def send(beat: object) -> SendReport:
        assert callable(beat)
        done.append("letters")
        return SendReport()

    def tick(_: object) -> Settled:
        done.append("clocks")
        return Settled()

    monkeypatch.setattr(periodic_tasks, "play_due_turns", work)
    monkeypatch.setattr(periodic_tasks, "tick", tick)
    monkeypatch.setattr(periodic_tasks, "open_sender", lambda *_: SimpleNamespace(send_due=send))
    shell = Shell(ShellOptions(database=url))
    desk = shell.new_desk()
    with PeriodicTasks(desk, Log(shell, str), only_robots=only_robots).in_background():
        waited_for(lambda: done.count("robots") == len(moves))

    each = ["robots"] if only_robots else ["robots", "letters"]
    assert done == [*["clocks"] * (not only_robots), *each * len(moves)]


@pytest.mark.parametrize(("way_out", "told"), [("a Maildir", 1), ("", 0)])
def test_the_operator_hears_of_clocks_that_nobody_can_settle(
    board_template: Path, url: str, monkeypatch: pytest.MonkeyPatch, way_out: str, told: int
) -> None:
    def fail(_: object) -> Settled:
        raise Fault("The clocks stand.", code="stands")

    played = databases.copy_template(board_template, Path(url).with_name("played"))
    out = Path(url).with_name("letters")
    later = int(time.time()) + 30 * 24 * HOUR
    monkeypatch.setattr(periodic_tasks, "tick", fail)
    monkeypatch.setenv("PBMSERV_OPERATOR_ADDRESS", "operator@example.org")
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", f"maildir:{out}" if way_out else "")
    lines: list[str] = []
    log = Log(Shell(ShellOptions(database=played)), lines.append)
    desk = Desk(lambda: Store.open(played), world=TimeAndChance(now=lambda: later))
    work = PeriodicTasks(desk, log)
    for _ in range(2):
        work.run_once()
    desk.close()
    letters = [path.read_text() for path in (out / "new").glob("*")]

    assert [line.split(" ", 1)[1].partition(" queue")[0].strip() for line in lines] == [
        *["out operator code=sent letter=1", "operator - code=done letters=1"][: 2 * told],
        "The clocks stand. code=stands",
    ]
    assert ["operator@example.org" in letter for letter in letters] == [True] * told


def test_letters_leave_as_the_settings_say(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(ShellOptions(database=url))
    world = TimeAndChance(now=lambda: 7)
    with closing(shell.open_store()) as store:
        usual = letters_out.open_sender(store, world, Log(shell, str))
        for name, text in (
            ("CLUB_NAME", "Six Sides"),
            ("UNSUBSCRIBE_URL", "https://example.org/out"),
            ("OPERATOR_ADDRESS", "operator@example.org"),
            ("MAIL_ANALYSIS", "on"),
        ):
            monkeypatch.setenv(f"PBMSERV_{name}", text)
        ours = letters_out.open_sender(store, world, Log(shell, str))

    assert (usual.store, usual.address, usual.now()) == (store, OURS, 7)
    assert (usual.club, usual.way_out_url, usual.operator) == ("Star Club", "", None)
    assert not isinstance(usual.more, partial)
    assert (ours.club, ours.way_out_url) == ("Six Sides", "https://example.org/out")
    assert ours.operator == "operator@example.org"
    assert isinstance(ours.more, partial)


def test_mails_are_taken_in_as_the_settings_say(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(ShellOptions(database=url))
    log = Log(shell, str)
    found = []
    for server, dmarc in (("", ""), ("mx.example.org", ""), ("", "mx2"), ("mx.example.org", "mx2")):
        monkeypatch.setenv("PBMSERV_MAIL_AUTHSERV_ID", server)
        monkeypatch.setenv("PBMSERV_MAIL_REQUIRE_DMARC", dmarc)
        gateway = mail_in.open_gateway(shell, log)
        found.append((gateway.mail_server, gateway.demands_dmarc))
    monkeypatch.setenv("PBMSERV_OPERATOR_ADDRESS", "operator@example.org")

    assert found == [
        ("", False),
        ("mx.example.org", False),
        ("mx2", True),
        ("mx.example.org", True),
    ]
    assert gateway.own.address == OURS
    assert gateway.operator is None
    assert mail_in.open_gateway(shell, log).operator == "operator@example.org"

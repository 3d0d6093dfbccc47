"""``mail run`` and ``mail shunt`` in this process, the bar of long works, and work shared out."""

import json
import os
import signal
import smtplib
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pbmserv import side_processes
from pbmserv.cli import progress_bar
from pbmserv.cli.main import run
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.shell import Shell as Settings
from pbmserv.daemon import club_services, periodic_tasks
from pbmserv.daemon.club_services import Listening
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.mail_workers import MAX_WORKERS, Workers
from pbmserv.desk.door import Desk
from pbmserv.errors import Fault
from pbmserv.listen_address import parse_listen_address
from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import Envelope
from pbmserv.store.progress import WATCH, teller
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import a_mail
from tests.daemon.test_forked_server import opened_by
from tests.installed_program import waited_for


class Post:
    """A club with a Maildir for mails in, and one for letters out."""

    def __init__(
        self, folder: Path, url: str, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self.url, self.capture = folder, url, capture
        for name, text in (
            ("CONFIG", os.devnull),
            ("DATABASE_URL", url),
            ("MAIL_KEYS", str(folder / "mail.keys")),
            ("MAIL_ADDRESS", "pbmserv@example.org"),
            ("MAIL_TRANSPORT", f"maildir:{folder / 'out'}"),
            ("MAILDIR", str(folder / "in")),
        ):
            patch.setenv(f"PBMSERV_{name}", text)
        (folder / "in" / "new").mkdir(parents=True)

    def comes(self, name: str, data: bytes) -> None:
        (self.folder / "in" / "new" / name).write_bytes(data)

    def files(self, folder: str) -> list[str]:
        found = self.folder / folder
        return sorted(path.name for path in found.iterdir()) if found.is_dir() else []

    def run(self, line: str) -> tuple[int, str, str]:
        code = run(["mail", *line.split()])
        return code, *self.capture.readouterr()

    def json(self, line: str) -> Any:
        code, out, err = self.run(f"{line} --json")
        assert (code, err) == (0, "")
        return json.loads(out)

    def outcomes(self) -> list[str]:
        store = Store.open(self.url)
        with store.reading() as records:
            found = [f"{each.door} {each.outcome}" for each in records.lists.arrivals().rows]
        store.close()
        return found


@pytest.fixture
def post(
    sqlite_template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Post]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    # It would end this process, and all that runs the tests, some seconds after the test.
    monkeypatch.setattr(club_services, "end_in_time", lambda: None)
    url = databases.copy_template(sqlite_template, tmp_path / "club")
    yield Post(tmp_path, url, monkeypatch, capsys)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_mails_in_a_maildir_are_taken_in_and_answered_at_once(post: Post) -> None:
    post.comes("1.mail", a_mail("help", 1))
    post.comes("2.mail", a_mail("help", 2, "bob@example.net"))
    code, out, err = post.run("run --once")

    assert (code, out) == (0, "")
    names = sorted(post.files("out/new"))
    assert [line.split(" ", 1)[1] for line in err.splitlines()] == [
        "maildir alice@example.net code=done command=help message_id=<1@example.net> letters=1",
        "maildir bob@example.net code=done command=help message_id=<2@example.net> letters=2",
        f"out answer code=sent message_id=<1@example.net> letter=1 queue_id={names[0]}",
        f"out answer code=sent message_id=<2@example.net> letter=2 queue_id={names[1]}",
    ]
    assert post.outcomes() == ["maildir done"] * 2
    assert post.files("in/new") == []
    assert [name.partition(":")[0] for name in post.files("in/cur")] == ["1.mail", "2.mail"]
    assert len(post.files("out/new")) == 2
    assert post.run("run --once") == (0, "", "")
    assert str(Path(post.url).resolve()) not in opened_by(os.getpid())


def fail_at(monkeypatch: pytest.MonkeyPatch, words: bytes) -> None:
    """Have every mail that has these words fail."""
    receive = Gateway.receive

    def failing(self: Gateway, data: bytes, *more: Any) -> Any:
        if words in data:
            raise ValueError("secret words")
        return receive(self, data, *more)

    monkeypatch.setattr(Gateway, "receive", failing)


def test_a_mail_that_fails_three_times_is_put_aside_and_told(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_at(monkeypatch, b"Subject: bad")
    post.comes("1.bad", a_mail("bad secret-alice", 1))
    post.comes("2.mail", a_mail("help", 2))
    runs = [post.run("run --once") for _ in range(4)]
    err = "".join(each[2] for each in runs)

    assert [each[0] for each in runs] == [1, 1, 0, 0], "the third try is in the second run"
    assert err.count("internal error: ValueError") == 3
    assert "secret" not in err
    assert post.outcomes() == ["maildir done"]
    assert post.files("in/new") == []
    assert [name for name in post.files("in/shunt") if not name.endswith(".json")] == ["1.bad"]


def test_answers_leave_before_mails_are_tried_again(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive, left = Gateway.receive, []

    def failing(self: Gateway, data: bytes, *more: Any) -> Any:
        if b"Subject: bad" not in data:
            return receive(self, data, *more)
        left.append(len(post.files("out/new")))
        raise ValueError

    monkeypatch.setattr(Gateway, "receive", failing)
    post.comes("1.mail", a_mail("help", 1))
    post.comes("2.mail", a_mail("bad", 2))
    post.run("run --once")

    assert left == [0, 1]


@pytest.mark.parametrize(("bad", "good"), [("1", "2"), ("2", "1")])
def test_one_mail_that_failed_is_told_whatever_came_of_those_around_it(
    post: Post, monkeypatch: pytest.MonkeyPatch, bad: str, good: str
) -> None:
    fail_at(monkeypatch, b"Subject: bad")
    for name in sorted((f"{bad}.mail,tries=2", f"{good}.mail")):
        post.comes(name, a_mail("help" if name.startswith(good) else "bad", int(name[0])))
    code, _, err = post.run("run --once")

    assert (code, err.count("internal error: ValueError")) == (1, 1)
    assert post.files("in/shunt") == [f"{bad}.mail", f"{bad}.mail.json"]
    assert post.outcomes() == ["maildir done"]
    assert post.run("run --once") == (0, "", "")


def test_a_mail_put_aside_can_be_looked_at_tried_again_or_deleted(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fail_at(patch, b"Subject: bad")
        for number in (1, 2):
            post.comes(f"{number}.bad", a_mail("bad secret-alice", number))
        for _ in range(3):
            post.run("run --once")
    listed = post.json("shunt list")["shunted"]
    shown = post.json("shunt show 1.bad")
    texts = [post.run(line)[1] for line in ("shunt list", "shunt show 1.bad")]

    assert [(row["name"], row["bytes"], row["cause"]) for row in listed] == [
        (f"{number}.bad", len(a_mail("bad secret-alice", number)), "internal error: ValueError")
        for number in (1, 2)
    ]
    assert (shown["from"], shown["message_id"]) == ("alice@example.net", "<1@example.net>")
    assert shown["file"] == str(post.folder / "in" / "shunt" / "1.bad")
    assert len(shown["digest"]) == 64
    assert {"name", "bytes", "since", "cause"} <= {*shown}
    assert "secret" not in f"{listed}{shown}{texts}"
    assert all("1.bad" in text and "internal error: ValueError" in text for text in texts)
    assert texts[1].endswith("\nIts Subject and text may hold a password.\n")
    assert "2.bad" in texts[0]
    assert "2.bad" not in texts[1]

    assert post.run("shunt retry 1.bad") == (0, "Done: 1.\n", "")
    assert (post.files("in/new"), post.run("shunt list")[1].count(".bad")) == (["1.bad"], 1)
    assert post.json("shunt drop 2.bad") == {"mails": ["2.bad"]}
    assert post.run("shunt list") == (0, "No mail.\n", "")
    for verb in ("show", "retry", "drop"):
        code, _, err = post.run(f"shunt {verb} 2.bad")
        assert (code, "No such mail was put aside." in err) == (1, True)
    (post.folder / "in" / "shunt" / "3.bad").write_bytes(b"From: alice@example.net\n\n")
    facts = [line.split(":")[0] for line in post.run("shunt show 3.bad")[1].splitlines()[:-1]]
    assert facts == ["name", "bytes", "since", "cause", "from", "digest", "file"], "what is known"
    other = post.folder / "other"
    assert post.json(f"shunt list -maildir={other}") == {"shunted": []}


def test_the_runner_goes_on_until_it_is_told_to_stop(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(club_services, "PAUSE", 0.05)
    monkeypatch.setattr(periodic_tasks, "PAUSE", 600.0)
    monkeypatch.setattr(periodic_tasks, "REST", 0.0)

    def bring() -> None:
        for number in (1, 2):
            post.comes(f"{number}.mail", a_mail("help", number, f"{number}@example.net"))
            with suppress(AssertionError):
                waited_for(lambda number=number: len(post.files("out/new")) == number)  # type: ignore[misc]
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=bring)
    thread.start()
    code, _, err = post.run("run")
    thread.join()

    assert code == 0
    assert err.count("@example.net code=done") == err.count("out answer code=sent") == 2
    assert post.files("in/new") == []
    assert len(post.files("out/new")) == 2


def test_a_mail_that_is_brought_is_taken_in_and_answered_at_once(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = parse_listen_address("127.0.0.1:0", "lmtp", is_public=False).opened()
    monkeypatch.setattr(periodic_tasks, "PAUSE", 600.0)
    ends: list[int] = []
    one_round = periodic_tasks.PeriodicTasks.run_once

    def noted(work: periodic_tasks.PeriodicTasks) -> None:
        one_round(work)
        ends.append(len(post.files("out/new")))

    def bring() -> None:
        with suppress(AssertionError):
            waited_for(lambda: ends)
            with smtplib.LMTP("127.0.0.1", place.sockets[0].getsockname()[1]) as client:
                client.sendmail(
                    "alice@example.net", ["pbmserv@example.org"], a_mail("help").decode()
                )
            waited_for(lambda: ends[-1])
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(periodic_tasks.PeriodicTasks, "run_once", noted)
    thread = threading.Thread(target=bring)
    thread.start()
    club_services.listen(Settings(ShellOptions(database=post.url)), [place])
    thread.join()
    lines = post.capture.readouterr().err.splitlines()

    assert (ends[0], ends[-1]) == (0, 1)
    assert post.outcomes() == ["listener done"]
    assert [line.split(" ", 1)[1] for line in lines] == [
        "Listening at 127.0.0.1:0.",
        "listener alice@example.net code=done command=help message_id=<1@example.net> letters=1",
        (
            "out answer code=sent message_id=<1@example.net> letter=1 "
            f"queue_id={post.files('out/new')[0]}"
        ),
    ]


def test_while_the_database_fails_all_mails_wait_and_no_try_is_counted(post: Post) -> None:
    post.comes("1.mail", a_mail("signup carol secret-carol", 1))
    post.comes("2.mail", a_mail("help", 2))
    assert run(["admin", "maintenance", "on", "--yes"]) == 0
    runs = [post.run("run --once") for _ in range(4)]
    kept = (post.files("in/new"), post.files("in/shunt"))
    assert run(["admin", "maintenance", "off"]) == 0

    assert [code for code, _, _ in runs] == [1] * 4
    assert all("maintenance" in err for _, _, err in runs)
    assert kept == (["1.mail", "2.mail"], [])
    post.capture.readouterr()
    assert post.run("run --once")[0] == 0
    assert post.files("in/new") == []


def test_whoever_is_told_to_stop_does_so_between_two_mails(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        post.comes(f"{number}.mail", a_mail("help", number, f"{number}@example.net"))
    receive = Gateway.receive

    def stopping(*words: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return receive(*words)

    monkeypatch.setattr(Gateway, "receive", stopping)

    assert post.run("run --once")[0] == 0
    assert post.files("in/new") == ["2.mail", "3.mail"]
    assert len(post.files("out/new")) == 1, "what was answered is sent"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_whoever_is_told_to_stop_has_little_time_for_it(
    post: Post, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    del post  # whose signals are as before at the end
    told: list[str] = []
    monkeypatch.setattr(club_services, "end_in_time", lambda: told.append("in time"))
    stop = club_services.stop_signal(lambda: told.append(f"is set: {stop.is_set()}"))
    assert (stop.is_set(), told) == (False, [])
    os.kill(os.getpid(), number)

    assert stop.wait(60)
    waited_for(lambda: len(told) == 2)
    assert told == ["is set: True", "in time"]


def test_letters_are_sent_until_it_is_told_to_stop(post: Post) -> None:
    post.comes("1.mail", a_mail("help", 1))
    sends = os.environ.pop("PBMSERV_MAIL_TRANSPORT")
    post.run("run --once")
    os.environ["PBMSERV_MAIL_TRANSPORT"] = sends
    assert post.files("out/new") == []

    def stop() -> None:
        with suppress(AssertionError):
            waited_for(lambda: post.files("out/new"))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=stop)
    thread.start()
    club_services.run_periodic_tasks(Settings(ShellOptions(database=post.url)))
    thread.join()
    assert len(post.files("out/new")) == 1


def test_another_maildir_that_is_named_is_meant_by_each_command(post: Post) -> None:
    other = post.folder / "other"
    for folder in ("in", "other"):
        for part in ("new", "cur", "shunt"):
            (post.folder / folder / part).mkdir(parents=True, exist_ok=True)
        for number in (1, 2, 3):
            data = f"From: {folder}{number}@example.net\n\n{'x' * number}"
            (post.folder / folder / "shunt" / f"{number}.bad").write_text(data)
    mine, theirs = (
        [post.json(f"shunt show {number}.bad{more}") for number in (1, 2, 3)]
        for more in ("", f" -maildir={other}")
    )
    listed = post.json(f"shunt list -maildir={other}")["shunted"]
    post.json(f"shunt retry 1.bad 3.bad -maildir={other}")
    post.json(f"shunt drop 2.bad -maildir={other}")

    for found, folder in ((mine, "in"), (theirs, "other")):
        assert [(each["name"], each["from"]) for each in found] == [
            (f"{number}.bad", f"{folder}{number}@example.net") for number in (1, 2, 3)
        ]
        sizes = [len(f"From: {folder}{number}@example.net\n\n") + number for number in (1, 2, 3)]
        assert [each["bytes"] for each in found] == sizes
    assert [(each["name"], each["bytes"]) for each in listed] == [
        (each["name"], each["bytes"]) for each in theirs
    ]
    assert (post.files("other/new"), post.files("other/shunt")) == (["1.bad", "3.bad"], [])
    assert post.files("in/shunt") == ["1.bad", "2.bad", "3.bad"]
    assert post.files("in/new") == []


def test_others_reach_a_place_only_where_it_is_said() -> None:
    inside = Listening(lmtp="127.0.0.1:24", smtp="127.0.0.1:25").places()
    outside = Listening(smtp="0.0.0.0:25", public=True).places()

    assert [(each.door, str(each)) for each in inside + outside] == [
        ("lmtp", "127.0.0.1:24"),
        ("smtp", "127.0.0.1:25"),
        ("smtp", "0.0.0.0:25"),
    ]
    with pytest.raises(Fault):
        Listening(smtp="0.0.0.0:25").places()


def test_nothing_is_taken_in_without_a_place_or_a_club(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert post.run("serve")[0] == 2
    assert "Say where to listen." in post.run("serve")[2]
    assert post.run("run --once --database=/nowhere/x.sqlite")[0] in {1, 70}
    assert post.files("in") == ["new"], "nothing is made before there is a club"
    assert post.run("serve -lmtp=127.0.0.1:0 --database=/nowhere/x.sqlite")[0] in {1, 70}
    monkeypatch.delenv("PBMSERV_MAILDIR")
    code, _, err = post.run("run --once")
    assert (code, "maildir" in err) == (70, True)


@pytest.mark.parametrize("is_many", [False, True])
def test_several_take_mails_in_where_the_database_lets_them(
    post: Post, monkeypatch: pytest.MonkeyPatch, *, is_many: bool
) -> None:
    shell = Settings(ShellOptions(database="postgresql://127.0.0.1/x" if is_many else post.url))
    taken: list[str] = []
    monkeypatch.setattr(Gateway, "receive", lambda *_: taken.append("here"))
    monkeypatch.setattr(Workers, "receive", lambda *_: taken.append("by a worker"))
    monkeypatch.setattr(Workers, "close", lambda _: taken.append("workers gone"))
    monkeypatch.setattr(Desk, "close", lambda _: taken.append("database let go"))
    listener = club_services.open_listener(shell, Log(shell, str), lambda: taken.append("done"))
    listener._receive(a_mail("help"), Envelope())
    listener._end()

    who, end = ("by a worker", "workers gone") if is_many else ("here", "database let go")
    assert taken == [who, "done", end]
    assert listener._hands._max_workers == (MAX_WORKERS if is_many else 1)


class Terminal:
    """A bar that notes what it shows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.shown: list[tuple[str, int, int] | str] = []
        monkeypatch.setattr(progress_bar, "time", self)
        monkeypatch.setattr(progress_bar._Bar, "_begin", lambda bar: (self.begun(bar._name), 7))

    def monotonic(self) -> float:
        return self.now

    def begun(self, name: str) -> "Terminal":
        self.shown.append(f"begun {name}")
        return self

    def update(self, task: int, *, completed: int, total: int) -> None:
        assert task == 7
        self.shown.append(f"{completed}/{total}")

    def stop(self) -> None:
        self.shown.append("gone")


def test_a_bar_comes_after_a_moment_and_goes_with_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal(monkeypatch)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar.progress_bar("pbmserv x"):
        tell = teller(lambda: 10)
        for now, done in (
            (100.0, 1),
            (100.4, 2),
            (100.5, 3),
            (100.55, 4),
            (100.6, 5),
            (100.61, 10),
            (100.62, 1),
            (100.72, 2),
        ):
            terminal.now = now
            tell(done)
    assert WATCH.get() is None
    assert terminal.shown == [
        "begun pbmserv x",
        "3/10",
        "5/10",
        "10/10",
        "gone",
        "begun pbmserv x",
        "2/10",
        "gone",
    ]


@pytest.mark.parametrize(("is_terminal", "kind"), [(False, "xterm"), (True, "dumb"), (True, None)])
def test_there_is_no_bar_where_nobody_could_see_it(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, kind: str | None
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.delenv("TERM", raising=False)
    if kind:
        monkeypatch.setenv("TERM", kind)
    with progress_bar.progress_bar("pbmserv x"):
        assert WATCH.get() is None


# Work that is shared out.


TASK = """
import os
def doubler(setting):
    return lambda number: [(setting, number * 2, os.getpid())] if number >= 0 else os._exit(1)
"""


@pytest.mark.costly
def test_tasks_are_shared_out_and_each_is_done_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "shared_task.py").write_text(TASK)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path.removesuffix(os.pathsep))
    found = list(side_processes.shared_out("shared_task:doubler", "a", range(9), 2))

    assert sorted(number for number, _ in found) == list(range(9))
    assert all(result[:2] == ("a", number * 2) for number, result in found)
    assert len({result[2] for _, result in found} - {os.getpid()}) == 2
    with pytest.raises(Fault, match="A worker process stopped unexpectedly"):
        list(side_processes.shared_out("shared_task:doubler", "a", [1, -1], 1))
    begun = side_processes.shared_out("shared_task:doubler", "a", range(9), 1)
    _, (_, _, pid) = next(begun)
    begun.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert side_processes.processors() == len(os.sched_getaffinity(0))

"""News in a shell: behind every answer on standard error, in JSON, and for whoever signed in."""

import sys
import time
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.printing import with_local_times
from pbmserv.engine.moments import Moment, TimedText, lines_of
from tests.in_process_shell import Shell
from tests.local_server import NOW

MESSAGE = "message bob secret-bob alice -text=hello"
READ = "Read and clear the news with: pbmserv news me\n"
NEWS = f"\nNews: bob writes: hello\n{READ}"


@pytest.fixture
def alice(playing: Shell) -> Shell:
    """The shell of alice, who is signed in and has a message from bob."""
    playing.run("login alice -", "secret-alice\n")
    playing.run(MESSAGE)
    return playing


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("line", ["account me", "star games me next", "star show 101", "list"])
def test_it_is_told_once_on_standard_error_after_whatever_comes_first(
    alice: Shell, line: str
) -> None:
    done = alice.run(line)

    assert (done.code, done.err) == (0, NEWS)
    assert "hello" not in done.out
    assert ["", ""] == [alice.run(each).err for each in (line, "account me")]
    alice.run(MESSAGE.replace("hello", "again"))
    assert alice.run(line).err == f"\nNews: bob writes: again\n... and 1 more.\n{READ}"


def test_after_an_hour_it_is_counted(alice: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.run("account me")
    told_at = int(time.time())
    counted = []
    for later in (3599, 3601, 3700, 7300, -9):
        monkeypatch.setattr(time, "time", lambda later=later: told_at + later)
        counted.append(alice.run("star show 101").err)

    once = f"\nUnread news: 1.\n{READ}"
    assert ["", once, "", once, once] == counted


def test_programs_take_nothing_from_who_sits_at_a_terminal(alice: Shell) -> None:
    for _ in range(2):
        assert len(alice.json("star show 101")["notices"]) == 1

    assert alice.run("star show 101").err == NEWS


@pytest.mark.parametrize(
    ("said", "read", "other"),
    [
        (MESSAGE, "messages me", "star chat 101 me"),
        ("star chat 101 bob secret-bob Boo!", "star chat 101 me", "messages me"),
    ],
)
def test_who_reads_what_was_said_need_not_read_it_as_news(
    playing: Shell, said: str, read: str, other: str
) -> None:
    playing.run("login alice -", "secret-alice\n")
    playing.run(said)
    playing.run("star chat 101 alice secret-alice mine")
    unread = [len(playing.json(line)["notices"]) for line in (other, read, "account me")]

    assert [1, 0, 0] == unread


def test_a_board_whose_chat_is_read_says_nothing_of_another(playing: Shell) -> None:
    playing.run("star challenge alice bob -size=3")
    playing.run("login alice -", "secret-alice\n")
    for board in (101, 102):
        playing.run(f"star chat {board} bob secret-bob Boo!")
    playing.run("star chat 102 me")

    assert [101] == [each["board"] for each in playing.json("account me")["notices"]]


@pytest.mark.usefixtures("alice")
def test_where_both_streams_are_one_it_stands_behind_the_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = tmp_path / "printed"
    with printed.open("a") as out, printed.open("a") as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        assert run(["star", "show", "101"]) == 0

    assert printed.read_text().startswith("Star Board 101")
    assert printed.read_text().endswith(NEWS)


def test_it_is_there_until_it_is_read(alice: Shell) -> None:
    alice.run("account me")
    read = alice.run("news me")

    assert read.err == ""
    assert read.out.endswith("message:\nbob writes: hello\n")
    assert alice.run("account me").err == ""


def test_programs_find_it_in_the_document(alice: Shell) -> None:
    notices = alice.json("star show 101")["notices"]

    assert [(notice["kind"], notice["text"]) for notice in notices] == [
        ("message", "bob writes: hello")
    ]


def test_many_are_told_in_short(alice: Shell) -> None:
    for _ in range(6):
        alice.run(MESSAGE)

    told = alice.run("account me").err

    assert told.count("News: ") == 5
    assert "\n... and 2 more.\n" in told


def test_the_oldest_are_told_first_each_on_a_line(alice: Shell) -> None:
    texts = [f"first {number}\nsecond" for number in range(5)]
    for text in texts:
        assert alice.run("message bob secret-bob alice -", text).code == 0
    told = [line for line in alice.run("account me").err.splitlines() if line]

    assert told[:-2] == [
        "News: bob writes: hello",
        *(f"News: bob writes: first {number} second" for number in range(4)),
    ]
    assert told[-2] == "... and 1 more."


def test_an_announcement_of_several_lines_is_told_on_one(alice: Shell) -> None:
    alice.run("news me")
    done = alice.run("admin announce -", "The server moves.\nOn Sunday.\n")

    assert done.code == 0
    assert "\nNews: The server moves. On Sunday.\n" in done.err


def test_show_tells_the_remarks_to_whoever_is_signed_in(alice: Shell) -> None:
    alice.run("star chat 101 bob secret-bob -text=Boo!")
    signed_in = alice.run("star show 101").out
    alice.run("logout")

    assert signed_in.rstrip().endswith("bob:\n| Boo!")
    assert "Boo!" not in alice.run("star show 101").out


def test_times_on_a_terminal_are_those_of_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    likeness = "2027-07-01 23:30 UTC"
    due = TimedText("alice must move by ", Moment(1_814_484_600), ": 2 d 4 h.")
    text = lines_of([due, f"| {likeness}"])
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    piped = with_local_times(text)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = with_local_times(text)
    monkeypatch.undo()
    time.tzset()

    assert f"alice must move by {likeness}: 2 d 4 h.\n| {likeness}" == piped == text
    assert f"alice must move by 2027-07-02 01:30 CEST: 2 d 4 h.\n| {likeness}" == shown


@pytest.mark.costly
@pytest.mark.parametrize("zone", ["AHEAD-14", "BEHIND+11"])
def test_the_zone_of_the_machine_changes_nothing_else(
    alice: Shell, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    alice.run("vacation me 3")
    lines = [
        *("star show 101", "star export 101", "calendar me", "account me", "admin audit"),
        *("admin games -since=2027-01-15", "admin games -since=2027-01-16"),
        *("admin show star 101", "admin moves star 101", "admin player alice", "vacation me"),
    ]
    told = []
    for name in ("UTC", zone):
        monkeypatch.setenv("TZ", name)
        time.tzset()
        told.append([alice.run(line) for line in lines])
    cup = alice.json("tournament create me star Cup -start=2027-01-17")
    monkeypatch.undo()
    time.tzset()

    assert told[0] == told[1]
    assert cup["starts"] == NOW + 40 * 3600, "midnight, UTC"

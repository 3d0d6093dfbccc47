"""What cron, a timer or a mail server runs: the exit code says whether all went well."""

import io
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from pbmserv.cli import start
from pbmserv.cli.start import mail_code
from pbmserv.club.puzzles import puzzles
from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import MAX_SIZE, Envelope
from tests.daemon.mail_receive_process import Installation, a_mail
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell

pytestmark = ONE_DATABASE

Break = Callable[[Installation, Shell], object]


@pytest.fixture
def home(playing: Shell, tmp_path: Path) -> Installation:
    """A folder for the mails of a club where one waits to be taken in and one to be sent."""
    here = Installation(tmp_path / "home", url=playing.url)
    for name, text in here.environ.items():
        if name.startswith("PBMSERV_MAIL"):
            playing.monkeypatch.setenv(name, text)
    playing.monkeypatch.chdir(here.folder)
    for part in ("new", "cur", "tmp"):
        (here.folder / "in" / part).mkdir(parents=True)
    (here.folder / "in" / "new" / "1.mail").write_bytes(a_mail("signup carol secret-carol"))
    playing.run("add alice secret-alice alice@example.org")
    playing.run("message bob secret-bob alice -text=hello")
    return here


def statement(text: str) -> Break:
    """Return what changes the database behind everybody's back."""

    def change(here: Installation, shell: Shell) -> None:
        del here
        with sqlite3.connect(shell.url) as connection:
            connection.execute(text)
        connection.close()

    return change


def spoil_keys(here: Installation, shell: Shell) -> None:
    del shell
    (here.folder / "mail.keys").write_text("{}")


def close_way_out(here: Installation, shell: Shell) -> None:
    del shell
    (here.folder / "out").write_text("no folder")


def add_robot(here: Installation, shell: Shell) -> None:
    """Have a board wait for a robot whose program nobody has named."""
    del here
    shell.run("admin robot add ada -program -games=star")
    shell.run("star challenge ada alice -size=3")


def make_file(here: Installation, shell: Shell) -> None:
    del shell
    (here.folder / "copy.sqlite").write_text("precious")


def fill_folder(here: Installation, shell: Shell) -> None:
    del shell
    (here.folder / "pages").mkdir()
    (here.folder / "pages" / "precious").write_text("not of our making")


newer = statement("UPDATE alembic_version SET version_num = '9999'")
maintenance = statement("INSERT INTO moment (name, at) VALUES ('maintenance', 1)")
spoil_clock = statement("UPDATE clock SET clock = 'zzz', due_at = 1")
spoil_move = statement("UPDATE move SET text = 'zzz'")
lose_player = statement("UPDATE match SET first_id = 77")
lose_table = statement("DROP TABLE seek")

WRONG: list[tuple[str, Break, int, str]] = [
    ("tick", spoil_clock, 70, "star 101: A stored clock cannot be read."),
    ("tick", add_robot, 70, "There is no program for this robot in the settings."),
    ("tick", maintenance, 1, "maintenance"),
    ("robots run -once", add_robot, 1, "There is no program for this robot in the settings."),
    ("mail run -once", spoil_keys, 1, "signing keys cannot be used"),
    ("mail send", close_way_out, 1, "cannot be written"),
    ("mail send -once", close_way_out, 1, "cannot be written"),
    ("backup copy.sqlite", make_file, 1, "exists already"),
    ("backup copy.sqlite", lose_player, 70, "No backup was made."),
    ("backup copy.sqlite -damaged", lose_player, 1, "rows name others that are not there"),
    ("admin check", spoil_move, 1, "star 101: "),
    ("admin forget", newer, 70, "made by a newer version"),
    ("db current", newer, 1, "schema: 9999"),
    ("db check", lose_table, 1, "add_table"),
    ("doctor", spoil_keys, 1, "signing keys cannot be used"),
    ("site pages", fill_folder, 1, "contains other files"),
    ("site pages", newer, 70, "made by a newer version"),
]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(("line", "broken", "code", "why"), WRONG)
def test_what_did_not_go_well_is_no_success_and_says_why(
    playing: Shell, home: Installation, line: str, broken: Break, code: int, why: str
) -> None:
    broken(home, playing)
    done = playing.run(line)

    assert done.code == code
    assert why in done.out + done.err


def test_a_tick_tells_what_was_due_and_what_came_of_it(playing: Shell) -> None:
    nothing = "reminders: 0, warnings: 0, vacation days taken: 0, games lost on time: 0"
    quiet = playing.run("tick")
    with closing(sqlite3.connect(playing.url)) as connection, connection:
        connection.execute("UPDATE clock SET due_at = 1")
    due = playing.json("tick")
    playing.run("admin robot add ada -level=14 -games=star")
    playing.run("star challenge ada alice -size=3")
    moved = playing.run("tick")

    assert (quiet.code, quiet.out, quiet.err) == (0, f"Boards due: 0; {nothing}.\n", "")
    assert due == {
        "due": 1,
        "reminders": 0,
        "warnings": 0,
        "vacation_days_taken": 0,
        "games_out_of_time": 0,
        "digests": 0,
        "robots": 0,
        "problems": [],
    }
    assert moved.out == f"Boards due: 0; {nothing}.\nMoves of robots: 1.\n"


def test_what_goes_on_until_it_is_stopped_says_at_once_what_went_wrong(
    playing: Shell, home: Installation
) -> None:
    add_robot(home, playing)
    stop = Event()
    playing.monkeypatch.setattr("pbmserv.daemon.club_services.stop_signal", lambda: stop)
    playing.monkeypatch.setattr(stop, "wait", stop.set)
    done = playing.run("robots run")

    assert (done.code, done.out) == (0, "")
    assert "There is no program for this robot in the settings." in done.err
    states = {letter["state"] for letter in playing.json("admin outbox")["letters"]}
    assert states == {"waiting"}, "letters are none of its business"


@pytest.mark.parametrize(
    ("line", "broken", "code", "word"),
    [
        ("tick", spoil_clock, 70, "problems"),
        ("tick", add_robot, 70, "problems"),
        ("mail send", close_way_out, 1, "stopped"),
    ],
)
def test_what_did_not_go_well_is_in_the_document_and_nowhere_else(
    playing: Shell, home: Installation, line: str, broken: Break, code: int, word: str
) -> None:
    broken(home, playing)
    done = playing.run(f"{line} --json")

    assert (done.code, done.err) == (code, "")
    assert done.document[word]


LOOKING_FURTHER = {"doctor"}
"""What looks at the mail server of this machine too, which may be set up otherwise."""


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("line", sorted({line for line, *_ in WRONG} - LOOKING_FURTHER))
@pytest.mark.usefixtures("home")
def test_what_goes_well_is_a_success(playing: Shell, line: str) -> None:
    done = playing.run(line)

    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize(
    ("broken", "code"), [(None, 0), (newer, 75), (maintenance, 75), (spoil_keys, 75)]
)
def test_a_mail_server_is_told_to_keep_what_was_not_dealt_with(
    playing: Shell, home: Installation, broken: Break | None, code: int
) -> None:
    if broken is not None:
        broken(home, playing)
    data = a_mail("signup carol secret-carol")
    playing.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert mail_code(["mail", "receive"]) == code
    assert playing.capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("size", "read"), [(1000, 1000), (MAX_SIZE + (3 << 20), MAX_SIZE + 1)])
def test_the_pipe_is_read_to_its_end_and_the_envelope_handed_on(
    playing: Shell, home: Installation, size: int, read: int
) -> None:
    del home
    taken: list[tuple[object, ...]] = []
    pipe = io.BytesIO(bytes(size))
    playing.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(pipe))
    playing.monkeypatch.setattr(
        Gateway, "receive", lambda _, data, *told: taken.append((len(data), *told))
    )
    words = ["-recipient=pbmserv+x@example.org", "-sender=alice@example.net"]

    assert mail_code(["mail", "receive", *words]) == 0
    assert taken == [(read, Envelope("pbmserv+x@example.org", "alice@example.net"), "pipe")]
    assert pipe.tell() == size


def test_what_came_of_a_mail_from_the_pipe_is_in_the_log_of_the_settings(
    playing: Shell, home: Installation
) -> None:
    log = home.folder / "mail.log"
    playing.monkeypatch.setenv("PBMSERV_MAIL_LOG", str(log))
    data = io.BytesIO(a_mail("help"))
    playing.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))

    assert mail_code(["mail", "receive"]) == 0
    assert (
        log.read_text().split(" ", 1)[1].startswith("pipe alice@example.net code=done command=help")
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [((0, None), 0), ((75, None), 75), ((None, None), 0), ((None, "key"), 75)],
    ids=["done", "kept", "not asked", "died"],
)
def test_a_mail_of_which_a_server_may_have_read_is_kept_unless_it_says_that_it_is_done(
    playing: Shell, home: Installation, answer: tuple[int | None, str | None], code: int
) -> None:
    playing.monkeypatch.setattr(start, "run_on_server", lambda _, *, streams: (streams, answer)[1])
    playing.monkeypatch.setattr(start, "_fall_silent", lambda: None)
    playing.monkeypatch.setattr("gc.disable", lambda: None)
    playing.monkeypatch.setattr("os._exit", sys.exit)
    # Of a mail that a server has read there is nothing left here.
    data = a_mail("signup carol secret-carol") if answer == (None, None) else b""
    playing.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(SystemExit) as ended:
        start._take_mail(["mail", "receive"])

    assert ended.value.code == code
    assert [*home.outcomes()] == (["done"] if data else [])


def test_puzzles_that_were_solved_are_counted_together(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.board.solved_puzzles.data_file", tmp_path.joinpath)
    texts = []
    for number in (17, 18):
        solution = puzzles()[number - 1].solution
        tries = (f"{number} solution", f"{number} {solution}", f"{number} {solution}")
        texts += [shell.run(f"puzzle {tried}").out for tried in tries]
    counts = [re.findall(r"Solved so far: (\d+) of (\d+)", text) for text in texts]

    whole = str(len(puzzles()))
    one, two = [("1", whole)], [("2", whole)]
    assert counts == [[], one, one, one, two, two]

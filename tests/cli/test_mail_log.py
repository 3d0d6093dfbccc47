"""What is noted of mails taken in: a line for people or programs, and never a mail's words."""

import io
import json
import os
import stat
from pathlib import Path

import pytest

from pbmserv.cli.options import ShellOptions
from pbmserv.cli.shell import Shell
from pbmserv.cli.start import mail_code, takes_mail
from pbmserv.daemon.mail_log import Log, note_failure
from pbmserv.errors import Fault, Missing
from pbmserv.mail.gateway import Handled

AT = "1970-01-02T00:00:00Z"
TRAIL = {"command": "star move", "board": "star/101", "letters": [17, 18]}
DONE = Handled("pipe", "done", "", "alice@example.net", "abc", True, "<1@example.net>", trail=TRAIL)
DROPPED = Handled("maildir", "dropped", "no-sender", digest="def")


def log(lines: list[str]) -> Log:
    shell = Shell(ShellOptions())
    shell.desk.world = shell.desk.world._replace(now=lambda: 86_400)
    return Log(shell, lines.append)


def test_people_read_a_line_for_each_mail_and_each_thing_that_went_wrong() -> None:
    lines: list[str] = []
    noted = log(lines)
    noted.handled(DONE)
    noted.handled(DROPPED)
    noted.handled(Handled("pipe", "done", sender="a\x07b@example.net"))
    noted.failed(Fault("The disk is full.", code="x"))
    noted.failed(ValueError("the words of a mail"))
    noted.say("Listening at \x1b[31m127.0.0.1.")

    assert lines == [
        (
            f'{AT} pipe alice@example.net code=done command="star move" board=star/101 '
            "message_id=<1@example.net> letters=17,18\n"
        ),
        f"{AT} maildir - code=dropped reason=no-sender\n",
        f"{AT} pipe a\N{REPLACEMENT CHARACTER}b@example.net code=done\n",
        f"{AT} The disk is full. code=x\n",
        f"{AT} internal error: ValueError code=defect\n",
        f"{AT} Listening at \N{REPLACEMENT CHARACTER}[31m127.0.0.1.\n",
    ]


def test_programs_read_a_document_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_LOG_FORMAT", "json")
    lines: list[str] = []
    noted = log(lines)
    noted.handled(DONE)
    noted.handled(DROPPED)
    noted.say("Listening.")

    assert all(line.endswith("}\n") for line in lines)
    assert [json.loads(line) for line in lines] == [
        {
            "at": AT,
            "level": "info",
            "door": "pipe",
            "code": "done",
            "sender": "alice@example.net",
            "digest": "abc",
            "has_token": True,
            "message_id": "<1@example.net>",
            **TRAIL,
        },
        {
            "at": AT,
            "level": "info",
            "door": "maildir",
            "code": "dropped",
            "reason": "no-sender",
            "digest": "def",
            "has_token": False,
        },
        {"at": AT, "level": "info", "notice": "Listening."},
    ]


def test_a_line_that_cannot_be_written_hinders_nobody() -> None:
    def fail(_: str) -> None:
        raise OSError

    noted = Log(Shell(ShellOptions()), fail)
    noted.handled(DONE)
    noted.say("Listening.")


@pytest.fixture
def system_log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said to the system's log; the settings are no file's."""
    said: list[str] = []
    monkeypatch.setattr("syslog.syslog", lambda level, line: said.append(f"<{level}>{line}"))
    monkeypatch.setenv("PBMSERV_CONFIG", os.devnull)
    return said


AWAY = Missing("No database\x07.", code="no-database")


def test_why_a_mail_was_kept_stands_in_the_log_of_the_settings(
    system_log: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mail.log"
    monkeypatch.setenv("PBMSERV_MAIL_LOG", str(file))
    note_failure(AWAY)
    monkeypatch.setenv("PBMSERV_LOG_FORMAT", "json")
    note_failure(KeyError("the words of a mail"))
    first, second = file.read_text().splitlines()

    failed = {"level": "error", "notice": "internal error: KeyError", "code": "defect"}
    assert first.partition(" ")[2] == "No database\N{REPLACEMENT CHARACTER}. code=no-database"
    assert json.loads(second) | {"at": ""} == {"at": "", **failed}
    assert first[10] == json.loads(second)["at"][10] == "T"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert system_log == []


@pytest.mark.parametrize("place", ["none", "syslog", "no folder", "broken settings"])
def test_without_a_log_of_ours_the_reason_goes_to_that_of_the_system(
    system_log: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    names = {"syslog": "syslog:", "no folder": str(tmp_path / "missing" / "mail.log")}
    monkeypatch.setenv("PBMSERV_MAIL_LOG", names.get(place, ""))
    monkeypatch.chdir(tmp_path)
    if place == "broken settings":
        monkeypatch.delenv("PBMSERV_MAIL_LOG")
        monkeypatch.setenv("PBMSERV_CONFIG", str(tmp_path / "typo.toml"))
    note_failure(AWAY)

    assert system_log == ["<3>No database\N{REPLACEMENT CHARACTER}. code=no-database"]
    assert [*tmp_path.iterdir()] == []


WORDS = [
    ("mail", "receive", "--nonsense"),
    ("--style=none", "mail", "receive"),
    ("mail", "--help", "receive", "--sender=alice@example.net"),
    ("mail", "receive", "surplus"),
    ("mail", "receive", "--recipient"),
    ("--database", "/nowhere/x.sqlite", "mail", "receive"),
    ("MAIL", "RECEIVE", "--json", "--nonsense"),
    ("mail", "--json", "receive", "--nonsense"),
    ("mail", "--style", "none", "receive"),
    ("-database", "/nowhere/x.sqlite", "mail", "receive"),
    ("mail", "receive", "--help"),
    ("mail", "receive", "-HELP", "--json"),
    ("--help", "mail", "receive"),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_words_that_are_not_understood_keep_the_mail_and_are_noted(
    system_log: list[str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = b"From: alice@example.net\nSubject: help\nMessage-ID: <1@example.net>\n\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(mail)))

    assert takes_mail([*words])
    assert mail_code([*words]) == 75
    is_help = any("help" in word.lower() for word in words)
    assert len(system_log) == (not is_help)
    assert all(line.startswith("<3>") for line in system_log)

"""What ``serve`` has done and how long it stays, without a process of its own."""

import math
import sys
from importlib.util import find_spec

import pytest

from pbmserv.cli.main import run
from pbmserv.commands.command_table import root
from pbmserv.daemon import resident_worker
from pbmserv.daemon.resident import idle_time_left
from pbmserv.daemon.resident_worker import WORKERS
from pbmserv.desk import loading
from pbmserv.engine.games import game_names
from pbmserv.store.store import PARTS

WAY = {"PBMSERV_MAILDIR": "/srv/in", "PBMSERV_MAIL_TRANSPORT": ""}
WAY_OUT = {"PBMSERV_MAILDIR": "", "PBMSERV_MAIL_TRANSPORT": "sendmail:/usr/sbin/sendmail"}
NO_WAY = {"PBMSERV_MAILDIR": "", "PBMSERV_MAIL_TRANSPORT": ""}


@pytest.mark.parametrize(
    ("words", "settings", "is_club"),
    [
        ((), WAY, True),
        ((), WAY_OUT, True),
        ((), NO_WAY, False),
        (("-club",), NO_WAY, True),
        (("-lmtp=127.0.0.1:8024",), NO_WAY, True),
        (("-idle=10",), WAY, False),
        (("-idle=10", "-club"), WAY, True),
    ],
)
def test_settings_and_words_say_whether_a_club_is_looked_after(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    settings: dict[str, str],
    is_club: bool,  # noqa: FBT001 - a row of the table
) -> None:
    for name, text in settings.items():
        monkeypatch.setenv(name, text)
    assert run(["serve", *words, "-unit"]) == 0

    assert is_club == ("WantedBy=default.target" in capsys.readouterr().out)


def test_who_has_a_command_to_do_has_all_the_time() -> None:
    moments = memoryview(bytearray(8 * WORKERS)).cast("d")
    moments[1] = math.inf

    assert idle_time_left(moments, 60.0)() == 60.0
    assert idle_time_left(moments, None)() == math.inf


def test_the_last_command_of_any_worker_counts() -> None:
    moments = memoryview(bytearray(8 * WORKERS)).cast("d")
    left = idle_time_left(moments, 60.0)
    assert left() <= 60.0
    moments[0] = 10.0**12

    assert left() == 60.0


def test_what_commands_load_when_they_need_it_is_loaded_once_for_all_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []
    games: list[str] = []
    for module in (resident_worker, loading):
        monkeypatch.setattr(module, "import_module", loaded.append)
    monkeypatch.setattr(loading, "find_game", games.append)
    monkeypatch.setattr("pbmserv.store.connection.cache_engines", lambda: None)
    resident_worker.load_all()

    targets = {f"pbmserv.{entry.target}".partition(":")[0] for entry in root().table.values()}
    parts = {part.module for part in PARTS.values()}
    assert {*loaded} >= {*resident_worker.LOADED_LATE, *loading.LOADED_LATE, *targets, *parts}
    assert all(name in sys.modules or find_spec(name) for name in loaded)
    assert games == [*game_names()]

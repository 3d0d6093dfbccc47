"""Backups made again and again: whole under their names, few, and true whatever happens to us."""

import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pbmserv.engine.moments import DAY, HOUR, MINUTE, utc
from pbmserv.errors import Fault, PbmservError, Refused
from pbmserv.store.faults import known
from pbmserv.store.files import backup as copies
from pbmserv.store.files.backup import restore_on_trial
from pbmserv.store.files.kept_backups import NAME, back_up_if_due, minutes_since_backup
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE
from tests.installed_program import own_environment, waited_for

from .sample_rows import NOW, add_player, new_match

Clock = Callable[[float], None]
LOCK = ".pbmserv-backup.lock"
MAKE = """import sys
from pbmserv.store.files.kept_backups import maker
print(*[words for wrong in maker(sys.argv[1])((sys.argv[2], 5)) for words in wrong])"""


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A function that sets the clock of backups."""
    return lambda now: monkeypatch.setattr(
        "pbmserv.store.files.kept_backups.time.time", lambda: now
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def names(folder: Path) -> list[str]:
    """Return what is in a folder of backups, but for the lock."""
    return sorted(file.name for file in folder.iterdir() if file.name != LOCK)


def name_of(at: int) -> str:
    return f"{utc(at):{NAME}}"


def pretend(folder: Path, *moments: int) -> None:
    """Put backups of these moments into the folder."""
    folder.mkdir(exist_ok=True)
    (folder / LOCK).touch()
    for at in moments:
        (folder / name_of(at)).write_bytes(b"an old one")


def start(url: str, folder: Path, *before: str) -> "subprocess.Popen[str]":
    words = [*before, sys.executable, "-c", MAKE, url, str(folder)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=own_environment())


def test_a_backup_is_made_when_it_is_due_and_holds_everything(
    store: Store, database_url: str, folder: Path, set_clock: Clock
) -> None:
    for now in (NOW, NOW + HOUR - 1, NOW + HOUR):
        set_clock(now + 0.7)
        with store.writing() as records:
            add_player(records, f"p{now}")
        back_up_if_due(database_url, str(folder), 60)
    made = [restore_on_trial(folder / name) for name in names(folder)]

    assert names(folder) == [name_of(NOW), name_of(NOW + HOUR)]
    assert [(each.boards, each.accounts, each.wrong) for each in made] == [(0, 1, []), (0, 3, [])]
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in names(folder)} == {0o600}
    assert minutes_since_backup(str(folder), NOW + HOUR + 30) == 0.5


@ONE_DATABASE
def test_the_newest_of_hours_days_and_months_are_kept(
    database_url: str, folder: Path, set_clock: Clock
) -> None:
    now = NOW + 59 * MINUTE  # 08:59 on January 15th
    pretend(folder, *range(now - 40 * DAY, now, 30 * MINUTE))
    pretend(folder, *range(now - 900 * DAY, now, 30 * DAY))
    (folder / "before-the-upgrade.sqlite").touch()
    set_clock(now)
    back_up_if_due(database_url, str(folder), 5)
    mine, *kept = names(folder)
    evenings = [NOW - NOW % DAY - MINUTE - number * DAY for number in range(1, 6)]

    assert mine == "before-the-upgrade.sqlite"
    assert kept[-24:] == [name_of(now - number * HOUR) for number in range(23, -1, -1)]
    assert kept[-29:-24] == sorted(map(name_of, evenings))
    assert len({name[: len("pbmserv-202701")] for name in kept}) == 12
    assert len(kept) == 24 + 5 + 11


@ONE_DATABASE
def test_a_clock_that_goes_back_loses_no_backup_and_stops_none(
    database_url: str, folder: Path, set_clock: Clock
) -> None:
    later = [NOW + number * DAY for number in range(1, 60)]
    pretend(folder, NOW - HOUR, *later)
    set_clock(NOW)
    back_up_if_due(database_url, str(folder), 60)

    assert names(folder) == [name_of(at) for at in (NOW - HOUR, NOW, *later)]
    assert minutes_since_backup(str(folder), NOW) == 0


@ONE_DATABASE
@pytest.mark.parametrize("code", ["database-full", "wrong"])
def test_what_fails_leaves_the_backups_of_before_and_nothing_else(
    database_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    def fail(*_: object) -> object:
        if code == "wrong":
            return copies.Restored(1, 1, None, ["a table is missing"])
        raise known(code, "the folder")

    before = [NOW - number for number in range(90)]
    pretend(folder, *before)
    monkeypatch.setattr("pbmserv.store.files.kept_backups.restore_on_trial", fail)
    with pytest.raises(Fault) as caught:
        back_up_if_due(database_url, str(folder), 5)

    assert caught.value.code == ("backup-failed" if code == "wrong" else code)
    assert names(folder) == sorted(map(name_of, before))


@ONE_DATABASE
def test_of_a_damaged_database_there_is_no_backup(database_url: str, folder: Path) -> None:
    pretend(folder, NOW)
    Path(database_url).write_bytes(Path(database_url).read_bytes()[:20_000])
    with pytest.raises(PbmservError):
        back_up_if_due(database_url, str(folder), 5)

    assert names(folder) == [name_of(NOW)]


@ONE_DATABASE
def test_a_folder_with_files_of_others_is_left_alone(database_url: str, folder: Path) -> None:
    folder.mkdir()
    (folder / name_of(NOW)).touch()
    with pytest.raises(Refused) as caught:
        back_up_if_due(database_url, str(folder), 5)

    assert caught.value.code == "folder-in-use"
    assert names(folder) == [name_of(NOW)]


@pytest.mark.slow
def test_several_daemons_make_one_backup(database_url: str, folder: Path) -> None:
    started = [start(database_url, folder) for _ in range(4)]
    said = [each.communicate(timeout=60)[0] for each in started]

    assert said == ["\n"] * 4
    assert len(names(folder)) == 1


@pytest.mark.slow
@ONE_DATABASE
def test_a_kill_at_any_moment_leaves_whole_backups_alone(
    store: Store, database_url: str, folder: Path
) -> None:
    new_match(store)
    chance = random.Random(7)
    pretend(folder, NOW - 900 * DAY)
    for _ in range(12):
        process = start(database_url, folder)
        waited_for(lambda: [*folder.glob("trial-*")], while_runs=process)
        time.sleep(chance.random() * 0.4)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for name in names(folder):
            if name.startswith("pbmserv-20") and name != name_of(NOW - 900 * DAY):
                assert restore_on_trial(folder / name).boards == 1
                (folder / name).unlink()
    done = start(database_url, folder).communicate()[0]

    assert done == "\n"
    assert len(names(folder)) == 2  # the old one and the new one: what was left is gone


@pytest.mark.slow
@ONE_DATABASE
def test_a_full_disk_is_told_and_leaves_nothing(database_url: str, folder: Path) -> None:
    pretend(folder, NOW - 900 * DAY)
    limited = start(database_url, folder, "sh", "-c", 'ulimit -f 60; exec "$@"', "sh")

    assert limited.communicate()[0].startswith("No backup was made: ")
    assert names(folder) == [name_of(NOW - 900 * DAY)]

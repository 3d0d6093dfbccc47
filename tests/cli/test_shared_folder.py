"""A club in a folder that a group shares: whoever makes a file makes it the group's."""

import os
import shlex
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.mail.keyring import Keyring
from tests.in_process_shell import Shell

GROUP = 54_321
"""The number of a group that nobody is in but the users of these tests."""


@pytest.fixture(params=[0o077, 0o022], ids=["umask 077", "umask 022"])
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder as the help page says it is to be made, for a user with this umask."""
    folder = tmp_path / "club"
    folder.mkdir()
    folder.chmod(0o2770)
    before = os.umask(request.param)
    yield folder
    os.umask(before)


@pytest.fixture
def own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], club: Path, cheap: None
) -> Shell:
    """A shell that keeps its games in that folder."""
    del cheap
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(club / "games.sqlite"))
    monkeypatch.setenv("PBMSERV_CONFIG", os.devnull)
    shell = Shell(str(club / "games.sqlite"), monkeypatch, capsys)
    shell.run("signup alice secret-alice")
    return shell


def modes(folder: Path) -> dict[str, str]:
    return {
        path.name: f"{stat.S_IMODE(path.stat().st_mode):04o}" for path in sorted(folder.iterdir())
    }


def problems(shell: Shell) -> dict[str, str]:
    facts = shell.run("doctor --json").document["facts"]
    return {fact["name"]: fact["problem"] for fact in facts if fact["name"].endswith(" mode")}


@pytest.mark.costly
def test_every_file_made_in_it_belongs_to_the_group(own: Shell, club: Path) -> None:
    for line in (
        f"backup {club}/copy.sqlite",
        f"restore {club}/copy.sqlite --yes",
    ):
        assert own.run(line).code == 0
    Keyring(club / "mail.keys").signing_keys(0)

    assert {
        "copy.sqlite": "0660",
        "games.sqlite": "0660",
        "games.sqlite.before-restore-1": "0660",
        "games.sqlite.lock": "0660",
        "games.sqlite.lock-next": "0660",
        "mail.keys": "0660",
    } == modes(club)


@pytest.mark.costly(stay=1)
def test_doctor_accepts_it(own: Shell) -> None:
    assert {
        "folder mode": "",
        "file mode": "",
        "lock mode": "",
        "lock-next mode": "",
    } == problems(own)


@pytest.mark.costly(stay=1)
def test_doctor_tells_what_the_group_cannot_use(own: Shell, club: Path) -> None:
    (club / "games.sqlite").chmod(0o600)
    (club / "games.sqlite.lock").chmod(0o640)
    found = problems(own)

    assert found["file mode"] == "its group shares the folder: it should be 0660"
    assert found["lock mode"] == "its group shares the folder: it should be 0660"
    assert found["lock-next mode"] == ""


@pytest.mark.costly(stay=1)
def test_in_any_other_folder_files_stay_private(own: Shell, club: Path) -> None:
    for mode in (0o700, 0o2775, 0o770):
        club.chmod(mode)
        own.run(f"backup {club}/copy-{mode:o}.sqlite")

    assert {"0600"} == {mode for name, mode in modes(club).items() if name.startswith("copy")}
    assert problems(own)["file mode"] == "other users can read it"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can enter, as those of tests are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def run_as(user: int, group: int, line: str) -> int:
    """Run a command in a process of another user; return its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 99
    try:
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
        os.umask(0o077)
        code = run(shlex.split(line))
    finally:
        os._exit(code)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as several users")
def test_users_of_the_group_play_and_another_user_sees_nothing(
    own: Shell, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is loaded by now need not be readable for them.
    own.run("signup bob secret-bob")
    own.run("star challenge -size=3 alice bob")
    own.run("star move 101 alice secret-alice C1")
    own.run("star show 101")
    folder = open_folder / "club"
    folder.mkdir()
    os.chown(folder, -1, GROUP)
    folder.chmod(0o2770)
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(folder / "games.sqlite"))
    codes = [
        run_as(50_001, GROUP, "signup alice secret-alice"),
        run_as(50_002, GROUP, "signup bob secret-bob"),
        run_as(50_001, GROUP, "star challenge -size=3 alice bob"),
        run_as(50_001, GROUP, "star move 101 alice secret-alice C1"),
        run_as(50_002, GROUP, "star move 101 bob secret-bob C2"),
        run_as(50_003, GROUP + 1, "star show 101"),
    ]

    assert [0, 0, 0, 0, 0, 70] == codes
    assert {"0660"} == set(modes(folder).values())
    assert {GROUP} == {path.stat().st_gid for path in folder.iterdir()}
    assert {50_001} == {path.stat().st_uid for path in folder.iterdir()}

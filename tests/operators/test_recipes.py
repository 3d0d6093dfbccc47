"""What ``mail setup`` prints does what it says, as far as the programs it is for are here."""

import re
import shlex
import subprocess
from pathlib import Path
from shutil import which

import pytest

from pbmserv.operators.mail_recipes import Machine, recipe_for
from pbmserv.operators.recipe_steps import RECIPES
from pbmserv.settings import load
from tests import databases
from tests.daemon.mail_receive_process import ALICE, Installation, a_mail

pytestmark = pytest.mark.slow


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    return Installation(tmp_path / "server")


def recipe(here: Installation, server: str) -> str:
    done = here.run("mail", "setup", server)

    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def file_in(recipe: str, name: str) -> str:
    """Return what a step writes into a file."""
    return recipe.partition(f"{name} <<'END'\n")[2].partition("END\n")[0]


@pytest.mark.parametrize("has_apt", [True, False])
def test_the_program_comes_with_what_compiles_it_or_is_told_what_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, has_apt: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("pbmserv.operators.mail_recipes._is_reachable", lambda _: False)
    step = re.split(r"(?m)^# \d+\. ", recipe_for("postfix"))[1]
    for name, code in (("apt-get", 0 if has_apt else 100), ("python3", 0)):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name}: $*"\nexit {code}\n')
        (tmp_path / name).chmod(0o755)
    script = "".join(f"{line}\n" for line in step.splitlines()[1:] if "/pip install " not in line)
    words = ["env", "-i", f"PATH={tmp_path}", "/bin/sh", "-e", "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True)

    assert "Install the program" in step.splitlines()[0]
    lost = "Without a C compiler and the headers of Python the computer is about 30 times slower."
    assert done.stdout.splitlines() == [
        "apt-get: install -y python3-venv python3-dev gcc",
        *([] if has_apt else [lost]),
        "python3: -m venv /opt/pbmserv",
    ]


def test_a_program_from_a_folder_comes_with_the_libraries_that_it_lists(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "my source"
    (source / ".github").mkdir(parents=True)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("pbmserv.operators.mail_recipes._is_reachable", lambda _: False)
    monkeypatch.setattr("pbmserv.operators.mail_recipes._source", lambda: str(source))
    without = recipe_for("postfix")
    (source / ".github" / "requirements.txt").touch()
    told = recipe_for("postfix")

    assert f"/opt/pbmserv/bin/pip install '{source}'\n" in without
    assert (
        f"/opt/pbmserv/bin/pip install --require-hashes -r '{source}/.github/requirements.txt'\n"
        f"/opt/pbmserv/bin/pip install --no-deps --no-build-isolation '{source}'\n"
    ) in told


@pytest.mark.parametrize("server", RECIPES)
def test_every_recipe_is_numbered_and_a_script(here: Installation, server: str) -> None:
    text = recipe(here, server)
    numbers = [int(number) for number in re.findall(r"(?m)^# (\d+)\. ", text)]
    read = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)

    assert numbers == list(range(1, len(numbers) + 1))
    assert (read.returncode, read.stderr) == (0, b"")
    assert 'mail_address = "pbmserv@example.org"' in text


def test_a_password_in_a_setting_is_copied_and_never_printed(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = here.folder / "club.toml"
    config.write_text('vacation_days = 20\nmail_keys = "/old"\n')
    url = "smtp://club:canary-8f3b-word@mail.example.org"
    environ = here.environ | {"PBMSERV_MAIL_TRANSPORT": url, "PBMSERV_CONFIG": str(config)}
    for name, text in environ.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    steps = re.split(r"(?m)^# \d+\. ", recipe_for("postfix"))
    (step,) = (step for step in steps if step.startswith("Write the settings"))
    for _ in range(2):
        subprocess.run(["bash", "-e", "-c", f"# {step}"], env=environ, check=True)
    lines = config.read_text().splitlines()
    config.unlink()

    assert url not in "".join(steps)
    assert sorted(lines) == [
        f'database_url = "{here.database}"',
        'mail_address = "pbmserv@example.org"',
        f'mail_keys = "{here.folder}/mail.keys"',
        f'mail_log = "{here.folder}/mail.log"',
        f"mail_transport = '{url}'",
        f'maildir = "{here.folder}/in"',
        "vacation_days = 20",
    ]


@pytest.mark.parametrize("address", ["", "ada@example.org"])
def test_programs_of_robots_are_copied_as_the_lines_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    config, copied = tmp_path / "club.toml", tmp_path / "etc.toml"
    programs = f'robot_programs.ada = ["/usr/games/ada", "\\"é {address}"]\n'
    config.write_text(f'{programs}robot_programs."eve.x" = ["/usr/games/eve"]\nrobot_seconds = 9\n')
    monkeypatch.setenv("PBMSERV_CONFIG", str(config))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    machine = Machine(is_maildir=False, is_pipe=False)
    machine.config = copied
    step = machine.settings_step().replace(f"-o {machine.user} ", "")
    subprocess.run(["bash", "-e", "-c", f"# {step}"], check=True)
    old, new = (load({"PBMSERV_CONFIG": str(each)}) for each in (config, copied))

    assert ("/usr/games/ada" in step) == (not address)
    for name in ("robot_programs", "robot_seconds"):
        assert new[name].text == old[name].text
        assert new[name].origin == str(copied)


UNDER_A_HEADER = """\
mail_out = 'maildir:/out'
robot_seconds = 9

[robot_programs]
ada = [
  "/usr/games/ada",
  "--cell=C3",
]
"eve.x" = ["/usr/games/eve", "a@example.org"]
"""


@pytest.mark.parametrize("is_copied", [True, False])
@pytest.mark.parametrize("mark", ["@", " at "])
def test_settings_are_added_to_a_file_with_programs_under_a_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str, *, is_copied: bool
) -> None:
    config, copied = tmp_path / "club.toml", tmp_path / "etc.toml"
    config.write_text(UNDER_A_HEADER.replace("@", mark))
    old = load({"PBMSERV_CONFIG": str(config)})
    monkeypatch.setenv("PBMSERV_CONFIG", str(config))
    monkeypatch.setenv("PBMSERV_MAIL_TRANSPORT", "smtp://club:word@example.org")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    machine = Machine(is_maildir=True, is_pipe=True)
    machine.config = copied if is_copied else config
    step = machine.settings_step().replace(f"-o {machine.user} ", "")
    for _ in range(2):
        subprocess.run(["bash", "-e", "-c", f"# {step}"], check=True)
        new = load({"PBMSERV_CONFIG": str(machine.config)})

    for name in ("robot_programs", "robot_seconds"):
        assert new[name].text == old[name].text
    assert new["mail_transport"].text == "smtp://club:word@example.org"
    assert new["mail_address"].text == "pbmserv@example.org"
    assert not new["mail_transport"].is_renamed


@pytest.mark.parametrize(
    ("words", "environ", "outcome"),
    [
        (("pbmserv@example.org", ALICE), {}, "done"),
        (("pbmserv@example.org", ""), {}, None),
        ((), {"RECIPIENT": "pbmserv@example.org", "SENDER": ALICE}, "done"),
        ((), {"RECIPIENT": "pbmserv@example.org", "SENDER": ""}, None),
        (("pbmserv@example.org", ""), {"SENDER": ALICE}, None),
    ],
)
def test_the_script_of_the_pipe_hands_on_who_writes_to_whom(
    here: Installation, words: tuple[str, ...], environ: dict[str, str], outcome: str | None
) -> None:
    script = here.folder / "receive"
    text = file_in(recipe(here, "exim"), "/usr/local/lib/pbmserv-receive")
    script.write_text(text.replace("/usr/local/sbin/pbmserv", shlex.quote(str(here.program))))
    script.chmod(0o755)
    done = subprocess.run(
        [script, *words],
        input=a_mail("help"),
        env={**here.environ, **environ},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert here.outcomes() == ([outcome] if outcome else []), "ignored mail is only counted"


def test_the_script_of_the_pipe_says_75_for_whatever_fails(here: Installation) -> None:
    text = file_in(recipe(here, "postfix-pipe"), "/usr/local/lib/pbmserv-receive")
    missing = text.replace("/usr/local/sbin/pbmserv", "/nowhere/pbmserv")
    done = subprocess.run(["sh", "-c", missing], capture_output=True, check=False)

    assert "/nowhere/pbmserv" in missing
    assert done.returncode == 75


@pytest.mark.skipif(not which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(here: Installation, tmp_path: Path) -> None:
    text = recipe(here, "postfix")
    names = re.findall(r"cat > (/etc/systemd/system/\S+)", text)
    units = [tmp_path / Path(name).name for name in names]
    for unit, name in zip(units, names, strict=True):
        unit.write_text(file_in(text, name).replace("/usr/local/sbin/pbmserv", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, check=False
    )
    told = [line for line in done.stderr.decode().splitlines() if str(tmp_path) in line]

    assert len(units) == 1
    assert (done.returncode, told) == (0, [])

"""What the README says of commands holds, and what is said of new games."""

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pbmserv import __version__
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.engine.games import game_names
from tests.generators.manual import PROGRAMS, PROJECT
from tests.generators.readme_film import PICTURE, drawn

from .installed_program import own_environment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "pbmserv" / "ARCHITECTURE.md").read_text(encoding="utf-8")
NEW_GAME = "fringe"


def block(mark: str, page: str = README) -> str:
    """Return the text between the fences behind a mark."""
    found = re.search(rf"<!-- {re.escape(mark)} -->\n```\w+\n(.*?)\n```\n", page, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("mark", ["play", "test"])
def test_a_newcomer_needs_one_line(mark: str) -> None:
    line = block(mark)

    assert "\n" not in line
    assert line.startswith("python3 -c 'import pbmserv' && python3 -m venv .venv && ")


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["play", "test"])
def test_a_newcomer_with_an_old_python_reads_one_sentence(mark: str, tmp_path: Path) -> None:
    old = f'exec "{sys.executable}" -c "import sys; sys.version_info = (3, 10, 13); $2"\n'
    (tmp_path / "pbmserv").symlink_to(ROOT / "pbmserv")
    (tmp_path / "python3").write_text(f"#!/bin/sh\n{old}")
    (tmp_path / "python3").chmod(0o700)
    done = subprocess.run(
        ["bash", "-c", block(mark)],
        cwd=tmp_path,
        env=own_environment(PATH=f"{tmp_path}:/usr/bin:/bin"),
        capture_output=True,
        text=True,
        check=False,
    )

    said = "pbmserv needs Python 3.11 or newer; this is Python 3.10.\n"
    assert (1, "", said) == (done.returncode, done.stdout, done.stderr)
    assert not (tmp_path / ".venv").exists()


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    topics = {*topic_names()} - {"index", *game_names()}

    assert targets
    assert [] == [target for target in targets if not (ROOT / target).exists()]
    assert [] == [topic for topic in topics if f"help/{topic}.txt" not in targets]


def test_the_map_has_every_folder() -> None:
    folders = [path.parent.name for path in ROOT.glob("pbmserv/*/__init__.py")]

    assert [] == [folder for folder in folders if f"| `{folder}/` |" not in ARCHITECTURE]


def test_a_whole_game_plays_itself_and_is_soon_loaded() -> None:
    assert drawn() == PICTURE.read_text(encoding="utf-8")
    assert "](help/game.svg)" in README
    assert PICTURE.stat().st_size <= 150_000


def test_games_are_the_programs_that_the_index_promises() -> None:
    games = dict.fromkeys(("star", "starstar", "starweb", "polyy"), "pbmserv.cli.start:game")

    assert {"pbmserv": "pbmserv.cli.start:pbmserv", **games} == PROGRAMS
    assert "shared-scripts" not in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "so are starstar, starweb and polyy" in " ".join(read_page("index").split())


@pytest.fixture(scope="module")
def programs_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with nothing but the programs, by what the project says of them."""
    wheel = tmp_path_factory.mktemp("wheel") / "programs-1-py3-none-any.whl"
    started = "".join(f"{name} = {function}\n" for name, function in PROGRAMS.items())
    kinds = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(wheel, "w") as files:
        folder = "programs-1.dist-info"
        files.writestr(f"{folder}/METADATA", "Metadata-Version: 2.1\nName: programs\nVersion: 1\n")
        files.writestr(f"{folder}/WHEEL", kinds)
        files.writestr(f"{folder}/entry_points.txt", f"[console_scripts]\n{started}")
        files.writestr(f"{folder}/RECORD", "")
    return wheel


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a b", f"{'of' * 70}/{'many' * 35}"], ids=["blank", "long"])
def test_programs_start_in_a_folder_of_any_name(
    name: str, programs_alone: Path, tmp_path: Path
) -> None:
    """A ``#!`` line ends at a blank or after 255 bytes: what installers write goes round it."""
    folder = tmp_path / name
    folder.mkdir(parents=True)
    (folder / "pbmserv").symlink_to(ROOT / "pbmserv")
    libraries = f"PYTHONPATH={shlex.quote(':'.join(filter(None, sys.path)))}"
    line = block("play").replace("-q .", f"-q --no-index {shlex.quote(str(programs_alone))}")
    line = line.replace(
        " && .venv/bin/pbmserv demo", f" || exit; export {libraries}; .venv/bin/star -h"
    )
    done = subprocess.run(
        ["bash", "-c", f"{line} && .venv/bin/pbmserv --version"],
        cwd=folder,
        env=own_environment(PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("Syntax: star COMMAND ...\n")
    assert f"\npbmserv {__version__}" in done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program and its tests with the game of CONTRIBUTING in it."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in (".ci", "pbmserv", "migrations", "help", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / file, copy)
    game, rival = block(f"{NEW_GAME}.py", CONTRIBUTING), block("rivals.py", CONTRIBUTING)
    (copy / "pbmserv" / "engine" / "games" / f"{NEW_GAME}.py").write_text(f"{game}\n")
    with (copy / "tests" / "engine" / "rivals.py").open("a") as rivals:
        rivals.write(f"\n\n{rival}\n")
    for line in block("kept", CONTRIBUTING).splitlines():
        run_in(copy, *shlex.split(line)[1:])
    return copy


def run_in(copy: Path, *words: str) -> str:
    database = str(copy / "games.sqlite")
    environ = own_environment(PYTHONPATH=str(copy), PBMSERV_DATABASE_URL=database)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env=environ,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


RUN = """
import shlex, sys
from pbmserv.cli.main import run
for line in sys.argv[1:]:
    run(shlex.split(line))
"""

SESSION = {
    f"help {NEW_GAME}": "-size=3..20",
    f"{NEW_GAME} help": "Fringe is played on a triangle",
    f"{NEW_GAME} preview new -size=5 E1 C4": ".[O].",
    f"{NEW_GAME} score new --x='G1 G7' --o=F4": "X: 2   O: 0",
    "signup alice correct-horse": "Welcome, alice",
    "signup bob battery-staple": "Welcome, bob",
    f"{NEW_GAME} challenge -size=5 alice bob": "New Fringe Board 101",
    f"{NEW_GAME} move 101 alice correct-horse E1": "X: 1   O: 0",
    f"{NEW_GAME} export 101": "game: fringe(size=5)",
}
"""Lines, and what each prints, among other things."""


@pytest.mark.slow
def test_a_game_is_one_file(copy: Path) -> None:
    printed = run_in(copy, "-c", RUN, *SESSION)

    for expected in SESSION.values():
        _, found, printed = printed.partition(expected)
        assert found == expected


@pytest.mark.slow
def test_all_tests_of_games_hold_for_a_new_one(copy: Path) -> None:
    files = [path for path in (copy / "tests").rglob("test_*.py") if path.name != "test_readme.py"]
    of_games = [str(path) for path in files if "game_names(" in path.read_text(encoding="utf-8")]
    listed = run_in(copy, "-m", "pytest", "--collect-only", "-q", *of_games).splitlines()
    # Those of one game are chosen for this one, and those of none for what they ask of all games.
    chosen = [
        name
        for name in listed
        if "::" in name and NEW_GAME in re.split(r"\W", name.partition("[")[2] or NEW_GAME)
    ]
    (copy / "chosen").write_text("\n".join(chosen), encoding="utf-8")

    assert any(f"[{NEW_GAME}]" in name for name in chosen)
    run_in(copy, "-m", "pytest", "-n", "0", "@chosen")

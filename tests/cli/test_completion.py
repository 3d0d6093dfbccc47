"""The tab key: scripts for three shells, and words completed in a real bash."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPTS = Path(sys.executable).parent
PROGRAMS = ("pbmserv", "star")


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])
    # A database that cannot be opened: completion must not try to.
    return {"PATH": path, "LC_ALL": "C.UTF-8", "PBMSERV_DATABASE_URL": "/dev/null/none", **more}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("shell", "mark"),
    [("bash", "complete -o nosort"), ("zsh", "#compdef"), ("fish", "complete --no-files")],
)
def test_the_script_for_a_shell_is_printed(program: str, shell: str, mark: str) -> None:
    variable = f"_{program.upper()}_COMPLETE"
    done = subprocess.run(
        [SCRIPTS / program],
        env=environment(**{variable: f"{shell}_source"}),
        capture_output=True,
        text=True,
        check=True,
    )

    assert mark in done.stdout
    assert variable in done.stdout
    assert done.stderr == ""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("star ch", ["challenge", "chat"]),
        ("star sho", ["show", "showas"]),
        ("star challenge --si", ["--size"]),
        ("star score --ex", ["--explain"]),
        ("pbmserv sign", ["signup", "signoff"]),
        ("pbmserv star ch", ["challenge", "chat"]),
        ("pbmserv starw", ["starweb"]),
        ("pbmserv admin mo", ["moves"]),
        ("pbmserv change pa", ["password"]),
        ("star move 101 m", ["me"]),
        ("star games m", ["me"]),
        ("star challenge m", ["me"]),
        ("star nonsense", []),
    ],
)
def test_bash_completes_the_last_word(line: str, words: list[str]) -> None:
    program, *rest = line.split()
    script = f"""
    eval "$(_{program.upper()}_COMPLETE=bash_source {program})"
    COMP_WORDS=({line}) COMP_CWORD={len(rest)}
    _{program}_completion {program}
    echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert words == done.stdout.split()

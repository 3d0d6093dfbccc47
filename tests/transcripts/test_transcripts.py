"""The sessions in the manual, in the README and beside this file print what they say."""

import shutil
from pathlib import Path

import pytest

from pbmserv.commands.page_examples import read_steps

from .bash_sessions import Way, run_steps

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
FILES = [
    ROOT / "README.md",
    ROOT / "help" / "tutorial.txt",
    ROOT / "help" / "pictures.txt",
    ROOT / "help" / "computer.txt",
    *sorted((ROOT / "help").glob("strategy*.txt")),
    *sorted(Path(__file__).parent.glob("*.txt")),
]
STARTED = "README.md"
"""The text whose commands, alone, are always started; those of others only with ``--full``."""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("is_served", [False, True], ids=["alone", "served"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_commands_print_what_the_text_says(
    file: Path,
    is_served: bool,  # noqa: FBT001 - pytest names what it gives
    tmp_path: Path,
    full: bool,  # noqa: FBT001
) -> None:
    steps = list(read_steps(file.read_text(encoding="utf-8").splitlines()))

    alone = Way.STARTED if full or file.name == STARTED else Way.FORKED
    way = Way.SERVED if is_served else alone

    assert steps
    for step, printed in zip(steps, run_steps(steps, tmp_path.resolve(), way), strict=True):
        assert (step.command, step.expected) == (step.command, printed)

"""The engine as a library: its page is typed in as it stands, where nothing but Python is."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbmserv.commands.help_files import help_folder
from tests.installed_program import own_environment

PAGE = Path(help_folder(), "library.txt")
ROOT = Path(__file__).parents[2]

ALONE = """
import doctest, sys
sys.path.append(sys.argv[1])
failed, tried = doctest.testfile(sys.argv[2], module_relative=False)
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("pbmserv.")}
foreign = {name.split(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(failed, tried > 40, sorted(rooms), sorted(foreign))
"""


def test_the_page_has_ten_examples_that_are_true() -> None:
    text = PAGE.read_text(encoding="utf-8")
    chapters = [chapter for chapter in text.split("\n\n\n") if ">>>" in chapter]
    found = doctest.testfile(str(PAGE), module_relative=False)

    assert 10 == len(chapters)
    assert (0, True) == (found.failed, found.attempted > 40)


@pytest.mark.slow
def test_the_examples_need_nothing_but_python() -> None:
    """Without installed packages, and without the compiled kernel's help."""
    words = ["-I", "-S", "-c", ALONE, str(ROOT), str(PAGE)]
    done = subprocess.run(
        [sys.executable, *words], env=own_environment(), capture_output=True, text=True, check=True
    )

    expected = "0 True ['computer', 'engine', 'errors'] ['__main__', 'pbmserv']"
    # The compiled kernel brings modules of its own, under names that no file has.
    found = re.sub(r"'(?:_cython_\w+|cython_runtime|__mp_main__)', ", "", done.stdout.strip())
    assert expected == found

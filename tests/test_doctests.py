import doctest
from importlib import import_module
from pathlib import Path

import pytest

import pbmserv

ROOT = Path(pbmserv.__file__).parents[1]
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in Path(pbmserv.__file__).parent.rglob("*.py")
    if "    >>> " in file.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.failed == 0
    assert found.attempted > 0

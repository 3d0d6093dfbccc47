import doctest
import pkgutil
from importlib import import_module

import pytest

import pbmserv.computer
import pbmserv.engine

MODULES = [
    name
    for room in (pbmserv.engine, pbmserv.computer)
    for name in (
        room.__name__,
        *(module.name for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")),
    )
    if not name.rpartition(".")[2].startswith("_")  # what is compiled has the same examples
]
MODULES += [
    f"pbmserv.club.{name}"
    for name in ("clock", "matching", "pairing", "time_limits", "tournament_standings")
]
MODULES += [f"pbmserv.commands.{name}" for name in ("filling", "guess", "slots", "synonyms")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert sum(doctest.testmod(import_module(name)).attempted for name in MODULES) >= 25

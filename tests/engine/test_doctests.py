import doctest
import pkgutil
from importlib import import_module

import pytest

import pbmserv.engine

MODULES = [
    "pbmserv.engine",
    *(module.name for module in pkgutil.walk_packages(pbmserv.engine.__path__, "pbmserv.engine.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    assert sum(doctest.testmod(import_module(name)).attempted for name in MODULES) >= 8

"""Every mutant can still be made; ``python -m tests.mutants`` sees that each is caught."""

import ast

import pytest

from .faults import faults_of
from .program_copy import ROOT, mutated
from .table import MUTANTS, Mutant


@pytest.mark.costly(stay=14)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.file)
def test_a_mutant_changes_one_line_of_its_file(mutant: Mutant) -> None:
    sound = (ROOT / "pbmserv" / mutant.file).read_text(encoding="utf-8")
    changed = mutated(sound, mutant)

    ast.parse(changed)
    assert changed != sound
    assert all((ROOT / "tests" / test).is_file() for test in mutant.tests)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.file)
def test_a_mutant_is_none_that_a_random_fault_makes(mutant: Mutant) -> None:
    sound = (ROOT / "pbmserv" / mutant.file).read_text(encoding="utf-8")
    changed = mutated(sound, mutant)
    place = next(
        at for at, pair in enumerate(zip(sound, changed, strict=False)) if len({*pair}) > 1
    )
    line = sound.count("\n", 0, place) + 1
    near = (fault.put_into(sound) for fault in faults_of(sound) if abs(fault.line - line) < 10)

    assert program(changed) not in map(program, near)


def program(text: str) -> str:
    """Return what a text says to Python, whatever its blanks."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""

"""Every mutant can still be made; ``python -m tests.mutants`` sees that each is caught."""

import ast

import pytest

from .program_copy import ROOT, mutated
from .table import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.file)
def test_a_mutant_changes_one_line_of_its_file(mutant: Mutant) -> None:
    sound = (ROOT / "pbmserv" / mutant.file).read_text(encoding="utf-8")
    changed = mutated(sound, mutant)

    ast.parse(changed)
    assert changed != sound
    assert all((ROOT / "tests" / test).is_file() for test in mutant.tests)


def test_every_room_has_a_mutant() -> None:
    rooms = {path.parent.name for path in (ROOT / "pbmserv").glob("*/__init__.py")}

    assert rooms <= {mutant.file.partition("/")[0] for mutant in MUTANTS}
    assert len(MUTANTS) >= 30

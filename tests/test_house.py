"""The program does not grow unless an issue says by how much: ceilings that only fall.

A ceiling rises only in the commit that uses a budget, with a line under "How large the program may
be" in DECISIONS.md. ``python -m tests.bench.house`` prints all figures.
"""

from pathlib import Path

import pytest

from tests.bench.house import figures
from tests.bench.path_of_a_move import (
    COLUMNS,
    STAR_MOVE,
    start_boards,
    walk_in_a_process,
    without_mail,
)
from tests.daemon.mail_receive_process import Installation
from tests.test_architecture import sources

CEILINGS = {
    "lines": 63_358,
    "files": 352,
    "bytes of templates, scripts and data": 380_800,
    "late imports": 182,
    "lines of golden text": 8_719,
}
"""What each figure may be at most."""

WALK_CEILINGS = {"calls": 645, "files": 65, "file changes": 274, "room changes": 117}
"""The same of the walk of ``star move``."""

SLACK = 1.01
"""A ceiling may be so many times its figure: what was taken away is not to be filled again."""


def test_the_program_is_no_larger_than_its_ceilings() -> None:
    found = figures(sources("pbmserv"))
    assert CEILINGS.keys() == found.keys()
    assert {} == {name: figure for name, figure in found.items() if figure > CEILINGS[name]}


def test_a_ceiling_falls_with_its_figure() -> None:
    found = figures(sources("pbmserv"))
    assert {} == {name: figure for name, figure in found.items() if figure * SLACK < CEILINGS[name]}


@pytest.mark.slow
def test_a_move_walks_no_further_than_its_ceilings(tmp_path: Path) -> None:
    here = Installation(tmp_path)
    start_boards(here)
    walk, _ = walk_in_a_process(STAR_MOVE, without_mail(here))
    found = dict(zip(COLUMNS, walk, strict=True))
    assert {} == {name: found[name] for name, most in WALK_CEILINGS.items() if found[name] > most}

"""What the tests of mail may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests import databases
from tests.mail.postoffice import PostOffice
from tests.planted_secrets import canaries_in

MEMORY = Path("/dev/shm")  # noqa: S108 - a name of its own is made in it


@pytest.fixture
def office(sqlite_template: Path, tmp_path: Path) -> Iterator[PostOffice]:
    """A server that is reached by mail alone."""
    opened = PostOffice(databases.copy_template(sqlite_template, tmp_path / "database"))
    yield opened
    opened.close()


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """A folder whose disk is memory, where there is such a one: a sync there takes no time."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)
        assert canaries_in(Path(folder)) == []

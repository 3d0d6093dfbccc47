"""What the tests of mail may ask for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import databases
from tests.mail.postoffice import PostOffice


@pytest.fixture
def office(sqlite_template: Path, tmp_path: Path) -> Iterator[PostOffice]:
    """A server that is reached by mail alone."""
    opened = PostOffice(databases.copy_template(sqlite_template, tmp_path / "database"))
    yield opened
    opened.close()

"""What the tests of mail may ask for."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pbmserv.render import png
from tests import databases
from tests.mail.server_by_mail import ClubByMail

# A picture takes a tenth of a second: the boards of many tests look alike.
png._of_letter = cache(png._of_letter.__wrapped__)


@pytest.fixture
def office(sqlite_template: Path, tmp_path: Path) -> Iterator[ClubByMail]:
    """A server that is reached by mail alone."""
    opened = ClubByMail(databases.copy_template(sqlite_template, tmp_path / "database"))
    yield opened
    opened.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all users may enter, unlike those of the tests."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / "machine").mkdir()
        yield Path(name) / "machine"

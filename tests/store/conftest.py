from collections.abc import Iterator

import pytest

from pbmserv.store.store import Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store of each kind without a row."""
    opened = Store.open(database_url)
    yield opened
    opened.close()

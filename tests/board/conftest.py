"""What tests of the board may ask for."""

import pytest

from .thinking_thread import threads

__all__ = ["thinking", "threads"]


@pytest.fixture(params=["thread", pytest.param("process", marks=pytest.mark.slow)])
def thinking(request: pytest.FixtureRequest) -> None:
    """Think in a thread, and where there is time for it in the process that it is."""
    if request.param == "thread":
        request.getfixturevalue("threads")

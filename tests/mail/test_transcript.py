"""The games of the manual are played as it says."""

import pytest

from tests.mail.transcript import PAGE, page


@pytest.mark.slow
def test_the_games_of_the_manual_are_played_as_it_says() -> None:
    assert page() == PAGE.read_text(encoding="ascii"), "run: python -m tests.mail.transcript"

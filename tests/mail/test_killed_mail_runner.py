"""What a runner that is killed over and over has done in the end: everything, and once."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pbmserv.store.mail.outbox import LetterState
from tests import databases
from tests.daemon.mail_receive_process import Installation
from tests.faults.two_players import problems

from .killed_mail_runner import Club, Storm

pytestmark = pytest.mark.slow


def test_no_mail_is_lost_and_none_acted_upon_twice(
    sqlite_template: Path, tmp_path: Path, *, full: bool
) -> None:
    boards, moves, kills = (200, 50, 200) if full else (3, 12, 4)
    databases.copy_template(sqlite_template, tmp_path / "server")
    here = Installation(tmp_path / "server")
    storm = Storm(Club(here, boards), Random(boards))
    storm.run(moves, kills)
    kept = storm.club.letters()
    letters = kept[LetterState.SENT]
    print(f"{kills} kills, {storm.out.total() - letters} letters left twice")

    assert [storm.club.cells[:moves]] * boards == storm.club.held()
    assert Counter(done=boards * moves) == Counter(here.outcomes())
    assert [] == list(storm.spool.shunted())
    # Of what waited for one player about one board the newest went, in the place of the others.
    assert 2 * boards * (moves + 1) == letters + kept[LetterState.DROPPED]
    # One that had left when the runner was killed may have been dropped for a newer one.
    assert letters <= len(storm.out) == len({message_id for _, message_id in storm.out})
    assert storm.out.total() - letters <= kills
    assert [] == problems(here.database)

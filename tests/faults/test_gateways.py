"""Several gateways and shells before one database: every mail and every move exactly once."""

from collections import Counter
from pathlib import Path

import pytest

from pbmserv.store.mail.outbox import LetterState
from pbmserv.store.operator_lists import Filter
from tests import databases
from tests.daemon.mail_receive_process import Installation
from tests.own_postgresql import OwnServer, own_server

from .gateways import Scene, letters_out, scene
from .killed_servers import CELLS
from .two_players import audited, moves_of, opened, problems, set_up

pytestmark = pytest.mark.slow

SHELLS = 4


def play(server: OwnServer, folder: Path, *, size: dict[str, int]) -> tuple[Installation, Scene]:
    """Play all boards to the end of the moves asked for, and send what letters are left."""
    here = Installation(folder, url=server.url)
    (folder / "out" / "new").mkdir(parents=True)
    databases.create(here.database)
    found = scene(here, server, boards=size["boards"], kills=size["shell_kills"])
    set_up(here.database, boards=SHELLS)
    try:
        found.run(size["moves"], size["shell_moves"], size["kills"], size["stops"])
        assert [gateway.stop() for gateway in found.gateways] == [0] * len(found.gateways)
    finally:
        for gateway in found.gateways:
            gateway.process.kill()
    while waiting(here):
        assert here.run("mail", "send").returncode == 0
    return here, found


def waiting(here: Installation) -> int:
    """Have what a dead sender had claimed sent at once; return how many letters wait."""
    with opened(here.database) as store, store.writing() as records:
        left = records.lists.letters(Filter(status="waiting")).rows
        for letter in left:
            records.outbox.retry(letter.id, letter.created_at)
    return len(left)


def test_every_mail_and_every_move_is_done_once_whatever_dies(
    tmp_path: Path, *, full: bool
) -> None:
    size = {"boards": 2, "moves": 4, "kills": 3, "stops": 2, "shell_moves": 3, "shell_kills": 1}
    if full:
        size = {
            "boards": 8,
            "moves": 40,
            "kills": 30,
            "stops": 10,
            "shell_moves": 80,
            "shell_kills": 15,
        }
    boards, moves = size["boards"], size["moves"]
    with own_server() as server:
        here, found = play(server, tmp_path / "server", size=size)
        left = Counter(letters_out(here.folder / "out"))
        kept = found.club.letters()
        letters = kept[LetterState.SENT]
        print(
            f"{boards * moves} mails, {found.given_twice} given twice, "
            f"{found.brought_again} brought again, {left.total() - letters} letters left twice"
        )

        assert [found.club.cells[:moves]] * boards == found.club.held()
        assert Counter(done=boards * moves) == Counter(here.outcomes())
        for shell in found.shells:
            assert list(CELLS[: size["shell_moves"]]) == shell.acknowledged
            assert shell.acknowledged == moves_of(here.database, shell.board)
        with opened(here.database) as store:
            assert boards * moves + SHELLS * size["shell_moves"] == audited(store, "move")
        # Of what waited for one player about one board the newest went, in the place of the others.
        assert 2 * boards * (moves + 1) == letters + kept[LetterState.DROPPED]
        # One that left before its runner was killed may have been told once more in a newer one.
        assert letters <= len(left) == len({message_id for _, message_id in left})
        assert left.total() - letters <= size["kills"] + len(found.gateways) * size["stops"]
        assert [] == problems(here.database)

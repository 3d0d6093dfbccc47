"""A board of the server at the screen: what is wished there is done by commands as ``me``."""

from collections.abc import Sequence
from typing import Any

import pytest

from pbmserv.board import server_host
from pbmserv.board.play_session import Intent
from pbmserv.board.server_host import ServerBoard, ServerHost
from pbmserv.commands.answer import Answer
from pbmserv.engine.position import Side
from pbmserv.errors import Refused
from tests.databases import ONE_DATABASE
from tests.local_server import LocalServer

pytestmark = ONE_DATABASE


class Door(server_host.ServerConnection):
    """The door as one player's."""

    def __init__(self, local: LocalServer, userid: str) -> None:
        self.local = local
        self.userid = userid

    def ask(self, words: Sequence[str]) -> Answer:
        """Do a command as the player."""
        if list(words) == ["whoami"]:
            return Answer((), {"userid": self.userid})
        mine = [*words[: words.index("me")], self.userid, f"secret-{self.userid}"]
        if words[0] == "all":
            mine.pop()  # a list that anybody may see
        return self.local.ask([*mine, *words[words.index("me") + 1 :]])

    def change_stamp(self, game: str, number: int) -> tuple[int, int]:
        """Return what differs after each change."""
        with self.local.desk.store.reading() as records:
            found = records.matches.find(game, number)
            assert found is not None
            said = records.published.said([found.id]).get(found.id, [])
        return found.revision, len(said)

    def review(self, _game: str, _number: int) -> dict[str, Any]:
        """Return what somebody has found who looked back."""
        return {"settled_at": None, "looks": []}


def test_what_is_wished_at_a_board_is_done_there_and_told(local: LocalServer) -> None:
    place = ServerBoard("star", local.start("-size=3"))
    alice, bob = (ServerHost(Door(local, name), place) for name in ("alice", "bob"))
    notes = [
        alice.perform(Intent("move", "C2")),
        alice.perform(Intent("say", "Good luck, -1!")),
        alice.perform(Intent("propose", "3-2")),
    ]

    assert ["", "Said.", "Proposed."] == notes
    assert bob.look() is not None
    assert bob.look() is None
    offered = bob.view()
    assert ([Side.O], [Side.X]) == ([*offered.mine], [*alice.view().mine])
    assert "Good luck, -1!" in "\n".join(offered.said)
    assert offered.offer
    assert "3-2" in offered.acceptance
    assert "Rejected." == bob.perform(Intent("reject"))
    assert "" == bob.view().offered
    assert "Asked for an undo." == alice.perform(Intent("undo"))
    assert "You ask to undo C2." == alice.view().offer_line
    assert "Withdrawn." == alice.perform(Intent("reject"))
    assert "Asked for an undo." == alice.perform(Intent("undo", "1"))
    bob.perform(Intent("look"))
    assert "Rejected." == bob.perform(Intent("reject"))
    bob.perform(Intent("move", "B2"))
    with pytest.raises(Refused):
        bob.perform(Intent("move", "C1"))
    assert "Planned: D1:D2" == bob.perform(Intent("plan", "D1:D2"))
    alice.perform(Intent("look"))
    alice.perform(Intent("move", "D1"))
    bob.look()

    assert ["C2", "B2", "D1", "D2"] == [*bob.view().record.texts]
    assert bob.record().texts == ("C2", "B2", "D1", "D2")
    alice.perform(Intent("look"))
    alice.perform(Intent("resign"))
    assert alice.view().record.outcome is not None
    assert (True, frozenset()) == (alice.review is not None, alice.view().mine)
    assert bob.review is None


def test_the_next_board_is_the_one_after_this_where_it_is_one_s_turn(local: LocalServer) -> None:
    boards = [local.start("-size=3") for _ in range(3)]
    host = ServerHost(Door(local, "alice"), ServerBoard("star", boards[1]))
    seen = []
    for _ in range(3):
        assert "Next board." == host.perform(Intent("next"))
        seen.append(host.place.number)
    for board in boards[:2]:
        local.move(board, "alice", "C2")
    host.place = ServerBoard("star", boards[2])
    with pytest.raises(Refused) as caught:
        host.perform(Intent("next"))

    assert [boards[2], boards[0], boards[1]] == seen
    assert "no-board" == caught.value.code

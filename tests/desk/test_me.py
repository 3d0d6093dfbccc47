"""Who me is at the door, what may be done where, and what a shell is told besides."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.words import split_line
from pbmserv.desk.door import TimeAndChance
from pbmserv.desk.request import Request
from pbmserv.errors import CarriedOut, Fault, Refused
from pbmserv.services.session import Source
from pbmserv.store.operator_lists import Filter
from tests.databases import ONE_DATABASE
from tests.local_server import DAY, LocalServer

pytestmark = ONE_DATABASE


@dataclass
class Pocket:
    """Where a test keeps a key."""

    key: str | None = None
    life: int | None = None

    def read(self) -> str | None:
        return self.key

    def keep(self, key: str) -> None:
        self.key = key

    def drop(self) -> None:
        self.key = None


@dataclass
class Shells:
    """The shells of alice and bob, each with a key of their own."""

    local: LocalServer
    pockets: dict[str, Pocket]

    def ask(self, userid: str, line: str, **more: Any) -> Answer:
        words = {"keys": self.pockets[userid], **more}
        return self.local.desk.handle(Request(tuple(split_line(line)), **words))

    def code(self, userid: str, line: str, **more: Any) -> str:
        with pytest.raises(Refused) as caught:
            self.ask(userid, line, **more)
        return caught.value.code

    def used_at(self, userid: str) -> int:
        with self.local.desk.store.reading() as records:
            found = records.signin_keys.find(self.pockets[userid].key or "", self.local.clock.now())
        assert found is not None
        return found.used_at


@pytest.fixture
def shells(local: LocalServer) -> Shells:
    local.desk.tree = root(SHELL, shell_families())
    local.start()
    local.play(101, "C1 C2")
    found = Shells(local, {"alice": Pocket(), "bob": Pocket()})
    for userid in found.pockets:
        found.ask(userid, f"login {userid} secret-{userid}")
    return found


def test_me_is_whoever_signed_in_at_this_shell(shells: Shells) -> None:
    assert "not-your-turn" == shells.code("bob", "star move 101 me B3")
    shells.ask("alice", "star move 101 me B3")
    shells.ask("bob", "star move 101 me D2")

    assert ["C1", "C2", "B3", "D2"] == shells.local.show(101)["moves"]
    assert "me-by-mail" == shells.code("alice", "star move 101 me A3", keys=None)
    shells.ask("alice", "logout")
    assert "not-signed-in" == shells.code("alice", "star move 101 me A3")
    shells.ask("bob", "star showas me 101")


def test_a_missing_board_is_told_before_a_missing_key(shells: Shells) -> None:
    shells.ask("alice", "logout")

    assert "no-such-board" == shells.code("alice", "star move 999 me A3")


def test_a_key_is_noted_as_used_once_a_day_and_none_of_another(shells: Shells) -> None:
    first = shells.local.clock.now()
    for hours in (1, 22):
        shells.local.clock.seconds += hours * 3600
        shells.ask("alice", "star showas me 101")
    assert first == shells.used_at("alice")
    shells.local.clock.seconds += 3600
    shells.ask("alice", "star showas me 101")
    assert first + DAY == shells.used_at("alice")
    assert first == shells.used_at("bob")
    shells.local.clock.seconds += 3600
    shells.ask("alice", "star show 101")
    shells.local.do("star showas bob secret-bob 101")
    assert (first + DAY, first) == (shells.used_at("alice"), shells.used_at("bob"))
    shells.local.clock.seconds += 2 * DAY
    shells.ask("alice", "star showas me 101")
    shells.local.do("star showas bob secret-bob 101")
    assert first == shells.used_at("bob")


@pytest.mark.parametrize("line", ["star showas {} 101", "star move 101 {} B3"])
def test_a_suspended_player_does_nothing_by_password_or_key(shells: Shells, line: str) -> None:
    shells.local.damage("UPDATE player SET suspended_at = 1 WHERE userid = 'alice'")

    assert "suspended" == shells.code("alice", line.format("me"))
    assert "suspended" == shells.local.code(line.format("alice secret-alice"))
    shells.ask("bob", "star showas me 101")


@pytest.mark.parametrize("line", ["star games me", "star history me", "star standings me"])
def test_a_suspended_player_does_not_even_look_as_me(shells: Shells, line: str) -> None:
    shells.local.damage("UPDATE player SET suspended_at = 1 WHERE userid = 'alice'")

    assert "suspended" == shells.code("alice", line)
    assert shells.ask("bob", line).ok


def test_what_is_unread_is_told_in_the_shell_of_its_player_alone(shells: Shells) -> None:
    shells.local.do("star chat 101 bob secret-bob -text=hello")

    assert 1 == len(shells.ask("alice", "star show 101").notices or ())
    assert () == tuple(shells.ask("bob", "star show 101").notices or ())
    assert shells.ask("alice", "star show 101", source=Source.GATE).notices is None
    assert 1 == len(shells.local.do("star showas alice secret-alice 101").notices or ())


@pytest.mark.parametrize("source", [Source.GATE, Source.MAIL])
def test_only_a_shell_writes_files(shells: Shells, source: Source, tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    line = f"star preview new C3 -size=3 -svg={path}"

    assert "done" != shells.code("alice", line, source=source)
    assert not path.exists()
    shells.ask("alice", line)
    assert path.exists()


def test_what_an_operator_does_is_done_in_maintenance_and_nothing_else(shells: Shells) -> None:
    with shells.local.desk.store.writing() as records:
        records.maintenance.begin(shells.local.clock.now())
    for line in ("star move 101 me B3", "star challenge alice bob -size=3"):
        with pytest.raises(Fault):
            shells.ask("alice", line)
    with pytest.raises(Fault):
        shells.local.do("star move 101 alice secret-alice B3")
    shells.ask("alice", "admin suspend bob")
    shells.ask("alice", "star show 101")
    assert ["C1", "C2"] == shells.local.show(101)["moves"]


def test_a_right_password_forgets_the_wrong_ones_of_its_player_alone(shells: Shells) -> None:
    pauses: list[float] = []
    local = shells.local
    local.desk.world = TimeAndChance(now=local.clock.now, sleep=pauses.append)
    for userid in ("alice", "bob"):
        for _ in range(9):
            with pytest.raises(Refused):
                local.do(f"star showas {userid} wrong-word 101")
    pauses.clear()
    for line in ("alice secret-alice", "alice secret-alice", "bob secret-bob"):
        local.do(f"star showas {line} 101")

    assert 2 == len(pauses)
    assert all(pause > 0 for pause in pauses)


def test_what_else_is_refused_counts_against_nobody(shells: Shells) -> None:
    pauses: list[float] = []
    local = shells.local
    local.desk.world = TimeAndChance(now=local.clock.now, sleep=pauses.append)
    for _ in range(5):
        with pytest.raises(Refused):
            local.do("star move 999 alice secret-alice B3")
        with pytest.raises(Refused):
            local.do("star move 101 alice secret-alice C1")
    local.do("star move 101 alice secret-alice B3")

    assert [] == pauses


def test_what_was_done_under_a_key_is_not_refused_when_it_comes_again(shells: Shells) -> None:
    move = "star move 101 me B3"
    shells.ask("alice", move, key="0f")
    with pytest.raises(CarriedOut):
        shells.ask("alice", move, key="0f")

    assert "not-your-turn" == shells.code("alice", move, key="1f")
    assert "not-your-turn" == shells.code("alice", move)


def test_a_refusal_is_audited_with_its_player_and_its_board(shells: Shells) -> None:
    for line in ("star move 101 alice wrong-word B3", "star move 101 bob secret-bob B3"):
        with pytest.raises(Refused):
            shells.local.do(line)
    with shells.local.desk.store.reading() as records:
        newest, before = records.lists.audit(Filter(limit=2)).rows

    assert ("move", "not-your-turn") == (newest.verb, newest.outcome)
    assert ("bob", "star", 101) == (newest.userid, newest.game, newest.number)
    assert ("wrong-login", None, 101) == (before.outcome, before.userid, before.number)


def test_a_gate_is_its_players_while_their_account_is_open(shells: Shells) -> None:
    at_gate = {"source": Source.GATE, "acts_as": "alice"}
    shells.ask("bob", "star move 101 me B3", **at_gate)
    shells.local.damage("UPDATE player SET status = 'closed' WHERE userid = 'alice'")

    assert "no-such-player" == shells.code("bob", "star move 101 me B3", **at_gate)
    assert "no-such-player" == shells.code(
        "bob", "star showas me 101", source=Source.GATE, acts_as="nobody"
    )


def test_a_changed_password_is_the_only_right_one_in_a_process_that_knows_the_old(
    shells: Shells,
) -> None:
    local = shells.local
    local.do("star showas alice secret-alice 101")
    local.do("change password alice secret-alice another-secret")

    assert "wrong-login" == local.code("star move 101 alice secret-alice B3")
    assert "wrong-login" == local.code("star showas alice secret-alice 101")
    local.do("star move 101 alice another-secret B3")
    assert "wrong-login" == local.code("star showas bob another-secret 101")


def test_who_signed_the_last_command_is_known_until_the_next(local: LocalServer) -> None:
    local.start("-size=3")
    signed = []
    for line in (
        "star move 101 alice secret-alice C2",
        "star show 101",
        "digest bob secret-bob on",
        "star show 101",
        "star showas alice secret-alice 101",
    ):
        local.do(line)
        signed.append(local.desk.signer and local.desk.signer.userid)

    assert ["alice", None, "bob", None, "alice"] == signed
    assert "wrong-login" == local.code("digest bob wrong-secret on")
    assert local.desk.signer is None

"""Random commands of random players through the door, against a simple model of it."""

import shlex
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pbmserv.club.match_check import findings
from pbmserv.errors import Refused
from tests import databases
from tests.local_server import LocalServer, Tables

from .board_model import CELLS, DONE, Board

pytestmark = pytest.mark.slow

PLAYERS = st.sampled_from(["alice", "bob", "bob", "alice", "carol"])
BOARDS = st.sampled_from([101, 101, 101, 102, 103, 104, 999])
VOTES = ["propose", "undo", "undo 2", "undo 1", "accept", "accept", "reject", "resign"]
TURNS = [*CELLS, *CELLS, "c2", "pass", "--", "-", "swap", "swap", "ZZ99", "E1", "", "🌟"]
TEXTS = st.sampled_from([*TURNS, *VOTES])
GUARDS = st.one_of(st.none(), st.none(), st.none(), st.integers(1, 6))
GARBAGE = st.lists(st.sampled_from(["star", "move", "101", "alice", "secret", "#", "-x=1", ""]))


class Door(RuleBasedStateMachine):
    """Three players, some boards of the smallest size, and whatever they send."""

    new_house: ClassVar[Callable[[], LocalServer]]

    def __init__(self) -> None:
        super().__init__()
        self.local = type(self).new_house()
        self.local.sign_up("alice", "bob", "carol")
        self.boards: dict[int, Board] = {}
        self.entries = len(self.local.audit())
        self.challenge("alice", "bob", maxi=False)

    def teardown(self) -> None:
        with self.local.desk.store.reading() as records:
            matches = [records.matches.find("star", number) for number in self.boards]
            wrong = [findings(m) + records.matches.wrong_columns(m) for m in matches if m]
        self.local.desk.close()

        assert wrong == [[]] * len(self.boards)

    def send(self, *words: str) -> str:
        """Return how the line ended, having seen that a refusal changed nothing."""
        before: Tables = self.local.tables()
        try:
            self.local.do(shlex.join(words))
        except Refused as error:
            assert self.local.tables() == before

            return error.code
        return DONE

    def expect(self, expected: str, *words: str) -> None:
        assert self.send(*words) == expected

        self.entries += 1

    @rule(x=PLAYERS, o=PLAYERS, maxi=st.booleans())
    def challenge(self, x: str, o: str, maxi: bool) -> None:  # noqa: FBT001
        if len(self.boards) < 4:
            options = ["-maxi"] if maxi else []
            self.expect(DONE, "star", "challenge", "-size=3", x, o, *options)
            self.boards[101 + len(self.boards)] = Board(x, o, maxi)

    @rule(number=BOARDS, player=PLAYERS, text=TEXTS, guard=GUARDS)
    def move(self, number: int, player: str, text: str, guard: int | None) -> None:
        board = self.boards.get(number)
        expected = "no-such-board" if board is None else board.request(player, text, guard)
        word = text if guard is None else f"{text}#{guard}"
        words = word.split(" ")
        self.expect(expected, "star", "move", str(number), player, f"secret-{player}", *words)

    @rule(number=BOARDS, cell=st.sampled_from(CELLS))
    def play_on(self, number: int, cell: str) -> None:
        """Have whoever is to move play, so that games get on."""
        board = self.boards.get(number)
        if board is not None and board.status == "running":
            player = board.players[board.document()["to_move"]]
            self.move(number, player, cell, None)

    @rule(number=BOARDS, player=PLAYERS, text=st.sampled_from(TURNS), guard=GUARDS)
    def submit(self, number: int, player: str, text: str, guard: int | None) -> None:
        board = self.boards.get(number)
        expected = "no-such-board" if board is None else board.submit(player, text, guard)
        word = text if guard is None else f"{text}#{guard}"
        self.expect(expected, "star", "submit", str(number), player, f"secret-{player}", word)

    @rule(number=BOARDS, player=PLAYERS)
    def confirm(self, number: int, player: str) -> None:
        board = self.boards.get(number)
        expected = "no-such-board" if board is None else board.confirm(player)
        self.expect(expected, "star", "confirm", str(number), player, f"secret-{player}")

    @rule(number=BOARDS, player=st.sampled_from(["alice", "nobody"]), text=TEXTS)
    def use_a_wrong_password(self, number: int, player: str, text: str) -> None:
        expected = "wrong-login" if number in self.boards else "no-such-board"
        self.expect(expected, "star", "move", str(number), player, "secret-wrong", text)

    @rule(words=GARBAGE)
    def send_garbage(self, words: list[str]) -> None:
        assert self.send(*words) != DONE

        self.entries = len(self.local.audit())

    @invariant()
    def every_board_is_as_the_model_says(self) -> None:
        for number, board in self.boards.items():
            expected = board.document()
            shown = self.local.show(number)
            shown["stones"] = {side: sorted(cells) for side, cells in shown["stones"].items()}

            assert {key: shown[key] for key in expected} == expected

    @invariant()
    def submissions_are_kept_and_each_change_is_counted(self) -> None:
        with self.local.desk.store.reading() as records:
            names = {player.id: player.userid for player in records.lists.players().rows}
            for number, board in self.boards.items():
                match = records.matches.find("star", number)
                assert match is not None
                kept = {names[player]: text for player, text in match.submissions.items()}

                assert (kept, match.revision) == (board.submitted, board.changes)

    @invariant()
    def every_request_has_its_line_in_the_audit(self) -> None:
        assert len(self.local.audit()) == self.entries


@pytest.mark.parametrize(("kind", "examples"), [("sqlite", 8), ("postgresql", 2)])
def test_the_door_keeps_to_the_model(
    kind: str, examples: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    numbers = count()

    def new_house() -> LocalServer:
        if kind == "sqlite":
            template = request.getfixturevalue("sqlite_template")
            return LocalServer(databases.copy_template(template, tmp_path / str(next(numbers))))
        server = databases.require(request.getfixturevalue("postgresql"))
        url = request.getfixturevalue("postgresql_template")
        server.wipe(url)
        return LocalServer(url)

    machine = type("Machine", (Door,), {"new_house": staticmethod(new_house)})
    full = bool(request.config.getoption("--full"))
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples * (40 if full else 1),
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

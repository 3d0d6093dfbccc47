"""The order of checks: of two reasons against a move the sender is told the first."""

import ast
import inspect

import pytest

from pbmserv.desk import mail_desk
from pbmserv.errors import Misunderstood
from pbmserv.store.store import Store
from tests.local_server import LocalServer

# Each fault of a line, in the order in which the faults are to be told.
WORDS = "bad-guard"
BOARD = "no-such-board"
LOGIN = "wrong-login"
OVER = "game-over"
STRANGER = "not-a-player"
NUMBER = "wrong-move-number"
VOTE = "no-offer"
TURN = "not-your-turn"
SWAP = "swap-not-allowed"
LEGAL = "occupied"


def line(
    *,
    board: int = 101,
    userid: str = "alice",
    password: str = "",
    move: str = "B3",
    guard: str = "",
) -> str:
    return f"star move {board} {userid} {password or f'secret-{userid}'} {move}{guard}"


PAIRS = [
    (WORDS, line(board=999, guard="#0")),
    (WORDS, line(password="wrong-secret", guard="#-1")),
    (BOARD, line(board=999, password="wrong-secret")),
    (BOARD, line(board=999, userid="nobody")),
    (LOGIN, line(board=102, password="wrong-secret")),
    (LOGIN, line(userid="carol", password="wrong-secret")),
    (LOGIN, line(password="wrong-secret", guard="#99")),
    (LOGIN, line(userid="nobody", password="secret-alice")),
    (OVER, line(board=102, userid="carol")),
    (OVER, line(board=102, guard="#99")),
    (OVER, line(board=102, move="accept")),
    (OVER, line(board=102, move="ZZ99")),
    (STRANGER, line(userid="carol", guard="#99")),
    (STRANGER, line(userid="carol", move="accept")),
    (STRANGER, line(userid="carol", move="resign")),
    (STRANGER, line(userid="carol", move="ZZ99")),
    (NUMBER, line(move="accept", guard="#99")),
    (NUMBER, line(move="resign", guard="#2")),
    (NUMBER, line(move="propose", guard="#4")),
    (NUMBER, line(userid="bob", guard="#4")),
    (NUMBER, line(move="swap", guard="#2")),
    (NUMBER, line(move="C1", guard="#99")),
    (NUMBER, line(move="ZZ99", guard="#99")),
    (VOTE, line(userid="bob", move="accept")),
    (VOTE, line(userid="bob", move="reject", guard="#3")),
    (TURN, line(userid="bob", move="swap")),
    (TURN, line(userid="bob", move="C1")),
    (TURN, line(userid="bob", move="ZZ99")),
    (TURN, line(userid="bob", move="pass")),
    (TURN, line(userid="bob", guard="#3")),
    (SWAP, line(move="swap")),
    (SWAP, line(move="swap", guard="#3")),
    (LEGAL, line(move="C1")),
    ("invalid-move", line(move="ZZ99")),
]
"""A line with at least two faults, the last of them excepted, and the one to be told."""


@pytest.mark.costly
def test_the_first_reason_against_a_move_is_told(boards: LocalServer) -> None:
    told = [(boards.code(sent), sent) for _, sent in PAIRS]

    assert told == PAIRS


@pytest.fixture
def boards(local: LocalServer) -> LocalServer:
    """Board 101 runs and alice is to move, 102 is over, carol plays on neither."""
    local.sign_up("alice", "bob", "carol")
    for _ in range(2):
        local.start()
    local.play(101, "C1 C2")
    local.play(102, "C1 C2")
    local.move(102, "bob", "resign")
    return local


def test_every_reason_in_turn_until_the_move_is_played(boards: LocalServer) -> None:
    sent = [
        line(board=999, userid="nobody", move="C1", guard="#0"),
        line(board=999, userid="nobody", move="C1", guard="#99"),
        line(board=102, userid="carol", password="wrong-secret", move="C1", guard="#99"),
        line(board=102, userid="carol", move="C1", guard="#99"),
        line(userid="carol", move="C1", guard="#99"),
        line(userid="bob", move="C1", guard="#99"),
        line(userid="bob", move="C1", guard="#3"),
        line(move="C1", guard="#3"),
    ]

    assert [boards.code(each) for each in sent] == [
        WORDS,
        BOARD,
        LOGIN,
        OVER,
        STRANGER,
        NUMBER,
        TURN,
        LEGAL,
    ]
    assert boards.do(line(guard="#3")).document["ply"] == 3


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("verb", ["swap", "resign", "confirm"])
def test_verbs_without_a_move_keep_the_same_order(boards: LocalServer, verb: str) -> None:
    sent = [
        f"star {verb} 999 nobody wrong-secret",
        f"star {verb} 102 carol wrong-secret",
        f"star {verb} 102 carol secret-carol",
        f"star {verb} 101 carol secret-carol",
    ]

    assert [boards.code(each) for each in sent] == [BOARD, LOGIN, OVER, STRANGER]


def test_a_submission_keeps_the_same_order(boards: LocalServer) -> None:
    sent = [
        "star submit 999 nobody wrong-secret C1#0",
        "star submit 999 nobody wrong-secret C1#99",
        "star submit 102 carol wrong-secret C1#99",
        "star submit 102 carol secret-carol C1#99",
        "star submit 101 carol secret-carol C1#99",
        "star submit 101 bob secret-bob C1#99",
        "star submit 101 bob secret-bob C1#3",
        "star submit 101 alice secret-alice C1#3",
    ]

    assert [boards.code(each) for each in sent] == [
        WORDS,
        BOARD,
        LOGIN,
        OVER,
        STRANGER,
        NUMBER,
        TURN,
        LEGAL,
    ]


def test_a_removed_board_is_over(local: LocalServer) -> None:
    local.start()
    local.move(101, "bob", "resign")

    assert local.code("star move 101 alice secret-alice B3") == OVER


def test_a_board_of_another_game_is_another_board(boards: LocalServer) -> None:
    boards.do("starweb challenge alice bob")

    assert boards.code("starweb move 102 alice wrong-secret K1") == BOARD
    assert boards.code("starweb move 101 alice wrong-secret K1") == LOGIN


def test_every_refusal_leaves_its_line_in_the_audit(boards: LocalServer) -> None:
    before = len(boards.audit())
    for sent in (line(board=999), line(password="wrong-secret"), line(userid="bob")):
        boards.refusal(sent)

    assert boards.audit()[before:] == [
        ("move", BOARD),
        ("move", LOGIN),
        ("move", TURN),
    ]


def test_a_line_that_is_not_understood_touches_no_database(local: LocalServer) -> None:
    local.desk.close()
    local.desk.open_store = _must_not_open
    for sent in ("star move", "star move 101 alice secret-alice C1#0", "nosuch", "star -x=1"):
        with pytest.raises(Misunderstood):
            local.do(sent)


def _must_not_open() -> Store:
    raise AssertionError("the database was opened")


def test_the_stages_of_a_mail_stand_in_the_file_in_their_order() -> None:
    tree = ast.parse(inspect.getsource(mail_desk))
    lines = {n.name: n.lineno for n in tree.body if isinstance(n, ast.FunctionDef)}
    judge = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "_judge")
    (stages,) = (node for node in ast.walk(judge) if isinstance(node, ast.AnnAssign))
    assert isinstance(stages.value, ast.Tuple)
    names = [each.id for each in stages.value.elts if isinstance(each, ast.Name)]
    here = [lines[name] for name in names if name in lines]

    assert len(here) > 5
    assert here == sorted(here)

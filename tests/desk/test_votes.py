"""Offers of a draw or an undo, in every combination, and what ends them."""

import pytest

from tests.databases import made_once
from tests.local_server import LocalServer


def offer(local: LocalServer, board: int) -> tuple[str, str] | None:
    found = local.show(board)["offer"]
    return None if found is None else (found["kind"], found["by"])


def revision(local: LocalServer, board: int) -> int:
    with local.desk.store.reading() as records:
        match = records.matches.find("star", board)
    assert match is not None
    return match.revision


@pytest.fixture
@made_once
def board(local: LocalServer) -> int:
    """Two moves were made; alice is to move."""
    number = local.start()
    local.play(number, "C1 C2")
    return number


@pytest.mark.parametrize("maker", ["alice", "bob"])
def test_a_draw_that_is_offered_and_accepted_ends_the_game(
    local: LocalServer, board: int, maker: str
) -> None:
    other = "bob" if maker == "alice" else "alice"
    local.move(board, maker, "propose")
    local.move(board, other, "accept")
    after = local.show(board)

    assert (after["status"], after["winner"], after["reason"]) == ("drawn", None, "agreement")
    assert (after["offer"], after["to_move"], after["ply"]) == (None, None, 2)


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    ("maker", "words", "gone"),
    [
        ("alice", "undo", 1),
        ("bob", "undo", 2),
        *(("alice", f"undo {number}", number) for number in (1, 2, 3, 4, 5)),
        *(("bob", f"UNDO {number}#6", number) for number in (1, 2, 3, 4, 5)),
    ],
)
def test_an_undo_takes_back_ones_own_last_turn_and_what_followed_or_the_last_n(
    local: LocalServer, board: int, maker: str, words: str, gone: int
) -> None:
    other, moves = ("bob" if maker == "alice" else "alice"), ["C1", "C2", "B3", "pass", "D3"]
    local.play(board, moves[2:])
    local.move(board, maker, words)
    offered = local.show(board)["offer"]
    after = local.move(board, other, "accept").document
    left = moves[: len(moves) - gone]

    assert offered == {"kind": "undo", "by": maker, "result": None, "moves": moves[-gone:]}
    assert (after["moves"], after["status"], after["offer"]) == (left, "running", None)
    assert after["to_move"] == "XO"[len(left) % 2]


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("again", ["alice", "bob"])
def test_a_second_offer_of_the_same_kind_is_refused_whoever_makes_it(
    local: LocalServer, board: int, kind: str, again: str
) -> None:
    local.move(board, "alice", kind)

    assert local.code(f"star move {board} {again} secret-{again} {kind}") == "offer-pending"


@pytest.mark.parametrize("by", ["alice", "bob"])
def test_an_offer_of_the_other_kind_replaces_the_first(
    local: LocalServer, board: int, by: str
) -> None:
    offers = []
    for kind in ("propose", "undo", "propose"):
        local.move(board, by, kind)
        offers.append(offer(local, board))

    assert offers == [("draw", by), ("undo", by), ("draw", by)]


def test_who_replaces_an_offer_is_its_maker(local: LocalServer, board: int) -> None:
    local.move(board, "alice", "propose")
    local.move(board, "bob", "undo")

    assert offer(local, board) == ("undo", "bob")
    assert local.code(f"star move {board} bob secret-bob accept") == "own-offer"
    assert local.move(board, "alice", "accept").document["moves"] == ["C1"]


@pytest.mark.parametrize("kind", ["propose", "undo"])
def test_nobody_accepts_his_own_offer(local: LocalServer, board: int, kind: str) -> None:
    local.move(board, "alice", kind)

    assert local.code(f"star move {board} alice secret-alice accept") == "own-offer"
    assert offer(local, board) is not None


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize(("by", "told"), [("alice", "alice withdraws"), ("bob", "bob rejects")])
def test_either_player_ends_an_offer_by_reject(
    local: LocalServer, board: int, kind: str, by: str, told: str
) -> None:
    local.move(board, "alice", kind)
    text = local.text(f"star move {board} {by} secret-{by} reject")

    assert text.startswith(told)
    assert offer(local, board) is None
    assert local.code(f"star move {board} {by} secret-{by} accept") == "no-offer"


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("turn", ["B3", "pass"])
def test_any_turn_ends_an_offer(local: LocalServer, board: int, kind: str, turn: str) -> None:
    local.move(board, "bob", kind)
    local.move(board, "alice", turn)

    assert offer(local, board) is None
    assert local.code(f"star move {board} alice secret-alice accept") == "no-offer"


def test_a_swap_is_a_turn_and_ends_an_offer(local: LocalServer) -> None:
    board = local.start()
    local.play(board, "C1")
    local.move(board, "alice", "undo")
    local.move(board, "bob", "swap")

    assert offer(local, board) is None


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("end", ["resign", "two passes"])
def test_the_end_of_the_game_ends_an_offer(
    local: LocalServer, board: int, kind: str, end: str
) -> None:
    if end == "two passes":
        local.move(board, "alice", "pass")
        local.move(board, "alice", kind)
        local.move(board, "bob", "pass")
    else:
        local.move(board, "alice", kind)
        local.move(board, "alice", "resign")

    assert local.show(board)["offer"] is None
    assert local.tables()["offer"] == []
    assert local.code(f"star move {board} bob secret-bob accept") == "game-over"


def test_a_submission_does_not_end_an_offer(local: LocalServer, board: int) -> None:
    local.move(board, "bob", "propose")
    local.do(f"star submit {board} alice secret-alice B3")

    assert offer(local, board) == ("draw", "bob")


def test_without_a_move_there_is_nothing_to_undo(local: LocalServer) -> None:
    board = local.start()

    assert local.code(f"star move {board} alice secret-alice undo") == "nothing-to-undo"


def test_a_draw_may_be_agreed_before_the_first_move(local: LocalServer) -> None:
    board = local.start()
    local.move(board, "bob", "propose")

    assert local.move(board, "alice", "accept").document["reason"] == "agreement"


def test_undoing_a_swap_gives_the_seats_back(local: LocalServer) -> None:
    board = local.start()
    swapped = local.play(board, "C1 swap")
    local.move(board, "bob", "undo")
    undone = local.move(board, "alice", "accept").document

    assert swapped["players"] == {"X": "bob", "O": "alice"}
    assert undone["players"] == {"X": "alice", "O": "bob"}
    assert (undone["moves"], undone["to_move"]) == (["C1"], "O")
    assert local.move(board, "bob", "swap").document["players"] == {"X": "bob", "O": "alice"}


def test_undoing_what_a_swap_followed_gives_the_seats_back(local: LocalServer) -> None:
    board = local.start()
    local.play(board, "C1 swap C2")
    local.move(board, "bob", "undo")
    offered = local.show(board)["offer"]["moves"]
    undone = local.move(board, "alice", "accept").document

    assert offered == ["swap", "C2"]
    assert undone["players"] == {"X": "alice", "O": "bob"}
    assert (undone["moves"], undone["to_move"]) == (["C1"], "O")


def test_a_turn_of_two_stones_is_undone_whole(local: LocalServer) -> None:
    local.game = "starstar"
    board = local.start("-size=4 -double")
    local.play(board, "*40 S40+T40 A40+R40")
    local.move(board, "bob", "undo")
    text = local.text(f"starstar show {board}")
    after = local.move(board, "alice", "accept").document

    assert "bob asks to undo S40+T40 and alice's A40+R40: accept or reject." in text
    assert after["moves"] == ["*40"]


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    ("userid", "words", "code"),
    [
        ("bob", "undo", "nothing-to-undo"),
        ("alice", "undo 0", "nothing-to-undo"),
        ("alice", "undo 2", "nothing-to-undo"),
        ("bob", "undo 999999999", "nothing-to-undo"),
        ("bob", "undo 1#1", "wrong-move-number"),
        ("alice", "undo C1", "surplus-word"),
        ("alice", "undo two", "surplus-word"),
        ("alice", "undo 1 1", "surplus-word"),
        ("alice", "undo 1.5", "surplus-word"),
        ("alice", "undo 9999999999", "surplus-word"),
    ],
)
def test_what_cannot_be_undone_is_refused_and_changes_nothing(
    local: LocalServer, userid: str, words: str, code: str
) -> None:
    board = local.start()
    local.play(board, "C1")
    before = local.tables()

    assert local.code(f"star move {board} {userid} secret-{userid} {words}") == code
    assert local.tables() == before


def test_whoever_has_made_no_turn_is_told_how_to_undo_the_other_s(local: LocalServer) -> None:
    board = local.start()
    local.play(board, "C1")
    refused = local.refusal(f"star move {board} bob secret-bob undo")
    local.move(board, "bob", "undo 1")

    assert refused.message == "You have made no move that could be undone."
    assert refused.advice == "undo N asks to undo the last N moves, N from 1 to 1."
    assert "bob asks to undo alice's C1: accept or reject." in local.text(f"star show {board}")


def test_only_what_was_played_at_the_board_itself_is_undone(local: LocalServer) -> None:
    source = local.start()
    local.play(source, "C1 C2 B3")
    line = f"star challenge -from={source}#2 alice bob"
    board = int(local.json(line)["board"])

    assert local.code(f"star move {board} alice secret-alice undo") == "nothing-to-undo"
    assert local.code(f"star move {board} bob secret-bob undo 1") == "nothing-to-undo"
    local.play(board, "D1")
    assert local.code(f"star move {board} bob secret-bob undo") == "nothing-to-undo"
    assert local.code(f"star move {board} bob secret-bob undo 2") == "nothing-to-undo"
    local.move(board, "alice", "undo")
    assert local.move(board, "bob", "accept").document["moves"] == ["C1", "C2"]


def test_a_planned_turn_ends_the_offer_it_comes_upon(local: LocalServer, board: int) -> None:
    local.move(board, "bob", "undo")
    local.do(f"star queue {board} alice secret-alice B3")

    assert (local.show(board)["moves"], offer(local, board)) == (["C1", "C2", "B3"], None)
    assert local.code(f"star move {board} alice secret-alice accept") == "no-offer"


def test_undo_after_undo_goes_back_to_the_start(local: LocalServer, board: int) -> None:
    for maker, other in (("bob", "alice"), ("alice", "bob")):
        local.move(board, maker, "undo")
        local.move(board, other, "accept")
    after = local.show(board)

    assert (after["ply"], after["to_move"], after["stones"]) == (0, "X", {"X": [], "O": []})


def test_undone_moves_stay_in_the_audit_and_leave_the_record(
    local: LocalServer, board: int
) -> None:
    local.move(board, "alice", "undo")
    local.move(board, "bob", "accept")
    with local.desk.store.reading() as records:
        entries = records.lists.audit().rows
    details = [entry.detail for entry in entries if entry.verb in {"move", "accept"}]

    assert [text for text in details if "C2" in text] == ["C1 and bob's C2", "C2"]
    assert "C2" not in local.json(f"star export {board}")["record"]


def test_undo_clears_the_submissions_of_both(local: LocalServer, board: int) -> None:
    local.do(f"star submit {board} alice secret-alice B3")
    local.move(board, "alice", "undo")
    local.move(board, "bob", "accept")

    assert local.tables()["submission"] == []


def test_therevision_never_falls(local: LocalServer, board: int) -> None:
    seen = [revision(local, board)]
    for userid, text in (
        ("alice", "undo"),
        ("bob", "reject"),
        ("bob", "undo"),
        ("alice", "accept"),
        ("bob", "swap"),
        ("bob", "undo"),
        ("alice", "accept"),
        ("bob", "C2"),
        ("alice", "resign"),
    ):
        local.move(board, userid, text)
        seen.append(revision(local, board))

    assert seen == sorted(set(seen))


def test_against_oneself_one_answers_ones_own_offers(local: LocalServer) -> None:
    board = local.start(x="alice", o="alice")
    local.play(board, "C1 C2")
    local.move(board, "alice", "undo")
    undone = local.move(board, "alice", "accept").document
    local.move(board, "alice", "propose")
    drawn = local.move(board, "alice", "accept").document

    assert (undone["moves"], drawn["status"]) == (["C1"], "drawn")

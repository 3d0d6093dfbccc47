"""Offers of a draw or an undo, in every combination, and what ends them."""

import pytest

from tests.house import House


def offer(house: House, board: int) -> tuple[str, str] | None:
    found = house.show(board)["offer"]
    return None if found is None else (found["kind"], found["by"])


def revision(house: House, board: int) -> int:
    with house.desk.store.reading() as records:
        match = records.matches.find("star", board)
    assert match is not None
    return match.revision


@pytest.fixture
def board(house: House) -> int:
    """Two moves were made; alice is to move."""
    number = house.start()
    house.play(number, "C1 C2")
    return number


@pytest.mark.parametrize("maker", ["alice", "bob"])
def test_a_draw_that_is_offered_and_accepted_ends_the_game(
    house: House, board: int, maker: str
) -> None:
    other = "bob" if maker == "alice" else "alice"
    house.move(board, maker, "propose")
    house.move(board, other, "accept")
    after = house.show(board)

    assert (after["status"], after["winner"], after["reason"]) == ("drawn", None, "agreement")
    assert (after["offer"], after["to_move"], after["ply"]) == (None, None, 2)


@pytest.mark.parametrize("maker", ["alice", "bob"])
def test_an_undo_that_is_offered_and_accepted_takes_one_move_back(
    house: House, board: int, maker: str
) -> None:
    other = "bob" if maker == "alice" else "alice"
    house.move(board, maker, "undo")
    after = house.move(board, other, "accept").document

    assert (after["moves"], after["to_move"], after["status"]) == (["C1"], "O", "running")
    assert after["offer"] is None


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("again", ["alice", "bob"])
def test_a_second_offer_of_the_same_kind_is_refused_whoever_makes_it(
    house: House, board: int, kind: str, again: str
) -> None:
    house.move(board, "alice", kind)

    assert house.code(f"star move {board} {again} secret-{again} {kind}") == "offer-pending"


@pytest.mark.parametrize("by", ["alice", "bob"])
def test_an_offer_of_the_other_kind_replaces_the_first(house: House, board: int, by: str) -> None:
    offers = []
    for kind in ("propose", "undo", "propose"):
        house.move(board, by, kind)
        offers.append(offer(house, board))

    assert offers == [("draw", by), ("undo", by), ("draw", by)]


def test_who_replaces_an_offer_is_its_maker(house: House, board: int) -> None:
    house.move(board, "alice", "propose")
    house.move(board, "bob", "undo")

    assert offer(house, board) == ("undo", "bob")
    assert house.code(f"star move {board} bob secret-bob accept") == "own-offer"
    assert house.move(board, "alice", "accept").document["moves"] == ["C1"]


@pytest.mark.parametrize("kind", ["propose", "undo"])
def test_nobody_accepts_his_own_offer(house: House, board: int, kind: str) -> None:
    house.move(board, "alice", kind)

    assert house.code(f"star move {board} alice secret-alice accept") == "own-offer"
    assert offer(house, board) is not None


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize(("by", "told"), [("alice", "alice withdraws"), ("bob", "bob rejects")])
def test_either_player_ends_an_offer_by_reject(
    house: House, board: int, kind: str, by: str, told: str
) -> None:
    house.move(board, "alice", kind)
    text = house.text(f"star move {board} {by} secret-{by} reject")

    assert text.startswith(told)
    assert offer(house, board) is None
    assert house.code(f"star move {board} {by} secret-{by} accept") == "no-offer"


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("turn", ["B3", "pass"])
def test_any_turn_ends_an_offer(house: House, board: int, kind: str, turn: str) -> None:
    house.move(board, "bob", kind)
    house.move(board, "alice", turn)

    assert offer(house, board) is None
    assert house.code(f"star move {board} alice secret-alice accept") == "no-offer"


def test_a_swap_is_a_turn_and_ends_an_offer(house: House) -> None:
    board = house.start()
    house.play(board, "C1")
    house.move(board, "alice", "undo")
    house.move(board, "bob", "swap")

    assert offer(house, board) is None


@pytest.mark.parametrize("kind", ["propose", "undo"])
@pytest.mark.parametrize("end", ["resign", "two passes"])
def test_the_end_of_the_game_ends_an_offer(house: House, board: int, kind: str, end: str) -> None:
    if end == "two passes":
        house.move(board, "alice", "pass")
        house.move(board, "alice", kind)
        house.move(board, "bob", "pass")
    else:
        house.move(board, "alice", kind)
        house.move(board, "alice", "resign")

    assert house.show(board)["offer"] is None
    assert house.tables()["offer"] == []
    assert house.code(f"star move {board} bob secret-bob accept") == "game-over"


def test_a_submission_does_not_end_an_offer(house: House, board: int) -> None:
    house.move(board, "bob", "propose")
    house.do(f"star submit {board} alice secret-alice B3")

    assert offer(house, board) == ("draw", "bob")


def test_without_a_move_there_is_nothing_to_undo(house: House) -> None:
    board = house.start()

    assert house.code(f"star move {board} alice secret-alice undo") == "nothing-to-undo"


def test_a_draw_may_be_agreed_before_the_first_move(house: House) -> None:
    board = house.start()
    house.move(board, "bob", "propose")

    assert house.move(board, "alice", "accept").document["reason"] == "agreement"


def test_undoing_a_swap_gives_the_seats_back(house: House) -> None:
    board = house.start()
    swapped = house.play(board, "C1 swap")
    house.move(board, "bob", "undo")
    undone = house.move(board, "alice", "accept").document

    assert swapped["players"] == {"X": "bob", "O": "alice"}
    assert undone["players"] == {"X": "alice", "O": "bob"}
    assert (undone["moves"], undone["to_move"]) == (["C1"], "O")
    assert house.move(board, "bob", "swap").document["players"] == {"X": "bob", "O": "alice"}


def test_undo_after_undo_goes_back_to_the_start(house: House, board: int) -> None:
    for _ in range(2):
        house.move(board, "alice", "undo")
        house.move(board, "bob", "accept")
    after = house.show(board)

    assert (after["ply"], after["to_move"], after["stones"]) == (0, "X", {"X": [], "O": []})


def test_undone_moves_stay_in_the_audit_and_leave_the_record(house: House, board: int) -> None:
    house.move(board, "alice", "undo")
    house.move(board, "bob", "accept")
    with house.desk.store.reading() as records:
        entries = records.audit.entries()
    details = [entry.detail for entry in entries if entry.verb in {"move", "accept"}]

    assert [text for text in details if "C2" in text] == ["C2", "C2"]
    assert "C2" not in house.json(f"star export {board}")["record"]


def test_undo_clears_the_submissions_of_both(house: House, board: int) -> None:
    house.do(f"star submit {board} alice secret-alice B3")
    house.move(board, "alice", "undo")
    house.move(board, "bob", "accept")

    assert house.tables()["submission"] == []


def test_therevision_never_falls(house: House, board: int) -> None:
    seen = [revision(house, board)]
    for userid, text in (
        ("alice", "undo"),
        ("bob", "reject"),
        ("bob", "undo"),
        ("alice", "accept"),
        ("bob", "swap"),
        ("alice", "undo"),
        ("bob", "accept"),
        ("bob", "C2"),
        ("alice", "resign"),
    ):
        house.move(board, userid, text)
        seen.append(revision(house, board))

    assert seen == sorted(set(seen))


def test_against_oneself_one_answers_ones_own_offers(house: House) -> None:
    board = house.start(x="alice", o="alice")
    house.play(board, "C1 C2")
    house.move(board, "alice", "undo")
    undone = house.move(board, "alice", "accept").document
    house.move(board, "alice", "propose")
    drawn = house.move(board, "alice", "accept").document

    assert (undone["moves"], drawn["status"]) == (["C1"], "drawn")

"""A score that the players agree on, before the board is full."""

import pytest

from pbmserv.render.board_letters import Reader, board_letters
from pbmserv.render.service_letters import digest_letter
from tests.local_server import LocalServer


def proposed(local: LocalServer, words: str = "7-6", options: str = "-size=3") -> int:
    """Start a board with two moves, at which alice, who is X, proposes a result."""
    board = local.start(options)
    local.play(board, "C1 C2")
    local.move(board, "alice", f"propose {words}")
    return board


def test_a_result_that_is_named_ends_the_game_with_its_points(local: LocalServer) -> None:
    board = proposed(local)
    offered = local.show(board)
    local.move(board, "bob", "accept 7-6")
    shown = local.show(board)
    text = local.text(f"star show {board}")
    listed = local.json("star history")["matches"][0]

    assert offered["offer"] == {
        "kind": "result",
        "by": "alice",
        "result": "7-6",
        "moves": None,
    }
    assert (shown["status"], shown["winner"], shown["reason"]) == ("won", "X", "agreement")
    assert shown["agreed"] == {"X": 7, "O": 6}
    assert listed["points"] == {"X": 7, "O": 6}
    assert f"alice (X) wins Star Board {board}, 7 to 6, by agreement." in text
    assert "Agreed: X 7, O 6" in text


@pytest.mark.parametrize(
    ("options", "result", "neutral", "alice", "bob"),
    [
        ("-size=3", "7-6", "a win for alice (X) by 1", "your win by 1", "your loss by 1"),
        ("-size=3", "5-8", "a win for bob (O) by 3", "your loss by 3", "your win by 3"),
        ("-size=3", "6-6", "a draw", "a draw", "a draw"),
    ],
)
def test_an_offer_says_who_would_win_and_by_how_much(
    local: LocalServer, options: str, result: str, neutral: str, alice: str, bob: str
) -> None:
    board = local.start(options)
    local.play(board, "C1 C2")
    answer = local.text(f"star move {board} alice secret-alice propose {result}")
    with local.desk.store.reading() as records:
        match = records.matches.find("star", board)
    readers = [Reader(f"{number}@example.org", number) for number in (1, 2, 3)]
    offered = f"alice offers the result {result}, {neutral}"

    assert f"{offered}.\n" in answer
    assert "reject" not in answer
    assert f"{offered}: accept {result} or reject." in local.text(f"star show {board}")
    assert match is not None
    assert [
        f"You offer the result {result}, {alice}. It is your turn.",
        f"alice offers the result {result}, {bob}. It is alice's turn.",
        "It is alice's turn.",
    ] == [letter.lead.partition("\n")[0] for letter in board_letters(match, (), readers)]


def test_where_a_winner_alone_counts_an_offer_names_them(local: LocalServer) -> None:
    local.game = "hex"
    board = local.start("-size=5")
    local.play(board, "C3 D4")
    local.move(board, "bob", "propose X")

    assert "bob offers the result X, a win for alice (X): accept X or reject." in local.text(
        f"hex show {board}"
    )


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("offer", ["propose", "propose 7-6", "undo"])
def test_a_board_at_which_an_answer_is_awaited_waits_for_whoever_answers(
    local: LocalServer, offer: str
) -> None:
    other = local.start()
    board = local.start()
    local.play(board, "C1 C2")

    def waiting(line: str) -> list[int]:
        return [row["board"] for row in local.json(line)["matches"]]

    assert [] == waiting("star games bob next")
    local.move(board, "alice", offer)
    table = local.text("star games bob next")
    row = local.json("star games bob next")["matches"][0]

    for line in ("star games bob next", "all show bob next"):
        assert [board] == waiting(line)
    assert [other, board] == waiting("star games bob alice next")
    assert f"Star Board {board}" in local.text("star show bob next")
    assert "alice (X) to move, offer to bob" in table
    assert "alice" == row["offer"]["by"]
    assert {other, board} == {*waiting("star games alice next")}
    with local.desk.store.reading() as records:
        found = records.matches.summaries(player_ids=[2], selector="next")
    assert (
        f"Star Board {board}  answer an offer  bob against alice"
        in digest_letter(Reader("bob@example.org", 2), found).lead
    )

    local.move(board, "bob", "reject")

    assert [] == waiting("all show bob next")


def test_the_score_sheet_begins_with_what_was_agreed(local: LocalServer) -> None:
    board = proposed(local)
    open_yet = local.text(f"star score {board}")
    local.move(board, "bob", "accept 7-6")
    agreed = local.text(f"star score {board}")

    assert "(most of the board is empty)" in open_yet
    assert "ahead" not in open_yet
    assert "Agreed: X 7, O 6.\nPoints on the board: X: 1   O: 0" in agreed


def test_equal_points_are_a_draw(local: LocalServer) -> None:
    board = proposed(local, "6-6")
    local.move(board, "bob", "accept 6-6#3")
    shown = local.show(board)

    assert (shown["status"], shown["winner"], shown["reason"]) == ("drawn", None, "agreement")
    assert shown["agreed"] == {"X": 6, "O": 6}


def test_a_bare_accept_accepts_no_result(local: LocalServer) -> None:
    board = proposed(local)
    refused = local.refusal(f"star move {board} bob secret-bob accept")

    assert refused.code == "result-unnamed"
    assert refused.advice == "Answer with accept 7-6 or reject."
    assert local.code(f"star move {board} bob secret-bob accept 8-5") == "other-result"
    assert local.code(f"star move {board} alice secret-alice accept 7-6") == "own-offer"


def test_another_result_replaces_the_first_and_the_same_is_refused(local: LocalServer) -> None:
    board = proposed(local)
    again = local.code(f"star move {board} bob secret-bob propose 7-6")
    local.move(board, "bob", "propose 6-7")
    late = local.code(f"star move {board} alice secret-alice accept 7-6")
    local.move(board, "alice", "accept 6-7")

    assert again == "offer-pending"
    assert late == "other-result"
    assert local.show(board)["winner"] == "O"


def test_a_result_can_be_rejected_and_ends_with_the_next_turn(local: LocalServer) -> None:
    board = proposed(local)
    said = local.move(board, "bob", "reject").blocks[0]
    local.move(board, "bob", "propose 6-7")
    local.play(board, "B2")

    assert said == "bob rejects the result 7-6."
    assert local.show(board)["offer"] is None
    assert local.code(f"star move {board} alice secret-alice accept 6-7") == "no-offer"


@pytest.mark.parametrize("words", ["14-0", "7--6", "0-0", "13-13"])
def test_a_result_beyond_both_fillings_is_refused(local: LocalServer, words: str) -> None:
    board = local.start("-size=3")
    local.play(board, "C1 C2")

    assert local.code(f"star move {board} alice secret-alice propose {words}") == (
        "impossible-result"
    )


@pytest.mark.parametrize(
    ("game", "options", "words", "code"),
    [
        ("star", "-size=3", "X", "bad-result"),
        ("star", "-size=3", "7", "bad-result"),
        ("star", "-size=3", "draw", "bad-result"),
        ("star", "-size=3 -maxi", "7-6", "bad-result"),
        ("y", "-size=4", "1-0", "bad-result"),
    ],
)
def test_what_is_no_result_of_the_game_is_refused(
    local: LocalServer, game: str, options: str, words: str, code: str
) -> None:
    local.game = game
    board = local.start(options)

    assert local.code(f"{game} move {board} alice secret-alice propose {words}") == code


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("named", ["O", "o"])
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("star", "-size=3 -maxi"),
        ("y", "-size=4"),
        ("hex", "-size=4"),
        ("polyy", "-sides=3 -size=3"),
    ],
)
def test_where_only_a_winner_counts_the_winner_is_named(
    local: LocalServer, game: str, options: str, named: str
) -> None:
    local.game = game
    board = local.start(options)
    local.move(board, "alice", "pass")
    local.move(board, "bob", "propose o")
    local.move(board, "alice", f"accept {named}")
    shown = local.show(board)

    assert (shown["winner"], shown["reason"], shown["agreed"]) == ("O", "agreement", None)
    assert local.json(f"{game} history")["matches"][0]["points"] is None


def test_a_side_that_can_no_longer_win_cannot_be_agreed_on(local: LocalServer) -> None:
    board = local.start("-size=3 -maxi")
    local.play(board, "B3 C3 C1 A3 C4 D2 C2 A4 D3 B4")
    refused = local.refusal(f"star move {board} alice secret-alice propose X")
    local.move(board, "alice", "propose O")

    assert refused.code == "impossible-result"
    assert refused.message == "The result X is no longer possible."


def test_standard_points_and_komi_are_what_is_agreed_on_in_starstar(local: LocalServer) -> None:
    local.game = "starstar"
    board = local.start("-size=4 -komi=2 -scoring=alternative")
    local.move(board, "alice", "propose 11-10")
    local.move(board, "bob", "accept 11-10")

    assert local.show(board)["agreed"] == {"X": 11, "O": 10}


@pytest.mark.costly
def test_an_agreed_result_is_no_end_for_whose_time_runs_out(local: LocalServer) -> None:
    from pbmserv.desk.tick import tick

    board = proposed(local)
    local.play(board, "B2")
    local.move(board, "alice", "propose 6-7")
    local.move(board, "bob", "propose 7-6")
    for _ in range(80):
        local.clock.seconds += 86_400
        tick(local.desk)
    shown = local.show(board)

    assert (shown["reason"], shown["agreed"]) == ("forfeit", None)


def test_the_operator_brings_an_agreed_result_back_as_it_was(local: LocalServer) -> None:
    from pbmserv.cli.shell_commands import SHELL, shell_families
    from pbmserv.commands.command_table import root
    from pbmserv.operators.admin_check import wrong_of

    board = proposed(local)
    local.move(board, "bob", "accept 7-6")
    local.desk.tree = root(SHELL, shell_families())
    local.do(f"admin remove star {board}")
    local.do(f"admin undo star {board}")
    back = local.show(board)["agreed"]
    wrong = wrong_of(local.desk.store, local.url)[1]
    local.do(f"admin undo star {board}")

    assert back == {"X": 7, "O": 6}
    assert wrong == []
    assert local.show(board)["agreed"] is None
    assert local.show(board)["status"] == "running"


THREE_EACH = "C1 C2 C3 B2 B3 D2"
EARLY = "Unrated: agreed before each side had placed 3 stones."


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("options", "moves", "is_rated"),
    [
        ("", "", False),
        ("", "C1 swap", False),
        ("", "C1 swap C2 C3 B2", False),
        ("", "C1 C2 C3 B2 B3", False),
        ("", "C1 pass C3 pass B3 pass D3 pass", False),
        ("", THREE_EACH, True),
        ("", "C1 swap C2 C3 B2 B3 D2", True),
        ("-unrated", THREE_EACH, False),
        ("-unrated", "C1 C2", False),
    ],
)
@pytest.mark.parametrize("result", ["7-6", "6-6", ""])
def test_what_is_agreed_on_is_rated_after_three_stones_of_each_side(
    local: LocalServer, options: str, moves: str, result: str, *, is_rated: bool
) -> None:
    board = local.start(f"-size=3 {options}")
    local.play(board, moves)
    local.move(board, "alice", f"propose {result}")
    said = "".join(map(str, local.move(board, "bob", f"accept {result}").blocks))

    assert ("Ratings: " in said, EARLY in said) == (is_rated, not (is_rated or options))
    assert (local.show(board)["ratings"] is not None) is is_rated
    assert len(local.json("star standings")["standings"]) == 2 * is_rated


def test_two_stones_of_a_turn_are_two(local: LocalServer) -> None:
    local.game = "starstar"
    for moves, is_rated in (("S10 T10+A10 R10+S20", False), ("S10 T10+A10 R10+S20 T20+T21", True)):
        board = local.start("-size=4 -double")
        local.play(board, moves)
        local.move(board, "alice", "propose")
        local.move(board, "bob", "accept")

        assert (local.show(board)["ratings"] is not None) is is_rated


def test_an_early_end_that_the_operator_takes_back_is_rated_when_it_comes_late(
    local: LocalServer,
) -> None:
    from pbmserv.cli.shell_commands import SHELL, shell_families
    from pbmserv.commands.command_table import root
    from pbmserv.operators.admin_check import wrong_of

    local.desk.tree = root(SHELL, shell_families())
    board = proposed(local)
    local.move(board, "bob", "accept 7-6")
    early = local.json(f"admin show star {board}")["stored"]["rated"]
    wrong = wrong_of(local.desk.store, local.url)[1]
    local.do(f"admin undo star {board}")
    local.play(board, "C3 B2 B3 D2")
    local.move(board, "alice", "propose 7-6")
    local.move(board, "bob", "accept 7-6")
    late = local.json(f"admin show star {board}")["stored"]["rated"]
    rated = local.tables()["rating"]
    local.do(f"admin undo star {board}")
    reopened = local.json("star standings")["standings"]
    local.move(board, "bob", "resign")
    local.do("admin rate")

    assert (early, wrong, late, len(rated), reopened) == (False, [], True, 2, [])
    assert [row[-3:] for row in local.tables()["rating"]] == [row[-3:] for row in rated]
    assert wrong_of(local.desk.store, local.url)[1] == []


@pytest.mark.costly
def test_a_draw_that_was_offered_early_is_unrated_when_the_time_runs_out(
    local: LocalServer,
) -> None:
    from pbmserv.desk.tick import tick

    board = local.start("-size=3")
    local.play(board, "C1 C2")
    local.move(board, "bob", "propose")
    for _ in range(80):
        local.clock.seconds += 86_400
        tick(local.desk)

    assert (local.show(board)["reason"], local.show(board)["ratings"]) == ("agreement", None)

"""Looking at boards: show, showas, replay, games, history, list and all show."""

from collections.abc import Iterator
from itertools import product

import pytest

from tests.databases import made_once
from tests.local_server import LocalServer


@pytest.fixture(scope="module")
def club(shared_url: str) -> Iterator[LocalServer]:
    """The club of :func:`fill`, shared by all tests that only look at it."""
    local = LocalServer(shared_url)
    yield fill(local)
    local.desk.close()


@pytest.fixture
@made_once
def own_club(local: LocalServer) -> LocalServer:
    """A club like that for one test alone."""
    return fill(local)


def fill(local: LocalServer) -> LocalServer:
    """Make five boards: 101 and 104 run, 102 is won, 103 drawn, 105 removed; a Starweb runs."""
    local.sign_up("alice", "bob", "carol")
    for x, o in (
        ("alice", "bob"),
        ("bob", "carol"),
        ("carol", "alice"),
        ("carol", "bob"),
        ("alice", "carol"),
    ):
        local.start(x=x, o=o)
    local.do("starweb challenge bob alice")
    local.play(101, "C1 swap C2")
    local.play(102, "C1 C2 pass pass")
    local.clock.seconds += 86_400
    local.play(103, "C2 C3 pass pass")
    local.do("star resign 105 carol secret-carol")
    return local


def boards(local: LocalServer, line: str) -> list[int]:
    return [match["board"] for match in local.json(line)["matches"]]


def test_show_by_number(club: LocalServer) -> None:
    shown = club.show(101)

    assert (shown["players"], shown["to_move"]) == ({"X": "bob", "O": "alice"}, "X")
    assert shown["stones"] == {"X": ["C1"], "O": ["C2"]}
    assert shown["moves"] == ["C1", "swap", "C2"]


def test_show_of_several_boards_is_a_list(club: LocalServer) -> None:
    assert boards(club, "star show 101 102#2 101#-1") == [101, 102, 101]


@pytest.mark.parametrize(
    ("moment", "ply", "players", "to_move", "stones"),
    [
        ("#0", 0, ("alice", "bob"), "X", ([], [])),
        ("#1", 1, ("alice", "bob"), "O", (["C1"], [])),
        ("#2", 2, ("bob", "alice"), "O", (["C1"], [])),
        ("#3", 3, ("bob", "alice"), "X", (["C1"], ["C2"])),
        ("#-1", 2, ("bob", "alice"), "O", (["C1"], [])),
        ("#-2", 1, ("alice", "bob"), "O", (["C1"], [])),
        ("#-3", 0, ("alice", "bob"), "X", ([], [])),
        ("#-0", 0, ("alice", "bob"), "X", ([], [])),
    ],
)
def test_a_moment_has_its_own_seats_turn_and_stones(
    club: LocalServer,
    moment: str,
    ply: int,
    players: tuple[str, str],
    to_move: str,
    stones: tuple[list[str], list[str]],
) -> None:
    shown = club.show(f"101{moment}")

    assert (shown["ply"], len(shown["moves"]), shown["to_move"]) == (ply, ply, to_move)
    assert (shown["players"]["X"], shown["players"]["O"]) == players
    assert (shown["stones"]["X"], shown["stones"]["O"]) == stones


@pytest.mark.parametrize("line", ["show 101#1", "replay 101 1", "preview 101", "preview new pass"])
def test_what_belongs_to_now_is_null_at_any_other_moment(club: LocalServer, line: str) -> None:
    shown = club.json(f"star {line}")

    assert (shown["time"], shown["ratings"]) == (None, None)
    assert shown["vacation"] == {"X": None, "O": None}


def test_the_same_moments_by_replay(club: LocalServer) -> None:
    pairs = [("101#2", "101 2"), ("101#-1", "101 -1"), ("101#0", "101 0"), ("101", "101")]
    shown = [club.show(one) for one, _ in pairs]

    assert [club.json(f"star replay {other}") for _, other in pairs] == shown


def test_a_moment_before_the_end_has_no_result(club: LocalServer) -> None:
    before, after = club.show("102#3"), club.show("102#4")

    assert (before["status"], before["winner"], before["reason"]) == ("running", None, None)
    assert (after["status"], after["winner"], after["reason"]) == ("won", "X", "two-passes")
    assert before["score"]["points"] == {"X": 1, "O": 0}


def test_a_moment_that_never_was(club: LocalServer) -> None:
    moments = ["#4", "#99", "#-4", "#999999999", "#-999999999"]
    errors = [
        club.refusal(f"star {verb} 101{moment}")
        for verb, moment in product(["show", "score", "preview", "replay"], moments)
    ]

    assert {(error.code, error.advice) for error in errors} == {
        ("no-such-move", "Choose a number from 0 to 3.")
    }


@pytest.mark.parametrize("verb", ["show", "score", "preview", "replay", "export"])
def test_a_board_that_is_not_there(club: LocalServer, verb: str) -> None:
    error = club.refusal(f"star {verb} 999")

    assert (error.code, error.message) == ("no-such-board", "There is no Star Board 999.")


def test_the_heading_tells_the_moment(club: LocalServer) -> None:
    assert club.text("star show 101#2").startswith("Star Board 101 after 2 moves (size 3)\nX: bob")


BY_PLAYER = [
    ("alice", [101]),
    ("alice active", [101]),
    ("alice all", [101, 103]),
    ("alice inactive", [103]),
    ("alice next", []),
    ("bob next", [101]),
    ("next bob carol", [101, 104]),
    ("ALICE Inactive", [103]),
]


def test_show_by_player(club: LocalServer) -> None:
    found = [(words, boards(club, f"star show {words}")) for words, _ in BY_PLAYER]

    assert found == BY_PLAYER


IN_A_TABLE = [
    ("", [101, 104, 103, 102]),
    ("all", [101, 104, 103, 102]),
    ("active", [101, 104]),
    ("inactive", [103, 102]),
    ("alice", [101, 103]),
    ("alice bob", [101, 104, 103, 102]),
    ("carol next", [104]),
    ("-limit=1", [101]),
    ("inactive -limit 1", [103]),
]


def test_games_in_a_table(club: LocalServer) -> None:
    found = [(words, boards(club, f"star games {words}")) for words, _ in IN_A_TABLE]

    assert found == IN_A_TABLE


def test_a_table_says_whose_turn_it_is_and_who_won(club: LocalServer) -> None:
    assert club.text("star games") == (
        "board  moves  X      O      turn or result                          time left\n"
        "  101      3  bob    alice  bob (X) to move                         20 d 0 h\n"
        "  104      0  carol  bob    carol (X) to move                       20 d 0 h\n"
        "  103      4  carol  alice  a draw after two passes\n"
        "  102      4  bob    carol  bob (X) wins, 1 to 0, after two passes"
    )


def test_a_table_that_is_cut_short_says_so(club: LocalServer) -> None:
    answer = club.do("star games -limit=2")

    assert answer.document["more"] is True
    assert answer.blocks[-1] == "... and more; -limit=N lists more than 2."
    assert club.json("star games -limit=4")["more"] is False


CHOOSE_NOTHING = [
    ("star games nobody", "no-such-player"),
    ("star show nobody", "no-such-player"),
    ("star history nobody", "no-such-player"),
    ("all show nobody", "no-such-player"),
    ("all show all", "no-such-player"),
    ("all show alice bob", "bad-selector"),
    ("all show alice all", "bad-selector"),
    ("all show alice inactive", "bad-selector"),
    ("all show alice next active", "surplus-word"),
    ("star games next all", "bad-selector"),
    ("star games new", "bad-selector"),
    ("star games 101", "bad-selector"),
    ("star show 101 alice", "mixed-words"),
    ("star show next", "missing-word"),
    ("star games next", "missing-word"),
    ("star games -limit=0", "bad-option-value"),
    ("star games -limit=-3", "bad-option-value"),
    ("star games -limit=many", "bad-number"),
    ("list chess", "no-such-game"),
    ("list star -limit=0", "bad-option-value"),
]


def test_words_that_choose_nothing(club: LocalServer) -> None:
    told = [(words, club.code(words)) for words, _ in CHOOSE_NOTHING]

    assert told == CHOOSE_NOTHING


def test_history_has_the_date_with_the_year(club: LocalServer) -> None:
    assert club.text("star history") == (
        "date        board  winner  points  X      O\n"
        "2027-01-16    103  drawn   0-0     carol  alice\n"
        "2027-01-15    102  bob     1-0     bob    carol"
    )


def test_history_of_a_player(club: LocalServer) -> None:
    assert boards(club, "star history bob") == [102]
    assert club.text("starweb history") == "No finished boards."


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", [("star", 101), ("star", 104), ("starweb", 101), ("star", 103), ("star", 102)]),
        ("star", [("star", 101), ("star", 104), ("star", 103), ("star", 102)]),
        ("Starweb", [("starweb", 101)]),
        ("y *star", []),
    ],
)
def test_list(club: LocalServer, words: str, expected: list[tuple[str, int]]) -> None:
    found = club.json(f"list {words}")["matches"]

    assert [(match["game"], match["board"]) for match in found] == expected


def test_list_forgets_what_ended_long_ago(own_club: LocalServer) -> None:
    own_club.clock.seconds += 28 * 86_400
    recent = boards(own_club, "list star")
    own_club.clock.seconds += 365 * 86_400

    assert recent == [101, 104, 103, 102]
    assert boards(own_club, "list star") == [101, 104]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("alice", [("star", 101), ("starweb", 101), ("star", 103)]),
        ("alice active", [("star", 101), ("starweb", 101)]),
        ("bob next", [("star", 101), ("starweb", 101)]),
        ("carol next", [("star", 104)]),
    ],
)
def test_all_show(club: LocalServer, words: str, expected: list[tuple[str, int]]) -> None:
    found = club.json(f"all show {words}")["matches"]

    assert [(match["game"], match["board"]) for match in found] == expected


def test_removed_boards_are_nobodys_but_can_be_looked_at(club: LocalServer) -> None:
    everywhere = (
        boards(club, "star games all") + boards(club, "list") + boards(club, "star history")
    )

    assert 105 not in everywhere
    assert club.show(105)["status"] == "removed"


def test_showas_shows_a_players_own_boards(own_club: LocalServer) -> None:
    own_club.do("star submit 101 bob secret-bob B3")
    active = own_club.json("star showas bob secret-bob")
    chosen = own_club.json("star showas bob secret-bob next")

    assert [match["board"] for match in active["matches"]] == [101, 104]
    assert active["submitted"] == chosen["submitted"] == {"101": "B3"}


def test_showas_of_another_players_board_shows_what_all_see(own_club: LocalServer) -> None:
    own_club.do("star submit 101 bob secret-bob B3")
    shown = own_club.json("star showas carol secret-carol 101")

    assert (shown.pop("submitted"), shown.pop("plans")) == ({}, {})
    assert shown == own_club.show(101)


def test_a_pending_offer_is_shown(own_club: LocalServer) -> None:
    own_club.move(101, "alice", "propose")
    answer = own_club.do("star show 101")

    assert answer.document["offer"] == {
        "kind": "draw",
        "by": "alice",
        "result": None,
        "moves": None,
    }
    assert str(answer.blocks[-2]).endswith("alice offers a draw: accept or reject.")
    assert own_club.show("101#2")["offer"] is None


def test_looking_changes_nothing_and_records_nothing(own_club: LocalServer) -> None:
    before = own_club.tables(but=())
    for line in ("star show 101", "star games", "list", "star history", "all show bob"):
        own_club.do(line)

    assert own_club.tables(but=()) == before


@pytest.mark.parametrize(
    ("words", "moves", "players"),
    [
        ("101", ["C1", "swap", "C2"], ("bob", "alice")),
        ("101 B3 a3", ["C1", "swap", "C2", "B3", "A3"], ("bob", "alice")),
        ("101#1 swap", ["C1", "swap"], ("bob", "alice")),
        ("101#0 C2 --", ["C2", "pass"], ("alice", "bob")),
        ("new -size=3 C1 swap C2", ["C1", "swap", "C2"], (None, None)),
    ],
)
def test_preview_tries_moves_on_a_copy(
    club: LocalServer, words: str, moves: list[str], players: tuple[str | None, str | None]
) -> None:
    before = club.tables(but=())
    shown = club.json(f"star preview {words}")

    assert (shown["board"], shown["moves"]) == (None, moves)
    assert (shown["players"]["X"], shown["players"]["O"]) == players
    assert club.tables(but=()) == before


NO_PREVIEW = [
    ("101 C1", "occupied"),
    ("101 ZZ99", "invalid-move"),
    ("101 swap", "swap-not-allowed"),
    ("102 B3", "game-over"),
    ("101 resign", "invalid-move"),
    ("101 -size=3 B3", "option-needs-new"),
    ("new -size=15", "bad-option-value"),
    ("new -size=3 pass pass C1", "game-over"),
]


def test_a_number_before_the_moves_says_where_they_begin_or_how_many_follow(
    club: LocalServer,
) -> None:
    played = club.json("star show 101")["moves"]
    empty = {
        n: club.json(f"star preview new -size=3 {n} C1 C2 D1")["moves"] for n in (0, 1, 2, 3, 4)
    }

    assert {n: ["C1", "C2", "D1"][:n] for n in empty} == empty
    for n in range(len(played)):
        tried = club.json(f"star preview 101 {n} {played[n]}")
        assert played[: n + 1] == tried["moves"]
        assert tried["moves"] == club.json(f"star preview 101#{n} {played[n]}")["moves"]


def test_preview_refuses_what_a_game_would(club: LocalServer) -> None:
    told = [(words, club.code(f"star preview {words}")) for words, _ in NO_PREVIEW]

    assert told == NO_PREVIEW


def test_a_preview_of_the_end_says_so(club: LocalServer) -> None:
    text = club.text("star preview 101 pass pass")

    assert "The game would end here: X wins, 1 to 0, after two passes." in text


def test_a_preview_of_a_game_that_was_given_up_goes_on(own_club: LocalServer) -> None:
    own_club.ask(["star", "resign", "101", "alice", "secret-alice"])
    tried = own_club.json("star preview 101")
    after = own_club.json("star preview 101 pass")

    assert ("won", "resignation") == (own_club.show(101)["status"], own_club.show(101)["reason"])
    assert [("running", None)] * 2 == [(one["status"], one["reason"]) for one in (tried, after)]


def test_the_score_of_a_board_and_of_a_moment(club: LocalServer) -> None:
    shown = club.show(102)

    assert club.json("star score 102") == {**shown["score"], "settled": shown["settled"]}
    assert club.json("star score 101#0")["points"] == {"X": 0, "O": 0}


def test_the_score_of_a_position_typed_in(local: LocalServer) -> None:
    cells = "H1 I1 H2 H3 J3 H4 I4 H5 A6 G6 C7 G7 C8 G8 G9 B10 F10"
    score = local.json(f"star score new --o='{cells}'")
    sheet = local.text(f"star score new -o='{cells.lower().replace(' ', ', ')}' -explain")

    assert score["points"] == {"X": 0, "O": 8}
    assert [chain["points"] for chain in score["chains"]["O"]] == [7, 1, 0]
    assert "+7  chain: touches 9 externals, minus 2" in sheet


NO_SCORE = [
    ("new -x=C1 -o=C1 -size=3", "occupied"),
    ("new -x='C1 C1' -size=3", "occupied"),
    ("new -x=ZZ99", "invalid-move"),
    ("new -x=pass", "invalid-move"),
    (f"new -x='{'C1 ' * 5000}'", "bad-option-value"),
    ("101 -x=C1", "option-needs-new"),
    ("101 -size=3", "option-needs-new"),
]


@pytest.mark.parametrize("word", ["pass", "swap", "ZZ99"])
def test_a_position_has_stones_on_cells_only(local: LocalServer, word: str) -> None:
    refusal = local.refusal(f"star score new -size=3 -x={word}")

    assert refusal.message == "Not a cell of this board."


def test_positions_that_cannot_be_scored(club: LocalServer) -> None:
    told = [(words, club.code(f"star score {words}")) for words, _ in NO_SCORE]

    assert told == NO_SCORE


@pytest.mark.parametrize("count", [20, 21])
def test_who_plays_at_many_boards_is_told_that_not_all_are_shown(
    local: LocalServer, count: int
) -> None:
    local.sign_up("alice")
    for _ in range(count):
        local.start(o="alice")
    shown = local.json("star show alice")

    assert (len(shown["matches"]), shown["more"]) == (20, count > 20)
    assert ("are shown; games lists them all." in local.text("star show alice")) == (count > 20)

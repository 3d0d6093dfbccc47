"""Challenges, seeks, imports and accounts among several: what is one player's is nobody else's."""

import pytest

from pbmserv.club.match import Match
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import LocalServer

pytestmark = ONE_DATABASE


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Four players without a board, and a robot."""
    local.sign_up("alice", "bob", "carol", "dora")
    return local


def seek(club: LocalServer, userid: str, words: str = "1 -size=3", game: str = "star") -> None:
    club.do(f"{game} seek {userid} secret-{userid} {words}")


def is_rated(club: LocalServer, board: int) -> bool:
    return bool(of(club, board).is_rated)


def of(club: LocalServer, board: int) -> Match:
    with club.desk.store.reading() as records:
        found = records.matches.find(club.game, board)
    assert found is not None
    return found


def seeking(club: LocalServer) -> list[tuple[str, str, int]]:
    return [(s["game"], s["userid"], s["wanted"]) for s in club.json("list")["seeks"]]


# Seeks


@pytest.mark.parametrize("words", ["-unrated", "-size=4", "-nagtime=3", "-maxi"])
def test_a_seek_is_given_only_to_whoever_asks_for_what_it_has(
    club: LocalServer, words: str
) -> None:
    seek(club, "alice")

    assert "no-seeker" == club.code(f"star challenge bob anyone {words}")
    assert [("star", "alice", 1)] == seeking(club)
    assert 101 == club.json("star challenge bob anyone -size=3")["board"]
    assert [] == seeking(club)


def test_who_asks_for_a_rated_game_takes_an_unrated_seek_as_it_is(club: LocalServer) -> None:
    seek(club, "alice", "2 -size=3 -unrated -nagtime=3")
    board = club.json("star challenge bob anyone")["board"]
    shown = club.show(board)

    assert not is_rated(club, board)
    assert (3, 3) == (shown["options"]["size"], shown["time"]["nag"])
    assert [("star", "alice", 1)] == seeking(club)


def test_nobody_takes_up_their_own_seek_but_the_next_ones(club: LocalServer) -> None:
    seek(club, "alice")
    seek(club, "bob")
    players = club.json("star challenge anyone alice -size=3")["players"]

    assert {"X": "bob", "O": "alice"} == players
    assert [("star", "alice", 1)] == seeking(club)
    assert "no-seeker" == club.code("star challenge alice anyone -size=3")


def test_who_is_named_first_is_x_whether_they_sought_or_not(club: LocalServer) -> None:
    seek(club, "alice", "2 -size=3")

    assert {"X": "bob", "O": "alice"} == club.json("star challenge bob anyone")["players"]
    assert {"X": "alice", "O": "carol"} == club.json("star challenge anyone carol")["players"]
    assert [] == seeking(club)


@pytest.mark.parametrize(
    ("line", "players"),
    [
        ("star challenge bob ANYONE", {"X": "bob", "O": "alice"}),
        ("star challenge Anyone bob", {"X": "alice", "O": "bob"}),
    ],
)
def test_anyone_is_written_in_any_letters_on_either_side(
    club: LocalServer, line: str, players: dict[str, str]
) -> None:
    seek(club, "alice", "1 -size=3 -nagtime=2")

    begun = club.json(line)
    assert players == begun["players"]
    assert 2 == begun["time"]["nag"]
    assert "missing-word" == club.code("star challenge ANYONE anyone")
    assert "mixed-words" == club.code(f"star challenge -from={begun['board']} bob Anyone")


def test_a_seek_of_a_closed_or_suspended_account_is_nobodys(club: LocalServer) -> None:
    seek(club, "alice")
    seek(club, "bob")
    club.damage("UPDATE player SET status = 'closed' WHERE userid = 'alice'")

    assert {"X": "carol", "O": "bob"} == club.json("star challenge carol anyone")["players"]
    assert "no-seeker" == club.code("star challenge carol anyone")


def test_a_closed_account_seeks_no_more_in_any_game_and_the_others_do(club: LocalServer) -> None:
    for game in ("star", "hex"):
        seek(club, "alice", game=game)
        seek(club, "bob", game=game)
    club.do("signoff alice secret-alice")

    assert [("hex", "bob", 1), ("star", "bob", 1)] == sorted(seeking(club))


# Who is meant


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("star games alice tournment", "tournament"),
        ("star games alice inactve", "inactive"),
        ("star show doar actve", "dora"),
        ("star games alice crol", "carol"),
        ("message alice secret-alice BOBB: hi", "bob"),
    ],
)
def test_a_slip_is_taken_for_the_word_or_the_player_that_is_nearest(
    club: LocalServer, line: str, meant: str
) -> None:
    error = club.refusal(line)

    assert ("no-such-player", f"Did you mean {meant}?") == (error.code, error.advice)


def test_whose_account_is_closed_or_known_by_games_alone_is_nobody_s_slip(
    club: LocalServer,
) -> None:
    assert "Did you mean dora?" == club.refusal("star games dorra").advice
    club.do("signoff dora secret-dora")

    hint = club.refusal("star games dorra").advice
    assert "dora" not in hint
    assert "signup" in hint
    assert "signup" not in club.refusal("star games 4ora").advice


# Challenges


def test_a_limit_counts_the_boards_of_its_own_player_in_its_own_game(club: LocalServer) -> None:
    club.do("star limit alice secret-alice 1")
    for opponent in ("bob", "carol"):
        club.start(x="dora", o=opponent)
    club.do("hex challenge -size=3 alice bob")

    assert 103 == club.start(x="alice", o="bob")
    assert "challenge-refused" == club.code("star challenge -size=3 carol alice")
    assert 104 == club.start(x="bob", o="carol")


def test_who_blocks_and_who_is_blocked_have_no_board_whoever_begins(club: LocalServer) -> None:
    club.do("block alice secret-alice bob")

    assert "blocked" == club.code("star challenge -size=3 alice bob")
    assert "blocked" == club.code("star challenge -size=3 bob alice")
    assert 101 == club.start(x="alice", o="carol")
    assert 102 == club.start(x="bob", o="carol")


def test_who_takes_no_challenges_in_one_game_does_in_another_and_may_play_alone(
    club: LocalServer,
) -> None:
    club.do("star reject alice secret-alice")

    assert "challenge-refused" == club.code("star challenge -size=3 bob alice")
    assert "challenge-refused" == club.code("star challenge -size=3 alice bob")
    assert 101 == club.json("hex challenge -size=3 bob alice")["board"]
    assert 101 == club.json("star challenge -size=3 alice alice")["board"]


@pytest.mark.parametrize(
    ("line", "rated"),
    [
        ("star challenge -size=3 alice bob", True),
        ("star challenge -size=3 -unrated alice bob", False),
        ("star challenge -size=3 alice alice", False),
        ("starstar challenge -size=4 -komi=2 alice bob", False),
        ("starstar challenge -size=4 alice bob", True),
    ],
)
def test_only_an_even_game_of_two_is_rated(club: LocalServer, line: str, rated: bool) -> None:  # noqa: FBT001
    club.game = line.partition(" ")[0]

    assert rated is is_rated(club, club.json(line)["board"])


def finished(club: LocalServer, options: str = "-size=3 -nagtime=3") -> int:
    """Have bob (O) beat alice, and return the number of the board."""
    board = club.start(options)
    club.play(board, "C3 C2")
    club.move(board, "alice", "resign")
    return board


def test_a_rematch_has_the_game_the_times_and_the_rating_of_the_first_with_sides_exchanged(
    club: LocalServer,
) -> None:
    board = finished(club, "-size=4 -nagtime=3 -forfeittime=9")
    club.start("-size=3")
    again = club.json(f"star rematch {board} bob secret-bob")
    shown = club.show(again["board"])

    assert {"X": "bob", "O": "alice"} == again["players"]
    assert 4 == shown["options"]["size"]
    assert (3, 9) == (shown["time"]["nag"], shown["time"]["forfeit"])
    assert is_rated(club, again["board"])
    unrated = finished(club, "-size=3 -unrated")
    again = club.json(f"star rematch {unrated} alice secret-alice")
    assert not is_rated(club, again["board"])


def test_no_rematch_of_a_board_that_runs_was_removed_or_is_of_others(club: LocalServer) -> None:
    board = finished(club)
    running = club.start()
    declined = club.start()
    club.move(declined, "bob", "resign")

    assert "not-finished" == club.code(f"star rematch {running} alice secret-alice")
    assert "not-finished" == club.code(f"star rematch {declined} alice secret-alice")
    assert "not-a-player" == club.code(f"star rematch {board} carol secret-carol")
    club.do("star reject bob secret-bob")
    assert "challenge-refused" == club.code(f"star rematch {board} alice secret-alice")
    club.do("star accept bob secret-bob")
    club.damage("UPDATE player SET suspended_at = 1 WHERE userid = 'bob'")
    assert "suspended" == club.code(f"star rematch {board} alice secret-alice")


def test_a_board_from_another_has_its_game_and_no_rating(club: LocalServer) -> None:
    board = finished(club, "-size=4")
    begun = club.json(f"star challenge -from={board}#1 carol dora")
    shown = club.show(begun["board"])

    assert (4, ["C3"], "O") == (shown["options"]["size"], shown["moves"], shown["to_move"])
    assert {"X": "carol", "O": "dora"} == begun["players"]
    assert not is_rated(club, begun["board"])
    assert (True, 0) == (shown["deadline"] is not None, of(club, begun["board"]).own_ply)
    club.move(begun["board"], "dora", "resign")
    assert "removed" == club.show(begun["board"])["status"]


def test_a_board_from_another_has_the_times_that_are_told_with_it(club: LocalServer) -> None:
    board = finished(club, "-size=3 -nagtime=3")
    said = {
        options: club.json(f"star challenge -from={board}#1 {options} carol dora")["time"]
        for options in ("-nagtime=2 -forfeittime=8", "")
    }

    assert (2, 8) == tuple(said["-nagtime=2 -forfeittime=8"][name] for name in ("nag", "forfeit"))
    assert (7, 21) == tuple(said[""][name] for name in ("nag", "forfeit"))


def test_who_takes_up_a_seek_or_plays_again_is_told_its_times_unless_they_are_the_usual(
    club: LocalServer,
) -> None:
    for words in ("1 -size=3 -nagtime=2 -forfeittime=8", "1 -size=3"):
        seek(club, "alice", words)
        begun = club.text("star challenge bob anyone")
        board = club.json("star games bob active")["matches"][0]["board"]
        club.play(board, "C3 C2")
        club.move(board, "bob", "resign")
        again = club.text(f"star rematch {board} bob secret-bob")
        for text in (begun, again):
            assert ("Time: " in text) is ("nagtime" in words)
            assert ("2 days" in text) is ("nagtime" in words)
        club.move(board + 1, "bob", "resign")


# Accounts


def test_a_closed_account_keeps_no_address_and_no_password(club: LocalServer) -> None:
    club.do("add alice secret-alice a@example.org")
    club.do("add bob secret-bob b@example.org")
    board = club.start(x="alice", o="bob")
    other = club.start(x="carol", o="bob")
    for number in (board, other):
        club.play(number, "C1 C2")
    club.do("tournament create dora secret-dora star Cup -size=3")
    for userid in ("alice", "bob"):
        club.do(f"tournament join 1 {userid} secret-{userid}")
    club.do("signoff alice secret-alice")
    rows = club.tables()

    assert ("won", "O") == (club.show(board)["status"], club.show(board)["winner"])
    assert "running" == club.show(other)["status"]
    assert "a@example.org" not in str(rows["address"])
    assert "b@example.org" in str(rows["address"])
    kept = {row[1]: row for row in rows["player"]}
    assert "cheap$" not in str(kept["alice"])
    assert "cheap$" in str(kept["bob"])
    assert ["bob"] == [entry["userid"] for entry in club.json("tournament show 1")["entrants"]]
    assert 1 == club.audit().count(("resign", "done"))
    assert "no-such-player" == club.code("star challenge carol alice")

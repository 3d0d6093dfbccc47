"""What operators see, and the check that finds every kind of damage."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE, made_once
from tests.in_process_shell import Shell
from tests.local_server import LocalServer, cheap_hash

OF_101 = "match_id = (SELECT id FROM match WHERE number = 101)"


@pytest.fixture
@made_once
def busy(shell: Shell) -> Shell:
    """Star 101 runs after a swap, 102 was won by passes, 103 resigned, 104 removed, 105 drawn."""
    local = LocalServer(shell.url)
    local.sign_up("alice", "bob")
    for _ in range(5):
        local.start()
    local.play(101, "C1 swap C2 B3")
    local.play(102, "C1 B3 pass pass")
    local.play(103, "C1 C2")
    local.move(103, "alice", "resign")
    local.move(104, "bob", "resign")
    local.play(105, "pass pass")
    local.refusal("star move 101 alice wrong-secret C1")
    local.desk.close()
    return shell


def damage(shell: Shell, *statements: str) -> None:
    local = LocalServer(shell.url)
    for statement in statements:
        local.damage(statement.replace("@101", OF_101))
    local.desk.close()


def test_games(busy: Shell) -> None:
    found = busy.json("admin games")["matches"]
    limited = busy.json("admin games -limit=2 -offset=1")["matches"]

    assert [match["board"] for match in found] == [101, 105, 103, 102]
    assert [match["board"] for match in limited] == [105, 103]


def test_show_tells_what_is_stored(busy: Shell) -> None:
    shown = busy.json("admin show star 101")
    text = busy.run("admin show star 101").out

    assert (shown["board"], shown["players"]) == (101, {"X": "bob", "O": "alice"})
    assert shown["stored"]["first"] == "alice"
    assert shown["time"] == busy.json("star show 101")["time"]
    assert "first: alice\nsecond: bob\nstarted: 2027-01-15 08:00:00" in text


def test_players_and_player(busy: Shell) -> None:
    players = busy.json("admin players")["players"]
    player = busy.json("admin player ALICE")

    assert [(row["userid"], row["status"]) for row in players] == [
        ("alice", "active"),
        ("bob", "active"),
    ]
    assert [match["board"] for match in player["matches"]] == [101]


@pytest.mark.parametrize("option", ["", "--json", "--csv"])
def test_no_list_of_an_operators_shows_what_a_password_is_kept_as(busy: Shell, option: str) -> None:
    with closing(Store.open(busy.url)) as store, store.reading() as records:
        kept = [player.password_hash for player in records.lists.players().rows]
    lines = ("players", "player alice", "show star 101", "moves star 101", "audit", "games")
    told = [busy.run(f"admin {line} {option}") for line in lines]

    assert {cheap_hash("secret-alice"), cheap_hash("secret-bob")} == {*kept}
    assert [text for text in kept for done in told if text and text in done.out + done.err] == []
    assert {done.code for done in told} <= ({0, 2} if option == "--csv" else {0})


def test_a_player_has_his_addresses_in_words(busy: Shell) -> None:
    before = busy.run("admin player bob").out
    busy.run("add bob secret-bob bob@x.example bob@y.example")
    after = busy.run("admin player bob").out

    assert "addresses: none\n" in before
    assert "addresses: bob@x.example (verified); bob@y.example (verified)\n" in after


def test_moves_with_player_time_and_digest(busy: Shell) -> None:
    moves = busy.json("admin moves star 101")["moves"]

    assert [(row["ply"], row["move"], row["player"]) for row in moves] == [
        (1, "C1", "alice"),
        (2, "swap", "bob"),
        (3, "C2", "alice"),
        (4, "B3", "bob"),
    ]
    assert {row["at"] for row in moves} == {"2027-01-15 08:00:00"}
    assert {len(row["digest"]) for row in moves} == {12}


def test_the_audit_is_newest_first(busy: Shell) -> None:
    rows = busy.json("admin audit")["audit"]
    hers = busy.json("admin audit -player=alice -limit=2")["audit"]

    assert (rows[0]["verb"], rows[0]["outcome"], rows[0]["player"]) == (
        "move",
        "wrong-login",
        None,
    )
    assert (rows[-1]["verb"], rows[-1]["outcome"], rows[-1]["detail"]) == (
        "signup",
        "done",
        "alice",
    )
    assert [row["verb"] for row in hers] == ["move", "resign"]


@pytest.mark.parametrize(
    ("line", "code", "exit_code"),
    [
        ("admin show star 999", "no-such-board", 1),
        ("admin moves star 999", "no-such-board", 1),
        ("admin show chess 101", "no-such-game", 1),
        ("admin player nobody", "no-such-player", 1),
        ("admin audit -player=nobody", "no-such-player", 1),
        ("admin audit -limit=0", "bad-option-value", 2),
        ("admin games -limit=x", "bad-number", 2),
        ("admin games -offset=-1", "bad-option-value", 2),
        ("admin players -offset=-1", "bad-option-value", 2),
        ("admin audit -offset=-5", "bad-option-value", 2),
        ("admin inbox -offset=-1", "bad-option-value", 2),
        ("admin outbox -offset=-1", "bad-option-value", 2),
        ("admin nosuch", "no-such-command", 2),
        ("admin", "incomplete-command", 2),
        ("admin show", "missing-word", 2),
    ],
)
def test_admin_refuses_what_is_not_there(
    shell: Shell, line: str, code: str, exit_code: int
) -> None:
    done = shell.run(f"{line} --json")

    assert (done.document["error"]["code"], done.code) == (code, exit_code)


def test_check_finds_nothing_where_nothing_is_wrong(busy: Shell) -> None:
    done = busy.run("admin check")

    assert (done.code, done.out, done.err) == (0, "5 boards checked, no problems.\n", "")
    assert busy.json("admin check") == {"boards": 5, "problems": []}


def test_check_of_an_empty_database(shell: Shell) -> None:
    assert shell.run("admin check").out == "0 boards checked, no problems.\n"


DAMAGES = {
    "a move's text": ["UPDATE move SET text = 'D1' WHERE ply = 1 AND @101"],
    "a move that is none": ["UPDATE move SET text = 'ZZ99' WHERE ply = 3 AND @101"],
    "a digest": ["UPDATE move SET digest = '000000000000' WHERE ply = 2 AND @101"],
    "the first move gone": ["DELETE FROM move WHERE ply = 1 AND @101"],
    "a move in the middle gone": ["DELETE FROM move WHERE ply = 3 AND @101"],
    "the last move gone": ["DELETE FROM move WHERE ply = 4 AND @101"],
    "a gap in the numbers": ["UPDATE move SET ply = 9 WHERE ply = 4 AND @101"],
    "a move of the other player": ["UPDATE move SET player_id = 2 WHERE ply = 3 AND @101"],
    "the winner's side": ["UPDATE match SET winner = 'O' WHERE number = 102"],
    "the winner": [
        "UPDATE match SET winner = 'O', winner_id = second_id WHERE number = 102",
    ],
    "the winner's number": ["UPDATE match SET winner_id = second_id WHERE number = 102"],
    "the reason": ["UPDATE match SET reason = 'full-board' WHERE number = 102"],
    "a reason that is none": ["UPDATE match SET reason = 'magic' WHERE number = 102"],
    "an end that never was": [
        "UPDATE match SET reason = 'two-passes' WHERE number = 103",
    ],
    "an impossible draw": [
        "UPDATE match SET status = 'drawn', winner = NULL, winner_id = NULL WHERE number = 103",
    ],
    "an impossible win": [
        (
            "UPDATE match SET status = 'won', winner = 'X', winner_id = first_id, "
            "reason = 'agreement' WHERE number = 105"
        )
    ],
    "points of X": ["UPDATE match SET points_x = points_x + 1 WHERE number = 102"],
    "points of O": ["UPDATE match SET points_x = 1, points_o = 7 WHERE number = 103"],
    "the seat of X": ["UPDATE match SET x_id = first_id WHERE number = 101"],
    "the seat of O": ["UPDATE match SET o_id = x_id WHERE number = 102"],
    "the number of moves": ["UPDATE match SET ply = 3 WHERE number = 101"],
    "whose turn it is": ["UPDATE match SET to_move = 'X' WHERE number = 101"],
    "who is next": ["UPDATE match SET next_id = first_id + second_id - next_id WHERE number = 101"],
    "options that are none": ["UPDATE match SET spec = 'star(size=99)' WHERE number = 101"],
    "other options": ["UPDATE match SET spec = 'star(size=4)' WHERE number = 101"],
    "the game": ["UPDATE match SET spec = 'y(size=3)' WHERE number = 105"],
    "other rules": ["UPDATE match SET rules_version = 99 WHERE number = 101"],
    "a finished board that runs": [
        (
            "UPDATE match SET status = 'running', to_move = 'X', next_id = first_id, "
            "winner = NULL, winner_id = NULL, reason = NULL, finished_at = NULL WHERE number = 102"
        )
    ],
    "an offer on a finished board": [
        (
            "INSERT INTO offer (match_id, kind, player_id, offered_at) "
            "SELECT id, 'draw', first_id, 1 FROM match WHERE number = 102"
        )
    ],
    "a submission on a finished board": [
        (
            "INSERT INTO submission (match_id, player_id, text) "
            "SELECT id, first_id, 'C2' FROM match WHERE number = 102"
        )
    ],
    "a counter that is behind": ["UPDATE counter SET value = 103 WHERE name = 'board:star'"],
    "a counter that is gone": ["DELETE FROM counter WHERE name = 'board:star'"],
}


@pytest.mark.costly
@ONE_DATABASE
def test_check_finds_every_damage(busy: Shell) -> None:
    database = Path(busy.url)
    sound = database.read_bytes()
    for kind, statements in DAMAGES.items():
        damage(busy, *statements)
        done = busy.run("admin check --json")
        database.write_bytes(sound)

        assert (kind, 1, "") == (kind, done.code, done.err)
        first, *others = done.document["problems"]
        assert first.startswith("star"), kind
        # Whoever changes a result or a seat changes what the ratings and counts should be.
        assert [each for each in others if not re.search(r"rating|see admin rate", each)] == [], (
            kind
        )


def test_check_says_every_problem_in_words(busy: Shell) -> None:
    damage(
        busy,
        "UPDATE move SET digest = 'x' WHERE ply = 2 AND @101",
        "UPDATE match SET points_x = 99 WHERE number = 102",
    )
    done = busy.run("admin check")

    assert done.code == 1
    assert done.out.splitlines() == [
        "star 101: The record of Star board 101 is damaged at move 2: its digest differs",
        "star 102: its row differs from its moves: points_x",
        "5 boards checked, 2 problems.",
    ]


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    "line",
    [
        "star show 101",
        "star move 101 bob secret-bob A3",
        "star resign 101 bob secret-bob",
        "star export 101",
        "admin show star 101",
    ],
)
@pytest.mark.parametrize("kind", ["a digest", "options that are none"])
def test_a_damaged_board_is_not_played_on(busy: Shell, kind: str, line: str) -> None:
    damage(busy, *DAMAGES[kind])
    local = LocalServer(busy.url)
    before = local.tables()
    done = busy.run(f"{line} --json")
    after = local.tables()
    local.desk.close()

    assert (done.code, done.document["error"]["code"]) == (70, "damaged-match")
    assert after == before

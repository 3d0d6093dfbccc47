"""Ratings through the door: changed with the end of a game, listed, drawn, and checked."""

import pytest

from pbmserv.club.rating import Rating, rate_game
from pbmserv.engine.position import Side
from pbmserv.operators.admin_ratings import wrong_ratings
from pbmserv.store.people import ratings
from tests.local_server import NOW, LocalServer

from .passing_days import DAY, letters, with_letters


def finish(local: LocalServer, winner: str, x: str = "alice", o: str = "bob") -> int:
    """Play a game that ends by resignation, and return its number."""
    board = local.start(x=x, o=o)
    local.play(board, "C1 C2")
    loser = o if winner == x else x
    local.move(board, loser, "resign")
    return board


def rows(local: LocalServer, line: str = "star standings") -> dict[str, dict[str, object]]:
    return {row["userid"]: row for row in local.json(line)["standings"]}


def test_the_end_of_a_game_changes_both_ratings(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.clock.seconds += DAY
    answer = local.move(101, "bob", "resign")
    x, o = rate_game(Rating(), Rating(), Side.X, NOW + DAY)

    assert answer.document["ratings"] == {
        "X": {"before": 1500, "after": round(x.value)},
        "O": {"before": 1500, "after": round(o.value)},
    }
    assert "Ratings: alice 1500 to 1662 (+162), bob 1500 to 1338 (-162)." in answer.blocks
    assert "Ratings: alice 1500 to 1662" in local.text("star show 101")
    with local.desk.store.reading() as records:
        found = records.ratings.all()
    assert [found[key].rating for key in sorted(found)] == [x, o]


def test_the_letters_tell_the_changes(local: LocalServer) -> None:
    with_letters(local, "alice", "bob")
    finish(local, "bob")

    assert (
        "Ratings: alice 1500 to 1338 (-162), bob 1500 to 1662 (+162)."
        in (letters(local, "alice")[-1])
    )


def test_after_a_swap_the_winners_rating_rises(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 swap C2")
    local.move(101, "alice", "resign")
    found = rows(local)

    assert (found["bob"]["won"], found["alice"]["lost"]) == (1, 1)
    assert found["bob"]["rating"] == 1662


def test_the_table_counts_and_orders(local: LocalServer) -> None:
    finish(local, "alice")
    finish(local, "bob")
    finish(local, "alice", o="carol")
    local.start()
    local.play(104, "C1 C2 C3 B2 B3 D2")
    local.move(104, "alice", "propose")
    local.move(104, "bob", "accept")
    local.start(x="carol", o="alice")
    local.start(x="alice", o="alice")
    table = local.json("star standings")["standings"]

    assert [row["userid"] for row in table] == ["bob", "alice", "carol"]
    counts = [[row[k] for k in ("games", "won", "lost", "drawn", "running")] for row in table]
    assert counts == [[3, 1, 1, 1, 0], [4, 2, 1, 1, 2], [1, 0, 1, 0, 1]]
    assert [row["seen"] for row in table] == [NOW] * 3
    text = local.text("star ratings")
    assert text.splitlines()[0].split()[:3] == ["place", "player", "rating"]
    assert "? marks a provisional rating" in text
    assert text == local.text("star standings")


@pytest.mark.parametrize(
    ("options", "players"),
    [("-unrated", ("alice", "bob")), ("", ("alice", "alice"))],
)
def test_some_games_are_unrated(local: LocalServer, options: str, players: tuple[str, str]) -> None:
    local.start(f"-size=3 {options}", *players)
    local.play(101, "C1 C2")
    answer = local.move(101, players[0], "resign")

    assert answer.document["ratings"] is None
    assert local.json("star standings")["standings"] == []


def test_every_game_has_ratings_of_its_own(local: LocalServer) -> None:
    finish(local, "alice")

    assert local.json("starweb standings") == {"standings": [], "more": False}
    assert rows(local, "starweb standings alice")["alice"]["rating"] == 1500
    assert local.text("y standings") == "Nobody has finished a rated game yet."


def test_named_players_and_a_limit(local: LocalServer) -> None:
    finish(local, "alice")
    finish(local, "carol", x="carol", o="dave")

    assert list(rows(local, "star standings dave alice")) == ["alice", "dave"]
    assert local.json("star standings -limit=1")["more"] is True
    assert local.code("star standings nobody") == "no-such-player"
    assert local.code("star standings -limit=0") == "bad-option-value"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("command", ["standings", "history"])
@pytest.mark.parametrize("word", ["active", "actve", "next"])
def test_where_players_alone_stand_no_other_word_is_taken_for_what_was_meant(
    local: LocalServer, command: str, word: str
) -> None:
    finish(local, "alice")

    assert "no-such-player" == (refused := local.refusal(f"star {command} {word}")).code
    assert "Did you mean" not in refused.advice
    assert "Did you mean alice?" == local.refusal(f"star {command} alcie").advice


@pytest.mark.costly
def test_a_rating_grows_unsure_with_time(local: LocalServer) -> None:
    for _ in range(9):
        finish(local, "alice")
        finish(local, "bob")
    young = rows(local)["alice"]
    local.clock.seconds += 400 * 7 * DAY
    old = rows(local)["alice"]

    assert (young["provisional"], old["provisional"]) == (False, True)
    assert young["rating"] == old["rating"]


def test_the_history_is_drawn(local: LocalServer) -> None:
    for winner in ("alice", "alice", "bob", "alice"):
        finish(local, winner)
        local.clock.seconds += 20 * DAY
    found = local.json("star standings -history=alice")["history"]
    lines = local.text("star standings -history=ALICE").splitlines()

    assert [row["board"] for row in found] == [101, 102, 103, 104]
    assert [row["before"] for row in found][1:] == [row["rating"] for row in found][:-1]
    assert lines[0] == "Star rating of alice after each of 4 rated games"
    assert sum(line.count("*") for line in lines) == 4
    assert lines[-2].split() == ["2027-01-15", "2027-03-16"]
    assert max(map(len, lines)) <= 80
    assert "no rated game yet, so 1500" in local.text("starweb standings -history=alice")


@pytest.mark.parametrize("chunk", [ratings.CHUNK, 1])
def test_a_recomputation_agrees_however_much_is_read_at_a_time(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(ratings, "CHUNK", chunk)
    for winner in ("alice", "bob", "bob", "alice"):
        finish(local, winner)
        local.clock.seconds += 3 * DAY
    before = local.tables()
    store = local.desk.store

    assert wrong_ratings(store) == []
    with store.writing() as records:
        assert records.ratings.rebuild() == 4
    assert wrong_ratings(store) == []
    assert local.tables()["rating"] == before["rating"]
    local.damage("DELETE FROM rating_change WHERE match_id > 2")
    assert wrong_ratings(store)[-2:] == [f"star {n}: {UNCHANGED}" for n in (103, 104)]


ALICE, BOB = (
    f"star: the rating of {name} differs from the recalculated one" for name in ("alice", "bob")
)
UNLIKE = "a rating change differs from the recalculated one"
UNCHANGED = "it is rated but has changed no rating: run pbmserv admin rate"
UNRATED = "star 102: it has changed ratings but is not a finished rated game"
ONE = "star 101: it has changed one player's rating only"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("statement", "problems"),
    [
        ("UPDATE rating SET value = value + 1 WHERE player_id = 1", [ALICE]),
        ("UPDATE rating SET won = won + 1 WHERE player_id = 1", [ALICE]),
        ("DELETE FROM rating WHERE player_id = 2", [BOB]),
        ("UPDATE rating_change SET value = 1 WHERE id = 1", [f"star 101: {UNLIKE}"]),
        ("UPDATE rating_change SET before = before + 1 WHERE id = 3", [f"star 102: {UNLIKE}"]),
        ("UPDATE rating_change SET player_id = 3 WHERE id = 2", [f"star 101: {UNLIKE}", ONE]),
        ("DELETE FROM rating_change WHERE id = 2", [ONE]),
        ("DELETE FROM rating_change WHERE match_id = 2", [ALICE, BOB, f"star 102: {UNCHANGED}"]),
        ("UPDATE match SET is_rated = 0 WHERE id = 2", [UNRATED, UNRATED, ALICE, BOB]),
    ],
)
def test_damaged_ratings_are_found(local: LocalServer, statement: str, problems: list[str]) -> None:
    local.sign_up("alice", "bob", "carol")
    finish(local, "alice")
    finish(local, "bob")
    local.damage(statement)

    assert wrong_ratings(local.desk.store) == problems

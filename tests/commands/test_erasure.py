"""Leaving without a trace but the games."""

from tests.local_server import LocalServer


def traces(local: LocalServer, word: str) -> list[str]:
    """Return the tables in which the word stands in any row."""
    tables = local.tables(but=())
    return [name for name, rows in tables.items() if any(word in repr(row).lower() for row in rows)]


def test_who_is_erased_leaves_their_games_under_a_number_and_no_name(local: LocalServer) -> None:
    local.start(x="zacharias")
    local.start(x="zacharias")
    local.sign_up("zach")
    local.do("add zacharias secret-zacharias zacharias@x.example")
    local.play(101, "C1 C2")
    said = local.text("signoff zacharias secret-zacharias -erase")

    assert "Your games stay under the name erased-" in said
    assert local.show(101)["players"]["X"].startswith("erased-")
    assert local.show(101)["moves"] == ["C1", "C2"]
    assert traces(local, "zacharias") == []
    assert traces(local, "zach") == ["player", "audit"]  # whose name is a part of it is left alone


def test_who_is_erased_cannot_come_in_and_their_ratings_stay_right(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.do("signoff alice secret-alice -erase")

    assert local.code("star move 101 alice secret-alice C3") == "wrong-login"
    assert local.show(101)["status"] == "won"
    assert local.json("star standings")["standings"][0]["userid"] == "bob"


def test_without_the_option_the_name_stays(local: LocalServer) -> None:
    local.start()
    local.do("signoff alice secret-alice")

    assert local.show(101)["players"]["X"] == "alice"

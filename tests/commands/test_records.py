"""Records: a game taken away and brought back, and records that are wrong."""

from pathlib import Path

import pytest

from pbmserv.engine.spec import parse_game
from tests.databases import copy_template
from tests.engine.playing import random_game
from tests.local_server import LocalServer

KEPT = ("game", "options", "players", "moves", "stones", "status", "winner", "reason", "score")

RECORD = """pbmserv record 1
game: star(size=3)
x: alice
o: bob
result: X resignation

  1. C1
  2. C2
  3. B3
"""


def kept(document: dict[str, object]) -> dict[str, object]:
    return {key: document[key] for key in KEPT}


@pytest.fixture
def elsewhere(sqlite_template: Path, tmp_path: Path) -> LocalServer:
    """A server that knows nobody."""
    return LocalServer(copy_template(sqlite_template, tmp_path / "elsewhere"))


@pytest.mark.parametrize(
    ("options", "moves", "last"),
    [
        ("-size=3", "C1 B3 pass pass", ""),
        ("-size=3", "C1 swap C2 pass B3 pass pass", ""),
        ("-size=3 -maxi -corners=2", "C1 C2", "resign"),
        ("-size=4", "D1 swap D2", "resign"),
        ("-size=3", "pass pass", ""),
    ],
)
def test_a_game_comes_back_as_it_was(
    local: LocalServer, elsewhere: LocalServer, options: str, moves: str, last: str
) -> None:
    local.start(options)
    local.play(101, moves)
    if last:
        local.move(101, "alice", last)
    before = local.show(101)
    record = local.json("star export 101")["record"]
    here, there = local.json("star import", record), elsewhere.json("star import", record)

    assert (here["board"], there["board"]) == (102, 101)
    assert kept(here) == kept(there) == kept(local.show(102)) == kept(before)
    assert elsewhere.json("star export 101")["record"] == record


@pytest.mark.parametrize("seed", range(3))
def test_whole_random_games_come_back(local: LocalServer, seed: int) -> None:
    local.start("-size=3 -maxi")
    texts = [move.text for move, _ in random_game(parse_game("star(size=3,maxi)"), seed) if move]
    before = local.play(101, texts)
    imported = local.json("star import", local.json("star export 101")["record"])

    assert before["status"] != "running"
    assert kept(imported) == kept(before)


def test_an_agreed_draw_comes_back(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.move(101, "alice", "propose")
    local.move(101, "bob", "accept")
    imported = local.json("star import", local.json("star export 101")["record"])

    assert (imported["status"], imported["reason"]) == ("drawn", "agreement")


def test_the_exported_text_is_the_record(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 swap")

    assert local.text("star export 101") == (
        "pbmserv record 1\n"
        "game: star(size=3)\n"
        "board: 101\n"
        "x: alice\n"
        "o: bob\n"
        "started: 2027-01-15T08:00:00Z\n"
        "result: running\n"
        "\n"
        "  1. C1\n"
        "  2. swap"
    )


def test_an_imported_game_is_unrated_and_recorded_so(local: LocalServer) -> None:
    local.do("star import", RECORD)
    with local.desk.store.reading() as records:
        match = records.matches.find("star", 101)

    assert match is not None
    assert (match.is_rated, match.is_imported) == (False, True)
    assert local.audit() == [("import", "done")]


def test_players_known_by_name_only_can_sign_up_later(local: LocalServer) -> None:
    local.do("star import", RECORD)
    refused = local.code("star challenge alice bob")
    local.sign_up("Alice", "bob")

    assert refused == "no-such-player"
    assert local.json("star challenge alice bob")["board"] == 102
    assert [match["board"] for match in local.json("star history alice")["matches"]] == [101]


def test_a_record_may_be_written_by_hand(local: LocalServer) -> None:
    text = RECORD.replace("1. C1", "1.   c1  ").replace("\n", "\r\n").replace("C2", "--")
    imported = local.json("star import", f"\n\n{text}\n\n")

    assert imported["moves"] == ["C1", "pass", "B3"]


WRONG = [
    (RECORD, "", "bad-record", 2),
    (RECORD, "hello", "bad-record", 2),
    (RECORD, "x" * 200_000, "bad-record", 2),
    ("record 1", "record 2", "bad-record", 2),
    ("game: star(size=3)\n", "", "bad-record", 2),
    ("x: alice\n", "", "bad-record", 2),
    ("x: alice\n", "x:\n", "bad-record", 2),
    ("x: alice\n", "x: alice\nx: carol\n", "bad-record", 2),
    ("x: alice\n", "x: alice\ncolour: red\n", "bad-record", 2),
    ("  2. C2\n", "", "bad-record", 2),
    ("  2. C2", "  3. C2", "bad-record", 2),
    ("  2. C2", "  1. C2", "bad-record", 2),
    ("  2. C2", "  2. C2 and so on", "bad-record", 2),
    ("X resignation", "Z resignation", "bad-record", 2),
    ("X resignation", "X magic", "bad-record", 2),
    ("X resignation", "", "bad-record", 2),
    ("result: X", "finished: yesterday\nresult: X", "bad-record", 2),
    ("result: X", "finished: 9999-01-01T00:00:00Z\nresult: X", "bad-record", 1),
    ("size=3", "size=99", "bad-option-value", 2),
    ("size=3", "colour=red", "bad-spec", 2),
    ("star(size=3)", "chess", "no-such-game", 1),
    ("star(size=3)", "starweb", "bad-record", 1),
    ("  2. C2", "  2. C1", "bad-record", 1),
    ("  3. B3", "  3. swap", "bad-record", 1),
    ("  3. B3", "  3. ZZ99", "bad-record", 1),
    ("  3. B3", "  3. pass\n  4. pass\n  5. B3", "bad-record", 1),
    ("  3. B3", "  3. pass\n  4. pass", "bad-record", 1),
    ("X resignation", "X two-passes", "bad-record", 1),
    ("X resignation", "X full-board", "bad-record", 1),
    ("X resignation", "draw resignation", "bad-record", 1),
    ("X resignation", "draw forfeit", "bad-record", 1),
    ("X resignation", "X agreement", "bad-record", 1),
    ("X resignation", "O agreement 7-6", "bad-record", 1),
    ("X resignation", "X agreement seven", "bad-record", 2),
    ("X resignation", "X declined", "bad-record", 1),
    ("X resignation", "draw declined", "bad-record", 1),
    ("  2. C2\n  3. B3\n", "", "bad-record", 1),
    ("X resignation", "running", "not-finished", 1),
    ("x: alice", "x: next", "userid-reserved", 1),
    ("x: alice", "x: 9lives", "bad-userid", 2),
    ("x: alice", "x: \0\0", "bad-userid", 2),
]


def test_a_wrong_record_is_refused(local: LocalServer) -> None:
    told = []
    for old, new, *_ in WRONG:
        assert old in RECORD

        error = local.refusal("star import", RECORD.replace(old, new))
        told.append((old, new, error.code, error.exit_code))

    assert told == WRONG


def test_a_declined_game_cannot_be_brought_back(local: LocalServer) -> None:
    local.start()
    local.move(101, "bob", "resign")
    record = local.json("star export 101")["record"]

    assert local.code("star import", record) == "not-finished"


def test_a_record_of_another_game_names_its_command(local: LocalServer) -> None:
    error = local.refusal("y import", RECORD)

    assert (error.code, error.hint) == ("wrong-game", "Import it with: star import")

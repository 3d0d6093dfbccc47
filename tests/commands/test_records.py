"""Records: a game taken away and brought back, and records that are wrong."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.request import Request
from pbmserv.engine.spec import parse_game
from pbmserv.services.session import Source
from tests.databases import copy_template
from tests.engine.sample_games import random_game
from tests.local_server import LocalServer, refusal_of

KEPT = ("game", "options", "players", "moves", "stones", "status", "winner", "reason", "score")

RECORD = """pbmserv record 2
game: star(size=3)
first: alice
second: bob
result: alice wins as X by resignation

  1. C1
  2. C2
  3. B3
"""
OLDER = """pbmserv record 1
game: star(size=3)
x: alice
o: bob
result: X resignation

  1. C1
  2. swap
  3. B3
"""


def kept(document: dict[str, object]) -> dict[str, object]:
    return {key: document[key] for key in KEPT}


@pytest.fixture
def elsewhere(sqlite_template: Path, tmp_path: Path) -> Iterator[LocalServer]:
    """A server that knows nobody."""
    opened = LocalServer(copy_template(sqlite_template, tmp_path / "elsewhere"))
    yield opened
    opened.close()


@pytest.mark.costly(stay=1)
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
    here = local.json("star import alice secret-alice", record)
    there = elsewhere.json("star import", record)

    assert (here["board"], there["board"]) == (102, 101)
    assert kept(here) == kept(there) == kept(local.show(102)) == kept(before)
    assert elsewhere.json("star export 101")["record"] == record


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("seed", range(3))
def test_whole_random_games_come_back(local: LocalServer, seed: int) -> None:
    local.start("-size=3 -maxi")
    texts = [move.text for move, _ in random_game(parse_game("star(size=3,maxi)"), seed) if move]
    before = local.play(101, texts)
    imported = local.json("star import bob secret-bob", local.json("star export 101")["record"])

    assert before["status"] != "running"
    assert kept(imported) == kept(before)


def test_a_game_of_members_is_signed_by_one_of_them_or_the_operator(local: LocalServer) -> None:
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice", "carol")
    local.do("star import", RECORD.replace("alice", "anna"))

    assert local.code("star import", RECORD) == "not-your-game"
    assert local.code("star import carol secret-carol", RECORD) == "not-your-game"
    assert local.code("star import alice secret-wrong", RECORD) == "wrong-login"
    assert local.code("star import alice", RECORD) == "missing-word"
    assert local.code(
        "star import alice secret-alice", RECORD + RECORD.replace("alice", "carol")
    ) == ("not-your-game")
    assert local.json("star import alice secret-alice", RECORD)["board"] == 102
    assert local.json("admin import-games star", RECORD)["board"] == 103


def test_an_agreed_draw_comes_back(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.move(101, "alice", "propose")
    local.move(101, "bob", "accept")
    imported = local.json("star import bob secret-bob", local.json("star export 101")["record"])

    assert (imported["status"], imported["reason"]) == ("drawn", "agreement")


@pytest.mark.parametrize(
    ("begun", "name"),
    [
        *((begun, "record") for begun in ("t", "te", "TEX", "text", "r", "record")),
        *((begun, "json") for begun in ("j", "js", "jso", "JSON")),
        *((begun, "sgf") for begun in ("s", "sg", "SGF")),
    ],
)
def test_the_beginning_of_a_format_means_what_it_once_did(
    local: LocalServer, begun: str, name: str
) -> None:
    local.start("-size=3")

    assert local.text(f"star export 101 -format={begun}") == local.text(
        f"star export 101 -format={name}"
    )


def test_a_board_is_exported_in_every_form(local: LocalServer) -> None:
    local.start("-size=3")
    local.start("-size=3")
    local.play(101, "C1 swap")

    assert local.text("star export 101 -format=text") == local.text("star export 101")
    assert local.text("star export 101 102 -format=SGF").count("(;FF[4]GM[1000]") == 2
    board, other = map(json.loads, local.text("star export 101 102 -format=json").splitlines())
    assert (board["moves"], other["board"]) == (["C1", "swap"], 102)
    assert local.code("star export 101 -format=pgn") == "bad-option-value"
    by_mail = Request(("star", "export", "101", "-format=sgf"), Source.MAIL)
    assert refusal_of(lambda: local.desk.handle(by_mail)).code == "shell-only"


@pytest.mark.parametrize("form", ["record", "sgf", "json", "jsonl"])
def test_a_running_game_is_stored_from_no_form(local: LocalServer, form: str) -> None:
    local.start("-size=3")
    written = local.json(f"star export 101 -format={form}")["record"]

    assert "not-finished" == local.code("star import bob secret-bob", written)


def test_the_exported_text_is_the_record(local: LocalServer) -> None:
    local.start()
    local.play(101, "C1 swap")

    assert local.text("star export 101") == (
        "pbmserv record 2\n"
        "game: star(size=3)\n"
        "board: 101\n"
        "first: alice\n"
        "second: bob\n"
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


WON = "alice wins as X by resignation"
WRONG = [
    (RECORD, "", "bad-record", 2),
    (RECORD, "hello", "bad-record", 2),
    (RECORD, "x" * 200_000, "bad-record", 2),
    ("record 2", "record 3", "bad-record", 2),
    ("game: star(size=3)\n", "", "bad-record", 2),
    ("first: alice\n", "", "bad-record", 2),
    ("first: alice\n", "first:\n", "bad-record", 2),
    ("first: alice\n", "first: alice\nfirst: carol\n", "bad-record", 2),
    ("first: alice\n", "first: alice\ncolour: red\n", "bad-record", 2),
    ("  2. C2\n", "", "bad-record", 2),
    ("  2. C2", "  3. C2", "bad-record", 2),
    ("  2. C2", "  1. C2", "bad-record", 2),
    ("  2. C2", "  2. C2 and so on", "bad-record", 2),
    ("as X", "as Z", "bad-record", 2),
    ("resignation", "magic", "bad-record", 2),
    (WON, "", "bad-record", 2),
    ("result: alice", "finished: yesterday\nresult: alice", "bad-record", 2),
    ("result: alice", "finished: 9999-01-01T00:00:00Z\nresult: alice", "bad-record", 1),
    ("size=3", "size=99", "bad-option-value", 2),
    ("size=3", "colour=red", "bad-spec", 2),
    ("star(size=3)", "chess", "no-such-game", 1),
    ("star(size=3)", "starweb", "bad-record", 1),
    ("  2. C2", "  2. C1", "bad-record", 1),
    ("  3. B3", "  3. swap", "bad-record", 1),
    ("  3. B3", "  3. ZZ99", "bad-record", 1),
    ("  3. B3", "  3. pass\n  4. pass\n  5. B3", "bad-record", 1),
    ("  3. B3", "  3. pass\n  4. pass", "bad-record", 1),
    ("resignation", "two-passes", "bad-record", 1),
    ("resignation", "full-board", "bad-record", 1),
    ("alice wins as X", "draw", "bad-record", 1),
    (WON, "draw by forfeit", "bad-record", 1),
    ("resignation", "agreement", "bad-record", 1),
    (WON, "bob wins as O by agreement 7-6", "bad-record", 1),
    ("resignation", "agreement seven", "bad-record", 2),
    ("resignation", "declined", "bad-record", 1),
    (WON, "declined", "bad-record", 1),
    ("  2. C2\n  3. B3\n", "", "bad-record", 1),
    (WON, "X resignation", "bad-record", 2),
    ("alice wins", "bob wins", "bad-record", 1),
    ("as X", "as O", "bad-record", 1),
    ("  2. C2", "  2. swap", "bad-record", 1),
    ("first: alice", "x: alice", "bad-record", 2),
    (WON, "running", "not-finished", 1),
    ("alice", "next", "userid-reserved", 1),
    ("alice", "9lives", "foreign-names", 1),
    ("alice", "\0\0", "foreign-names", 1),
]


@pytest.mark.costly
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

    assert (error.code, error.advice) == ("wrong-game", "Import it with: star import")


GAMES = {
    "hex": "A1 swap B1 pass pass",
    "polyy": "A10 swap B10 pass pass",
    "star": "C1 swap C2 pass B3 pass pass",
    "starstar": "A40 swap T40 A41 A42 pass pass",
    "starweb": "E1 swap A5 F1 A6 B3 pass pass",
    "y": "C1 swap A3 pass pass",
}
SMALL = {"hex": "-size=3", "polyy": "-size=2", "star": "-size=3", "y": "-size=3"}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("name", "winner"), [("star", "alice"), ("star", "bob"), *((name, None) for name in GAMES)]
)
def test_after_a_swap_the_text_names_the_right_winner(
    local: LocalServer, elsewhere: LocalServer, name: str, winner: str | None
) -> None:
    local.game = elsewhere.game = name
    local.start(SMALL.get(name, "-size=4"))
    moves = GAMES[name].split()
    local.play(101, moves[:3] if winner else moves)
    if winner:
        local.move(101, "bob" if winner == "alice" else "alice", "resign")
    shown = local.show(101)
    names = shown["players"]
    record = local.json(f"{name} export 101")["record"]
    elsewhere.json(f"{name} import", record)
    there = elsewhere.show(101)

    assert names == {"X": "bob", "O": "alice"}
    assert "first: alice\nsecond: bob\n" in record
    if shown["winner"] is None:
        assert f"result: draw by {shown['reason']}\n" in record
    else:
        who, side = names[shown["winner"]], shown["winner"]
        assert winner in {who, None}
        assert f"result: {who} wins as {side} by {shown['reason']}\n" in record
    assert kept(there) == kept(shown)


def test_a_record_of_the_older_form_is_read(local: LocalServer) -> None:
    imported = local.json("star import", OLDER)
    record = local.json("star export 101")["record"]

    assert (imported["players"], imported["winner"]) == ({"X": "bob", "O": "alice"}, "X")
    assert "result: bob wins as X by resignation\n" in record
    for old, new in (("X resignation", "bob wins as X by resignation"), ("x: alice", "first: a")):
        assert local.code("star import", OLDER.replace(old, new)) == "bad-record"


def test_several_records_go_out_and_in_together(local: LocalServer, elsewhere: LocalServer) -> None:
    for number in (101, 102):
        local.start()
        local.play(number, "C1 swap C2")
        local.move(number, "alice", "resign")
    text = local.json("star export 102 101 102")["record"]
    imported = elsewhere.json("star import", f"{text}\n\n{OLDER}\n{RECORD}")
    told = elsewhere.text("star import", f"{OLDER}{RECORD}")

    assert text.count("pbmserv record 2\n") == 2
    assert [match["board"] for match in imported["matches"]] == [101, 102, 103, 104]
    assert [match["players"]["X"] for match in imported["matches"]] == [
        "bob",
        "bob",
        "bob",
        "alice",
    ]
    assert told == (
        "Imported 2 games.\n"
        "bob (X) wins Star Board 105 by resignation.\n"
        "alice (X) wins Star Board 106 by resignation."
    )
    assert elsewhere.json("star export 101 102")["record"].count("first: alice") == 2


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (RECORD.replace("C2", "C1"), "bad-record"),
        (RECORD.replace("alice", "next"), "userid-reserved"),
        (OLDER.replace("star(size=3)", "hex(size=4)"), "wrong-game"),
    ],
)
def test_of_several_records_all_are_stored_or_none(
    local: LocalServer, wrong: str, code: str
) -> None:
    error = local.refusal("star import", f"{RECORD}\n{wrong}\n{RECORD}")

    assert error.code == code
    assert error.message.startswith("Record 2 of 3: ")


def test_records_stand_in_the_order_in_which_their_boards_are_named_each_once(
    local: LocalServer,
) -> None:
    for cell in ("C1", "C2", "B2"):
        local.play(local.start("-size=3"), cell)
    record = local.json("star export 103 101 103 102 101")["record"]

    assert ["1. B2", "1. C1", "1. C2"] == re.findall(r"1\. \w+", record)

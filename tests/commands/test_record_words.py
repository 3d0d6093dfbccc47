"""Records in commands: as a file, a link or standard input; the doors, names and rights."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.record_words import may_be_record
from pbmserv.computer import review
from pbmserv.desk.request import Request
from pbmserv.engine.formats import read_games
from pbmserv.engine.games.hex import Hex
from pbmserv.engine.position import Side
from pbmserv.engine.score import Outcome, Reason
from pbmserv.services.game_import import require_storable
from pbmserv.services.session import Source
from tests.commands.test_records import RECORD as STAR
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.local_server import LocalServer, refusal_of

LINK = "https://hexworld.org/board/#5,c3b2:rb"
RUNNING = "https://hexworld.org/board/#5,c3b2d4"
OF_Y = "https://hexanna1.github.io/hex-study/y.html#5,c2b1a3"
HEAD = "pbmserv record 2\ngame: star(size=3)\n"
SGF = "(;FF[4]GM[11]SZ[5]PB[Mimhex 2]PW[Zoë]RE[W+R];B[c3];W[b2])"
PLACED = "(;FF[4]GM[11]SZ[4]AB[b2][b3]AW[c2]PL[W];W[d1];B[a4])"
"""A game that begins with stones on the board."""
LITTLE_GOLEM = "(;FF[4]EV[null]PB[alice]PW[bob]SZ[5]RE[W];W[cc];B[bb];W[resign])"

READERS = ("preview", "hint -level=1", "score", "settled")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review.analyse_positions, "__defaults__", (50,))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell without a database."""
    monkeypatch.setenv("PBMSERV_DATABASE_URL", "/nowhere/at/all.sqlite")
    return Shell("", monkeypatch, capsys)


@pytest.fixture
def operators(local: LocalServer) -> LocalServer:
    """A server at which the commands of operators can be given."""
    local.desk.tree = root(SHELL, shell_families())
    return local


def place(folder: Path, text: str, name: str = "game.sgf") -> Path:
    """Write a file of records."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("verb", READERS)
@pytest.mark.parametrize(("game", "text"), [("hex", RUNNING), ("y", OF_Y), ("hex", PLACED)])
def test_a_record_is_the_same_as_a_file_a_link_and_standard_input(
    alone: Shell, tmp_path: Path, verb: str, game: str, text: str
) -> None:
    name, _, option = verb.partition(" ")
    file = place(tmp_path, text)
    told = [
        alone.run(f"{game} {name} {file} {option}"),
        alone.run(f"{game} {name} {option}", text),
        alone.run(f"{game} {name} '{text}' {option}"),
    ]

    assert [0, 0, 0] == [done.code for done in told]
    assert len({done.out for done in told}) == 1
    assert "[X]" in told[0].out


def test_a_finished_game_is_analysed_from_each_of_them(alone: Shell, tmp_path: Path) -> None:
    for game, text in (("hex", SGF), ("hex", LINK), ("star", STAR)):
        file = place(tmp_path, text)
        told = alone.json(f"{game} analyse {file}"), alone.json(f"{game} analyse", text)

        assert told[0] == told[1]
    assert ["Mimhex 2", "Zoë"] == sorted(alone.json("hex analyse", SGF)["players"].values())
    assert "has not ended" in alone.run("hex analyse", RUNNING).err


def test_play_steps_through_a_file_or_a_link(alone: Shell, tmp_path: Path) -> None:
    file = place(tmp_path, SGF)
    for line in (f"hex play {file}", f"play {file}", f"play '{LINK}'"):
        done = alone.run(line, "first\non\n")

        assert 0 == done.code
        assert "[X]" in done.out
    assert "Mimhex 2 (X) is to move" not in alone.run(f"play {file}").out
    assert "Zoë" in alone.run(f"play {file}").out


def test_play_takes_a_link_typed_at_a_board_and_prints_one(alone: Shell) -> None:
    done = alone.run("hex play -two -size=4", f"A1\nlink\n{OF_Y}\nlink\n")

    assert "https://hexworld.org/board/#4c1,a1\n" in done.out
    assert "https://hexanna1.github.io/hex-study/y.html#5c1,c2b1a3\n" in done.out


def test_moves_are_tried_on_a_record_at_any_of_its_moments(alone: Shell, tmp_path: Path) -> None:
    file = place(tmp_path, STAR, "game")
    shown = alone.json(f"star preview {tmp_path}/game 2 D2")
    counted = alone.json(f"star preview {file}#-1 D2")

    assert ["C1", "C2", "D2"] == shown["moves"] == counted["moves"]
    assert ["C1", "C2", "B3"] == alone.json(f"star preview {file}")["moves"]
    assert "Star has 3 moves so far." in alone.run(f"star preview {file} 4").err
    assert "FILE#7" in alone.run(f"star hint {file}").err
    assert 0 == alone.run(f"star hint {file}#2 -level=1").code


def test_of_several_games_the_first_is_taken_and_that_is_said(alone: Shell) -> None:
    other = STAR.replace("C1", "A3")
    done = alone.run("star preview", other + STAR)

    assert "This is the first of 2 games." in done.out
    assert "1. X A3" in done.out
    assert "This is the first" not in alone.run("star preview", STAR).out


def test_an_empty_input_and_options_of_another_game_are_refused(
    alone: Shell, tmp_path: Path
) -> None:
    file = place(tmp_path, STAR)

    assert "Missing argument: BOARD, new, FILE or LINK." in alone.run("star hint").err
    assert "a record has its own options" in alone.run(f"star preview {file} -size=3").err
    assert "a record has its own options" in alone.run(f"star score {file} -x=A3").err
    assert "There is no such file." in alone.run(f"star score {tmp_path}/none.sgf").err
    assert "There is no such file." in alone.run(f"star score {tmp_path}").err
    assert "That file cannot be read." in alone.run(f"star score {file}/none.sgf").err
    assert "Not a board number" in alone.run("star hint alice").err


def test_a_player_without_a_name_is_a_side(alone: Shell) -> None:
    assert "\nO wins by resignation." in alone.run(f"hex score '{LINK}'").out
    assert "\nZoë (O) wins by resignation." in alone.run("hex score", SGF).out


@pytest.mark.parametrize(
    "text",
    [
        f'{HEAD}first: "alice\\nO: bob\\u001b\\ud800"\nsecond: bob\nresult: running\n',
        '{"game":"star","options":{"size":3},"first":"alice\\nO: bob\\u001b\\ud800","moves":"C1"}',
    ],
)
def test_a_name_of_ours_is_shown_on_its_line(alone: Shell, tmp_path: Path, text: str) -> None:
    shown = alone.run(f"star preview -svg={tmp_path}/board.svg", text).out

    assert "\nX: alice O: bob" in shown
    assert "\nO: bob" not in shown
    assert "\x1b" not in shown


def test_a_line_of_a_batch_reads_no_other_lines(alone: Shell) -> None:
    done = alone.run("batch -", "star preview\nstar preview new -size=3 A3\n")

    assert "Missing argument: BOARD, new, FILE or LINK." in done.err
    assert "--- line 2: done" in done.out


def test_a_link_that_holds_no_game_is_not_taken_for_a_file(alone: Shell) -> None:
    done = alone.run("hex hint https://littlegolem.net/jsp/game/game.jsp?gid=1")

    assert "There is no game in that link." in done.err


def test_a_file_in_latin_1_is_read(alone: Shell, tmp_path: Path) -> None:
    file = tmp_path / "old.sgf"
    file.write_bytes(SGF.encode("latin-1"))

    assert "O: Zoë" in alone.run(f"hex preview {file}").out
    assert "O: Zoë" in alone.run("hex preview", SGF.encode("latin-1")).out


@pytest.mark.parametrize("source", [Source.MAIL, Source.WEB, Source.GATE])
@pytest.mark.parametrize("line", ["star preview {}", "star score {}", "star import --dry-run {}"])
def test_no_file_is_opened_through_any_other_door(
    local: LocalServer, tmp_path: Path, source: Source, line: str
) -> None:
    for file in (place(tmp_path, STAR), tmp_path / "none.sgf"):
        request = Request(tuple(line.format(file).split()), source)

        assert "shell-only" == refusal_of(partial(local.desk.handle, request)).code


def test_a_link_works_by_mail(local: LocalServer) -> None:
    answer = local.desk.handle(Request(("hex", "preview", LINK), Source.MAIL))

    assert ["C3", "B2"] == answer.document["moves"]
    missing = Request(("hex", "preview"), Source.MAIL, body=lambda: LINK)
    assert "missing-word" == refusal_of(lambda: local.desk.handle(missing)).code


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        *((word, True) for word in ("game.sgf", "./game", "~/game", "a/b", LINK, OF_Y, SGF)),
        *((word, False) for word in ("alice", "101", "101#7", "F6", "F6.", "101.5", "?", "...")),
    ],
)
def test_what_a_record_looks_like(word: str, *, is_one: bool) -> None:
    assert may_be_record(word) == is_one


# Storing


def test_foreign_names_are_kept_as_text_beside_players_named(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    local.game = "hex"
    line = "hex import alice secret-alice"

    assert "foreign-names" == local.code(line, SGF)
    refused = local.refusal(line, SGF)
    assert "(Mimhex 2 and Zoë)" in refused.message
    assert "foreign-names" == local.code(f"{line} -first=alice", SGF)
    assert 101 == local.json(f"{line} -first=Alice -second=bob", SGF)["board"]
    assert {"X": "alice", "O": "bob"} == local.show(101)["players"]
    for seen in ("show 101", "show 101#1", "preview 101", "score 101", "replay 101 1"):
        shown = local.text(f"hex {seen}")
        assert "In the record alice is Mimhex 2 and bob is Zoë." in shown
    assert ("Mimhex 2", "Zoë") == local.match(101).recorded
    assert "Mimhex" not in local.text("hex export 101")


def test_a_name_of_another_program_is_no_userid_even_if_it_could_be(local: LocalServer) -> None:
    local.sign_up("alice", "bob")

    assert "foreign-names" == local.code("hex import alice secret-alice", LITTLE_GOLEM)
    given = "-first=alice -second=bob"
    imported = local.json(f"hex import alice secret-alice {given}", LITTLE_GOLEM)
    assert {"X": "alice", "O": "bob"} == imported["players"]
    assert "In the record" not in local.text("hex show 101")


@pytest.mark.parametrize("text", [LINK, SGF])
def test_whom_a_game_is_said_to_be_of_must_sign_it(local: LocalServer, text: str) -> None:
    local.sign_up("alice", "bob", "carol")
    given = "-first=alice -second=dave"

    assert "not-your-game" == local.code(f"hex import {given}", text)
    assert "not-your-game" == local.code(f"hex import carol secret-carol {given}", text)
    assert "wrong-login" == local.code(f"hex import alice secret-bob {given}", text)
    assert "userid-reserved" == local.code("hex import -first=next -second=dave", text)
    assert 101 == local.json(f"hex import alice secret-alice {given}", text)["board"]
    assert 102 == local.json("hex import -first=emil -second=dave", text)["board"]


def test_the_operator_names_anybody(operators: LocalServer, tmp_path: Path) -> None:
    operators.sign_up("alice", "bob")
    file = place(tmp_path, SGF)

    assert "foreign-names" == operators.code(f"admin import-games hex {file}")
    stored = operators.json(f"admin import-games hex {file} -first=alice -second=bob")
    assert 101 == stored["board"]


def test_players_who_change_places_are_named_once(local: LocalServer) -> None:
    back = SGF.replace("PB[Mimhex 2]PW[Zoë]", "PB[Zoë]PW[Mimhex 2]")
    other = SGF.replace("Zoë", "Wolve")
    given = "hex import -first=anna -second=emil"
    refused = local.refusal(given, f"{SGF}\n{back}\n{other}")

    assert "foreign-names" == refused.code
    assert refused.message.startswith("Record 3 of 3: The names in the record (Mimhex 2 and Wolve)")
    stored = local.json(given, f"{SGF}\n{back}")["matches"]
    assert [("anna", "emil"), ("emil", "anna")] == [
        (match["players"]["X"], match["players"]["O"]) for match in stored
    ]


def test_a_game_that_begins_with_stones_is_not_stored(local: LocalServer) -> None:
    won = PLACED.replace("AB[b2][b3]", "AB[a1][a2][a3]")
    placed = read_games(PLACED)[0].record
    ended = replace(placed, outcome=Outcome(Side.X, Reason.RESIGNATION))

    assert "bad-record" == local.code("hex import -first=anna -second=emil", won)
    assert "not-finished" == local.code("hex import -first=anna -second=emil", PLACED)
    assert "stones-at-start" == refusal_of(lambda: require_storable(ended, Hex)).code


def test_a_recorded_name_has_one_line_of_no_control_characters(local: LocalServer) -> None:
    long = SGF.replace("Mimhex 2", "a\tb\x1b[31m " + "x" * 200)
    local.do("hex import -first=anna -second=emil", long)
    local.game = "hex"
    name, _ = local.match(101).recorded

    assert len(name) <= 100
    assert name.isprintable()


def test_an_erased_player_has_no_name_in_a_record(operators: LocalServer) -> None:
    operators.sign_up("alice", "bob")
    operators.do("hex import alice secret-alice -first=alice -second=bob", SGF)
    with operators.desk.store.writing() as records:
        alice = records.players.find("alice")
        assert alice is not None
        rows = {each.table: each.rows for each in records.accounts.rows_of(alice.id, "alice")}
        records.accounts.erase(alice.id, "alice")
    operators.game = "hex"

    assert [("hex 101", 0, "alice", "Mimhex 2")] == rows["recorded_name"]
    assert ("", "Zoë") == operators.match(101).recorded
    assert "In the record bob is Zoë." in operators.text("hex show 101")
    operators.do(f"hex import bob secret-bob -first=erased-{alice.id} -second=bob", SGF)
    assert ("", "Zoë") == operators.match(102).recorded


def test_a_dry_run_prints_the_record_and_stores_nothing(local: LocalServer, tmp_path: Path) -> None:
    local.sign_up("alice", "bob")
    before = local.tables()
    for line, text in (
        ("star import --dry-run", STAR),
        ("hex import --dry-run", SGF),
        ("hex import alice secret-alice -first=alice -second=bob --dry-run", SGF),
    ):
        assert local.json(f"{line} {place(tmp_path, text)}")["dry_run"]
        assert "missing-word" == local.code(line)

    assert before == local.tables()


def test_a_dry_run_needs_no_database(alone: Shell, tmp_path: Path) -> None:
    file = place(tmp_path, SGF)
    told = alone.run(f"hex import --dry-run {file}")

    assert 0 == told.code
    assert "first: Mimhex 2\nsecond: Zoë\nresult: Zoë wins as O by resignation\n" in told.out
    assert "It would not be stored. The names in the record (Mimhex 2 and Zoë)" in told.out
    named = alone.json("hex import -first=anna -second=emil --dry-run", SGF)
    assert [] == named["notes"]
    assert "first: anna\nsecond: emil\n" in named["record"]
    assert "This is a record of Hex." in alone.run(f"star import --dry-run {file}").out
    assert "Only a finished game" in alone.run("hex import --dry-run", RUNNING).out
    undated = STAR.replace("result:", "started: soon\nresult:")
    assert "stored. A time in the record cannot" in alone.run("star import --dry-run", undated).out
    twice = alone.json("star import --dry-run", STAR + STAR.replace("alice", "9lives"))
    assert 2 == twice["record"].count("pbmserv record 2\n")
    assert twice["notes"][0].startswith("Record 2 of 2: It would not be stored.")
    taken = alone.json("hex import -first=star -second=emil --dry-run", SGF)
    assert "That word is reserved" in taken["notes"][0]
    assert [] == alone.json("hex import -first=me -second=emil --dry-run", SGF)["notes"]
    assert named["record"] == alone.json("hex import --dry-run", named["record"])["record"]


@ONE_DATABASE
def test_import_takes_a_file_a_link_and_a_userid_before_either(
    local: LocalServer, tmp_path: Path
) -> None:
    local.sign_up("alice")
    file = place(tmp_path, STAR)
    free = place(tmp_path, STAR.replace("alice", "anna"), "free.txt")

    assert 101 == local.json(f"star import {free}")["board"]
    assert "not-your-game" == local.code(f"star import {file}")
    assert 102 == local.json(f"star import alice secret-alice {file}")["board"]
    assert 101 == local.json(f"hex import '{LINK}' -first=anna -second=emil")["board"]
    assert "missing-word" == local.code("star import alice")


# Taking away


@ONE_DATABASE
def test_all_my_games_are_exported_and_nobody_elses(local: LocalServer) -> None:
    local.sign_up("alice", "bob", "carol")
    assert "You have no games yet." == local.text("export carol secret-carol")
    local.play(local.start("-size=3"), "C1 swap")
    local.do("star move 101 alice secret-alice resign")
    local.play(local.start("-size=3"), "A3")
    local.start("-size=3", "bob", "carol")
    local.do("hex challenge -size=5 bob alice")
    mine = local.json("export alice secret-alice")["record"]

    assert 3 == mine.count("pbmserv record 2\n")
    assert "carol" not in mine
    assert "1. A3" in mine
    assert 2 == local.text("export carol secret-carol").count("star(size=3)") + 1
    assert "wrong-login" == local.code("export alice secret-bob")
    assert "missing-word" == local.code("export alice")
    assert 1 == local.text("export alice secret-alice -format=hexworld").count("hexworld.org")
    assert 3 == len(local.text("export alice secret-alice -format=json").splitlines())
    assert "bad-option-value" == local.code("export carol secret-carol -format=hexworld")


@ONE_DATABASE
def test_a_swap_in_sgf_keeps_our_letters_if_that_is_asked_for(local: LocalServer) -> None:
    local.game = "hex"
    local.play(local.start("-size=5"), "A2 swap B4")

    assert "W[swap-pieces];B[d2]" in local.text("hex export 101 -format=sgf")
    assert "W[swap-pieces];B[d2]" in local.text("hex export 101 -format=sgf -swap=pieces")
    assert "W[swap-sides];W[b4]" in local.text("hex export 101 -format=sgf -swap=Sides")
    assert "options-clash" == local.code("hex export 101 -swap=sides")
    assert "bad-option-value" == local.code("hex export 101 -format=sgf -swap=both")


@ONE_DATABASE
@pytest.mark.parametrize("form", ["sgf", "hexworld", "lg", "json", "record"])
def test_what_is_exported_can_be_imported(local: LocalServer, form: str) -> None:
    local.game = "hex"
    local.play(local.start("-size=5"), "A2 swap B4 C3")
    local.move(101, "alice", "resign")
    text = local.text(f"hex export 101 -format={form}")
    line = "hex import alice secret-alice -first=alice -second=bob"
    stored = local.json(line, text)

    assert local.show(101)["moves"] == stored["moves"]
    assert (local.show(101)["winner"], "resignation") == (stored["winner"], stored["reason"])

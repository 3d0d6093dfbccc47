"""``analyse``: a finished game with its curve and turning points, thought about once."""

from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.board.server_host import ServerConnection
from pbmserv.cli.options import ShellOptions
from pbmserv.computer import review
from pbmserv.store.store import Store
from tests.in_process_shell import Shell

GAME = """\
pbmserv record 2
game: hex(size=3)
first: alice
second: bob
result: {result}

1. A1
2. C3
3. B2
4. C1
5. B1
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review.analyse_positions, "__defaults__", (200,))


@pytest.fixture
def ended(playing: Shell) -> Shell:
    playing.run("star resign 101 alice secret-alice")
    return playing


def test_a_board_is_drawn_with_its_turns_and_its_end(ended: Shell) -> None:
    done = ended.run("star analyse 101")

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(
        "Star Board 101 (size 3)\nX: alice   O: bob\n\nWinning chance of X ("
    )
    assert "\n  0 % ---" in done.out
    assert "\n move 0  1  2" in done.out
    assert "Accuracy: O (bob) " in done.out
    assert done.out.endswith("\nbob (O) wins Star Board 101 by resignation.\n")


def test_what_was_found_is_kept_until_the_board_changes(
    ended: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ended.run("star analyse 101").out
    monkeypatch.setattr("pbmserv.desk.match_reviews.analyse_positions", None)
    again = ended.run("star analyze 101").out
    with closing(Store.open(ended.url)) as store, store.reading() as records:
        stored = [records.reviews.find(1, revision) is not None for revision in range(5)]

    assert first == again
    assert 1 == sum(stored)


def test_with_a_time_it_is_thought_about_anew_and_kept(
    ended: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended.run("star analyse 101")
    thought = ended.json("star analyse 101 -time=0.1")
    monkeypatch.setattr("pbmserv.desk.match_reviews.analyse_positions", None)

    assert thought == ended.json("star analyse 101")


def test_the_chances_that_were_found_are_known_at_the_board_until_it_changes(ended: Shell) -> None:
    door = ServerConnection(ShellOptions(database=ended.url))
    with closing(door):
        before = door.review("star", 101)
        found = ended.json("star analyse 101")["chances"]
        after = door.review("star", 101)

    assert before is None
    assert after is not None
    assert [round(chance, 3) for chance, *_ in after["looks"]] == found
    assert len(found) > 1


def test_a_running_board_is_not_analysed(playing: Shell) -> None:
    done = playing.run("star analyse 101")

    assert (1, "") == (done.code, done.out)
    assert "Star Board 101 is still running: no analysis until it has ended." in done.err


def test_a_board_that_is_not_there_is_not_analysed(playing: Shell) -> None:
    done = playing.run("star analyse 999 --json")

    assert (1, "no-such-board") == (done.code, done.document["error"]["code"])


def test_the_record_of_any_ended_game_is_analysed(playing: Shell, tmp_path: Path) -> None:
    file, curve = tmp_path / "game.txt", tmp_path / "curve.svg"
    file.write_text(GAME.format(result="alice wins as X by resignation"))
    found = playing.json(f"star analyse {file} -svg={curve}")
    said = playing.run(f"star analyse {file} --plain").out
    again = playing.run(f"star analyse {file} -svg={curve}")

    assert ("hex", None, {"X": "alice", "O": "bob"}) == (
        found["game"],
        found["board"],
        found["players"],
    )
    assert 6 == len(found["chances"])
    assert curve.read_text().startswith("<svg ")
    assert said.splitlines()[0] in curve.read_text()
    assert "\nAfter move 5: " in said
    assert said.endswith("alice (X) wins by resignation.\n")
    assert "exists already" in again.err


def test_a_record_is_found_in_the_home_folder(
    playing: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    text = GAME.format(result="alice wins as X by resignation")
    (tmp_path / "game.txt").write_text(text)

    assert 6 == len(playing.json("star analyse '~/game.txt'")["chances"])


def test_the_record_of_a_running_game_is_not_analysed(playing: Shell, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(GAME.format(result="running"))

    assert "The game in this record has not ended." in playing.run(f"star analyse {file}").err
    assert "There is no such file" in playing.run(f"star analyse {tmp_path}/no.txt").err


@pytest.mark.parametrize("result", ["removed", "declined", "draw by agreement"])
def test_of_a_game_without_moves_that_is_said(playing: Shell, tmp_path: Path, result: str) -> None:
    head, _, _ = GAME.format(result=result).partition("\n1.")
    (tmp_path / "game.txt").write_text(head)
    done = playing.run(f"star analyse {tmp_path / 'game.txt'}")

    assert (done.code, done.out) == (1, "")
    assert "This game has no moves to analyse." in done.err

"""``star play 101 me`` and ``star play FILE`` without a full terminal: boards of the server and
records in lines."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from pbmserv.board.play_session import Intent
from pbmserv.board.server_host import ServerConnection, ServerHost, my_boards
from pbmserv.cli.options import ShellOptions
from pbmserv.store.faults import known
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.local_server import LocalServer


def others(shell: Shell, *lines: str) -> None:
    """Have commands done by whoever signs them with a password."""
    local = LocalServer(shell.url)
    for line in lines:
        local.do(line)
    local.desk.close()


@pytest.fixture
def alice(playing: Shell) -> Shell:
    """A shell in which alice, who has the next move on board 101, is signed in."""
    playing.run("login alice -", "secret-alice\n")
    return playing


def test_a_game_is_played_at_the_server(alice: Shell) -> None:
    done = alice.run("star play 101 me", "B2\nC3\n\nquit\nB3\n")

    assert done.code == 0
    assert "It is your turn." in done.out
    assert "alice must move by" in done.out
    assert "3. X B2" in done.out
    assert "Move 4: bob (O) to move." in done.out
    assert "Nothing new." in done.out
    assert "pbmserv: It is not your turn.\nbob is to move.\n" == done.err
    others(alice, "star move 101 bob secret-bob B3")
    assert "It is your turn." in alice.run("star play 101 me", "quit\n").out


def test_a_board_ends_by_passes_or_when_it_is_given_up_and_asked(alice: Shell) -> None:
    kept = alice.run("star play 101 me", "resign\nmaybe\nno\n")
    given_up = alice.run("star play 101 me", "resign\nyes\n")

    assert "Resign this game? yes, or no." in kept.out
    assert kept.err == "pbmserv: Answer yes or no, or press Ctrl-D to leave.\n"
    assert "bob (O) wins by resignation." in given_up.out
    assert "The game is over. Type help to see what still works, or quit." in given_up.out


@ONE_DATABASE
def test_offers_are_made_and_answered(alice: Shell) -> None:
    lines = "accept\nreject\nundo\nreject\nundo 1\nundo 2#3\npropose 3-2\n"
    made = alice.run("star play 101 me", lines)

    assert made.err.startswith(2 * "pbmserv: There is no offer to answer.\n")
    assert "Asked for an undo.\nYou ask to undo C1 and bob's C2.\nWithdrawn." in made.out
    assert "Asked for an undo.\nYou ask to undo bob's C2." in made.out
    assert "pbmserv: You have already made this offer.\nTo withdraw it, use rej" in made.err
    assert "Proposed.\nYou offer the result 3-2, your win by 1." in made.out
    others(alice, "star move 101 bob secret-bob reject", "star move 101 bob secret-bob propose 2-3")
    answered = alice.run("star play 101 me", "accept\n")

    assert "bob offers the result 2-3, your loss by 1: accept 2-3 or reject." in answered.out
    assert "bob (O) wins, 3 to 2, by agreement." in answered.out


@ONE_DATABASE
def test_what_is_said_and_planned_is_shown(alice: Shell) -> None:
    done = alice.run("star play 101 me", "say Hello, bob!\nsay\nB2\nplan B3:C3\n\n")

    assert "Said.\nalice: Hello, bob!" in done.out
    assert done.err == "pbmserv: Missing argument: TEXT.\n"
    assert "Planned: B3:C3" in done.out
    assert "Your plan is B3:C3, from move 5 on." in alice.run("star play 101 me", "").out


@ONE_DATABASE
def test_the_past_and_what_is_tried_play_nothing(alice: Shell) -> None:
    done = alice.run("star play 101 me", "first\nback\nB2\non\nlast\ntry\nB2\nB3\ntry\n")

    assert "This is the start of the game." in done.out
    assert done.err.startswith("pbmserv: This is an earlier position; you cannot move here.\n")
    assert "Move 2: bob (O) to move." in done.out
    assert "Preview of Star Board 101 (size 3)" in done.out
    assert "No hints in a running game" in alice.run("star play 101 me", "hint\n").out
    assert "Move 3: alice (X) to move." in done.out.rpartition("Preview")[2]
    assert ["C1", "C2"] == alice.json("star show 101")["moves"]


@ONE_DATABASE
def test_words_and_answers_may_have_large_letters(alice: Shell) -> None:
    done = alice.run("star play 101 me", "b2\nBACK\nLast\nResign\nNO\nRESIGN\nYes\n")

    assert "3. X B2" in done.out
    assert 2 == done.out.count("Resign this game? yes, or no.")
    assert "bob (O) wins by resignation." in done.out
    assert "" == done.err


@ONE_DATABASE
def test_what_is_said_is_printed_once_and_with_the_board_the_last_of_it(alice: Shell) -> None:
    others(alice, *(f"star chat 101 bob secret-bob -text=word-{n}" for n in range(5)))
    done = alice.run("star play 101 me", "say one (;\nsay two\n\n")

    assert [0, 0, 1, 1, 1] == [done.out.count(f"bob: word-{n}") for n in range(5)]
    assert [1, 1] == [done.out.count(f"alice: {word}") for word in ("one", "two")]
    assert done.out.index("alice: one") < done.out.index("alice: two")


@ONE_DATABASE
def test_the_next_board_and_words_that_are_for_the_server_alone(alice: Shell) -> None:
    others(alice, "hex challenge alice bob -size=3")
    done = alice.run("star play 101 me", "next\nA1\n")

    assert "Next board." in done.out
    assert "Hex Board 101 (size 3)" in done.out
    assert "1. X A1" in done.out
    local = alice.run("play -two -size=3", "say hi\nnext\n")
    assert local.err == "pbmserv: This works only on server boards.\n"
    assert "This works only on server boards." in local.out


@ONE_DATABASE
def test_from_any_board_that_was_named_next_goes_on_to_the_others_in_turn(alice: Shell) -> None:
    others(alice, "star challenge alice bob -size=3", "hex challenge alice bob -size=3")
    done = alice.run("star play 102 me", "next\nnext\nnext\n")
    boards = re.findall(r"^(?:Star|Hex) Board [0-9]+", done.out, re.MULTILINE)

    assert ["Star Board 102", "Hex Board 101", "Star Board 101", "Star Board 102"] == boards
    assert "" == done.err


@ONE_DATABASE
def test_help_tells_of_the_board_at_which_somebody_sits(alice: Shell) -> None:
    here = alice.run("play y -two -size=3", "help\n").out
    there = alice.run("star play 101 me", "help\n").out

    assert "\n  quit       leave; an unfinished game is saved and offered next time\n" in here
    assert "\n  quit       leave\nNews appears by itself at a terminal" in there
    assert here.endswith("\nThe rules: pbmserv help y\n")
    assert "\nThe rules: pbmserv help star\n" in there


@ONE_DATABASE
def test_a_program_reads_the_board_as_show_prints_it(alice: Shell) -> None:
    done = alice.run("star play 101 me --json", "B2\nB3\nback\n")
    documents = [json.loads(line) for line in done.out.splitlines()]

    assert ["note", "game", "game", "error", "game"] == [next(iter(d)) for d in documents]
    assert documents[2]["moves"] == ["C1", "C2", "B2"]
    assert "deadline" in documents[2]
    assert documents[4]["moves"] == ["C1", "C2"]


@ONE_DATABASE
def test_the_start_screen_lists_the_boards_of_whoever_is_signed_in(alice: Shell) -> None:
    others(alice, "hex challenge alice bob -size=3", "star move 101 alice secret-alice B2")
    with closing(ServerConnection(ShellOptions(database=alice.url))) as server:
        userid, boards = my_boards(server)

        assert server.is_signed_in
    assert userid == "alice"
    assert [(board.title, board.opponent, board.turn, board.intent) for board in boards] == [
        ("Hex 101", "bob", "your turn", Intent("open", "hex 101")),
        ("Star 101", "bob", "their turn", Intent("open", "star 101")),
    ]
    assert not ServerConnection(ShellOptions(database=f"{alice.url}-other")).is_signed_in


@ONE_DATABASE
def test_a_record_is_looked_through(alice: Shell, tmp_path: Path) -> None:
    record = tmp_path / "old.game"
    alice.run("star play 101 me", f"save {record}\n")
    done = alice.run(f"star play {record}", "back\nC3\ntry\nB2\ntry\nresign\nscore\n")

    assert "Star Board 101 (size 3)" in done.out
    assert "Move 2: bob (O) to move." in done.out
    assert "pbmserv: This is an earlier position; you cannot move here." in done.err
    assert "Preview of Star (size 3)" in done.out
    assert "There is nothing to resign." in done.out
    assert (
        "pbmserv: This is a game record; it cannot be changed."
        in alice.run(f"star play {record}", "C3\n").err
    )


@ONE_DATABASE
def test_who_is_not_signed_in_is_told_how(playing: Shell) -> None:
    done = playing.run("star play 101 me", "B2\n")

    assert done.code == 1
    assert "pbmserv login" in done.err
    assert "There is no Star Board 999." in playing.run("star play 999 me", "B2\n").err


@pytest.mark.parametrize(("options", "bells"), [("", 1), (" --json", 0)])
def test_what_others_do_meanwhile_is_told_at_the_next_line(
    alice: Shell, monkeypatch: pytest.MonkeyPatch, options: str, bells: int
) -> None:
    look = ServerHost.look

    def look_after_bob(host: ServerHost) -> object:
        monkeypatch.setattr(ServerHost, "look", look)
        others(alice, "star move 101 bob secret-bob B3")
        return look(host)

    monkeypatch.setattr(ServerHost, "look", look_after_bob)
    done = alice.run(f"star play 101 me{options}", "bell\nB2\n\nquit\n")

    assert bells == done.out.count("\a"), "a program reads documents and hears nothing"
    if options:
        assert ["C1", "C2", "B2", "B3"] == json.loads(done.out.splitlines()[-1])["moves"]
    else:
        assert done.out.rindex("It is your turn.") > done.out.rindex("4. O B3")


def test_a_database_that_is_away_for_a_while_is_told_of_once(
    alice: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = [known("database-unreachable", "here")] * 2
    look = ServerHost.look

    def look_through(host: ServerHost) -> object:
        if away:
            raise away.pop()
        return look(host)

    monkeypatch.setattr(ServerHost, "look", look_through)
    done = alice.run("star play 101 me", "\n\n\n\nquit\n")

    assert done.code == 0
    assert done.err.count("pbmserv: ") == 1
    assert done.out.count("The database is available again.") == 1
    assert done.out.count("Nothing new.") == 2

"""Two players at two terminals, on one database: they play each other through the screen."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.store.store import Store
from tests.databases import ONE_DATABASE
from tests.installed_program import moves

from .tmux import Terminal, needs_tmux, terminal

pytestmark = [pytest.mark.slow, needs_tmux]

PASSWORDS = {"alice": "correct-horse", "bob": "battery-staple"}


def do(url: str, *lines: str) -> None:
    desk = Desk(lambda: Store.open(url))
    for line in lines:
        desk.handle(Request(tuple(line.split())))
    desk.close()


def keep_review(url: str) -> None:
    store = Store.open(url)
    with store.writing() as records:
        match = records.matches.find("star", 101)
        assert match is not None
        looks = [[0.5, "", 0.5, []]] * (match.ply + 1)
        records.reviews.keep(match.id, match.revision, {"settled_at": None, "looks": looks})
    store.close()


@pytest.fixture
def both(database_url: str, tmp_path: Path) -> Iterator[dict[str, Terminal]]:
    """A terminal for each player, signed in, who have a board."""
    signups = (f"signup {userid} {password}" for userid, password in PASSWORDS.items())
    boards = ("star challenge -size=3 alice bob", "star challenge -size=4 bob alice")
    do(database_url, *signups, *boards)
    with ExitStack() as stack:
        found = {}
        for userid, password in PASSWORDS.items():
            (tmp_path / userid).mkdir()
            shell = stack.enter_context(terminal(tmp_path / userid))
            shell.run(f"export PBMSERV_DATABASE_URL='{database_url}' PBMSERV_CONFIG={os.devnull}")
            shell.run(f"clear; PBMSERV_PASSWORD={password} pbmserv login {userid} -")
            shell.see(f"You are signed in as {userid}")
            shell.run("clear; star play 101 me; echo code $?")
            shell.see("Star Board 101")
            found[userid] = shell
        yield found


@ONE_DATABASE
def test_two_players_play_each_other(both: dict[str, Terminal], database_url: str) -> None:
    alice, bob = both["alice"], both["bob"]
    alice.send("c", "2", "Enter")
    alice.see("Play C2 as move 1?")
    alice.send("Enter")
    bob.see("after move 1")
    bob.send("/")
    bob.send("-l", "Good game!")
    bob.send("Enter")
    alice.see("bob: Good game!")
    bob.send("b", "2", "Enter", "Enter")
    alice.see("after move 2")
    # A move back, which the other agrees to.
    bob.send("u", "Enter")
    alice.see("bob asks to undo B2.")
    alice.send("=", "Enter")
    alice.see("after move 1")
    bob.see("after move 1")
    bob.send("d", "1", "Enter", "Enter")
    alice.see("after move 2")
    # Killed in the middle, and nothing is lost.
    alice.tmux("run-shell", f"pkill -9 -P {alice.tmux('display', '-p', '#{pane_pid}').strip()}")
    alice.see("code 137")
    alice.run("reset; clear; star play 101 me; echo code $?")
    alice.see("after move 2")
    alice.send("=")
    alice.see("Propose a result")
    alice.send("-l", "7-6")
    alice.send("Enter")
    bob.see("alice offers the result")
    bob.send("=", "Enter")
    bob.see("Agreed: X 7, O 6.")
    alice.see("alice (X) wins, 7 to 6, by agreement")
    # A finished game has its chances from the analysis that is kept, without any thinking.
    keep_review(database_url)
    alice.send("q")
    alice.see("code 0")
    alice.run("clear; star play 101 me; echo code $?")
    alice.see("after move 2")
    alice.send("g")
    assert "thinking" not in alice.see("Winning chance of X")
    alice.send("Escape", "n", "Enter")
    alice.see("No other board is waiting for you.")
    alice.send("C-c")
    bob.send("n", "Enter")
    bob.see("Star Board 102")
    bob.send("q")
    bob.see("code 0")

    assert ["C2", "D1"] == moves(database_url)


@ONE_DATABASE
def test_one_plays_on_the_screen_and_one_in_lines(both: dict[str, Terminal]) -> None:
    alice, bob = both["alice"], both["bob"]
    bob.send("q")
    bob.see("code 0")
    bob.run("clear; TERM=dumb star play 101 me; echo again $?")
    bob.see("Move 1: alice (X) to move.")
    bob.run("bell")
    bob.see("Bell on")
    alice.send("!")
    alice.see("Bell on")
    alice.send("c", "2", "Enter", "Enter")
    # What others do appears by itself, behind the prompt, with a bell.
    bob.see("It is your turn.")
    assert "1" == bob.tmux("display", "-p", "#{window_bell_flag}").strip()
    bob.run("b2")
    alice.see("after move 2")
    assert "1" == alice.tmux("display", "-p", "#{window_bell_flag}").strip()
    alice.send("/")
    alice.send("-l", "Well played!")
    alice.send("Enter")
    bob.see("alice: Well played!")
    bob.run("quit")
    bob.see("again 0")


@ONE_DATABASE
def test_boards_are_chosen_from_the_start_screen(both: dict[str, Terminal]) -> None:
    bob = both["bob"]
    bob.send("q")
    bob.see("code 0")
    bob.run("clear; pbmserv play; echo again $?")
    bob.see("one waiting for you")
    bob.see("your turn")
    bob.send("Enter")
    bob.see("to move                    20 d 23 h")
    # Looking at moves and planning them plays nothing.
    bob.send("v", "c", "3", "Enter", "d", "3", "Enter", "d", "2", "Enter")
    bob.see("trying, after move 3")
    bob.send("Escape")
    bob.see("Enter places X on")
    bob.send("q")
    bob.see("LEARN")
    bob.send("q")
    bob.see("again 0")


@ONE_DATABASE
def test_a_crossed_move_is_refused_politely(both: dict[str, Terminal], database_url: str) -> None:
    alice = both["alice"]
    alice.send("c", "2", "Enter")
    alice.see("Play C2 as move 1?")
    do(database_url, "star move 101 alice correct-horse B2")
    # A look at the board may come first: then Enter only tries a move, which Escape forgets.
    alice.send("Enter", "Escape")
    alice.see("after move 1")

    assert "1 X B2" in alice.text
    assert ["B2"] == moves(database_url)

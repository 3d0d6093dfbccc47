"""A database that is lost while somebody sits at a board: nothing typed is lost, nothing is done
twice, and it goes on by itself."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import ONE_DATABASE
from tests.installed_program import moves

from .lost_database import Losable, losable
from .test_two_terminals import PASSWORDS, do
from .tmux import Terminal, needs_tmux, terminal

POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
pytestmark = [pytest.mark.slow, needs_tmux]


@pytest.fixture
def show_lost(database_url: str) -> Iterator[Losable]:
    signups = (f"signup {userid} {password}" for userid, password in PASSWORDS.items())
    do(database_url, *signups, "star challenge -size=3 alice bob")
    with losable(database_url) as found:
        yield found


@pytest.fixture
def alice(show_lost: Losable, tmp_path: Path) -> Iterator[Terminal]:
    with terminal(tmp_path) as shell:
        shell.run(f"export PBMSERV_DATABASE_URL='{show_lost.url}' PBMSERV_CONFIG={os.devnull}")
        shell.run(f"clear; PBMSERV_PASSWORD={PASSWORDS['alice']} pbmserv login alice -")
        shell.see("You are signed in as alice")
        yield shell


@POSTGRESQL
def test_what_a_lost_server_did_not_get_is_sent_when_it_is_back(
    alice: Terminal, show_lost: Losable, database_url: str
) -> None:
    alice.run("clear; star play 101 me; echo code $?")
    alice.see("Enter places X on")
    alice.send("c", "2", "Enter")
    alice.see("Play C2 as move 1?")
    show_lost.lose()
    alice.send("Enter")
    alice.see("Try again?")
    alice.send("Escape", "/")
    alice.send("-l", "Good luck!")
    show_lost.find()
    alice.send("Enter")
    alice.see("alice: Good luck!")
    alice.send("c", "2", "Enter", "Enter")
    alice.see("after move 1")

    assert ["C2"] == moves(database_url)


@ONE_DATABASE
def test_a_file_that_others_hold_is_waited_for(
    alice: Terminal, show_lost: Losable, database_url: str
) -> None:
    alice.run("clear; star play 101 me; echo code $?")
    alice.see("Enter places X on")
    show_lost.lose()
    alice.send("c", "2", "Enter", "Enter")
    alice.see("Waiting for the server ...")
    alice.send("/")
    alice.send("-l", "Good luck!")
    show_lost.find()
    alice.see("after move 1")
    alice.send("Enter")
    alice.see("alice: Good luck!")

    assert ["C2"] == moves(database_url)


@POSTGRESQL
def test_in_lines_it_is_asked_whether_to_try_again(
    alice: Terminal, show_lost: Losable, database_url: str
) -> None:
    alice.run("clear; TERM=dumb star play 101 me; echo code $?")
    alice.see("It is your turn.")
    show_lost.lose()
    alice.run("C2")
    alice.see("Try again? yes, or no.")
    show_lost.find()
    alice.run("yes")
    alice.see("1. X C2")
    alice.run("quit")
    alice.see("code 0")

    assert ["C2"] == moves(database_url)

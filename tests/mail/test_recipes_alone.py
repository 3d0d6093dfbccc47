"""What ``mail setup`` prints makes a fresh machine a server, word for word, for a whole game."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mail import recipe_machine
from tests.mail.recipe_machine import PROGRAM, Machine

pytestmark = pytest.mark.slow

US = "pbmserv@example.org"
ALICE, BOB = "alice@example.net", "bob@example.com"


def follow(here: Machine, server: str) -> str:
    """Paste the steps of a recipe as they are printed, one by one; return the last words said."""
    text = here.run(f"{PROGRAM} mail setup {server}")
    steps = re.split(r"(?m)^# \d+\. ", text)[1:]
    assert len(steps) >= 7
    said = ""
    for step in steps:
        lines = f"# {step}"
        said = (here.run(lines) or said) if "doctor" not in step else here.run(lines, check=False)
    return said


def play(here: Machine) -> str:
    """Have two people play by mail, from their signup to the end; return the board."""
    for number, (userid, address) in enumerate((("alice", ALICE), ("bob", BOB))):
        here.send(address, US, f"signup {userid} correct-horse-{number}")
        welcome = here.letter(address, 0)
        here.send(address, welcome["Reply-To"], f"Re: {welcome['Subject']}", "Yes.")
        here.letter(address, 1)
    here.send(ALICE, US, "star challenge alice correct-horse-0 bob -size=3")
    numbers = {ALICE: 2, BOB: 2}
    for address, words in ((ALICE, "C2"), (BOB, "B2"), (ALICE, "pass"), (BOB, "pass")):
        letter = here.letter(address, numbers[address])
        here.letter(BOB if address == ALICE else ALICE, numbers[address])
        here.send(address, letter["Reply-To"], f"Re: {letter['Subject']}", words)
        numbers = {each: number + 1 for each, number in numbers.items()}
    last = here.letter(ALICE, numbers[ALICE]).get_body(("plain",))
    assert last is not None
    return str(last.get_content())


def keep_a_mail_while_the_database_is_away(here: Machine) -> None:
    here.run("cd /var/lib/pbmserv; mv pbmserv.sqlite away")
    here.send(ALICE, US, "star show 101")
    here.wait_for_log("status=deferred")
    here.run("cd /var/lib/pbmserv; mv away pbmserv.sqlite; postfix flush")
    here.letter(ALICE, 7)


@pytest.mark.parametrize("server", ["postfix", "postfix-pipe", "postfix-lmtp"])
def test_the_recipe_for_postfix_works_alone(open_folder: Path, server: str, *, full: bool) -> None:
    if server == "postfix" and not full:
        pytest.skip("the Maildir is left to --full; its steps are among those of the others")
    python = recipe_machine.require("swaks", "smtp-sink")
    with recipe_machine.machine(open_folder, python) as here:
        recipe_machine.fresh_postfix(here)
        said = follow(here, server)
        end = play(here)
        if server == "postfix-pipe":
            keep_a_mail_while_the_database_is_away(here)
        log = here.run("cat /var/log/mail.log /var/log/services")

    assert "status=bounced" not in log
    assert "correct-horse" not in log
    assert "Mail goes out, and comes in" in said
    assert "is a draw after two passes" in end


@pytest.mark.parametrize(
    ("server", "program", "set_up"),
    [
        ("exim", "exim4", recipe_machine.fresh_exim),
        ("opensmtpd", "smtpd", recipe_machine.fresh_opensmtpd),
    ],
)
def test_the_recipe_for_another_mail_server_works_alone(
    open_folder: Path, server: str, program: str, set_up: Callable[[Machine], None]
) -> None:
    """Debian has room for one mail server at a time: where it is another one, this is skipped."""
    python = recipe_machine.require("swaks", program)
    with recipe_machine.machine(open_folder, python) as here:
        set_up(here)
        said = follow(here, server)
        end = play(here)

    assert "Mail goes out, and comes in" in said
    assert "is a draw after two passes" in end

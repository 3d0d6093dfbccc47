"""What is proposed for lines that are no commands, in a shell and by mail, kept in ``hints.txt``.

Behind ``$`` stands the line, and below it the hint: two where that by mail is another one. With
``PBMSERV_TEST_WRITE=1`` the text is written anew: read what has changed.
"""

import os
from itertools import permutations
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Family
from pbmserv.commands.parse import parse
from pbmserv.commands.words import split_line
from pbmserv.engine.games import game_names
from pbmserv.errors import PbmservError

TEXT = Path(__file__).parent / "hints.txt"
WRITES = bool(os.environ.get("PBMSERV_TEST_WRITE"))
DOORS = ("shell", "mail")
FEWEST = 140


def tree_of(door: str) -> Family:
    return root(SHELL, shell_families()) if door == "shell" else root()


def hint(tree: Family, line: str) -> str:
    """Return the hint for a line in one line, or that there is none, or nothing to be mended."""
    try:
        parse(tree, split_line(line))
    except PbmservError as error:
        told = error.hint.replace(", ".join(game_names()), "...")
        return told.replace("\n", " / ") or "(no hint)"
    return "(a command)"


def kept() -> dict[str, dict[str, str]]:
    """Return the hints that are kept, by the line and by the door."""
    found = {}
    for block in TEXT.read_text(encoding="utf-8").split("$ ")[1:]:
        line, *hints = block.splitlines()
        found[line] = {"shell": hints[0], "mail": hints[-1]}
    return found


@pytest.mark.parametrize("door", DOORS)
def test_each_line_leads_to_what_was_meant_as_the_text_says(door: str) -> None:
    tree, before = tree_of(door), kept()
    now = {line: hint(tree, line) for line in before}
    if WRITES:
        blocks = ((line, {**hints, door: now[line]}) for line, hints in before.items())
        texts = ["\n".join([f"$ {line}", *dict.fromkeys(each.values())]) for line, each in blocks]
        TEXT.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return

    assert len(before) > FEWEST
    assert {line: hints[door] for line, hints in before.items()} == now


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("more", [[], ["hex"], ["me"], ["hex", "me"]], ids=" ".join)
def test_board_cell_and_game_are_the_move_in_any_order(door: str, more: list[str]) -> None:
    tree, game = tree_of(door), "hex" if "hex" in more else "star"
    who = "me" if door == "shell" else "USERID PASSWORD"
    lines = [" ".join(words) for words in permutations(["101", "f6", *more])]

    assert {f"Did you mean {game} move 101 {who} F6?"} == {hint(tree, line) for line in lines}

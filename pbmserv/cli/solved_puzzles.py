"""The puzzle of the day in a shell, where those that were solved are counted."""

import json
import time
from pathlib import Path

from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.club.puzzles import puzzles
from pbmserv.commands.declaration import command
from pbmserv.commands.puzzle import SOLUTION, Words, is_solution, puzzle_answer, read_words
from pbmserv.errors import EXIT_DONE
from pbmserv.settings import solved_puzzles
from pbmserv.store.new_file import new_file


@command()
def puzzle(shell: Shell, words: Words = ()) -> int:
    """Show the puzzle of the day, or tell whether a MOVE solves it: one move wins.

    A NUMBER names another one. The word solution tells the answer. What you have solved on this
    machine is counted.
    """
    found, tried = read_words(words, int(time.time()))
    file = solved_puzzles()
    solved = read_solved(file)
    if tried and tried.lower() != SOLUTION and is_solution(found, tried):
        solved |= {found.number}
        keep_solved(file, solved)
    note = f"Solved so far: {len(solved)} of {len(puzzles())}." if solved else ""
    print_answer(puzzle_answer(found, tried, note), shell.options)
    return EXIT_DONE


def read_solved(file: Path) -> set[int]:
    """Return the numbers of the puzzles solved here; none where the file cannot be read."""
    try:
        return {int(number) for number in json.loads(file.read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError):
        return set()


def keep_solved(file: Path, solved: set[int]) -> None:
    """Remember them for the next time."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with new_file(file, overwrite=True) as unfinished:
        unfinished.write_text(json.dumps(sorted(solved)), encoding="utf-8")

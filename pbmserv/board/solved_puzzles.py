"""The puzzle of the day in a shell, where those that were solved are counted."""

import time

from pbmserv.board.saved_games import load_solved, save_solved
from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.club.puzzles import puzzles
from pbmserv.commands.declaration import command
from pbmserv.commands.puzzle import SOLUTION, Words, is_solution, puzzle_answer, read_words
from pbmserv.errors import EXIT_DONE
from pbmserv.settings import data_file


@command()
def puzzle(shell: Shell, words: Words = ()) -> int:
    """Show the puzzle of the day, or check whether a MOVE solves it: exactly one move wins.

    A NUMBER chooses another puzzle. The word solution shows the answer. The puzzles that you have
    solved on this machine are counted.
    """
    found, tried = read_words(words, int(time.time()))
    file = data_file("puzzles.solved")
    solved = load_solved(file)
    if tried and tried.lower() != SOLUTION and is_solution(found, tried):
        solved |= {found.number}
        if file is not None:
            save_solved(file, solved)
    note = f"Solved so far: {len(solved)} of {len(puzzles())}." if solved else ""
    print_answer(puzzle_answer(found, tried, note), shell.options)
    return EXIT_DONE

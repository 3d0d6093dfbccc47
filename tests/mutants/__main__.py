"""See which mutants the tests notice: ``python -m tests.mutants [WORD ...]``.

Each mutant is put into a copy of the program, and its tests are run there, two mutants at a time:
of all of them every second, or with ``--full`` each.
Says what became of each; the exit code is 1 if one survives, or if the tests of the mutants do not
even pass without them. ``--random 60`` puts as many random faults into random lines instead, drawn
by a seed, runs the tests that reach the line, and wants three of four noticed; with ``--full`` it
puts so many into each room, and wants 85 of 100 noticed in each.
"""

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from .program_copy import FAILED, PASSED, ROOT, Copy
from .random_faults import try_random_faults
from .table import MUTANTS, Mutant


def survivors(copy: Copy, mutants: list[Mutant]) -> list[str]:
    """Try these mutants one after the other; return what is wrong, a line each."""
    wrong = []
    for mutant in mutants:
        outcome = copy.outcome_with(mutant)
        said = {PASSED: "survives", FAILED: "caught"}.get(outcome, f"ends pytest with {outcome}")
        sys.stdout.write(f"{said}: {mutant.file}: {mutant.changed}\n")
        sys.stdout.flush()
        if outcome != FAILED:
            wrong.append(mutant.file)
    return wrong


def commit() -> str:
    """Return the hash of the commit that is worked on; where there is none, always the same."""
    words = ["git", "rev-parse", "--short=12", "HEAD"]
    with suppress(OSError):
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip() or "none"
    return "none"


def main() -> int:
    """Try the mutants that the command line chooses."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description="See which mutants the tests notice."
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="try the mutants whose file has one of the words in its name, not every second",
    )
    parser.add_argument(
        "--full", action="store_true", help="try all mutants, or so many random faults in each room"
    )
    parser.add_argument(
        "--random", type=int, metavar="COUNT", help="put in so many random faults, not the list"
    )
    parser.add_argument(
        "--seed", help="which random faults: the same for the same word, by default the commit's"
    )
    options = parser.parse_args()
    words = options.words
    if options.random:
        seed = options.seed or commit()
        return try_random_faults(options.random, seed, words, by_room=options.full)
    chosen = [
        mutant for mutant in MUTANTS if not words or any(word in mutant.file for word in words)
    ]
    if not options.full and not words:
        chosen = chosen[::2]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        copies = [Copy(Path(folder) / name) for name in ("one", "other")]
        tests = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
        if copies[0].outcome(tests) != PASSED:
            sys.stdout.write("The tests do not pass even without a mutant.\n")
            return 1
        halves = [chosen[::2], chosen[1::2]]
        wrong = [line for found in pool.map(survivors, copies, halves) for line in found]
    sys.stdout.write(f"{len(chosen)} mutants, {len(wrong)} of them not caught\n")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

"""See which mutants the tests notice: ``python -m tests.mutants [WORD ...]``.

Each mutant is put into a copy of the program, and its tests are run there, two mutants at a time.
Says what became of each; the exit code is 1 if one survives, or if the tests of the mutants do not
even pass without them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from .table import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
COPIED = ("pbmserv", "tests", "help", "migrations")
PASSED, FAILED = 0, 1
"""The exit codes of pytest that say something about the program."""


class Copy:
    """A copy of the program and its tests, in which one line at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, folder)

    def outcome(self, tests: tuple[str, ...]) -> int:
        """Return the exit code of pytest for these tests, which stop at the first that fails."""
        words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
        kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
        done = subprocess.run(
            [sys.executable, *words, *(f"tests/{test}" for test in tests)],
            cwd=self.folder,
            env={**kept, "PYTHONPATH": str(self.folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.returncode

    def outcome_with(self, mutant: Mutant) -> int:
        """Return the exit code of the mutant's tests while it is in the program."""
        path = self.folder / "pbmserv" / mutant.file
        sound = path.read_text(encoding="utf-8")
        path.write_text(mutated(sound, mutant), encoding="utf-8")
        try:
            forget_compiled(path)
            return self.outcome(mutant.tests)
        finally:
            path.write_text(sound, encoding="utf-8")
            forget_compiled(path)


def mutated(text: str, mutant: Mutant) -> str:
    """Return the text of the mutant's file with its one line changed."""
    lines = text.splitlines()
    found = [number for number, line in enumerate(lines) if line.strip() == mutant.line]
    if len(found) != 1:
        raise LookupError(f"{mutant.file} has this line {len(found)} times: {mutant.line}")
    old = lines[found[0]]
    indent = old[: len(old) - len(old.lstrip())]
    lines[found[0]] = f"{indent}{mutant.changed}"
    return "\n".join(lines) + "\n"


def forget_compiled(path: Path) -> None:
    """Have the file compiled anew: within a second, of the same size, it would look unchanged."""
    with suppress(FileNotFoundError):
        Path(cache_from_source(str(path))).unlink()


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


def main() -> int:
    """Try the mutants that the command line chooses."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description="See which mutants the tests notice."
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="try only the mutants whose file has one of the words in its name, not all",
    )
    words = parser.parse_args().words
    chosen = [
        mutant for mutant in MUTANTS if not words or any(word in mutant.file for word in words)
    ]
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

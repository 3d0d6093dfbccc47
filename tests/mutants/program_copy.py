"""A copy of the program in which one thing at a time is changed, and its tests."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path

from tests.installed_program import own_environment

from .table import Mutant

ROOT = Path(__file__).parents[2]
COMPILED = ("computer/link_prover.py", "computer/kernel.py", "computer/links.py")
"""What run as libraries that were made of them, where there are any: all of them or none."""

COPIED = ("pbmserv", "tests", "help", "migrations", ".github")
PASSED, FAILED, UNKNOWN_TEST, NO_TEST = 0, 1, 4, 5
"""The exit codes of pytest that must be told from others."""

FAST_TIER = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--costly")

PATIENCE = 600

MOST_MEMORY = 8 << 20
"""Kibibytes that tests may take: a fault may have them collect for ever."""


class Copy:
    """A copy of the program and its tests, in which one line at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = folder / "what-pytest-said"
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment in which this program is the one that is imported."""
        return own_environment(PYTHONPATH=str(self.folder), **more)

    def names(self) -> list[str]:
        """Return the names of all tests of the fast tier, in the order in which they are run."""
        listed = subprocess.run(
            [sys.executable, *FAST_TIER, "--collect-only"],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [line for line in listed.stdout.splitlines() if "::" in line]

    def is_noticed(self, tests: Sequence[str], patience: float) -> bool:
        """Tell whether one of these tests, which all exist, fails or cannot even be loaded.

        A name with what a test is made from may be unknown for the fault alone: then all tests
        of its function are asked.
        """
        outcome = self.outcome(tests, patience)
        if outcome == UNKNOWN_TEST:
            outcome = self.outcome(sorted({test.partition("[")[0] for test in tests}), patience)
        return outcome not in {PASSED, NO_TEST}

    def listed(self, tests: Iterable[str]) -> Path:
        """Return a file that names these tests, for pytest."""
        file = self.folder / "tests-to-run"
        file.write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
        return file

    def first_failure(self) -> str:
        """Return the name of the first test that failed when tests were run last, or nothing."""
        told = self.said.read_text(encoding="utf-8", errors="replace")
        failed = re.search(r"^(?:FAILED|ERROR) (tests/\S+)", told, re.MULTILINE)
        return failed[1] if failed else ""

    def outcome(self, tests: Sequence[str], patience: float = PATIENCE) -> int:
        """Return the exit code of pytest for these tests, which stop at the first that fails.

        Tests that do not end count as failed: a fault may do that to them.
        """
        named = self.listed(f"tests/{test}" for test in tests)
        words = [sys.executable, *FAST_TIER, "-x", "--tb=no", f"@{named}"]
        limited = ["sh", "-c", f'ulimit -v {MOST_MEMORY}; exec "$@"', "sh", *words]
        with (
            self.said.open("w") as said,
            subprocess.Popen(
                limited,
                cwd=self.folder,
                env=self.environment(),
                stdout=said,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            ) as running,
        ):
            try:
                return running.wait(patience)
            except subprocess.TimeoutExpired:
                return FAILED
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)

    @contextmanager
    def changed(self, file: str, change: Callable[[str], str]) -> Iterator[None]:
        """Have a file of the package changed for a while; the search runs as its text says then."""
        path = self.folder / "pbmserv" / file
        sound = path.read_text(encoding="utf-8")
        libraries = [*path.parent.glob("_*.so")] if file in COMPILED else []
        path.write_text(change(sound), encoding="utf-8")
        for library in libraries:
            library.rename(self.folder / library.name)
        try:
            forget_compiled(path)
            yield
        finally:
            path.write_text(sound, encoding="utf-8")
            forget_compiled(path)
            for library in libraries:
                (self.folder / library.name).rename(library)

    def outcome_with(self, mutant: Mutant) -> int:
        """Return the exit code of the mutant's tests while it is in the program."""
        with self.changed(mutant.file, lambda sound: mutated(sound, mutant)):
            return self.outcome(mutant.tests)


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

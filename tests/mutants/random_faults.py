"""Random faults in random lines, the tests that reach them, and how many are noticed by room."""

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from coverage import CoverageData

from .faults import Fault, chosen
from .program_copy import FAST_TIER, NO_TEST, PASSED, ROOT, Copy

OF_ALL = ("tests/test_manual.py",)
"""Where every module is looked at: the manual has the words of each command and its options."""


class Reach:
    """Which tests of the fast tier run a line, the most particular ones first."""

    def __init__(self, note: Path, tests: Iterable[str]) -> None:
        there = {*tests}
        data = CoverageData(str(note))
        data.read()
        found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        # Each measurement had a copy in a folder of its own.
        for path in data.measured_files():
            _, _, file = path.rpartition("/pbmserv/")
            for line, names in data.contexts_by_lineno(path).items():
                found[file][line] |= there & {name.rpartition("|")[0] for name in names}
        self.tests = {file: dict(by_line) for file, by_line in found.items()}
        ran = chain.from_iterable(by_line.values() for by_line in self.tests.values())
        self.breadth = Counter(chain.from_iterable(ran))

    def of(self, file: str, line: int) -> list[str]:
        """Return the tests that run the statement of this line, or else the function around it.

        Of one that runs on import, or where nobody measures, those that run any line of its file
        and all tests beside them that name it. Those that look at every module come last.
        """
        by_line = self.tests.get(file, {})
        for lines in _around(file, line):
            found = {test for number in lines for test in by_line.get(number, ())}
            if found:
                break
        else:
            any_line = {test for tests in by_line.values() for test in tests}
            found = {*any_line, *_naming(file)}
        return [*sorted(found, key=lambda name: (self.breadth[name], name)), *OF_ALL]


def _around(file: str, line: int) -> Iterator[range]:
    """Yield the lines of the statement that this one is of, and of the function that it is in.

    Nothing for what runs on import: that is done in whichever test is the first to import it.
    """
    tree = ast.parse((ROOT / "pbmserv" / file).read_bytes())
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    around = sorted((each for each in statements if line in _lines(each)), key=_length)
    function = next((each for each in around if isinstance(each, ast.FunctionDef)), None)
    if function is not None:
        if function is not around[0]:
            yield _head(around[0])
        yield range(function.body[0].lineno, _lines(function).stop)


def _length(node: ast.stmt) -> int:
    return len(_lines(node))


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _head(node: ast.stmt) -> range:
    """Return the lines of a statement without those that stand in it."""
    inside = getattr(node, "body", None)
    stop = max(inside[0].lineno, node.lineno + 1) if inside else _lines(node).stop
    return range(node.lineno, stop)


@cache
def _naming(file: str) -> list[str]:
    """Return the files of tests that name the module of a file."""
    module = re.compile(rf"\bpbmserv\.{file.removesuffix('.py').replace('/', '[.]')}\b")
    files = (ROOT / "tests").rglob("test_*.py")
    found = [path for path in files if module.search(path.read_text(encoding="utf-8"))]
    return [path.relative_to(ROOT).as_posix() for path in found]


class Verdict(NamedTuple):
    """Whether a fault was noticed."""

    file: str
    fault: Fault
    is_caught: bool

    @property
    def room(self) -> str:
        """The folder that the file stands in; those beside all rooms are one."""
        return self.file.partition("/")[0] if "/" in self.file else "(top)"


def measured_reach(copy: Copy) -> Reach:
    """Run the fast tier once in a copy, where all must pass, and note which test runs which line.

    What ``PBMSERV_TEST_REACH`` names keeps it: tests that came since are run and added, those that
    are no more are left out.
    """
    note = Path(os.environ.get("PBMSERV_TEST_REACH") or copy.folder / "reach").absolute()
    ran = note.with_name(f"{note.name}-tests")
    names = copy.names()
    known = {*ran.read_text().splitlines()} if note.exists() and ran.exists() else set[str]()
    if not known:
        note.unlink(missing_ok=True)
    new = [name for name in names if name not in known]
    if not new:
        return Reach(note, names)
    sys.stdout.write(f"Running {len(new)} tests, to see which of them reaches which line.\n")
    sys.stdout.flush()
    listed = copy.listed(new)
    words = f"-n auto --cov=pbmserv --cov-context=test --cov-report= --cov-append @{listed}"
    done = subprocess.run(
        [sys.executable, *FAST_TIER, *words.split()],
        cwd=copy.folder,
        env=copy.environment(COVERAGE_FILE=str(note)),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in {PASSED, NO_TEST}:
        note.unlink(missing_ok=True)
        sys.exit(f"The tests do not pass even without a fault:\n{done.stdout[-2000:]}")
    ran.write_text("\n".join(names))
    return Reach(note, names)


def try_random_faults(count: int, seed: int, words: list[str]) -> int:
    """Put in so many random faults, print what became of each and the rate by room.

    The exit code is 1 if a room notices fewer than 85 of 100.
    """
    texts = _texts_by_room(words)
    each = -(-count // max(len(texts), 1))
    faults = [found for room in texts for found in chosen(texts[room], each, seed)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        copies: SimpleQueue[Copy] = SimpleQueue()
        for copy in (one := Copy(folder / "one"), Copy(folder / "other")):
            copies.put(copy)
        reach = measured_reach(one)
        verdicts = list(pool.map(lambda found: _verdict(copies, reach, *found), faults))
    return _report(verdicts)


def _texts_by_room(words: list[str]) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    package = ROOT / "pbmserv"
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package).as_posix()
        if not words or any(word in file for word in words):
            room = file.partition("/")[0] if "/" in file else "(top)"
            texts[room][file] = path.read_text(encoding="utf-8")
    return texts


def _verdict(copies: SimpleQueue[Copy], reach: Reach, file: str, fault: Fault) -> Verdict:
    """Put in a fault, and run the tests that reach its line."""
    copy = copies.get()
    try:
        with copy.changed(file, fault.put_into):
            tests = [name.removeprefix("tests/") for name in reach.of(file, fault.line)]
            is_caught = copy.is_noticed(tests)
    finally:
        copies.put(copy)
    said = "caught" if is_caught else "survives"
    raw = (ROOT / "pbmserv" / file).read_bytes()
    sound = raw[fault.start : fault.stop].decode()
    sys.stdout.write(f"{said}: {file}:{fault.line}: {sound!r} -> {fault.changed!r}\n")
    sys.stdout.flush()
    return Verdict(file, fault, is_caught)


def _report(verdicts: list[Verdict]) -> int:
    by_room: dict[str, list[bool]] = defaultdict(list)
    for verdict in verdicts:
        by_room[verdict.room].append(verdict.is_caught)
    for room, caught in by_room.items():
        sys.stdout.write(f"{room}: {sum(caught)} of {len(caught)} noticed\n")
    return int(any(sum(caught) < 0.85 * len(caught) for caught in by_room.values()))

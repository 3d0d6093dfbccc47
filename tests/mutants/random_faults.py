"""Random faults in random lines, the tests that reach them, and how many are noticed by room."""

import ast
import base64
import random
import re
import subprocess
import sys
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from .faults import Fault, chosen
from .probes import mark, places, probe_of
from .program_copy import FAST_TIER, NO_TEST, PASSED, ROOT, Copy

NOTE = ROOT / ".reach"
"""Where it is kept which test reaches which line: it is made anew when the program has changed."""

PROBED = ("-n", "auto", "-p", "tests.mutants.probes")

MOST = 300
"""So many tests are asked at most: of a line that everything runs the most particular ones."""

PATIENCE = 120
"""Seconds after which tests that a fault hinders from ending have noticed it."""

WANTED, WANTED_BY_ROOM = 0.75, 0.85
"""How many of the random faults are to be noticed: over all rooms of a few, in each of many."""

OF_ALL = ("tests/test_manual.py",)
"""Where every module is looked at: the manual has the words of each command and its options."""


class Reach:
    """Which tests of the fast tier reach a line, the most particular ones first."""

    def __init__(self, note: Path, tests: Iterable[str]) -> None:
        there = {*tests}
        self._tests: dict[int, set[str]] = defaultdict(set)
        self._breadth: Counter[str] = Counter()
        for line in note.read_text(encoding="utf-8").splitlines():
            *_, reached, name = line.split(" ", 3)
            if name in there:
                passed = zlib.decompress(base64.b64decode(reached))
                self._breadth[name] = passed.count(1)
                for found in re.finditer(b"\1", passed):
                    self._tests[found.start()].add(name)

    def of(self, file: str, line: int) -> list[str]:
        """Return the tests that reach this line, those of its own room first.

        Of one that is run by import, or where no probe is, those that reach any line of its file
        and all tests beside them that name it. The manual comes last.
        """
        begin, source = places()[file], (ROOT / "pbmserv" / file).read_bytes()
        probe = probe_of(ast.parse(source), line)
        found = self._tests.get(begin + probe, set()) if probe else set[str]()
        if not found:
            in_file = range(begin, begin + source.count(b"\n") + 1)
            reached = (self._tests.get(each, set()) for each in in_file)
            found = {*chain.from_iterable(reached), *_naming(file)}
        room = room_of(file)
        first = sorted(found, key=lambda name: (_room(name) != room, self._breadth[name], name))
        return [*first[:MOST], *OF_ALL]


@cache
def _naming(file: str) -> list[str]:
    """Return the files of tests that name the module of a file."""
    module = re.compile(rf"\bpbmserv\.{file.removesuffix('.py').replace('/', '[.]')}\b")
    files = (ROOT / "tests").rglob("test_*.py")
    found = [path for path in files if module.search(path.read_text(encoding="utf-8"))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def room_of(file: str) -> str:
    """Return the folder that a file stands in; those beside all rooms are one."""
    return file.partition("/")[0] if "/" in file else "(top)"


def _room(test: str) -> str:
    return room_of(test.removeprefix("tests/").partition("::")[0])


class Verdict(NamedTuple):
    """Whether a fault was noticed, and by which test, if one failed."""

    file: str
    is_caught: bool
    by: str

    @property
    def is_caught_at_home(self) -> bool:
        """Whether a test of the fault's own room noticed it."""
        return self.is_caught and _room(self.by) == room_of(self.file)


def measured_reach(copy: Copy) -> Reach:
    """Run the fast tier once in a copy, where all must pass, to note what each test reaches.

    The note is kept while the program is the same: tests that came since, or stand in a file that
    has changed, are run and added.
    """
    lines = NOTE.read_text(encoding="utf-8").splitlines() if NOTE.exists() else []
    names = copy.names()
    told = {line.split(" ", 3)[3]: line for line in lines}
    kept = {name: told[name] for name in names if told.get(name, "").startswith(f"{mark(name)} ")}
    NOTE.write_text("".join(f"{line}\n" for line in kept.values()), encoding="utf-8")
    if new := [name for name in names if name not in kept]:
        _measure(copy, new)
    return Reach(NOTE, names)


def _measure(copy: Copy, tests: list[str]) -> None:
    sys.stdout.write(f"Running {len(tests)} tests, to see which of them reaches which line.\n")
    sys.stdout.flush()
    done = subprocess.run(
        [sys.executable, *FAST_TIER, *PROBED, f"@{copy.listed(tests)}"],
        cwd=copy.folder,
        env=copy.environment(PBMSERV_TEST_REACH=str(NOTE)),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in {PASSED, NO_TEST}:
        sys.exit(f"The tests do not pass even without a fault:\n{done.stdout[-2000:]}")


def try_random_faults(count: int, seed: str, words: list[str], *, by_room: bool) -> int:
    """Put in so many random faults, or so many in each room; print what became of each.

    The exit code is 1 if fewer are noticed than is wanted.
    """
    texts = _texts_by_room(words)
    faults = _drawn(texts, count * len(texts) if by_room else count, seed)
    sys.stdout.write(f"{len(faults)} random faults by the seed {seed}\n")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        copies: SimpleQueue[Copy] = SimpleQueue()
        for copy in (one := Copy(folder / "one"), Copy(folder / "other")):
            copies.put(copy)
        reach = measured_reach(one)
        verdicts = list(pool.map(lambda found: _verdict(copies, reach, *found), faults))
    return _report(verdicts, by_room=by_room)


def _drawn(texts: dict[str, dict[str, str]], count: int, seed: str) -> list[tuple[str, Fault]]:
    """Draw so many faults, from each room as many as from others or one more."""
    rooms = random.Random(seed).sample(sorted(texts), len(texts))
    return [
        found
        for place, room in enumerate(rooms)
        for found in chosen(texts[room], len(range(place, count, len(rooms))), seed)
    ]


def _texts_by_room(words: list[str]) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    package = ROOT / "pbmserv"
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package).as_posix()
        if not words or any(word in file for word in words):
            texts[room_of(file)][file] = path.read_text(encoding="utf-8")
    return texts


def _verdict(copies: SimpleQueue[Copy], reach: Reach, file: str, fault: Fault) -> Verdict:
    """Put in a fault, and run the tests that reach its line."""
    copy = copies.get()
    try:
        with copy.changed(file, fault.put_into):
            tests = [name.removeprefix("tests/") for name in reach.of(file, fault.line)]
            is_caught = copy.is_noticed(tests, PATIENCE)
        by = copy.first_failure()
    finally:
        copies.put(copy)
    said = f"caught ({by})" if is_caught else "survives"
    raw = (ROOT / "pbmserv" / file).read_bytes()
    sound = raw[fault.start : fault.stop].decode()
    sys.stdout.write(f"{said}: {file}:{fault.line}: {sound!r} -> {fault.changed!r}\n")
    sys.stdout.flush()
    return Verdict(file, is_caught, by)


def _report(verdicts: list[Verdict], *, by_room: bool) -> int:
    rooms: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        rooms[room_of(verdict.file)].append(verdict)
    for room, found in sorted(rooms.items()):
        sys.stdout.write(f"{room}: {_told(found)}\n")
    sys.stdout.write(f"All rooms: {_told(verdicts)}\n")
    wanted, parts = (WANTED_BY_ROOM, [*rooms.values()]) if by_room else (WANTED, [verdicts])
    return int(any(_noticed(part) < wanted * len(part) for part in parts))


def _noticed(verdicts: list[Verdict]) -> int:
    return sum(verdict.is_caught for verdict in verdicts)


def _told(verdicts: list[Verdict]) -> str:
    at_home = sum(verdict.is_caught_at_home for verdict in verdicts)
    return f"{_noticed(verdicts)} of {len(verdicts)} noticed, {at_home} by tests of the room"

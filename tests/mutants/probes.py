"""A plugin for pytest that notes which test reaches which part of the program.

``PBMSERV_TEST_REACH=FILE pytest -p tests.mutants.probes`` puts a probe, ``_reached_[n] = 1``, where
a function begins and again wherever the way through it may have parted: into what is imported, not
into the sources. After each test it adds a line to the file.
"""

import ast
import base64
import builtins
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from mmap import mmap
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pbmserv"
PARTING = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith)


@cache
def places() -> dict[str, int]:
    """Return for each file of the package, and for the end, how many lines stand before it."""
    found, count = {}, 0
    for path in sorted(PACKAGE.rglob("*.py")):
        found[path.relative_to(PACKAGE).as_posix()] = count
        count += path.read_bytes().count(b"\n") + 1
    return {**found, "": count}


def mark(test: str) -> str:
    """Return what the line of a test begins with while its file and the program are the same."""
    return f"{_digest()} {_digest(test.partition('::')[0])}"


@cache
def _digest(test: str = "") -> str:
    files = [ROOT / test] if test else sorted(PACKAGE.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def probe_of(tree: ast.Module, line: int) -> int | None:
    """Return the line whose probe tells whether a line was reached; none of what import runs."""
    around = [
        (range(begin, (block[-1].end_lineno or 0) + 1), [block[place].lineno for place in probed])
        for begin, block, probed in _blocks(tree)
    ]
    within = [(len(lines), probes) for lines, probes in around if line in lines]
    if not within:
        return None
    _, probes = min(within)
    return max((probe for probe in probes if probe <= line), default=probes[0])


def _blocks(tree: ast.Module) -> Iterator[tuple[int, list[ast.stmt], list[int]]]:
    """Yield each list of statements in a function, its first line, and where its probes stand."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    whole = [node for node in ast.walk(tree) if isinstance(node, functions)]
    within = {id(node): node for function in whole for node in ast.walk(function)}
    for node in within.values():
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and (probed := _probed(block)):
                begin = node.lineno if isinstance(node, functions) else block[0].lineno
                yield begin, block, probed


def _probed(block: Sequence[ast.stmt]) -> list[int]:
    """Return before which statements of a block a probe stands: a docstring stays the first."""
    first = int(bool(block) and ast.get_docstring(ast.Module([*block], [])) is not None)
    return [
        place
        for place in range(first, len(block))
        if place == first or isinstance(block[place - 1], PARTING)
    ]


class _Loader(SourceFileLoader):
    """Loads a module of the program with its probes; what was compiled is not kept."""

    def path_stats(self, path: Any) -> Any:
        """Say nothing of the file, so that it is compiled."""
        raise OSError(f"{path} is compiled anew")

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, **options: Any
    ) -> CodeType:
        """Compile a module in which the probes stand."""
        tree = ast.parse(data)
        begin = places()[Path(path).relative_to(PACKAGE).as_posix()]
        for _, block, probed in [*_blocks(tree)]:
            for place in reversed(probed):
                at = block[place]
                (probe,) = ast.parse(f"_reached_[{begin + at.lineno}] = 1").body
                for node in ast.walk(probe):
                    ast.copy_location(node, at)
                block.insert(place, probe)
        return super().source_to_code(tree, path, **options)


class _Finder:
    """Finds the modules of the program."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "pbmserv":
            return None
        spec = PathFinder.find_spec(name, path, target)
        # A test may lay modules of its own into the package.
        is_ours = spec is not None and Path(spec.origin or "").is_relative_to(PACKAGE)
        if spec is not None and is_ours and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


REACHED = mmap(-1, places()[""])
"""A byte for each line: 1 if its probe was passed, by the test or by a fork of it."""

NOTE = os.environ.get("PBMSERV_TEST_REACH")

if NOTE:
    builtins._reached_ = REACHED  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Add a line to the note when a test has been run: one write, for there are many who write."""
    REACHED[:] = bytes(len(REACHED))
    result = yield
    if NOTE:
        name = item.nodeid
        found = base64.b64encode(zlib.compress(REACHED)).decode()
        with Path(NOTE).open("ab", buffering=0) as note:
            note.write(f"{mark(name)} {found} {name}\n".encode())
    return result

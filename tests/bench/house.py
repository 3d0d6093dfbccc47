"""How large and how straight the program is: ``python -m tests.bench.house``.

Lines and files are those of Python below ``pbmserv/``. An import is late inside of a function, and
cycles are of modules that load each other, late or not. A comment says why unless it is a word to
a tool or names a rule. Golden text is every file below ``tests/`` that is not Python. Behind each
figure stands its ceiling, which ``tests/test_house.py`` holds, or what it is to be.
"""

import ast
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import quantiles

from tests.test_architecture import PACKAGE, ROOT, functions_of, loads_of, sources

SMALL = 60
CHOICES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert),
    *(ast.match_case, ast.Lambda),
)
READING = (
    *("command_pages", "command_table", "declaration", "explanations", "filling", "game_options"),
    *("grammar", "guess", "help", "help_files", "parse", "slots", "synonyms", "types", "words"),
)
"""The files of the grammar, of guessing and of help."""

MADE = {".so", ".pyd", ".pyc"}
DIRECTIVES = ("noqa", "type:", "pragma:", "RULES:", "!")


def figures(files: list[Path]) -> dict[str, int]:
    """Return the figures of which the ceilings stand in ``tests/test_house.py``."""
    return {
        "lines": sum(map(lines_of, files)),
        "files": len(files),
        "bytes of templates, scripts and data": sum(
            len(file.read_bytes())
            for file in kept_files("pbmserv")
            if file.suffix not in {".py", ".md"} and file.parent.name != "fonts"
        ),
        "late imports": sum(map(late_imports, files)),
        "lines of golden text": sum(
            map(lines_of, (file for file in kept_files("tests") if file.suffix != ".py"))
        ),
    }


def measures(files: list[Path]) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each other measure, its figure, and its aim."""
    words = [comment.lstrip("# ") for file in files for comment in comments(file)]
    why = sum(not word.startswith(DIRECTIVES) for word in words)
    ways = [complexity(function) for file in files for function in functions_of(file)]
    yield f"files under {SMALL} lines", str(sum(lines_of(file) < SMALL for file in files)), ""
    yield "complexity, highest", str(max(ways)), "<= 15"
    yield "complexity, 90 % of functions", f"{quantiles(ways, n=10)[-1]:.0f}", "<= 7"
    yield "cycles of imports, late ones too", str(len(cycles(files))), "0"
    yield "swap interpreted outside the engine", str(sum(map(swaps_seen, files))), "0"
    read = sum(lines_of(PACKAGE / "commands" / f"{name}.py") for name in READING)
    yield "lines that read words", str(read), "<= 3400"
    ones = sum(is_one_call(function) for file in files for function in functions_of(file))
    yield "functions that are one call", str(ones), "<= 230"
    yield "noqa", str(sum(word.startswith("noqa") for word in words)), "<= 45"
    yield (
        "comments that say why, of 100 lines",
        f"{100 * why / sum(map(lines_of, files)):.1f}",
        ">= 1",
    )


def lines_of(file: Path) -> int:
    """Return how many lines a file has."""
    return file.read_bytes().count(b"\n")


def kept_files(folder: str) -> list[Path]:
    """Return the files of a folder that belong to the project: not what was compiled or cached."""
    return [
        file
        for file in sorted((ROOT / folder).rglob("*"))
        if file.is_file() and file.suffix not in MADE and "__pycache__" not in file.parts
    ]


def comments(file: Path) -> Iterator[str]:
    """Yield every comment of a file."""
    with tokenize.open(file) as text:
        for token in tokenize.generate_tokens(text.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def complexity(function: ast.AST) -> int:
    """Return how many ways lead through a function: one, and one more for every choice in it."""
    ways = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            ways += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            ways += 1 + len(node.ifs)
        else:
            ways += isinstance(node, CHOICES)
    return ways


def is_one_call(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function does nothing but call another one."""
    *others, last = function.body
    is_alone = all(isinstance(each, ast.Expr) and each is function.body[0] for each in others)
    return is_alone and isinstance(getattr(last, "value", None), ast.Call)


def late_imports(file: Path) -> int:
    """Return how many statements of a file import something inside of a function."""
    inside = {node for function in functions_of(file) for node in ast.walk(function)}
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in inside)


def swaps_seen(file: Path) -> int:
    """Return how often a file beyond the engine asks whether a move is a swap, to tell by itself
    what follows from it.
    """
    if file.parent.name in {"engine", "games"}:
        return 0
    asked = 0
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            asked += any(
                word_of(part) in {"SWAP", "swap"} for part in (node.left, *node.comparators)
            )
        else:
            asked += isinstance(node, ast.Attribute) and node.attr == "is_swap"
    return asked


def word_of(node: ast.AST) -> str:
    """Return the name, attribute or text that an expression is, ``SWAP`` for ``SWAP.text``."""
    if isinstance(node, ast.Attribute) and node.attr == "text":
        return word_of(node.value)
    found = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
    return found if isinstance(found, str) else ""


def cycles(files: Iterable[Path]) -> set[frozenset[Path]]:
    """Return the sets of modules that load one another."""
    loads = {file: loads_of(file, ever=True) for file in files}
    reached: dict[Path, set[Path]] = {}
    for file in loads:
        found: set[Path] = set()
        waiting = [file]
        while waiting:
            new = loads.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        reached[file] = found
    return {
        frozenset(other for other in found if file in reached.get(other, ()))
        for file, found in reached.items()
        if file in found
    }


def main() -> None:
    """Print the table, the cycles by name, and the walk of a move."""
    from tests.test_house import CEILINGS, WALK_CEILINGS

    files = sources("pbmserv")
    for name, figure in figures(files).items():
        print(f"{name:38}{figure:>10,}   <= {CEILINGS[name]:,}")
    for name, told, aim in measures(files):
        print(f"{name:38}{told:>10}   {aim}")
    for cycle in cycles(files):
        print("  cycle:", *sorted(str(file.relative_to(PACKAGE)) for file in cycle))
    most = ", ".join(f"{figure:,} {name}" for name, figure in WALK_CEILINGS.items())
    print(f"\nThe walk of a move; of star move at most {most}:")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "tests.bench.path_of_a_move"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()

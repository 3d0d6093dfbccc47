"""The program keeps to its plan: who imports whom, which library lives where, what is long."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pbmserv"

BELOW_CLI = {
    *("club", "commands", "computer", "desk", "engine", "listen_address", "mail", "render"),
    *("services", "settings", "side_processes", "store"),
}

LAYERS = {
    "errors": set[str](),
    "phrases": set[str](),
    "settings": set[str](),
    "side_processes": set[str](),
    "listen_address": set[str](),
    "engine": set[str](),
    "computer": {"engine"},
    "club": {"engine"},
    "store": {"club", "engine"},
    "render": {"club", "engine"},
    "services": {"club", "engine", "store"},
    "commands": {"club", "engine", "phrases", "render", "services", "store"},
    "desk": {"club", "commands", "computer", "engine", "phrases", "render", "services", "store"},
    "mail": {
        *("club", "desk", "engine", "listen_address", "phrases", "render", "settings", "store"),
    },
    "site": BELOW_CLI,
    "web": BELOW_CLI | {"site"},
    "cli": BELOW_CLI | {"site", "web"},
    "board": BELOW_CLI | {"cli"},
    "daemon": BELOW_CLI | {"cli", "web"},
    "operators": BELOW_CLI | {"cli", "daemon", "web"},
}
"""What each layer may import beside itself and the errors."""

BACK = {"cli/start.py": {"board", "daemon"}}
"""What a file may import besides: a program asks the one that stays before it loads itself, and
the start screen is there before the words of commands are.
"""

TO_COME = set[str]()
"""Layers that have their place before they have a file."""

EVERYWHERE = {"errors", "__version__"}
ALONE = {"engine", "computer"}
"""Layers that are a library without the others (help/library.txt)."""

FENCES = {
    "sqlalchemy": {"store", "migrations"},
    "alembic": {"store", "migrations"},
    "psycopg": {"store"},
    "click": {"commands", "desk", "cli"},
    "rich": {"render/terminal.py", "board", "cli"},
    "smtplib": {"mail"},
    "aiosmtpd": {"mail"},
    "email": {"mail"},
    "jinja2": {"site"},
    "markupsafe": {"site"},
    "flask": {"web"},
    "werkzeug": {"web"},
    "waitress": {"web/listener.py"},
    "passlib": {"desk/passwords.py"},
    "argon2": {"desk/passwords.py"},
    "platformdirs": {"settings.py"},
    "dns": {"operators/mail_trial.py"},
    "PIL": {"render/png.py"},
    "resvg_py": {"render/png.py"},
    "fpdf": {"render/png.py"},
    "textual": {"board"},
}
"""The only places that may import each of these libraries."""

NAMED_TWICE = {"__init__", "app", "listener", "tick", "tournaments"}
"""Modules that share a name: commands are called as what they do, the store as what it has,
what a toolkit runs as it calls it, and mails and browsers have a listener each.
"""

NO_GROUP = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)
"""What in a pattern may hold brackets that make no group."""

GROUP_FOR_GOOD = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
LINES_A_FUNCTION = 60
POSITIONAL = 5
FOREIGN_WORDS = (
    *(f"/{folder}/" for folder in ("work", "root", "Users")),
    "C:" + chr(92) * 2,
    "index-url",
    "pypi.org" + "/simple",
)
"""What is true on one machine only."""


def sources(*folders: str) -> list[Path]:
    return sorted(chain.from_iterable((ROOT / folder).rglob("*.py") for folder in folders))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def imports_of(path: Path, besides: Collection[ast.AST] = ()) -> Iterator[str]:
    """Yield the full name of every module imported anywhere in the file, also in functions."""
    for node in nodes_of(path):
        if node in besides:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def texts_of(path: Path) -> Iterator[str]:
    """Yield every text in the file; where a value is put into one, there stands a letter."""
    for node in nodes_of(path):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")


def repeats_a_group_for_good(pattern: str) -> bool:
    return GROUP_FOR_GOOD.search(NO_GROUP.sub("x", pattern)) is not None


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def place_of(path: Path) -> str:
    """Return the file as the fences name it: ``render/terminal.py``, ``migrations/env.py``."""
    return path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT).as_posix()


def is_within(place: str, fences: set[str]) -> bool:
    return any(place == fence or place.startswith(f"{fence}/") for fence in fences)


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in nodes_of(path) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_a_layer_imports_only_what_lies_below_it() -> None:
    wrong = []
    for path in sources("pbmserv"):
        layer = layer_of(path)
        if layer in {"__init__", "__main__"}:
            continue
        used = {name.split(".")[1] for name in imports_of(path) if name.startswith("pbmserv.")}
        allowed = LAYERS[layer] | EVERYWHERE | {layer} | BACK.get(place_of(path), set())
        wrong += [f"{place_of(path)} imports {name}" for name in used - allowed]

    assert [] == wrong


def test_the_rules_and_the_computer_need_nothing_but_python() -> None:
    files = [path for path in sources("pbmserv") if layer_of(path) in {"errors", *ALONE}]
    wrong = [
        (place_of(path), name)
        for path in files
        for name in {name.partition(".")[0] for name in imports_of(path)}
        if name not in {*sys.stdlib_module_names, "pbmserv"}
    ]

    assert [("computer/kernel.py", "cython")] == wrong, "and that only where it is compiled"


def test_nothing_in_the_package_makes_a_part_of_it() -> None:
    """What does is in ``tests/generators/``, and so not in the wheel."""
    files = sources("pbmserv")

    assert [] == [place_of(f) for f in files if "__main__" in f.read_text(encoding="utf-8")]


def loads_of(path: Path, *, ever: bool = False) -> set[Path]:
    """Return the modules that this one loads when it is loaded itself, or ever."""
    late = [] if ever else chain.from_iterable(ast.walk(node) for node in functions_of(path))
    typing = chain.from_iterable(
        ast.walk(node)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING"
    )
    names = set(imports_of(path, besides={*late, *typing}))
    files = (ROOT / f"{name.replace('.', '/')}.py" for name in names)
    return {file for file in files if file.is_file()}


def test_no_module_loads_itself_by_others() -> None:
    order = TopologicalSorter({path: loads_of(path) for path in sources("pbmserv")})

    assert len(list(order.static_order())) == len(sources("pbmserv"))


def test_no_two_modules_have_one_name() -> None:
    stems = Counter(path.stem for path in sources("pbmserv"))

    assert NAMED_TWICE == {stem for stem, count in stems.items() if count > 1}


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for file in sources("pbmserv")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert {} == {name: count for name, count in names.items() if count > 1}


def test_a_library_stays_behind_its_fence() -> None:
    wrong = []
    for path in sources("pbmserv", "migrations"):
        place = place_of(path)
        used = {name.partition(".")[0] for name in imports_of(path)} & FENCES.keys()
        wrong += [f"{place} imports {name}" for name in used if not is_within(place, FENCES[name])]

    assert [] == wrong


def test_of_the_mail_servers_library_only_what_another_has_too_is_used() -> None:
    """A server for each tongue, and what its hooks are given (DECISIONS.md)."""
    used = {name for path in sources("pbmserv") for name in imports_of(path) if "aiosmtpd" in name}

    assert used - {"aiosmtpd.lmtp", "aiosmtpd.smtp"} == {
        *("aiosmtpd.lmtp.LMTP", "aiosmtpd.smtp.SMTP"),
        *("aiosmtpd.smtp.Session", "aiosmtpd.smtp.Envelope"),
    }


def test_every_fence_and_layer_stands_somewhere() -> None:
    layers = {layer_of(path) for path in sources("pbmserv")} - {"__init__", "__main__"}
    places = set().union(*FENCES.values()) - TO_COME
    missing = {place for place in places if not (PACKAGE / place).exists()}

    assert LAYERS.keys() | TO_COME == layers | TO_COME
    assert {"migrations"} == missing
    assert (ROOT / "migrations").is_dir()


@pytest.mark.parametrize("again", ["*+", "++", "?+", "{3}+", "{,3}+", "{1,}+"])
def test_a_group_repeated_for_good_is_seen(again: str) -> None:
    assert repeats_a_group_for_good(f"a(?:bc|d){again}e")
    assert not repeats_a_group_for_good(f"(?:[()]{again})*[^]()*+]\\(\\){again}(?>(?:a|b)*)")


def test_no_pattern_repeats_a_group_for_good() -> None:
    """Python 3.11 to 3.11.4 read too far where the last round of ``(...)*+`` fails half way."""
    texts = [(place_of(f), text) for f in sources("pbmserv", "migrations") for text in texts_of(f)]
    phrases = PACKAGE / "phrases.txt"
    texts += [(place_of(phrases), line) for line in phrases.read_text("utf-8").splitlines()]

    assert [] == [(place, text) for place, text in texts if repeats_a_group_for_good(text)]


@pytest.mark.parametrize("folder", ["pbmserv", pytest.param("tests", marks=pytest.mark.slow)])
def test_functions_are_short_and_take_few_positional_parameters(folder: str) -> None:
    wrong = []
    for path in sources(folder):
        for node in functions_of(path):
            where = f"{place_of(path)}: {node.name}"
            lines = (node.end_lineno or 0) - node.lineno + 1
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            if lines > LINES_A_FUNCTION:
                wrong.append(f"{where} has {lines} lines")
            if path.is_relative_to(PACKAGE) and len({*names} - {"self", "cls"}) > POSITIONAL:
                wrong.append(f"{where} has {len(names)} positional parameters")

    assert [] == wrong


def test_nothing_is_true_on_one_machine_only() -> None:
    folders = ("pbmserv", "migrations", "help", ".ci", ".github")
    files = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "pyproject.toml"]
    files += [p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file()]
    found = [
        f"{path}: {word}"
        for path in files
        for word in FOREIGN_WORDS
        if path.suffix not in {".pyc", ".pyd", ".so"} and word.encode() in path.read_bytes()
    ]

    assert [] == found

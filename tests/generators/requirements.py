"""The libraries to the byte: ``python -m tests.generators.requirements`` takes the newest allowed.

Below ``.github/`` it writes ``requirements.txt``, which is what a server is made of and built with,
``requirements-dev.txt``, which adds what tests and checks need, and ``licences.txt``: under which
licences the first may be used. It asks the index of Python packages, by uv.
"""

import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distributions
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDER = Path(".github")
SERVER, DEVELOPER = FOLDER / "requirements.txt", FOLDER / "requirements-dev.txt"
LICENCES = FOLDER / "licences.txt"

PYTHONS = ("3.11", "3.12", "3.13")
PROCESSORS = ("x86_64", "aarch64")

CLASSIFIER = "License :: OSI Approved :: "
MIT = "Permission is hereby granted, free of charge, to any person"
LONGEST = 60
"""Characters of a licence's name; what is longer is its text."""


def uv(*words: str, said: str | None = None) -> None:
    """Run uv in the project's folder, or end with its exit code."""
    command = [sys.executable, "-m", "uv", "pip", *words]
    done = subprocess.run(command, cwd=ROOT, input=said, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def write_requirements(file: Path, extra: str, *more: str) -> None:
    """Write one version of each library, with the hashes of all its files."""
    uv(
        *("compile", "pyproject.toml", "-", "--quiet", "--upgrade", "--universal"),
        *("--python-version", PYTHONS[0], "--fork-strategy", "fewest", "--generate-hashes"),
        *("--no-header", "--no-annotate", "--extra", extra, "--output-file", str(file), *more),
        said="\n".join(PROJECT["build-system"]["requires"]),
    )


def install(folder: str, *more: str) -> None:
    """Install what a server is made of into a folder, from wheels alone."""
    only = ("--no-deps", "--require-hashes", "--only-binary", ":all:")
    uv("install", "--quiet", *only, "--target", folder, "-r", str(SERVER), *more)


def licence_of(library: Distribution) -> str:
    """Return the name of a library's licence, as its authors say it, or nothing."""
    told = library.metadata
    named = told["License-Expression"] or told["License"] or ""
    if named and len(named) <= LONGEST and "\n" not in named:
        return named
    classifiers = [c for c in told.get_all("Classifier") or () if c.startswith(CLASSIFIER)]
    if classifiers:
        return " and ".join(c.removeprefix(CLASSIFIER) for c in classifiers)
    return "MIT" if MIT in str(library.read_text("licenses/LICENSE")) else ""


def licences(folder: str) -> str:
    """Return a line for each library in a folder: name, version, licence."""
    rows = {
        library.name.lower().replace("_", "-"): f"{library.version}  {licence_of(library)}"
        for library in distributions(path=[folder])
    }
    return "".join(f"{name}  {rows[name]}\n" for name in sorted(rows))


if __name__ == "__main__":
    write_requirements(SERVER, "postgresql")
    write_requirements(DEVELOPER, "dev", "--constraints", str(SERVER))
    with TemporaryDirectory() as folder:
        for python, processor in product(PYTHONS, PROCESSORS):
            place = ("--python-version", python, "--python-platform", f"{processor}-manylinux_2_28")
            install(folder, "--dry-run", *place)
        install(folder)
        (ROOT / LICENCES).write_text(licences(folder), encoding="utf-8")

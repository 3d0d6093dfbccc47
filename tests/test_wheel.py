"""What is built is the same wherever it is built, and has what belongs into it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("pbmserv", "help", "migrations", "pyproject.toml", "README.md", "LICENSE")

pytestmark = pytest.mark.slow


def build(folder: Path, umask: int) -> "subprocess.Popen[str]":
    """Begin to build the wheel of a copy in a folder."""
    (folder / "src" / "tests").mkdir(parents=True)
    for part in (*PARTS, "tests/generators"):
        copy = ["cp", "-r", str(ROOT / part), str(folder / "src" / part)]
        subprocess.run(copy, umask=umask, check=True)
    return subprocess.Popen(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", ".", "./src"],
        cwd=folder,
        env={**os.environ, "TZ": f"X{umask}", "PYTHONHASHSEED": str(umask)},
        umask=umask,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_wheel_is_the_same_bytes_in_every_folder(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    # A test's own folder may hold no words of the manual.
    scratch = tmp_path_factory.mktemp("wheels")
    folders = [scratch / "one", scratch / "a b" / "two"]
    builds = [build(folder, umask) for folder, umask in zip(folders, (0o022, 0o077), strict=True)]
    said = [build.communicate()[0] for build in builds]
    if any("install build dependencies" in text for text in said):
        pytest.skip(f"what builds a wheel is not to be had: {said[0].splitlines()[-1]}")

    assert [0, 0] == [build.returncode for build in builds], said
    one, two = (next(folder.glob("*.whl")) for folder in folders)
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()
    names = zipfile.ZipFile(one).namelist()
    assert {"pbmserv/help/admin.txt", "pbmserv/migrations/env.py", "pbmserv/py.typed"} <= {*names}
    assert {"pbmserv"} == {name.split("/")[0].partition("-")[0] for name in names}
    assert [] == [
        name for name in names if name.endswith((".md", ".pyc", ".c")) and "archive" not in name
    ]

"""The libraries that are wanted, listed to the byte, and licensed: three files say the same."""

import os
import re
from importlib.metadata import PackageNotFoundError, distribution, version
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.generators.requirements import (
    DEVELOPER,
    LICENCES,
    PROJECT,
    ROOT,
    SERVER,
    licence_of,
)

PERMITTED = frozenset(
    [
        "Apache",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "LGPL-3.0-only",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "Mozilla",
        "PSF-2.0",
        "PSFL",
        "ZPL",
    ]
)
"""First words of licences under which a server may be run, and passed on, by anybody."""

TOOLS = PROJECT["build-system"]["requires"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
WANTED = [
    wanted
    for text in chain(PROJECT["project"]["dependencies"], TOOLS, *EXTRAS.values())
    if (wanted := Requirement(text)).name != "pbmserv"
]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def bounds(wanted: Requirement) -> dict[str, Version]:
    return {bound.operator: Version(bound.version) for bound in wanted.specifier}


def listed(file: Path) -> dict[str, str]:
    """Return the entries of a file by their libraries."""
    text = (ROOT / file).read_text(encoding="utf-8")
    entries = text.replace("\\\n", "").splitlines()
    return {plain(Requirement(entry.partition(" --")[0]).name): entry for entry in entries}


def pinned(entry: str) -> Version:
    (bound,) = Requirement(entry.partition(" --")[0]).specifier
    assert "==" == bound.operator
    return Version(bound.version)


SERVERS, DEVELOPERS = listed(SERVER), listed(DEVELOPER)


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: str(wanted.name))
def test_each_library_is_wanted_from_one_version_to_the_next_major_one(wanted: Requirement) -> None:
    found = bounds(wanted)

    assert {">=", "<"} == found.keys()
    if plain(wanted.name) in DEVELOPERS:
        newest = pinned(DEVELOPERS[plain(wanted.name)])
        assert newest in wanted.specifier
        assert Version(str(newest.major + 1)) == found["<"]


@pytest.mark.parametrize("entries", [SERVERS, DEVELOPERS], ids=["server", "developer"])
def test_each_library_is_listed_with_its_bytes_and_no_place(entries: dict[str, str]) -> None:
    for entry in entries.values():
        assert re.fullmatch(r"[^ ]+==[^ ]+ (; [^:]+?)? *(--hash=sha256:[0-9a-f]{64} *)+", entry)


def test_what_a_server_is_made_of_and_built_with_is_listed() -> None:
    of_a_server = [*PROJECT["project"]["dependencies"], *TOOLS, *EXTRAS["postgresql"]]

    assert {plain(Requirement(text).name) for text in of_a_server} <= SERVERS.keys()
    assert {plain(wanted.name) for wanted in WANTED} - {"open-spiel"} <= DEVELOPERS.keys()
    both = SERVERS.keys() & DEVELOPERS.keys()
    assert [pinned(SERVERS[name]) for name in both] == [pinned(DEVELOPERS[name]) for name in both]


def test_each_library_of_a_server_is_listed_with_a_licence_that_permits_it() -> None:
    rows = [line.split("  ") for line in (ROOT / LICENCES).read_text(encoding="utf-8").splitlines()]
    on_linux = {name: pinned(entry) for name, entry in SERVERS.items() if "win32" not in entry}

    assert on_linux == {plain(name): Version(number) for name, number, _ in rows}
    assert [] == [row for row in rows if row[2].split()[0] not in PERMITTED]
    for name, number, licence in rows:
        try:
            library = distribution(name)
        except PackageNotFoundError:  # it builds the program, or is for another database
            continue
        if library.version == number:
            assert licence_of(library) == licence, name


def test_the_oldest_versions_are_those_that_are_tried() -> None:
    if "PBMSERV_TEST_OLDEST" not in os.environ:
        pytest.skip("the oldest libraries are not what is installed here")
    installed = PROJECT["project"]["dependencies"] + EXTRAS["test"] + EXTRAS["postgresql"]
    names = {Requirement(text).name for text in installed} - {"pbmserv"}
    oldest = {wanted.name: bounds(wanted)[">="] for wanted in WANTED if wanted.name in names}

    assert oldest == {name: Version(version(name)) for name in oldest}

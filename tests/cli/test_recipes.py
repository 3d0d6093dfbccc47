"""What ``mail setup`` prints does what it says, as far as the programs it is for are here."""

import os
import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from pbmserv.cli.mail_recipes import RECIPES
from tests import databases
from tests.cli.piping import ALICE, Installation, a_mail

pytestmark = pytest.mark.slow


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Installation:
    databases.copy_template(sqlite_template, tmp_path / "server")
    return Installation(tmp_path / "server")


def recipe(here: Installation, server: str) -> str:
    done = here.run("mail", "setup", server)

    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("server", RECIPES)
def test_every_recipe_is_filled_in(here: Installation, server: str) -> None:
    text = recipe(here, server)
    own = re.findall(r"\$(?!\{recipient\}|\{sender\}|\{1-|\{2-|RECIPIENT|SENDER|\")\w*", text)

    assert own == []
    assert here.environ["PBMSERV_CONFIG"] in text
    assert 'mail_address = "pbmserv@example.org"' in text


@pytest.mark.parametrize(
    ("words", "environ", "outcome"),
    [
        (("pbmserv@example.org", ALICE), {}, "done"),
        (("pbmserv@example.org", ""), {}, None),
        ((), {"RECIPIENT": "pbmserv@example.org", "SENDER": ALICE}, "done"),
        ((), {"RECIPIENT": "pbmserv@example.org", "SENDER": ""}, None),
        (("pbmserv@example.org", ""), {"SENDER": ALICE}, None),
    ],
)
def test_the_script_of_the_pipe_hands_on_who_writes_to_whom(
    here: Installation, words: tuple[str, ...], environ: dict[str, str], outcome: str | None
) -> None:
    script = here.folder / "receive"
    script.write_text("#!/bin/sh" + recipe(here, "exim").partition("#!/bin/sh")[2])
    script.chmod(0o755)
    done = subprocess.run(
        [script, *words],
        input=a_mail("help"),
        env={**here.environ, **environ},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert here.outcomes() == ([outcome] if outcome else []), "ignored mail is only counted"


def test_the_script_of_the_pipe_says_75_for_whatever_fails(here: Installation) -> None:
    text = recipe(here, "postfix").partition("#!/bin/sh")[2].partition("\n\n")[0]
    missing = re.sub(r"'[^']*/pbmserv'", "'/nowhere/pbmserv'", text)
    done = subprocess.run(["sh", "-c", missing], capture_output=True, check=False)

    assert "/nowhere/pbmserv" in missing
    assert done.returncode == 75


@pytest.mark.skipif(not which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(here: Installation, tmp_path: Path) -> None:
    heads = re.compile(r"^# /etc/systemd/system/(\S+)\n", re.MULTILINE)
    parts = heads.split(recipe(here, "systemd"))
    units = [tmp_path / name for name in parts[1::2]]
    for unit, text in zip(units, parts[2::2], strict=True):
        unit.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, check=False
    )
    told = [line for line in done.stderr.decode().splitlines() if str(tmp_path) in line]

    assert len(units) == 3
    assert (done.returncode, told) == (0, [])


EXIM = """\
domainlist local_domains = example.org
begin routers
{routers}
begin transports
{transports}
begin retry
* * F,2h,15m
"""


@pytest.mark.skipif(not which("exim4") or os.geteuid() != 0, reason="no Exim, or not root")
def test_exim_takes_the_router_and_finds_our_addresses(here: Installation, tmp_path: Path) -> None:
    heads = re.compile(r"^# among the (?:routers|transports).*\n", re.MULTILINE)
    _, routers, transports = heads.split(recipe(here, "exim"))
    transports = transports.partition("#!/bin/sh")[0]
    file = tmp_path / "exim.conf"
    file.write_text(EXIM.format(routers=routers, transports=transports))
    addresses = ["pbmserv@example.org", "pbmserv+TOKEN@example.org", "other@example.org"]
    found = {}
    for address in addresses:
        done = subprocess.run(
            ["exim4", "-C", str(file), "-bt", address], capture_output=True, text=True, check=False
        )
        found[address] = "transport = pbmserv" in done.stdout

    assert found == dict(zip(addresses, (True, True, False), strict=True))

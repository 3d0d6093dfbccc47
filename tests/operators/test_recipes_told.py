"""What ``mail setup`` prints on machines of all kinds, held word for word in ``recipes/``.

``postfix.txt`` is what is pasted into a shell of root on a fresh machine, with HERE for the folder
in which it lies. That of another mail server is how its recipe differs from there, and any other
file how the recipe of another machine differs from that of its mail server on a fresh one.
With ``PBMSERV_TEST_WRITE=1`` these tests write the files anew: read what has changed.
"""

import difflib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from pbmserv.operators import mail_recipes
from pbmserv.operators.recipe_steps import RECIPES
from tests.in_process_shell import Shell

TOLD = Path(__file__).parent / "recipes"
WRITES = bool(os.environ.get("PBMSERV_TEST_WRITE"))
WHOLE = "postfix"
SECRET = "smtp://club:canary-8f3b-word@mail.example.org:587"


class Kind(NamedTuple):
    """A machine: who asks, what is set, and what is there; folders end with a stroke."""

    is_root: bool = True
    environ: tuple[tuple[str, str], ...] = ()
    config: str = ""
    files: tuple[str, ...] = ()
    mail_name: str | None = None
    open_to_all: tuple[str, ...] = ("bin/", "system/")
    origin: str | None = None
    config_at: str = "home/config/pbmserv.toml"
    link: str | None = None
    called: str = "bin/pbmserv"
    python: str = "system/python"


A_FRESH_ONE = Kind()
MACHINES: dict[str, tuple[str, Kind]] = {
    **{server: (server, A_FRESH_ONE) for server in RECIPES},
    "a program that only root can reach": (
        "postfix",
        Kind(
            open_to_all=("system/",),
            mail_name="club.example.net\n",
            origin='{"url": "file:///srv/my%20source"}',
        ),
    ),
    "a program that only root can reach behind a link": ("getmail", Kind(link="bin/pbmserv")),
    "a Python that only root can reach behind a link": (
        "getmail",
        Kind(link="bin/python", python="bin/python"),
    ),
    "a module that Python runs": (
        "getmail",
        Kind(files=("bin/other",), called="bin/other"),
    ),
    "a program that is not where it was called": (
        "getmail",
        Kind(called="pbmserv"),
    ),
    "a program of the index": ("getmail", Kind(open_to_all=("system/",), mail_name="localhost\n")),
    "a program of a version": (
        "getmail",
        Kind(open_to_all=("system/",), origin='{"url": "https://example.org/x.git"}'),
    ),
    "games and keys of root": (
        "exim",
        Kind(files=("home/data/pbmserv.sqlite", "home/data/mail.keys")),
    ),
    "games and keys that root names": (
        "postfix",
        Kind(
            files=("home/data/pbmserv.sqlite", "shut/club.sqlite", "shut/keys"),
            environ=(
                ("PBMSERV_DATABASE_URL", "HERE/shut/club.sqlite"),
                ("PBMSERV_MAIL_KEYS", "HERE/shut/keys"),
                ("PBMSERV_MAIL_ADDRESS", "the.club@example.org"),
            ),
        ),
    ),
    "games and keys where they stay": (
        "opensmtpd",
        Kind(
            files=("open/club.sqlite", "open/keys"),
            environ=(("PBMSERV_CONFIG", "HERE/open/club.toml"),),
            config=(
                "database_url = 'HERE/open/club.sqlite'\nmail_keys = 'HERE/open/keys'\n"
                f"mail_address = 'the.club@example.org'\n"
                f"maildir = 'HERE/open/in/'\nmail_transport = '{SECRET}'\nvacation_days = 20\n"
            ),
            open_to_all=("bin/", "system/", "open/"),
        ),
    ),
    "a settings file that only root can reach": (
        "postfix-pipe",
        Kind(
            environ=(("PBMSERV_CONFIG", "HERE/shut/club.toml"),),
            config=f"mail_log = '/var/log/club'\nmail_transport = '{SECRET}'\n",
        ),
    ),
    "a server set up before": (
        "getmail",
        Kind(config="mail_address = 'club@example.org'\n", config_at="system/etc/pbmserv.toml"),
    ),
    "PostgreSQL": (
        "postfix-lmtp",
        Kind(
            environ=(
                ("PBMSERV_DATABASE_URL", "postgresql://club:canary-8f3b-word@db/games"),
                ("PBMSERV_MAIL_TRANSPORT", SECRET),
            )
        ),
    ),
    "PostgreSQL without a password": (
        "procmail",
        Kind(environ=(("PBMSERV_DATABASE_URL", "postgresql:///games"),)),
    ),
    "a user": ("postfix", Kind(is_root=False, open_to_all=())),
    "a user whose mail goes through a pipe": ("postfix-pipe", Kind(is_root=False)),
    "a user with settings": (
        "getmail",
        Kind(
            is_root=False,
            environ=(("PBMSERV_SITE_URL", "https://example.org/it's"),),
            config=(
                "mail_address = 'games@example.org'\ndatabase_url = 'HERE/shut/club.sqlite'\n"
                "maildir = 'HERE/my mails'\n"
            ),
            files=("home/data/mail.keys",),
        ),
    ),
    "a user with paths that are short": (
        "postfix",
        Kind(
            is_root=False,
            environ=(("PBMSERV_CONFIG", "club.toml"),),
            config="maildir = '~/in'\nmail_keys = 'keys'\n",
        ),
    ),
    "a user who has set all": (
        "postfix",
        Kind(
            is_root=False,
            environ=(("PBMSERV_MAIL_ADDRESS", "alice@example.org"),),
            config=(
                "mail_address = 'alice@example.org'\nmail_transport = 'sendmail:/bin/mail'\n"
                "database_url = 'HERE/home/data/pbmserv.sqlite'\n"
                "mail_keys = 'HERE/home/data/mail.keys'\nmaildir = 'HERE/home/data/Maildir'\n"
            ),
        ),
    ),
}


class Distribution(NamedTuple):
    """Where pip says that the program is from."""

    origin: str | None

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.origin


@pytest.fixture
def here(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder that every user can enter, in /tmp or in one of a name that is asked for."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name).resolve() / getattr(request, "param", "")
        folder.mkdir(exist_ok=True)
        for each in {Path(name), folder}:
            each.chmod(0o755)
        yield folder


@pytest.fixture(params=MACHINES)
def machine(
    request: pytest.FixtureRequest, here: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """A machine of each kind; the name of its file, and the recipe that is asked for."""
    server, kind = MACHINES[request.param]
    files = ("bin/pbmserv", "bin/python", "home/data/", "home/config/", "shut/", "system/")
    for name in (*files, *kind.files):
        path = here / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True) if name.endswith("/") else path.touch()
    for name in kind.open_to_all:
        (here / name).mkdir(exist_ok=True)
        (here / name).chmod(0o755)
    if kind.link:
        (here / kind.link).rename(here / "shut" / "linked")
        (here / kind.link).symlink_to(here / "shut" / "linked")
    for name in [name for name in os.environ if name.startswith("PBMSERV_")]:
        monkeypatch.delenv(name)
    for name, text in kind.environ:
        monkeypatch.setenv(name, text.replace("HERE", str(here)))
    monkeypatch.setenv("HOME", str(here / "home"))
    monkeypatch.chdir(here)
    if kind.config:
        config = Path(os.environ.get("PBMSERV_CONFIG") or kind.config_at)
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(kind.config.replace("HERE", str(here)))
    folder = here / "home" / "config"
    monkeypatch.setattr("pbmserv.settings.config_folder", lambda *_: folder)
    monkeypatch.setattr("pbmserv.settings._config_folder", lambda *_: str(folder))
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: here / "home" / "data")
    if kind.mail_name is not None:
        (here / "mailname").write_text(kind.mail_name)
    monkeypatch.setattr(mail_recipes, "MAIL_NAME", here / mail_recipes.MAIL_NAME.name)
    for name in ("HOME", "CONFIG", "PROGRAM"):
        place = getattr(mail_recipes, name).relative_to("/")
        monkeypatch.setattr(mail_recipes, name, here / "system" / place)
    monkeypatch.setattr(mail_recipes, "distribution", lambda _: Distribution(kind.origin))
    monkeypatch.setattr("os.geteuid", lambda: 0 if kind.is_root else 1000)
    monkeypatch.setattr("pbmserv.operators.mail_recipes.user_name", lambda: "alice")
    monkeypatch.setattr("sys.argv", [kind.called, "mail", "setup", server])
    monkeypatch.setattr("sys.executable", str(here / kind.python))
    return request.param.replace(" ", "-"), server


def changes(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return "".join(f"{line}\n" for line in islice(lines, 2, None))


def changed(old: str, told: str) -> str:
    """Return a text after the changes that are told."""
    lines, longer = old.splitlines(), 0
    for change in re.split("^@@ ", told, flags=re.MULTILINE)[1:]:
        place, *both = change.splitlines()
        gone, come = ([line[1:] for line in both if line[0] == sign] for sign in "-+")
        first = int(re.split("[-, ]", place)[1]) - bool(gone) + longer
        lines[first : first + len(gone)] = come
        longer += len(come) - len(gone)
    return "".join(f"{line}\n" for line in lines)


def kept(name: str) -> str:
    return (TOLD / f"{name}.txt").read_text(encoding="utf-8")


def test_a_recipe_is_for_the_machine_that_it_is_printed_on(
    machine: tuple[str, str], here: Path
) -> None:
    name, server = machine
    recipe = mail_recipes.recipe_for(server).replace(str(here), "HERE")
    told = recipe
    if name != WHOLE:
        fresh = kept(WHOLE)
        if server not in {name, WHOLE}:
            fresh = changed(fresh, kept(server))
        told = changes(fresh, recipe)
    if WRITES:
        (TOLD / f"{name}.txt").write_text(told, encoding="utf-8")

    assert "canary" not in recipe
    assert kept(name) == told


@pytest.mark.parametrize("here", ["my club"], indirect=True)
@pytest.mark.parametrize(
    "machine",
    ["a user", "games and keys of root", "a settings file that only root can reach"],
    indirect=True,
)
def test_a_path_with_a_blank_is_one_word_of_the_shell(machine: tuple[str, str], here: Path) -> None:
    lines = [line for line in mail_recipes.recipe_for(machine[1]).splitlines() if str(here) in line]

    assert lines
    for line in lines:
        assert sum(word.count(str(here)) for word in shlex.split(line)) == line.count(str(here))


def test_a_recipe_is_for_an_address_that_can_carry_tokens(shell: Shell) -> None:
    shell.monkeypatch.setenv("PBMSERV_MAIL_ADDRESS", "an-address-that-is-too-long@example.org")
    done = shell.run("mail setup getmail --json")

    assert (done.code, done.document["error"]["code"]) == (70, "bad-mail-address")


def test_a_recipe_is_printed_as_text_or_in_a_document(shell: Shell) -> None:
    shell.monkeypatch.setattr(mail_recipes, "distribution", lambda _: Distribution(None))
    printed = shell.run("mail setup POSTFIX")
    document = shell.json("mail setup postfix")

    assert (printed.code, printed.err) == (0, "")
    assert document == {"server": "postfix", "recipe": printed.out}
    wrong = shell.run("mail setup sendmail")
    assert wrong.code == 2
    assert "There is no such recipe" in wrong.err
    assert ", ".join(RECIPES) in " ".join(wrong.err.split())

"""``mail setup``: numbered steps for a shell of root, from a mail server to the first game."""

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import distribution
from itertools import filterfalse
from pathlib import Path
from string import Template
from typing import Annotated
from urllib.parse import unquote, urlsplit

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell, user_name
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.slots import slot
from pbmserv.errors import EXIT_DONE, Misunderstood
from pbmserv.mail.tokens import check_base
from pbmserv.operators.recipe_steps import (
    ALIAS,
    CHECK,
    COMMAND,
    GAME,
    LISTEN,
    LMTP,
    MAILDIR,
    PIPE,
    RECEIVE,
    RECIPES,
    SERVICE,
    USER,
)
from pbmserv.settings import CONFIG_VARIABLE, SETTINGS, Value, config_file, default_database, load
from pbmserv.store.files.location import full_path, parse_location

USER_OF_ITS_OWN = "pbmserv"
"""Keeps the games where root asks; else whoever asks does."""

HOME = Path("/var/lib/pbmserv")
CONFIG = Path("/etc/pbmserv.toml")
PROGRAM = Path("/opt/pbmserv")
"""The folders of that user, and of the program if only root can reach it where it is."""

MAIL_NAME = Path("/etc/mailname")
"""Debian's file with the domain of the machine's mail."""


def _parse_server(text: str) -> str:
    if text.lower() not in RECIPES:
        hint = f"Recipes: {', '.join(RECIPES)}."
        raise Misunderstood(
            "There is no such recipe.", code="no-such-recipe", hint=hint, about=text
        )
    return text.lower()


HEADER = re.compile(r"(?m)^ *\[robot_programs\]")
"""A line below which a settings file has programs of robots, and nothing else."""

WITHOUT_HEADER = (
    r"/^ *\[robot_programs\]/,$s/^ *([A-Za-z0-9_-]+|\"[^\"]*\") *=/robot_programs.\1 =/; "
    r"/^ *\[robot_programs\]/d"
)
"""What makes lines of these that may be followed by other settings, for ``sed -E``."""


@command()
def setup(shell: Shell, server: Annotated[str, Word(slot(*RECIPES), _parse_server)]) -> int:
    """Print numbered steps for a root shell, from a mail server to the first game by mail.

    They contain the settings and paths of this machine and can be pasted as they are; nothing is
    written. If root asks, a new user gets the games; otherwise you do.
    """
    recipe = recipe_for(server)
    print_result({"server": server, "recipe": recipe}, recipe.removesuffix("\n"), shell.options)
    return EXIT_DONE


def recipe_for(server: str) -> str:
    """Return the steps, filled in for this machine."""
    way, parts = RECIPES[server]
    machine = Machine(is_maildir=way == MAILDIR, is_pipe=way == PIPE)
    values = machine.words() | {"listen": LISTEN, "server": server}
    values["way"] = f" -lmtp={LISTEN}" if way == LMTP else ""
    values["next_hop"] = "pbmserv:" if way == PIPE else f"lmtp:inet:{LISTEN}"
    own = "".join(part for part in parts if part is not ALIAS or values["local"] != values["user"])
    pipe = [RECEIVE] if way == PIPE else []
    made = [USER, COMMAND, SERVICE, *pipe, own, CHECK, GAME]
    steps = [Template(step).substitute(values) for step in made]
    steps[1:1] = [machine.settings_step()]
    steps[:0] = machine.program_steps()
    numbered = [f"# {number}. {step}" for number, step in enumerate(steps, start=1)]
    intro = (
        f"# pbmserv behind {server}: paste these steps into a root shell, one by one; repeating\n# "
        f"a step does no harm. For another address than {values['address']}:\n#     "
        f"PBMSERV_MAIL_ADDRESS=games@your.domain pbmserv mail setup {server}\n"
    )
    return "\n".join([intro, *numbered])


@dataclass
class Machine:
    """The paths, users and settings of this machine."""

    is_maildir: bool
    is_pipe: bool

    def __post_init__(self) -> None:
        self.is_root = os.geteuid() == 0
        self.user = USER_OF_ITS_OWN if self.is_root else user_name()
        self.home = HOME if self.is_root else full_path(Path("~"))
        self.config = self._kept(os.environ.get(CONFIG_VARIABLE), CONFIG)
        if not self.is_root:
            self.config = config_file().absolute()
        named = {CONFIG_VARIABLE: str(self.config)} if self.config.exists() else {}
        self.values = load({**os.environ, **named})

    def _kept(self, named: str | None, default: Path) -> Path:
        path = Path(named).expanduser().absolute() if named else default
        return path if not self.is_root or _is_reachable(path) else default

    def _path(self, name: str, default: str) -> Path:
        return self._usable(self.values[name].text, default)

    def _usable(self, named: str | None, default: str) -> Path:
        folder = self.home if self.is_root else default_database().parent
        return self._kept(named, folder / default)

    @cached_property
    def address(self) -> str:
        """Our address; without a setting that of the mail domain of this machine."""
        domain = MAIL_NAME.read_text().strip() if MAIL_NAME.exists() else ""
        usual = f"pbmserv@{domain if '.' in domain else 'example.org'}"
        return check_base(self.values["mail_address"].text or usual)

    @cached_property
    def database(self) -> Path | None:
        """The file with the games, or None for PostgreSQL."""
        url = self.values["database_url"].text
        named = str(parse_location(url).path or "") if url else None
        return None if named == "" else self._usable(named, "pbmserv.sqlite")

    @cached_property
    def program(self) -> Path:
        """The program as the user will call it."""
        return PROGRAM / "bin" / "pbmserv" if self._is_hidden() else _this_program()

    def _is_hidden(self) -> bool:
        needed = (_this_program(), _this_program().resolve(), Path(sys.executable).resolve())
        return self.is_root and not all(map(_is_reachable, needed))

    def program_steps(self) -> Iterator[str]:
        """Yield how the program gets to where the user can reach it, if it must."""
        if self._is_hidden():
            yield (
                "Install the program where every user can run it, and a compiler for it on Debian\n"
                "apt-get install -y python3-venv python3-dev gcc ||\n"
                "    echo 'Without a C compiler and the headers of Python the computer is'"
                " 'about 30 times slower.'\n"
                f"python3 -m venv {PROGRAM}\n"
                f"{_installed_by(f'{PROGRAM}/bin/pip')}"
            )

    def words(self) -> dict[str, str]:
        """Return what is filled in."""
        local, _, domain = self.address.rpartition("@")
        folder = self.database.parent if self.database else self.home
        is_own = self.user == USER_OF_ITS_OWN
        set_here = [name for row in SETTINGS for name in row.variables if name in os.environ]
        return {
            "address": self.address,
            "local": local,
            "domain": domain,
            "local_regex": local.replace(".", "[.]"),
            "domain_regex": domain.replace(".", "[.]"),
            "user": self.user,
            "home": shlex.quote(str(self.home)),
            "folder": shlex.quote(str(folder)),
            "config": shlex.quote(str(self.config)),
            "program": shlex.quote(str(self.program)),
            "maildir": str(self._path("maildir", "Maildir")).rstrip("/"),
            "alias": self.user if is_own or not self.is_maildir else f"{self.user}+pbmserv",
            "forward": ".forward" if is_own else ".forward+pbmserv",
            "unset": f"unset {' '.join(set_here)}\n" if set_here else "",
            "brought": "".join(self._brought()),
            "hidden": "yes" if is_own else "read-only",
            "written": " ".join(self._written()),
        }

    def _written(self) -> list[str]:
        """Return the folders in which the service writes, as a unit names them."""
        wanted = self._wanted()
        named = ("database_url", "mail_keys", "maildir", "mail_log", "shell_log")
        files = [Path(wanted[name]) for name in named if wanted.get(name, "").startswith("/")]
        folders = dict.fromkeys([self.home, *(file.parent for file in files)])
        if folder := wanted.get("backup_folder"):
            folders[Path(folder)] = None
        if wanted["mail_transport"].startswith("maildir:"):
            folders[Path(wanted["mail_transport"].removeprefix("maildir:"))] = None
        quoted = (json.dumps(str(folder)).replace("%", "%%") for folder in folders)
        return [f'"-{text[1:]}' for text in quoted]

    def _brought(self) -> Iterator[str]:
        """Yield how the games and keys of root come to the user, if there are any."""
        named = self.values["database_url"].text
        old = default_database() if named is None else parse_location(named).path
        new = self.database
        if new is not None and old is not None and old != new and old.exists():
            here, there = shlex.quote(str(new)), shlex.quote(str(old))
            program = shlex.quote(str(_this_program()))
            yield f"[ -e {here} ] || {program} backup --database={there} {here}\n"
            yield f"chown {self.user}: {here}\n"
        text = self.values["mail_keys"].text
        keys = Path(text) if text else default_database().with_name("mail.keys")
        target = self._path("mail_keys", "mail.keys")
        if keys != target and keys.exists():
            here, there = shlex.quote(str(target)), shlex.quote(str(keys))
            yield f"[ -e {here} ] || install -m 600 -o {self.user} {there} {here}\n"

    def _wanted(self) -> dict[str, str]:
        """Return the settings that the service needs, and all others that are set."""
        wanted = {name: row.text for name, row in self.values.items() if row.origin != "default"}
        wanted["mail_address"] = self.address
        # The service may gain no rights, and so cannot use a program that does.
        if (wanted.get("mail_transport") or "sendmail:").startswith("sendmail:"):
            wanted["mail_transport"] = "smtp://127.0.0.1:25"
        if self.database is not None:
            wanted["database_url"] = str(self.database)
        wanted["mail_keys"] = str(self._path("mail_keys", "mail.keys"))
        if self.is_maildir:
            wanted["maildir"] = str(self._path("maildir", "Maildir"))
        if self.is_pipe:
            wanted.setdefault("mail_log", "syslog:")
        return {name: text for name, text in wanted.items() if text is not None}

    def settings_step(self) -> str:
        """Return how the settings come into their file; what is there already stays as it is."""
        config = shlex.quote(str(self.config))
        lines = [f"Write the settings, readable by {self.user} only"]
        kept = load({CONFIG_VARIABLE: str(self.config)}) if self.config.exists() else {}
        wanted = self._wanted()
        new = [n for n, text in wanted.items() if n not in kept or kept[n].text != text]
        secret = [name for name in new if _has_password(self.values[name])]
        if not new:
            lines.append(f"# All of them are already in {config}.")
        elif kept:
            if HEADER.search(self.config.read_text(encoding="utf-8")):
                lines.append(f"sed -i -E '{WITHOUT_HEADER}' {config}")
            names = "|".join(name for each in new for name in self.values[each].setting.names)
            lines.append(f"sed -i -E '/^({names}) *=/d' {config}")
        else:
            lines.append(f"install -m 600 -o {self.user} /dev/null {config}")
        if new:
            lines.append(f"cat >> {config} <<'END'")
            for name in filterfalse(secret.__contains__, new):
                lines += self._lines_of(name, wanted[name])
            lines += ["END", *(self._secret_line(name) for name in secret)]
        return "".join(f"{line}\n" for line in lines)

    def _lines_of(self, name: str, text: str) -> Iterator[str]:
        """Yield the lines of a setting in a settings file, one for each entry of a table."""
        rows = {name: text}
        if self.values[name].setting.is_table:
            rows = {f"{name}.{json.dumps(key)}": value for key, value in json.loads(text).items()}
        for key, value in rows.items():
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"

    def _secret_line(self, name: str) -> str:
        value, config = self.values[name], shlex.quote(str(self.config))
        if value.key == value.origin:
            return f'printf "%s = \'%s\'\\n" {name} "${{{value.key}:?}}" >> {config}'
        found = f"s/^{value.key} *=/{name} =/p"
        if value.setting.is_table:  # its header goes to the end, for nothing comes after it
            found = f"/^{name} *[.=]/p; /^ *\\[{name}\\]/,$p"
        return f"sed -n '{found}' {shlex.quote(value.origin)} >> {config}"


def _has_password(value: Value) -> bool:
    return value.setting.is_secret and "@" in (value.text or "")


def _is_reachable(path: Path) -> bool:
    return all(not folder.exists() or folder.stat().st_mode & 0o001 for folder in path.parents)


def _this_program() -> Path:
    called = Path(sys.argv[0])
    is_it = called.name == "pbmserv" and called.exists()
    return called.absolute() if is_it else Path(sys.executable).with_name("pbmserv")


def _installed_by(pip: str) -> str:
    """Return the lines that install this program: from a folder, with the libraries it lists."""
    source = _source()
    listed = Path(source, ".github", "requirements.txt")
    if not listed.exists():
        return f"{pip} install {shlex.quote(source)}\n"
    return (
        f"{pip} install --require-hashes -r {shlex.quote(str(listed))}\n"
        f"{pip} install --no-deps --no-build-isolation {shlex.quote(source)}\n"
    )


def _source() -> str:
    """Return what pip installs to get this program once more: a folder, or its name."""
    text = distribution("pbmserv").read_text("direct_url.json")
    url = urlsplit(json.loads(text)["url"]) if text else None
    return unquote(url.path) if url is not None and url.scheme == "file" else "pbmserv"

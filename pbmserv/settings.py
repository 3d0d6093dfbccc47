"""Every setting in one table: from the environment, else from a TOML file, else a default.

The environment variable of a setting is its name in capitals behind ``PBMSERV_``; the file is
the one named by ``PBMSERV_CONFIG`` or ``pbmserv.toml`` in the platform's configuration folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pbmserv.errors import Fault, Missing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path  # slow to import, and most commands find no settings file
    from typing import TextIO

PLATFORM: str = sys.platform
CONFIG_VARIABLE = "PBMSERV_CONFIG"
CREDENTIALS_VARIABLE = "CREDENTIALS_DIRECTORY"
"""What names the folder of the secrets that systemd has read for a service."""

PREFIX = "PBMSERV_"
"""What stands before the name of a setting in the environment."""

WEB_ADDRESS = (
    r"(?ai)https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?"
    r"(/[a-z0-9/._~!$&()*+,;=:@%-]*)?"
)
"""Scheme, host, perhaps a port and a folder: no name or password, which everybody would read."""

FORMER = {
    "mail_transport": "mail_out",
    "mail_authserv_id": "mail_server",
    "mail_require_dmarc": "mail_dmarc",
    "operator_address": "mail_operator",
    "club_tagline": "club_sentence",
    "max_robot_boards": "robot_boards",
}
"""Former names of settings, which files and environments may still use."""

A_PROGRAM = 'It is written as in {}.ada = ["/usr/games/ada", "--gtp"].'

CLUB = "Star Club"
"""The club that has no other name."""

SENTENCE = "Six connection games: a move a day, or ten, in a browser, by mail or in a terminal."
"""What a club that says nothing else greets visitors with."""


class Parser(NamedTuple):
    """The parser of a setting: its kind, how it is written, and a function that may return None."""

    what: str
    hint: str
    read: Callable[[str], Any]


def whole(low: int, high: int, what: str) -> Parser:
    """Return what reads a whole number between these limits, of ``what``."""

    def read(text: str) -> int | None:
        is_number = text.isascii() and text.isdigit() and len(text) < 9
        return int(text) if is_number and low <= int(text) <= high else None

    return Parser(f"a number of {what}", f"It is a whole number from {low} to {high}.", read)


def one_line(most: int, what: str, default: str = "", without: str = "\n") -> Parser:
    """Return a parser for a line of at most this many characters."""

    def read(text: str) -> str | None:
        found = text.strip() or default
        is_line = len(found) <= most and found.isprintable() and without not in found
        return found if is_line else None

    return Parser(what, f"It is one line of at most {most} letters, digits and signs.", read)


def _site(text: str) -> str | None:
    """Return the address with a slash at its end."""
    if re.fullmatch(WEB_ADDRESS, text):
        return f"{text.rstrip('/')}/"
    return None if text else ""


def _place(text: str) -> str | None:
    """Return where to listen, "" for nowhere."""
    port = re.fullmatch(r"(?a)(?:[A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})", text)
    is_place = port is not None and int(port[1]) < 1 << 16
    return text if is_place or text == "" or text[0] == "/" else None


def _networks(text: str) -> tuple[Any, ...] | None:
    """Return addresses and networks, each as a network."""
    from ipaddress import ip_network

    try:
        return tuple(ip_network(word) for word in text.replace(",", " ").split())
    except ValueError:
        return None


SWITCH = Parser("on or off", "", lambda text: {"on": True, "off": False}.get(text.lower()))


def _programs(text: str) -> dict[str, list[str]] | None:
    """Return the arguments of each robot's program, by userid in lower case."""
    import json

    found = {userid.lower(): words for userid, words in json.loads(text or "{}").items()}
    return found if all(os.path.isabs(words[0]) for words in found.values()) else None


SITE = Parser("the address of a web site", "It is written as https://example.org/club/.", _site)


class Setting(NamedTuple):
    """One row of the table: ``default`` is None where the value is worked out when needed.

    Or it is that of another setting, ``otherwise``. No variable sets what ``is_in_file_alone``.
    What ``is_table`` is a table of lists of texts, kept as JSON.
    """

    name: str
    meaning: str
    default: str | None = None
    read: Parser | None = None
    is_secret: bool = False
    is_in_file_alone: bool = False
    is_table: bool = False
    otherwise: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and its former one if it has been renamed."""
        return (self.name, FORMER[self.name]) if self.name in FORMER else (self.name,)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it, one for each name; none if only the file may."""
        names = () if self.is_in_file_alone else self.names
        return tuple(f"{PREFIX}{name.upper()}" for name in names)

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"{PREFIX}{self.name.upper()}"


SETTINGS = (
    Setting(
        "database_url",
        "where games are stored: a file name, sqlite:///FILE or postgresql+psycopg://...; by "
        "default pbmserv.sqlite in the platform's data folder",
        is_secret=True,  # it may hold the database's password
    ),
    Setting(
        "backup_folder",
        "the folder into which serve writes backups of the database, a new or empty one at first",
    ),
    Setting(
        "backup_minutes",
        "minutes from one of these backups to the next",
        "60",
        whole(5, 1440, "minutes"),
    ),
    Setting(
        "games",
        "a Python module with games of the club's own, in the settings file only",
        is_in_file_alone=True,  # what a visitor may set must not name a program
    ),
    Setting(
        "site_url",
        "the address of the club's web site, such as https://example.org/club/; by default that of "
        "web_url",
        read=SITE,
        otherwise="web_url",
    ),
    Setting(
        "archive_url",
        "the address of the folder that pbmserv archive fills, such as "
        "https://example.org/games/; the web site links it",
        read=SITE,
    ),
    Setting(
        "web",
        "where serve listens for browsers: HOST:PORT, such as 127.0.0.1:8170, or the /path of a "
        "Unix socket",
        read=Parser(
            "an address to listen at",
            "It is written as 127.0.0.1:8170, or as the /path of a Unix socket.",
            _place,
        ),
    ),
    Setting(
        "web_url",
        "the address at which browsers reach the club, such as https://club.example.org/; needed "
        "unless only this machine does",
        read=SITE,
    ),
    Setting("web_guests", "on: visitors without an account may play the computer", "on", SWITCH),
    Setting(
        "web_signup",
        "open: visitors may open accounts in a browser",
        "closed",
        Parser(
            "open or closed", "", lambda text: {"open": True, "closed": False}.get(text.lower())
        ),
    ),
    Setting(
        "web_proxy",
        "the addresses or networks of your own web servers, whose X-Forwarded-For is trusted; a "
        "Unix socket always is",
        "127.0.0.0/8 ::1",
        Parser("addresses and networks", "They are written as 127.0.0.1 192.0.2.0/24.", _networks),
    ),
    Setting("mail_address", "this server's mail address, such as pbmserv@example.org"),
    Setting(
        "mail_transport",
        "how mail is sent, such as smtp://USER:PASSWORD@HOST:PORT or sendmail:/usr/sbin/sendmail; "
        "help admin lists every way",
        is_secret=True,  # it may hold the mail server's password
    ),
    Setting("maildir", "the Maildir into which the mail server delivers"),
    Setting(
        "mail_keys",
        "the file with the keys that sign reply addresses, created when needed; by default "
        "mail.keys in the platform's data folder",
    ),
    Setting(
        "mail_authserv_id",
        "your mail server's authserv-id: its name in Authentication-Results and Received headers; "
        "if set, its verdict about senders is trusted",
    ),
    Setting("mail_require_dmarc", "the same name; if set, mail that fails DMARC is dropped"),
    Setting("mail_log", "where mail receive logs each mail: the name of a file, or syslog:"),
    Setting(
        "shell_log",
        "where each command of a shell, batch or gate is logged: the name of a file, or syslog:",
    ),
    Setting(
        "log_format",
        "text or json: what each line of these logs is, and of those of serve",
        "text",
        Parser("text or json", "", lambda text: text if text in {"text", "json"} else None),
    ),
    Setting(
        "club_name",
        "the club's name on its web site, and beside an opponent's name in the sender of mail",
        CLUB,
        one_line(60, "a name", CLUB, without="=?"),
    ),
    Setting(
        "club_tagline",
        "the sentence below the club's name on the home page",
        SENTENCE,
        one_line(200, "a sentence"),
    ),
    Setting(
        "unsubscribe_url",
        "a page that unsubscribes on a POST, such as https://example.org/unsubscribe; see help "
        "gateway",
        read=Parser(
            "an https address",
            "It is written as https://example.org/unsubscribe, without ? and #.",
            lambda text: text if not text or (text.startswith("https:") and _site(text)) else None,
        ),
    ),
    Setting("operator_address", "the operator's address, for warnings about mail and help report"),
    Setting(
        "mail_analysis",
        "on: the mail that ends a game shows its turning points; takes some seconds per game",
        "off",
        SWITCH,
    ),
    Setting(
        "vacation_days",
        "days of vacation that a player has in a calendar year",
        "30",
        whole(0, 366, "days"),
    ),
    Setting(
        "max_robot_boards",
        "running boards against robots that a player may have",
        "10",
        whole(0, 9999, "boards"),
    ),
    Setting(
        "robot_programs",
        "the programs that play for robots, each a list of arguments under the robot's userid, in "
        "the settings file only",
        read=Parser("programs with full paths", A_PROGRAM.format("robot_programs"), _programs),
        is_secret=True,  # an argument may be one
        is_in_file_alone=True,
        is_table=True,
    ),
    Setting(
        "robot_seconds",
        "seconds that such a program may think about a move",
        "30",
        whole(1, 120, "seconds"),
    ),
    Setting(
        "robot_megabytes",
        "megabytes of memory that such a program may use",
        "1024",
        whole(64, 99_999, "megabytes"),
    ),
)

ROWS = {name: row for row in SETTINGS for name in row.names}
"""The same by name, former ones too."""


class Value(NamedTuple):
    """The value of a setting and where it comes from; ``key`` is the name that it has there."""

    setting: Setting
    text: str | None
    origin: str
    key: str = ""

    @property
    def is_renamed(self) -> bool:
        """Whether it is set under its former name."""
        return self.key.removeprefix(PREFIX).lower() in self.setting.names[1:]


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the settings file, whether it exists or not."""
    return _path(_config_file(environ))


def _config_file(environ: Mapping[str, str]) -> str:
    return environ.get(CONFIG_VARIABLE) or os.path.join(_config_folder(environ), "pbmserv.toml")


def config_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the platform's folder for what is configured by one user; raises :class:`Missing`."""
    folder = _config_folder(environ)
    if folder.startswith("~"):
        raise no_home("XDG_CONFIG_HOME")
    return _path(folder)


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)


def _config_folder(environ: Mapping[str, str]) -> str:
    if PLATFORM == "linux":
        # What platformdirs would say, and every command that changes something asks for it.
        base = environ.get("XDG_CONFIG_HOME", "").strip() or "~/.config"
        return os.path.join(os.path.expanduser(base), "pbmserv")
    import platformdirs

    return platformdirs.user_config_dir("pbmserv", appauthor=False)


def load(environ: Mapping[str, str] = os.environ) -> dict[str, Value]:
    """Return every setting by name; raises :class:`Fault` for a broken settings file."""
    table, values = _read_file(environ), {}
    for row in SETTINGS:
        variable = next((name for name in row.variables if name in environ), "")
        key = variable or next((name for name in row.names if name in table), "")
        origin = variable or (_config_file(environ) if key else "default")
        values[row.name] = Value(row, find(row.name, environ), origin, key)
    return values


def database_url(environ: Mapping[str, str] = os.environ) -> str:
    """Return the URL of the database that the settings name, or the default file's."""
    return find("database_url", environ) or str(default_database())


def find(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the text of one setting; the file is read only if the environment has none."""
    named, row = environ.get(CONFIG_VARIABLE), ROWS[name]
    if named and not os.path.exists(named):
        raise Missing(
            f"There is no settings file {named}.",
            code="no-settings-file",
            hint=f"Create it, or correct {CONFIG_VARIABLE}, which names it.",
        )
    for key in (name, FORMER.get(name, name)):
        set_here = environ.get(f"{PREFIX}{key.upper()}")
        if set_here is not None and not row.is_in_file_alone:
            return set_here
    held = environ.get(CREDENTIALS_VARIABLE) if row.is_secret and not row.is_table else None
    if held and os.path.exists(file := os.path.join(held, row.name)):
        return _credential(file)
    table = _read_file(environ)
    text = table.get(name, table.get(FORMER.get(name, name), row.default))
    return find(row.otherwise, environ) if text is None and row.otherwise else text


def _credential(file: str) -> str:
    try:
        with open_at_once(file, "utf-8") as opened:
            return opened.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(f"The credential {file} cannot be read.") from error


def value(name: str, environ: Mapping[str, str] = os.environ) -> Any:
    """Return what one setting is, as its row reads it; raises :class:`Fault` for what is wrong."""
    text, row = find(name, environ), ROWS[name]
    if row.read is None:
        return text
    found = row.read.read(text or "")
    if found is None:
        raise _bad(f"The setting {name} is not {row.read.what}.", row.read.hint)
    return found


def required(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the value of a setting that has no default; raises :class:`Fault` if it is not set."""
    text = find(name, environ)
    if not text:
        row = ROWS[name]
        raise Fault(
            f"The setting {name} is missing: {row.meaning}.",
            code="no-setting",
            hint=f"Set {row.variable}, or {name} in {config_file(environ)}.",
        )
    return text


def default_database() -> Path:
    """Return the file in the platform's data folder that holds the games unless told otherwise."""
    return _at_home("pbmserv.sqlite", "PBMSERV_DATABASE_URL")


def mail_keys(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the signing keys that the settings name, or the default one."""
    named = find("mail_keys", environ)
    return _path(named) if named else _at_home("mail.keys", "PBMSERV_MAIL_KEYS")


def _at_home(name: str, variable: str) -> Path:
    found = data_file(name)
    if found is None:
        raise no_home(variable)
    return found


def no_home(variable: str) -> Missing:
    """Return the error for a user without a home folder, who can set ``variable`` as well."""
    message, hint = "This user has no home folder.", f"Set HOME, or {variable}."
    return Missing(message, code="no-home", hint=hint)


def data_file(name: str) -> Path | None:
    """Return the file of this name in the data folder; None for a user without a home."""
    import platformdirs

    try:
        folder = platformdirs.user_data_path("pbmserv", appauthor=False)
    except RuntimeError:  # some versions; others return the tilde as it stands
        return None
    return folder / name if folder.is_absolute() else None


def _read_file(environ: Mapping[str, str]) -> Mapping[str, str]:
    name = _config_file(environ)
    is_homeless = name.startswith("~") and not environ.get(CONFIG_VARIABLE)
    if is_homeless or not os.path.lexists(name):
        return {}
    try:
        with open_at_once(name, "utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        why = f": {error.strerror}" if isinstance(error, OSError) else ""
        raise _bad(f"The settings file {name} cannot be read{why}.") from error
    return _read(text, name)


def open_at_once(path: Path | str, encoding: str) -> TextIO:
    """Open a file to read it; raises OSError for a pipe or a device, which may never end."""
    waits_not = getattr(os, "O_NONBLOCK", 0)
    file = open(  # noqa: SIM115
        path, encoding=encoding, opener=lambda name, flags: os.open(name, flags | waits_not)
    )
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) and str(path) != os.devnull:
        file.close()
        raise OSError(errno.EINVAL, "It is not a file", str(path))
    return file


@lru_cache(maxsize=8)
def _read(text: str, path: str) -> Mapping[str, str]:
    import json
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(f"The settings file {path} is not valid TOML: {error}") from error
    for name, value in table.items():
        _require_value(path, name, value)
        if FORMER.get(name) in table:
            message = f"The settings file {path} sets both {FORMER[name]} and {name}."
            raise _bad(message, f"Remove {FORMER[name]}: {name} replaces it.")
    return {
        name: json.dumps(value) if isinstance(value, dict) else str(value)
        for name, value in table.items()
    }


def _require_value(path: str, name: str, value: object) -> None:
    row = ROWS.get(name)
    if row is None:
        message = f"The settings file {path} has an entry that is not a setting: {name}"
        raise _bad(message, f"Settings: {', '.join(sorted(row.name for row in SETTINGS))}.")
    if row.is_table:
        if not isinstance(value, dict) or not all(map(_is_command, value.values())):
            message = f"The settings file {path} has no table of commands for: {name}"
            raise _bad(message, A_PROGRAM.format(name))
        return
    # A number may stand without quotes; to Python the words true and false are numbers too.
    if not isinstance(value, str) and not (type(value) is int and str(row.default).isdigit()):
        message = f"The settings file {path} has a value that is not text: {name}"
        raise _bad(message, f'It is written in quotes, as in {name} = "...".')


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def _bad(message: str, hint: str = "") -> Fault:
    return Fault(message, code="bad-settings", hint=hint)

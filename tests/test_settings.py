"""Settings from a file: which values it may hold, and what is said of all others."""

import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pbmserv.errors import Fault, Missing
from pbmserv.settings import (
    FORMER,
    SENTENCE,
    SETTINGS,
    Setting,
    config_file,
    config_folder,
    database_url,
    find,
    load,
    mail_keys,
    open_at_once,
    required,
    value,
)


def environ_of(folder: Path, text: str) -> dict[str, str]:
    """Return an environment that names a settings file with this text, and nothing else."""
    file = folder / "pbmserv.toml"
    file.write_text(text)
    return {"PBMSERV_CONFIG": str(file)}


@pytest.mark.parametrize("written", ["3", "1.5", "true", "[]", "{}", "2026-11-20"])
@pytest.mark.parametrize("name", ["database_url", "maildir"])
def test_a_value_that_is_no_text_is_refused(tmp_path: Path, name: str, written: str) -> None:
    environ = environ_of(tmp_path, f"{name} = {written}\n")
    with pytest.raises(Fault) as caught:
        load(environ)

    assert caught.value.code == "bad-settings"
    assert caught.value.message == (
        f"The settings file {environ['PBMSERV_CONFIG']} has a value that is not text: {name}"
    )
    assert caught.value.advice == f'It is written in quotes, as in {name} = "...".'


@pytest.mark.parametrize("written", ["20", '"20"'])
def test_a_number_of_days_needs_no_quotes(tmp_path: Path, written: str) -> None:
    assert find("vacation_days", environ_of(tmp_path, f"vacation_days = {written}\n")) == "20"


@pytest.mark.parametrize("written", ["367", "-1", "a week", "", "\u0663"])
def test_days_of_vacation_are_a_number_that_a_year_has(written: str) -> None:
    with pytest.raises(Fault, match="vacation_days"):
        value("vacation_days", {"PBMSERV_VACATION_DAYS": written})


def test_an_entry_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="an entry that is not a setting: vacations") as caught:
        load(environ_of(tmp_path, "vacations = 20\n"))

    assert caught.value.code == "bad-settings"


def test_an_analysis_in_letters_is_on_or_off() -> None:
    assert [False, True] == [
        value("mail_analysis", {"PBMSERV_MAIL_ANALYSIS": word}) for word in ("off", "On")
    ]
    with pytest.raises(Fault, match="is not on or off"):
        value("mail_analysis", {"PBMSERV_MAIL_ANALYSIS": "yes"})


@pytest.mark.parametrize(
    "text",
    [
        *("https://example.org/club/", "http://localhost:8000", "HTTPS://Example.org/a/b%20c"),
        *("http://[::1]:8080/", "https://xn--kse-qla.example/~club"),
    ],
)
def test_a_site_is_served_at_a_web_address(text: str) -> None:
    assert value("site_url", {"PBMSERV_SITE_URL": text}) == f"{text.rstrip('/')}/"


@pytest.mark.parametrize(
    "text",
    [
        *("javascript:alert(1)", "data:text/html,hello", "file:///srv/www", "ftp://example.org/"),
        *("example.org/club", "//example.org", "/club/", "https://", "https:///club", "https:club"),
        *("https://exa mple.org/", "https://example.org/my club", ' https://example.org"', "'"),
        *('https://example.org/"onload=', "https://example.org/<b>", "https://example.org/\n"),
        *("https://me:secret@example.org/", "https://example.org/?a=b", "https://example.org/#top"),
        *("https://example.org\\@evil.org/", "https://-.org/", "https://example.org:port/"),
    ],
)
def test_what_is_no_web_address_is_refused_as_the_site(text: str) -> None:
    with pytest.raises(Fault, match="site_url is not the address of a web site") as caught:
        value("site_url", {"PBMSERV_SITE_URL": text})

    assert caught.value.code == "bad-settings"


@pytest.fixture(params=["pipe", "socket", "folder", "device"])
def no_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Something under the name of a file that would not end, or is none."""
    path = tmp_path / "x"
    match request.param:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as ours:
                ours.bind(str(path))
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
    return path


def test_what_is_no_file_is_refused_at_once_where_a_file_is_read(no_file: Path) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - each of them is another one
        open_at_once(no_file, "utf-8")


def test_what_is_no_file_holds_no_settings(no_file: Path) -> None:
    with pytest.raises(Fault, match=f"The settings file {no_file} cannot be read: ") as caught:
        load({"PBMSERV_CONFIG": str(no_file)})

    assert caught.value.code == "bad-settings"


def test_the_null_device_is_a_file_without_settings() -> None:
    assert find("mail_analysis", {"PBMSERV_CONFIG": os.devnull}) == "off"


@pytest.mark.parametrize("text", ["a\nb", "=?utf-8?q?x?=", "x" * 61, "a\x00", "\u202eclub"])
def test_the_name_of_the_club_fits_a_header(text: str) -> None:
    with pytest.raises(Fault) as caught:
        value("club_name", {"PBMSERV_CLUB_NAME": text})

    assert caught.value.code == "bad-settings"
    assert value("club_name", {"PBMSERV_CLUB_NAME": "Étoile"}) == "Étoile"
    assert value("club_name", {"PBMSERV_CLUB_NAME": " "}) == "Star Club"


@pytest.mark.parametrize("text", ["a\nb", "x" * 201, "\u202eclub"])
def test_the_sentence_of_the_club_is_one(text: str) -> None:
    with pytest.raises(Fault) as caught:
        value("club_tagline", {"PBMSERV_CLUB_TAGLINE": text})

    assert caught.value.code == "bad-settings"
    assert value("club_tagline", {"PBMSERV_CLUB_TAGLINE": " Willkommen. "}) == "Willkommen."


@pytest.mark.parametrize(
    "text",
    ["http://x.org/", "javascript:x", "https://", "https://x.org/a b", "https://x/>, <y", "x"],
)
def test_only_an_https_page_unsubscribes_with_one_click(text: str) -> None:
    with pytest.raises(Fault) as caught:
        value("unsubscribe_url", {"PBMSERV_UNSUBSCRIBE_URL": text})

    assert caught.value.code == "bad-settings"
    assert (
        value("unsubscribe_url", {"PBMSERV_UNSUBSCRIBE_URL": "https://x.org/a"})
        == "https://x.org/a"
    )


LIMITS = {
    "backup_minutes": (5, 60, 1440),
    "vacation_days": (0, 30, 366),
    "max_robot_boards": (0, 10, 9999),
    "robot_seconds": (1, 30, 120),
    "robot_megabytes": (64, 1024, 99_999),
}
"""The least of each number, what it is by default, and the most."""


@pytest.mark.parametrize("name", LIMITS)
def test_a_number_has_a_default_between_its_least_and_its_most(name: str) -> None:
    least, usual, most = LIMITS[name]
    variable = f"PBMSERV_{name.upper()}"

    assert value(name, {"PBMSERV_CONFIG": os.devnull}) == usual
    assert [value(name, {variable: str(each)}) for each in (least, most)] == [least, most]
    for wrong in (least - 1, most + 1, f"{usual}.0", f"+{usual}", f"{usual}e0", "0" * 8 + "70"):
        with pytest.raises(Fault, match=f"The setting {name} is not a number of ") as caught:
            value(name, {variable: str(wrong)})

        assert caught.value.advice == f"It is a whole number from {least} to {most}."


DEFAULTS = {
    "web_guests": "on",
    "web_signup": "closed",
    "web_proxy": "127.0.0.0/8 ::1",
    "club_name": "Star Club",
    "club_tagline": SENTENCE,
    "mail_analysis": "off",
    "log_format": "text",
    **{name: str(usual) for name, (_, usual, _) in LIMITS.items()},
}


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_the_environment_goes_before_the_file_and_the_file_before_the_default(
    tmp_path: Path, row: Setting
) -> None:
    here = 'robot = ["/bin/true"]' if row.is_table else '"by file"'
    written = '{"robot": ["/bin/true"]}' if row.is_table else "by file"
    file = environ_of(tmp_path, f"[{row.name}]\n{here}" if row.is_table else f"{row.name} = {here}")
    ways = {
        "default": ({"PBMSERV_CONFIG": os.devnull}, DEFAULTS.get(row.name)),
        file["PBMSERV_CONFIG"]: (file, written),
        row.variable: ({**file, row.variable: "by name"}, "by name"),
    }
    if row.is_in_file_alone:
        ways.pop(row.variable)
        file[row.variable] = "by name"
    for origin, (environ, text) in ways.items():
        found = load(environ)[row.name]

        assert (found.text, found.origin) == (text, origin)
        assert find(row.name, environ) == text
    empty = written if row.is_in_file_alone else ""
    assert find(row.name, {**file, row.variable: ""}) == empty
    assert load({**file, row.variable: ""})[row.name].text == empty
    assert row.variable == f"PBMSERV_{row.name.upper()}"


def test_what_may_hold_a_secret_is_marked() -> None:
    assert {row.name for row in SETTINGS if row.is_secret} == {
        "database_url",
        "mail_transport",
        "robot_programs",
    }


def test_a_setting_that_is_needed_and_missing_is_named_with_both_places(tmp_path: Path) -> None:
    environ = environ_of(tmp_path, 'maildir = "in"\nmail_out = ""\n')

    assert required("maildir", environ) == "in"
    for name in ("mail_transport", "mail_address"):
        with pytest.raises(Fault, match=f"The setting {name} is missing: ") as caught:
            required(name, environ)

        assert caught.value.code == "no-setting"
        assert caught.value.advice == (
            f"Set PBMSERV_{name.upper()}, or {name} in {environ['PBMSERV_CONFIG']}."
        )


def test_a_robot_is_known_in_lower_case_and_its_program_by_its_whole_path(tmp_path: Path) -> None:
    environ = environ_of(
        tmp_path, '[robot_programs]\nAda = ["/bin/Ada", "-X"]\nbob = ["/bin/bob"]\n'
    )

    assert value("robot_programs", environ) == {"ada": ["/bin/Ada", "-X"], "bob": ["/bin/bob"]}
    for programs in ('ada = ["/bin/ada"]\nbob = ["bob"]', 'bob = ["./bob"]'):
        with pytest.raises(Fault, match="not programs with full paths") as caught:
            value("robot_programs", environ_of(tmp_path, f"[robot_programs]\n{programs}\n"))

        assert caught.value.code == "bad-settings"
    for programs in ('ada = "/bin/ada"', "ada = []", 'ada = ["/bin/ada", 1]', "ada = {}"):
        with pytest.raises(Fault, match="has no table of commands for: robot_programs"):
            value("robot_programs", environ_of(tmp_path, f"[robot_programs]\n{programs}\n"))
    assert value("robot_programs", {"PBMSERV_CONFIG": os.devnull}) == {}


@pytest.mark.parametrize("written", ["true", "1.0", "[20]"])
@pytest.mark.parametrize("name", LIMITS)
def test_what_python_takes_for_a_number_is_none(tmp_path: Path, name: str, written: str) -> None:
    with pytest.raises(Fault, match=f"has a value that is not text: {name}"):
        load(environ_of(tmp_path, f"{name} = {written}\n"))


def test_a_settings_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    environ = {"PBMSERV_CONFIG": str(tmp_path / "none.toml"), "PBMSERV_CLUB_NAME": "Club"}
    names = ("club_name", "robot_programs", "site_url")
    asks: list[Callable[..., object]] = [load, mail_keys, *(partial(value, n) for n in names)]
    for ask in asks:
        with pytest.raises(Missing, match=r"There is no settings file .*none\.toml\.") as caught:
            ask(environ)

        assert caught.value.code == "no-settings-file"
    (tmp_path / "none.toml").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Missing):
        load(environ)


def test_without_a_name_the_file_is_in_the_folder_of_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbmserv.settings.PLATFORM", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    usual = tmp_path / ".config" / "pbmserv"
    other = tmp_path / "other" / "pbmserv"
    for environ, folder in (
        ({}, usual),
        ({"XDG_CONFIG_HOME": " "}, usual),
        ({"XDG_CONFIG_HOME": f" {tmp_path / 'other'}"}, other),
    ):
        assert config_folder(environ) == folder
        assert config_file(environ) == folder / "pbmserv.toml"
        assert config_file({**environ, "PBMSERV_CONFIG": ""}) == folder / "pbmserv.toml"
        assert config_file({**environ, "PBMSERV_CONFIG": "a.toml"}) == Path("a.toml")
        assert find("club_name", environ) == "Star Club"
    other.mkdir(parents=True)
    (other / "pbmserv.toml").write_text('club_name = "Here"\n')

    assert value("club_name", {"XDG_CONFIG_HOME": str(tmp_path / "other")}) == "Here"
    assert value("club_name", {}) == "Star Club"


def test_where_folders_may_have_an_authors_name_ours_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def folder(name: str, *, appauthor: str | bool | None = None) -> str:
        return f"/data/{name}" if appauthor is False else f"/data/{appauthor or name}/{name}"

    monkeypatch.setattr("pbmserv.settings.PLATFORM", "win32")
    monkeypatch.setattr("platformdirs.user_config_dir", folder)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *a, **k: Path(folder(*a, **k)))

    assert config_file({}) == Path("/data/pbmserv/pbmserv.toml")
    assert database_url({"PBMSERV_CONFIG": os.devnull}) == "/data/pbmserv/pbmserv.sqlite"


def test_games_and_keys_are_kept_where_settings_say_or_among_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    here = {"PBMSERV_CONFIG": os.devnull}

    assert database_url(here) == str(tmp_path / "pbmserv" / "pbmserv.sqlite")
    assert mail_keys(here) == tmp_path / "pbmserv" / "mail.keys"
    assert database_url({"PBMSERV_DATABASE_URL": "games"}) == "games"
    assert mail_keys({"PBMSERV_MAIL_KEYS": "keys"}) == Path("keys")


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    environ = environ_of(tmp_path, 'club_name = "One"\n')
    found = [value("club_name", environ)]
    environ_of(tmp_path, 'club_name = "Two"\n')
    found.append(value("club_name", environ))
    (tmp_path / "pbmserv.toml").write_text("club_name = One\n")
    with pytest.raises(Fault, match="is not valid TOML: ") as caught:
        value("club_name", environ)
    (tmp_path / "pbmserv.toml").write_bytes(b'club_name = "\xff"\n')
    with pytest.raises(Fault, match=r"pbmserv\.toml cannot be read\.$"):
        value("club_name", environ)

    assert found == ["One", "Two"]
    assert caught.value.code == "bad-settings"


@pytest.mark.parametrize("most", [60, 200])
def test_a_name_and_a_sentence_may_be_as_long_as_is_said(most: int) -> None:
    name = "club_name" if most == 60 else "club_tagline"
    variable = f"PBMSERV_{name.upper()}"

    assert value(name, {variable: f" {'x' * most} "}) == "x" * most
    with pytest.raises(Fault) as caught:
        value(name, {variable: "x" * (most + 1)})
    assert caught.value.advice == f"It is one line of at most {most} letters, digits and signs."


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://example.org/club//", "https://example.org/club/"),
        ("", ""),
    ],
)
def test_the_address_of_the_site_ends_with_one_slash(text: str, url: str) -> None:
    assert value("site_url", {"PBMSERV_SITE_URL": text}) == url


def test_the_web_site_is_where_browsers_reach_the_club_unless_it_has_another_address(
    tmp_path: Path,
) -> None:
    here, there = "https://club.example.org/", "https://example.org/club/"
    environ = environ_of(tmp_path, f'web_url = "{here}"\n')

    assert value("site_url", environ) == here
    assert load(environ)["site_url"].text == here
    assert value("site_url", {**environ, "PBMSERV_SITE_URL": there}) == there
    assert value("web_url", {**environ, "PBMSERV_SITE_URL": there}) == here
    assert value("site_url", {**environ, "PBMSERV_WEB_URL": ""}) == ""
    assert value("site_url", {"PBMSERV_CONFIG": os.devnull}) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:8170", ":8170", "localhost:0", "[::1]:65535", "club.example.org:80"),
        *("/run/pbmserv/web", ""),
    ],
)
def test_browsers_are_answered_at_a_port_or_a_socket(text: str) -> None:
    assert value("web", {"PBMSERV_WEB": text}) == text


@pytest.mark.parametrize(
    "text",
    [
        *("8170", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:8170", "a:b", "run/web"),
        *("http://127.0.0.1:8170", "127.0.0.1:8170/", "127.0.0.1:\u0663", " :80", "on", "a b:80"),
    ],
)
def test_what_is_no_place_to_listen_at_is_refused(text: str) -> None:
    with pytest.raises(Fault, match="The setting web is not an address to listen at") as caught:
        value("web", {"PBMSERV_WEB": text})

    assert caught.value.advice == (
        "It is written as 127.0.0.1:8170, or as the /path of a Unix socket."
    )


@pytest.mark.parametrize("text", ["javascript:alert(1)", "club.example.org", "https://x.org/?a"])
def test_what_is_no_address_of_the_club_is_refused(text: str) -> None:
    with pytest.raises(Fault, match="web_url is not the address of a web site"):
        value("web_url", {"PBMSERV_WEB_URL": text})


def test_guests_and_signups_are_let_in_or_not() -> None:
    guests = [value("web_guests", {"PBMSERV_WEB_GUESTS": word}) for word in ("on", "OFF")]
    signups = [value("web_signup", {"PBMSERV_WEB_SIGNUP": word}) for word in ("Open", "closed")]

    assert (guests, signups) == ([True, False], [True, False])
    for name, word in (("web_guests", "yes"), ("web_signup", "on"), ("web_signup", "")):
        with pytest.raises(Fault, match=f"The setting {name} is not "):
            value(name, {f"PBMSERV_{name.upper()}": word})


def test_proxies_are_addresses_and_networks() -> None:
    def read(text: str) -> list[str]:
        return [str(each) for each in value("web_proxy", {"PBMSERV_WEB_PROXY": text})]

    assert read("10.0.0.7 192.0.2.0/24,2001:db8::/32") == [
        *("10.0.0.7/32", "192.0.2.0/24", "2001:db8::/32"),
    ]
    assert read("") == []
    for wrong in ("10.0.0.7/8", "proxy.example.org", "10.0.0", "10.0.0.7;10.0.0.8", "*"):
        with pytest.raises(Fault, match="web_proxy is not addresses and networks"):
            read(wrong)


@pytest.mark.parametrize(("new", "old"), FORMER.items())
def test_a_renamed_setting_is_read_under_its_former_name(
    tmp_path: Path, old: str, new: str
) -> None:
    here, there = f"PBMSERV_{old.upper()}", f"PBMSERV_{new.upper()}"
    file = environ_of(tmp_path, f'{old} = "7"')
    (tmp_path / "both").mkdir()
    both = environ_of(tmp_path / "both", f'{old} = "7"\n{new} = "7"')

    for environ, text, key in ((file, "7", old), ({**file, here: "8"}, "8", here)):
        found = load(environ)[new]
        assert find(new, environ) == text
        assert (found.text, found.key, found.is_renamed) == (text, key, True)
    found = load({**file, there: "9"})[new]
    assert (found.text, found.key, found.is_renamed) == ("9", there, False)
    with pytest.raises(Fault) as caught:
        find(new, both)
    assert caught.value.message.endswith(f" sets both {old} and {new}.")
    assert caught.value.advice == f"Remove {old}: {new} replaces it."
    assert find(new, {**file, here: "8", there: "9"}) == "9"


def test_what_is_written_under_a_former_name_is_checked_as_under_the_new(tmp_path: Path) -> None:
    assert value("max_robot_boards", environ_of(tmp_path, "robot_boards = 5")) == 5
    with pytest.raises(Fault, match="a value that is not text: mail_out"):
        find("mail_transport", environ_of(tmp_path, "mail_out = 5"))
    assert {*FORMER} <= {row.name for row in SETTINGS}
    assert not {*FORMER.values()} & {*FORMER}


def test_a_secret_may_be_a_credential_and_nothing_else(tmp_path: Path) -> None:
    config = tmp_path / "pbmserv.toml"
    config.write_text('mail_transport = "print:"\nclub_name = "Club"\n')
    environ = {"PBMSERV_CONFIG": str(config), "CREDENTIALS_DIRECTORY": str(tmp_path)}
    (tmp_path / "mail_transport").write_text("smtp://club:word@example.org\n")
    (tmp_path / "club_name").write_text("Another")
    named = {**environ, "PBMSERV_MAIL_TRANSPORT": "smtp://example.net"}

    assert find("mail_transport", environ) == "smtp://club:word@example.org"
    assert find("mail_transport", named) == "smtp://example.net"
    assert find("database_url", environ) is None
    assert find("club_name", environ) == "Club"
    (tmp_path / "mail_transport").write_bytes(b"\xff")
    with pytest.raises(Fault, match="mail_transport cannot be read"):
        find("mail_transport", environ)

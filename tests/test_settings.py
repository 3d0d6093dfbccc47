"""Settings from a file: which values it may hold, and what is said of all others."""

import os
import socket
from pathlib import Path

import pytest

from pbmserv.errors import Fault
from pbmserv.settings import (
    club_name,
    club_sentence,
    find,
    load,
    mail_analysis,
    open_at_once,
    site_url,
    unsubscribe_url,
    vacation_days,
)


def environ_of(folder: Path, text: str) -> dict[str, str]:
    """Return an environment that names a settings file with this text, and nothing else."""
    file = folder / "pbmserv.toml"
    file.write_text(text)
    return {"PBMSERV_CONFIG": str(file)}


@pytest.mark.parametrize("value", ["3", "1.5", "true", "[]", "{}", "2026-11-20"])
@pytest.mark.parametrize("name", ["database_url", "maildir"])
def test_a_value_that_is_no_text_is_refused(tmp_path: Path, name: str, value: str) -> None:
    environ = environ_of(tmp_path, f"{name} = {value}\n")
    with pytest.raises(Fault) as caught:
        load(environ)

    assert caught.value.code == "bad-settings"
    assert caught.value.message == (
        f"The settings file {environ['PBMSERV_CONFIG']} has a value that is not text: {name}"
    )
    assert caught.value.hint == f'It is written in quotes, as in {name} = "...".'


@pytest.mark.parametrize("value", ["20", '"20"'])
def test_a_number_of_days_needs_no_quotes(tmp_path: Path, value: str) -> None:
    assert find("vacation_days", environ_of(tmp_path, f"vacation_days = {value}\n")) == "20"


@pytest.mark.parametrize("value", ["367", "-1", "a week", "", "\u0663"])
def test_days_of_vacation_are_a_number_that_a_year_has(value: str) -> None:
    with pytest.raises(Fault, match="vacation_days"):
        vacation_days({"PBMSERV_VACATION_DAYS": value})


def test_an_entry_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="an entry that is not a setting: vacations") as caught:
        load(environ_of(tmp_path, "vacations = 20\n"))

    assert caught.value.code == "bad-settings"


def test_an_analysis_in_letters_is_on_or_off() -> None:
    assert [False, True] == [
        mail_analysis({"PBMSERV_MAIL_ANALYSIS": word}) for word in ("off", "On")
    ]
    with pytest.raises(Fault, match="neither on nor off"):
        mail_analysis({"PBMSERV_MAIL_ANALYSIS": "yes"})


@pytest.mark.parametrize(
    "text",
    [
        *("https://example.org/club/", "http://localhost:8000", "HTTPS://Example.org/a/b%20c"),
        *("http://[::1]:8080/", "https://xn--kse-qla.example/~club"),
    ],
)
def test_a_site_is_served_at_a_web_address(text: str) -> None:
    assert site_url({"PBMSERV_SITE_URL": text}) == f"{text.rstrip('/')}/"


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
        site_url({"PBMSERV_SITE_URL": text})

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
        club_name({"PBMSERV_CLUB_NAME": text})

    assert caught.value.code == "bad-settings"
    assert club_name({"PBMSERV_CLUB_NAME": "Étoile"}) == "Étoile"
    assert club_name({"PBMSERV_CLUB_NAME": " "}) == "Star Club"


@pytest.mark.parametrize("text", ["a\nb", "x" * 201, "\u202eclub"])
def test_the_sentence_of_the_club_is_one(text: str) -> None:
    with pytest.raises(Fault) as caught:
        club_sentence({"PBMSERV_CLUB_SENTENCE": text})

    assert caught.value.code == "bad-settings"
    assert club_sentence({"PBMSERV_CLUB_SENTENCE": " Willkommen. "}) == "Willkommen."


@pytest.mark.parametrize(
    "text",
    ["http://x.org/", "javascript:x", "https://", "https://x.org/a b", "https://x/>, <y", "x"],
)
def test_only_an_https_page_unsubscribes_with_one_click(text: str) -> None:
    with pytest.raises(Fault) as caught:
        unsubscribe_url({"PBMSERV_UNSUBSCRIBE_URL": text})

    assert caught.value.code == "bad-settings"
    assert unsubscribe_url({"PBMSERV_UNSUBSCRIBE_URL": "https://x.org/a"}) == "https://x.org/a"

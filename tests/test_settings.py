"""Settings from a file: which values it may hold, and what is said of all others."""

from pathlib import Path

import pytest

from pbmserv.errors import Fault
from pbmserv.settings import find, load, mail_analysis, vacation_days


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

"""Players whose userid has become a word of the language are named to the operator."""

from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.club.player import PlayerStatus
from pbmserv.commands.command_table import reserved_words
from pbmserv.store.files import schema
from pbmserv.store.store import Store

from .sample_rows import NOW

NOTICE = (
    "These userids are now reserved words: Hex, me.\nGive each of these players another userid: "
    "pbmserv admin rename USERID NEW\n"
)


@pytest.fixture
def url(database_url: str) -> str:
    """A database of a version that kept fewer words for itself."""
    store = Store.open(database_url)
    with store.writing() as records:
        for userid, status in (
            ("me", PlayerStatus.ACTIVE),
            ("Hex", PlayerStatus.RECORDED),
            ("alice", PlayerStatus.ACTIVE),
            ("limit", PlayerStatus.CLOSED),
        ):
            records.players.add(userid, None, (), status=status, now=NOW)
    store.close()
    return database_url


def test_db_upgrade_names_them_until_they_are_renamed(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["db", "upgrade", f"--database={url}"]) == 0
    assert capsys.readouterr().err == NOTICE
    for userid, new in (("me", "mea"), ("hex", "hexer")):
        assert run(["admin", "rename", userid, new, f"--database={url}"]) == 0
    capsys.readouterr()
    assert run(["db", "upgrade", f"--database={url}"]) == 0
    assert capsys.readouterr().err == ""


def test_whatever_command_upgrades_names_them_once(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Opening it, as if it had just been of an earlier version.
    monkeypatch.setattr(schema, "ensure", lambda *_, **__: True)
    for words in (["list"], ["db", "upgrade"]):
        assert run([*words, f"--database={url}"]) == 0
        assert capsys.readouterr().err == NOTICE


@pytest.mark.parametrize("word", ["me", "hex", "*star", "poly-y", "games", "next", "admin"])
def test_every_word_of_the_language_is_kept(word: str) -> None:
    assert word in reserved_words()


def test_an_earlier_version_is_told_from_a_new_database(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    new = Store.open(str(file))
    again = Store.open(str(file))
    new.close()
    again.close()

    assert not new.was_upgraded
    assert not again.was_upgraded

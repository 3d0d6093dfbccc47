"""Games of a module that the settings name are played as those that are here."""

import importlib
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pbmserv.cli.options import load_games
from pbmserv.commands.command_table import reserved_words
from pbmserv.commands.synonyms import words_of
from pbmserv.engine import games
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Fault
from tests.commands.test_new_game import SOURCE
from tests.daemon.mail_receive_process import Installation, a_mail
from tests.daemon.resident_process import served_in
from tests.engine import test_contract as contract
from tests.local_server import LocalServer, refusal_of

HAVANNAH = SOURCE.replace("tips", "havannah").replace("Tips", "Havannah")
"""A game that many know and that is none of ours, with an alias ``three-havannah``."""

NOTHING: Mapping[str, str] = {}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which modules are imported, and settings that name one of them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "pbmserv.toml"
    file.write_text('games = "games_of_ours"\n')
    monkeypatch.setenv("PBMSERV_CONFIG", str(file))
    importlib.invalidate_caches()
    yield tmp_path
    games.load_outside_games("")
    for name in [name for name in sys.modules if name.startswith("games_")]:
        del sys.modules[name]


@pytest.fixture
def havannah(folder: Path) -> None:
    (folder / "games_of_ours.py").write_text(HAVANNAH)
    load_games(reserved_words)


@pytest.mark.usefixtures("havannah")
def test_a_game_from_outside_is_played_as_ours_are(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    local.game = "havannah"
    started = local.json("three-havannah challenge alice bob -size=3 -poor")
    shown = local.play(101, "c1 swap A3 c3 pass pass")
    record = local.json("havannah export 101")["record"]

    assert "havannah" in games.game_names()
    assert games.find_game("HAVANNAH") is games.find_game("three-havannah")
    assert started["options"] == {"size": 3, "worth": 1, "poor": True, "noswap": False}
    assert (shown["winner"], shown["reason"]) == ("O", "two-passes")
    assert local.json("havannah import bob secret-bob", record)["moves"] == shown["moves"]
    assert "HAVANNAH" in local.text("help havannah")
    assert local.code("signup havannah secret-word") == "userid-reserved"
    # It is named among the games that people play elsewhere, and is no such one any more.
    assert "havannah" in words_of("elsewhere")
    assert not refusal_of(lambda: local.do("star havannah")).advice.startswith("Games: ")
    for spec in ("havannah(size=3)", "havannah(size=6,poor)"):
        assert format_game(parse_game(spec)) == spec
        for promise in (each.on for each in vars(contract).values() if hasattr(each, "on")):
            promise(parse_game(spec))


def test_another_module_takes_the_place_of_the_one_before(folder: Path) -> None:
    (folder / "games_of_ours.py").write_text(HAVANNAH)
    load_games()
    (folder / "pbmserv.toml").write_text("")
    before = games.game_names()
    load_games()

    assert {*before} - {*games.game_names()} == {"havannah"}


def test_a_package_may_have_its_games_from_its_files_and_from_others(folder: Path) -> None:
    package = folder / "games_in_files"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from pbmserv.engine.games.hex import Hex\n"
        "from games_in_files.havannah import Havannah\n"
        "class Misere(Hex):\n    name, title, gist = 'misere', 'Misere', ''\n"
    )
    (package / "havannah.py").write_text(HAVANNAH)
    ours = {*games.game_names()}
    games.load_outside_games("games_in_files", reserved_words())

    assert {*games.game_names()} == ours | {"havannah", "misere"}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (None, "ModuleNotFoundError: No module named 'games_of_ours'"),
        ("nonsense(", r"SyntaxError: "),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("from pbmserv.engine.games.hex import Hex", "it contains none"),
        (HAVANNAH.replace('"havannah"\n', '"hex"\n'), "hex is not a valid name for a game, or is"),
        (HAVANNAH.replace('"havannah"\n', '"list"\n'), "list is not a valid name for a game, or"),
        (HAVANNAH.replace("three-havannah", "poly-y"), "poly-y is not a valid name for a game, or"),
        (HAVANNAH.replace('"havannah"\n', '"Ha!"\n'), "Ha! is not a valid name for a game, or"),
        (HAVANNAH.replace("    title: ClassVar", "    other: ClassVar"), "AttributeError: "),
    ],
)
def test_a_module_that_cannot_be_played_is_told_with_its_reason(
    folder: Path, source: str | None, why: str
) -> None:
    if source is not None:
        (folder / "games_of_ours.py").write_text(source)
    before = games.game_names()
    with pytest.raises(Fault, match="The games of the module games_of_ours cannot be") as caught:
        load_games(reserved_words)

    assert caught.value.code == "bad-games"
    assert f"cannot be played: {why}" in caught.value.message
    assert games.game_names() == before


@pytest.fixture
def club(tmp_path: Path) -> Installation:
    club = Installation(tmp_path / "club")
    (club.folder / "pbmserv.toml").write_text('games = "games_of_ours"\n')
    (club.folder / "games_of_ours.py").write_text(HAVANNAH)
    return club


def said(
    club: Installation, line: str, data: bytes = b"", environ: Mapping[str, str] = NOTHING
) -> str:
    own = {"PYTHONPATH": str(club.folder), **environ}
    done = club.run(*shlex.split(line), data=data, **own)
    return f"{done.returncode} {(done.stdout + done.stderr).decode()}"


@pytest.mark.slow
def test_it_is_played_in_a_shell_by_mail_and_at_a_server(club: Installation) -> None:
    assert said(club, "havannah preview new -size=3 C1").startswith("0 ")
    assert "Welcome, alice" in said(club, "signup alice secret-alice alice@example.net")
    assert "Welcome, bob" in said(club, "signup bob secret-bob")
    assert "Havannah Board 101" in said(club, "havannah challenge alice bob -size=3")
    assert said(club, "mail receive", a_mail("havannah show 101")).startswith("0 ")
    environ = {**club.environ, "PYTHONPATH": str(club.folder)}
    with served_in(environ) as (own, _):
        assert said(club, "mail receive", a_mail("havannah show 101", 2), own).startswith("0 ")
        assert "alice plays C1" in said(
            club, "havannah move 101 alice secret-alice C1", environ=own
        )
        (club.folder / "pbmserv.toml").write_text("")
        gone = said(club, "havannah show 101", environ=own)
    assert gone.startswith("2 pbmserv: No such command or game: havannah.\nGames: hex, ")
    assert club.outcomes() == ["done", "done"]


@pytest.mark.slow
def test_whatever_is_wrong_with_the_module_a_mail_is_kept(club: Installation) -> None:
    assert "Welcome, alice" in said(club, "signup alice secret-alice alice@example.net")
    (club.folder / "games_of_ours.py").write_text("")
    broken = said(club, "help")

    assert broken.startswith("70 pbmserv: The games of the module games_of_ours cannot be played: ")
    assert "bad-games" in said(club, "havannah show 101 --json")
    assert said(club, "mail receive", a_mail("help")).startswith("75 ")
    assert "it contains none" in (club.folder / "mail.log").read_text()


@pytest.mark.slow
def test_other_processes_of_ours_know_it(club: Installation) -> None:
    assert "Welcome, alice" in said(club, "signup alice secret-alice")
    assert "Welcome, bob" in said(club, "signup bob secret-bob")
    assert "Havannah Board 101" in said(club, "havannah challenge alice bob -size=3")
    code = (
        "import sys; from pbmserv.operators.check_parts import Part, worker\n"
        "print(*worker(sys.argv[1])(Part('boards', (1,))))"
    )
    environ = {**club.environ, "PYTHONPATH": str(club.folder)}
    words = [str(club.program.with_name("python")), "-c", code, club.database]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)

    assert done.stdout == "Found(problems=[], boards=1, is_readable=True)\n"


@pytest.mark.slow
def test_a_visitor_at_a_gate_names_no_module(club: Installation, tmp_path: Path) -> None:
    assert "Welcome, alice" in said(club, "signup alice secret-alice")
    (tmp_path / "theirs.toml").write_text('games = "this"\n')
    here = club.folder / ".config" / "pbmserv"
    here.mkdir(parents=True)
    (here / "pbmserv.toml").write_text(
        f'games = "games_of_ours"\ndatabase_url = "{club.database}"\n'
    )
    theirs = {"PBMSERV_CONFIG": str(tmp_path / "theirs.toml"), "PBMSERV_RESIDENT": "off"}
    theirs["SSH_ORIGINAL_COMMAND"] = "havannah preview new -size=3 C1"
    shown = said(club, "gate alice", environ=theirs)

    assert shown.startswith("0 ")
    assert "[X]" in shown
    assert "Zen of Python" not in shown

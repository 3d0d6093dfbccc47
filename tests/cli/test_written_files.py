"""Every command that writes a file does it the same way."""

from pathlib import Path

from tests.in_process_shell import Shell

WRITERS = {
    "board.svg": "star show 101 --svg={}",
    "board.png": "star show 101 --png={}",
    "board.html": "star show 101 --html={}",
    "cup.html": "tournament show 1 -html={}",
    "games.sqlite": "backup {}",
}


def club(playing: Shell) -> Shell:
    assert playing.run("tournament create alice secret-alice star Cup").code == 0
    return playing


def test_nothing_is_overwritten_without_force(playing: Shell, tmp_path: Path) -> None:
    shell = club(playing)
    folder = tmp_path / "files"
    folder.mkdir()
    for name, line in WRITERS.items():
        (folder / name).write_text("old")
        refused = shell.run(line.format(folder / name))

        assert refused.code == 1
        assert "--force" in refused.err
        assert (folder / name).read_text() == "old"

        assert shell.run(f"{line.format(folder / name)} --force").code == 0
        assert (folder / name).read_bytes() != b"old"
    assert {path.name for path in folder.iterdir()} == WRITERS.keys()


def test_a_tilde_is_the_home_folder(playing: Shell, tmp_path: Path) -> None:
    shell = club(playing)
    home = tmp_path / "home"
    home.mkdir()
    shell.monkeypatch.setenv("HOME", str(home))
    codes = [shell.run(line.format(f"~/{name}")).code for name, line in WRITERS.items()]

    assert codes == [0] * len(WRITERS)
    assert {path.name for path in home.iterdir()} == WRITERS.keys()


def test_a_symbolic_link_is_left_alone(playing: Shell, tmp_path: Path) -> None:
    shell = club(playing)
    folder = tmp_path / "files"
    folder.mkdir()
    precious = tmp_path / "precious"
    precious.write_text("old")
    for name, line in WRITERS.items():
        (folder / name).symlink_to(precious)

        assert shell.run(f"{line.format(folder / name)} --force").code == 1
    assert precious.read_text() == "old"


def test_the_database_itself_is_never_overwritten(tmp_path: Path, playing: Shell) -> None:
    games = tmp_path / "own.sqlite"
    option = f"--database={games}"
    codes = []
    for line in ("db upgrade", f"backup {games} --force", "list"):
        done = playing.run(f"{line} {option}")
        codes.append(done.code)

    assert codes == [0, 1, 0]
    assert games.read_bytes().startswith(b"SQLite format 3")

"""The tab key: what may stand next, and the dialogue with three real shells."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pbmserv.cli.completion import complete, completions
from tests.in_process_shell import Shell

SCRIPTS = Path(sys.executable).parent

LINES = [
    ("star ch", "challenge chat"),
    ("star sho", "show showas"),
    ("pbmserv sign", "signup signoff"),
    ("pbmserv star ch", "challenge chat"),
    ("pbmserv starw", "starweb"),
    ("pbmserv admin mo", "moves"),
    ("pbmserv change pa", "password"),
    ("pbmserv mail outbox ", "list retry drop"),
    ("star nonsense", ""),
    ("star nonsense x", ""),
    ("star move ", "101"),
    ("star move 101 ", "me alice bob"),
    ("star move 101 a", "alice"),
    ("star move 101 alice ", ""),
    ("star move 101 alice secret re", "resign reject"),
    ("star move 101 me re", "resign reject"),
    ("star show ", "101 me alice bob"),
    ("star show 101 ", "101"),
    ("star show alice n", "next"),
    ("star games me a", "alice all active"),
    ("star games n", "next"),
    ("hex show ", "me alice bob"),
    ("star subscribe me ", "101 all"),
    ("star subscribe 101 ", "me alice bob"),
    ("star subscribe alice ", ""),
    ("star queue 101 me n", "none"),
    ("star challenge m", "me"),
    ("pbmserv block me ", "alice bob"),
    ("pbmserv admin player ", "alice bob"),
    ("pbmserv admin show star ", "101"),
    ("pbmserv admin show h", "hex"),
    ("pbmserv vacation me ", "until off"),
    ("pbmserv digest me o", "on off"),
    ("pbmserv mail setup o", "opensmtpd"),
    ("pbmserv help sig", "signin signoff signup"),
    ("star help mo", "monitoring move moves"),
    ("star challenge alice bob --si", "--size"),
    ("star challenge alice bob -si", "-size"),
    ("star challenge alice bob -size=7 -ma", "-maxi"),
    ("star challenge alice bob -size 1", "10 11 12 13 14"),
    ("star challenge alice bob -size=1", "-size=10 -size=11 -size=12 -size=13 -size=14"),
    ("star challenge alice bob -corners =", "2 3"),
    ("starstar challenge alice bob -scoring = s", "standard simplified"),
    ("pbmserv tournament create cup star -si", "-size"),
    ("pbmserv tournament create cup -kind ", "round-robin swiss"),
    ("star show --js", "--json"),
    ("pbmserv --style u", "unicode"),
    ("pbmserv play star -side ", "X O random"),
    ("star play -lev", "-level"),
]
"""A line, the last word of which is completed, and to what."""

FILES = ["pbmserv backup ", "star show 101 -svg ", "pbmserv --database ga", "pbmserv batch "]


def completed(line: str) -> list[str]:
    program, *words, typed = line.split(" ")
    prefix = [] if program == "pbmserv" else [program]
    return [item.value or item.type for item in completions([*prefix, *words], typed)]


def test_the_next_word_follows_from_the_syntax_and_the_database(playing: Shell) -> None:
    del playing

    assert dict(LINES) == {line: " ".join(completed(line)) for line, _ in LINES}


def test_words_in_capitals_are_completed_like_any(playing: Shell) -> None:
    del playing
    found = {line: " ".join(completed(_in_capitals(line))) for line, _ in LINES}

    assert {line: words.lower() for line, words in LINES} == {
        line: words.lower() for line, words in found.items()
    }


def _in_capitals(line: str) -> str:
    program, _, words = line.partition(" ")
    return f"{program if program == 'pbmserv' else program.upper()} {words.upper()}"


@pytest.mark.parametrize("line", [*FILES, "pbmserv --DATABASE ga", "star show 101 -SVG "])
def test_where_a_file_is_asked_for_the_shell_names_its_own(line: str) -> None:
    assert completed(line) == ["file"]


@pytest.mark.parametrize("content", [None, b"no database"])
def test_a_key_makes_no_database_and_meets_no_error(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.sqlite"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(file))

    assert completed("star move ") == []
    assert [file] * (content is not None) == list(tmp_path.iterdir())


TYPED = {
    "bash": """
        eval "$(_STAR_COMPLETE=bash_source star)"
        COMP_WORDS=(star move 101 me re) COMP_CWORD=4
        _star_completion star
        printf '%s\\n' "${COMPREPLY[@]}"
    """,
    # Outside of its line editor zsh has no compadd: ours says what it is given.
    "zsh": """
        compdef() { }
        compadd() { shift 4; printf '%s\\n' "${(@P)1}" }
        eval "$(_STAR_COMPLETE=zsh_source star)"
        words=(star move 101 me re) CURRENT=5
        _star_completion
    """,
    "fish": """
        _STAR_COMPLETE=fish_source star | source
        complete -C 'star move 101 me re'
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", TYPED)
def test_a_real_shell_completes(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])
    done = subprocess.run(
        [shell, "-c", TYPED[shell]],
        env={"PATH": path, "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert (["reject", "resign"], "") == (sorted(done.stdout.split()), done.stderr)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_a_script_and_then_what_may_stand_next(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["star"])
    monkeypatch.setenv("COMP_WORDS", "star move 101 me re")
    monkeypatch.setenv("COMP_CWORD", "re" if shell == "fish" else "4")
    said = []
    for task in ("source", "complete"):
        monkeypatch.setenv("_STAR_COMPLETE", f"{shell}_{task}")
        with pytest.raises(SystemExit) as ended:
            complete(["star"])
        assert ended.value.code == 0
        said.append(capsys.readouterr().out)

    assert f"_STAR_COMPLETE={shell}_complete" in said[0]
    assert {"reject", "resign"} <= {*said[1].replace(",", " ").split()}
    assert "star" not in said[1]


@pytest.mark.parametrize("asked", ["", "nonsense_source", "OTHER"])
def test_who_asks_for_no_completion_gets_the_command(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["pbmserv"])
    name = "_STAR_COMPLETE" if asked == "OTHER" else "_PBMSERV_COMPLETE"
    monkeypatch.setenv(name, "bash_source" if asked == "OTHER" else asked)
    complete([])
    monkeypatch.setenv("_PBMSERV_COMPLETE", "bash_source")
    monkeypatch.setattr("sys.argv", ["pbmserv", "gate"])
    complete([])

    assert capsys.readouterr().out == ""

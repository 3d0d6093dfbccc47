"""Every command that a text names is one: for a shell with a program before it, for a mail not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.options import take_options
from pbmserv.cli.shell_commands import command_tree, own_options, play_first
from pbmserv.commands.command_table import GAME
from pbmserv.commands.grammar import Group, follow
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.engine.games import PROGRAMS as GAME_PROGRAMS
from pbmserv.engine.games import for_mail, game_names, shell_name
from tests.generators.manual import PROGRAMS

ROOT = Path(__file__).parent.parent
TEMPLATES = ROOT / "pbmserv" / "site" / "templates"
OTHERS = "|".join(sorted({*game_names()} - {*PROGRAMS}))
START = "|".join(sorted({*PROGRAMS, *game_names()}, key=len, reverse=True))
VERBS = "|".join(sorted(GAME))

NAMED = (
    rf"(?m)^ {{4,}}(?:\$ )?((?:{START}) [^|;<>\n]+)",
    rf"(?:`|<code>)((?:{START}) [^`<]+)",
    r"(?<![\w./=@*-])(pbmserv (?!(?:is|record|works) )[a-z][^\n`<>|;,:()]*)",
)
"""Where a text names a command, with words of the sentence behind it."""

BARE = rf"(?<!pbmserv )(?<!help )(?<!play )(?<![\w./=@*-])(?:{OTHERS}) (?:{VERBS})\b"
"""A command of a game that is no program, as only a mail has it."""

SLIPS = ("pbmserv record", "star shwo", "star mvoe", "star ...", "pbmserv star ...")
"""The first line of a record, what README shows of wrong words, and what stands for any command."""

SHELL_TEXTS = {
    **{f"help {topic}": topic for topic in topic_names()},
    **{str(path.relative_to(ROOT)): "" for path in (ROOT / "README.md", *TEMPLATES.glob("*.html"))},
}
"""What is read in a shell, or beside one, and the topic of those that are pages of the manual."""


def read(name: str) -> str:
    topic = SHELL_TEXTS[name]
    text = read_page(topic) if topic else (ROOT / name).read_text(encoding="utf-8")
    return text.replace("{{ name }}", "star").replace("{{ shell_name }}", "star")


def named(text: str) -> Iterator[str]:
    """Yield each command that a text names, with at most some words of its sentence behind it."""
    for pattern in NAMED:
        for found in re.findall(pattern, text):
            line = re.split(r" {2,}| #|\. |\?|\.$", found)[0]
            if not line.startswith(SLIPS):
                yield line


def is_command(line: str, tree: Group) -> bool:
    """Tell whether a shell finds the program of a line, and the program its command."""
    program, *words = re.sub("['\"]", "", line).split()
    options = take_options(words if program == "pbmserv" else [program, *words], own_options)
    found = follow(tree, play_first(options.words))
    return program in PROGRAMS and (found.command is not tree or not found.left)


def test_the_programs_are_those_that_are_installed() -> None:
    assert {*PROGRAMS} == {"pbmserv", *GAME_PROGRAMS}
    assert {shell_name(name).split()[0] for name in game_names()} == {*PROGRAMS}
    assert all(for_mail(f"x {shell_name(name)} show") == f"x {name} show" for name in game_names())
    assert for_mail("pbmserv play hex, pbmserv yes") == "pbmserv play hex, pbmserv yes"


@pytest.mark.parametrize("name", SHELL_TEXTS)
def test_every_command_that_a_text_names_is_found_by_a_shell(name: str) -> None:
    text, tree = read(name), command_tree()

    assert [] == [line for line in named(text) if not is_command(line, tree)]
    assert [] == re.findall(BARE, text)


def test_enough_commands_are_found() -> None:
    counts = {name: len([*named(read(name))]) for name in SHELL_TEXTS}

    assert counts["help hex"] > 5 < counts["help y"]
    assert counts["pbmserv/site/templates/game.html"] > 2
    assert sum(counts.values()) > 500


@pytest.mark.parametrize("line", ["hex show 101", "pbmserv seeks", "pbmserv shwo", "y seek me 1"])
def test_what_a_shell_does_not_find_is_noticed(line: str) -> None:
    [found] = {*named(f"See <code>{line}</code>.\n\n    {line}  shows it\n")}

    assert found == line
    assert not is_command(line, command_tree())


@pytest.mark.parametrize("game", game_names())
def test_what_a_shell_is_told_of_a_command_can_be_typed(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (f"help {game} move", f"{game} -h", f"{game} move 1", f"help {game}"):
        run(words.split())
        out, err = capsys.readouterr()

        assert f"{shell_name(game)} " in out + err
        assert [] == re.findall(BARE, out + err)


LETTERS = (
    ROOT / "tests" / "commands" / "told" / "letters.txt",
    *sorted((ROOT / "tests" / "render" / "letters").glob("*.txt")),
)
WRONG_INPUTS = ROOT / "tests" / "commands" / "wrong_inputs.txt"
ANSWERS = (WRONG_INPUTS, *sorted((ROOT / "tests" / "transcripts").glob("*.txt")))


@pytest.mark.parametrize("file", ANSWERS, ids=lambda file: file.name)
def test_no_answer_of_a_shell_names_a_command_as_only_a_mail_has_it(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    answers = [line for line in lines if not line.lstrip().startswith("$ ")]
    if file == WRONG_INPUTS:
        answers = [line.partition("\t")[2] for line in lines]

    assert len(answers) > 20
    assert [] == re.findall(BARE, "\n".join(answers))


@pytest.mark.parametrize("file", LETTERS, ids=lambda file: file.name)
def test_no_letter_names_a_command_as_only_a_shell_has_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert text == for_mail(text)

"""The manual is whole and true: made pages are fresh, and nothing is left out."""

import re
import shlex
from pathlib import Path

import click
import pytest

from pbmserv.cli.main import run
from pbmserv.cli.options import FLAGS, SUMMARIES, VALUES
from pbmserv.cli.shell_commands import SHELL, command_tree, shell_families
from pbmserv.club.written_text import parse_page
from pbmserv.commands.command_pages import verb_lines
from pbmserv.commands.command_table import root
from pbmserv.commands.help import page
from pbmserv.commands.help_files import help_folder, read_page, topic_names
from pbmserv.engine.game import Example
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import EXIT_DONE, EXIT_FAULT, EXIT_MISUNDERSTOOD
from pbmserv.mail.transports import WAYS
from pbmserv.settings import CONFIG_VARIABLE, SETTINGS
from tests.generators.manual import PROGRAMS, every_verb, pages, verbs_of

from . import databases

COLUMNS = 80
MADE = pages()
EXAMPLES = [(name, example) for name in game_names() for example in find_game(name).examples]


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_made_page_is_fresh(name: str) -> None:
    there = {
        *topic_names(),
        *(
            file.stem if file.suffix == ".txt" else file.name
            for file in Path(help_folder()).iterdir()
        ),
    }
    missing = [made for made in MADE if made.removesuffix(".txt") not in there]
    if name in missing or (missing and name in {"index.txt", "pbmserv.1"}):
        pytest.skip(f"{', '.join(missing)} not made yet: python -m tests.generators.manual")
    written = Path(help_folder(), name).read_text(encoding="utf-8").rstrip("\n")

    assert MADE[name].rstrip("\n") == written, "run: python -m tests.generators.manual"


@pytest.mark.parametrize("topic", topic_names())
def test_lines_fit(topic: str) -> None:
    assert [] == [line for line in read_page(topic).splitlines() if len(line) > COLUMNS]


@pytest.mark.parametrize("topic", topic_names())
def test_pages_are_plain_text(topic: str) -> None:
    text = read_page(topic)

    assert text.isascii()
    assert "\t" not in text
    assert [] == [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    ("word", "topic"),
    [
        *((word, "questions") for word in ("install", ".lock", "settings", "me", "cron")),
        *((word, "questions") for word in ("postgresql", "backups", "share", "password", "draw")),
        ("undo", "questions"),
        *((word, "upgrading") for word in ("upgrade", "update", "upgrading", "changelog")),
        ("moves", "moves"),
        ("limits", "limits"),
        ("gtp", "gtp"),
        ("accept", "star accept"),
        ("reopen", "admin reopen"),
        ("account", "account"),
        ("elo", "ratings"),
        ("ssh", "sharing"),
    ],
)
def test_the_word_that_one_would_type_leads_to_its_page(word: str, topic: str) -> None:
    assert topic == page(root(SHELL, shell_families()), [word])[0]


OF_A_GAME = rf"(?:^|-)(?:{'|'.join(game_names())})(?:-|$)"
"""The topics that are pages of one game, as ``help TOPIC GAME`` finds them."""


def test_the_index_names_every_topic() -> None:
    index = read_page("index")
    topics = {name for name in topic_names() if not re.search(OF_A_GAME, name)} - {"index"}

    assert [] == sorted(topic for topic in topics if topic not in index)


def test_the_index_names_every_option_of_the_shell() -> None:
    index = read_page("index")

    assert {*FLAGS, *VALUES} == {
        name.lstrip("-").partition("=")[0].partition(",")[0] for name, _ in SUMMARIES
    }
    assert [] == [name for name, _ in SUMMARIES if f"    {name}  " not in index]


NOT_FOR_OPERATORS = {"pbmserv demo", "pbmserv play", "pbmserv puzzle", "pbmserv gtp"}
"""Commands of the shell that are no operator's."""


def test_the_admin_page_names_every_setting_and_every_command_of_operators() -> None:
    text = read_page("admin")
    commands = [path for _, path in every_verb() if path.split()[1] in {*shell_families(), *SHELL}]

    assert [] == [
        row.name for row in SETTINGS if not re.search(rf"(?m)^  {row.name}(?:  |$)", text)
    ]
    assert [] == [row.variable for row in SETTINGS if row.variable not in text]
    assert [] == [path for path in commands if path not in text and path not in NOT_FOR_OPERATORS]
    assert [] == [way.form for way in WAYS.values() if way.form not in text]
    assert CONFIG_VARIABLE in text
    assert all(f" {code}   " in text for code in (0, 1, EXIT_MISUNDERSTOOD, EXIT_FAULT))


def test_every_command_and_option_has_help() -> None:
    tree = root(SHELL, shell_families())
    for verb, path in every_verb():
        words = path.split()[1:]
        _, text = page(tree, words)

        assert text.removeprefix("## ").startswith((path, " ".join(words)))
        assert len(verb.help or "") > 10, path
        assert [] == [
            f"{path} {p.name}" for p in verb.params if isinstance(p, click.Option) and not p.help
        ]


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=lambda each: str(each)[:60])
def test_an_example_shows_what_it_promises_typed_as_the_page_has_it(
    name: str,
    example: Example,
    sqlite_template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = databases.copy_template(sqlite_template, tmp_path / "database")
    monkeypatch.setenv("PBMSERV_DATABASE_URL", url)
    for userid in ("alice", "bob"):
        assert run(["signup", userid, "correct-horse"]) == EXIT_DONE
    capsys.readouterr()

    page = re.sub(r" \\\n +", " ", read_page(name))
    [line] = [line for line in page.splitlines() if line.endswith(example.line)]
    program, *words = shlex.split(line)

    assert program in PROGRAMS
    assert run(words if program == "pbmserv" else [program, *words]) == EXIT_DONE
    assert example.shows in capsys.readouterr().out


def test_the_list_of_commands_begins_with_nine_that_are_enough() -> None:
    first = parse_page(read_page("commands"))[1:3]
    named = [line.strip().split("  ")[0].split() for line in first[1].split("\n")]

    assert "Nine commands are enough to play:" == first[0]
    assert 9 == len({tuple(words[:2]) for words in named})
    assert all(words[1] in WELL_KNOWN for words in named)


WELL_KNOWN = {"signup", "login", "challenge", "games", "show", "move", "chat", "play", "help"}


@pytest.mark.parametrize("name", ["show", "score", "preview", "tournament show"])
def test_a_page_has_pictures_in_files_below_what_players_use(name: str) -> None:
    tree = command_tree()
    found = {context.command_path: verb for verb, context in verbs_of(tree, "star")}
    found |= {context.command_path: verb for verb, context in verbs_of(tree, "tournament")}
    path = f"pbmserv {name}" if " " in name else f"pbmserv star {name}"
    lines = verb_lines(found[path])
    options = [line.split("=")[0].split()[0] for line in lines if line[:3] == "  -"]
    heads = [line for line in lines if line in {"Options", "Pictures in files"}]

    if name == "tournament show":
        assert ["Options"] == heads
    else:
        assert ["Options", "Pictures in files"] == heads
        assert {"-svg", "-png", "-html", "-pdf", "-poster", "-blank", "-film", "-force"} == {
            *options[-8:]
        }
        assert "-owners" in options[:-8]

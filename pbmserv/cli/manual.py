"""The pages under help/ that are made from the program: ``python -m pbmserv.cli.manual``.

They are the page of every game, the list of all commands and the names of the games on the page
``index``. So they can be read without the program. A test fails when one of them is stale.
"""

import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from pbmserv.cli.options import SUMMARIES
from pbmserv.cli.shell_commands import SHELL, command_tree, shell_families
from pbmserv.commands.grammar import Family, Verb
from pbmserv.commands.help import (
    INDEX,
    SUFFIX,
    WIDTH,
    columns,
    game_page,
    help_folder,
    option_rows,
    read_page,
    syntax_lines,
    verb_lines,
)
from pbmserv.commands.words import SAMPLE_GAME
from pbmserv.engine.games import find_game, game_names
from pbmserv.store.schema_page import schema_page

INDENT = " " * 4
MAN_PAGE = "pbmserv.1"
SCRIPTS = Path(__file__).with_name("scripts")

FEWEST_SHARING = 3
"""How many commands have an option that is told once for all of them."""

HEAD = f"""\
COMMANDS

Every command; pbmserv help COMMAND explains a single one. A command of a game
begins with the game: star move ..., or pbmserv star move ... in full. The page
is made for {SAMPLE_GAME}; every other game has the same commands with options of its
own, which its page lists (pbmserv help GAME).

Options may stand anywhere after the command, with one dash or two, and may be
shortened as long as it is clear which one is meant: -size=7, --size 7, -si=7.
Letter case does not matter. [ ] marks what may be left out, ... what may be
repeated, | a choice. In a shell, - in place of PASSWORD reads it from the
variable PBMSERV_PASSWORD, a hidden prompt, or a line of standard input. After
pbmserv login USERID, the one word me stands for USERID PASSWORD, and for your
USERID wherever only that is asked for (pbmserv help signin).
"""


def game_scripts() -> list[str]:
    """Return the games that are installed as programs too; their manual is that of pbmserv."""
    return sorted({path.name for path in SCRIPTS.iterdir()}.intersection(game_names()))


def pages() -> dict[str, str]:
    """Return the text of every page that is made, by its file name."""
    made = {f"{name}{SUFFIX}": f"{game_page(find_game(name))}\n" for name in game_names()}
    return {
        f"commands{SUFFIX}": commands_page(),
        f"{INDEX}{SUFFIX}": index_page(),
        f"schema{SUFFIX}": schema_page(),
        MAN_PAGE: man_page(),
        **{f"{name}.1": f".so man1/{MAN_PAGE}\n" for name in game_scripts()},
        **made,
    }


def man_page() -> str:
    """Return the index and the list of all commands as a page for ``man``."""
    parts = [
        '.TH PBMSERV 1 "" "pbmserv" "User commands"',
        ".SH NAME",
        "pbmserv \\- a play\\-by\\-mail server for the Star family of connection games",
    ]
    for title, text in (("DESCRIPTION", index_page()), ("COMMANDS", commands_page())):
        # What stands below the page's own title, line by line as it is.
        body = text.partition("\n\n")[2].rstrip("\n").replace("\\", "\\e").replace("-", "\\-")
        lines = (f"\\&{line}" if line[:1] in {".", "'"} else line for line in body.split("\n"))
        parts += [f".SH {title}", ".nf", *lines, ".fi"]
    return "\n".join([*parts, ""])


def index_page() -> str:
    """Return the index, of which the paragraph with the games is made."""
    games = [find_game(name) for name in game_names()]
    titles = [
        game.name if game.name == game.title.lower() else f"{game.name} ({game.title})"
        for game in games
    ]
    before, _, rest = read_page(INDEX).partition("\nGames: ")
    after = rest.partition("\n\n")[2]
    made = textwrap.fill(f"Games: {', '.join(titles)}.", WIDTH)
    return f"{before}\n{made}\n\n{after}\n"


def commands_page() -> str:
    """Return the page of all commands, those of the shell and of operators included."""
    tree = command_tree()
    verbs = [verb for verb, _ in every_verb()]
    counts = Counter(row for verb in verbs for row in option_rows(verb))
    shared = [row for row, count in counts.items() if count >= FEWEST_SHARING]
    lines = [HEAD, "OPTIONS OF THE SHELL", "", *columns(SUMMARIES), "", ""]
    lines += ["OPTIONS OF SEVERAL COMMANDS", "", "They stand in the syntax lines below.", ""]
    lines += columns(sorted(shared))
    for title, names in _chapters(tree).items():
        lines += ["", "", title]
        for name in names:
            for verb, context in verbs_of(tree, name):
                lines += ["", *syntax_lines(verb, context), ""]
                body = "\n".join(verb_lines(verb, WIDTH - len(INDENT), shared))
                lines.append(textwrap.indent(body, INDENT))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the pages and say which have changed."""
    folder = Path(help_folder())
    for name, text in pages().items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            sys.stdout.write(f"help/{name} is new.\n")


def every_verb() -> Iterator[tuple[Verb, str]]:
    """Yield every command and its words, those of a game for one game only."""
    tree = command_tree()
    for names in _chapters(tree).values():
        for name in names:
            for verb, context in verbs_of(tree, name):
                yield verb, context.command_path


def _chapters(tree: Family) -> dict[str, list[str]]:
    """Return the chapters of the page with the names of commands and families in each."""
    others = {*game_names(), *shell_families(), "tournament"}
    return {
        "THE SERVER": [name for name in tree.table if name not in SHELL],
        "A PLAYER'S ACCOUNT AND BOARDS": [name for name in tree.families if name not in others],
        "A GAME": [SAMPLE_GAME],
        "TOURNAMENTS": ["tournament"],
        "THE SHELL ONLY": list(SHELL),
        "OPERATORS, IN THE SHELL ONLY": list(shell_families()),
    }


def verbs_of(tree: Family, name: str) -> Iterator[tuple[Verb, click.Context]]:
    """Yield the command so called, or all commands of the family so called, of its own too."""
    yield from _verbs_under(tree, name, click.Context(tree, info_name=tree.name))


def _verbs_under(
    family: Family, name: str, top: click.Context
) -> Iterator[tuple[Verb, click.Context]]:
    found = family.get_command(top, name)
    if found is None:
        return
    context = click.Context(found, info_name=found.name, parent=top)
    if isinstance(found, Verb):
        yield found, context
    elif isinstance(found, Family):
        for inner in (*found.table, *found.families):
            yield from _verbs_under(found, inner, context)


if __name__ == "__main__":
    main()

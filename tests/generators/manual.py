"""The pages under help/ that are made from the program: ``python -m tests.generators.manual``.

They are the page of every game, the commands by topic, the names of the games on the page
``index``, the levels on those about the computer and the budgets on ``limits``. So they can be
read without the program. A test fails when one of them is stale.
"""

import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import click

from pbmserv.cli.shell_commands import command_tree
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import WIDTH, Subheading, parse_page
from pbmserv.commands.command_pages import columns, option_rows, syntax_lines, verb_lines
from pbmserv.commands.game_page import game_page
from pbmserv.commands.grammar import Command, Group
from pbmserv.commands.help import INDEX
from pbmserv.commands.help_files import SUFFIX, help_folder, read_page
from pbmserv.computer.level_list import LEVELS, Level, rating_of
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.moments import DAY, HOUR, MINUTE, WEEK
from pbmserv.store.mail.budgets import BUDGETS, UNBOUNDED
from tests.generators.schema_page import schema_page

INDENT = " " * 4
MAN_PAGE = "pbmserv.1"
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
PROGRAMS: dict[str, str] = PROJECT["project"]["scripts"]
"""The programs that are installed, and which function each one calls."""

BUDGET_HEAD = "    what              for                  mails    bytes   in"
LEVEL_HEAD = "    level         rating   a move                    sees threats"
LEVEL_OPTION = re.compile(r"-level=1\.\.[0-9]+")
WINDOWS = {MINUTE: "a minute", HOUR: "an hour", DAY: "a day", WEEK: "a week"}

Found = tuple[Command, click.Context]
"""A command, and the words that lead to it."""

FEWEST_SHARING = 2
"""How many commands have an option that is told once for all of them."""

HEAD = f"""\
# COMMANDS

Nine commands are enough to play:

    pbmserv signup alice PASSWORD    open an account under a name of your own
    pbmserv login alice              sign in: from now on you are me
    star challenge me bob            start a board against bob
    star games me next               your boards where it is your turn
    star show 101                    look at board 101
    star move 101 me F6              make a move there; also pass, swap, resign
    star chat 101 me "Well played!"  say something at the board
    pbmserv play                     play the computer, or at your own boards
    pbmserv help star                the rules; help WORD explains another word

# HOW TO WRITE A COMMAND

A command of a game begins with the game: star move ..., or pbmserv star move
... in full. This page is made for {SAMPLE_GAME}; every other game has the same commands
with options of its own (pbmserv help GAME).

Options may be anywhere after the command, with one dash or two. You can shorten
them as long as it is clear which one is meant: -size=7, --size 7, -si=7. Letter
case does not matter. [ ] marks what may be left out, ... what may be repeated,
| a choice. pbmserv help explains - and me in place of a password.


# COMMANDS BY TOPIC

This is the command list (cmds, verbs, a cheat sheet). pbmserv help COMMAND
shows a single one, pbmserv help the options of every command.
"""

OPERATORS_HEAD = """\
# COMMANDS FOR OPERATORS

These work in a shell only. Commands for players: help commands. How to run a
server: help admin.
"""

OTHERS = "OTHER COMMANDS"
TOPICS = {
    "START": "help demo play puzzle signup login logout whoami",
    "FIND OPPONENTS": "challenge rematch seek accept reject limit list players stats",
    "MOVE": "move swap resign queue submit confirm",
    "LOOK AT BOARDS": "show showas games history replay preview all",
    "SCORE AND STUDY": "score settled hint analyse standings export import",
    "TALK": "chat message messages news broadcast block unblock subscribe unsubscribe",
    "MAIL, REMINDERS AND VACATION": "add notify digest calendar vacation",
    "YOUR ACCOUNT": "account change private reset signoff",
    "TOURNAMENTS": "tournament",
    "FOR SCRIPTS AND PROGRAMS": "batch gtp gate",
    OTHERS: "",
}
"""The topics of the commands of players, with the words that they begin with."""

OPERATOR_TOPICS = {
    "THE SERVER": "serve web tick site archive backup restore doctor",
    "BOARDS, PLAYERS AND SETTINGS": "admin",
    "COMPUTER PLAYERS": "robots",
    "THE DATABASE": "db",
    "MAIL": "mail",
}


def game_programs() -> list[str]:
    """Return the games that are installed as programs too; their manual is that of pbmserv."""
    return sorted(PROGRAMS.keys() & {*game_names()})


def pages() -> dict[str, str]:
    """Return the text of every page that is made, by its file name."""
    made = {f"{name}{SUFFIX}": f"{game_page(find_game(name))}\n" for name in game_names()}
    return {
        f"commands{SUFFIX}": commands_page(),
        f"operators{SUFFIX}": operators_page(),
        f"{INDEX}{SUFFIX}": index_page(),
        f"schema{SUFFIX}": schema_page(),
        f"limits{SUFFIX}": limits_page(),
        f"gtp{SUFFIX}": with_levels(f"{read_page('gtp')}\n"),
        f"computer{SUFFIX}": computer_page(),
        f"play{SUFFIX}": play_page(),
        f"robots{SUFFIX}": with_levels(f"{read_page('robots')}\n"),
        MAN_PAGE: man_page(),
        **{f"{name}.1": f".so man1/{MAN_PAGE}\n" for name in game_programs()},
        **made,
    }


def man_page() -> str:
    """Return the index and all commands as a page for ``man``."""
    parts = [
        '.TH PBMSERV 1 "" "pbmserv" "User commands"',
        ".SH NAME",
        "pbmserv \\- a play\\-by\\-mail server for the Star family of connection games",
    ]
    texts = {
        "DESCRIPTION": index_page(),
        "COMMANDS": commands_page(has_contents=False),
        "COMMANDS FOR OPERATORS": operators_page(has_contents=False),
    }
    for title, text in texts.items():
        # What stands below the page's own title, line by line as it is.
        body = "".join(
            f"{block}\n" if isinstance(block, Subheading) else f"{block}\n\n"
            for block in parse_page(text)[1:]
        )
        body = body.rstrip("\n").replace("\\", "\\e").replace("-", "\\-")
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
    return remade(INDEX, "Games: ", f"{', '.join(titles)}.")


def remade(topic: str, start: str, made: str) -> str:
    """Return a page of which one paragraph is made, the one that starts so."""
    before, _, rest = read_page(topic).partition(f"\n{start}")
    after = rest.partition("\n\n")[2]
    paragraph = f"{start}{made}"
    if "\n" not in made:
        paragraph = textwrap.fill(paragraph, WIDTH)
    return f"{before}\n{paragraph}\n\n{after}\n"


def play_page() -> str:
    """Return the page of ``play``, of which the names of the levels are made."""
    names = (f"{level.number} {level.name}" for level in LEVELS)
    return with_levels(remade("play", "Levels: ", f"{', '.join(names)}."))


def with_levels(text: str) -> str:
    """Return a page in which the option -level says how many there are."""
    return LEVEL_OPTION.sub(f"-level=1..{len(LEVELS)}", text)


def computer_page() -> str:
    """Return the page about the computer, of which the table of levels is made."""
    rows = [
        f"\n    {at.number:2} {at.name:10}{rating_of(at.number or 0):7,}   {_thinking(at)}"
        for at in LEVELS
    ]
    return remade("computer", LEVEL_HEAD, "".join(rows))


def _thinking(level: Level) -> str:
    """Return how a level finds its move."""
    if level.temperature:
        return f"drawn, temperature {level.temperature:<4g}   {level.sight:4.0%}".replace("%", " %")
    ahead = with_count(level.proof_depth, "move")
    proofs = f", and proofs, {ahead} ahead" if level.proof_depth else ""
    return f"{level.simulations:7,} simulations{proofs}"


def limits_page() -> str:
    """Return the page about limits on mail, of which the table of budgets is made."""
    rows = [
        f"\n    {row.kind.value:18}{row.scope.value:19}{row.letters:7,}"
        f"{_size(row.bytes):>9}   {WINDOWS[row.window]}"
        for row in BUDGETS
    ]
    return remade("limits", BUDGET_HEAD, "".join(rows))


def _size(number: int) -> str:
    """Return a number of bytes for the table, "-" for any."""
    if number == UNBOUNDED:
        return "-"
    return f"{number // 10**6} MB" if number >= 10**6 else f"{number // 1000} kB"


def commands_page(*, has_contents: bool = True) -> str:
    """Return the page of all commands of players, by topic."""
    return _page(HEAD, by_topic(TOPICS), has_contents=has_contents)


def operators_page(*, has_contents: bool = True) -> str:
    """Return the page of all commands of operators, by topic."""
    return _page(OPERATORS_HEAD, by_topic(OPERATOR_TOPICS), has_contents=has_contents)


def by_topic(topics: dict[str, str]) -> dict[str, list[Found]]:
    """Return the commands of each topic; those that no topic has are among the other commands."""
    every: dict[str, list[Found]] = {}
    for verb, context in _every():
        every.setdefault(_words(context)[0], []).append((verb, context))
    listed = {*" ".join([*TOPICS.values(), *OPERATOR_TOPICS.values()]).split()}
    others = (
        {OTHERS: " ".join(word for word in every if word not in listed)} if OTHERS in topics else {}
    )
    chosen = {title: words.split() for title, words in {**topics, **others}.items()}
    return {
        title: [found for word in words for found in every[word]]
        for title, words in chosen.items()
        if words
    }


def _words(context: click.Context) -> list[str]:
    """Return the words of a command, the game left out."""
    words = context.command_path.split()[1:]
    return words[1:] if words[0] == SAMPLE_GAME else words


def _names(rows: list[Found]) -> Iterator[str]:
    """Yield the names of commands, those of a group in brackets after its name."""
    for group, names in groupby((_words(context) for _, context in rows), itemgetter(0)):
        inner = ", ".join(filter(None, (" ".join(words[1:]) for words in names)))
        yield f"{group} ({inner})" if inner else group


def _page(head: str, topics: dict[str, list[Found]], *, has_contents: bool) -> str:
    """Return a page of commands: the topics, then the commands of each, then common options."""
    counts = Counter(
        row for rows in topics.values() for verb, _ in rows for row in option_rows(verb)
    )
    shared = [row for row, count in counts.items() if count >= FEWEST_SHARING]
    words = {title.capitalize(): ", ".join(_names(rows)) for title, rows in topics.items()}
    lines = [head, *(columns(words.items()) if has_contents else ())]
    for title, rows in topics.items():
        lines += ["", "", f"# {title}"]
        for verb, context in rows:
            syntax = "\n".join(syntax_lines(verb, context))
            body = "\n".join(verb_lines(verb, WIDTH - len(INDENT), shared))
            lines += ["", f"## {syntax}", "", textwrap.indent(body, INDENT)]
    lines += ["", "", "# OPTIONS OF SEVERAL COMMANDS", "", *columns(sorted(shared))]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the pages and say which have changed."""
    folder = Path(help_folder())
    for name, text in pages().items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            sys.stdout.write(f"help/{name} is rewritten.\n")


def every_verb() -> Iterator[tuple[Command, str]]:
    """Yield every command and its words, those of a game for one game only."""
    for verb, context in _every(without=()):
        yield verb, context.command_path


def _every(without: tuple[str, ...] = (f"pbmserv {SAMPLE_GAME} help",)) -> Iterator[Found]:
    """Yield every command, those of a game for one game only; help is the same in a game."""
    tree = command_tree()
    games = {*game_names()} - {SAMPLE_GAME}
    for name in [*tree.table, *(name for name in tree.families if name not in games)]:
        for verb, context in verbs_of(tree, name):
            if context.command_path not in without:
                yield verb, context


def verbs_of(tree: Group, name: str) -> Iterator[Found]:
    """Yield the command so called, or all commands of the family so called, of its own too."""
    yield from _verbs_under(tree, name, click.Context(tree, info_name=tree.name))


def _verbs_under(family: Group, name: str, top: click.Context) -> Iterator[Found]:
    found = family.get_command(top, name)
    if found is None:
        return
    context = click.Context(found, info_name=found.name, parent=top)
    if isinstance(found, Command):
        yield found, context
    elif isinstance(found, Group):
        for inner in (*found.table, *found.families):
            yield from _verbs_under(found, inner, context)


if __name__ == "__main__":
    main()

"""The pages under help/ that are made from the program: ``python -m tests.generators.manual``.

They are the page of every game, the list of all commands, the names of the games on the page
``index``, the levels on those about the computer and the budgets on ``gateway``. So they can be
read without the program. A test fails when one of them is stale.
"""

import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from pbmserv.cli.options import SUMMARIES
from pbmserv.cli.shell_commands import SHELL, command_tree, shell_families
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import WIDTH, parse_page
from pbmserv.commands.command_pages import columns, option_rows, syntax_lines, verb_lines
from pbmserv.commands.game_page import game_page
from pbmserv.commands.grammar import Family, Verb
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

BUDGET_HEAD = "    what              for                letters    bytes   in"
LEVEL_HEAD = "    level         rating   a move                    sees threats"
LEVEL_OPTION = re.compile(r"-level=1\.\.[0-9]+")
WINDOWS = {MINUTE: "a minute", HOUR: "an hour", DAY: "a day", WEEK: "a week"}

FEWEST_SHARING = 3
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
    pbmserv help star                the rules; help and a word tells of that

# ALL COMMANDS

Every command; pbmserv help COMMAND explains a single one. For a cheat sheet see
pbmserv help; this is the command list (cmds, or verbs).

A command of a game begins with the game: star move ..., or pbmserv star move
... in full. The page is made for {SAMPLE_GAME}; every other game has the same
commands with options of its own, which its page lists (pbmserv help GAME).

Options may stand anywhere after the command, with one dash or two, and may be
shortened as long as it is clear which one is meant: -size=7, --size 7, -si=7.
Letter case does not matter. [ ] marks what may be left out, ... what may be
repeated, | a choice. In a shell, - in place of PASSWORD reads it from the
variable PBMSERV_PASSWORD, a hidden prompt, or a line of standard input. At a
terminal a password that is left out is asked for, a new one twice. After
pbmserv login USERID, the one word me stands for USERID PASSWORD, and for your
USERID wherever only that is asked for (pbmserv help signin).
"""


def game_programs() -> list[str]:
    """Return the games that are installed as programs too; their manual is that of pbmserv."""
    return sorted(PROGRAMS.keys() & {*game_names()})


def pages() -> dict[str, str]:
    """Return the text of every page that is made, by its file name."""
    made = {f"{name}{SUFFIX}": f"{game_page(find_game(name))}\n" for name in game_names()}
    return {
        f"commands{SUFFIX}": commands_page(),
        f"{INDEX}{SUFFIX}": index_page(),
        f"schema{SUFFIX}": schema_page(),
        f"gateway{SUFFIX}": gateway_page(),
        f"computer{SUFFIX}": computer_page(),
        f"play{SUFFIX}": play_page(),
        f"robots{SUFFIX}": with_levels(f"{read_page('robots')}\n"),
        MAN_PAGE: man_page(),
        **{f"{name}.1": f".so man1/{MAN_PAGE}\n" for name in game_programs()},
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
        body = "\n\n".join(parse_page(text)[1:]).replace("\\", "\\e").replace("-", "\\-")
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


def gateway_page() -> str:
    """Return the page for operators, of which the table of budgets is made."""
    rows = [
        f"\n    {row.kind.value:18}{row.scope.value:19}{row.letters:7,}"
        f"{_size(row.bytes):>9}   {WINDOWS[row.window]}"
        for row in BUDGETS
    ]
    return remade("gateway", BUDGET_HEAD, "".join(rows))


def _size(number: int) -> str:
    """Return a number of bytes for the table, "-" for any."""
    if number == UNBOUNDED:
        return "-"
    return f"{number // 10**6} MB" if number >= 10**6 else f"{number // 1000} kB"


def commands_page() -> str:
    """Return the page of all commands, those of the shell and of operators included."""
    tree = command_tree()
    verbs = [verb for verb, _ in every_verb()]
    counts = Counter(row for verb in verbs for row in option_rows(verb))
    shared = [row for row, count in counts.items() if count >= FEWEST_SHARING]
    lines = [HEAD, "# OPTIONS OF THE SHELL", "", *columns(SUMMARIES), "", ""]
    lines += ["# OPTIONS OF SEVERAL COMMANDS", "", "They stand in the syntax lines below.", ""]
    lines += columns(sorted(shared))
    for title, names in _chapters(tree).items():
        lines += ["", "", f"# {title}"]
        for name in names:
            for verb, context in verbs_of(tree, name):
                syntax = "\n".join(syntax_lines(verb, context))
                lines += ["", f"## {syntax}", ""]
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

"""Help pages: files under help/, and pages made from the command tree and the games."""

from __future__ import annotations

import inspect
import os
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import click

from pbmserv.club.word_forms import is_slip, likely
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Annotation, Declared, Word, command
from pbmserv.commands.game_options import GameType, game_params
from pbmserv.commands.grammar import Family, Verb, option_name, resolve
from pbmserv.commands.words import SAMPLE_GAME
from pbmserv.engine.game import JOINT
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import Misunderstood, NotFound, Refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pbmserv.engine.game import Game, Option

INDEX = "index"
SUFFIX = ".txt"
WIDTH = 78
"""The columns of a help page, boards excepted."""

WIDEST_COLUMN = 26

PAGES = {
    "questions": "agree agreement backups closed config configuration cron draw faq forgot"
    " forgotten group install installation lock lockfile locks me password"
    " postgres postgresql retention rights rotation setting settings share undo"
    " uninstall update upgrade upgrading users vote votes",
    "clocks": "deadline holiday reminder time timeout",
    "mail": "email",
    "pictures": "cells coordinates",
    "ratings": "elo glicko",
    "sharing": "ssh",
}
"""Words that lead to a page of another name."""

BEGINNING = (
    "X begins, and the sides take turns. A turn is one stone of your own on any empty cell;"
    " stones are never moved and never taken off."
)
PASSING = "A player who passes gives up only that turn and may play again on the next."
SWAPPING = (
    "Swap: the second player may answer the first stone with swap instead of a stone of their"
    " own, once and only then. The players exchange sides: the player who swaps is now X and owns"
    " the stone, which stays where it is; the other is now O and moves next. The swap counts as"
    " move 2. After a pass there is no swap."
)
CLOSING = (
    "A game also ends when somebody resigns, when both agree on the result, or when somebody's time"
    " is up (pbmserv help clocks)."
)


class WholeTree(Annotation):
    """The tree of commands in which the line was understood."""

    gives = Family

    def value(self, declared: Declared, ctx: click.Context) -> Any:
        """Return its root."""
        del declared
        return ctx.obj


Tree = Annotated[Family, WholeTree()]


@command()
def show_page(tree: Tree, topics: Annotated[tuple[str, ...], Word("[TOPIC]...")] = ()) -> Answer:
    """Print a help page: of a command, a game, or one of the topics that help lists."""
    return _answer(tree, topics)


@command()
def show_game_page(
    tree: Tree, game: GameType, topics: Annotated[tuple[str, ...], Word("[VERB]...")] = ()
) -> Answer:
    """Print the page of the game, or of one of its verbs."""
    return _answer(tree, (game.name, *topics))


def _answer(tree: Family, words: Sequence[str]) -> Answer:
    topic, text = page(tree, words)
    return Answer((text,), {"topic": topic, "text": text}, is_page=True)


def page(tree: Family, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and the text of a help page, without a last line break.

    Raises :class:`NotFound`, and :class:`Misunderstood` for words behind those that name a page.
    """
    words = [word.lower() for word in words]
    if not words:
        return INDEX, read_page(INDEX)
    if len(words) == 1:
        if (game := _find_game(words[0])) is not None:
            return game.name, game_page(game)
        leads = (page for page, said in PAGES.items() if words[0].strip(".") in said.split())
        topic = next(leads, words[0])
        if topic in topic_names():
            return topic, read_page(topic)
    groups = [name for name in tree.families if name not in game_names()]
    one = [words[0].removesuffix("s"), *words[1:]]  # "moves" asks how to move
    for path in (
        words,
        *([SAMPLE_GAME, *said] for said in (words, one)),
        *([name, *words] for name in groups),
    ):
        try:
            found, context, surplus = resolve(tree, path)
        except Refused:
            continue
        topic = context.command_path.partition(" ")[2]
        if surplus:
            raise Misunderstood(
                "Unexpected argument.",
                code="surplus-word",
                hint=f"Did you mean pbmserv help {topic}?",
                about=surplus[0],
            )
        if isinstance(found, Verb):
            return topic, verb_page(found, context)
        if isinstance(found, Family):
            return topic, family_page(found, context)
    raise _no_page(tree, words)


def _no_page(tree: Family, words: Sequence[str]) -> NotFound:
    """Return the error for words that name no page, with a likely one."""
    group = tree.get_command(None, words[0]) if len(words) > 1 else None
    if isinstance(group, Family):
        known, before = group.known_words(), f"pbmserv help {words[0]} "
    else:
        known = [*topic_names(), *game_names(), *tree.known_words(), *_verbs(tree)]
        before = "pbmserv help "
    return NotFound(
        "No such help page.",
        code="no-such-page",
        hint=likely(words[-1], known, before) or "All help pages: pbmserv help",
        about=words[-1],
        is_harmless=is_slip(words[-1], known),
    )


def naming_words(tree: Family, words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command line without those behind its command's name.

    Those may be anything, a password among them. Words that name no command are left as they are.
    """
    for path in (words, [SAMPLE_GAME, *words]):
        try:
            _, _, surplus = resolve(tree, path)
        except Refused:
            continue
        return words[: len(words) - len(surplus)]
    return words


def help_folder() -> str:
    """Return the folder of the help files: inside the package when installed, else beside it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "help")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "help")


def topic_names() -> list[str]:
    """Return the names of all help files, without their ending."""
    names = os.listdir(help_folder())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def read_page(name: str) -> str:
    """Return the text of a help file."""
    with open(os.path.join(help_folder(), f"{name}{SUFFIX}"), encoding="utf-8") as page:
        return page.read().rstrip("\n")


def verb_page(verb: Verb, context: click.Context) -> str:
    """Return the page of one command: syntax, what it does, options, other names."""
    return "\n".join([*syntax_lines(verb, context), "", *verb_lines(verb)])


def syntax_lines(verb: Verb, context: click.Context) -> list[str]:
    """Return how the command is to be written, in as many lines as it needs."""
    return textwrap.wrap(
        verb.syntax(context), WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False
    )


Row = tuple[str, str]
"""An option as it is written, and what it does."""


def option_rows(verb: Verb) -> list[Row]:
    """Return the options of a command that are shown to people."""
    return [(_option_words(option), option.help or "") for option in verb.options()]


def verb_lines(verb: Verb, width: int = WIDTH, shared: Collection[Row] = ()) -> list[str]:
    """Return what the command does, its options but those ``shared``, and its other names."""
    lines = paragraphs(verb.help or "", width)
    rows = [row for row in option_rows(verb) if row not in shared]
    if rows:
        lines += ["", "Options", *columns(rows, width)]
    if verb.entry.synonyms:
        lines += ["", f"Also written: {', '.join(verb.entry.synonyms)}."]
    if verb.entry.shortest:
        lines += ["", f"May be shortened to {(verb.name or '')[: verb.entry.shortest]}."]
    return lines


def family_page(family: Family, context: click.Context) -> str:
    """Return the page of a group of commands: their names and what they do."""
    path = context.command_path
    if family.find_game is not None:
        path = family.name or ""
        more = [f"{path} COMMAND -h tells more about a command, {path} help the rules and options."]
    else:
        more = [f"{path} COMMAND -h tells more about a command."]
    lines = [f"Syntax: {path} COMMAND ...", "", *columns(family.summaries()), "", *more]
    if family is context.obj:
        lines.append("pbmserv help lists the other help pages.")
    return "\n".join(lines)


def usage_page(tree: Family, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and text of what ``-h`` prints: a command's page, or those of a group."""
    if words and _verb_path(tree, words):
        return page(tree, words)
    found, context, _ = resolve(tree, words)
    if isinstance(found, Family):
        return context.command_path, family_page(found, context)
    return page(tree, words)


def _verb_path(tree: Family, words: Sequence[str]) -> bool:
    """Tell whether the words name a verb of the games without a game."""
    return len(words) == 1 and not tree.has(words[0]) and words[0].lower() in _verbs(tree)


def game_page(game: type[Game]) -> str:
    """Return a game's page, made from its class: rules, options, board, examples."""
    from pbmserv.render.picture import draw
    from pbmserv.render.text import text_picture

    sample = game()
    rows = [
        (_option_words(p), _option_help(option))
        for p, option in zip(game_params(game), game.options(), strict=True)
        if isinstance(p, click.Option)
    ]
    names = " or ".join([game.name, *game.aliases])
    lines = [game.title.upper(), "", f"Commands begin with {names}; help commands lists them.", ""]
    lines += paragraphs(game.__doc__ or "")
    lines += ["", "How it is played", "", *_rules_lines(sample)]
    lines += ["", "Options (of challenge, preview new and score new)", *columns(rows)]
    lines += ["", "The empty board (how to read it: pbmserv help pictures)", ""]
    lines.append(text_picture(draw(sample, sample.start())))
    lines += ["", "Examples"]
    for example in game.examples:
        lines += [
            "",
            *textwrap.wrap(example.text, WIDTH, initial_indent="  ", subsequent_indent="  "),
        ]
        lines += _example_lines(example.line)
    return "\n".join([*lines, "", *textwrap.wrap(f"Source: {game.source}.", WIDTH)])


def _rules_lines(game: Game) -> list[str]:
    """Return the rules that hold in every game of the family, and how moves are written."""
    names = [name for name in game.board.names if name.isalnum()]
    here, there = names[len(names) // 2 :][:2]
    rows = [
        (here, f"a stone on {here}; small letters will do"),
        ("pass", "give up this turn, also written -- or -"),
        ("swap", "as the second move: take over the first stone"),
        ("resign", "give up the game; before the second move, decline it"),
        ("propose", "offer a draw"),
        _result_row(game),
        ("undo", "ask to take back the last move"),
        ("accept", "agree to what your opponent offers; or reject it"),
    ]
    if game.most_stones_a_turn > 1:
        rows.insert(1, (f"{here}{JOINT}{there}", "two stones, where a turn has two"))
    rules = textwrap.wrap(f"{BEGINNING} {game.ending} {PASSING}", WIDTH)
    return [
        *rules,
        "",
        *textwrap.wrap(SWAPPING, WIDTH),
        "",
        *textwrap.wrap(
            f"A move is made with {game.name} move BOARD USERID PASSWORD MOVE, or as the answer"
            " to a mail. MOVE is one of these:",
            WIDTH,
        ),
        "",
        *columns(rows),
        "",
        *textwrap.wrap(CLOSING, WIDTH),
    ]


def _result_row(game: Game) -> tuple[str, str]:
    """Return how a result is offered: as points, or as a winner where only a winner counts."""
    if game.points_to_agree(game.score(game.start())) is None:
        return "propose X", "offer that X wins; accept X answers it; so with O"
    total = game.full_board_sum or 30
    words = f"{total // 2 + 1}-{total - total // 2 - 1}"
    return f"propose {words}", f"offer these points, X's first; accept {words} answers it"


def columns(rows: Iterable[tuple[str, str]], width: int = WIDTH) -> list[str]:
    """Return two columns of text, the second wrapped beside the first, or below a wide one."""
    rows = list(rows)
    indent = min(max(len(left) for left, _ in rows) + 4, WIDEST_COLUMN)
    lines = []
    for left, right in rows:
        first = f"  {left}"
        if len(first) + 2 > indent:
            lines.append(first)
            first = ""
        wrapped = textwrap.wrap(
            right,
            width,
            initial_indent=first.ljust(indent),
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
        )
        lines += wrapped or [first]
    return [line for line in lines if line]


def paragraphs(docstring: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a docstring, its paragraphs wrapped anew."""
    lines: list[str] = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        lines += ["", *textwrap.wrap(paragraph, width, break_on_hyphens=False)]
    return lines[1:]


def _example_lines(line: str) -> list[str]:
    """Return a command in lines that a shell reads as one, broken before its last options."""
    if len(line) + 4 <= WIDTH:
        return [f"    {line}"]
    first, *options = line.split(" --")
    return " \\\n".join([f"    {first}", *(f"        --{option}" for option in options)]).split(
        "\n"
    )


def _option_words(option: click.Option) -> str:
    name = option_name(option)
    return f"-{name}" if option.is_flag else f"-{name}={option.metavar}"


def _option_help(option: Option) -> str:
    if option.is_flag or option.default is None:
        return option.help
    return f"{option.help} (default {option.default})"


def _find_game(word: str) -> type[Game] | None:
    try:
        return find_game(word)
    except NotFound:
        return None


def _verbs(tree: Family) -> list[str]:
    found = tree.get_command(None, SAMPLE_GAME)
    return found.list_commands(None) if isinstance(found, Family) else []

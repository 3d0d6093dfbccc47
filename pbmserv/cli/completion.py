"""Completion by the tab key: ``_PBMSERV_COMPLETE=bash_source pbmserv`` prints click's script.

What may stand next follows from the syntax of a command as its help prints it: small letters are
words to be typed, capital letters name what is looked up.
"""

from __future__ import annotations

import os
import re
import sys
from itertools import product
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from pbmserv.cli.options import NAMES, STYLES, VALUES, take_options
from pbmserv.cli.shell_commands import command_tree, play_first
from pbmserv.club.player import ME
from pbmserv.commands.command_table import GAME, root
from pbmserv.commands.game_options import game_params
from pbmserv.commands.grammar import Family, Verb, option_name, resolve
from pbmserv.commands.help import topic_names
from pbmserv.commands.types import Login
from pbmserv.commands.words import OPTION
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import PbmservError
from pbmserv.settings import database_url
from pbmserv.store.known_names import BOARDS, TOURNAMENTS, USERIDS, known_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PLAYERS = frozenset({"USERID", "USERID1", "USERID2", "TO", "PLAYER", "FROM", "INTO"})
LOOKED_UP = {**dict.fromkeys(PLAYERS, USERIDS), "BOARD": BOARDS, "TOURNAMENT": TOURNAMENTS}
SECRETS = frozenset({"PASSWORD", "CURRENT"})
"""What ``me`` stands for beside the userid."""

LITERAL = re.compile(r"[a-z][a-z-]*|[XO0-9]")

RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)")
MOVES = ("pass", "swap", "resign", "propose", "undo", "accept", "reject")
FILES = {"FILE": "file", "DIR": "dir"}
PLAIN = "plain"


def complete(prefix: Sequence[str]) -> None:
    """Answer the shell's question and leave, if it asks one of this program."""
    program = prefix[0] if prefix else "pbmserv"
    variable = f"_{program.upper()}_COMPLETE"
    shell, _, task = os.environ.get(variable, "").partition("_")
    dialogue = get_completion_class(shell)
    if dialogue is None:
        return
    with_shell = dialogue(root(), {}, program, variable)
    # The script and the dialogue are click's; what may stand there is ours.
    with_shell.get_completions = (  # type: ignore[method-assign]
        lambda args, incomplete: completions([*prefix, *args], incomplete)
    )
    click.echo(with_shell.source() if task == "source" else with_shell.complete())
    sys.exit(0)


def completions(words: Sequence[str], typed: str) -> list[CompletionItem[str]]:
    """Return what the word ``typed`` so far may become after these words."""
    words = [word for word in words if word != "="]  # bash takes size=7 apart
    start, typed = "", "" if typed == "=" else typed
    if OPTION.fullmatch(typed) and "=" in typed:
        name, _, typed = typed.partition("=")
        start, words = f"{name}=", [*words, name]
    try:
        found = list(_Line(words, typed).items())
    except PbmservError:
        return []
    return [
        CompletionItem(f"{start}{item.value}", type=item.type, help=item.help)
        for item in found
        if item.type != PLAIN or item.value.lower().startswith(typed.lower())
    ]


class _Line:
    """The words before the one that is typed."""

    def __init__(self, words: Sequence[str], typed: str) -> None:
        self.words = words
        self.typed = typed
        self.game = ""
        self.database: str | None = None

    def items(self) -> Iterator[CompletionItem[str]]:
        """Yield what may stand next, fitting what is typed or not."""
        last = self.words[-1].lstrip("-") if self.words and OPTION.fullmatch(self.words[-1]) else ""
        if last in VALUES:
            yield from self._values("FILE" if last == "database" else "|".join(STYLES))
            return
        options = take_options(self.words, lambda _: ())
        self.database = options.database
        command, _, left = resolve(command_tree(), play_first(options.words))
        named = [word.lower() for word in options.words if word.lower() in game_names()]
        self.game = find_game(named[0]).name if named else ""
        if isinstance(command, Family) and not self.typed.startswith("-"):
            for name, summary in command.summaries():
                yield CompletionItem(name, help=summary)
        elif isinstance(command, Verb):
            yield from self._after_verb(command, left)
        if self.typed.startswith("-"):
            yield from self._options((name, "") for name in NAMES)

    def _after_verb(self, verb: Verb, left: Sequence[str]) -> Iterator[CompletionItem[str]]:
        """Yield the options of a command, the values of one, or what its next word may be."""
        options = {option_name(option): option for option in verb.options()}
        if self.game and verb.game is None:
            own = game_params(find_game(self.game))
            options |= {option_name(p): p for p in own if isinstance(p, click.Option)}
        others: list[str] = []
        waiting: click.Option | None = None
        for word in left:
            option = OPTION.fullmatch(word)
            if option is not None:
                found = options.get(option[1].lower())
                waiting = found if found and not found.is_flag and option[2] is None else None
            elif waiting is not None:
                waiting = None
            else:
                others.append(word)
        if self.typed.startswith("-"):
            yield from self._options((name, each.help or "") for name, each in options.items())
        elif waiting is not None:
            yield from self._values(waiting.metavar or "")
        else:
            for token, may_be_me in _next_tokens(verb, others):
                yield from self._values(token, may_be_me=may_be_me)

    def _options(self, options: Iterable[tuple[str, str]]) -> Iterator[CompletionItem[str]]:
        """Yield options with as many dashes as are typed."""
        dashes = "--" if self.typed.startswith("--") else "-"
        for name, summary in options:
            yield CompletionItem(f"{dashes}{name}", help=summary or None)

    def _values(self, syntax: str, *, may_be_me: bool = False) -> Iterator[CompletionItem[str]]:
        """Yield what a word of the syntax line, ``BOARD[#N]|new``, stands for."""
        for value in _parts(syntax):
            if value in FILES:
                yield CompletionItem("", type=FILES[value])
                continue
            if value in PLAYERS and may_be_me:
                yield CompletionItem(ME)
            for word in self._words_for(value):
                yield CompletionItem(word)

    def _words_for(self, value: str) -> Sequence[str]:
        """Return the words that a part of the syntax line stands for; none for most."""
        if LITERAL.fullmatch(value):
            return [value]
        if (found := RANGE.fullmatch(value)) is not None:
            return [str(number) for number in range(int(found[1]), int(found[2]) + 1)]
        if value in LOOKED_UP:
            about = (self.game, self.typed) if value == "BOARD" else (self.typed,)
            return known_names(self._database, LOOKED_UP[value], *about)
        if value == "TOPIC":
            tree = command_tree()
            return sorted({*topic_names(), *tree.list_commands(None), *GAME})
        return {"GAME": game_names(), "VERB": list(GAME), "MOVE": MOVES}.get(value, ())

    @property
    def _database(self) -> str:
        return database_url() if self.database is None else self.database


def _next_tokens(verb: Verb, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield what may follow these words by the syntax of a command, and whether ``me`` may."""
    arguments = [p for p in verb.params if isinstance(p, click.Argument)]
    choices = [(p.metavar or "").split(" | ") for p in arguments]
    for choice in product(*choices):
        tokens = " ".join(choice).split()
        places = _reach(tokens, 0)
        for word in words:
            places = {n for place in places for n in _follow(tokens, place, word)}
        for place in sorted(places & set(range(len(tokens)))):
            yield tokens[place], _takes_me(verb, is_login=_is_login(tokens, place))


def _follow(tokens: Sequence[str], place: int, word: str) -> set[int]:
    """Return the places after a word that stands at this place, if it can."""
    if place == len(tokens) or not any(_fits(part, word) for part in _parts(tokens[place])):
        return set()
    if word.lower() == ME and _is_login(tokens, place):
        return _reach(tokens, place + 2)
    again = {place} if "..." in tokens[place] else set()
    return again | _reach(tokens, place + 1)


def _is_login(tokens: Sequence[str], place: int) -> bool:
    """Tell whether a password follows the word at this place."""
    return any(SECRETS.intersection(_parts(token)) for token in tokens[place + 1 : place + 2])


def _reach(tokens: Sequence[str], place: int) -> set[int]:
    """Return this place and those that it leads to past words that may be left out."""
    is_optional = place < len(tokens) and tokens[place].startswith("[")
    return {place} | (_reach(tokens, place + 1) if is_optional else set())


def _parts(token: str) -> list[str]:
    return [part.strip('[]."') for part in token.replace("[#N]", "").split("|")]


def _fits(part: str, word: str) -> bool:
    """Tell whether the word may be what this part of a syntax line stands for."""
    if LITERAL.fullmatch(part):
        return part.lower() == word.lower()
    return word[:1].isdigit() == (part == "BOARD") if part in {*PLAYERS, "BOARD"} else True


def _takes_me(verb: Verb, *, is_login: bool) -> bool:
    """Tell whether ``me`` may stand for a userid, or for it and the password after it."""
    login = verb.login
    if is_login or login is not None:
        return is_login and isinstance(login, Login) and login.takes_me
    return not verb.entry.for_operators

"""Tab completion, from the slots and option values in ``commands/slots.py``."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

import click
from click.shell_completion import CompletionItem, get_completion_class

from pbmserv.cli.options import NAMES, STYLES, VALUES, ShellOptions, load_games, take_options
from pbmserv.cli.shell_commands import command_tree, play_first
from pbmserv.club.player import ME
from pbmserv.commands.command_table import GAME, root
from pbmserv.commands.declaration import ParsedBy
from pbmserv.commands.game_options import game_params
from pbmserv.commands.grammar import Command, Group, option_name
from pbmserv.commands.help_files import topic_names
from pbmserv.commands.parse import resolve
from pbmserv.commands.slots import FILE, Kind, Slot, Term, next_slots, slot
from pbmserv.commands.words import OPTION
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import PbmservError
from pbmserv.store.known_names import BOARDS, TOURNAMENTS, USERIDS, known_names

LOOKED_UP = {Kind.PLAYER: USERIDS, Kind.BOARD: BOARDS, Kind.TOURNAMENT: TOURNAMENTS}
MOVES = ("pass", "swap", "resign", "propose", "undo", "accept", "reject")
SECRET = frozenset({Kind.PASSWORD})
FILES = {Kind.FILE: "file", Kind.FOLDER: "dir"}
PLAIN = "plain"


def complete(prefix: Sequence[str]) -> None:
    """Answer the shell's question and exit, unless there are words: those come from elsewhere."""
    program = prefix[0] if prefix else "pbmserv"
    variable = f"_{program.upper()}_COMPLETE"
    shell, _, task = os.environ.get(variable, "").partition("_")
    dialogue = get_completion_class(shell)
    if dialogue is None or sys.argv[1:]:
        return
    with_shell = dialogue(root(), {}, program, variable)
    # The script and the dialogue are click's; what may stand there is ours.
    with_shell.get_completions = (  # type: ignore[method-assign]
        lambda args, incomplete: completions([*prefix, *args], incomplete)
    )
    click.echo(with_shell.source() if task == "source" else with_shell.complete())
    sys.exit(0)


def completions(words: Sequence[str], typed: str) -> list[CompletionItem[str]]:
    """Return the completions of ``typed`` after these words."""
    words = [word for word in words if word != "="]  # bash takes size=7 apart
    start, typed = "", "" if typed == "=" else typed
    if OPTION.fullmatch(typed) and "=" in typed:
        name, _, typed = typed.partition("=")
        start, words = f"{name}=", [*words, name]
    try:
        load_games()
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
        self.options = ShellOptions()
        self.may_be_me = False
        """Whether ``me`` may stand for any userid."""

    def items(self) -> Iterator[CompletionItem[str]]:
        """Yield the possible next words, whether or not they begin as typed."""
        last = self.words[-1].lower() if self.words else ""
        if OPTION.fullmatch(last) and last.lstrip("-") in VALUES:
            yield from self._values([FILE] if last.endswith("database") else STYLES)
            return
        options = self.options = take_options(self.words, lambda _: ())
        command, _, left = resolve(command_tree(), play_first(options.words))
        named = [word.lower() for word in options.words if word.lower() in game_names()]
        self.game = find_game(named[0]).name if named else ""
        if isinstance(command, Group) and not self.typed.startswith("-"):
            for name, summary in command.summaries():
                yield CompletionItem(name, help=summary)
        elif isinstance(command, Command):
            yield from self._after_verb(command, left)
        if self.typed.startswith("-"):
            yield from self._dashed((name, "") for name in NAMES)

    def _after_verb(self, verb: Command, left: Sequence[str]) -> Iterator[CompletionItem[str]]:
        """Yield the options of a command, the values of one, or its possible next words."""
        options = self._options_of(verb)
        others, waiting = _split_options(left, options)
        if self.typed.startswith("-"):
            yield from self._dashed((name, each.help or "") for name, each in options.items())
        elif waiting is not None:
            read = waiting.type
            if isinstance(read, ParsedBy):
                yield from (CompletionItem(str(choice)) for choice in read.choices)
                yield from self._values([Term("", read.kind)] if read.kind else ())
        else:
            self.may_be_me = verb.login is None and not verb.entry.for_operators
            for place in dict.fromkeys(s for way in _ways(verb) for s in next_slots(way, others)):
                yield from self._values(place.parts)

    def _options_of(self, verb: Command) -> dict[str, click.Option]:
        """Return the options of a command by name, with those of the named game."""
        options = verb.options()
        if self.game and verb.game is None:
            own = game_params(find_game(self.game))
            options = [*options, *(p for p in own if isinstance(p, click.Option))]
        return {option_name(option): option for option in options}

    def _dashed(self, options: Iterable[tuple[str, str]]) -> Iterator[CompletionItem[str]]:
        """Yield options with as many dashes as are typed."""
        dashes = "--" if self.typed.startswith("--") else "-"
        for name, summary in options:
            yield CompletionItem(f"{dashes}{name}", help=summary or None)

    def _values(self, parts: Iterable[Term | str]) -> Iterator[CompletionItem[str]]:
        """Yield the words that may stand for one of these parts of a place."""
        for part in parts:
            if isinstance(part, str):
                yield from [CompletionItem(part)] * (part != "-")
            elif part.kind in FILES:
                yield CompletionItem("", type=FILES[part.kind])
            else:
                if part.kind is Kind.PLAYER and self.may_be_me:
                    yield CompletionItem(ME)
                yield from map(CompletionItem, self._words_for(part.kind))

    def _words_for(self, kind: Kind) -> Sequence[str]:
        """Return the known words of a kind, () for most."""
        if kind in LOOKED_UP:
            about = (self.game, self.typed) if kind is Kind.BOARD else (self.typed,)
            return known_names(self.options.url, LOOKED_UP[kind], *about)
        if kind is Kind.TOPIC:
            tree = command_tree()
            return sorted({*topic_names(), *tree.list_commands(None), *GAME})
        return {Kind.GAME: game_names(), Kind.MOVE: MOVES}.get(kind, ())


def _split_options(
    words: Sequence[str], options: Mapping[str, click.Option]
) -> tuple[list[str], click.Option | None]:
    """Return the words without options and their values, and the option whose value comes next."""
    others: list[str] = []
    waiting: click.Option | None = None
    for word in words:
        match = OPTION.fullmatch(word)
        if match is not None:
            found = options.get(match[1].lower())
            waiting = found if found and not found.is_flag and match[2] is None else None
        elif waiting is not None:
            waiting = None
        else:
            others.append(word)
    return others, waiting


def _ways(verb: Command) -> Iterator[tuple[Slot, ...]]:
    """Yield the possible sequences of a command's words."""
    for ways in product(*(param.ways.ways for param in verb.arguments)):
        slots = tuple(chain.from_iterable(ways))
        kinds = [each.kinds for each in slots]
        if verb.login is not None and verb.login.takes_me and SECRET in kinds:
            # Where the password and the userid before it stand, me may.
            at = kinds.index(SECRET)
            yield (*slots[: at - 1], slot(ME), *slots[at + 1 :])
        yield slots

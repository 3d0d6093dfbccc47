"""``play``: the words by which somebody sits down at a board, wherever it is drawn."""

import re
import secrets
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pbmserv.board.full_screen import is_full_terminal, open_screen
from pbmserv.board.hosts import Host, LocalHost, RecordHost
from pbmserv.board.lines import LinePlayer
from pbmserv.board.saved_games import file_for, load_all_unfinished
from pbmserv.board.server_host import ServerBoard, ServerConnection, ServerHost
from pbmserv.cli.advice import Threads, Time, check_level, level_option, load_match
from pbmserv.cli.shell import Shell
from pbmserv.cli.shell_commands import command_tree
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.commands.page_examples import STRATEGY
from pbmserv.commands.record_words import RecordSource, may_be_record
from pbmserv.commands.slots import BOARD, FILE, GAME, LINK, Ways, maybe, slot
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.level_list import DEFAULT_LEVEL, Level, level_of
from pbmserv.desk.local_game import new_game
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import is_plain
from pbmserv.errors import Misunderstood, NotFound, Refused, invalid_value
from pbmserv.settings import data_file


def parse_side(text: str) -> str:
    """Return ``X``, ``O`` or ``random``; raises :class:`Misunderstood`."""
    for side in ("X", "O", "random"):
        if text.lower() == side.lower():
            return side
    raise invalid_value("side", text, "X, O, random")


def parse_played(text: str) -> type[Game]:
    """Return the game so called; raises :class:`NotFound`, which for strategy tells the way."""
    if text.lower() == STRATEGY:
        hint = "To step through the examples run pbmserv play and choose Strategy."
        raise NotFound("No such game.", code="no-such-game", hint=hint, about=text)
    return parse_game_type(text)


def parse_engine(text: str) -> Level:
    """Return the level of a program with its arguments; raises :class:`Misunderstood`."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark without another
        words = []
    if not words or shutil.which(words[0]) is None:
        raise invalid_value("engine", text, "a program that is installed, and its arguments")
    name = re.sub("[^a-z0-9]+", "-", Path(words[0]).stem.lower()).strip("-")
    return Level(None, name or "program", program=tuple(words))


def check_play(
    level: int | None, time: float | None, side: str | None, engine: Level | None, *, two: bool
) -> None:
    """Raise :class:`Misunderstood` for more than one opponent."""
    check_level(level, time)
    theirs = {"level": level, "time": time} | ({"side": side, "engine": engine} if two else {})
    given = next((name for name, what in theirs.items() if what), "")
    if given and (two or engine):
        ours, words = ("two", "two people play") if two else ("engine", "a program plays")
        raise Misunderstood(
            f"The options -{ours} and -{given} cannot be combined.",
            code="options-clash",
            hint=f"With -{ours}, {words}; -{given} is for the computer.",
        )


PLAYED = Ways(((slot(BOARD), slot("me")), (slot(FILE, LINK),)), is_optional=True)


@command(check=check_play)
def play(
    shell: Shell,
    game: Annotated[type[Game] | None, Word(maybe(GAME), parse_played)] = None,
    words: Annotated[tuple[str, ...], Word(PLAYED)] = (),
    *,
    level: Annotated[int | None, level_option("plays", DEFAULT_LEVEL)] = None,
    time: Time = None,
    side: Annotated[
        str | None, Option(("X", "O", "random"), "your side; X moves first (default X)", parse_side)
    ] = None,
    engine: Annotated[
        Level | None,
        Option("COMMAND", "a program that plays instead of the computer", parse_engine),
    ] = None,
    two: Annotated[bool, Flag("two people play at one keyboard")] = False,
    threads: Threads = None,
    chosen: Annotated[GameChoice, OptionsOfNamedGame()],
) -> int:
    """Play at a board: against the computer, two at one keyboard, or on the server.

    Without arguments a full terminal shows a start screen: choose with the arrow keys; ? lists all
    keys. star play 101 me opens your board on the server, star play FILE steps through a game
    record or a link (help records). Elsewhere, and with --plain, you play line by line: type a cell
    such as C3 to place a stone, help for other words. One unfinished game of each game and size is
    saved and offered next time; in a pipe nothing is asked. See: help play.
    """
    has_screen = is_full_terminal() and not (shell.options.plain or shell.options.json)
    is_chosen = any((words, game, chosen.given, level, time, side, engine, two))
    server = ServerConnection(shell.options)
    try:
        if has_screen and not is_chosen:
            return open_screen(server, None)
        if words:
            host = _named_host(server, chosen.game, words)
        else:
            who = (engine or level_of(level, time, DEFAULT_LEVEL))._replace(threads=threads or 1)
            host = _new_host(chosen.game, None if two else who, side)
        if has_screen:
            return open_screen(server, host)
        # In place of a game that nobody chose the newest unfinished one is offered.
        folder = None if is_chosen else data_file("unfinished")
        kept = load_all_unfinished(folder)[0][:1] if folder else []
        return LinePlayer(host, shell.options, kept).run()
    finally:
        server.close()


def _new_host(game: Game, level: Level | None, side: str | None) -> Host:
    """Return a new game; raises :class:`Refused` for one that the computer cannot play."""
    is_program = level is not None and bool(level.program)
    if is_program and not is_plain(game):
        words = "A program can be told no options except size, komi and noswap."
        raise Refused(words, code="not-its-game")
    if level is not None and not is_program:
        require_arrays(game)
    mine = secrets.choice(list(Side)) if side == "random" else Side(side or "X")
    local = new_game(game, level, computer_begins=mine is Side.O)
    # A game against a program is not kept: it may not be there next time.
    folder = None if is_program else data_file("unfinished")
    return LocalHost(local, folder and file_for(folder, game))


def _named_host(server: ServerConnection, game: Game, words: Sequence[str]) -> Host:
    """Return a board of the server or a record; raises :class:`PbmservError`."""
    first, *rest = words
    is_board = first.isascii() and first.isdigit()
    is_file = not is_board and (may_be_record(first) or Path(first).exists())
    is_me = is_board and [word.lower() for word in rest[:1]] == ["me"]
    if not (is_board or is_file) or rest[1 if is_me else 0 :]:
        from pbmserv.commands.explanations import explain_play

        error = Misunderstood(
            "Unexpected argument.",
            code="surplus-word",
            hint=f"As in: {game.name} play 101 me, or {game.name} play FILE\nTo challenge "
            f"somebody: {game.name} challenge me USERID",
            about=(words if not (is_board or is_file) else rest)[-1],
        )
        explain_play(command_tree(), game.name, words, error)
        raise error
    if is_file:
        return RecordHost(*RecordSource(first).game())
    load_match(server.shell, game, int(first))  # a pulse is of one that there is
    return ServerHost(server, ServerBoard(game.name, int(first)))

"""``play``: the words by which somebody sits down at a board, wherever it is drawn."""

import secrets
from typing import Annotated

from pbmserv.board.local_game import new_game
from pbmserv.board.terminal_care import is_full_terminal
from pbmserv.cli.advice import Threads, parse_level
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.computer.level_list import LEVELS
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.errors import Misunderstood, invalid_value


def parse_side(text: str) -> str:
    """Return ``X``, ``O`` or ``random``; raises :class:`Misunderstood`."""
    for side in ("X", "O", "random"):
        if text.lower() == side.lower():
            return side
    raise invalid_value("side", text, "X, O, random")


def check_two(level: int | None, side: str | None, two: bool) -> None:  # noqa: FBT001
    """Raise :class:`Misunderstood` if two people are to play and the computer too."""
    if two and (level or side):
        name = "level" if level else "side"
        raise Misunderstood(
            f"The option -{name} needs a game against the computer.",
            code="options-clash",
            hint="With -two, two people play each other.",
        )


@command(check=check_two)
def play(  # noqa: PLR0913 - options are many
    shell: Shell,
    game: Annotated[type[Game] | None, Word("[GAME]", parse_game_type)] = None,
    words: Annotated[tuple[str, ...], Word("[BOARD me|FILE]")] = (),
    *,
    level: Annotated[
        int | None, Option("1..7", "how well the computer plays (1)", parse_level)
    ] = None,
    side: Annotated[
        str | None, Option("X|O|random", "your side; X moves first (X)", parse_side)
    ] = None,
    two: Annotated[bool, Flag("two people play at one keyboard")] = False,
    threads: Threads = None,
    chosen: Annotated[GameChoice, OptionsOfNamedGame()],
) -> int:
    """Sit down at a board: against the computer, two at one keyboard, or on the server.

    Without words a full terminal shows a start screen, where arrow keys choose and ? tells the
    keys. star play 101 me is your board on the server, star play FILE looks through a record.
    Elsewhere, and with --plain, all of them are played in lines: type a cell such as C3 to place a
    stone, help for the other words. An unfinished game against the computer or of two is kept, and
    offered the next time. See: help play.
    """
    has_screen = is_full_terminal() and not (shell.options.plain or shell.options.json)
    from pbmserv.cli.sitting import sit, sit_at_words

    if words:
        return sit_at_words(shell, chosen.game, words, has_screen=has_screen)
    is_chosen = bool(game or chosen.given or level or side or two)
    if has_screen and not is_chosen:
        return sit(shell, None, has_screen=has_screen)
    if not two:
        from pbmserv.computer.arena import require_arena

        require_arena(chosen.game)
    who = None if two else LEVELS[(level or 1) - 1]._replace(threads=threads or 1)
    mine = secrets.choice(list(Side)) if side == "random" else Side(side or "X")
    fresh = new_game(chosen.game, who, computer_begins=mine is Side.O)
    return sit(shell, fresh, has_screen=has_screen)

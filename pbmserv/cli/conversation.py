"""``play``: a game in lines at one keyboard, against the computer or between two people."""

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Timer
from typing import Annotated

from pbmserv.board.local_game import LocalGame, level_numbered, new_game
from pbmserv.board.terminal_care import is_full_terminal
from pbmserv.board.unfinished import keep_unfinished, load_unfinished
from pbmserv.cli.advice import Threads
from pbmserv.cli.main import EXIT_INTERRUPTED
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.printing import print_answer, print_error, print_notice
from pbmserv.cli.shell import Shell
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import GameChoice, OptionsOfNamedGame, parse_game_type
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.record import format_record
from pbmserv.engine.settle import settled
from pbmserv.errors import EXIT_DONE, Misunderstood, PbmservError, Refused, invalid_value
from pbmserv.render.document import view_document
from pbmserv.render.score_lines import headline, prospect_lines, sheet_lines
from pbmserv.render.view import Status, View, view_blocks
from pbmserv.settings import unfinished_game

DEFAULT_LEVEL = LEVELS[0]
HINT_LEVEL = LEVELS[5]
SECONDS_UNTOLD = 1.0
"""The computer may think so long before a terminal says that it does."""

HELP = """\
A cell (such as {cell}) places your stone there. pass gives up your turn; two
passes in succession end the game. swap, as the second move of an even game,
takes over the first stone.
  undo       take your last move back, and the computer's answer
  hint       the move that the computer would make for you, and why
  score      the score sheet, as if the game ended now
  resign     give up
  save FILE  write the record of the game into a new file
  quit       leave; an unfinished game is kept, and offered the next time
The rules: pbmserv help {game}"""

OVER = "The game is over. undo, score and save FILE still work; quit leaves."


def parse_level(text: str) -> Level:
    """Return the level with this number; raises :class:`Misunderstood`."""
    level = level_numbered(int(text)) if text.isascii() and text.isdigit() else None
    if level is None:
        raise invalid_value("level", text, f"1 to {len(LEVELS)}")
    return level


def parse_side(text: str) -> str:
    """Return ``X``, ``O`` or ``random``; raises :class:`Misunderstood`."""
    for side in ("X", "O", "random"):
        if text.lower() == side.lower():
            return side
    raise invalid_value("side", text, "X, O, random")


def check_two(level: Level | None, side: str | None, two: bool) -> None:  # noqa: FBT001
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
        Level | None, Option("1..7", "how well the computer plays (1)", parse_level)
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
    Elsewhere, and with --plain, a game against the computer or of two is played in lines: type a
    cell such as C3 to place a stone, help for the other words. An unfinished game is kept, and
    offered the next time. See: help play.
    """
    has_screen = is_full_terminal() and not (shell.options.plain or shell.options.json)
    if words:
        from pbmserv.cli.sitting import sit_at_words

        return sit_at_words(shell, chosen.game, words, has_screen=has_screen)
    is_chosen = bool(game or chosen.given or level or side or two)
    if has_screen and not is_chosen:
        from pbmserv.cli.sitting import sit

        return sit(shell, None)
    if not two:
        _require_computer(chosen.game)
    who = None if two else (level or DEFAULT_LEVEL)._replace(threads=threads or 1)
    mine = secrets.choice(list(Side)) if side == "random" else Side(side or "X")
    fresh = new_game(chosen.game, who, computer_begins=mine is Side.O)
    if has_screen:
        from pbmserv.cli.sitting import sit

        return sit(shell, fresh)
    return Conversation(fresh, shell.options, unfinished_game()).run()


def _require_computer(game: Game) -> None:
    """Raise :class:`Refused` for a game that the computer does not play."""
    from pbmserv.computer.arena import arena_of

    if arena_of(game) is None:
        raise Refused(f"The computer cannot play {game.title}.", code="no-computer")


class Conversation:
    """The lines typed and the answers printed, from the first board until somebody leaves."""

    def __init__(self, local: LocalGame, options: ShellOptions, file: Path) -> None:
        """Begin with this game, unless the unfinished one in ``file`` is to go on."""
        self.local = local
        self.options = options
        self.file = file
        self.can_keep = True

    @cached_property
    def commands(self) -> Mapping[str, Callable[[], None]]:
        """What the words do that stand alone and are no move."""
        return {
            "undo": lambda: self._go_on(self.local.undo()),
            "hint": self._hint,
            "score": self._score,
            "resign": lambda: self._go_on(self.local.resign()),
            "help": self._help,
        }

    def run(self) -> int:
        """Talk until the lines end or one says ``quit``; return the exit code."""
        code = EXIT_DONE
        try:
            if (kept := load_unfinished(self.file)) is not None and self._wants(kept):
                self.local = kept
            self._say("Type a cell to place a stone, help for the other words, quit to leave.")
            self._go_on(self.local)
            while (line := self._read()) is not None and line.lower() != "quit":
                self._obey(line.split())
        except EOFError:
            pass  # left at the first question
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
        if self.can_keep and self.local.moves and self.local.outcome is None:
            self._say("The game is saved: pbmserv play goes on with it.")
        return code

    def _obey(self, words: Sequence[str]) -> None:
        """Do what one line says; a line that cannot be done is told, and nothing is changed."""
        try:
            word = words[0].lower() if words else ""
            if word == "save":
                self._save(words[1:])
            elif len(words) == 1 and word in self.commands:
                self.commands[word]()
            elif words:
                move = self.local.game.parse_move("+".join(words))
                self._go_on(self.local.play(move))
        except PbmservError as error:
            self._tell(error)

    def _go_on(self, local: LocalGame) -> None:
        """Take this game as it stands, let the computer move where it is its turn, and show it."""
        self.local = local
        self._keep()
        if local.is_computers_turn:
            with self._thinking():
                self.local = local.let_computer_move(secrets.randbits(32))
            self._say(f"The computer {self.local.deed}.")
            self._keep()
        view = view_of(self.local)
        head, *blocks = view_blocks(view, rounds=1)
        if not self.options.json:
            sys.stdout.write("\n")
        first = f"{head}\n{_players(self.local)}" if self.local.level else head
        print_answer(Answer((first, *blocks), view_document(view)), self.options)
        if self.local.outcome is not None:
            self._say(OVER)

    def _hint(self) -> None:
        local = self.local
        if local.outcome is not None:
            raise Refused("The game is over.", code="game-over")
        from pbmserv.computer.hint_words import hint_lines
        from pbmserv.computer.levels import choose

        with self._thinking():
            choice = choose(local.game, local.position, HINT_LEVEL, secrets.randbits(32))
        self._say("\n".join(hint_lines(local.game, local.position, choice)))

    def _score(self) -> None:
        game, position = self.local.game, self.local.position
        found = game.score(position)
        is_over = self.local.outcome is not None
        bounds = None if is_over else settled(game, position)
        lines = [
            *sheet_lines(game, found, headline(found, is_over=is_over)),
            *prospect_lines(found, bounds),
        ]
        self._say("\n".join(lines))

    def _help(self) -> None:
        game = self.local.game
        self._say(HELP.format(cell=game.board.names[0], game=game.name))

    def _save(self, words: Sequence[str]) -> None:
        if not words:
            raise Misunderstood("Missing argument: FILE.", code="missing-word")
        from pbmserv.store.new_file import full_path, write_file

        path = full_path(Path(" ".join(words)))
        if path.exists():
            raise Refused(
                f"The file {path} exists already.", code="file-exists", hint="Name a new file."
            )
        text = format_record(self.local.record())
        write_file(path, text.encode(), suffix=path.suffix, overwrite=False)
        self._say(f"Written: {path}")

    def _wants(self, kept: LocalGame) -> bool:
        """Ask whether the unfinished game is to go on; raises EOFError where nobody answers."""
        count = len(kept.moves)
        self._say(
            f"There is an unfinished game of {kept.game.title} (moves: {count})."
            " Go on with it? yes, or no for a new game in its place."
        )
        while (line := self._read()) is not None:
            if line.lower() in {"yes", "no"}:
                return line.lower() == "yes"
            self._tell(Misunderstood("Answer yes or no; Ctrl-D leaves.", code="not-yes-or-no"))
        raise EOFError

    def _keep(self) -> None:
        """Keep the unfinished game in the file; delete the file where there is none to go on."""
        if not self.can_keep:
            return
        try:
            keep_unfinished(self.local, self.file)
        except (PbmservError, OSError) as error:
            self.can_keep = False
            print_notice(f"The game cannot be saved for next time: {error}")

    def _read(self) -> str | None:
        """Return the next line without blanks around it, None at the end; prompt on a terminal."""
        sys.stdout.flush()
        if sys.stdin.isatty():
            try:
                return input("> ").strip()
            except EOFError:
                sys.stdout.write("\n")
                return None
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise Refused("Standard input is not UTF-8 text.", code="not-text") from None
        return line.strip() if line else None

    def _say(self, text: str) -> None:
        print_answer(Answer((text,), {"note": text}), self.options)

    def _tell(self, error: PbmservError) -> None:
        sys.stdout.flush()
        print_error(error, self.options)

    @contextmanager
    def _thinking(self) -> Iterator[None]:
        """Tell a terminal that the computer thinks, where the block takes longer than a moment."""
        timer = Timer(SECONDS_UNTOLD, print_notice, ["The computer is thinking ..."])
        if sys.stderr.isatty():
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


def view_of(local: LocalGame) -> View:
    """Return the game as it is shown."""
    outcome = local.outcome
    status: Status = "running"
    if outcome is not None:
        status = "drawn" if outcome.winner is None else "won"
    return View(
        game=local.game,
        title=local.game.title,
        number=None,
        names=dict.fromkeys(Side),
        moves=tuple(move.text for move in local.moves),
        movers=tuple(position.to_move for position in local.positions[:-1]),
        position=local.position,
        status=status,
        outcome=outcome,
        closing=local.closing,
    )


def _players(local: LocalGame) -> str:
    side, level = local.computer_side, local.level
    if side is None or level is None:
        return ""
    return f"You are {side.other}; the computer is {side}, level {level.number} ({level.name})."

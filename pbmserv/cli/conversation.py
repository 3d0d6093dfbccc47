"""A board in lines: for a pipe, a screen reader, or a terminal that shows no whole screen."""

import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from select import select
from threading import Timer
from typing import TYPE_CHECKING

from pbmserv.board.course import Course
from pbmserv.board.hosts import LOOK_PAUSE, Host, LocalHost
from pbmserv.board.keys import press
from pbmserv.board.local_game import LocalGame
from pbmserv.board.play_session import Session, Wish, sit_down
from pbmserv.board.unfinished import load_unfinished
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.printing import print_answer, print_error, print_notice
from pbmserv.commands.answer import Answer
from pbmserv.computer.level_list import HINT_LEVEL, Level
from pbmserv.engine.position import Position
from pbmserv.engine.record import format_record
from pbmserv.errors import EXIT_DONE, EXIT_INTERRUPTED, Fault, Misunderstood, PbmservError, Refused
from pbmserv.render.document import view_document
from pbmserv.render.score_lines import headline, prospect_lines, sheet_lines
from pbmserv.render.view import view_blocks

if TYPE_CHECKING:
    from pbmserv.computer.levels import Choice

SECONDS_UNTOLD = 1.0
"""The computer may think so long before a terminal says that it does."""

HELP = """\
A cell (such as {cell}) places your stone there. pass gives up your turn; two
passes in succession end the game. swap, as the second move of an even game,
takes over the first stone.
  undo       {undo}
  resign     give up
{more}  score      the score sheet, as if the game ended now
  back, on   go through the moves; first and last go to either end
  try        only try moves from here on; try again goes back to the game
  save FILE  write the record of the game into a new file
  quit       leave{quit}
{end}The rules: pbmserv help {game}"""

HINT = "  hint       the move that the computer would make for you, and why\n"
SERVER = """\
  say TEXT   say something at the board
  propose    propose a draw; propose 26-25 a result, X's points first
  accept     accept what your opponent offers; reject turns it down
  plan MOVES plan moves: F6 G7:H8/A1:A2 (pbmserv help queue)
  next       go to the next board where it is your turn
  bell       ring a bell when it is your turn, or no longer
"""
LOOKING = "What is new is told by itself at a terminal, elsewhere by an empty line.\n"

OVER = "The game is over: help tells what still works, quit leaves."

KEYS = {
    "back": "[",
    "on": "]",
    "first": "{",
    "last": "}",
    "try": "v",
    "hint": "h",
    "undo": "u",
    "resign": "r",
    "next": "n",
    "bell": "!",
}
"""The words for what a key does on the screen."""


class Conversation:
    """The lines typed and the answers printed, from the first board until somebody leaves."""

    def __init__(self, host: Host, options: ShellOptions) -> None:
        """Begin with the game that the host has; an unfinished local one may go on instead."""
        self.options = options
        self.is_cut_off = False
        self._sit_at(host)

    def _sit_at(self, host: Host) -> None:
        self.host = host
        self.session = sit_down(host.course())

    @property
    def words(self) -> Mapping[str, Callable[[str], None]]:
        """What the words do that are no move and no key, with the text behind them."""
        return {
            "": self._look_on,
            "help": self._help,
            "score": self._score,
            "save": self._save,
            "say": self._send_text("say"),
            "propose": lambda text: self._send(Wish("propose", text)),
            "plan": self._send_text("plan"),
            "accept": lambda _: self._answer(Wish("accept", self.session.course.answers)),
            "reject": lambda _: self._answer(Wish("reject")),
        }

    def run(self) -> int:
        """Talk until the lines end or one says ``quit``; return the exit code.

        Raises :class:`Fault` where the server fails and nobody is there to be asked.
        """
        code = EXIT_DONE
        try:
            self._offer_unfinished()
            self._say("Type a cell to place a stone, help for the other words, quit to leave.")
            self._let_computer_move()
            self._show()
            while (line := self._read()) is not None and line.lower() != "quit":
                self._obey(line)
        except EOFError:
            pass  # left at the first question
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
        host = self.host
        if isinstance(host, LocalHost) and host.file and host.local.is_unfinished:
            self._say("The game is saved: pbmserv play goes on with it.")
        return code

    def _obey(self, line: str) -> None:
        """Do what one line says; a line that cannot be done is told, and nothing is changed."""
        word, _, text = line.partition(" ")
        word, text = word.lower(), text.strip()
        try:
            if word in self.words:
                self.words[word](text)
            elif word in KEYS and not text:
                self._take(press(self.session, KEYS[word]))
            else:
                self._move(line)
        except PbmservError as error:
            if isinstance(error, Fault) and self.host.is_slow and not sys.stdin.isatty():
                raise
            self._tell(error)

    def _move(self, line: str) -> None:
        """Make a move, or try it where moves are only tried."""
        session = self.session
        move = session.game.parse_move("+".join(line.split()))
        if session.tried is not None:
            session.game.play(session.position, move)
            self._take(session.turn(move))
        elif session.ply is not None:
            raise Refused(
                "This is a moment of the past: nothing is played there.",
                code="look-at-past",
                hint="last goes back to the game, try tries moves from here.",
            )
        else:
            self._grant(Wish("move", move.text))

    def _take(self, after: Session) -> None:
        """Go on with the session that a key has led to."""
        before, question = self.session, after.question
        self.session = replace(after, question=None, wish=None, note="")
        if after.note:
            self._say(after.note)
        wish = question.wish if question else after.wish
        # What the screen asks about was typed in full; only what ends a game for good is asked.
        if question and wish == Wish("resign") and after.course.is_stored:
            wish = wish if self._agrees(question.text) else None
        if wish == Wish("hint"):
            self._hint()
        elif wish is not None:
            self._grant(wish)
        elif self.session.position != before.position:
            self._show()

    def _send_text(self, verb: str) -> Callable[[str], None]:
        """Return what sends a text that must not be empty."""

        def send(text: str) -> None:
            if not text:
                raise Misunderstood("Missing argument: TEXT.", code="missing-word")
            self._send(Wish(verb, text))

        return send

    def _answer(self, wish: Wish) -> None:
        if not self.session.course.answers:
            raise Refused("There is no offer to be answered.", code="nothing-offered")
        self._send(wish)

    def _send(self, wish: Wish) -> None:
        """Grant what only a board of the server knows."""
        if not self.session.course.is_stored:
            raise Refused("That is for boards on the server.", code="no-server")
        self._grant(wish)

    def _grant(self, wish: Wish) -> None:
        """Have the host do something, and tell what came of it."""
        note = self._granted(wish)
        if note:
            self._say(note)
        self._follow(self.host.course())

    def _granted(self, wish: Wish) -> str:
        while True:
            try:
                return self.host.fulfil(wish)
            except Fault as fault:
                if not (self.host.is_slow and sys.stdin.isatty()):
                    raise
                self._tell(fault)
                if not self._agrees("Try again?"):
                    return ""

    def _follow(self, course: Course) -> None:
        """Tell what is new in the game, after the computer's move where it is its turn."""
        before = self.session.course
        self.session = self.session.with_course(course)
        if before.outcome != course.outcome or before.moves != course.moves:
            self._let_computer_move()
            self._show()
        elif course.title != before.title:
            self._show()
        else:
            news = [*course.said[len(before.said) :]]
            if course.offer != before.offer and course.offer:
                news.append(_offer_words(course))
            if news:
                self._say("\n".join(news))

    def _let_computer_move(self) -> None:
        host = self.host
        while isinstance(host, LocalHost) and (level := host.local.thinks):
            self._say(host.answer(self._choice(host.local.position, level).move))
            self.session = self.session.with_course(host.course())

    def _show(self) -> None:
        """Print the board as it is seen, and what goes with it now."""
        session, course = self.session, self.session.course
        blocks = view_blocks(session.view, rounds=1)
        document = course.document if session.is_now else None
        if session.is_now:
            turn = ["It is your turn."] if course.is_stored and session.is_my_turn else []
            offer = [_offer_words(course)] if course.offer else []
            beside = "\n".join([*turn, *course.beside, *offer])
            blocks += [text for text in (beside, "\n".join(course.said[-3:])) if text]
        if not self.options.json:
            sys.stdout.write("\n")
        print_answer(Answer(tuple(blocks), document or view_document(session.view)), self.options)
        if session.is_now and course.outcome is not None:
            self._say(OVER)

    def _look_on(self, _: str) -> None:
        """Look whether others have moved; elsewhere an empty line is none."""
        if self.host.is_slow and not self._look():
            self._say("Nothing new.")

    def _look(self) -> bool:
        """Tell what others have done since, and return whether there was anything to tell."""
        was_cut_off, was_my_turn = self.is_cut_off, self.session.is_my_turn
        try:
            found = self.host.look()
        except PbmservError as error:
            self.is_cut_off = True
            if not was_cut_off:
                self._tell(error)
            return not was_cut_off
        self.is_cut_off = False
        if was_cut_off:
            self._say("The database answers again.")
        if found is not None:
            self._follow(found)
            if self.session.rings and self.session.is_my_turn and not was_my_turn:
                sys.stdout.write("\a")
        return was_cut_off or found is not None

    def _hint(self) -> None:
        from pbmserv.computer.hint_words import hint_lines

        game, position = self.session.game, self.session.position
        lines = hint_lines(game, position, self._choice(position, HINT_LEVEL))
        self._say("\n".join(lines))

    def _choice(self, position: Position, level: Level) -> "Choice":
        """Return what the computer would do; a terminal is told if that takes long."""
        from pbmserv.computer.levels import choose

        timer = Timer(SECONDS_UNTOLD, print_notice, ["The computer is thinking ..."])
        if sys.stderr.isatty():
            timer.start()
        try:
            return choose(self.session.game, position, level, secrets.randbits(32))
        finally:
            timer.cancel()

    def _score(self, _: str) -> None:
        view = self.session.view
        lines = sheet_lines(view.game, view.score, headline(view.score, is_over=not view.to_move))
        self._say("\n".join([*lines, *prospect_lines(view.score, view.settled)]))

    def _help(self, _: str) -> None:
        course, game = self.session.course, self.session.game
        undo = "take your last move back, and the computer's answer"
        stays = isinstance(self.host, LocalHost)
        more, end = HINT if course.may_think else "", ""
        if course.is_stored:
            undo, end = "ask your opponent to take the last move back", LOOKING
            more += SERVER
        self._say(
            HELP.format(
                cell=game.board.names[0],
                undo=undo,
                more=more,
                end=end,
                quit="; an unfinished game is kept, and offered the next time" if stays else "",
                game=game.name,
            )
        )

    def _save(self, name: str) -> None:
        if not name:
            raise Misunderstood("Missing argument: FILE.", code="missing-word")
        from pbmserv.store.new_file import full_path, write_file

        path = full_path(Path(name))
        if path.exists():
            raise Refused(
                f"The file {path} exists already.", code="file-exists", hint="Name a new file."
            )
        text = format_record(self.host.record())
        write_file(path, text.encode(), suffix=path.suffix, overwrite=False)
        self._say(f"Written: {path}")

    def _offer_unfinished(self) -> None:
        """Ask whether the unfinished game is to go on, where a new one is to begin.

        Raises EOFError where nobody answers.
        """
        host = self.host
        if not (isinstance(host, LocalHost) and host.file):
            return
        kept = load_unfinished(host.file)
        if kept is not None and self._agrees(_unfinished_words(kept)):
            self._sit_at(LocalHost(kept, host.file))

    def _agrees(self, question: str) -> bool:
        """Ask for yes or no; raises EOFError where nobody answers."""
        self._say(f"{question} yes, or no.")
        while (line := self._read(looks=False)) is not None:
            if line.lower() in {"yes", "no"}:
                return line.lower() == "yes"
            self._tell(Misunderstood("Answer yes or no; Ctrl-D leaves.", code="not-yes-or-no"))
        raise EOFError

    def _read(self, *, looks: bool = True) -> str | None:
        """Return the next line without blanks around it, None at the end.

        A terminal is told meanwhile, if it ``looks``, what others do.
        """
        sys.stdout.flush()
        if is_terminal := sys.stdin.isatty():
            _prompt()
            looks = looks and self.host.is_slow
            while looks and not select([sys.stdin], [], [], LOOK_PAUSE)[0]:
                if self._look():
                    _prompt()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise Refused("Standard input is not UTF-8 text.", code="not-text") from None
        if is_terminal and not line:
            sys.stdout.write("\n")
        return line.strip() if line else None

    def _say(self, text: str) -> None:
        print_answer(Answer((text,), {"note": text}), self.options)

    def _tell(self, error: PbmservError) -> None:
        sys.stdout.flush()
        print_error(error, self.options)


def _prompt() -> None:
    sys.stdout.write("> ")
    sys.stdout.flush()


def _unfinished_words(kept: LocalGame) -> str:
    count = len(kept.moves)
    return f"There is an unfinished game of {kept.game.title} (moves: {count}). Go on with it?"


def _offer_words(course: Course) -> str:
    return f"{course.offer}{': accept, or reject.' if course.answers else '.'}"

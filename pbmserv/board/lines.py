"""A board in lines: for a pipe, a screen reader, or a terminal that shows no whole screen."""

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from select import select
from threading import Timer
from typing import TYPE_CHECKING

from pbmserv.board.actions import speak, word_lines
from pbmserv.board.controller import Controller
from pbmserv.board.hosts import LOOK_PAUSE, Host, LocalHost
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import SavedGame, game_words
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.printing import fit_to_terminal, print_answer, print_error, print_notice
from pbmserv.club.written_text import QUOTABLE
from pbmserv.commands.answer import Answer
from pbmserv.commands.record_words import find_reader
from pbmserv.computer.level_list import Level
from pbmserv.engine.moments import lines_of
from pbmserv.engine.position import Position
from pbmserv.engine.spec import option_words
from pbmserv.errors import EXIT_DONE, EXIT_INTERRUPTED, Fault, Misunderstood, PbmservError
from pbmserv.render.document import view_document
from pbmserv.render.score_lines import prospect_lines, sheet_lines
from pbmserv.render.view import score_words, view_blocks

if TYPE_CHECKING:
    from pbmserv.computer.levels import Choice

SECONDS_UNTOLD = 1.0
"""The computer may think so long before a terminal says that it does."""

HELP = """\
A cell (such as {cell}) places your stone there. pass gives up your turn; two
passes in succession end the game. swap, as the second move of an even game,
takes over the first stone.
{words}
  quit       leave{quit}
{end}The rules: pbmserv help {game}"""
LOOKING = "News appears by itself at a terminal; in a pipe, send an empty line to see it.\n"
KEPT = "; an unfinished game is saved and offered next time"
OVER = "The game is over. Type help to see what still works, or quit."


class LinePlayer(Controller):
    """The lines typed and the answers printed, from the first board until somebody leaves."""

    def __init__(self, host: Host, options: ShellOptions, kept: Sequence[SavedGame] = ()) -> None:
        """Begin with the game that the host has, or at a terminal go on with one of those kept."""
        self.options = options
        self.kept = kept
        self.has_told = False
        self.seen: Session | None = None
        self.sit(host)

    def run(self) -> int:
        """Read lines until the end or ``quit``; return the exit code or raise :class:`Fault`."""
        code = EXIT_DONE
        try:
            self._offer_unfinished()
            self.tell("Type a cell to place a stone, help for other words, quit to leave.")
            self.go_on()
            self.paint()
            while (line := self._read()) is not None:
                self._obey(line)
        except EOFError:
            pass  # left by a word, or at a question
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
        host = self.host
        if isinstance(host, LocalHost) and host.file and host.local.is_unfinished:
            game = host.local.game
            words = f"pbmserv play {game.name}{option_words(game)}"
            self.tell(f"The game is saved. To go on with it: {words}")
        return code

    def _obey(self, line: str) -> None:
        """Carry out one line, or print why not; raises EOFError for ``quit``."""
        if not line:
            if self.is_slow and not self._finds_news():
                self.tell("Nothing new.")
            return
        try:
            # What is said may have such a sign, too, but not in its first word.
            is_link = bool(set("/#;{") & set(line.partition(" ")[0])) and bool(find_reader(line))
            pasted = replace(self.session, intent=Intent("paste", line))
            after = pasted if is_link else speak(self.session, line)
        except PbmservError as error:
            self.show_error(error)
            return
        question, is_final = after.question, after.now.is_stored and line.lower() == "resign"
        if question is not None and not is_final:
            # What the screen asks about was typed in full; only what ends a game for good is asked.
            after = replace(after, question=None, intent=question.intent)
        if after.intent == Intent("leave"):
            raise EOFError
        self.follow(after)
        while (question := self.session.question) is not None:
            intent = question.intent if self._agrees(question.text) else None
            self.follow(replace(self.session, question=None, intent=intent))
        self.paint()

    # What is done in lines

    def tell(self, note: str) -> None:
        """Print a note."""
        if note:
            self.has_told = True
            print_answer(Answer((fit_to_terminal(note),), {"note": note}), self.options)

    def show_error(self, error: PbmservError) -> None:
        """Print why something was not done; raise the error where nobody could try again."""
        if isinstance(error, Fault) and self.is_slow and not sys.stdin.isatty():
            raise error
        self._print_error(error)

    def _print_error(self, error: PbmservError) -> None:
        self.has_told = True
        sys.stdout.flush()
        print_error(error, self.options)

    def show_lost(self, error: PbmservError) -> None:
        """Print once that moves of others cannot be shown."""
        if not self.is_cut_off:
            self._print_error(error)
        self.is_cut_off = True

    def bell(self) -> None:
        """Ring the terminal's bell for what others did, but not in front of a document."""
        if self.is_slow and not self.options.json:
            sys.stdout.write("\a")

    def think(
        self,
        told: Callable[["Choice"], None],
        position: Position,
        level: Level,
        moves: tuple[str, ...] = (),
        *,
        is_hint: bool = False,
    ) -> None:
        """Have the computer think; a terminal is told if that takes long."""
        from pbmserv.board.thinker import choice_of

        timer = Timer(SECONDS_UNTOLD, print_notice, ["The computer is thinking ..."])
        if sys.stderr.isatty():
            timer.start()
        try:
            game, seed = self.session.game, secrets.randbits(32)
            choice = choice_of(game, position, level, moves, seed, is_hint=is_hint)
        finally:
            timer.cancel()
        told(choice)

    def show_hint(self, position: Position, choice: "Choice") -> None:
        """Print the computer's move in a position."""
        from pbmserv.computer.hint_words import hint_lines

        self.tell("\n".join(hint_lines(self.session.game, position, choice, QUOTABLE)))

    # What is printed

    def paint(self) -> None:
        """Print what is new since this was done last; of what is said the last is known alone."""
        session, seen = self.session, self.seen
        self.scene = self.seen = replace(session, note="", page="")
        self.tell(session.note)
        if session.page:
            self.tell(self._help() if session.page == "?" else self._score())
        if seen is None or _moment(seen) != _moment(session):
            self._print_board()
            return
        now, before = session.now, seen.now
        old, offer = before.said, now.offer_line if now.offer_line != before.offer_line else ""
        known = next(n for n in range(len(old), -1, -1) if old[len(old) - n :] == now.said[:n])
        self.tell("\n".join(filter(None, [*now.said[known:], offer])))

    def _print_board(self) -> None:
        """Print the board as it is seen, and what goes with it now."""
        session, now = self.session, self.session.now
        blocks = view_blocks(session.view, rounds=1)
        document = self.host.document if session.is_now and self.host else None
        if session.is_now:
            turn = ["It is your turn."] if now.is_stored and session.is_my_turn else []
            beside = lines_of([*turn, *now.beside])
            blocks += [text for text in (beside, "\n".join(now.said[-3:])) if text]
        if not self.options.json:
            sys.stdout.write("\n")
        shown = tuple(
            fit_to_terminal(block) if isinstance(block, str) else block for block in blocks
        )
        self.has_told = True
        print_answer(Answer(shown, document or view_document(session.view)), self.options)
        if session.is_now and now.record.outcome is not None:
            self.tell(OVER)

    def _score(self) -> str:
        view = self.session.view
        lines = sheet_lines(view.game, view.score, score_words(view, view.score))
        return "\n".join([*lines, *prospect_lines(view.score, view.settled)])

    def _help(self) -> str:
        now, game = self.session.now, self.session.game
        return HELP.format(
            cell=game.board.names[0],
            words="\n".join(word_lines(now)),
            quit=KEPT if isinstance(self.host, LocalHost) else "",
            end=LOOKING if now.is_stored else "",
            game=game.name,
        )

    # What is read

    def _finds_news(self) -> bool:
        """Print the moves of others since then; return whether there were any."""
        self.has_told = False
        if self.host is not None:
            self.wait(self.host.look, self.show_news, self.show_lost)
        self.paint()
        return self.has_told

    def _offer_unfinished(self) -> None:
        """Ask at a terminal whether to resume an unfinished game; else do not save the new one.

        Raises EOFError if nobody answers.
        """
        host = self.host
        if not isinstance(host, LocalHost):
            return
        displaced, problem = host.displaced()
        if problem is not None:
            self.show_error(problem)
            return
        if not sys.stdin.isatty():
            if displaced is not None:
                host.file = None
                words = game_words(host.local.game)
                self.tell(f"An unfinished game of {words} is already saved, so this game is not.")
            return
        kept = [each for each in self.kept if each.file != host.file]
        for each in kept if displaced is None else [*kept, displaced]:
            if self._agrees(f"There is an unfinished game: {each.words}. Go on with it?"):
                self.sit(LocalHost(each.local, each.file))
                return

    def _agrees(self, question: str) -> bool:
        """Ask for yes or no; raises EOFError where nobody answers."""
        self.tell(f"{question} yes, or no.")
        while (line := self._read(looks=False)) is not None:
            if line.lower() in {"yes", "no"}:
                return line.lower() == "yes"
            self.show_error(
                Misunderstood("Answer yes or no, or press Ctrl-D to leave.", code="not-yes-or-no")
            )
        raise EOFError

    def _read(self, *, looks: bool = True) -> str | None:
        """Return the next line, None at the end; ``looks`` for news while a terminal waits."""
        sys.stdout.flush()
        if is_terminal := sys.stdin.isatty():
            _prompt()
            while looks and self.is_slow and not select([sys.stdin], [], [], LOOK_PAUSE)[0]:
                if self._finds_news():
                    _prompt()
        line = sys.stdin.readline()
        if is_terminal and not line:
            sys.stdout.write("\n")
        return line.strip() if line else None


def _moment(session: Session) -> tuple[object, ...]:
    """Return the state of the game; the board is printed again when it changes."""
    record = session.now.record
    return session.position, record.moves, record.outcome, session.now.title


def _prompt() -> None:
    sys.stdout.write("> ")
    sys.stdout.flush()

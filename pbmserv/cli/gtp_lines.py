"""The lines of a controller of ``gtp``, and those by which a search is drawn on its board."""

import os
from collections import deque
from collections.abc import Iterator
from select import select
from typing import TextIO

from pbmserv.computer.search import Analysis
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.swap_pieces import format_gtp_move

INTERRUPT = "# interrupt"
"""The comment that stops the thinking about the commands before it."""

ANALYZE_COMMANDS = """\
pspairs/Best moves/best_moves %m
pspairs/Winning chances/chance_map %m
gfx/Owner map/owner_map %m
string/Final score/final_score
param/Options/param_game"""
"""A line for each command that a viewer can offer: the form of its answer, a label, the words."""

MAX_READ = 1 << 16
MAX_BEST = 5
"""Moves that are numbered as the best."""


class CommandLines:
    """The lines in their order; while one is answered, those behind it can be looked through."""

    def __init__(self, stream: TextIO) -> None:
        """Begin to read; a stream without a file, as of a test, is read to its end at once."""
        self._waiting = deque[str]()
        self._rest = b""
        self._file: int | None = None
        try:
            self._file = stream.fileno()
        except OSError:
            self._waiting.extend(stream.read().split("\n"))

    def __iter__(self) -> Iterator[str]:
        while self._waiting or self._file is not None:
            if self._waiting:
                yield self._waiting.popleft()
            elif self._file is not None:
                self._read(self._file)

    def has_interrupt(self) -> bool:
        """Tell whether the controller wants no more thinking about the command of this line."""
        if self._file is not None and select([self._file], [], [], 0)[0]:
            self._read(self._file)
        return any(line.strip() == INTERRUPT for line in self._waiting)

    def _read(self, file: int) -> None:
        """Read what has come; the last line of all may have no end."""
        data = os.read(file, MAX_READ)
        *lines, self._rest = (self._rest + (data or b"\n")).split(b"\n")
        self._waiting.extend(line.decode(errors="replace") for line in lines)
        if not data:
            self._file = None


def best_moves(analysis: Analysis) -> str:
    """Return the best moves with their ranks: ``c3 1 b4 2``."""
    best = analysis.candidates[:MAX_BEST]
    return " ".join(f"{format_gtp_move(each.move)} {n}" for n, each in enumerate(best, start=1))


def chance_map(analysis: Analysis) -> str:
    """Return the chance in percent of each move that was tried: ``c3 62 b4 55``."""
    tried = (each for each in analysis.candidates if each.share)
    return " ".join(f"{format_gtp_move(each.move)} {round(100 * each.chance)}" for each in tried)


def owner_map(game: Game, analysis: Analysis) -> str:
    """Return how often black owns each cell in the end, 0 to 1, and the chance in words."""
    owned = zip(game.board.names, analysis.ownership, strict=True)
    pairs = " ".join(f"{name.lower()} {min(max(share, 0.0), 1.0):.2f}" for name, share in owned)
    return f"INFLUENCE {pairs}\nTEXT {_chance_words(analysis)}"


def live_lines(game: Game, analysis: Analysis) -> str:
    """Return a search so far: its line, the chances and visits of its moves, and words."""
    tried = [each for each in analysis.candidates if each.share][:MAX_BEST]
    side, line = analysis.side, list[str]()
    for move in analysis.line:
        line += (f"{'BW'[side is Side.O]} {game.board.names[cell].lower()}" for cell in move.cells)
        side = side.other
    chances = (f"{format_gtp_move(each.move)} {each.chance:.2f}" for each in tried)
    visits = (
        f"{format_gtp_move(each.move)} {round(each.share * analysis.simulations)}" for each in tried
    )
    words = f"{analysis.simulations} simulations. {_chance_words(analysis)}"
    shown = f"VAR {' '.join(line)}\nINFLUENCE {' '.join(chances)}\nLABEL {' '.join(visits)}"
    return f"gogui-gfx:\nuct\n{shown}\nTEXT {words}"


def _chance_words(analysis: Analysis) -> str:
    colour = "Black" if analysis.side is Side.X else "White"
    return f"{colour} wins with {round(100 * analysis.chance)} %."

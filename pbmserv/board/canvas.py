"""The one widget of the board: it draws frames, and knows how each tone looks."""

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from pbmserv.board.frame import Frame, Tone
from pbmserv.club.written_text import escape_controls
from pbmserv.render.colours import CORNER, DARK
from pbmserv.render.terminal import O_COLOUR, X_COLOUR


def palette(colours: str) -> dict[Tone, Style]:
    """Return how each tone looks with ``none``, ``16`` or ``full`` colours, on any background."""
    x, o, green, white, black = "blue", "yellow", "green", "bright_white", "black"
    if colours == "full":
        x, o, green, white, black = X_COLOUR, O_COLOUR, CORNER, DARK.x_mark, DARK.o_mark
    stone_x, stone_o = f"bold {white} on {x}", f"bold {black} on {o}"
    looks = {  # without colours, and with them
        Tone.PLAIN: ("", ""),
        Tone.DIM: ("", "dim"),
        Tone.STRONG: ("bold", "bold"),
        Tone.TITLE: ("reverse", stone_x),
        Tone.KEY: ("bold", "bold"),
        Tone.CHOSEN: ("reverse", stone_x),
        Tone.ASKED: ("bold", "bold reverse"),
        Tone.X: ("bold", stone_x),
        Tone.O: ("", stone_o),
        Tone.LAST_X: ("bold", stone_x),
        Tone.LAST_O: ("", stone_o),
        Tone.OWNED_X: ("", f"bold {x}"),
        Tone.OWNED_O: ("", f"bold {o}"),
        Tone.EDGE_X: ("", f"bold {x}"),
        Tone.EDGE_O: ("", f"bold {o}"),
        Tone.CORNER: ("", f"bold {green}"),
        Tone.CURSOR: ("bold", "bold reverse"),
    }
    return {tone: Style.parse(look[colours != "none"]) for tone, look in looks.items()}


class BoardCanvas(Screen[None]):
    """The screen below the canvas, which is never seen."""

    BLANK = True


class Canvas(Widget, can_focus=True):
    """Draws a frame, line by line, anew only where it changed."""

    def __init__(self, colours: str, paint: Callable[[], None]) -> None:
        """Draw in these colours; ``paint`` is called whenever there is another room."""
        super().__init__()
        self._paint = paint
        self._palette = palette(colours)
        self._marked = Style.parse("underline" if colours == "none" else "underline bold")
        self._frame = Frame(())
        self._strips: dict[int, Strip] = {}

    def on_resize(self) -> None:
        """Have everything drawn anew in the room there is."""
        self._strips.clear()
        self._paint()

    def show(self, frame: Frame) -> None:
        """Show this frame in place of the one before."""
        before, self._frame = self._frame, frame
        width = self.size.width
        for number, line in enumerate(frame.lines):
            if number >= len(before.lines) or before.lines[number] != line:
                self._strips.pop(number, None)
                self.refresh(Region(0, number, width, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a region; there is nothing around them that styles could add."""
        strips = [self._strip(y) for y in crop.line_range]
        if crop.x == 0 and crop.width == self.size.width:
            return strips
        return [strip.crop(crop.x, crop.right) for strip in strips]

    def _strip(self, y: int) -> Strip:
        if y in self._strips:
            return self._strips[y]
        line = self._frame.lines[y] if y < len(self._frame.lines) else ()
        palette, marked = self._palette, self._marked
        segments = [
            Segment(escape_controls(text), palette[tone] + marked if is_marked else palette[tone])
            for text, tone, is_marked in line
        ]
        self._strips[y] = strip = Strip(segments).adjust_cell_length(self.size.width)
        return strip

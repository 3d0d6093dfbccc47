"""The one widget of the board: it draws frames, and knows how each tone looks."""

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from pbmserv.board.frame import Frame, Tone
from pbmserv.render.terminal import O_COLOUR, X_COLOUR


def palette(colours: str) -> dict[Tone, Style]:
    """Return how each tone looks with ``none``, ``16`` or ``full`` colours, on any background."""
    if colours == "none":
        looks = {
            Tone.DIM: "",
            Tone.STRONG: "bold",
            Tone.TITLE: "reverse",
            Tone.KEY: "bold",
            Tone.CHOSEN: "reverse",
            Tone.ASKED: "bold",
            Tone.X: "bold",
            Tone.LAST_X: "bold",
            Tone.CURSOR: "bold",
        }
    else:
        x, o, green = ("blue", "yellow", "green")
        white = "bright_white"
        if colours == "full":
            x, o, green, white = X_COLOUR, O_COLOUR, "#009E73", "#FFFFFF"
        looks = {
            Tone.DIM: "dim",
            Tone.STRONG: "bold",
            Tone.TITLE: f"bold {white} on {x}",
            Tone.KEY: "bold",
            Tone.CHOSEN: f"bold {white} on {x}",
            Tone.ASKED: "bold reverse",
            Tone.X: f"bold {white} on {x}",
            Tone.O: f"bold #000000 on {o}" if colours == "full" else f"bold black on {o}",
            Tone.OWNED_X: f"bold {x}",
            Tone.OWNED_O: f"bold {o}",
            Tone.CORNER: f"bold {green}",
            Tone.CURSOR: "bold reverse",
        }
        looks[Tone.LAST_X], looks[Tone.LAST_O] = looks[Tone.X], looks[Tone.O]
    return {tone: Style.parse(looks.get(tone, "")) for tone in Tone}


class Ground(Screen[None]):
    """What lies under the canvas, and is never seen."""

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
            Segment(span.text, palette[span.tone] + marked if span.marked else palette[span.tone])
            for span in line
        ]
        self._strips[y] = strip = Strip(segments).adjust_cell_length(self.size.width)
        return strip

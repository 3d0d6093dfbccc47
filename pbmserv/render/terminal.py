"""Blocks for a terminal, coloured by rich; import this module only when there is one."""

from rich.text import Text

from pbmserv.club.written_text import escape_controls
from pbmserv.engine.moments import local
from pbmserv.render.blocks import BoardPicture, Table, Target, stones_text, table_lines
from pbmserv.render.colours import CORNER, DARK
from pbmserv.render.picture import Picture
from pbmserv.render.text import Role, Style, text_lines

X_COLOUR, O_COLOUR = DARK.x.upper(), DARK.o.upper()
"""A terminal's ground may be light or dark: these stand out from either."""

_STYLES = {
    Role.BLANK: "",
    Role.LABEL: "dim",
    Role.EMPTY: "",
    Role.CORNER: f"bold {CORNER}",
    Role.EDGE: "dim",
    Role.EDGE_X: X_COLOUR,
    Role.EDGE_O: O_COLOUR,
    Role.X: f"bold {X_COLOUR}",
    Role.O: f"bold {O_COLOUR}",
    Role.LAST_X: f"bold {DARK.x_mark} on {X_COLOUR}",
    Role.LAST_O: f"bold {DARK.o_mark} on {O_COLOUR}",
    Role.BRACKET: "bold",
    Role.OWNED_X: X_COLOUR,
    Role.OWNED_O: O_COLOUR,
    Role.BOTH: "bold",
    Role.LEGEND: "dim",
}


def terminal_target(style: Style = "ascii", *, lists_stones: bool = False) -> Target[Text]:
    """Return the target for a terminal, to be printed with ``soft_wrap=True``."""

    def board(block: BoardPicture) -> Text:
        if lists_stones:
            return Text(stones_text(block))
        return terminal_picture(block.draw(), style)

    return Target(lambda text: Text(escape_controls(local(text))), board, _table)


def _table(table: Table) -> Text:
    head, *lines = table_lines(table)
    text = Text().append(head, "bold" if lines else "")
    return text.append("".join(f"\n{line}" for line in lines))


def terminal_picture(picture: Picture, style: Style = "ascii") -> Text:
    """Return the text picture in colours, with stones on corners underlined."""
    text = Text()
    for number, line in enumerate(text_lines(picture, style)):
        text.append("\n" if number else "")
        for run in line:
            corner = " underline" if run.on_corner else ""
            text.append(run.text, _STYLES[run.role] + corner)
    return text

"""Every colour that people see, by what it stands for: in the light and in the dark."""

from typing import NamedTuple

from pbmserv.engine.position import Side


class Colours(NamedTuple):
    """One look. X's and O's have each a body, a highlight, a rim and the tint of what is owned.

    ``ring`` is the dark ring that tells O from X where colours cannot. In the light the rim
    carries O, whose body is too pale for the tiles; in the dark the highlight carries X.
    """

    frame: str
    tile: str
    shaded: str
    ray: str
    rim: str
    edge: str
    label: str
    x: str
    x_light: str
    x_rim: str
    x_owned: str
    x_mark: str
    o: str
    o_light: str
    o_rim: str
    o_owned: str
    o_mark: str
    ring: str
    shadow: str
    ink: str


LIGHT = Colours(
    frame="#a99b7d",
    tile="#f4efe3",
    shaded="#e8e0cd",
    ray="#dcd2ba",
    rim="#d5c9af",
    edge="#74684e",
    label="#5f5847",
    x="#17629f",
    x_light="#4d9bd8",
    x_rim="#08263f",
    x_owned="#b3cee4",
    x_mark="#ffffff",
    o="#f2b035",
    o_light="#ffe09c",
    o_rim="#5c3900",
    o_owned="#f5d58f",
    o_mark="#1d1300",
    ring="#8a5600",
    shadow="#00000055",
    ink="#1c222b",
)
DARK = Colours(
    frame="#0a0c10",
    tile="#282e38",
    shaded="#303843",
    ray="#38414e",
    rim="#1c2129",
    edge="#7d8794",
    label="#aab0ba",
    x="#348bd3",
    x_light="#7dbef5",
    x_rim="#06111c",
    x_owned="#1c4b76",
    x_mark="#ffffff",
    o="#f0ae33",
    o_light="#ffe09c",
    o_rim="#1d1300",
    o_owned="#70551b",
    o_mark="#1d1300",
    ring="#7a4c00",
    shadow="#000000aa",
    ink="#ece9e2",
)

BOTH_LABEL = "#767c86"
"""A label that is read on either page, as in the picture of a letter."""


class Paper(NamedTuple):
    """What stands around the boards, on pages and in letters."""

    page: str
    card: str
    line: str
    ink: str
    faint: str
    link: str
    on_link: str
    """What is written on the colour of a link."""
    cell: str
    """A cell of a letter's board that can be tapped."""
    cell_ink: str


LIGHT_PAPER = Paper(
    page="#f7f4ed",
    card="#fffdf8",
    line="#ddd5c4",
    ink=LIGHT.ink,
    faint="#575e69",
    link="#0b5894",
    on_link="#ffffff",
    cell="#dfebf5",
    cell_ink=LIGHT.x_rim,
)
DARK_PAPER = Paper(
    page="#13161b",
    card="#1b1f26",
    line="#333a45",
    ink=DARK.ink,
    faint="#a9b0bb",
    link="#8fc7ff",
    on_link="#0b1016",
    cell="#2b3f50",
    cell_ink="#cfe6f7",
)

CORNER = "#009E73"
"""A corner, in a terminal."""

BODY = {Side.X: LIGHT.x, Side.O: LIGHT.o}

PAGE = LIGHT_PAPER.page
"""The ground of a picture that has one."""

SHEET = "#ffffff"
"""What is printed on."""


def paper_style() -> str:
    """Return the names that a style sheet has for the colours of the paper, in both looks."""
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in paper._asdict().items())
        for paper in (LIGHT_PAPER, DARK_PAPER)
    )
    return f":root{{{light}}}\n@media(prefers-color-scheme:dark){{:root{{{dark}}}}}\n"

"""Pictures of a board in files: SVG, PNG and a page of HTML, for the shell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv.commands.types import FORCE, option
from pbmserv.errors import Denied, Misunderstood
from pbmserv.render.blocks import BoardPicture
from pbmserv.services.session import Answer, Session, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("svg", "png", "html")
PICTURE_OPTIONS = (
    *(option(kind, "FILE", f"write the board into FILE as {kind.upper()}") for kind in KINDS),
    FORCE,
)


def write_pictures(
    session: Session, answer: Answer, files: Mapping[str, str | None], *, overwrite: bool
) -> Answer:
    """Write the one board of the answer into the files named by kind; return what to say.

    Raises :class:`~pbmserv.errors.Refused` by mail, for several boards, and where a file exists.
    """
    wanted = {kind: Path(name) for kind, name in files.items() if name is not None}
    if not wanted:
        return answer
    if session.source is not Source.SHELL:
        raise Denied("Files are written in the shell only.", code="shell-only")
    boards = [block for block in answer.blocks if isinstance(block, BoardPicture)]
    if len(boards) != 1:
        raise Misunderstood("A file holds one board.", code="one-board", hint="Name one board.")
    words = [block for block in answer.blocks if isinstance(block, str)]
    from pbmserv.store.new_file import write_file

    for kind, path in wanted.items():
        content = _content(kind, boards[0], words)
        write_file(path, content, suffix=f".{kind}", overwrite=overwrite)
    names = {kind: str(path) for kind, path in wanted.items()}
    told = "\n".join(f"Written: {name}" for name in names.values())
    return Answer((*answer.blocks, told), {**answer.document, "files": names})


def _content(kind: str, board: BoardPicture, words: list[str]) -> bytes:
    picture = board.draw()
    if kind == "png":
        from pbmserv.render.png import png_picture

        return png_picture(picture)
    if kind == "svg":
        from pbmserv.render.svg import svg_picture

        return svg_picture(picture).encode()
    from pbmserv.render.html_page import html_page

    heading, _, rest = words[0].partition("\n") if words else (board.game.title, "", "")
    return html_page(picture, heading, [rest, *words[1:]]).encode()

"""Pictures of a board in files: SVG, PNG and a page of HTML, for the shell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option
from pbmserv.commands.types import Force
from pbmserv.errors import Denied, Misunderstood
from pbmserv.render.blocks import BoardPicture
from pbmserv.services.session import ReadSession, Source


@dataclass(frozen=True)
class PictureFiles:
    """The files that a picture is to be written into, by kind."""

    svg: Annotated[str | None, Option("FILE", "write the board into FILE as SVG")] = None
    png: Annotated[str | None, Option("FILE", "write the board into FILE as PNG")] = None
    html: Annotated[str | None, Option("FILE", "write the board into FILE as HTML")] = None
    force: Force = False


def write_pictures(session: ReadSession, answer: Answer, files: PictureFiles) -> Answer:
    """Write the one board of the answer into the files named by kind; return what to say.

    Raises :class:`~pbmserv.errors.Refused` by mail, for several boards, and where a file exists.
    """
    named = {"svg": files.svg, "png": files.png, "html": files.html}
    wanted = {kind: Path(name) for kind, name in named.items() if name is not None}
    if not wanted:
        return answer
    if session.source is not Source.SHELL:
        raise Denied("Files are written in the shell only.", code="shell-only")
    boards = [block for block in answer.blocks if isinstance(block, BoardPicture)]
    if len(boards) != 1:
        raise Misunderstood("A file holds one board.", code="one-board", hint="Name one board.")
    words = [block for block in answer.blocks if isinstance(block, str)]
    from pbmserv.store.new_file import write_file

    names = {
        kind: str(
            write_file(
                path,
                _content(kind, boards[0], words),
                suffix=f".{kind}",
                overwrite=files.force,
            )
        )
        for kind, path in wanted.items()
    }
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

"""Pictures of a board in files: SVG, PNG and a page of HTML, for the shell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option
from pbmserv.commands.slots import FILE
from pbmserv.commands.types import Force
from pbmserv.errors import Denied, Misunderstood
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.services.session import ReadSession, Source


@dataclass(eq=False, repr=False)
class PictureOptions:
    """Options of an answer's picture, and its files by kind."""

    owners: Annotated[bool, Flag("mark owned cells on the board")] = False
    svg: Annotated[str | None, Option(FILE, "write the board to FILE as SVG")] = None
    png: Annotated[str | None, Option(FILE, "write the board to FILE as PNG")] = None
    html: Annotated[str | None, Option(FILE, "write the board to FILE as HTML")] = None
    pdf: Annotated[str | None, Option(FILE, "write the board to FILE as PDF, for A4")] = None
    poster: Annotated[bool, Flag("with a file: an A4 sheet with numbered stones")] = False
    blank: Annotated[bool, Flag("with a file: an A4 sheet with an empty board")] = False
    film: Annotated[bool, Flag("with -svg: an animation of the whole game")] = False
    force: Force = False

    @property
    def files(self) -> dict[str, str]:
        """The files that are wanted, by kind."""
        named = {"svg": self.svg, "png": self.png, "html": self.html, "pdf": self.pdf}
        return {kind: name for kind, name in named.items() if name is not None}

    def require_fitting_files(self) -> None:
        """Raise :class:`Misunderstood` if a sheet or a film is asked for, and no file for it."""
        forms = [name for name in ("poster", "blank", "film") if getattr(self, name)]
        if len(forms) > 1:
            raise Misunderstood(
                f"-{forms[0]} and -{forms[1]} cannot be combined.",
                code="options-clash",
                hint="Use one of them.",
            )
        kinds = ("svg",) if forms == ["film"] else ("pdf", "svg", "png")
        if forms and not (self.files and self.files.keys() <= set(kinds)):
            hint = f"Add -{'=FILE or -'.join(kinds)}=FILE."
            raise Misunderstood(f"-{forms[0]} needs an output file.", code="no-file", hint=hint)


def finish_pictures(session: ReadSession | None, answer: Answer, options: PictureOptions) -> Answer:
    """Return the answer with its boards as they are asked for; write its one board into files.

    Without a session it is the shell that asks. Raises :class:`~pbmserv.errors.Refused` for files
    by mail, for several boards, and where a file exists.
    """
    if options.owners:
        answer = answer._replace(content=tuple(map(_with_owners, answer.blocks)))
    options.require_fitting_files()
    if not options.files:
        return answer
    if session is not None and session.source is not Source.SHELL:
        raise Denied("Files can be written only in a shell.", code="shell-only")
    boards = [block for block in answer.blocks if isinstance(block, BoardPicture)]
    if len(boards) != 1:
        raise Misunderstood(
            "A file can contain only one board.", code="one-board", hint="Name one board."
        )
    words = [block for block in answer.blocks if isinstance(block, str)]
    from pathlib import Path

    from pbmserv.store.files.new_file import write_file

    names = {}
    for kind, name in options.files.items():
        content = _content(kind, boards[0], words, options)
        write_file(path := Path(name), content, suffix=f".{kind}", overwrite=options.force)
        names[kind] = str(path)
    told = "\n".join(f"Written: {name}" for name in names.values())
    return Answer((*answer.blocks, told), {**answer.document, "files": names})


def _with_owners(block: Block) -> Block:
    return block._replace(owners=True) if isinstance(block, BoardPicture) else block


def _content(kind: str, board: BoardPicture, words: list[str], options: PictureOptions) -> bytes:
    if options.blank or options.poster or kind == "pdf":
        return _sheet(kind, board, options)
    picture = board.draw()
    if kind == "png":
        from pbmserv.render.png import png_picture

        return png_picture(picture)
    from pbmserv.render.animation import animation
    from pbmserv.render.html_page import html_page, paragraphs
    from pbmserv.render.svg import svg_picture

    if kind == "svg" and options.film and board.record:
        return animation(board, board.record).encode()
    drawn = svg_picture(picture)
    if kind == "svg":
        return drawn.encode()
    heading, _, rest = words[0].partition("\n") if words else (board.game.title, "", "")
    return html_page(heading, [drawn, *paragraphs([rest, *words[1:]])]).encode()


def _sheet(kind: str, board: BoardPicture, options: PictureOptions) -> bytes:
    from pbmserv.render.colours import LIGHT
    from pbmserv.render.poster import blank_board, poster, with_numbers
    from pbmserv.render.svg import svg_file

    if options.blank:
        board = blank_board(board)
    elif options.poster:
        board = with_numbers(board)
    sheet = poster(board, is_flat=kind == "pdf")
    if kind == "svg":
        return svg_file(sheet, LIGHT).encode()  # paper is white on a dark screen too
    from pbmserv.render.png import pdf_sheet, png_sheet

    return pdf_sheet(sheet, board.caption.heading) if kind == "pdf" else png_sheet(sheet)

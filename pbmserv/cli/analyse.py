"""``analyse``: how a finished game went, as a curve with its turning points."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.cli.advice import Threads, Time, load_match, require_ended
from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.club.written_text import QUOTABLE
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.slots import BOARD, FILE, slot
from pbmserv.commands.types import Force
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import LONGEST_RECORD, parse_record
from pbmserv.errors import EXIT_DONE, Refused
from pbmserv.render.curve import TITLE, curve_file, curve_rows
from pbmserv.render.view import View, heading, view_match, view_record

if TYPE_CHECKING:
    from pbmserv.computer.review import Review


@command()
def analyse(
    shell: Shell,
    game: GameType,
    source: Annotated[str, Word(slot(BOARD, FILE))],
    *,
    svg: Annotated[str | None, Option(FILE, "write the curve into FILE as SVG")] = None,
    time: Time = None,
    threads: Threads = None,
    force: Force = False,
) -> int:
    """Look back on a finished game: its curve, where it turned, and how well both played.

    BOARD is one of this server, FILE the record of any game (help records). What was found of a
    board is kept and printed at once the next time, unless -time asks for it anew.
    """
    if source.isascii() and source.isdigit():
        view, review = _of_board(shell, game, int(source), time, threads or 1)
    else:
        view, review = _of_file(Path(source), time, threads or 1)
    if not view.record.ply:
        raise Refused("This game has no moves to analyse.", code="no-moves")
    from pbmserv.computer.review import curve_words, review_document, review_lines

    document: dict[str, Any] = {
        "game": view.game.name,
        "board": view.number,
        "players": view.names,
        **review_document(review),
    }
    head, chances = heading(view), review.chances
    turned = [turn.number for turn in review.turning_points()]
    rows = (f"{label} {bars}".rstrip() for label, bars in curve_rows(chances, turned))
    drawn = curve_words(review) if shell.options.plain else "\n".join([TITLE, *rows])
    blocks = [
        head,
        drawn,
        "\n".join([*review_lines(review, view.names, QUOTABLE), view.closing]),
    ]
    if svg is not None:
        from pbmserv.store.files.new_file import write_file

        names = view.names[Side.X] or "", view.names[Side.O] or ""
        content = curve_file(chances, turned, head.partition("\n")[0], names)
        write_file(Path(svg), content.encode(), suffix=".svg", overwrite=force)
        blocks.append(f"Written: {svg}")
        document["files"] = {"svg": svg}
    print_answer(Answer(tuple(blocks), document), shell.options)
    return EXIT_DONE


def _of_board(
    shell: Shell, game: type[Game], number: int, time: float | None, threads: int
) -> "tuple[View, Review]":
    match = load_match(shell, game, number)
    require_ended(match, "analysis")
    from pbmserv.desk.reviewing import review_match

    review = review_match(shell.desk.store, match, seconds=time, threads=threads)
    return view_match(match), review


def read_record(path: Path) -> Record[str]:
    """Return the record in a file; raises :class:`Refused`."""
    try:
        with path.expanduser().open(encoding="utf-8") as stream:
            text = stream.read(LONGEST_RECORD + 1)
    except (OSError, ValueError, RuntimeError):
        raise Refused(
            "That file cannot be read.",
            code="no-such-file",
            hint="It is a record of a game, as export and x at the board write it.",
            about=str(path),
        ) from None
    return parse_record(text)


def _of_file(path: Path, time: float | None, threads: int) -> "tuple[View, Review]":
    from pbmserv.desk.reviewing import review_record

    record = read_record(path)
    if record.outcome is None:
        raise Refused(
            "The game in this file has not ended.",
            code="running-board",
            hint="An analysis looks back on a finished game.",
        )
    return view_record(record), review_record(record, seconds=time, threads=threads)

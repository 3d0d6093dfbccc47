"""``analyse``: how a finished game went, as a curve with its turning points."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pbmserv.cli.advice import Threads, require_ended
from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import GameType
from pbmserv.commands.types import Force
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.engine.record import parse_record
from pbmserv.errors import EXIT_DONE, Refused
from pbmserv.render.view import View, heading, view_match, view_new
from pbmserv.services.lookup import no_such_match

if TYPE_CHECKING:
    from pbmserv.computer.review import Look, Review

PLAIN_STEP = 5
"""So many moves apart are the chances that are told in words."""


class Reviewed(NamedTuple):
    """A finished game, how it ended in a sentence, and what was thought of it."""

    view: View
    ending: str
    review: "Review"


@command()
def analyse(  # noqa: PLR0913 - options are many
    shell: Shell,
    game: GameType,
    source: Annotated[str, Word("BOARD|FILE")],
    *,
    svg: Annotated[str | None, Option("FILE", "write the curve into FILE as SVG")] = None,
    threads: Threads = None,
    force: Force = False,
) -> int:
    """Look back on a finished game: its curve, where it turned, and how well both played.

    BOARD is one of this server, FILE the record of any game (help records). What was found of a
    board is kept and printed at once the next time.
    """
    if source.isascii() and source.isdigit():
        found = _of_board(shell, game, int(source), threads or 1)
    else:
        found = _of_file(shell, Path(source), threads or 1)
    from pbmserv.computer.review_words import review_document, review_lines
    from pbmserv.render.curve import curve_lines, curve_svg

    view, ending, review = found
    document: dict[str, Any] = {
        "game": view.game.name,
        "board": view.number,
        "players": view.names,
        **review_document(review),
    }
    head, chances = heading(view), review.chances
    drawn = _plain_curve(chances) if shell.options.plain else "\n".join(curve_lines(chances))
    blocks = [head, drawn, "\n".join([*review_lines(view.game, review, view.names), ending])]
    if svg is not None:
        from pbmserv.store.new_file import write_file

        names = view.names[Side.X] or "", view.names[Side.O] or ""
        content = curve_svg(chances, head.partition("\n")[0], names)
        write_file(Path(svg), content.encode(), suffix=".svg", overwrite=force)
        blocks.append(f"Written: {svg}")
        document["files"] = {"svg": svg}
    print_answer(Answer(tuple(blocks), document), shell.options)
    return EXIT_DONE


def _of_board(shell: Shell, game: type[Game], number: int, threads: int) -> Reviewed:
    store = shell.desk.store
    with store.reading() as records:
        match = records.matches.find(game.name, number)
    if match is None:
        raise no_such_match(game, number)
    require_ended(match, "analysis")
    from pbmserv.desk.reviewing import review_match

    shown = _progress if _shows(shell) else None
    review = review_match(store, match, threads=threads, progress=shown)
    return Reviewed(view_match(match), match.result, review)


def _of_file(shell: Shell, path: Path, threads: int) -> Reviewed:
    from pbmserv.computer.review import look_back, review_of

    try:
        record = parse_record(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Refused(
            "The file cannot be read.",
            code="no-such-file",
            about=str(path),
            hint="Name a board by its number, or a file with the record of a game.",
        ) from error
    if record.outcome is None:
        raise Refused(
            "The game in this file has not ended.",
            code="running-board",
            hint="An analysis looks back on a finished game.",
        )
    looks: Iterable[Look] = look_back(record.game, record.moves, threads=threads)
    if _shows(shell):
        looks = _progress(looks, len(record.moves) + 1)
    names: dict[Side, str | None] = {**record.seats}
    view = replace(view_new(record.game), names=names)
    winner, reason = record.outcome.winner, record.outcome.reason.words
    who = f"{names[winner]} ({winner}) wins" if winner else "A draw"
    review = review_of(record.game, record.moves, list(looks))
    return Reviewed(view, f"{who} by {reason}.", review)


def _shows(shell: Shell) -> bool:
    return sys.stderr.isatty() and not shell.options.json


def _progress(looks: Iterable["Look"], count: int) -> Iterator["Look"]:
    """Pass on the looks behind a bar on the terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(looks, total=count, description="Moves looked at:")


def _plain_curve(chances: tuple[float, ...]) -> str:
    """Return the curve in words, for a screen reader."""
    numbers = sorted({*range(PLAIN_STEP, len(chances), PLAIN_STEP), len(chances) - 1})
    told = [f"After move {number}: {100 * chances[number]:.0f} %." for number in numbers if number]
    return "\n".join([f"Chance of X to win, at the start: {100 * chances[0]:.0f} %.", *told])

"""``hint`` and ``analyse``: what the computer would play, and how a game went.

Both think in the shell alone, with no transaction open.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.club.match import Match
from pbmserv.club.written_text import QUOTABLE
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, GameType
from pbmserv.commands.preview import NamedPosition, Target, check_options
from pbmserv.commands.record_words import RecordSource, RecordWord
from pbmserv.commands.slots import BOARD, FILE, LINK, maybe
from pbmserv.commands.types import BoardRef, Force, parse_match_number
from pbmserv.computer.level_list import (
    HINT_LEVEL,
    LEVELS,
    Level,
    level_of,
    parse_level,
    parse_seconds,
)
from pbmserv.desk.proofs import Moves, marked_answer, number_option, require_ended, studied_view
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.errors import EXIT_DONE, Misunderstood, Refused
from pbmserv.render.view import View, heading, turn_sentence, view_match, view_record
from pbmserv.services.lookup import no_such_match

if TYPE_CHECKING:
    from pbmserv.computer.review import Review

MAX_THREADS = 8


def level_option(does: str, usual: Level) -> Option:
    """Return the option for the computer's level; ``does`` is a verb."""
    meaning = f"how well the computer {does} (default {usual.number})"
    return Option(range(1, len(LEVELS) + 1), meaning, parse_level)


Threads = Annotated[
    int | None,
    number_option("threads", range(1, MAX_THREADS + 1), "number of cores to use (default 1)"),
]
Time = Annotated[
    float | None,
    Option("SECONDS", "seconds of processor time per move", parse_seconds),
]


def check_level(level: int | None, time: float | None) -> None:
    """Raise :class:`Misunderstood` if a level is asked for and a time, too."""
    if level is not None and time is not None:
        raise Misunderstood(
            "The options -time and -level cannot be combined.",
            code="options-clash",
            hint="Give either a level or a time.",
        )


def check_hint(target: Target, chosen: GameChoice, level: int | None, time: float | None) -> None:
    """Raise :class:`Misunderstood` for options that do not go together."""
    check_options(target, chosen)
    check_level(level, time)


@command(check=check_hint)
def hint(
    shell: Shell,
    target: NamedPosition,
    moves: Moves = (),
    *,
    level: Annotated[int | None, level_option("thinks", HINT_LEVEL)] = None,
    time: Time = None,
    threads: Threads = None,
    chosen: ChosenGame,
) -> int:
    """Print the best move in a position, its winning chance and margin, two others, and why.

    The position is the empty board of a new game, a board at some point or a game record (help
    records), after the MOVES that follow. There are no hints for a running board.
    """
    match = None
    if isinstance(target, BoardRef):
        match = load_match(shell, chosen.game, target.number)
    view = studied_view(match, target, moves, chosen, "hint")
    if view.to_move is None:
        is_record = isinstance(target, RecordSource)
        raise Refused(
            f"{'The game in this record' if is_record else view.title} has ended.",
            code="game-over",
            hint=f"Choose a position before the end: {view.game.name} hint "
            f"{'FILE' if is_record else view.number or 101}#7",
        )
    from pbmserv.computer.hint_words import hint_document, hint_lines, hint_marks
    from pbmserv.computer.lesson import advise

    thinks = level_of(level, time, HINT_LEVEL)._replace(threads=threads or 1)
    choice = advise(view.game, view.position, thinks)
    document = {
        "level": thinks.number,
        "seconds": time,
        **hint_document(view.game, view.position, choice),
    }
    words = [turn_sentence(view), *hint_lines(view.game, view.position, choice, QUOTABLE)]
    marks = hint_marks(view.position, choice)
    print_answer(marked_answer(view, marks, ["\n".join(words)], document), shell.options)
    return EXIT_DONE


def load_match(shell: Shell, game: type[Game] | Game, number: int) -> Match:
    """Return the match of the game with this number; raises :class:`NotFound`."""
    with shell.desk.store.reading() as records:
        match = records.matches.find(game.name, number)
    if match is None:
        raise no_such_match(game, number)
    return match


def _parse_source(text: str) -> BoardRef | RecordSource:
    """Return a match or a record."""
    is_board = text.isascii() and text.isdigit()
    return BoardRef(parse_match_number(text)) if is_board else RecordSource(text)


@command()
def analyse(
    shell: Shell,
    game: GameType,
    source: Annotated[BoardRef | RecordSource, RecordWord(maybe(BOARD, FILE, LINK), _parse_source)],
    *,
    svg: Annotated[str | None, Option(FILE, "write the curve to FILE as SVG")] = None,
    time: Time = None,
    threads: Threads = None,
    force: Force = False,
) -> int:
    """Analyse a finished game: winning chances, turning points, and how well both played.

    BOARD is one of this server; a FILE, a LINK or standard input has the record of any game (help
    records). The analysis of a board is stored and printed next time, unless -time asks for a new
    one.
    """
    view, review = _reviewed(shell, game, source, time, threads or 1)
    if not view.record.ply:
        raise Refused("This game has no moves to analyse.", code="no-moves")
    from pbmserv.computer.review import curve_words, review_document, review_lines
    from pbmserv.render.curve import TITLE, curve_file, curve_rows

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


def _reviewed(
    shell: Shell,
    game: type[Game],
    source: BoardRef | RecordSource,
    time: float | None,
    threads: int,
) -> "tuple[View, Review]":
    """Return a game and its review; raises :class:`Refused` if it has not ended."""
    if isinstance(source, BoardRef):
        match = load_match(shell, game, source.number)
        require_ended(match, "analysis")
        from pbmserv.desk.match_reviews import review_match

        found = review_match(shell.desk.store, match, seconds=time, threads=threads)
        return view_match(match), found
    record, notes = source.game()
    if record.outcome is None:
        raise Refused(
            "The game in this record has not ended.",
            code="running-board",
            hint="Only a finished game can be analysed.",
        )
    from pbmserv.desk.match_reviews import review_record

    return view_record(record, notes), review_record(record, seconds=time, threads=threads)

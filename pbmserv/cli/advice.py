"""``settled``, ``hint`` and ``analyse``: what is proven, what the computer would play, how it went.

All of them think in the shell alone, with no transaction open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.cli.printing import print_answer
from pbmserv.cli.shell import Shell
from pbmserv.club.match import Match
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import QUOTABLE
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, GameType, join_cells
from pbmserv.commands.preview import NamedPosition, Target, check_options, try_out, view_of
from pbmserv.commands.record_words import RecordSource, RecordWord
from pbmserv.commands.slots import BOARD, FILE, LINK, MOVE, maybe
from pbmserv.commands.types import BoardRef, Force, parse_match_number
from pbmserv.computer.level_list import (
    HINT_LEVEL,
    LEVELS,
    Level,
    level_of,
    parse_level,
    parse_seconds,
)
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.errors import EXIT_DONE, Misunderstood, Refused, invalid_value
from pbmserv.render.blocks import Block, BoardPicture
from pbmserv.render.document import settled_document
from pbmserv.render.view import View, heading, turn_sentence, view_caption, view_match, view_record
from pbmserv.services.lookup import no_such_match

if TYPE_CHECKING:
    from pbmserv.computer.proof import Proof
    from pbmserv.computer.review import Review

MAX_DEPTH = 3
MAX_THREADS = 8
FIRST_MOVE, OTHER_CELL, MUST_PLAY = "!", "*", "?"
LINK_LETTERS = "abcdefghijklmnpqrstuvwyz"
"""Letters for links; x and o are what somebody owns."""

Moves = Annotated[tuple[str, ...], Word(maybe(MOVE, many=True))]


def number_option(name: str, numbers: range, meaning: str) -> Option:
    """Return an option that takes one of these numbers."""
    least, most = numbers[0], numbers[-1]

    def read(text: str) -> int:
        if text in map(str, numbers):
            return int(text)
        raise invalid_value(name, text, f"{least} to {most}")

    return Option(numbers, meaning, read)


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


@command(check=check_options)
def settled(
    shell: Shell,
    target: NamedPosition,
    moves: Moves = (),
    *,
    depth: Annotated[
        int | None,
        number_option("depth", range(MAX_DEPTH + 1), "moves to look ahead for a proof"),
    ] = None,
    chosen: ChosenGame,
) -> int:
    """Print what is certain, whatever is played; with -depth, show the proof on the board.

    A proof uses links, which join stones whatever is played, such as two cells of which one is
    taken when the other is lost. With -depth=1 to 3 it also looks that many moves ahead. On a
    running board, only what filling the rest of the board proves is shown.
    """
    view = _view(shell, target, moves, chosen, "" if depth is None else "-depth")
    bounds = view.settled
    proof = None
    if depth is not None and view.to_move is not None:
        from pbmserv.computer.proof import prove

        proof = prove(view.game, view.position, depth)
    words = _settled_words(view, proof, depth)
    marks = _proof_marks(proof) if proof else {}
    document = {
        "settled": settled_document(bounds),
        "proof": _proof_document(view.game, proof) if proof else None,
    }
    _print(shell, view, marks, words, document)
    return EXIT_DONE


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
    view = _view(shell, target, moves, chosen, "hint")
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
    _print(shell, view, hint_marks(view.position, choice), ["\n".join(words)], document)
    return EXIT_DONE


def _view(
    shell: Shell, target: Target, moves: Sequence[str], chosen: GameChoice, asked: str
) -> View:
    """Return a board after the moves; raises :class:`Refused` if it runs and help is ``asked``."""
    if isinstance(target, BoardRef):
        match = load_match(shell, chosen.game, target.number)
        if asked:
            require_ended(match, asked)
        view = view_match(match, target.ply)
    else:
        view = view_of(None, target, chosen)
    return try_out(view, join_cells(moves)) if moves else view


def load_match(shell: Shell, game: type[Game] | Game, number: int) -> Match:
    """Return the match of the game with this number; raises :class:`NotFound`."""
    with shell.desk.store.reading() as records:
        match = records.matches.find(game.name, number)
    if match is None:
        raise no_such_match(game, number)
    return match


def require_ended(match: Match, asked: str) -> None:
    """Raise :class:`Refused` if a game is running: the computer helps nobody to play it."""
    if match.is_running:
        raise Refused(
            f"{match.title} is still running: no {asked} until it has ended.",
            code="running-board",
            hint="Players must find their own moves.",
        )


def _settled_words(view: View, proof: "Proof | None", depth: int | None) -> Iterator[str]:
    """Yield what is certain, and its proof in words."""
    if view.to_move is None:
        yield turn_sentence(view)
        return
    bounds = view.settled
    if bounds is None:
        yield f"There are no such proofs for {view.game.title}."
        return
    if depth is None or bounds.is_certain:
        yield bounds.words
    elif proof is None:
        yield bounds.words
        ahead = f" by looking {with_count(depth, 'move')} ahead" if depth else " by links"
        yield f"No win is proven{ahead}."
    else:
        yield "\n".join(_proof_lines(view, proof))


def _proof_lines(view: View, proof: "Proof") -> Iterator[str]:
    names, winner, loser = view.game.board.names, proof.winner, proof.winner.other
    yield f"{winner} wins, whatever {loser} plays."
    if proof.move is not None:
        when = "" if view.to_move is winner else f" if {loser} plays elsewhere"
        yield f"{FIRST_MOVE}  {names[proof.move]}: {winner} plays here{when}."
    if proof.must_play:
        cells = " ".join(names[cell] for cell in proof.must_play)
        yield f"{MUST_PLAY}  {cells}: only here could {loser} interfere; {winner} still wins."
    for letter, link in _letter_links(proof):
        joins = "gets one of the two" if len(link) == 2 else "cannot be cut off here"
        yield f"{letter}  {' '.join(names[cell] for cell in link)}: {winner} {joins}."
    rest = sorted(cell for cell, mark in _proof_marks(proof).items() if mark == OTHER_CELL)
    if rest:
        cells = " ".join(names[cell] for cell in rest)
        yield f"{OTHER_CELL}  {cells}: the rest of what the proof needs."
    yield "Moves elsewhere need no answer."


def _proof_marks(proof: "Proof") -> dict[Cell, str]:
    """Return the marks of the empty cells of a proof."""
    marks = dict.fromkeys(proof.carrier, OTHER_CELL)
    marks |= {cell: letter for letter, link in _letter_links(proof) for cell in link}
    marks |= dict.fromkeys(proof.must_play, MUST_PLAY)
    return marks if proof.move is None else marks | {proof.move: FIRST_MOVE}


def _letter_links(proof: "Proof") -> Iterator[tuple[str, Sequence[Cell]]]:
    """Yield the links with a letter each, the last one for all that are left."""
    last = len(LINK_LETTERS) - 1
    return ((LINK_LETTERS[min(number, last)], link) for number, link in enumerate(proof.links))


def _proof_document(game: Game, proof: "Proof") -> dict[str, Any]:
    names = game.board.names
    links = [[names[cell] for cell in link] for link in proof.links]
    return {
        "winner": proof.winner,
        "depth": proof.depth,
        "move": None if proof.move is None else names[proof.move],
        "pairs": [link for link in links if len(link) == 2],
        "links": [link for link in links if len(link) > 2],
        "must_play": [names[cell] for cell in proof.must_play],
        "carrier": [names[cell] for cell in proof.carrier],
    }


def _print(
    shell: Shell,
    view: View,
    marks: Mapping[Cell, str],
    words: Iterable[str],
    document: Mapping[str, Any],
) -> None:
    """Print the board with marks, and words about it; the document says which position it is."""
    where = {"game": view.game.name, "board": view.number, "ply": view.record.ply}
    head, said = heading(view), [*words]
    caption = view_caption(view, head, "\n".join(said))
    picture = BoardPicture(view.game, view.position, caption=caption, marks=marks)
    blocks: tuple[Block, ...] = (head, picture, *said)
    print_answer(Answer(blocks, {**where, **document}), shell.options)


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

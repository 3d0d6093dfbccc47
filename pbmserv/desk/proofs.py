"""``settled``: what is certain, what is proven, and what can be kept joined.

It answers everywhere; only its searches are for the shell, and begin when its transaction is over.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.club.match import Match
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import QUOTABLE, wrap_line
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import ChosenGame, GameChoice, join_cells
from pbmserv.commands.preview import (
    NamedPosition,
    Target,
    check_options,
    needs_match,
    try_out,
    view_of,
)
from pbmserv.commands.slots import MOVE, maybe
from pbmserv.commands.types import BoardRef
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import Side
from pbmserv.errors import Denied, Misunderstood, Refused, invalid_value
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.document import settled_document
from pbmserv.render.view import View, heading, turn_sentence, view_caption, view_match
from pbmserv.services.lookup import find_match
from pbmserv.services.session import ReadSession, Source

if TYPE_CHECKING:
    from pbmserv.computer.proof import KeptLink, Proof

MAX_DEPTH = 3
FIRST_MOVE, OTHER_CELL, MUST_PLAY = "!", "*", "?"
LINK_LETTERS = "abcdefghijklmnpqrstuvwyz"
"""Letters for links; x and o are what somebody owns."""
SHARING = "-"
"""Stands in place of the letter of a link that shares cells with others."""

Moves = Annotated[tuple[str, ...], Word(maybe(MOVE, many=True))]


def number_option(name: str, numbers: range, meaning: str) -> Option:
    """Return an option that takes one of these numbers."""
    least, most = numbers[0], numbers[-1]

    def read(text: str) -> int:
        if text in map(str, numbers):
            return int(text)
        raise invalid_value(name, text, f"{least} to {most}")

    return Option(numbers, meaning, read)


def check_settled(target: Target, chosen: GameChoice, depth: int | None, *, links: bool) -> None:
    """Raise :class:`Misunderstood` for options that do not go together."""
    check_options(target, chosen)
    if links and depth is not None:
        raise Misunderstood(
            "The options -links and -depth cannot be combined.",
            code="options-clash",
            hint="Both mark cells of the board. Ask twice.",
        )


@command(access=needs_match, check=check_settled)
def settled(
    session: ReadSession | None,
    target: NamedPosition,
    moves: Moves = (),
    *,
    depth: Annotated[
        int | None,
        number_option("depth", range(MAX_DEPTH + 1), "moves to look ahead for a proof"),
    ] = None,
    links: Annotated[bool, Flag("mark what each side can keep joined")] = False,
    chosen: ChosenGame,
) -> Answer:
    """Print what is certain, whatever is played; -depth shows a proof, -links what stays joined.

    A proof uses links, which join stones whatever is played, such as two cells of which one is
    taken when the other is lost. -links marks those of both sides on the board. With -depth=1 to 3
    a proof also looks that many moves ahead, in a shell only. On a running board, only what filling
    the rest of the board proves is shown.
    """
    if depth is not None and session is not None and session.source is not Source.SHELL:
        raise Denied(
            "The option -depth works on the command line only.",
            code="shell-only",
            hint="Without it, or with -links instead, the command works here.",
        )
    match, asked = None, "-links" if links else "" if depth is None else "-depth"
    if session is not None and isinstance(target, BoardRef):
        match = find_match(session, type(chosen.game), target.number)
    view = studied_view(match, target, moves, chosen, asked, session=session)
    if links:
        return _links_answer(view)
    answered = cache(lambda: _proof_answer(view, depth))
    return Answer(lambda: answered().blocks, lambda: answered().document)


def studied_view(
    match: Match | None,
    target: Target,
    moves: Sequence[str],
    chosen: GameChoice,
    asked: str,
    *,
    session: ReadSession | None = None,
) -> View:
    """Return a position after the moves; raises :class:`Refused` if it runs and help is ``asked``.

    ``match`` is the board that is meant, if one is.
    """
    if match is not None and isinstance(target, BoardRef):
        if asked:
            require_ended(match, asked)
        view = view_match(match, target.ply)
    else:
        view = view_of(session, target, chosen)
    return try_out(view, join_cells(moves)) if moves else view


def require_ended(match: Match, asked: str) -> None:
    """Raise :class:`Refused` if a game is running: the computer helps nobody to play it."""
    if match.is_running:
        raise Refused(
            f"{match.title} is still running: no {asked} until it has ended.",
            code="running-board",
            hint="Players must find their own moves.",
        )


def marked_answer(
    view: View, marks: Mapping[Cell, str], words: Sequence[str], document: Mapping[str, Any]
) -> Answer:
    """Return the board with marks, and words about it; the document says which position it is."""
    where = {"game": view.game.name, "board": view.number, "ply": view.record.ply}
    head = heading(view)
    caption = view_caption(view, head, "\n".join(words))
    picture = BoardPicture(view.game, view.position, caption=caption, marks=marks)
    return Answer((head, picture, *words), {**where, **document})


def link_marks(links: "Sequence[KeptLink]") -> dict[Cell, str]:
    """Return the marks of the links that hold all at once; OTHER_CELL where X's and O's meet."""
    marks: dict[Cell, str] = {}
    for letter, link in _letter_kept(links):
        if not link.shared:
            marks |= {cell: OTHER_CELL if cell in marks else letter for cell in link.cells}
    return marks


def link_lines(game: Game, links: "Sequence[KeptLink]") -> list[str]:
    """Return a line in words for each link, behind its letter."""
    names = game.board.names
    lines, letter_at = [], dict[tuple[Side, Cell], str]()
    for letter, link in _letter_kept(links):
        one, other = _ends(game, link)
        cells = [names[cell] for cell in link.cells]
        how = f"by {' or '.join(cells)}" if len(cells) == 2 else f"within {' '.join(cells)}"
        other = "the edge" if link.ends[1] < 0 else other
        line = f"{letter}  {link.side}: {one} and {other} stay joined {how}"
        if link.shared:
            letters = sorted({letter_at[link.side, cell] for cell in link.shared})
            shared = " ".join(names[cell] for cell in link.shared)
            line += f"; shares {shared} with {' '.join(letters)}"
        else:
            letter_at |= dict.fromkeys(((link.side, cell) for cell in link.cells), letter)
        lines.append(f"{line}.")
    return lines


def _ends(game: Game, link: "KeptLink") -> list[str]:
    """Return the stones that a link joins, by their cells, and ``edge`` for an edge."""
    return [game.board.names[end] if end >= 0 else "edge" for end in link.ends]


def _letter_kept(links: "Sequence[KeptLink]") -> Iterator[tuple[str, "KeptLink"]]:
    """Yield the links with a letter each, those with shared cells with :data:`SHARING`."""
    letters = chain(LINK_LETTERS, repeat(LINK_LETTERS[-1]))
    return ((SHARING if link.shared else next(letters), link) for link in links)


def _links_answer(view: View) -> Answer:
    """Return the board with what stays joined."""
    from pbmserv.computer.proof import kept_links

    game, links = view.game, kept_links(view.game, view.position)
    words = [turn_sentence(view), "\n".join(_links_words(game, links))]
    names = game.board.names
    found = [
        {
            "mark": letter,
            "side": link.side,
            "ends": _ends(game, link),
            "cells": [names[cell] for cell in link.cells],
            "shared": [names[cell] for cell in link.shared],
        }
        for letter, link in _letter_kept(links)
    ]
    document = {"settled": settled_document(view.settled), "proof": None, "links": found}
    return marked_answer(view, link_marks(links), words, document)


def _links_words(game: Game, links: "Sequence[KeptLink]") -> Iterator[str]:
    """Yield what stays joined in words, and how."""
    if not links:
        yield "No links were found."
        return
    yield "These stay joined if each stone of the opponent in a link is answered there:"
    yield from _wrapped(link_lines(game, links))
    if any(link.shared for link in links):
        yield f"Links with letters hold all at once. A link marked {SHARING} shares cells"
        yield "with them: one stone there may break one of the two."
    if OTHER_CELL in link_marks(links).values():
        yield f"{OTHER_CELL} is a cell of both sides' links."


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, wrapped behind their marks."""
    return chain.from_iterable(wrap_line(line, QUOTABLE, "   ") for line in lines)


def _proof_answer(view: View, depth: int | None) -> Answer:
    """Return what is certain, and what a search of this depth proves."""
    proof = None
    if depth is not None and view.to_move is not None:
        from pbmserv.computer.proof import prove

        proof = prove(view.game, view.position, depth)
    document: dict[str, Any] = {
        "settled": settled_document(view.settled),
        "proof": _proof_document(view.game, proof) if proof else None,
        "links": [],
    }
    words = [*_settled_words(view, proof, depth)]
    return marked_answer(view, _proof_marks(proof) if proof else {}, words, document)


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
        yield "\n".join(_wrapped(_proof_lines(view, proof)))


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

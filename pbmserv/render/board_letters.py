"""Letters about boards: what happened there, as the players and those who watch are told it."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from pbmserv.club.events import Event, EventKind, describe
from pbmserv.club.letter import (
    MARK,
    NEW_BOARD,
    Diagram,
    Letter,
    LetterKind,
    Piece,
    PieceKind,
    join_pieces,
)
from pbmserv.club.match import Match
from pbmserv.club.wording import ahead_words
from pbmserv.club.written_text import WIDTH, clean, escape_controls, wrap_line
from pbmserv.engine.game import JOINT, Game
from pbmserv.engine.moments import Moment
from pbmserv.engine.position import Position, Side
from pbmserv.render.blocks import BoardPicture, MoveList, board_text, plain_lines
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import View, score_words, view_blocks, view_match

ROUNDS = 4
"""Rounds of moves in the letters of a running game."""


@dataclass(frozen=True)
class Reader:
    """The address of a letter; ``player_id`` is None for somebody without an account.

    ``is_asker`` if the letter answers a mail, whose Message-ID is ``in_reply_to`` if it can be
    repeated. ``is_watching`` for subscribers, who need a ``userid``. ``due`` is the deadline of the
    next turn.
    """

    address: str
    player_id: int | None = None
    is_asker: bool = False
    in_reply_to: str | None = None
    is_watching: bool = False
    userid: str = ""
    due: int | None = None


class WayOn(NamedTuple):
    """Where the reader of a letter goes on in a browser, and what they do there."""

    words: str
    url: str


@dataclass(frozen=True)
class Comment:
    """What somebody wrote to go with their move, or to be passed on by itself."""

    writer: str
    text: str


def board_letters(
    match: Match,
    events: Sequence[Event],
    readers: Iterable[Reader],
    *,
    comment: Comment | None = None,
    notes: Sequence[str] = (),
) -> list[Letter]:
    """Return one letter to each reader about a change of a board; ``notes`` are further lines."""
    is_new = any(event.kind in {EventKind.STARTED, EventKind.CONTINUED} for event in events)
    signs = [NEW_BOARD] if is_new else []
    if comment is not None:
        signs.append(_comment_sign(comment))
    if match.offer is not None:  # of which each reader is told in words of their own
        events = [event for event in events if event.kind is not EventKind.OFFERED]
    parts = _BoardNews(match, _story(events), notes, signs, comment)
    return [parts.letter(reader) for reader in dict.fromkeys(readers)]


def _story(events: Sequence[Event]) -> list[Piece]:
    """Return a sentence for each event; what somebody did last is the deed."""
    deeds = [
        number
        for number, event in enumerate(events)
        if event.actor is not None and event.kind is not EventKind.OFFERED
    ]
    return [
        (PieceKind.DEED if number in deeds[-1:] else PieceKind.STORY, describe(event))
        for number, event in enumerate(events)
    ]


def reminder_letters(
    match: Match, readers: Iterable[Reader], sentence: str, *, notes: Sequence[str] = ()
) -> list[Letter]:
    """Return a reminder of the board to each reader; ``sentence`` says what it waits for."""
    parts = _BoardNews(match, [(PieceKind.STORY, sentence)], notes, [(PieceKind.NEWS, "Reminder.")])
    return [parts.letter(reader, LetterKind.REMINDER) for reader in dict.fromkeys(readers)]


def cells_letter(match: Match, reader: Reader, kind: str, part: str) -> Letter:
    """Return the board as an answer, with links in one row or sector, whichever ``kind`` says."""
    story = f"Here are links for the cells of {kind} {part}."
    letter = _BoardNews(match, [(PieceKind.STORY, story)]).letter(reader, LetterKind.ANSWER)
    diagram = None if letter.diagram is None else replace(letter.diagram, part=part)
    return replace(letter, diagram=diagram)


def refused_letter(match: Match, reader: Reader, words: str) -> Letter:
    """Return the board as it is, below the words about an answer to it that was refused."""
    news, _, reason = sanitize(words).partition("\n")
    signs = [(PieceKind.NEWS, news), (PieceKind.REASON, reason)]
    return _BoardNews(match, (), signs=signs).letter(reader, LetterKind.REFUSAL)


def chat_letters(match: Match, said: Comment, readers: Iterable[Reader]) -> list[Letter]:
    """Return what was said at a board, to each reader; the answer to it is a move or chat."""
    letters, tail = [], f"Chat at {match.title}."
    for reader in dict.fromkeys(readers):
        turn = " ".join(text for _, text in turn_pieces(match, reader) if text)
        lead = [_comment_sign(said), (PieceKind.TURN, turn), (PieceKind.SAID, comment_text(said))]
        about = board_subject(match, reader)
        letters.append(letter_to(reader, LetterKind.CHAT, about, lead, tail, match=match))
    return letters


def letter_to(
    reader: Reader,
    kind: LetterKind,
    subject: str,
    lead: str | Iterable[Piece],
    tail: str | Iterable[Piece] = "",
    *,
    diagram: Diagram | None = None,
    match: Match | None = None,
    has_claim: bool = False,
) -> Letter:
    """Return a letter, answered at the board of ``match`` or, with ``has_claim``, at none."""
    revision = None
    if reader.player_id is not None:
        revision = match.revision if match is not None else 0 if has_claim else None
    above, below = (
        (words, ()) if isinstance(words, str) else join_pieces(words) for words in (lead, tail)
    )
    return Letter(
        kind,
        reader.address,
        subject,
        above[0],
        below[0],
        diagram=diagram,
        player_id=reader.player_id,
        match_id=match.id if match is not None else None,
        revision=revision,
        is_answer=reader.is_asker,
        in_reply_to=reader.in_reply_to,
        lengths=(above[1], below[1]),
    )


def board_subject(match: Match, reader: Reader) -> str:
    """Return the Subject of a reader's thread about a board, which begins a command, too."""
    seat = None if reader.player_id is None else match.seat_of(reader.player_id)
    userid = seat.userid if seat is not None else reader.userid
    return f"{match.title} {userid}".rstrip()


def turn_pieces(match: Match, reader: Reader) -> Iterator[Piece]:
    """Yield what a letter about the board says first: what is offered, and whose turn it is."""
    yield PieceKind.NEWS, _offer_sign(match, reader)
    on_move = match.next_seat
    if on_move is None:
        # That nothing is left of a board is what the story begins with.
        yield PieceKind.TURN, "" if match.is_removed else "The game is over."
    elif on_move.player_id == reader.player_id and not reader.is_watching:
        yield PieceKind.TURN, "It is your turn."
    else:
        yield PieceKind.TURN, f"It is {on_move.name}'s turn."


def _offer_sign(match: Match, reader: Reader) -> str:
    """Return what is offered, as the reader would fare by it; nothing to those who watch."""
    view = view_match(match, reader=reader.player_id)
    return f"{view.offered}." if view.offer and view.mine else ""


def _offer_story(match: Match, reader: Reader) -> str:
    """Return what the sign does not say of an offer: how it is answered, to those who watch all."""
    view = view_match(match, reader=reader.player_id)
    if match.offer is None or not view.mine:
        return f"{view.offered}." if view.offered else ""
    return f"Answer with {match.offer.answers}." if view.acceptance else ""


def _comment_sign(comment: Comment) -> Piece:
    return PieceKind.COMMENT, f"There is a comment by {comment.writer}."


def comment_text(comment: Comment | None) -> str:
    """Return the comment marked line by line, so that none can be taken for our own words."""
    text = "" if comment is None else clean(comment.text)
    if comment is None or not text:
        return ""
    lines = (f"{MARK} {line}".rstrip() for line in text.split("\n"))
    return "\n".join([f"{comment.writer} writes:", *lines])


def sanitize(text: str) -> str:
    """Return the words of a letter, still unwrapped, without control and format characters."""
    return "\n".join("".join(filter(str.isprintable, line)) for line in text.split("\n"))


def wrap_lines(text: str) -> str:
    """Return lines of at most 78 columns; within a block the rest of a line is indented by 2."""
    return "\n\n".join(map(_wrap_block, text.split("\n\n")))


def _wrap_block(block: str) -> str:
    lines = block.split("\n")
    indent = "  " if len(lines) > 1 else ""
    return "\n".join(part for line in lines for part in _wrap_line(line, indent))


def _wrap_line(line: str, indent: str) -> list[str]:
    if line.startswith(MARK):
        return [f"{MARK} {part}".rstrip() for part in textwrap.wrap(line[2:], WIDTH - 2) or [""]]
    if len(line) <= WIDTH:
        return [line]
    return wrap_line(line, WIDTH, " " * (len(line) - len(line.lstrip(" "))) + indent)


def letter_text(letter: Letter, way_on: WayOn | None = None) -> str:
    """Return the whole letter as plain text; an address is never broken."""
    diagram, board = letter.diagram, ""
    if diagram is not None:
        picture = BoardPicture(diagram.game, diagram.position, owners=diagram.shows_owners)
        board = board_text(picture)
    onward = "" if way_on is None else f"{way_on.words}:\n{way_on.url}"
    parts = filter(None, (wrap_lines(letter.lead), onward, board, wrap_lines(letter.tail)))
    return escape_controls("\n\n".join(parts) + "\n")


def _sanitized(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return ((kind, sanitize(text)) for kind, text in pieces)


@dataclass
class _BoardNews:
    """What the letters about one change have in common, worked out once."""

    match: Match
    story: Sequence[Piece]
    notes: Sequence[str] = ()
    signs: Sequence[Piece] = ()
    comment: Comment | None = None

    def letter(self, reader: Reader, kind: LetterKind = LetterKind.BOARD) -> Letter:
        """Return the letter to one reader: whoever is to move may click and learns how."""
        match = self.match
        on_move = match.next_seat
        is_on_move = on_move is not None and on_move.player_id == reader.player_id
        is_clickable = is_on_move and not reader.is_watching
        diagram = Diagram(match.game, match.position, is_clickable, not match.is_running)
        tail = [self.around[1], "\n".join(self.notes), *self.closing]
        below = [(PieceKind.WORDS, text) for text in tail]
        if is_clickable:
            below.append((PieceKind.ANSWERS, answer_words(diagram)))
        if reader.is_watching:
            words = "You are watching this board. To stop, answer with unsubscribe."
            below.append((PieceKind.WORDS, words))
        is_gone = match.is_removed
        return letter_to(
            reader,
            LetterKind.WATCHED if reader.is_watching and kind is LetterKind.BOARD else kind,
            board_subject(match, reader),
            _sanitized(self.lead(reader, is_clickable=is_clickable)),
            () if is_gone else _sanitized(below),
            diagram=None if is_gone else diagram,
            match=match,
        )

    def lead(self, reader: Reader, *, is_clickable: bool) -> Iterator[Piece]:
        """Yield what is told above the board: what is to be done, what was, and how it stands."""
        match, on_move = self.match, self.match.next_seat
        yield from self.signs
        yield from turn_pieces(match, reader)
        if on_move is not None and reader.due is not None:
            who = "You" if is_clickable else on_move.name
            until = f"{Moment(reader.due)}{ahead_words(reader.due - match.changed_at)}"
            yield PieceKind.UNTIL, f"{who} must move by {until}."
        if is_clickable and match.game.goal_of(match.position.to_move):
            yield PieceKind.AIM, aim_words(match.game, match.position.to_move)
        yield from self.story
        yield PieceKind.STORY, _offer_story(match, reader)
        yield PieceKind.SAID, comment_text(self.comment)
        for block in () if match.is_removed else self.around[0]:
            yield PieceKind.MOVES if isinstance(block, MoveList) else PieceKind.GAME, block

    @cached_property
    def view(self) -> View:
        return replace(view_match(self.match), offer=None)  # each reader is told in other words

    @cached_property
    def around(self) -> tuple[list[str], str]:
        """The blocks above the board, and the text below it."""
        blocks = view_blocks(self.view, rounds=ROUNDS if self.view.to_move else None)
        middle = next(n for n, block in enumerate(blocks) if isinstance(block, BoardPicture))
        above, below = (
            [block for block in part if isinstance(block, str)]
            for part in (blocks[:middle], blocks[middle + 1 :])
        )
        return above, "\n\n".join(below)

    @cached_property
    def closing(self) -> list[str]:
        """The score sheet of a game that is over, and the stones in words."""
        match, score = self.match, self.view.score
        stones = plain_lines(match.game, match.position, owners=not match.is_running)[1:]
        parts = ["\n".join(["Stones:", *stones])]
        if not match.is_running:
            sheet = sheet_lines(match.game, score, score_words(self.view, score))
            parts.insert(0, "\n".join(["Score sheet:", *sheet]))
        return parts


def aim_words(game: Game, side: Side) -> str:
    """Return which side somebody plays, and what for."""
    if goal := game.goal_of(side):
        return f"You are {side.value}, who {goal}."
    return f"You are {side.value}. {game.gist}".rstrip()


def answer_words(diagram: Diagram) -> str:
    """Return how the reader of a letter makes their move from it."""
    example = example_move(diagram.game, diagram.position)
    return (
        f"To move, answer this mail with your move as the first line, for example {example}.\n"
        "You may write a comment below it, and the quoted text may stay.\n"
        f"Instead of a move you can also write {', '.join(answers_to(diagram))}."
    )


def answers_to(diagram: Diagram) -> list[str]:
    """Return the words that answer a letter instead of a move."""
    # Who has made no move yet has none to undo.
    words = ["pass", "propose", *["undo"][: diagram.position.ply // 2], "resign"]
    if diagram.game.may_swap(diagram.position):
        words.insert(1, "swap")
    return words


def example_move(game: Game, position: Position) -> str:
    """Return a move that is written as the next one is."""
    cells = zip(game.board.names, position.stones, strict=True)
    empty = [name for name, stone in cells if not stone]
    return JOINT.join(empty[: game.stones_due(position)]) or "pass"

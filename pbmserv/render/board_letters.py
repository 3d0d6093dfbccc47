"""Letters about boards: what happened there, as the players and those who watch are told it."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pbmserv.club.events import Event, EventKind, describe
from pbmserv.club.letter import Diagram, Letter, LetterKind
from pbmserv.club.match import Match
from pbmserv.club.written_text import clean, visible
from pbmserv.engine.game import JOINT
from pbmserv.render.blocks import BoardPicture, board_text
from pbmserv.render.plain import plain_lines
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import View, score_words, view_blocks, view_match

WIDTH = 78
ROUNDS = 4
"""So many rounds of moves are shown while a game runs."""


@dataclass(frozen=True)
class Reader:
    """Who gets a letter, and where; ``player_id`` is None for somebody without an account.

    ``is_asker`` if the letter answers a mail of theirs, whose Message-ID is ``in_reply_to`` where
    it has one that can be repeated. ``is_watching`` if they are told because they subscribed; then
    ``userid`` is needed, which whoever plays has from their seat.
    """

    address: str
    player_id: int | None = None
    is_asker: bool = False
    in_reply_to: str | None = None
    is_watching: bool = False
    userid: str = ""


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
    """Return one letter to each reader about what has just happened on a board.

    ``notes`` are further lines, such as changes of ratings. Nobody gets a letter twice.
    """
    story = "\n".join(describe(event) for event in events)
    is_new = any(event.kind in {EventKind.STARTED, EventKind.CONTINUED} for event in events)
    signs = ("New board.",) if is_new else ()
    if comment is not None:
        signs = (*signs, _comment_sign(comment))
    parts = _Parts(match, "\n\n".join(filter(None, (story, comment_text(comment)))), notes, signs)
    return [parts.letter(reader) for reader in dict.fromkeys(readers)]


def reminder_letters(
    match: Match, readers: Iterable[Reader], sentence: str, *, notes: Sequence[str] = ()
) -> list[Letter]:
    """Return a reminder of the board to each reader; ``sentence`` says what it waits for."""
    parts = _Parts(match, sentence, notes, ("Reminder.",))
    return [parts.letter(reader, LetterKind.REMINDER) for reader in dict.fromkeys(readers)]


def cells_letter(match: Match, reader: Reader, kind: str, part: str) -> Letter:
    """Return the board as an answer, with links in one row or sector, whichever ``kind`` says."""
    story = f"Here are links for the cells of {kind} {part}."
    letter = _Parts(match, story, (), ()).letter(reader, LetterKind.ANSWER)
    diagram = None if letter.diagram is None else replace(letter.diagram, part=part)
    return replace(letter, diagram=diagram)


def chat_letters(match: Match, said: Comment, readers: Iterable[Reader]) -> list[Letter]:
    """Return what was said at a board, to each reader; the answer to it is a move or chat."""
    return [
        Letter(
            LetterKind.CHAT,
            reader.address,
            board_subject(match, reader),
            f"{first_line(match, reader, (_comment_sign(said),))}\n\n{comment_text(said)}",
            fit(f"Said at {match.title}."),
            player_id=reader.player_id,
            match_id=match.id,
            revision=_claimed(match, reader),
            is_answer=reader.is_asker,
            in_reply_to=reader.in_reply_to,
        )
        for reader in dict.fromkeys(readers)
    ]


def board_subject(match: Match, reader: Reader) -> str:
    """Return the Subject of every letter about the board to this reader: ``Star Board 101 alice``.

    It keeps the letters in one thread, and is a valid beginning of the reader's answer.
    """
    seat = None if reader.player_id is None else match.seat_of(reader.player_id)
    userid = seat.userid if seat is not None else reader.userid
    return f"{match.title} {userid}".rstrip()


def first_line(match: Match, reader: Reader, signs: Sequence[str] = ()) -> str:
    """Return what a letter about the board says first: ``signs``, then whose turn it is."""
    on_move = match.next_seat
    if on_move is None:
        # That nothing is left of a board is what the story begins with.
        state = "" if match.is_removed else "The game is over."
    elif on_move.player_id == reader.player_id and not reader.is_watching:
        state = "It is your turn."
    else:
        state = f"It is {on_move.name}'s turn."
    return " ".join(filter(None, (*signs, state)))


def _comment_sign(comment: Comment) -> str:
    return f"There is a comment by {comment.writer}."


def comment_text(comment: Comment | None) -> str:
    """Return the comment marked line by line, so that none can be taken for our own words."""
    text = "" if comment is None else clean(comment.text)
    if comment is None or not text:
        return ""
    lines = [f"{comment.writer} writes:"]
    for line in text.split("\n"):
        lines += [f"| {part}".rstrip() for part in textwrap.wrap(line, WIDTH - 2) or [""]]
    return "\n".join(lines)


def fit(text: str, width: int = WIDTH) -> str:
    """Return the text with its longer lines broken, what is left over set in by two.

    Control and format characters are left out.
    """
    lines = ("".join(filter(str.isprintable, line)) for line in text.split("\n"))
    return "\n".join(line if len(line) <= width else _broken(line, width) for line in lines)


def letter_text(letter: Letter) -> str:
    """Return the whole letter as plain text."""
    board = ""
    if letter.diagram is not None:
        diagram = letter.diagram
        board = board_text(
            BoardPicture(diagram.game, diagram.position, owners=diagram.shows_owners)
        )
    return visible("\n\n".join(filter(None, (letter.lead, board, letter.tail))) + "\n")


class _Parts:
    """What the letters about one change have in common, worked out once."""

    def __init__(
        self, match: Match, story: str, notes: Sequence[str], signs: Sequence[str]
    ) -> None:
        self.match = match
        self._story = story
        self._notes = notes
        self._signs = signs
        self._view = view_match(match)
        self._around = _around_board(self._view)
        self._closing = self._closing_parts()

    def letter(self, reader: Reader, kind: LetterKind = LetterKind.BOARD) -> Letter:
        """Return the letter to one reader: whoever is to move may click and learns how."""
        match = self.match
        on_move = match.next_seat
        is_on_move = on_move is not None and on_move.player_id == reader.player_id
        is_clickable = is_on_move and not reader.is_watching
        diagram = Diagram(match.game, match.position, is_clickable, not match.is_running)
        before, after = self._around
        tail = [after, "\n".join(self._notes), *self._closing]
        if diagram.is_clickable:
            tail.append(answer_words(diagram))
        if reader.is_watching:
            tail.append("You watch this board. Answer with unsubscribe to stop watching it.")
        is_gone = match.is_removed
        first = first_line(match, reader, self._signs)
        return Letter(
            LetterKind.WATCHED if reader.is_watching and kind is LetterKind.BOARD else kind,
            reader.address,
            board_subject(match, reader),
            fit("\n\n".join(filter(None, (first, self._story, "" if is_gone else before)))),
            "" if is_gone else fit("\n\n".join(filter(None, tail))),
            diagram=None if is_gone else diagram,
            player_id=reader.player_id,
            match_id=match.id,
            revision=_claimed(match, reader),
            is_answer=reader.is_asker,
            in_reply_to=reader.in_reply_to,
        )

    def _closing_parts(self) -> list[str]:
        """Return the score sheet of a game that is over, and the stones in words."""
        match = self.match
        parts = [
            "\n".join(
                [
                    "Stones:",
                    *plain_lines(match.game, match.position, owners=not match.is_running)[1:],
                ]
            )
        ]
        if not match.is_running:
            sheet = sheet_lines(
                match.game, self._view.score, score_words(self._view, self._view.score)
            )
            parts.insert(0, "\n".join(["Score sheet:", *sheet]))
        return parts


def answer_words(diagram: Diagram) -> str:
    """Return how the reader of a letter makes their move from it."""
    game, position = diagram.game, diagram.position
    cells = zip(game.board.names, position.stones, strict=True)
    empty = [name for name, stone in cells if not stone]
    example = JOINT.join(empty[: game.stones_due(position)])
    words = ["pass", "resign", "propose", "undo"]
    if game.may_swap(position):
        words.insert(1, "swap")
    return (
        "To move, answer this mail: delete the quoted text and write your move as the\n"
        f"first line, for example {example}. You may write a comment below it.\n"
        f"Instead of a move you can also write {', '.join(words)}."
    )


def _around_board(view: View) -> tuple[str, str]:
    """Return the text above and below the board in the view of a match."""
    blocks = view_blocks(view, rounds=ROUNDS if view.to_move else None)
    middle = next(n for n, block in enumerate(blocks) if isinstance(block, BoardPicture))
    texts = [block if isinstance(block, str) else "" for block in blocks]
    return "\n\n".join(texts[:middle]), "\n\n".join(texts[middle + 1 :])


def _claimed(match: Match, reader: Reader) -> int | None:
    """Return the revision that a reader with an account may answer without a password."""
    return None if reader.player_id is None else match.revision


def _broken(line: str, width: int) -> str:
    """Return a line that is too long as several, the further ones indented."""
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    lines = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(lines)

"""Letters: ``lead``, the board of a ``diagram``, and ``tail``, of pieces that are known by kind.

The board is stored as a position and drawn when the letter is sent, outside of transactions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from pbmserv.club.player import parse_address
from pbmserv.club.wording import until_words
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import format_game, parse_game

SUBJECT = re.compile(r"(?!.*=\?)[!-~]+(?: [!-~]+)*", re.ASCII)
MAX_SUBJECT = 200
SECRET_MARK = "{TOKEN}"
"""Stands in a letter for the token that is made when it is sent."""
PART, ABOVE, BELOW = "part", "above", "below"
CELLS = "cells"
"""Asks in an answer for the board with links in the row or sector that is named behind it."""

MAX_PAGE = 5_000
"""Characters up to which a letter is written as a page, too, and not as plain text alone."""

BYTES_AROUND = 4_000
BYTES_WITH_PAGE = 7
"""What the headers of a letter come to at most, and each byte of its words with a page."""

MAX_CELLS_LINKED = 164
"""Cells of a board beyond which its links and its picture have more room in a mail."""

MARK = "|"
"""Begins the lines that somebody else wrote."""

MESSAGE_ID = re.compile(r"(?!.*=\?)<[!-;=?-~]{1,250}@[!-;=?-~]{1,250}>", re.ASCII)


@dataclass(frozen=True)
class TokenScope:
    """What a reply token allows: a player at a match, made at this revision of it.

    ``match_id`` is the database's. It is 0 for a token that only confirms an address: then the
    ``revision`` is the mark of the address.
    """

    match_id: int
    player_id: int
    revision: int


class LetterKind(Enum):
    """The kind of a letter; the values are stored."""

    BOARD = "board"
    """A board has changed; to its players."""
    WATCHED = "watched"
    """A board has changed; to its subscribers."""
    REMINDER = "reminder"
    ANSWER = "answer"
    """What a command that looks gave back, or that one was done."""
    REFUSAL = "refusal"
    TRANSCRIPT = "transcript"
    WELCOME = "welcome"
    RESET = "reset"
    """Holds a secret: nothing of it is kept once it has left."""
    MESSAGE = "message"
    CHAT = "chat"
    BROADCAST = "broadcast"
    DIGEST = "digest"
    OPERATOR = "operator"
    """What the operator, or an opponent, is told about mail that cannot be delivered."""

    TRIAL = "trial"
    """Shows the operator whether letters go out and mails come in; any answer is one."""


NOTICES = {
    LetterKind.BOARD: "unsubscribe",
    LetterKind.REMINDER: "unsubscribe",
    LetterKind.CHAT: "unsubscribe",
    LetterKind.WATCHED: "unsubscribe",
    LetterKind.BROADCAST: "broadcast off",
    LetterKind.DIGEST: "digest off",
    LetterKind.MESSAGE: "block",
    LetterKind.WELCOME: "unsubscribe",
    LetterKind.OPERATOR: "unsubscribe",
}
"""The answers that end a kind of letters; players still hear of the end of their boards."""


class PieceKind(Enum):
    """The kind of a piece of a letter, in the order of a merged letter; the values are stored."""

    NEWS = "news"
    """What comes before whose turn it is: that the board is new, a reminder, an offer."""
    COMMENT = "comment"
    """That somebody wrote something, which stands below."""
    TURN = "turn"
    UNTIL = "until"
    AIM = "aim"
    DEED = "deed"
    """What was done last."""
    STORY = "story"
    REASON = "reason"
    """Why an answer to the letter was refused."""
    SAID = "said"
    GAME = "game"
    """Which board it is, and who plays there."""
    MOVES = "moves"
    TABLE = "table"
    """Lines that mean nothing when they are broken elsewhere."""
    ANSWERS = "answers"
    """How to answer the letter by hand."""
    WORDS = "words"


Piece = tuple[PieceKind, str]
Lengths = tuple[tuple[PieceKind, int], ...]
"""The kinds of the pieces of a text, and how many characters each has."""

NEW_BOARD = (PieceKind.NEWS, "New board.")
SPOKEN = {PieceKind.COMMENT, PieceKind.SAID}
EVENTS = {PieceKind.DEED, PieceKind.STORY, PieceKind.REASON}
FRAME = {PieceKind.GAME, PieceKind.MOVES}
IN_COLUMNS = {PieceKind.TABLE, PieceKind.MOVES}
IN_LINE = {PieceKind.NEWS, PieceKind.COMMENT, PieceKind.TURN}
ON_NEXT_LINE = {PieceKind.UNTIL, PieceKind.AIM, PieceKind.REASON}


def join_pieces(pieces: Iterable[Piece]) -> tuple[str, Lengths]:
    """Return the text of pieces, and the length of each; an empty one is left out."""
    text, lengths, before = "", list[tuple[PieceKind, int]](), PieceKind.WORDS
    for kind, words in filter(lambda piece: piece[1], pieces):
        text += (_gap(before, kind) if text else "") + words
        lengths.append((kind, len(words.strip())))
        before = kind
    return text, tuple(lengths)


def _gap(before: PieceKind, kind: PieceKind) -> str:
    if kind in ON_NEXT_LINE or {before, kind} <= EVENTS:
        return "\n"
    return " " if kind in IN_LINE and before is not PieceKind.REASON else "\n\n"


def split_pieces(text: str, lengths: Lengths, rest: PieceKind = PieceKind.WORDS) -> list[Piece]:
    """Return the pieces of a text; what goes on behind them is of the kind ``rest``."""
    found = list[Piece]()
    for kind, length in lengths:
        text = text.lstrip("\n")
        end = len(text) - len(text.lstrip()) + length
        found.append((kind, text[:end] if kind in IN_COLUMNS else text[:end].strip()))
        text = text[end:]
    return [piece for piece in (*found, (rest, text.strip("\n"))) if piece[1]]


@dataclass(frozen=True)
class Diagram:
    """The board in a letter; ``is_clickable`` if its reader is to move and may click a cell.

    ``part`` is the row or sector that the reader asked for, which is always clickable.
    """

    game: Game
    position: Position
    is_clickable: bool = False
    shows_owners: bool = False
    part: str = ""

    @property
    def max_bytes(self) -> int:
        """How large the mail may become; a board is linked in part before it is larger."""
        return 100_000 if len(self.game.board) > MAX_CELLS_LINKED else 60_000


@dataclass(frozen=True)
class Letter:
    """A message to one address; raises :class:`ValueError` for what no header can hold.

    With a ``revision`` it is answered without a password: by ``player_id``, at ``match_id`` or,
    without one, to confirm the address. ``is_answer`` if it answers a mail, whose Message-ID is
    ``in_reply_to``. ``lengths`` are those of the pieces of ``lead`` and ``tail``.
    """

    kind: LetterKind
    address: str
    subject: str
    lead: str
    tail: str = ""
    diagram: Diagram | None = None
    player_id: int | None = None
    match_id: int | None = None
    revision: int | None = None
    is_answer: bool = False
    in_reply_to: str | None = None
    lengths: tuple[Lengths, Lengths] = ((), ())

    @property
    def max_bytes(self) -> int:
        """How large the mail may become that it makes; what may leave is counted by this."""
        words = self.lead + self.tail
        size = len(words.encode(errors="surrogatepass"))
        size = size + words.count("\n") if words.isascii() else 2 * size
        if self.player_id is not None and len(words) <= MAX_PAGE:
            size *= BYTES_WITH_PAGE
        if self.diagram is None:
            return BYTES_AROUND + size
        board = self.diagram.max_bytes
        return board if self.diagram.is_clickable else min(board, board // 2 + size)

    @property
    def above(self) -> list[Piece]:
        """The pieces of ``lead``."""
        # Chat that was stored before its pieces were is somebody's words: they are never dropped.
        is_chat = self.kind is LetterKind.CHAT
        return split_pieces(
            self.lead, self.lengths[0], PieceKind.SAID if is_chat else PieceKind.WORDS
        )

    @property
    def below(self) -> list[Piece]:
        """The pieces of ``tail``."""
        return split_pieces(self.tail, self.lengths[1])

    def __post_init__(self) -> None:
        parse_address(self.address)
        if len(self.subject) > MAX_SUBJECT or not SUBJECT.fullmatch(self.subject):
            raise ValueError("a subject is one line of printable ASCII words")
        if self.in_reply_to is not None and not is_message_id(self.in_reply_to):
            raise ValueError("a Message-ID has one form only")


def merge_letters(
    letter: Letter, letters: Iterable[Letter], now: int, *, is_true: bool
) -> Letter | None:
    """Return the letter about a board that replaces ``letters``, among which it is.

    It keeps all that was said, and what happened at the same revision. If it is not true any more,
    only what was said and that the board is new are kept, None without either.
    """
    found = _kept_pieces(letter, letters, is_true=is_true)
    if not found:
        return None
    order, until = [*PieceKind], PieceKind.UNTIL
    found.sort(key=lambda piece: order.index(PieceKind.DEED if piece[0] in EVENTS else piece[0]))
    above = [(kind, until_words(text, now) if kind is until else text) for kind, text in found]
    frame = [piece for piece in letter.above if piece[0] in FRAME]
    lead, lengths = join_pieces([*above, *(frame if is_true else frame[:1])])
    if not is_true:
        return replace(letter, lead=lead, tail="", diagram=None, lengths=(lengths, ()))
    return replace(letter, lead=lead, lengths=(lengths, letter.lengths[1]))


def _kept_pieces(letter: Letter, letters: Iterable[Letter], *, is_true: bool) -> list[Piece]:
    found: list[Piece] = []
    for each in letters:
        kept = SPOKEN | EVENTS | {PieceKind.NEWS} if each.revision == letter.revision else SPOKEN
        kept = SPOKEN if not is_true else {*PieceKind} - FRAME if each is letter else kept
        for piece in each.above:
            is_double = piece in found and piece[0] is not PieceKind.SAID
            if (piece[0] in kept or piece == NEW_BOARD) and not is_double:
                found.append(piece)
    return found


def unsubscribe_command(letter: Letter) -> str | None:
    """Return the answer that stops letters of its kind, None if the reader asked for it."""
    words = None if letter.is_answer else NOTICES.get(letter.kind)
    writer = letter.subject.rpartition(" ")[2]
    return f"{words} {writer}" if letter.kind is LetterKind.MESSAGE and words else words


def is_message_id(text: str) -> bool:
    """Tell whether ``text`` can be repeated in a header as the Message-ID of another mail."""
    return MESSAGE_ID.fullmatch(text) is not None


def format_layout(letter: Letter) -> str | None:
    """Return the diagram of a letter and the lengths of its pieces as one line, None for neither.

    >>> from pbmserv.engine.spec import parse_game
    >>> game = parse_game("star(size=3)")
    >>> diagram, lengths = Diagram(game, game.replay(["B3"])), (((PieceKind.TURN, 4),), ())
    >>> words = LetterKind.BOARD, "a@example.org", "Star Board 101", "Hey."
    >>> format_layout(Letter(*words, diagram=diagram, lengths=lengths))
    'star(size=3) 000000100000 O 1 0 B3 above=turn:4'
    """
    shown, uses = letter.diagram, list[str]()
    if shown is not None:
        uses = ["clickable"] * shown.is_clickable + ["owners"] * shown.shows_owners
        uses += [f"{PART}={shown.part}"] * bool(shown.part)
    for key, lengths in zip((ABOVE, BELOW), letter.lengths, strict=True):
        words = "+".join(f"{kind.value}:{length}" for kind, length in lengths)
        uses += [f"{key}={words}"] * bool(words)
    use = ",".join(uses)
    if shown is None:
        return use or None
    position = shown.position
    names = "+".join(shown.game.board.names[cell] for cell in position.last)
    stones = "".join(map(str, position.stones))
    turn = f"{position.to_move.value} {position.ply} {position.passes}"
    return f"{format_game(shown.game)} {stones} {turn} {names or '-'} {use or 'shown'}"


def parse_layout(text: str) -> tuple[Diagram | None, tuple[Lengths, Lengths]]:
    """Return what :func:`format_layout` wrote; raises :class:`ValueError`."""
    *shown, use = text.split(" ")
    uses = {key: value for key, _, value in (each.partition("=") for each in use.split(","))}
    lengths = _parse_lengths(uses.get(ABOVE, "")), _parse_lengths(uses.get(BELOW, ""))
    if not shown:
        if uses.keys() - {ABOVE, BELOW, ""}:
            raise ValueError("a layout has a diagram or lengths")
        return None, lengths
    spec, stones, to_move, ply, passes, last = shown
    game = parse_game(spec)
    names = () if last == "-" else tuple(last.split("+"))
    position = Position(
        bytes(map(int, stones)),
        Side(to_move),
        int(ply),
        int(passes),
        tuple(game.board.index[name] for name in names),
    )
    position = position.with_trace(game.trace_of(position))
    part = uses.get(PART, "")
    return Diagram(game, position, "clickable" in uses, "owners" in uses, part), lengths


def _parse_lengths(text: str) -> Lengths:
    pieces = (piece.split(":") for piece in text.split("+") if piece)
    return tuple((PieceKind(kind), int(length)) for kind, length in pieces)

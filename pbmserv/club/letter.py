"""Letters: what one address is told once, checked so that none can carry a header of its own.

A letter reads ``lead``, then the board of its ``diagram`` where it has one, then ``tail``. The
board is kept as a position and drawn when the letter is sent, outside of every transaction.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from pbmserv.club.player import parse_address
from pbmserv.club.wording import until_words
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import format_game, parse_game

SUBJECT = re.compile(r"(?!.*=\?)[!-~]+(?: [!-~]+)*", re.ASCII)
LONGEST_SUBJECT = 200
SECRET_MARK = "{TOKEN}"
"""Stands in a letter for the token that is made when it is sent."""
PART = "part="
ABOVE = "above="
CELLS = "cells"
"""Asks in an answer for the board with links in the row or sector that is named behind it."""

LONGEST_PAGE = 5_000
"""Characters up to which a letter is written as a page, too, and not as plain text alone."""

BYTES_AROUND = 4_000
BYTES_WITH_PAGE = 7
"""What the headers of a letter come to at most, and each byte of its words with a page."""

MANY_CELLS = 164
"""Cells of a board beyond which its links and its picture have more room in a mail."""

MARK = "|"
"""Begins the lines that somebody else wrote."""

SIGN = re.compile(r"There is a comment by \S+\.")
MESSAGE_ID = re.compile(r"(?!.*=\?)<[!-;=?-~]{1,250}@[!-;=?-~]{1,250}>", re.ASCII)


@dataclass(frozen=True)
class TokenScope:
    """What a reply token is good for: this player at this match, made at this revision.

    ``match_id`` is the database's, since the numbers that players see repeat between games. It is
    0 for a claim to read an address alone, the sender's; in the place of the revision is then its
    mark.
    """

    match_id: int
    player_id: int
    revision: int


class LetterKind(Enum):
    """What a letter is about; the values are stored."""

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
"""Kinds that a reader may want no more of, and what they answer to be rid of them.

Who plays at a board still hears of its end. Behind ``block`` stands who wrote the message.
"""


class Told(Enum):
    """What a piece of the words above a board tells; the values are stored."""

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
    SAID = "said"
    GAME = "game"
    """Which board it is, and who plays there."""
    MOVES = "moves"
    WORDS = "words"


NEW_BOARD = (Told.NEWS, "New board.")
SPOKEN = {Told.COMMENT, Told.SAID}
EVENTS = {Told.DEED, Told.STORY}
FRAME = {Told.GAME, Told.MOVES}
BETWEEN = {Told.NEWS: " ", Told.COMMENT: " ", Told.TURN: " ", Told.UNTIL: "\n", Told.AIM: "\n"}
"""What stands before a piece that is not the first, where it is no empty line."""


class Lead:
    """The words above a board while they are put together, each piece known by what it tells."""

    def __init__(self) -> None:
        self.text = ""
        self.pieces: list[tuple[Told, int]] = []

    def add(self, told: Told, text: str, between: str) -> None:
        """Add a piece, with this before it unless it is the first; an empty one is left out."""
        if text:
            self.text += between * bool(self.text) + text
            self.pieces.append((told, len(text.strip())))


@dataclass(frozen=True)
class Diagram:
    """The board in a letter, with who owns what where ``shows_owners``.

    ``is_clickable`` if its reader is to move and may click a cell; ``part`` names the row or sector
    that they asked for, which is clickable whatever else has no room to be. ``above`` are the
    pieces of the words above it: what each tells, and of how many characters it is.
    """

    game: Game
    position: Position
    is_clickable: bool = False
    shows_owners: bool = False
    part: str = ""
    above: tuple[tuple[Told, int], ...] = ()

    @property
    def most_bytes(self) -> int:
        """How large the mail may become; a board is linked in part before it is larger."""
        return 100_000 if len(self.game.board) > MANY_CELLS else 60_000


@dataclass(frozen=True)
class Letter:
    """One message to one address; raises :class:`ValueError` for what no header can hold.

    With a ``revision`` it can be answered without a password: by ``player_id``, on the match
    ``match_id`` or, without one, to prove that they read this address. ``is_answer`` if it answers
    a mail of the reader's, whose Message-ID is ``in_reply_to`` where it is known.
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

    @property
    def most_bytes(self) -> int:
        """How large the mail may become that it makes; what may leave is counted by this."""
        words = self.lead + self.tail
        size = len(words.encode(errors="surrogatepass"))
        size = size + words.count("\n") if words.isascii() else 2 * size
        if self.player_id is not None and len(words) <= LONGEST_PAGE:
            size *= BYTES_WITH_PAGE
        if self.diagram is None:
            return BYTES_AROUND + size
        board = self.diagram.most_bytes
        return board if self.diagram.is_clickable else min(board, board // 2 + size)

    @property
    def pieces(self) -> list[tuple[Told, str]]:
        """The pieces of ``lead`` with what each tells."""
        found, rest = [], self.lead.lstrip()
        for told, length in self.diagram.above if self.diagram else ():
            found.append((told, rest[:length]))
            rest = rest[length:].lstrip()
        return [*found, (Told.WORDS, rest)] if rest else found

    def __post_init__(self) -> None:
        parse_address(self.address)
        if len(self.subject) > LONGEST_SUBJECT or not SUBJECT.fullmatch(self.subject):
            raise ValueError("a subject is one line of printable ASCII words")
        if self.in_reply_to is not None and not is_message_id(self.in_reply_to):
            raise ValueError("a Message-ID has one form only")


def merged(letter: Letter, letters: Iterable[Letter], now: int, *, is_true: bool) -> Letter | None:
    """Return a letter about a board that goes in the place of ``letters``, it among them.

    It tells all that was said in them, and what else happened at the same state of the board. Of
    one that is not true any more only what was said is left, or that the board is new, or None.
    """
    found: list[tuple[Told, str]] = []
    for each in letters:
        kept = SPOKEN | EVENTS | {Told.NEWS} if each.revision == letter.revision else SPOKEN
        kept = SPOKEN if not is_true else {*Told} if each is letter else kept
        for piece in _told_above(each):
            is_double = piece in found and piece[0] is not Told.SAID
            if (piece[0] in kept or piece == NEW_BOARD) and not is_double:
                found.append(piece)
    if not found:
        return None
    lead, order = Lead(), [*Told]
    found.sort(key=lambda piece: order.index(Told.DEED if piece[0] in EVENTS else piece[0]))
    for told, text in found:
        follows = {told, *(kind for kind, _ in lead.pieces[-1:])} <= EVENTS
        shown = until_words(text, now) if told is Told.UNTIL else text
        lead.add(told, shown, "\n" if follows else BETWEEN.get(told, "\n\n"))
    frame = [piece for piece in letter.pieces if piece[0] in FRAME]
    if not is_true:
        words = "\n\n".join((lead.text, *(text for _, text in frame[:1])))
        return replace(letter, lead=words, tail="", diagram=None)
    above = (*lead.pieces, *((told, len(text)) for told, text in frame))
    below = letter.lead[letter.lead.rindex(frame[0][1]) - 2 :] if frame else ""
    diagram = letter.diagram and replace(letter.diagram, above=above)
    return replace(letter, lead=lead.text + below, diagram=diagram)


def _told_above(letter: Letter) -> Iterator[tuple[Told, str]]:
    """Yield what a letter tells before it names its board."""
    if letter.diagram is not None:
        yield from (piece for piece in letter.pieces if piece[0] not in FRAME)
        return
    first, *blocks = letter.lead.split("\n\n")
    yield from ((Told.COMMENT, sign) for sign in SIGN.findall(first))
    yield Told.TURN, SIGN.sub("", first).strip()
    for block in blocks:
        yield Told.SAID if f" writes:\n{MARK}" in block else Told.WORDS, block


def way_out(letter: Letter) -> str | None:
    """Return what its reader answers to get no more of the kind, None if they asked for it."""
    words = None if letter.is_answer else NOTICES.get(letter.kind)
    writer = letter.subject.rpartition(" ")[2]
    return f"{words} {writer}" if letter.kind is LetterKind.MESSAGE and words else words


def is_message_id(text: str) -> bool:
    """Tell whether ``text`` can be repeated in a header as the Message-ID of another mail."""
    return MESSAGE_ID.fullmatch(text) is not None


def format_diagram(diagram: Diagram) -> str:
    """Return the diagram as one line.

    >>> from pbmserv.engine.spec import parse_game
    >>> game = parse_game("star(size=3)")
    >>> format_diagram(Diagram(game, game.replay(["B3"])))
    'star(size=3) 000010000000 O 1 0 B3 shown'
    """
    position = diagram.position
    names = "+".join(diagram.game.board.names[cell] for cell in position.last)
    part = f"{PART}{diagram.part}"
    above = ABOVE + "+".join(f"{told.value}:{length}" for told, length in diagram.above)
    uses = {
        "clickable": diagram.is_clickable,
        "owners": diagram.shows_owners,
        part: diagram.part,
        above: diagram.above,
    }
    return " ".join(
        (
            format_game(diagram.game),
            "".join(map(str, position.stones)),
            position.to_move.value,
            str(position.ply),
            str(position.passes),
            names or "-",
            ",".join(use for use, is_set in uses.items() if is_set) or "shown",
        )
    )


def parse_diagram(text: str) -> Diagram:
    """Return the diagram that :func:`format_diagram` wrote; raises :class:`ValueError`."""
    spec, stones, to_move, ply, passes, last, use = text.split(" ")
    uses = use.split(",")
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
    part, above = (
        next((use.removeprefix(key) for use in uses if use.startswith(key)), "")
        for key in (PART, ABOVE)
    )
    pieces = (piece.split(":") for piece in above.split("+") if piece)
    told = tuple((Told(kind), int(length)) for kind, length in pieces)
    return Diagram(game, position, "clickable" in uses, "owners" in uses, part, told)

"""Letters that are about no change of a board: answers, refusals, messages, notices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pbmserv.club.letter import Diagram, Letter, LetterKind, Piece, PieceKind
from pbmserv.club.match import Match, MatchSummary
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import escape_controls, unwrap_block
from pbmserv.engine.games import find_game, for_mail
from pbmserv.engine.moments import utc_date
from pbmserv.errors import PbmservError
from pbmserv.render.blocks import (
    Block,
    BoardPicture,
    MoveList,
    Table,
    Target,
    board_text,
    table_text,
)
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    comment_text,
    letter_to,
    refused_letter,
    sanitize,
)

NAME = "pbmserv"
CONFIRM = "Confirm challenge"
"""Begins the Subject of a letter that asks back; its number follows."""

LETTER = Target(
    lambda text: sanitize(escape_controls(unwrap_block(for_mail(text)))), board_text, table_text
)
"""Letters as the target of blocks."""

Result = Literal["done", "refused", "not tried"]


@dataclass(frozen=True)
class TranscriptLine:
    """One line of a ``multiple`` mail: our own name for the command, and what came of it."""

    command: str
    result: Result
    text: str = ""


def answer_letter(reader: Reader, about: str, blocks: Sequence[Block]) -> Letter:
    """Return the answer to a command, ``about`` it; a single board becomes the letter's picture."""
    boards = [block for block in blocks if isinstance(block, BoardPicture)]
    if len(boards) != 1:
        return letter_to(reader, LetterKind.ANSWER, about, map(_piece, blocks))
    (board,) = boards
    middle = blocks.index(board)
    lead, tail = map(_piece, blocks[:middle]), map(_piece, blocks[middle + 1 :])
    diagram = Diagram(board.game, board.position, shows_owners=board.owners)
    return letter_to(reader, LetterKind.ANSWER, about, lead, tail, diagram=diagram)


def _piece(block: Block) -> Piece:
    kind = PieceKind.MOVES if isinstance(block, MoveList) else PieceKind.TABLE
    # A line that begins with a blank stands as it is, by the mark-up of written pages.
    is_words = isinstance(block, str) and "\n " not in f"\n{block}"
    return PieceKind.WORDS if is_words else kind, LETTER.render(block)


def refusal_letter(reader: Reader, error: PbmservError, match: Match | None = None) -> Letter:
    """Return why a mail was not accepted, and nothing of what stood in it."""
    lead = "\n".join(filter(None, ("Your mail was not accepted.", error.message, error.advice)))
    tail = (
        "Nothing was changed. Your own words are not repeated here, because a password may be "
        "among them."
    )
    lead = for_mail(lead)
    if match is not None:
        return refused_letter(match, reader, f"{lead}\n\n{tail}")
    return letter_to(reader, LetterKind.REFUSAL, f"{NAME}: not accepted", sanitize(lead), tail)


def transcript_letter(reader: Reader, lines: Sequence[TranscriptLine]) -> Letter:
    """Return what came of each line of a ``multiple`` mail."""
    done = sum(line.result == "done" for line in lines)
    parts = []
    for number, line in enumerate(lines, start=1):
        parts.append(sanitize(f"{number}. {line.command}: {line.result}"))
        if line.text:
            told = sanitize(for_mail(line.text)).split("\n")
            parts[-1] += "\n" + "\n".join(f"   {text}".rstrip() for text in told)
    subject = f"{NAME}: {done} of {len(lines)} commands done"
    return letter_to(reader, LetterKind.TRANSCRIPT, subject, "\n\n".join(parts))


def welcome_letter(reader: Reader, userid: str) -> Letter:
    """Return the answer to a signup, the first letter that can prove an address."""
    lead = (
        f"Welcome, {userid}. Your account is open.\n\nAnswer this mail, with any words or none, to "
        "verify this address. Mail about your games goes to verified addresses only."
    )
    tail = (
        "Send a mail with the Subject help to learn the rest, or help star for a game. The Subject "
        "of a mail is a command; its text is a comment for your opponent. To look for an opponent, "
        "or to start a game with one, send the Subject\n\n"
        f"    star seek {userid} PASSWORD 1\n    star challenge {userid} PASSWORD OPPONENT\n\n"
        f"In a shell of the server, begin with pbmserv login {userid} and pbmserv play."
    )
    return letter_to(reader, LetterKind.WELCOME, f"Welcome {userid}", lead, tail, has_claim=True)


def verify_letter(reader: Reader, userid: str) -> Letter:
    """Return the letter to an address that a player added, which only a reply verifies."""
    lead = (
        f"This address was added to the account {userid}.\n\nAnswer this mail, with any words or "
        "none, to verify it. If you have no such account, do nothing: you will get no further mail."
    )
    subject = f"Please confirm your address for {userid}"
    return letter_to(reader, LetterKind.WELCOME, subject, lead, has_claim=True)


def confirmation_letter(reader: Reader, number: int, lines: Sequence[str]) -> Letter:
    """Return the question whether challenges are the reader's own; ``lines`` are these commands."""
    what, them = ("challenge", "it") if len(lines) == 1 else ("challenges", "them")
    listed = "\n".join(f"    {line}" for line in lines)
    lead = (
        f"Somebody, probably you, sent the {what} below from your address.\n\n{listed}\n\nTo open "
        f"{them}, answer this mail with yes as the first line. Any other answer drops {them}; if "
        "you do not answer, nothing happens."
    )
    tail = (
        "You are not asked if your password follows your userid, or if you send the "
        "challenge as the Subject of an answer to a mail about one of your boards."
    )
    subject = f"{CONFIRM} {number}"
    return letter_to(reader, LetterKind.ANSWER, subject, sanitize(lead), tail, has_claim=True)


def reset_letter(reader: Reader, userid: str, line: str) -> Letter:
    """Return the letter with a single-use token; ``line`` is the command that uses it."""
    lead = (
        f"Somebody, probably you, forgot the password of {userid}. For one hour this command "
        f"sets another one; send it as the Subject of a mail:\n\n    {line}"
    )
    tail = "If it was not you, do nothing: the password stays as it is."
    return letter_to(reader, LetterKind.RESET, f"{NAME}: forgotten password", lead, tail)


def message_letters(
    message: Comment, readers: Iterable[Reader], *, is_broadcast: bool = False
) -> list[Letter]:
    """Return what one player writes to others: each sees the writer's userid and no address."""
    kind = LetterKind.BROADCAST if is_broadcast else LetterKind.MESSAGE
    about = "Broadcast" if is_broadcast else "Message"
    tail = (
        "Your address was not shown to the sender. To answer, send a mail with the Subject: "
        f"message YOUR-USERID PASSWORD {message.writer}"
    )
    subject = f"{about} from {message.writer}"
    return [
        letter_to(reader, kind, subject, comment_text(message), tail, has_claim=True)
        for reader in dict.fromkeys(readers)
    ]


def announcement_letters(text: str, readers: Iterable[Reader]) -> list[Letter]:
    """Return what the operator tells everybody, one letter for each address."""
    tail = "The operator of this server has sent this to all players."
    return [
        letter_to(
            reader, LetterKind.BROADCAST, "Announcement", sanitize(text), tail, has_claim=True
        )
        for reader in dict.fromkeys(readers)
    ]


def digest_letter(reader: Reader, waiting: Sequence[MatchSummary]) -> Letter:
    """Return the boards that wait for this reader, one line each."""
    rows = []
    for summary in waiting:
        board = f"{find_game(summary.game).title} Board {summary.number}"
        pair = sorted(summary.seats.values(), key=lambda seat: seat.player_id != reader.player_id)
        players = " against ".join(seat.name for seat in pair)
        since = f"since {utc_date(summary.changed_at)}"
        rows.append((board, _due_action(summary, reader), players, since))
    table = Table(("board", "to do", "players", "waiting"), tuple(rows))
    subject = f"Your turn: {with_count(len(waiting), 'board')}"
    tail = "You asked for this daily mail. To stop it, answer with the Subject digest off."
    lead = [_piece(table)]
    return letter_to(reader, LetterKind.DIGEST, subject, lead, tail, has_claim=True)


def _due_action(summary: MatchSummary, reader: Reader) -> str:
    words = []
    if summary.next_seat is not None and summary.next_seat.player_id == reader.player_id:
        words.append(f"move {summary.ply + 1}")
    if (
        summary.offer_recipient is not None
        and summary.offer_recipient.player_id == reader.player_id
    ):
        words.append("answer an offer")
    return ", ".join(words)


def trouble_letter(
    reader: Reader, about: str, lines: Sequence[str], match: Match | None = None
) -> Letter:
    """Return what the operator, or the opponent at ``match``, should know about lost mail."""
    text = sanitize("\n".join(lines))
    return letter_to(reader, LetterKind.OPERATOR, f"{NAME}: {about}", text, match=match)


def trial_letter(address: str) -> Letter:
    """Return the letter by which an operator sees whether mail goes out and comes in."""
    lead = (
        "The operator of this server is testing whether its mail arrives. It does. Answer with any "
        "words or none to show that answers arrive, too."
    )
    return Letter(LetterKind.TRIAL, address, f"{NAME}: mail test", lead)

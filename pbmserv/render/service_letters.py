"""Letters that are about no change of a board: answers, refusals, messages, notices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pbmserv.club.letter import Diagram, Letter, LetterKind
from pbmserv.club.match import Match, MatchSummary
from pbmserv.club.play import utc_date
from pbmserv.club.written_text import visible
from pbmserv.engine.games import find_game
from pbmserv.errors import PbmservError
from pbmserv.render.blocks import Block, BoardPicture, Table, Target, board_text, table_text
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_subject,
    comment_text,
    fit,
)
from pbmserv.render.wording import counted

NAME = "pbmserv"
CONFIRM = "Confirm challenge"
"""Begins the Subject of a letter that asks back; its number follows."""

LETTER = Target(lambda text: fit(visible(text)), board_text, table_text)
"""Letters as the target of blocks."""

Result = Literal["done", "refused", "not tried"]


@dataclass(frozen=True)
class TranscriptLine:
    """One line of a ``multiple`` mail: our own name for the command, and what came of it."""

    command: str
    result: Result
    text: str = ""


def answer_letter(
    reader: Reader, about: str, blocks: Sequence[Block], *, match: Match | None = None
) -> Letter:
    """Return the answer to a command that was done; ``about`` names it: ``Star standings``.

    The one board of an answer becomes the letter's picture; several are drawn where they stand.
    """
    boards = [number for number, block in enumerate(blocks) if isinstance(block, BoardPicture)]
    middle = boards[0] if len(boards) == 1 else len(blocks)
    diagram = None
    if middle < len(blocks):
        board = blocks[middle]
        if isinstance(board, BoardPicture):
            diagram = Diagram(board.game, board.position, shows_owners=board.owners)
    return _answer(
        reader,
        LetterKind.ANSWER,
        about,
        "\n\n".join(map(LETTER.render, blocks[:middle])),
        "\n\n".join(map(LETTER.render, blocks[middle + 1 :])),
        diagram=diagram,
        match=match,
    )


def refusal_letter(reader: Reader, error: PbmservError, match: Match | None = None) -> Letter:
    """Return why a mail was not accepted, and nothing of what stood in it."""
    about = f"{NAME}: not accepted" if match is None else board_subject(match, reader)
    lead = "\n".join(filter(None, ("Your mail was not accepted.", error.message, error.hint)))
    tail = "Nothing was changed. Your own words are not repeated here, because a password may be\n"
    return _answer(
        reader,
        LetterKind.REFUSAL,
        about,
        fit(lead),
        f"{tail}among them.",
        match=match,
    )


def transcript_letter(reader: Reader, lines: Sequence[TranscriptLine]) -> Letter:
    """Return what came of each line of a ``multiple`` mail."""
    done = sum(line.result == "done" for line in lines)
    parts = []
    for number, line in enumerate(lines, start=1):
        parts.append(fit(f"{number}. {line.command}: {line.result}"))
        if line.text:
            told = fit(line.text).split("\n")
            parts[-1] += "\n" + "\n".join(f"   {text}".rstrip() for text in told)
    return _answer(
        reader,
        LetterKind.TRANSCRIPT,
        f"{NAME}: {done} of {len(lines)} commands done",
        "\n\n".join(parts),
    )


def welcome_letter(reader: Reader, userid: str) -> Letter:
    """Return the answer to a signup, the first letter that can prove an address."""
    lead = (
        f"Welcome, {userid}. Your account is open.\n\n"
        "Answer this mail, with any words or none, and this address is verified.\n"
        "Mail about your games goes to verified addresses only."
    )
    tail = (
        "Send a mail with the Subject help to learn the rest, or help star for a game.\n"
        "The Subject of a mail is a command, and its text a comment that goes to your\n"
        "opponent. To start a game, send the Subject\n\n"
        f"    star challenge {userid} PASSWORD OPPONENT"
    )
    return _answer(reader, LetterKind.WELCOME, f"Welcome {userid}", lead, tail, has_claim=True)


def verify_letter(reader: Reader, userid: str) -> Letter:
    """Return the letter to an address that a player added, which only a reply verifies."""
    lead = (
        f"This address was added to the account {userid}.\n\n"
        "Answer this mail, with any words or none, and it is verified. If you have no such\n"
        "account, do nothing: you will get no further mail."
    )
    return _answer(
        reader, LetterKind.WELCOME, f"Is this the address of {userid}", lead, has_claim=True
    )


def confirmation_letter(reader: Reader, number: int, lines: Sequence[str]) -> Letter:
    """Return the question whether challenges are the reader's own; ``lines`` are these commands."""
    what, them = ("challenge", "it") if len(lines) == 1 else ("challenges", "them")
    listed = "\n".join(f"    {line}" for line in lines)
    lead = (
        f"Somebody, probably you, sent the {what} below from your address.\n\n{listed}\n\n"
        f"To open {them}, answer this mail with yes as the first line. Any other answer drops\n"
        f"{them}; without one nothing happens."
    )
    tail = (
        "You are not asked if your password follows your userid, or if you send the\n"
        "challenge as the Subject of an answer to a mail about one of your boards."
    )
    subject = f"{CONFIRM} {number}"
    return _answer(reader, LetterKind.ANSWER, subject, fit(lead), tail, has_claim=True)


def reset_letter(reader: Reader, userid: str, line: str) -> Letter:
    """Return the letter with a single-use token; ``line`` is the command that uses it."""
    lead = (
        f"Somebody, probably you, forgot the password of {userid}. For one hour this command\n"
        f"sets another one; send it as the Subject of a mail:\n\n    {line}"
    )
    tail = "If it was not you, do nothing: the password stays as it is."
    return _answer(reader, LetterKind.RESET, f"{NAME}: forgotten password", lead, tail)


def message_letters(
    message: Comment, readers: Iterable[Reader], *, is_broadcast: bool = False
) -> list[Letter]:
    """Return what one player writes to others: each sees the writer's userid and no address."""
    kind = LetterKind.BROADCAST if is_broadcast else LetterKind.MESSAGE
    about = "Broadcast" if is_broadcast else "Message"
    tail = (
        "This came through the server; your address was not shown. To answer, send mail with\n"
        f"the Subject: message YOUR-USERID PASSWORD {message.writer}"
    )
    subject = f"{about} from {message.writer}"
    return [
        Letter(
            kind,
            reader.address,
            subject,
            comment_text(message),
            tail,
            player_id=reader.player_id,
            revision=None if reader.player_id is None else 0,
            is_answer=reader.is_asker,
            in_reply_to=reader.in_reply_to,
        )
        for reader in dict.fromkeys(readers)
    ]


def announcement_letters(text: str, readers: Iterable[Reader]) -> list[Letter]:
    """Return what the operator tells everybody, one letter for each address."""
    tail = "The operator of this server sent this to all players."
    return [
        Letter(
            LetterKind.BROADCAST,
            reader.address,
            "Announcement",
            fit(text),
            tail,
            player_id=reader.player_id,
            revision=None if reader.player_id is None else 0,
        )
        for reader in dict.fromkeys(readers)
    ]


def digest_letter(reader: Reader, waiting: Sequence[MatchSummary]) -> Letter:
    """Return the boards that wait for this reader, one line each."""
    rows = tuple(
        (
            f"{find_game(summary.game).title} Board {summary.number}",
            f"move {summary.ply + 1}",
            " against ".join(
                seat.name
                for seat in sorted(
                    summary.seats.values(), key=lambda seat: seat.player_id != reader.player_id
                )
            ),
            f"since {utc_date(summary.changed_at)}",
        )
        for summary in waiting
    )
    table = Table(("board", "move", "players", "waiting"), rows)
    count = counted(len(waiting), "board")
    return Letter(
        LetterKind.DIGEST,
        reader.address,
        f"Your turn: {count}",
        table_text(table),
        "You get this once a day because you asked for it; digest off ends it.",
        player_id=reader.player_id,
        revision=0,
    )


def trouble_letter(
    reader: Reader, about: str, lines: Sequence[str], match: Match | None = None
) -> Letter:
    """Return what the operator, or the opponent at ``match``, should know about lost mail."""
    return Letter(
        LetterKind.OPERATOR,
        reader.address,
        f"{NAME}: {about}",
        fit("\n".join(lines)),
        player_id=reader.player_id,
        match_id=None if match is None else match.id,
        revision=None if match is None else match.revision,
    )


def trial_letter(address: str) -> Letter:
    """Return the letter by which an operator sees whether mail goes out and comes in."""
    lead = (
        "Somebody who runs this server wants to know whether its mail arrives.\n"
        "It does. Answer with any words or none: then they know that answers do, too."
    )
    return Letter(LetterKind.TRIAL, address, f"{NAME}: does mail arrive", lead)


def _answer(  # noqa: PLR0913 - a letter has these parts
    reader: Reader,
    kind: LetterKind,
    subject: str,
    lead: str,
    tail: str = "",
    *,
    diagram: Diagram | None = None,
    match: Match | None = None,
    has_claim: bool = False,
) -> Letter:
    revision = None
    if reader.player_id is not None:
        revision = match.revision if match is not None else 0 if has_claim else None
    return Letter(
        kind,
        reader.address,
        subject,
        lead,
        tail,
        diagram=diagram,
        player_id=reader.player_id,
        match_id=match.id if match is not None else None,
        revision=revision,
        is_answer=reader.is_asker,
        in_reply_to=reader.in_reply_to,
    )

"""Answers to a mail: their recipients and letters, inside its one transaction.

Mail goes only to proven addresses, except for one answer a day to any other. Strangers are only
answered for help and signup; players are told what was wrong, in our own words. Everything sent
because of a mail without a password or token has a budget (``store/mail/budgets.py``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pbmserv.club.events import EventKind
from pbmserv.club.letter import Letter, LetterKind, join_pieces, split_pieces
from pbmserv.club.written_text import CUT, unwrap_block
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.grammar import Call, MailSender
from pbmserv.desk.match_letters import letters_of
from pbmserv.desk.unproven_addresses import TOO_MANY_NEWCOMERS, LetterCause, may_be_sent
from pbmserv.errors import Refused
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import (
    TranscriptLine,
    answer_letter,
    confirmation_letter,
    refusal_letter,
    transcript_letter,
)
from pbmserv.store.mail.budgets import Purpose, Requester, max_letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.player import Player
    from pbmserv.desk.mail_desk import MailCase, MailLine
    from pbmserv.services.session import WriteSession

MAX_BOARDS = 10
"""Boards that one mail may open: each writes to two players."""

LONG = 6500
"""Characters from which on an answer is long: the pages of the games are shorter."""

MAX_TRANSCRIPT = 10 * LONG
"""Characters of what is told of a mail of several lines to whoever signed it."""

FOR_PLAYERS = "The rest is sent to players only; help mail explains how to sign up."
TO_WHO_SIGNS = "You get all of it if a line has your password, or if you answer a mail of ours."

SUBJECT_READ = "Only the Subject was read, not the text below it. Leave the Subject as it is."
QUOTED = "Removed from your text: a quoted mail or a reply address of this server."

OPENING = frozenset({EventKind.STARTED, EventKind.CONTINUED})


def find_asker(case: MailCase) -> None:
    """Find the recipient of the answers and their address; a stranger has none.

    At the address that they wrote from if it is theirs and proven, else, if they signed, at
    one that is; an address that is not proven is left to the limits of strangers.
    """
    rows = list(case.on_file)
    if case.signed is not None:
        own = case.records.addresses.of([case.signed.id])
        rows = [row for row in rows if row.player_id == case.signed.id]
        rows += [row for row in own if row.is_open]
    best = min(rows, key=lambda row: not row.is_open, default=None)
    case.asker = None if best is None else _reader(case, best.address, best.player_id)


def _reader(case: MailCase, address: str, player_id: int | None = None) -> Reader:
    return Reader(address, player_id, is_asker=True, in_reply_to=case.mail.reply_to)


def require_few_commands(case: MailCase, call: Call | None = None) -> None:
    """Raise :class:`Refused` for more commands in an hour than one sender may send.

    What anybody may ask for has budgets of its own, which no other command uses up.
    """
    mail, signed = case.mail, case.signed
    if signed is None and call is not None and _is_for_anyone(call) and not mail.is_multiple:
        return
    sender = Requester(mail.sender, is_vouched=mail.is_authenticated)
    requester = sender if signed is None else Requester(player_id=signed.id)
    if not case.records.budgets.allow(Purpose.COMMAND, requester, case.now):
        raise Refused(
            f"That is more than {max_letters(Purpose.COMMAND)} commands in an hour.",
            code="too-many-commands",
            hint="Send the rest in an hour.",
        )


def letters_of_line(
    case: MailCase, session: WriteSession, call: Call, answer: Answer
) -> list[Letter]:
    """Return the letters about a line, and its answer; raises :class:`Refused` for many boards."""
    mail, ledger = case.mail, session.ledger
    if call.verb.game is not None:
        case.opened += sum(each.kind in OPENING for news in ledger.news for each in news.events)
        if case.opened > MAX_BOARDS:
            raise _too_many_boards()
    ledger.comment = mail.comment or ledger.comment
    asker, signer = case.asker, session.signer
    is_own = asker is not None and (signer is None or signer.id == asker.player_id)
    letters = letters_of(session, asker if is_own and not mail.is_multiple else None)
    if not (mail.is_multiple or any(each.is_answer for each in letters)):
        letters += _answer_to_line(case, call, answer)
    notice = f"\n\n{QUOTED}" if mail.is_cut else f"\n\n{CUT}" if ledger.was_cut else ""
    return _letters_to_send(case, letters, notice)


def _answer_to_line(case: MailCase, call: Call, answer: Answer) -> list[Letter]:
    """Return the answer to a line, if the budgets allow it; a command that only looks is refused.

    Strangers get none but to help and signup.
    """
    reader, game = case.asker or _stranger_reader(case, call), call.verb.game
    if reader is None:
        return []
    about = answer.subject or f"{game.title if game else 'pbmserv'} {call.verb.name}"
    kind = Purpose.HELP if _is_for_anyone(call) else Purpose.ANSWER
    found = _fit_to_budget(case, answer_letter(reader, about, answer.blocks), kind)
    if not found and call.access is not Access.CHANGE:
        raise Refused(
            "Today's limit for mail without a password has been reached.",
            code="too-many-answers",
            hint="Send the command in an answer to a mail about one of your boards.",
        )
    return found


def _is_for_anyone(call: Call) -> bool:
    return call.verb.entry.by_mail.sender is MailSender.ANYONE


def _stranger_reader(case: MailCase, call: Call | None) -> Reader | None:
    """Return the sender who is not on file, if the call is answered all the same.

    Without a call a stranger is only heard for a signup whose words cannot be.
    """
    is_answered = call is None or call.verb.entry.by_mail.answers_strangers
    return _reader(case, case.mail.sender) if is_answered else None


def refuse(case: MailCase, call: Call | None, error: Refused) -> None:
    """Say what was wrong, if it was not said too often today.

    Who is not known hears it of a signup alone: its userid may be taken. A mail that nobody
    signed may come from a robot at a player's address, which must not be answered for ever.
    That there are too many newcomers nobody is told, for most of them are forged; but they are
    remembered, for those who ask again are not.
    """
    mail, proof = case.mail, case.mail.proof
    if error.code == TOO_MANY_NEWCOMERS:
        case.records.latecomers.note(mail.sender, case.now)
        return
    reader = case.asker or _stranger_reader(case, call)
    if reader is None:
        return
    match, signed = None, case.asker and case.signed
    if signed and proof and proof.player_id == signed.id:
        match = case.records.matches.get(proof.match_id)
    if mail.in_subject and mail.comment:
        error.hint = f"{error.hint}\n{SUBJECT_READ}".strip()
    letter = refusal_letter(reader, error, match)
    if case.asker is None or _may_refuse(case, letter):
        post(case, [letter])


def transcribe(case: MailCase, refusal: Refused | None) -> None:
    """Send the signer the result of each line, of which ``refusal`` ended the last."""
    case.signed = case.signer
    find_asker(case)
    if case.asker is None:
        return
    letter = transcript_letter(case.asker, [_transcript_line(line) for line in case.lines])
    if case.signed is None:
        kind = Purpose.ANSWER if refusal is None else Purpose.ERROR
        post(case, _fit_to_budget(case, letter, kind))
        return
    letter = _cut(letter, "The rest is left out.", MAX_TRANSCRIPT)
    if refusal is None or _may_refuse(case, letter):
        post(case, [letter])


def _transcript_line(line: MailLine) -> TranscriptLine:
    """Return what a transcript says of a line: our own name for it, never its words."""
    outcome = line.outcome
    if outcome is None:
        return TranscriptLine("command", "not tried")
    name = line.call.path.removeprefix("pbmserv ") if line.call is not None else "command"
    if isinstance(outcome, Refused):
        words = "\n".join(filter(None, (outcome.message, outcome.advice)))
        return TranscriptLine(name, "refused", words)
    texts = [unwrap_block(block) for block in outcome.blocks if isinstance(block, str)]
    return TranscriptLine(name, "done", "\n\n".join(texts if outcome.is_page else texts[:1]))


def ask_to_confirm(case: MailCase, challenger: Player, lines: Sequence[str]) -> Refused | None:
    """Ask whether challenges that anybody may have sent are theirs; return why not, if so."""
    if len(lines) > MAX_BOARDS:
        return _too_many_boards()
    asked, mail = case.records.asked_challenges, case.mail
    number = asked.ask(challenger.id, tuple(lines), mail.comment, case.now)
    if number is not None:
        letter = confirmation_letter(_reader(case, mail.sender, challenger.id), number, lines)
        if _use_budget(case, Purpose.CONFIRMATION, letter):
            post(case, [letter])
            return None
        asked.take(challenger.id, number, case.now)
    return Refused(
        "One of your challenges is waiting to be confirmed, or there were three today.",
        code="challenge-waits",
        hint="To skip the confirmation, put your password after your userid: star challenge USERID "
        "PASSWORD OPPONENT",
    )


def _too_many_boards() -> Refused:
    return Refused(
        f"A mail opens at most {MAX_BOARDS} boards.",
        code="too-many-boards",
        hint="Send the rest in another mail.",
    )


def confirm_address(case: MailCase) -> str | None:
    """Say that the address is verified, if the mail says nothing else."""
    if case.lines:
        return None
    if case.asker is not None:
        blocks = ("This address is verified: mail about your games goes to it.",)
        post(case, [answer_letter(case.asker, "pbmserv", blocks)])
    return "verified"


def _fit_to_budget(case: MailCase, letter: Letter, kind: Purpose) -> list[Letter]:
    """Return an answer to a signed mail, else as much of it as the budgets allow, or none."""
    if case.signed is not None:
        return [letter]
    if not any(row.is_open for row in case.on_file):
        return [_cut(letter, FOR_PLAYERS)]
    if _length(letter) > LONG:
        if letter.kind is LetterKind.TRANSCRIPT:
            letter = _cut(letter, TO_WHO_SIGNS)
        elif not _use_budget(case, Purpose.LONG_ANSWER, letter):
            often = max_letters(Purpose.LONG_ANSWER)
            why = f"{often} long answers a day are sent to mails without a password."
            letter = _cut(letter, why)
    return [letter] if _use_budget(case, kind, letter) else []


def _length(letter: Letter) -> int:
    return len(letter.lead) + len(letter.tail)


def _cut(letter: Letter, why: str, max_characters: int = LONG) -> Letter:
    """Return the beginning of a letter that is too long, and why the rest is missing."""
    if _length(letter) <= max_characters:
        return letter
    beginning = letter.lead[:max_characters].rpartition("\n")[0]
    _, lengths = join_pieces(split_pieces(beginning, letter.lengths[0]))
    lead = f"{beginning}\n\n[...]\n\n{why}"
    return replace(letter, lead=lead, tail="", diagram=None, lengths=(lengths, ()))


def _may_refuse(case: MailCase, letter: Letter) -> bool:
    """Tell whether a player may be told once more today that something was wrong."""
    return _use_budget(case, Purpose.ERROR if case.signed is None else Purpose.REFUSAL, letter)


def _use_budget(case: MailCase, kind: Purpose, letter: Letter) -> bool:
    """Tell whether the budget of a letter's player has room for it, and draw it from there."""
    is_vouched = case.mail.is_authenticated and case.signed is None
    requester = Requester(player_id=letter.player_id, is_vouched=is_vouched)
    return case.records.budgets.allow(kind, requester, case.now, letter.max_bytes)


def post(case: MailCase, letters: Sequence[Letter]) -> None:
    """Post those of the letters that may be sent."""
    case.records.outbox.post(_letters_to_send(case, letters), case.now)


def _letters_to_send(case: MailCase, letters: Sequence[Letter], notice: str = "") -> list[Letter]:
    """Return the letters that may be sent; those to the sender answer this mail, with a notice."""
    rows = case.records.addresses.holders(*{letter.address for letter in letters})
    for number, letter in enumerate(letters := list(letters)):
        if letter.is_answer:
            reply_to = letter.in_reply_to or case.mail.reply_to
            letters[number] = replace(letter, in_reply_to=reply_to, tail=f"{letter.tail}{notice}")
    return [each for each in letters if may_be_sent(case.records, each, rows, cause_of(case))]


def cause_of(case: MailCase) -> LetterCause:
    """Return the mail as the cause of letters to addresses that nobody has proven."""
    mail = case.mail
    return LetterCause(case.now, mail.net, mail.sender, is_authenticated=mail.is_authenticated)

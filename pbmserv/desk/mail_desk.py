"""The desk for mail: one mail, one transaction, acted upon exactly once.

The transaction holds the inbox row, what the commands changed, and the letters that answer. A
mail that comes again finds its row and does nothing. Before it, outside of every lock, whole lines
are understood and their passwords checked, which is slow by intent. What a reply token stands for
is found in the transaction itself, which so reads it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.desk.confirmation import confirmed
from pbmserv.desk.mail_answers import MOST_BOARDS, MailAnswers, too_many_boards, transcribed
from pbmserv.desk.mail_line import LineErrand, MailLine, short_lines
from pbmserv.desk.mail_rights import Unconfirmed, is_at_home, not_their_token
from pbmserv.desk.more_cells import asked_part, letter_with_cells
from pbmserv.desk.strangers import is_heard
from pbmserv.errors import Refused
from pbmserv.store.inbox import STRANGER, Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.player import Player
    from pbmserv.commands.answer import Answer
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.store import Records

DONE = "done"
DUPLICATE = "duplicate"
UNCONFIRMED = "unconfirmed"


class MailDesk:
    """Acts on mails through a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def receive(self, mail: MailRequest) -> str:
        """Do what the mail says, post the answers, and return how it ended.

        ``done``, ``verified``, ``unsubscribed``, ``duplicate``, ``unconfirmed`` for challenges that
        their sender is asked about, or the code of a refusal. Raises :class:`Fault` when nothing
        was recorded and the mail is to be tried again.
        """
        try:
            self.desk.awaited.clear()
            outcome = self.desk.retried(lambda: self._receive(mail))
        except _CameBeforeError:
            return DUPLICATE
        self.desk.answer_robots()
        return outcome

    def _receive(self, mail: MailRequest) -> str:
        lines = self._prepared(mail)
        now = self.desk.world.now()
        with self.desk.store.writing() as records:
            holder = _holder_of(records, mail)
            signers = (line.player for line in lines if line.player is not None)
            signed = holder or next(signers, None)
            owner = signed.id if signed is not None else STRANGER
            # Refused mails too, though what was wrong with them then may be right by now.
            if owner == STRANGER and records.inbox.has(STRANGER, mail.unsigned_key):
                return DUPLICATE
            if owner == STRANGER and _was_here(records, mail, lines):
                for line in lines:
                    _count_wrong_password(records, line, mail, now)
                return DUPLICATE
            if owner == STRANGER and not is_heard(self.desk.tree, records, mail, lines):
                return self._ignore(records, mail, lines)
            if mail.is_multiple and owner == STRANGER:
                return self._receive_several(MailAnswers(records, mail, None, now), lines)
            number = records.inbox.take(_arrival(owner, mail, now), mail.unsigned_key)
            if number is None:
                return DUPLICATE
            if mail.is_short and holder is not None:
                lines = short_lines(self.desk, records, mail, holder)
            mail, lines = confirmed(self.desk, records, mail, holder) or (mail, lines)
            answers, part = MailAnswers(records, mail, signed, now), asked_part(mail)
            outcome = self._act(answers, lines) if part is None else _send_cells(answers, part)
            if outcome != DONE:
                records.inbox.settle(number, outcome)
            return outcome

    def _ignore(self, records: Records, mail: MailRequest, lines: Sequence[MailLine]) -> str:
        """Count a mail of a stranger; nobody is answered, and nothing else is kept of it."""
        now = self.desk.world.now()
        refusal = next((line.refusal for line in lines if line.refusal is not None), None)
        for line in lines:
            _count_wrong_password(records, line, mail, now)
        reason = refusal.code if refusal is not None else "unknown-sender"
        records.ignored_mail.count(reason, now)
        return reason

    def _receive_several(self, answers: MailAnswers, lines: Sequence[MailLine]) -> str:
        """Do the lines of a mail that nobody has signed yet, but that one of them may sign.

        A line may open the account or the board that the next one needs. When the mail comes
        again both are there, and the mail is known under the name of whoever signed it then.
        """
        outcome = self._act(answers, lines)
        owner = answers.signer.id if answers.signer else STRANGER
        if answers.records.inbox.take(_arrival(owner, answers.mail, answers.now, outcome)) is None:
            raise _CameBeforeError
        return outcome

    def _prepared(self, mail: MailRequest) -> list[MailLine]:
        """Return the lines, signed up to the first refused.

        A short one is refused for everybody but the holder of the reply token.
        """
        if mail.unread is not None:
            return [MailLine(refusal=mail.unread)]
        if mail.is_short:
            return [MailLine(refusal=not_their_token())]
        lines = [MailLine(text) for text in mail.lines]
        for line in lines:
            line.prepare(self.desk, mail)
            if line.refusal is not None:
                break
        return lines

    def _act(self, answers: MailAnswers, lines: Sequence[MailLine]) -> str:
        """Do the lines up to the first that is refused, post the answers; return the outcome."""
        outcomes: list[Answer | Refused | None] = []
        unconfirmed: list[tuple[Player, str]] = []
        refusal = None
        for line in lines:
            if refusal is not None:
                outcomes.append(None)
                continue
            is_first = not outcomes
            outcome = self._done(answers, LineErrand(self.desk, answers, line, is_first=is_first))
            outcomes.append(outcome)
            if isinstance(outcome, Unconfirmed):
                unconfirmed.append((outcome.challenger, line.text))
            elif isinstance(outcome, Refused):
                refusal = outcome
        if unconfirmed:
            refusal = self._ask(answers, unconfirmed) or refusal
        if answers.mail.is_multiple and len(unconfirmed) < len(lines):
            calls = [line.call for line in lines]
            answers.transcribe(list(map(transcribed, calls, outcomes)), refusal)
        elif refusal is not None:
            answers.refuse(lines[0].call, refusal)
        if refusal is not None:
            return refusal.code
        if not lines:
            return answers.confirm_address()
        return UNCONFIRMED if unconfirmed else DONE

    def _ask(
        self, answers: MailAnswers, unconfirmed: Sequence[tuple[Player, str]]
    ) -> Refused | None:
        """Ask the challenger whether the lines are theirs; return why that cannot be."""
        challenger = unconfirmed[0][0]
        lines = [text for player, text in unconfirmed if player.id == challenger.id]
        if len(lines) > MOST_BOARDS:
            return too_many_boards()
        return answers.ask_to_confirm(challenger, lines)

    def _done(self, answers: MailAnswers, errand: LineErrand) -> Answer | Refused:
        """Carry out one line; count it if it was refused for its password."""
        line = errand.line
        try:
            answer = self.desk.carry_out(answers.records, errand)
        except Refused as error:
            line.refusal = error
            _count_wrong_password(answers.records, line, answers.mail, answers.now)
            return error
        answers.follow(line.player)
        return answer


def _send_cells(answers: MailAnswers, part: str) -> str:
    """Answer with the links that a letter had no room for; return the outcome."""
    try:
        answers.require_few_commands()
        answers.post([letter_with_cells(answers, part)])
    except Refused as error:
        answers.refuse(None, error)
        return error.code
    return DONE


class _CameBeforeError(Exception):
    """What was done is to be undone: another program did the same mail."""


def _arrival(owner: int, mail: MailRequest, now: int, outcome: str = DONE) -> Arrival:
    key = mail.unsigned_key if owner == STRANGER else mail.key
    return Arrival(owner, key, mail.sender, now, mail.door, outcome)


def _holder_of(records: Records, mail: MailRequest) -> Player | None:
    """Return the player whom the reply token proves, if the mail comes from their address."""
    if mail.proof is None or mail.unread is not None:
        return None
    player = records.players.at(mail.sender, mail.proof.player_id)
    return player if player is not None and player.login_hash is not None else None


def _was_here(records: Records, mail: MailRequest, lines: Sequence[MailLine]) -> bool:
    """Tell whether a mail that nobody signs is one that its sender signed when it came first.

    The password that it holds may have been changed since, by that very mail.
    """
    owners = {address.player_id for address in records.addresses.holders(mail.sender)}
    for line in lines:
        named = line.call.params.get("userid") if line.call is not None else None
        player = records.players.find(named) if isinstance(named, str) else None
        owners |= {player.id} if player is not None else set()
    return any(records.inbox.has(owner, mail.key) for owner in owners)


def _count_wrong_password(records: Records, line: MailLine, mail: MailRequest, now: int) -> None:
    """Count it, if the line was refused for its password."""
    call, refusal = line.call, line.refusal
    if call is None or refusal is None or refusal.code != "wrong-login":
        return
    userid = str(call.params.get("userid", line.player.userid if line.player else ""))
    if not is_at_home(records, mail, userid):
        records.throttle.failed(userid, mail.sender, now)

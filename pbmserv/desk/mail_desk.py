"""The door for mail: one mail, one transaction, acted upon exactly once.

The transaction holds the inbox row, what the commands changed, and the letters that answer. A
mail that comes again finds its row and does nothing. Before it, outside of every lock, the lines
are understood and the passwords checked, which is slow by intent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.desk.correspondence import Correspondence
from pbmserv.desk.door import Desk, retried
from pbmserv.desk.identity import sign_in
from pbmserv.desk.request import MailRequest, Request
from pbmserv.desk.steps import (
    Step,
    count_wrong_password,
    expanded,
    holder_of,
    require_patience,
    understood,
)
from pbmserv.errors import Refused
from pbmserv.services.session import Source
from pbmserv.store.inbox import STRANGER, Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.player import Player
    from pbmserv.store.store import Records

DUPLICATE = "duplicate"


class Mailroom:
    """Acts on mails through a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def receive(self, mail: MailRequest) -> str:
        """Do what the mail says, post the answers, and return how it ended.

        ``done``, ``verified``, ``duplicate``, or the code of a refusal. Raises :class:`Fault`
        when nothing was recorded and the mail is to be tried again.
        """
        try:
            return retried(lambda: self._receive(mail))
        except _CameBeforeError:
            return DUPLICATE

    def _receive(self, mail: MailRequest) -> str:
        holder, steps = self._prepared(mail)
        signed = holder or next((step.player for step in steps if step.player is not None), None)
        owner = signed.id if signed is not None else STRANGER
        with self.desk.store.writing() as records:
            # Refused mails too, though what was wrong with them then may be right by now.
            if records.inbox.has(STRANGER, mail.unsigned_key):
                return DUPLICATE
            if owner == STRANGER and _was_here(records, mail, steps):
                for step in steps:
                    count_wrong_password(records, step, mail.sender, self.desk.world.now())
                return DUPLICATE
            if mail.is_multiple and owner == STRANGER:
                return self._receive_several(records, mail, steps)
            number = records.inbox.take(self._arrival(owner, mail))
            if number is None:
                return DUPLICATE
            outcome = Correspondence(self.desk, records, mail, signed).act(steps)
            records.inbox.settle(number, outcome)
            return outcome

    def _receive_several(self, records: Records, mail: MailRequest, steps: Sequence[Step]) -> str:
        """Do the lines of a mail that nobody has signed yet, but that one of them may sign.

        A line may open the account or the board that the next one needs. When the mail comes
        again both are there, and the mail is known under the name of whoever signed it then.
        """
        correspondence = Correspondence(self.desk, records, mail, None)
        outcome = correspondence.act(steps)
        signer = correspondence.signer
        number = records.inbox.take(self._arrival(signer.id if signer else STRANGER, mail))
        if number is None:
            raise _CameBeforeError
        records.inbox.settle(number, outcome)
        return outcome

    def _arrival(self, owner: int, mail: MailRequest) -> Arrival:
        key = mail.unsigned_key if owner == STRANGER else mail.key
        return Arrival(owner, key, mail.sender, self.desk.world.now(), mail.door)

    def _prepared(self, mail: MailRequest) -> tuple[Player | None, Sequence[Step]]:
        """Return whom the reply token proves, and the lines, signed up to the first refused."""
        holder = None
        steps = [Step(line=line) for line in mail.lines]
        if mail.unread is not None:
            return None, [Step(refusal=mail.unread)]
        if mail.proof is not None:
            with self.desk.store.reading() as records:
                holder = holder_of(records, mail)
                if mail.is_short:
                    steps = expanded(records, mail, holder)
        for number, step in enumerate(steps):
            steps[number] = self._signed(mail, step, holder)
            if steps[number].refusal is not None:
                break
        return holder, steps

    def _signed(self, mail: MailRequest, step: Step, holder: Player | None) -> Step:
        """Return the step with what it says and who says it."""
        if step.refusal is not None:
            return step
        request = Request((), Source.MAIL, sender=mail.sender)
        try:
            step = understood(self.desk, step, request)
            if mail.is_short:
                return step._replace(player=holder)
            assert step.call is not None  # noqa: S101 - understood or raised
            if "password" in step.call.params:
                with self.desk.store.reading() as records:
                    require_patience(records, step.call, mail.sender, self.desk.world.now())
            player = sign_in(self.desk.store, self.desk.passwords, step.call)
            return step._replace(player=player)
        except Refused as error:
            return step._replace(refusal=error)


class _CameBeforeError(Exception):
    """What was done is to be undone: another program did the same mail."""


def _was_here(records: Records, mail: MailRequest, steps: Sequence[Step]) -> bool:
    """Tell whether a mail that nobody signs is one that its sender signed when it came first.

    The password that it holds may have been changed since, by that very mail.
    """
    owners = {address.player_id for address in records.addresses.holders(mail.sender)}
    for step in steps:
        named = step.call.params.get("userid") if step.call is not None else None
        player = records.players.find(named) if isinstance(named, str) else None
        owners |= {player.id} if player is not None else set()
    return any(records.inbox.has(owner, mail.key) for owner in owners)

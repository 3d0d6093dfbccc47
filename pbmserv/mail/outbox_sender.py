"""Sending the outbox: each letter is claimed, sent and marked by itself.

A letter is sent after the commit that posted it. A sender that dies between sending and marking
leaves the letter to be sent again, with the same Message-ID: at least once, never lost.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pbmserv.club.letter import SECRET_MARK, Letter, LetterKind
from pbmserv.errors import Fault, PbmservError
from pbmserv.mail.compose import MailIdentity, OutgoingMail, compose
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.tokens import reset_token
from pbmserv.mail.transports import DeliveryFault, Transport, is_for_good
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import trouble_letter
from pbmserv.settings import CLUB
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.mail.outbox import LetterState, OutboxItem
from pbmserv.store.store import Records, Store

SENT = "sent"


@dataclass(frozen=True)
class SendReport:
    """The numbers of letters in one run; ``stopped`` is why it was broken off, if it was."""

    sent: int = 0
    failed: int = 0
    given_up: int = 0
    stopped: str = ""


@dataclass
class OutboxSender:
    """Sends letters from the outbox by a transport; several may work at once.

    ``now`` is the clock, in seconds; ``operator`` the address that is told of what was given up;
    ``more`` has further words for the end of a letter, which may take a while to find. ``club``,
    ``way_out_url`` and ``web_url`` are as in the identity. ``log`` is told what came
    of each letter: its number, a code, the mail that it answers, its name in the mail server's log.
    """

    store: Store
    address: str
    keyring: Keyring
    transport: Transport
    now: Callable[[], int]
    operator: str | None = None
    more: Callable[[Letter], str] = lambda _: ""
    club: str = CLUB
    way_out_url: str = ""
    web_url: str = ""
    log: Callable[[dict[str, Any]], object] = lambda _: None

    def send_due(self, *, most: int | None = None, beat: Callable[[], object] = bool) -> SendReport:
        """Send due letters, up to the limit, until none is due or the transport fails.

        ``beat`` is called before each. Raises :class:`Fault` only if the store fails.
        """
        with self.store.reading() as records:
            if not records.outbox.has_due(self.now()):
                return SendReport()
        keys = self.keyring.signing_keys(self.now())
        urls = self.way_out_url, self.web_url
        identity = MailIdentity(self.address, keys, self.club, *urls)
        sent = failed = given_up = 0
        stopped = ""
        try:
            while not stopped and (most is None or sent + failed < most):
                beat()
                posted = self._claim()
                if posted is None:
                    break
                fault = self._deliver(posted, identity)
                if fault is None:
                    self._mark_sent(posted)
                    sent += 1
                    continue
                failed += 1
                given_up += self._mark_failed(posted, fault)
                # The letters behind it would fare no better: they wait, and their time with them.
                if isinstance(fault, DeliveryFault) and fault.is_for_all:
                    stopped = fault.message
        finally:
            self.transport.close()
        return SendReport(sent, failed, given_up, stopped)

    def _claim(self) -> OutboxItem | None:
        with self.store.writing() as records:
            claimed = records.outbox.claim(self.now())
        for number, why in records.outbox.ended:
            self.log({"letter": number, "code": "dropped", "reason": why})
        return claimed[0] if claimed else None

    def _deliver(self, posted: OutboxItem, identity: MailIdentity) -> PbmservError | None:
        letter = posted.letter
        out: dict[str, Any] = {"letter": posted.id, "kind": letter.kind.value}
        out |= {"board": posted.board, "message_id": letter.in_reply_to}
        try:
            whole = self._with_more(self._with_secret(posted, identity))
            queue_id = self.transport.send(self._compose(whole, identity))
        except Fault as fault:
            self.log({**out, "code": fault.code})
            return fault
        self.log({**out, "code": SENT, "queue_id": queue_id})
        return None

    def _with_secret(self, posted: OutboxItem, identity: MailIdentity) -> OutboxItem:
        """Return a letter about a forgotten password with its token, whose hash is stored now.

        In the outbox stands a mark in its place. A second try makes the same token.
        """
        letter = posted.letter
        if letter.kind is not LetterKind.RESET or letter.player_id is None:
            return posted
        token = reset_token(identity.keys, posted.id)
        with self.store.writing() as records:
            records.resets.add(letter.player_id, token, self.now())
        lead = letter.lead.replace(SECRET_MARK, token)
        return replace(posted, letter=replace(letter, lead=lead))

    def _with_more(self, posted: OutboxItem) -> OutboxItem:
        more = self.more(posted.letter)
        if not more:
            return posted
        tail = f"{posted.letter.tail}\n\n{more}"
        return replace(posted, letter=replace(posted.letter, tail=tail))

    def _compose(self, posted: OutboxItem, identity: MailIdentity) -> OutgoingMail:
        """Return the mail; a letter that cannot be made into one holds up no other."""
        try:
            return compose(posted, identity)
        except PbmservError:
            raise
        except Exception as error:
            raise DeliveryFault(
                f"The mail cannot be built, an internal error ({type(error).__name__}).",
                code="defect",
            ) from error

    def _mark_sent(self, posted: OutboxItem) -> None:
        with self.store.writing() as records:
            records.outbox.sent(posted, self.now())

    def _mark_failed(self, posted: OutboxItem, fault: PbmservError) -> bool:
        with self.store.writing() as records:
            is_over = records.outbox.failed(posted, self.now(), fault.message)
            if is_over or is_for_good(fault.message):
                self._report(records, posted, fault, "given up" if is_over else "refused")
        return is_over

    def _report(self, records: Records, posted: OutboxItem, fault: PbmservError, how: str) -> None:
        """Tell the operator, once a day at most and never about a letter to them."""
        letter, now = posted.letter, self.now()
        records.audit.add(
            at=now,
            source="mail",
            verb="send",
            detail=f"letter {posted.id} {how}",
            outcome=fault.code,
            player_id=letter.player_id,
            match_id=letter.match_id,
        )
        if self.operator is None or letter.kind is LetterKind.OPERATOR:
            return
        if records.budgets.allow(Purpose.OPERATOR, Requester(how), now):
            count = records.outbox.counts()[LetterState.FAILED]
            lines = (
                "The mail server permanently refuses a mail. It will be tried again for five days."
                if how == "refused"
                else f"Mails given up after five days: {count} in all.",
                f"The last one, number {posted.id}, was for {letter.address}.",
                fault.message,
                "",
                "See them with: pbmserv mail outbox list",
                "Try one again with: pbmserv mail outbox retry NUMBER",
            )
            told = trouble_letter(Reader(self.operator), f"mail {how}", lines)
            records.outbox.post([told], now)

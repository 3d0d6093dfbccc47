"""The gateway: from the bytes of a mail to what came of it.

In this order: its size, what bounced, the loop guard, who it is from, what it says; then the desk
acts on it. Whatever is dropped is dropped in silence, with its reason in the log and the inbox.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from pbmserv.club.letter import is_message_id
from pbmserv.club.written_text import without_tokens
from pbmserv.desk import mail_desk
from pbmserv.desk.door import Desk
from pbmserv.desk.request import MailRequest
from pbmserv.errors import Misunderstood, Refused
from pbmserv.mail.authentication import is_authenticated, passes_dmarc, sending_net
from pbmserv.mail.bounces import Bounces
from pbmserv.mail.inbound import (
    Envelope,
    Incoming,
    Unreadable,
    command_lines,
    comment_in,
    read_mail,
)
from pbmserv.mail.loop_guard import ServerAddress, reason_to_drop
from pbmserv.mail.quoting import before_our_mail
from pbmserv.mail.subjects import CommandLine, command_line, is_answer
from pbmserv.mail.tokens import (
    TOKEN_LENGTH,
    Keys,
    bounced_letter,
    is_for_address,
    read_token,
    tokens_in,
)
from pbmserv.store.mail.inbox import STRANGER, Arrival

MULTIPLE = "multiple"
DROPPED = "dropped"


@dataclass(frozen=True)
class Handled:
    """The result of one mail, for the log: sender, outcome and reason, never its words.

    ``outcome`` is "dropped", "bounce", "duplicate", "done", "verified" or the code of a refusal;
    ``reason`` says why a mail was dropped. ``letter`` is the number of the one that bounced;
    ``trail`` has commands, boards and the numbers of the letters that the mail caused.
    """

    door: str
    outcome: str
    reason: str = ""
    sender: str = ""
    digest: str = ""
    has_token: bool = False
    message_id: str = ""
    letter: int | None = None
    trail: Mapping[str, object] = field(default_factory=dict)


@dataclass
class Gateway:
    """Takes mails in, each by itself and in any number.

    ``keys`` gives the signing keys of the moment. ``mail_server`` is our own mail server, whose
    word on the sender is believed, if any; with ``demands_dmarc`` no mail is read without it.
    ``operator`` is the address that is told of addresses that bounce; ``log`` hears of every mail.
    """

    desk: Desk
    own: ServerAddress
    keys: Callable[[], Keys]
    log: Callable[[Handled], None]
    mail_server: str = ""
    demands_dmarc: bool = False
    operator: str | None = None

    def receive(self, data: bytes, envelope: Envelope, door: str) -> Handled:
        """Process and commit one mail; whatever it raises means that the mail must be kept."""
        incoming = read_mail(data, envelope)
        handled = self._handled(incoming, door)
        message_id = None if isinstance(incoming, Unreadable) else incoming.message_id
        if message_id and is_message_id(message_id):
            handled = replace(handled, message_id=without_tokens(message_id))
        self.log(handled)
        return handled

    def _handled(self, incoming: Incoming | Unreadable, door: str) -> Handled:
        reason = reason_to_drop(incoming, self.own)
        if isinstance(incoming, Unreadable):
            return self._dropped(Handled(door, DROPPED, reason or "", digest=incoming.sha256))
        keys = self.keys()
        tokens = tokens_in(incoming.recipients, self.own.address)
        letter_id = bounced_letter(keys, tokens)
        if letter_id is not None:
            bounces = Bounces(self.desk.store, self.operator)
            result = bounces.receive(letter_id, incoming, self.desk.world.now(), door)
            return Handled(door, "bounce", result, digest=incoming.sha256, letter=letter_id)
        reason = reason or self._doubt(incoming)
        sender = without_tokens(incoming.sender or "")
        handled = Handled(door, DROPPED, reason, sender, incoming.sha256, bool(tokens))
        if reason:
            return self._dropped(handled)
        mail = self._mail(incoming, tokens[0] if tokens else None, keys, door)
        outcome = mail_desk.receive(self.desk, mail)
        return replace(handled, outcome=outcome, trail=self.desk.take_trail())

    def _doubt(self, incoming: Incoming) -> str:
        """Return why nobody can be sure who sent the mail, "" where they can."""
        results = incoming.authentication_results
        if incoming.sender is None:
            return "no-sender"
        if self.demands_dmarc and not passes_dmarc(results, self.mail_server, incoming.sender):
            return "no-dmarc"
        return ""

    def _dropped(self, handled: Handled) -> Handled:
        """Note that the mail was dropped, and why: with its sender, or by the day for strangers."""
        key = f"dropped:{handled.digest}"
        now = self.desk.world.now()
        outcome = f"{DROPPED}: {handled.reason}"
        arrival = Arrival(STRANGER, key, handled.sender, now, handled.door, outcome)
        with self.desk.store.writing() as records:
            if handled.has_token or records.addresses.holders(handled.sender):
                records.inbox.take(arrival)
            else:
                records.ignored_mail.count(handled.reason, now)
        return handled

    def _mail(self, incoming: Incoming, token: str | None, keys: Keys, door: str) -> MailRequest:
        claim = None if token is None else read_token(keys, token)
        own_words = without_tokens(before_our_mail(incoming.body, self.own.address))
        is_cut = own_words != incoming.body
        incoming = replace(incoming, body=own_words)
        sender = incoming.sender or ""
        if claim and not claim.match_id and not is_for_address(keys, claim, sender):
            claim = None
        try:
            line = command_line(incoming, claim, self.desk.is_whole, self.desk.may_mean)
            lines, comment = _commands(line)
            unread = None
        except Refused as error:
            line, lines, comment, unread = CommandLine("", ""), (), "", error
        if token is not None and claim is None and is_answer(incoming.subject, self.desk.is_whole):
            unread = _stale_token(token)
        reply_to = incoming.message_id
        results = incoming.authentication_results
        # Neither of these changes on the way.
        words = f"{sender}\0{incoming.subject}\0{incoming.body}"
        return MailRequest(
            key=incoming.message_id or f"sha256:{incoming.sha256}",
            sender=sender,
            door=door,
            lines=lines,
            comment=comment,
            reply_to=reply_to if reply_to and is_message_id(reply_to) else None,
            proof=claim,
            is_short=line.is_short and line.text.strip().lower() != MULTIPLE,
            is_multiple=line.text.strip().lower() == MULTIPLE,
            board=line.board,
            unread=unread,
            digest=hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest(),
            is_bare=incoming.is_bare,
            in_subject=line.in_subject,
            is_authenticated=is_authenticated(results, self.mail_server, sender),
            net=sending_net(incoming.fields.get("received", ()), self.mail_server),
            is_cut=is_cut,
        )


def _commands(line: CommandLine) -> tuple[tuple[str, ...], str]:
    """Return the commands and the comment; raises :class:`Misunderstood` if there is no command."""
    if line.text.strip().lower() != MULTIPLE:
        if not line.text and not line.is_short:
            raise Misunderstood(
                "The mail has no Subject.",
                code="no-subject",
                hint="The Subject is the command. Send help as the Subject to see all commands.",
            )
        return (line.text,), comment_in(line.comment)
    lines = command_lines(line.comment)
    if not lines:
        raise Misunderstood(
            "The mail has no commands.",
            code="no-commands",
            hint="With the Subject multiple, each line of the text is a command.",
        )
    return lines, ""


def _stale_token(token: str) -> Refused:
    hint = "Answer the newest mail of the board"
    if len(token) < TOKEN_LENGTH:
        hint += ", to the whole of its reply address"
    return Refused(
        "The address that this mail was sent to no longer works, or never did.",
        code="bad-token",
        hint=f"{hint}, or send a command with your password.",
    )

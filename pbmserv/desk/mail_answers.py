"""Who is answered to a mail, and what is written to whom, inside its one transaction.

Mail goes only to addresses that were proven, but for one answer a day to any other. Who is not
known gets silence, but for help and signup. Who is known is told what was wrong, in words of ours.
All that leaves where neither password nor token shows who wrote the mail has a budget.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pbmserv.club.events import EventKind
from pbmserv.club.letter import LetterKind
from pbmserv.club.written_text import CUT, flowing
from pbmserv.commands.answer import Access
from pbmserv.commands.grammar import MailSender
from pbmserv.desk.match_letters import letters_of
from pbmserv.errors import Refused
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import (
    TranscriptLine,
    answer_letter,
    confirmation_letter,
    refusal_letter,
    transcript_letter,
)
from pbmserv.store.mail.budgets import Kind, Requester, max_letters
from pbmserv.store.mail.proof_queue import ProofRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.match import Match
    from pbmserv.club.player import Player
    from pbmserv.commands.answer import Answer
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.request import MailRequest
    from pbmserv.services.session import WriteSession
    from pbmserv.store.people.addresses import Address
    from pbmserv.store.store import Records

MOST_BOARDS = 10
"""So many boards one mail opens, each of which writes to two players."""

TOO_MANY_NEWCOMERS = "too-many-newcomers"

UNSUBSCRIBE = "unsubscribe"
VERIFIED, UNSUBSCRIBED = "verified", "unsubscribed"

LONG = 6500
"""Characters from which on an answer is long: the pages of the games are shorter."""

LONGEST_TRANSCRIPT = 10 * LONG
"""Characters of what is told of a mail of several lines to whoever signed it."""

TO_WHO_SIGNS = "All of it is told when a line has your password, or you answer a mail of ours."

SUBJECT_READ = "The Subject was read, not the text below it: leave it as it is."
QUOTED = "Cut from your words: a quoted mail of this server, or a reply address of it."

OPENING = frozenset({EventKind.STARTED, EventKind.CONTINUED})


class MailAnswers:
    """The answers to one mail.

    ``signed`` is the player who has proved to have sent it, by a password or by a reply token.
    """

    def __init__(
        self, records: Records, mail: MailRequest, signed: Player | None, now: int
    ) -> None:
        self.records = records
        self.mail = mail
        self.signed = signed
        self.now = now
        self.is_closed = False
        self._verify()
        self.holders = records.addresses.holders(mail.sender)
        self.asker = self._asker()
        self.signer = signed  # of the first line that is signed
        self.opened = 0

    def _verify(self) -> None:
        """Note that the address is proven, if the mail carries the token that was sent to it.

        With the first address that somebody proves, their others are asked for a proof too. Whoever
        answers ``unsubscribe`` instead gets no mail until they answer otherwise.
        """
        proof = self.mail.proof
        if proof is None or proof.match_id or self.signed is None:
            return
        addresses = self.records.addresses
        self.is_closed = " ".join(self.mail.lines).lower() == UNSUBSCRIBE and addresses.close(
            proof.player_id, self.mail.sender, self.now
        )
        if self.is_closed:
            return
        before = addresses.of([proof.player_id])
        addresses.verify(proof.player_id, self.mail.sender, self.now)
        if any(row.is_proven for row in before):
            return
        for row in before:
            if row.address.lower() != self.mail.sender.lower():
                self._queue(Requester(row.address, net=self.mail.net), proof.player_id)

    def _queue(self, recipient: Requester, player_id: int) -> bool:
        """Have an address wait for the letter that proves it; tell whether there is room."""
        request = ProofRequest(
            recipient.address, player_id, recipient.net, recipient.is_vouched, self.now
        )
        return self.records.proof_queue.add(request)

    def _asker(self) -> Reader | None:
        """Return whom the answers go to, and where; None for somebody who is not on file.

        At the address that they wrote from if it is theirs and proven, else, if they signed, at
        one that is; an address that is not proven is left to the limits of strangers.
        """
        theirs = [a for a in self.holders if self.signed is None or a.player_id == self.signed.id]
        here = sorted(theirs, key=lambda address: not address.is_open)[:1]
        if self.signed is not None and not any(address.is_open for address in here):
            proven = [a for a in self.records.addresses.of([self.signed.id]) if a.is_open]
            here = proven[:1] or here
        return self._reader(here[0].address, here[0].player_id) if here else None

    def _reader(self, address: str, player_id: int | None = None) -> Reader:
        return Reader(address, player_id, is_asker=True, in_reply_to=self.mail.reply_to)

    def follow(self, signer: Player | None) -> None:
        """Look again at whose address it is, which a line may have changed, and note who signs."""
        if self.mail.is_multiple:
            self.holders = self.records.addresses.holders(self.mail.sender)
        self.signer = self.signer or signer

    def require_few_commands(self, call: Call | None = None) -> None:
        """Raise :class:`Refused` for more commands in an hour than one sender may send.

        What anybody may ask for has budgets of its own, which no other command uses up.
        """
        mail, signed = self.mail, self.signed
        if signed is None and call is not None and _is_for_anyone(call) and not mail.is_multiple:
            return
        sender = Requester(mail.sender, is_vouched=mail.is_authenticated)
        causer = sender if signed is None else Requester(player_id=signed.id)
        if not self.records.budgets.allow(Kind.COMMAND, causer, self.now):
            raise Refused(
                f"That is more than {max_letters(Kind.COMMAND)} commands in an hour.",
                code="too-many-commands",
                hint="Send the rest in an hour.",
            )

    def about(self, session: WriteSession, call: Call, answer: Answer) -> list[Letter]:
        """Return the letters about what a line did, with the answer if nothing else answers it.

        Raises :class:`Refused` for more boards than one mail opens.
        """
        if call.verb.game is not None:
            self._count_boards(session)
        session.ledger.comment = self.mail.comment or session.ledger.comment
        letters = letters_of(session, self._told_of(session.signer))
        if not (self.mail.is_multiple or any(letter.is_answer for letter in letters)):
            reader = self._answered(call)
            if reader is not None:
                title = call.verb.game.title if call.verb.game else "pbmserv"
                about = answer.subject or f"{title} {call.verb.name}"
                kind = Kind.HELP if _is_for_anyone(call) else Kind.ANSWER
                found = self._within_budget(answer_letter(reader, about, answer.blocks), kind)
                letters += found
                if not found and call.access is not Access.CHANGE:
                    raise Refused(
                        "As much was sent today as unsigned mails can ask for.",
                        code="too-many-answers",
                        hint="Send the command in an answer to a mail about one of your boards.",
                    )
        if self.mail.is_cut or session.ledger.was_cut:
            why = QUOTED if self.mail.is_cut else CUT
            letters = [_with_notice(letter, why) for letter in letters]
        return self._allowed(letters)

    def _within_budget(self, letter: Letter, kind: Kind) -> list[Letter]:
        """Return an answer as far as the budgets reach: whole, its beginning, or none.

        It is whole if the mail was signed. Strangers have budgets of their own.
        """
        if self.signed is not None:
            return [letter]
        if not any(row.is_open for row in self.holders):
            return [_cut(letter, "The rest is sent to players: help mail tells how to become one.")]
        if len(letter.lead) + len(letter.tail) > LONG and (
            letter.kind is LetterKind.TRANSCRIPT or not self._allows(Kind.LONG_ANSWER, letter)
        ):
            often = max_letters(Kind.LONG_ANSWER)
            why = f"{often} long answers a day are sent to mails that nobody signed."
            letter = _cut(letter, TO_WHO_SIGNS if letter.kind is LetterKind.TRANSCRIPT else why)
        return [letter] if self._allows(kind, letter) else []

    def _allows(self, kind: Kind, letter: Letter) -> bool:
        """Tell whether the budget of a letter's player has room for it, and draw it from there."""
        is_vouched = self.mail.is_authenticated and self.signed is None
        causer = Requester(player_id=letter.player_id, is_vouched=is_vouched)
        return self.records.budgets.allow(kind, causer, self.now, letter.most_bytes)

    def _count_boards(self, session: WriteSession) -> None:
        events = [event for news in session.ledger.news for event in news.events]
        self.opened += sum(event.kind in OPENING for event in events)
        if self.opened > MOST_BOARDS:
            raise too_many_boards()

    def ask_to_confirm(self, challenger: Player, lines: Sequence[str]) -> Refused | None:
        """Ask whether challenges that anybody may have sent are theirs; return why not, if so."""
        asked = self.records.asked_challenges
        number = asked.ask(challenger.id, tuple(lines), self.mail.comment, self.now)
        if number is not None:
            reader = self._reader(self.mail.sender, challenger.id)
            letter = confirmation_letter(reader, number, lines)
            if self._allows(Kind.CONFIRMATION, letter):
                self.post([letter])
                return None
            asked.take(challenger.id, number, self.now)
        return Refused(
            "A challenge of yours waits to be confirmed, or three were asked about today.",
            code="challenge-waits",
            hint="To avoid being asked, put your password after your userid: "
            "star challenge USERID PASSWORD OPPONENT",
        )

    def _told_of(self, player: Player | None) -> Reader | None:
        """Return the reader whose letters about a board answer this mail."""
        if self.asker is None or self.mail.is_multiple:
            return None
        if player is not None and player.id != self.asker.player_id:
            return None
        return self.asker

    def _answered(self, call: Call | None) -> Reader | None:
        """Return the player on file, or the stranger whose call is answered all the same.

        Without a call a stranger is only heard for a signup whose words cannot be.
        """
        if self.asker is not None:
            return self.asker
        is_answered = call is None or call.verb.entry.by_mail.answers_strangers
        return self._reader(self.mail.sender) if is_answered else None

    def refuse(self, call: Call | None, error: Refused) -> None:
        """Say what was wrong, if it was not said too often today.

        Who is not known hears it of a signup alone: its userid may be taken. A mail that nobody
        signed may come from a robot at a player's address, which must not be answered for ever.
        That there are too many newcomers nobody is told, for most of them are forged; but they are
        remembered, for those who ask again are not.
        """
        if error.code == TOO_MANY_NEWCOMERS:
            self.records.latecomers.note(self.mail.sender, self.now)
            return
        reader = self._answered(call)
        if reader is None:
            return
        match = self._match_of_proof() if reader is self.asker else None
        if self.mail.in_subject and self.mail.comment:
            error.hint = f"{error.hint}\n{SUBJECT_READ}".strip()
        letter = refusal_letter(reader, error, match)
        if reader is not self.asker or self._may_refuse(letter):
            self.post([letter])

    def confirm_address(self) -> str:
        """Say that the address is verified, where the mail says nothing else; return the outcome.

        An address that was closed instead is told nothing.
        """
        if self.is_closed:
            return UNSUBSCRIBED
        if self.asker is not None:
            blocks = ("This address is verified: mail about your games goes to it.",)
            self.post([answer_letter(self.asker, "pbmserv", blocks)])
        return VERIFIED

    def transcribe(self, lines: Sequence[TranscriptLine], refusal: Refused | None) -> None:
        """Tell whoever signed a line what became of each, the last unless ``refusal`` is None."""
        self.signed = self.signer
        self.asker = self._asker()
        if self.asker is None:
            return
        letter = transcript_letter(self.asker, lines)
        if self.signed is not None:
            letter = _cut(letter, "The rest is left out.", LONGEST_TRANSCRIPT)
            if refusal is None or self._may_refuse(letter):
                self.post([letter])
        else:
            kind = Kind.ANSWER if refusal is None else Kind.ERROR
            self.post(self._within_budget(letter, kind))

    def _may_refuse(self, letter: Letter) -> bool:
        """Tell whether a player may be told once more today that something was wrong."""
        return self._allows(Kind.REFUSAL if self.signed is not None else Kind.ERROR, letter)

    def _match_of_proof(self) -> Match | None:
        """Return the board of the token, for its player only."""
        proof = self.mail.proof
        if proof is None or self.signed is None or proof.player_id != self.signed.id:
            return None
        return self.records.matches.get(proof.match_id) if proof.match_id else None

    def post(self, letters: Sequence[Letter]) -> None:
        """Post those of the letters that may be written."""
        self.records.outbox.post(self._allowed(letters), self.now)

    def _allowed(self, letters: Sequence[Letter]) -> list[Letter]:
        """Return what may be posted, as answers to this mail where they go to its sender."""
        if not letters:
            return []
        allowed = []
        rows = self.records.addresses.holders(*{letter.address for letter in letters})
        for letter in letters:
            if not self._may_be_written(letter, rows):
                continue
            is_to_sender = letter.is_answer and letter.in_reply_to is None
            reply_to = self.mail.reply_to
            allowed.append(replace(letter, in_reply_to=reply_to) if is_to_sender else letter)
        return allowed

    def _may_be_written(self, letter: Letter, on_file: Sequence[Address]) -> bool:
        """Tell whether the letter goes to a proven address, or the budget for others has room.

        ``on_file`` has those with its address, and may have others. A letter that asks for a proof
        waits otherwise, and always where it would go to another address than the sender's.
        """
        if letter.kind is LetterKind.OPERATOR:
            return True
        rows = [
            row
            for row in on_file
            if row.address.lower() == letter.address.lower()
            and letter.player_id in {None, row.player_id}
        ]
        if any(address.is_open for address in rows):
            return True
        if any(address.stopped_at is not None for address in rows):
            return False
        is_sender = letter.address.lower() == self.mail.sender.lower()
        is_vouched = self.mail.is_authenticated and is_sender
        recipient = Requester(letter.address, net=self.mail.net, is_vouched=is_vouched)
        size = letter.most_bytes
        if letter.kind is not LetterKind.WELCOME or letter.player_id is None:
            return self.records.budgets.allow(Kind.STRANGER, recipient, self.now, size)
        if is_sender and self._may_be_asked(recipient, size):
            return True
        if not self._queue(recipient, letter.player_id):
            raise Refused(
                "Too many people want to join at the moment.",
                code=TOO_MANY_NEWCOMERS,
                hint="Send the same mail again in a quarter of an hour, or tomorrow.",
            )
        return False

    def _may_be_asked(self, newcomer: Requester, size: int) -> bool:
        """Use up a letter that asks for a proof, or remember that there was none to be used."""
        records, now = self.records, self.now
        again = records.latecomers.may_retry(newcomer.address, now)
        newcomer = newcomer._replace(asks_again=again)
        if not records.budgets.allow(Kind.WELCOME, newcomer, now, size):
            records.latecomers.note(newcomer.address, now)
            return False
        records.proof_queue.remove(newcomer.address)
        return True


def _is_for_anyone(call: Call) -> bool:
    """Tell whether it is help, or what else strangers may ask for."""
    return call.verb.entry.by_mail.sender is MailSender.ANYONE


def _with_notice(letter: Letter, why: str) -> Letter:
    """Return a letter that tells who answers for a mail that words of it were cut."""
    return replace(letter, tail=f"{letter.tail}\n\n{why}") if letter.is_answer else letter


def _cut(letter: Letter, why: str, most_characters: int = LONG) -> Letter:
    """Return the beginning of a letter that is too long, and why the rest is missing."""
    if len(letter.lead) + len(letter.tail) <= most_characters:
        return letter
    beginning = letter.lead[:most_characters].rpartition("\n")[0]
    return replace(letter, lead=f"{beginning}\n\n[...]\n\n{why}", tail="", diagram=None)


def too_many_boards() -> Refused:
    """Return the error for more boards than one mail opens."""
    return Refused(
        f"A mail opens at most {MOST_BOARDS} boards.",
        code="too-many-boards",
        hint="Send the rest in another mail.",
    )


def transcribed(call: Call | None, outcome: Answer | Refused | None) -> TranscriptLine:
    """Return what a transcript says of a line: our own name for it, never its words.

    Without an outcome it was not tried.
    """
    if outcome is None:
        return TranscriptLine("command", "not tried")
    name = call.path.removeprefix("pbmserv ") if call is not None else "command"
    if isinstance(outcome, Refused):
        words = "\n".join(filter(None, (outcome.message, outcome.hint)))
        return TranscriptLine(name, "refused", words)
    texts = [flowing(block) for block in outcome.blocks if isinstance(block, str)]
    told = texts if outcome.is_page else texts[:1]
    return TranscriptLine(name, "done", "\n\n".join(told))

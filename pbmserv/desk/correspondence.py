"""What is done and answered inside the one transaction of a mail.

Mail goes only to addresses that were proven, but for one answer a day to any other. Who is not
known gets silence, but for help and signup; who is known is told what was wrong, in words of ours,
ten times a day or, where neither password nor token shows that it was he, once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pbmserv.club.letter import LetterKind
from pbmserv.commands.answer import Answer
from pbmserv.desk.access import ANSWERED_TO_STRANGERS, require_fresh, require_right
from pbmserv.desk.identity import (
    confirm,
    needs_password,
    sets_password,
    sign_in_within,
    values_of,
)
from pbmserv.desk.request import Request
from pbmserv.desk.steps import (
    Step,
    count_wrong_password,
    other_board,
    require_patience,
    understood,
)
from pbmserv.errors import Refused
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import (
    TranscriptLine,
    answer_letter,
    refusal_letter,
    transcript_letter,
)
from pbmserv.services.match_letters import letters_of
from pbmserv.services.record_keeping import record
from pbmserv.services.session import Source
from pbmserv.store.quotas import (
    COMMANDS,
    ERROR_ANSWERS,
    NEW_PASSWORDS,
    PROOF_LETTERS,
    PROOFS,
    STRANGER_ANSWERS,
    STRANGERS,
    UNSIGNED_ERROR_ANSWERS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.match import Match
    from pbmserv.club.player import Player
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.addresses import Address
    from pbmserv.store.store import Records

DONE = "done"
VERIFIED = "verified"
TOO_MANY = "too-many-commands"

TO_UNPROVEN = {LetterKind.WELCOME: (PROOF_LETTERS, PROOFS)}
"""How many letters that ask for a proof go to one address that is not proven, and to all."""

TO_STRANGERS = STRANGER_ANSWERS, STRANGERS
"""How many letters of any other kind do."""


class Correspondence:
    """One mail and its answers, within one transaction.

    ``signed`` is who proved to be himself, by a password or by a reply token.
    """

    def __init__(
        self, desk: Desk, records: Records, mail: MailRequest, signed: Player | None
    ) -> None:
        self.desk = desk
        self.records = records
        self.mail = mail
        self.signed = signed
        self.now = desk.world.now()
        self._verify()
        self.holders = records.addresses.holders(mail.sender)
        self.asker = self._asker()
        self.signer = signed
        """Whoever signed the first line that is signed."""

    def act(self, steps: Sequence[Step]) -> str:
        """Do the steps up to the first that is refused, post the answers; return the outcome."""
        lines: list[TranscriptLine] = []
        refusal = None
        for step in steps:
            if refusal is not None:
                lines.append(TranscriptLine("command", "not tried"))
                continue
            line, refusal = self._line(step, is_first=not lines)
            lines.append(line)
        if self.mail.is_multiple:
            self.signed = self.signer
            self.asker = self._asker()
            if self.asker is not None and (refusal is None or self._may_refuse(self.asker)):
                self._post([transcript_letter(self.asker, lines)])
        elif not steps and self.asker is not None:
            blocks = ("This address is verified: mails about your games go to it.",)
            self._post([answer_letter(self.asker, "pbmserv", blocks)])
        if refusal is not None:
            return refusal.code
        return DONE if steps else VERIFIED

    def _verify(self) -> None:
        """Note that the address is proven, if the mail carries the token that was sent to it."""
        proof = self.mail.proof
        if proof is not None and not proof.match_id and self.signed is not None:
            self.records.addresses.verify(proof.player_id, self.mail.sender, self.now)

    def _asker(self) -> Reader | None:
        """Return whom the answers go to, and where; None for somebody who is not on file.

        At the address that he wrote from if it is his and proven, else, if he signed, at one that
        is; an address that is not proven is left to the limits of strangers.
        """
        his = [a for a in self.holders if self.signed is None or a.player_id == self.signed.id]
        here = sorted(his, key=lambda address: not address.is_open)[:1]
        if self.signed is not None and not any(address.is_open for address in here):
            proven = [a for a in self.records.addresses.of([self.signed.id]) if a.is_open]
            here = proven[:1] or here
        return self._reader(here[0]) if here else None

    def _reader(self, address: Address) -> Reader:
        return Reader(
            address.address, address.player_id, is_asker=True, in_reply_to=self.mail.reply_to
        )

    def _line(self, step: Step, *, is_first: bool) -> tuple[TranscriptLine, Refused | None]:
        """Do one step, and answer it unless there will be a transcript."""
        mail = self.mail
        request = Request((), Source.MAIL, body=lambda: mail.comment, sender=mail.sender)
        try:
            self._require_quota()
            if step.call is None and step.refusal is None:
                step = understood(self.desk, step, request)
                is_first = False
            if step.call is not None and step.refusal is None:
                self.desk.settle(self.records, step.call, step.player)
            with self.records.savepoint():
                step = self._signed_again(step, is_first=is_first)
                answer = self._run(step, request)
            self.signer = self.signer or step.player
            if mail.is_multiple:
                self.holders = self.records.addresses.holders(mail.sender)
        except Refused as error:
            self._note_refusal(step, request, error)
            if not mail.is_multiple:
                self._answer_refusal(step, error)
            return _transcribed(step, None, error), error
        return _transcribed(step, answer, None), None

    def _require_quota(self) -> None:
        holder = f"player {self.signed.id}" if self.signed else self.mail.sender
        if not self.records.quotas.take(COMMANDS, holder, self.now):
            raise Refused(
                f"These are more than {COMMANDS.most} commands in an hour.",
                code=TOO_MANY,
                hint="Send the rest in an hour.",
            )

    def _require_new_password(self) -> None:
        if not self.records.quotas.take(NEW_PASSWORDS, self.mail.sender, self.now):
            raise Refused(
                f"These are more than {NEW_PASSWORDS.most} new passwords in a day.",
                code="too-many-passwords",
                hint="Send the rest tomorrow.",
            )

    def _signed_again(self, step: Step, *, is_first: bool) -> Step:
        """Return the step with who signs it; raises :class:`Refused`.

        A line that was refused before anything was done, or was not looked at because another
        was, is judged behind others: they may have opened the account or board that it needs.
        """
        call = step.call
        if is_first and call is not None and self._is_about_password(step):
            # Once more, for many mails may have been looked at before the first was counted.
            require_patience(self.records, call, self.mail.sender, self.now)
        if step.refusal is not None and (is_first or call is None):
            raise step.refusal
        if is_first or call is None or step.player is not None or "password" not in call.params:
            return step._replace(refusal=None)
        require_patience(self.records, call, self.mail.sender, self.now)
        player = sign_in_within(self.records, self.desk.passwords, call)
        return step._replace(player=player, refusal=None)

    def _is_about_password(self, step: Step) -> bool:
        """Tell whether it is a password that decides what becomes of the step."""
        if self.mail.is_short or step.call is None or not needs_password(step.call):
            return False
        return step.refusal is None or step.refusal.code == "wrong-login"

    def _run(self, step: Step, request: Request) -> Answer:
        call = step.call
        if call is None:
            raise LookupError("a step that is ready has its call")
        player = confirm(self.records, step.player)
        if player is not None and not self.mail.is_short:
            self.records.throttle.passed(player.userid, self.mail.sender)
        require_right(self.records, call, self.holders)
        if self.mail.is_short:
            self._require_fresh(call)
        if sets_password(call):
            self._require_new_password()
        session = self.desk.session(request, self.records, player)
        answer = call.run(session, values_of(call, self.desk.passwords))
        record(session)
        asker = self._told_of(player)
        letters = letters_of(session, asker, self.mail.comment)
        if not (self.mail.is_multiple or any(letter.is_answer for letter in letters)):
            letters += self._answers(call, answer)
        self._post(letters)
        return answer

    def _told_of(self, player: Player | None) -> Reader | None:
        """Return the reader whose letters about a board answer this mail."""
        if self.asker is None or self.mail.is_multiple:
            return None
        if player is not None and player.id != self.asker.player_id:
            return None
        return self.asker

    def _require_fresh(self, call: Call) -> None:
        """Raise :class:`Refused` unless the token is good for this board as it is now."""
        proof, game = self.mail.proof, call.verb.game
        if proof is None or game is None:
            return
        match = self.records.matches.find(game.name, call.params["number"], lock=True)
        if match is None or match.id != proof.match_id:
            raise other_board()
        word = call.params["move"].text.lower() if "move" in call.params else call.verb.name
        require_fresh(match, proof, word or "")

    def _note_refusal(self, step: Step, request: Request, error: Refused) -> None:
        """Enter the refusal in the audit, and count it if a password was wrong."""
        self.desk.record_refusal(self.records, request, step.call, step.player, error)
        refused = step._replace(refusal=error)
        count_wrong_password(self.records, refused, self.mail.sender, self.now)

    def _answers(self, call: Call, answer: Answer) -> list[Letter]:
        """Return the answer to a command that changed no board."""
        reader = self.asker
        if reader is None:
            if call.verb.name not in ANSWERED_TO_STRANGERS:
                return []
            reader = Reader(self.mail.sender, is_asker=True, in_reply_to=self.mail.reply_to)
        about = f"{call.verb.game.title if call.verb.game else 'pbmserv'} {call.verb.name}"
        return [answer_letter(reader, about, answer.blocks)]

    def _answer_refusal(self, step: Step, error: Refused) -> None:
        """Say what was wrong, if it was not said too often today.

        Who is not known hears it of a signup alone: its userid may be taken. A mail that nobody
        signed may come from a robot at a player's address, which must not be answered for ever.
        """
        if self.asker is not None:
            if self._may_refuse(self.asker):
                self._post([refusal_letter(self.asker, error, self._match_of_proof())])
        elif step.call is not None and step.call.verb.name in ANSWERED_TO_STRANGERS:
            reader = Reader(self.mail.sender, is_asker=True, in_reply_to=self.mail.reply_to)
            self._post([refusal_letter(reader, error)])

    def _may_refuse(self, asker: Reader) -> bool:
        """Tell whether a player may be told once more today that something was wrong."""
        limit = ERROR_ANSWERS if self.signed is not None else UNSIGNED_ERROR_ANSWERS
        return self.records.quotas.take(limit, f"player {asker.player_id}", self.now)

    def _match_of_proof(self) -> Match | None:
        """Return the board of the token, for its player only."""
        proof = self.mail.proof
        if proof is None or self.signed is None or proof.player_id != self.signed.id:
            return None
        return self.records.matches.get(proof.match_id) if proof.match_id else None

    def _post(self, letters: Sequence[Letter]) -> None:
        """Post what may be posted, as answers to this mail where they go to its sender."""
        mail = self.mail
        posted = []
        for letter in letters:
            if not self._may_be_written(letter):
                continue
            is_to_sender = letter.is_answer and letter.in_reply_to is None
            posted.append(replace(letter, in_reply_to=mail.reply_to) if is_to_sender else letter)
        self.records.outbox.post(posted, self.now)

    def _may_be_written(self, letter: Letter) -> bool:
        """Tell whether the letter goes to a proven address, or is the one of today to another."""
        if letter.kind is LetterKind.OPERATOR:
            return True
        rows = self.records.addresses.holders(letter.address)
        rows = [a for a in rows if letter.player_id is None or a.player_id == letter.player_id]
        if any(address.is_open for address in rows):
            return True
        if any(address.stopped_at is not None for address in rows):
            return False
        each, all_of_them = TO_UNPROVEN.get(letter.kind, TO_STRANGERS)
        quotas = self.records.quotas
        return quotas.take(each, letter.address, self.now) and quotas.take(
            all_of_them, "all", self.now
        )


def _transcribed(step: Step, answer: Answer | None, refusal: Refused | None) -> TranscriptLine:
    """Return what a transcript says of a line: our own name for it, never its words."""
    name = step.call.path.removeprefix("pbmserv ") if step.call is not None else "command"
    if refusal is not None or answer is None:
        hint = refusal.hint if refusal else ""
        text = "\n".join(filter(None, (refusal.message if refusal else "", hint)))
        return TranscriptLine(name, "refused", text)
    texts = [block for block in answer.blocks if isinstance(block, str)]
    return TranscriptLine(name, "done", texts[0] if texts else "")

"""The lines of a mail, each understood, signed and judged by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pbmserv.commands.command_table import GAME
from pbmserv.commands.grammar import MailSender, ShortAnswer, parse
from pbmserv.commands.types import Secret
from pbmserv.commands.words import OPTION, drop_marks, split_line
from pbmserv.desk.door import Errand
from pbmserv.desk.identity import (
    confirm,
    needs_password,
    sets_password,
    sign_in,
    sign_in_within,
)
from pbmserv.desk.mail_rights import (
    not_their_token,
    other_board,
    require_few_passwords,
    require_good_token,
    require_patience,
    require_right,
    require_same_board,
)
from pbmserv.desk.polite_moves import plain_move
from pbmserv.desk.request import Request
from pbmserv.errors import Misunderstood, Refused
from pbmserv.services.session import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.player import Player
    from pbmserv.commands.answer import Answer
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.door import Desk
    from pbmserv.desk.mail_answers import MailAnswers
    from pbmserv.desk.request import MailRequest
    from pbmserv.services.session import WriteSession
    from pbmserv.store.store import Records

(UNNAMED,) = (n for n, e in GAME.items() if e.by_mail.short_answer is ShortAnswer.UNNAMED)
"""The command whose words stand alone in a short answer."""

SIGNED_CHALLENGE = 5
"""The words of the shortest challenge with a password."""


@dataclass(repr=False)
class MailLine:
    """One line of a mail, as far as it is known what it says and who says it."""

    text: str = ""
    call: Call | None = None
    player: Player | None = None
    refusal: Refused | None = None
    has_token: bool = False
    """Whether it needs no password, for the transaction has found its player by the token."""

    def prepare(self, desk: Desk, mail: MailRequest) -> None:
        """Understand and sign the line, outside of every lock; a refusal is kept for later."""
        try:
            self.call = understood(desk, self.text)
            if needs_password(self.call):
                with desk.store.reading() as records:
                    require_patience(records, self.call, mail, desk.world.now())
            self.player = sign_in(desk.store, desk.passwords, self.call)
        except Refused as error:
            self.refusal = error


def understood(desk: Desk, text: str) -> Call:
    """Return what a whole line of a mail says; raises :class:`Misunderstood`.

    By mail a password may stand behind the challenger, as in any other command:
    ``star challenge alice PASSWORD bob``.
    """
    words = split_line(text)
    try:
        return parse(desk.tree, words)
    except Misunderstood:
        signed = _signed_challenge(desk, drop_marks(words))
        if signed is None:
            raise
        return signed


def _signed_challenge(desk: Desk, words: Sequence[str]) -> Call | None:
    """Return the challenge that the words are without their fourth, signed by that."""
    if len(words) < SIGNED_CHALLENGE or any(OPTION.fullmatch(word) for word in words[:4]):
        return None
    game, verb, userid, password, *rest = words
    try:
        call = parse(desk.tree, (game, verb, userid, *rest))
    except Misunderstood:
        return None
    if call.verb.entry.by_mail.sender is not MailSender.NAMED:
        return None
    signature = {"userid": userid, "password": Secret(password)}
    return call._replace(params={**call.params, **signature})


def short_lines(desk: Desk, records: Records, mail: MailRequest, holder: Player) -> list[MailLine]:
    """Return what the holder of the reply token asks for in few words: one line or none."""
    try:
        call = _short_call(desk, records, mail)
    except Refused as error:
        return [MailLine(refusal=error)]
    return [] if call is None else [MailLine(call=call, player=holder, has_token=True)]


def _short_call(desk: Desk, records: Records, mail: MailRequest) -> Call | None:
    if mail.proof is None:
        raise not_their_token()
    (text,) = mail.lines
    if not mail.proof.match_id:
        return parse(desk.tree, text.split(), given={}) if desk.switches_off(text) else None
    match = records.matches.get(mail.proof.match_id, lock=True)
    if match is None:
        raise other_board()
    require_same_board(mail, match)
    move = plain_move(text, (match.first.userid, match.second.userid))
    words = [move] if move is not None else split_line(text)
    entry = GAME.get(words[0].lower()) if words else None
    if entry is None or entry.by_mail.short_answer is not ShortAnswer.NAMED:
        words.insert(0, UNNAMED)
    return parse(desk.tree, (match.game.name, *words), given={"number": match.number})


class LineErrand(Errand):
    """A line of a mail on its way through the door.

    The first line was understood and signed before. One that was refused then, or not looked at
    because another was, is judged behind others: they may have opened the account or the board
    that it needs.
    """

    def __init__(self, desk: Desk, answers: MailAnswers, line: MailLine, *, is_first: bool) -> None:
        mail = answers.mail
        # A token of an earlier moment is refused to every word that could accept anything.
        request = Request(
            (),
            Source.MAIL,
            body=lambda: mail.comment,
            sender=mail.sender,
            answers_now=mail.is_short,
        )
        super().__init__(request, line.call, line.player)
        self.desk = desk
        self.answers = answers
        self.line = line
        self.is_first = is_first
        self.is_alone = False

    def understand(self) -> Call:
        """Return what the line says, if its sender has not said too much by now."""
        self.answers.require_few_commands()
        line = self.line
        if line.call is None:
            if line.refusal is not None:
                raise line.refusal
            self.call = line.call = understood(self.desk, line.text)
        return line.call

    def sign(self, records: Records, call: Call) -> Player | None:
        """Return who signs the line."""
        line = self.line
        if self.is_first:
            if needs_password(call) and (not line.refusal or line.refusal.code == "wrong-login"):
                # Once more, for many mails may have been looked at before the first was counted.
                self._require_patience(call)
            if line.refusal is not None:
                raise line.refusal
        elif line.player is None and needs_password(call):
            self._require_patience(call)
            self.player = line.player = sign_in_within(records, self.desk.passwords, call)
        if line.has_token:
            return line.player
        signer = confirm(records, line.player)
        return None if signer is None else signer.player

    def admit(self, call: Call, player: Player | None) -> Mapping[str, Any]:
        """Return the values for the command, if a mail of theirs may have it done."""
        del player
        answers = self.answers
        mail, records = answers.mail, answers.records
        require_right(records, call, answers)
        if mail.is_short:
            require_good_token(records, call, mail.proof)
        if sets_password(call):
            require_few_passwords(records, mail.sender, answers.now)
        return self.desk.values_of(call)

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters about what was done, and the answer to a line that stands alone."""
        return self.answers.about(session, call, answer)

    def _require_patience(self, call: Call) -> None:
        answers = self.answers
        require_patience(answers.records, call, answers.mail, answers.now)

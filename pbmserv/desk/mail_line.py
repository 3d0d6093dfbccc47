"""The lines of a mail, each understood, signed and judged by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pbmserv.club.player import may_be_password
from pbmserv.commands.command_table import GAME
from pbmserv.commands.grammar import MailSender, ShortAnswer
from pbmserv.commands.parse import parse
from pbmserv.commands.types import NewSecret, Secret
from pbmserv.commands.words import OPTION, drop_marks, split_line, split_prose
from pbmserv.desk.errand import Errand
from pbmserv.desk.identity import checked, confirm, named, needs_password
from pbmserv.desk.mail_rights import (
    not_their_token,
    other_board,
    player_to_wait,
    require_few_passwords,
    require_good_token,
    require_right,
    require_same_board,
    seconds_to_wait,
)
from pbmserv.desk.polite_moves import plain_move
from pbmserv.desk.request import Request
from pbmserv.engine.game import JOINT
from pbmserv.errors import Misunderstood, Postponed, Refused
from pbmserv.render.board_letters import example_move
from pbmserv.render.service_letters import CONFIRM
from pbmserv.services.session import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.match import Match
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

ONE_WORD = re.compile(r"([a-z]+(?: [0-9-]+)?)\s?[.!]?", re.IGNORECASE | re.ASCII)
"""A word alone on its line, as a vote or a resignation is, with what it is about: ``undo 2``."""

UNSEEN = frozenset({"line-too-long", "struck-out", "no-text"})
"""Why the first line of an answer was not read."""

SAID_SO = UNSEEN - {"line-too-long"}

CONFIRMED = re.compile(rf"{CONFIRM} ([0-9]{{1,9}})", re.IGNORECASE)


@dataclass(repr=False)
class MailLine:
    """One line of a mail, as far as it is known what it says and who says it."""

    text: str = ""
    call: Call | None = None
    player: Player | None = None
    refusal: Refused | None = None
    has_token: bool = False
    """Whether it needs no password, for the transaction has found its player by the token."""
    turns: set[int] = field(default_factory=set)
    """The players whose passwords in this mail have had to wait for their turn, and have it."""

    def prepare(self, desk: Desk, mail: MailRequest) -> None:
        """Understand and sign the line, outside of every lock; a refusal is kept for later."""
        try:
            self.call = understood(desk, self.text)
            if needs_password(self.call):
                self._sign(desk, mail, self.call)
        except Refused as error:
            self.refusal = error

    def _sign(self, desk: Desk, mail: MailRequest, call: Call) -> None:
        """Find out whose password it is; raises as its parts.

        Raises :class:`Postponed` where it has to wait; that it does is noted before.
        """
        now = desk.world.now()
        with desk.store.reading() as records:
            to_wait = player_to_wait(records, call, mail, now)
            player = named(records, call)
        if to_wait is not None and to_wait not in self.turns:
            with desk.store.writing() as records:
                seconds = seconds_to_wait(records, to_wait, mail, now)
            if seconds:
                raise Postponed(seconds)
            self.turns.add(to_wait)
        self.player = checked(desk.passwords, call, player)


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
    if len(words) < 5 or any(OPTION.fullmatch(word) for word in words[:4]):
        return None
    game, verb, userid, password, *rest = words
    if not may_be_password(password):
        return None
    try:
        call = parse(desk.tree, (game, verb, userid, *rest))
    except Misunderstood:
        if verb.lower().startswith("chall"):
            raise
        return None
    if call.verb.entry.by_mail.sender is not MailSender.NAMED:
        return None
    signature = {"userid": userid, "password": Secret(password)}
    return call._replace(params={**call.params, **signature})


def short_lines(desk: Desk, records: Records, mail: MailRequest, holder: Player) -> list[MailLine]:
    """Return what the holder of the reply token asks for in few words: one line or none.

    Of a mail that could not be read it is the line that says why.
    """
    try:
        call = _short_call(desk, records, mail)
    except Refused as error:
        return [MailLine(refusal=error)]
    return [] if call is None else [MailLine(call=call, player=holder, has_token=True)]


def _short_call(desk: Desk, records: Records, mail: MailRequest) -> Call | None:
    if mail.proof is None:
        raise not_their_token()
    if not mail.proof.match_id:
        (text,) = mail.lines
        return parse(desk.tree, text.split(), given={}) if desk.switches_off(text) else None
    match = records.matches.get(mail.proof.match_id, lock=True)
    if match is None:
        raise other_board()
    if mail.unread is not None:
        raise _of_answer(mail.unread, match) if mail.unread.code in UNSEEN else mail.unread
    require_same_board(mail, match)
    try:
        return _call_at(desk, match, *mail.lines)
    except Misunderstood as error:
        raise (error if error.code == "invalid-move" else _of_answer(error, match)) from None


def _call_at(desk: Desk, match: Match, text: str) -> Call:
    move = plain_move(text, (match.first.userid, match.second.userid))
    alone = ONE_WORD.fullmatch(text)
    words = [move] if move else alone[1].split() if alone else split_prose(text)
    entry = GAME.get(words[0].lower()) if words else None
    if entry is None or entry.by_mail.short_answer is not ShortAnswer.NAMED:
        words.insert(0, UNNAMED)
    return parse(desk.tree, (match.game.name, *words), given={"number": match.number})


def _of_answer(error: Refused, match: Match) -> Misunderstood:
    """Return the error for whoever answered a letter, and so never wrote a whole command."""
    example = example_move(match.game, match.position)
    return Misunderstood(
        error.message if error.code in SAID_SO else "The first line is not a move.",
        code=error.code,
        hint=f"Write only the {'cells' if JOINT in example else 'cell'} as the first line, such as "
        f"{example}.\nAnything else goes below it. Words such as pass, resign and propose stand "
        "alone on the first line too.",
    )


def confirmed(
    desk: Desk, records: Records, mail: MailRequest, holder: Player | None
) -> tuple[MailRequest, list[MailLine]] | None:
    """Return the challenges that the mail confirms, as a mail of theirs; None for any other mail.

    ``holder`` is whom the reply token proves. Only an answer whose first line is yes confirms. With
    any other, what was asked about is dropped all the same.
    """
    asked = CONFIRMED.fullmatch(mail.lines[0]) if mail.is_short and mail.lines else None
    if asked is None or holder is None or mail.proof is None or mail.proof.match_id:
        return None
    found = records.asked_challenges.take(holder.id, int(asked[1]), desk.world.now())
    if found is None:
        refusal = Refused(
            "No challenge is waiting for this answer.",
            code="nothing-asked",
            hint="It was opened or dropped before, or is too old.",
        )
    elif not _says_yes(mail.comment):
        refusal = Refused(
            "The first line of your answer is not yes, so no board is opened.",
            code="challenge-dropped",
            hint="If you did not send the challenge, there is nothing more to do.",
        )
    else:
        lines = [MailLine(text, understood(desk, text), holder) for text in found.lines]
        several = len(lines) > 1
        return replace(mail, comment=found.comment, is_multiple=several, is_short=False), lines
    return mail, [MailLine(refusal=refusal)]


def _says_yes(text: str) -> bool:
    first, _, _ = text.strip().partition("\n")
    return first.strip().casefold() == "yes"


class LineErrand(Errand):
    """A line of a mail on its way through the door.

    The first line was understood and signed before. One that was refused then, or not looked at
    because another was, is judged behind others: they may have opened the account or the board
    that it needs.
    """

    def __init__(self, desk: Desk, answers: MailAnswers, line: MailLine, *, is_first: bool) -> None:
        mail = answers.mail
        # A token of an earlier moment is refused to every word that could accept anything.
        body, is_short = (lambda: mail.comment), mail.is_short
        request = Request((), Source.MAIL, body, sender=mail.sender, answers_now=is_short)
        super().__init__(request, line.call, line.player)
        self.desk = desk
        self.answers = answers
        self.line = line
        self.is_first = is_first
        self.is_alone = False

    def understand(self) -> Call:
        """Return what the line says, if its sender has not said too much by now."""
        line = self.line
        self.answers.require_few_commands(line.call)
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
            # A line before it may have opened the account.
            line.player = checked(self.desk.passwords, call, named(records, call))
            self.player = line.player
        if line.has_token:
            return line.player
        signer = confirm(line.player, records)
        return None if signer is None else signer.player

    def admit(self, call: Call, player: Player | None) -> Mapping[str, Any]:
        """Return the values for the command, if a mail of theirs may have it done."""
        answers = self.answers
        mail, records = answers.mail, answers.records
        require_right(records, call, answers)
        if mail.is_short:
            require_good_token(records, call, mail.proof)
        if any(isinstance(value, NewSecret) for value in call.params.values()):
            require_few_passwords(answers, call, player, answers.now)
        return self.desk.values_of(call)

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters about what was done, and the answer to a line that stands alone."""
        return self.answers.about(session, call, answer)

    def _require_patience(self, call: Call) -> None:
        answers, turns = self.answers, self.line.turns
        records, mail, now = answers.records, answers.mail, answers.now
        player_id = player_to_wait(records, call, mail, now)
        if player_id is None or player_id in turns:
            return
        if seconds := seconds_to_wait(records, player_id, mail, now):
            raise Postponed(seconds)
        turns.add(player_id)

"""What the door does otherwise for the web: it never sleeps, and it counts.

A wrong password is refused at once, and so are all after it while whoever guesses has to wait. That
is counted as by mail (``store/people/guesses.py``), but for each network by itself: who guesses
from another one keeps no player out. Whoever is signed in waits for their own slips only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.commands.grammar import ShortAnswer
from pbmserv.commands.types import NewSecret
from pbmserv.desk.identity import check_password, find_signer, require_few_passwords, wrong_login
from pbmserv.desk.request import CommandRun, Request, Signature
from pbmserv.engine.moments import DAY, HOUR
from pbmserv.errors import Refused, Throttled
from pbmserv.store.mail.budgets import Purpose, Requester, max_letters
from pbmserv.store.people.guesses import web_sender

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.club.player import Player
    from pbmserv.commands.answer import Answer
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.door import Desk
    from pbmserv.services.session import WriteSession
    from pbmserv.store.store import Records


FORGOTTEN = "If you have forgotten your password, ask for a new one."


def sign_in(desk: Desk, request: Request, call: Call) -> Player | None:
    """Return the player with this userid and password; raises :class:`Throttled` without looking.

    Nor is anything told of a password that was looked at while others used up the tries.
    """
    userid, now, wrong = str(call.params["userid"]), desk.world.now(), None
    with desk.store.reading() as records:
        player = find_signer(records, call)
        sender = _sender_of(records, request, player, now)
        _require_no_wait(records, userid, sender, now)
    try:
        check_password(desk.passwords, call, player)
    except Refused as error:
        wrong = error
        wrong.hint, wrong.meant, wrong.syntax = FORGOTTEN, "", ""
    if wrong is None:
        with desk.store.reading() as records:
            _require_no_wait(records, userid, sender, now)
        return player
    with desk.store.writing(for_operators=True) as records:
        _require_no_wait(records, userid, sender, now)
        desk.record_refusal(records, CommandRun(request, call), wrong)
        if wrong.code == wrong_login().code:
            records.throttle.failed(userid, sender, now)
    raise wrong


def _sender_of(records: Records, request: Request, player: Player | None, now: int) -> str:
    """Return under which name wrong passwords are counted: who is signed in has one alone."""
    key = request.keys.read() if request.keys is not None else None
    found = records.signin_keys.find(key or "", now)
    is_own = found is not None and player is not None and found.player.id == player.id
    return web_sender(request.net, found.key_id if found is not None and is_own else None)


def _require_no_wait(records: Records, userid: str, sender: str, now: int) -> None:
    seconds = records.throttle.seconds_to_wait(userid, sender, now)
    if seconds:
        raise Throttled(
            "There were too many wrong passwords.",
            seconds,
            code="too-many-guesses",
            hint=f"Wait before you try again. {FORGOTTEN}",
        )


class WebRun(CommandRun):
    """A command from a browser, of which there may be too many."""

    is_alone = False  # what it is charged stays charged if it is refused
    records: Records

    def __init__(self, desk: Desk, request: Request, call: Call, signature: Signature) -> None:
        super().__init__(request, call, signature=signature)
        self.desk = desk

    def sign(self, records: Records, call: Call) -> Player | None:
        """Return the command's player; raises :class:`Throttled` for more than may be said."""
        self.records = records
        player = super().sign(records, call)
        if (player is None or not _is_turn(call)) and not self._may(Purpose.COMMAND):
            raise Throttled(
                f"That is more than {max_letters(Purpose.COMMAND)} commands in an hour.",
                HOUR,
                code="too-many-commands",
                hint="Moves are not counted. Try again in an hour.",
            )
        return player

    def admit(self, call: Call, player: Player | None) -> Mapping[str, Any]:
        """Return the values for the command; raises :class:`Refused` for too many accounts."""
        del player
        if call.verb.name == "signup" and not self._may(Purpose.SIGNUP):
            raise Throttled(
                "Too many accounts were opened today.",
                DAY,
                code="too-many-signups",
                hint="Try again tomorrow.",
            )
        if any(isinstance(value, NewSecret) for value in call.params.values()):
            now = self.desk.world.now()
            require_few_passwords(self.records, call, self._requester, now)
        return self.desk.values_of(call)

    @property
    def _requester(self) -> Requester:
        net = self.request.net
        return Requester(net=net) if self.player is None else Requester(player_id=self.player.id)

    def _may(self, kind: Purpose) -> bool:
        return self.records.budgets.allow(kind, self._requester, self.desk.world.now())

    def is_worth_noting(self, error: Refused) -> bool:
        """Tell whether the audit has a line: of strangers, and who is too quick, may be any number.

        Their wrong passwords are noted where they are counted.
        """
        return self.player is not None and not isinstance(error, Throttled)

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters about it that may be sent."""
        letters = super().letters(session, call, answer)
        if not letters:
            return ()
        from pbmserv.desk.unproven_addresses import LetterCause, may_be_sent

        cause, records = LetterCause(session.now, self.request.net), session.records
        rows = records.addresses.holders(*{letter.address for letter in letters})
        return [each for each in letters if may_be_sent(records, each, rows, cause)]


def _is_turn(call: Call) -> bool:
    """Tell whether a call is what players do at their boards but talk, of which there is no end."""
    by_mail = call.verb.entry.by_mail
    return (
        by_mail.short_answer in {ShortAnswer.NAMED, ShortAnswer.UNNAMED} and not by_mail.old_token
    )

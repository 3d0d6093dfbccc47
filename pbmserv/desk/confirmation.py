"""Answers to the question whether a challenge that came by mail is its sender's own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pbmserv.desk.mail_line import MailLine, understood
from pbmserv.errors import Refused
from pbmserv.render.service_letters import CONFIRM

if TYPE_CHECKING:
    from pbmserv.club.player import Player
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.store import Records

SUBJECT = re.compile(rf"{CONFIRM} ([0-9]{{1,9}})", re.IGNORECASE)
YES = "yes"


def confirmed(
    desk: Desk, records: Records, mail: MailRequest, holder: Player | None
) -> tuple[MailRequest, list[MailLine]] | None:
    """Return the challenges that the mail confirms, as a mail of theirs; None for any other mail.

    ``holder`` is whom the reply token proves. Only an answer whose first line is yes confirms. With
    any other, what was asked about is dropped all the same.
    """
    asked = SUBJECT.fullmatch(mail.lines[0]) if mail.is_short and mail.lines else None
    if asked is None or holder is None or mail.proof is None or mail.proof.match_id:
        return None
    found = records.asked_challenges.take(holder.id, int(asked[1]), desk.world.now())
    if found is None:
        refusal = Refused(
            "No challenge is waiting for this answer.",
            code="nothing-asked",
            hint="It was opened or dropped before, or is too old.",
        )
        return mail, [MailLine(refusal=refusal)]
    if not _says_yes(mail.comment):
        refusal = Refused(
            "The first line of your answer is not yes, so no board is opened.",
            code="challenge-dropped",
            hint="If you did not send the challenge, there is nothing more to do.",
        )
        return mail, [MailLine(refusal=refusal)]
    lines = [MailLine(text, understood(desk, text), holder) for text in found.lines]
    several = len(lines) > 1
    return replace(mail, comment=found.comment, is_multiple=several, is_short=False), lines


def _says_yes(text: str) -> bool:
    first, _, _ = text.strip().partition("\n")
    return first.strip().casefold() == YES

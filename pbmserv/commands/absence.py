"""Vacations: a player's days on which their clocks stand still."""

from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.slots import DAYS, Kind, Term, Ways, slot
from pbmserv.commands.types import SignedPlayer, parse_switch
from pbmserv.engine.moments import Moment, TimedText
from pbmserv.errors import Misunderstood
from pbmserv.services.match_clock import take_vacation
from pbmserv.services.session import WriteSession

WAYS_AWAY = Ways(
    (
        (slot(DAYS),),
        (slot("until"), slot(Term("YYYY-MM-DD", Kind.DATE))),
        (slot("off"),),
    ),
    is_optional=True,
)
Days = Annotated[tuple[str, ...], Word(WAYS_AWAY)]
Auto = Annotated[
    bool | None, Option(("on", "off"), "vacation days taken when your time runs out", parse_switch)
]


def _check(words: tuple[str, ...], auto: bool | None) -> None:  # noqa: FBT001 - named so there
    if not words and auto is None:
        raise Misunderstood("Missing argument: DAYS, until or off.", code="missing-word")


@command(check=_check)
def vacation(
    session: WriteSession, player: SignedPlayer, words: Days = (), *, auto: Auto = None
) -> Answer:
    """Stop all your clocks for a number of days, or until a date; or come back early.

    You have 30 days in a calendar year, unless the operator has set another number. Part of a day
    counts as a whole day. While you are away you get no reminders and cannot lose on time. You can
    still move, and your opponents see until when you are away. When you are back, a reminder is
    sent before you can lose on time.

    If your time runs out and you have days left, a day is taken for you. This is not done after
    -auto=off, against a computer, or in a tournament with -novacation.
    """
    after = take_vacation(session, player, words, auto=auto)
    running, left = after.current(session.now), after.days_left(session.now)
    told, done = "", "off" if running is None else f"{running.days} days"
    if auto is not None:
        told = f"{'Days' if auto else 'No days'} are taken for you when your time runs out. "
        done = f"auto {'on' if auto else 'off'}{f', {done}' if words else ''}"
    session.ledger.note("vacation", done)
    if running is not None:
        told = TimedText(told, f"{player.userid} is on vacation until ", Moment(running.end), ". ")
    elif words:
        told += f"Welcome back, {player.userid}. "
    return Answer(
        (TimedText(told, f"Days left this year: {left}."),),
        {
            "userid": player.userid,
            "until": None if running is None else running.end,
            "days_left": left,
            "days_a_year": after.days_a_year,
            "auto": not session.records.talk.preferences(player.id).keeps_vacation,
        },
    )

"""Vacations: a player's days on which their clocks stand still."""

from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.types import SignedPlayer
from pbmserv.engine.moments import Moment, Timed
from pbmserv.services.match_clock import take_vacation
from pbmserv.services.session import WriteSession

Days = Annotated[tuple[str, ...], Word("DAYS | until YYYY-MM-DD | off")]


@command()
def vacation(session: WriteSession, player: SignedPlayer, words: Days) -> Answer:
    """Stop all your clocks for a number of days, or until a date; or come back early.

    You have 30 days in a calendar year, unless the operator has set another number, and part of a
    day counts as a whole day. While you are away you get no reminder and forfeit nothing, but you
    can still move, and your opponents see until when you are away. Afterwards, a reminder comes
    before any forfeit. When your time runs out and you have days left, a day is taken for you.
    """
    after = take_vacation(session, player, words)
    running = after.current(session.now)
    left = after.days_left(session.now)
    session.ledger.note("vacation", "off" if running is None else f"{running.days} days")
    sentence = (
        f"Welcome back, {player.userid}."
        if running is None
        else Timed(f"{player.userid} is on vacation until ", Moment(running.end), ".")
    )
    return Answer(
        (Timed(sentence, f" Days left this year: {left}."),),
        {
            "userid": player.userid,
            "until": None if running is None else running.end,
            "days_left": left,
            "days_a_year": after.days_a_year,
        },
    )

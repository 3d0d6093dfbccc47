"""The alarm where nobody settles the clocks: then nobody is reminded, and nobody forfeits."""

from pbmserv.club.wording import span_words
from pbmserv.engine.moments import HOUR, Moment, TimedText
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import trouble_letter
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.store import Records, Store

LATEST_TICK = 25 * HOUR
"""Seconds after which a daily tick is missing; an hour is left for a day that has 25."""

WHAT_TO_DO = "Nobody is reminded or forfeits: run pbmserv tick every hour."
TOO_SELDOM = "Reminders and forfeits come late by that: run pbmserv tick every hour."


def late_since(records: Records, now: int) -> int | None:
    """Return since when clocks that run were not settled, if that is too long; None if all is well.

    During maintenance clocks stand still and are not missed.
    """
    running = records.clocks.running(0, 1)
    if not running or records.maintenance.since() is not None:
        return None
    settled = records.clocks.settled_at()
    since = running[0].clock.began_at if settled is None else settled
    return since if now - since > LATEST_TICK else None


def seldom_words(rest: int) -> str:
    """Return the alarm where so many seconds passed between two ticks; nothing if all is well."""
    if rest <= LATEST_TICK:
        return ""
    return f"Before this tick the clocks were not settled for {span_words(rest)}. {TOO_SELDOM}"


def late_words(since: int) -> str:
    """Return the alarm for people."""
    return TimedText("The clocks have not been settled since ", Moment(since), f". {WHAT_TO_DO}")


def tell_operator(store: Store, operator: str | None, now: int) -> None:
    """Post a letter to the operator where the clocks are late, once a day at most."""
    if operator is None:
        return
    with store.reading() as records:
        since = late_since(records, now)
    if since is None:
        return
    with store.writing(for_operators=True) as records:
        if records.budgets.allow(Purpose.OPERATOR, Requester("late-tick"), now):
            letter = trouble_letter(Reader(operator), "the clocks", [late_words(since)])
            records.outbox.post([letter], now)

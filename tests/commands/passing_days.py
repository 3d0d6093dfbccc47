"""Days that pass, ticks, and letters that are read, for the tests of clocks, plans and ratings."""

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.desk.tick import TickReport, tick
from pbmserv.render.board_letters import letter_text
from tests.local_server import LocalServer

DAY = 86_400
HOUR = 3600


def pass_days(local: LocalServer, days: float) -> None:
    """Let time pass while nobody looks."""
    local.clock.seconds += round(days * DAY)


def live(local: LocalServer, days: float) -> TickReport:
    """Let days pass with a tick every six hours, and return what all of them did together."""
    total = TickReport()
    for _ in range(round(days * 4)):
        local.clock.seconds += 6 * HOUR
        report = tick(local.desk)
        total.due += report.due
        total.events.update(report.events)
        total.problems += report.problems
    return total


def with_letters(local: LocalServer, *userids: str) -> None:
    """Give these players a proven address each, and let the door write letters."""
    local.desk.writes_letters = lambda: True
    for userid in userids:
        local.do(f"signup {userid} secret-{userid} {userid}@example.org")


def letters(local: LocalServer, userid: str, kind: LetterKind | None = None) -> list[str]:
    """Return the whole letters to a player, the oldest first, of one kind or of all."""
    from pbmserv.store.tables import outbox

    with local.desk.store.reading() as records:
        rows = records.connection.execute(outbox.select().order_by(outbox.c.id)).all()
    return [
        letter_text(Letter(LetterKind(row.kind), row.address, row.subject, row.lead, row.tail))
        for row in rows
        if row.address == f"{userid}@example.org" and (kind is None or row.kind == kind.value)
    ]

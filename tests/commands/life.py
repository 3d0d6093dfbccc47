"""Days that pass, ticks, and letters that are read, for the tests of clocks, plans and ratings."""

from pbmserv.club.letter import Letter, LetterKind
from pbmserv.desk.ticking import Report, tick
from pbmserv.render.letters import letter_text
from tests.house import House

DAY = 86_400
HOUR = 3600


def pass_days(house: House, days: float) -> None:
    """Let time pass while nobody looks."""
    house.clock.seconds += round(days * DAY)


def live(house: House, days: float) -> Report:
    """Let days pass with a tick every six hours, and return what all of them did together."""
    total = Report()
    for _ in range(round(days * 4)):
        house.clock.seconds += 6 * HOUR
        report = tick(house.desk)
        total.due += report.due
        total.events.update(report.events)
        total.problems += report.problems
    return total


def with_letters(house: House, *userids: str) -> None:
    """Give these players a proven address each, and let the door write letters."""
    house.desk.writes_letters = lambda: True
    for userid in userids:
        house.do(f"signup {userid} secret-{userid} {userid}@example.org")


def letters(house: House, userid: str, kind: LetterKind | None = None) -> list[str]:
    """Return the whole letters to a player, the oldest first, of one kind or of all."""
    from pbmserv.store.tables import outbox

    with house.desk.store.reading() as records:
        rows = records.connection.execute(outbox.select().order_by(outbox.c.id)).all()
    return [
        letter_text(Letter(LetterKind(row.kind), row.address, row.subject, row.lead, row.tail))
        for row in rows
        if row.address == f"{userid}@example.org" and (kind is None or row.kind == kind.value)
    ]

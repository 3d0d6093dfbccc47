"""``mail outbox`` and what ``admin`` tells of mail: letters, what came in, keys."""

from __future__ import annotations

from typing import Annotated

from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.slots import NUMBER, slot
from pbmserv.commands.types import parse_whole_number
from pbmserv.errors import NotFound
from pbmserv.mail.keyring import Keyring
from pbmserv.operators.admin_lists import Listing
from pbmserv.operators.admin_views import documented, moment
from pbmserv.services.session import ReadSession, WriteSession
from pbmserv.settings import mail_keys
from pbmserv.store.mail.outbox import LetterState

Numbers = Annotated[tuple[int, ...], Word(slot(NUMBER, many=True), parse_whole_number)]
LETTER_STATES = tuple(state.value for state in LetterState)


@command()
def list_letters(session: ReadSession, *, listing: Listing) -> Answer:
    """List mail sent and waiting, newest first, with tries and the reason of a failure.

    The status of a mail is waiting, sent, failed or dropped; -since is when it was put into the
    outbox.
    """
    found = session.records.lists.letters(listing.wanted(session, LETTER_STATES))
    heads = ("id", "state", "posted", "due", "tries", "kind", "to", "subject", "error")
    rows = (
        (
            *(letter.id, letter.state, moment(letter.created_at), moment(letter.due_at)),
            *(letter.tries, letter.kind, letter.address, letter.subject, letter.last_error),
        )
        for letter in found.rows
    )
    table, documents = documented(heads, rows, right=(0, 4), empty="No mail.")
    answer = listing.answer(table, "letters", documents, found.total)
    return answer if listing.csv else answer._replace(content=(*answer.blocks, _counted(session)))


@command()
def list_arrivals(session: ReadSession, *, listing: Listing) -> Answer:
    """List mail received, newest first: who sent it and what happened to it."""
    found = session.records.lists.arrivals(listing.wanted(session))
    heads = ("received", "door", "from", "player", "outcome")
    rows = (
        (moment(mail.received_at), mail.door, mail.sender, mail.player_id or None, mail.outcome)
        for mail in found.rows
    )
    table, documents = documented(heads, rows, right=(3,), empty="No mail.")
    return listing.answer(table, "mails", documents, found.total)


@command()
def retry(session: WriteSession, numbers: Numbers) -> Answer:
    """Let the next mail send try this mail at once, even if it was given up."""
    return _each(session, numbers, "retry")


@command()
def drop(session: WriteSession, numbers: Numbers) -> Answer:
    """Never send this waiting mail."""
    return _each(session, numbers, "drop")


Rotate = Flag("make a new key; only it and the one before it are valid")


@command()
def keys(session: WriteSession, *, rotate: Annotated[bool, Rotate] = False) -> Answer:
    """Show how old the keys are that sign reply addresses, never the keys themselves.

    If you use -rotate twice, the reply addresses in earlier mail stop working.
    """
    keyring = Keyring(mail_keys())
    if rotate:
        keyring.rotate(session.now)
        session.ledger.note("rotate keys")
    rows = ((key.number, moment(key.created_at)) for key in keyring.kept())
    empty = "None yet: the first is created with the first mail."
    table, documents = documented(("number", "since"), rows, right=(0,), empty=empty)
    return Answer((table._replace(heads=("key", "created")),), {"keys": documents})


def _each(session: WriteSession, numbers: tuple[int, ...], verb: str) -> Answer:
    outbox = session.records.outbox
    act = outbox.retry if verb == "retry" else outbox.drop
    for number in numbers:
        if not act(number, session.now):
            raise NotFound(
                f"There is no mail {number} for which this is possible.",
                code="no-such-letter",
                hint="Nothing was changed. To see the mail: pbmserv mail outbox list",
            )
        session.ledger.note(f"outbox {verb}", f"letter {number}")
    return Answer((_counted(session),), {"changed": list(numbers)})


def _counted(session: ReadSession) -> str:
    counts = session.records.outbox.counts()
    return ", ".join(f"{state.value}: {count}" for state, count in counts.items())

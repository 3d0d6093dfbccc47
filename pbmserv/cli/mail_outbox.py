"""``mail``: sending the letters that wait, and looking after the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbmserv.cli.admin_views import LIMIT, MOST_ROWS, OFFSET, moment
from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.grammar import command
from pbmserv.commands.types import Word, arguments, flag, option, parse_whole_number
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Misunderstood, NotFound
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.tokens import check_base
from pbmserv.render.blocks import Table
from pbmserv.services.session import Access, Answer, Session
from pbmserv.settings import find, mail_keys, required
from pbmserv.store.outbox import LetterState, OutboxEntry

if TYPE_CHECKING:
    from pbmserv.desk.world import World
    from pbmserv.mail.postman import Postman
    from pbmserv.store.store import Store

NUMBERS = arguments("numbers", "NUMBER...", Word(parse_whole_number), least=1)


def _parse_state(text: str) -> LetterState:
    try:
        return LetterState(text.lower())
    except ValueError:
        names = ", ".join(state.value for state in LetterState)
        raise Misunderstood(
            "Letters have no such state.", code="bad-option-value", hint=f"-state may be {names}."
        ) from None


@command(flag("once", "only the letters that are due now"), access=Access.SHELL)
def send(shell: Shell, *, once: bool) -> int:
    """Send the letters that wait, each once, until none is due.

    Exit code 1 if one or more could not be sent; they are tried again later, for five days.
    """
    store = shell.open_store()
    try:
        with store.reading() as records:
            waiting = records.outbox.counts()[LetterState.WAITING]
        done = open_postman(store, shell.desk.world).round(most=waiting if once else None)
    finally:
        store.close()
    given_up = f", {done.given_up} given up" if done.given_up else ""
    said = f"Sent: {done.sent}. Failed: {done.failed}{given_up}."
    print_result(vars(done), said, shell.options)
    if done.stopped and not shell.options.json:
        print_notice(f"pbmserv: {done.stopped}")
    return EXIT_REFUSED if done.failed else EXIT_DONE


def open_postman(store: Store, world: World) -> Postman:
    """Return the postman that the settings describe; raises :class:`Fault`."""
    from pbmserv.mail.postman import Postman
    from pbmserv.mail.transports import open_transport

    return Postman(
        store,
        our_address(),
        Keyring(mail_keys()),
        open_transport(required("mail_out")),
        world.now,
        find("mail_operator"),
    )


def our_address() -> str:
    """Return the address of this server; raises :class:`Fault` if it cannot carry tokens."""
    return check_base(required("mail_address"))


@command(
    option("state", "STATE", "waiting, sent, failed or dropped", _parse_state),
    LIMIT,
    OFFSET,
    access=Access.LOOK,
)
def list_letters(
    session: Session, state: LetterState | None, limit: int | None, offset: int | None
) -> Answer:
    """List letters, the newest first, with how often they were tried and why they failed."""
    outbox = session.records.outbox
    found = outbox.entries(state, limit=limit or MOST_ROWS, offset=offset or 0)
    rows = [_document(entry) for entry in found]
    texts = tuple(tuple(map(str, row.values())) for row in rows)
    heads = ("id", "state", "posted", "due", "tries", "kind", "to", "subject", "error")
    return Answer(
        (Table(heads, texts, right=(0, 4), empty="No letters."), _counted(session)),
        {"letters": rows},
    )


@command(LIMIT, OFFSET, access=Access.LOOK)
def list_arrivals(session: Session, limit: int | None, offset: int | None) -> Answer:
    """List mails that were received, the newest first: who sent them and what came of them."""
    found = session.records.inbox.arrivals(limit=limit or MOST_ROWS, offset=offset or 0)
    rows = [
        {
            "received": moment(arrival.received_at),
            "door": arrival.door,
            "from": arrival.sender,
            "player": arrival.player_id or None,
            "outcome": arrival.outcome,
        }
        for arrival in found
    ]
    texts = tuple(tuple("" if v is None else str(v) for v in row.values()) for row in rows)
    heads = ("received", "door", "from", "player", "outcome")
    return Answer((Table(heads, texts, right=(3,), empty="No mails."),), {"mails": rows})


@command(NUMBERS, access=Access.CHANGE)
def retry(session: Session, numbers: tuple[int, ...]) -> Answer:
    """Have letters that wait or were given up tried at once by the next mail send."""
    return _each(session, numbers, "retry")


@command(NUMBERS, access=Access.CHANGE)
def drop(session: Session, numbers: tuple[int, ...]) -> Answer:
    """Take letters that still wait out of the post: they are never sent."""
    return _each(session, numbers, "drop")


@command(
    flag("rotate", "make a new key; only it and the one before it count from now on"),
    access=Access.CHANGE,
)
def keys(session: Session, *, rotate: bool) -> Answer:
    """Show since when there are the keys that sign reply addresses, never the keys themselves.

    With -rotate twice, every address in the letters sent before is good for nothing.
    """
    keyring = Keyring(mail_keys())
    if rotate:
        keyring.rotate(session.now)
        session.note("rotate keys")
    rows = [{"number": key.number, "since": moment(key.created_at)} for key in keyring.kept()]
    texts = tuple(tuple(map(str, row.values())) for row in rows)
    empty = "None yet: the first is made with the first letter."
    return Answer((Table(("key", "since"), texts, right=(0,), empty=empty),), {"keys": rows})


def _each(session: Session, numbers: tuple[int, ...], verb: str) -> Answer:
    """Do the same to each letter; nothing is changed if it cannot be done to one of them."""
    outbox = session.records.outbox
    for number in numbers:
        act = outbox.retry if verb == "retry" else outbox.drop
        if not act(number, session.now):
            raise NotFound(
                f"There is no letter {number} that this could be done to.",
                code="no-such-letter",
                hint="Nothing was changed. See the letters with: pbmserv mail outbox list",
            )
        session.note(f"outbox {verb}", f"letter {number}")
    return Answer((_counted(session),), {"changed": list(numbers)})


def _counted(session: Session) -> str:
    counts = session.records.outbox.counts()
    return ", ".join(f"{state.value}: {count}" for state, count in counts.items())


def _document(entry: OutboxEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "state": entry.state,
        "posted": moment(entry.created_at),
        "due": moment(entry.due_at),
        "tries": entry.tries,
        "kind": entry.kind,
        "to": entry.address,
        "subject": entry.subject,
        "error": entry.last_error,
    }

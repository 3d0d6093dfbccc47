"""Letters that are to prove an address, of which no flood is to take all.

They wait for their turn. A flood of forged senders asks once under each name, somebody who wants to
play asks again: so who asked in vain is remembered too.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.engine.moments import MINUTE, WEEK
from pbmserv.store.connection import Repository
from pbmserv.store.mail.budgets import domain_of
from pbmserv.store.tables import budget, proof_request, upsert

# A full queue is shared out by crowds: all requests of a domain, or of a network. A newcomer
# takes the place of the newest request of the largest crowd, unless its own is as large but one.
# So a flood from one domain only displaces itself, and letters are sent to the oldest of each
# domain in turn. Who asked in vain is kept in a hash table of fixed size: the first 32 bits of
# the address's digest choose the place, the next tell it from the others there; a collision only
# costs its first holder.

MAX_WAITING = 200
MAX_UNAUTHENTICATED = 150
"""Requests that may wait in all, and from domains that nobody vouches for."""

PATIENCE = WEEK
"""Seconds after which a request is dropped; its address may ask again."""

ADD = upsert(proof_request)

PLACES = 1 << 17
MARKS = 1 << 31
"""A place holds a mark of the address, which tells it from most others there."""

A_WHILE = 15 * MINUTE
"""Seconds after which whoever asks is somebody who asks again."""

NOTE = sa.text(f"{upsert(budget, 'begins_at', 'letters').text} WHERE budget.letters <> :letters")


class ProofRequest(NamedTuple):
    """An address of a player that is to be written to, because a mail named or came from it.

    ``net`` is where that mail came from, "" where no server of ours says so.
    ``is_authenticated`` if our mail server vouches for the domain that sent it.
    """

    address: str
    player_id: int
    net: str
    is_authenticated: bool
    asked_at: int

    @property
    def domain(self) -> str:
        """The domain of the address, which shares a limit."""
        return domain_of(self.address)


class ProofQueue(Repository):
    """Letters that are to prove an address and wait for their turn."""

    def add(self, request: ProofRequest) -> bool:
        """Queue a request unless its address waits already; tell whether there was room."""
        waiting = self.waiting(request.asked_at)
        if any(each.address.lower() == request.address.lower() for each in waiting):
            return True
        rivals, most = waiting, MAX_WAITING
        if not request.is_authenticated:
            rivals = [each for each in waiting if not each.is_authenticated]
            most = MAX_UNAUTHENTICATED
        if len(rivals) >= most or len(waiting) >= MAX_WAITING:
            surplus = _surplus(rivals, request)
            if surplus is None:
                return False
            self.remove(surplus.address)
        values = {**request._asdict(), "is_authenticated": int(request.is_authenticated)}
        self._connection.execute(ADD, {**values, "address_key": request.address.lower()})
        return True

    def waiting(self, now: int) -> list[ProofRequest]:
        """Return the requests that are not too old, the oldest first."""
        rows = sa.select(proof_request).where(proof_request.c.asked_at > now - PATIENCE)
        in_order = rows.order_by(proof_request.c.asked_at, proof_request.c.address_key)
        return [
            ProofRequest(
                row.address, row.player_id, row.net, bool(row.is_authenticated), row.asked_at
            )
            for row in self._connection.execute(in_order)
        ]

    def remove(self, address: str) -> None:
        """Let the request of this address wait no longer, if it does."""
        self._change(proof_request.delete().where(proof_request.c.address_key == address.lower()))

    def forget(self, now: int) -> None:
        """Drop requests that have waited for too long."""
        self._change(proof_request.delete().where(proof_request.c.asked_at <= now - PATIENCE))


class Latecomers(Repository):
    """Addresses that asked in vain for their letter of proof, in a fixed number of rows."""

    def note(self, address: str, now: int) -> None:
        """Remember that the address asked in vain, if it did not before."""
        self._connection.execute(NOTE, {**_place(address), "begins_at": now})

    def may_retry(self, address: str, now: int) -> bool:
        """Tell whether the address asked in vain before, long enough ago."""
        same = (budget.c[name] == value for name, value in _place(address).items())
        return self._has(sa.select(budget).where(*same, budget.c.begins_at <= now - A_WHILE))


def _place(address: str) -> dict[str, object]:
    """Return the row of an address but for its time; the number of letters is the mark."""
    digest = hashlib.sha256(address.lower().encode(errors="surrogatepass")).digest()
    place = int.from_bytes(digest[:4], "big") % PLACES
    mark = int.from_bytes(digest[4:8], "big") % MARKS
    row = {"kind": "asked in vain", "holder": f"place {place}", "period": 2 * WEEK, "bytes": 0}
    return {**row, "letters": mark}


def in_turn(requests: Sequence[ProofRequest]) -> list[ProofRequest]:
    """Return the requests, the oldest of each domain before the second oldest of any."""
    seen: Counter[str] = Counter()
    ranked = []
    for request in requests:
        ranked.append((seen[request.domain], request))
        seen[request.domain] += 1
    return [request for _, request in sorted(ranked, key=lambda pair: pair[0])]


def _surplus(waiting: Sequence[ProofRequest], newcomer: ProofRequest) -> ProofRequest | None:
    """Return the request that gives its place to one of a smaller crowd, if there is any."""
    domains = Counter(request.domain for request in waiting)
    nets = Counter(request.net for request in waiting if request.net)

    def crowd(request: ProofRequest) -> int:
        return max(domains[request.domain], nets[request.net])

    largest = max(map(crowd, waiting), default=0)
    if largest <= crowd(newcomer) + 1:
        return None
    return next(request for request in reversed(waiting) if crowd(request) == largest)

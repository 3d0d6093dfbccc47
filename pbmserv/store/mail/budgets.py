"""The ledger: one table of budgets, and who has used how much of each in its window of time.

What may leave because of a mail that no secret signs is declared here, with the few budgets of
those who signed. A row of :data:`BUDGETS` is a kind, whose use is counted, and how many letters and
bytes they may have. Its window begins with its first use. The page ``gateway`` is made from these
rows.

A flood of forged senders asks once under each name, somebody who wants to play asks again. So who
asked in vain is remembered here too: each address has one of a fixed number of places, so that no
flood fills the database. There the later one takes the place of the earlier.
"""

import hashlib
from enum import Enum
from typing import Any, NamedTuple

import sqlalchemy as sa

from pbmserv.engine.moments import DAY, HOUR, MINUTE, WEEK
from pbmserv.store.connection import Part
from pbmserv.store.tables import budget

UNBOUNDED = 2**62
"""Bytes that stand for any number of them."""

IN_VAIN = "asked in vain"
PLACES = 1 << 17
MARKS = 1 << 31
"""A place holds a mark of the address, which tells it from most others there."""

A_WHILE = 15 * MINUTE
"""Seconds after which whoever asks is somebody who asks again."""

WAITING = "waiting"
MAIL_PATIENCE = 3 * DAY
"""Seconds for which a mail waits to be looked at; mail servers give up after five days."""


class Kind(Enum):
    """What a budget is for; the values are stored."""

    HELP = "help"
    """Help for a player whose mail nobody signed."""
    ANSWER = "answer"
    """Any other answer to such a mail, a transcript among them."""
    LONG_ANSWER = "long answer"
    """One that is sent whole."""
    ERROR = "error"
    """What was wrong with such a mail."""
    RESET = "reset"
    """A token to each address of a player's."""
    CONFIRMATION = "confirmation"
    """The question whether a challenge is the player's own."""
    WELCOME = "welcome"
    """Asks for the proof of an address."""
    STRANGER = "stranger"
    """Any other letter to an address that nobody has proven."""
    REFUSAL = "refusal"
    """What was wrong with a mail that was signed."""
    DIGEST = "digest"
    BROADCAST = "broadcast"
    OPERATOR = "operator"
    COMMAND = "command"
    NEW_PASSWORD = "new password"
    PASSWORD = "password"
    """A password from an address of its player's, looked at while others have to wait."""
    PASSWORD_AT_ONCE = "password at once"
    """The same of a mail that has not waited."""


class Holder(Enum):
    """Whose use is counted."""

    ADDRESS = "an address"
    DOMAIN = "a domain"
    NET = "a network"
    PLAYER = "a player"
    FIRST = "all who ask first"
    UNVOUCHED = "all not vouched for"
    ALL = "all"


class Budget(NamedTuple):
    """So many letters, or whatever else the kind is, and so many bytes in ``window`` seconds."""

    kind: Kind
    holder: Holder
    letters: int
    window: int
    bytes: int = UNBOUNDED


BUDGETS = (
    Budget(Kind.HELP, Holder.PLAYER, 20, DAY, 600_000),
    Budget(Kind.HELP, Holder.UNVOUCHED, 3000, DAY, 20_000_000),
    Budget(Kind.HELP, Holder.ALL, 6000, DAY, 40_000_000),
    Budget(Kind.ANSWER, Holder.PLAYER, 30, DAY, 500_000),
    Budget(Kind.ANSWER, Holder.UNVOUCHED, 3000, DAY, 20_000_000),
    Budget(Kind.ANSWER, Holder.ALL, 6000, DAY, 40_000_000),
    Budget(Kind.LONG_ANSWER, Holder.PLAYER, 10, DAY, 500_000),
    Budget(Kind.ERROR, Holder.PLAYER, 1, DAY, 20_000),
    Budget(Kind.ERROR, Holder.UNVOUCHED, 500, DAY, 5_000_000),
    Budget(Kind.ERROR, Holder.ALL, 1000, DAY, 10_000_000),
    Budget(Kind.CONFIRMATION, Holder.PLAYER, 3, DAY, 60_000),
    Budget(Kind.CONFIRMATION, Holder.ALL, 500, DAY, 10_000_000),
    Budget(Kind.RESET, Holder.PLAYER, 3, DAY, 200_000),
    Budget(Kind.RESET, Holder.ALL, 3000, DAY, 20_000_000),
    Budget(Kind.WELCOME, Holder.ADDRESS, 1, WEEK),
    Budget(Kind.WELCOME, Holder.DOMAIN, 10, DAY),
    Budget(Kind.WELCOME, Holder.NET, 10, DAY),
    Budget(Kind.WELCOME, Holder.FIRST, 50, DAY),
    Budget(Kind.WELCOME, Holder.UNVOUCHED, 70, DAY),
    Budget(Kind.WELCOME, Holder.ALL, 100, DAY, 1_000_000),
    Budget(Kind.STRANGER, Holder.ADDRESS, 1, DAY),
    Budget(Kind.STRANGER, Holder.DOMAIN, 10, DAY),
    Budget(Kind.STRANGER, Holder.NET, 10, DAY),
    Budget(Kind.STRANGER, Holder.UNVOUCHED, 70, DAY),
    Budget(Kind.STRANGER, Holder.ALL, 100, DAY, 2_000_000),
    Budget(Kind.REFUSAL, Holder.PLAYER, 10, DAY),
    Budget(Kind.DIGEST, Holder.PLAYER, 1, DAY),
    Budget(Kind.BROADCAST, Holder.PLAYER, 3, DAY),
    Budget(Kind.OPERATOR, Holder.ADDRESS, 1, DAY),
    Budget(Kind.COMMAND, Holder.ADDRESS, 60, HOUR),
    Budget(Kind.COMMAND, Holder.PLAYER, 60, HOUR),
    Budget(Kind.NEW_PASSWORD, Holder.ADDRESS, 10, DAY),
    Budget(Kind.NEW_PASSWORD, Holder.PLAYER, 10, DAY),
    Budget(Kind.PASSWORD_AT_ONCE, Holder.PLAYER, 20, DAY),
    Budget(Kind.PASSWORD, Holder.PLAYER, 1, MINUTE),
    Budget(Kind.PASSWORD, Holder.PLAYER, 100, DAY),
)
"""Every budget, of each kind from the narrow to the wide.

What is left between those not vouched for and all is kept for the others, whom nobody can forge.
"""

TAKE = sa.text(
    "INSERT INTO budget (kind, holder, period, begins_at, letters, bytes) "
    "VALUES (:kind, :holder, :period, :now, 1, :size) "
    "ON CONFLICT (kind, holder, period) DO UPDATE SET "
    "begins_at = CASE WHEN budget.begins_at BETWEEN :first AND :last "
    "THEN budget.begins_at ELSE :now END, "
    "letters = CASE WHEN budget.begins_at BETWEEN :first AND :last "
    "THEN budget.letters + 1 ELSE 1 END, "
    "bytes = CASE WHEN budget.begins_at BETWEEN :first AND :last "
    "THEN budget.bytes + :size ELSE :size END "
    "WHERE budget.begins_at NOT BETWEEN :first AND :last "
    "OR (budget.letters < :most AND budget.bytes + :size <= :most_bytes) RETURNING letters"
)
"""A window that would begin far in the future is none: the clock was wrong when it began."""

GIVE_BACK = sa.text(
    "UPDATE budget SET letters = letters - 1, bytes = bytes - :size "
    "WHERE kind = :kind AND holder = :holder AND period = :period"
)
NOTE_IN_VAIN = sa.text(
    "INSERT INTO budget (kind, holder, period, begins_at, letters, bytes) "
    "VALUES (:kind, :holder, :period, :now, :mark, 0) "
    "ON CONFLICT (kind, holder, period) DO UPDATE SET begins_at = :now, letters = :mark "
    "WHERE budget.letters <> :mark"
)
WAIT = sa.text(
    "INSERT INTO budget (kind, holder, period, begins_at, letters, bytes) "
    "VALUES (:kind, :holder, :period, :now, 0, 0) ON CONFLICT (kind, holder, period) DO NOTHING"
)


class Causer(NamedTuple):
    """Who may have caused something, as far as it is known.

    ``net`` is "" where our mail server does not say; ``is_vouched`` if it vouches for the sender.
    ``asks_again`` if there was no room for the address when it asked a while ago.
    """

    address: str = ""
    player_id: int | None = None
    net: str = ""
    is_vouched: bool = False
    asks_again: bool = False

    def key(self, holder: Holder) -> str | None:
        """Return under which name that holder's use is kept, None where it is not counted.

        Those who are vouched for share none with the others, who may have forged the sender.
        """
        rank = "vouched" if self.is_vouched else "again" if self.asks_again else "unvouched"
        mark = " vouched" if self.is_vouched else ""
        keys = {
            Holder.ADDRESS: self.address and f"{self.address.lower()}{mark}",
            Holder.DOMAIN: f"{rank} {domain_of(self.address)}",
            Holder.NET: self.net and not self.is_vouched and f"{rank} {self.net}",
            Holder.PLAYER: self.player_id is not None and f"player {self.player_id}{mark}",
            Holder.FIRST: not (self.is_vouched or self.asks_again) and holder.value,
            Holder.UNVOUCHED: not self.is_vouched and holder.value,
            Holder.ALL: holder.value,
        }
        return keys[holder] or None


def domain_of(address: str) -> str:
    """Return the domain of an address in lower case."""
    return address.rpartition("@")[2].lower()


def budgets_of(kind: Kind) -> list[Budget]:
    """Return the budgets of a kind, the narrowest first."""
    return [row for row in BUDGETS if row.kind is kind]


def most(kind: Kind) -> int:
    """Return how many letters of a kind the narrowest of its holders may have."""
    return budgets_of(kind)[0].letters


class Budgets(Part):
    """What was used of each budget, within one transaction."""

    def allow(self, kind: Kind, causer: Causer, now: int, size: int = 0) -> bool:
        """Use one letter of so many bytes up; tell whether there was one. If not, none is used."""
        used: list[dict[str, object]] = []
        # What the wide ones refuse, in a flood of ever new names, leaves no row of the narrow.
        for row in reversed(budgets_of(kind)):
            holder = causer.key(row.holder)
            if holder is None:
                continue
            values = _values(row, holder, now, size)
            if size <= row.bytes and self._connection.execute(TAKE, values).first() is not None:
                used.append(values)
                continue
            for each in used:
                self._connection.execute(GIVE_BACK, each)
            return False
        return True

    def note_in_vain(self, address: str, now: int) -> None:
        """Remember that the address asked in vain, if it did not before."""
        self._connection.execute(NOTE_IN_VAIN, {**_place(address), "now": now})

    def asked_a_while_ago(self, address: str, now: int) -> bool:
        """Tell whether the address asked in vain before, long enough ago."""
        place = _place(address)
        since = self._number(_begun(place).where(budget.c.letters == place["mark"]))
        return since is not None and now - since >= A_WHILE

    def wait(self, player_id: int, key: str, now: int) -> None:
        """Note since when a mail waits for its turn, unless that is noted."""
        self._connection.execute(WAIT, {**_mail(player_id, key), "now": now})

    def waits_since(self, player_id: int, key: str) -> int | None:
        """Return since when a mail waits, None where it does not."""
        return self._number(_begun(_mail(player_id, key)))

    def forget(self, now: int) -> None:
        """Delete what counts no more."""
        self._connection.execute(budget.delete().where(budget.c.begins_at <= now - budget.c.period))


def _values(row: Budget, holder: str, now: int, size: int) -> dict[str, object]:
    return {
        "kind": row.kind.value,
        "holder": holder,
        "period": row.window,
        "now": now,
        "size": size,
        "first": now - row.window + 1,
        "last": now + row.window,
        "most": row.letters,
        "most_bytes": row.bytes,
    }


def _begun(row: dict[str, object]) -> sa.Select[Any]:
    """Return the question when a window began of a kind that has one for each holder."""
    is_such = budget.c.kind == row["kind"], budget.c.holder == row["holder"]
    return sa.select(budget.c.begins_at).where(*is_such)


def _place(address: str) -> dict[str, object]:
    """Return the row of an address that asked in vain, and the mark of the address there."""
    digest = hashlib.sha256(address.lower().encode(errors="surrogatepass")).digest()
    place = int.from_bytes(digest[:4], "big") % PLACES
    mark = int.from_bytes(digest[4:8], "big") % MARKS
    return {"kind": IN_VAIN, "holder": f"place {place}", "period": 2 * WEEK, "mark": mark}


def _mail(player_id: int, key: str) -> dict[str, object]:
    """Return the row of a mail that waits; one for each, however it is called."""
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
    return {"kind": WAITING, "holder": f"player {player_id} {digest}", "period": 2 * WEEK}

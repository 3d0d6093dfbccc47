"""Budgets: how much may be sent because of mails, and who has used how much of it by now.

What may be sent because of a mail that no secret signs is declared here, with the few budgets of
those who signed, and of the web. A row of :data:`BUDGETS` is a kind, whose use is counted, and how
many letters and bytes they may have. Its window begins with its first use. The page ``limits`` is
made from these rows.
"""

from enum import Enum
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.engine.moments import DAY, HOUR, MINUTE, WEEK
from pbmserv.store.connection import Repository
from pbmserv.store.tables import budget

# Each budget is a counter with the beginning of its window: a row for each kind, holder and period,
# so that a flood leaves no more rows than it has names. A letter is charged to all budgets of its
# kind, the widest first: what that refuses leaves no row for a name that never comes again. A
# forged answer to alice is so charged to "all" (6000 a day), to all senders that nobody vouches for
# (3000) and to alice (30); where one is full, what was charged before is given back.

UNBOUNDED = 2**62
"""Bytes that stand for any number of them."""


class Purpose(Enum):
    """The purpose of a budget; the values are stored."""

    HELP = "help"
    """Help for a player whose mail nobody signed."""
    ANSWER = "answer"
    """Any other answer to such a mail, a transcript among them."""
    LONG_ANSWER = "long answer"
    """One that is sent whole."""
    ERROR = "error"
    """The errors of such a mail."""
    RESET = "reset"
    """A token to each address of a player's."""
    CONFIRMATION = "confirmation"
    """The question whether a challenge is the player's own."""
    WELCOME = "welcome"
    """Asks for the proof of an address."""
    STRANGER = "stranger"
    """Any other letter to an address that nobody has proven."""
    REFUSAL = "refusal"
    """The errors of a signed mail."""
    DIGEST = "digest"
    BROADCAST = "broadcast"
    OPERATOR = "operator"
    COMMAND = "command"
    SIGNUP = "signup by the web"
    NEW_PASSWORD = "new password"
    PASSWORD = "password"
    """A password from an address of its player's, looked at while others have to wait."""
    PASSWORD_AT_ONCE = "password at once"
    """The same of a mail that has not waited."""


class BudgetScope(Enum):
    """The senders whose use is counted together."""

    ADDRESS = "an address"
    DOMAIN = "a domain"
    NET = "a network"
    PLAYER = "a player"
    FIRST = "all who ask first"
    UNVOUCHED = "all not vouched for"
    ALL = "all"


class Budget(NamedTuple):
    """The most letters (or uses of another kind) and bytes in ``window`` seconds."""

    kind: Purpose
    scope: BudgetScope
    letters: int
    window: int
    bytes: int = UNBOUNDED


BUDGETS = (
    Budget(Purpose.HELP, BudgetScope.PLAYER, 20, DAY, 600_000),
    Budget(Purpose.HELP, BudgetScope.UNVOUCHED, 3000, DAY, 20_000_000),
    Budget(Purpose.HELP, BudgetScope.ALL, 6000, DAY, 40_000_000),
    Budget(Purpose.ANSWER, BudgetScope.PLAYER, 30, DAY, 500_000),
    Budget(Purpose.ANSWER, BudgetScope.UNVOUCHED, 3000, DAY, 20_000_000),
    Budget(Purpose.ANSWER, BudgetScope.ALL, 6000, DAY, 40_000_000),
    Budget(Purpose.LONG_ANSWER, BudgetScope.PLAYER, 10, DAY, 500_000),
    Budget(Purpose.ERROR, BudgetScope.PLAYER, 1, DAY, 20_000),
    Budget(Purpose.ERROR, BudgetScope.UNVOUCHED, 500, DAY, 5_000_000),
    Budget(Purpose.ERROR, BudgetScope.ALL, 1000, DAY, 10_000_000),
    Budget(Purpose.CONFIRMATION, BudgetScope.PLAYER, 3, DAY, 60_000),
    Budget(Purpose.CONFIRMATION, BudgetScope.ALL, 500, DAY, 10_000_000),
    Budget(Purpose.RESET, BudgetScope.PLAYER, 3, DAY, 200_000),
    Budget(Purpose.RESET, BudgetScope.ALL, 3000, DAY, 20_000_000),
    Budget(Purpose.WELCOME, BudgetScope.ADDRESS, 1, WEEK),
    Budget(Purpose.WELCOME, BudgetScope.DOMAIN, 10, DAY),
    Budget(Purpose.WELCOME, BudgetScope.NET, 10, DAY),
    Budget(Purpose.WELCOME, BudgetScope.FIRST, 50, DAY),
    Budget(Purpose.WELCOME, BudgetScope.UNVOUCHED, 70, DAY),
    Budget(Purpose.WELCOME, BudgetScope.ALL, 100, DAY, 1_000_000),
    Budget(Purpose.STRANGER, BudgetScope.ADDRESS, 1, DAY),
    Budget(Purpose.STRANGER, BudgetScope.DOMAIN, 10, DAY),
    Budget(Purpose.STRANGER, BudgetScope.NET, 10, DAY),
    Budget(Purpose.STRANGER, BudgetScope.UNVOUCHED, 70, DAY),
    Budget(Purpose.STRANGER, BudgetScope.ALL, 100, DAY, 2_000_000),
    Budget(Purpose.REFUSAL, BudgetScope.PLAYER, 10, DAY),
    Budget(Purpose.DIGEST, BudgetScope.PLAYER, 1, DAY),
    Budget(Purpose.BROADCAST, BudgetScope.PLAYER, 3, DAY),
    Budget(Purpose.OPERATOR, BudgetScope.ADDRESS, 1, DAY),
    Budget(Purpose.COMMAND, BudgetScope.ADDRESS, 60, HOUR),
    Budget(Purpose.COMMAND, BudgetScope.NET, 60, HOUR),
    Budget(Purpose.COMMAND, BudgetScope.PLAYER, 60, HOUR),
    Budget(Purpose.SIGNUP, BudgetScope.NET, 5, DAY),
    Budget(Purpose.SIGNUP, BudgetScope.ALL, 50, DAY),
    Budget(Purpose.NEW_PASSWORD, BudgetScope.ADDRESS, 10, DAY),
    Budget(Purpose.NEW_PASSWORD, BudgetScope.PLAYER, 10, DAY),
    Budget(Purpose.PASSWORD_AT_ONCE, BudgetScope.PLAYER, 20, DAY),
    Budget(Purpose.PASSWORD, BudgetScope.PLAYER, 1, MINUTE),
    Budget(Purpose.PASSWORD, BudgetScope.PLAYER, 100, DAY),
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
    "OR (budget.letters < :most AND budget.bytes + :size <= :max_bytes) RETURNING letters"
)
"""A window that would begin far in the future is none: the clock was wrong when it began."""

GIVE_BACK = sa.text(
    "UPDATE budget SET letters = letters - 1, bytes = bytes - :size "
    "WHERE kind = :kind AND holder = :holder AND period = :period"
)


NOTE_REFUSAL = sa.text(
    "INSERT INTO counter (name, value) VALUES (:name, 1) "
    "ON CONFLICT (name) DO UPDATE SET value = counter.value + 1"
)
ONCE_A_DAY = frozenset({Purpose.DIGEST, Purpose.OPERATOR})
"""What is asked for again and again, and refused but once a day."""


class Requester(NamedTuple):
    """The possible causes of a letter, as far as they are known.

    ``net`` is "" where our mail server does not say; ``is_vouched`` if it vouches for the sender.
    ``asks_again`` if there was no room for the address when it asked a while ago.
    """

    address: str = ""
    player_id: int | None = None
    net: str = ""
    is_vouched: bool = False
    asks_again: bool = False

    def key(self, scope: BudgetScope) -> str | None:
        """Return the name under which the use of a scope is counted, None if it is not counted.

        Those who are vouched for share none with the others, who may have forged the sender.
        """
        rank = "vouched" if self.is_vouched else "again" if self.asks_again else "unvouched"
        mark = " vouched" if self.is_vouched else ""
        keys = {
            BudgetScope.ADDRESS: self.address and f"{self.address.lower()}{mark}",
            BudgetScope.DOMAIN: f"{rank} {domain_of(self.address)}",
            BudgetScope.NET: self.net and not self.is_vouched and f"{rank} {self.net}",
            BudgetScope.PLAYER: self.player_id is not None and f"player {self.player_id}{mark}",
            BudgetScope.FIRST: not (self.is_vouched or self.asks_again) and scope.value,
            BudgetScope.UNVOUCHED: not self.is_vouched and scope.value,
            BudgetScope.ALL: scope.value,
        }
        return keys[scope] or None


def domain_of(address: str) -> str:
    """Return the domain of an address in lower case."""
    return address.rpartition("@")[2].lower()


def budgets_of(kind: Purpose) -> list[Budget]:
    """Return the budgets of a kind, the narrowest first."""
    return [row for row in BUDGETS if row.kind is kind]


def max_letters(kind: Purpose) -> int:
    """Return how many letters of a kind the narrowest of its scopes may have."""
    return budgets_of(kind)[0].letters


class Budgets(Repository):
    """The use of each budget."""

    def allow(self, kind: Purpose, requester: Requester, now: int, size: int = 0) -> bool:
        """Charge a letter of this size to the budgets; return False, charging nothing, if full."""
        used: list[dict[str, int | str]] = []
        # What the wide ones refuse, in a flood of ever new names, leaves no row of the narrow.
        for row in reversed(budgets_of(kind)):
            name = requester.key(row.scope)
            if name is None:
                continue
            same = {"kind": kind.value, "holder": name, "period": row.window, "size": size}
            window = {"now": now, "first": now - row.window + 1, "last": now + row.window}
            most = {"most": row.letters, "max_bytes": row.bytes}
            if size > row.bytes or self._number(TAKE, {**same, **window, **most}) is None:
                for each in used:
                    self._connection.execute(GIVE_BACK, each)
                if kind not in ONCE_A_DAY:
                    self._connection.execute(NOTE_REFUSAL, {"name": f"refused {kind.value}"})
                return False
            used.append(same)
        return True

    def forget(self, now: int) -> None:
        """Delete windows that are over."""
        self._change(budget.delete().where(budget.c.begins_at <= now - budget.c.period))

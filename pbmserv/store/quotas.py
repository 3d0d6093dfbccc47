"""Limits: waits after wrong passwords, answers and commands counted, and reset tokens."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import USERID
from pbmserv.store.connection import Part
from pbmserv.store.tables import player, quota, reset, throttle

FREE_FAILURES = 5
FREE_FAILURES_OF_DOMAIN = 20
FREE_FAILURES_OF_ALL = 200
"""So many wrong passwords cost no wait: for one player, from one domain, on the whole server."""

SHORTEST_WAIT = 60
LONGEST_WAIT = 3600
SHELL = "shell"
"""Stands for the sender where a wrong password came by a shell; no address is so."""

SHORTEST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
MEMORY = 24 * 3600
"""Seconds after which an old failure counts no more."""

HOUR = 3600
DAY = 24 * HOUR
WEEK = 7 * DAY

RESET_LIFE = HOUR

TAKE = sa.text(
    "INSERT INTO quota (kind, holder, begins_at, used) VALUES (:kind, :holder, :begins_at, 1) "
    "ON CONFLICT (kind, holder, begins_at) DO UPDATE SET used = quota.used + 1 "
    "WHERE quota.used < :most RETURNING used"
)

ADD_RESET = sa.text(
    "INSERT INTO reset (player_id, token_hash, created_at, expires_at) "
    "VALUES (:player_id, :hash, :now, :until) ON CONFLICT (token_hash) DO NOTHING"
)

FAIL = sa.text(
    "INSERT INTO throttle (userid_key, sender, failures, failed_at, wait_until) "
    "VALUES (:userid, :sender, 1, :now, :now) "
    "ON CONFLICT (userid_key, sender) DO UPDATE SET failed_at = :now, failures = "
    "CASE WHEN throttle.failed_at > :now - :memory THEN throttle.failures + 1 ELSE 1 END "
    "RETURNING failures"
)


@dataclass(frozen=True)
class Quota:
    """So many in each ``period`` of seconds; ``kind`` names what is counted."""

    kind: str
    most: int
    period: int


class Recipient(NamedTuple):
    """An address that nobody has proven, and what is known of the mail that names it.

    ``net`` is "" where our mail server does not say; ``is_authenticated`` if it vouches for the
    address. ``asks_again`` if there was no room for it when it asked a while ago.
    """

    address: str
    net: str = ""
    is_authenticated: bool = False
    asks_again: bool = False

    @property
    def rank(self) -> str:
        """Which recipients it shares limits with."""
        if self.is_authenticated:
            return "vouched"
        return "again" if self.asks_again else "unvouched"


@dataclass(frozen=True)
class Budget:
    """How many letters of a kind go to addresses that nobody has proven.

    One for each address in ``period`` seconds; a day so many for each domain, for each net, for
    those who ask for the first time, for all whose domain nobody vouches for, and in all. What is
    kept for authenticated domains is the difference of the last two, which no forged mail can use
    up; that of the two before is kept for those who ask again, as a flood of ever new names cannot.
    """

    kind: str
    period: int
    of_domain: int = 10
    of_net: int = 10
    asking_first: int = 70
    unauthenticated: int = 70
    in_all: int = 100

    def quotas(self, recipient: Recipient) -> list[tuple[Quota, str]]:
        """Return all that one letter to the recipient uses, each with its holder."""
        kind, rank = self.kind, recipient.rank
        domain = recipient.address.rpartition("@")[2]
        found = [
            (Quota(f"{kind}-address", 1, self.period), recipient.address),
            (Quota(f"{kind}-domain", self.of_domain, DAY), f"{rank} {domain}"),
            (Quota(f"{kind}-all", self.in_all, DAY), "all"),
        ]
        if not recipient.is_authenticated:
            found.append((Quota(f"{kind}-unvouched", self.unauthenticated, DAY), "all"))
            if not recipient.asks_again:
                found.append((Quota(f"{kind}-first", self.asking_first, DAY), "all"))
            if recipient.net:
                holder = f"{rank} {recipient.net}"
                found.append((Quota(f"{kind}-net", self.of_net, DAY), holder))
        return found


TO_STRANGERS = Budget("stranger", DAY)
TO_BE_PROVEN = Budget("proof", WEEK, asking_first=50)
ASKED_CHALLENGES = Quota("asked-challenges", 3, DAY)
ERROR_ANSWERS = Quota("error-answers", 10, DAY)
UNSIGNED_ERROR_ANSWERS = Quota("unsigned-error-answers", 1, DAY)
LONG_ANSWERS = Quota("long-answers", 10, DAY)
DIGESTS = Quota("digests", 1, DAY)
NEW_PASSWORDS = Quota("new-passwords", 10, DAY)
COMMANDS = Quota("commands", 60, HOUR)
BROADCASTS = Quota("broadcasts", 3, DAY)
RESETS = Quota("resets", 3, DAY)
OPERATOR_LETTERS = Quota("operator-letters", 1, DAY)


def wait_after(failures: int, free: int = FREE_FAILURES) -> int:
    """Return the seconds to wait after so many wrong passwords: from ``free`` on, doubling."""
    if failures < free:
        return 0
    return int(min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** min(failures - free, 10)))


def pause_after(failures: int) -> float:
    """Return the seconds for which a shell holds up a further try, after so many wrong ones.

    Nobody is refused there: whoever can run the program must not lock a player out.
    """
    if failures < FREE_FAILURES:
        return 0
    return float(min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** min(failures - FREE_FAILURES, 10)))


class Throttle(Part):
    """Wrong passwords: by mail of each userid from whatever sender, of each domain, and of all.

    A right password by mail forgets none: else whoever plays by password would let others guess
    on. Those of a shell are counted apart, for nobody there can lock a player out of the mail.
    """

    def wait_until(self, userid: str, sender: str) -> int:
        """Return from when on this sender may try this userid; in the past if they may now."""
        scopes = [sa.and_(*_key(*names)) for names, _ in self._scopes(userid, sender)]
        found = sa.select(sa.func.max(throttle.c.wait_until)).where(sa.or_(*scopes))
        return int(self._connection.execute(found).scalar() or 0)

    def waits(self, userid: str, now: int) -> dict[str, int]:
        """Return the senders who must wait before they try this userid again, and until when."""
        chosen = throttle.c.userid_key == userid.lower(), throttle.c.wait_until > now
        rows = self._connection.execute(sa.select(throttle).where(*chosen))
        return {row.sender: row.wait_until for row in rows}

    def failed(self, userid: str, sender: str, now: int) -> None:
        """Count a wrong password, whether or not there is such a userid."""
        for (name, source), free in self._scopes(userid, sender):
            values = {"userid": name, "sender": source, "now": now, "memory": MEMORY}
            failures = self._connection.execute(FAIL, values).scalar_one()
            until = now + wait_after(failures, free)
            changed = throttle.update().where(*_key(name, source)).values(wait_until=until)
            self._connection.execute(changed)

    def pause(self, userid: str, now: int, *, is_known: bool) -> float:
        """Return the seconds for which a try in a shell is held up, ``is_known`` who is to sign."""
        own = _key(userid.lower() if is_known else _hidden(userid, SHELL), SHELL)
        recent = sa.select(throttle.c.failures).where(*own, throttle.c.failed_at > now - MEMORY)
        return pause_after(int(self._connection.execute(recent).scalar() or 0))

    def failed_in_shell(self, userid: str, now: int) -> None:
        """Count a wrong password that came by a shell, for which no mail waits."""
        values = {"userid": self._name(userid, SHELL), "sender": SHELL, "now": now}
        self._connection.execute(FAIL, {**values, "memory": MEMORY})

    def passed_in_shell(self, userid: str) -> None:
        """Forget the failures in shells: the password was right."""
        own = _key(self._name(userid, SHELL), SHELL)
        self._connection.execute(throttle.delete().where(*own))

    def forget(self, now: int) -> None:
        """Delete failures that count no more."""
        self._connection.execute(throttle.delete().where(throttle.c.failed_at <= now - MEMORY))

    def _scopes(self, userid: str, sender: str) -> tuple[tuple[tuple[str, str], int], ...]:
        """Return what is counted, as userid and sender where "" is any, and what is free of it."""
        domain = sender.rpartition("@")[2].lower()
        return (
            ((self._name(userid, sender), ""), FREE_FAILURES),
            (("", f"@{domain}"), FREE_FAILURES_OF_DOMAIN),
            (("", ""), FREE_FAILURES_OF_ALL),
        )

    def _name(self, userid: str, sender: str) -> str:
        """Return what a userid is stored as: where nobody is called so, it may be a password."""
        key = userid.lower()
        called_so = sa.select(player.c.id).where(player.c.userid_key == key)
        if USERID.fullmatch(userid) and self._connection.execute(called_so).first() is not None:
            return key
        return _hidden(userid, sender)


def _hidden(userid: str, sender: str) -> str:
    words = f"{sender.lower()}\0{userid.lower()}"
    return f"?{hashlib.sha256(words.encode(errors='surrogatepass')).hexdigest()}"


def _key(name: str, source: str) -> tuple[sa.ColumnElement[bool], ...]:
    return throttle.c.userid_key == name, throttle.c.sender == source


class Quotas(Part):
    """What was used up of each quota, by whom."""

    def take(self, kind: Quota, holder: str, now: int) -> bool:
        """Use one up; tell whether it was still there to be used."""
        values = {
            "kind": kind.kind,
            "holder": holder.lower(),
            "begins_at": now - now % kind.period,
            "most": kind.most,
        }
        return self._connection.execute(TAKE, values).first() is not None

    def spend(self, budget: Budget, recipient: Recipient, now: int) -> bool:
        """Use one letter of a budget up; tell whether it was still there. If not, none is used."""
        wanted = budget.quotas(recipient)
        if any(self._used(kind, holder, now) >= kind.most for kind, holder in wanted):
            return False
        return all(self.take(kind, holder, now) for kind, holder in wanted)

    def forget(self, now: int) -> None:
        """Delete counts of weeks gone by."""
        self._connection.execute(quota.delete().where(quota.c.begins_at <= now - 2 * WEEK))

    def _used(self, kind: Quota, holder: str, now: int) -> int:
        used = sa.select(quota.c.used).where(
            quota.c.kind == kind.kind,
            quota.c.holder == holder.lower(),
            quota.c.begins_at == now - now % kind.period,
        )
        return int(self._connection.execute(used).scalar() or 0)


class Resets(Part):
    """Tokens for those who forgot their password: each good once, kept as a hash only."""

    def add(self, player_id: int, token: str, now: int) -> None:
        """Store a token; one that is there already keeps its time."""
        values = {"player_id": player_id, "hash": _hash(token), "now": now}
        self._connection.execute(ADD_RESET, {**values, "until": now + RESET_LIFE})

    def use(self, player_id: int, token: str, now: int) -> bool:
        """Use the player's tokens up; tell whether this was one of them, unused and in time."""
        used = self._connection.execute(
            reset.update()
            .where(reset.c.player_id == player_id, reset.c.token_hash == _hash(token))
            .where(reset.c.used_at.is_(None), reset.c.expires_at > now)
            .values(used_at=now)
        )
        if used.rowcount != 1:
            return False
        unused = reset.update().where(reset.c.player_id == player_id, reset.c.used_at.is_(None))
        self._connection.execute(unused.values(used_at=now))
        return True

    def cancel(self, player_id: int) -> None:
        """Let no token of this player be good any more."""
        self._connection.execute(reset.delete().where(reset.c.player_id == player_id))


def _hash(token: str) -> str:
    """Return the digest kept of a token, which is long and random: no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()

"""Wrong passwords and the waits after them, and tokens for those who forgot theirs."""

import hashlib
from typing import NamedTuple

import sqlalchemy as sa

from pbmserv.club.player import USERID
from pbmserv.engine.moments import DAY, HOUR, MINUTE, WEEK
from pbmserv.store.connection import Repository
from pbmserv.store.tables import budget, player, reset, throttle, upsert

# Waits double with each further wrong password: by mail from a minute to an hour (5 free ones for
# a userid, 20 for a domain, 200 in all, the longest of the three waits counts), in a shell from
# 0.25 to 8 seconds. On the web it is as by mail, but 5 are free for a userid from one network, 20
# for a network and 2000 in all, after which nobody waits longer than a minute: guesses from
# elsewhere keep no player out. Only in a shell a right password resets the count: else a player who
# writes daily would reset it for whoever guesses. A userid that nobody has may be a password typed
# in its place: it is counted under its hash.

FREE_FAILURES = 5
FREE_FAILURES_OF_DOMAIN = 20
FREE_FAILURES_OF_ALL = 200
"""Wrong passwords without a wait: for one player, from one domain, on the whole server."""

FREE_FAILURES_OF_WEB = 2000
"""The same on the web, from all networks; those of one have as many as a domain."""

MIN_WAIT = MINUTE
MAX_WAIT = HOUR
SHELL = "shell"
"""Stands for the sender where a wrong password came by a shell; no address is so."""

WEB = "web"
"""Stands for all networks from which wrong passwords came by the web; no address is so."""

MIN_PAUSE = 0.25
MAX_PAUSE = 8.0
MEMORY = DAY
"""Seconds after which an old failure counts no more."""

MAIL_PATIENCE = 3 * DAY
"""Seconds for which a mail waits to be looked at; mail servers give up after five days."""

RESET_LIFE = HOUR

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


def wait_after(failures: int, free: int = FREE_FAILURES, max_wait: int = MAX_WAIT) -> int:
    """Return the seconds to wait after so many wrong passwords: from ``free`` on, doubling."""
    return int(min(max_wait, MIN_WAIT * 2 ** min(failures - free, 10))) if failures >= free else 0


def pause_after(failures: int) -> float:
    """Return the seconds by which a shell delays a try after so many wrong passwords.

    Nobody is refused there: who can run the program must not lock a player out.
    """
    exponent = min(failures - FREE_FAILURES, 10)
    return min(MAX_PAUSE, MIN_PAUSE * 2.0**exponent) if exponent >= 0 else 0.0


def web_sender(net: str, key_id: int | None = None) -> str:
    """Return the sender of a password by the web: a network, or the holder of a sign-in key."""
    return f"{WEB} {net}" if key_id is None else f"{WEB} key {key_id}"


class GuessScope(NamedTuple):
    """Wrong passwords that are counted together; "" is any userid, or any sender of a mail."""

    userid: str
    sender: str
    free: int
    max_wait: int = MAX_WAIT


class Throttle(Repository):
    """Wrong passwords: by mail by userid, by domain and in all; those of the web and of shells.

    A sender is an address, or what :func:`web_sender` makes.
    """

    def wait_until(self, userid: str, sender: str) -> int:
        """Return from when on this sender may try this userid; in the past if they may now."""
        return self._last_wait(userid, sender)

    def seconds_to_wait(self, userid: str, sender: str, now: int) -> int:
        """Return for how long this sender may not try this userid, 0 if they may now.

        A wait that would be longer than any is none: the clock was wrong when it began.
        """
        bound = throttle.c.wait_until <= now + MAX_WAIT
        return max(0, self._last_wait(userid, sender, bound) - now)

    def _last_wait(self, userid: str, sender: str, *bounds: sa.ColumnElement[bool]) -> int:
        scopes = self._scopes(userid, sender)
        keys = sa.or_(*(sa.and_(*_key(scope.userid, scope.sender)) for scope in scopes))
        found = sa.select(sa.func.max(throttle.c.wait_until)).where(keys, *bounds)
        return self._number(found) or 0

    def waits(self, userid: str, now: int) -> dict[str, int]:
        """Return the senders who must wait before they try this userid again, and until when."""
        chosen = throttle.c.userid_key == userid.lower(), throttle.c.wait_until > now
        rows = self._connection.execute(sa.select(throttle).where(*chosen))
        return {row.sender: row.wait_until for row in rows}

    def failed(self, userid: str, sender: str, now: int) -> None:
        """Count a wrong password, whether or not there is such a userid."""
        for name, source, free, max_wait in self._scopes(userid, sender):
            values = {"userid": name, "sender": source, "now": now, "memory": MEMORY}
            failures = self._connection.execute(FAIL, values).scalar_one()
            until = now + wait_after(failures, free, max_wait)
            self._change(throttle.update().where(*_key(name, source)).values(wait_until=until))

    def pause(self, userid: str, now: int, *, is_known: bool) -> float:
        """Return the seconds for which a try in a shell is held up, ``is_known`` who is to sign."""
        own = _key(userid.lower() if is_known else _hidden(userid, SHELL), SHELL)
        recent = sa.select(throttle.c.failures).where(*own, throttle.c.failed_at > now - MEMORY)
        return pause_after(self._number(recent) or 0)

    def failed_in_shell(self, userid: str, now: int) -> None:
        """Count a wrong password that came by a shell, for which no mail waits."""
        values = {"userid": self._name(userid, SHELL), "sender": SHELL, "now": now}
        self._connection.execute(FAIL, {**values, "memory": MEMORY})

    def passed_in_shell(self, userid: str) -> None:
        """Forget the failures in shells: the password was right."""
        self._change(throttle.delete().where(*_key(self._name(userid, SHELL), SHELL)))

    def forget(self, now: int) -> None:
        """Delete failures that count no more."""
        self._change(throttle.delete().where(throttle.c.failed_at <= now - MEMORY))

    def _scopes(self, userid: str, sender: str) -> tuple[GuessScope, ...]:
        """Return where the wrong passwords of a sender are counted."""
        name, (kind, _, net) = self._name(userid, sender), sender.partition(" ")
        if kind == WEB:
            own = GuessScope(name, sender, FREE_FAILURES)
            of_net = GuessScope("", sender, FREE_FAILURES_OF_DOMAIN)
            of_all = GuessScope("", WEB, FREE_FAILURES_OF_WEB, MIN_WAIT)
            # Whoever is signed in waits for their own slips only.
            return (own,) if net.startswith("key ") else (own, of_net, of_all)
        domain = sender.rpartition("@")[2].lower()
        return (
            GuessScope(name, "", FREE_FAILURES),
            GuessScope("", f"@{domain}", FREE_FAILURES_OF_DOMAIN),
            GuessScope("", "", FREE_FAILURES_OF_ALL),
        )

    def _name(self, userid: str, sender: str) -> str:
        """Return what a userid is stored as: where nobody is called so, it may be a password."""
        key = userid.lower()
        called_so = sa.select(player.c.id).where(player.c.userid_key == key)
        is_called_so = USERID.fullmatch(userid) and self._has(called_so)
        return key if is_called_so else _hidden(userid, sender)


def _hidden(userid: str, sender: str) -> str:
    words = f"{sender.lower()}\0{userid.lower()}"
    return f"?{hashlib.sha256(words.encode(errors='surrogatepass')).hexdigest()}"


def _key(name: str, source: str) -> tuple[sa.ColumnElement[bool], ...]:
    return throttle.c.userid_key == name, throttle.c.sender == source


class WaitingMails(Repository):
    """The mails whose passwords wait for their turn, each a row in the table of budgets."""

    def add(self, player_id: int, key: str, now: int) -> None:
        """Note since when a mail waits, unless that is noted."""
        self._connection.execute(upsert(budget), {**_mail(player_id, key), "begins_at": now})

    def since(self, player_id: int, key: str) -> int | None:
        """Return since when a mail waits, None if it does not."""
        same = (budget.c[name] == value for name, value in _mail(player_id, key).items())
        return self._number(sa.select(budget.c.begins_at).where(*same))


def _mail(player_id: int, key: str) -> dict[str, object]:
    """Return the row of a mail that waits but for its time; one for each, however it is called."""
    digest = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
    row = {"kind": "waiting", "holder": f"player {player_id} {digest}", "period": 2 * WEEK}
    return {**row, "letters": 0, "bytes": 0}


class Resets(Repository):
    """Tokens for those who forgot their password: each good once, kept as a hash only."""

    def add(self, player_id: int, token: str, now: int) -> None:
        """Store a token; one that is there already keeps its time."""
        values = {"player_id": player_id, "hash": _hash(token), "now": now}
        self._connection.execute(ADD_RESET, {**values, "until": now + RESET_LIFE})

    def is_good(self, player_id: int, token: str, now: int) -> bool:
        """Tell whether a token is one of the player's, unused and in time."""
        return self._has(reset.select().where(*_good(player_id, token, now)))

    def use(self, player_id: int, token: str, now: int) -> bool:
        """Use the player's tokens up; tell whether this was one of them, unused and in time."""
        good = reset.update().where(*_good(player_id, token, now))
        if self._change(good.values(used_at=now)) != 1:
            return False
        unused = reset.update().where(reset.c.player_id == player_id, reset.c.used_at.is_(None))
        self._change(unused.values(used_at=now))
        return True

    def cancel(self, player_id: int) -> None:
        """Let no token of this player be good any more."""
        self._change(reset.delete().where(reset.c.player_id == player_id))


def _good(player_id: int, token: str, now: int) -> tuple[sa.ColumnElement[bool], ...]:
    is_theirs = reset.c.player_id == player_id
    is_unused = reset.c.used_at.is_(None)
    return is_theirs, reset.c.token_hash == _hash(token), is_unused, reset.c.expires_at > now


def _hash(token: str) -> str:
    # It is long and random: no salt is needed.
    return hashlib.sha256(token.encode()).hexdigest()

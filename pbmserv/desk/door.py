"""The door: one function through which every command goes, in one transaction.

The words are parsed before a database is touched, the password is checked before the write lock
is taken, and inside the transaction the stored hash is compared once more; a password that this
process has checked before is only compared. A refusal rolls back
to a savepoint, so that all it leaves behind is its line in the audit. Letters about what was done
are posted in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Call, Family, parse
from pbmserv.desk.identity import (
    Unremembered,
    board_identity,
    confirm,
    may_be_remembered,
    recall,
    sign_in,
    values_of,
)
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.request import Request
from pbmserv.desk.world import World
from pbmserv.errors import Fault, Refused
from pbmserv.services.record_keeping import finish
from pbmserv.services.session import Source, WriteSession

if TYPE_CHECKING:
    from pbmserv.club.clock import ClockEvent
    from pbmserv.club.player import Player
    from pbmserv.store.store import Records, Store

TRIES = 4
"""How often a transaction that met another one is tried before the sender is told to wait."""

PAUSE = 0.05
"""Seconds that are waited at most before a second try, and so many more before each further one."""

T = TypeVar("T")


def usual_days() -> int:
    """Return how many days of vacation a player has in a year where nothing else is set."""
    from pbmserv.club.vacation import DAYS_A_YEAR

    return DAYS_A_YEAR


@dataclass
class Desk:
    """Takes requests, in any order and number, and answers each by itself.

    ``open_store`` is called once, when a request first needs the database. ``writes_letters`` tells
    whether mail is set up: players are then told by letter what happens at their boards.
    ``vacation_days`` is asked for only when it matters.
    """

    open_store: Callable[[], Store]
    world: World = field(default_factory=World)
    tree: Family = field(default_factory=root)
    passwords: Passwords = field(default_factory=Passwords)
    writes_letters: Callable[[], bool] = bool
    vacation_days: Callable[[], int] = usual_days
    _store: Store | None = None

    @property
    def store(self) -> Store:
        """The database, opened when it is first needed."""
        if self._store is None:
            self._store = self.open_store()
        return self._store

    def close(self) -> None:
        """Let the database go."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def handle(self, request: Request) -> Answer:
        """Do what the request says and return the answer.

        Raises :class:`Refused` when nothing was changed for a reason the sender can mend, and
        :class:`Fault` when the failure is ours.
        """
        return self.perform(request, self.understand(request))

    def understand(self, request: Request) -> Call:
        """Return what the words mean, touching no database; raises :class:`Misunderstood`."""
        return parse(self.tree, request.words, request.ask_password)

    def first_words(self) -> frozenset[str]:
        """Return every word with which a command begins, in lower case."""
        from pbmserv.engine.games import find_game, game_names

        aliases = [alias for name in game_names() for alias in find_game(name).aliases]
        return frozenset((*self.tree.known_words(), *aliases, "multiple"))

    def perform(self, request: Request, call: Call) -> Answer:
        """Do what was understood; raises as :meth:`handle` does."""
        if call.access is Access.NOTHING:
            return call.run(None, call.values)
        return retried(lambda: self._perform_once(request, call))

    def session(self, request: Request, records: Records, player: Player | None) -> WriteSession:
        """Return what a command may use while it runs, of which one that looks sees a part."""
        return WriteSession(
            request.source,
            self.world.now(),
            records,
            self.vacation_days,
            player,
            sender=request.sender,
            read_body=request.body,
            writes_letters=self.writes_letters,
        )

    def settle(self, records: Records, call: Call, player: Player | None) -> None:
        """Do what the clock of the match that the call would change has due, before all else."""
        if call.access is Access.CHANGE and call.verb.game is not None and call.number is not None:
            self.settle_match(records, (call.verb.game.name, call.number), player)

    def settle_match(
        self, records: Records, match: tuple[str, int], toucher: Player | None = None
    ) -> tuple[ClockEvent, ...]:
        """Do what the clock of this match has due by now, with its audit and its letters.

        ``toucher`` is about to change the match.
        """
        due_at = records.clocks.due_at(*match)
        if due_at is None or due_at > self.world.now():
            return ()
        # What this needs is much, and only seldom needed.
        from pbmserv.services.clock_settlement import settle_due

        session = self.session(Request((), Source.CLOCK), records, None)
        return settle_due(session, *match, toucher)

    def record_refusal(
        self,
        records: Records,
        request: Request,
        call: Call | None,
        player: Player | None,
        error: Refused,
    ) -> None:
        """Enter what was refused in the audit: by its code, never by its words."""
        records.audit.add(
            at=self.world.now(),
            source=request.source.value,
            player_id=player.id if player else None,
            match_id=board_identity(records, call) if call else None,
            verb=(call.verb.name or "") if call else "",
            detail="",
            outcome=error.code,
        )

    def _perform_once(self, request: Request, call: Call) -> Answer:
        if call.access is Access.CHANGE and may_be_remembered(self.passwords, call):
            with suppress(Unremembered):
                return self._change(
                    request, call, lambda records: recall(records, self.passwords, call)
                )
        try:
            player = sign_in(self.store, self.passwords, call)
        except Refused as error:
            with self.store.writing() as records:
                self.record_refusal(records, request, call, None, error)
            raise
        if call.access is Access.LOOK:
            with self.store.reading() as records:
                session = self.session(request, records, player)
                return call.run(session, values_of(call, self.passwords))
        return self._change(request, call, lambda records: confirm(records, player))

    def _change(
        self, request: Request, call: Call, sign: Callable[[Records], Player | None]
    ) -> Answer:
        """Run the call in a transaction for whom ``sign`` finds there to have signed it."""
        values = values_of(call, self.passwords)
        player: Player | None = None
        with self.store.writing() as records:
            try:
                player = sign(records)
                self.settle(records, call, player)
                with records.savepoint():
                    session = self.session(request, records, player)
                    answer = call.run(session, values)
                    finish(session)
                    return answer
            except Refused as error:
                refusal = error
                self.record_refusal(records, request, call, player, error)
        raise refusal


def retried(transaction: Callable[[], T]) -> T:
    """Return what ``transaction`` returns, trying again when it met another one.

    A pause of random length comes between, lest the two meet again.
    """
    for attempt in range(1, TRIES + 1):
        try:
            return transaction()
        except Fault as fault:
            if not fault.is_transient or attempt == TRIES:
                raise
            pause(attempt)
    raise AssertionError("the last try returns or raises")


def pause(attempt: int) -> None:
    """Wait for a random time that may be the longer the more tries have failed."""
    import random
    import time

    time.sleep(random.uniform(0, attempt * PAUSE))  # noqa: S311 - no secret

"""The outbox: letters that leave after their commit, each until it is out or given up."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import sqlalchemy as sa

from pbmserv.club.letter import Letter, LetterKind, format_layout, merge_letters, parse_layout
from pbmserv.engine.moments import HOUR, MINUTE
from pbmserv.errors import PbmservError
from pbmserv.store.connection import Repository
from pbmserv.store.tables import IS_RUNNING, match, outbox, player

# A letter is claimed by setting its due_at to the end of a lease, in a short transaction; it is
# sent with none open, and marked in another. A sender that dies so loses nothing, but its letter
# may be sent twice, with the same Message-ID. A claim is known by its number of tries: who comes
# back after the lease marks nothing. After a failure a letter waits 5, 10, 20, 40, 80, 160
# minutes, then 4 hours at a time, for five days in all, as RFC 5321 (section 4.5.4.1) asks of
# mail servers.

HOLD = 5
"""Seconds for which a letter waits that a robot may have something to add to."""

LEASE = 15 * MINUTE
"""Seconds for sending a claimed letter; after them its sender is taken for dead."""

FIRST_WAIT = 5 * MINUTE
MAX_WAIT = 4 * HOUR
PATIENCE = 5 * 24 * HOUR
"""Seconds between the first and the next try, at most between two, and until none is made."""

MAX_ERROR = 200
TOLD = (LetterKind.BOARD.value, LetterKind.WATCHED.value)
OF_BOARD = (*TOLD, LetterKind.REMINDER.value, LetterKind.CHAT.value)
"""The kinds of letters that tell of moves, and of those that tell whose turn it is."""

BOARD = (match.c.first_id, match.c.second_id, match.c.game, match.c.number, match.c.status)
MAX_THREAD = 5
"""Letters before it that a letter names; mail programs need one to find the thread."""


class LetterState(Enum):
    """The states of a letter; the values are stored."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


IS_WAITING = outbox.c.state == LetterState.WAITING.value
newer = outbox.alias("newer")
"""A letter of a board that goes in the place of another: the newest, but first one with a board."""

READER = (
    *(outbox.c[name] == newer.c[name] for name in ("match_id", "address_key", "player_id")),
    *(rows.c.kind.in_(OF_BOARD) for rows in (outbox, newer)),
    sa.tuple_(newer.c.revision, newer.c.kind != LetterKind.CHAT.value, newer.c.id)
    > sa.tuple_(outbox.c.revision, outbox.c.kind != LetterKind.CHAT.value, outbox.c.id),
)
MAX_OVERTAKEN = 100
"""Letters in whose place one goes: a mail with what was said in more would be too large."""

IS_LAST = ~sa.exists().where(newer.c.state == LetterState.WAITING.value, *READER)
OLDER = (
    sa.select(outbox)
    .where(IS_WAITING, newer.c.id == sa.bindparam("newer_id"), *READER)
    .order_by(outbox.c.id.desc())
    .limit(MAX_OVERTAKEN)
    .with_for_update(of=outbox, skip_locked=True)
)


@dataclass(frozen=True)
class OutboxItem:
    """A letter that was claimed: its number in the outbox, and how often it was tried so far.

    ``thread`` are the last letters about its board that were sent to its address, oldest first,
    each by its number and when it was posted; ``others`` the players there but for its reader, and
    ``board`` is its game and number, ``hex/101``, "" for none.
    """

    id: int
    letter: Letter
    created_at: int
    due_at: int
    tries: int
    thread: tuple[tuple[int, int], ...] = ()
    others: tuple[str, ...] = ()
    board: str = ""


@dataclass(frozen=True)
class OutboxEntry:
    """A letter in one line: where it goes and how sending it went, without its words."""

    id: int
    kind: str
    address: str
    subject: str
    state: str
    created_at: int
    due_at: int
    tries: int
    last_error: str


ENTRIES = sa.select(*(outbox.c[name] for name in OutboxEntry.__dataclass_fields__))


def next_wait(tries: int) -> int:
    """Return the seconds until the next try after so many failed ones: 5 minutes, doubling."""
    return int(min(MAX_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10)))


def is_patience_over(tries: int, age: int) -> bool:
    """Tell whether a letter is given up after so many failed tries, so many seconds old.

    The waits between the tries count, not its age alone: while nobody sent it only
    waited. Its age counts too: tries that an operator asked for may have come without any wait.
    """
    return min(age, sum(map(next_wait, range(1, tries)))) >= PATIENCE


class Outbox(Repository):
    """The letters posted, until they are sent, given up or dropped.

    ``posted`` and ``taken_back`` are the numbers of those that were in this transaction, ``ended``
    of those that will not leave, each with the reason.
    """

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection)
        self.posted: list[int] = []
        self.taken_back: set[int] = set()
        self.ended: list[tuple[int, str]] = []

    def post(self, letters: Sequence[Letter], now: int, *, held: Collection[int] = ()) -> None:
        """Add letters; they leave when this transaction is committed, and only then.

        What they tell of the moves at the matches ``held`` waits a little, to be taken back.
        """
        rows = [_values(letter, now) for letter in letters]
        for row in rows:
            if row["kind"] in TOLD and row["match_id"] in held:
                row["due_at"] = now + HOLD
        if rows:
            added = outbox.insert().returning(outbox.c.id, sort_by_parameter_order=True)
            self.posted += self._connection.execute(added, rows).scalars()

    def take_back(self, match_id: int, now: int) -> list[Letter]:
        """Delete the letters of a match that are held, and return them."""
        of_moves = outbox.c.match_id == match_id, outbox.c.kind.in_(TOLD)
        is_held = outbox.c.tries == 0, outbox.c.due_at > now
        gone = outbox.delete().where(*of_moves, IS_WAITING, *is_held).returning(*outbox.c)
        rows = self._connection.execute(gone).all()
        self.taken_back |= {row.id for row in rows}
        found = [_posted(row) for row in sorted(rows, key=lambda row: row.id)]
        return [posted.letter for posted in found if posted is not None]

    def has_due(self, now: int) -> bool:
        """Tell whether a letter is due, for those who would not write for nothing."""
        due = sa.select(outbox.c.id).where(IS_WAITING, outbox.c.due_at <= now, IS_LAST)
        return self._has(due.limit(1))

    def claim(self, now: int, *, limit: int = 1) -> list[OutboxItem]:
        """Return letters that are due, for the caller alone until the lease is over.

        Several senders may claim at once: none waits for another, none gets what another has. Of
        what waits for the same reader of a board one letter goes, with what the others said.
        """
        due = (
            sa.select(outbox.c.id)
            .where(IS_WAITING, outbox.c.due_at <= now, IS_LAST)
            .order_by(outbox.c.due_at, outbox.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite, whose writers are alone, leaves it out
        )
        while numbers := self._column(due):
            claimed = outbox.update().where(outbox.c.id.in_(numbers))
            tried = {"due_at": now + LEASE, "tries": outbox.c.tries + 1, "last_error": ""}
            self._change(claimed.values(tried))
            rows = sa.select(outbox).where(outbox.c.id.in_(numbers)).order_by(outbox.c.id)
            found = [self._as_it_leaves(row, now) for row in self._connection.execute(rows).all()]
            if readable := [self._threaded(posted) for posted in found if posted is not None]:
                return readable
        return []

    def sent(self, posted: OutboxItem, now: int) -> None:
        """Note that the letter is out."""
        self._end(posted, LetterState.SENT, now, "")

    def failed(self, posted: OutboxItem, now: int, error: str) -> bool:
        """Note why sending failed, if the lease still holds; tell whether it is given up."""
        error = error[:MAX_ERROR]
        if is_patience_over(posted.tries, now - posted.created_at):
            return self._end(posted, LetterState.FAILED, now, error)
        self._change(
            outbox.update()
            .where(outbox.c.id == posted.id, outbox.c.tries == posted.tries)
            .where(IS_WAITING)
            .values(due_at=now + next_wait(posted.tries), last_error=error)
        )
        return False

    def retry(self, number: int, now: int) -> bool:
        """Have a letter tried at once that waits or was given up; tell whether there is one."""
        retried = (
            outbox.update()
            .where(outbox.c.id == number)
            .where(outbox.c.state.in_((LetterState.WAITING.value, LetterState.FAILED.value)))
            .where(outbox.c.lead != "")  # the words of some are forgotten with their end
            .values(state=LetterState.WAITING.value, due_at=now, ended_at=None)
        )
        return self._change(retried) == 1

    def drop(self, number: int, now: int) -> bool:
        """Have a letter never sent; tell whether it was still waiting."""
        return self._drop(outbox.c.id == number, now) == 1

    def drop_all(self, address: str, now: int) -> int:
        """Have nothing that waits sent to this address; return how many letters that were."""
        return self._drop(outbox.c.address_key == address.lower(), now)

    def counts(self) -> dict[LetterState, int]:
        """Return how many letters there are of each state."""
        rows = sa.select(outbox.c.state, sa.func.count()).group_by(outbox.c.state)
        found = {LetterState(state): count for state, count in self._connection.execute(rows)}
        return {state: found.get(state, 0) for state in LetterState}

    def entry(self, number: int) -> OutboxEntry | None:
        """Return the line of one letter, if there is one with this number."""
        row = self._connection.execute(ENTRIES.where(outbox.c.id == number)).first()
        return None if row is None else OutboxEntry(*row)

    def waiting_since(self) -> int | None:
        """Return when the oldest letter that still waits was posted."""
        return self._number(sa.select(sa.func.min(outbox.c.created_at)).where(IS_WAITING))

    def forget(self, before: int) -> int:
        """Delete letters whose story ended before this moment; return how many that were."""
        return self._change(outbox.delete().where(outbox.c.ended_at < before))

    def _as_it_leaves(self, row: sa.Row[Any], now: int) -> OutboxItem | None:
        """Return a letter with what is to be told of those that it overtakes, which end.

        Nothing else may wait behind one that nobody can read, and none leaves that is not true.
        """
        posted = _posted(row)
        if posted is None:
            self._finish([row.id], LetterState.FAILED, now, "The stored mail cannot be read.")
            return None
        letter = posted.letter
        if row.kind not in OF_BOARD or letter.revision is None:
            return posted
        # What another sender has at the moment goes by itself.
        is_free = sa.or_(outbox.c.tries == 0, outbox.c.due_at <= now, outbox.c.last_error != "")
        rows = self._connection.execute(OLDER.where(is_free), {"newer_id": row.id}).all()
        letters = {each.id: each.letter for each in map(_posted, rows) if each is not None}
        self._finish(letters, LetterState.DROPPED, now, f"Replaced by mail {row.id}.")
        stands = sa.select(match.c.ply, match.c.revision, IS_RUNNING.label("runs"))
        board = self._connection.execute(stands.where(match.c.id == letter.match_id)).one()
        is_true = letter.revision >= board.revision
        if not is_true and (diagram := letter.diagram):  # that a move was submitted changes nothing
            told = diagram.position.ply, not diagram.shows_owners
            is_true = told == (board.ply, bool(board.runs))
        if is_true and not letters and now - row.created_at < HOUR:
            return posted
        letters[row.id] = letter
        in_order = [each for _, each in sorted(letters.items())]
        left = merge_letters(letter, in_order, now, is_true=is_true)
        if left is None:
            self._finish([row.id], LetterState.DROPPED, now, "It is out of date.")
            return None
        changed = {name: _values(left, now)[name] for name in ("lead", "diagram", "tail")}
        self._change(outbox.update().where(outbox.c.id == row.id).values(changed))
        return replace(posted, letter=left)

    def _finish(self, numbers: Collection[int], state: LetterState, now: int, why: str) -> None:
        self.ended += ((number, why) for number in numbers)
        values = {"state": state.value, "ended_at": now, "last_error": why}
        self._change(outbox.update().where(outbox.c.id.in_(numbers)).values(values))

    def _threaded(self, posted: OutboxItem) -> OutboxItem:
        letter = posted.letter
        if letter.match_id is None:
            return posted
        before = (
            sa.select(outbox.c.id, outbox.c.created_at)
            .where(outbox.c.match_id == letter.match_id)
            .where(outbox.c.address_key == letter.address.lower())
            .where(outbox.c.state == LetterState.SENT.value, outbox.c.id < posted.id)
            .order_by(outbox.c.id.desc())
            .limit(MAX_THREAD)
        )
        rows = [(row.id, row.created_at) for row in self._connection.execute(before)]
        others, board = self._others_and_board(letter)
        return replace(posted, thread=tuple(reversed(rows)), others=others, board=board)

    def _others_and_board(self, letter: Letter) -> tuple[tuple[str, ...], str]:
        """Return who plays at the board of a letter but for its reader, and the board's path."""
        own = sa.select(*BOARD).where(match.c.id == letter.match_id)
        row = self._connection.execute(own).one()
        ids = [number for number in (row.first_id, row.second_id) if number != letter.player_id]
        names = sa.select(player.c.id, player.c.userid).where(player.c.id.in_(ids))
        found = {row.id: row.userid for row in self._connection.execute(names)}
        board = "" if row.status == "removed" else f"{row.game}/{row.number}"
        return tuple(found[number] for number in ids), board

    def _end(self, posted: OutboxItem, state: LetterState, now: int, error: str) -> bool:
        values: dict[str, Any] = {"state": state.value, "ended_at": now, "last_error": error}
        if posted.letter.kind is LetterKind.RESET:
            values |= {"lead": "", "tail": ""}
        own = outbox.update().where(outbox.c.id == posted.id, IS_WAITING)
        return self._change(own.values(**values)) == 1

    def _drop(self, which: sa.ColumnElement[bool], now: int) -> int:
        secret = outbox.c.kind == LetterKind.RESET.value
        values = {
            "state": LetterState.DROPPED.value,
            "ended_at": now,
            "lead": sa.case((secret, ""), else_=outbox.c.lead),
            "tail": sa.case((secret, ""), else_=outbox.c.tail),
        }
        return self._change(outbox.update().where(which, IS_WAITING).values(**values))


def _values(letter: Letter, now: int) -> dict[str, Any]:
    return {
        "kind": letter.kind.value,
        "address": letter.address,
        "address_key": letter.address.lower(),
        "player_id": letter.player_id,
        "match_id": letter.match_id,
        "revision": letter.revision,
        "subject": letter.subject,
        "lead": letter.lead,
        "diagram": format_layout(letter),
        "tail": letter.tail,
        "is_answer": int(letter.is_answer),
        "in_reply_to": letter.in_reply_to,
        "created_at": now,
        "state": LetterState.WAITING.value,
        "due_at": now,
        "tries": 0,
        "last_error": "",
    }


def _posted(row: sa.Row[Any]) -> OutboxItem | None:
    """Return the letter of a row, or None if no letter can be like that."""
    try:
        diagram, lengths = parse_layout(row.diagram or "")
        letter = Letter(
            LetterKind(row.kind),
            row.address,
            row.subject,
            row.lead,
            row.tail,
            diagram=diagram,
            player_id=row.player_id,
            match_id=row.match_id,
            revision=row.revision,
            is_answer=bool(row.is_answer),
            in_reply_to=row.in_reply_to,
            lengths=lengths,
        )
    except (ValueError, LookupError, PbmservError):
        return None
    return OutboxItem(row.id, letter, row.created_at, row.due_at, row.tries)

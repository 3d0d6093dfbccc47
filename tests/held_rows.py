"""Whoever changes what others may change at the same moment has locked it before they read it.

On SQLite a writing transaction is alone: a lock that was forgotten shows on PostgreSQL, and there
only when two meet. So every change that the server of a test makes is held to it.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from pbmserv.store.connection import MODE_KEY, Mode
from pbmserv.store.matches.clocks import Absences
from pbmserv.store.matches.matches import Matches
from pbmserv.store.matches.tournaments import Tournaments
from pbmserv.store.people.ratings import Ratings
from pbmserv.store.people.seeks import AvailabilityAndSeeks

Rows = set[int]
"""What is locked, or new, of what a part of the records keeps."""


def watch(patch: pytest.MonkeyPatch) -> None:
    """Have every change fail of a match, vacation, rating or tournament that is not locked."""
    held: WeakKeyDictionary[object, Rows] = WeakKeyDictionary()

    def wrap(part: type, name: str, around: Callable[..., Any]) -> None:
        method = getattr(part, name)

        @wraps(method)
        def wrapped(self: Any, *args: Any, **options: Any) -> Any:
            return around(held.setdefault(self, set()), method, self, *args, **options)

        patch.setattr(part, name, wrapped)

    wrap(Matches, "add", _found)
    wrap(Matches, "_load_locked", _found)
    wrap(Matches, "save", _changed)
    wrap(Tournaments, "find", _found_if_locked)
    wrap(Tournaments, "save", _changed)
    wrap(Absences, "of", _of_players_if_locked)
    wrap(Absences, "save", _of_player)
    wrap(Ratings, "lock", _of_players)
    wrap(Ratings, "save", _of_player)
    wrap(AvailabilityAndSeeks, "lock", _of_players)
    wrap(AvailabilityAndSeeks, "running_boards", _counted)


def _found(rows: Rows, method: Any, *args: Any, **options: Any) -> Any:
    found = method(*args, **options)
    rows.update([found.id] if found else [])
    return found


def _found_if_locked(rows: Rows, method: Any, self: Any, number: int, *, lock: bool = False) -> Any:
    return _found(rows if lock else set(), method, self, number, lock=lock)


def _changed(rows: Rows, method: Any, self: Any, before: Any, *args: Any) -> Any:
    assert before.id in rows, f"{before} is changed and not locked"
    return method(self, before, *args)


def _of_players(rows: Rows, method: Any, self: Any, ids: Iterable[int], *args: Any) -> Any:
    wanted = [*ids]
    rows.update(wanted)
    return method(self, wanted, *args)


def _of_players_if_locked(
    rows: Rows, method: Any, self: Any, ids: Iterable[int], *args: Any, lock: bool = False
) -> Any:
    wanted = [*ids]
    rows.update(wanted if lock else [])
    return method(self, wanted, *args, lock=lock)


def _of_player(rows: Rows, method: Any, self: Any, player_id: int, *args: Any) -> Any:
    assert player_id in rows, f"{type(self).__name__} of player {player_id}: not locked"
    return method(self, player_id, *args)


def _counted(rows: Rows, method: Any, self: Any, player_id: int, game: str, **away: int) -> Any:
    """Let boards be counted where none is begun, or where nobody else can begin one."""
    assert self._connection.info.get(MODE_KEY) is not Mode.WRITE or player_id in rows
    return method(self, player_id, game, **away)

"""A server for tests: the real door and a real database, with clock and passwords in hand."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pbmserv.club.match import Match
from pbmserv.commands.answer import Answer
from pbmserv.commands.words import split_line
from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.request import Request
from pbmserv.engine.games import find_game
from pbmserv.errors import PbmservError, Refused
from pbmserv.render.blocks import plain_text
from pbmserv.store.store import Store

DAY = 86_400
NOW = 1_800_000_000
"""The moment at which the clock of every test stands: 2027-01-15 08:00:00 UTC."""

Row = tuple[Any, ...]
Tables = dict[str, list[Row]]


class CheapPasswords(Passwords):
    """Passwords without the 20 ms that a real hash costs; notes what was checked."""

    def __init__(self) -> None:
        super().__init__()
        self.checks: list[str] = []

    def hash(self, password: str) -> str:
        return cheap_hash(password)

    def check(self, password: str, stored: str) -> bool:
        self.checks.append(stored)
        return stored == cheap_hash(password)


def cheap_hash(password: str) -> str:
    return f"cheap${hashlib.sha256(password.encode(errors='surrogateescape')).hexdigest()}"


@dataclass
class Clock:
    """A clock that goes only when it is told to."""

    seconds: int = NOW

    def now(self) -> int:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Wait for nothing: a pause after wrong passwords costs a test no time."""


@dataclass
class LocalServer:
    """The door over a database of the test's own. Everybody's password is ``secret-USERID``."""

    url: str
    game: str = "star"
    clock: Clock = field(default_factory=Clock)
    passwords: CheapPasswords = field(default_factory=CheapPasswords)

    def __post_init__(self) -> None:
        self.desk = Desk(
            lambda: Store.open(self.url),
            TimeAndChance(now=self.clock.now, sleep=self.clock.sleep),
            passwords=self.passwords,
        )

    def close(self) -> None:
        self.desk.close()

    def memory(self) -> tuple[Any, ...]:
        """Return what it knows besides its database."""
        return self.clock.seconds, self.game, *self.passwords.checks

    def remember(self, *memory: Any) -> None:
        self.clock.seconds, self.game, *self.passwords.checks = memory

    def ask(self, words: Sequence[str], body: str = "") -> Answer:
        return self.desk.handle(Request(tuple(words), body=lambda: body))

    def do(self, line: str, body: str = "") -> Answer:
        return self.ask(split_line(line), body)

    def text(self, line: str, body: str = "") -> str:
        return text_of(self.do(line, body))

    def json(self, line: str, body: str = "") -> dict[str, Any]:
        return dict(self.do(line, body).document)

    def refusal(self, line: str, body: str = "") -> Refused:
        """Return why the line is refused, having seen that nothing else changed."""
        before = self.tables()
        with pytest.raises(Refused) as caught:
            self.do(line, body)

        assert self.tables() == before
        return caught.value

    def code(self, line: str, body: str = "") -> str:
        return self.refusal(line, body).code

    def sign_up(self, *userids: str) -> None:
        for userid in userids:
            self.do(f"signup {userid} secret-{userid}")

    def start(self, options: str = "-size=3", x: str = "alice", o: str = "bob") -> int:
        """Sign both up unless they are there, start a board and return its number."""
        for userid in dict.fromkeys([x, o]):
            if userid not in self.userids():
                self.sign_up(userid)
        return int(self.json(f"{self.game} challenge {options} {x} {o}")["board"])

    def move(self, board: int, userid: str, text: str) -> Answer:
        return self.do(f"{self.game} move {board} {userid} secret-{userid} {text}")

    def play(self, board: int, moves: str | Iterable[str]) -> dict[str, Any]:
        """Play the moves, each by whoever is to move, and return the board after them."""
        for text in moves.split() if isinstance(moves, str) else moves:
            seat = self.match(board).next_seat
            assert seat is not None, "nobody is to move"
            self.move(board, seat.name, text)
        return self.show(board)

    def match(self, board: int) -> Match:
        """Return a board as it is stored."""
        with self.desk.store.reading() as records:
            found = records.matches.find(find_game(self.game).name, board)
        assert found is not None
        return found

    def show(self, board: int | str) -> dict[str, Any]:
        return self.json(f"{self.game} show {board}")

    def userids(self) -> list[str]:
        with self.desk.store.reading() as records:
            return [player.userid for player in records.lists.players().rows]

    def audit(self) -> list[tuple[str, str]]:
        """Return verb and outcome of everything recorded, the oldest first."""
        with self.desk.store.reading() as records:
            return [(e.verb, e.outcome) for e in reversed(records.lists.audit().rows)]

    def tables(self, *, but: Sequence[str] = ("audit", "throttle")) -> Tables:
        """Return every row of every table but what is kept of wrong passwords and refusals."""
        from pbmserv.store.tables import metadata

        with self.desk.store.reading() as records:
            read = records.connection.exec_driver_sql
            return {
                name: sorted(map(tuple, read(f'SELECT * FROM "{name}"')), key=repr)  # noqa: S608
                for name in metadata.tables
                if name not in but
            }

    def damage(self, statement: str) -> None:
        """Change the database behind everybody's back."""
        with self.desk.store.writing() as records:
            done = records.connection.exec_driver_sql(statement)

            assert done.rowcount > 0


def text_of(answer: Answer) -> str:
    return plain_text(answer.blocks)


def refusal_of(call: Callable[[], object]) -> PbmservError:
    with pytest.raises(PbmservError) as caught:
        call()
    return caught.value

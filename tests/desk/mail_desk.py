"""The door for mail, asked directly: mails as the gateway hands them on, and what is posted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pbmserv.club.letter import LetterKind, TokenScope
from pbmserv.club.match import Match
from pbmserv.club.player import Player
from pbmserv.desk.mail_desk import receive
from pbmserv.desk.request import MailRequest
from pbmserv.store.people.addresses import Address
from pbmserv.store.tables import outbox
from tests.local_server import LocalServer


@dataclass
class MailDesk:
    """A server that writes letters, and counts the mails that it is sent."""

    local: LocalServer
    sent: int = 0
    read: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.local.desk.writes_letters = lambda: True

    def mail(self, sender: str, *lines: str, **more: Any) -> str:
        """Send a mail of these lines, several as one of several; return what came of it."""
        self.sent += 1
        several = {"is_multiple": len(lines) > 1, "is_bare": True}
        words = {"key": f"<{self.sent}@x>", "digest": f"{self.sent}", **several, **more}
        return receive(self.local.desk, MailRequest(sender=sender, door="t", lines=lines, **words))

    def answer(self, userid: str, *lines: str, board: int = 101, **more: Any) -> str:
        """Answer the last letter of a board, as a player from their own address."""
        match, player = self.match(board), self.player(userid)
        proof = TokenScope(match.id, player.id, match.revision)
        words = {"sender": f"{userid}@example.org", "proof": proof, **more}
        return self.mail(words.pop("sender"), *lines, is_short=bool(lines), **words)

    def prove(self, userid: str, sender: str = "", *lines: str) -> str:
        """Answer the letter that asks an address for a proof."""
        proof = TokenScope(0, self.player(userid).id, 0)
        return self.mail(
            sender or f"{userid}@example.org", *lines, proof=proof, is_short=bool(lines)
        )

    def letters(self) -> list[tuple[str, LetterKind, str]]:
        """Return what was posted since this was asked last: to whom, of what kind, its words."""
        with self.local.desk.store.reading() as records:
            rows = records.connection.execute(outbox.select().order_by(outbox.c.id)).all()
        new = [row for row in rows if row.id not in self.read]
        self.read |= {row.id for row in new}
        return [
            (row.address.lower(), LetterKind(row.kind), f"{row.subject}\n{row.lead}{row.tail}")
            for row in new
        ]

    def to(self) -> list[str]:
        """Return to whom something was posted since it was asked last."""
        return sorted(address.removesuffix("@example.org") for address, _, _ in self.letters())

    def player(self, userid: str) -> Player:
        with self.local.desk.store.reading() as records:
            found = records.players.find(userid)
        assert found is not None
        return found

    def match(self, board: int = 101) -> Match:
        with self.local.desk.store.reading() as records:
            found = records.matches.find(self.local.game, board)
        assert found is not None
        return found

    def rows(self, userid: str) -> Sequence[Address]:
        with self.local.desk.store.reading() as records:
            return records.addresses.of([self.player(userid).id])

    def proven(self, userid: str) -> list[str]:
        return sorted(row.address.lower() for row in self.rows(userid) if row.is_proven)

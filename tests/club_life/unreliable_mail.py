"""The way to the server: what players want done, and mails that are lost, late or doubled."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from pbmserv.desk.request import MailRequest

MOST_COPIES = 3
USUAL_DELAY = 6
"""How many deeds of others a copy meets on its way, on average."""


@dataclass(frozen=True)
class Deed:
    """What a player wants done, by a command or by a mail."""

    kind: str
    userid: str
    words: str
    board: int = 0

    @property
    def line(self) -> str:
        """The command, signed."""
        signed = f"{self.userid} secret-{self.userid} {self.words}"
        if self.kind in {"leave", "back"}:
            return f"vacation {signed}"
        verb = "queue" if self.kind in {"queue", "clear"} else "move"
        return f"star {verb} {self.board} {signed}"


@dataclass(frozen=True)
class Envelope:
    """A mail, and what its sender wants with it."""

    deed: Deed
    mail: MailRequest


@dataclass
class Post:
    """Carries every mail none to three times, each copy at its own pace.

    The mails of a player are numbered from 1, so that two players use the same Message-IDs.
    """

    chance: Random
    sent: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    under_way: list[tuple[int, Envelope]] = field(default_factory=list)
    """The copies, each with how many deeds it still takes."""

    def send(self, deed: Deed) -> None:
        """Set the copies on their way; they do not arrive in the order of their sending."""
        self.sent[deed.userid] += 1
        message_id = f"<{self.sent[deed.userid]}@example.org>"
        sender = f"{deed.userid}@example.org"
        mail = MailRequest(message_id, sender, "maildir", (deed.line,), reply_to=message_id)
        copies = self.chance.randint(0, MOST_COPIES)
        self.lost += not copies
        for _ in range(copies):
            delay = int(self.chance.expovariate(1 / USUAL_DELAY))
            self.under_way.append((delay, Envelope(deed, mail)))

    def arriving(self) -> list[Envelope]:
        """Let one deed's time pass and return the copies that arrive in it."""
        here = [envelope for delay, envelope in self.under_way if not delay]
        self.under_way = [(delay - 1, envelope) for delay, envelope in self.under_way if delay]
        return here

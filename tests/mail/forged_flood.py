"""A flood of forged mails of every kind, and what the server writes because of it.

``python -m tests.mail.forged_flood`` prints the figures of the table in the page gateway.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pbmserv.mail.inbound import Envelope
from tests import databases
from tests.mail.server_by_mail import US, ClubByMail, written

ALICE, BOB = "alice@example.net", "bob@example.net"
EACH = 300


@dataclass
class Cost:
    """What one kind of mail came to: mails and bytes in, letters and bytes out."""

    mails: int = 0
    received: int = 0
    letters: int = 0
    sent: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def measure(office: ClubByMail, mails: Iterator[bytes]) -> Cost:
    """Return what these mails cost, whose envelopes say nothing."""
    cost = Cost()
    for data in mails:
        cost.mails += 1
        cost.received += len(data)
        cost.outcomes[office.receive(data, Envelope(recipient=US))] += 1
    for letter in office.collect():
        cost.letters += 1
        cost.sent += len(letter.sent.content)
    return cost


def kinds(size: int) -> dict[str, Iterator[bytes]]:
    """Return forged mails by kind, so many of each."""
    numbers = count(100_000)

    def mail(sender: str, subject: str, text: str = "") -> bytes:
        return written(sender, subject, text, number=next(numbers))

    sixty = "\n".join(["star challenge alice bob -size=10"] * 60)
    signed = "\n".join(["*star challenge alice secret-alice bob"] * 60)
    others = " ".join(f"a{number}@z.example" for number in range(9))
    return {
        "signup": (mail(forged(n), f"signup flood{n} secret-word") for n in range(size)),
        "signup, ten addresses": iter([mail("x@y.example", f"signup yves secret-word {others}")]),
        "help": (mail(forged(n), "help commands") for n in range(size)),
        "spam": (mail(forged(n), "HELP WANTED") for n in range(size)),
        "guess": (mail(forged(n), f"digest alice wrong-word{n} on") for n in range(size)),
        "forged challenge": (mail(ALICE, "star challenge alice bob") for _ in range(size)),
        "forged multiple": iter([mail(ALICE, "multiple", sixty)]),
        "forged help": iter([mail(ALICE, "multiple", "help commands\n" * 60)]),
        "forged looks": (mail(BOB, "star games alice") for _ in range(size)),
        "forged nonsense": (mail(BOB, "nonsense") for _ in range(size)),
        "signed multiple": iter([mail(ALICE, "multiple", signed)]),
    }


def forged(number: int) -> str:
    """Return a sender of a domain that no other mail has."""
    return f"x{number}@flood{number}.example"


def main() -> None:
    """Measure each kind on a server of its own and print a line for it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, mails in kinds(EACH).items():
            url = str(Path(folder) / f"{name.replace(' ', '-')}.sqlite")
            databases.create(url)
            office = ClubByMail(url)
            office.join("alice", "bob")
            cost = measure(office, mails)
            row = f"{name:24} {cost.mails:5} {cost.received:8} {cost.letters:4} {cost.sent:9}"
            print(row, dict(cost.outcomes))
            office.close()


if __name__ == "__main__":
    main()

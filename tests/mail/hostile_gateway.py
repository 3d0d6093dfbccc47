"""Hostile mails through the whole gateway, as strangers and as a player with a token send them.

Run it as `python -m tests.mail.hostile_gateway FOLDER [--count N] [--seed N]`: it brings that many
generated mails, the bombs and the mails of CPython's own tests to a server whose database is made
in the folder, sends what is answered, and prints how the mails ended. Each is held to a second and
256 MiB; an exception ends it with a traceback.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random

from pbmserv.mail.inbound import Envelope
from tests import databases
from tests.mail.costly_mails import bombs
from tests.mail.hostile_mails import BrokenPromiseError, bounds, generated, pythons_own
from tests.mail.server_by_mail import US, ClubByMail

ALICE = "alice@example.net"
OWN = {ALICE, "bob@example.net"}
PAUSE = 300
"""Seconds by the server's clock from one mail to the next, so that no quota ends it all."""


def as_alice(data: bytes) -> bytes:
    """Return the mail as if alice had sent it: her From in the place of any other."""
    kept = b"\n".join(line for line in data.split(b"\n") if not line.lower().startswith(b"from"))
    return f"From: {ALICE}\n".encode() + kept


def named_mails(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield the generated mails, the bombs, and those of CPython."""
    files = ((file.name, file.read_bytes()) for file in pythons_own())
    return chain(generated(count, seed), bombs().items(), files)


def run(office: ClubByMail, count: int, seed: int) -> Counter[str]:
    """Return how often the mails ended in which way."""
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    token = next(letter.reply_to for letter in office.collect() if letter.to == ALICE)
    random = Random(seed)
    endings: Counter[str] = Counter()
    with bounds() as begin:
        for name, data in named_mails(count, seed):
            mail = as_alice(data) if random.random() < 0.5 else data
            to = random.choice((token, US, None))
            begin()
            try:
                endings[office.receive(mail, Envelope(to, random.choice((ALICE, None))))] += 1
            except BrokenPromiseError as broken:
                raise SystemExit(f"{name}: {broken}: {mail[:2000]!r}") from broken
            office.clock.seconds += PAUSE
            office.log.clear()
            if random.random() < 0.01:
                begin()
                endings["answers"] += len(office.collect())
    return endings


def main() -> None:
    """Bring what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, help="where the database is made")
    parser.add_argument("--count", type=int, default=0, help="so many generated mails")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first")
    asked = parser.parse_args()
    database = str(asked.folder / "hostile.sqlite")
    databases.create(database)
    office = ClubByMail(database)
    for ending, count in run(office, asked.count, asked.seed).most_common():
        sys.stdout.write(f"{count:8} {ending}\n")
    office.close()


if __name__ == "__main__":
    main()

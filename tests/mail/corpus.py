"""Mails as people and machines write them, more than 500, made of the forms that are known.

Nobody in them is a player of the server that gets them.
"""

from collections.abc import Iterator
from itertools import product

SENDERS = (
    "alice@home.example",
    "alice@home.example (Alice)",
    "Alice Liddell <alice@home.example>",
    '"Alice @ Home" <alice@home.example>',
    '"Liddell, Alice" <alice@home.example>',
    "=?iso-8859-1?q?Al=EFce?= <alice@home.example>",
    "<alice@home.example>",
    "J\udcfcrgen <juergen@home.example>",
    "Smith, John <john@home.example>",
    "undisclosed@@home.example",
)
SUBJECTS = (
    "HELP WANTED - work from home",
    "Re: help",
    "Help!!! My hard disk crashed",
    "Re: [ILUG] swap partition?",
    "Fwd: pass it on",
    "List of members",
    "Signup for the newsletter",
    "RE: board meeting 101",
    "Star of the week",
    "message from the Nigerian minister",
    "reset your password",
    "=?utf-8?b?8J+OgSBZb3UgaGF2ZSB3b24=?=",
    "=?gb2312?b?xOO6ww==?=",
    "Antw: AW: SV: Star Board 101 alice",
    "",
    "Ratings, standings & history",
    "accept",
    "star",
)
BODIES = (
    "Hello,\n\nsee you on Friday.\n\n-- \nAlice\n+44 20 7946 0000\n",
    "F6, good luck!\n\nOn Mon, 3 Nov 2025 at 10:15, Bob <bob@example.org> wrote:\n> Your turn.\n",
    "—\nSent from my iPhone\n",
)
MACHINES = (
    ("Precedence: bulk",),
    ("List-Id: <stars.example.org>", "List-Unsubscribe: <mailto:x@example.org>"),
    ("Auto-Submitted: auto-replied",),
    ("X-Mailer: The Bat! (v1.52f)",),
)
HTML = (
    "MIME-Version: 1.0",
    "Content-Type: text/html; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
)


def corpus() -> Iterator[bytes]:
    """Yield every mail."""
    plain: tuple[str, ...] = ("Content-Type: text/plain; charset=utf-8",)
    number = 0
    for sender, subject, body in product(SENDERS, SUBJECTS, BODIES):
        for kind in (plain, HTML) if number % 5 == 0 else (plain,):
            number += 1
            machine = MACHINES[number % len(MACHINES)] if number % 3 == 0 else ()
            head = (
                f"From: {sender}",
                f"Subject: {subject}",
                f"Message-ID: <{number}@home.example>",
            )
            lines = [*head, "To: pbmserv@example.org", *machine, *kind, "", body]
            yield "\n".join(lines).encode(errors="surrogateescape")

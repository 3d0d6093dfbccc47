"""A fresh process in which sixteen threads do sixteen things at once, each for the first time.

Prints what went wrong in each, and which modules of ours were loaded by them.
"""

import json
import sys
from threading import Barrier, Thread

from pbmserv.web.listener import load_all

THREADS = 16
LINES = (
    "login alice secret-alice",
    "login bob secret-bob",
    "signup carol secret-carol c@example.org",
    "star move 101 alice secret-alice C1",
    "star chat 101 alice secret-alice hello",
    "account export alice secret-alice",
    "signoff erased secret-erased -erase",
    "hex preview new -size=5 A1",
    "poly-y preview new",
    "*star preview new",
    "starweb preview new",
    "star show 101",
    "stats",
    "star standings",
    "help star",
    "change password bob wrong-secret other-secret",
)


def main(url: str) -> None:
    """Load all, then do each line in a thread, with a desk of its own as in the web."""
    load_all()
    from pbmserv.commands.command_table import root
    from pbmserv.commands.grammar import Entry
    from pbmserv.desk.door import Desk
    from pbmserv.desk.passwords import QueuedPasswords
    from pbmserv.desk.request import Request
    from pbmserv.errors import Refused
    from pbmserv.services.session import Source
    from pbmserv.store.store import Store

    table = {"login": Entry("desk.signin:login", "")}
    passwords, gate = QueuedPasswords(), Barrier(THREADS)
    done: dict[str, str] = {}

    def ask(line: str) -> None:
        desk = Desk(
            lambda: Store.open(url),
            tree=root(table),
            passwords=passwords,
            writes_letters=lambda: True,
        )
        request = Request(tuple(line.split()), Source.WEB, keys=Pocket(), net="192.0.2.0/24")
        gate.wait()
        try:
            desk.handle(request)
            done[line] = "done"
        except Refused as error:
            done[line] = error.code
        except BaseException as error:
            done[line] = repr(error)
            raise

    before = set(sys.modules)
    sys.setswitchinterval(1e-6)
    threads = [Thread(target=ask, args=(line,)) for line in LINES]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    late = sorted(name for name in set(sys.modules) - before if name.startswith("pbmserv"))
    print(json.dumps([done, late]))


class Pocket:
    """Where a visitor keeps a key."""

    life = None

    def read(self) -> None:
        """Return no key."""

    def keep(self, key: str) -> None:
        """Forget the key."""

    def drop(self) -> None:
        """Have none any more."""


main(sys.argv[1])

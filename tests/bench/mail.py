"""How many mails a second come in: a process for each, a Maildir runner, and LMTP.

Run it as `python -m tests.bench.mail [MAILS]` (40 unless told otherwise). Every way takes the
same moves, with a reply token and with a password, on an empty database and beside 10,000 mails
and 2,000 matches; the last column is the ratio to the process for each mail. Above them stand the
milliseconds of the processor that the mails of the corpus and hostile ones take at a gateway, one
by one; each of them has a sync of the disk beside that. Then come those of a letter on its way from
the outbox, each position told to two readers, with the picture, and as a ratio to one without.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median

if not __package__:
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pbmserv.club.letter import Letter, TokenScope
from pbmserv.club.player import Seat
from pbmserv.desk.door import Desk
from pbmserv.engine.position import Position
from pbmserv.engine.spec import parse_game
from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.mail.outbox_sender import OutboxSender
from pbmserv.mail.spool import Spool
from pbmserv.mail.tokens import address_with, make_token
from pbmserv.render.board_letters import Reader, board_letters
from pbmserv.store.mail.inbox import Arrival
from pbmserv.store.store import Store
from tests import databases
from tests.daemon.mail_receive_process import Installation
from tests.mail.corpus import corpus
from tests.mail.costly_mails import bombs
from tests.mail.hostile_mails import hostile_mail
from tests.mail.server_by_mail import US, ClubByMail, written
from tests.render.pictured_boards import random_position

MAILS = 40
POSITIONS = 20
STORED_MAILS, STORED_MATCHES = 10_000, 2_000
PASSWORD = "correct-horse"
Way = Callable[[Installation, Sequence[tuple[str, bytes]]], None]


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MAILS
    one_by_one()
    letters_out()
    print(f"{'way':<10} {'signed by':<10} {'database':<10} {'mails/s':>8} {'ratio':>7}")
    base: dict[tuple[str, str], float] = {}
    for way, take in WAYS.items():
        for signed in ("token", "password"):
            for size in ("empty", "full"):
                speed = measure(take, count, signed=signed, is_full=size == "full")
                ratio = speed / base.setdefault((signed, size), speed)
                print(f"{way:<10} {signed:<10} {size:<10} {speed:8.1f} {ratio:6.1f}x", flush=True)


def one_by_one() -> None:
    """Print how long single mails take, of strangers and of those who mean ill."""
    rng = Random(1)
    kinds = {
        "corpus": list(corpus()),
        "hostile": [hostile_mail(rng) for _ in range(1000)],
        "bombs": list(bombs().values()),
    }
    print(f"{'mails':<10} {'count':>6} {'median ms':>10} {'99 % ms':>8} {'worst ms':>9}")
    for name, mails in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            url = str(Path(folder) / "bench.sqlite")
            databases.create(url)
            office = ClubByMail(url)
            office.join("alice", "bob")
            taken = []
            for data in mails:
                start = time.process_time()
                office.receive(data, Envelope(recipient=US))
                taken.append((time.process_time() - start) * 1000)
            office.close()
        taken.sort()
        late = taken[len(taken) * 99 // 100]
        print(f"{name:<10} {len(taken):>6} {median(taken):>10.1f} {late:>8.1f} {taken[-1]:>9.1f}")
    print()


def letters_out() -> None:
    """Print what a letter costs from the outbox to the wire, with its board and without."""
    print(f"{'letters':<14} {'without ms':>10} {'with ms':>8} {'ratio':>6} {'first ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "bench.sqlite")
        databases.create(url)
        office = ClubByMail(url)
        office.join("alice", "bob")
        for spec in ("star(size=6)", "star(size=14)", "starstar", "hex"):
            game = parse_game(spec)
            with office.desk.store.writing() as records:
                match = records.matches.add(game, Seat(1, "alice"), Seat(2, "bob"), 0)
            readers = [Reader("alice@example.net", 1), Reader("bob@example.net", 2)]
            letters = board_letters(match, (), readers)
            bare = sent(office, [replace(each, diagram=None) for each in letters * POSITIONS])
            first = sent(office, [at_position(each, random_position(game, 0)) for each in letters])
            told = [
                at_position(each, random_position(game, seed))
                for seed in range(1, 1 + POSITIONS)
                for each in letters
            ]
            whole = sent(office, told)
            print(f"{spec:<14} {bare:>10.1f} {whole:>8.1f} {whole / bare:>6.1f} {first:>9.1f}")
        office.close()
    print()


def sent(office: ClubByMail, letters: Sequence[Letter]) -> float:
    """Return the milliseconds of the processor that it takes to send a letter."""
    with office.desk.store.writing() as records:
        records.outbox.post(letters, office.clock.now())
    start = time.process_time()
    done = OutboxSender(
        office.desk.store, US, office.keyring, office.basket, office.clock.now
    ).send_due()
    taken = time.process_time() - start
    if done.sent != len(letters):
        raise SystemExit(f"not all letters were sent: {done}")
    return taken * 1000 / len(letters)


def at_position(letter: Letter, position: Position) -> Letter:
    """Return the letter with another position on its board."""
    if letter.diagram is None:
        raise SystemExit("a letter has no board")
    return replace(letter, diagram=replace(letter.diagram, position=position))


def measure(take: Way, count: int, *, signed: str, is_full: bool) -> float:
    """Return how many moves a second are taken in."""
    with tempfile.TemporaryDirectory() as name:
        here = Installation(Path(name))
        os.environ.update({k: v for k, v in here.environ.items() if k.startswith("PBMSERV")})
        for userid in ("alice", "bob"):
            here.run("signup", userid, PASSWORD, f"{userid}@example.net")
        if is_full:
            fill(here)
        boards = [challenge(here) for _ in range(count)]
        mails = [a_move(here, board, signed) for board in boards]
        start = time.perf_counter()
        take(here, mails)
        taken = time.perf_counter() - start
        done = here.outcomes()[-count:]
        if done != ["done"] * count:
            raise SystemExit(f"not all moves were made: {set(done)}")
        return count / taken


def challenge(here: Installation, first: str = "alice", second: str = "bob") -> int:
    """Start one more board and return its number."""
    done = here.run("--json", "star", "challenge", first, second)
    return int(json.loads(done.stdout)["board"])


def a_move(here: Installation, board: int, signed: str, userid: str = "alice") -> tuple[str, bytes]:
    """Return the recipient and the mail with the first move of a board."""
    sender = f"{userid}@example.net"
    store = Store.open(here.database)
    with store.reading() as records:
        match = records.matches.find("star", board)
    store.close()
    if match is None:
        raise SystemExit("a board is missing")
    if signed == "password":
        subject, to = f"star move {board} {userid} {PASSWORD} F6", US
    else:
        keys = Keyring(here.folder / "mail.keys").signing_keys(0)
        claim = TokenScope(match.id, match.first.player_id, match.revision)
        subject, to = "F6", address_with(US, make_token(keys, claim))
    return to, written(sender, subject, "Your turn!", number=board, to=to)


def fill(here: Installation) -> None:
    """Store mails and matches that have nothing to do with the moves."""
    store = Store.open(here.database)
    with store.writing() as records:
        for number in range(STORED_MAILS):
            records.inbox.take(Arrival(1, f"<{number}@old>", "old@example.net", 0, "pipe", "done"))
        for _ in range(STORED_MATCHES):
            records.matches.add(parse_game("star(size=6)"), Seat(1, "alice"), Seat(2, "bob"), 0)
    store.close()


def by_process(here: Installation, mails: Sequence[tuple[str, bytes]]) -> None:
    for to, data in mails:
        here.run("mail", "receive", f"--recipient={to}", data=data)


def by_maildir(here: Installation, mails: Sequence[tuple[str, bytes]]) -> None:
    spool = Spool(here.folder / "in")
    spool.prepare()
    for number, (_, data) in enumerate(mails):
        (spool.folder / "new" / f"{number}.mail").write_bytes(data)
    gateway = gateway_of(here)
    done = list(spool.work(lambda data: gateway.receive(data, Envelope(), "maildir"), bool, _raise))
    gateway.desk.close()
    if not all(done):
        raise SystemExit("a mail failed")


def by_lmtp(here: Installation, mails: Sequence[tuple[str, bytes]]) -> None:
    from smtplib import LMTP
    from threading import Event, Thread

    from pbmserv.listen_address import parse_listen_address
    from pbmserv.mail.listener import Listener

    gateway = gateway_of(here)
    listener = Listener(gateway.own, lambda d, e: gateway.receive(d, e, "lmtp"), _raise)
    ready = Event()
    place = parse_listen_address("127.0.0.1:0", "lmtp")
    thread = Thread(target=listener.run, args=([place], ready.set))
    thread.start()
    ready.wait()
    with LMTP("127.0.0.1", listener.ports[0]) as client:
        for to, data in mails:
            client.sendmail("alice@example.net", [to], data)
    listener.stop()
    thread.join()
    gateway.desk.close()


def gateway_of(here: Installation) -> Gateway:
    keyring = Keyring(here.folder / "mail.keys")
    desk = Desk(lambda: Store.open(here.database), writes_letters=lambda: True)
    return Gateway(desk, ServerAddress(US), lambda: keyring.signing_keys(0), lambda _: None)


def _raise(error: Exception) -> None:
    raise error


WAYS: dict[str, Way] = {"process": by_process, "maildir": by_maildir, "lmtp": by_lmtp}

if __name__ == "__main__":
    main()

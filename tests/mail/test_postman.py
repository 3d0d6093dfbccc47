"""The postman: every letter out at least once, under one Message-ID, whatever happens."""

import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pbmserv.club.letter import Letter
from pbmserv.mail.compose import OutgoingMail, compose
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.outbox_sender import OutboxSender, SendReport
from pbmserv.mail.tokens import Key, Keys
from pbmserv.mail.transports import DeliveryFault, Transport, open_transport
from pbmserv.store.mail.outbox import LEASE, MAX_WAIT
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store
from tests.mail.loopback_mail_server import NOW, US, free_port, mail_server, plain_letter, read

DAY = 24 * 3600


class Pocket(Keyring):
    """A keyring without a file."""

    def signing_keys(self, now: int) -> Keys:
        del now
        return [Key(1, b"k" * 32)]


KEYRING = Pocket(Path("nowhere"))


@dataclass
class Clock:
    seconds: int = NOW

    def now(self) -> int:
        return self.seconds


@dataclass
class Basket:
    """A way out that keeps what it gets, and fails when it is told to."""

    mails: list[OutgoingMail] = field(default_factory=list)
    fault: Exception | None = None
    closed: int = 0

    def send(self, mail: OutgoingMail) -> str:
        if self.fault is not None:
            raise self.fault
        self.mails.append(mail)
        return f"Q{len(self.mails)}"

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store.open(database_url)
    yield opened
    opened.close()


def post(store: Store, *letters: Letter) -> None:
    with store.writing() as records:
        records.outbox.post(letters, NOW)


def letters(count: int) -> list[Letter]:
    return [plain_letter(n) for n in range(1, count + 1)]


def postman(store: Store, transport: Transport, clock: Clock | None = None) -> OutboxSender:
    now = (clock or Clock()).now
    return OutboxSender(store, US, KEYRING, transport, now, operator="boss@example.org")


def states(store: Store) -> dict[str, int]:
    with store.reading() as records:
        counts = records.outbox.counts()
    return {state.value: count for state, count in counts.items() if count}


def test_what_is_due_goes_out_once_in_order(store: Store) -> None:
    post(store, *letters(3))
    basket = Basket()
    rounds = [postman(store, basket).send_due() for _ in range(2)]

    assert rounds == [SendReport(sent=3), SendReport()]
    assert [mail.recipient for mail in basket.mails] == [f"a{n}@example.org" for n in (1, 2, 3)]
    assert basket.closed == 1
    assert states(store) == {"sent": 3}


def test_more_words_stand_at_the_end_of_a_letter(store: Store) -> None:
    post(store, plain_letter(1, tail="Bye."), plain_letter(2, tail="Bye."))
    basket = Basket()
    writer = postman(store, basket)
    writer.more = lambda letter: "And more." if letter.address.startswith("a2") else ""
    writer.send_due()

    bodies = [mail.content.partition(b"Hello.")[2].split(b"--")[0] for mail in basket.mails]

    assert [b"Bye.", b"Bye.\r\n\r\nAnd more."] == [body.strip() for body in bodies]


def test_a_postman_without_letters_never_locks_the_database(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "writing", None)

    assert postman(store, Basket()).send_due() == SendReport()


def test_a_round_can_be_short(store: Store) -> None:
    post(store, *letters(3))
    basket = Basket()

    assert postman(store, basket).send_due(most=2) == SendReport(sent=2)
    assert states(store) == {"sent": 2, "waiting": 1}


def test_one_refused_letter_holds_up_no_other(store: Store) -> None:
    post(store, *letters(3))
    with mail_server() as server:
        server.refuse["a2@example.org"] = "550 no such user"
        result = postman(store, open_transport(f"smtp://127.0.0.1:{server.port}")).send_due()
    with store.reading() as records:
        (waiting,) = records.lists.letters(Filter(status="waiting")).rows

    # The third is the one that tells the operator.
    assert result == SendReport(sent=3, failed=1)
    assert waiting.last_error == "The mail server said: 550 no such user"
    assert waiting.due_at == NOW + 300
    told = server.mails[-1]
    assert told[1] == ["boss@example.org"]
    words = read(told[2]).as_string()
    assert "permanently refuses a mail" in words
    assert "number 2, was for a2@example.org" in words
    assert "The mail server said: 550 no such user" in words


def test_a_letter_that_makes_no_mail_holds_up_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(store, *letters(2))
    monkeypatch.setattr(
        "pbmserv.mail.outbox_sender.compose",
        lambda posted, paper: 1 // 0 if "a1@" in posted.letter.address else compose(posted, paper),
    )
    basket = Basket()
    result = postman(store, basket).send_due()

    assert result == SendReport(sent=1, failed=1)
    with store.reading() as records:
        (waiting,) = records.lists.letters(Filter(status="waiting")).rows
    assert "ZeroDivisionError" in waiting.last_error


def test_a_closed_way_out_ends_the_round_at_the_first_letter(store: Store) -> None:
    post(store, *letters(3))
    closed = Basket(fault=DeliveryFault("Closed.", code="unreachable", is_for_all=True))

    assert postman(store, closed).send_due() == SendReport(failed=1, stopped="Closed.")
    assert postman(store, closed).send_due() == SendReport(failed=1, stopped="Closed.")
    assert postman(store, Basket()).send_due() == SendReport(sent=1)


@pytest.mark.costly
def test_a_server_down_for_a_day_loses_nothing(store: Store) -> None:
    post(store, *letters(5))
    clock, port = Clock(), free_port()
    postmaster = postman(store, open_transport(f"smtp://127.0.0.1:{port}"), clock)
    for _ in range(24 * 4):
        assert postmaster.send_due().sent == 0
        clock.seconds += 900
    with mail_server(port=port) as server:
        for _ in range(4 * 4):
            postmaster.send_due()
            clock.seconds += 900

    assert clock.seconds == NOW + DAY + 4 * 3600
    assert sorted(server.message_ids) == sorted(set(server.message_ids))
    assert states(store) == {"sent": 5}


def test_connections_cut_in_mid_mail_lose_nothing(store: Store) -> None:
    post(store, *letters(4))
    clock = Clock()
    with mail_server() as server:
        server.cuts = 3
        worker = postman(store, open_transport(f"smtp://127.0.0.1:{server.port}"), clock)
        first = worker.send_due()
        clock.seconds += 300
        second = worker.send_due()

    assert (first, second) == (SendReport(sent=1, failed=3), SendReport(sent=3))
    assert len(set(server.message_ids)) == len(server.message_ids) == 4


@pytest.mark.costly
def test_after_five_days_the_operator_is_told_once(store: Store) -> None:
    post(store, *letters(3))
    clock, result = Clock(), SendReport()
    broken = Basket(fault=DeliveryFault("No.", code="refused"))
    while not result.given_up:
        result = postman(store, broken, clock).send_due()
        clock.seconds += MAX_WAIT
    basket = Basket()
    postman(store, basket, clock).send_due()
    with store.reading() as records:
        audit = [(entry.verb, entry.outcome) for entry in records.lists.audit().rows]

    assert (result.given_up, result.failed) == (3, 4)
    assert audit == [("send", "refused")] * 3
    (mail,) = basket.mails
    assert mail.recipient == "boss@example.org"
    assert "number 1, was for a1@example.org" in read(mail.content).as_string()
    assert states(store) == {"failed": 3, "sent": 1}


def test_a_server_down_after_a_week_without_a_postman_gives_up_nothing(store: Store) -> None:
    post(store, *letters(2))
    clock = Clock(NOW + 7 * DAY)
    closed = Basket(fault=DeliveryFault("Closed.", code="unreachable", is_for_all=True))
    result = postman(store, closed, clock).send_due()
    clock.seconds += 300

    assert result == SendReport(failed=1, stopped="Closed.")
    assert postman(store, Basket(), clock).send_due() == SendReport(sent=2)


@pytest.mark.costly
def test_a_letter_to_the_operator_that_fails_makes_no_other(store: Store) -> None:
    post(store, *letters(1))
    clock = Clock()
    broken = Basket(fault=DeliveryFault("No.", code="refused"))
    for _ in range(80):
        postman(store, broken, clock).send_due()
        clock.seconds += 4 * 3600

    assert states(store) == {"failed": 2}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("answer", ["500 Line too long", "550 no", "554 5.7.1 Relay denied"])
def test_what_is_refused_for_good_is_told_once_a_day(store: Store, answer: str) -> None:
    post(store, *letters(5))
    clock = Clock()
    with mail_server() as server:
        server.refuse |= {f"a{n}@example.org": answer for n in range(1, 6)}
        way = f"smtp://127.0.0.1:{server.port}"
        first = postman(store, open_transport(way), clock).send_due()
        clock.seconds += MAX_WAIT
        again = postman(store, open_transport(way), clock).send_due()
        clock.seconds += DAY
        tomorrow = postman(store, open_transport(way), clock).send_due()

    assert (first, again) == (SendReport(sent=1, failed=5), SendReport(failed=5))
    assert tomorrow == SendReport(sent=1, failed=5)
    assert [to for _, to, _ in server.mails] == [["boss@example.org"]] * 2


@pytest.mark.parametrize("answer", ["450 later", "421 busy", "451 try again"])
def test_what_may_still_be_taken_is_not_told(store: Store, answer: str) -> None:
    post(store, *letters(2))
    with mail_server() as server:
        server.refuse["a2@example.org"] = answer
        result = postman(store, open_transport(f"smtp://127.0.0.1:{server.port}")).send_due()

    assert result == SendReport(sent=1, failed=1)


@pytest.mark.parametrize("refused", ["boss@example.org", "DATA"])
def test_an_operator_who_is_refused_is_written_to_once(store: Store, refused: str) -> None:
    post(store, plain_letter(1))
    with store.writing() as records:
        letter = replace(plain_letter(2), address="boss@example.org")  # they play, too
        records.outbox.post([letter], NOW)
    clock = Clock()
    with mail_server() as server:
        server.refuse[refused] = "554 no"
        for _ in range(4):
            postman(store, open_transport(f"smtp://127.0.0.1:{server.port}"), clock).send_due()
            clock.seconds += MAX_WAIT
    with store.reading() as records:
        about = [entry.subject for entry in records.lists.letters().rows]

    assert about.count("pbmserv: mail refused") == 1


def test_several_postmen_send_each_letter_once(store: Store) -> None:
    post(store, *letters(30))
    baskets = [Basket() for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda basket: postman(store, basket).send_due(), baskets))
    numbers = Counter(mail.id for basket in baskets for mail in basket.mails)

    assert len(numbers) == 30
    assert set(numbers.values()) == {1}


def test_a_postman_who_dies_after_sending_sends_again_with_the_same_message_id(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(store, *letters(1))
    basket, clock = Basket(), Clock()
    dying = postman(store, basket, clock)
    with monkeypatch.context() as patch:
        patch.setattr(dying, "_mark_sent", die)
        with pytest.raises(KeyboardInterrupt):
            dying.send_due()
    assert postman(store, basket, clock).send_due() == SendReport()
    clock.seconds += LEASE
    assert postman(store, basket, clock).send_due() == SendReport(sent=1)
    ids = [read(mail.content)["Message-ID"] for mail in basket.mails]

    assert len(ids) == 2
    assert len(set(ids)) == 1


def test_the_key_that_signs_is_made_with_the_first_letter(store: Store, tmp_path: Path) -> None:
    keyring = Keyring(tmp_path / "mail.keys")
    sender = OutboxSender(store, US, keyring, Basket(), Clock(NOW + 5).now)
    sender.send_due()
    assert keyring.kept() == [], "there was no letter"
    post(store, *letters(1))
    sender.send_due()
    sender.now = Clock(NOW + 9).now
    post(store, *letters(1))
    sender.send_due()

    assert [(key.number, key.created_at) for key in keyring.kept()] == [(1, NOW + 5)]


def die(_posted: object) -> None:
    raise KeyboardInterrupt


KILLED = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from pbmserv.mail.keyring import Keyring
    from pbmserv.mail.outbox_sender import OutboxSender
    from pbmserv.mail.transports import open_transport
    from pbmserv.store.store import Store

    url, out, now, keys = sys.argv[1:]
    keyring = Keyring(Path(keys))
    store = Store.open(url)
    print("ready", flush=True)
    while True:
        way_out = open_transport(out)
        OutboxSender(store, "pbmserv@example.org", keyring, way_out, lambda: int(now)).send_due()
    """
)


@pytest.mark.slow
def test_killed_postmen_lose_nothing(store: Store, tmp_path: Path) -> None:
    post(store, *letters(60))
    url = str(store.location.path or store.location.url)
    clock = Clock()
    with mail_server() as server:
        out = f"smtp://127.0.0.1:{server.port}"
        for kill in range(6):
            keys = str(tmp_path / "mail.keys")
            words = [sys.executable, "-c", KILLED, url, out, str(clock.seconds), keys]
            with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                before = len(server.mails)
                while len(server.mails) < min(60, before + 1 + kill):
                    time.sleep(0.002)
                process.send_signal(signal.SIGKILL)
            clock.seconds += LEASE
        while postman(store, open_transport(out), clock).send_due().sent:
            clock.seconds += LEASE
        ids = Counter(server.message_ids)

    assert states(store) == {"sent": 60}
    assert len(ids) == 60
    assert ids.total() <= 60 + 6

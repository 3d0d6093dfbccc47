"""No forged mail moves for anybody, tells them anything, or burns their mails."""

import pytest

from pbmserv.mail.gateway import Gateway
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.loop_guard import ServerAddress
from tests.databases import made_once
from tests.mail.forgeries import ALICE, KEYS, MALLORY, Forgery, Scene, forgeries
from tests.mail.mail_players import by_first_line
from tests.mail.server_by_mail import US, ClubByMail, Letter

SAMPLE = Scene(1, 2, 1, 1, 2, 3)
NAMES = [forgery.name for forgery in forgeries(SAMPLE)]
KEPT = ("match", "move", "player", "address", "offer", "submission")


@pytest.fixture
@made_once
def letter(office: ClubByMail) -> Letter:
    """Sign three up and have two boards where alice is to move; return her letter of the first."""
    office.join("alice", "bob", "mallory")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    office.mail(ALICE, "star move 101 alice secret-alice B3")
    office.mail("bob@example.net", "star move 101 bob secret-bob D1")
    news = office.collect()
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    office.collect()
    return next(letter for letter in reversed(news) if letter.to == ALICE)


def scene_of(office: ClubByMail) -> Scene:
    with office.desk.store.reading() as records:
        ids = [records.players.find(userid) for userid in ("alice", "bob", "mallory")]
        first, second = (records.matches.find("star", number) for number in (101, 102))
        assert first is not None
        assert second is not None
        return Scene(first.id, second.id, first.revision, *(p.id for p in ids if p is not None))


def kept(office: ClubByMail) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of the tables that a forger would change."""
    from pbmserv.store.tables import metadata

    with office.desk.store.reading() as records:
        return {
            name: [tuple(row) for row in records.connection.execute(metadata.tables[name].select())]
            for name in KEPT
        }


def send(office: ClubByMail, forgery: Forgery, number: int) -> str:
    data = forgery.data(number)
    envelope = Envelope(recipient=forgery.recipient, sender=MALLORY)
    return office.receive(data, envelope)


def test_there_are_many_forgeries() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert len(NAMES) >= 60


@pytest.mark.costly
def test_no_forgery_is_accepted(office: ClubByMail, letter: Letter) -> None:
    scene = scene_of(office)
    before = kept(office)
    accepted = []
    for number, forgery in enumerate(forgeries(scene)):
        # An hour and more between two of them: no limit on commands stands in for a check.
        office.clock.seconds += 25 * 3600
        outcome = send(office, forgery, number)
        if kept(office) != before or outcome in {"done", "duplicate"}:
            accepted.append((forgery.name, outcome))
            break

    assert [] == accepted
    assert by_first_line(office, letter, "C2", 1) == "done"


def test_the_same_mail_unforged_is_accepted(office: ClubByMail, letter: Letter) -> None:
    del letter
    scene = scene_of(office)
    right = f"pbmserv+{scene.token(scene.alice)}@example.org"
    headers = (f"From: Alice <{ALICE}>", "Subject: Re: Star Board 101 alice")

    assert send(office, Forgery("right", headers, "C2", right), 1) == "done"


RESULTS: dict[str, tuple[str, ...]] = {
    "none": (),
    "of another server": ("evil.example.org; dmarc=pass header.from=example.net",),
    "below ours": (
        "mx.example.org; dmarc=fail header.from=example.net",
        "mx.example.org; dmarc=pass header.from=example.net",
    ),
    "of another domain": ("mx.example.org; dmarc=pass header.from=example.com",),
    "in a comment": ("mx.example.org; dmarc=fail (dmarc=pass header.from=example.net)",),
    "of another method": ("mx.example.org; spf=pass header.from=example.net",),
    "twice": ("mx.example.org; dmarc=pass header.from=example.net; dmarc=fail",),
    "of a longer name": ("mx.example.org.evil; dmarc=pass header.from=example.net",),
    "in a reason": ('mx.example.org; dmarc=fail reason="; dmarc=pass header.from=example.net"',),
    "unclosed": ("mx.example.org; (; dmarc=pass header.from=example.net",),
}


def demanding(office: ClubByMail) -> Gateway:
    return Gateway(
        office.desk,
        ServerAddress(US),
        keys=lambda: KEYS,
        log=office.log.append,
        demands_dmarc=True,
        mail_server="mx.example.org",
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_forged_results_of_authentication_prove_nothing(
    office: ClubByMail, letter: Letter, name: str
) -> None:
    office.gateway = demanding(office)
    headers = [("Authentication-Results", text) for text in RESULTS[name]]
    outcome = office.mail(ALICE, letter.subject, "C2", to=letter.reply_to, headers=headers)

    assert outcome == "dropped"
    assert office.log[-1].reason == "no-dmarc"
    assert [] == office.collect()


def test_true_results_of_authentication_open_the_door(office: ClubByMail, letter: Letter) -> None:
    office.gateway = demanding(office)
    headers = [("Authentication-Results", "mx.example.org; dmarc=pass header.from=example.net")]

    assert "done" == office.mail(ALICE, letter.subject, "C2", to=letter.reply_to, headers=headers)

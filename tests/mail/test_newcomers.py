"""Newcomers by mail: letters to strangers are few, and no flood takes them from the honest."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from pbmserv.desk.tick import tick
from pbmserv.mail.gateway import Gateway
from pbmserv.store.mail import proof_queue
from pbmserv.store.mail.budgets import Purpose, Requester, max_letters
from pbmserv.store.mail.proof_queue import MAX_UNAUTHENTICATED, ProofRequest
from pbmserv.store.tables import budget
from tests.mail.server_by_mail import ClubByMail, Letter
from tests.store.sample_rows import NOW, add_player

SERVER = "mx.example.org"
DAY = 24 * 3600
WEEK = 7 * DAY


@pytest.fixture
def gate(office: ClubByMail) -> ClubByMail:
    """A server whose mail server is believed."""
    office.gateway = Gateway(
        office.desk,
        office.gateway.own,
        keys=office.gateway.keys,
        log=office.log.append,
        mail_server=SERVER,
    )
    return office


def vouched(address: str) -> list[tuple[str, str]]:
    domain = address.rpartition("@")[2]
    return [("Authentication-Results", f"{SERVER}; dkim=pass header.d={domain}")]


def from_net(number: int) -> list[tuple[str, str]]:
    return [("Received", f"from x (x [10.{number // 256}.{number % 256}.9]) by {SERVER}")]


def sign_up(
    office: ClubByMail, address: str, headers: Sequence[tuple[str, str]] = (), more: str = ""
) -> str:
    userid = address.replace("@", "-").replace(".", "-")[:24]
    return office.mail(address, f"signup {userid} secret-word {more}".strip(), headers=headers)


def written_to(letters: list[Letter]) -> list[str]:
    return [letter.to for letter in letters]


def test_a_signup_writes_to_its_sender_alone(office: ClubByMail) -> None:
    victims = " ".join(f"victim{number}@example.com" for number in range(9))
    sign_up(office, "mallory@example.net", more=victims)
    (welcome,) = office.collect()
    tick(office.desk)

    assert welcome.to == "mallory@example.net"
    assert office.collect() == []


def test_an_address_in_place_of_the_password_is_answered_with_the_syntax(
    office: ClubByMail,
) -> None:
    office.mail("fritz@example.net", "signup fritz fritz@example.net")
    (refusal,) = office.collect()

    assert refusal.to == "fritz@example.net"
    assert "There is a mail address in place of the password." in refusal.text
    assert "Syntax: pbmserv signup USERID PASSWORD [ADDRESS]..." in refusal.text


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("change password alice secret-alice a@b.example", "There is a mail address in place of"),
        ("change password alice secret-alice Secret-Alice", "must differ from the other words"),
        ("star move 101 alice F7", "Missing argument: PASSWORD."),
        ("add alice a@b.example", "Missing argument: PASSWORD."),
    ],
)
def test_a_slip_in_a_passwords_place_is_named_and_not_repeated(
    office: ClubByMail, line: str, told: str
) -> None:
    office.join("alice")
    office.collect()
    office.mail("alice@example.net", line)
    (refusal,) = office.collect()

    assert told in refusal.text
    assert not {"a@b.example", "Secret-Alice"} & {*refusal.text.split()}


def test_further_addresses_are_asked_once_the_first_is_proven(office: ClubByMail) -> None:
    sign_up(office, "alice@example.net", more="a2@example.com a3@example.com")
    (welcome,) = office.collect()
    office.reply(welcome)
    office.collect()
    asked = tick(office.desk).newcomers
    letters = office.collect()
    outcomes = [office.reply(letter) for letter in letters]
    tick(office.desk)

    assert sorted(written_to(letters)) == ["a2@example.com", "a3@example.com"]
    assert {letter.subject for letter in letters} == {
        "Please confirm your address for alice-example-net"
    }
    assert outcomes == ["verified"] * asked == ["verified"] * 2


def test_who_unsubscribes_from_the_question_gets_no_mail_until_they_answer(
    office: ClubByMail,
) -> None:
    sign_up(office, "alice@example.net", more="victim@example.com")
    office.reply(office.collect()[0])
    tick(office.desk)
    question = office.collect()[-1]
    link = urlsplit(str(question.message["List-Unsubscribe"]).strip("<>"))
    words = parse_qs(link.query)["subject"][0]
    outcome = office.mail("victim@example.com", words, to=unquote(link.path))
    office.mail("victim@example.com", "star standings alice-example-net secret-word")
    office.mail("alice@example.net", "add alice-example-net secret-word victim@example.com")
    tick(office.desk)
    silent = written_to(office.collect())

    assert (outcome, "victim@example.com" in silent) == ("unsubscribed", False)
    assert office.reply(question, "Yes.") == "verified"
    assert written_to(office.collect()) == ["victim@example.com"]


def test_an_address_is_written_to_once_a_week_and_asks_again(office: ClubByMail) -> None:
    told = []
    for _ in range(9):
        assert sign_up(office, "alice@example.net") == "done"
        tick(office.desk)
        told.append(len(office.collect()))
        office.clock.seconds += DAY

    assert sum(told) == 2
    assert told[0] == 1


@pytest.mark.costly
def test_one_domain_takes_ten_letters_a_day(office: ClubByMail) -> None:
    for number in range(40):
        sign_up(office, f"forged{number}@flood.example")
    first = written_to(office.collect())
    sign_up(office, "alice@example.net")

    assert len(first) == 10
    assert written_to(office.collect()) == ["alice@example.net"]


@pytest.mark.costly
def test_one_net_takes_ten_letters_a_day_where_our_own_server_names_it(gate: ClubByMail) -> None:
    for number in range(30):
        sign_up(gate, f"forged@flood{number}.example", from_net(7))
    flooded = len(gate.collect())
    sign_up(gate, "alice@example.net", from_net(8))

    assert flooded == 10
    assert written_to(gate.collect()) == ["alice@example.net"]
    gate.clock.seconds += DAY
    tick(gate.desk)
    assert len(gate.collect()) == 10, "of those who wait, too"


def test_commands_in_somebodys_name_are_no_commands_of_whom_our_server_vouches_for(
    gate: ClubByMail,
) -> None:
    gate.join("alice", "bob")
    with gate.desk.store.writing() as records:
        for _ in range(max_letters(Purpose.COMMAND)):
            records.budgets.allow(Purpose.COMMAND, Requester("Alice@example.net"), gate.clock.now())
    line, sender = "digest alice wrong-secret on", "alice@example.net"

    assert gate.mail(sender, line) == "too-many-commands"
    assert gate.mail(sender, line, headers=vouched(sender)) == "wrong-login"
    assert gate.mail("bob@example.net", line) == "wrong-login"


@pytest.mark.slow
def test_a_part_of_the_budget_is_kept_for_authenticated_domains(gate: ClubByMail) -> None:
    for number in range(120):
        sign_up(gate, f"forged@flood{number}.example")
    flooded = len(gate.collect())
    sign_up(gate, "alice@example.net", vouched("alice@example.net"))

    assert flooded == 50
    assert written_to(gate.collect()) == ["alice@example.net"]


@pytest.mark.slow
def test_what_exceeds_the_budget_waits_and_is_served_fairly_by_domain(office: ClubByMail) -> None:
    for number in range(100):
        sign_up(office, f"forged{number}@flood.example")
    sign_up(office, "first@flood2.example")
    office.collect()
    served: list[Counter[str]] = []
    for _ in range(8):
        office.clock.seconds += DAY
        tick(office.desk)
        served.append(Counter(to.rpartition("@")[2] for to in written_to(office.collect())))

    assert [day["flood.example"] for day in served] == [10] * 6 + [0, 0]


@pytest.fixture
def flooded(office: ClubByMail) -> ClubByMail:
    """A server whose budget for the day is used up, and whose queue is full."""
    with office.desk.store.writing() as records:
        player = add_player(records, "somebody")
        for number in range(100):
            address = f"a@d{number}.example"
            records.budgets.allow(Purpose.WELCOME, Requester(address), office.clock.now())
        for number in range(MAX_UNAUTHENTICATED):
            address = f"b@d{number}.example"
            records.proof_queue.add(
                ProofRequest(address, player.id, "", is_authenticated=False, asked_at=NOW)
            )
    return office


def test_a_newcomer_for_whom_there_is_no_room_has_no_account(flooded: ClubByMail) -> None:
    assert sign_up(flooded, "late@example.net") == "too-many-newcomers"
    with flooded.desk.store.reading() as records:
        assert records.players.find("late-example-net") is None


@pytest.mark.costly
def test_who_asks_again_is_served_in_a_flood_of_ever_new_domains(flooded: ClubByMail) -> None:
    first = sign_up(flooded, "alice@example.net")
    at_once = sign_up(flooded, "alice@example.net")
    silence = flooded.collect()
    flooded.clock.seconds += 15 * 60
    forged = sign_up(flooded, "forged@d1000.example")
    again = sign_up(flooded, "alice@example.net")
    (welcome,) = flooded.collect()

    assert {first, at_once, forged} == {"too-many-newcomers"}
    assert silence == []
    assert again == "done"
    assert welcome.to == "alice@example.net"
    assert flooded.reply(welcome) == "verified"


@pytest.mark.costly
def test_who_waits_in_the_queue_is_served_when_they_ask_again(office: ClubByMail) -> None:
    for number in range(11):
        sign_up(office, f"somebody{number}@example.net")
    silence = "somebody10@example.net" not in written_to(office.collect())
    office.clock.seconds += 15 * 60
    sign_up(office, "somebody10@example.net")
    told = written_to(office.collect())
    with office.desk.store.reading() as records:
        left = records.proof_queue.waiting(office.clock.now())

    assert (silence, told, left) == (True, ["somebody10@example.net"], [])


@pytest.mark.costly
def test_no_more_than_twenty_who_ask_again_are_served_beyond_the_others(
    flooded: ClubByMail,
) -> None:
    with flooded.desk.store.writing() as records:
        for number in range(30):
            records.latecomers.note(f"c@d{number}.example", flooded.clock.now())
    flooded.clock.seconds += 15 * 60
    for number in range(30):
        sign_up(flooded, f"c@d{number}.example")

    assert len(flooded.collect()) == 20


def test_what_is_remembered_of_a_flood_is_bounded(
    office: ClubByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_queue, "PLACES", 8)
    kind = budget.c.kind == "asked in vain"
    with office.desk.store.writing() as records:
        memory = records.latecomers
        for number in range(240):
            memory.note(f"forged@flood{number}.example", NOW)
        kept = records.connection.execute(budget.select().where(kind)).all()
        last, other = (
            memory.may_retry(f"forged@flood{number}.example", NOW + 15 * 60)
            for number in (239, 1000)
        )

    assert len(kept) == 8
    assert (last, other) == (True, False)

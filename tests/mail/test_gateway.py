"""The gateway as a whole: what is dropped, what is answered, what bounces, and how often."""

from dataclasses import replace
from random import Random

import pytest

from pbmserv.club.letter import TokenScope
from pbmserv.errors import Paused
from pbmserv.mail.bounces import ANSWERED
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.tokens import address_with, make_bounce_token, make_token
from pbmserv.render.service_letters import trial_letter
from tests.databases import made_once
from tests.mail.costly_mails import bombs
from tests.mail.hostile_mails import hostile_mail
from tests.mail.server_by_mail import OPERATOR, US, ClubByMail, Letter, written

ALICE, BOB, EVE = "alice@example.net", "bob@example.net", "eve@example.com"


@pytest.fixture
@made_once
def club(office: ClubByMail) -> ClubByMail:
    office.join("alice", "bob")
    return office


def recipients(letters: list[Letter]) -> list[str]:
    return sorted(letter.to for letter in letters)


def outcomes(office: ClubByMail) -> list[str]:
    with office.desk.store.reading() as records:
        return [arrival.outcome for arrival in records.lists.arrivals().rows]


def test_the_inbox_tells_how_each_mail_ended(club: ClubByMail) -> None:
    lines = ["star challenge alice secret-alice bob", "star show 999", "nonsense", "games"]
    told = [club.mail(ALICE, line) for line in lines]

    assert told[0] == "done"
    assert "done" not in told[1:]
    assert sorted(outcomes(club)[:4]) == sorted(told)


@pytest.mark.slow
def test_strangers_for_whom_nobody_vouches_get_seventy_answers_a_day(office: ClubByMail) -> None:
    for number in range(120):
        office.mail(f"s{number}@{number}.example", "help")

    assert len(office.collect()) == 70


def test_many_signups_with_one_address_write_to_it_once(office: ClubByMail) -> None:
    for number in range(8):
        office.mail("victim@example.com", f"signup user{number} secret-word")
    office.mail("mallory@example.com", "signup mallory secret-word victim@example.com")

    assert recipients(office.collect()) == ["mallory@example.com", "victim@example.com"]


def test_a_taken_userid_is_told_to_a_stranger(club: ClubByMail) -> None:
    outcome = club.mail("other@example.com", "signup alice another-word")
    (letter,) = club.collect()

    assert outcome == "userid-taken"
    assert (letter.to, letter.subject) == ("other@example.com", "pbmserv: not accepted")
    assert "another-word" not in letter.message.as_string()


@pytest.mark.costly
def test_ten_errors_a_day_are_told(club: ClubByMail) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    club.collect()
    for _ in range(15):
        club.mail(ALICE, "star move 101 alice secret-alice Z99")

    assert recipients(club.collect()) == [ALICE] * 10


def test_an_address_must_be_proven_by_a_reply_from_it(office: ClubByMail) -> None:
    office.mail("mallory@example.com", "signup mallory secret-word m@example.com v@example.com")
    (first,) = office.collect()
    stolen = office.mail("v@example.com", "Re: Welcome mallory", to=first.reply_to)
    with office.desk.store.reading() as records:
        (victim,) = records.addresses.holders("v@example.com")

    assert first.to == "mallory@example.com"
    assert stolen == "bad-token"
    assert not victim.is_open


def test_machines_are_dropped_in_silence_and_leave_their_reason(club: ClubByMail) -> None:
    kinds = {
        "auto-submitted": ("Auto-Submitted", "auto-replied"),
        "precedence": ("Precedence", "bulk"),
        "list-header": ("List-Id", "<stars.example.org>"),
        "x-loop": ("X-Loop", US),
        "responder": ("X-Autoreply", "yes"),
    }
    for header in kinds.values():
        assert club.mail(ALICE, "list", headers=[header]) == "dropped"

    assert [h.reason for h in club.log[-5:]] == list(kinds)
    assert outcomes(club)[:5] == [f"dropped: {kind}" for kind in reversed(kinds)]
    assert club.collect() == []


def bounce(office: ClubByMail, letter: Letter, status: str = "5.1.1", *, sender: str = "") -> str:
    """Return a letter to its envelope sender as a mail server does that cannot deliver it."""
    report = (
        f"From: MAILER-DAEMON@example.net\r\nTo: {letter.sent.sender}\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n'
        "\r\n--b\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n"
        f"Final-Recipient: rfc822; {letter.to}\r\nAction: failed\r\nStatus: {status}\r\n\r\n"
        "--b--\r\n"
    )
    office.receive(report.encode(), Envelope(recipient=letter.sent.sender, sender=sender))
    return office.log[-1].reason


def news_for_bob(office: ClubByMail, count: int) -> list[Letter]:
    for _ in range(count):
        office.mail(ALICE, "star challenge alice secret-alice bob")
    return [letter for letter in office.collect() if letter.to == BOB]


@pytest.mark.costly
def test_after_three_bounces_mail_stops_and_those_concerned_are_told(club: ClubByMail) -> None:
    letters = news_for_bob(club, 3)
    reasons = [bounce(club, letter) for letter in (letters[0], *letters)]
    told = {letter.to: letter.text for letter in club.collect()}

    assert reasons == ["counted", "counted-before", "counted", "stopped"]
    assert told.keys() == {ALICE, OPERATOR}
    assert "bob cannot be reached" not in told[ALICE]
    assert BOB not in told[ALICE]
    assert BOB in told[OPERATOR]
    assert news_for_bob(club, 1) == []


@pytest.mark.costly
def test_bounces_that_are_not_final_or_not_signed_change_nothing(club: ClubByMail) -> None:
    letters = news_for_bob(club, 6)
    codes = ("4.4.1", "2.5.0", "4.5.5", "50.1.1", "5", "4.4.1")
    delayed = [bounce(club, *each) for each in zip(letters, codes, strict=True)]
    forged = []
    for number in range(1, 9):
        key = club.keyring.signing_keys(0)[0]
        token = make_bounce_token([type(key)(key.id, b"x" * 32)], number)
        forged.append(club.mail("", "", to=address_with(US, token)))
    with club.desk.store.reading() as records:
        (bob,) = records.addresses.holders(BOB)

    assert delayed == ["not-final"] * 6
    assert set(forged) == {"dropped"}
    assert bob.is_open
    assert bob.hard_bounces == 0


def test_what_else_comes_back_to_a_letter_is_no_report_but_of_a_trial_its_answer(
    club: ClubByMail,
) -> None:
    (letter,) = news_for_bob(club, 1)
    with club.desk.store.writing() as records:
        records.outbox.post([trial_letter(BOB)], club.clock.now())
    (trial,) = club.collect()
    (key,) = club.keyring.signing_keys(0)
    nothing = address_with(US, make_bounce_token([key], 999))
    seen = []
    for to in (letter.sent.sender, nothing, trial.sent.sender):
        club.mail(BOB, "I am away", to=to)
        seen.append(club.log[-1].reason)
    with club.desk.store.reading() as records:
        (bob,) = records.addresses.holders(BOB)
        (answer,) = [one for one in records.lists.arrivals().rows if one.outcome == ANSWERED]

    assert seen == ["no-report", "no-report", "trial-answered"]
    assert (bob.hard_bounces, answer.door, answer.sender) == (0, "test", BOB)
    assert bounce(club, replace(letter, sent=replace(letter.sent, sender=nothing))) == (
        "no-such-letter"
    )


@pytest.mark.costly
def test_an_address_that_is_gone_is_told_to_opponents_at_their_proven_addresses(
    club: ClubByMail,
) -> None:
    club.join("carol")
    for line in (
        "add alice secret-alice alice@other.example",
        "star challenge carol secret-carol bob",
        "star challenge carol secret-carol alice",
    ):
        club.mail("carol@example.net" if "carol" in line else ALICE, line)
    club.collect()
    letters = news_for_bob(club, 3)
    club.collect()
    for letter in letters:
        bounce(club, letter)
    told = club.collect()

    assert recipients(told) == [ALICE, "carol@example.net", OPERATOR]
    assert {letter.subject for letter in told} == {"pbmserv: bob cannot be reached"}
    assert all("3 mails to an address of bob bounced." in letter.text for letter in told)


def test_nobody_can_burn_the_message_id_of_another(club: ClubByMail) -> None:
    headers = [("References", "<x@y>")]
    raw = f"From: {ALICE}\r\nMessage-ID: <same@example.net>\r\nSubject: "
    strange = raw.replace(ALICE, "stranger@example.com") + "help\r\n\r\n"
    forged = raw + "star showas bob secret-bob\r\n\r\n"
    mine = raw + "star showas alice secret-alice\r\n\r\n"
    ended = [
        club.receive(text.encode(), Envelope(sender=ALICE))
        for text in (strange, forged, mine, mine)
    ]

    assert headers
    assert ended == ["done", "done", "done", "duplicate"]


@pytest.mark.parametrize("subject", ["multiple", ""])
def test_nor_by_the_same_subject_over_other_words(club: ClubByMail, subject: str) -> None:
    raw = f"From: {ALICE}\r\nMessage-ID: <same@example.net>\r\nSubject: {subject}\r\n\r\n"
    lines = ("star showas alice secret-wrong", "star showas alice secret-alice")
    ended = [club.receive(f"{raw}{line}\r\n".encode(), Envelope(sender=ALICE)) for line in lines]

    assert ended == (["wrong-login", "done"] if subject else ["no-subject"] * 2)


def test_a_changed_password_is_told_once(club: ClubByMail) -> None:
    outcome = club.mail(ALICE, "change password alice secret-alice another-word", times=4)

    assert outcome == "done"
    assert recipients(club.collect()) == [ALICE]
    assert [h.outcome for h in club.log[-3:]] == ["duplicate"] * 3


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("subject", ["multiple", "MULTIPLE", "Multiple"])
def test_several_commands_in_one_mail(club: ClubByMail, subject: str) -> None:
    body = """
        star challenge alice secret-alice bob -size=3
        star move 101 alice secret-alice C2
        star move 101 bob secret-alice D1
        list
        """
    outcome = club.mail(ALICE, subject, body, times=3)
    letters = club.collect()
    (transcript,) = [letter for letter in letters if "commands done" in letter.subject]
    text = transcript.text.replace("\r", "")

    assert outcome == "wrong-login"
    assert recipients(letters) == [ALICE] * 2 + [BOB]
    assert "New board. It is your turn." in next(each.text for each in letters if each.to == BOB)
    assert transcript.subject == "pbmserv: 2 of 4 commands done"
    assert "1. star challenge: done" in text
    assert "3. star move: refused\n   The userid or the password is wrong." in text
    assert "4. command: not tried" in text
    assert "secret" not in text


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("subject", ["multiple", "{} multiple", "Re: {} Multiple"])
def test_several_commands_may_answer_a_letter_whatever_else_its_subject_says(
    club: ClubByMail, subject: str
) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    letter = next(letter for letter in club.collect() if letter.to == ALICE)
    subject = subject.format(letter.subject)
    lines = [
        "star move 101 alice secret-alice C2",
        "star move 101 bob secret-bob D1",
        "star move 101 alice secret-alice B2",
    ]

    assert "done" == club.reply(letter, "\n".join(lines[:2]), subject=subject)
    titles = [each.subject for each in club.collect()]
    assert "pbmserv: 2 of 2 commands done" in titles
    assert "done" == club.reply(letter, lines[2], subject=subject)
    assert "no-commands" == club.reply(letter, subject=subject)


def test_an_account_can_be_opened_and_used_in_one_mail(office: ClubByMail) -> None:
    body = (
        "signup dora secret-dora\n"
        "star challenge dora secret-dora dora -size=3\n"
        "star move 101 dora secret-dora C2\n"
    )

    assert office.mail("dora@example.net", "multiple", body, times=3) == "done"
    assert [handled.outcome for handled in office.log[1:]] == ["duplicate"] * 2


def test_wrong_passwords_make_the_next_wait(club: ClubByMail) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    letter = next(letter for letter in club.collect() if letter.to == ALICE)
    wrong = [club.mail(EVE, f"star move 101 alice wrong-pass-{n} C2") for n in range(7)]
    right = club.mail(EVE, "star move 101 alice secret-alice C2")
    by_token = club.reply(letter, "C2")
    club.clock.seconds += 61

    assert wrong == ["wrong-login"] * 5 + ["wait-for-password"] * 2
    assert right == "wait-for-password"
    assert by_token == "done"
    assert club.mail(ALICE, "star showas alice secret-alice") == "done"


def test_a_mail_that_comes_often_counts_one_wrong_password(club: ClubByMail) -> None:
    club.mail(ALICE, "star showas alice wrong-password", times=9)

    assert club.mail(ALICE, "star showas alice secret-alice") == "done"


@pytest.mark.parametrize("subject", ["", "Re:", "   ", "**", "Fwd: [tag]"])
def test_a_mail_without_a_command_is_told(club: ClubByMail, subject: str) -> None:
    assert club.mail(ALICE, subject, "F6") in {"no-subject", "incomplete-command"}
    assert recipients(club.collect()) == [ALICE]


def test_an_older_letter_is_told_to_be_stale(club: ClubByMail) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    first = club.collect()
    alice = next(letter for letter in first if letter.to == ALICE)
    club.reply(alice, "C2")
    club.collect()
    outcome = club.reply(alice, "D1")
    (letter,) = club.collect()

    assert outcome == "stale-token"
    assert letter.subject == "Star Board 101 alice"
    assert "has changed" in letter.text


@pytest.mark.parametrize(
    ("subject", "outcome", "moves"),
    [
        ("star move 101 alice secret-alice C2", "done", ["C2"]),
        ("Re: Star Board 101 alice secret-alice C2", "done", ["C2"]),
        ("Re: Star Board 101 alice C2", "bad-token", []),
        ("C2", "bad-token", []),
        ("star move 101 alice secret-wrong C2", "wrong-login", []),
    ],
)
def test_to_an_address_that_no_longer_works_a_password_is_still_good(
    club: ClubByMail, subject: str, outcome: str, moves: list[str]
) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    (key,) = club.keyring.signing_keys(0)
    token = make_token([type(key)(key.id, b"x" * 32)], TokenScope(1, 1, 0))

    assert club.mail(ALICE, subject, to=address_with(US, token)) == outcome
    with club.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    assert match is not None
    assert [turn.text for turn in match.turns] == moves


@pytest.mark.parametrize("sender", [ALICE, EVE])
@pytest.mark.parametrize("has_token", [True, False])
def test_of_strangers_only_who_answers_a_letter_is_noted_when_dropped(
    club: ClubByMail, sender: str, *, has_token: bool
) -> None:
    to = address_with(US, "a" * 45) if has_token else US
    before = outcomes(club)
    assert club.mail(sender, "list", to=to, headers=[("Precedence", "bulk")]) == "dropped"
    new = outcomes(club)[: -len(before) or None]
    with club.desk.store.reading() as records:
        counted = [
            (each.reason, each.mails) for each in records.ignored_mail.counts(club.clock.now())
        ]

    is_noted = has_token or sender == ALICE
    assert new == (["dropped: precedence"] if is_noted else [])
    assert counted == ([] if is_noted else [("precedence", 1)])


LASTING = ["chat\n\nThank you!", "unsubscribe"]


def older_letter(club: ClubByMail) -> Letter:
    """Return a letter to alice from before her first move."""
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    letter = next(letter for letter in club.collect() if letter.to == ALICE)
    assert club.reply(letter, "C2") == "done"
    club.collect()
    return letter


@pytest.mark.parametrize("text", LASTING)
def test_an_older_letter_is_good_for_leaving_and_talking(club: ClubByMail, text: str) -> None:
    assert club.reply(older_letter(club), text) == "done"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("text", ["resign", *LASTING])
def test_an_older_letter_is_good_for_nothing_once_the_game_is_over(
    club: ClubByMail, text: str
) -> None:
    letter = older_letter(club)
    club.mail(BOB, "star resign 101 bob secret-bob")

    assert club.reply(letter, text) == "stale-token"


@pytest.mark.slow
def test_hostile_mails_end_well(club: ClubByMail, full: bool) -> None:  # noqa: FBT001
    rng = Random(5)
    mails = [hostile_mail(rng) for _ in range(100_000 if full else 75)]
    mails += list(bombs().values())
    for data in mails:
        outcome = club.receive(data, Envelope(recipient=US, sender=ALICE))
        assert outcome
        club.clock.seconds += 60
    for letter in club.collect():
        assert letter.to in {ALICE, BOB}


def test_a_mail_during_maintenance_is_kept_and_done_once_afterwards(club: ClubByMail) -> None:
    data = written(ALICE, "star challenge -size=3 alice bob", "Hello", number=99)
    envelope = Envelope(recipient=US, sender=ALICE)
    with club.desk.store.writing(for_operators=True) as records:
        records.maintenance.begin(club.clock.now())
    with pytest.raises(Paused):
        club.receive(data, envelope)
    with club.desk.store.writing(for_operators=True) as records:
        records.maintenance.end()
    again = [club.receive(data, envelope) for _ in range(2)]

    assert again[1] == "duplicate"
    assert again[0] != "duplicate"

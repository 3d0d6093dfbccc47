import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.player import parse_address
from pbmserv.mail.inbound import Incoming, read_mail
from pbmserv.mail.sender import addresses_in, sender_address

from .sample_mails import ALICE, mail

ALICES = [
    ALICE,
    f"<{ALICE}>",
    f"Alice <{ALICE}>",
    f"Alice<{ALICE}>",
    f"  Alice B. Clever\t<{ALICE}>  ",
    f'"Clever, Alice" <{ALICE}>',
    f'"Alice \\"the star\\" Clever" <{ALICE}>',
    f'"{ALICE}" <{ALICE}>',
    f"=?utf-8?q?Al=C3=AFce?= <{ALICE}>",
    f"=?utf-8?q?Cl=C3=A9ver=2C_Al=C3=AFce?= <{ALICE}>",
    f"=?utf-8?b?w4lsaWNl?=\n =?utf-8?q?Clever?= <{ALICE}>",
    f"Alice\n <{ALICE}>",
    f"Alice\r\n\t<{ALICE}>",
    f"O'Hara-Smith <{ALICE}>",
    f"{ALICE} (Alice)",
    f"{ALICE} (Alice B. Clever)",
    f"{ALICE}\n (Alice)",
    f"{ALICE} (=?iso-8859-1?q?Al=EFce?=)",
    f'"Alice @ Home" <{ALICE}>',
    f"=?utf-8?q?Al=C3=AFce_=40_Home?= <{ALICE}>",
]


@pytest.mark.parametrize("value", ALICES)
def test_a_mailbox_as_mail_programs_write_it_is_read(value: str) -> None:
    incoming = read_mail(mail(sender=value))

    assert isinstance(incoming, Incoming)
    assert incoming.sender == ALICE


EVE = "eve@example.com"
FORGERIES = {
    "nobody": "From:",
    "no address": "From: Alice",
    "an empty address": "From: <>",
    "a display name with an address": f"From: {ALICE} <{EVE}>",
    "a quoted one": f'From: "{ALICE}" <{EVE}>',
    "a quoted one in angles": f'From: "Alice <{ALICE}>" <{EVE}>',
    "a quoted one behind a name": f'From: "Alice ({ALICE})" <{EVE}>',
    "an address hidden in q": f"From: =?utf-8?q?alice=40example.org?= <{EVE}>",
    "an address hidden in b": f"From: =?utf-8?b?YWxpY2VAZXhhbXBsZS5vcmc=?= <{EVE}>",
    "an address hidden in two words": f"From: =?utf-8?q?alice=40?= =?utf-8?q?example.org?= <{EVE}>",
    "an address hidden in quotes": f'From: "=?utf-8?q?alice=40example.org?=" <{EVE}>',
    "an address hidden in latin-1": f"From: =?iso-8859-1?q?alice=40example.org?= <{EVE}>",
    "an address hidden in utf-16": f"From: =?utf-16be?b?AGEAbABpAGMAZQBA?= <{EVE}>",
    "an unknown character set": f"From: =?utf-7?q?alice+AEA-example.org?= <{EVE}>",
    "an encoded word with rubbish": f"From: =?utf-8?b?A?= <{EVE}>",
    "an encoded mailbox": "From: =?utf-8?q?Alice_=3Calice=40example.org=3E?=",
    "an encoded address in angles": "From: <=?utf-8?q?alice?=@example.org> x",
    "an encoded angle": f"From: =?utf-8?q?a=3C?= <{EVE}>",
    "an encoded line break": f"From: =?utf-8?q?Alice=0AFrom=3A?= <{EVE}>",
    "an encoded null": f"From: =?utf-8?q?Alice=00?= <{EVE}>",
    "two addresses": f"From: {ALICE}, {EVE}",
    "two addresses the other way round": f"From: {EVE}, {ALICE}",
    "two mailboxes": f"From: Alice <{ALICE}>, Eve <{EVE}>",
    "one address twice": f"From: {ALICE}, {ALICE}",
    "two addresses without a comma": f"From: {ALICE} {EVE}",
    "two angles": f"From: <{ALICE}> <{EVE}>",
    "nested angles": f"From: <{ALICE} <{EVE}>>",
    "joined angles": f"From: <{ALICE}><{EVE}>",
    "an angle in the address": f"From: {ALICE}<{EVE}",
    "an open angle": f"From: <{ALICE}",
    "a closed angle": f"From: {ALICE}>",
    "a bracket": f"From: {ALICE}]<{EVE}>",
    "an address and a bracket": "From: a@x]<b@y>",
    "words behind the address": f"From: <{ALICE}> Alice",
    "a trailing comma": f"From: {ALICE},",
    "a leading comma": f"From: ,{ALICE}",
    "a semicolon": f"From: {ALICE};",
    "a group": f"From: Players: {ALICE};",
    "an empty group": "From: Players:;",
    "a group of one in angles": f"From: Players: Alice <{ALICE}>;",
    "a route": f"From: <@example.com:{ALICE}>",
    "a route behind a percent": f"From: <{ALICE}@example.com>",
    "a comment with another address": f"From: {EVE} ({ALICE})",
    "a comment with an encoded address": f"From: {EVE} (=?utf-8?q?alice=40example.org?=)",
    "a comment that ends early": f"From: {ALICE} (Alice",
    "two comments": f"From: {ALICE} (Alice) (Eve)",
    "a comment and another address": f"From: {ALICE} (Alice) <{EVE}>",
    "a display name with blanks in an address": f'From: "alice @ example.org" <{EVE}>',
    "a comment in front": f"From: (Alice) {ALICE}",
    "a comment with an address": f"From: ({ALICE}) {EVE}",
    "a comment inside": "From: alice(x)@example.org",
    "a comment in angles": f"From: <{ALICE}(x)>",
    "an open comment": f"From: ({ALICE}",
    "nested comments": f"From: (a (b {ALICE}) {EVE}",
    "an open quote": f'From: "Alice <{ALICE}>',
    "an escaped quote": f'From: "Alice\\" <{ALICE}>',
    "a quoted local part": 'From: "alice"@example.org',
    "a quoted local part with an at": f'From: "{ALICE}"@example.com',
    "a quoted blank": 'From: "alice "@example.org',
    "a blank in the address": "From: alice @example.org",
    "a blank behind the at": "From: alice@ example.org",
    "a blank in angles": f"From: < {ALICE}>",
    "a fold in the address": "From: alice@example\n .org",
    "a tab in the address": "From: alice\t@example.org",
    "an address literal": "From: alice@[127.0.0.1]",
    "a trailing dot": f"From: {ALICE}.",
    "two dots": "From: alice@example..org",
    "a leading dot": "From: .alice@example.org",
    "two dots in the name": "From: al..ice@example.org",
    "no domain": "From: alice@",
    "no name": "From: @example.org",
    "two ats": "From: alice@@example.org",
    "a domain with an underscore": "From: alice@ex_ample.org",
    "a domain with a dash in front": "From: alice@-example.org",
    "a backslash": "From: alice\\@example.org",
    "a null": "From: alice\0@example.org",
    "a null at the end": f"From: {ALICE}\0",
    "a carriage return": f"From: {ALICE}\rFrom: {EVE}",
    "a letter of another script": "From: аlice@example.org",  # noqa: RUF001 - that is the trick
    "a domain of another script": "From: alice@exаmple.org",  # noqa: RUF001
    "a wide at": "From: alice\uff20example.org",
    "a zero-width blank": "From: alice\u200b@example.org",
    "a text turned round": f"From: \u202egro.elpmaxe@ecila <{EVE}>",
    "a name beyond ASCII": f"From: Älice <{ALICE}>",
    "bytes that are no text": f"From: \udcff <{ALICE}>",
    "a domain in capitals beyond ASCII": "From: alice@EXAMPLE.ORG\u0130",
    "an address too long": f"From: {'a' * 65}@example.org",
    "two headers": f"From: {ALICE}\nFrom: {EVE}",
    "two headers the other way round": f"From: {EVE}\nFrom: {ALICE}",
    "two headers alike": f"From: {ALICE}\nFrom: {ALICE}",
    "two headers, one with a blank": f"From : {ALICE}\nFROM: {EVE}",
    "two headers, one with a tab": f"From\t: {ALICE}\nfrom: {EVE}",
    "two headers, one empty": f"From:\nFrom: {ALICE}",
    "Sender only": f"Sender: {ALICE}",
    "Reply-To only": f"Reply-To: {ALICE}",
    "Resent-From only": f"Resent-From: {ALICE}",
    "X-From only": f"X-From: {ALICE}",
    "Return-Path only": f"Return-Path: <{ALICE}>",
    "a From header in the body": f"To: x\n\nFrom: {ALICE}",
    "a From header in a folded line": f"To: x\n From: {ALICE}",
    "a mailbox file's line": f"From {ALICE} Mon Nov  3 10:00:00 2025\nTo: x",
}


@pytest.mark.parametrize("header", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_sender_is_nobody(header: str) -> None:
    data = header.encode("utf-8", "surrogateescape") + b"\nSubject: help\n\n"
    incoming = read_mail(data)

    assert isinstance(incoming, Incoming)
    assert incoming.sender is None


@pytest.mark.parametrize(
    "header", [f"Sender: {ALICE}", f"Reply-To: {ALICE}", f"Resent-From: {ALICE}", f"Cc: {ALICE}"]
)
def test_no_header_but_from_says_who_acts(header: str) -> None:
    incoming = read_mail(mail(header, sender=EVE))

    assert isinstance(incoming, Incoming)
    assert incoming.sender == EVE


def test_there_are_many_forgeries() -> None:
    assert len(FORGERIES) >= 60


@given(st.text(st.sampled_from('ab@.<>"\\()=? ,:;\t\r\n_-[]é'), max_size=40))
def test_a_sender_is_a_plain_address_that_stands_in_the_header(value: str) -> None:
    sender = sender_address([value])

    if sender is not None:
        assert sender == parse_address(sender)
        assert sender in value
        assert value.count(f"<{sender}>") == 1 or sender == value.strip()


def test_addresses_are_found_wherever_they_stand() -> None:
    found = addresses_in([f'"a, b" <{ALICE}>, eve@example.com (x@y), {ALICE}', "z@example.net"])

    assert found == (ALICE, "eve@example.com", "x@y", "z@example.net")


def test_at_most_a_hundred_addresses_are_looked_at() -> None:
    found = addresses_in([", ".join(f"p{n}@example.org" for n in range(1000))])

    assert len(found) == 100

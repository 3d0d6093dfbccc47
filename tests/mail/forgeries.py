"""Forged mails: each would move for alice if any trick with names or tokens worked."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.header import Header

from pbmserv.club.letter import TokenScope
from pbmserv.mail.tokens import Key, address_claim, address_with, make_bounce_token, make_token
from tests.mail.server_by_mail import US

ALICE, BOB, MALLORY = (f"{userid}@example.net" for userid in ("alice", "bob", "mallory"))
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
KEYS = [Key(7, b"k" * 32)]


@dataclass(frozen=True)
class Scene:
    """What a forger may know: numbers, a token of alice's that leaked, and their own."""

    match_id: int
    other_match_id: int
    revision: int
    alice: int
    bob: int
    mallory: int

    def token(self, player: int, match_id: int | None = None, revision: int | None = None) -> str:
        claim = TokenScope(
            self.match_id if match_id is None else match_id,
            player,
            self.revision if revision is None else revision,
        )
        return make_token(KEYS, claim)


@dataclass(frozen=True)
class Forgery:
    """One mail: its headers but the Message-ID, its text, and whom the envelope names."""

    name: str
    headers: tuple[str, ...]
    text: str = "C2"
    recipient: str = US

    def data(self, number: int) -> bytes:
        lines = [*self.headers, f"Message-ID: <forged.{number}@example.net>", "", self.text, ""]
        return "\r\n".join(lines).encode("utf-8", "surrogateescape")


def forgeries(scene: Scene) -> Iterator[Forgery]:
    """Yield every forgery."""
    yield from _senders(scene)
    yield from _tokens(scene)
    yield from _passwords()


def _senders(scene: Scene) -> Iterator[Forgery]:
    """A right token of alice's, sent by somebody who is not alice."""
    to = address_with(US, scene.token(scene.alice))
    encoded = Header(f"{ALICE} <{ALICE}>", "utf-8").encode()
    froms = {
        "plain": (f"From: {MALLORY}",),
        "display name": (f'From: "{ALICE}" <{MALLORY}>',),
        "display name in angles": (f'From: "<{ALICE}>" <{MALLORY}>',),
        "encoded name": (f"From: {encoded} <{MALLORY}>",),
        "two headers": (f"From: {ALICE}", f"From: {MALLORY}"),
        "two headers, turned": (f"From: {MALLORY}", f"From: {ALICE}"),
        "two addresses": (f"From: {ALICE}, {MALLORY}",),
        "two addresses, turned": (f"From: {MALLORY}, {ALICE}",),
        "group": (f"From: friends: {ALICE};",),
        "bracket": ("From: alice@example.net]<mallory@example.net>",),
        "two angles": (f"From: <{ALICE}> <{MALLORY}>",),
        "nested angles": (f"From: <<{ALICE}>{MALLORY}>",),
        "comment": (f"From: {MALLORY} ({ALICE})",),
        "comment first": (f"From: ({MALLORY}) {ALICE}",),
        "quoted local part": ('From: "alice"@example.net',),
        "quoted with at": (f'From: "{ALICE}"@example.org',),
        "route": (f"From: <@example.org:{ALICE}>",),
        "percent": ("From: alice%example.net@example.org",),
        "bang": ("From: example.net!alice",),
        "subdomain": ("From: alice@example.net.example.org",),
        "suffix": ("From: alice@example.nett",),
        "prefix": ("From: xalice@example.net",),
        "plus": ("From: alice+x@example.net",),
        "dot": ("From: alice.@example.net",),
        "literal": ("From: alice@[127.0.0.1]",),
        "zero width": ("From: alice\u200b@example.net",),
        "cyrillic": ("From: \u0430lice@example.net",),
        "null": ("From: <>",),
        "none": (f"To: {US}",),
        "Sender only": (f"Sender: {ALICE}",),
        "Sender beside": (f"From: {MALLORY}", f"Sender: {ALICE}"),
        "Reply-To only": (f"Reply-To: {ALICE}",),
        "Reply-To beside": (f"From: {MALLORY}", f"Reply-To: {ALICE}"),
        "Resent-From": (f"From: {MALLORY}", f"Resent-From: {ALICE}"),
        "Return-Path": (f"Return-Path: <{ALICE}>", f"From: {MALLORY}"),
        "X-Sender": (f"From: {MALLORY}", f"X-Sender: {ALICE}", f"X-Original-From: {ALICE}"),
        "folded": (f"From: {MALLORY}\r\n {ALICE}",),
        "folded away": (f"From:\r\n <{MALLORY}>\r\n\t({ALICE})",),
        "bare CR": (f"From: {MALLORY}\rFrom: {ALICE}",),
        "blank before the colon": (f"From : {ALICE}", f"From: {MALLORY}"),
        "the opponent": (f"From: {BOB}",),
    }
    for name, headers in froms.items():
        yield Forgery(f"from, {name}", (*headers, "Subject: Re: Star Board 101 alice"), "C2", to)


def _tokens(scene: Scene) -> Iterator[Forgery]:
    """A forged From, and a token that is not alice's for this board as it is now."""
    good = scene.token(scene.alice)
    here = scene.match_id
    tokens = {
        "none": "",
        "of another player": scene.token(scene.bob),
        "of a stranger to the board": scene.token(scene.mallory),
        "of another board": scene.token(scene.alice, scene.other_match_id),
        "of no board": scene.token(scene.alice, 0, 0),
        "of an address": make_token(KEYS, address_claim(KEYS, scene.alice, ALICE)),
        "of a past revision": scene.token(scene.alice, here, scene.revision - 1),
        "of the first revision": scene.token(scene.alice, here, 0),
        "of a coming revision": scene.token(scene.alice, here, scene.revision + 1),
        "of another key": make_token(
            [Key(7, b"x" * 32)], TokenScope(here, scene.alice, scene.revision)
        ),
        "of a bounce": make_bounce_token(KEYS, 1),
        "without its end": good[:-1],
        "half": good[:22],
        "with more": f"{good}a",
        "padded": f"{good}=",
        "turned round": good[::-1],
        "all a": "a" * 45,
        "joined": f"{good[:22]}+{good[22:]}",
    }
    for place in (0, 2, 5, 9, 13, 16, 17, 25, 38, 44):
        letter = ALPHABET[(ALPHABET.index(good[place]) + 1) % 32]
        tokens[f"changed at {place}"] = good[:place] + letter + good[place + 1 :]
    for name, token in tokens.items():
        to = f"pbmserv+{token}@example.org" if token else US
        known = (f"From: {ALICE}", f"To: {to}", "Subject: Re: Star Board 101 alice")
        yield Forgery(f"token {name}", known, "C2", to)
    elsewhere = address_with(US, good).replace("example.org", "example.com")
    headers = (f"From: {ALICE}", "Subject: Re: Star Board 101 alice")
    yield Forgery("token of another domain", headers, "C2", elsewhere)
    yield Forgery("token in the text", headers, f"C2 {address_with(US, good)}")
    yield Forgery("token in Cc", (*headers, f"Cc: {address_with(US, good)}"))
    yield Forgery("token in References", (*headers, f"References: <{good}@example.org>"))
    other = address_with(US, scene.token(scene.alice, scene.other_match_id))
    yield Forgery("Subject of another board", headers, "C2", other)


def _passwords() -> Iterator[Forgery]:
    words = {
        "wrong": "secret-alicf",
        "of another": "secret-mallory",
        "empty": "''",
        "dash": "-",
        "two dashes": "--",
        "in capitals": "SECRET-ALICE",
        "cut": "secret-alic",
        "with a blank": "'secret-alice '",
        "a hash": "cheap$0",
        "none": "",
        "a pattern": "%",
    }
    for name, word in words.items():
        for line in (f"star move 101 alice {word} C2", f"Re: Star Board 101 alice {word} C2"):
            yield Forgery(f"password {name}, {line[:3]}", (f"From: {ALICE}", f"Subject: {line}"))
    headers = (f"From: {MALLORY}", "Subject: star move 101 alice secret-mallory C2")
    yield Forgery("own password for another", headers)
    headers = (f"From: {MALLORY}", "Subject: star move 101 mallory secret-mallory C2")
    yield Forgery("own password at another board", headers)

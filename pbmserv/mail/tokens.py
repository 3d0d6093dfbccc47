"""Signed addresses: reply tokens that stand for a password, and envelope senders of our letters.

A token is 28 bytes in base32, 45 characters. They are a byte for version and purpose, one for the
key's id, four for the match, three each for player and revision, and 16 of an HMAC-SHA-256. An
envelope sender carries, between the same first two bytes and the same code, six for the letter.
The purpose is in the signed text too, so that neither kind can ever serve as the other.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field

from pbmserv.club.letter import TokenScope
from pbmserv.club.player import is_mail_for, parse_address
from pbmserv.errors import Fault, Misunderstood

# The size follows from the local part of an address, which has at most 64 bytes (RFC 5321, section
# 4.5.3.1.1): 18 of our own, a plus sign, and 45 of a token, pbmserv+CEAQAAAA...@example.org. Base32
# (RFC 4648), since mail servers may change the case of a local part. HMAC-SHA-256 cut to 128 bits
# (RFC 2104, section 5) cannot be guessed by mail. There is no table of tokens: what one is good for
# is in it, and the revision of its match makes it worthless after the next change there.

REPLY = 0x11
BOUNCE = 0x12
PURPOSES = {REPLY: b"pbmserv reply 1\0", BOUNCE: b"pbmserv bounce 1\0"}
ADDRESS_PURPOSE = b"pbmserv address 1\0"
RESET_PURPOSE = b"pbmserv reset 1\0"

CLAIM_WIDTHS = (4, 3, 3)
LETTER_WIDTHS = (6,)
CODE_SIZE = 16
SECRET_SIZE = 32
VALID_KEYS = 2
TOKEN_LENGTH = 45
MAX_BASE = 18


@dataclass(frozen=True)
class Key:
    """A signing key: its id, 0 to 255 and going round, and its 32 secret bytes."""

    id: int
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.id <= 255 or len(self.secret) != SECRET_SIZE:
            raise Fault("A signing key has an id from 0 to 255 and 32 bytes.", code="bad-key")


Keys = Sequence[Key]
"""Signing keys, the newest first: it signs, and it and the one before it are believed."""


def make_token(keys: Keys, claim: TokenScope) -> str:
    """Return the reply token for ``claim``, 45 lower-case letters and digits."""
    return _seal(keys, REPLY, _pack(CLAIM_WIDTHS, astuple(claim)))


def read_token(keys: Keys, text: str) -> TokenScope | None:
    """Return what the reply token ``text`` is good for, None unless we made it."""
    content = _unseal(keys, REPLY, text)
    return None if content is None else TokenScope(*_unpack(CLAIM_WIDTHS, content))


def match_named(text: str) -> int | None:
    """Return the match that a reply token names, whether or not anybody made that token."""
    raw = _parse(text)
    return None if raw is None else int.from_bytes(raw[2 : 2 + CLAIM_WIDTHS[0]], "big")


def address_claim(keys: Keys, player_id: int, address: str) -> TokenScope:
    """Return the claim that this player reads ``address``, which only a mail to it tells."""
    return TokenScope(0, player_id, _mark(_signing(keys), address))


def is_for_address(keys: Keys, claim: TokenScope, address: str) -> bool:
    """Tell whether a claim that is about no match was made for this address."""
    return any(claim.revision == _mark(key, address) for key in keys[:VALID_KEYS])


def make_bounce_token(keys: Keys, letter_id: int) -> str:
    """Return the token that marks the envelope sender of one letter."""
    return _seal(keys, BOUNCE, _pack(LETTER_WIDTHS, (letter_id,)))


def read_bounce_token(keys: Keys, text: str) -> int | None:
    """Return the id of the letter that ``text`` marks, None unless we made it."""
    content = _unseal(keys, BOUNCE, text)
    return None if content is None else _unpack(LETTER_WIDTHS, content)[0]


def bounced_letter(keys: Keys, texts: Sequence[str]) -> int | None:
    """Return the id of the letter that the first of our bounce tokens among ``texts`` marks."""
    letters = (read_bounce_token(keys, text) for text in texts)
    return next((letter_id for letter_id in letters if letter_id is not None), None)


def reset_token(keys: Keys, letter_id: int) -> str:
    """Return the word in one letter to somebody who forgot their password, 26 letters and digits.

    It is made when the letter leaves, the same at every try, so that it need be kept nowhere.
    """
    signed = RESET_PURPOSE + letter_id.to_bytes(LETTER_WIDTHS[0], "big")
    return _format(hmac.digest(_signing(keys).secret, signed, hashlib.sha256)[:CODE_SIZE])


def check_base(base: str) -> str:
    """Return our address if it is one and leaves room for a token; raises :class:`Fault`."""
    try:
        parse_address(base)
    except Misunderstood as error:
        raise Fault(
            "The setting mail_address is not a mail address.",
            code="bad-mail-address",
            hint="It is written as pbmserv@example.org.",
        ) from error
    local, _, domain = base.rpartition("@")
    if not local or not domain or len(local) > MAX_BASE or "+" in local:
        raise Fault(
            "The address of this server cannot carry reply tokens.",
            code="bad-mail-address",
            hint=f"Before the @ it has at most {MAX_BASE} characters and no plus sign.",
        )
    return base


def address_with(base: str, token: str) -> str:
    """Return our address ``base`` with ``token`` in it: ``pbmserv+TOKEN@example.org``."""
    local, _, domain = check_base(base).rpartition("@")
    return f"{local}+{token}@{domain}"


def token_in(address: str, base: str) -> str | None:
    """Return what stands behind the plus sign of ``address`` if the rest of it is ours."""
    token = address.rpartition("@")[0].partition("+")[2]
    if not token or len(token) > TOKEN_LENGTH or not is_mail_for(address, base):
        return None
    return token


def tokens_in(addresses: Sequence[str], base: str) -> list[str]:
    """Return what stands behind the plus sign of each of our addresses among ``addresses``."""
    texts = (token_in(address, base) for address in addresses)
    return [text for text in texts if text is not None]


def _seal(keys: Keys, purpose: int, content: bytes) -> str:
    key = _signing(keys)
    signed = bytes((purpose, key.id)) + content
    return _format(signed + _code(key, purpose, signed))


def _mark(key: Key, address: str) -> int:
    """Return what stands for an address in a claim; nobody can look for another with the same."""
    code = hmac.digest(key.secret, ADDRESS_PURPOSE + address.lower().encode(), hashlib.sha256)
    return int.from_bytes(code[: CLAIM_WIDTHS[2]], "big")


def _signing(keys: Keys) -> Key:
    if not keys:
        raise Fault("There is no key to sign addresses with.", code="no-key")
    return keys[0]


def _unseal(keys: Keys, purpose: int, text: str) -> bytes | None:
    """Return the content of a token, or None unless every bit is as we would write it."""
    raw = _parse(text)
    if raw is None or len(raw) < 2 + CODE_SIZE or raw[0] != purpose:
        return None
    signed, code = raw[:-CODE_SIZE], raw[-CODE_SIZE:]
    matches = [
        hmac.compare_digest(code, _code(key, purpose, signed))
        for key in keys[:VALID_KEYS]
        if key.id == signed[1]
    ]
    return signed[2:] if any(matches) else None


def _code(key: Key, purpose: int, signed: bytes) -> bytes:
    return hmac.digest(key.secret, PURPOSES[purpose] + signed, hashlib.sha256)[:CODE_SIZE]


def _format(raw: bytes) -> str:
    return base64.b32encode(raw).decode("ascii").rstrip("=").lower()


def _parse(text: str) -> bytes | None:
    if not text.isascii() or not text.isalnum() or len(text) > TOKEN_LENGTH:
        return None
    try:
        raw = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    except binascii.Error:
        return None
    return raw if _format(raw) == text.lower() else None


def _pack(widths: Sequence[int], numbers: Sequence[int]) -> bytes:
    try:
        return b"".join(
            number.to_bytes(width, "big") for width, number in zip(widths, numbers, strict=True)
        )
    except OverflowError as error:
        raise Fault("A number is too large for a signed address.", code="bad-token") from error


def _unpack(widths: Sequence[int], content: bytes) -> list[int]:
    numbers = []
    for width in widths:
        numbers.append(int.from_bytes(content[:width], "big"))
        content = content[width:]
    return numbers

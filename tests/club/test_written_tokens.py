"""Nobody's words carry a token of a reply address, in whatever form a mail program wrote it."""

import re
import string
import unicodedata
from collections.abc import Callable
from html import escape
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.club.letter import TokenScope
from pbmserv.club.written_text import clean, parse_written, without_tokens
from pbmserv.mail.tokens import Key, address_claim, address_with, make_bounce_token, make_token

US = "pbmserv@example.org"
KEYS = [Key(7, b"k" * 32)]
TOKEN = make_token(KEYS, TokenScope(31, 2, 5))
ADDRESS = address_with(US, TOKEN)


def broken(text: str, by: str, every: int = 17) -> str:
    """Return a text with something after so many characters, as mail programs break lines."""
    return by.join(text[n : n + every] for n in range(0, len(text), every))


def full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def in_percent(text: str) -> str:
    return "".join(f"%{ord(c):02x}" for c in text)


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capitals": str.upper,
    "swapped case": lambda a: "".join(c.upper() if n % 2 else c for n, c in enumerate(a)),
    "in angles": lambda a: f"bob via Star Club <{a}>",
    "as a link": lambda a: f"<mailto:{quote(a, safe='@')}?subject=Re%3A%20Star%20Board&body=F6>",
    "a link in markup": lambda a: f'<a href="mailto:{quote(a)}?subject=star">F6</a>',
    "all in percent": in_percent,
    "percent twice": lambda a: quote(quote(a)),
    "percent three times": lambda a: quote(quote(quote(a))),
    "in the query of a page": lambda a: f"https://example.org/out?from=a%40b.example&to={quote(a)}",
    "List-Unsubscribe": lambda a: f"List-Unsubscribe: <mailto:{a}?subject=unsubscribe>,\n\t<x>",
    "quoted-printable": lambda a: a.replace("+", "=2B").replace("@", "=40"),
    "a soft break": lambda a: broken(a, "=\n"),
    "a soft break of its own": lambda a: broken(a.replace("+", "=2B"), "=\r\n", 23),
    "broken over lines": lambda a: broken(a, "\n"),
    "broken with blanks": lambda a: broken(a, "\n        ", 30),
    "broken within quotations": lambda a: broken(a, "\n> > ", 21),
    "broken in a comment": lambda a: broken(a, "\n| ", 33),
    "a blank after each letter": " ".join,
    "blanks around the plus": lambda a: a.replace("+", " + "),
    "decimal entities": lambda a: a.replace("+", "&#43;").replace("@", "&#64;"),
    "hexadecimal entities": lambda a: a.replace("+", "&#x2B;").replace("@", "&#x40;"),
    "named entities": lambda a: a.replace("+", "&plus;").replace("@", "&commat;"),
    "entities twice": lambda a: escape(a.replace("+", "&#043;")),
    "letters as entities": lambda a: "".join(f"&#{ord(c)};" for c in a),
    "a full-width plus": lambda a: a.replace("+", "\uff0b"),
    "a small plus": lambda a: a.replace("+", "\ufe62"),
    "full width": full_width,
    "soft hyphens": lambda a: broken(a, "\xad", 5),
    "zero-width blanks": lambda a: broken(a, "\u200b", 1),
    "joiners": lambda a: broken(a, "\u200d\u2060"),
    "no-break blanks": lambda a: broken(a, "\xa0", 26),
    "an escape of JSON": lambda a: a.replace("+", "\\u002b"),
    "an escaped plus": lambda a: a.replace("+", "\\+"),
    "the token alone": lambda a: a.partition("+")[2].partition("@")[0],
    "in brackets": lambda a: f"[{a.partition('+')[2].partition('@')[0]}]",
    "without its plus": lambda a: a.replace("+", ""),
    "a plus that became a blank": lambda a: a.replace("+", " "),
    "its first line alone": lambda a: a.replace("+", "+\n").replace("@", " at "),
}


def left_of(token: str, text: str) -> bool:
    """Tell whether a text still has the token, whatever stands between or instead of its letters.

    It reads a text in its own way: every decoding there is, then nothing but letters and digits.
    """
    for _ in range(6):
        text = unicodedata.normalize("NFKC", text)
        text = re.sub(r"[%=]([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text)
        text = re.sub(r"&#x([0-9A-Fa-f]+);?", lambda found: chr(int(found[1], 16)), text)
        text = re.sub(r"&#([0-9]+);?", lambda found: chr(int(found[1])), text)
        text = text.replace("&amp;", "&")
    letters = "".join(filter(set(string.ascii_letters + string.digits).__contains__, text))
    return token in letters.lower()


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_a_token_is_kept(form: str) -> None:
    for token in (
        TOKEN,
        make_token(KEYS, address_claim(KEYS, 3, "alice@example.net")),
        make_bounce_token(KEYS, 12_345),
        make_token([Key(255, b"z" * 32)], TokenScope(9_999_999, 900_000, 70_000)),
    ):
        text = f"Hello bob,\n{FORMS[form](address_with(US, token))} wrote this.\nGood luck!"
        kept = parse_written(text)

        assert left_of(token, text)
        assert not left_of(token, kept)
        assert kept.startswith("Hello bob,\n")
        assert kept.endswith("Good luck!")
        assert kept == clean(kept) == without_tokens(kept)


@given(
    st.integers(0, 255),
    st.binary(min_size=32, max_size=32),
    st.integers(0, 2**23),
    st.integers(1, 2**24 - 1),
    st.integers(0, 2**24 - 1),
)
@example(0, bytes(32), 1, 1, 0)
def test_no_token_is_kept_whatever_it_is_for(
    key: int, secret: bytes, match: int, player: int, revision: int
) -> None:
    keys = [Key(key, secret)]
    for token in (
        make_token(keys, TokenScope(match, player, revision)),
        make_bounce_token(keys, match),
    ):
        for text in (address_with(US, token), broken(address_with(US, token), "\n"), token):
            assert not left_of(token, without_tokens(text))


def test_what_is_left_is_the_bare_address() -> None:
    assert without_tokens(f"pbmserv+{'b2' * 22}x@example.org") == US
    assert without_tokens(f"On Friday {ADDRESS} wrote:") == f"On Friday {US} wrote:"
    assert without_tokens(ADDRESS.replace("+", "%2B")) == US
    assert without_tokens(broken(ADDRESS, "\n")) == US
    assert without_tokens(f"{ADDRESS}\n{ADDRESS.upper()}") == f"{US}\n{US.upper()}"


@pytest.mark.parametrize(
    "text",
    [
        f"Write to {US} if you are lost.",
        "alice+games@example.net is mine",
        "C++ checks the chances, and each quality abides by the change of the game; 4+chess",
        "I gain 2 +change of sides and a bridge, which each qualified abacus player should see",
        "100% of 50%25 =3D &amp; &#43; \uff0b \\u002b stay as they are",
        "che" * 200,
        "c" * 10_000,
        "a word of 10,000 characters: " + "chess" * 2000,
        "Rindfleischetikettierungs\xadüberwachungsaufgabenübertragungsgesetz",
        "https://example.org/a/very/long/link/that-has-a-hash/3f5c8e9ad0b1f7e6c5d4b3a2918071625344",
        "\U0001f600 you",
    ],
)
def test_what_is_no_token_stays(text: str) -> None:
    assert without_tokens(text) == text


@given(st.text(st.sampled_from("cehlaq2+@ \n>%2B=&#43;-"), max_size=300))
def test_nothing_is_ever_added(text: str) -> None:
    once = without_tokens(text)

    assert len(once) <= len(text)
    assert without_tokens(once) == once

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.club.letter import TokenScope
from pbmserv.errors import Fault
from pbmserv.mail import tokens
from pbmserv.mail.tokens import (
    Key,
    address_claim,
    address_with,
    is_for_address,
    make_bounce_token,
    make_token,
    read_bounce_token,
    read_token,
    token_in,
)

from .sample_mails import BASE, KEYS

CLAIM = TokenScope(match_id=4_000_000_000, player_id=77, revision=12)
TOKEN = make_token(KEYS, CLAIM)
CLAIMS = st.builds(
    TokenScope, st.integers(0, 2**32 - 1), st.integers(0, 2**24 - 1), st.integers(0, 2**24 - 1)
)
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


@given(CLAIMS)
def test_a_claim_comes_back_in_either_case(claim: TokenScope) -> None:
    token = make_token(KEYS, claim)

    assert claim == read_token(KEYS, token)
    assert claim == read_token(KEYS, token.upper())


@given(st.integers(0, 2**48 - 1))
def test_a_letter_comes_back(letter_id: int) -> None:
    token = make_bounce_token(KEYS, letter_id)

    assert letter_id == read_bounce_token(KEYS, token)
    assert read_token(KEYS, token) is None


@given(CLAIMS)
def test_a_reply_token_marks_no_letter(claim: TokenScope) -> None:
    assert read_bounce_token(KEYS, make_token(KEYS, claim)) is None


def test_no_two_claims_share_a_token() -> None:
    claims = [TokenScope(m, p, r) for m in (1, 2) for p in (1, 2) for r in (1, 2)]

    assert len({make_token(KEYS, claim) for claim in claims}) == 8


def test_a_token_changed_in_any_letter_is_no_token() -> None:
    changed = [
        TOKEN[:n] + letter + TOKEN[n + 1 :]
        for n in range(len(TOKEN))
        for letter in ALPHABET
        if letter != TOKEN[n]
    ]

    assert len(changed) == 45 * 31
    assert all(read_token(KEYS, text) is None for text in changed)


def test_a_token_with_any_bit_flipped_is_no_token() -> None:
    raw = base64.b32decode(TOKEN.upper() + "===")
    flipped = [
        (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(len(raw), "big") for bit in range(224)
    ]
    texts = [base64.b32encode(data).decode().rstrip("=") for data in flipped]

    assert all(read_token(KEYS, text) is None for text in texts)


def test_a_token_cut_or_lengthened_anywhere_is_no_token() -> None:
    texts = [TOKEN[:n] for n in range(len(TOKEN))] + [TOKEN[n:] for n in range(1, len(TOKEN))]
    texts += [TOKEN + letter for letter in ALPHABET] + [letter + TOKEN for letter in ALPHABET]

    assert all(read_token(KEYS, text) is None for text in texts)


def test_a_token_with_two_letters_exchanged_is_no_token() -> None:
    texts = {
        TOKEN[:n] + TOKEN[n + 1] + TOKEN[n] + TOKEN[n + 2 :] for n in range(len(TOKEN) - 1)
    } - {TOKEN}

    assert all(read_token(KEYS, text) is None for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        f"{TOKEN}===",
        f"{TOKEN}=",
        f" {TOKEN}",
        f"{TOKEN}\n",
        f"{TOKEN}\0",
        TOKEN.replace(TOKEN[5], "1"),
        TOKEN.replace(TOKEN[5], "0"),
        TOKEN.replace(TOKEN[5], "\u0131"),
        "\u017f" + TOKEN[1:],
        "\uff41" + TOKEN[1:],
        TOKEN + TOKEN,
        "a" * 45,
        "7" * 45,
        "a" * 1_000_000,
    ],
    ids=lambda text: f"{len(text)} {text[:8]!r}",
)
def test_text_that_only_looks_like_a_token_is_none(text: str) -> None:
    assert read_token(KEYS, text) is None
    assert read_bounce_token(KEYS, text) is None


@given(CLAIMS, st.binary(min_size=tokens.CODE_SIZE, max_size=tokens.CODE_SIZE))
def test_who_knows_all_of_a_token_but_its_code_has_no_token(claim: TokenScope, code: bytes) -> None:
    raw = base64.b32decode(make_token(KEYS, claim).upper() + "===")
    text = base64.b32encode(raw[: -tokens.CODE_SIZE] + code).decode().rstrip("=").lower()

    assert read_token(KEYS, text) is None


def test_two_encodings_of_the_same_bytes_are_not_both_good() -> None:
    spare = ALPHABET[ALPHABET.index(TOKEN[-1]) ^ 1]

    assert read_token(KEYS, TOKEN[:-1] + spare) is None


def test_each_purpose_is_signed_on_its_own() -> None:
    codes = {tokens._code(KEYS[0], purpose, b"same") for purpose in tokens.PURPOSES}

    assert len(codes) == len(tokens.PURPOSES)


# Keys


def test_the_last_two_keys_are_good() -> None:
    newest, older = KEYS
    oldest = Key(0, b"0" * 32)

    assert read_token((newest, older), make_token([older], CLAIM)) == CLAIM
    assert read_token((newest, older, oldest), make_token([oldest], CLAIM)) is None


def test_a_claim_to_an_address_is_good_for_it_alone_and_for_one_rotation() -> None:
    keys = [Key(number, bytes([number]) * 32) for number in (3, 2, 1)]
    good = {
        made: is_for_address(
            keys, address_claim(keys[made:], 7, "Alice@example.org"), "aLICE@Example.org"
        )
        for made in range(3)
    }
    claim = address_claim(keys, 7, "alice@example.org")
    others = [is_for_address(keys, claim, f"{name}@example.org") for name in ("alic", "bob", "")]

    assert good == {0: True, 1: True, 2: False}
    assert others == [False] * 3
    assert (claim.match_id, claim.player_id) == (0, 7)


def test_a_key_with_the_right_id_and_other_bytes_makes_no_token() -> None:
    assert read_token(KEYS, make_token([Key(2, b"x" * 32)], CLAIM)) is None
    assert read_token([], TOKEN) is None


def test_a_key_shows_nothing_of_itself() -> None:
    assert repr(KEYS[0]) == "Key(id=2)"


@pytest.mark.parametrize(("key_id", "secret"), [(-1, b"1" * 32), (256, b"1" * 32), (1, b"short")])
def test_a_key_that_cannot_sign_is_refused(key_id: int, secret: bytes) -> None:
    with pytest.raises(Fault):
        Key(key_id, secret)


def test_there_is_no_token_without_a_key() -> None:
    with pytest.raises(Fault):
        make_token([], CLAIM)


@pytest.mark.parametrize(
    "claim", [TokenScope(2**32, 1, 1), TokenScope(1, 2**24, 1), TokenScope(1, 1, -1)]
)
def test_a_number_too_large_for_a_token_is_a_fault(claim: TokenScope) -> None:
    with pytest.raises(Fault):
        make_token(KEYS, claim)


# Addresses


def test_a_reply_address_fits_and_gives_its_token_back() -> None:
    base = f"{'p' * 18}@example.org"
    address = address_with(base, TOKEN)

    assert len(address.rpartition("@")[0]) == 64
    assert token_in(address, base) == TOKEN
    assert token_in(address.upper(), base) == TOKEN.upper()


@pytest.mark.parametrize(
    "base", [f"{'p' * 19}@example.org", "pbm+serv@example.org", "pbmserv", "@example.org", "pbm@"]
)
def test_an_address_without_room_is_a_fault(base: str) -> None:
    with pytest.raises(Fault):
        address_with(base, TOKEN)


@pytest.mark.parametrize(
    "address",
    [
        BASE,
        "pbmserv+@example.org",
        f"pbmserv+{TOKEN}@example.com",
        f"pbmserv+{TOKEN}@example.org.example.com",
        f"pbmserv+{TOKEN}@sub.example.org",
        f"other+{TOKEN}@example.org",
        f"{TOKEN}@example.org",
        f"pbmserv-{TOKEN}@example.org",
        f"pbmserv+{TOKEN}",
        f"pb\u017fserv+{TOKEN}@example.org",
        f"pbm\u017ferv+{TOKEN}@example.org",
        f"pbmserv+{'a' * 46}@example.org",
        "",
        "@",
        "+",
        "+@",
    ],
)
def test_an_address_that_is_not_ours_holds_no_token(address: str) -> None:
    assert token_in(address, BASE) is None


def test_a_letter_that_only_becomes_ours_in_lower_case_is_not_ours() -> None:
    assert token_in(f"\u212aing+{TOKEN}@example.org", "king@example.org") is None
    assert token_in(f"King+{TOKEN}@example.org", "king@example.org") == TOKEN


@pytest.mark.parametrize(
    "address", [f"pbmserv+x+{TOKEN[:40]}@example.org", f"pbmserv+{TOKEN[:-1]}+@example.org"]
)
def test_a_second_plus_sign_spoils_the_token(address: str) -> None:
    assert read_token(KEYS, token_in(address, BASE) or "") is None

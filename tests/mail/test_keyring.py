"""The keyring: made when it is needed, for its owner's eyes, the last two keys valid."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbmserv.club.letter import TokenScope
from pbmserv.errors import Fault
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.tokens import make_token, read_token

NOW = 1_800_000_000
CLAIM = TokenScope(1, 2, 3)


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "new" / "mail.keys")


def test_the_first_key_is_made_when_it_is_needed_and_stays(keyring: Keyring) -> None:
    none, first, again = keyring.kept(), keyring.signing_keys(NOW), keyring.signing_keys(NOW)

    assert none == []
    assert len(first) == 1
    assert first == again
    assert keyring.path.stat().st_mode & 0o777 == 0o600
    assert [keyring.path] == list(keyring.path.parent.iterdir())


def test_many_who_begin_at_once_use_one_key(keyring: Keyring) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(keyring.signing_keys, range(NOW, NOW + 40)))

    assert all(keys == found[0] for keys in found)
    assert [keyring.path] == list(keyring.path.parent.iterdir())


def test_a_token_is_good_for_one_rotation(keyring: Keyring) -> None:
    token = make_token(keyring.signing_keys(NOW), CLAIM)
    once = read_token(keyring.rotate(NOW + 1), token)
    twice = read_token(keyring.rotate(NOW + 2), token)

    assert once == CLAIM
    assert twice is None
    assert [(3, NOW + 2), (2, NOW + 1)] == [(k.number, k.created_at) for k in keyring.kept()]


def test_numbers_of_keys_go_on_and_their_ids_go_round(keyring: Keyring) -> None:
    keyring.signing_keys(NOW)
    row = json.loads(keyring.path.read_text())["keys"][0]
    keyring.path.write_text(json.dumps({"keys": [{**row, "number": 255}]}))
    token = make_token(keyring.signing_keys(NOW), CLAIM)
    keys = keyring.rotate(NOW + 1)

    assert [key.id for key in keys] == [0, 255]
    assert read_token(keys, token) == read_token(keys, make_token(keys, CLAIM)) == CLAIM
    assert [key.id for key in keyring.rotate(NOW + 2)] == [1, 0]
    assert [key.number for key in keyring.kept()] == [257, 256]


@pytest.mark.parametrize("text", ["", "{}", '{"keys": []}', '{"keys": [{"number": 1}]}', "\xff"])
def test_a_damaged_file_is_our_fault_and_is_left_as_it_is(keyring: Keyring, text: str) -> None:
    keyring.path.parent.mkdir()
    keyring.path.write_bytes(text.encode("latin-1"))
    with pytest.raises(Fault) as caught:
        keyring.signing_keys(NOW)

    assert caught.value.code == "bad-keys"
    assert keyring.path.read_bytes() == text.encode("latin-1")


def test_no_secret_is_in_the_text_form_of_a_key(keyring: Keyring) -> None:
    keyring.signing_keys(NOW)
    (kept,) = keyring.kept()

    assert kept.secret.hex() not in repr(kept)
    assert repr(kept.secret) not in repr(kept)


def test_a_pipe_in_place_of_the_file_is_an_error_at_once(keyring: Keyring) -> None:
    keyring.path.parent.mkdir()
    os.mkfifo(keyring.path)
    with pytest.raises(Fault) as caught:
        keyring.signing_keys(NOW)

    assert caught.value.code == "bad-keys"

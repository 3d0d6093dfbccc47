"""How often a network may ask, and what a network is."""

from urllib.parse import parse_qs

import pytest

from pbmserv.web.guests import address_of
from pbmserv.web.limits import RateLimit, network_of
from tests.local_server import NOW


def test_who_waits_waits_no_longer_if_the_clock_goes_back() -> None:
    limit = RateLimit(2, 60)
    assert [limit.seconds_to_wait("a", NOW) for _ in range(4)] == [0, 0, 60, 60]
    assert limit.seconds_to_wait("b", NOW + 20) == 0
    assert limit.seconds_to_wait("a", NOW + 20) == 40

    assert [limit.seconds_to_wait("a", NOW - 9_000) for _ in range(3)] == [0, 0, 60]
    assert limit.seconds_to_wait("a", NOW - 8_940) == 0
    assert limit.seconds_to_wait("a", NOW) == 0


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.0/24"),
        ("::ffff:192.0.2.200", "192.0.2.0/24"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("unix:", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_a_network_is_a_24_or_a_64(address: str | None, network: str) -> None:
    assert network_of(address) == network


def test_an_address_holds_every_game_both_ways() -> None:
    fields = {"spec": "starstar(size=4,double)", "moves": "A40,*10+T41,S40+-", "side": "O"}

    assert parse_qs(address_of(fields)[1:]) == {name: [text] for name, text in fields.items()}

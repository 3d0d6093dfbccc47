from pbmserv.club.player import Player, PlayerStatus
from pbmserv.store.people.addresses import HARD_BOUNCES, Address
from pbmserv.store.store import Store

from .sample_rows import NOW

A, B = "a@example.org", "b@example.org"


def add(store: Store, *addresses: str) -> Player:
    with store.writing() as records:
        return records.players.add("alice", "hash", addresses, status=PlayerStatus.ACTIVE, now=NOW)


def found(store: Store, player: Player) -> dict[str, Address]:
    with store.reading() as records:
        return {address.address: address for address in records.addresses.of([player.id])}


def test_an_address_is_closed_until_it_is_verified_or_trusted(store: Store) -> None:
    alice = add(store, A, B, "c@example.org")
    with store.writing() as records:
        records.addresses.verify(alice.id, A.upper(), NOW)
        records.addresses.trust(alice.id, [B.upper()])

    assert {text: address.is_open for text, address in found(store, alice).items()} == {
        A: True,
        B: True,
        "c@example.org": False,
    }


def test_what_is_known_of_an_address_stays_while_others_come_and_go(store: Store) -> None:
    alice = add(store, A, B)
    with store.writing() as records:
        records.addresses.verify(alice.id, A, NOW)
        records.players.save(alice._replace(addresses=("c@example.org", "A@example.org")))
    after = found(store, alice)

    assert list(after) == ["c@example.org", "A@example.org"]
    assert after["A@example.org"].is_proven
    assert not after["c@example.org"].is_proven


def test_the_third_hard_bounce_stops_an_address_once(store: Store) -> None:
    alice = add(store, A, B)
    with store.writing() as records:
        records.addresses.trust(alice.id, [A, B])
        stopped = [records.addresses.bounced(A.upper(), NOW + n) for n in range(5)]
    after = found(store, alice)

    assert stopped == [n == HARD_BOUNCES - 1 for n in range(5)]
    assert after[A].stopped_at == NOW + HARD_BOUNCES - 1
    assert (after[A].is_open, after[B].is_open) == (False, True)


def test_a_reply_opens_a_stopped_address_again(store: Store) -> None:
    alice = add(store, A)
    with store.writing() as records:
        for _ in range(HARD_BOUNCES):
            records.addresses.bounced(A, NOW)
        records.addresses.verify(alice.id, A, NOW)

    assert found(store, alice)[A] == Address(alice.id, A, True, True, 0, None)


def test_all_who_hold_an_address_are_found(store: Store) -> None:
    alice = add(store, A)
    with store.writing() as records:
        bob = records.players.add("bob", "hash", [A], status=PlayerStatus.ACTIVE, now=NOW)
        holders = records.addresses.holders("A@Example.org")

    assert {address.player_id for address in holders} == {alice.id, bob.id}

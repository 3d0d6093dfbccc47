from pbmserv.store.mail.proof_queue import MAX_UNAUTHENTICATED, PATIENCE, ProofRequest, in_turn
from pbmserv.store.store import Store

from .sample_rows import NOW, add_player


def request(number: int, domain: str = "", net: str = "", *, vouched: bool = False) -> ProofRequest:
    address = f"a{number}@{domain or f'd{number}.example'}"
    return ProofRequest(address, 1, net, vouched, NOW + number)


def test_a_full_queue_makes_room_for_a_small_crowd(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        queue = records.proof_queue
        taken = [queue.add(request(n, "flood.example")) for n in range(200)]
        honest = [queue.add(request(1000 + n)) for n in range(5)]
        authenticated = [queue.add(request(2000 + n, vouched=True)) for n in range(5)]
        waiting = queue.waiting(NOW)

    assert taken == [True] * MAX_UNAUTHENTICATED + [False] * (200 - MAX_UNAUTHENTICATED)
    assert honest == authenticated == [True] * 5
    assert len(waiting) == MAX_UNAUTHENTICATED + 5
    assert sum(each.domain == "flood.example" for each in waiting) == MAX_UNAUTHENTICATED - 5


def test_a_net_is_a_crowd_however_many_domains_it_forges(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        queue = records.proof_queue
        for number in range(MAX_UNAUTHENTICATED):
            queue.add(request(number, net="192.0.2.0/24"))
        honest = queue.add(request(1000, net="198.51.100.0/24"))
        late = queue.add(request(1001, net="192.0.2.0/24"))

    assert (honest, late) == (True, False)


def test_two_hundred_wait_at_most_and_an_address_once(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        queue = records.proof_queue
        strangers = [queue.add(request(n)) for n in range(151)]
        vouched = [queue.add(request(n, vouched=True)) for n in range(200, 251)]
        again = queue.add(request(3)._replace(address="A3@D3.example"))
        queue.remove("A3@d3.EXAMPLE")
        waiting = queue.waiting(NOW)

    assert strangers == [True] * 150 + [False]
    assert vouched == [True] * 50 + [False]
    assert again
    assert [each.asked_at - NOW for each in waiting] == [
        *range(3),
        *range(4, 150),
        *range(200, 250),
    ]


def test_a_crowd_gives_way_only_to_one_that_is_smaller_by_two(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        queue = records.proof_queue
        for number in range(MAX_UNAUTHENTICATED):
            queue.add(request(number, "two.example" if number in {5, 9} else ""))
        single = queue.add(request(500))
        another = queue.add(request(501, "two.example"))
        waiting = {each.asked_at - NOW for each in queue.waiting(NOW)}

    assert (single, another) == (True, False)
    assert {5, 500} <= waiting
    assert 9 not in waiting


def test_requests_are_served_domain_by_domain() -> None:
    waiting = [request(n, "flood.example") for n in range(3)] + [request(7), request(8)]

    assert [each.address for each in in_turn(waiting)] == [
        "a0@flood.example",
        "a7@d7.example",
        "a8@d8.example",
        "a1@flood.example",
        "a2@flood.example",
    ]


def test_what_waits_for_a_week_is_dropped(store: Store) -> None:
    with store.writing() as records:
        add_player(records, "alice")
        records.proof_queue.add(request(0))
        records.proof_queue.add(request(1))
        records.proof_queue.forget(NOW + PATIENCE)
        kept = records.proof_queue.waiting(0)

    assert kept == [request(1)]

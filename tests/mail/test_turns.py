import asyncio

import pytest

from pbmserv.club.letter import TokenScope
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.listener import ConflictQueue, conflict_keys
from pbmserv.mail.tokens import Key, address_with, make_bounce_token, make_token
from tests.mail.server_by_mail import US

KEYS = [Key(1, b"k" * 32)]
ALICE = "alice@example.net"


def about(subject: str, recipient: str = US) -> set[str]:
    content = f"From: {ALICE}\r\nSubject: {subject}\r\n\r\nSubject: star move 999\r\n".encode()
    return conflict_keys(content, Envelope(recipient, ALICE), US) - {f"from {ALICE}"}


@pytest.mark.parametrize(
    "subject", ["star move 101 alice secret F6", "Re: Star Board 101 bob", "RE: AW: y show 101"]
)
def test_a_board_is_seen_in_the_subject(subject: str) -> None:
    assert {"board 101"} == about(subject)


@pytest.mark.parametrize("subject", ["F6", "A50+", "help", "standings 12"])
def test_a_subject_without_a_board_concerns_none(subject: str) -> None:
    assert set() == about(subject)


def test_whoever_answers_a_letter_the_match_is_seen_in_the_token() -> None:
    alice, bob = (make_token(KEYS, TokenScope(7, player, 3)) for player in (1, 2))

    assert {"match 7"} == about("F6", address_with(US, alice)) == about("F6", address_with(US, bob))
    assert set() == about("F6", address_with("other@example.org", alice))
    assert set() == about("F6", f"{US.replace('@', '+0189@')}")


def test_a_sender_is_concerned_and_nobody_by_an_empty_envelope() -> None:
    bounced = address_with(US, make_bounce_token(KEYS, 5))

    assert {f"from {ALICE}"} == conflict_keys(b"", Envelope(US, ALICE), US)
    assert set() == conflict_keys(b"", Envelope(US, ""), US) == conflict_keys(b"", Envelope(), US)
    assert not any("board" in name for name in conflict_keys(b"", Envelope(bounced, ""), US))


def test_those_with_something_in_common_go_in_their_order_and_all_others_at_once() -> None:
    began: list[int] = []

    async def scene() -> None:
        turns = ConflictQueue()
        gates = [asyncio.Event() for _ in range(4)]

        async def go(number: int, *concerned: str) -> None:
            async with turns.of(concerned):
                began.append(number)
                await gates[number].wait()

        async def settle() -> None:
            for _ in range(10):
                await asyncio.sleep(0)

        tasks = [
            asyncio.create_task(go(number, *concerned))
            for number, concerned in enumerate(
                [("alice", "board 101"), ("bob", "board 101"), ("bob", "board 102"), ("carol",)]
            )
        ]
        await settle()
        assert began == [0, 3]
        gates[2].set()
        await settle()
        assert began == [0, 3]
        gates[0].set()
        await settle()
        assert began == [0, 3, 1]
        gates[1].set()
        gates[3].set()
        await asyncio.gather(*tasks)

    asyncio.run(scene())

    assert began == [0, 3, 1, 2]


def test_a_turn_that_failed_lets_the_next_go_on() -> None:
    async def scene() -> None:
        turns = ConflictQueue()

        async def go(*, fails: bool) -> None:
            async with turns.of({"board 101"}):
                await asyncio.sleep(0)
                if fails:
                    raise LookupError

        went = [go(fails=True), go(fails=False), go(fails=True), go(fails=False)]
        ended = await asyncio.gather(*went, return_exceptions=True)
        assert [LookupError, type(None)] * 2 == [type(each) for each in ended]

    asyncio.run(asyncio.wait_for(scene(), 60))

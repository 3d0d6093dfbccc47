"""What everybody reads of an offer: its maker, who is asked, those who watch, and strangers.

Every offer is made, rejected, withdrawn and accepted; each text that speaks of it is held against
whole sentences.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from pbmserv.club.events import describe
from pbmserv.club.match import OfferKind
from pbmserv.club.play import Change, accept, offer, propose, reject
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_letters,
    chat_letters,
    letter_text,
)
from pbmserv.render.document import view_document
from pbmserv.render.letter_html import letter_html
from pbmserv.render.view import turn_sentence, view_match

from .sample_letters import NOW, TO_ALICE, TO_BOB, TO_CAROL, played

DOUBLE = "starstar(size=4,double)"


class Made(NamedTuple):
    """An offer: where, by whom (1 is alice, 2 bob), and in which words everybody is told of it."""

    spec: str
    moves: str
    maker: int
    words: str
    own: str
    """What its maker reads."""
    asked: str
    """What the other player reads."""
    neutral: str
    """What everybody else reads."""
    rejected: str
    withdrawn: str
    accepted: str
    answers: str = "accept or reject"
    gone: int = 0
    """How many moves an undo names."""


UNDO = ("rejects the undo.", "withdraws the undo offer.")
DRAW = ("rejects the draw.", "withdraws the draw offer.")
OFFERS = [
    Made(
        *("star(size=3)", "B2 C2", 1, "propose"),
        *("You offer a draw", "alice offers a draw", "alice offers a draw"),
        *(*DRAW, "Star Board 101 is a draw by agreement."),
    ),
    Made(
        *("star(size=3)", "B2 swap C2", 1, "propose 7-6"),
        "You offer the result 7-6, your loss by 1",
        "alice offers the result 7-6, your win by 1",
        "alice offers the result 7-6, a win for bob (X) by 1",
        "rejects the result 7-6.",
        "withdraws the offer of the result 7-6.",
        "bob (X) wins Star Board 101, 7 to 6, by agreement.",
        "accept 7-6 or reject",
    ),
    Made(
        *("star(size=3)", "B2", 2, "propose 6-6"),
        "You offer the result 6-6, a draw",
        "bob offers the result 6-6, a draw",
        "bob offers the result 6-6, a draw",
        "rejects the result 6-6.",
        "withdraws the offer of the result 6-6.",
        "Star Board 101 is a draw, 6 to 6, by agreement.",
        "accept 6-6 or reject",
    ),
    Made(
        *("hex(size=4)", "B2 C2", 2, "propose O"),
        "You offer the result O, your win",
        "bob offers the result O, your loss",
        "bob offers the result O, a win for bob (O)",
        "rejects the result O.",
        "withdraws the offer of the result O.",
        "bob (O) wins Hex Board 101 by agreement.",
        "accept O or reject",
    ),
    Made(
        *("star(size=3)", "B2 C2", 1, "undo"),
        "You ask to undo B2 and bob's C2",
        "alice asks to undo B2 and your C2",
        "alice asks to undo B2 and bob's C2",
        *(*UNDO, "bob accepts the undo of B2 and bob's C2."),
        gone=2,
    ),
    Made(
        *("star(size=3)", "B2 C2", 2, "undo"),
        *("You ask to undo C2", "bob asks to undo C2", "bob asks to undo C2"),
        *(*UNDO, "alice accepts the undo of C2."),
        gone=1,
    ),
    Made(
        *("y(size=5)", "C3 swap D2", 2, "undo"),
        "You ask to undo the swap and alice's D2",
        "bob asks to undo the swap and your D2",
        "bob asks to undo the swap and alice's D2",
        *(*UNDO, "alice accepts the undo of the swap and alice's D2."),
        gone=2,
    ),
    Made(
        *("star(size=3)", "B2 C2 pass C3", 1, "undo 3"),
        "You ask to undo bob's C2, the pass and bob's C3",
        "alice asks to undo your C2, the pass and your C3",
        "alice asks to undo bob's C2, the pass and bob's C3",
        *(*UNDO, "bob accepts the undo of bob's C2, the pass and bob's C3."),
        gone=3,
    ),
    Made(
        *(DOUBLE, "*40 S40+T40", 1, "undo 1"),
        "You ask to undo bob's S40+T40",
        "alice asks to undo your S40+T40",
        "alice asks to undo bob's S40+T40",
        *(*UNDO, "bob accepts the undo of bob's S40+T40."),
        gone=1,
    ),
]
EVERY = pytest.mark.parametrize("made", OFFERS, ids=lambda made: f"{made.words}-{made.own}")
TAG = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
WRONG = re.compile(r"to take back|takes? back|offer of to|rejects to|offers to|asks? to a|\bNone\b")


def begin(made: Made) -> Change:
    match, _ = played(made.spec, made.moves.split())
    word, _, about = made.words.partition(" ")
    if word == "undo":
        turns = int(about) if about else None
        return offer(match, made.maker, OfferKind.UNDO, NOW, turns=turns)
    if about:
        return propose(match, made.maker, about, NOW)
    return offer(match, made.maker, OfferKind.DRAW, NOW)


def told(change: Change, reader: Reader) -> Iterator[str]:
    """Yield the letter about a change as text and as a page, every word parted by one blank."""
    (letter,) = board_letters(change[0], change[1], [reader])
    page = re.sub(
        r"<style>.*?</style>|<[^>]*>", " ", letter_html(letter, None, None), flags=re.DOTALL
    )
    for text in (letter_text(letter), page.replace("&nbsp;", " ").replace("&#x27;", "'")):
        yield " ".join(text.split())


@EVERY
def test_each_reader_of_an_offer_is_told_of_it_in_their_own_words(made: Made) -> None:
    change = begin(made)
    after = change[0]
    own, asked = (TO_ALICE, TO_BOB)[:: 1 if made.maker == 1 else -1]
    sentences = {own: made.own, asked: made.asked, TO_CAROL: made.neutral}

    for reader, sentence in sentences.items():
        for text in told(change, reader):
            assert f"{sentence}." in text
            others = {*sentences.values()} - {sentence}
            assert not any(f"{other}." in text for other in others)
            assert (f"Answer with {made.answers}." in text) is (reader is asked)
            assert ("accept" in text) is (reader is asked)
            assert not WRONG.search(text)
        view = replace(view_match(after), reader=reader.player_id)
        answered = "" if reader is own else f": {made.answers}"
        assert f"{sentence}{answered}." == view.offer_line == turn_sentence(view).split("\n")[-1]
        (letter,) = chat_letters(after, Comment("bob", "Oh."), [reader])
        assert (f"{sentence}." in letter.lead) is (reader is not TO_CAROL)
    assert f"{made.neutral}: {made.answers}." == view_match(after).offer_line
    assert [f"{made.neutral}."] == [describe(event) for event in change[1]]
    document = view_document(view_match(after))["offer"]
    moves = made.moves.split()[-made.gone :] if made.gone else None
    assert (moves, {1: "alice", 2: "bob"}[made.maker]) == (document["moves"], document["by"])


@EVERY
def test_how_an_offer_ended_is_told_to_everybody_alike(made: Made) -> None:
    pending, _ = begin(made)
    maker, other = ("alice", "bob")[:: 1 if made.maker == 1 else -1]
    named = made.answers.removeprefix("accept").removesuffix("or reject").strip()
    changes = {
        f"{other} {made.rejected}": reject(pending, 3 - made.maker, NOW),
        f"{maker} {made.withdrawn}": reject(pending, made.maker, NOW),
        made.accepted: accept(pending, 3 - made.maker, NOW, named=named),
    }

    for sentence, change in changes.items():
        assert [sentence] == [describe(event) for event in change[1]]
        assert change[0].offer is None
        for reader in (TO_ALICE, TO_BOB, TO_CAROL):
            for text in told(change, reader):
                assert sentence in text
                assert not WRONG.search(text)
                assert "Answer with accept" not in text
    kept = [turn.text for turn in changes[made.accepted][0].turns]
    moves = made.moves.split()
    assert moves[: len(moves) - made.gone] == kept


def test_against_oneself_one_is_told_how_to_answer_ones_own_offer() -> None:
    match, _ = played("star(size=3)", ["B2", "C2"])
    alone = replace(match, second=match.first, known=None)
    pending, _ = offer(alone, 1, OfferKind.UNDO, NOW)
    view = view_match(pending, reader=1)

    assert view.offer_line == "You ask to undo C2: accept or reject."
    assert [turn.text for turn in accept(pending, 1, NOW)[0].turns] == ["B2"]

"""What each event at a board is told as, to each of its readers, held in ``events_told.txt``.

Below each event stand its sentence as an answer has it, what the letters say above the board to who
did it, to the opponent and to an observer, and what the club's page and the board's feed say.
Readers who are told the same share a line. With ``PBMSERV_TEST_WRITE=1`` this test writes the file
anew: read what has changed.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from pbmserv.club.clock import ClockEvent, ClockEventKind, TimeBudget
from pbmserv.club.events import Event, EventKind, describe
from pbmserv.club.letter import Letter, PieceKind
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import (
    Change,
    accept,
    certainty_event,
    offer,
    play,
    propose,
    reject,
    remove,
    resign,
    run_out,
    take_back,
)
from pbmserv.club.wording import reminder_sentence
from pbmserv.engine.moments import DAY
from pbmserv.render.board_letters import Comment, board_letters, chat_letters, reminder_letters
from pbmserv.render.view import standing_words, view_match
from pbmserv.site.pages import board_entry, club_id

from .render.sample_letters import (
    ALICE,
    BOB,
    NOW,
    TO_ALICE,
    TO_BOB,
    TO_CAROL,
    line_of,
    new_match,
    played,
)

TOLD = Path(__file__).with_name("events_told.txt")
WRITES = bool(os.environ.get("PBMSERV_TEST_WRITE"))
STAR = "star(size=3)"
DUE = NOW + 7 * DAY
READERS = {
    "actor": replace(TO_ALICE, due=DUE),
    "opponent": replace(TO_BOB, due=DUE),
    "observer": TO_CAROL,
}
"""Alice acts, except that bob places the last stone of a full board."""

REMINDED = {
    ClockEventKind.REMINDED: ["actor"],
    ClockEventKind.WARNED: ["actor"],
    ClockEventKind.OPPONENT_WARNED: ["opponent"],
    ClockEventKind.VACATION_TAKEN: ["actor", "opponent"],
}
"""Who gets a letter about a clock; that a player's time is over is told as an event."""

ABOVE = {PieceKind.GAME, PieceKind.MOVES, PieceKind.WORDS, PieceKind.TABLE, PieceKind.ANSWERS}


def on(moves: str, spec: str = STAR) -> Match:
    return played(spec, moves.split())[0]


def move(match: Match, text: str) -> Change:
    assert match.next_seat
    after, events = play(match, match.next_seat.player_id, match.game.parse_move(text), NOW)
    return after, (*events, *certainty_event(match, after))


def drawn(match: Match) -> Match:
    return offer(match, 2, OfferKind.DRAW, NOW)[0]


def undone(match: Match) -> Match:
    return offer(match, 2, OfferKind.UNDO, NOW)[0]


def swapped() -> Match:
    return replace(on("C1"), first=BOB, second=ALICE, known=None)


def planned(change: Change) -> Change:
    after, events = change
    return after, (events[0]._replace(is_planned=True), *events[1:])


CASES: dict[str, Callable[[], Change]] = {
    "new board": lambda: (new_match(STAR), (Event(EventKind.STARTED, ALICE),)),
    "board from another": lambda: (on("C1 C2"), (Event(EventKind.CONTINUED, ALICE, "Star 101#2"),)),
    "move": lambda: move(on("C1 C2"), "B3"),
    "planned move": lambda: planned(move(on("C1 C2"), "B3")),
    "pass": lambda: move(on("C1 C2"), "pass"),
    "swap": lambda: move(swapped(), "swap"),
    "result certain": lambda: move(on("C1 C2 D1 B3 D2 C3 D3 B4"), "C4"),
    "draw offered": lambda: offer(on("C1 C2"), 1, OfferKind.DRAW, NOW),
    "result offered": lambda: propose(on("C1 C2"), 1, "7-6", NOW),
    "undo offered": lambda: offer(on("C1 C2"), 1, OfferKind.UNDO, NOW),
    "own draw withdrawn": lambda: reject(offer(on("C1 C2"), 1, OfferKind.DRAW, NOW)[0], 1, NOW),
    "own result withdrawn": lambda: reject(propose(on("C1 C2"), 1, "7-6", NOW)[0], 1, NOW),
    "draw rejected": lambda: reject(drawn(on("C1 C2")), 1, NOW),
    "undo rejected": lambda: reject(undone(on("C1 C2")), 1, NOW),
    "undo accepted": lambda: accept(undone(on("C1 C2")), 1, NOW),
    "draw accepted": lambda: accept(drawn(on("C1 C2")), 1, NOW),
    "result accepted": lambda: accept(propose(on("C1 C2"), 2, "7-6", NOW)[0], 1, NOW, named="7-6"),
    "resignation": lambda: resign(on("C1 C2"), 1, NOW),
    "game declined": lambda: resign(on(""), 1, NOW),
    "time over": lambda: run_out(on("C1 C2"), 1, NOW),
    "time over before the second move": lambda: run_out(on(""), 1, NOW),
    "last pass": lambda: move(on("C1 B3 A3 pass"), "pass"),
    "full board": lambda: move(on("C1 D1 B2 C2 D2 A3 B3 C3 D3 A4 B4"), "C4"),
    "sides joined": lambda: move(on("A1 B1 A2 B2", "hex(size=3)"), "A3"),
    "move undone by the operator": lambda: take_back(on("C1 C2"), NOW),
    "end undone by the operator": lambda: take_back(resign(on("C1 C2"), 1, NOW)[0], NOW),
    "board removed": lambda: remove(on("C1 C2"), NOW),
    "board restored": lambda: take_back(remove(on("C1 C2"), NOW)[0], NOW),
    "plan cancelled": lambda: (on("C1 C2"), (Event(EventKind.PLAN_DROPPED, None, "C2 is taken"),)),
}


def above(letter: Letter) -> str:
    """Return what a letter says above its board, each piece in a line's part of its own."""
    said = [text for kind, text in letter.above if kind not in ABOVE]
    return " / ".join(" ".join(each.split()) for each in said)


def lines_of_change(change: Change) -> Iterator[tuple[str, str]]:
    match, events = change
    yield "answer", " / ".join(describe(event).replace("\n", " ") for event in events)
    for name, reader in READERS.items():
        if events[0].kind is not EventKind.PLAN_DROPPED or name == "actor":
            (letter,) = board_letters(match, events, [reader])
            yield name, above(letter)
    if match.is_removed or events[0].kind is EventKind.PLAN_DROPPED:
        return  # such a board has no page
    view = view_match(match)
    told = standing_words(view, view.score) if match.is_running else match.result
    yield "page", told.replace("\n", " ")
    yield "feed", board_entry(club_id(NOW), line_of(match)).summary


def lines_of_clock(event: ClockEvent, *readers: str) -> Iterator[tuple[str, str]]:
    for name in readers:
        reader = READERS[name]
        assert reader.player_id
        sentence = reminder_sentence(on("C1 C2"), event, reader.player_id)
        (letter,) = reminder_letters(on("C1 C2"), [reader], sentence)
        yield name, above(letter)


def groups(lines: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Yield each text once, after the names of all who read it."""
    readers: dict[str, list[str]] = {}
    for name, text in lines:
        readers.setdefault(text, []).append(name)
    for text, names in readers.items():
        yield f"  {', '.join(names)}: {text}\n"


def told() -> Iterator[str]:
    for name, made in CASES.items():
        yield f"{name}\n"
        yield from groups(lines_of_change(made()))
    for kind, readers in REMINDED.items():
        event = ClockEvent(kind, 1, DUE)
        yield f"{kind.value.replace('-', ' ')}\n"
        yield from groups(lines_of_clock(event, *readers))
        if kind in {ClockEventKind.WARNED, ClockEventKind.OPPONENT_WARNED}:
            last = replace(event, budget=TimeBudget.TOTAL, is_final=True)
            yield f"{kind.value.replace('-', ' ')}, of all turns and without vacation\n"
            yield from groups(lines_of_clock(last, *readers))
    yield "comment\n"
    for name, reader in READERS.items():
        (letter,) = chat_letters(on("C1 C2"), Comment("alice", "Hello!"), [reader])
        yield f"  {name}: {above(letter)}\n"


def test_every_event_is_told_to_every_reader_in_these_words() -> None:
    now = "".join(told())
    if WRITES:
        TOLD.write_text(now, encoding="ascii")

    assert now == TOLD.read_text(encoding="ascii")


def test_every_kind_of_event_has_its_words() -> None:
    kinds = {event.kind for made in CASES.values() for event in made()[1]}

    assert set(EventKind) == kinds
    assert {*ClockEventKind} - {ClockEventKind.RAN_OUT} == {*REMINDED}

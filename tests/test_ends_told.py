"""How a game ended is told in the same words in every place: each kind of end, place by place."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from pbmserv.board.hosts import RecordHost
from pbmserv.board.play_session import new_session
from pbmserv.board.screen import screen
from pbmserv.club.events import EventKind, describe
from pbmserv.club.match import Match, OfferKind
from pbmserv.club.play import Change, accept, offer, play, propose, resign, run_out
from pbmserv.commands.game_records import record_of
from pbmserv.commands.match_answers import state_words
from pbmserv.desk.local_game import LocalGame
from pbmserv.engine.record_text import format_record, parse_record
from pbmserv.render.blocks import plain_text
from pbmserv.render.board_letters import board_letters, letter_text
from pbmserv.render.letter_html import letter_html
from pbmserv.render.view import view_blocks, view_match
from pbmserv.site.pages import archive_script, board_entry, club_id, turn_entries

from .board.playing import SMALL, text_of
from .render.sample_letters import NOW, TO_ALICE, TO_BOB, TO_CAROL, line_of, played, summary_of


class End(NamedTuple):
    """A game that ended: its moves, what ended it, who won and with which points, and why."""

    spec: str
    moves: str
    how: Callable[[Match], Change]
    winner: str
    points: str
    reason: str
    title: str = "Star Board 101"

    @property
    def tail(self) -> str:
        return f", {self.points}, {self.reason}" if self.points else f" {self.reason}"

    @property
    def titled(self) -> str:
        """What is told where the board is not named beside it."""
        if self.winner:
            return f"{self.winner} wins {self.title}{self.tail}."
        return f"{self.title} is a draw{self.tail}."

    @property
    def untitled(self) -> str:
        """What is told beside the name of the board."""
        return f"{self.winner} wins{self.tail}." if self.winner else f"A draw{self.tail}."


def last(text: str) -> Callable[[Match], Change]:
    def move(match: Match) -> Change:
        assert match.next_seat
        return play(match, match.next_seat.player_id, match.game.parse_move(text), NOW)

    return move


def agreed(text: str) -> Callable[[Match], Change]:
    return lambda match: accept(propose(match, 1, text, NOW)[0], 2, NOW, named=text)


def drawn(match: Match) -> Change:
    return accept(offer(match, 1, OfferKind.DRAW, NOW)[0], 2, NOW)


FULL = "C1 D1 B2 C2 D2 A3 B3 C3 D3 A4 B4"
BY_ALICE = (lambda match: resign(match, 1, NOW), "bob (O)", "", "by resignation")
LATE = (lambda match: run_out(match, 2, NOW), "alice (X)", "", "on time")
ENDS = {
    "two passes": End(
        *("star(size=3)", "C1 B3 A3 B4 pass", last("pass")),
        *("alice (X)", "2 to 0", "after two passes"),
    ),
    "the points of the winner come first": End(
        *("star(size=3)", "C2 C1 pass", last("pass")),
        *("bob (O)", "1 to 0", "after two passes"),
    ),
    "a swap": End(
        *("star(size=3)", "C1 swap C2 pass", last("pass")),
        *("bob (X)", "1 to 0", "after two passes"),
    ),
    "full board": End(
        *("star(size=3)", FULL, last("C4")), *("bob (O)", "7 to 6", "on a full board")
    ),
    "draw of nothing": End("star(size=3)", "pass", last("pass"), "", "", "after two passes"),
    "resignation": End("star(size=3)", "C1 C2", *BY_ALICE),
    "result": End(*("star(size=3)", "C1 C2", agreed("5-8"), "bob (O)", "8 to 5", "by agreement")),
    "result that is a draw": End(
        *("star(size=3)", "C1 C2", agreed("6-6"), "", "6 to 6", "by agreement")
    ),
    "draw": End("star(size=3)", "C1 C2", drawn, "", "", "by agreement"),
    "time": End("star(size=3)", "C1 C2 C3", *LATE),
    "komi": End(
        *("starstar(size=4,komi=3)", "P40 S41 pass", last("pass")),
        *("bob (O)", "3 to -3", "after two passes", "*Star Board 101"),
    ),
    "tie": End(
        *("starweb(size=4)", "A5 swap B7 pass", last("pass")),
        *("alice (O)", "1 to 1 on the tie-break", "after two passes", "Starweb Board 101"),
    ),
    "hex": End(
        *("hex(size=3)", "A1 B1 A2 B2", last("A3")),
        *("alice (X)", "", "by connection", "Hex Board 101"),
    ),
    "hex by agreement": End(
        *("hex(size=4)", "A1 B1", agreed("O")),
        *("bob (O)", "", "by agreement", "Hex Board 101"),
    ),
    "hex by passes": End(
        *("hex(size=4)", "A1 pass", last("pass")),
        *("", "", "after two passes", "Hex Board 101"),
    ),
    "y": End("y(size=5)", "C3 D2", *BY_ALICE, title="Y Board 101"),
    "polyy": End("polyy(size=5)", "A10 B10 C10", *LATE, title="Poly-Y Board 101"),
}
EVERY = pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)


def ended(end: End) -> Change:
    return end.how(played(end.spec, end.moves.split())[0])


def plain(page: str) -> str:
    """Return a page as text, every word parted by one blank."""
    text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    return " ".join(text.replace("&nbsp;", " ").replace("&#x27;", "'").split())


def titled_places(match: Match, change: Change) -> Iterator[tuple[str, str]]:
    yield "event", describe(change[1][-1])
    for reader in (TO_ALICE, TO_BOB, TO_CAROL):
        (letter,) = board_letters(match, change[1], [reader])
        yield f"letter to {reader.player_id}", " ".join(letter_text(letter).split())
        yield f"page in the letter to {reader.player_id}", plain(letter_html(letter, None, None))
    yield "show", plain_text(view_blocks(view_match(match)))
    entry = turn_entries(club_id(NOW), match, "boards/star/101")[0]
    yield from (("title of the feed", entry.title), ("words of the feed", entry.summary))


def untitled_places(end: End, match: Match) -> Iterator[tuple[str, str]]:
    line = line_of(match)
    record = parse_record(format_record(record_of(match)))
    words = state_words(summary_of(match))
    yield "list", f"{words[:1].upper()}{words[1:]}." if words.startswith("a draw") else f"{words}."
    yield "feeds of the site", line.result
    yield "feed of the club", board_entry(club_id(NOW), line).summary
    yield "archive", archive_script([line])
    yield "record read again", record.result_sentence()
    shown = screen(new_session(RecordHost(record).view()), SMALL)
    yield "screen", re.sub(r"\s+", " ", text_of(shown))
    if end.reason in {"after two passes", "on a full board", "by connection", "by resignation"}:
        game = LocalGame(record.with_players("", ""), None)
        yield (
            "at one keyboard",
            game.closing.replace(
                f"{match.outcome.winner} wins" if match.outcome and match.outcome.winner else "-",
                f"{end.winner} wins",
            ),
        )


@EVERY
def test_an_end_is_told_in_the_same_words_in_every_place(end: End) -> None:
    change = ended(end)
    match = change[0]

    assert change[1][-1].kind is EventKind.FINISHED
    for place, text in titled_places(match, change):
        assert end.titled in text, place
    for place, text in untitled_places(end, match):
        assert end.untitled in text, place


@EVERY
def test_the_page_of_a_player_tells_their_own_result(end: End) -> None:
    line = line_of(ended(end)[0])
    verdicts = {line.verdict(player) for player in (1, 2)}

    assert line.how == end.tail.removeprefix(",").strip()
    assert verdicts == ({"Won", "Lost"} if end.winner else {"Draw"})

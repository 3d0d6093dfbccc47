"""The letter that ends a game has an analysis, thought about once; no other letter has."""

import pytest

from pbmserv.club.match import Match
from pbmserv.computer import review
from pbmserv.computer.review import Review
from pbmserv.computer.search import is_compiled
from pbmserv.desk import match_reviews
from pbmserv.desk.match_reviews import analysis_words
from pbmserv.engine.record import Record
from pbmserv.render.board_letters import Reader, board_letters
from tests.local_server import LocalServer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review.analyse_positions, "__defaults__", (50,))


def match_of(local: LocalServer) -> Match:
    with local.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    assert match is not None
    return match


def words_of(local: LocalServer) -> str:
    """Return what the letter about the board as it is now would have in addition."""
    [letter] = board_letters(match_of(local), (), [Reader("alice@example.org", 1)])
    return analysis_words(local.desk.store, letter)


@pytest.mark.skipif(not is_compiled(), reason="letters wait for the compiled search only")
def test_the_letter_of_the_end_has_an_analysis(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.start("-size=3")
    local.play(101, "C1 C2 D1 B3")
    running = words_of(local)
    local.do("star resign 101 alice secret-alice")
    ended = words_of(local)
    monkeypatch.setattr(match_reviews, "analyse_positions", None)

    assert "" == running
    assert ended.startswith("Analysis by the computer\n")
    assert "\nAccuracy: X (alice) " in ended
    assert ended == words_of(local)


@pytest.mark.skipif(not is_compiled(), reason="letters wait for the compiled search only")
@pytest.mark.parametrize("moves", ["C1 C2 D1", "C1 C2 D1 B3"])
def test_what_was_written_before_the_end_or_of_few_moves_has_none(
    local: LocalServer, moves: str
) -> None:
    local.start("-size=3")
    local.play(101, moves)
    [before] = board_letters(match_of(local), (), [Reader("alice@example.org", 1)])
    local.do("star resign 101 alice secret-alice")

    assert "" == analysis_words(local.desk.store, before)
    assert (moves.count(" ") > 2) == bool(words_of(local))


def test_no_letter_waits_for_a_search_in_plain_python(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_reviews, "is_compiled", lambda: False)
    local.start("-size=3")
    local.play(101, "C1 C2 D1 B3")
    local.do("star resign 101 alice secret-alice")

    assert "" == words_of(local)


def test_a_review_is_kept_and_made_anew_where_a_time_is_told(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.start("-size=3")
    local.play(101, "C1 C2")
    local.do("star resign 101 alice secret-alice")
    match = match_of(local)
    made: list[float | None] = []
    thought = match_reviews.review_record

    def counted(record: Record[str], *, seconds: float | None, threads: int) -> Review:
        made.append(seconds)
        return thought(record, threads=threads)

    monkeypatch.setattr(match_reviews, "review_record", counted)
    for seconds in (None, None, 0.5, None):
        found = match_reviews.review_match(local.desk.store, match, seconds=seconds)
        assert 3 == len(found.looks)

    assert [None, 0.5] == made

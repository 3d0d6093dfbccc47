"""Thinking beside the screen: each task is answered, and only the last one that was given."""

import select
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pbmserv.board.thinker import CUT_OFF, STUDIES, Subject, Thinker, results_of, thoughts_of
from pbmserv.computer.lesson import advise
from pbmserv.computer.level_list import HINT_LEVEL, LEVELS
from pbmserv.computer.levels import choose
from pbmserv.computer.review import PositionAnalysis, analyse_positions
from pbmserv.computer.search import Search
from pbmserv.computer.task import Effort
from pbmserv.desk.match_reviews import review_record
from pbmserv.engine.record import played
from pbmserv.engine.spec import parse_game
from pbmserv.errors import PbmservError

from .thinking_thread import ThreadProcess

GAME = parse_game("star(size=3)")
MOVES = ("C1", "C2", "D1")
PATIENCE = 60


class Loop:
    """A loop that calls what watches, for as long as something is watched."""

    def __init__(self) -> None:
        self.readers: dict[int, Callable[[], None]] = {}

    def watch(self, number: int, read: Callable[[], None]) -> Callable[[], object]:
        self.readers[number] = read
        return partial(self.readers.pop, number)

    def run(self) -> None:
        """Read until nobody waits for anything."""
        while self.readers:
            ready, _, _ = select.select([*self.readers], [], [], PATIENCE)
            assert ready
            self.readers[ready[0]]()


def told_of(thinker: Thinker, subject: Subject) -> list[Any]:
    """Return all that a thinker tells of a subject."""
    loop, told = Loop(), list[Any]()
    thinker.think(subject, loop.watch, told.append)
    loop.run()
    return told


def test_a_level_is_asked_for_its_choice_in_a_position() -> None:
    position = GAME.replay(MOVES)
    for level in LEVELS[:3]:
        found = [*results_of(Subject(GAME, position, level, seed=3))]

        assert [(True, choose(GAME, position, level, 3))] == found


def test_a_study_goes_on_and_tells_after_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(STUDIES) == list(STUDIES)
    monkeypatch.setattr("pbmserv.board.thinker.STUDIES", (4, 8, 20))
    position = GAME.replay(["C1"])
    found = [*results_of(Subject(GAME, position, seed=5))]
    efforts = (Effort(count, 5) for count in (4, 8, 20))
    expected = [thoughts_of(Search(GAME, position, each).analysis()) for each in efforts]

    assert [(False, expected[0]), (False, expected[1]), (True, expected[2])] == found


def test_a_curve_grows_by_one_moment_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.board.thinker.SIMULATIONS", 6)
    found = [*results_of(Subject(GAME, moves=MOVES))]
    whole = tuple(look.chance for look in analyse_positions(played(GAME, MOVES), 6))

    assert [whole[:count] for count in (1, 2, 3, 4)] == [
        tuple(look.chance for look in kept["looks"]) for _, kept in found
    ]
    assert [False, False, False, True] == [is_last for is_last, _ in found]


def test_the_page_at_the_end_judges_as_an_analysis_does() -> None:
    *_, (is_last, page) = results_of(Subject(GAME, moves=MOVES))
    record = played(GAME, MOVES)

    assert is_last
    assert review_record(record).document == page


def test_a_hint_is_asked_for_as_advice_and_a_move_is_not() -> None:
    hexagons = parse_game("hex(size=5)")
    lost = hexagons.replay(["C3", "swap"])
    [(_, hint)] = results_of(Subject(hexagons, lost, HINT_LEVEL, is_hint=True))
    [(_, move)] = results_of(Subject(hexagons, lost, HINT_LEVEL, seed=1))

    assert advise(hexagons, lost, HINT_LEVEL) == hint
    assert choose(hexagons, lost, HINT_LEVEL, 1) == move
    assert move.verdict is None


def test_one_process_does_one_task_after_the_other(threads: list[ThreadProcess]) -> None:
    thinker, position = Thinker(), GAME.replay(MOVES)
    choice = told_of(thinker, Subject(GAME, position, LEVELS[0], seed=1))
    studies = told_of(thinker, Subject(GAME, position, seed=1))
    chances = told_of(thinker, Subject(GAME, moves=MOVES))

    assert [choose(GAME, position, LEVELS[0], 1)] == choice
    assert [4, 8] == [int(each.lines[-1].split()[0]) for each in studies]
    assert [1, 2, 3, 4] == [len(each["looks"]) for each in chances]
    thinker.stop()  # nothing is thought about
    assert 1 == len(threads)
    assert not threads[0].is_killed
    thinker.close()
    assert threads[0].is_killed


def test_what_cannot_be_thought_about_is_told_in_words(threads: list[ThreadProcess]) -> None:
    thinker = Thinker()
    with pytest.raises(PbmservError) as caught:
        GAME.replay(["C1", "C1"])

    assert [caught.value.words] == told_of(thinker, Subject(GAME, moves=("C1", "C1")))
    assert 4 == len(told_of(thinker, Subject(GAME, moves=MOVES)))
    assert 1 == len(threads)


def test_a_new_task_takes_the_place_of_the_one_before(threads: list[ThreadProcess]) -> None:
    thinker, loop = Thinker(), Loop()
    first, second = list[Any](), list[Any]()
    thinker.think(Subject(GAME, moves=MOVES), loop.watch, first.append)
    thinker.think(Subject(GAME, GAME.start(), LEVELS[0]), loop.watch, second.append)
    loop.run()

    assert [] == first
    assert [choose(GAME, GAME.start(), LEVELS[0], 0)] == second
    assert [True, False] == [each.is_killed for each in threads]


def test_what_is_stopped_tells_nothing_any_more(threads: list[ThreadProcess]) -> None:
    thinker, loop, told = Thinker(), Loop(), list[Any]()
    thinker.think(Subject(GAME, moves=MOVES), loop.watch, told.append)
    thinker.stop()

    assert {} == loop.readers
    assert [] == told
    assert threads[0].is_killed
    assert 4 == len(told_of(thinker, Subject(GAME, moves=MOVES)))


def test_a_process_that_dies_is_replaced_or_told_of(
    threads: list[ThreadProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    thinker = Thinker()
    assert 4 == len(told_of(thinker, Subject(GAME, moves=MOVES)))
    threads[0].kill()  # while it has nothing to do
    threads[0].wait()
    assert 4 == len(told_of(thinker, Subject(GAME, moves=MOVES)))
    assert 2 == len(threads)
    loop, told = Loop(), list[Any]()

    def endless(*_: object) -> Iterator[PositionAnalysis]:
        while not threads[1].is_killed:
            time.sleep(0.01)
        yield from [PositionAnalysis(0.5)] * 4

    with monkeypatch.context() as patch:
        patch.setattr("pbmserv.board.thinker.analyse_positions", endless)
        thinker.think(Subject(GAME, moves=MOVES), loop.watch, told.append)
        threads[1].kill()
        loop.run()

    assert [CUT_OFF] == told
    assert 4 == len(told_of(thinker, Subject(GAME, moves=MOVES)))

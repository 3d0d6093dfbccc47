"""The tutorial: each task can be solved, is not solved by chance, and is explained."""

from pathlib import Path

import pytest

from pbmserv.board.frame import Size
from pbmserv.board.hosts import write_picture
from pbmserv.board.keys import press
from pbmserv.board.lessons import LESSONS, Lesson, LessonHost
from pbmserv.board.play_session import Session, Wish, sit_down
from pbmserv.board.screen import screen

from .playing import SMALL, text_of, typed


def solutions(lesson: Lesson) -> list[str]:
    game, position = lesson.game, lesson.positions[-1]
    return [
        move.text
        for move in game.legal_moves(position)
        if lesson.is_right(game, position, game.play(position, move), move)
    ]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_a_task_has_few_solutions_among_many_moves(lesson: Lesson) -> None:
    moves = list(lesson.game.legal_moves(lesson.positions[-1]))

    assert 1 <= len(solutions(lesson)) <= len(moves) // 4


def test_what_the_lessons_say_of_points_is_so() -> None:
    counting = LESSONS[6]

    assert "O leads by 7 to 6." in counting.text
    assert [6, 7] == list(counting.game.score(counting.positions[-1]).points.values())


def test_a_wrong_move_is_explained_and_changes_nothing() -> None:
    host = LessonHost()
    before = host.course()

    assert "C2: That does not make the chain" in host.fulfil(Wish("move", "C2"))
    assert before == host.course()


def wished(host: LessonHost, session: Session) -> Session:
    """Do what the session wishes, as the loop does."""
    if session.wish is None:
        return session
    host.fulfil(session.wish)
    course = host.course()
    return session.with_course(course) if course.title == session.course.title else sit_down(course)


def test_all_ten_lessons_are_done_by_keys_alone() -> None:
    host = LessonHost()
    session = sit_down(host.course())
    for number, lesson in enumerate(LESSONS, start=1):
        assert f"Lesson {number} of 10: {lesson.title}" == session.course.title
        [move, *_] = solutions(lesson)
        keys = {"pass": ["p"], "swap": ["w"]}.get(move) or list(move)
        session = wished(host, press(typed(session, *keys), "enter"))
        assert host.is_solved
        is_last = number == len(LESSONS)
        assert is_last or "Enter goes on to the next lesson." == session.status
        session = wished(host, press(session, "enter"))


def test_a_picture_of_a_lesson_has_a_name_for_every_system(tmp_path: Path) -> None:
    assert "lesson-1-of-10-a-chain-and-the-rim.svg" in write_picture(
        sit_down(LessonHost().course()), tmp_path
    )


@pytest.mark.parametrize("size", [SMALL, Size(45, 40), Size(200, 50)], ids=str)
@pytest.mark.parametrize("number", range(1, 11))
def test_the_whole_task_stands_on_the_screen(number: int, size: Size) -> None:
    host = LessonHost()
    for _ in range(number - 1):
        host.fulfil(Wish("next"))
    text = " ".join(text_of(screen(sit_down(host.course()), size)).split())

    assert LESSONS[number - 1].text.split()[-1] in text

"""The tutorial: each task can be solved, is not solved by chance, and is explained."""

from pathlib import Path

import pytest

from pbmserv.board.actions import press
from pbmserv.board.frame import Size
from pbmserv.board.hosts import write_picture
from pbmserv.board.lessons import LESSONS, Lesson, LessonHost, Tasks, lessons, puzzle_tasks
from pbmserv.board.menu import menu_screen, press_menu, start_menu, tasks_menu
from pbmserv.board.play_session import Intent, Session, new_session
from pbmserv.board.saved_games import load_solved
from pbmserv.board.screen import screen
from pbmserv.club.puzzles import count_puzzles, puzzles
from pbmserv.engine.position import EMPTY

from .playing import SMALL, at, text_of, typed


def lesson_host(number: int) -> LessonHost:
    """Return the host of a lesson, all lessons before it left out."""
    host = LessonHost(lessons())
    for _ in range(number - 1):
        host.perform(Intent("next"))
    return host


def solutions(lesson: Lesson) -> list[str]:
    return [move.text for move in lesson.solutions]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_a_task_has_few_solutions_among_many_moves(lesson: Lesson) -> None:
    moves = list(lesson.game.legal_moves(lesson.record.position))

    assert 1 <= len(solutions(lesson)) <= len(moves) // 4


@pytest.mark.parametrize("tasks", [lessons(), puzzle_tasks()], ids=lambda tasks: tasks.word)
def test_the_cursor_begins_on_an_empty_cell_that_does_not_solve_the_task(tasks: Tasks) -> None:
    for number in range(1, len(tasks.titles) + 1):
        host = LessonHost(tasks, number)
        begun = new_session(host.view())

        assert begun.position.stones[begun.cursor] == EMPTY
        host.perform(Intent("move", at(begun)))
        assert not host.is_solved, number


@pytest.mark.parametrize("number", range(1, len(LESSONS) + 1))
def test_the_hint_of_a_lesson_solves_it(number: int) -> None:
    host = lesson_host(number)
    move = host.hint(host.view().position)

    assert move is not None
    host.perform(Intent("move", move.text))
    assert host.is_solved
    assert host.hint(host.view().position) is None


def test_what_the_lessons_say_of_points_is_so() -> None:
    counting = LESSONS[6]

    assert "O leads by 7 to 6." in counting.text
    assert [6, 7] == list(counting.game.score(counting.record.position).points.values())


def test_a_wrong_move_is_explained_and_changes_nothing() -> None:
    host = LessonHost(lessons())
    before = host.view()

    assert "C2: That does not extend the chain" in host.perform(Intent("move", "C2"))
    assert vars(before) == vars(host.view())


def test_where_no_stone_is_played_right_is_all_that_is_said_and_a_pass_is_answered() -> None:
    swapped, passed = lesson_host(6), lesson_host(10)

    assert "Right!" == swapped.perform(Intent("move", "swap"))
    assert "Right!" == passed.perform(Intent("move", "pass"))
    assert ("D3", "swap") == swapped.view().record.texts
    assert ("pass", "pass") == passed.view().record.texts


def wished(host: LessonHost, session: Session) -> Session:
    """Do what the session wishes, as the loop does."""
    if session.intent is None:
        return session
    host.perform(session.intent)
    view = host.view()
    return session.with_view(view) if view.title == session.now.title else new_session(view)


def test_all_ten_lessons_are_done_by_keys_alone() -> None:
    host = LessonHost(lessons())
    session = new_session(host.view())
    for number, lesson in enumerate(LESSONS, start=1):
        assert f"Lesson {number} of 10: {lesson.title}" == session.now.title
        [move, *_] = solutions(lesson)
        keys = {"pass": ["p"], "swap": ["w"]}.get(move) or list(move)
        session = wished(host, press(typed(session, *keys), "enter"))
        assert host.is_solved
        is_last = number == len(LESSONS)
        assert f"Right! {session.status}" == session.now.task
        onward = "a first game against the computer" if is_last else "the next"
        assert f"Press Enter for {onward}" in session.status
        session = wished(host, press(session, "enter"))


def test_what_was_solved_is_remembered_and_chosen_from_a_list(tmp_path: Path) -> None:
    file = tmp_path / "data" / "lessons.solved"
    for number in (2, 1):
        host = LessonHost(lessons(), number, file)
        host.perform(Intent("move", "pass"))
        host.perform(Intent("move", host.lesson.solutions[0].text))
    menu = tasks_menu(lessons(), load_solved(file), "ascii")

    assert {1, 2} == load_solved(file)
    assert Intent("task", "Lesson 3") == press_menu(menu, "enter").intent
    assert ["*", "*", " "] == [row.text[0] for row in menu.rows[:3]]
    assert "*  2. Joining" in text_of(menu_screen(menu, SMALL))
    assert "Lessons    2 of 10" in text_of(
        menu_screen(start_menu([], "ascii", has_server=False, done=(2, 0)), SMALL)
    )


def test_a_file_that_cannot_be_written_spoils_no_lesson(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    host = LessonHost(lessons(), 2, tmp_path / "data" / "lessons.solved")

    assert "This cannot be saved: " in host.perform(Intent("move", "B3"))
    assert host.is_solved


@pytest.mark.parametrize("number", range(1, count_puzzles() + 1))
def test_a_puzzle_is_solved_at_the_board_by_its_one_move(number: int) -> None:
    puzzle = puzzles()[number - 1]
    host = LessonHost(puzzle_tasks(), number)
    view = host.view()
    wrong = next(
        move.text
        for move in puzzle.game.legal_moves(puzzle.position)
        if move.text != puzzle.solution
    )

    assert f"Puzzle {number} of {count_puzzles()}: {puzzle.game.title}" == view.title
    assert (puzzle.position, puzzle.moves) == (view.position, view.record.texts)
    assert {puzzle.side} == view.mine
    assert "can still win. Look again." in host.perform(Intent("move", wrong))
    assert not host.is_solved
    told = host.hint(view.position)
    assert told is not None
    assert puzzle.solution == told.text
    assert host.perform(Intent("move", puzzle.solution)).startswith("Right!")
    assert host.is_solved


def test_readme_and_manual_tell_how_many_puzzles_there_are() -> None:
    root = Path(__file__).parents[2]

    for page in ("README.md", "help/play.txt"):
        assert f"{count_puzzles()} puzzles" in (root / page).read_text(encoding="utf-8")


def test_a_picture_of_a_lesson_has_a_name_for_every_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    note = write_picture(new_session(LessonHost(lessons()).view()))

    assert f"Written: {tmp_path / 'lesson-1-of-10-a-chain-and-the-rim.svg'}" == note


@pytest.mark.parametrize("size", [SMALL, Size(45, 40), Size(200, 50)], ids=str)
@pytest.mark.parametrize("number", range(1, 11))
def test_the_whole_task_stands_on_the_screen(number: int, size: Size) -> None:
    host = lesson_host(number)
    text = " ".join(text_of(screen(new_session(host.view()), size)).split())

    assert LESSONS[number - 1].text.split()[-1] in text


@pytest.mark.parametrize("size", [Size(40, 20), Size(60, 20), SMALL], ids=lambda size: size.width)
@pytest.mark.parametrize("number", range(1, len(LESSONS) + 1))
def test_a_task_is_read_whole_or_the_screen_tells_where(size: Size, number: int) -> None:
    begun = new_session(lesson_host(number).view())
    text = " ".join(text_of(screen(begun, size)).split())
    page = " ".join(text_of(screen(typed(begun, "m"), Size(size.width, 60))).split())

    assert begun.now.task in page
    assert any(words in text for words in (begun.now.task.split()[-1], "(m: more)", "m more"))

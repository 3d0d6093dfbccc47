"""When the game goes on, what was begun stays if it can be, and what was said of before goes."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.board.frame import shorten_name
from pbmserv.board.hosts import LocalHost
from pbmserv.board.play_session import Intent, Session
from pbmserv.board.saved_games import (
    RESULTS,
    file_for,
    load_all_unfinished,
    load_run,
    load_solved,
    load_unfinished,
    save_solved,
    save_unfinished,
)
from pbmserv.computer.level_list import BEFORE, LEVELS, Level, timed_level
from pbmserv.desk.local_game import new_game
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import format_record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game

from .playing import session, typed, view_of

SPEC = "star(size=3)"


def begun() -> Session:
    """Return a session in which everything was begun: a hint, a mark, a question, a typed line."""
    seated = replace(session(SPEC, "C2"), advice=("Best: B2.",), marked=(3,), rings=True)
    return seated.ask("Resign?", Intent("resign"))


def test_advice_marks_and_questions_are_of_the_game_as_it_was() -> None:
    before = begun()
    same = before.with_view(view_of(SPEC, "C2"))
    after = before.with_view(view_of(SPEC, "C2 B2"))
    back = before.with_view(view_of(SPEC))

    assert (before.advice, before.marked, before.question) == (
        same.advice,
        same.marked,
        same.question,
    )
    for later in (after, back):
        assert ((), (), None) == (later.advice, later.marked, later.question)
        assert later.rings
    assert 2 == after.now.record.ply
    leaving = session(SPEC, "C2").ask("Leave?", Intent("leave")).with_view(view_of(SPEC, "C2 B2"))
    assert leaving.question is not None


def test_a_question_falls_with_a_game_that_ends_without_a_move() -> None:
    view = view_of(SPEC, "C2")
    ended = replace(view, record=replace(view.record, outcome=Outcome(Side.X, Reason.AGREEMENT)))

    assert begun().with_view(ended).question is None


def test_a_look_at_the_past_stays_while_the_game_grows_and_ends_where_it_shrinks() -> None:
    looking = typed(session(SPEC, "C2 B2 D1"), "[")
    assert 2 == looking.ply
    assert 2 == looking.with_view(view_of(SPEC, "C2 B2 D1 D2")).ply
    assert looking.with_view(view_of(SPEC, "C2")).ply is None
    assert looking.with_view(view_of(SPEC, "C2 B2 C1")).ply is None
    trying = typed(session(SPEC, "C2"), "v")
    grown = trying.with_view(view_of(SPEC, "C2 B2"))
    assert grown.tried is not None
    assert 1 == grown.ply
    assert trying.with_view(view_of(SPEC, "D1 B2")).tried is None


def test_of_another_board_nothing_was_begun_but_the_bell_and_the_style_stay() -> None:
    before = typed(replace(begun(), style="unicode"), "escape", "t", ":", "d")
    same_moves = replace(view_of(SPEC, "C2"), title="Star Board 102")
    assert before.prompt is not None
    for view in (view_of("hex(size=3)", "A1"), same_moves):
        other = before.with_view(view)

        assert ("unicode", True, False) == (other.style, other.rings, other.thinks)
        assert ((), (), None, None) == (other.advice, other.marked, other.question, other.prompt)


def test_a_title_that_fits_is_whole_and_a_longer_one_loses_whole_parts() -> None:
    title = "Star: Board 101: move 7"

    assert title == shorten_name(title, len(title))
    assert "Star: Board 101" == shorten_name(title, len(title) - 1)
    assert "Star: Board 101" == shorten_name(title, len("Star: Board 101"))
    assert "Star" == shorten_name(title, 6)
    assert "Star" == shorten_name(title, 1)
    # Wide letters take two columns each.
    assert "星: 星" == shorten_name("星: 星", 6)
    assert "星" == shorten_name("星: 星", 5)


def test_of_files_that_hold_no_game_the_first_is_told(tmp_path: Path) -> None:
    for name in ("a.game", "b.game"):
        (tmp_path / name).write_text("no game")
    kept, note = load_all_unfinished(tmp_path)

    assert (kept, note.count(str(tmp_path))) == ([], 1)


def test_what_is_kept_stands_in_a_folder_that_is_its_owner_s_alone(tmp_path: Path) -> None:
    local = new_game(parse_game(SPEC), None, computer_begins=False)
    game, solved = tmp_path / "one" / "a.game", tmp_path / "other" / "lessons.solved"
    save_unfinished(local.play(local.game.parse_move("C2")), game)
    save_solved(solved, {2, 1})

    assert [0o700, 0o700] == [file.parent.stat().st_mode & 0o777 for file in (game, solved)]
    assert ({1, 2}, set()) == (load_solved(solved), load_solved(tmp_path / "lessons.solved"))
    save_unfinished(local, game)
    assert not game.exists()
    save_unfinished(local, game)


def test_the_game_that_was_left_last_is_offered_first(tmp_path: Path) -> None:
    for age, spec in enumerate(("hex(size=3)", SPEC, "y(size=4)")):
        local = new_game(parse_game(spec), None, computer_begins=False)
        move = next(iter(local.game.legal_moves(local.position)))
        file = file_for(tmp_path, local.game)
        save_unfinished(local.play(move), file)
        os.utime(file, (1000 + age % 2, 1000 + age % 2 * 100 + age))

    kept, note = load_all_unfinished(tmp_path)
    assert (["star", "y", "hex"], "") == ([each.local.game.name for each in kept], note)


def end_of(file: Path, *, won: bool | None, level: Level | None = LEVELS[3]) -> LocalHost:
    """Return the host of a game that ended so, None for one that is not over."""
    host = LocalHost(new_game(parse_game("hex(size=4)"), level, computer_begins=False), file)
    host.perform(Intent("move", "A1"))
    if level is not None:
        host.answer(host.local.game.parse_move("B3"))
    if won:
        host.perform(Intent("move", "C2"))
        host.answer(None)
    elif won is False:
        host.perform(Intent("resign"))
    return host


@pytest.mark.parametrize(
    ("ends", "offer"),
    [
        ([True], ""),
        ([True, True], " Won twice in a row: try level 5."),
        ([True, None, True], " Won twice in a row: try level 5."),
        ([True, False], ""),
        ([True, False, True], ""),
        ([False, False], " Lost twice in a row: try level 3."),
        ([True, False, False, False], " Lost twice in a row: try level 3."),
    ],
)
def test_two_wins_or_losses_in_a_row_offer_another_level(
    ends: list[bool | None], offer: str, tmp_path: Path
) -> None:
    closing = [end_of(tmp_path / "hex.game", won=won).view().closing for won in ends][-1]

    who = "You win" if ends[-1] else "The computer wins"
    assert f"{who} by resignation.{offer}" == closing


def test_a_row_is_of_one_level_and_of_games_with_a_level(tmp_path: Path) -> None:
    file = tmp_path / "hex.game"
    levels = (LEVELS[3], LEVELS[4], None, timed_level(1), LEVELS[4]._replace(threads=2))
    closing = [end_of(file, won=True, level=level).view().closing for level in levels]

    assert ["try level 6" in text for text in closing] == [False] * 4 + [True]


def test_a_game_whose_end_is_undone_counts_once(tmp_path: Path) -> None:
    host = end_of(tmp_path / "hex.game", won=True)
    host.perform(Intent("undo"))
    undone = load_run(tmp_path / RESULTS)
    host.perform(Intent("move", "C2"))
    host.answer(None)

    assert undone[1] == 0
    assert "twice" not in host.view().closing
    assert load_run(tmp_path / RESULTS) == (LEVELS[3], 1)
    assert "try level 5" in end_of(tmp_path / "hex.game", won=True).view().closing


def test_no_level_is_offered_beyond_the_ends(tmp_path: Path) -> None:
    file = tmp_path / "hex.game"
    for level, won in ((LEVELS[0], False), (LEVELS[-1], True)):
        closing = [end_of(file, won=won, level=level).view().closing for _ in range(3)]

        assert "twice" not in "".join(closing)


@pytest.mark.parametrize("text", ["", "[]", '["level99", 2]', "[4, 2]", '["level4"]', "{"])
def test_what_cannot_be_read_is_no_row(text: str, tmp_path: Path) -> None:
    (tmp_path / RESULTS).write_text(text, encoding="utf-8")

    assert load_run(tmp_path / RESULTS)[0] is LEVELS[0]
    assert load_run(None) == load_run(tmp_path / "none") == (LEVELS[0], 0)


def test_a_game_of_before_goes_on_at_a_level_as_strong(tmp_path: Path) -> None:
    local = new_game(parse_game("hex(size=4)"), LEVELS[3], computer_begins=True)
    moved = local.play(local.game.parse_move("B2"))
    for number, now in enumerate(BEFORE, start=1):
        record = replace(moved.record, first=f"computer-{number}")
        (tmp_path / "hex.game").write_text(format_record(record), encoding="utf-8")
        found = load_unfinished(tmp_path / "hex.game")

        assert found is not None
        assert found.level is LEVELS[now - 1]
        assert found.computer_side is Side.X
        assert found.record.first == f"computer-level{now}"

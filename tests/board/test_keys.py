"""What each key does at a board, without any terminal."""

from dataclasses import replace

import pytest

from pbmserv.board.keys import COMMANDS, KEYS, hover, press
from pbmserv.board.play_session import Wish
from pbmserv.board.table import SHOWS

from .playing import at, course, session, typed


def test_arrows_move_the_cursor_and_stop_at_the_rim() -> None:
    begun = session("star(size=6)")

    assert "F5" == at(begun)
    assert ("G5", "E5") == (at(typed(begun, "right")), at(typed(begun, "left")))
    assert "J6" == at(typed(begun, *["right"] * 20))


@pytest.mark.parametrize(
    ("spec", "keys", "name"),
    [
        ("star(size=6)", "f6", "F6"),
        ("star(size=6)", "F10", "F10"),
        ("star(size=6)", "F1x", "F1"),
        ("starstar(size=4)", "*31", "*31"),
        ("starstar(size=4)", "p31", "*31"),
        ("starstar(size=4)", "t42", "T42"),
        ("polyy(sides=5,size=4)", "00", "00"),
        ("hex(size=17)", "q16", "Q16"),
    ],
)
def test_a_cell_s_name_is_typed_and_does_nothing_else(spec: str, keys: str, name: str) -> None:
    begun = session(spec)
    after = typed(begun, *keys)

    assert name == at(after)
    assert (begun.shows, None, None) == (after.shows, after.prompt, after.wish)
    assert keys.endswith("x") or after.question is None


def test_a_name_that_no_cell_has_is_told_and_does_nothing() -> None:
    begun = session("star(size=4)")
    after = typed(begun, "d", "9")

    assert ("There is no cell D9 here.", begun.cursor) == (after.note, after.cursor)
    assert begun.shows == after.shows


def test_a_letter_shows_or_asks_at_once() -> None:
    begun = session("starstar(size=4)")

    assert {"chain"} == typed(begun, "c").shows
    assert begun.shows == typed(begun, "c", "C").shows
    assert "Pass?  Enter: yes, Esc: no" == typed(begun, "p").status


def test_enter_places_a_stone_and_says_so_before() -> None:
    begun = typed(session(), "c", "2")

    assert "Enter places X on C2." == begun.status
    assert Wish("move", "C2") == typed(begun, "enter").wish
    assert Wish("move", "C2") == typed(begun, " ").wish


def test_a_cell_that_is_taken_is_refused() -> None:
    begun = session(moves="C2")

    assert "There is a stone on C2: choose an empty cell." == begun.status
    assert "There is already a stone on C2." == typed(begun, "enter").note


def test_two_stones_make_a_turn() -> None:
    begun = typed(session("starstar(size=4,double)", "S40"), *"t40")
    first = typed(begun, "enter")

    assert "Enter marks T40 as the first of 2 stones of O." == begun.status
    assert first.wish is None
    assert "Enter takes the stone on T40 back." == first.status
    assert () == typed(first, "enter").marked == typed(first, "escape").marked
    second = typed(first, *"a40")
    assert "Enter places O on T40 and A40." == second.status
    assert Wish("move", "T40+A40") == typed(second, "enter").wish
    assert Wish("move", "T40+-") == typed(first, "p", "enter").wish


def test_nothing_is_given_up_unasked() -> None:
    begun = session(moves="C2 B2")
    for key, wish in (
        ("p", Wish("move", "pass")),
        ("r", Wish("resign")),
        ("u", Wish("undo")),
        ("q", Wish("leave")),
        ("x", Wish("export")),
        ("i", Wish("picture")),
    ):
        asked = typed(begun, key)
        assert (None, True) == (asked.wish, "Enter: yes" in asked.status), key
        assert wish == typed(asked, "enter").wish
        assert (None, None) == ((no := typed(asked, "escape")).wish, no.question)
        assert (None, None) == ((no := typed(asked, "left")).wish, no.question)


def test_swap_is_asked_where_it_is_possible() -> None:
    assert Wish("move", "swap") == typed(session(moves="C2"), "w", "enter").wish
    assert "Swap is possible only" in typed(session(), "w").note


def test_a_look_at_the_past_never_plays() -> None:
    now = session(moves="C2 B2 D1")
    past = typed(now, "[", "[")

    assert (1, "Enter goes back from move 1 to the game.") == (past.ply, past.status)
    assert (None, None) == ((back := typed(past, "enter")).ply, back.wish)
    assert (0, None) == (typed(now, "{").ply, typed(now, "{", "}").ply)
    assert (2, None) == (typed(past, "]").ply, typed(past, "]", "]").ply)
    assert "This is the beginning." == typed(now, "{", "[").note
    assert "This is the last move." == typed(now, "]").note


def test_moves_are_tried_and_forgotten() -> None:
    begun = typed(session(moves="C2 B2"), "v", *"d1")
    tried = typed(begun, "enter")

    assert "Enter tries X on D1." == begun.status
    assert (["D1"], None) == ([move.text for move in tried.tried or ()], tried.wish)
    assert "Enter tries O on D2." == typed(tried, *"d2").status
    assert () == typed(tried, "[").tried
    assert (None, 2) == ((gone := typed(tried, "escape")).tried, len(gone.view.moves))


def test_a_move_can_be_typed_in_words() -> None:
    begun = typed(session(moves="C2"), ":")

    assert Wish("move", "B2") == typed(begun, *"b 2", "backspace", "backspace", "2", "enter").wish
    assert Wish("move", "swap") == typed(begun, *"swap", "enter").wish
    assert typed(begun, *"zz9", "enter").note.startswith("Not a cell of this board.")
    assert begun.question is typed(begun, "escape").question is None


def test_the_second_click_on_a_cell_places() -> None:
    begun = session()
    cell = begun.game.board.index["B2"]
    once = typed(begun, f"cell {cell}")

    assert ("B2", None) == (at(once), once.wish)
    assert Wish("move", "B2") == typed(once, f"cell {cell}").wish
    assert typed(once, "left", "right", f"cell {cell}").wish is None


def test_the_mouse_asks_about_a_cell_without_moving_the_cursor() -> None:
    begun = session()
    over = hover(begun, 3)

    assert (begun.cursor, 3) == (over.cursor, over.pointed)
    assert begun.cursor == hover(over, None).pointed == typed(over, "v").cursor


def test_a_server_s_move_is_asked_about_once_more() -> None:
    stored = replace(course("star(size=3)", "C2"), is_stored=True)
    begun = typed(replace(session(), course=stored), *"b2", "enter")

    assert ("Play B2 as move 2?  Enter: yes, Esc: no", None) == (begun.status, begun.wish)
    assert Wish("move", "B2") == typed(begun, "enter").wish


def test_a_plan_is_made_of_moves_tried() -> None:
    stored = replace(course("star(size=3)", "C2"), is_stored=True)
    begun = typed(replace(session(), course=stored), "v")
    tried = typed(begun, *"b2", "enter", *"d1", "enter", *"d2", "enter")

    assert Wish("plan", "B2 D1:D2") == typed(tried, "+", "enter").wish
    waits = replace(tried, course=replace(stored, mine=frozenset()))
    assert Wish("plan", "B2:D1") == typed(waits, "+", "enter").wish
    assert "Try moves from now on with v" in typed(begun, "+").note


def test_an_offer_is_answered() -> None:
    stored = replace(course("star(size=3)", "C2"), is_stored=True)
    begun = replace(session(), course=stored)
    offered = replace(begun, course=replace(stored, offer="bob offers 3-2", answers="3-2"))

    assert Wish("propose", "26-25") == typed(begun, "=", *"26-25", "enter").wish
    assert Wish("accept", "3-2") == typed(offered, "=", "enter").wish
    assert Wish("reject") == typed(offered, "=", "r").wish
    assert Wish("say", "Good luck, 1!") == typed(begun, "/", *"Good luck, 1!", "enter").wish


def test_what_others_do_moves_no_cursor_and_drops_no_text() -> None:
    before, after = course("star(size=3)", "C2"), course("star(size=3)", "C2 B2")
    begun = typed(replace(session(), course=before), "left", ":", *"d1")
    later = begun.with_course(after)

    assert (begun.cursor, "d1") == (later.cursor, later.prompt and later.prompt.text)
    assert 1 == typed(replace(session(), course=before), "v").with_course(after).ply


def test_a_key_that_does_nothing_says_so() -> None:
    begun = session("star(size=4)")

    for key in ("z", "5", "f5", "f12", "ctrl+x"):
        after = typed(begun, key)
        assert "That key does nothing here: ? tells the keys." == after.note
        assert (begun.cursor, None, None) == (after.cursor, after.wish, after.question)
    assert "A: a number goes on with the cell's name." == typed(begun, "a").note
    assert "A4" == at(typed(begun, "a", "4"))


def test_a_hint_is_seen_with_its_own_position_only() -> None:
    begun = replace(session(moves="C2 B2"), advice=("Best: D1",))

    assert ("Best: D1",) == typed(begun, "up", "s", "enter", "c").advice
    assert () == typed(begun, "[").advice == typed(begun, "v", *"d1", "enter").advice


def test_no_hint_takes_the_computer_from_its_move() -> None:
    thinking = session(moves="C2", two=False)

    assert thinking.course.is_waiting
    for asked in (typed(thinking, "h"), typed(thinking, "v", "h")):
        assert (None, "The computer is thinking about its own move.") == (asked.wish, asked.note)


def test_a_lesson_is_neither_resigned_nor_taken_back() -> None:
    lesson = replace(
        session(moves="C2"), course=replace(course("star(size=3)", "C2"), text="Play!")
    )

    for key in ("r", "u"):
        assert typed(lesson, key).question is None
        assert typed(lesson, key).note


def test_every_key_is_told_and_no_letter_does_two_things() -> None:
    told = "".join(keys for keys, _ in KEYS).lower()
    single = {key for key in (*COMMANDS, *SHOWS) if len(key) == 1} - {" "}

    assert [] == sorted(key for key in single if key not in told and key != "?")
    assert not COMMANDS.keys() & SHOWS.keys()
    assert "?" == press(session(), "?").page

"""What each key does at a board, without any terminal."""

from dataclasses import replace

import pytest

from pbmserv.board.actions import ACTIONS, KEYS, WORDS, hover, key_lines, press, speak, word_lines
from pbmserv.board.frame import Size, width_of
from pbmserv.board.play_session import Intent, Session, new_session
from pbmserv.board.screen import screen
from pbmserv.club.match import Offer, OfferKind
from pbmserv.club.player import Seat
from pbmserv.desk.local_game import READER
from pbmserv.engine.position import EMPTY
from pbmserv.render.view import View

from .playing import SMALL, at, session, text_of, typed, view_of


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
    assert (begun.shows, None, None) == (after.shows, after.prompt, after.intent)
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
    assert "Pass?" == typed(begun, "p").status


def test_enter_places_a_stone_and_says_so_before() -> None:
    begun = typed(session(), "c", "2")

    assert "Enter places X on C2." == begun.status
    assert Intent("move", "C2") == typed(begun, "enter").intent
    assert Intent("move", "C2") == typed(begun, " ").intent


def test_a_cell_that_is_taken_is_refused() -> None:
    begun = replace(session(moves="C2"), cursor=session().game.board.index["C2"])

    assert "There is a stone on C2: choose an empty cell." == begun.status
    assert "There is already a stone on C2." == typed(begun, "enter").note


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("star(size=3)", "C2 D1"),
        ("starstar(size=4)", "S40 T40"),
        ("starweb(size=4)", "C3 D4"),
        ("polyy(sides=5,size=4)", "A20 00"),
        ("y(size=5)", "C3 C4"),
        ("hex(size=5)", "C3 D3"),
    ],
)
def test_after_a_move_and_its_answer_the_cursor_is_on_an_empty_cell(spec: str, moves: str) -> None:
    own = moves.split(maxsplit=1)[0]
    begun = session(spec, two=False)
    begun = replace(begun, cursor=begun.game.board.index[own])
    asked = begun.with_view(view_of(spec, own, two=False))
    answered = asked.with_view(view_of(spec, moves, two=False))

    assert asked.position.stones[asked.cursor] == EMPTY
    assert "[X]" in text_of(screen(asked, SMALL))
    assert answered.position.stones[answered.cursor] == EMPTY
    assert f"Your move. Enter places X on {at(answered)}." == answered.status
    assert "[O]" in text_of(screen(answered, SMALL))


@pytest.mark.parametrize("spec", ["star(size=3)", "hex(size=3)"])
def test_whoever_sits_down_or_tries_moves_stands_on_an_empty_cell(spec: str) -> None:
    for begun in (session(spec, "C2 C1", two=False), typed(session(spec), "v", "enter", "enter")):
        assert begun.position.stones[begun.cursor] == EMPTY
        assert "Enter" in begun.status


def test_a_name_that_is_typed_while_the_computer_answers_is_a_cell_of_the_game_as_it_is() -> None:
    begun = session(moves="C2", two=False)
    answered = typed(begun, "d").with_view(view_of("star(size=3)", "C2 B2", two=False))
    after = typed(answered, "1")

    assert ("D1", answered.now) == (at(after), after.now)
    assert Intent("move", "D1") == typed(after, "enter").intent


def test_a_cell_that_was_named_and_is_taken_is_named_no_longer() -> None:
    before, after = view_of("star(size=3)", "C2"), view_of("star(size=3)", "C2 D1")
    begun = typed(replace(session(), now=before), "d", "1")
    later = begun.with_view(after)

    assert ("D1", "") == (begun.typed, later.typed)
    assert later.position.stones[later.cursor] == EMPTY


def test_two_stones_make_a_turn() -> None:
    begun = typed(session("starstar(size=4,double)", "S40"), *"t40")
    first = typed(begun, "enter")

    assert "Enter marks T40 as the first of 2 stones of O." == begun.status
    assert first.intent is None
    assert "Enter unmarks T40." == first.status
    assert () == typed(first, "enter").marked == typed(first, "escape").marked
    second = typed(first, *"a40")
    assert "Enter places O on T40 and A40." == second.status
    assert Intent("move", "T40+A40") == typed(second, "enter").intent
    assert Intent("move", "T40+-") == typed(first, "p", "enter").intent


def test_nothing_is_given_up_unasked() -> None:
    begun = session(moves="C2 B2")
    for key, intent in (
        ("p", Intent("move", "pass")),
        ("r", Intent("resign")),
        ("u", Intent("undo")),
        ("x", Intent("save")),
        ("i", Intent("picture")),
    ):
        asked = typed(begun, key)
        assert (None, "?") == (asked.intent, asked.status[-1]), key
        assert 1 == text_of(screen(asked, SMALL)).count("Enter"), key
        assert intent == typed(asked, "enter").intent
        assert (None, None) == ((no := typed(asked, "escape")).intent, no.question)
        assert (None, None) == ((no := typed(asked, "left")).intent, no.question)


@pytest.mark.parametrize("spec", ["star(size=3)", "hex(size=5)"])
def test_q_asks_only_where_something_would_be_lost(spec: str) -> None:
    begun = session(spec, "C2 B2")
    tried = typed(begun, "v", "a", "3", "enter")
    losing = replace(begun, now=replace(begun.now, losing="Leave, and lose this game?"))

    for fine in (begun, typed(begun, "v"), typed(tried, "escape"), typed(begun, "[")):
        assert (Intent("leave"), None) == ((left := typed(fine, "q")).intent, left.question)
    for asks in (tried, losing):
        assert (None, "?") == ((asked := typed(asks, "q")).intent, asked.status[-1])
        assert Intent("leave") == typed(asked, "enter").intent
        assert (None, None) == ((no := typed(asked, "escape")).intent, no.question)


def test_where_q_begins_a_cell_s_name_it_can_be_typed() -> None:
    begun = session("hex(size=17)")

    assert (None, "Leave the board?") == ((asked := typed(begun, "q")).intent, asked.status)
    assert ("Q3", None) == (at(named := typed(asked, "3")), named.question)


@pytest.mark.parametrize(
    ("moves", "reader", "asked"),
    [
        ("C2 B2", 1, "Ask to undo C2 and bob's B2?"),
        ("C2 B2", 2, "Ask to undo B2?"),
        ("C2 swap B2", 2, "Ask to undo the swap and alice's B2?"),
        ("C2", 2, "You have made no move that could be undone."),
        ("", 1, "You have made no move that could be undone."),
    ],
)
def test_at_the_server_an_undo_is_asked_about_by_the_names_of_its_moves(
    moves: str, reader: int, asked: str
) -> None:
    record = view_of("star(size=3)", moves).record.with_players(Seat(1, "alice"), Seat(2, "bob"))
    after = typed(new_session(View(record, "Star Board 101", 101, reader=reader)), "u")

    assert asked in {after.status, after.note}
    intent = Intent("undo") if asked.endswith("?") else None
    assert intent == typed(after, "enter").intent


def test_swap_is_asked_where_it_is_possible() -> None:
    assert Intent("move", "swap") == typed(session(moves="C2"), "w", "enter").intent
    assert "You can swap only" in typed(session(), "w").note


def test_links_are_shown_where_there_are_hints_and_nowhere_else() -> None:
    begun = session("hex(size=4)", "D1 C1 B3 A2")
    running = new_session(View(begun.now.record, "Hex Board 101", 101, reader=1))

    shown, refused = typed(begun, "b"), typed(running, "b")
    assert ("Shown: links.", frozenset({"links"})) == (shown.note, shown.shown)
    assert not typed(shown, "b").shown
    assert "No links in a running game between people." == refused.note
    assert not refused.shown
    assert not replace(running, shows=shown.shows).shown


def test_escape_drops_one_thing_after_the_other_and_then_tells_how_to_leave() -> None:
    begun = typed(session("starstar(size=4,double)", "S40"), "b", "v", *"t40", "enter")
    found = [begun]
    for _ in range(4):
        found.append(typed(found[-1], "escape"))

    assert [True, False, False, False, False] == [bool(each.marked) for each in found]
    assert [True, True, False, False, False] == [each.tried is not None for each in found]
    assert [True, True, True, False, False] == [bool(each.shows) for each in found]
    assert "Press q to leave the board." == found[-1].note
    assert "" == found[-2].note


def test_a_look_at_the_past_never_plays() -> None:
    now = session(moves="C2 B2 D1")
    past = typed(now, "[", "[")

    assert (1, "Enter goes back from move 1 to the game.") == (past.ply, past.status)
    assert (None, None) == ((back := typed(past, "enter")).ply, back.intent)
    assert (0, None) == (typed(now, "{").ply, typed(now, "{", "}").ply)
    assert (2, None) == (typed(past, "]").ply, typed(past, "]", "]").ply)
    assert "This is the start of the game." == typed(now, "{", "[").note
    assert "This is the last move." == typed(now, "]").note
    assert (None, "No moves yet.") == ((new := typed(session(), "{")).ply, new.note)


def test_moves_are_tried_and_forgotten() -> None:
    begun = typed(session(moves="C2 B2"), "v", *"d1")
    tried = typed(begun, "enter")

    assert "Enter tries X on D1." == begun.status
    assert (["D1"], None) == ([move.text for move in tried.tried or ()], tried.intent)
    assert "Enter tries O on D2." == typed(tried, *"d2").status
    assert () == typed(tried, "[").tried
    assert (None, 2) == ((gone := typed(tried, "escape")).tried, gone.view.record.ply)


def test_moves_that_are_tried_are_taken_back_one_by_one_from_the_last() -> None:
    begun = typed(session(moves="C2"), "v", *"b2", "enter", *"d1", "enter", *"c1", "enter")
    back = [begun, typed(begun, "["), typed(begun, "[", "u"), typed(begun, "[", "[", "[")]

    assert [("B2", "D1", "C1"), ("B2", "D1"), ("B2",), ()] == [
        tuple(move.text for move in each.tried or ()) for each in back
    ]
    assert [4, 3, 2, 1] == [each.view.record.ply for each in back]
    assert (None, 0) == (typed(back[-1], "[").tried, typed(back[-1], "[").ply)


def test_a_move_can_be_typed_in_words() -> None:
    begun = typed(session(moves="C2"), ":")

    assert (
        Intent("move", "B2") == typed(begun, *"b 2", "backspace", "backspace", "2", "enter").intent
    )
    assert Intent("move", "swap") == typed(begun, *"swap", "enter").intent
    assert typed(begun, *"zz9", "enter").note.startswith("Not a cell of this board.")
    assert begun.question is typed(begun, "escape").question is None


def test_the_second_click_on_a_cell_places() -> None:
    begun = session()
    cell = begun.game.board.index["B2"]
    once = typed(begun, f"cell {cell}")

    assert ("B2", None) == (at(once), once.intent)
    assert Intent("move", "B2") == typed(once, f"cell {cell}").intent
    for between in (["left", "right"], ["c"], ["s", "escape"]):
        assert typed(once, *between, f"cell {cell}").intent is None


def test_the_mouse_asks_about_a_cell_without_moving_the_cursor() -> None:
    begun = session()
    over = hover(begun, 3)

    assert (begun.cursor, 3) == (over.cursor, over.pointed)
    assert begun.cursor == hover(over, None).pointed == typed(over, "v").cursor


def test_a_server_s_move_is_asked_about_once_more() -> None:
    stored = replace(view_of("star(size=3)", "C2"), number=101)
    begun = typed(replace(session(), now=stored), *"b2", "enter")

    assert ("Play B2 as move 2?", None) == (begun.status, begun.intent)
    assert Intent("move", "B2") == typed(begun, "enter").intent


def test_a_plan_is_made_of_moves_tried() -> None:
    stored = replace(view_of("star(size=3)", "C2"), number=101)
    begun = typed(replace(session(), now=stored), "v")
    tried = typed(begun, *"b2", "enter", *"d1", "enter", *"d2", "enter")

    assert Intent("plan", "B2 D1:D2") == typed(tried, "+", "enter").intent
    waits = replace(tried, now=replace(stored, reader=None))
    assert Intent("plan", "B2:D1") == typed(waits, "+", "enter").intent
    assert "First press v and try moves" in typed(begun, "+").note


def test_an_offer_is_answered() -> None:
    stored = replace(view_of("star(size=3)", "C2"), number=101)
    begun = replace(session(), now=stored)
    made = Offer(OfferKind.RESULT, 0, "3-2")
    record = stored.record.with_players(Seat(READER, "alice"), Seat(0, "bob"))
    offered = replace(begun, now=replace(stored, record=record, offer=made))

    own = replace(offered, now=replace(offered.now, offer=made._replace(player_id=READER)))
    assert "Press = to answer." in text_of(screen(offered, Size(100, 30)))
    assert "= answers" not in text_of(screen(own, Size(100, 30)))
    narrow = text_of(screen(typed(begun, "=", *"26-25"), Size(40, 20)))
    assert "Propose a result (26-25, X's points\n first; empty for a draw): 26-25" in narrow
    assert Intent("propose", "26-25") == typed(begun, "=", *"26-25", "enter").intent
    assert Intent("accept", "accept 3-2") == typed(offered, "=", "enter").intent
    assert Intent("reject") == typed(offered, "=", "r").intent
    shown = {hit.key for hit in screen(typed(offered, "="), SMALL).hits}
    assert {"enter", "r", "escape"} == shown
    assert {"enter", "escape"} == {hit.key for hit in screen(typed(begun, "p"), SMALL).hits}
    assert Intent("say", "Good luck, 1!") == typed(begun, "/", *"Good luck, 1!", "enter").intent


def test_what_others_do_moves_no_cursor_and_drops_no_text() -> None:
    before, after = view_of("star(size=3)", "C2"), view_of("star(size=3)", "C2 D1")
    begun = typed(replace(session(), now=before), "left", ":", *"d1")
    later = begun.with_view(after)

    assert (begun.cursor, "d1") == (later.cursor, later.prompt and later.prompt.text)
    assert 1 == typed(replace(session(), now=before), "v").with_view(after).ply


def test_a_key_that_does_nothing_says_so() -> None:
    begun = session("star(size=4)")

    for key in ("z", "5", "f5", "f12", "ctrl+x"):
        after = typed(begun, key)
        assert "That key does nothing here. Press ? for all keys." == after.note
        assert (begun.cursor, None, None) == (after.cursor, after.intent, after.question)
    assert "A: type a number to complete the cell name." == typed(begun, "a").note
    assert "A4" == at(typed(begun, "a", "4"))


def test_a_hint_is_seen_with_its_own_position_only() -> None:
    begun = replace(session(moves="C2 B2"), advice=("Best: D1",))

    assert ("Best: D1",) == typed(begun, "up", "s", "enter", "c").advice
    assert () == typed(begun, "[").advice == typed(begun, "v", *"d1", "enter").advice


def test_no_hint_takes_the_computer_from_its_move() -> None:
    thinking = session(moves="C2", two=False)

    assert thinking.now.is_waiting
    for asked in (typed(thinking, "h"), typed(thinking, "v", "h")):
        assert (None, "No hint now: the computer is thinking about its own move.") == (
            asked.intent,
            asked.note,
        )


def test_whoever_only_looks_waits_for_nobody() -> None:
    begun = session(moves="C2")
    looker = replace(begun, now=replace(begun.now, reader=None))

    assert Intent("hint") == typed(looker, "h").intent


def test_a_lesson_is_neither_resigned_nor_taken_back() -> None:
    lesson = replace(session(moves="C2"), now=replace(view_of("star(size=3)", "C2"), task="Play!"))

    for key in ("r", "u"):
        assert typed(lesson, key).question is None
        assert typed(lesson, key).note


def test_whoever_only_looks_takes_nothing_back() -> None:
    begun = session(moves="C2 B2")
    looker = replace(begun, now=replace(begun.now, reader=None))
    asked = typed(looker, "u")

    assert "There is nothing to undo; [ goes back through the moves." == asked.note
    assert (None, None) == (asked.question, asked.intent)


def test_every_key_is_told_and_none_does_two_things() -> None:
    told = "".join(keys for keys, _ in key_lines())
    single = {key for key in KEYS if len(key) == 1} - {" ", "?"}

    assert [] == sorted(key for key in single if key not in told)
    assert len(KEYS) == sum(len(action.keys) for action in ACTIONS)
    assert "?" == press(session(), "?").page


@pytest.mark.parametrize("keys", ["", "v", "["])
@pytest.mark.parametrize("moves", ["", "C2 B2"])
def test_a_word_of_lines_does_what_its_key_does(moves: str, keys: str) -> None:
    def as_in_lines(found: Session) -> Session:
        return replace(found, typed="", before=None)

    begun = replace(as_in_lines(typed(session(moves=moves), *keys)), note="")
    for action in WORDS.values():
        if action.takes is None:
            by_key = as_in_lines(press(begun, action.keys[0]))
            assert by_key == speak(begun, action.word), action.word


def test_every_word_of_lines_is_told_where_it_does_something() -> None:
    here = view_of("star(size=3)", "C2")
    told = [" ".join(word_lines(now)).split() for now in (here, replace(here, number=101))]
    here_untold, there_untold = (
        {word for word in WORDS.keys() - {"help", "quit"} if not {word, f"{word},"} & {*lines}}
        for lines in told
    )

    assert {"say", "propose", "accept", "reject", "plan", "next", "bell"} == here_untold
    assert {"hint"} == there_untold


@pytest.mark.parametrize("is_stored", [False, True])
def test_in_a_game_that_has_ended_no_key_goes_on_with_it(is_stored: bool) -> None:  # noqa: FBT001
    at_end = replace(view_of("star(size=3)", "C2 B2 pass pass"), number=101 if is_stored else None)
    ended = replace(session(), now=at_end)
    asked = {
        "r": "There is nothing to resign.",
        "p": "It is not your turn.",
        "h": "The game is over.",
        "w": "You can swap only as the second move of a game with swap.",
    }
    if is_stored:
        asked["="] = "You can propose a result only on a running server board."

    assert at_end.record.outcome is not None
    for key, note in asked.items():
        after = typed(ended, key)

        assert (note, None, None, None) == (after.note, after.intent, after.question, after.prompt)
    for keys in (["enter"], [" "], [":", *"d1", "enter"], ["v", "p"], ["v", ":", *"d1", "enter"]):
        after = typed(ended, *keys)

        assert (None, None) == (after.intent, after.question), keys
        assert after.note, keys
    assert Intent("curve") == typed(ended, "g").intent


def test_the_curve_of_a_running_game_is_for_those_who_only_look() -> None:
    running = session(moves="C2 B2")
    seen = replace(running, now=replace(running.now, reader=None))
    people = replace(seen, now=replace(seen.now, number=101))

    assert (Intent("curve"), "g") == (typed(seen, "g").intent, typed(seen, "g").page)
    for who in (running, people):
        after = typed(who, "g")
        assert (None, "") == (after.intent, after.page)
        assert "The curve of winning chances is shown after the game." == after.note


def test_a_look_at_moves_that_were_taken_back_is_a_look_at_the_game_as_it_is() -> None:
    past = typed(session(moves="C2 B2 D1"), "[")
    shorter = past.with_view(view_of("star(size=3)", "C2"))
    longer = past.with_view(view_of("star(size=3)", "C2 B2 D1 D2"))
    tried = typed(session(moves="C2 B2 D1"), "v", "enter").with_view(shorter.now)

    assert (None, 1) == (shorter.ply, shorter.count)
    assert (2, 2) == (longer.ply, longer.count)
    assert (None, None, 1) == (tried.ply, tried.tried, tried.count)
    assert "C2" in text_of(screen(shorter, SMALL))


def test_the_screen_shows_the_end_of_what_is_typed_and_its_keys() -> None:
    stored = replace(view_of("star(size=3)", "C2"), number=101)
    begun = replace(session(), now=stored)
    short = screen(typed(begun, "/", *"Hello"), SMALL)
    long = screen(typed(begun, "/", *("x" * 90 + " the end")), SMALL)

    assert "Chat at the board: Hello" in text_of(short)
    assert "xxx the end" in text_of(long)
    assert max(map(width_of, (*short.lines, *long.lines))) <= SMALL.width
    assert {"enter", "escape"} <= {hit.key for hit in short.hits}


def test_what_only_a_board_of_the_server_has_is_told_at_one_keyboard() -> None:
    begun = session(moves="C2 B2")
    for key, note in (
        ("+", "Plans work only on server boards."),
        ("/", "Chat works only on server boards."),
        ("n", "This works only on server boards."),
        ("tab", "This works only on server boards."),
        ("=", "You can propose a result only on a running server board."),
    ):
        after = typed(begun, key)

        assert isinstance(after, Session)
        assert (note, None, None, None) == (after.note, after.intent, after.question, after.prompt)


def test_enter_tries_a_move_where_it_is_anothers_turn() -> None:
    record = view_of("star(size=3)", "C1").record.with_players(Seat(1, "alice"), Seat(2, "bob"))
    waiting = typed(new_session(View(record, "Star Board 101", 101, reader=1)), "enter")

    assert not waiting.is_my_turn
    assert (waiting.intent, waiting.tried is None) == (None, False)


@pytest.mark.parametrize("key", ["enter", " "])
@pytest.mark.parametrize("spec", ["star(size=3)", "hex(size=4)"])
def test_enter_waits_for_the_computer_and_tries_nothing(spec: str, key: str) -> None:
    thinking = session(spec, "C1", two=False)
    after = typed(thinking, key)

    assert "The computer is thinking; v tries moves meanwhile." == thinking.status
    assert (None, None, ()) == (after.intent, after.tried, after.marked)
    assert "wait for its move" in after.note
    assert 1 == len(typed(after, "v", "enter").tried or ()), "v still tries moves"

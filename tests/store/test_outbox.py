from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pbmserv.club.letter import Diagram, Letter, LetterKind
from pbmserv.club.play import remove
from pbmserv.engine.spec import parse_game
from pbmserv.store.mail.outbox import (
    FIRST_WAIT,
    LEASE,
    MAX_WAIT,
    PATIENCE,
    LetterState,
    OutboxEntry,
    OutboxItem,
    next_wait,
)
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store
from pbmserv.store.tables import outbox

from .sample_rows import NOW, new_match

LETTER = Letter(LetterKind.BOARD, "a@example.org", "Star Board 101 alice", "Hello.")


def post(store: Store, *letters: Letter) -> None:
    with store.writing() as records:
        records.outbox.post(letters, NOW)


def claim(store: Store, now: int = NOW, limit: int = 1) -> list[OutboxItem]:
    with store.writing() as records:
        return records.outbox.claim(now, limit=limit)


def fail(store: Store, posted: OutboxItem, now: int) -> bool:
    with store.writing() as records:
        return records.outbox.failed(posted, now, "no route")


def find(store: Store, number: int) -> OutboxEntry:
    with store.reading() as records:
        return next(entry for entry in records.lists.letters().rows if entry.id == number)


def test_a_letter_comes_back_as_it_was_posted(store: Store) -> None:
    match = new_match(store)
    game = parse_game("starstar(size=4,double)")
    letter = Letter(
        LetterKind.BOARD,
        "a@example.org",
        "*Star Board 101 bob **",
        "Hé\nho",
        "tail",
        diagram=Diagram(game, game.replay(["*40", "S40+-"]), is_clickable=True),
        player_id=match.first.player_id,
        match_id=match.id,
        revision=3,
        is_answer=True,
        in_reply_to="<x@y.z>",
    )
    post(store, letter)
    (posted,) = claim(store)

    assert posted.letter == letter
    assert (posted.created_at, posted.tries) == (NOW, 1)


def test_a_rolled_back_letter_never_leaves(store: Store) -> None:
    with store.writing() as records, records.connection.begin_nested() as part:
        records.outbox.post([LETTER], NOW)
        part.rollback()

    assert claim(store) == []


def test_a_claimed_letter_is_nobody_elses_until_the_lease_is_over(store: Store) -> None:
    post(store, LETTER)
    (first,) = claim(store)
    meanwhile = claim(store, NOW + LEASE - 1)
    (second,) = claim(store, NOW + LEASE)

    assert meanwhile == []
    assert (second.id, second.tries) == (first.id, 2)


def test_a_sent_letter_is_not_claimed_again(store: Store) -> None:
    post(store, LETTER)
    (posted,) = claim(store)
    with store.writing() as records:
        records.outbox.sent(posted, NOW + 1)

    assert claim(store, NOW + PATIENCE) == []
    assert find(store, posted.id).state == "sent"


def test_the_waits_double_from_five_minutes_to_four_hours() -> None:
    waits = [next_wait(tries) // 60 for tries in range(1, 9)]

    assert waits == [5, 10, 20, 40, 80, 160, 240, 240]


def test_a_letter_is_tried_for_five_days_and_then_given_up(store: Store) -> None:
    post(store, LETTER)
    now, tries, is_over = NOW, 0, False
    while not is_over:
        (posted,) = claim(store, now)
        is_over = fail(store, posted, now)
        assert claim(store, now + next_wait(posted.tries) - 1) == []
        tries, last, now = tries + 1, now, now + next_wait(posted.tries)

    assert PATIENCE <= last - NOW < PATIENCE + MAX_WAIT
    assert tries == 36
    given_up = find(store, posted.id)
    assert (given_up.state, given_up.last_error) == ("failed", "no route")


def test_a_letter_that_waited_for_a_postman_is_tried_as_long_as_any_other(store: Store) -> None:
    post(store, LETTER)
    late = NOW + 2 * PATIENCE
    (posted,) = claim(store, late)

    assert not fail(store, posted, late)
    assert find(store, posted.id).state == "waiting"
    assert [again.id for again in claim(store, late + FIRST_WAIT)] == [posted.id]


@pytest.mark.costly
def test_tries_without_waits_use_up_no_patience(store: Store) -> None:
    post(store, LETTER)
    for _ in range(100):
        (posted,) = claim(store)
        assert not fail(store, posted, NOW)
        with store.writing() as records:
            assert records.outbox.retry(posted.id, NOW)


def test_a_try_that_outlived_its_lease_changes_nothing(store: Store) -> None:
    post(store, LETTER)
    (late,) = claim(store)
    (current,) = claim(store, NOW + LEASE)
    fail(store, late, NOW + LEASE + 1)

    entry = find(store, late.id)

    assert (entry.due_at, entry.last_error) == (current.due_at, "")


def test_who_has_sent_it_may_say_so_late(store: Store) -> None:
    post(store, LETTER)
    (late,) = claim(store)
    claim(store, NOW + LEASE)
    with store.writing() as records:
        records.outbox.sent(late, NOW + LEASE + 1)

    assert find(store, late.id).state == "sent"


def test_a_reset_letter_is_forgotten_when_it_has_left(store: Store) -> None:
    post(store, Letter(LetterKind.RESET, "a@example.org", "Reset", "secret", "secret"))
    (posted,) = claim(store)
    with store.writing() as records:
        records.outbox.sent(posted, NOW)

    assert "secret" not in rows(store)


def test_a_dropped_reset_letter_is_forgotten_too(store: Store) -> None:
    post(store, Letter(LetterKind.RESET, "a@example.org", "Reset", "secret", "secret"))
    with store.writing() as records:
        records.outbox.drop_all("a@example.org", NOW)

    assert "secret" not in rows(store)


def rows(store: Store) -> str:
    with store.reading() as records:
        return str(records.connection.exec_driver_sql("SELECT * FROM outbox").all())


def test_a_damaged_letter_holds_up_no_other(store: Store) -> None:
    post(store, LETTER, LETTER, LETTER)
    with store.writing() as records:
        numbers = sorted(entry.id for entry in records.lists.letters().rows)
        for number, values in ((numbers[0], {"diagram": "x"}), (numbers[1], {"subject": "a\nb"})):
            changed = outbox.update().where(outbox.c.id == number).values(**values)
            records.connection.execute(changed)

    assert [posted.id for posted in claim(store)] == [numbers[2]]
    assert find(store, numbers[0]).state == "failed"


def test_operators_retry_and_drop(store: Store) -> None:
    post(store, LETTER, LETTER)
    first, second = claim(store, limit=2)
    fail(store, first, NOW)
    fail(store, second, NOW)
    with store.writing() as records:
        done = [
            records.outbox.retry(first.id, NOW + 1),
            records.outbox.drop(second.id, NOW + 1),
            records.outbox.retry(second.id, NOW + 1),
            records.outbox.drop(second.id, NOW + 1),
            records.outbox.retry(99, NOW),
        ]
    claimed = claim(store, NOW + 1, limit=9)

    assert done == [True, True, False, False, False]
    assert [posted.id for posted in claimed] == [first.id]


def test_a_letter_whose_words_are_forgotten_is_never_sent_without_them(store: Store) -> None:
    secret = replace(LETTER, kind=LetterKind.RESET)
    post(store, secret, LETTER)
    late, tried = NOW, claim(store, limit=2)
    while find(store, tried[0].id).state == "waiting":
        assert 2 == len(tried)
        late += MAX_WAIT
        for posted in tried:
            fail(store, posted, late)
        tried = claim(store, late + MAX_WAIT, limit=2) or tried
    first, second = sorted(entry.id for entry in _entries(store))
    with store.writing() as records:
        done = [records.outbox.retry(number, late) for number in (first, second)]

    assert [False, True] == done
    assert [LETTER] == [posted.letter for posted in claim(store, late, limit=9)]
    assert "failed" == find(store, first).state


def _entries(store: Store) -> list[OutboxEntry]:
    with store.reading() as records:
        return records.lists.letters().rows


def test_letters_are_counted_listed_and_forgotten(store: Store) -> None:
    post(store, LETTER, LETTER, LETTER)
    (posted,) = claim(store)
    with store.writing() as records:
        records.outbox.sent(posted, NOW + 1)
        records.outbox.drop(posted.id + 1, NOW + 5)
        counts = records.outbox.counts()
        gone = records.outbox.forget(NOW + 5)
        left = [other.id - posted.id for other in records.lists.letters().rows]
        waiting = [
            other.id - posted.id for other in records.lists.letters(Filter(status="waiting")).rows
        ]
        since = records.outbox.waiting_since()

    assert [counts[state] for state in LetterState] == [1, 1, 0, 1]
    assert (gone, left, waiting, since) == (1, [2, 1], [2], NOW)


def test_a_letter_names_the_last_five_of_its_board_that_its_reader_was_sent(store: Store) -> None:
    match = new_match(store)
    mine = replace(LETTER, match_id=match.id, player_id=match.first.player_id)
    other = replace(mine, address="b@example.org", player_id=match.second.player_id)
    numbers = []
    for second in range(7):
        with store.writing() as records:
            records.outbox.post([mine, other, LETTER], NOW + second)
        for posted in claim(store, NOW + second, limit=3):
            if posted.letter == mine:
                numbers.append((posted.id, NOW + second))
            with store.writing() as records:
                records.outbox.sent(posted, NOW + second)
    post(store, replace(mine, address="A@EXAMPLE.org"), mine, LETTER)
    found = [(posted.thread, posted.others, posted.board) for posted in claim(store, limit=3)]

    assert found == [(tuple(numbers[-5:]), ("bob",), "star/101")] * 2 + [((), (), "")]


def test_a_letter_about_a_removed_board_leads_to_none(store: Store) -> None:
    match = new_match(store)
    post(store, replace(LETTER, match_id=match.id, player_id=match.first.player_id))
    with store.writing() as records:
        records.matches.save(match, remove(match, NOW)[0])
    (posted,) = claim(store)

    assert (posted.others, posted.board) == (("bob",), "")


def test_a_thread_has_only_letters_that_were_sent_before(store: Store) -> None:
    match = new_match(store)
    mine = replace(LETTER, match_id=match.id, player_id=match.first.player_id)
    post(store, *[mine] * 5)
    sent, dropped, failed, asking, behind = claim(store, limit=5)
    for posted in (sent, behind):
        with store.writing() as records:
            records.outbox.sent(posted, NOW)
    fail(store, failed, NOW)
    with store.writing() as records:
        records.outbox.drop(dropped.id, NOW)
    again = {posted.id: posted.thread for posted in claim(store, NOW + LEASE, limit=5)}

    assert again == {failed.id: ((sent.id, NOW),), asking.id: ((sent.id, NOW),)}


def test_what_has_been_due_for_longest_leaves_first(store: Store) -> None:
    post(store, replace(LETTER, subject="failed"), replace(LETTER, subject="same"))
    fail(store, claim(store)[0], NOW + 1)
    with store.writing() as records:
        records.outbox.post([replace(LETTER, subject="new")], NOW + 2)
    found = [claim(store, NOW + FIRST_WAIT + 1)[0].letter.subject for _ in range(3)]

    assert found == ["same", "new", "failed"]


def test_of_an_error_two_hundred_characters_are_kept(store: Store) -> None:
    post(store, LETTER)
    (posted,) = claim(store)
    with store.writing() as records:
        records.outbox.failed(posted, NOW, "x" * 300)

    assert find(store, posted.id).last_error == "x" * 200


def test_nothing_waits_any_more_for_an_address_that_is_stopped(store: Store) -> None:
    post(store, LETTER, Letter(LetterKind.BOARD, "b@example.org", "Star", "x"))
    with store.writing() as records:
        dropped = records.outbox.drop_all("A@example.org", NOW)

    assert dropped == 1
    assert [posted.letter.address for posted in claim(store, limit=9)] == ["b@example.org"]


def test_several_senders_share_the_letters_without_one_twice(store: Store) -> None:
    post(store, *[LETTER] * 40)

    def take_all(_: int) -> list[int]:
        found = []
        while posted := claim(store, limit=3):
            found += [one.id for one in posted]
        return found

    with ThreadPoolExecutor(4) as threads:
        shares = list(threads.map(take_all, range(4)))
    claimed = sorted(number for share in shares for number in share)

    assert len(claimed) == 40
    assert len(set(claimed)) == 40


def test_claims_of_a_transaction_still_open_are_passed_over(store: Store) -> None:
    if store.location.path is not None:
        pytest.skip("writers of one SQLite file are alone")
    post(store, LETTER, LETTER)
    with store.writing() as records:
        (first,) = records.outbox.claim(NOW)
        (second,) = claim(store)

    assert first.id != second.id

"""The roster of the resident server's workers."""

from pbmserv.cli.roster import MOST, Roster


def test_the_last_free_worker_that_begins_says_so() -> None:
    roster = Roster()
    first, second = roster.take_place(), roster.take_place()
    assert (first, second) == (0, 1)

    assert not roster.begin(0)
    assert roster.begin(1)
    assert not roster.is_quiet()


def test_who_has_ended_is_free_again() -> None:
    roster = Roster()
    roster.take_place()
    roster.begin(0)
    roster.end(0, 12.5)

    assert (1, True, 12.5) == (roster.free(), roster.is_quiet(), roster.last_end())


def test_the_lowest_place_that_is_empty_is_taken_and_no_more_than_there_are() -> None:
    roster = Roster()
    assert [roster.take_place() for _ in range(MOST)] == list(range(MOST))
    assert roster.take_place() is None
    roster.clear(3)

    assert roster.take_place() == 3

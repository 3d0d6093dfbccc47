"""The life of a tournament, from its terms to its last board."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbmserv.club.pairing import Entrant
from pbmserv.club.tournament import (
    KINDS,
    Terms,
    Tournament,
    TournamentKind,
    TournamentStatus,
    advance,
    begin_due,
    cancel,
    join,
    leave,
    record,
    reopen,
    rounds_of,
    start,
)
from pbmserv.engine.games.star import Star
from pbmserv.errors import Denied, Misunderstood, Refused

ORGANISER = 99
ROUND_ROBIN, SWISS = KINDS


def tournament_of(count: int, terms: Terms | None = None) -> Tournament:
    tournament = Tournament(1, "spring", ORGANISER, terms or Terms(Star()))
    for number in range(1, count + 1):
        tournament = join(tournament, Entrant(number, f"p{number}", 1500 + number))
    return tournament


def with_all_boards_won(tournament: Tournament) -> Tournament:
    """Return the tournament after X has won every board that was running."""
    for place, board in enumerate(tournament.encounters):
        if board.score is None:
            tournament = record(tournament, place, 1.0)
    return advance(tournament)


def test_nobody_enters_twice_or_late() -> None:
    tournament = tournament_of(3)
    with pytest.raises(Refused, match="already"):
        join(tournament, Entrant(2, "p2", 1))
    with pytest.raises(Refused, match="started"):
        join(start(tournament, ORGANISER), Entrant(4, "p4", 1))


def test_only_the_organiser_starts_it_once_and_with_two_players() -> None:
    with pytest.raises(Denied):
        start(tournament_of(3), 1)
    with pytest.raises(Refused, match="two players"):
        start(tournament_of(1), ORGANISER)
    with pytest.raises(Refused, match="started"):
        start(start(tournament_of(3), ORGANISER), ORGANISER)


def test_leaving_before_the_start_leaves_nothing() -> None:
    tournament = leave(tournament_of(3), 2)

    assert tournament == replace(tournament, entrants=tournament_of(3).entrants[::2])
    with pytest.raises(Refused):
        leave(tournament, 2)


def test_leaving_later_brings_no_more_boards() -> None:
    first = start(tournament_of(6, Terms(Star(), SWISS, rounds=3)), ORGANISER)

    second = with_all_boards_won(leave(first, 2))

    late = [board for board in second.encounters if board.round == 2]
    assert all(2 not in (board.x, board.o) for board in late)
    assert len(late) == 3
    assert len(second.tables()[0].standings) == 6
    with pytest.raises(Refused):
        leave(second, 2)


def test_a_tournament_left_by_all_but_one_is_over() -> None:
    first = start(tournament_of(2, Terms(Star(), SWISS)), ORGANISER)

    over = with_all_boards_won(leave(first, 1))

    assert over.status is TournamentStatus.FINISHED
    with pytest.raises(Refused, match="over"):
        leave(over, 2)


def test_all_boards_of_a_round_robin_start_at_once() -> None:
    running = start(tournament_of(5, Terms(Star(), both_colours=True)), ORGANISER)

    assert len(running.encounters) == 20
    assert advance(running) == running
    assert with_all_boards_won(running).status is TournamentStatus.FINISHED


def test_pools_by_rating_play_among_themselves() -> None:
    running = start(tournament_of(9, Terms(Star(), pool_size=4)), ORGANISER)

    assert [{6, 7, 8, 9}, {1, 2, 3, 4, 5}] == [set(pool) for pool in running.pools]
    assert [6, 10] == [len(running.boards(pool)) for pool in range(2)]
    for board in running.encounters:
        assert {board.x, board.o} <= set(running.pools[board.pool])
    assert [4, 5] == [len(table.standings) for table in running.tables()]


@pytest.mark.parametrize(
    ("rounds", "pool_size", "kind"),
    [(0, None, SWISS), (51, None, SWISS), (3, None, ROUND_ROBIN), (None, 1, SWISS)],
)
def test_terms_that_do_not_fit(
    rounds: int | None, pool_size: int | None, kind: TournamentKind
) -> None:
    with pytest.raises(Misunderstood):
        Terms(Star(), kind, rounds=rounds, pool_size=pool_size)


def test_an_open_tournament_does_not_advance() -> None:
    assert advance(tournament_of(4)) == tournament_of(4)


@pytest.mark.costly
@settings(max_examples=50)
@given(
    st.integers(2, 17),
    st.sampled_from(KINDS),
    st.booleans(),
    st.none() | st.integers(2, 8),
    st.none() | st.integers(1, 9),
    st.data(),
)
def test_every_tournament_comes_to_its_end(
    count: int,
    kind: TournamentKind,
    both: bool,  # noqa: FBT001
    pool_size: int | None,
    rounds: int | None,
    data: st.DataObject,
) -> None:
    rounds = rounds if kind is SWISS else None
    terms = Terms(Star(), kind, both_colours=both, rounds=rounds, pool_size=pool_size)
    tournament = start(tournament_of(count, terms), ORGANISER)
    while tournament.status is TournamentStatus.RUNNING:
        running = [at for at, board in enumerate(tournament.encounters) if board.score is None]
        before = tournament.encounters
        place = data.draw(st.sampled_from(running))
        score = data.draw(st.sampled_from([1.0, 0.5, 0.0]))
        tournament = advance(record(tournament, place, score))
        kept = tournament.encounters[: len(before)]
        assert kept == (*before[:place], replace(before[place], score=score), *before[place + 1 :])

    boards_each = 2 if both else 1
    for pool, table in enumerate(tournament.tables()):
        for line in table.standings:
            played = line.won + line.drawn + line.lost
            size = len(tournament.pools[pool])
            if kind is SWISS:
                assert played + line.byes == boards_each * rounds_of(tournament, pool)
                assert line.byes <= boards_each
            else:
                assert played == boards_each * (size - 1)


def after_round(tournament: Tournament, *leaving: int) -> Tournament:
    """Return a tournament after its next boards, when these have left it."""
    for player in leaving:
        tournament = leave(tournament, player)
    return with_all_boards_won(tournament)


def test_who_is_left_alone_in_a_pool_gets_no_more_rounds() -> None:
    first = start(tournament_of(4, Terms(Star(), SWISS, rounds=3)), ORGANISER)
    over = after_round(first, 1, 2, 3)

    assert over.status is TournamentStatus.FINISHED
    assert over.encounters == with_all_boards_won(first).encounters[: len(over.encounters)]
    assert {1} == {board.round for board in over.encounters}
    assert {2} == {board.round for board in after_round(first, 1, 2).encounters[2:]}


def test_a_pool_goes_on_without_waiting_for_another_and_leavers_there_change_nothing_here() -> None:
    terms = Terms(Star(), SWISS, rounds=2, pool_size=4)
    running = start(tournament_of(8, terms), ORGANISER)
    own, other = running.pools
    for player in own[:3]:
        running = leave(running, player)
    for place, board in enumerate(running.encounters):
        if board.pool == 1:
            running = record(running, place, 0.5)
    later = advance(running)

    assert [1, 1, 2, 2] == sorted(board.round for board in later.boards(1))
    assert {1} == {board.round for board in later.boards(0)}
    assert {*other} == {*(board.x for board in later.boards(1)), *(b.o for b in later.boards(1))}
    assert later.status is TournamentStatus.RUNNING


def test_only_its_organiser_cancels_a_tournament_and_only_while_it_goes_on() -> None:
    open_one, running = tournament_of(3), start(tournament_of(3), ORGANISER)
    for tournament in (open_one, running):
        with pytest.raises(Denied):
            cancel(tournament, 1)
        assert cancel(tournament, ORGANISER).status is TournamentStatus.CANCELLED
    for over in (cancel(running, ORGANISER), with_all_boards_won(running)):
        assert over.status.is_over
        for call in (cancel, start):
            with pytest.raises(Refused):
                call(over, ORGANISER)
        with pytest.raises(Refused):
            join(over, Entrant(9, "p9", 1))
        with pytest.raises(Refused):
            leave(over, 1)
    assert not open_one.status.is_over
    assert not running.status.is_over


def test_what_is_cancelled_stays_so_whatever_becomes_of_its_boards() -> None:
    running = start(tournament_of(3), ORGANISER)
    gone = cancel(running, ORGANISER)

    assert reopen(record(gone, 0, 1.0), 0).status is TournamentStatus.CANCELLED
    assert advance(record(gone, 0, 1.0)).status is TournamentStatus.CANCELLED


def test_a_board_that_is_played_again_has_no_result_and_the_tournament_goes_on() -> None:
    over = with_all_boards_won(start(tournament_of(3), ORGANISER))
    again = reopen(over, 1)

    assert over.status is TournamentStatus.FINISHED
    assert again.status is TournamentStatus.RUNNING
    assert [1.0, None, 1.0] == [board.score for board in again.encounters]


@pytest.mark.parametrize(
    ("count", "status"), [(0, "cancelled"), (1, "cancelled"), (2, "running"), (3, "running")]
)
def test_its_date_begins_a_tournament_or_cancels_it(count: int, status: str) -> None:
    assert status == begin_due(tournament_of(count)).status.value


def test_rounds_are_as_many_as_find_a_winner_or_are_asked_for_or_can_be() -> None:
    def rounds(count: int, terms: Terms) -> int:
        return rounds_of(start(tournament_of(count, terms), ORGANISER), 0)

    assert [3, 5] == [rounds(count, Terms(Star())) for count in (4, 5)]
    assert [2, 3] == [rounds(count, Terms(Star(), SWISS)) for count in (4, 5)]
    assert [3, 5] == [rounds(count, Terms(Star(), SWISS, rounds=9)) for count in (4, 5)]
    assert 1 == rounds(5, Terms(Star(), SWISS, rounds=1))


def test_one_takes_part_under_one_number_whoever_else_does() -> None:
    running = start(tournament_of(4), ORGANISER)
    entrant = running.entrant(3)

    assert entrant is not None
    assert "p3" == entrant.userid
    assert running.entrant(9) is None
    left = leave(running, 3)
    assert [3] == [each.player_id for each in left.entrants if each.is_withdrawn]
    with pytest.raises(Refused, match=r"p3 has not joined"):
        leave(left, 3, "p3")
    with pytest.raises(Refused, match=r"You have not joined"):
        leave(left, 9)

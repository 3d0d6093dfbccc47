from dataclasses import replace

import pytest

from pbmserv.club.match import Match, Offer, OfferKind
from pbmserv.club.play import resign
from pbmserv.club.player import Player
from pbmserv.engine.position import Side
from pbmserv.engine.record import Status
from pbmserv.engine.spec import parse_game
from pbmserv.store.store import Records, Store

from .sample_rows import NOW, add_player, played, seat


@pytest.fixture
def club(store: Store) -> dict[str, Player]:
    """Store four players and the boards 101 to 106 of star and 101 of starweb.

    Running: 101 alice-bob (alice to move), 103 bob-alice after a move (alice to move),
    105 carol-carol, starweb 101 alice-carol. Ended: 102 (first), 106 (then). Removed: 104.
    """
    with store.writing() as records:
        people = {name: add_player(records, name) for name in ("alice", "bob", "carol", "dora")}
        add(records, people, "alice bob")
        ends(records, add(records, people, "alice bob"), NOW + 10)
        running = add(records, people, "bob alice")
        records.matches.save(running, played(running, "C1"))
        declined = add(records, people, "alice bob")
        after, _ = resign(declined, people["bob"].id, NOW)
        records.matches.save(declined, after)
        add(records, people, "carol carol")
        ends(records, add(records, people, "carol alice"), NOW + 20)
        add(records, people, "alice carol", "starweb(size=4)")
    return people


def add(
    records: Records, people: dict[str, Player], pair: str, spec: str = "star(size=3)"
) -> Match:
    first, second = (seat(people[name]) for name in pair.split())
    return records.matches.add(parse_game(spec), first, second, NOW)


def ends(records: Records, match: Match, now: int) -> None:
    moved = played(match, "C1", "swap", "D1")
    after, _ = resign(moved, match.second.player_id, now)
    records.matches.save(match, after)


def numbers(store: Store, game: str | None, ids: list[int], selector: str) -> list[str]:
    with store.reading() as records:
        found = records.matches.summaries(game, ids, selector=selector)
    return [f"{line.game} {line.number}" for line in found]


@pytest.mark.parametrize("kind", OfferKind)
def test_a_board_at_which_an_offer_waits_for_a_player_is_theirs_next(
    store: Store, club: dict[str, Player], kind: OfferKind
) -> None:
    with store.writing() as records:
        match = records.matches.find("star", 103)
        assert match is not None
        made = Offer(kind, club["alice"].id, "7-6" if kind is OfferKind.RESULT else "")
        offering = replace(match, offer=made, revision=match.revision + 1)
        records.matches.save(match, offering)
    people = [club[name].id for name in ("alice", "bob")]

    assert [] == numbers(store, "starweb", people[1:], "next")
    assert ["star 103"] == numbers(store, "star", people[1:], "next")
    assert ["star 103"] == numbers(store, None, people[1:], "next")
    assert ["star 101", "star 103"] == numbers(store, "star", people, "next")
    with store.writing() as records:
        line = records.matches.summaries("star", people, selector="next", limit=2)[1]
        assert (made, people[1]) == (
            line.offer,
            line.offer_recipient.player_id if line.offer_recipient else 0,
        )
        records.matches.save(offering, replace(offering, offer=None, revision=9))
    assert [] == numbers(store, None, people[1:], "next")


@pytest.mark.parametrize(
    ("who", "selector", "expected"),
    [
        ("", "all", "star 101,star 103,star 105,starweb 101,star 106,star 102"),
        ("", "active", "star 101,star 103,star 105,starweb 101"),
        ("", "inactive", "star 106,star 102"),
        ("alice", "all", "star 101,star 103,starweb 101,star 106,star 102"),
        ("alice", "next", "star 101,star 103,starweb 101"),
        ("bob", "next", ""),
        ("bob", "inactive", "star 102"),
        ("carol", "active", "star 105,starweb 101"),
        ("bob carol", "all", "star 101,star 103,star 105,starweb 101,star 106,star 102"),
        ("dora", "all", ""),
    ],
)
def test_boards_are_selected_and_ordered(
    store: Store, club: dict[str, Player], who: str, selector: str, expected: str
) -> None:
    ids = [club[name].id for name in who.split()]

    assert ",".join(numbers(store, None, ids, selector)) == expected


def test_one_game_is_listed_alone(store: Store, club: dict[str, Player]) -> None:
    found = [
        numbers(store, "starweb", [], "all"),
        numbers(store, "star", [club["carol"].id], "all"),
    ]

    assert found == [["starweb 101"], ["star 105", "star 106"]]


@pytest.mark.costly(stay=4)
@pytest.mark.usefixtures("club")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("ids", [[], [1], [1, 3]])
def test_a_limited_list_is_how_the_whole_begins(store: Store, size: int, ids: list[int]) -> None:
    with store.reading() as records:
        whole = records.matches.summaries(None, ids)
        part = records.matches.summaries(None, ids, limit=size)
        recent = records.matches.recent(["starweb", "star"], since=0, limit=size)

    assert part == whole[:size]
    if not ids:
        assert recent == part


@pytest.mark.usefixtures("club")
def test_a_summary_tells_what_replaying_would_tell(store: Store) -> None:
    with store.reading() as records:
        lines = records.matches.summaries("star")
        matches = [records.matches.find("star", line.number) for line in lines]
    for line, match in zip(lines, matches, strict=True):
        assert match is not None
        assert line.seats == match.seats
        assert line.status is match.status
        assert line.ply == match.ply
        assert line.next_seat == match.next_seat
        outcome = match.outcome
        assert line.winner == (outcome.winner if outcome else None)
        assert line.reason == (outcome.reason.value if outcome else None)


@pytest.mark.usefixtures("club")
def test_a_board_that_was_resigned_shows_its_winner_and_no_points(store: Store) -> None:
    with store.reading() as records:
        line = records.matches.summaries("star", selector="inactive")[0]

    assert line.status is Status.WON
    assert line.winner is Side.O
    assert line.seats[Side.X].userid == "alice"
    assert line.points is None


def test_of_boards_that_ended_together_the_last_comes_first(
    store: Store, club: dict[str, Player]
) -> None:
    with store.writing() as records:
        for pair in ("bob dora", "dora alice", "dora bob"):
            ends(records, add(records, club, pair), NOW + 30)

    assert numbers(store, None, [club["dora"].id], "all") == ["star 109", "star 108", "star 107"]
    assert numbers(store, "star", [], "inactive")[:3] == ["star 109", "star 108", "star 107"]
    with store.reading() as records:
        for ids in ([], [club["dora"].id], [club["dora"].id, club["bob"].id]):
            whole = records.matches.summaries(None, ids, selector="inactive")
            for size in range(1, 5):
                part = records.matches.summaries(None, ids, selector="inactive", limit=size)
                assert part == whole[:size]


def test_running_matches_of_a_player(store: Store, club: dict[str, Player]) -> None:
    with store.reading() as records:
        found = [records.matches.running_of(club[name].id) for name in ("alice", "carol", "dora")]

    assert found == [
        [("star", 101), ("star", 103), ("starweb", 101)],
        [("star", 105), ("starweb", 101)],
        [],
    ]


@pytest.mark.usefixtures("club")
def test_every_match_is_named(store: Store) -> None:
    with store.reading() as records:
        ids = records.matches.ids()
        named = records.matches.names(ids)
        late = records.matches.ids(since=NOW + 15)

    assert [key[1:] for key in named] == [
        *(("star", number) for number in range(101, 107)),
        ("starweb", 101),
    ]
    assert [key[1:] for key in named if key[0] in late] == [("star", 106)]

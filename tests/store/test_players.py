import pytest

from pbmserv.club.player import Player, PlayerStatus, Robot
from pbmserv.engine.moments import HOUR
from pbmserv.errors import Refused
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store

from .sample_rows import NOW, add_player


def add(store: Store, userid: str, *addresses: str) -> Player:
    with store.writing() as records:
        return records.players.add(userid, "hash", addresses, status=PlayerStatus.ACTIVE, now=NOW)


def test_a_player_is_found_in_any_case_with_his_addresses(store: Store) -> None:
    added = add(store, "Alice", "b@example.org", "a@example.org")
    with store.reading() as records:
        found = records.players.find("aLICE")

    assert found == added
    assert added.addresses == ("b@example.org", "a@example.org")


def test_nobody_is_found_under_an_unknown_userid(store: Store) -> None:
    with store.reading() as records:
        found = records.players.find("nobody")

    assert found is None


def test_an_address_is_kept_once_whatever_its_case(store: Store) -> None:
    added = add(store, "alice", "A@example.org", "a@EXAMPLE.org")
    with store.reading() as records:
        found = records.players.get(added.id)

    assert found.addresses == ("A@example.org",)


def test_a_userid_is_given_out_once_whatever_its_case(store: Store) -> None:
    add(store, "alice")
    with pytest.raises(Refused) as caught:
        add(store, "ALICE")

    assert caught.value.code == "userid-taken"


def test_a_refused_userid_leaves_the_transaction_usable(store: Store) -> None:
    add(store, "alice")
    with store.writing() as records:
        with pytest.raises(Refused):
            add_player(records, "alice")
        add_player(records, "bob")
    with store.reading() as records:
        userids = [player.userid for player in records.lists.players().rows]

    assert userids == ["alice", "bob"]


def test_a_player_of_imported_games_becomes_an_account_at_signup(store: Store) -> None:
    with store.writing() as records:
        recorded = records.players.add("ALICE", None, (), status=PlayerStatus.RECORDED, now=NOW - 5)
    added = add(store, "alice", "a@example.org")
    with store.reading() as records:
        found = records.players.find("alice")

    assert added.id == recorded.id
    assert found == Player(
        recorded.id, "alice", PlayerStatus.ACTIVE, "hash", NOW, ("a@example.org",)
    )


def test_changes_are_saved(store: Store) -> None:
    added = add(store, "alice", "a@example.org", "b@example.org")
    changed = Player(added.id, "alice", PlayerStatus.CLOSED, None, NOW, ("c@example.org",))
    with store.writing() as records:
        records.players.save(changed, closed_at=NOW + 1)
    with store.reading() as records:
        found = records.players.get(added.id)

    assert found == changed


def test_players_are_listed_in_pages(store: Store) -> None:
    for userid in ("dora", "Alice", "carol", "bob"):
        add(store, userid, f"{userid}@example.org", f"{userid}@example.com")
    with store.reading() as records:
        pages = [
            records.lists.players(Filter(limit=3)).rows,
            records.lists.players(Filter(limit=3, offset=3)).rows,
        ]

    assert [[player.userid for player in page] for page in pages] == [
        ["Alice", "bob", "carol"],
        ["dora"],
    ]
    assert pages[0][1].addresses == ("bob@example.org", "bob@example.com")


@pytest.fixture
def people(store: Store) -> dict[str, Player]:
    """Accounts of every kind: open, closed, suspended, recorded and robots."""
    found = {
        name: add(store, name) for name in ("Bob", "alice", "a_b", "axb", "gone", "Hal", "old")
    }
    with store.writing() as records:
        for name in ("gone", "old"):
            records.players.save(found[name]._replace(status=PlayerStatus.CLOSED), closed_at=NOW)
        records.players.suspend(found["axb"].id, NOW + 1)
        for name in ("Hal", "old"):
            records.players.make_robot(found[name].id, Robot(2, ("star",)))
        recorded = PlayerStatus.RECORDED
        found["ann"] = records.players.add("ann", None, (), status=recorded, now=NOW)
    return found


def test_each_list_has_the_players_that_it_is_of(store: Store, people: dict[str, Player]) -> None:
    with store.reading() as records:
        players = records.players
        robots = [player.userid for player in players.robots()]
        open_ones = sorted(players.open_userids())
        called = players.called(["gone", "bob", "alice", "nobody", "ann"])
        members = {
            word: [player.userid for player in players.members(word, 9)]
            for word in ("A", "_", "x", "ob", "gone", "ann", "", "%", "a b", "\x00")
        }
        first = [player.userid for player in players.members("", 2)]
        suspended = {name: players.get(each.id).suspended_at for name, each in people.items()}

    assert robots == ["Hal"]
    assert open_ones == ["Bob", "Hal", "a_b", "alice", "axb"]
    assert called == ["alice", "ann", "Bob"]
    assert members == {
        "A": ["a_b", "alice", "axb", "Hal"],
        "_": ["a_b"],
        "x": ["axb"],
        "ob": ["Bob"],
        "": ["a_b", "alice", "axb", "Bob", "Hal"],
        **{word: [] for word in ("gone", "ann", "%", "a b", "\x00")},
    }
    assert first == ["a_b", "alice"]
    assert {name: at for name, at in suspended.items() if at is not None} == {"axb": NOW + 1}


def test_who_was_seen_is_noted_to_the_hour_and_of_nobody_else(store: Store) -> None:
    alice, bob = add(store, "alice"), add(store, "bob")
    seen = []
    for now in (NOW, NOW + HOUR, NOW + HOUR + 1, NOW + 2 * HOUR, NOW):
        with store.writing() as records:
            records.players.note_seen(records.players.get(alice.id), now)
            seen.append(records.players.get(alice.id).seen_at)
            assert records.players.get(bob.id).seen_at is None

    assert seen == [NOW, NOW, NOW + HOUR + 1, NOW + HOUR + 1, NOW + HOUR + 1]


def test_an_address_is_written_as_its_player_last_wrote_it_and_found_in_any_case(
    store: Store,
) -> None:
    alice, bob = add(store, "alice", "a@example.org", "b@example.org"), add(store, "bob")
    with store.writing() as records:
        records.addresses.trust(alice.id, ["a@example.org"])
        changed = alice._replace(addresses=("B@example.org", "A@Example.org", "b@EXAMPLE.org"))
        records.players.save(changed)
        found = records.players.get(alice.id).addresses
        proven = {row.address: row.is_proven for row in records.addresses.of([alice.id])}
        at = [records.players.at("a@EXAMPLE.ORG", player.id) for player in (alice, bob)]

    assert found == ("B@example.org", "A@Example.org")
    assert proven == {"B@example.org": False, "A@Example.org": True}
    assert [each and each.userid for each in at] == ["alice", None]


def test_a_new_userid_is_free_and_the_old_one_becomes_so(store: Store) -> None:
    alice, bob = add(store, "alice"), add(store, "bob")
    with store.writing() as records:
        for taken in ("BOB", "bob"):
            with pytest.raises(Refused) as caught:
                records.players.rename(alice, taken)
            assert caught.value.code == "userid-taken"
        records.players.rename(alice, "ALICE")
        same = records.players.find("alice")
        records.players.rename(alice, "Carol")
        found = [records.players.find(name) for name in ("alice", "carol", "bob")]

    assert same is not None
    assert (same.id, same.userid) == (alice.id, "ALICE")
    assert [each and (each.id, each.userid) for each in found] == [
        None,
        (alice.id, "Carol"),
        (bob.id, "bob"),
    ]

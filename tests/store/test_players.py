import pytest

from pbmserv.club.player import Player, PlayerStatus
from pbmserv.errors import Refused
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
        userids = [player.userid for player in records.players.all()]

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
        pages = [records.players.all(limit=3), records.players.all(limit=3, offset=3)]

    assert [[player.userid for player in page] for page in pages] == [
        ["Alice", "bob", "carol"],
        ["dora"],
    ]
    assert pages[0][1].addresses == ("bob@example.org", "bob@example.com")

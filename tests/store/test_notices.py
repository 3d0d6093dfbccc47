from pbmserv.club.player import PlayerStatus
from pbmserv.store.notices import NoticeKind
from pbmserv.store.store import Store

from .sample_rows import NOW, add_player, new_match


def test_a_notice_stays_until_it_is_read(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        alice, bob = match.first.player_id, match.second.player_id
        records.notices.add([bob, alice], NoticeKind.REMINDER, "hurry", NOW, match_id=match.id)
        records.notices.add([alice], NoticeKind.MESSAGE, "hello", NOW + 1)
        first = records.notices.unread(alice)
        records.notices.read(first[:1], NOW + 2)
        left = [records.notices.unread(who) for who in (alice, bob)]

    assert [(n.kind.value, n.text, n.at, n.game, n.number) for n in first] == [
        ("reminder", "hurry", NOW, "star", 101),
        ("message", "hello", NOW + 1, None, None),
    ]
    assert [[n.text for n in found] for found in left] == [["hello"], ["hurry"]]


def test_an_announcement_goes_to_every_open_account(store: Store) -> None:
    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        old = records.players.add("old", None, (), status=PlayerStatus.RECORDED, now=NOW)
        told = records.notices.announce("down on Sunday", NOW)
        found = [[n.text for n in records.notices.unread(p.id)] for p in (alice, bob, old)]

    assert told == 2
    assert found == [["down on Sunday"], ["down on Sunday"], []]


def test_only_what_was_read_long_ago_is_forgotten(store: Store) -> None:
    with store.writing() as records:
        alice = add_player(records, "alice")
        for text in ("one", "two", "three"):
            records.notices.add([alice.id], NoticeKind.REMARK, text, NOW)
        one, two, _three = records.notices.unread(alice.id)
        records.notices.read([one], NOW)
        records.notices.read([two], NOW + 9)
        gone = [records.notices.forget(NOW + 5) for _ in range(2)]
        records.notices.read([], NOW)

    assert gone == [1, 0]

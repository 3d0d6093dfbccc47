from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.store.store import Store

from .sample_rows import NOW, add_player, new_match, played


def test_a_notice_stays_until_it_is_read(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        alice, bob = match.first.player_id, match.second.player_id
        records.notices.add([bob, alice], NoticeKind.REMINDER, "hurry", NOW + 1, match_id=match.id)
        records.notices.add([alice], NoticeKind.MESSAGE, "hello", NOW + 1)
        first = records.notices.unread(alice)
        records.notices.read(alice, NOW + 2)
        left = [records.notices.unread(who) for who in (alice, bob)]

    assert [(n.kind.value, n.text, n.at, n.game, n.number) for n in first] == [
        ("reminder", "hurry", NOW + 1, "star", 101),
        ("message", "hello", NOW + 1, None, None),
    ]
    assert [[n.text for n in found] for found in left] == [[], ["hurry"]]


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
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        for player, read_at in ((alice, NOW), (bob, NOW + 9)):
            records.notices.add([player.id], NoticeKind.REMARK, "one", NOW)
            records.notices.read(player.id, read_at)
        records.notices.add([alice.id], NoticeKind.REMARK, "two", NOW)
        gone = [records.notices.forget(NOW + 5) for _ in range(2)]

    assert gone == [1, 0]


def test_a_reminder_is_out_of_date_when_its_board_has_changed(store: Store) -> None:
    match = new_match(store)
    alice = match.first.player_id
    with store.writing() as records:
        for kind in (NoticeKind.REMINDER, NoticeKind.REMARK):
            records.notices.add([alice], kind, "about 101", NOW + 1, match_id=match.id)
        before = [n.kind.value for n in records.notices.unread(alice)]
        records.matches.save(match, played(match, "C1"))
        after = [n.kind.value for n in records.notices.unread(alice)]

    assert before == ["reminder", "remark"]
    assert after == ["remark"]

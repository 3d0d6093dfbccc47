from pbmserv.club.player import PlayerStatus
from pbmserv.store.people.talk import Preferences
from pbmserv.store.store import Store
from pbmserv.store.tables import chat

from .sample_rows import NOW, add_player, new_match


def test_preferences_are_kept_and_asked_for(store: Store) -> None:
    with store.writing() as records:
        alice, bob, carol = (add_player(records, name) for name in ("alice", "bob", "carol"))
        records.players.add("old", None, (), status=PlayerStatus.RECORDED, now=NOW)
        before = records.talk.preferences(alice.id)
        records.talk.prefer(alice.id, Preferences(has_digest=True, takes_broadcasts=True))
        records.talk.prefer(alice.id, Preferences(has_digest=True, takes_broadcasts=False))
        after = records.talk.preferences(alice.id)
        digests = records.talk.digest_readers()
        records.talk.block(carol.id, bob.id)
        readers = [records.talk.broadcast_readers(who.id) for who in (alice, bob)]

    assert before == Preferences(has_digest=False, takes_broadcasts=True)
    assert after == Preferences(has_digest=True, takes_broadcasts=False)
    assert digests == [alice.id]
    assert readers == [[bob.id, carol.id], [bob.id]]


def test_a_block_has_one_direction_and_can_be_undone(store: Store) -> None:
    with store.writing() as records:
        alice, bob = add_player(records, "alice"), add_player(records, "bob")
        for _ in range(2):
            records.talk.block(alice.id, bob.id)
        blocked = [records.talk.is_blocked(alice.id, bob.id), records.talk.is_blocked(bob.id, 1)]
        undone = [records.talk.unblock(alice.id, bob.id) for _ in range(2)]

    assert blocked == [True, False]
    assert undone == [True, False]


def test_subscribers_come_and_go(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        carol = add_player(records, "carol")
        for _ in range(2):
            records.talk.subscribe(match.id, carol.id)
        during = records.talk.subscribers(match.id)
        ended = [records.talk.unsubscribe(match.id, carol.id) for _ in range(2)]

    assert during == [carol.id]
    assert ended == [True, False]


def test_chat_is_kept_in_order(store: Store) -> None:
    match = new_match(store)
    with store.writing() as records:
        records.talk.say(match.id, match.second.player_id, "hello", NOW)
        records.talk.say(match.id, match.first.player_id, "hi\nthere", NOW + 1)
    with store.reading() as records:
        rows = records.connection.execute(chat.select().order_by(chat.c.id)).all()

    said = [(row.match_id, row.player_id, row.at, row.text) for row in rows]

    assert said == [(1, 2, NOW, "hello"), (1, 1, NOW + 1, "hi\nthere")]

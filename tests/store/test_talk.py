from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.engine.spec import parse_game
from pbmserv.store.people.talk import Preferences
from pbmserv.store.store import Store
from pbmserv.store.tables import chat

from .sample_rows import NOW, add_player, new_match, seat


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


def test_a_remark_is_removed_with_the_news_of_it_and_no_other(store: Store) -> None:
    with store.writing() as records:
        one, other, reader = (add_player(records, name) for name in ("a_b", "axb", "carol"))
        boards = [
            records.matches.add(parse_game("star(size=3)"), seat(one), seat(other), NOW)
            for _ in range(2)
        ]
        for board, writer, at in (
            (boards[0], one, NOW),
            (boards[0], one, NOW + 1),
            (boards[0], other, NOW),
            (boards[1], one, NOW),
        ):
            text = f"{writer.userid} at Star Board {board.number}: {at}"
            records.talk.say(board.id, writer.id, text, at)
            for kind in (NoticeKind.REMARK, NoticeKind.MESSAGE):
                records.notices.add([reader.id], kind, text, at, match_id=board.id)
        first, *_ = records.talk.said(boards[0].id)
        removed = [records.talk.delete_line(first.number) for _ in range(2)]
        left = [[each.text for each in records.talk.said(board.id)] for board in boards]
        news = records.notices.unread(reader.id)

    kept = [
        "a_b at Star Board 101: 1800000001",
        "axb at Star Board 101: 1800000000",
        "a_b at Star Board 102: 1800000000",
    ]
    assert removed == [first, None]
    assert left == [kept[:2], kept[2:]]
    assert [each.text for each in news if each.kind is NoticeKind.REMARK] == kept
    assert [each.text for each in news if each.kind is NoticeKind.MESSAGE] == [first.text, *kept]


def test_of_what_was_said_and_written_the_last_is_told_oldest_first(store: Store) -> None:
    match = new_match(store)
    alice, bob = match.first.player_id, match.second.player_id
    with store.writing() as records:
        carol = add_player(records, "carol").id
        for number, (writer, readers) in enumerate(
            ((alice, [bob, bob]), (bob, [alice]), (carol, [bob]), (alice, [alice]), (bob, [carol]))
        ):
            records.talk.say(match.id, writer, str(number), NOW)
            records.talk.send(writer, readers, str(number), NOW + number)
        said = [each.text for each in records.talk.said(match.id, 2)]
        told = {
            name: [(each.writer, each.reader, each.text) for each in records.talk.messages(who, 2)]
            for name, who in (("alice", alice), ("carol", carol))
        }
        whole = [each.text for each in records.talk.messages(bob, 9)]

    assert said == ["3", "4"]
    assert told == {
        "alice": [("bob", "alice", "1"), ("alice", "alice", "3")],
        "carol": [("carol", "bob", "2"), ("bob", "carol", "4")],
    }
    assert whole == ["0", "1", "2", "4"]

from pbmserv.store.audit import AuditEntry
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store

from .sample_rows import NOW, new_match


def test_entries_come_newest_first_and_by_match_or_player(store: Store) -> None:
    match = new_match(store)
    alice, bob = match.first.player_id, match.second.player_id
    with store.writing() as records:
        for at, player_id, match_id in ((1, alice, None), (2, bob, match.id), (3, None, None)):
            records.audit.add(
                at=NOW + at,
                source="shell",
                verb="move",
                outcome="done",
                player_id=player_id,
                match_id=match_id,
            )
    with store.reading() as records:
        found = [
            [entry.at - NOW for entry in entries]
            for entries in (
                records.lists.audit().rows,
                records.lists.audit(Filter(limit=1, offset=1)).rows,
                records.lists.audit(Filter(game="star")).rows,
                records.lists.audit(Filter(player_id=alice)).rows,
            )
        ]
        entry = records.lists.audit(Filter(game="star")).rows[0]

    assert found == [[3, 2, 1], [2], [2], [1]]
    assert entry == AuditEntry(entry.id, NOW + 2, "shell", "bob", "star", 101, "move", "", "done")

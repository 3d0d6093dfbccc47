"""Players and matches for the tests of the store."""

from pbmserv.club.match import Match
from pbmserv.club.play import play
from pbmserv.club.player import Player, PlayerStatus, Seat
from pbmserv.engine.spec import parse_game
from pbmserv.store.store import Records, Store

NOW = 1_800_000_000


def add_player(records: Records, userid: str) -> Player:
    return records.players.add(userid, "hash", (), status=PlayerStatus.ACTIVE, now=NOW)


def seat(player: Player) -> Seat:
    return Seat(player.id, player.userid)


def new_match(store: Store, spec: str = "star(size=3)") -> Match:
    """Store alice, bob and a match between them, in which alice moves first."""
    with store.writing() as records:
        return new_match_within(records, spec)


def new_match_within(records: Records, spec: str = "star(size=3)") -> Match:
    """Do the same in an open transaction."""
    alice, bob = add_player(records, "alice"), add_player(records, "bob")
    return records.matches.add(parse_game(spec), seat(alice), seat(bob), NOW)


def played(match: Match, *texts: str) -> Match:
    """Return the match after these moves, each by whoever is to move."""
    for number, text in enumerate(texts, start=1):
        on_move = match.next_seat
        assert on_move is not None
        match, _ = play(match, on_move.player_id, match.game.parse_move(text), NOW + number)
    return match


def save(store: Store, before: Match, after: Match) -> Match:
    """Save the change and return the match as it is read again."""
    with store.writing() as records:
        records.matches.save(before, after)
    return find(store, before)


def find(store: Store, match: Match) -> Match:
    with store.reading() as records:
        found = records.matches.find(match.game.name, match.number)
    assert found is not None
    return found

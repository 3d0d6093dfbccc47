"""The ratings as a whole: compared with the games, and calculated anew from them."""

from collections.abc import Iterator

from pbmserv.club.standing import RatingChange, Standings
from pbmserv.club.wording import with_count
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import command
from pbmserv.services.session import WriteSession
from pbmserv.store.people.ratings import CHUNK, RatedRow
from pbmserv.store.store import Records, Store


@command(can_rehearse=True)
def rate(session: WriteSession) -> Answer:
    """Recalculate all ratings from the finished games, in the order in which they ended."""
    count = session.records.ratings.rebuild()
    session.ledger.note("admin rate", f"{count} games")
    said = f"{with_count(count, 'rated game')}; all ratings are recalculated."
    return Answer((said,), {"games": count})


def wrong_ratings(store: Store) -> list[str]:
    """Return where the ratings are not what the games give, calculated in the order of rating."""
    problems: list[str] = []
    check = _Check()
    last, is_whole = 0, False
    while not is_whole:
        with store.reading() as records:
            chunk = records.ratings.rated(last, CHUNK)
            is_whole = len(chunk) < CHUNK
            problems += check.rows(chunk)
            if is_whole:
                problems += check.ends(records)
        last = chunk[-1].id if chunk else last
    return [*problems, *_unrecorded(store)]


class _Check:
    """The ratings as calculated so far, beside those that are stored."""

    def __init__(self) -> None:
        self._standings = Standings()
        self._expected: dict[int, dict[int, RatingChange]] = {}
        self._names: dict[int, str] = {}

    def rows(self, chunk: list[RatedRow]) -> Iterator[str]:
        """Yield what is wrong with these changes; of each game the first one makes it rated."""
        for row in chunk:
            name = f"{row.game.game} {row.number}"
            if not row.counts:
                yield f"{name}: it has changed ratings but is not a finished rated game"
                continue
            if row.game.match_id not in self._expected:
                self._names[row.game.match_id] = name
                self._expected[row.game.match_id] = self._standings.add(row.game)
            waiting = self._expected[row.game.match_id]
            change = waiting.pop(row.change.player_id, None)
            is_right = change is not None and (
                abs(change.before - row.change.before) < 1e-6
                and change.after.agrees_with(row.change.after)
            )
            if not is_right:
                yield f"{name}: a rating change differs from the recalculated one"

    def ends(self, records: Records) -> Iterator[str]:
        """Yield which games have changed one rating only, and which ratings differ."""
        for match_id, waiting in self._expected.items():
            if waiting:
                yield f"{self._names[match_id]}: it has changed one player's rating only"
        stored = records.ratings.all()
        for key in sorted(stored.keys() | self._standings.by_player.keys()):
            found, expected = stored.get(key), self._standings.by_player.get(key)
            if found is None or expected is None or not found.agrees_with(expected):
                player = records.players.get(key[0])
                yield f"{key[1]}: the rating of {player.userid} differs from the recalculated one"


def _unrecorded(store: Store) -> Iterator[str]:
    last = 0
    while True:
        with store.reading() as records:
            chunk = records.ratings.unrecorded(last, CHUNK)
        for _, game, number in chunk:
            yield f"{game} {number}: it is rated but has changed no rating: run pbmserv admin rate"
        if len(chunk) < CHUNK:
            return
        last = chunk[-1][0]

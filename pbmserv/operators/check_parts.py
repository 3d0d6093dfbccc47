"""The parts of ``admin check``, each of which can be done alone by any process."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pbmserv.cli.options import load_games
from pbmserv.club.match import Match
from pbmserv.club.match_check import findings
from pbmserv.club.plans import parse_plan
from pbmserv.errors import PbmservError, Refused
from pbmserv.operators.admin_ratings import wrong_ratings
from pbmserv.store.files.database_facts import broken_references, file_damage
from pbmserv.store.store import Records, Store

CHUNK = 200
"""Boards read in one transaction: long enough to be quick, short enough to let writers in."""


class Part(NamedTuple):
    """A part of the check: its name in a sentence, and for boards which ones."""

    kind: str
    ids: tuple[int, ...] = ()


class Found(NamedTuple):
    """The problems of a part, the boards checked, and whether all could be read."""

    problems: list[str]
    boards: int = 0
    is_readable: bool = True


def worker(url: str) -> Callable[[Part], Iterator[Found]]:
    """Return what does a part of the check of this database."""
    load_games()
    store = Store.open(url, may_create=False)
    return lambda part: iter((found_in(store, part),))


def found_in(store: Store, part: Part) -> Found:
    """Return the problems of a part; an error that stops the search is the last one."""
    found: list[str] = []
    try:
        if part.kind == "boards":
            with store.reading() as records:
                found.extend(wrong_boards(records, part.ids))
            return Found(found, len(part.ids))
        found.extend(PARTS[part.kind](store))
    except Exception as error:
        sentence = f"{part.kind}: {sentence_of(error)}"
        return Found([sentence] if part.ids else [*found, sentence], is_readable=False)
    return Found(found)


def sentence_of(error: Exception) -> str:
    """Return the reason why something could not be read."""
    unread = f"its stored data cannot be read ({type(error).__name__})"
    return error.message if isinstance(error, PbmservError) else unread


def wrong_boards(records: Records, ids: tuple[int, ...]) -> Iterator[str]:
    """Yield the problems of these boards, in the order they were made."""
    last = records.matches.last_plies(ids)
    for match_id, game, number in records.matches.names(ids):
        for sentence in _wrong(records, game, number, last.get(match_id, 0)):
            yield f"{game} {number}: {sentence}"


def _wrong(records: Records, game: str, number: int, last_ply: int) -> list[str]:
    try:
        match = records.matches.find(game, number)
        if match is None:
            return ["one of its players has no account"]
        wrong = findings(match)
        if not wrong:
            columns = records.matches.wrong_columns(match)
            columns += ["move.ply"] if last_ply != match.ply else []
            wrong = [f"its row differs from its moves: {', '.join(columns)}"] if columns else []
        if match.is_running:
            wrong += _wrong_plans(records, match)
        # What a clock should be follows from a board that is sound.
        return wrong or _wrong_clock(records, match)
    except Exception as error:
        return [sentence_of(error)]


def _wrong_clock(records: Records, match: Match) -> list[str]:
    (stored, due_at), seat = records.matches.clock(match.id), match.next_seat
    if seat is None:
        return []
    if stored is None:
        return ["it has no clock"]
    if stored.clock.player_id != seat.player_id:
        return ["its clock runs for the player who is not to move"]
    return ["its clock is never due"] if due_at is None else []


def _wrong_plans(records: Records, match: Match) -> list[str]:
    """Return which plans cannot be read, never what they say."""
    wrong = []
    for plan in records.plans.of(match.id):
        try:
            parse_plan(plan.text.split(), match.game, plan.due)
        except Refused:
            wrong.append("a plan for it cannot be read")
    return wrong


def _wrong_people(store: Store) -> list[str]:
    with store.reading() as records:
        return [*records.people.wrong_seeks(), *records.tournaments.wrong()]


def _wrong_counters(store: Store) -> list[str]:
    with store.reading() as records:
        games = records.matches.wrong_counters()
    return [f"{game}: its counter is below the highest board number" for game in games]


PARTS: dict[str, Callable[[Store], Iterable[str]]] = {
    "the file": file_damage,
    "seeks and tournaments": _wrong_people,
    "references": broken_references,
    "board numbers": _wrong_counters,
    "ratings": wrong_ratings,
}
"""The parts other than boards, the first before them, by their names in sentences."""

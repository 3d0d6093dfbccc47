"""``admin check``: replay every stored board and compare it with what is stored beside it."""

from collections.abc import Callable, Iterable, Iterator

from pbmserv.cli.admin_ratings import wrong_counts, wrong_ratings
from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.club.match import Match
from pbmserv.club.match_check import findings
from pbmserv.club.plans import parse_plan
from pbmserv.commands.declaration import command
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, PbmservError, Refused
from pbmserv.render.wording import counted
from pbmserv.store.database_facts import broken_references, file_damage
from pbmserv.store.progress import teller
from pbmserv.store.store import Records, Store

CHUNK = 200
"""Boards read in one transaction: long enough to be quick, short enough to let writers in."""


@command()
def check(shell: Shell) -> int:
    """Replay every board and compare positions, results, numbers and totals; exit 1 if any differ.

    Clocks, plans, seeks and tournaments are read too. All ratings are recalculated from the games
    in order and compared. Nothing is repaired: each fault is reported on a line.
    """
    store = shell.desk.store
    problems = _as_far_as_readable("the file", lambda: file_damage(store))
    count = 0
    tell = teller(lambda: _boards(store))
    for count, found in enumerate(wrong_boards(store), start=1):
        problems += found
        tell(count)
    problems += _as_far_as_readable("seeks and tournaments", lambda: _wrong_people(shell))
    problems += _as_far_as_readable("references", lambda: broken_references(store))
    problems += _as_far_as_readable("board numbers", lambda: _wrong_counters(shell))
    problems += _as_far_as_readable("counts", lambda: wrong_counts(store))
    problems += _as_far_as_readable("ratings", lambda: wrong_ratings(store))
    wrong = "1 problem" if len(problems) == 1 else f"{len(problems) or 'no'} problems"
    lines = [*problems, f"{counted(count, 'board')} checked, {wrong}."]
    print_result({"boards": count, "problems": problems}, "\n".join(lines), shell.options)
    return EXIT_REFUSED if problems else EXIT_DONE


def _as_far_as_readable(what: str, find: Callable[[], Iterable[str]]) -> list[str]:
    """Return the problems that can be found; what stops the search is the last of them."""
    found: list[str] = []
    try:
        found.extend(find())
    except Exception as error:  # noqa: BLE001 - a damaged row may break anything
        found.append(f"{what}: {_sentence(error)}")
    return found


def _sentence(error: Exception) -> str:
    if isinstance(error, PbmservError):
        return error.message
    return f"what is stored cannot be read ({type(error).__name__})"


def _boards(store: Store) -> int:
    with store.reading() as records:
        return records.matches.count()


def wrong_boards(store: Store) -> Iterator[list[str]]:
    """Yield the problems of each board, in the order they were made."""
    last = 0
    while True:
        try:
            with store.reading() as records:
                chunk = records.matches.after(last, CHUNK)
                found = [
                    [f"{game} {number}: {sentence}" for sentence in _wrong(records, game, number)]
                    for _, game, number in chunk
                ]
        except Exception as error:  # noqa: BLE001 - a damaged row may break anything
            yield [f"boards: {_sentence(error)}"]
            return
        if not chunk:
            return
        yield from found
        last = chunk[-1][0]


def _wrong(records: Records, game: str, number: int) -> list[str]:
    """Return what is wrong with a board and what hangs on it, one sentence each."""
    try:
        match = records.matches.find(game, number)
        if match is None:
            return ["one of its players has no account"]
        wrong = findings(match)
        if not wrong:
            columns = ", ".join(records.matches.wrong_columns(match))
            wrong = [f"its row differs from its moves: {columns}"] if columns else []
        if match.is_running:
            wrong += _wrong_plans(records, match)
        # What a clock should be follows from a board that is sound.
        return wrong or _wrong_clock(records, match)
    except Exception as error:  # noqa: BLE001 - a damaged row may break anything
        return [_sentence(error)]


def _wrong_clock(records: Records, match: Match) -> list[str]:
    """Return what is wrong with the clock of a board; every board that is played has one."""
    stored = records.clocks.find(match.id)
    seat = match.next_seat
    if seat is None or match.is_imported:
        return []
    if stored is None:
        return ["it has no clock"]
    if stored.clock.player_id != seat.player_id:
        return ["its clock runs for the player who is not to move"]
    is_due = records.matches.due_at(match.id) is not None
    return [] if is_due else ["its clock is never due"]


def _wrong_plans(records: Records, match: Match) -> list[str]:
    """Return which plans cannot be read, never what they say."""
    wrong = []
    for plan in records.plans.of(match.id):
        try:
            parse_plan(plan.text.split(), match.game, plan.due)
        except Refused:
            wrong.append("a plan for it cannot be read")
    return wrong


def _wrong_people(shell: Shell) -> list[str]:
    """Return which wishes for opponents and which tournaments cannot be read."""
    with shell.desk.store.reading() as records:
        return [*records.people.wrong_seeks(), *records.tournaments.wrong()]


def _wrong_counters(shell: Shell) -> list[str]:
    with shell.desk.store.reading() as records:
        games = records.matches.wrong_counters()
    return [f"{game}: its counter is below the highest board number" for game in games]

"""A database as large as a club's after many years, made fast, with nothing wrong in it.

Run it as `python -m tests.bench.club_database FILE [--matches=100000] [--real]`; FILE may be a
PostgreSQL URL. The matches are copies of a few random games of every kind, small ones or of real
sizes, played by the rules, under other players, with clocks, ratings, letters and remarks: `admin
check` finds nothing wrong. The last hundredth is still running, and nothing of it is due. Alice and
bob have one running board, star 101, whatever else there is.

What grows with the matches is written by the database itself, from a table of the copied games.
"""

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import sqlalchemy as sa

from pbmserv.club.clock import Clock, format_clock
from pbmserv.club.match import Match
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.position import SWAP
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.store.connection import Mode, open_transaction
from pbmserv.store.files.backup import reset_sequence
from pbmserv.store.matches.match_rows import values_of
from pbmserv.store.store import Records, Store
from pbmserv.store.tables import metadata

PASSWORD = "correct-horse"
SPECS = (
    "star(size=3)",
    "hex(size=4)",
    "y(size=4)",
    "polyy(size=3)",
    "starweb(size=4)",
    "starstar(size=4)",
)
REAL = ("star", "hex", "y", "polyy", "starweb", "starstar")
"""The same games in the sizes that they have where nobody says another."""

OTHER_STAR = "star(size=4)"
COPIED = 8
"""So many games of each kind are copied, and as many that are still running."""

FEWEST_PLAYERS = 2000
MATCHES_A_PLAYER = 200
RUNNING = 100
"""One match in so many is still running."""

HOUR, DAY = 3600, 86_400
NAG = 7 * DAY
YEARS = 10 * 365 * DAY
SEATS = (Seat(1, "first"), Seat(2, "second"))
SEATED = ("x_id", "o_id", "next_id", "winner_id")
Row = dict[str, Any]

templates = sa.table(
    "template",
    *map(sa.column, ("id", "game", "spec", "rules_version", "limits", "clock", *SEATED)),
    *map(sa.column, ("status", "to_move", "ply", "revision", "winner", "reason")),
    *map(sa.column, ("points_x", "points_o", "agreed", "is_rated")),
)
template_moves = sa.table(
    "template_move", *map(sa.column, ("template_id", "ply", "text", "digest", "seat"))
)
MAKE_TEMPLATES = """
CREATE TEMPORARY TABLE template (id INTEGER PRIMARY KEY, game TEXT, spec TEXT,
    rules_version INTEGER, limits TEXT, clock TEXT, x_id INTEGER, o_id INTEGER, next_id INTEGER,
    winner_id INTEGER, status TEXT, to_move TEXT, ply INTEGER, revision INTEGER, winner TEXT,
    reason TEXT, points_x INTEGER, points_o INTEGER, agreed TEXT, is_rated INTEGER);
CREATE TEMPORARY TABLE template_move (template_id INTEGER, ply INTEGER, text TEXT, digest TEXT,
    seat INTEGER, PRIMARY KEY (template_id, ply));
CREATE TEMPORARY TABLE made (id INTEGER PRIMARY KEY, template_id INTEGER, number INTEGER,
    first_id INTEGER, second_id INTEGER, started_at BIGINT)
"""
# Board 101 of star has the identity 1. Players 1 and 2 are alice and bob.
MADE = """
INSERT INTO made (id, template_id, number, first_id, second_id, started_at)
WITH RECURSIVE n(i) AS (
    SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {matches})
SELECT i + 1,
    i % {games} + {games} * ((i / {games}) * 7 % {copied} +
        CASE WHEN i > {matches} - {running} THEN {copied} ELSE 0 END),
    101 + i / {games},
    3 + i * 7919 % {players},
    3 + (i * 7919 + 1 + i / 3 % ({players} - 1)) % {players},
    CASE WHEN i > {matches} - {running} THEN {now} - 2 * {day}
        ELSE {now} - {years} + i * ({years} / {matches}) - 9 * {day} END
FROM n
"""
SEAT = "CASE t.{0} WHEN 1 THEN m.first_id WHEN 2 THEN m.second_id END"
CHANGED = "m.started_at + t.ply * {hour}"
MATCHES = """
INSERT INTO match (id, game, number, spec, rules_version, first_id, second_id, x_id, o_id, status,
    to_move, next_id, ply, revision, is_rated, is_imported, winner, winner_id, reason, points_x,
    points_o, started_at, changed_at, finished_at, agreed)
SELECT m.id, t.game, m.number, t.spec, t.rules_version, m.first_id, m.second_id, {x_id}, {o_id},
    t.status, t.to_move, {next_id}, t.ply, t.revision, t.is_rated, 0, t.winner, {winner_id},
    t.reason, t.points_x, t.points_o, m.started_at, {changed},
    CASE WHEN t.to_move IS NULL THEN {changed} END, t.agreed
FROM made AS m JOIN template AS t ON t.id = m.template_id ORDER BY m.id
"""
COUNTED = """
UPDATE match SET turns = ply, is_swapped = CASE WHEN x_id = first_id THEN 0 ELSE 1 END,
    first_move = (SELECT text FROM move WHERE match_id = match.id AND ply = 1
        AND NOT EXISTS (SELECT 1 FROM origin WHERE origin.match_id = match.id))
WHERE finished_at IS NOT NULL
"""
MOVES = """
INSERT INTO move (match_id, ply, text, digest, player_id, played_at)
SELECT m.id, t.ply, t.text, t.digest, {seat}, m.started_at + t.ply * {hour}
FROM made AS m JOIN template_move AS t ON t.template_id = m.template_id ORDER BY m.id, t.ply
"""
CLOCKS = """
INSERT INTO clock (match_id, limits, clock, due_at)
SELECT m.id, t.limits, replace(replace(replace(t.clock, 'A', CAST(m.first_id AS TEXT)),
        'B', CAST(m.second_id AS TEXT)), 'C', CAST({changed} AS TEXT)),
    CASE WHEN t.to_move IS NOT NULL THEN {changed} + {nag} END
FROM made AS m JOIN template AS t ON t.id = m.template_id ORDER BY m.id
"""
PEOPLE = """
INSERT INTO player (id, userid, userid_key, status, created_at)
WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < {players} + 2)
SELECT i, 'player' || i, 'player' || i, 'active', {now} - {years} FROM n
"""
ADDRESSES = """
INSERT INTO address (player_id, position, address, address_key, verified_at, is_trusted,
    hard_bounces)
SELECT id, 0, userid || '@club.example', userid || '@club.example', {now} - {years}, 1, 0
FROM player WHERE id > 2
"""
AUDIT = """
INSERT INTO audit (at, source, player_id, match_id, verb, detail, outcome)
SELECT started_at, 'shell', first_id, id, 'challenge', '', 'done' FROM made ORDER BY id
"""
OUTBOX = """
INSERT INTO outbox (kind, address, address_key, player_id, match_id, revision, subject, lead, tail,
    is_answer, created_at, state, due_at, tries, ended_at, last_error)
SELECT 'board', p.userid || '@club.example', p.userid || '@club.example', p.id, m.id, 0,
    'Board', 'It is over.', '', 0, m.started_at, 'sent', m.started_at, 1, m.started_at, ''
FROM made AS m JOIN player AS p ON p.id = m.first_id WHERE m.id % 5 = 0
"""
INBOX = """
INSERT INTO inbox (player_id, key, sender, received_at, door, outcome)
SELECT first_id, 'mail' || id, 'player', started_at, 'pipe', 'done' FROM made WHERE id % 5 = 1
"""
CHAT = """
INSERT INTO chat (match_id, player_id, at, text)
SELECT id, first_id, started_at, 'Good luck!' FROM made WHERE id % 5 = 2
"""
MESSAGES = """
INSERT INTO message (writer_id, reader_id, at, text)
SELECT first_id, second_id, started_at, 'Another game?' FROM made WHERE id % 5 = 3
"""
NOTICES = """
INSERT INTO notice (player_id, kind, match_id, text, at, read_at)
SELECT first_id, 'reminder', id, 'It is your turn.', started_at, started_at
FROM made WHERE id % 5 = 4
"""
TOURNAMENTS = """
INSERT INTO tournament (id, name, organiser_id, spec, kind, limits, both_colours, status,
    created_at, changed_at)
SELECT id, 'Cup ' || id, first_id, 'star(size=3)', 'round-robin', '7/21', 0, 'finished',
    started_at, started_at FROM made WHERE id % 50 = 1 AND id <= {matches} - {running}
"""
ENTRANTS = """
INSERT INTO entrant (tournament_id, place, player_id, rating, is_withdrawn)
SELECT m.id, 0, m.first_id, 1500, 0 FROM made AS m JOIN tournament AS t ON t.id = m.id
UNION ALL
SELECT m.id, 1, m.second_id, 1500, 0 FROM made AS m JOIN tournament AS t ON t.id = m.id
"""
ENCOUNTERS = """
INSERT INTO encounter (tournament_id, place, round, pool, x_id, o_id, half_points, match_id)
SELECT m.id, 0, 1, 0, m.first_id, m.second_id, 2, m.id
FROM made AS m JOIN tournament AS t ON t.id = m.id
"""
# Every 48th match is a copy of the same game, and so begins as the one 48 before it.
ORIGINS = """
INSERT INTO origin (match_id, source_id, ply)
SELECT id, id - 48, 2 FROM made WHERE id % 10 = 2 AND id > 100 AND id <= {matches} - {running}
"""
# Each was opened again since: what the computer thought of it is of no use.
REVIEWS = """
INSERT INTO review (match_id, revision, document)
SELECT id, 0, '' FROM made WHERE id % 10 = 3
"""
WATCHED = """
INSERT INTO {table} (match_id, player_id) SELECT id, first_id FROM made WHERE id % 10 = 4
"""
COUNTERS = r"""
INSERT INTO counter (name, value) SELECT 'board\:' || game, max(number) FROM match GROUP BY game
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
STATEMENTS = (
    *(MADE, PEOPLE, ADDRESSES, MATCHES, MOVES, CLOCKS, COUNTERS, AUDIT, OUTBOX, INBOX, CHAT),
    *(MESSAGES, NOTICES, TOURNAMENTS, ENTRANTS, ENCOUNTERS, ORIGINS, REVIEWS),
    *(WATCHED.replace("{table}", "quiet"), WATCHED.replace("{table}", "subscription")),
)


def random_game(random: Random, spec: str, *, is_running: bool) -> Match:
    """Return a game between players 1 and 2, to its end or half of it, some with a swap."""
    game = parse_game(spec)
    found = Match(0, game, 0, *SEATS, started_at=0, changed_at=0)
    cells = random.sample(game.board.names, len(game.board))
    wish = SWAP if random.random() < 0.3 else None
    while cells and found.next_seat is not None and not (is_running and found.ply > 5):
        may_swap = wish is not None and game.may_swap(found.position)
        move = wish if may_swap and wish else game.parse_move(cells.pop())
        found, _ = play(found, found.next_seat.player_id, move, found.ply * HOUR)
    while found.next_seat is not None and not is_running:
        found, _ = play(found, found.next_seat.player_id, game.parse_move("pass"), 0)
    return found


def copied_games(random: Random, specs: Sequence[str], copied: int) -> Iterator[Match]:
    """Yield the games to be copied, of each kind in turn: those that are over first."""
    for number in range(2 * copied):
        for spec in specs:
            chosen = OTHER_STAR if spec == SPECS[0] and number % 2 else spec
            yield random_game(random, chosen, is_running=number >= copied)


def template_row(number: int, copied: Match) -> Row:
    """Return the row that copies are made from; its clock names players and time by marks."""
    values = values_of(copied)
    on_move = copied.next_seat or copied.second
    clock = format_clock(Clock(990 + on_move.player_id, 993 - on_move.player_id, 993))
    for place, mark in ((991, "A"), (992, "B"), (993, "C")):
        clock = clock.replace(str(place), mark)
    return {
        "id": number,
        "game": copied.game.name,
        "spec": format_game(copied.game),
        "rules_version": copied.game.rules_version,
        "limits": "7/21",
        "clock": clock,
        "is_rated": 1,
        **{name: value for name, value in values.items() if name in templates.c},
    }


def add_templates(connection: sa.Connection, games: Iterable[Match]) -> None:
    """Store the games that are copied, each with its moves."""
    for number, copied in enumerate(games):
        connection.execute(templates.insert(), template_row(number, copied))
        rows = [
            {
                "template_id": number,
                "ply": ply,
                "text": turn.text,
                "digest": turn.digest,
                "seat": turn.player_id,
            }
            for ply, turn in enumerate(copied.turns, 1)
        ]
        connection.execute(template_moves.insert(), rows)


def fill(
    connection: sa.Connection, matches: int, now: int, specs: Sequence[str], copied: int
) -> None:
    """Add so many matches of others, and all that hangs on them."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA cache_size = -400000")
    else:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
    for statement in MAKE_TEMPLATES.split(";"):
        connection.exec_driver_sql(statement)
    add_templates(connection, copied_games(Random(matches), specs, copied))
    seats = {name: SEAT.format(name) for name in (*SEATED, "seat")}
    figures: Mapping[str, int] = {
        "matches": matches,
        "running": max(len(specs), matches // RUNNING),
        "players": FEWEST_PLAYERS + matches // MATCHES_A_PLAYER,
        "games": len(specs),
        "copied": copied,
        "now": now,
        "hour": HOUR,
        "day": DAY,
        "years": YEARS,
        "nag": NAG,
    }
    changed = CHANGED.format(**figures)
    for statement in STATEMENTS:
        connection.execute(sa.text(statement.format(**figures, **seats, changed=changed)))
    connection.execute(sa.text(COUNTED))
    if connection.dialect.name == "postgresql":
        for table in metadata.sorted_tables:
            if "id" in table.columns:
                reset_sequence(connection, table)
    Records(connection).ratings.rebuild()


def build(url: str, matches: int, *, specs: Sequence[str] = SPECS, copied: int = COPIED) -> None:
    """Create the database: alice, bob, their board 101, and so many matches of others.

    They are copies of so many games of each of these kinds; ``copied`` is no multiple of 7.
    """
    desk = Desk(lambda: Store.open(url))
    for userid in ("alice", "bob"):
        desk.handle(Request(("signup", userid, PASSWORD)))
    desk.handle(Request(("star", "challenge", "alice", "bob", "-size=14")))
    if matches:
        # Foreign keys, which hold as the rows are made, are not checked one by one.
        with open_transaction(desk.store.engine, Mode.MIGRATE) as connection:
            fill(connection, matches, desk.world.now(), specs, copied)
            connection.commit()
            connection.invalidate()
        if desk.store.engine.dialect.name == "postgresql":
            with desk.store.engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT")
                connection.exec_driver_sql("ANALYZE")
    desk.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="a file that does not exist yet, or a PostgreSQL URL")
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--real", action="store_true", help="boards of the usual sizes")
    chosen = parser.parse_args()
    start = time.perf_counter()
    build(chosen.file, chosen.matches, specs=REAL if chosen.real else SPECS)
    print(f"{chosen.matches} matches in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()

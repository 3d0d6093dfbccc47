"""A database as large as a club's after many years, made fast.

Run it as `python -m tests.bench.club_database FILE [--matches=100000]`. The matches are copies of
a few random games, played by the rules, under other players: `admin check` finds nothing wrong.
Alice and bob have one running board, star 101, whatever else there is.
"""

import argparse
import time
from random import Random
from typing import Any

from pbmserv.club.match import Match
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.games.star import Star
from pbmserv.engine.spec import format_game
from pbmserv.store.match_rows import values_of
from pbmserv.store.store import Records, Store
from pbmserv.store.tables import counter, match, move, player

PASSWORD = "correct-horse"
PLAYERS = 1000
GAMES = 40
RUNNING = 4
"""So many of the games that are copied are still running."""

CHUNK = 2000
DAY = 86_400
START = 1_500_000_000
Row = dict[str, Any]
SEATS = (Seat(1, "first"), Seat(2, "second"))


def random_game(random: Random, *, is_running: bool) -> Match:
    """Return a game of the smallest Star between players 1 and 2, to its end or half of it."""
    game = Star(3)
    found = Match(0, game, 0, *SEATS, started_at=START, changed_at=START)
    cells = random.sample(game.board.names, len(game.board))
    for number, cell in enumerate(cells[: len(cells) // 2] if is_running else cells):
        seat = SEATS[number % 2]
        found, _ = play(found, seat.player_id, game.parse_move(cell), START + number * DAY)
    return found


def match_row(template: Match, number: int, seats: dict[int | None, int]) -> Row:
    """Return the row of a copy of the game under other players."""
    values = values_of(template)
    for column in ("x_id", "o_id", "next_id", "winner_id"):
        values[column] = seats.get(values[column])
    return {
        "id": number,
        "game": template.game.name,
        "number": number + 100,
        "spec": format_game(template.game),
        "rules_version": template.game.rules_version,
        "first_id": seats[1],
        "second_id": seats[2],
        "is_rated": 1,
        "is_imported": 0,
        "started_at": template.started_at,
        **values,
    }


def move_rows(template: Match, number: int, seats: dict[int | None, int]) -> list[Row]:
    """Return the rows of its moves."""
    return [
        {
            "match_id": number,
            "ply": ply,
            "text": turn.text,
            "digest": turn.digest,
            "player_id": seats[turn.player_id],
            "played_at": turn.played_at,
        }
        for ply, turn in enumerate(template.turns, 1)
    ]


def add_players(records: Records) -> None:
    """Add the crowd, numbered behind alice and bob."""
    rows = [
        {
            "id": number,
            "userid": f"player{number}",
            "userid_key": f"player{number}",
            "status": "active",
            "created_at": START,
        }
        for number in range(3, 3 + PLAYERS)
    ]
    records.connection.execute(player.insert(), rows)


def build(url: str, matches: int) -> None:
    """Create the database: alice, bob, their board 101, and so many matches of others."""
    desk = Desk(lambda: Store.open(url))
    for userid in ("alice", "bob"):
        desk.handle(Request(("signup", userid, PASSWORD)))
    desk.handle(Request(("star", "challenge", "alice", "bob", "-size=14")))
    random = Random(matches)
    templates = [random_game(random, is_running=number < RUNNING) for number in range(GAMES)]
    if matches:
        with desk.store.writing() as records:
            add_players(records)
            for start in range(2, matches + 2, CHUNK):
                _add_matches(
                    records, range(start, min(start + CHUNK, matches + 2)), random, templates
                )
            records.connection.execute(
                counter.update().where(counter.c.name == "board:star").values(value=matches + 101)
            )
    desk.close()


def _add_matches(records: Records, numbers: range, random: Random, templates: list[Match]) -> None:
    rows: list[Row] = []
    moves: list[Row] = []
    for number in numbers:
        template = random.choice(templates)
        first, second = random.sample(range(3, 3 + PLAYERS), 2)
        seats: dict[int | None, int] = {1: first, 2: second}
        rows.append(match_row(template, number, seats))
        moves += move_rows(template, number, seats)
    records.connection.execute(match.insert(), rows)
    records.connection.execute(move.insert(), moves)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="a file that is not there yet, or a PostgreSQL URL")
    parser.add_argument("--matches", type=int, default=100_000)
    chosen = parser.parse_args()
    start = time.perf_counter()
    build(chosen.file, chosen.matches)
    print(f"{chosen.matches} matches in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()

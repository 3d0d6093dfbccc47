"""The help page about the tables, made from the tables themselves."""

import sqlalchemy as sa

from pbmserv.club.written_text import WIDTH
from pbmserv.store.files.schema import HEAD
from pbmserv.store.tables import TIMES, VIEWS, metadata

MEANINGS = {
    "player": "Accounts; one that is recorded is known from imported games only.",
    "address": "The mail addresses of players, and whether they are proven.",
    "match": "Boards. reason says how one ended, points_x and points_o with which points.",
    "move": "The moves of each board, in order; digest is of the position after it.",
    "offer": "Draws, undos and results that are proposed and not yet answered.",
    "submission": "Moves that were submitted and wait for confirm.",
    "robot_turn": "Turns of robots that are being thought about, or are tried again later.",
    "clock": "The clock of each board, and when it is next due.",
    "absence": "Vacations, taken by players or for them.",
    "plan": "Queued moves.",
    "rating": "Each player's rating in each game.",
    "rating_change": "What each game changed in a rating, in the order of rating.",
    "moment": "When clocks were last settled, and since when there is maintenance.",
    "counter": "The highest board number in each game.",
    "secret": "The key of the pseudonyms in the archive of games.",
    "audit": "What was done and refused, without anybody's words.",
    "inbox": "Mail received, so that none is acted upon twice.",
    "outbox": "Letters: waiting, sent, failed or dropped.",
    "proof_request": "Letters to addresses that are to be proven, waiting for their turn.",
    "asked_challenge": "Challenges by mail that wait for a confirmation.",
    "ignored_mail": "How much mail from strangers was ignored each day, and why.",
    "throttle": "Wrong passwords, and until when their senders must wait.",
    "budget": "What was used of each budget since begins_at, and which mails wait.",
    "reset": "Tokens for forgotten passwords, as digests.",
    "signin_key": "Who is signed in, as digests.",
    "preference": "Who wants one mail a day, no broadcasts, or no vacation taken for them.",
    "private_player": "Whose name stands on none of the club's pages.",
    "recorded_name": "The names in the record of an imported game, by who moved first (0, 1).",
    "block": "Who has blocked whom.",
    "subscription": "Who watches which board.",
    "chat": "What was said at boards.",
    "message": "What players wrote to each other.",
    "notice": "News for players in the shell, until they have read it.",
    "availability": "Who accepts challenges in which game, and how many boards.",
    "seek": "Who is looking for opponents.",
    "quiet": "Who gets mail about a board only when it ends.",
    "origin": "Boards that begin with the first moves of another one.",
    "review": "What the computer thought of finished games, as JSON (see analyse).",
    "tournament": "Tournaments.",
    "entrant": "Who takes part in which tournament.",
    "encounter": "The pairings of tournaments and their boards; a bye has none.",
}
"""What each table holds, in the order of the page."""

HEAD_LINES = f"""\
# SCHEMA

The tables of the database, version {HEAD}, for looking at them with sqlite3, psql
or Datasette. Only look: admin check finds what was changed without the program,
and the program refuses to play on. Other versions may have other tables.

Times are seconds since 1970, UTC; truth values are 0 and 1. An arrow names the
table that a column refers to; a question mark marks what may be missing (NULL).


# THREE VIEWS

They show userids, cells and dates as people write them, without removed boards:

    sqlite3 -readonly games.sqlite "SELECT * FROM results"
"""  # noqa: S608 - a page for people, no statement


def schema_page() -> str:
    """Return the page: the views, then every table with its columns."""
    lines = [HEAD_LINES.rstrip("\n"), ""]
    for name, text in VIEWS.items():
        lines += _wrapped(f"  {name}", [_column_of(part) for part in _selected(text)])
    lines += ["", "", "# THE TABLES"]
    for name, meaning in MEANINGS.items():
        columns = [_described(column) for column in metadata.tables[name].columns]
        lines += ["", name.upper(), f"    {meaning}", *_wrapped("   ", columns)]
    return "\n".join(lines) + "\n"


def _selected(text: str) -> list[str]:
    return text.partition("SELECT")[2].partition("\nFROM")[0].split(",")


def _column_of(part: str) -> str:
    name = part.rpartition(" AS ")[2].strip()
    return name if name not in TIMES else f"{name} (UTC)"


def _described(column: "sa.Column[object]") -> str:
    target = next((f" -> {key.column.table.name}" for key in column.foreign_keys), "")
    return f"{column.name}{'?' if column.nullable else ''}{target}"


def _wrapped(head: str, words: list[str]) -> list[str]:
    """Return the words on lines that fit, the first of which begins with ``head``."""
    lines, line = [], f"{head:<11} " if head.strip() else f"{head} "
    indent = " " * len(line)
    for number, word in enumerate(words):
        text = word if number == len(words) - 1 else f"{word}, "
        if len(line) + len(text.rstrip()) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += text
    return [*lines, line.rstrip()]

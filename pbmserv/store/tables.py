"""The tables, the same on SQLite and PostgreSQL: numbers and text, nothing else.

Times are seconds since 1970, UTC; truth values are 0 and 1. On SQLite every table is STRICT.
``migrations/`` builds exactly these tables; a test compares the two.
"""

from collections.abc import Collection, Iterator
from threading import Lock
from typing import Any

import sqlalchemy as sa

from pbmserv.club.written_text import without_tokens

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class _Words(sa.TypeDecorator[str]):
    """Text of users; earlier versions stored the tokens of reply addresses in it, too."""

    impl, cache_ok = sa.Text, True

    def process_result_value(self, value: str | None, _dialect: object) -> str | None:
        return value and without_tokens(value)


KINDS: dict[str, Any] = {
    "": sa.Integer(),
    "truth": sa.Integer(),
    "text": sa.Text(),
    "words": _Words(),
    # Eight bytes everywhere: PostgreSQL's INTEGER has four, and ends in 2038.
    "moment": sa.Integer().with_variant(sa.BigInteger(), "postgresql"),
    "real": sa.REAL().with_variant(sa.Double(), "postgresql"),
}
"""The kinds of columns; any other word is the table to whose rows a column refers."""

_rules: dict[sa.Table, list[str]] = {}
"""The rules of tables that SQLAlchemy has not been told of yet."""

_telling = Lock()
"""Held by the thread that tells it."""


def make_table(
    name: str, columns: str, *rules: str, numbered_by: str = "id", key: str = ""
) -> sa.Table:
    """Return a table of ours, STRICT on SQLite, in the order of the columns of ``key``, if any.

    Else one column numbers the rows: one of its own, or that which refers to them. A question mark
    behind a column says that it may be missing (NULL), as it does on the page ``schema``. The rules
    are checks, indices and what is unique.
    """
    own = [] if key or numbered_by != "id" else [sa.Column("id", KINDS[""])]
    checks = []
    for words in columns.split(", "):
        column, _, kind = words.removesuffix("?").partition(" ")
        is_optional = words.endswith("?")
        if kind in KINDS:
            own.append(sa.Column(column, KINDS[kind], nullable=is_optional))
        else:
            own.append(sa.Column(column, sa.ForeignKey(f"{kind}.id"), nullable=is_optional))
        if kind == "truth":
            checks.append(f"check {column}: {column} IN (0, 1)")
    primary = sa.PrimaryKeyConstraint(*(key or numbered_by).split(", "))
    made = sa.Table(name, metadata, *own, primary, sqlite_strict=True, sqlite_with_rowid=not key)
    _rules[made] = [*checks, *rules]
    return made


APPLICATION_ID = 0x50424D53
"""Marks a SQLite file as ours: "PBMS"."""


def upsert(table: sa.Table, *changed: str, over: Collection[str] = ()) -> sa.TextClause:
    """Return what adds a row, or changes these columns of one that has the same key already.

    Two rows are the same that agree in the columns ``over``, by default in the key of the table.
    """
    names = [column.name for column in table.columns if column.name != "id"]
    values = ", ".join(f":{name}" for name in names)
    same = ", ".join(over or table.primary_key.columns.keys())
    then = ", ".join(f"{name} = :{name}" for name in changed)
    return sa.text(
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values}) "  # noqa: S608 - own names
        f"ON CONFLICT ({same}) DO {f'UPDATE SET {then}' if then else 'NOTHING'}"
    )


def whole_metadata() -> sa.MetaData:
    """Return the metadata with all rules of the tables, for building tables.

    Statements on the tables need none of them, and without them a command starts sooner.
    """
    with _telling:
        while _rules:
            table, rules = _rules.popitem()
            for rule in rules:
                _add_rule(table, rule)
    return metadata


def _add_rule(table: sa.Table, rule: str) -> None:
    kind, _, rest = rule.partition(" ")
    name, _, rest = rest.removeprefix("index ").rpartition(": ")
    if kind == "check":
        table.append_constraint(sa.CheckConstraint(rest, name))
    elif not name:
        table.append_constraint(sa.UniqueConstraint(*rest.split(", ")))
    else:
        columns, _, where = rest.partition(" where ")
        condition = sa.text(where) if where else None
        sa.Index(
            name,
            *(table.c[column] for column in columns.split(", ")),
            unique=kind == "unique",
            sqlite_where=condition,
            postgresql_where=condition,
        )


player = make_table(
    "player",
    "userid text, userid_key text, password_hash text?, status text, created_at moment, "
    "closed_at moment?, seen_at moment?, suspended_at moment?, robot text?",
    "unique userid_key",
    "check status: status IN ('active', 'closed', 'recorded')",
    "index ix_player_robot: id where robot IS NOT NULL",
)

address = make_table(
    "address",
    "player_id player, position, address text, address_key text, verified_at moment?, "
    "is_trusted truth, hard_bounces, stopped_at moment?",
    "unique player_id, address_key",
    "index ix_address_key: address_key",
)

RUNNING = "status = 'running'"
"""The condition for running matches. SQLite writes an index whenever a column of its condition is
set, so it is one that no move sets."""

ENDED = "finished_at IS NOT NULL"

# A running match has somebody to move, a finished one a time when it ended, a removed one
# neither: the other partial indices rest on that.
match = make_table(
    "match",
    "game text, number, spec text, rules_version, first_id player, second_id player, "
    "x_id player, o_id player, status text, to_move text?, next_id player?, ply, revision, "
    "is_rated truth, is_imported truth, winner text?, winner_id player?, reason text?, "
    "points_x?, points_o?, started_at moment, changed_at moment, finished_at moment?, "
    "agreed text?, is_early?, is_swapped?, first_move text?, turns?, shift text?",
    "unique game, number",
    "check status: status IN ('running', 'won', 'drawn', 'removed')",
    "check to_move: to_move IN ('X', 'O')",
    "check winner: winner IN ('X', 'O')",
    "check running: (status = 'running') = (to_move IS NOT NULL)",
    "check next: (to_move IS NULL) = (next_id IS NULL)",
    "check finished: (status IN ('won', 'drawn')) = (finished_at IS NOT NULL)",
    "check won: (status = 'won') = (winner IS NOT NULL)",
    "check winner_id: (winner IS NULL) = (winner_id IS NULL)",
    f"index ix_match_running: game, number where {RUNNING}",
    f"index ix_match_running_first: first_id, game, number where {RUNNING}",
    f"index ix_match_running_second: second_id, game, number where {RUNNING}",
    "index ix_match_next: next_id, game, number where next_id IS NOT NULL",
    f"index ix_match_finished: finished_at, id where {ENDED}",
    f"index ix_match_finished_game: game, finished_at, id where {ENDED}",
    f"index ix_match_finished_first: first_id, game, finished_at, id where {ENDED}",
    f"index ix_match_finished_second: second_id, game, finished_at, id where {ENDED}",
    f"index ix_match_counted: spec, winner, is_swapped, first_move, turns where {ENDED}",
)

IS_RUNNING = match.c.status == sa.literal_column("'running'")

# The names in the record of an imported game: at place 0 that of the player who moved first.
recorded_name = make_table(
    "recorded_name",
    "match_id match, place, player_id player, name text",
    "index ix_recorded_name_player: player_id",
    key="match_id, place",
)

move = make_table(
    "move",
    "match_id match, ply, text text, digest text, player_id player, played_at moment",
    key="match_id, ply",
)

offer = make_table(
    "offer",
    "match_id match, kind text, player_id player, offered_at moment, result text?, moves text?, "
    "answerer_id player?",
    "check kind: kind IN ('draw', 'undo', 'result')",
    "check result: (kind = 'result') = (result IS NOT NULL)",
    "index ix_offer_answerer: answerer_id",
    numbered_by="match_id",
)

submission = make_table(
    "submission", "match_id match, player_id player, text text", key="match_id, player_id"
)

# A robot's turn that some worker has taken, at a revision of the match, until it is due again.
robot_turn = make_table(
    "robot_turn", "match_id match, revision, due_at moment, tries", numbered_by="match_id"
)

# A match without a row has no clock; one that has ended keeps its row and is never due.
clock = make_table(
    "clock",
    "match_id match, limits text, clock text, due_at moment?",
    "index ix_clock_due: due_at, match_id where due_at IS NOT NULL",
    "index ix_clock_running: match_id where due_at IS NOT NULL",
    numbered_by="match_id",
)

absence = make_table(
    "absence",
    "player_id player, position, start_at moment, end_at moment, kind text",
    "check kind: kind IN ('manual', 'automatic')",
    key="player_id, position",
)

# A plan that was given up stays, with the reason, until its owner has moved or planned again.
plan = make_table(
    "plan",
    "match_id match, player_id player, text text, due, dropped text?",
    key="match_id, player_id",
)

rating = make_table(
    "rating",
    "player_id player, game text, value real, deviation real, volatility real, "
    "rated_at moment?, won, lost, drawn",
    "index ix_rating_value: game, value, player_id",
    key="player_id, game",
)

# In the order of their ids the games were rated.
rating_change = make_table(
    "rating_change",
    "match_id match, player_id player, game text, at moment, before real, value real, "
    "deviation real, volatility real",
    "unique match_id, player_id",
    "index ix_rating_change_player: player_id, game, id",
)

# When clocks were last settled and when before that, since when that was done without a long break,
# and since when there is maintenance.
moment = make_table("moment", "name text, at moment", key="name")

counter = make_table("counter", "name text, value", key="name")

# Keys that nothing prints. A backup has them, so that what they hash stays the same.
secret = make_table("secret", "name text, value text", key="name")

audit = make_table(
    "audit",
    "at moment, source text, player_id player?, match_id match?, verb text, detail text, "
    "outcome text, key text?",
    "unique index ix_audit_key: key where key IS NOT NULL",
    "index ix_audit_match: match_id, id where match_id IS NOT NULL",
    "index ix_audit_player: player_id, id where player_id IS NOT NULL",
)

# Mail. A player_id 0 in the inbox stands for all strangers together, so it refers to nobody.
inbox = make_table(
    "inbox",
    "player_id, key text, sender text, received_at moment, door text, outcome text",
    "unique player_id, key",
    "index ix_inbox_received: received_at",
)

# A letter being sent is one that falls due again when its sender must have died.
outbox = make_table(
    "outbox",
    "kind text, address text, address_key text, player_id player?, match_id match?, revision?, "
    "subject words, lead words, diagram words?, tail words, is_answer truth, in_reply_to text?, "
    "created_at moment, state text, due_at moment, tries, ended_at moment?, last_error text",
    "check state: state IN ('waiting', 'sent', 'failed', 'dropped')",
    "check ended: (state = 'waiting') = (ended_at IS NULL)",
    "index ix_outbox_due: due_at, id where state = 'waiting'",
    "index ix_outbox_ended: ended_at where ended_at IS NOT NULL",
    "index ix_outbox_thread: match_id, address_key, id where match_id IS NOT NULL",
)

proof_request = make_table(
    "proof_request",
    "address_key text, address text, player_id player, net text, is_authenticated truth, "
    "asked_at moment",
    key="address_key",
)

asked_challenge = make_table(
    "asked_challenge",
    "player_id player, number, lines words, comment words, asked_at moment",
    key="player_id",
)

ignored_mail = make_table("ignored_mail", "day moment, reason text, mails", key="day, reason")

throttle = make_table(
    "throttle",
    "userid_key text, sender text, failures, failed_at moment, wait_until moment",
    key="userid_key, sender",
)

budget = make_table(
    "budget",
    "kind text, holder text, period, begins_at moment, letters, bytes moment",
    key="kind, holder, period",
)

reset = make_table(
    "reset",
    "player_id player, token_hash text, created_at moment, expires_at moment, used_at moment?",
    "unique token_hash",
    "index ix_reset_player: player_id, created_at",
)

# The digest binds a sign-in key to its player and to the password they have.
signin_key = make_table(
    "signin_key",
    "player_id player, digest text, created_at moment, used_at moment, ends_at moment?",
    "index ix_signin_key_player: player_id",
)

# Without a row: no digest, broadcasts welcome, and clocks may take days of vacation.
preference = make_table(
    "preference",
    "player_id player, has_digest truth, takes_broadcasts truth, keeps_vacation?",
    numbered_by="player_id",
)

# Whose name stands on none of the club's pages.
private_player = make_table("private_player", "player_id player", numbered_by="player_id")

block = make_table("block", "player_id player, blocked_id player", key="player_id, blocked_id")

subscription = make_table(
    "subscription",
    "match_id match, player_id player",
    "index ix_subscription_player: player_id",
    key="match_id, player_id",
)

chat = make_table(
    "chat",
    "match_id match, player_id player, at moment, text words",
    "index ix_chat_match: match_id, id",
)

# What one player writes to another, kept so that it reaches them without mail too.
message = make_table(
    "message",
    "writer_id player, reader_id player, at moment, text words",
    "index ix_message_reader: reader_id, id",
    "index ix_message_writer: writer_id, id",
)

# What a player is told in the shell until they have read it.
notice = make_table(
    "notice",
    "player_id player, kind text, match_id match?, text words, at moment, read_at moment?, "
    "told_at moment?",
    "check kind: kind IN ('reminder', 'announcement', 'remark', 'message')",
    "index ix_notice_unread: player_id, id where read_at IS NULL",
)

# A player without a row takes every challenge in the game and any number of boards.
availability = make_table(
    "availability",
    "player_id player, game text, takes_challenges truth, most_boards?",
    key="player_id, game",
)

seek = make_table(
    "seek",
    "player_id player, game text, spec text, limits text, is_rated truth, wanted, sought_at moment",
    "unique player_id, spec",
    "check wanted: wanted > 0",
    "index ix_seek_game: game, id",
)

# Who gets mail about a board only when it ends.
quiet = make_table(
    "quiet",
    "match_id match, player_id player",
    "index ix_quiet_player: player_id",
    key="match_id, player_id",
)

# A match that begins with the first turns of another one.
origin = make_table("origin", "match_id match, source_id match, ply", numbered_by="match_id")

# What the computer thought of a finished match at this revision, as JSON.
review = make_table("review", "match_id match, revision, document text", numbered_by="match_id")

tournament = make_table(
    "tournament",
    "name words, organiser_id player, spec text, kind text, limits text, both_colours truth, "
    "rounds?, pool_size?, status text, created_at moment, changed_at moment, start_at moment?",
    "check status: status IN ('open', 'running', 'finished', 'cancelled')",
    "check kind: kind IN ('round-robin', 'swiss')",
    "index ix_tournament_start: start_at where status = 'open' AND start_at IS NOT NULL",
)

entrant = make_table(
    "entrant",
    "tournament_id tournament, place, player_id player, rating, is_withdrawn truth, pool?",
    "unique tournament_id, player_id",
    "index ix_entrant_player: player_id",
    key="tournament_id, place",
)

# A bye has neither opponent nor board.
encounter = make_table(
    "encounter",
    "tournament_id tournament, place, round, pool, x_id player, o_id player?, half_points?, "
    "match_id match?",
    "unique match_id",
    "check half_points: half_points IN (0, 1, 2)",
    "check bye: (o_id IS NULL) = (match_id IS NULL)",
    key="tournament_id, place",
)

VIEWS = {
    "boards": """
SELECT match.game AS game, match.number AS board, match.spec AS options,
    x.userid AS x, o.userid AS o, match.status AS status, mover.userid AS to_move,
    match.ply AS moves, {started} AS started, {changed} AS changed
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS mover ON mover.id = match.next_id
WHERE match.status <> 'removed'""",
    "moves": """
SELECT match.game AS game, match.number AS board, move.ply AS move, player.userid AS player,
    move.text AS cell, {played} AS played
FROM move
JOIN match ON match.id = move.match_id
JOIN player ON player.id = move.player_id
WHERE match.status <> 'removed'""",
    "results": """
SELECT match.game AS game, match.number AS board, x.userid AS x, o.userid AS o,
    winner.userid AS winner, match.reason AS reason, match.points_x AS points_x,
    match.points_o AS points_o,
    CASE WHEN match.is_early IS NULL THEN match.is_rated ELSE 0 END AS rated,
    {finished} AS finished
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS winner ON winner.id = match.winner_id
WHERE match.finished_at IS NOT NULL""",
}
"""The query of each view; a word in braces is a time, as text or time stamp in UTC.

They are for people with ``sqlite3``, ``psql`` or Datasette; the program never reads them. A
migration that rebuilds a table they show drops them first and makes them again.
"""

TIMES = {
    "started": "match.started_at",
    "changed": "match.changed_at",
    "finished": "match.finished_at",
    "played": "move.played_at",
}
MOMENT = {
    "sqlite": "datetime({column}, 'unixepoch')",
    "postgresql": "(to_timestamp({column}) AT TIME ZONE 'UTC')",
}


def view_statements(dialect: str) -> Iterator[str]:
    """Yield the statements that make the views in a database of this kind."""
    moments = {name: MOMENT[dialect].format(column=column) for name, column in TIMES.items()}
    for name, text in VIEWS.items():
        yield f"CREATE VIEW {name} AS{text.format(**moments)}"

"""The tables, the same on SQLite and PostgreSQL: numbers and text, nothing else.

Times are seconds since 1970, UTC; truth values are 0 and 1. On SQLite every table is STRICT.
``migrations/`` builds exactly these tables; a test compares the two. A question mark behind the
name of a column says that it may be missing (NULL), as it does on the page ``schema``.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
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

Columns = list[sa.Column[Any] | sa.Constraint]


def _columns(names: Iterable[str], *kind: Any) -> Columns:
    return [sa.Column(name.removesuffix("?"), *kind, nullable=name[-1] == "?") for name in names]


def texts(*names: str) -> Columns:
    """Return columns of text."""
    return _columns(names, sa.Text)


class _Words(sa.TypeDecorator[str]):
    """What somebody wrote; earlier versions stored the tokens of reply addresses in it, too."""

    impl, cache_ok = sa.Text, True

    def process_result_value(self, value: str | None, _dialect: object) -> str | None:
        return value and without_tokens(value)


def numbers(*names: str) -> Columns:
    """Return columns of whole numbers."""
    return _columns(names, sa.Integer)


def reals(*names: str) -> Columns:
    """Return columns of numbers with a fraction, of eight bytes everywhere."""
    return _columns(names, sa.REAL().with_variant(sa.Double(), "postgresql"))


def moments(*names: str) -> Columns:
    """Return columns of eight bytes: times beyond 2038, for PostgreSQL's INTEGER has four."""
    return _columns(names, sa.Integer().with_variant(sa.BigInteger(), "postgresql"))


def truths(*names: str) -> Columns:
    """Return columns that are 0 or 1."""
    checks = [sa.CheckConstraint(f"{name} IN (0, 1)", name) for name in names]
    return [*numbers(*names), *checks]


def ids_of(table: str, *names: str) -> Columns:
    """Return columns that refer to rows of a table, by default one that is called so."""
    columns = [_columns([name], sa.ForeignKey(f"{table}.id")) for name in names or [f"{table}_id"]]
    return list(chain.from_iterable(columns))


def make_table(
    name: str,
    *parts: Columns | sa.Constraint | sa.Index,
    numbered_by: str = "id",
    key: Sequence[str] = (),
) -> sa.Table:
    """Return a table of ours, STRICT on SQLite, in the order of ``key`` if one is given.

    Else a column numbers the rows: one of its own, or that which refers to them.
    """
    own = [] if key or numbered_by != "id" else numbers("id")
    flat = chain.from_iterable(part if isinstance(part, list) else [part] for part in parts)
    primary = sa.PrimaryKeyConstraint(*(key or [numbered_by]))
    return sa.Table(
        name, metadata, *own, *flat, primary, sqlite_strict=True, sqlite_with_rowid=not key
    )


def make_index(
    name: str, *columns: str, where: str | None = None, is_unique: bool = False
) -> sa.Index:
    """Return an index, with ``where`` only of the rows that fulfil the condition."""
    # Said to SQLAlchemy as an option of PostgreSQL, the condition would load all of that dialect
    # whenever a command starts: it waits here until somebody builds the tables.
    return sa.Index(name, *columns, unique=is_unique, info={"where": where})


APPLICATION_ID = 0x50424D53
"""Marks a SQLite file as ours: "PBMS"."""


def put(table: sa.Table, *changed: str, over: Collection[str] = ()) -> sa.TextClause:
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


def buildable_metadata() -> sa.MetaData:
    """Return the metadata with the conditions of its partial indices, for building tables.

    Statements on the tables need no such thing, and without it a command starts sooner.
    """
    for index in chain.from_iterable(table.indexes for table in metadata.tables.values()):
        if (where := index.info["where"]) is not None:
            condition = sa.text(where)
            index.dialect_kwargs.update(sqlite_where=condition, postgresql_where=condition)
    return metadata


player = make_table(
    "player",
    texts("userid", "userid_key", "password_hash?", "status"),
    moments("created_at", "closed_at?", "seen_at?", "suspended_at?"),
    texts("robot?"),
    sa.UniqueConstraint("userid_key"),
    sa.CheckConstraint("status IN ('active', 'closed', 'recorded')", "status"),
    make_index("ix_player_robot", "id", where="robot IS NOT NULL"),
)

address = make_table(
    "address",
    ids_of("player"),
    numbers("position"),
    texts("address", "address_key"),
    moments("verified_at?"),
    truths("is_trusted"),
    numbers("hard_bounces"),
    moments("stopped_at?"),
    sa.UniqueConstraint("player_id", "address_key"),
    make_index("ix_address_key", "address_key"),
)

RUNNING = "status = 'running'"
"""What is so of running matches. SQLite writes an index whenever a column of its condition is set,
so it is one that no move sets."""

ENDED = "finished_at IS NOT NULL"

# A running match has somebody to move, a finished one a time when it ended, a removed one
# neither: the other partial indices rest on that.
match = make_table(
    "match",
    texts("game"),
    numbers("number"),
    texts("spec"),
    numbers("rules_version"),
    ids_of("player", "first_id", "second_id", "x_id", "o_id"),
    texts("status", "to_move?"),
    ids_of("player", "next_id?"),
    numbers("ply", "revision"),
    truths("is_rated", "is_imported"),
    texts("winner?"),
    ids_of("player", "winner_id?"),
    texts("reason?"),
    numbers("points_x?", "points_o?"),
    moments("started_at", "changed_at", "finished_at?"),
    texts("agreed?"),
    numbers("is_early?"),
    sa.UniqueConstraint("game", "number"),
    sa.CheckConstraint("status IN ('running', 'won', 'drawn', 'removed')", "status"),
    sa.CheckConstraint("to_move IN ('X', 'O')", "to_move"),
    sa.CheckConstraint("winner IN ('X', 'O')", "winner"),
    sa.CheckConstraint("(status = 'running') = (to_move IS NOT NULL)", "running"),
    sa.CheckConstraint("(to_move IS NULL) = (next_id IS NULL)", "next"),
    sa.CheckConstraint("(status IN ('won', 'drawn')) = (finished_at IS NOT NULL)", "finished"),
    sa.CheckConstraint("(status = 'won') = (winner IS NOT NULL)", "won"),
    sa.CheckConstraint("(winner IS NULL) = (winner_id IS NULL)", "winner_id"),
    make_index("ix_match_running", "game", "number", where=RUNNING),
    make_index("ix_match_running_first", "first_id", "game", "number", where=RUNNING),
    make_index("ix_match_running_second", "second_id", "game", "number", where=RUNNING),
    make_index("ix_match_next", "next_id", "game", "number", where="next_id IS NOT NULL"),
    make_index("ix_match_finished", "finished_at", "id", where=ENDED),
    make_index("ix_match_finished_game", "game", "finished_at", "id", where=ENDED),
    make_index("ix_match_finished_first", "first_id", "game", "finished_at", "id", where=ENDED),
    make_index("ix_match_finished_second", "second_id", "game", "finished_at", "id", where=ENDED),
)

IS_RUNNING = match.c.status == sa.literal_column("'running'")

move = make_table(
    "move",
    ids_of("match"),
    numbers("ply"),
    texts("text", "digest"),
    ids_of("player"),
    moments("played_at"),
    key=("match_id", "ply"),
)

offer = make_table(
    "offer",
    ids_of("match"),
    texts("kind"),
    ids_of("player"),
    moments("offered_at"),
    texts("result?", "moves?"),
    ids_of("player", "answerer_id?"),
    sa.CheckConstraint("kind IN ('draw', 'undo', 'result')", "kind"),
    sa.CheckConstraint("(kind = 'result') = (result IS NOT NULL)", "result"),
    make_index("ix_offer_answerer", "answerer_id"),
    numbered_by="match_id",
)

submission = make_table(
    "submission",
    ids_of("match"),
    ids_of("player"),
    texts("text"),
    key=("match_id", "player_id"),
)

# A robot's turn that some worker has taken, at a revision of the match, until it is due again.
robot_turn = make_table(
    "robot_turn",
    ids_of("match"),
    numbers("revision"),
    moments("due_at"),
    numbers("tries"),
    numbered_by="match_id",
)

# A match without a row has no clock; one that has ended keeps its row and is never due.
clock = make_table(
    "clock",
    ids_of("match"),
    texts("limits", "clock"),
    moments("due_at?"),
    make_index("ix_clock_due", "due_at", "match_id", where="due_at IS NOT NULL"),
    make_index("ix_clock_running", "match_id", where="due_at IS NOT NULL"),
    numbered_by="match_id",
)

absence = make_table(
    "absence",
    ids_of("player"),
    numbers("position"),
    moments("start_at", "end_at"),
    texts("kind"),
    sa.CheckConstraint("kind IN ('manual', 'automatic')", "kind"),
    key=("player_id", "position"),
)

# A plan that was given up stays, with the reason, until its owner has moved or planned again.
plan = make_table(
    "plan",
    ids_of("match"),
    ids_of("player"),
    texts("text"),
    numbers("due"),
    texts("dropped?"),
    key=("match_id", "player_id"),
)

rating = make_table(
    "rating",
    ids_of("player"),
    texts("game"),
    reals("value", "deviation", "volatility"),
    moments("rated_at?"),
    numbers("won", "lost", "drawn"),
    make_index("ix_rating_value", "game", "value", "player_id"),
    key=("player_id", "game"),
)

# Added to whenever a board begins, ends or is opened again: the sum of the rows counts.
result_count = make_table(
    "result_count",
    texts("spec", "status", "winner?"),
    truths("is_swapped"),
    texts("first_move?"),
    numbers("games"),
    moments("turns"),
)

# In the order of their ids the games were rated.
rating_change = make_table(
    "rating_change",
    ids_of("match"),
    ids_of("player"),
    texts("game"),
    moments("at"),
    reals("before", "value", "deviation", "volatility"),
    sa.UniqueConstraint("match_id", "player_id"),
    make_index("ix_rating_change_player", "player_id", "game", "id"),
)

# When clocks were last settled and when before that, since when that was done without a long break,
# and since when there is maintenance.
moment = make_table("moment", texts("name"), moments("at"), key=("name",))

counter = make_table("counter", texts("name"), numbers("value"), key=("name",))

audit = make_table(
    "audit",
    moments("at"),
    texts("source"),
    ids_of("player", "player_id?"),
    ids_of("match", "match_id?"),
    texts("verb", "detail", "outcome"),
    # Only of requests that came by a server which may die before it can say what it did.
    texts("key?"),
    make_index("ix_audit_key", "key", where="key IS NOT NULL", is_unique=True),
    make_index("ix_audit_match", "match_id", "id", where="match_id IS NOT NULL"),
    make_index("ix_audit_player", "player_id", "id", where="player_id IS NOT NULL"),
)

# Mail. A player_id 0 in the inbox stands for all strangers together, so it refers to nobody.
inbox = make_table(
    "inbox",
    numbers("player_id"),
    texts("key", "sender"),
    moments("received_at"),
    texts("door", "outcome"),
    sa.UniqueConstraint("player_id", "key"),
    make_index("ix_inbox_received", "received_at"),
)

# A letter being sent is one that falls due again when its sender must have died.
outbox = make_table(
    "outbox",
    texts("kind", "address", "address_key"),
    ids_of("player", "player_id?"),
    ids_of("match", "match_id?"),
    numbers("revision?"),
    _columns(("subject", "lead", "diagram?", "tail"), _Words),
    truths("is_answer"),
    texts("in_reply_to?"),
    moments("created_at"),
    texts("state"),
    moments("due_at"),
    numbers("tries"),
    moments("ended_at?"),
    texts("last_error"),
    sa.CheckConstraint("state IN ('waiting', 'sent', 'failed', 'dropped')", "state"),
    sa.CheckConstraint("(state = 'waiting') = (ended_at IS NULL)", "ended"),
    make_index("ix_outbox_due", "due_at", "id", where="state = 'waiting'"),
    make_index("ix_outbox_ended", "ended_at", where="ended_at IS NOT NULL"),
    make_index("ix_outbox_thread", "match_id", "address_key", "id", where="match_id IS NOT NULL"),
)

proof_request = make_table(
    "proof_request",
    texts("address_key", "address"),
    ids_of("player"),
    texts("net"),
    truths("is_authenticated"),
    moments("asked_at"),
    key=("address_key",),
)

asked_challenge = make_table(
    "asked_challenge",
    ids_of("player"),
    numbers("number"),
    _columns(("lines", "comment"), _Words),
    moments("asked_at"),
    key=("player_id",),
)

ignored_mail = make_table(
    "ignored_mail",
    moments("day"),
    texts("reason"),
    numbers("mails"),
    key=("day", "reason"),
)

throttle = make_table(
    "throttle",
    texts("userid_key", "sender"),
    numbers("failures"),
    moments("failed_at", "wait_until"),
    key=("userid_key", "sender"),
)

budget = make_table(
    "budget",
    texts("kind", "holder"),
    numbers("period"),
    moments("begins_at"),
    numbers("letters"),
    moments("bytes"),
    key=("kind", "holder", "period"),
)

reset = make_table(
    "reset",
    ids_of("player"),
    texts("token_hash"),
    moments("created_at", "expires_at", "used_at?"),
    sa.UniqueConstraint("token_hash"),
    make_index("ix_reset_player", "player_id", "created_at"),
)

# The digest binds a sign-in key to its player and to the password they have.
signin_key = make_table(
    "signin_key",
    ids_of("player"),
    texts("digest"),
    moments("created_at", "used_at"),
    make_index("ix_signin_key_player", "player_id"),
)

# Without a row: no digest, broadcasts welcome, and clocks may take days of vacation.
preference = make_table(
    "preference",
    ids_of("player"),
    truths("has_digest", "takes_broadcasts"),
    numbers("keeps_vacation?"),
    numbered_by="player_id",
)

# Whose name stands on none of the club's pages.
private_player = make_table("private_player", ids_of("player"), numbered_by="player_id")

block = make_table(
    "block", ids_of("player", "player_id", "blocked_id"), key=("player_id", "blocked_id")
)

subscription = make_table(
    "subscription",
    ids_of("match"),
    ids_of("player"),
    make_index("ix_subscription_player", "player_id"),
    key=("match_id", "player_id"),
)

chat = make_table(
    "chat",
    ids_of("match"),
    ids_of("player"),
    moments("at"),
    _columns(("text",), _Words),
    make_index("ix_chat_match", "match_id", "id"),
)

# What one player writes to another, kept so that it reaches them without mail too.
message = make_table(
    "message",
    ids_of("player", "writer_id", "reader_id"),
    moments("at"),
    _columns(("text",), _Words),
    make_index("ix_message_reader", "reader_id", "id"),
    make_index("ix_message_writer", "writer_id", "id"),
)

# What a player is told in the shell until they have read it.
notice = make_table(
    "notice",
    ids_of("player"),
    texts("kind"),
    ids_of("match", "match_id?"),
    _columns(("text",), _Words),
    moments("at", "read_at?", "told_at?"),
    sa.CheckConstraint("kind IN ('reminder', 'announcement', 'remark', 'message')", "kind"),
    make_index("ix_notice_unread", "player_id", "id", where="read_at IS NULL"),
)

# A player without a row takes every challenge in the game and any number of boards.
availability = make_table(
    "availability",
    ids_of("player"),
    texts("game"),
    truths("takes_challenges"),
    numbers("most_boards?"),
    key=("player_id", "game"),
)

seek = make_table(
    "seek",
    ids_of("player"),
    texts("game", "spec", "limits"),
    truths("is_rated"),
    numbers("wanted"),
    moments("sought_at"),
    sa.UniqueConstraint("player_id", "spec"),
    sa.CheckConstraint("wanted > 0", "wanted"),
    make_index("ix_seek_game", "game", "id"),
)

# Who gets mail about a board only when it ends.
quiet = make_table(
    "quiet",
    ids_of("match"),
    ids_of("player"),
    make_index("ix_quiet_player", "player_id"),
    key=("match_id", "player_id"),
)

# A match that begins with the first turns of another one.
origin = make_table(
    "origin",
    ids_of("match", "match_id", "source_id"),
    numbers("ply"),
    numbered_by="match_id",
)

# What the computer thought of a finished match at this revision, as JSON.
review = make_table(
    "review",
    ids_of("match"),
    numbers("revision"),
    texts("document"),
    numbered_by="match_id",
)

tournament = make_table(
    "tournament",
    _columns(("name",), _Words),
    ids_of("player", "organiser_id"),
    texts("spec", "kind", "limits"),
    truths("both_colours"),
    numbers("rounds?", "pool_size?"),
    texts("status"),
    moments("created_at", "changed_at", "start_at?"),
    sa.CheckConstraint("kind IN ('round-robin', 'swiss')", "kind"),
    sa.CheckConstraint("status IN ('open', 'running', 'finished', 'cancelled')", "status"),
    make_index("ix_tournament_start", "start_at", where="status = 'open' AND start_at IS NOT NULL"),
)

entrant = make_table(
    "entrant",
    ids_of("tournament"),
    numbers("place"),
    ids_of("player"),
    numbers("rating"),
    truths("is_withdrawn"),
    numbers("pool?"),
    sa.UniqueConstraint("tournament_id", "player_id"),
    make_index("ix_entrant_player", "player_id"),
    key=("tournament_id", "place"),
)

# A bye has neither opponent nor board.
encounter = make_table(
    "encounter",
    ids_of("tournament"),
    numbers("place", "round", "pool"),
    ids_of("player", "x_id", "o_id?"),
    numbers("half_points?"),
    ids_of("match", "match_id?"),
    sa.UniqueConstraint("match_id"),
    sa.CheckConstraint("half_points IN (0, 1, 2)", "half_points"),
    sa.CheckConstraint("(o_id IS NULL) = (match_id IS NULL)", "bye"),
    key=("tournament_id", "place"),
)

"""The tables, the same on SQLite and PostgreSQL: numbers and text, nothing else.

Times are seconds since 1970, UTC; truth values are 0 and 1. On SQLite every table is STRICT.
``migrations/`` builds exactly these tables; a test compares the two.
"""

import sqlalchemy as sa

from pbmserv.store.columns import (
    CONDITION,
    Moment,
    Real,
    make_index,
    make_table,
    metadata,
    truth,
)

APPLICATION_ID = 0x50424D53
"""Marks a SQLite file as ours: "PBMS"."""


def buildable_metadata() -> sa.MetaData:
    """Return the metadata with the conditions of its partial indices, for building tables.

    Statements on the tables need no such thing, and without it a command starts sooner.
    """
    for table in metadata.tables.values():
        for index in table.indexes:
            where = index.info[CONDITION]
            if where is not None:
                condition = sa.text(where)
                index.dialect_kwargs.update(sqlite_where=condition, postgresql_where=condition)
    return metadata


player = make_table(
    "player",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("userid", sa.Text, nullable=False),
    sa.Column("userid_key", sa.Text, nullable=False, unique=True),
    sa.Column("password_hash", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("closed_at", Moment),
    sa.Column("seen_at", Moment),
    sa.Column("suspended_at", Moment),
    sa.Column("robot", sa.Text),
    sa.CheckConstraint("status IN ('active', 'closed', 'recorded')", "status"),
    make_index("ix_player_robot", "id", where="robot IS NOT NULL"),
)

address = make_table(
    "address",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("address_key", sa.Text, nullable=False),
    sa.Column("verified_at", Moment),
    sa.Column("is_trusted", sa.Integer, nullable=False),
    sa.Column("hard_bounces", sa.Integer, nullable=False),
    sa.Column("stopped_at", Moment),
    sa.UniqueConstraint("player_id", "address_key"),
    truth("is_trusted"),
    make_index("ix_address_key", "address_key"),
)

RUNNING = "status = 'running'"
"""What is so of running matches. SQLite writes an index whenever a column of its condition is set,
so it is one that no move sets."""

# A running match has somebody to move, a finished one a time when it ended, a removed one
# neither: the other partial indices rest on that.
match = make_table(
    "match",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("rules_version", sa.Integer, nullable=False),
    sa.Column("first_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("second_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("x_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("o_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("to_move", sa.Text),
    sa.Column("next_id", sa.ForeignKey("player.id")),
    sa.Column("ply", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("is_rated", sa.Integer, nullable=False),
    sa.Column("is_imported", sa.Integer, nullable=False),
    sa.Column("winner", sa.Text),
    sa.Column("winner_id", sa.ForeignKey("player.id")),
    sa.Column("reason", sa.Text),
    sa.Column("points_x", sa.Integer),
    sa.Column("points_o", sa.Integer),
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
    sa.Column("finished_at", Moment),
    sa.Column("agreed", sa.Text),
    sa.UniqueConstraint("game", "number"),
    sa.CheckConstraint("status IN ('running', 'won', 'drawn', 'removed')", "status"),
    sa.CheckConstraint("to_move IN ('X', 'O')", "to_move"),
    sa.CheckConstraint("winner IN ('X', 'O')", "winner"),
    sa.CheckConstraint("(status = 'running') = (to_move IS NOT NULL)", "running"),
    sa.CheckConstraint("(to_move IS NULL) = (next_id IS NULL)", "next"),
    sa.CheckConstraint("(status IN ('won', 'drawn')) = (finished_at IS NOT NULL)", "finished"),
    sa.CheckConstraint("(status = 'won') = (winner IS NOT NULL)", "won"),
    sa.CheckConstraint("(winner IS NULL) = (winner_id IS NULL)", "winner_id"),
    truth("is_rated"),
    truth("is_imported"),
    make_index("ix_match_running", "game", "number", where=RUNNING),
    make_index("ix_match_running_first", "first_id", "game", "number", where=RUNNING),
    make_index("ix_match_running_second", "second_id", "game", "number", where=RUNNING),
    make_index("ix_match_next", "next_id", "game", "number", where="next_id IS NOT NULL"),
    make_index("ix_match_finished", "finished_at", "id", where="finished_at IS NOT NULL"),
    make_index(
        "ix_match_finished_game", "game", "finished_at", "id", where="finished_at IS NOT NULL"
    ),
    *(
        make_index(
            f"ix_match_finished_{side}",
            f"{side}_id",
            "game",
            "finished_at",
            "id",
            where="finished_at IS NOT NULL",
        )
        for side in ("first", "second")
    ),
)

IS_RUNNING = match.c.status == sa.literal_column("'running'")

move = make_table(
    "move",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("played_at", Moment, nullable=False),
    rowid=False,
)

offer = make_table(
    "offer",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("offered_at", Moment, nullable=False),
    sa.Column("result", sa.Text),
    sa.CheckConstraint("kind IN ('draw', 'undo', 'result')", "kind"),
    sa.CheckConstraint("(kind = 'result') = (result IS NOT NULL)", "result"),
)

submission = make_table(
    "submission",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    rowid=False,
)

# A robot's turn that some worker has taken, at a revision of the match, until it is due again.
robot_turn = make_table(
    "robot_turn",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("due_at", Moment, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
)

# A match without a row has no clock; one that has ended keeps its row and is never due.
clock = make_table(
    "clock",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("limits", sa.Text, nullable=False),
    sa.Column("clock", sa.Text, nullable=False),
    sa.Column("due_at", Moment),
    make_index("ix_clock_due", "due_at", "match_id", where="due_at IS NOT NULL"),
    make_index("ix_clock_running", "match_id", where="due_at IS NOT NULL"),
)

absence = make_table(
    "absence",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("start_at", Moment, nullable=False),
    sa.Column("end_at", Moment, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.CheckConstraint("kind IN ('manual', 'automatic')", "kind"),
    rowid=False,
)

# A plan that was given up stays, with the reason, until its owner has moved or planned again.
plan = make_table(
    "plan",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("due", sa.Integer, nullable=False),
    sa.Column("dropped", sa.Text),
    rowid=False,
)

rating = make_table(
    "rating",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("value", Real, nullable=False),
    sa.Column("deviation", Real, nullable=False),
    sa.Column("volatility", Real, nullable=False),
    sa.Column("rated_at", Moment),
    sa.Column("won", sa.Integer, nullable=False),
    sa.Column("lost", sa.Integer, nullable=False),
    sa.Column("drawn", sa.Integer, nullable=False),
    make_index("ix_rating_value", "game", "value", "player_id"),
    rowid=False,
)

# Added to whenever a board begins, ends or is opened again: the sum of the rows counts.
result_count = make_table(
    "result_count",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("winner", sa.Text),
    sa.Column("is_swapped", sa.Integer, nullable=False),
    sa.Column("first_move", sa.Text),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("turns", Moment, nullable=False),
    truth("is_swapped"),
)

# In the order of their ids the games were rated.
rating_change = make_table(
    "rating_change",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("match_id", sa.ForeignKey("match.id"), nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("before", Real, nullable=False),
    sa.Column("value", Real, nullable=False),
    sa.Column("deviation", Real, nullable=False),
    sa.Column("volatility", Real, nullable=False),
    sa.UniqueConstraint("match_id", "player_id"),
    make_index("ix_rating_change_player", "player_id", "game", "id"),
)

# When clocks were last settled, since when that was done without a long break, and since when
# there is maintenance.
moment = make_table(
    "moment",
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("at", Moment, nullable=False),
    rowid=False,
)

counter = make_table(
    "counter",
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Integer, nullable=False),
    rowid=False,
)

audit = make_table(
    "audit",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", Moment, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id")),
    sa.Column("match_id", sa.ForeignKey("match.id")),
    sa.Column("verb", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    # Only of requests that came by a server which may die before it can say what it did.
    sa.Column("key", sa.Text),
    make_index("ix_audit_key", "key", where="key IS NOT NULL", is_unique=True),
    make_index("ix_audit_match", "match_id", "id", where="match_id IS NOT NULL"),
    make_index("ix_audit_player", "player_id", "id", where="player_id IS NOT NULL"),
)

# Mail. A player_id 0 in the inbox stands for all strangers together, so it refers to nobody.
inbox = make_table(
    "inbox",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.Integer, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("received_at", Moment, nullable=False),
    sa.Column("door", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.UniqueConstraint("player_id", "key"),
    make_index("ix_inbox_received", "received_at"),
)

# A letter being sent is one that falls due again when its sender must have died.
outbox = make_table(
    "outbox",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("address_key", sa.Text, nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id")),
    sa.Column("match_id", sa.ForeignKey("match.id")),
    sa.Column("revision", sa.Integer),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("lead", sa.Text, nullable=False),
    sa.Column("diagram", sa.Text),
    sa.Column("tail", sa.Text, nullable=False),
    sa.Column("is_answer", sa.Integer, nullable=False),
    sa.Column("in_reply_to", sa.Text),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("due_at", Moment, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("ended_at", Moment),
    sa.Column("last_error", sa.Text, nullable=False),
    sa.CheckConstraint("state IN ('waiting', 'sent', 'failed', 'dropped')", "state"),
    sa.CheckConstraint("(state = 'waiting') = (ended_at IS NULL)", "ended"),
    truth("is_answer"),
    make_index("ix_outbox_due", "due_at", "id", where="state = 'waiting'"),
    make_index("ix_outbox_ended", "ended_at", where="ended_at IS NOT NULL"),
    make_index("ix_outbox_thread", "match_id", "address_key", "id", where="match_id IS NOT NULL"),
)

proof_request = make_table(
    "proof_request",
    sa.Column("address_key", sa.Text, primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("net", sa.Text, nullable=False),
    sa.Column("is_authenticated", sa.Integer, nullable=False),
    sa.Column("asked_at", Moment, nullable=False),
    truth("is_authenticated"),
    rowid=False,
)

asked_challenge = make_table(
    "asked_challenge",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("lines", sa.Text, nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("asked_at", Moment, nullable=False),
    rowid=False,
)

ignored_mail = make_table(
    "ignored_mail",
    sa.Column("day", Moment, primary_key=True),
    sa.Column("reason", sa.Text, primary_key=True),
    sa.Column("mails", sa.Integer, nullable=False),
    rowid=False,
)

throttle = make_table(
    "throttle",
    sa.Column("userid_key", sa.Text, primary_key=True),
    sa.Column("sender", sa.Text, primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("failed_at", Moment, nullable=False),
    sa.Column("wait_until", Moment, nullable=False),
    rowid=False,
)

quota = make_table(
    "quota",
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("begins_at", Moment, primary_key=True),
    sa.Column("used", sa.Integer, nullable=False),
    rowid=False,
)

reset = make_table(
    "reset",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    sa.Column("used_at", Moment),
    make_index("ix_reset_player", "player_id", "created_at"),
)

# The digest binds a sign-in key to its player and to the password they have.
signin_key = make_table(
    "signin_key",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("used_at", Moment, nullable=False),
    make_index("ix_signin_key_player", "player_id"),
)

# A player without a row has the preferences of everybody: no digest, broadcasts welcome.
preference = make_table(
    "preference",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("has_digest", sa.Integer, nullable=False),
    sa.Column("takes_broadcasts", sa.Integer, nullable=False),
    truth("has_digest"),
    truth("takes_broadcasts"),
)

# Whose name stands on none of the club's pages.
private_player = make_table(
    "private_player",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
)

block = make_table(
    "block",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("blocked_id", sa.ForeignKey("player.id"), primary_key=True),
    rowid=False,
)

subscription = make_table(
    "subscription",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    make_index("ix_subscription_player", "player_id"),
    rowid=False,
)

chat = make_table(
    "chat",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("match_id", sa.ForeignKey("match.id"), nullable=False),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    make_index("ix_chat_match", "match_id", "id"),
)

# What one player writes to another, kept so that it reaches them without mail too.
message = make_table(
    "message",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("writer_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("reader_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    make_index("ix_message_reader", "reader_id", "id"),
    make_index("ix_message_writer", "writer_id", "id"),
)

# What a player is told in the shell until they have read it.
notice = make_table(
    "notice",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("match_id", sa.ForeignKey("match.id")),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("read_at", Moment),
    sa.CheckConstraint("kind IN ('reminder', 'announcement', 'remark', 'message')", "kind"),
    make_index("ix_notice_unread", "player_id", "id", where="read_at IS NULL"),
)

# A player without a row takes every challenge in the game and any number of boards.
availability = make_table(
    "availability",
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("takes_challenges", sa.Integer, nullable=False),
    sa.Column("most_boards", sa.Integer),
    truth("takes_challenges"),
    rowid=False,
)

seek = make_table(
    "seek",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("limits", sa.Text, nullable=False),
    sa.Column("is_rated", sa.Integer, nullable=False),
    sa.Column("wanted", sa.Integer, nullable=False),
    sa.Column("sought_at", Moment, nullable=False),
    sa.UniqueConstraint("player_id", "spec"),
    sa.CheckConstraint("wanted > 0", "wanted"),
    truth("is_rated"),
    make_index("ix_seek_game", "game", "id"),
)

# Who gets mail about a board only when it ends.
quiet = make_table(
    "quiet",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), primary_key=True),
    make_index("ix_quiet_player", "player_id"),
    rowid=False,
)

# A match that begins with the first turns of another one.
origin = make_table(
    "origin",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("source_id", sa.ForeignKey("match.id"), nullable=False),
    sa.Column("ply", sa.Integer, nullable=False),
)

# What the computer thought of a finished match at this revision, as JSON.
review = make_table(
    "review",
    sa.Column("match_id", sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("document", sa.Text, nullable=False),
)

tournament = make_table(
    "tournament",
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("organiser_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("limits", sa.Text, nullable=False),
    sa.Column("both_colours", sa.Integer, nullable=False),
    sa.Column("rounds", sa.Integer),
    sa.Column("pool_size", sa.Integer),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
    sa.Column("start_at", Moment),
    sa.CheckConstraint("kind IN ('round-robin', 'swiss')", "kind"),
    truth("both_colours"),
    sa.CheckConstraint("status IN ('open', 'running', 'finished', 'cancelled')", "status"),
    make_index("ix_tournament_start", "start_at", where="status = 'open' AND start_at IS NOT NULL"),
)

entrant = make_table(
    "entrant",
    sa.Column("tournament_id", sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("player_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.Column("is_withdrawn", sa.Integer, nullable=False),
    sa.Column("pool", sa.Integer),
    sa.UniqueConstraint("tournament_id", "player_id"),
    make_index("ix_entrant_player", "player_id"),
    truth("is_withdrawn"),
    rowid=False,
)

# A bye has neither opponent nor board.
encounter = make_table(
    "encounter",
    sa.Column("tournament_id", sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("pool", sa.Integer, nullable=False),
    sa.Column("x_id", sa.ForeignKey("player.id"), nullable=False),
    sa.Column("o_id", sa.ForeignKey("player.id")),
    sa.Column("half_points", sa.Integer),
    sa.Column("match_id", sa.ForeignKey("match.id"), unique=True),
    sa.CheckConstraint("half_points IN (0, 1, 2)", "half_points"),
    sa.CheckConstraint("(o_id IS NULL) = (match_id IS NULL)", "bye"),
    rowid=False,
)

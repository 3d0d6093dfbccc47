"""The tables of people and tournaments; a part of :mod:`pbmserv.store.tables`."""

import sqlalchemy as sa

from pbmserv.store.columns import Moment, make_index, make_table, truth

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

# Who hears of a board only when it ends.
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
    sa.CheckConstraint("kind IN ('round-robin', 'swiss')", "kind"),
    sa.CheckConstraint("status IN ('open', 'running', 'finished')", "status"),
    truth("both_colours"),
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

"""People: who takes challenges, who looks for opponents, boards from positions, tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Build the tables of people and tournaments."""
    _availability()
    _seek()
    _quiet()
    _origin()
    _tournament()
    _entrant()
    _encounter()


def _availability() -> None:
    op.create_table(
        "availability",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("takes_challenges", sa.Integer(), nullable=False),
        sa.Column("most_boards", sa.Integer()),
        sa.CheckConstraint(
            "takes_challenges IN (0, 1)", name=op.f("ck_availability_takes_challenges")
        ),
        sa.PrimaryKeyConstraint("player_id", "game", name="pk_availability"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_availability_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _seek() -> None:
    op.create_table(
        "seek",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("limits", sa.Text(), nullable=False),
        sa.Column("is_rated", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("sought_at", MOMENT, nullable=False),
        sa.CheckConstraint("is_rated IN (0, 1)", name=op.f("ck_seek_is_rated")),
        sa.CheckConstraint("wanted > 0", name=op.f("ck_seek_wanted")),
        sa.PrimaryKeyConstraint("id", name="pk_seek"),
        sa.UniqueConstraint("player_id", "spec", name="uq_seek_player_id_spec"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_seek_player_id"),
        sqlite_strict=True,
    )
    op.create_index("ix_seek_game", "seek", ["game", "id"])


def _quiet() -> None:
    op.create_table(
        "quiet",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "player_id", name="pk_quiet"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_quiet_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_quiet_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_quiet_player", "quiet", ["player_id"])


def _origin() -> None:
    op.create_table(
        "origin",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_origin"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_origin_match_id"),
        sa.ForeignKeyConstraint(["source_id"], ["match.id"], name="fk_origin_source_id"),
        sqlite_strict=True,
    )


def _tournament() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("organiser_id", sa.Integer(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("limits", sa.Text(), nullable=False),
        sa.Column("both_colours", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer()),
        sa.Column("pool_size", sa.Integer()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.CheckConstraint("both_colours IN (0, 1)", name=op.f("ck_tournament_both_colours")),
        sa.CheckConstraint("kind IN ('round-robin', 'swiss')", name=op.f("ck_tournament_kind")),
        sa.CheckConstraint(
            "status IN ('open', 'running', 'finished')", name=op.f("ck_tournament_status")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.ForeignKeyConstraint(["organiser_id"], ["player.id"], name="fk_tournament_organiser_id"),
        sqlite_strict=True,
    )


def _entrant() -> None:
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("is_withdrawn", sa.Integer(), nullable=False),
        sa.Column("pool", sa.Integer()),
        sa.CheckConstraint("is_withdrawn IN (0, 1)", name=op.f("ck_entrant_is_withdrawn")),
        sa.PrimaryKeyConstraint("tournament_id", "place", name="pk_entrant"),
        sa.UniqueConstraint(
            "tournament_id", "player_id", name="uq_entrant_tournament_id_player_id"
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name="fk_entrant_tournament_id"
        ),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_entrant_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _encounter() -> None:
    op.create_table(
        "encounter",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("pool", sa.Integer(), nullable=False),
        sa.Column("x_id", sa.Integer(), nullable=False),
        sa.Column("o_id", sa.Integer()),
        sa.Column("half_points", sa.Integer()),
        sa.Column("match_id", sa.Integer()),
        sa.CheckConstraint("half_points IN (0, 1, 2)", name=op.f("ck_encounter_half_points")),
        sa.CheckConstraint("(o_id IS NULL) = (match_id IS NULL)", name=op.f("ck_encounter_bye")),
        sa.PrimaryKeyConstraint("tournament_id", "place", name="pk_encounter"),
        sa.UniqueConstraint("match_id", name="uq_encounter_match_id"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name="fk_encounter_tournament_id"
        ),
        sa.ForeignKeyConstraint(["x_id"], ["player.id"], name="fk_encounter_x_id"),
        sa.ForeignKeyConstraint(["o_id"], ["player.id"], name="fk_encounter_o_id"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_encounter_match_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

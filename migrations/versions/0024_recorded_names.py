"""The names in the record of an imported game are kept beside its players."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision: str | None = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; games that were imported before have the names of their players."""
    op.create_table(
        "recorded_name",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_recorded_name_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_recorded_name_player_id"),
        sa.PrimaryKeyConstraint("match_id", "place", name="pk_recorded_name"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_recorded_name_player", "recorded_name", ["player_id"])

"""Signing in once: keys that stand for userid and password, each kept as a digest only."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Build the table of sign-in keys."""
    op.create_table(
        "signin_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_signin_key"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_signin_key_player_id"),
        sqlite_strict=True,
    )
    op.create_index("ix_signin_key_player", "signin_key", ["player_id"])

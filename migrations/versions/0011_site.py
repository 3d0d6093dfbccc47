"""Players whose name stands on none of the club's pages."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision: str | None = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "private_player",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_private_player"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_private_player_player_id"),
        sqlite_strict=True,
    )

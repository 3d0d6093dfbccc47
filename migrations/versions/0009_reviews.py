"""What the computer thought of finished games, so that it is thought but once."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision: str | None = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "review",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_review"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_review_match_id"),
        sqlite_strict=True,
    )

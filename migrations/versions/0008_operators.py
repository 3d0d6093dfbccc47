"""Suspended accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision: str | None = "0007"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Let accounts be suspended."""
    op.add_column("player", sa.Column("suspended_at", MOMENT))

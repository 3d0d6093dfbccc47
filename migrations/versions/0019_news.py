"""News is told once: when a shell last told of a notice."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision: str | None = "0018"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Add the moment; of what is unread now a shell tells once more."""
    op.add_column("notice", sa.Column("told_at", MOMENT))

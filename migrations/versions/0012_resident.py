"""What tells a command from any other, so that none is done twice when a server dies."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision: str | None = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, and what looks in it."""
    op.add_column("audit", sa.Column("key", sa.Text()))
    condition = sa.text("key IS NOT NULL")
    op.create_index(
        "ix_audit_key",
        "audit",
        ["key"],
        unique=True,
        sqlite_where=condition,
        postgresql_where=condition,
    )

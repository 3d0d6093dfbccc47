"""The archive of games shows private players under pseudonyms, by a key made once."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision: str | None = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of keys; the first archive makes the key."""
    op.create_table(
        "secret",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secret"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

"""A match that was begun as an even game remembers what its handicap was thought to be worth."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision: str | None = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no game of before was begun so."""
    op.add_column("match", sa.Column("shift", sa.Text()))

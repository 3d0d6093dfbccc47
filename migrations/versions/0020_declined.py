"""Vacation that is taken by itself can be declined."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision: str | None = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the wish; nobody has it yet."""
    op.add_column("preference", sa.Column("keeps_vacation", sa.Integer()))

"""The indices of running boards rest on what no move changes, so that no move writes them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision: str | None = "0013"
branch_labels = None
depends_on = None

RUNNING = sa.text("status = 'running'")
INDICES = {
    "ix_match_running": ["game", "number"],
    "ix_match_running_first": ["first_id", "game", "number"],
    "ix_match_running_second": ["second_id", "game", "number"],
}


def upgrade() -> None:
    """Make the three indices anew."""
    for name, columns in INDICES.items():
        op.drop_index(name, "match")
        op.create_index(name, "match", columns, sqlite_where=RUNNING, postgresql_where=RUNNING)

"""Offers of an undo name its moves; games have no points that neither rules nor players gave."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision: str | None = "0016"
branch_labels = None
depends_on = None

LAST_MOVE = """
UPDATE offer SET moves = (
    SELECT move.text FROM move WHERE move.match_id = offer.match_id ORDER BY move.ply DESC LIMIT 1
) WHERE kind = 'undo'
"""
UNSCORED = """
UPDATE match SET points_x = NULL, points_o = NULL
WHERE reason IN ('resignation', 'forfeit') OR (reason = 'agreement' AND agreed IS NULL)
"""


def upgrade() -> None:
    """Add the moves, which were the last one alone, and take away the points of such games."""
    op.add_column("offer", sa.Column("moves", sa.Text()))
    op.execute(LAST_MOVE)
    op.execute(UNSCORED)

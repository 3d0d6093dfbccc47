"""What stats counts of a game that has ended is in the row of its match."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision: str | None = "0020"
branch_labels = None
depends_on = None

COUNTED = """
UPDATE match SET
    turns = ply,
    is_swapped = CASE WHEN EXISTS (
        SELECT 1 FROM move WHERE move.match_id = match.id AND move.ply = 2 AND move.text = 'swap'
    ) THEN 1 ELSE 0 END,
    first_move = (
        SELECT move.text FROM move WHERE move.match_id = match.id AND move.ply = 1 AND NOT EXISTS (
            SELECT 1 FROM origin WHERE origin.match_id = match.id
        )
    )
WHERE finished_at IS NOT NULL
"""


def upgrade() -> None:
    """Fill the columns, of which one index is all that stats reads, in place of sums in rows."""
    op.add_column("match", sa.Column("is_swapped", sa.Integer()))
    op.add_column("match", sa.Column("first_move", sa.Text()))
    op.add_column("match", sa.Column("turns", sa.Integer()))
    op.execute(COUNTED)
    ended = sa.text("finished_at IS NOT NULL")
    op.create_index(
        "ix_match_counted",
        "match",
        ["spec", "winner", "is_swapped", "first_move", "turns"],
        sqlite_where=ended,
        postgresql_where=ended,
    )
    op.drop_table("result_count")

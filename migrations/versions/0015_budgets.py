"""One table of budgets in the place of the quotas, which counts bytes too."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision: str | None = "0014"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Begin to count anew: what was used is forgotten after a week in any case."""
    op.drop_table("quota")
    op.create_table(
        "budget",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("period", sa.Integer(), nullable=False),
        sa.Column("begins_at", MOMENT, nullable=False),
        sa.Column("letters", sa.Integer(), nullable=False),
        sa.Column("bytes", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("kind", "holder", "period", name="pk_budget"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

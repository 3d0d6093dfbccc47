"""A sign-in key may end at a set time, as on a computer that others use too."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision: str | None = "0022"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Add the time; the keys of before end for want of use alone."""
    op.add_column("signin_key", sa.Column("ends_at", MOMENT))

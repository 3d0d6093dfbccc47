"""Who is to answer an offer, so that the boards that wait for somebody's answer are found."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision: str | None = "0015"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
ANSWERER = """
UPDATE offer SET answerer_id = (
    SELECT CASE WHEN match.first_id = offer.player_id THEN match.second_id ELSE match.first_id END
    FROM match WHERE match.id = offer.match_id
)
"""


def upgrade() -> None:
    """Add the column, fill it for the offers that are pending, and find them by it."""
    before = sa.Table(
        "offer",
        sa.MetaData(),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("offered_at", MOMENT, nullable=False),
        sa.Column("result", sa.Text()),
        sa.CheckConstraint("kind IN ('draw', 'undo', 'result')", name=op.f("ck_offer_kind")),
        sa.CheckConstraint(
            "(kind = 'result') = (result IS NOT NULL)", name=op.f("ck_offer_result")
        ),
        sa.PrimaryKeyConstraint("match_id", name="pk_offer"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_offer_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_offer_player_id"),
        sqlite_strict=True,
    )
    strict = {"sqlite_strict": True}
    with op.batch_alter_table("offer", copy_from=before, table_kwargs=strict) as offer:
        offer.add_column(sa.Column("answerer_id", sa.Integer()))
        offer.create_foreign_key("fk_offer_answerer_id", "player", ["answerer_id"], ["id"])
    op.execute(ANSWERER)
    op.create_index("ix_offer_answerer", "offer", ["answerer_id"])

"""Notices, messages between players, agreed results, and tournaments with a date or called off."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision: str | None = "0005"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
STRICT = {"sqlite_strict": True}


def upgrade() -> None:
    """Build the new tables; widen what an offer and a tournament may be."""
    _notice()
    _message()
    _offer()
    _tournament()
    op.add_column("match", sa.Column("agreed", sa.Text()))


def _notice() -> None:
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("read_at", MOMENT),
        sa.CheckConstraint(
            "kind IN ('reminder', 'announcement', 'remark', 'message')",
            name=op.f("ck_notice_kind"),
        ),
        sa.PrimaryKeyConstraint("id", name="pk_notice"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_notice_player_id"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_notice_match_id"),
        sqlite_strict=True,
    )
    unread = sa.text("read_at IS NULL")
    op.create_index(
        "ix_notice_unread",
        "notice",
        ["player_id", "id"],
        sqlite_where=unread,
        postgresql_where=unread,
    )


def _message() -> None:
    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("writer_id", sa.Integer(), nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_message"),
        sa.ForeignKeyConstraint(["writer_id"], ["player.id"], name="fk_message_writer_id"),
        sa.ForeignKeyConstraint(["reader_id"], ["player.id"], name="fk_message_reader_id"),
        sqlite_strict=True,
    )
    op.create_index("ix_message_reader", "message", ["reader_id", "id"])
    op.create_index("ix_message_writer", "message", ["writer_id", "id"])


def _offer() -> None:
    before = sa.Table(
        "offer",
        sa.MetaData(),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("offered_at", MOMENT, nullable=False),
        sa.CheckConstraint("kind IN ('draw', 'undo')", name=op.f("ck_offer_kind")),
        sa.PrimaryKeyConstraint("match_id", name="pk_offer"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_offer_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_offer_player_id"),
        sqlite_strict=True,
    )
    with op.batch_alter_table("offer", copy_from=before, table_kwargs=STRICT) as offer:
        offer.drop_constraint(op.f("ck_offer_kind"), type_="check")
        offer.add_column(sa.Column("result", sa.Text()))
        offer.create_check_constraint(op.f("ck_offer_kind"), "kind IN ('draw', 'undo', 'result')")
        offer.create_check_constraint(
            op.f("ck_offer_result"), "(kind = 'result') = (result IS NOT NULL)"
        )


def _tournament() -> None:
    before = sa.Table(
        "tournament",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("organiser_id", sa.Integer(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("limits", sa.Text(), nullable=False),
        sa.Column("both_colours", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer()),
        sa.Column("pool_size", sa.Integer()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.CheckConstraint("both_colours IN (0, 1)", name=op.f("ck_tournament_both_colours")),
        sa.CheckConstraint("kind IN ('round-robin', 'swiss')", name=op.f("ck_tournament_kind")),
        sa.CheckConstraint(
            "status IN ('open', 'running', 'finished')", name=op.f("ck_tournament_status")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.ForeignKeyConstraint(["organiser_id"], ["player.id"], name="fk_tournament_organiser_id"),
        sqlite_strict=True,
    )
    with op.batch_alter_table("tournament", copy_from=before, table_kwargs=STRICT) as tournament:
        tournament.drop_constraint(op.f("ck_tournament_status"), type_="check")
        tournament.add_column(sa.Column("start_at", MOMENT))
        tournament.create_check_constraint(
            op.f("ck_tournament_status"), "status IN ('open', 'running', 'finished', 'cancelled')"
        )
    due = sa.text("status = 'open' AND start_at IS NOT NULL")
    op.create_index(
        "ix_tournament_start",
        "tournament",
        ["start_at"],
        sqlite_where=due,
        postgresql_where=due,
    )

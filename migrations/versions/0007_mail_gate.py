"""The gate for mail: letters that wait for their turn, challenges to confirm, what was ignored."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision: str | None = "0006"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Build the tables and the index by which a letter finds those before it."""
    _proof_request()
    _asked_challenge()
    _ignored_mail()
    of_board = sa.text("match_id IS NOT NULL")
    op.create_index(
        "ix_outbox_thread",
        "outbox",
        ["match_id", "address_key", "id"],
        sqlite_where=of_board,
        postgresql_where=of_board,
    )


def _proof_request() -> None:
    op.create_table(
        "proof_request",
        sa.Column("address_key", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("net", sa.Text(), nullable=False),
        sa.Column("is_authenticated", sa.Integer(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "is_authenticated IN (0, 1)", name=op.f("ck_proof_request_is_authenticated")
        ),
        sa.PrimaryKeyConstraint("address_key", name="pk_proof_request"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_proof_request_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _asked_challenge() -> None:
    op.create_table(
        "asked_challenge",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_asked_challenge"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_asked_challenge_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _ignored_mail() -> None:
    op.create_table(
        "ignored_mail",
        sa.Column("day", MOMENT, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "reason", name="pk_ignored_mail"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

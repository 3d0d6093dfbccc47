"""Mail in and out: inbox, outbox, addresses that are proven, limits, and talk between players."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision: str | None = "0001"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Build the tables of the mail door."""
    _address()
    _inbox()
    _outbox()
    _throttle()
    _quota()
    _reset()
    _preference()
    _block()
    _subscription()
    _chat()


def _index(name: str, table: str, columns: list[str], where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def _address() -> None:
    """Rebuild the addresses: those of before were all given in the shell, so they are trusted."""
    op.rename_table("address", "address_before")
    rows = "player_id, position, address, address_key"
    if op.get_bind().dialect.name == "postgresql":
        for name in ("pk_address", "uq_address_player_id_address_key", "fk_address_player_id"):
            op.execute(f"ALTER TABLE address_before RENAME CONSTRAINT {name} TO {name}_before")
        op.execute("ALTER SEQUENCE address_id_seq RENAME TO address_before_id_seq")
    op.drop_index("ix_address_key", "address_before")
    op.create_table(
        "address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_key", sa.Text(), nullable=False),
        sa.Column("verified_at", MOMENT),
        sa.Column("is_trusted", sa.Integer(), nullable=False),
        sa.Column("hard_bounces", sa.Integer(), nullable=False),
        sa.Column("stopped_at", MOMENT),
        sa.UniqueConstraint("player_id", "address_key", name="uq_address_player_id_address_key"),
        sa.CheckConstraint("is_trusted IN (0, 1)", name=op.f("ck_address_is_trusted")),
        sa.PrimaryKeyConstraint("id", name="pk_address"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_address_player_id"),
        sqlite_strict=True,
    )
    op.execute(
        f"INSERT INTO address ({rows}, is_trusted, hard_bounces) "  # noqa: S608 - our own names
        f"SELECT {rows}, 1, 0 FROM address_before ORDER BY id"
    )
    op.drop_table("address_before")
    _index("ix_address_key", "address", ["address_key"])


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.UniqueConstraint("player_id", "key", name="uq_inbox_player_id_key"),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sqlite_strict=True,
    )
    _index("ix_inbox_received", "inbox", ["received_at"])


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_key", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer()),
        sa.Column("match_id", sa.Integer()),
        sa.Column("revision", sa.Integer()),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("lead", sa.Text(), nullable=False),
        sa.Column("diagram", sa.Text()),
        sa.Column("tail", sa.Text(), nullable=False),
        sa.Column("is_answer", sa.Integer(), nullable=False),
        sa.Column("in_reply_to", sa.Text()),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("ended_at", MOMENT),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'sent', 'failed', 'dropped')", name=op.f("ck_outbox_state")
        ),
        sa.CheckConstraint(
            "(state = 'waiting') = (ended_at IS NULL)", name=op.f("ck_outbox_ended")
        ),
        sa.CheckConstraint("is_answer IN (0, 1)", name=op.f("ck_outbox_is_answer")),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_outbox_player_id"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_outbox_match_id"),
        sqlite_strict=True,
    )
    _index("ix_outbox_due", "outbox", ["due_at", "id"], where="state = 'waiting'")
    _index("ix_outbox_ended", "outbox", ["ended_at"], where="ended_at IS NOT NULL")


def _throttle() -> None:
    op.create_table(
        "throttle",
        sa.Column("userid_key", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_at", MOMENT, nullable=False),
        sa.Column("wait_until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("userid_key", "sender", name="pk_throttle"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _quota() -> None:
    op.create_table(
        "quota",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("begins_at", MOMENT, nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "holder", "begins_at", name="pk_quota"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _reset() -> None:
    op.create_table(
        "reset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_reset"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_reset_player_id"),
        sa.UniqueConstraint("token_hash", name="uq_reset_token_hash"),
        sqlite_strict=True,
    )
    _index("ix_reset_player", "reset", ["player_id", "created_at"])


def _preference() -> None:
    op.create_table(
        "preference",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("has_digest", sa.Integer(), nullable=False),
        sa.Column("takes_broadcasts", sa.Integer(), nullable=False),
        sa.CheckConstraint("has_digest IN (0, 1)", name=op.f("ck_preference_has_digest")),
        sa.CheckConstraint(
            "takes_broadcasts IN (0, 1)", name=op.f("ck_preference_takes_broadcasts")
        ),
        sa.PrimaryKeyConstraint("player_id", name="pk_preference"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_preference_player_id"),
        sqlite_strict=True,
    )


def _block() -> None:
    op.create_table(
        "block",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("blocked_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name="pk_block"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_block_player_id"),
        sa.ForeignKeyConstraint(["blocked_id"], ["player.id"], name="fk_block_blocked_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _subscription() -> None:
    op.create_table(
        "subscription",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "player_id", name="pk_subscription"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_subscription_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_subscription_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    _index("ix_subscription_player", "subscription", ["player_id"])


def _chat() -> None:
    op.create_table(
        "chat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chat"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_chat_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_chat_player_id"),
        sqlite_strict=True,
    )
    _index("ix_chat_match", "chat", ["match_id", "id"])

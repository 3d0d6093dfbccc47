"""Players, matches with their moves, and the audit."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Build the first tables."""
    _player()
    _address()
    _match()
    _move()
    _offer()
    _submission()
    _counter()
    _audit()


def _index(name: str, table: str, columns: list[str], where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def _player() -> None:
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("userid", sa.Text(), nullable=False),
        sa.Column("userid_key", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT),
        sa.CheckConstraint(
            "status IN ('active', 'closed', 'recorded')", name=op.f("ck_player_status")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_player"),
        sa.UniqueConstraint("userid_key", name="uq_player_userid_key"),
        sqlite_strict=True,
    )


def _address() -> None:
    op.create_table(
        "address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_key", sa.Text(), nullable=False),
        sa.UniqueConstraint("player_id", "address_key", name="uq_address_player_id_address_key"),
        sa.PrimaryKeyConstraint("id", name="pk_address"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_address_player_id"),
        sqlite_strict=True,
    )
    _index("ix_address_key", "address", ["address_key"])


def _match() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.Column("x_id", sa.Integer(), nullable=False),
        sa.Column("o_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("to_move", sa.Text()),
        sa.Column("next_id", sa.Integer()),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("is_rated", sa.Integer(), nullable=False),
        sa.Column("is_imported", sa.Integer(), nullable=False),
        sa.Column("winner", sa.Text()),
        sa.Column("winner_id", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.Column("points_x", sa.Integer()),
        sa.Column("points_o", sa.Integer()),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.UniqueConstraint("game", "number", name="uq_match_game_number"),
        sa.CheckConstraint(
            "status IN ('running', 'won', 'drawn', 'removed')", name=op.f("ck_match_status")
        ),
        sa.CheckConstraint("to_move IN ('X', 'O')", name=op.f("ck_match_to_move")),
        sa.CheckConstraint("winner IN ('X', 'O')", name=op.f("ck_match_winner")),
        sa.CheckConstraint(
            "(status = 'running') = (to_move IS NOT NULL)", name=op.f("ck_match_running")
        ),
        sa.CheckConstraint("(to_move IS NULL) = (next_id IS NULL)", name=op.f("ck_match_next")),
        sa.CheckConstraint(
            "(status IN ('won', 'drawn')) = (finished_at IS NOT NULL)",
            name=op.f("ck_match_finished"),
        ),
        sa.CheckConstraint("(status = 'won') = (winner IS NOT NULL)", name=op.f("ck_match_won")),
        sa.CheckConstraint(
            "(winner IS NULL) = (winner_id IS NULL)", name=op.f("ck_match_winner_id")
        ),
        sa.CheckConstraint("is_rated IN (0, 1)", name=op.f("ck_match_is_rated")),
        sa.CheckConstraint("is_imported IN (0, 1)", name=op.f("ck_match_is_imported")),
        sa.PrimaryKeyConstraint("id", name="pk_match"),
        sa.ForeignKeyConstraint(["first_id"], ["player.id"], name="fk_match_first_id"),
        sa.ForeignKeyConstraint(["second_id"], ["player.id"], name="fk_match_second_id"),
        sa.ForeignKeyConstraint(["x_id"], ["player.id"], name="fk_match_x_id"),
        sa.ForeignKeyConstraint(["o_id"], ["player.id"], name="fk_match_o_id"),
        sa.ForeignKeyConstraint(["next_id"], ["player.id"], name="fk_match_next_id"),
        sa.ForeignKeyConstraint(["winner_id"], ["player.id"], name="fk_match_winner_id"),
        sqlite_strict=True,
    )
    _index("ix_match_finished", "match", ["finished_at", "id"], where="finished_at IS NOT NULL")
    _index(
        "ix_match_finished_first",
        "match",
        ["first_id", "game", "finished_at"],
        where="finished_at IS NOT NULL",
    )
    _index(
        "ix_match_finished_game",
        "match",
        ["game", "finished_at", "id"],
        where="finished_at IS NOT NULL",
    )
    _index(
        "ix_match_finished_second",
        "match",
        ["second_id", "game", "finished_at"],
        where="finished_at IS NOT NULL",
    )
    _index("ix_match_next", "match", ["next_id", "game"], where="next_id IS NOT NULL")
    _index("ix_match_running", "match", ["game", "number"], where="to_move IS NOT NULL")
    _index("ix_match_running_first", "match", ["first_id", "game"], where="to_move IS NOT NULL")
    _index("ix_match_running_second", "match", ["second_id", "game"], where="to_move IS NOT NULL")


def _move() -> None:
    op.create_table(
        "move",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("played_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "ply", name="pk_move"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_move_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_move_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _offer() -> None:
    op.create_table(
        "offer",
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


def _submission() -> None:
    op.create_table(
        "submission",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "player_id", name="pk_submission"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_submission_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_submission_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _counter() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counter"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer()),
        sa.Column("match_id", sa.Integer()),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_audit_player_id"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_audit_match_id"),
        sqlite_strict=True,
    )
    _index("ix_audit_match", "audit", ["match_id", "id"], where="match_id IS NOT NULL")
    _index("ix_audit_player", "audit", ["player_id", "id"], where="player_id IS NOT NULL")

"""The life of a club: clocks, vacations, plans and ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
REAL: sa.types.TypeEngine[float] = sa.REAL().with_variant(sa.Double(), "postgresql")

DEFAULT_LIMITS = "7/21"
NAG = 7 * 86_400


def upgrade() -> None:
    """Build the tables; every running board gets a clock that begins with its last change."""
    op.add_column("player", sa.Column("seen_at", MOMENT))
    _clock()
    _absence()
    _plan()
    _rating()
    _rating_change()
    _moment()
    _start_clocks()


def _index(name: str, table: str, columns: list[str], where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def _start_clocks() -> None:
    other = "CASE next_id WHEN first_id THEN second_id ELSE first_id END"
    clock = (
        f"'{{\"on\":' || next_id || ',\"other\":' || ({other}) || ',\"began\":' || changed_at || "
        '\',"used":{},"rung":0,"warned":null,"total":{},"vacation":false}\''
    )
    # exec_driver_sql: in text() a colon would begin a parameter.
    op.get_bind().exec_driver_sql(
        f"INSERT INTO clock (match_id, limits, clock, due_at) "  # noqa: S608 - our own words
        f"SELECT id, '{DEFAULT_LIMITS}', {clock}, changed_at + {NAG} FROM match "
        "WHERE to_move IS NOT NULL"
    )


def _clock() -> None:
    op.create_table(
        "clock",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("limits", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("due_at", MOMENT),
        sa.PrimaryKeyConstraint("match_id", name="pk_clock"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_clock_match_id"),
        sqlite_strict=True,
    )
    _index("ix_clock_due", "clock", ["due_at", "match_id"], where="due_at IS NOT NULL")


def _absence() -> None:
    op.create_table(
        "absence",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("start_at", MOMENT, nullable=False),
        sa.Column("end_at", MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('manual', 'automatic')", name=op.f("ck_absence_kind")),
        sa.PrimaryKeyConstraint("player_id", "position", name="pk_absence"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_absence_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _plan() -> None:
    op.create_table(
        "plan",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("due", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.Text()),
        sa.PrimaryKeyConstraint("match_id", "player_id", name="pk_plan"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_plan_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_plan_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _rating() -> None:
    op.create_table(
        "rating",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("value", REAL, nullable=False),
        sa.Column("deviation", REAL, nullable=False),
        sa.Column("volatility", REAL, nullable=False),
        sa.Column("rated_at", MOMENT),
        sa.Column("won", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "game", name="pk_rating"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_rating_player_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    _index("ix_rating_value", "rating", ["game", "value", "player_id"])


def _rating_change() -> None:
    op.create_table(
        "rating_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("before", REAL, nullable=False),
        sa.Column("value", REAL, nullable=False),
        sa.Column("deviation", REAL, nullable=False),
        sa.Column("volatility", REAL, nullable=False),
        sa.UniqueConstraint("match_id", "player_id", name="uq_rating_change_match_id_player_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rating_change"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_rating_change_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_rating_change_player_id"),
        sqlite_strict=True,
    )
    _index("ix_rating_change_player", "rating_change", ["player_id", "game", "id"])


def _moment() -> None:
    op.create_table(
        "moment",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_moment"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

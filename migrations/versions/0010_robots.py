"""Robots: players whose moves the computer makes, and their turns that somebody has taken."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision: str | None = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Mark the players that are robots, and make the list of their turns."""
    op.add_column("player", sa.Column("robot", sa.Text()))
    is_robot = sa.text("robot IS NOT NULL")
    op.create_index(
        "ix_player_robot",
        "player",
        ["id"],
        sqlite_where=is_robot,
        postgresql_where=is_robot,
    )
    op.create_table(
        "robot_turn",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column(
            "due_at", sa.Integer().with_variant(sa.BigInteger(), "postgresql"), nullable=False
        ),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_robot_turn"),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name="fk_robot_turn_match_id"),
        sqlite_strict=True,
    )

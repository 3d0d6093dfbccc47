"""Boards counted as they begin and end, and lists whose order an index has."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision: str | None = "0012"
branch_labels = None
depends_on = None

MOMENT = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
RUNNING, FINISHED = "to_move IS NOT NULL", "finished_at IS NOT NULL"
INDICES = (
    ("ix_match_running_first", ["first_id", "game", "number"], RUNNING),
    ("ix_match_running_second", ["second_id", "game", "number"], RUNNING),
    ("ix_match_next", ["next_id", "game", "number"], "next_id IS NOT NULL"),
    ("ix_match_finished_first", ["first_id", "game", "finished_at", "id"], FINISHED),
    ("ix_match_finished_second", ["second_id", "game", "finished_at", "id"], FINISHED),
)
COUNTED = """
INSERT INTO result_count (spec, status, winner, is_swapped, first_move, games, turns)
SELECT spec, status, winner, is_swapped, first_move, count(*), sum(turns) FROM (
    SELECT match.spec, match.status, match.winner,
        CASE WHEN match.finished_at IS NULL THEN 0
            WHEN match.first_id <> match.second_id
            THEN CASE WHEN match.x_id <> match.first_id THEN 1 ELSE 0 END
            WHEN EXISTS (SELECT 1 FROM move
                WHERE move.match_id = match.id AND move.ply = 2 AND move.text = 'swap')
            THEN 1 ELSE 0 END AS is_swapped,
        CASE WHEN match.finished_at IS NOT NULL AND origin.match_id IS NULL
            THEN opening.text END AS first_move,
        CASE WHEN match.finished_at IS NULL THEN 0 ELSE match.ply END AS turns
    FROM match
    LEFT JOIN move AS opening ON opening.match_id = match.id AND opening.ply = 1
    LEFT JOIN origin ON origin.match_id = match.id
) AS kinds GROUP BY spec, status, winner, is_swapped, first_move
"""


def upgrade() -> None:
    """Count the boards that there are, and make the indices anew."""
    op.create_table(
        "result_count",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("winner", sa.Text()),
        sa.Column("is_swapped", sa.Integer(), nullable=False),
        sa.Column("first_move", sa.Text()),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("turns", MOMENT, nullable=False),
        sa.CheckConstraint("is_swapped IN (0, 1)", name=op.f("ck_result_count_is_swapped")),
        sa.PrimaryKeyConstraint("id", name="pk_result_count"),
        sqlite_strict=True,
    )
    op.execute(COUNTED)
    for name, columns, where in INDICES:
        condition = sa.text(where)
        op.drop_index(name, "match")
        op.create_index(name, "match", columns, sqlite_where=condition, postgresql_where=condition)
    op.create_index("ix_entrant_player", "entrant", ["player_id"])
    runs = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_clock_running", "clock", ["match_id"], sqlite_where=runs, postgresql_where=runs
    )

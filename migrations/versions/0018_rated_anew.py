"""Which games were agreed on too early to be rated; ``env.py`` then rates all games anew."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision: str | None = "0017"
branch_labels = None
depends_on = None

FINISHED = {
    "sqlite": "datetime(match.finished_at, 'unixepoch')",
    "postgresql": "(to_timestamp(match.finished_at) AT TIME ZONE 'UTC')",
}
RESULTS = """CREATE VIEW results AS
SELECT match.game AS game, match.number AS board, x.userid AS x, o.userid AS o,
    winner.userid AS winner, match.reason AS reason, match.points_x AS points_x,
    match.points_o AS points_o,
    CASE WHEN match.is_early IS NULL THEN match.is_rated ELSE 0 END AS rated,
    {finished} AS finished
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS winner ON winner.id = match.winner_id
WHERE match.finished_at IS NOT NULL"""


def upgrade() -> None:
    """Add the column, and make the view anew that tells which games are rated."""
    op.add_column("match", sa.Column("is_early", sa.Integer()))
    op.execute("DROP VIEW results")
    op.execute(RESULTS.format(finished=FINISHED[op.get_context().dialect.name]))

"""Robots keep their strength: there are more levels, and the seven of before have other numbers."""

from alembic import op

revision = "0022"
down_revision: str | None = "0021"
branch_labels = None
depends_on = None

NUMBERS = {1: 3, 2: 5, 3: 6, 4: 8, 5: 10, 6: 12, 7: 14}
"""The number of each level now. A level that was stored is one digit, ``level=4 games=star``."""


def upgrade() -> None:
    """Give every robot the level that plays as well as the one it had."""
    cases = " ".join(f"WHEN 'level={old} ' THEN 'level={new} '" for old, new in NUMBERS.items())
    level = f"CASE substr(robot, 1, 8) {cases} END"
    after = f"{level} || substr(robot, 9)"
    op.execute(f"UPDATE player SET robot = {after} WHERE robot LIKE 'level=_ %'")  # noqa: S608 - our own numbers

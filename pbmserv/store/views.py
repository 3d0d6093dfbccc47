"""Three views for looking at the games with ordinary tools: boards, moves and results.

They are for people with ``sqlite3``, ``psql`` or Datasette; the program never reads them. A
migration that rebuilds a table they show drops them first and makes them again.
"""

from collections.abc import Iterator

VIEWS = {
    "boards": """
SELECT match.game AS game, match.number AS board, match.spec AS options,
    x.userid AS x, o.userid AS o, match.status AS status, mover.userid AS to_move,
    match.ply AS moves, {started} AS started, {changed} AS changed
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS mover ON mover.id = match.next_id
WHERE match.status <> 'removed'""",
    "moves": """
SELECT match.game AS game, match.number AS board, move.ply AS move, player.userid AS player,
    move.text AS cell, {played} AS played
FROM move
JOIN match ON match.id = move.match_id
JOIN player ON player.id = move.player_id
WHERE match.status <> 'removed'""",
    "results": """
SELECT match.game AS game, match.number AS board, x.userid AS x, o.userid AS o,
    winner.userid AS winner, match.reason AS reason, match.points_x AS points_x,
    match.points_o AS points_o,
    CASE WHEN match.is_early IS NULL THEN match.is_rated ELSE 0 END AS rated,
    {finished} AS finished
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS winner ON winner.id = match.winner_id
WHERE match.finished_at IS NOT NULL""",
}
"""What each view selects; a word in braces is a time, as text or time stamp in UTC."""

TIMES = {
    "started": "match.started_at",
    "changed": "match.changed_at",
    "finished": "match.finished_at",
    "played": "move.played_at",
}
MOMENT = {
    "sqlite": "datetime({column}, 'unixepoch')",
    "postgresql": "(to_timestamp({column}) AT TIME ZONE 'UTC')",
}


def view_statements(dialect: str) -> Iterator[str]:
    """Yield the statements that make the views in a database of this kind."""
    moments = {name: MOMENT[dialect].format(column=column) for name, column in TIMES.items()}
    for name, text in VIEWS.items():
        yield f"CREATE VIEW {name} AS{text.format(**moments)}"

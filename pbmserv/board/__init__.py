"""A board to sit down at: games in a full terminal, by keys and mouse."""

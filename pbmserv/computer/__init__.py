"""The computer: its model of a game, its proofs, and its search for a move."""

"""Matches: their rows, clocks, plans, reviews and counts, tournaments, and boards that wait."""

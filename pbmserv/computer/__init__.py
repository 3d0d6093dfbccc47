"""The computer: what a game looks like to it, what it can prove, and how it finds a move."""

"""What makes the parts of the program that are kept made: manual, puzzles, openings, kernel."""

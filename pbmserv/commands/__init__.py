"""The command language: the click tree that reads every line, and what each command does."""

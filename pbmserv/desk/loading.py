"""What commands import when they need it, imported before: for processes that stay."""

from importlib import import_module

from pbmserv.commands.command_table import root
from pbmserv.engine.games import find_game, game_names
from pbmserv.store import connection
from pbmserv.store.store import PARTS

LOADED_LATE = (
    "pbmserv.store.store",
    "pbmserv.render.service_letters",
    "pbmserv.services.clock_settlement",
    "passlib.handlers.argon2",
    "tomllib",
)
"""Modules that no table of commands names, but many commands import late."""


def load_commands() -> None:
    """Import all commands and games, and keep connections to databases from now on."""
    connection.cache_engines()
    tree = root()
    tables = [tree.table, *(family().table for family in tree.families.values())]
    targets = {entry.target.partition(":")[0] for table in tables for entry in table.values()}
    parts = (part.module for part in PARTS.values())
    for name in {*LOADED_LATE, *parts, *(f"pbmserv.{target}" for target in targets)}:
        import_module(name)
    for name in game_names():
        find_game(name)

"""Whose business each command is, and which of them end something."""

from enum import IntEnum

from pbmserv.club.word_forms import one_edit
from pbmserv.engine.games import game_names


class Audience(IntEnum):
    """Who notices that a command was given: each is wider than those before it."""

    PRIVATE = 1
    OPPONENT = 2
    PUBLIC = 3
    OPERATOR = 4


COMMANDS = {
    Audience.PRIVATE: "account, add, all show, batch, block, calendar, change, demo, digest, gate,"
    " gtp, help, list, login, logout, messages, news, play, players, private, puzzle, reset,"
    " signoff, signup, stats, tournament list, tournament show, tournament standings, unblock,"
    " vacation, whoami, * accept, * analyse, * export, * games, * help, * hint, * history, * limit,"
    " * notify, * preview, * queue, * reject, * replay, * score, * settled, * show, * showas,"
    " * standings, * submit, * subscribe, * unsubscribe",
    Audience.OPPONENT: "message, * challenge, * chat, * confirm, * move, * rematch, * resign,"
    " * swap",
    Audience.PUBLIC: "broadcast, tournament cancel, tournament create, tournament join,"
    " tournament leave, tournament start, * import, * seek",
    Audience.OPERATOR: "admin, backup, db, doctor, mail, restore, robots, serve, site, tick",
}
"""Every command by its audience: ``*`` is any game, and a group stands for all that is in it."""

ENDING = frozenset(
    {"admin close", "admin forget", "admin merge", "admin remark remove", "admin remove"}
    | {"admin robot remove", "admin suspend", "admin undo", "mail outbox drop", "mail shunt drop"}
    | {"restore", "signoff", "tournament cancel", "tournament leave", "* resign"}
)
"""The commands that end, remove or replace something, or take it from somebody."""

AUDIENCES = {name: each for each, names in COMMANDS.items() for name in names.split(", ")}

NO_SLIPS = frozenset("cancer chancel design forge forged forger forgot reign remote resin".split())  # noqa: SIM905
"""Words of their own that are a letter away from the name of a command that ends something."""


def audience_of(command: str) -> Audience:
    """Return the audience of a command: ``star move``."""
    return AUDIENCES.get(_of_any_game(command)) or AUDIENCES[command.partition(" ")[0]]


def is_ending(command: str) -> bool:
    """Tell whether a command ends or destroys something."""
    return _of_any_game(command) in ENDING


def is_own_name(word: str, name: str) -> bool:
    """Tell whether a word is the name of a command, or nothing but a slip for it.

    >>> [is_own_name(word, "resign") for word in ("resgin", "reign", "resigns", "iresign")]
    [True, False, False, False]
    """
    is_form = name in word and word not in {name, f"{name}{name[-1:]}"}
    # In a short name only letters that changed places are surely a slip.
    is_sure = len(name) > len("close") or sorted(word) == sorted(name)
    return one_edit(word, name) and is_sure and not is_form and word not in NO_SLIPS


def _of_any_game(command: str) -> str:
    first, _, rest = command.partition(" ")
    return f"* {rest}" if first in game_names() else command

"""The tables of all commands: names, where each is, and what it does in a few words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pbmserv.club.player import ME
from pbmserv.club.selectors import CHOOSING
from pbmserv.commands.grammar import ByMail, Entry, Group, MailSender, ShortAnswer, Table
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import click

FROM_ANYONE = ByMail(MailSender.ANYONE, answers_strangers=True)
FROM_ANYONE_UNANSWERED = ByMail(MailSender.ANYONE)
FROM_A_PLAYER_NAMED = ByMail(MailSender.NAMED)
NOT_BY_MAIL = ByMail(MailSender.NOBODY)
AS_A_MOVE = ByMail(short_answer=ShortAnswer.UNNAMED)
AS_AN_ANSWER = ByMail(short_answer=ShortAnswer.NAMED)
AS_AN_ANSWER_TO_ANY = ByMail(short_answer=ShortAnswer.NAMED, old_token=True)
TO_BE_SWITCHED_OFF = ByMail(short_answer=ShortAnswer.OFF)

SERVER: Table = {
    "help": Entry("commands.help:show_page", "print a help page", by_mail=FROM_ANYONE),
    "signup": Entry(
        "commands.accounts:signup", "open an account", by_mail=FROM_ANYONE, creates_database=True
    ),
    "add": Entry("commands.accounts:add", "add mail addresses to an account"),
    "signoff": Entry(
        "commands.accounts:signoff",
        "close your account permanently",
        ("delete",),
        confirm="Close this account permanently and resign its boards?",
    ),
    "message": Entry("commands.messages:message", "send a text to other players"),
    "messages": Entry("commands.messages:messages", "read your messages"),
    "news": Entry("commands.people:news", "show what is new for you"),
    "account": Entry(
        "commands.people:account", "your settings, addresses, and all that is stored about you"
    ),
    "players": Entry("commands.people:players", "the members of the club"),
    "broadcast": Entry(
        "commands.messages:broadcast",
        "send a text to everybody, or refuse such texts",
        by_mail=TO_BE_SWITCHED_OFF,
    ),
    "digest": Entry(
        "commands.messages:digest",
        "get one mail a day instead of one a move",
        by_mail=TO_BE_SWITCHED_OFF,
    ),
    "calendar": Entry("commands.calendar:calendar", "your deadlines, for a calendar program"),
    "private": Entry("commands.people:private", "hide your name on the club's web site"),
    "block": Entry("commands.messages:block", "block a player", by_mail=TO_BE_SWITCHED_OFF),
    "unblock": Entry("commands.messages:unblock", "undo a block"),
    "reset": Entry(
        "commands.reset_password:reset",
        "get a new password if you forgot yours",
        by_mail=FROM_ANYONE_UNANSWERED,
    ),
    "vacation": Entry("commands.absence:vacation", "stop your clocks for some days"),
    "puzzle": Entry("commands.puzzle:puzzle", "a puzzle: find the winning move"),
    "list": Entry("commands.lists:list_boards", "running and recently finished boards"),
    "stats": Entry("commands.stats:stats", "statistics of the club, a game or a player"),
    "export": Entry("commands.game_records:export_all", "the records of all your games as text"),
}

CHANGE: Table = {
    "password": Entry("commands.accounts:change_password", "choose a new password"),
    "address": Entry("commands.accounts:change_address", "replace the mail addresses"),
}

TOURNAMENT: Table = {
    "create": Entry("commands.tournaments:create", "set up a tournament"),
    "join": Entry("commands.tournaments:join", "join a tournament"),
    "leave": Entry("commands.tournaments:leave", "leave a tournament"),
    "start": Entry("commands.tournaments:start", "start your tournament"),
    "cancel": Entry("commands.tournaments:cancel", "cancel your tournament"),
    "show": Entry("commands.tournaments:show", "a tournament with its cross-tables"),
    "standings": Entry("commands.tournaments:standings", "the standings of a tournament"),
    "list": Entry("commands.tournaments:list_", "all tournaments"),
}

ALL: Table = {
    "show": Entry("commands.lists:show_all", "a player's boards in every game"),
}

GAME: Table = {
    "help": Entry("commands.help:show_page", "the game's rules and options", by_mail=FROM_ANYONE),
    "challenge": Entry(
        "commands.challenges:challenge", "start a board", shortest=5, by_mail=FROM_A_PLAYER_NAMED
    ),
    "rematch": Entry("commands.challenges:rematch", "play again with sides exchanged"),
    "seek": Entry("commands.willingness:seek", "look for opponents"),
    "accept": Entry("commands.willingness:accept", "accept challenges in the game"),
    "reject": Entry("commands.willingness:reject", "reject all challenges in the game"),
    "limit": Entry("commands.willingness:limit", "limit your running boards"),
    "notify": Entry("commands.willingness:notify", "get mail only when boards end"),
    "move": Entry(
        "commands.moves:move", "make a move, offer or answer", ("board", "mvoe"), by_mail=AS_A_MOVE
    ),
    "swap": Entry(
        "commands.moves:swap", "take over the first stone as the second move", by_mail=AS_AN_ANSWER
    ),
    "resign": Entry("commands.moves:resign", "resign a board, or decline it", by_mail=AS_AN_ANSWER),
    "queue": Entry(
        "commands.queue:queue",
        "plan moves",
        ("qmove", "moveq", "qboard", "boardq"),
        by_mail=AS_AN_ANSWER,
    ),
    "submit": Entry("commands.moves:submit", "see the board after your move, without playing it"),
    "confirm": Entry("commands.moves:confirm", "play the submitted move", by_mail=AS_AN_ANSWER),
    "preview": Entry("commands.preview:preview", "try moves on a copy", shortest=4),
    "show": Entry("commands.show:show", "boards, by number or by player"),
    "showas": Entry("commands.show:showas", "boards as a player sees them"),
    "games": Entry("commands.lists:games", "boards in a table"),
    "score": Entry("commands.score_sheet:score", "the score sheet of a board or a position"),
    "settled": Entry("desk.proofs:settled", "what is certain, why, and what stays joined"),
    "analyse": Entry(
        "cli.advice:analyse",
        "analyse a finished game",
        ("analyze",),
        by_mail=NOT_BY_MAIL,
    ),
    "hint": Entry("cli.advice:hint", "the best move, and why", by_mail=NOT_BY_MAIL),
    "replay": Entry("commands.show:replay", "the moves, and the board after any of them"),
    "history": Entry("commands.lists:history", "finished boards"),
    "chat": Entry(
        "commands.messages:chat",
        "write to the chat of a board, or read it",
        by_mail=AS_AN_ANSWER_TO_ANY,
    ),
    "subscribe": Entry("commands.messages:subscribe", "watch boards", shortest=3),
    "unsubscribe": Entry(
        "commands.messages:unsubscribe",
        "stop watching boards",
        shortest=5,
        by_mail=AS_AN_ANSWER_TO_ANY,
    ),
    "standings": Entry("commands.standings:standings", "ratings and results", ("ratings",)),
    "export": Entry("commands.game_records:export", "the records of boards as text"),
    "import": Entry(
        "commands.game_records:import_",
        "store finished games from their records",
        by_mail=NOT_BY_MAIL,
    ),
}


def server_families() -> dict[str, partial[Group]]:
    """Return the groups of commands: the games, ``change``, ``tournament``, ``all``."""
    return {
        "change": partial(Group, "change", CHANGE, summary="change password or addresses"),
        "all": partial(Group, "all", ALL, summary="show a player's boards in every game"),
        "tournament": partial(
            Group, "tournament", TOURNAMENT, summary="set up, join and look at tournaments"
        ),
        **{
            name: partial(Group, name, GAME, game=partial(find_game, name), summary=f"play {name}")
            for name in game_names()
        },
    }


class Root(Group):
    """The top of the tree, where a game answers to its aliases too."""

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Return the command or game so called; None if there is none."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        try:
            return super().get_command(ctx, find_game(cmd_name).name)
        except NotFound:
            return None

    def has(self, word: str) -> bool:
        """Tell whether a command or game is so called."""
        return super().has(word) or self.get_command(None, word) is not None


def root(
    extra: Table | None = None, families: Mapping[str, Callable[[], Group]] | None = None
) -> Group:
    """Return the whole tree, with more commands and families where a door has its own."""
    return Root(
        "pbmserv", {**SERVER, **(extra or {})}, families={**server_families(), **(families or {})}
    )


SHELL_WORDS = frozenset(
    """
    admin archive backup batch db demo doctor gate gtp login logout mail play restore robots serve
    site tick web whoami
    """.split()  # noqa: SIM905 - a list to read
)
"""The commands and groups that only a shell has."""

KEPT_FREE = SHELL_WORDS | frozenset(
    """
    club multiple pbmserv plan qboard qmove queue ratings robot server standings vacation
    """.split()  # noqa: SIM905 - a list to read
)
"""Words that are, or may become, commands of a shell or of the language."""


def reserved_words() -> frozenset[str]:
    """Return every word that is a command, a verb or a family and so no userid."""
    tables = (SERVER, CHANGE, TOURNAMENT, ALL, GAME)
    names = [word for table in tables for word in Group("", table).known_words()]
    aliases = [alias for name in game_names() for alias in find_game(name).aliases]
    return frozenset([*names, *aliases, *server_families(), *CHOOSING, *KEPT_FREE, ME])

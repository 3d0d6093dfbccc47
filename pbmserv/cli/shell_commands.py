"""The tables of the commands that only a shell has."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from pbmserv.commands.command_table import SERVER, root
from pbmserv.commands.grammar import Entry, Group, Table, follow
from pbmserv.engine.games import SAMPLE_GAME, find_game
from pbmserv.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LETTERS = Entry("mail_outbox:list_letters", "mail sent and waiting, newest first")
"""Both ``admin outbox`` and ``mail outbox list``."""

SHELL: Table = {
    "login": Entry("desk.signin:login", "sign in; after that, me means you"),
    "logout": Entry("desk.signin:logout", "sign out"),
    "whoami": Entry("desk.signin:whoami", "print who is signed in"),
    "gate": Entry("cli.gate:gate", "run a command that a player sends over ssh"),
    "demo": Entry("cli.demo:demo", "watch a whole game"),
    "play": Entry("board.playing:play", "play at a board: the computer, two people, lessons"),
    "gtp": Entry("cli.gtp:gtp", "a GTP engine for other programs"),
    "batch": Entry("cli.batch:batch", "run the commands in a file, line by line"),
    "serve": Entry(
        "daemon.resident:serve",
        "run commands faster; handle mail, clocks and robots if set up",
    ),
    "web": Entry("daemon.web_service:web", "open the club in a browser", creates_database=True),
    "tick": Entry("daemon.tick:tick", "check the clocks: reminders and forfeits", is_brief=True),
    "backup": Entry("operators.database:backup", "copy the database into a file"),
    "restore": Entry(
        "operators.database:restore",
        "replace the database with a backup",
        creates_database=True,
        confirm="Replace everything in the database with this backup?",
    ),
    "puzzle": SERVER["puzzle"]._replace(target="board.solved_puzzles:puzzle"),
    "site": Entry("cli.site:site", "make the club's web site, for any web server"),
    "archive": Entry(
        "operators.archive:archive", "write all finished games as files for everybody"
    ),
    "doctor": Entry(
        "operators.health:doctor", "check settings, files and the database", is_brief=True
    ),
}


def _for_operators(table: Table) -> Table:
    """Return these commands, whose functions stand in the operators' room."""
    return {
        name: entry._replace(target=f"operators.{entry.target}", for_operators=True)
        for name, entry in table.items()
    }


ADMIN: Table = _for_operators(
    {
        "games": Entry("admin_lists:games", "all boards in a table"),
        "show": Entry("admin_views:show", "a board with everything stored about it"),
        "players": Entry("admin_lists:players", "all accounts in a table"),
        "player": Entry("admin_views:player", "one account"),
        "moves": Entry("admin_views:moves", "the stored moves of a board"),
        "chat": Entry("admin_views:chat", "the chat at a board"),
        "inbox": Entry("mail_outbox:list_arrivals", "the mail received, newest first"),
        "outbox": LETTERS,
        "audit": Entry("admin_lists:audit", "commands done and refused, newest first"),
        "keys": Entry("mail_outbox:keys", "the keys that sign reply addresses; make new ones"),
        "undo": Entry("admin_changes:undo", "undo the last event at a board"),
        "remove": Entry(
            "admin_changes:remove",
            "remove a board",
            confirm="Remove this board and its rating changes?",
        ),
        "close": Entry(
            "admin_changes:close",
            "close an account",
            confirm="Close this account and resign its boards?",
        ),
        "reopen": Entry("admin_changes:reopen", "reopen a closed account"),
        "announce": Entry("admin_changes:announce", "announce something to all players"),
        "maintenance": Entry("admin_changes:maintenance", "stop all changes for a while"),
        "suspend": Entry("admin_changes:suspend", "suspend a player"),
        "resume": Entry("admin_changes:resume", "end a player's suspension"),
        "reset-password": Entry("admin_changes:reset_password", "give a player a new password"),
        "rename": Entry("admin_changes:rename", "give a player a new userid"),
        "merge": Entry(
            "admin_changes:merge",
            "merge two accounts of one person",
            confirm="Move everything from the first account to the second, and close the first?",
        ),
        "forget": Entry(
            "admin_changes:forget", "delete old incoming and sent mail, and audit lines"
        ),
        "import-games": Entry(
            "admin_changes:import_games",
            "store finished games of any players from their records",
        ),
        "check": Entry(
            "admin_check:check", "replay every board and compare it with what is stored"
        ),
        "rate": Entry("admin_ratings:rate", "recalculate all ratings from the games"),
    }
)

ROBOT: Table = _for_operators(
    {
        "add": Entry("admin_robots:add", "add a computer player"),
        "list": Entry("admin_robots:list_robots", "all robots in a table"),
        "show": Entry("admin_robots:show", "one robot and its boards"),
        "change": Entry("admin_robots:change", "change how a robot plays"),
        "remove": Entry(
            "admin_robots:remove",
            "close a robot's account",
            confirm="Remove this robot and resign its boards?",
        ),
    }
)

ROBOTS: Table = {
    "run": Entry("daemon.club_services:run_robots", "only serve's part for robots"),
}

REMARK: Table = _for_operators(
    {
        "remove": Entry(
            "admin_changes:remove_remark",
            "delete a chat line",
            confirm="Delete this chat line permanently?",
        )
    }
)

DB: Table = {
    "current": Entry("operators.database:current", "the version of the database"),
    "upgrade": Entry(
        "operators.database:upgrade",
        "create the database, or bring it to this version",
        creates_database=True,
    ),
    "check": Entry("operators.database:check_schema", "compare the tables with this version"),
}

MAIL: Table = {
    "receive": Entry("daemon.mail_in:receive", "read one mail from standard input"),
    "run": Entry("daemon.club_services:run", "only serve's part for a Maildir"),
    "serve": Entry("daemon.club_services:serve_mail", "only serve's part for LMTP and SMTP"),
    "send": Entry("daemon.letters_out:send", "send the mail in the outbox"),
    "setup": Entry(
        "operators.mail_recipes:setup", "print the steps from a mail server to the first game"
    ),
    "test": Entry("operators.mail_trial:trial", "send a mail and see whether it comes back"),
}

SHUNT: Table = {
    "list": Entry("operators.mail_shunt:list_mails", "mail put aside after failing, oldest first"),
    "show": Entry("operators.mail_shunt:show", "who sent a mail and what went wrong"),
    "retry": Entry("operators.mail_shunt:retry", "put mail back to be tried again"),
    "drop": Entry("operators.mail_shunt:drop", "delete mail put aside"),
}

OUTBOX: Table = _for_operators(
    {
        "list": LETTERS,
        "retry": Entry("mail_outbox:retry", "try mail again at once"),
        "drop": Entry("mail_outbox:drop", "never send waiting mail"),
    }
)


@cache
def command_tree() -> Group:
    """Return the tree of all commands, which keeps those that were called for."""
    return root(SHELL, shell_families())


def own_options(words: Sequence[str]) -> list[str]:
    """Return the names of the options of the command that the words begin with, if they do."""
    params = follow(command_tree(), words).command.params
    options = (param for param in params if param.param_type_name == "option")
    return [param.name for param in options if param.name]


def play_first(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of ``star play`` as ``play star``, and a game before a record."""
    is_play = len(words) > 1 and words[0].lower() == "play"
    if is_play and words[1][:1] != "-" and not words[1].isalnum():
        from pbmserv.commands.record_words import may_be_record

        return ("play", SAMPLE_GAME, *words[1:]) if may_be_record(words[1]) else words
    if len(words) < 2 or words[1].lower() != "play":
        return words
    try:
        find_game(words[0])
    except NotFound:
        return words
    return (words[1], words[0], *words[2:])


def shell_families() -> Mapping[str, Callable[[], Group]]:
    """Return the groups of commands that only a shell has."""
    return {
        "admin": partial(
            Group,
            "admin",
            ADMIN,
            families={
                "robot": partial(Group, "robot", ROBOT, summary="computer players"),
                "remark": partial(Group, "remark", REMARK, summary="chat lines"),
            },
            summary="what the database holds, for operators",
        ),
        "robots": partial(Group, "robots", ROBOTS, summary="the computer's moves on this server"),
        "db": partial(Group, "db", DB, summary="the version of the database"),
        "mail": partial(
            Group,
            "mail",
            MAIL,
            families={
                "outbox": partial(Group, "outbox", OUTBOX, summary="mail, sent and waiting"),
                "shunt": partial(Group, "shunt", SHUNT, summary="mail put aside after failing"),
            },
            summary="mail in and out, for operators",
        ),
    }

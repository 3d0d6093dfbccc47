"""``admin robot``: the players that the computer plays, or a program of the operator's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pbmserv.cli.advice import level_option
from pbmserv.club.player import Player, PlayerStatus, Robot, parse_userid
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Option, Word, command
from pbmserv.commands.game_options import parse_game_name
from pbmserv.commands.match_answers import summary_table
from pbmserv.commands.slots import NAME, slot
from pbmserv.commands.types import Userid
from pbmserv.computer.game_arrays import arrays_of, require_arrays
from pbmserv.computer.level_list import ROBOT_LEVEL
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import Misunderstood, Refused, invalid_value
from pbmserv.operators.admin_changes import closed
from pbmserv.render.blocks import Table
from pbmserv.render.document import summary_document
from pbmserv.services.lookup import find_account
from pbmserv.services.session import ReadSession, WriteSession
from pbmserv.settings import value


def _parse_games(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(parse_game_name(word) for word in text.split(",")))


def _parse_switch(text: str) -> bool:
    if text.lower() not in {"yes", "no"}:
        raise invalid_value("rated", text, "yes or no")
    return text.lower() == "yes"


@dataclass(frozen=True)
class RobotOptions:
    """The options of a robot; a level and a program exclude each other."""

    level: Annotated[int | None, level_option("plays", ROBOT_LEVEL)] = None
    program: Annotated[bool, Flag("a program plays; the settings file has its command")] = False
    games: Annotated[
        tuple[str, ...] | None,
        Option("GAME,...", "the games that it plays (default all it can)", _parse_games),
    ] = None
    rated: Annotated[
        bool | None,
        Option(("yes", "no"), "allow rated games against people (default no)", _parse_switch),
    ] = None

    def __post_init__(self) -> None:
        """Raise :class:`Misunderstood` if both the computer and a program are to play."""
        if self.level is not None and self.program:
            raise Misunderstood(
                "A robot has either a level or a program, not both.", code="options-clash"
            )

    def changed(self, before: Robot) -> Robot:
        """Return the robot with what was said; raises :class:`Refused` for what none can play."""
        level = None if self.program else self.level or before.level
        playable = (n for n in game_names() if level is None or arrays_of(find_game(n)()))
        games = self.games or before.games or tuple(playable)
        for game in games if level is not None else ():
            require_arrays(find_game(game)())
        return Robot(level, games, before.is_rated if self.rated is None else self.rated)


@command()
def add(
    session: WriteSession,
    name: Annotated[str, Word(slot(NAME), parse_userid)],
    *,
    options: RobotOptions,
) -> Answer:
    """Add a computer player, a robot, under a userid of its own; it is challenged like people.

    It has no password and no address, and is marked wherever it is named. With -program its moves
    come from a program that speaks the Go Text Protocol; help robots explains the set-up.
    """
    require_free_word(name)
    robot = options.changed(Robot(ROBOT_LEVEL.number, ()))
    players = session.records.players
    player = players.add(name, None, (), status=PlayerStatus.ACTIVE, now=session.now)
    players.make_robot(player.id, robot)
    session.ledger.note("admin robot add", name)
    return _told(session, name)


@command()
def change(session: WriteSession, name: Userid, *, options: RobotOptions) -> Answer:
    """Change how a robot plays, from its next move on; running boards continue."""
    player, robot = _find(session, name)
    session.records.players.make_robot(player.id, options.changed(robot))
    session.ledger.note("admin robot change", player.userid)
    return _told(session, player.userid)


@command(can_rehearse=True)
def remove(session: WriteSession, name: Userid) -> Answer:
    """Close a robot's account: its running boards are resigned; admin reopen restores it."""
    player, _ = _find(session, name)
    if player.status is not PlayerStatus.ACTIVE:
        raise Refused(f"{player.name} has already been removed.", code="no-such-player")
    return closed(session, player, "admin robot remove", f"{player.name} is removed.")


@command()
def list_robots(session: ReadSession) -> Answer:
    """List the robots: how each plays, which games, and how many boards wait for it."""
    found = session.records.players.robots()
    robots = [(player, robot) for player in found if (robot := player.robot)]
    documents = [_document(session, player, robot) for player, robot in robots]
    heads = ("robot", "played by", "games", "rated", "running boards", "waiting for it")
    rows = tuple(
        (
            *(player.userid, robot.words, ", ".join(robot.games)),
            *("yes" if robot.is_rated else "no", str(row["running"]), str(row["waiting"])),
        )
        for row, (player, robot) in zip(documents, robots, strict=True)
    )
    empty = "No robots. Add one with: pbmserv admin robot add NAME -level=4"
    return Answer((Table(heads, rows, right=(4, 5), empty=empty),), {"robots": documents})


@command()
def show(session: ReadSession, name: Userid) -> Answer:
    """Show one robot and its running boards."""
    return _told(session, name)


def _told(session: ReadSession, userid: str) -> Answer:
    player, robot = _find(session, userid)
    lines = [f"{player.name} plays as {robot.words}: {', '.join(robot.games)}."]
    if robot.is_rated:
        lines.append("Its games against people are rated if the challenge says -rated.")
    if robot.level is None and player.userid.lower() not in value("robot_programs"):
        lines.append(
            f"The settings file has no program for it yet: robot_programs.{player.userid.lower()} "
            "(see pbmserv help robots)."
        )
    running = session.records.matches.summaries(player_ids=[player.id], selector="active")
    document = _document(session, player, robot) | {"matches": list(map(summary_document, running))}
    tables = [summary_table(running, with_game=True)] if running else []
    return Answer(("\n".join(lines), *tables), document)


def _document(session: ReadSession, player: Player, robot: Robot) -> dict[str, Any]:
    running = set(session.records.matches.running_of(player.id))
    waiting = session.records.robots.waiting(session.now)
    return {
        "userid": player.userid,
        "level": robot.level,
        "games": list(robot.games),
        "rated": robot.is_rated,
        "running": len(running),
        "waiting": sum((turn.game, turn.number) in running for turn in waiting),
    }


def _find(session: ReadSession, userid: str) -> tuple[Player, Robot]:
    player = find_account(session, userid)
    if player.robot is None:
        raise Refused(
            f"{player.userid} is not a robot.",
            code="no-robot",
            hint="See: pbmserv admin robot list",
        )
    return player, player.robot

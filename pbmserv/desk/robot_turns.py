"""The robots' turns: taken from the list, thought about outside of every lock, made by the door.

A turn is made only if the board is as it was when the thinking began: a race that was lost is
dropped, and the board is on the list again. Whoever dies while thinking loses nothing: what they
had taken is free again when their lease is over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.agreement import parse_result
from pbmserv.club.letter import Letter
from pbmserv.club.match import Match, Offer, OfferKind
from pbmserv.club.player import Player
from pbmserv.commands.answer import Answer, join_answers
from pbmserv.commands.grammar import Call
from pbmserv.commands.parse import parse
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.desk.match_letters import combined_letters
from pbmserv.desk.request import CommandRun, Request
from pbmserv.engine.games import shell_name
from pbmserv.errors import Fault, PbmservError, Refused
from pbmserv.services.ledger import PrecedingNews
from pbmserv.services.session import Source, WriteSession
from pbmserv.store.matches.robot_queue import RobotTurn
from pbmserv.store.store import Records

if TYPE_CHECKING:
    from pbmserv.desk.door import Desk

Words = tuple[str, ...]


class RobotTask(NamedTuple):
    """A board that waits for a robot."""

    match: Match
    robot: Player

    @property
    def level(self) -> Level | None:
        """The level at which to think, or None for a program."""
        number = self.robot.robot.level if self.robot.robot else None
        return None if number is None else LEVELS[number - 1]

    @property
    def offer(self) -> Offer | None:
        """The opponent's offer, which is answered before the move."""
        made = self.match.offer
        return made if made is not None and made.player_id != self.robot.id else None


@dataclass
class RobotReport:
    """The number of turns made, and the problems."""

    moves: int = 0
    problems: list[str] = field(default_factory=list)


class RobotRun(CommandRun):
    """The turn of a robot, which needs no signature."""

    is_alone = False

    def __init__(self, task: RobotTask, call: Call, told: PrecedingNews | None) -> None:
        super().__init__(Request((), Source.ROBOT), call, values=call.values)
        self.robot, self.told = task.robot, told

    def sign(self, records: Records, call: Call) -> Player | None:
        """Return the robot as it is now."""
        del call
        self.player = records.players.get(self.robot.id)
        return self.player

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters, which tell what the robot answers to too if nobody was told yet."""
        del call, answer
        return combined_letters(session, self.told) if session.writes_letters() else ()


def reply_at_once(desk: Desk, key: tuple[str, int], told: PrecedingNews) -> Answer | None:
    """Make the turn of a robot that needs no time for it, and return its answer.

    Who needs more leaves the turn to others, and says so; None if somebody was faster.
    """
    with desk.store.reading() as records:
        task = _task(records, *key, desk.world.now())
    if task is None:
        return None
    if not _is_quick(task):
        game, number = key
        look = f"Look again later with: {shell_name(game)} show {number}"
        return Answer((f"{task.robot.name} is thinking. {look}",), {})
    return _act(desk, task, _decide(desk, task), told)


def play_due_turns(desk: Desk, seconds: float | None = None) -> RobotReport:
    """Make the turns that are due, until there are none or the time is over."""
    report = RobotReport()
    begun = time.monotonic()
    while seconds is None or time.monotonic() - begun < seconds:
        turn = desk.with_retries(_claim, desk)
        if turn is None:
            break
        try:
            report.moves += _play(desk, turn)
        except Exception as error:  # noqa: BLE001 - one board must not hold up the others
            report.problems.append(_note_failure(desk, turn, error))
    return report


def _claim(desk: Desk) -> RobotTurn | None:
    now = desk.world.now()
    with desk.store.reading() as records:
        if not records.robots.has_due(now):
            return None
    with desk.store.writing() as records:
        return records.robots.claim(now)


def _play(desk: Desk, turn: RobotTurn) -> bool:
    """Think about a turn that was taken and make it; tell whether it could be made."""
    with desk.store.reading() as records:
        task = _task(records, turn.game, turn.number, desk.world.now())
    if task is None or task.match.revision != turn.revision:
        return False
    lines = _decide(desk, task)
    return desk.with_retries(_act, desk, task, lines, None) is not None


def _task(records: Records, game: str, number: int, now: int) -> RobotTask | None:
    """Return the board with its robot, if it is a robot's that may act to act there."""
    match = records.matches.find(game, number)
    seat = match.robot_to_act(now) if match is not None else None
    if match is None or seat is None:
        return None
    robot = records.players.get(seat.player_id)
    return RobotTask(match, robot) if robot.robot and robot.suspended_at is None else None


def _is_quick(task: RobotTask) -> bool:
    if task.offer is not None:
        return True
    if task.level is None:
        return False
    from pbmserv.computer.levels import is_quick

    return is_quick(task.match.game, task.match.position, task.level)


def _decide(desk: Desk, task: RobotTask) -> list[Words]:
    """Return what the robot does, as the words behind ``move``; nothing is locked meanwhile."""
    match = task.match
    if task.offer is not None:
        return _answer(task, task.offer)
    if task.level is None:
        from pbmserv.desk.robot_programs import ask_program

        move = ask_program(match.record, desk.programs().get(task.robot.userid.lower()))
    else:
        from pbmserv.computer.levels import choose

        # Another revision is another seed: after an undo it may think of something else.
        seed = match.id << 16 | match.revision
        move = choose(match.game, match.position, task.level, seed).move
    return [("resign",) if move is None else (move.text,)]


def _answer(task: RobotTask, made: Offer) -> list[Words]:
    """Return the answer to an offer: what cannot be escaped is accepted, and a favour unrated."""
    from pbmserv.computer.levels import accepts

    match, robot = task.match, task.robot
    if made.kind is OfferKind.UNDO:
        return [("reject",) if match.is_rated else ("accept",)]
    winner = None
    if made.kind is OfferKind.RESULT:
        winner = parse_result(made.result, match.game).winner
    if not accepts(match.game, match.position, match.side_of(robot.id), winner):
        return [("reject",)]
    return [tuple(filter(None, ("accept", made.result)))]


def _act(
    desk: Desk, task: RobotTask, lines: Sequence[Words], told: PrecedingNews | None
) -> Answer | None:
    """Play the decided turn if the board is unchanged; return the answer, else None.

    Raises :class:`Refused`, which is audited, for what the rules do not allow.
    """
    match = task.match
    key = match.game.name, match.number
    calls = [parse(desk.tree, (key[0], "move", *w), given={"number": key[1]}) for w in lines]
    answer = None
    with desk.store.writing() as records:
        found = records.matches.find(*key, lock=True)
        if found is None or found.revision != match.revision:
            return None
        try:
            for call in calls:
                done = desk.execute(records, RobotRun(task, call, told))
                answer = done if answer is None else join_answers(answer, done)
                told = desk.awaited.pop(key, None)
        except Refused as error:
            refusal = error
        else:
            records.robots.done(match.id)
            if told is not None:
                desk.awaited[key] = told
            return answer
    raise refusal


def _note_failure(desk: Desk, turn: RobotTurn, error: Exception) -> str:
    """Note what went wrong with a turn and have it tried later; return that in words."""
    words = error.message if isinstance(error, PbmservError) else type(error).__name__
    code = error.code if isinstance(error, PbmservError) else "defect"
    if isinstance(error, Fault) and error.is_transient:
        code = "busy"

    def note() -> None:
        with desk.store.writing() as records:
            records.robots.failed(turn, desk.world.now())
            records.audit.add(
                at=desk.world.now(),
                source=Source.ROBOT.value,
                player_id=None,
                match_id=turn.match_id,
                verb="robot",
                detail="",
                outcome=code,
            )

    desk.with_retries(note)
    return f"{turn.game} {turn.number}: {words}"

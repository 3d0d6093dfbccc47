"""A board of the server at the screen: everything goes through the one door, as ``me``."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from pbmserv.board.course import Course, positions_after
from pbmserv.board.hosts import Host
from pbmserv.board.play_session import Wish
from pbmserv.club.player import marked
from pbmserv.engine.games import find_game
from pbmserv.engine.position import SWAP, Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.errors import Refused
from pbmserv.render.view import closing_words
from pbmserv.render.wording import moment_words, span_words

Document = Mapping[str, Any]


class Door(Protocol):
    """How the board reaches the server, for whoever is signed in."""

    def ask(self, words: Sequence[str]) -> Document:
        """Have a command carried out and return its document; raises :class:`PbmservError`."""

    def pulse(self, game: str, number: int) -> tuple[int, int]:
        """Return what differs after each change of a board; raises :class:`PbmservError`."""

    def chances(self, game: str, number: int) -> tuple[float, ...]:
        """Return the chances of X that were found at each move of a board, if they are kept."""


class ServerBoard(NamedTuple):
    """A board of the server: the game's name and the number."""

    game: str
    number: int


class ServerHost(Host):
    """A board of the server, seen by the player who is signed in."""

    is_slow = True

    def __init__(self, door: Door, place: ServerBoard) -> None:
        """Look at the board; raises :class:`PbmservError` where that cannot be."""
        self.door = door
        self.place = place
        self.userid: str = door.ask(["whoami"])["userid"]
        self._course = self._read()

    def course(self) -> Course:
        """Return the game as it was read last."""
        return self._course

    def look(self) -> Course | None:
        """Return the game if it was changed or something was said since, else None."""
        if self.door.pulse(*self.place) == self._course.look:
            return None
        self._course = self._read()
        return self._course

    def fulfil(self, wish: Wish) -> str:
        """Send what is wished, and read what came of it."""
        if wish.verb == "next":
            self.place = self._next()
        elif wish.verb != "look":
            self.door.ask(self._words(wish))
        self._course = self._read()
        return NOTES.get(wish.verb, "").format(text=wish.text)

    def record(self) -> Record:
        """Return the record of the game as it was read last."""
        course = self._course
        texts = tuple(move.text for move in course.moves)
        board = str(self.place.number)
        return Record(course.game, course.first, course.second, texts, course.outcome, board=board)

    def _words(self, wish: Wish) -> list[str]:
        """Return the command for a wish; a move says which one it is, against crossed ones."""
        game, number, me = self.place.game, str(self.place.number), "me"
        match wish.verb:
            case "say":
                return [game, "chat", number, me, f"--text={wish.text}"]
            case "plan":
                return [game, "queue", number, me, *wish.text.split()]
            case "move":
                ply = len(self._course.moves) + 1
                return [game, "move", number, me, f"{wish.text}#{ply}"]
        text = f"propose {wish.text}" if wish.verb == "propose" else wish.text or wish.verb
        return [game, "move", number, me, *text.split()]

    def _next(self) -> ServerBoard:
        """Return the next board where it is the player's turn; raises :class:`Refused`."""
        found = self.door.ask(["all", "show", "me", "next"])["matches"]
        others = [ServerBoard(row["game"], row["board"]) for row in found]
        others = [place for place in others if place != self.place]
        if not others:
            raise Refused("It is your turn at no other board.", code="no-board")
        return next((place for place in sorted(others) if place > self.place), min(others))

    def _read(self) -> Course:
        # The pulse before the board: what comes between is read again, never missed.
        look = self.door.pulse(*self.place)
        shown = self.door.ask([self.place.game, "showas", "me", str(self.place.number)])
        course = course_of_document(shown, self.userid, look)
        return course if course.mine else replace(course, chances=self.door.chances(*self.place))


NOTES = {
    "say": "Said.",
    "propose": "Proposed.",
    "undo": "Asked to take the last move back.",
    "plan": "Planned: {text}",
    "next": "This is the next board.",
    "reject": "Rejected.",
}
"""What is told when a wish was done; a move is seen."""


def course_of_document(shown: Document, userid: str, look: tuple[int, int]) -> Course:
    """Return a board as the player with this userid sees it, from what ``showas`` tells."""
    kind = find_game(shown["game"])
    game = kind(**shown["options"])
    moves = tuple(game.parse_move(text) for text in shown["moves"])
    names = [shown["players"][side.value] for side in Side]
    first, second = names[::-1] if SWAP in moves else names
    is_running = shown["status"] == "running"
    mine = {side for side in Side if shown["players"][side.value] == userid and is_running}
    outcome = None if is_running else outcome_of(shown)
    offer, answers = offer_words(shown, userid)
    return Course(
        game,
        f"{game.title} Board {shown['board']}",
        first,
        second,
        moves,
        positions_after(game, moves),
        mine=frozenset(mine),
        outcome=outcome,
        closing=closing_words(outcome, shown["players"]),
        is_stored=True,
        may_think=not is_running,
        offer=offer,
        answers=answers,
        beside=(*beside_lines(shown), *(f"{name} is a computer" for name in shown["robots"])),
        said=tuple(f"{said['by']}: {said['text']}" for said in shown["remarks"] or ()),
        look=look,
        document=shown,
    )


def offer_words(shown: Document, userid: str) -> tuple[str, str]:
    """Return what is offered in a sentence, and the words that accept it, none for its maker."""
    made = shown["offer"]
    if made is None:
        return "", ""
    result = made["result"] or ""
    what = {"draw": "a draw", "undo": "to take back the last move"}.get(made["kind"], result)
    by_me = made["by"] == userid
    maker = marked(made["by"], is_robot=made["by"] in shown["robots"])
    who = "You offer" if by_me else f"{maker} offers"
    return f"{who} {what}", "" if by_me else f"accept {result}".strip()


def outcome_of(shown: Document) -> Outcome:
    """Return how the game ended."""
    winner = Side(shown["winner"]) if shown["winner"] else None
    agreed = shown["agreed"]
    points = {side: agreed[side.value] for side in Side} if agreed else None
    return Outcome(winner, Reason(shown["reason"] or Reason.REMOVED.value), points)


def beside_lines(shown: Document) -> list[str]:
    """Return clocks and plans in lines."""
    lines = []
    if shown["time"]:
        used = shown["time"]["used"]
        lines.append(f"Time used: {', '.join(f'{s} {span_words(used[s])}' for s in Side)}")
    if shown["deadline"] is not None and shown["to_move"]:
        who = shown["players"][shown["to_move"]]
        left = shown["deadline"] - int(time.time())
        ends = f"{span_words(left)} left" if left > 0 else "overdue"
        lines.append(f"{who} must move by {moment_words(shown['deadline'])}: {ends}")
    number = str(shown["board"])
    if plan := shown["plans"].get(number):
        lines.append(f"Your plan: {plan}")
    if text := shown["submitted"].get(number):
        lines.append(f"You have submitted {text}")
    return lines


def board_rows(door: Door) -> list[tuple[str, Wish]]:
    """Return the running boards of the player, those that wait for them first."""
    userid = door.ask(["whoami"])["userid"]
    found = door.ask(["all", "show", "me", "active"])["matches"]
    rows = []
    for row in found:
        place = f"{row['game']} {row['board']}"
        title = f"{find_game(row['game']).title} Board {row['board']}"
        userids = [row["players"][side.value] for side in Side]
        players = " - ".join(marked(each, is_robot=each in row["robots"]) for each in userids)
        is_mine = row["players"].get(row["to_move"]) == userid
        turn = "your turn" if is_mine else ""
        words = f"{title:<20} {turn:<10} move {row['ply']:<4} {players}"
        rows.append((not is_mine, words, Wish("open", place)))
    return [(words, wish) for _, words, wish in sorted(rows)]

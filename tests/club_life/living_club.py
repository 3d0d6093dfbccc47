"""A club on a virtual clock: players who act at random, and a simple model of what must come out.

The model knows only what the players were told: the moves that were accepted, in order, the plans
that each of them made, and how many things happened that letters must have been written about.
A part of what they want is sent by mail, which may be lost or come again; the server is started
anew now and then. What it writes is only counted: whether a letter gets through changes nothing.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from pbmserv.club.clock import ClockEventKind
from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.mail_desk import DONE, DUPLICATE, receive
from pbmserv.desk.tick import tick
from pbmserv.engine.games.star import Star
from pbmserv.errors import Refused
from pbmserv.store.store import Store
from tests.local_server import CheapPasswords, LocalServer

from .unreliable_mail import Deed, Envelope, Post

DAY = 86_400
LIMITS = "-nagtime=1 -forfeittime=4"
DEEDS: tuple[str, ...] = ("move",) * 12 + ("queue",) * 5 + ("vote",) * 3 + ("challenge",) * 3
DEEDS += ("leave", "back", "resign", "look", "look", "clear")
BY_MAIL = 0.4
RESTARTS = 0.06
"""Before how many of the deeds the server is started anew."""

CELLS_AND_WORDS = (*Star(size=3).board.names, "pass", "swap")


@dataclass
class Board:
    """What the players know of a board."""

    players: tuple[str, str]
    moves: list[str] = field(default_factory=list)
    is_over: bool = False


@dataclass
class Club:
    """The players, their boards, and all that has happened."""

    local: LocalServer
    chance: Random
    players: list[str]
    boards: dict[int, Board] = field(default_factory=dict)
    plans: dict[tuple[int, str], str] = field(default_factory=dict)
    planners: set[tuple[int, str]] = field(default_factory=set)
    news: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    post: Post = field(init=False)
    mailed: dict[tuple[str, str], str] = field(default_factory=dict)
    """How each mail ended that arrived, by its sender and its key."""

    def __post_init__(self) -> None:
        self.post = Post(self.chance)

    def open(self) -> None:
        """Sign everybody up, each with one address, which is trusted for it comes by a shell."""
        self.restart()
        for userid in self.players:
            self.local.do(f"signup {userid} secret-{userid} {userid}@example.org")

    def restart(self) -> None:
        """Go on as a new process would, which has nothing but the database."""
        local = self.local
        local.desk.close()
        local.passwords = CheapPasswords()
        local.desk = Desk(
            lambda: Store.open(local.url),
            TimeAndChance(now=local.clock.now, sleep=local.clock.sleep),
            passwords=local.passwords,
            writes_letters=lambda: True,
            vacation_days=lambda: 3,
        )
        self.counts["restart"] += 1

    def live(self, days: int, acts_a_day: int) -> None:
        """Let days pass: the server ticks every six hours, but sleeps for ten days once."""
        asleep = range(days // 2, days // 2 + 10)
        for day in range(days):
            for _ in range(4):
                self.local.clock.seconds += DAY // 4
                if day not in asleep:
                    self.tick()
                for _ in range(acts_a_day // 4):
                    self.act()
        while self.post.under_way:
            self._deliver()

    def tick(self) -> None:
        """Tick, and see that nobody who is away has lost by it."""
        away = self._away()
        running = [number for number, board in self.boards.items() if not board.is_over]
        report = tick(self.local.desk)

        assert report.problems == []
        self.counts.update({kind.value: n for kind, n in report.events.items()})
        if report.events[ClockEventKind.RAN_OUT]:
            self._see_forfeits(running, away)

    def act(self) -> None:
        """Let the post come, and somebody do something, which may be refused."""
        if self.chance.random() < RESTARTS:
            self.restart()
        self._deliver()
        userid = self.chance.choice(self.players)
        kind = self.chance.choice(DEEDS)
        own = [n for n, b in self.boards.items() if userid in b.players and not b.is_over]
        if kind == "challenge" or not own:
            self._challenge(userid)
        elif kind == "look":
            self._look(self.chance.choice(own))
        else:
            deed = self._deed(kind, userid, own)
            if self.chance.random() < BY_MAIL:
                self.post.send(deed)
            else:
                self._command(deed)

    def _deed(self, kind: str, userid: str, own: list[int]) -> Deed:
        """Return what the player wants, on one of his boards unless it is about himself."""
        if kind in {"leave", "back"}:
            return Deed(kind, userid, "off" if kind == "back" else str(self.chance.randint(1, 3)))
        match kind:
            case "clear":
                words = "none"
            case "queue":
                words = self._words()
            case "vote":
                words = self.chance.choice(["propose", "undo", "undo 2", "accept", "reject"])
            case "resign":
                words = "resign"
            case _:
                words = self._cell()
        return Deed(kind, userid, words, self.chance.choice(own))

    def _command(self, deed: Deed) -> None:
        try:
            answer = self.local.do(deed.line).document
        except Refused as refused:
            self._after_refusal(refused.code)
        else:
            self.counts[deed.kind] += 1
            self._learn(deed)
            if "moves" in answer:
                assert answer["moves"] == self.boards[deed.board].moves

    def _deliver(self) -> None:
        """Hand in what the post brings: whatever came before does nothing."""
        for envelope in self.post.arriving():
            outcome = receive(self.local.desk, envelope.mail)
            name = _name(envelope)
            is_new = name not in self.mailed

            assert is_new == (outcome != DUPLICATE)
            if not is_new:
                self.counts["came again"] += 1
                continue
            self.mailed[name] = outcome
            if outcome == DONE:
                self.counts[f"{envelope.deed.kind} by mail"] += 1
                self._learn(envelope.deed)
            else:
                self._after_refusal(outcome)

    def _challenge(self, userid: str) -> None:
        other = self.chance.choice([name for name in self.players if name != userid])
        answer = self.local.do(f"star challenge -size=3 {LIMITS} {userid} {other}")
        self.boards[answer.document["board"]] = Board((userid, other))
        self.counts["challenge"] += 1
        self.news += 1

    def _learn(self, deed: Deed) -> None:
        """Note what was accepted, having seen that it is what was asked for and no more."""
        if not deed.board:
            return
        board, shown = self.boards[deed.board], self.local.show(deed.board)
        before, after = board.moves, shown["moves"]
        match deed.kind:
            case "queue" | "clear":
                self.plans[deed.board, deed.userid] = "" if deed.kind == "clear" else deed.words
                self.planners.add((deed.board, deed.userid))

                assert after[: len(before)] == before
                if after == before:
                    return
            case "vote":
                assert after == before[: len(after)]
            case _:
                made = [deed.words] if deed.kind == "move" else []

                assert after[: len(before) + len(made)] == before + made
        self.news += 1
        board.moves = list(after)
        board.is_over = shown["status"] != "running"

    def _look(self, number: int) -> None:
        """See that a player finds his own plan and never another's."""
        self.counts["look"] += 1
        for reader in self.boards[number].players:
            answer = self.local.do(f"star showas {reader} secret-{reader} {number}")
            shown = answer.document["plans"].get(str(number))

            assert shown is None or shown in self.plans.get((number, reader), "")
        stranger = self.chance.choice(self.players)
        if stranger not in self.boards[number].players:
            text = self.local.text(f"star showas {stranger} secret-{stranger} {number}")

            assert "plan" not in text
        assert "plan" not in self.local.text(f"star show {number}")

    def _after_refusal(self, code: str) -> None:
        """A board that is refused as over ended by its clock, before the command."""
        self.counts[f"refused {code}"] += 1
        if code == "game-over":
            self._see_forfeits([n for n, b in self.boards.items() if not b.is_over], {})

    def _see_forfeits(self, numbers: list[int], away: dict[str, int]) -> None:
        for number in numbers:
            shown = self.local.show(number)
            board = self.boards[number]
            if shown["status"] == "running":
                continue
            board.is_over = True

            assert shown["moves"] == board.moves
            if shown["reason"] == "forfeit":
                loser = shown["players"]["O" if shown["winner"] == "X" else "X"]
                assert away.get(loser, 0) <= self.local.clock.seconds

    def _away(self) -> dict[str, int]:
        """Return until when each player is away who is on a vacation now."""
        from pbmserv.store.tables import absence, player

        now = self.local.clock.seconds
        with self.local.desk.store.reading() as records:
            rows = records.connection.execute(
                player.join(absence)
                .select()
                .where(absence.c.start_at <= now, absence.c.end_at > now)
                .with_only_columns(player.c.userid, absence.c.end_at)
            )
            return {row.userid: row.end_at for row in rows}

    def _cell(self) -> str:
        return self.chance.choice(CELLS_AND_WORDS)

    def _words(self) -> str:
        if self.chance.random() < 0.4:
            return f"{self._cell()}:{self._cell()}"
        return " ".join(self._cell() for _ in range(self.chance.randint(1, 3)))


def _name(envelope: Envelope) -> tuple[str, str]:
    """Return what tells a mail from any other: Message-IDs are told apart by player."""
    return envelope.deed.userid, envelope.mail.key

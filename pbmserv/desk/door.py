"""The door: one function, :meth:`Desk.execute`, through which every change goes.

The words are parsed before a database is touched. The password is checked before the write lock
is taken, and inside the transaction the stored hash is compared once more; a password that this
process has checked before is only compared. A refusal rolls back to a savepoint, so that all it
leaves behind is its line in the audit. Letters about what was done are posted in the same
transaction.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from pbmserv.club.vacation import DAYS_A_YEAR
from pbmserv.club.written_text import CUT
from pbmserv.commands.answer import Access, Answer, join_answers, with_operator
from pbmserv.commands.command_table import GAME, root
from pbmserv.commands.grammar import Call, Group, ShortAnswer
from pbmserv.commands.parse import answer_call, parse
from pbmserv.commands.types import NewSecret, Secret, SignedInUser
from pbmserv.desk.identity import (
    PasswordNotCached,
    cached_signer,
    check_password,
    find_me,
    find_signer,
    reload_signer,
    require_match,
    wrong_login,
)
from pbmserv.desk.passwords import Passwords
from pbmserv.desk.request import CommandRun, DryRun, Request, Signature, anonymous, letters_about
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import CarriedOut, Denied, Fault, Refused
from pbmserv.services.ledger import Ledger, PrecedingNews
from pbmserv.services.session import DEFAULT_ROBOT_BOARDS, ReadSession, Source, WriteSession

if TYPE_CHECKING:
    from pbmserv.club.clock import ClockEvent
    from pbmserv.club.notices import Notice
    from pbmserv.club.player import Player
    from pbmserv.desk.robot_programs import Program
    from pbmserv.store.people.players import Signer
    from pbmserv.store.store import Records, Store

TRIES = 4
"""How often a transaction that conflicts with another one is tried before it is refused."""

PAUSE = 0.05
"""Most seconds before the second try; the bound grows by as much with each further one."""

P = ParamSpec("P")
T = TypeVar("T")


def _chance() -> float:
    import random

    return random.random()  # noqa: S311 - for fairness and pauses, never for secrets


class TimeAndChance(NamedTuple):
    """Time and chance as the door sees them; tests put their own in their place.

    ``now`` gives whole seconds since 1970, UTC, ``chance`` a number from 0 to 1, and ``sleep``
    waits for so many seconds. Secrets are not made here: a password's salt comes from its library,
    a reply token from the signing keys.
    """

    now: Callable[[], int] = lambda: int(time.time())
    chance: Callable[[], float] = _chance
    sleep: Callable[[float], object] = time.sleep


def require_not_suspended(player: Player) -> None:
    """Raise :class:`Denied` if the operator has suspended this player."""
    if player.suspended_at is not None:
        raise Denied(
            "Your account is suspended.",
            code="suspended",
            hint="Nothing was changed. Ask the operator of this server.",
        )


def add_notices(session: ReadSession, answer: Answer) -> Answer:
    """Return the answer with the player's unread news, if a shell may show it."""
    if session.source is not Source.SHELL or session.viewer is None:
        return answer
    unread = session.records.notices.unread(session.viewer.id) if session.has_news else ()
    return answer._replace(notices=tuple(unread))


@dataclass
class Desk:
    """Takes requests, in any order and number, and answers each by itself.

    ``open_store`` is called once, when a request first needs the database. ``writes_letters`` tells
    whether mail is set up: players are then told by letter what happens at their boards.
    ``programs`` are those that play for robots, by userid in lower case.
    ``vacation_days``, ``max_robot_boards`` and ``operator`` are asked for only when they matter.
    """

    open_store: Callable[[], Store]
    world: TimeAndChance = field(default_factory=TimeAndChance)
    tree: Group = field(default_factory=root)
    passwords: Passwords = field(default_factory=Passwords)
    writes_letters: Callable[[], bool] = bool
    own_address: Callable[[], str] = str
    operator: Callable[[], str | None] = str
    vacation_days: Callable[[], int] = lambda: DAYS_A_YEAR
    max_robot_boards: Callable[[], int] = lambda: DEFAULT_ROBOT_BOARDS
    programs: Callable[[], Mapping[str, Program]] = dict
    awaited: dict[tuple[str, int], PrecedingNews] = field(default_factory=dict)
    """The boards at which a robot has to answer, by game and number, with what was done there."""
    calls: list[Call] = field(default_factory=list)
    boards: dict[tuple[str, int], None] = field(default_factory=dict)
    """The commands since :meth:`take_trail`, done and refused, and the boards with news of them."""
    _used_key: int | None = None
    signer: Player | None = None
    """The player who signed the last command, if anybody did."""

    @cached_property
    def store(self) -> Store:
        """The database, opened when it is first needed."""
        return self.open_store()

    @property
    def is_open(self) -> bool:
        """Whether the database was needed."""
        return "store" in self.__dict__

    def close(self) -> None:
        """Let the database go."""
        if self.is_open:
            self.__dict__.pop("store").close()

    def handle(self, request: Request) -> Answer:
        """Do a request and return its answer; raises :class:`Refused` or :class:`Fault`."""
        return self.perform(request, self.understand(request))

    def understand(self, request: Request) -> Call:
        """Return the parsed words without touching a database; raises :class:`Misunderstood`."""
        return parse(self.tree, request.words, request.ask_password)

    def is_whole(self, text: str) -> bool:
        """Tell whether a line is a whole command, and no short answer to a letter of ours."""
        from pbmserv.desk.polite_moves import read_move

        head = text.partition(" ")[0].lower()
        if read_move(text) is not None:
            return False
        if head in self._first_words:
            return not self.switches_off(text)
        # To know the other names of games is to load them all: not for what is no game anyway.
        return head not in GAME and head in self._other_names

    def may_mean(self, text: str) -> bool:
        """Tell whether a Subject may be meant as a short answer to a letter, if with a slip."""
        head = text.partition(" ")[0].lower().rstrip(".,:!?")
        return head in {"pass", "propose", "undo", *GAME} or any(map(str.isdigit, text))

    def switches_off(self, text: str) -> bool:
        """Tell whether a line is the short answer to a notice: ``digest off``, ``block bob``."""
        name, *rest = text.lower().split() or [""]
        entry = self.tree.table.get(name)
        is_switch = entry is not None and entry.by_mail.short_answer is ShortAnswer.OFF
        return is_switch and len(rest) == 1

    @cached_property
    def _first_words(self) -> frozenset[str]:
        """Every word with which a command begins but other names of games, in lower case."""
        return frozenset((*self.tree.known_words(), "multiple"))

    @cached_property
    def _other_names(self) -> frozenset[str]:
        return frozenset(alias for name in game_names() for alias in find_game(name).aliases)

    def perform(self, request: Request, call: Call) -> Answer:
        """Execute a parsed command; raises as :meth:`handle` does."""
        self.signer = None
        if call.access is Access.SHELL:
            raise Denied(
                "This command works on the command line only.",
                code="shell-only",
                hint="Run it in a shell on the server's machine.",
            )
        # Without a session a command takes whoever asks for the shell, which may write files.
        if call.access is Access.NOTHING and request.source is Source.SHELL:
            return with_operator(answer_call(call, None, call.values), self.operator)
        self.awaited.clear()
        self.calls.clear()
        self.boards.clear()
        answer = self.with_retries(self._transact, request, call)
        if self._used_key is not None:
            self._note_use(self._used_key)
        return self.answer_robots(answer) or answer

    def take_trail(self, *calls: Call) -> dict[str, Any]:
        """Return what there was since it was last taken, for a log, with what ``calls`` asked for.

        These are commands, boards, and the numbers of the letters that were posted.
        """
        done = [*calls, *self.calls]
        boards = [*filter(None, (call.match_key for call in done)), *self.boards]
        posted = self.store.posted if self.is_open else deque[int]()
        found = {
            "command": ",".join(dict.fromkeys(c.path.removeprefix("pbmserv ") for c in done)),
            "board": ",".join(dict.fromkeys(f"{game}/{number}" for game, number in boards)),
            "letters": list(posted),
        }
        for part in (self.calls, self.boards, posted):
            part.clear()
        return found

    def note_told(self, notices: Iterable[Notice]) -> None:
        """Note that a shell has told of these notices."""
        with suppress(Fault), self.store.writing() as records:
            records.notices.told(notices, self.world.now())

    def _note_use(self, key: int) -> None:
        """Note that the key was used by which ``me`` was found, where that is due.

        Once a day that takes a transaction of its own, so that looking needs none that writes.
        """
        # What was asked for is done, also where nothing can be written.
        with suppress(Fault), self.store.writing() as records:
            records.signin_keys.used(key, self.world.now())
        self._used_key = None

    def _session(
        self, request: Request, records: Records, player: Player | None, *, has_news: bool = True
    ) -> WriteSession:
        """Return what a command may use while it runs, of which one that looks sees a part.

        Raises :class:`Denied` where the player who signs is suspended.
        """
        if player is not None:
            self.signer = player
            require_not_suspended(player)
        return WriteSession(
            request.source,
            self.world.now(),
            records,
            self.vacation_days,
            player,
            lambda records: self._find_me(request, records).player,
            has_news,
            ledger=Ledger(),
            sender=request.sender,
            read_body=request.body,
            writes_letters=self.writes_letters,
            own_address=self.own_address,
            letters=letters_about,
            answers_now=request.answers_now,
            keys=request.keys,
            max_robot_boards=self.max_robot_boards,
            is_password_of=lambda word, each: self.passwords.verify(word, each.login_hash),
            key=request.key,
        )

    def _find_me(self, request: Request, records: Records) -> Signer:
        """Return the player that ``me`` means in the request; raises :class:`Denied`."""
        signer, used_key = find_me(records, request, self.world.now())
        require_not_suspended(signer.player)
        self._used_key = used_key or self._used_key
        return signer

    def _sign_as_me(self, request: Request, call: Call, records: Records) -> Signer:
        """Return the same for a call that they sign; the board is looked for first."""
        require_match(records, call)
        return self._find_me(request, records)

    def execute(self, records: Records, run: CommandRun) -> Answer:
        """Do one command in an open transaction, which is committed in any case.

        Signed first, then the clock that it would overtake, then the command with all that
        follows from it. Raises :class:`Refused` where nothing of it was done, which is audited.
        """
        try:
            call = run.understand()
            self.calls.append(call)
            player = run.sign(records, call)
            # What the clock of the match has due is done before all else.
            match_key = call.match_key if call.access is Access.CHANGE else None
            settled = match_key and self.settle_match(records, match_key, player)
            is_first = run.is_alone and not settled
            with records.undo_on_error() if is_first else records.savepoint():
                values = run.admit(call, player)
                request, has_news = run.request, run.has_news
                session = self._session(request, records, player, has_news=has_news)
                answer = add_notices(session, answer_call(call, session, values))
                if answer.is_page:
                    answer = with_operator(answer, self.operator)
                if session.ledger.was_cut and session.source is not Source.MAIL:
                    answer = answer._replace(content=(*answer.blocks, CUT))
                if call.is_rehearsal:
                    raise DryRun(answer)  # noqa: TRY301 - out of the savepoint, which undoes it
                session.record()
                held = self._await_robots(session)
                if letters := run.letters(session, call, answer):
                    records.outbox.post(letters, session.now, held=held)
        except Refused as error:
            key = run.request.key
            if key is not None and records.audit.has(key):
                raise CarriedOut from error  # what was done already is often refused now
            if run.is_worth_noting(error):
                self.record_refusal(records, run, error)
            raise
        except DryRun as dry_run:
            return dry_run.answer
        return answer

    def _await_robots(self, session: WriteSession) -> list[int]:
        """Note at which boards a robot has to answer a person now; return these matches."""
        ledger, found = session.ledger, []
        for news in ledger.news:
            match = news.match
            self.boards[match.game.name, match.number] = None
            if match.first.is_robot != match.second.is_robot and match.robot_to_act(session.now):
                key = match.game.name, match.number
                self.awaited[key] = PrecedingNews(news, ledger.comment, ledger.said_by)
                found.append(match.id)
        return found

    def answer_robots(self, answer: Answer | None = None) -> Answer | None:
        """Let robots that need no time reply to what was done; return the answer with it.

        What was asked for is done already: nothing that goes wrong here undoes it, or is told.
        """
        while self.awaited:
            from pbmserv.desk.robot_turns import reply_at_once

            key, told = self.awaited.popitem()
            try:
                reply = reply_at_once(self, key, told)
            except Exception:  # noqa: BLE001, S112 - whoever works off the list tries it again
                continue
            if answer is not None and reply is not None:
                answer = join_answers(answer, reply)
        return answer

    def settle_match(
        self, records: Records, match: tuple[str, int], toucher: Player | None = None
    ) -> tuple[ClockEvent, ...]:
        """Apply the events that this match's clock has due, with their audit and letters.

        ``toucher`` is a player who is about to change the match.
        """
        if records.matches.find_due(*match, self.world.now()) is None:
            return ()
        from pbmserv.services.clock_settlement import settle_due

        return settle_due(self.session_of_clock(records), *match, toucher)

    def session_of_clock(self, records: Records) -> WriteSession:
        """Return what is given to what time alone does."""
        return self._session(Request((), Source.CLOCK), records, None)

    def with_retries(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``act``, retrying if its transaction conflicts with another.

        A pause of random length comes between, lest the two meet again.
        """
        for attempt in range(1, TRIES):
            try:
                return act(*args, **kwargs)
            except Fault as fault:
                if not fault.is_transient:
                    raise
            self.world.sleep(self.world.chance() * attempt * PAUSE)
        return act(*args, **kwargs)

    def _transact(self, request: Request, call: Call, *, may_recall: bool = True) -> Answer:
        """Do what a call says in a transaction of its own, which only looks where that is enough.

        Who signs was found before where that is slow. A defect while the answer is drawn undoes
        what was done.
        """
        signature = self._signature(request, call, may_recall=may_recall)
        if call.access is not Access.CHANGE:
            with self.store.reading() as records:
                signer = signature(records)
                session = self._session(request, records, signer and signer.player)
                return add_notices(session, answer_call(call, session, call.values))
        run = self._run_of(request, call, signature)
        try:
            with self.store.writing(for_operators=True) as records:  # signing asks for maintenance
                try:
                    answer = self.execute(records, run)
                    return answer._replace(content=answer.blocks)
                except Refused as error:
                    refusal = error
        except PasswordNotCached:
            return self._transact(request, call, may_recall=False)
        raise refusal

    def _run_of(self, request: Request, call: Call, signature: Signature) -> CommandRun:
        """Return the run of a command that changes something."""
        if request.source is Source.WEB:
            from pbmserv.desk.web_desk import WebRun

            return WebRun(self, request, call, signature)
        return CommandRun(request, call, signature=signature, values=self.values_of(call))

    def _signature(self, request: Request, call: Call, *, may_recall: bool) -> Signature:
        """Return how the transaction finds who signs: as ``me``, by a password, or nobody.

        A password is checked here, for that takes long, unless it ``may`` be one that this process
        has checked before, which the transaction compares again.
        """
        password = call.params.get("password")
        if isinstance(password, SignedInUser):
            return partial(self._sign_as_me, request, call)
        if not isinstance(password, Secret):
            return anonymous
        if request.source is Source.WEB:
            from pbmserv.desk.web_desk import sign_in

            return partial(reload_signer, sign_in(self, request, call))
        known = self.passwords.remembered(password.value) if may_recall else None
        if known and call.access is Access.CHANGE:
            return partial(cached_signer, call, known)
        return partial(reload_signer, self._sign_in(request, call))

    def _sign_in(self, request: Request, call: Call) -> Player | None:
        """Return the player with this userid and password; each wrong guess waits for longer."""
        userid, now = call.params["userid"], self.world.now()
        try:
            with self.store.reading() as records:
                player = find_signer(records, call)
                pause = records.throttle.pause(userid, now, is_known=player is not None)
            if pause:
                self.world.sleep(pause)
            check_password(self.passwords, call, player)
        except Refused as error:
            with self.store.writing() as records:
                self.record_refusal(records, CommandRun(request, call), error)
                if error.code == wrong_login().code:
                    records.throttle.failed_in_shell(userid, now)
            raise
        if pause:
            with self.store.writing() as records:
                records.throttle.passed_in_shell(userid)
        return player

    def values_of(self, call: Call) -> dict[str, Any]:
        """Return what the command's function is given: no password, new ones only as a hash."""
        return {
            name: self.passwords.hash(value.value) if isinstance(value, NewSecret) else value
            for name, value in call.values.items()
        }

    def record_refusal(self, records: Records, run: CommandRun, error: Refused) -> None:
        """Record a refusal in the audit, by its code, never by its words."""
        call, player = run.call, run.player
        key = call.match_key if call else None
        records.audit.add(
            at=self.world.now(),
            source=run.request.source.value,
            player_id=player.id if player else None,
            match_id=records.matches.identity(*key) if key else None,
            verb=(call.verb.name or "") if call else "",
            detail="",
            outcome=error.code,
        )

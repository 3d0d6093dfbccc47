"""The desk for mail: one mail, one transaction, acted upon exactly once.

A mail goes through the stages of this file from the top down, of which each may end it, and each of
its lines through those of the door (:class:`MailLine`). The transaction holds the inbox row, what
the commands changed, and the letters that answer. Before it, outside of every lock, whole lines are
understood and their passwords checked, which is slow by intent. What a reply token stands for is
found in the transaction itself, which so reads it once.

A stranger is a sender whose address is on no account, and who has given no right password: most of
their mails are spam, and whoever forged their sender gets nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pbmserv.club.letter import CELLS, Letter
from pbmserv.club.player import ME, USERID, Player, may_be_password
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.command_table import GAME
from pbmserv.commands.grammar import Call, Group, MailSender, ShortAnswer
from pbmserv.commands.help import page
from pbmserv.commands.parse import parse
from pbmserv.commands.types import NewSecret, Secret, SignedInUser
from pbmserv.commands.words import OPTION, drop_marks, split_line, split_prose
from pbmserv.desk.identity import (
    check_password,
    find_signer,
    needs_password,
    reload_signer,
    require_few_passwords,
    wrong_login,
)
from pbmserv.desk.mail_answers import (
    ask_to_confirm,
    cause_of,
    confirm_address,
    find_asker,
    letters_of_line,
    post,
    refuse,
    require_few_commands,
    transcribe,
)
from pbmserv.desk.polite_moves import read_move
from pbmserv.desk.request import CommandRun, MailRequest, Request
from pbmserv.desk.unproven_addresses import prove_address
from pbmserv.engine.game import JOINT
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import HOUR, MINUTE
from pbmserv.errors import Denied, Misunderstood, NotFound, Postponed, Refused
from pbmserv.render.board_letters import Reader, cells_letter, example_move
from pbmserv.render.letter_board import LetterBoard
from pbmserv.render.picture import draw
from pbmserv.render.service_letters import CONFIRM
from pbmserv.services.session import Source, WriteSession, refuse_me
from pbmserv.store.mail.budgets import Purpose, Requester
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.people.guesses import MAIL_PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pbmserv.club.match import Match
    from pbmserv.desk.door import Desk
    from pbmserv.store.people.addresses import Address
    from pbmserv.store.store import Records

DONE, DUPLICATE, UNCONFIRMED, UNSUBSCRIBED = "done", "duplicate", "unconfirmed", "unsubscribed"
HELP, UNSUBSCRIBE = "help", "unsubscribe"

(UNNAMED,) = (n for n, e in GAME.items() if e.by_mail.short_answer is ShortAnswer.UNNAMED)
"""The command whose words stand alone in a short answer."""

ONE_WORD = re.compile(r"([a-z]+(?: [0-9-]+)?)\s?[.!]?", re.IGNORECASE | re.ASCII)
"""A word alone on its line, as a vote or a resignation is, with what it is about: ``undo 2``."""

UNSEEN = frozenset({"line-too-long", "struck-out", "no-text"})
"""Why the first line of an answer was not read."""

ASKED = re.compile(rf"{CELLS} ([\w*]{{1,3}})", re.IGNORECASE | re.ASCII)
CONFIRMED = re.compile(rf"{CONFIRM} ([0-9]{{1,9}})", re.IGNORECASE)

ANYONE = "anyone"

NEWEST = "Look at the newest mail of this board and answer that one."
UNRESIGNED = "You have not resigned. If you want to, answer this mail with resign."


@dataclass(repr=False)
class MailCase:
    """A mail and what is known of it by now: each stage may add to it."""

    desk: Desk
    mail: MailRequest
    turns: set[int]
    """The players whose passwords in this mail have had to wait for their turn, and have it."""
    now: int
    lines: list[MailLine] = field(default_factory=list)
    records: Records = field(init=False)
    holder: Player | None = None
    """The player whom the reply token proves, if the mail comes from their address."""
    signed: Player | None = None
    """The player who has proved to have sent it, by a password or by a reply token."""
    signer: Player | None = None
    """The same, or whoever signed the first line that was signed."""
    number: int | None = None
    """The number of its row in the inbox."""
    on_file: Sequence[Address] = ()
    """The sender's address, once for each player who has it."""
    asker: Reader | None = None
    """The recipient of the answers, or None for a stranger."""
    opened: int = 0
    """Boards that it has opened."""


def receive(desk: Desk, mail: MailRequest) -> str:
    """Execute the mail's commands, post the answers, and return the outcome.

    ``done``, ``verified``, ``unsubscribed``, ``duplicate``, ``unconfirmed`` for challenges that
    their sender is asked about, or the code of a refusal. Raises :class:`Fault` when nothing
    was recorded and the mail is to be tried again.
    """
    desk.awaited.clear()
    desk.take_trail()
    try:
        outcome = desk.with_retries(_judge, desk, mail, set())
    except _CameBeforeError:
        return DUPLICATE
    desk.answer_robots()
    return outcome


def _judge(desk: Desk, mail: MailRequest, turns: set[int]) -> str:
    """Take the mail through the stages, and return how it ended."""
    case = MailCase(desk, mail, turns, desk.world.now())
    prepare_lines(case)
    stages: tuple[Callable[[MailCase], str | None], ...] = (
        find_sender,
        ignore_stranger,
        enter,
        verify_address,
        find_asker,
        send_cells,
        read_lines,
        confirm_address,
        do_lines,
    )
    with desk.store.writing() as case.records:
        case.now = desk.world.now()
        outcome = next(filter(None, (stage(case) for stage in stages)))
        if case.number is not None and outcome != DONE:
            case.records.inbox.settle(case.number, outcome)
    return outcome


def prepare_lines(case: MailCase) -> None:
    """Understand and sign the lines up to the first that is refused, outside of every lock.

    Short ones are refused for everybody but the holder of the reply token.
    """
    mail, refusal = case.mail, case.mail.unread
    if mail.is_short and refusal is None:
        refusal = Denied(
            "This answer does not come from an address of the player that the mail was sent to.",
            code="not-your-token",
            hint="Answer from the address that the mail was sent to.",
        )
    if refusal is not None:
        case.lines = _refused_line(case, refusal)
        return
    case.lines = [MailLine(case, text) for text in mail.lines]
    for line in case.lines:
        line.prepare()
        if line.refusal is not None:
            break


def _refused_line(case: MailCase, refusal: Refused) -> list[MailLine]:
    """Return the one line of a mail that is refused as a whole."""
    line = MailLine(case)
    line.refusal = refusal
    return [line]


def find_sender(case: MailCase) -> None:
    """Find who has proved to have sent the mail, and whose its address is."""
    records, mail, proof = case.records, case.mail, case.mail.proof
    if proof is not None and (mail.unread is None or proof.match_id):
        player = records.players.at(mail.sender, proof.player_id)
        case.holder = player if player is not None and player.login_hash is not None else None
    signers = (line.player for line in case.lines if line.player is not None)
    case.signed = case.signer = case.holder or next(signers, None)
    case.on_file = records.addresses.holders(mail.sender)


def ignore_stranger(case: MailCase) -> str | None:
    """Return the outcome of a mail that is ignored, after counting it and its wrong passwords."""
    if case.signed is not None:
        return None
    # Refused ones too, though what was wrong with them then may be right by now.
    if case.records.inbox.has(STRANGER, case.mail.unsigned_key):
        return DUPLICATE
    came_before = _was_signed_before(case)
    if not came_before and _is_heard(case):
        return None
    for line in case.lines:
        _count_wrong_password(case, line)
    if came_before:
        return DUPLICATE
    refusal = next((line.refusal for line in case.lines if line.refusal is not None), None)
    reason = refusal.code if refusal is not None else "unknown-sender"
    case.records.ignored_mail.count(reason, case.now)
    return reason


def _was_signed_before(case: MailCase) -> bool:
    """Tell whether a mail that nobody signs is one that its sender signed when it came first.

    The password that it holds may have been changed since, by that very mail.
    """
    owners = {address.player_id for address in case.on_file}
    for call in (line.call for line in case.lines if line.call is not None):
        player = case.records.players.find(str(call.params.get("userid", "")))
        owners |= {player.id} if player is not None else set()
    return any(case.records.inbox.has(owner, case.mail.key) for owner in owners)


def _is_heard(case: MailCase) -> bool:
    """Tell whether a mail that nobody signed is looked at any further.

    It is if its address is on file. Of strangers a Subject is heard that is ``help`` and nothing
    else, ``help`` and a page that there is, a signup, or a reset, which nobody answers.
    """
    mail, first = case.mail, next(iter(case.lines), None)
    if case.on_file:
        return True
    if mail.unread is not None or first is None:
        return False
    if first.call is None:
        return not mail.is_multiple and _is_misspelt_signup(first.text)
    if first.call.verb.entry.by_mail.sender is not MailSender.ANYONE:
        return False
    if mail.is_multiple or first.call.path.rpartition(" ")[2] != HELP:
        return True
    return mail.is_bare and _is_page(case.desk.tree, first.text.split())


def _is_misspelt_signup(text: str) -> bool:
    """Tell whether somebody chose a userid and a password that cannot be, and is to be told so."""
    words = text.split()
    is_signup = len(words) == 3 and words[0].lower() == "signup"
    return is_signup and USERID.fullmatch(words[1]) is not None


def _is_page(tree: Group, words: Sequence[str]) -> bool:
    if words[0].lower() != HELP:
        return False
    try:
        topic, _ = page(tree, words[1:])
    except Refused:
        return False
    # A page that a word merely leads to is for people who sit before the program.
    return len(words) == 1 or topic.endswith(" ".join(words[1:]).lower())


def enter(case: MailCase) -> str | None:
    """Enter the mail in the inbox; one that is there already is a duplicate."""
    if case.mail.is_multiple and case.signed is None:
        return None  # one of its lines may sign it: it is entered when they are done
    arrival = _arrival(case, case.signed, DONE)
    case.number = case.records.inbox.take(arrival, case.mail.unsigned_key)
    return DUPLICATE if case.number is None else None


def _arrival(case: MailCase, owner: Player | None, outcome: str) -> Arrival:
    mail = case.mail
    number, key = (STRANGER, mail.unsigned_key) if owner is None else (owner.id, mail.key)
    return Arrival(number, key, mail.sender, case.now, mail.door, outcome)


def verify_address(case: MailCase) -> str | None:
    """Note that the address is proven, if the mail carries the token that was sent to it.

    Whoever answers ``unsubscribe`` instead gets no mail until they answer otherwise, and no answer.
    """
    mail, proof, addresses = case.mail, case.mail.proof, case.records.addresses
    if case.holder is None or proof is None or proof.match_id:
        return None
    is_refused = " ".join(mail.lines).lower() == UNSUBSCRIBE
    if is_refused and addresses.close(proof.player_id, mail.sender, case.now):
        return UNSUBSCRIBED
    cause = cause_of(case)
    prove_address(case.records, mail.sender, proof.player_id, cause, Source.MAIL)
    case.on_file = addresses.holders(mail.sender)
    return None


def send_cells(case: MailCase) -> str | None:
    """Answer the holder of a reply token who asks for the links of a row or sector: ``cells D``.

    A letter with a link in every cell of the largest boards would be too large.
    """
    mail = case.mail
    asked = ASKED.fullmatch(mail.lines[0].strip()) if mail.is_short and mail.lines else None
    if asked is None or case.holder is None or mail.proof is None or not mail.proof.match_id:
        return None
    try:
        require_few_commands(case)
        post(case, [_letter_with_cells(case, asked[1].upper())])
    except Refused as error:
        refuse(case, None, error)
        return error.code
    return DONE


def _letter_with_cells(case: MailCase, part: str) -> Letter:
    match, asker = board_of_token(case), case.asker
    require_same_moment(case, match)
    on_move = match.next_seat
    if asker is None or on_move is None or on_move.player_id != asker.player_id:
        raise Denied("It is not your turn.", code="not-your-turn")
    board = LetterBoard(draw(match.game, match.position))
    if part not in board.names:
        raise Misunderstood(
            f"This board has no such {board.kind}.",
            code="no-such-part",
            hint=f"Its {board.kind}s are {', '.join(board.names)}.",
        )
    return cells_letter(match, asker, board.kind, part)


def read_lines(case: MailCase) -> None:
    """Find what the mail says, as far as that depends on who sent it; it may be nothing."""
    mail, holder = case.mail, case.holder
    try:
        if holder is not None and (mail.is_short or mail.unread is not None):
            case.lines = _lines_of_answer(case, holder)
        elif not mail.is_multiple and _is_prose(case):
            raise NotFound("No such help page.", code="no-such-page")
    except Refused as error:
        case.lines = _refused_line(case, error)


def _lines_of_answer(case: MailCase, holder: Player) -> list[MailLine]:
    """Return the short command of the reply token's holder."""
    mail, tree = case.mail, case.desk.tree
    if mail.proof is not None and mail.proof.match_id:
        return [MailLine(case, call=_call_at_board(case, board_of_token(case)))]
    (text,) = mail.lines
    if asked := CONFIRMED.fullmatch(text):
        return _confirmed_lines(case, holder, int(asked[1]))
    if case.desk.switches_off(text):
        return [MailLine(case, text, parse(tree, text.split(), given={}))]
    return []


def _call_at_board(case: MailCase, match: Match) -> Call:
    unread = case.mail.unread
    if unread is not None:
        raise _of_answer(unread, match) if unread.code in UNSEEN else unread
    (text,) = case.mail.lines
    move = read_move(text, (match.first.userid, match.second.userid))
    alone = ONE_WORD.fullmatch(text)
    words = [move] if move else alone[1].split() if alone else split_prose(text)
    entry = GAME.get(words[0].lower()) if words else None
    if entry is None or entry.by_mail.short_answer is not ShortAnswer.NAMED:
        words.insert(0, UNNAMED)
    try:
        return parse(case.desk.tree, (match.game.name, *words), given={"number": match.number})
    except Misunderstood as error:
        raise (error if error.code == "invalid-move" else _of_answer(error, match)) from None


def _of_answer(error: Refused, match: Match) -> Misunderstood:
    """Return the error in words for an answer to a letter, where nobody writes whole commands."""
    example = example_move(match.game, match.position)
    is_unseen = error.code in UNSEEN and error.code != "line-too-long"
    return Misunderstood(
        error.message if is_unseen else "The first line is not a move.",
        code=error.code,
        hint=f"Write only the {'cells' if JOINT in example else 'cell'} as the first line, such as "
        f"{example}.\nAnything else goes below it. Words such as pass, resign and propose must be "
        "alone on the first line, too.",
    )


def _confirmed_lines(case: MailCase, holder: Player, number: int) -> list[MailLine]:
    """Return the challenges that the mail confirms, and take it for a mail of them.

    Only an answer whose first line is yes confirms. With any other, what was asked about is dropped
    all the same.
    """
    mail, tree = case.mail, case.desk.tree
    found = case.records.asked_challenges.take(holder.id, number, case.now)
    first_line, _, _ = mail.comment.strip().partition("\n")
    if found is None:
        raise Refused(
            "No challenge is waiting for this answer.",
            code="nothing-asked",
            hint="It has already been opened or dropped, or it is too old.",
        )
    if first_line.strip().casefold() != "yes":
        raise Refused(
            "The first line of your answer is not yes, so no board is opened.",
            code="challenge-dropped",
            hint="If you did not send the challenge, there is nothing more to do.",
        )
    is_multiple = len(found.lines) > 1
    case.mail = replace(mail, comment=found.comment, is_multiple=is_multiple, is_short=False)
    return [MailLine(case, text, parse_line(tree, text)) for text in found.lines]


def _is_prose(case: MailCase) -> bool:
    """Tell whether a mail that begins with help asks people for it: ``Help wanted: ...``."""
    words = case.mail.lines[0].split() if case.mail.lines else []
    is_long = len(words) > 3 or (len(words) > 1 and bool(case.mail.comment.strip()))
    return is_long and words[0].lower() == HELP and not _is_page(case.desk.tree, words)


def do_lines(case: MailCase) -> str:
    """Do the lines up to the first that is refused, post the answers; return the outcome.

    A challenge that is to be confirmed holds up no other line. Wrong passwords are counted.
    """
    refusal, unconfirmed = None, []
    for line in case.lines:
        try:
            line.outcome = case.desk.execute(case.records, line)
        except Unconfirmed as error:
            line.outcome = error
            unconfirmed.append((error.challenger, line.text))
        except Refused as error:
            line.outcome = line.refusal = refusal = error
            _count_wrong_password(case, line)
            break
        else:
            case.signer = case.signer or line.player
            if case.mail.is_multiple:  # the line may have changed whose address it is
                case.on_file = case.records.addresses.holders(case.mail.sender)
    outcome = _answer_lines(case, refusal, unconfirmed)
    if case.number is None:
        # When the mail comes again, what its lines opened is there, and the first that is signed
        # shows whose it is.
        arrival = _arrival(case, case.signer, outcome)
        if case.records.inbox.take(arrival) is None:
            raise _CameBeforeError
    return outcome


def _answer_lines(
    case: MailCase, refusal: Refused | None, unconfirmed: Sequence[tuple[Player, str]]
) -> str:
    """Post what became of the lines, and the question whether challenges are the sender's own."""
    if unconfirmed:
        challenger = unconfirmed[0][0]
        lines = [text for player, text in unconfirmed if player.id == challenger.id]
        refusal = ask_to_confirm(case, challenger, lines) or refusal
    if case.mail.is_multiple and len(unconfirmed) < len(case.lines):
        transcribe(case, refusal)
    elif refusal is not None:
        refuse(case, case.lines[0].call, refusal)
    if refusal is not None:
        return refusal.code
    return UNCONFIRMED if unconfirmed else DONE


def _count_wrong_password(case: MailCase, line: MailLine) -> None:
    """Count it, if the line was refused for its password."""
    call, refusal = line.call, line.refusal
    if call is None or refusal is None or refusal.code != wrong_login().code:
        return
    userid = str(call.params.get("userid", ""))
    if not (case.mail.is_authenticated and player_of_sender(case, case.records, userid)):
        case.records.throttle.failed(userid, case.mail.sender, case.now)


class _CameBeforeError(Exception):
    """Undoes the transaction: another program has processed the same mail."""


class MailLine(CommandRun):
    """A line of a mail, as far as it is known what it says and who says it.

    The first line is understood and signed before the transaction. One that was refused then, or
    not looked at because another was, is judged behind others: they may have opened the account or
    the board that it needs.
    """

    is_alone = False
    refusal: Refused | None = None
    outcome: Answer | Refused | None = None

    def __init__(self, case: MailCase, text: str = "", call: Call | None = None) -> None:
        """Make a line of its words, or of the ``call`` that a reply token's holder makes by it."""
        mail = case.mail
        # A token of an earlier moment is refused to every word that could accept anything.
        body, is_short = (lambda: mail.comment), mail.is_short
        request = Request((), Source.MAIL, body, sender=mail.sender, answers_now=is_short)
        super().__init__(request, call, None if call is None else case.holder)
        self.case, self.text = case, text

    def prepare(self) -> None:
        """Understand and sign the line, outside of every lock; a refusal is kept for later."""
        try:
            self.call = parse_line(self.case.desk.tree, self.text)
            if needs_password(self.call):
                self._check_password(self.call)
        except Refused as error:
            self.refusal = error

    def _check_password(self, call: Call) -> None:
        """Find whose password it is; raises :class:`Postponed`, noted, if it has to wait."""
        case = self.case
        with case.desk.store.reading() as records:
            to_wait = player_to_wait(case, records, call)
            player = find_signer(records, call)
        if to_wait is not None:
            with case.desk.store.writing() as records:
                seconds = seconds_to_wait(case, records, to_wait)
            if seconds:
                raise Postponed(seconds)
        self.player = check_password(case.desk.passwords, call, player)

    def understand(self) -> Call:
        """Return what the line says, if its sender has not said too much by now."""
        require_few_commands(self.case, self.call)
        if self.call is None:
            if self.refusal is not None:
                raise self.refusal
            self.call = parse_line(self.case.desk.tree, self.text)
        return self.call

    def sign(self, records: Records, call: Call) -> Player | None:
        """Return who signs the line, now that nobody else can change them."""
        is_first = self is self.case.lines[0]
        if needs_password(call) and (is_first or self.player is None):
            self._check_again(records, call, self.refusal if is_first else None)
        if self.player is self.case.holder:
            return self.player  # this transaction has found them by the token, if anybody
        signer = reload_signer(self.player, records)
        return None if signer is None else signer.player

    def _check_again(self, records: Records, call: Call, refusal: Refused | None) -> None:
        """Judge the password after the mails before this one; raises ``refusal``, if any."""
        if refusal is None or refusal.code == wrong_login().code:
            to_wait = player_to_wait(self.case, records, call)
            if to_wait is not None and (seconds := seconds_to_wait(self.case, records, to_wait)):
                raise Postponed(seconds)
        if refusal is not None:
            raise refusal
        if self.player is None:
            self.player = check_password(self.case.desk.passwords, call, find_signer(records, call))

    def admit(self, call: Call, player: Player | None) -> Mapping[str, Any]:
        """Return the values for the command, if a mail of theirs may have it done."""
        require_right(self.case, call)
        if self.case.mail.is_short:
            _require_fresh_token(self.case, call)
        if any(isinstance(value, NewSecret) for value in call.params.values()):
            sender = Requester(self.case.mail.sender)
            requester = sender if player is None else Requester(player_id=player.id)
            require_few_passwords(self.case.records, call, requester, self.case.now)
        return self.case.desk.values_of(call)

    def letters(self, session: WriteSession, call: Call, answer: Answer) -> Sequence[Letter]:
        """Return the letters about what was done, and the answer to a line that stands alone."""
        return letters_of_line(self.case, session, call, answer)


def parse_line(tree: Group, text: str) -> Call:
    """Return the parsed line of a mail; raises :class:`Misunderstood`.

    By mail a password may stand behind the challenger, as in any other command:
    ``star challenge alice PASSWORD bob``.
    """
    words = split_line(text)
    try:
        return parse(tree, words)
    except Misunderstood:
        signed = _signed_challenge(tree, drop_marks(words))
        if signed is None:
            raise
        return signed


def _signed_challenge(tree: Group, words: Sequence[str]) -> Call | None:
    """Return the challenge that the words are without their fourth, signed by that."""
    if len(words) < 5 or any(OPTION.fullmatch(word) for word in words[:4]):
        return None
    game, verb, userid, password, *rest = words
    if not may_be_password(password):
        return None
    try:
        call = parse(tree, (game, verb, userid, *rest))
    except Misunderstood:
        if verb.lower().startswith("chall"):
            raise
        return None
    if call.verb.entry.by_mail.sender is not MailSender.NAMED:
        return None
    signature = {"userid": userid, "password": Secret(password)}
    return call._replace(params={**call.params, **signature})


def player_to_wait(case: MailCase, records: Records, call: Call) -> int | None:
    """Return the player whose password in the mail must wait for its turn, None if it need not.

    While wrong passwords by mail make everybody wait who sends one, a mail from an address of the
    player's waits for its turn: whoever guesses is not to silence them. For all others it raises
    :class:`Denied`. If our mail server vouches that it is from there it need not wait: nobody else
    can send one.
    """
    userid = str(call.params.get("userid", ""))
    if records.throttle.wait_until(userid, case.mail.sender) <= case.now:
        return None
    player_id = player_of_sender(case, records, userid)
    if player_id is None:
        raise _too_many_guesses()
    return None if case.mail.is_authenticated or player_id in case.turns else player_id


def player_of_sender(case: MailCase, records: Records, userid: str) -> int | None:
    """Return the number of the player so called, if the mail says it is from an address of them."""
    player = records.players.find(userid)
    if player is None or player.login_hash is None:
        return None
    rows = records.addresses.holders(case.mail.sender)
    return player.id if any(row.is_open and row.player_id == player.id for row in rows) else None


def seconds_to_wait(case: MailCase, records: Records, player_id: int) -> int:
    """Return after how long a password is to be looked at, 0 if it is its turn, now used up.

    Of a day's turns most are kept for mails that come again, which few forged ones do. Raises
    :class:`Denied` for one that has waited too long.
    """
    key, requester = case.mail.key, Requester(player_id=player_id)
    since = records.waiting_mails.since(player_id, key)
    waited = 0 if since is None else max(0, case.now - since)
    if waited > MAIL_PATIENCE:
        raise _too_many_guesses()
    at_once = [Purpose.PASSWORD_AT_ONCE] if since is None else []
    kinds = [*at_once, Purpose.PASSWORD]
    if all(records.budgets.allow(kind, requester, case.now) for kind in kinds):
        case.turns.add(player_id)
        return 0
    records.waiting_mails.add(player_id, key, case.now)
    return max(MINUTE, min(HOUR, waited // 4))


def _too_many_guesses() -> Denied:
    return Denied(
        "There were too many wrong passwords by mail.",
        code="wait-for-password",
        hint="Wait an hour, or answer a mail about the board, which needs no password.",
    )


def require_right(case: MailCase, call: Call) -> None:
    """Raise :class:`Refused` unless this mail has the right, :class:`Unconfirmed` if it might."""
    if isinstance(call.params.get("password"), SignedInUser):
        refuse_me(case.records)
    sender = call.verb.entry.by_mail.sender
    if sender is MailSender.NOBODY:
        raise Denied("This does not work by mail.", code="shell-only")
    if needs_password(call) or sender is MailSender.ANYONE:
        return
    if not case.on_file:
        raise Denied(
            "This address is not on file.",
            code="unknown-sender",
            hint="Open an account with the Subject: signup USERID PASSWORD",
        )
    if call.access is Access.CHANGE and sender is MailSender.NAMED:
        _require_own_challenge(case, call)


class Unconfirmed(Refused):
    """A challenge must be confirmed by the player in whose name it came."""

    def __init__(self, challenger: Player) -> None:
        super().__init__("This is waiting for you to confirm it by mail.", code="unconfirmed")
        self.challenger = challenger


def _require_own_challenge(case: MailCase, call: Call) -> None:
    """Raise unless a player who is named has surely sent the challenge."""
    both = [_find_challenged(case.records, call.params[name]) for name in ("userid1", "userid2")]
    players = {player.id: player for player in both if player is not None}
    if case.signed is not None and case.signed.id in players:
        return
    row = next((row for row in case.on_file if row.player_id in players), None)
    if row is None:
        raise Denied(
            "A challenge by mail must come from an address of one of the two players.",
            code="not-your-challenge",
        )
    if not row.is_open:
        raise Denied(
            "Your address is not verified yet.",
            code="unproven-address",
            hint="Answer the welcome mail, with any words or none.",
        )
    if not case.mail.is_authenticated:
        raise Unconfirmed(players[row.player_id])


def _find_challenged(records: Records, userid: str) -> Player | None:
    """Return the player of this name, None for anyone; a wrong name is never kept or sent on."""
    if userid.lower() == ANYONE:
        return None
    if userid.lower() == ME:
        refuse_me(records)
    player = records.players.find(userid)
    if player is None:
        raise NotFound("No such player.", code="no-such-player", about=userid)
    return player


def _require_fresh_token(case: MailCase, call: Call) -> None:
    """Raise :class:`Refused` unless a reply token is good for what it stands for in the call."""
    if call.verb.game is None:
        return
    match = board_of_token(case)
    # A vote that is sent as a move has the right of the command of that name.
    move = call.params.get("move")
    word = str(call.verb.name) if move is None else move.text.lower()
    is_lasting = GAME.get(word, call.verb.entry).by_mail.old_token and match.is_running
    if not is_lasting:
        is_resignation = word == "resign" and match.is_running
        require_same_moment(case, match, UNRESIGNED if is_resignation else NEWEST)


def board_of_token(case: MailCase) -> Match:
    """Return the token's board; raises :class:`Denied` without one, or if the Subject differs."""
    proof, board = case.mail.proof, case.mail.board
    match = None if proof is None else case.records.matches.get(proof.match_id, lock=True)
    if match is None or not (board is None or _is_called(match, *board)):
        raise Denied(
            "The Subject names another board than the one that this answer belongs to.",
            code="other-board",
            hint="Answer the newest mail of the board, and leave its Subject as it is.",
        )
    return match


def _is_called(match: Match, game: str, number: int) -> bool:
    try:
        return (find_game(game).name, number) == (match.game.name, match.number)
    except NotFound:
        return False


def require_same_moment(case: MailCase, match: Match, hint: str = NEWEST) -> None:
    """Raise :class:`Refused` if the board has changed since the reply token was made."""
    if case.mail.proof is None or match.revision != case.mail.proof.revision:
        raise Refused(
            f"{match.title} has changed since the mail that you answered.",
            code="stale-token",
            hint=hint,
        )

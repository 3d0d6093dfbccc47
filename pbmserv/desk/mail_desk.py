"""The desk for mail: one mail, one transaction, acted upon exactly once.

The transaction holds the inbox row, what the commands changed, and the letters that answer. A
mail that comes again finds its row and does nothing. Before it, outside of every lock, whole lines
are understood and their passwords checked, which is slow by intent. What a reply token stands for
is found in the transaction itself, which so reads it once.

A stranger is a sender whose address is on no account, and who has given no right password: most of
their mails are spam, and whoever forged their sender gets nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.player import USERID
from pbmserv.commands.grammar import MailSender
from pbmserv.commands.help import page
from pbmserv.desk.mail_answers import MOST_BOARDS, MailAnswers, too_many_boards, transcribed
from pbmserv.desk.mail_line import LineErrand, MailLine, confirmed, short_lines
from pbmserv.desk.mail_rights import Unconfirmed, is_at_home, not_their_token
from pbmserv.desk.more_cells import asked_part, letter_with_cells
from pbmserv.errors import NotFound, Refused
from pbmserv.store.mail.inbox import STRANGER, Arrival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.player import Player
    from pbmserv.commands.answer import Answer
    from pbmserv.commands.grammar import Family
    from pbmserv.desk.door import Desk
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.store import Records

DONE = "done"
DUPLICATE = "duplicate"
HELP = "help"


def receive(desk: Desk, mail: MailRequest) -> str:
    """Do what the mail says, post the answers, and return how it ended.

    ``done``, ``verified``, ``unsubscribed``, ``duplicate``, ``unconfirmed`` for challenges that
    their sender is asked about, or the code of a refusal. Raises :class:`Fault` when nothing
    was recorded and the mail is to be tried again.
    """
    desk.awaited.clear()
    waited: set[int] = set()
    try:
        outcome = desk.retried(_transact, desk, mail, waited)
    except _CameBeforeError:
        return DUPLICATE
    desk.answer_robots()
    return outcome


def _transact(desk: Desk, mail: MailRequest, waited: set[int]) -> str:
    lines = _prepared(desk, mail, waited)
    with desk.store.writing() as records:
        holder = _holder_of(records, mail)
        signed = holder or next((line.player for line in lines if line.player is not None), None)
        if signed is None and (outcome := _unheard(desk, records, mail, lines)):
            return outcome
        now = desk.world.now()
        if mail.is_multiple and signed is None:
            return _receive_several(desk, MailAnswers(records, mail, None, now), lines)
        number = records.inbox.take(_arrival(signed, mail, now), mail.unsigned_key)
        if number is None:
            return DUPLICATE
        if holder is not None and (mail.is_short or mail.unread is not None):
            lines = short_lines(desk, records, mail, holder)
        elif _is_prose(desk.tree, mail):
            lines = [MailLine(refusal=NotFound("No such help page.", code="no-such-page"))]
        mail, lines = confirmed(desk, records, mail, holder) or (mail, lines)
        answers, part = MailAnswers(records, mail, signed, now), asked_part(mail)
        outcome = _act(desk, answers, lines) if part is None else _send_cells(answers, part)
        if outcome != DONE:
            records.inbox.settle(number, outcome)
        return outcome


def _prepared(desk: Desk, mail: MailRequest, waited: set[int]) -> list[MailLine]:
    """Return the lines, signed up to the first refused.

    A short one is refused for everybody but the holder of the reply token. ``waited`` are the
    players for whose passwords the mail has waited.
    """
    if mail.unread is not None:
        return [MailLine(refusal=mail.unread)]
    if mail.is_short:
        return [MailLine(refusal=not_their_token())]
    lines = [MailLine(text, turns=waited) for text in mail.lines]
    for line in lines:
        line.prepare(desk, mail)
        if line.refusal is not None:
            break
    return lines


def _unheard(
    desk: Desk, records: Records, mail: MailRequest, lines: Sequence[MailLine]
) -> str | None:
    """Return how a mail ended that nobody signed and nobody hears; None for one that is heard.

    Its wrong passwords are counted, and nothing else is kept of it.
    """
    # Refused ones too, though what was wrong with them then may be right by now.
    if records.inbox.has(STRANGER, mail.unsigned_key):
        return DUPLICATE
    came_before = _was_here(records, mail, lines)
    if not came_before and _is_heard(desk.tree, records, mail, lines):
        return None
    now = desk.world.now()
    for line in lines:
        _count_wrong_password(records, line, mail, now)
    if came_before:
        return DUPLICATE
    refusal = next((line.refusal for line in lines if line.refusal is not None), None)
    reason = refusal.code if refusal is not None else "unknown-sender"
    records.ignored_mail.count(reason, now)
    return reason


def _is_heard(tree: Family, records: Records, mail: MailRequest, lines: Sequence[MailLine]) -> bool:
    """Tell whether a mail that nobody signed is looked at any further.

    It is if its address is on file. Of strangers a Subject is heard that is ``help`` and nothing
    else, ``help`` and a page that there is, a signup, or a reset, which nobody answers.
    """
    if records.addresses.holders(mail.sender):
        return True
    if mail.unread is not None or not lines:
        return False
    first = lines[0]
    if first.call is None:
        return not mail.is_multiple and _is_misspelt_signup(first.text)
    if first.call.verb.entry.by_mail.sender is not MailSender.ANYONE:
        return False
    if mail.is_multiple or first.call.path.rpartition(" ")[2] != HELP:
        return True
    return mail.is_bare and _is_page(tree, first.text.split())


def _is_misspelt_signup(text: str) -> bool:
    """Tell whether somebody chose a userid and a password that cannot be, and is to be told so."""
    words = text.split()
    is_signup = len(words) == 3 and words[0].lower() == "signup"
    return is_signup and USERID.fullmatch(words[1]) is not None


def _is_page(tree: Family, words: Sequence[str]) -> bool:
    if words[0].lower() != HELP:
        return False
    try:
        topic, _ = page(tree, words[1:])
    except Refused:
        return False
    # A page that a word merely leads to is for people who sit before the program.
    return len(words) == 1 or topic.endswith(" ".join(words[1:]).lower())


def _is_prose(tree: Family, mail: MailRequest) -> bool:
    """Tell whether a mail that begins with help asks people for it: ``Help wanted: ...``."""
    words = mail.lines[0].split() if len(mail.lines) == 1 else []
    is_long = len(words) > 3 or (len(words) > 1 and bool(mail.comment.strip()))
    return is_long and words[0].lower() == HELP and not _is_page(tree, words)


def _receive_several(desk: Desk, answers: MailAnswers, lines: Sequence[MailLine]) -> str:
    """Do the lines of a mail that nobody has signed yet, but that one of them may sign.

    A line may open the account or the board that the next one needs. When the mail comes
    again both are there, and the mail is known under the name of whoever signed it then.
    """
    outcome = _act(desk, answers, lines)
    arrival = _arrival(answers.signer, answers.mail, answers.now, outcome)
    if answers.records.inbox.take(arrival) is None:
        raise _CameBeforeError
    return outcome


def _act(desk: Desk, answers: MailAnswers, lines: Sequence[MailLine]) -> str:
    """Do the lines up to the first that is refused, post the answers; return the outcome."""
    if not lines:
        return answers.confirm_address()
    outcomes = _carry_out(desk, answers, lines)
    unconfirmed = [
        (outcome.challenger, line.text)
        for line, outcome in zip(lines, outcomes, strict=True)
        if isinstance(outcome, Unconfirmed)
    ]
    refusal = _refusal_in(outcomes)
    if unconfirmed:
        refusal = _ask(answers, unconfirmed) or refusal
    if answers.mail.is_multiple and len(unconfirmed) < len(lines):
        calls = [line.call for line in lines]
        answers.transcribe(list(map(transcribed, calls, outcomes)), refusal)
    elif refusal is not None:
        answers.refuse(lines[0].call, refusal)
    if refusal is not None:
        return refusal.code
    return "unconfirmed" if unconfirmed else DONE


def _carry_out(
    desk: Desk, answers: MailAnswers, lines: Sequence[MailLine]
) -> list[Answer | Refused | None]:
    """Return what became of each line; None for those behind the first that is refused.

    A challenge that is to be confirmed holds up no other line. Wrong passwords are counted.
    """
    outcomes: list[Answer | Refused | None] = []
    for line in lines:
        if _refusal_in(outcomes):
            outcomes.append(None)
            continue
        errand = LineErrand(desk, answers, line, is_first=not outcomes)
        try:
            outcomes.append(desk.carry_out(answers.records, errand))
        except Refused as error:
            outcomes.append(error)
            line.refusal = error
            _count_wrong_password(answers.records, line, answers.mail, answers.now)
        else:
            answers.follow(line.player)
    return outcomes


def _refusal_in(outcomes: Sequence[Answer | Refused | None]) -> Refused | None:
    """Return the refusal, if there is one, of a line that was not left to be confirmed."""
    refusals = (outcome for outcome in outcomes if isinstance(outcome, Refused))
    return next((error for error in refusals if not isinstance(error, Unconfirmed)), None)


def _ask(answers: MailAnswers, unconfirmed: Sequence[tuple[Player, str]]) -> Refused | None:
    """Ask the challenger whether the lines are theirs; return why that cannot be."""
    challenger = unconfirmed[0][0]
    lines = [text for player, text in unconfirmed if player.id == challenger.id]
    if len(lines) > MOST_BOARDS:
        return too_many_boards()
    return answers.ask_to_confirm(challenger, lines)


def _send_cells(answers: MailAnswers, part: str) -> str:
    """Answer with the links that a letter had no room for; return the outcome."""
    try:
        answers.require_few_commands()
        answers.post([letter_with_cells(answers, part)])
    except Refused as error:
        answers.refuse(None, error)
        return error.code
    return DONE


class _CameBeforeError(Exception):
    """What was done is to be undone: another program did the same mail."""


def _arrival(owner: Player | None, mail: MailRequest, now: int, outcome: str = DONE) -> Arrival:
    number, key = (STRANGER, mail.unsigned_key) if owner is None else (owner.id, mail.key)
    return Arrival(number, key, mail.sender, now, mail.door, outcome)


def _holder_of(records: Records, mail: MailRequest) -> Player | None:
    """Return the player whom the reply token proves, if the mail comes from their address."""
    if mail.proof is None or (mail.unread is not None and not mail.proof.match_id):
        return None
    player = records.players.at(mail.sender, mail.proof.player_id)
    return player if player is not None and player.login_hash is not None else None


def _was_here(records: Records, mail: MailRequest, lines: Sequence[MailLine]) -> bool:
    """Tell whether a mail that nobody signs is one that its sender signed when it came first.

    The password that it holds may have been changed since, by that very mail.
    """
    owners = {address.player_id for address in records.addresses.holders(mail.sender)}
    for line in lines:
        named = line.call.params.get("userid") if line.call is not None else None
        player = records.players.find(named) if isinstance(named, str) else None
        owners |= {player.id} if player is not None else set()
    return any(records.inbox.has(owner, mail.key) for owner in owners)


def _count_wrong_password(records: Records, line: MailLine, mail: MailRequest, now: int) -> None:
    """Count it, if the line was refused for its password."""
    call, refusal = line.call, line.refusal
    if call is None or refusal is None or refusal.code != "wrong-login":
        return
    userid = str(call.params.get("userid", line.player.userid if line.player else ""))
    if not is_at_home(records, mail, userid):
        records.throttle.failed(userid, mail.sender, now)

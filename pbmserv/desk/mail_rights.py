"""Who may do what by mail: rules beyond a right password, which the shell does not need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.player import ME
from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import GAME
from pbmserv.commands.grammar import MailSender
from pbmserv.commands.types import Me
from pbmserv.desk.identity import needs_password
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import HOUR, MINUTE
from pbmserv.errors import Denied, NotFound, Refused
from pbmserv.services.session import nobody
from pbmserv.store.mail.budgets import Kind, Requester, max_letters
from pbmserv.store.people.guesses import MAIL_PATIENCE

if TYPE_CHECKING:
    from pbmserv.club.letter import Claim
    from pbmserv.club.match import Match
    from pbmserv.club.player import Player
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.mail_answers import MailAnswers
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.store import Records

ANYONE = "anyone"


def require_right(records: Records, call: Call, answers: MailAnswers) -> None:
    """Raise :class:`Refused` unless this mail may have it done.

    A challenge that anybody may have sent raises :class:`Unconfirmed`.
    """
    if isinstance(call.params.get("password"), Me):
        nobody(records)
    sender = call.verb.entry.by_mail.sender
    if sender is MailSender.NOBODY:
        raise Denied("This cannot be done by mail.", code="shell-only")
    if needs_password(call) or sender is MailSender.ANYONE:
        return
    known = {address.player_id for address in answers.holders}
    if not known:
        raise Denied(
            "This address is not on file.",
            code="unknown-sender",
            hint="Open an account with the Subject: signup USERID PASSWORD",
        )
    if call.access is Access.CHANGE and sender is MailSender.NAMED:
        _require_own_challenge(records, call, answers)


class Unconfirmed(Refused):
    """A challenge must be confirmed by the player in whose name it came."""

    def __init__(self, challenger: Player) -> None:
        super().__init__("This waits for your answer to another mail.", code="unconfirmed")
        self.challenger = challenger


def _require_own_challenge(records: Records, call: Call, answers: MailAnswers) -> None:
    """Raise unless a player who is named has surely sent the challenge."""
    players = [_challenged(records, call.params[name]) for name in ("userid1", "userid2")]
    named = [player for player in players if player is not None]
    if answers.signed is not None and answers.signed.id in {player.id for player in named}:
        return
    for row in answers.holders:
        player = next((player for player in named if player.id == row.player_id), None)
        if player is None:
            continue
        if not row.is_open:
            raise Denied(
                "Your address is not verified yet.",
                code="unproven-address",
                hint="Answer the welcome mail, with any words or none.",
            )
        if answers.mail.is_authenticated:
            return
        raise Unconfirmed(player)
    raise Denied(
        "A challenge by mail must come from an address of one of the two players.",
        code="not-your-challenge",
    )


def _challenged(records: Records, userid: str) -> Player | None:
    """Return the player of this name, None for anyone; a wrong name is never kept or sent on."""
    if userid.lower() == ANYONE:
        return None
    if userid.lower() == ME:
        nobody(records)
    player = records.players.find(userid)
    if player is None:
        raise NotFound("No such player.", code="no-such-player", about=userid)
    return player


def require_good_token(records: Records, call: Call, proof: Claim | None) -> None:
    """Raise :class:`Refused` unless a reply token is good for what it stands for in the call."""
    game = call.verb.game
    if proof is None or game is None:
        return
    match = records.matches.find(game.name, call.params["number"], lock=True)
    if match is None or match.id != proof.match_id:
        raise other_board()
    # A vote that is sent as a move has the right of the command of that name.
    move = call.params.get("move")
    word = str(call.verb.name) if move is None else move.text.lower()
    is_lasting = GAME.get(word, call.verb.entry).by_mail.old_token and match.is_running
    if not is_lasting and match.revision != proof.revision:
        error = stale_token(match)
        if word == "resign" and match.is_running:
            error.hint = "You have not resigned. If you want to, answer this mail with resign."
        raise error


def stale_token(match: Match) -> Refused:
    """Return the error for a reply token of an earlier moment."""
    return Refused(
        f"{match.title} has changed since the mail that you answered.",
        code="stale-token",
        hint="Look at the newest mail of this board and answer that one.",
    )


def is_at_home(records: Records, mail: MailRequest, userid: str) -> bool:
    """Tell whether our mail server vouches that a mail is from an address of this player's.

    Nobody else can send one, so the guesses of others do not make its sender wait.
    """
    return mail.is_authenticated and _player_at(records, mail, userid) is not None


def _player_at(records: Records, mail: MailRequest, userid: str) -> int | None:
    """Return the number of the player so called, if the mail says it is from an address of them."""
    player = records.players.find(userid)
    if player is None or player.login_hash is None:
        return None
    holders = records.addresses.holders(mail.sender)
    is_theirs = any(row.is_open and row.player_id == player.id for row in holders)
    return player.id if is_theirs else None


def player_to_wait(records: Records, call: Call, mail: MailRequest, now: int) -> int | None:
    """Return the player whose password in the mail must wait for its turn, None if it need not.

    While wrong passwords by mail make everybody wait who sends one, a mail from an address of the
    player's waits for its turn: whoever guesses is not to silence them. For all others it raises
    :class:`Denied`.
    """
    userid = str(call.params.get("userid", ""))
    if records.throttle.wait_until(userid, mail.sender) <= now:
        return None
    player_id = _player_at(records, mail, userid)
    if player_id is None:
        raise _too_many_guesses()
    return None if mail.is_authenticated else player_id


def seconds_to_wait(records: Records, player_id: int, mail: MailRequest, now: int) -> int:
    """Return after how long a password is to be looked at, 0 where it is its turn, now used up.

    Of a day's turns most are kept for mails that come again, which few forged ones do. Raises
    :class:`Denied` for one that has waited too long.
    """
    waiting, causer = records.waiting_mails, Requester(player_id=player_id)
    since = waiting.since(player_id, mail.key)
    waited = 0 if since is None else max(0, now - since)
    if waited > MAIL_PATIENCE:
        raise _too_many_guesses()
    kinds = [Kind.PASSWORD] if since is not None else [Kind.PASSWORD_AT_ONCE, Kind.PASSWORD]
    if all(records.budgets.allow(kind, causer, now) for kind in kinds):
        return 0
    waiting.add(player_id, mail.key, now)
    return max(MINUTE, min(HOUR, waited // 4))


def _too_many_guesses() -> Denied:
    return Denied(
        "There were too many wrong passwords by mail.",
        code="wait-for-password",
        hint="Wait an hour, or answer a mail about the board, which needs no password.",
    )


def require_few_passwords(
    answers: MailAnswers, call: Call, player: Player | None, now: int
) -> None:
    """Raise :class:`Refused` for more new passwords in a day than are hashed for one sender.

    Who signs is not counted with those who only have the same address, nor is a right token.
    """
    records, token = answers.records, call.params.get("token")
    if token is not None:
        named = records.players.find(call.params["userid"])
        if named is not None and records.resets.is_good(named.id, token.lower(), now):
            return
    causer = Requester(answers.mail.sender) if player is None else Requester(player_id=player.id)
    if not records.budgets.allow(Kind.NEW_PASSWORD, causer, now):
        raise Refused(
            f"That is more than {max_letters(Kind.NEW_PASSWORD)} new passwords in a day.",
            code="too-many-passwords",
            hint="Send the rest tomorrow.",
        )


def require_same_board(mail: MailRequest, match: Match) -> None:
    """Raise :class:`Denied` if the Subject of a mail names another board than its token's."""
    if mail.board is None:
        return
    try:
        named = find_game(mail.board[0]).name, mail.board[1]
    except NotFound:
        raise other_board() from None
    if named != (match.game.name, match.number):
        raise other_board()


def not_their_token() -> Denied:
    """Return the error for a token that somebody else sends."""
    return Denied(
        "This answer does not come from an address of the player that the mail was sent to.",
        code="not-your-token",
        hint="Answer from the address that the mail was sent to.",
    )


def other_board() -> Denied:
    """Return the error for a token of one board in a mail about another."""
    return Denied(
        "This answer belongs to another board than its Subject says.",
        code="other-board",
        hint="Answer the newest mail of the board, and leave its Subject as it is.",
    )

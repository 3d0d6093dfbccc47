"""Forgotten passwords: a token by mail, and another password for the token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pbmserv.club.letter import SECRET_MARK
from pbmserv.club.player import PlayerStatus
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.slots import NAME, PASSWORD, maybe
from pbmserv.commands.types import NewPassword, Userid
from pbmserv.errors import Denied, Misunderstood
from pbmserv.services.account_changes import set_password
from pbmserv.services.lookup import player_meant
from pbmserv.services.session import WriteSession

if TYPE_CHECKING:
    from pbmserv.club.player import Player
    from pbmserv.store.people.addresses import Address

SENT = (
    "If that player exists, a token has been mailed to the addresses on file. "
    "It is valid for one hour."
)


TOKEN = maybe(NAME.called("TOKEN"))._replace(closes=False)
NEW = maybe(PASSWORD.called("NEWPASSWORD"))._replace(opens=False)


def _check_token(token: str | None, password_hash: str | None) -> None:
    """Raise :class:`Misunderstood` for a token without a password."""
    if token is not None and password_hash is None:
        raise Misunderstood(
            "Missing argument: NEWPASSWORD.",
            code="missing-word",
            hint="After the token, write a new password.",
        )


@command(check=_check_token)
def reset(
    session: WriteSession,
    userid: Userid,
    token: Annotated[str | None, Word(TOKEN)] = None,
    password_hash: Annotated[str | None, NewPassword(NEW)] = None,
) -> Answer:
    """Get a token by mail if you forgot your password; with it, choose a new password.

    A token works once, within an hour. You can get three a day.
    """
    player = player_meant(session, userid)
    if player is not None and player.status is not PlayerStatus.ACTIVE:
        player = None
    if token is None:
        session.require_letters()
        if player is not None:
            _send_token(session, player)
        return Answer((SENT,), {"sent": True})
    if player is None or not session.records.resets.use(player.id, token.lower(), session.now):
        raise Denied(
            "The token is wrong, already used, or too old.",
            code="wrong-token",
            hint="Get another one with: pbmserv reset USERID",
        )
    set_password(session, player, password_hash)
    session.ledger.note("reset", player.userid)
    return Answer((f"Changed the password of {player.userid}.",), {"userid": player.userid})


def _send_token(session: WriteSession, player: Player) -> None:
    from pbmserv.render.board_letters import Reader
    from pbmserv.render.service_letters import reset_letter
    from pbmserv.store.mail.budgets import Purpose, Requester

    line = f"reset {player.userid} {SECRET_MARK} NEWPASSWORD"
    letters = [
        reset_letter(Reader(row.address, player.id), player.userid, line)
        for row in _on_file(session, player)
    ]
    causer, size = Requester(player_id=player.id), sum(letter.max_bytes for letter in letters)
    if not session.records.budgets.allow(Purpose.RESET, causer, session.now, size):
        return
    session.ledger.post(letters)
    session.ledger.note("reset asked", player.userid)


def _on_file(session: WriteSession, player: Player) -> list[Address]:
    """Return the proven addresses; those not proven only where there is no other."""
    rows = [row for row in session.records.addresses.of([player.id]) if row.stopped_at is None]
    return [row for row in rows if row.is_open] or rows

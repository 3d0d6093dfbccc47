"""Identity: the player of a password, a sign-in key or a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.commands.types import Secret
from pbmserv.engine.games import find_game
from pbmserv.engine.moments import DAY
from pbmserv.errors import Denied, Refused
from pbmserv.services.lookup import no_such_match
from pbmserv.services.session import refuse_me

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pbmserv.club.player import Player
    from pbmserv.commands.grammar import Call
    from pbmserv.desk.passwords import Passwords
    from pbmserv.desk.request import Request
    from pbmserv.store.mail.budgets import Requester
    from pbmserv.store.people.players import Signer
    from pbmserv.store.store import Records


def needs_password(call: Call) -> bool:
    """Tell whether the call has a userid and a password that must be right."""
    return isinstance(call.params.get("password"), Secret)


def find_signer(records: Records, call: Call) -> Player | None:
    """Return the player of the call's userid, or None; a missing board is an error before that."""
    require_match(records, call)
    player: Player | None = records.players.find(call.params["userid"])
    return player


def check_password(passwords: Passwords, call: Call, player: Player | None) -> Player | None:
    """Return the player if the password in the call is theirs.

    Raises :class:`Denied`, in the same words and time whether userid or password is wrong. The
    check is slow by intent and runs outside of every transaction.
    """
    password = call.params["password"].value
    if not passwords.verify(password, player.login_hash if player else None):
        from pbmserv.commands.explanations import explain_login

        error = wrong_login()
        explain_login(call, error)
        raise error
    return player


def find_me(records: Records, request: Request, now: int) -> tuple[Signer, int | None]:
    """Return the player that ``me`` means in a request, and a key to be noted as used.

    A key is compared, never hashed slowly: it is long and random. That it was used is noted once
    a day. Raises :class:`Denied`.
    """
    if request.acts_as is not None:
        signer = records.players.signer(request.acts_as)
        if signer is None or signer.player.login_hash is None:
            raise Denied(f"{request.acts_as} has no open account.", code="no-such-player")
        return signer, None
    if request.keys is None:
        refuse_me(records)
    found = records.signin_keys.find(request.keys.read() or "", now)
    if found is None:
        raise not_signed_in()
    return found.signer, found.key_id if found.used_at <= now - DAY else None


class PasswordNotCached(Exception):
    """The password must go through its slow check."""


def cached_signer(call: Call, known: AbstractSet[str], records: Records) -> Signer:
    """Return the call's player if their hash is ``known``; raises :class:`PasswordNotCached`."""
    signer = records.signer(call.params["userid"], call.match_key)
    if signer is None or signer.player.login_hash not in known:
        raise PasswordNotCached
    return signer


def require_match(records: Records, call: Call) -> None:
    """Raise :class:`NotFound` if the call names a board that is not there."""
    if call.match_key is not None and records.matches.identity(*call.match_key) is None:
        game, number = call.match_key
        raise no_such_match(find_game(game), number)


def reload_signer(player: Player | None, records: Records) -> Signer | None:
    """Return the player as they are now; raises if their password was changed meanwhile."""
    if player is None:
        return None
    now = records.players.signer(player.userid)
    known = None if now is None else now.player.login_hash
    if known is None or known != player.password_hash:
        raise wrong_login()
    return now


def require_few_passwords(records: Records, call: Call, requester: Requester, now: int) -> None:
    """Raise :class:`Refused` for more new passwords in a day than are hashed for one requester.

    Who signs is not counted with those who only have the same address, nor is a right token.
    """
    from pbmserv.store.mail.budgets import Purpose, max_letters

    token = call.params.get("token")
    if token is not None:
        owner = records.players.find(call.params["userid"])
        if owner is not None and records.resets.is_good(owner.id, token.lower(), now):
            return
    if not records.budgets.allow(Purpose.NEW_PASSWORD, requester, now):
        raise Refused(
            f"That is more than {max_letters(Purpose.NEW_PASSWORD)} new passwords in a day.",
            code="too-many-passwords",
            hint="Try again tomorrow.",
        )


def not_signed_in() -> Denied:
    """Return the error for ``me`` in a shell where nobody is signed in."""
    return Denied(
        "You are not signed in, so me does not work.",
        code="not-signed-in",
        hint="Sign in with: pbmserv login USERID",
    )


def wrong_login() -> Denied:
    """Return the one error for an unknown userid and a wrong password."""
    hint = "Nothing was changed.\nFor a new password, ask the operator or run: pbmserv reset USERID"
    return Denied("The userid or the password is wrong.", code="wrong-login", hint=hint)

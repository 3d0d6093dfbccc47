"""Signing in once: from then on ``me`` stands for userid and password in this user's shell."""

from typing import Annotated

from pbmserv.club.player import Player
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, command
from pbmserv.commands.slots import PASSWORD, maybe
from pbmserv.commands.types import Login
from pbmserv.desk.identity import not_signed_in
from pbmserv.errors import Denied
from pbmserv.services.session import KeyHolder, ReadSession, WriteSession

AskedPlayer = Annotated[Player, Login(maybe(PASSWORD), takes_me=False, asks=True)]


@command()
def login(session: WriteSession, player: AskedPlayer) -> Answer:
    """Sign in: from now on, me means your userid and password in your shell.

    It lasts until you log out, choose another password, or have not used it for 90 days. You are
    asked for the password; in a script, give it as a line of standard input. See help signin.
    """
    keys, signin_keys = _keys(session), session.records.signin_keys
    signin_keys.forget(session.now)
    before = signin_keys.find(keys.read() or "", session.now)
    if before is not None:
        signin_keys.remove(before.key_id)
    ends_at = None if keys.life is None else session.now + keys.life
    keys.keep(signin_keys.add(player, session.now, ends_at))
    session.ledger.note("login")
    return Answer(
        (f"You are signed in as {player.userid}: me now means you.",), {"userid": player.userid}
    )


@command()
def logout(
    session: WriteSession,
    *,
    everywhere: Annotated[bool, Flag("sign out everywhere else, too")] = False,
) -> Answer:
    """Sign out of this shell."""
    keys, signin_keys = _keys(session), session.records.signin_keys
    text = keys.read()
    found = signin_keys.find(text or "", session.now)
    if text is None or (found is None and everywhere):
        raise not_signed_in()
    # A key that has ended by itself is of no use to anybody: its file goes all the same.
    keys.drop()
    if found is None:
        return Answer(("You are signed out.",), {"userid": None})
    if everywhere:
        signin_keys.remove_all(found.player.id)
    else:
        signin_keys.remove(found.key_id)
    userid = found.player.userid
    session.ledger.note("logout", f"{userid} everywhere" if everywhere else userid)
    return Answer(
        (f"{userid} is signed out{' everywhere' if everywhere else ''}.",), {"userid": userid}
    )


@command()
def whoami(session: ReadSession) -> Answer:
    """Print who is signed in."""
    return Answer((session.me.userid,), {"userid": session.me.userid})


def _keys(session: WriteSession) -> KeyHolder:
    """Return where the shell keeps its key; raises :class:`Denied` where there is no such place."""
    if session.keys is None:
        raise Denied("Signing in works only in a shell of your own.", code="shell-only")
    return session.keys

"""Accounts: signing up, addresses, passwords, and leaving for good."""

from typing import Annotated

from pbmserv.club.player import Player, parse_address, parse_userid
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import reserved_words
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.slots import ADDRESS, PASSWORD, USERID, maybe, slot
from pbmserv.commands.types import Login, NewPassword, NewPasswordHash
from pbmserv.errors import Refused
from pbmserv.render.document import Document
from pbmserv.services.account_changes import distinct, keep_addresses, open_account, set_password
from pbmserv.services.session import WriteSession

Addresses = Annotated[tuple[str, ...], Word(maybe(ADDRESS, many=True), parse_address)]
WELCOMED = (
    "Welcome, {0}. Your account is open.\nNext, sign in: pbmserv login {0}\nThen start a board with"
    " star challenge me USERID, look for an opponent with\nstar seek me 1, or play: pbmserv play."
)
PasswordedPlayer = Annotated[Player, Login(takes_me=False)]


@command()
def signup(
    session: WriteSession,
    userid: Annotated[str, Word(slot(USERID), parse_userid)],
    password_hash: NewPasswordHash,
    addresses: Addresses = (),
) -> Answer:
    """Open a new account under USERID, with a password and any number of mail addresses.

    By mail, your first address is the one you write from. Mail is sent nowhere else until you have
    verified it by answering the welcome mail. To get that mail again, send the same signup again.
    """
    require_free_word(userid)
    player = open_account(session, userid, password_hash, addresses)
    return Answer((WELCOMED.format(player.userid),), _player_document(player))


@command()
def add(
    session: WriteSession,
    player: PasswordedPlayer,
    addresses: Annotated[tuple[str, ...], Word(slot(ADDRESS, many=True), parse_address)],
) -> Answer:
    """Add mail addresses to your account."""
    kept = distinct(player.addresses, addresses)
    return _addresses(keep_addresses(session, player, kept, named=addresses, verb="add"))


@command()
def change_address(
    session: WriteSession, player: PasswordedPlayer, addresses: Addresses = ()
) -> Answer:
    """Replace all mail addresses of your account; without any, the account has none."""
    kept = distinct((), addresses)
    return _addresses(keep_addresses(session, player, kept, named=kept, verb="change address"))


@command()
def change_password(
    session: WriteSession,
    player: Annotated[Player, Login(slot(PASSWORD.called("CURRENT")), takes_me=False)],
    password_hash: Annotated[str, NewPassword(slot(PASSWORD.called("NEW")))],
) -> Answer:
    """Choose a new password."""
    set_password(session, player, password_hash)
    session.ledger.note("change password")
    return Answer((f"Changed the password of {player.userid}.",), _player_document(player))


@command(can_rehearse=True)
def signoff(
    session: WriteSession,
    player: PasswordedPlayer,
    *,
    erase: Annotated[bool, Flag("also delete your name and everything you wrote")] = False,
) -> Answer:
    """Leave the club and close your account: boards are resigned, and nobody gets the userid again.

    With -erase your userid, addresses, messages and chat are deleted; your games stay under a
    number. Mail that was sent and old backups do not change.
    """
    from pbmserv.services.account_changes import close_account

    boards = close_account(session, player)
    session.ledger.note("signoff")
    resigned = f" Resigned: {', '.join(boards)}." if boards else ""
    if erase:
        name = session.records.accounts.erase(player.id, player.userid)
        erased = session.records.players.get(player.id)
        said = f"Your account has been erased.{resigned} Your games stay under the name {name}."
        return Answer((said,), _player_document(erased))
    closed = session.records.players.get(player.id)
    return Answer(
        (f"The account of {player.userid} has been closed.{resigned}",), _player_document(closed)
    )


def require_free_word(userid: str) -> None:
    """Raise :class:`Refused` if ``userid`` is a selector, a command or a game."""
    if userid.lower() in reserved_words():
        raise Refused(
            "That word is reserved and is not a valid userid.",
            code="userid-reserved",
            hint="Choose another userid.",
        )


def _player_document(player: Player) -> Document:
    return {
        "userid": player.userid,
        "status": player.status.value,
        "addresses": list(player.addresses),
    }


def _addresses(player: Player) -> Answer:
    listed = ", ".join(player.addresses) or "none"
    return Answer((f"Addresses of {player.userid}: {listed}.",), _player_document(player))

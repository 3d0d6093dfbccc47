"""Accounts: signing up, addresses, passwords, and leaving for good."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

from pbmserv.club.player import Player, PlayerStatus, parse_address, parse_userid
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.types import Login, NewPassword, NewPasswordHash
from pbmserv.errors import Refused
from pbmserv.render.document import Document
from pbmserv.services.session import Source, WriteSession

Addresses = Annotated[tuple[str, ...], Word("[ADDRESS]...", parse_address)]
MOST_ADDRESSES = 10
WELCOMED = "Welcome, {}. Your account is open."
PasswordedPlayer = Annotated[Player, Login(takes_me=False)]


@command()
def signup(
    session: WriteSession,
    userid: Annotated[str, Word("USERID", parse_userid)],
    password_hash: NewPasswordHash,
    addresses: Addresses = (),
) -> Answer:
    """Open an account under USERID, with a password and any number of mail addresses.

    By mail, your first address is the one you write from, and mail goes nowhere else until an
    answer from there has proven it. Send the same signup again to have that letter repeated.
    """
    require_free_word(userid)
    if session.sender is not None:
        addresses = (session.sender, *addresses)
        if (known := _waiting_newcomer(session, userid)) is not None:
            _prove(session, known, (session.sender,))
            return Answer((WELCOMED.format(known.userid),), _player_document(known))
    player = session.records.players.add(
        userid,
        password_hash,
        _distinct((), addresses),
        status=PlayerStatus.ACTIVE,
        now=session.now,
    )
    _prove(session, player, player.addresses if session.sender is None else (session.sender,))
    session.ledger.note("signup", player.userid)
    return Answer((WELCOMED.format(player.userid),), _player_document(player))


@command()
def add(
    session: WriteSession,
    player: PasswordedPlayer,
    addresses: Annotated[tuple[str, ...], Word("ADDRESS...", parse_address)],
) -> Answer:
    """Add mail addresses to your account."""
    kept = replace(player, addresses=_distinct(player.addresses, addresses))
    return _with_addresses(session, kept, addresses, "add")


@command()
def change_address(
    session: WriteSession, player: PasswordedPlayer, addresses: Addresses = ()
) -> Answer:
    """Replace all mail addresses of your account; without any, the account has none."""
    kept = replace(player, addresses=_distinct((), addresses))
    return _with_addresses(session, kept, kept.addresses, "change address")


@command()
def change_password(
    session: WriteSession,
    player: Annotated[Player, Login("CURRENT", takes_me=False)],
    password_hash: Annotated[str, NewPassword("NEW")],
) -> Answer:
    """Choose another password."""
    session.records.players.save(replace(player, password_hash=password_hash))
    session.ledger.note("change password")
    return Answer((f"The password of {player.userid} is changed.",), _player_document(player))


@command(can_rehearse=True)
def signoff(
    session: WriteSession,
    player: PasswordedPlayer,
    *,
    erase: Annotated[bool, Flag("also delete your name and all you wrote; games stay")] = False,
) -> Answer:
    """Leave for good: running boards are resigned and the userid is not given out again.

    With -erase your games stay under a number; your userid, addresses, messages and chat are
    deleted. Mail that was sent and old backups cannot be changed.
    """
    from pbmserv.services.account_closing import close_account

    boards = close_account(session, player)
    session.ledger.note("signoff")
    resigned = f" Resigned: {', '.join(boards)}." if boards else ""
    if erase:
        from pbmserv.store.erasure import erase_player

        name = erase_player(session.records.connection, player.id, player.userid)
        erased = session.records.players.get(player.id)
        said = f"Your account is erased.{resigned} Your games stay under the name {name}."
        return Answer((said,), _player_document(erased))
    closed = session.records.players.get(player.id)
    return Answer(
        (f"The account of {player.userid} is closed.{resigned}",), _player_document(closed)
    )


def require_free_word(userid: str) -> None:
    """Raise :class:`Refused` if ``userid`` is a selector, a command or a game."""
    from pbmserv.commands.command_table import reserved_words

    if userid.lower() in reserved_words():
        raise Refused(
            "That word is reserved and is not a valid userid.",
            code="userid-reserved",
            hint="Choose another userid.",
        )


def _with_addresses(
    session: WriteSession, changed: Player, named: tuple[str, ...], verb: str
) -> Answer:
    """Let the player have other addresses; those named just now are to be proven, if not yet."""
    player = session.records.players.save(changed)
    wanted = {address.lower() for address in named}
    on_file = session.records.addresses.of([player.id])
    unproven = [row.address for row in on_file if not row.is_proven]
    _prove(session, player, [address for address in unproven if address.lower() in wanted])
    session.ledger.note(verb, f"{len(changed.addresses)} addresses")
    listed = ", ".join(changed.addresses) or "none"
    return Answer((f"Addresses of {player.userid}: {listed}.",), _player_document(player))


def _waiting_newcomer(session: WriteSession, userid: str) -> Player | None:
    """Return the player so called who has yet to prove the address that the mail came from."""
    player = session.records.players.find(userid)
    if player is None or player.status is not PlayerStatus.ACTIVE or session.sender is None:
        return None
    rows = session.records.addresses.of([player.id])
    if any(row.is_proven for row in rows):
        return None
    sender = session.sender.lower()
    return player if any(row.address.lower() == sender for row in rows) else None


def _prove(session: WriteSession, player: Player, addresses: Iterable[str]) -> None:
    """Trust addresses given in the shell; ask for an answer from those given by mail."""
    if session.source is Source.SHELL:
        session.records.addresses.trust(player.id, tuple(addresses))
        return
    from pbmserv.render.board_letters import Reader
    from pbmserv.render.service_letters import verify_letter, welcome_letter

    write = verify_letter if session.signer else welcome_letter
    sender = (session.sender or "").lower()
    session.ledger.post(
        write(Reader(address, player.id, is_asker=address.lower() == sender), player.userid)
        for address in addresses
    )


def _distinct(before: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return the addresses in order, each once without regard to case."""
    found = {address.lower(): address for address in reversed((*before, *more))}
    kept = tuple(reversed(found.values()))
    if len(kept) > MOST_ADDRESSES:
        raise Refused(
            f"An account has at most {MOST_ADDRESSES} addresses.", code="too-many-addresses"
        )
    return kept


def _player_document(player: Player) -> Document:
    return {
        "userid": player.userid,
        "status": player.status.value,
        "addresses": list(player.addresses),
    }

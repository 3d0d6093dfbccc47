"""Accounts: opened, given addresses, which are proven by letter, and closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbmserv.club.play import resign
from pbmserv.club.player import Player, PlayerStatus, is_mail_for
from pbmserv.errors import Refused
from pbmserv.services.clock_settlement import settle_due
from pbmserv.services.ledger import Unproven
from pbmserv.services.match_changes import save_change
from pbmserv.services.session import Source, WriteSession
from pbmserv.services.tournament_matches import withdraw

MAX_ADDRESSES = 10


def open_account(
    session: WriteSession, userid: str, password_hash: str, addresses: Sequence[str]
) -> Player:
    """Open an account; by mail its first address is the sender's, and a letter asks for a proof.

    Whoever signs up once more, before that address is proven, has the letter repeated. Raises
    :class:`Refused` for a userid that is taken.
    """
    if session.sender is not None:
        addresses = (session.sender, *addresses)
        if (known := _waiting_newcomer(session, userid)) is not None:
            _prove(session, known, (session.sender,))
            return known
    _require_own(session, addresses)
    addresses, status = distinct((), addresses), PlayerStatus.ACTIVE
    players = session.records.players
    player = players.add(userid, password_hash, addresses, status=status, now=session.now)
    _prove(session, player, player.addresses if session.sender is None else (session.sender,))
    session.ledger.note("signup", player.userid)
    return player


def keep_addresses(
    session: WriteSession,
    player: Player,
    addresses: tuple[str, ...],
    named: Sequence[str],
    verb: str,
) -> Player:
    """Let the player have these addresses; those named just now are to be proven, if not yet."""
    _require_own(session, named)
    kept = session.records.players.save(player._replace(addresses=addresses))
    wanted = {address.lower() for address in named}
    unproven = [row.address for row in session.records.addresses.of([kept.id]) if not row.is_proven]
    _prove(session, kept, [address for address in unproven if address.lower() in wanted])
    session.ledger.note(verb, f"{len(addresses)} addresses")
    return kept


def _require_own(session: WriteSession, addresses: Iterable[str]) -> None:
    """Raise :class:`Refused` for an address at which the server itself gets its mail."""
    own = session.own_address()
    if any(is_mail_for(address, own) for address in addresses):
        raise Refused(f"{own} is the address of this server itself.", code="own-address")


def distinct(before: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses in order, each once without regard to case."""
    found = {address.lower(): address for address in reversed((*before, *more))}
    kept = tuple(reversed(found.values()))
    if len(kept) > MAX_ADDRESSES:
        raise Refused(
            f"An account has at most {MAX_ADDRESSES} addresses.", code="too-many-addresses"
        )
    return kept


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
    is_new = session.signer is None
    session.ledger.unproven += (Unproven(address, player, is_new) for address in addresses)


def set_password(session: WriteSession, player: Player, password_hash: str | None) -> None:
    """Give the player this password, and end every key that stood for the one before."""
    session.records.players.save(player._replace(password_hash=password_hash))
    session.records.signin_keys.remove_all(player.id)


def close_account(session: WriteSession, player: Player) -> list[str]:
    """Close an account for good; return the titles of the matches resigned."""
    resigned = []
    session.records.people.stop_seeking(player.id)
    withdraw(session, player)
    for game, number in session.records.matches.running_of(player.id):
        # An opponent whose time was over before has lost, whatever is given up now.
        settle_due(session, game, number, player)
        match = session.records.matches.find(game, number, lock=True)
        if match is None or not match.is_running:
            continue
        save_change(session, match, resign(match, player.id, session.now))
        session.ledger.note("resign", "signoff", match_id=match.id)
        resigned.append(match.title)
    closed = player._replace(status=PlayerStatus.CLOSED, password_hash=None, addresses=())
    session.records.players.save(closed, closed_at=session.now)
    return resigned

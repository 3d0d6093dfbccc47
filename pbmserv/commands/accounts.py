"""Accounts: signing up, addresses, passwords, and leaving for good."""

from collections.abc import Iterable
from dataclasses import replace

from pbmserv.club.play import resign
from pbmserv.club.player import (
    Player,
    PlayerStatus,
    parse_address,
    parse_password,
    parse_userid,
)
from pbmserv.commands.grammar import NewSecret, command
from pbmserv.commands.types import PASSWORD, USERID, PasswordWord, Word, argument, arguments
from pbmserv.engine.games import find_game
from pbmserv.errors import NotFound, Refused
from pbmserv.render.document import Document
from pbmserv.services.match_changes import keep
from pbmserv.services.session import Access, Answer, Session, Source

NEW_USERID = argument("userid", "USERID", Word(parse_userid))
NEW_PASSWORD = argument("new_password", "PASSWORD", PasswordWord(NewSecret, parse_password))
CURRENT = argument("password", "CURRENT", PASSWORD().type)
NEW = argument("new_password", "NEW", PasswordWord(NewSecret, parse_password))
ADDRESSES = arguments("addresses", "[ADDRESS]...", Word(parse_address))
SOME_ADDRESSES = arguments("addresses", "ADDRESS...", Word(parse_address), least=1)
MOST_ADDRESSES = 10


@command(NEW_USERID, NEW_PASSWORD, ADDRESSES, access=Access.CHANGE)
def signup(
    session: Session, userid: str, new_password_hash: str, addresses: tuple[str, ...]
) -> Answer:
    """Open an account under USERID, with a password and any number of mail addresses.

    By mail the address is the sender's unless others are given.
    """
    require_free_word(userid)
    if session.sender is not None and not addresses:
        addresses = (session.sender,)
    player = session.records.players.add(
        userid,
        new_password_hash,
        _distinct((), addresses),
        status=PlayerStatus.ACTIVE,
        now=session.now,
    )
    _prove(session, player, player.addresses)
    session.note("signup", player.userid)
    return Answer((f"Welcome, {player.userid}. Your account is open.",), _player_document(player))


@command(USERID, PASSWORD, SOME_ADDRESSES, access=Access.CHANGE)
def add(session: Session, addresses: tuple[str, ...]) -> Answer:
    """Add mail addresses to your account."""
    kept = _distinct(session.player.addresses, addresses)
    return _with_addresses(session, kept, addresses, "add")


@command(USERID, PASSWORD, ADDRESSES, access=Access.CHANGE)
def change_address(session: Session, addresses: tuple[str, ...]) -> Answer:
    """Replace all mail addresses of your account; without any, the account has none."""
    kept = _distinct((), addresses)
    return _with_addresses(session, kept, kept, "change address")


@command(USERID, CURRENT, NEW, access=Access.CHANGE)
def change_password(session: Session, new_password_hash: str) -> Answer:
    """Choose another password."""
    player = replace(session.player, password_hash=new_password_hash)
    session.records.players.save(player)
    session.note("change password")
    return Answer((f"The password of {player.userid} is changed.",), _player_document(player))


@command(USERID, PASSWORD, access=Access.CHANGE)
def signoff(session: Session) -> Answer:
    """Leave for good: running boards are resigned and the userid is not given out again."""
    player = session.player
    boards = close_account(session, player)
    session.note("signoff")
    resigned = f" Resigned: {', '.join(boards)}." if boards else ""
    closed = session.records.players.get(player.id)
    return Answer(
        (f"The account of {player.userid} is closed.{resigned}",), _player_document(closed)
    )


def close_account(session: Session, player: Player) -> list[str]:
    """Close an account for good; return the boards that were resigned."""
    boards = []
    session.records.people.stop_seeking(player.id)
    if session.records.tournaments.of_player(player.id):
        from pbmserv.services.tournament_matches import withdraw

        withdraw(session, player)
    for game, number in session.records.matches.running_of(player.id):
        # An opponent whose time was over before has lost, whatever is given up now.
        session.settle((game, number), player)
        match = session.records.matches.find(game, number, lock=True)
        if match is None or not match.is_running:
            continue
        keep(session, match, resign(match, player.id, session.now))
        session.note("resign", "signoff", match_id=match.id)
        boards.append(match.title)
    closed = replace(player, status=PlayerStatus.CLOSED, password_hash=None, addresses=())
    session.records.players.save(closed, closed_at=session.now)
    return boards


def require_free_word(userid: str) -> None:
    """Raise :class:`Refused` if ``userid`` is a selector, a command or a game."""
    from pbmserv.commands.command_table import reserved_words

    is_game = True
    try:
        find_game(userid)
    except NotFound:
        is_game = False
    if is_game or userid.lower() in reserved_words():
        raise Refused(
            "That word means something else to the server and cannot be a userid.",
            code="userid-reserved",
            hint="Choose another userid.",
        )


def _with_addresses(
    session: Session, addresses: tuple[str, ...], named: tuple[str, ...], verb: str
) -> Answer:
    """Let the player have these addresses; those named just now are to be proven, if not yet."""
    player = session.records.players.save(replace(session.player, addresses=addresses))
    wanted = {address.lower() for address in named}
    on_file = session.records.addresses.of([player.id])
    unproven = [row.address for row in on_file if not row.is_proven]
    _prove(session, player, [address for address in unproven if address.lower() in wanted])
    session.note(verb, f"{len(addresses)} addresses")
    listed = ", ".join(addresses) or "none"
    return Answer((f"Addresses of {player.userid}: {listed}.",), _player_document(player))


def _prove(session: Session, player: Player, addresses: Iterable[str]) -> None:
    """Trust addresses given in the shell; ask for an answer from those given by mail."""
    if session.source is Source.SHELL:
        session.records.addresses.trust(player.id, tuple(addresses))
        return
    from pbmserv.render.board_letters import Reader
    from pbmserv.render.service_letters import verify_letter, welcome_letter

    write = verify_letter if session.signed_player else welcome_letter
    sender = (session.sender or "").lower()
    session.post(
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

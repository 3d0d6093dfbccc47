"""Changes by operators: boards, accounts, and how long things are kept."""

from __future__ import annotations

from typing import Annotated

from pbmserv.club import play
from pbmserv.club.match import Match
from pbmserv.club.player import Player, PlayerStatus, parse_userid
from pbmserv.club.wording import with_count
from pbmserv.commands.accounts import require_free_word
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.game_records import ImportedRecords, needs_database
from pbmserv.commands.match_answers import changed_answer
from pbmserv.commands.messages import LastWords, Text, said_text
from pbmserv.commands.slots import NUMBER, USERID, maybe, slot
from pbmserv.commands.types import (
    MatchNumber,
    NewPasswordHash,
    Userid,
    parse_switch,
    parse_whole_number,
)
from pbmserv.engine.game import Game
from pbmserv.engine.moments import DAY
from pbmserv.engine.record import Status
from pbmserv.errors import Misunderstood, NotFound, Refused
from pbmserv.operators.admin_views import NamedGame, moment
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import announcement_letters
from pbmserv.services.account_changes import close_account, set_password
from pbmserv.services.clock_settlement import settle_due
from pbmserv.services.lookup import find_account, find_match, find_open_account
from pbmserv.services.match_changes import save_change
from pbmserv.services.match_clock import end_maintenance
from pbmserv.services.session import WriteSession

KEPT_DAYS = {"inbox": 90, "outbox": 30, "audit": 730}
MIN_DAYS = 30
"""A mail that comes again is known for at least so long."""


@command(can_rehearse=True)
def undo(session: WriteSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Undo the last event at a board: an end by resignation, agreement or time, else a move.

    A finished board runs again and its rating changes are undone; a removed one is restored. The
    end of an imported game cannot be undone.
    """
    match = _find(session, game, number)
    return _mend(session, match, play.take_back(match, session.now), "admin undo")


@command(can_rehearse=True)
def remove(session: WriteSession, game: NamedGame, number: MatchNumber) -> Answer:
    """Remove a board as if it had never been played; its number is not used again.

    Its rating changes are undone. admin undo restores it.
    """
    match = _find(session, game, number)
    if session.records.tournaments.place_of(match.id) is not None:
        message = f"{match.title} belongs to a tournament, so it cannot be removed."
        raise Refused(message, code="in-tournament")
    return _mend(session, match, play.remove(match, session.now), "admin remove")


@command(can_rehearse=True)
def close(session: WriteSession, userid: Userid) -> Answer:
    """Close an account: its running boards are resigned, and nobody else can get the userid."""
    player = find_open_account(session, userid)
    return closed(session, player, "admin close", f"The account of {player.userid} is closed.")


def closed(session: WriteSession, player: Player, verb: str, said: str) -> Answer:
    """Close an account, and tell which boards were resigned."""
    boards = close_account(session, player)
    session.ledger.note(verb, player.userid)
    resigned = f" Resigned: {', '.join(boards)}." if boards else ""
    return Answer((f"{said}{resigned}",), {"userid": player.userid, "resigned": boards})


@command(access=needs_database)
def import_games(
    session: WriteSession | None, game: NamedGame, *, records: ImportedRecords
) -> Answer:
    """Store finished games of any players from their records, as import does."""
    return records.store(session, game)


@command(can_rehearse=True)
def announce(
    session: WriteSession,
    words: LastWords = (),
    *,
    text: Text = None,
) -> Answer:
    """Announce something to all players: in the shell until they have read it, and by mail.

    Give the text as the last words or with -text; a dash reads it from standard input. Mail goes to
    the verified addresses of players who take broadcasts, if this server sends mail.
    """
    said = said_text(session, words, text, "As in: pbmserv admin announce See you\n").strip()
    told = session.records.notices.announce(said, session.now)
    if session.writes_letters():
        rows = session.records.addresses.of(session.records.talk.broadcast_readers(0))
        readers = [Reader(row.address, row.player_id) for row in rows if row.is_open]
        session.ledger.post(announcement_letters(said, readers))
    session.ledger.note("admin announce", f"{told} players")
    return Answer((f"Announced to {with_count(told, 'player')}.",), {"players": told})


@command()
def maintenance(
    session: WriteSession,
    switch: Annotated[bool | None, Word(maybe("on", "off"), parse_switch)] = None,
) -> Answer:
    """Begin or end maintenance; without on or off, print whether it is on.

    During maintenance, commands that change something are refused with exit code 1. Incoming mail
    waits at the mail server, no mail is sent, and the clocks are stopped. Looking still works, and
    so do operators' commands.
    """
    records = session.records
    since = records.maintenance.since()
    if switch is True and since is None:
        since = session.now
        records.maintenance.begin(since)
        session.ledger.note("admin maintenance", "on")
    elif switch is False and since is not None:
        end_maintenance(session, since)
        since = None
        session.ledger.note("admin maintenance", "off")
    if since is None:
        return Answer(("Maintenance is off; everybody can play.",), {"maintenance": None})
    begun = moment(since)
    said = f"Maintenance since {begun} UTC; the clocks are stopped."
    return Answer((said,), {"maintenance": begun})


@command()
def suspend(session: WriteSession, userid: Userid) -> Answer:
    """Suspend a player until admin resume: every command that they sign is refused.

    Their boards stay, and their clocks run on; they no longer look for opponents, and nobody can
    challenge them.
    """
    player = find_open_account(session, userid)
    if player.suspended_at is not None:
        raise Refused(f"{player.userid} is already suspended.", code="suspended")
    session.records.players.suspend(player.id, session.now)
    session.records.people.stop_seeking(player.id)
    session.ledger.note("admin suspend", player.userid)
    said = f"The account of {player.userid} is suspended."
    return Answer((said,), {"userid": player.userid, "suspended": True})


@command()
def resume(session: WriteSession, userid: Userid) -> Answer:
    """Let a suspended player act again."""
    player = find_open_account(session, userid)
    if player.suspended_at is None:
        raise Refused(f"{player.userid} is not suspended.", code="not-suspended")
    session.records.players.suspend(player.id, None)
    session.ledger.note("admin resume", player.userid)
    said = f"The account of {player.userid} is open again."
    return Answer((said,), {"userid": player.userid, "suspended": False})


@command()
def reopen(session: WriteSession, userid: Userid) -> Answer:
    """Reopen a closed account: ratings and games are kept, password and addresses are gone.

    Boards that were resigned stay resigned; admin undo reopens each.
    """
    player = find_account(session, userid)
    if player.status is not PlayerStatus.CLOSED:
        raise Refused(f"The account of {player.userid} is not closed.", code="not-closed")
    session.records.players.save(player._replace(status=PlayerStatus.ACTIVE))
    session.ledger.note("admin reopen", player.userid)
    if player.robot is not None:
        return Answer((f"{player.name} plays again.",), {"userid": player.userid})
    opened = f"The account of {player.userid} is open again, without a password."
    how = f"Give one: pbmserv admin reset-password {player.userid} -"
    return Answer((f"{opened} {how}",), {"userid": player.userid})


@command()
def reset_password(session: WriteSession, userid: Userid, password_hash: NewPasswordHash) -> Answer:
    """Give a player a new password; - asks for it."""
    player = find_open_account(session, userid)
    if player.robot is not None:
        raise Refused(f"{player.name} cannot sign in, so it needs no password.", code="robot")
    set_password(session, player, password_hash)
    session.records.resets.cancel(player.id)
    session.ledger.note("admin reset-password", player.userid)
    return Answer((f"{player.userid} has a new password.",), {"userid": player.userid})


@command()
def rename(
    session: WriteSession,
    userid: Userid,
    new: Annotated[str, Word(slot(USERID.called("NEW")), parse_userid)],
) -> Answer:
    """Give a player a new userid; boards, ratings and addresses stay theirs.

    The old userid becomes free.
    """
    player = find_account(session, userid)
    require_free_word(new)
    session.records.players.rename(player, new)
    session.ledger.note("admin rename", f"{player.userid} {new}")
    return Answer((f"{player.userid} is now called {new}.",), {"userid": new, "was": player.userid})


@command(can_rehearse=True)
def merge(
    session: WriteSession,
    source: Annotated[str, Word(slot(USERID.called("FROM")))],
    target: Annotated[str, Word(slot(USERID.called("INTO")))],
) -> Answer:
    """Merge two accounts of one person: everything goes to the second, and the first is closed.

    Games between the two become games against oneself, which are unrated. All ratings are
    recalculated.
    """
    old, new = find_account(session, source), find_account(session, target)
    _require_mergeable(session, old, new)
    boards = session.records.accounts.merge(old.id, new.id, session.now)
    closed_account = old._replace(status=PlayerStatus.CLOSED, password_hash=None, addresses=())
    session.records.players.save(closed_account, closed_at=session.now)
    session.records.ratings.rebuild()
    session.ledger.note("admin merge", f"{old.userid} {new.userid}")
    said = (
        f"{new.userid} now has {with_count(boards, 'board')} of {old.userid}, whose account is "
        "closed."
    )
    return Answer((said,), {"userid": new.userid, "was": old.userid, "boards": boards})


def _parse_days(text: str) -> int:
    days = parse_whole_number(text)
    if days < MIN_DAYS:
        message = f"Not a valid number of days ({MIN_DAYS} or more)."
        raise Misunderstood(message, code="bad-option-value", about=text)
    return days


def _kept(name: str) -> Option:
    return Option("DAYS", f"days to keep (default {KEPT_DAYS[name]})", _parse_days)


@command(can_rehearse=True)
def forget(
    session: WriteSession,
    *,
    inbox: Annotated[int | None, _kept("inbox")] = None,
    outbox: Annotated[int | None, _kept("outbox")] = None,
    audit: Annotated[int | None, _kept("audit")] = None,
) -> Answer:
    """Delete old data: mail received, mail sent, audit lines."""
    records = session.records
    days = {"inbox": inbox, "outbox": outbox, "audit": audit}
    before = {name: session.now - DAY * (days[name] or usual) for name, usual in KEPT_DAYS.items()}
    parts = (records.inbox.forget, records.outbox.forget, records.audit.forget)
    counts = {name: forget(before[name]) for name, forget in zip(days, parts, strict=True)}
    records.budgets.forget(session.now)
    records.notices.forget(before["inbox"])
    records.throttle.forget(session.now)
    records.signin_keys.forget(session.now)
    records.ignored_mail.forget(session.now)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    session.ledger.note("admin forget", listed)
    return Answer((f"Deleted: {listed}.",), counts)


def _find(session: WriteSession, game: type[Game], number: int) -> Match:
    """Return the match as its clock leaves it, to be changed by nobody else."""
    settle_due(session, game.name, number)
    return find_match(session, game, number, lock=True)


def _mend(session: WriteSession, before: Match, change: play.Change, verb: str) -> Answer:
    statuses = {before.status, change[0].status}
    changes_ratings = before.is_rated and bool(statuses & {Status.WON, Status.DRAWN})
    if changes_ratings:
        # In the order of a move: its board, the ratings, then the tournament.
        session.records.ratings.hold()
    kept = save_change(session, before, change)
    if changes_ratings:
        session.records.ratings.rebuild()
    session.ledger.note(verb, match_id=before.id)
    return changed_answer(session, kept)


def _require_mergeable(session: WriteSession, old: Player, new: Player) -> None:
    if old.id == new.id:
        raise Refused("Both are the same account.", code="same-player")
    if old.robot is not None or new.robot is not None:
        raise Refused("A robot cannot be merged with another account.", code="robot")
    if new.status is not PlayerStatus.ACTIVE:
        raise Refused(f"{new.userid} has no open account.", code="no-such-player")
    for summary in session.records.matches.summaries(None, [old.id], selector="active"):
        if {seat.player_id for seat in summary.seats.values()} == {old.id, new.id}:
            raise Refused(
                "The two players have a running board against each other.",
                code="still-playing",
                hint=f"Finish it first: {summary.game} {summary.number}",
            )


@command()
def remove_remark(
    session: WriteSession, number: Annotated[int, Word(slot(NUMBER), parse_whole_number)]
) -> Answer:
    """Delete a chat line and its news permanently; mail already sent remains."""
    said = session.records.talk.delete_line(number)
    if said is None:
        raise NotFound(
            f"There is no chat line {number}.",
            code="no-such-remark",
            hint="To see the numbers: pbmserv admin chat GAME BOARD",
        )
    session.ledger.note("admin remark remove", f"{number} of {said.userid}")
    told = f"Chat line {number} of {said.userid} is removed."
    return Answer((told,), {"removed": number, "userid": said.userid})

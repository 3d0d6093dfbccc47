"""Letters about what was done, posted in the transaction that does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pbmserv.club.letter import Letter
from pbmserv.club.match import Match
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_letters,
    chat_letters,
    reminder_letters,
)
from pbmserv.render.service_letters import trouble_letter, verify_letter, welcome_letter
from pbmserv.services.ledger import Announcement, MatchNews, PrecedingNews, Remark, Unproven
from pbmserv.services.session import WriteSession
from pbmserv.store.store import Records


def letters_of(session: WriteSession, asker: Reader | None = None) -> list[Letter]:
    """Return the letters of a command: what it wrote itself, and the news of every match.

    ``asker`` wrote the mail that is answered; they are told at the address that they wrote from
    and at no other. What the ledger has for a comment goes to everybody.
    """
    ledger, records = session.ledger, session.records
    said = _comment(session, asker)
    sender = (session.sender or "").lower()
    letters = [*ledger.letters, *(proof_letter(each, sender) for each in ledger.unproven)]
    for announcement in ledger.announcements:
        letters += _announced(records, announcement)
    for news in ledger.news:
        readers = readers_of(records, news.match, asker)
        if readers:
            due = _turn_ends(session, news)
            told = [replace(reader, due=due) for reader in readers]
            letters += board_letters(news.match, news.events, told, comment=said, notes=news.notes)
    for remark in ledger.remarks:
        letters += _chat(records, remark, asker)
    for aside in ledger.asides:
        alone = list(addresses_of(records, aside.player_id))
        if aside.reminder:
            letters += reminder_letters(aside.match, alone, aside.reminder)
        else:
            letters += board_letters(aside.match, aside.events, alone)
    return letters


def _comment(session: WriteSession, asker: Reader | None) -> Comment | None:
    """Return what is said beside the news, after noting in the ledger who says it."""
    ledger, writer = session.ledger, session.signer
    if writer is None and asker is not None and asker.player_id is not None:
        writer = session.records.players.get(asker.player_id)  # a challenge needs no password
    if writer is not None and not ledger.said_by:
        ledger.said_by = writer.userid
    return Comment(ledger.said_by, ledger.comment) if ledger.said_by and ledger.comment else None


def proof_letter(unproven: Unproven, sender: str = "") -> Letter:
    """Return the letter that asks an address for a proof, which answers the sender's mail."""
    address, player, is_new = unproven
    reader = Reader(address, player.id, is_asker=address.lower() == sender)
    return (welcome_letter if is_new else verify_letter)(reader, player.userid)


def _announced(records: Records, told: Announcement) -> Iterator[Letter]:
    for player_id in told.player_ids:
        for reader in addresses_of(records, player_id):
            yield trouble_letter(reader, told.about, [told.sentence])


def _turn_ends(session: WriteSession, news: MatchNews) -> int | None:
    timing = news.timing or session.records.matches.extras(news.match.id, session.now).timing
    return None if timing is None else timing.deadline.at


def combined_letters(session: WriteSession, told: PrecedingNews | None) -> list[Letter]:
    """Return the letters about what a robot did, in place of those about what it answers.

    As far as these have not left yet: so its readers are told of both at once.
    """
    ledger = session.ledger
    held = session.records.outbox.take_back(told.news.match.id, session.now) if told else []
    asker = None
    if told is not None and held:
        ledger.comment, ledger.said_by = told.comment, told.said_by
        ledger.news = [
            news._replace(
                events=(*told.news.events, *news.events), notes=(*told.news.notes, *news.notes)
            )
            for news in ledger.news
        ]
        if answer := next((letter for letter in held if letter.is_answer), None):
            reply_to = answer.in_reply_to
            asker = Reader(answer.address, answer.player_id, is_asker=True, in_reply_to=reply_to)
    return letters_of(session, asker)


def _chat(records: Records, remark: Remark, asker: Reader | None) -> list[Letter]:
    """Return what a player says, to all who have not blocked them."""
    hearing = [
        reader
        for reader in readers_of(records, remark.match, asker)
        if reader.player_id is None
        or not records.talk.is_blocked(reader.player_id, remark.player.id)
    ]
    return chat_letters(remark.match, Comment(remark.player.userid, remark.text), hearing)


def readers_of(records: Records, match: Match, asker: Reader | None = None) -> list[Reader]:
    """Return the asker, and the players and subscribers at every address that is proven.

    Who asked for one mail a day is not told of every move, but at once of what begins or ends;
    who asked to hear of the end alone is told of that alone.
    """
    players = {match.first.player_id, match.second.player_id}
    own: list[Reader] = []
    others = []
    for hearer in records.addresses.at_match(match.id):
        is_watching = hearer.player_id not in players
        userid = hearer.userid if is_watching else ""
        is_deaf = match.is_running and (hearer.is_quiet or (hearer.has_digest and match.ply))
        if asker is not None and asker.player_id == hearer.player_id:
            own = [replace(asker, is_watching=is_watching, userid=userid)]
        elif hearer.address is not None and hearer.address.is_open and not is_deaf:
            to = hearer.address.address
            others.append(Reader(to, hearer.player_id, is_watching=is_watching, userid=userid))
    return own + others


def addresses_of(records: Records, player_id: int) -> Iterator[Reader]:
    """Yield a player at every address of theirs that is proven."""
    for address in records.addresses.of([player_id]):
        if address.is_open:
            yield Reader(address.address, player_id)

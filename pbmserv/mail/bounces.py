"""Bounces: letters of ours that came back to their signed envelope sender."""

from pbmserv.club.match import Match
from pbmserv.mail.inbound import Incoming
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import trouble_letter
from pbmserv.store.addresses import HARD_BOUNCES
from pbmserv.store.inbox import STRANGER, Arrival
from pbmserv.store.store import Records, Store


class Bounces:
    """Counts what comes back, and stops mail to an address that does not exist."""

    def __init__(self, store: Store, operator: str | None) -> None:
        self._store = store
        self._operator = operator

    def receive(self, letter_id: int, incoming: Incoming, now: int) -> str:
        """Count a hard bounce of this letter once; return what it came to, in a word.

        Only a mail server's report with a permanent failure counts: a vacation responder answers
        to the same address, and a server that will try again reports there too.
        """
        codes = incoming.delivery_status
        is_hard = any(code.startswith("5.") for code in codes)
        if not is_hard:
            return "no-report" if not codes else "not-final"
        with self._store.writing() as records:
            key = f"bounce:{letter_id}"
            if records.inbox.take(Arrival(STRANGER, key, "", now, "bounce", "bounce")) is None:
                return "counted-before"
            address = records.outbox.address_of(letter_id)
            if address is None:
                return "no-such-letter"
            if not records.addresses.bounced(address, now):
                return "counted"
            self._stop(records, address, now)
            return "stopped"

    def _stop(self, records: Records, address: str, now: int) -> None:
        """Keep back what waits for the address, and tell those who wonder why nobody answers."""
        records.outbox.drop_all(address, now)
        letters = []
        for holder in records.addresses.holders(address):
            userid = records.players.get(holder.player_id).userid
            about = f"{userid} cannot be reached"
            story = f"{HARD_BOUNCES} mails to an address of {userid} came back."
            lines = [f"{story} No further mail is sent there."]
            letters += [
                trouble_letter(reader, about, lines, match)
                for reader, match in _opponents(records, holder.player_id)
            ]
            if self._operator is not None:
                lines = [*lines, f"The address is {address}. It was told to nobody else."]
                letters.append(trouble_letter(Reader(self._operator), about, lines))
        records.outbox.post(letters, now)


def _opponents(records: Records, player_id: int) -> list[tuple[Reader, Match]]:
    """Return those who play against the player, with a board, at every address that is proven."""
    against: dict[int, Match] = {}
    for game, number in records.matches.running_of(player_id):
        match = records.matches.find(game, number)
        if match is not None:
            against |= dict.fromkeys((match.first.player_id, match.second.player_id), match)
    against.pop(player_id, None)
    rows = records.addresses.of(sorted(against))
    return [
        (Reader(row.address, row.player_id), against[row.player_id]) for row in rows if row.is_open
    ]

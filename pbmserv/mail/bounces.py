"""Bounces: letters of ours that came back to their signed envelope sender."""

from dataclasses import dataclass

from pbmserv.club.letter import LetterKind
from pbmserv.club.match import Match
from pbmserv.mail.authentication import writer_of
from pbmserv.mail.inbound import Incoming
from pbmserv.render.board_letters import Reader
from pbmserv.render.service_letters import trouble_letter
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.people.addresses import HARD_BOUNCES
from pbmserv.store.store import Records, Store

ANSWERED = "answered"
"""Begins the outcome of an answer to a letter of ``mail test``; who checked its sender follows."""


def bounce_key(letter_id: int) -> str:
    """Return the key in the inbox of a letter that came back as undeliverable."""
    return f"bounce:{letter_id}"


def trial_key(letter_id: int) -> str:
    """Return the key in the inbox of the answer to a letter of ``mail test``."""
    return f"trial:{letter_id}"


@dataclass(frozen=True)
class Bounces:
    """Counts what comes back, and stops mail to an address that does not exist."""

    store: Store
    operator: str | None

    def receive(self, letter_id: int, incoming: Incoming, now: int, door: str) -> str:
        """Count a hard bounce of this letter once; return what it came to, in a word.

        Only a mail server's report with a permanent failure counts: a vacation responder answers
        to the same address, and a server that will try again reports there too. Whatever else
        comes to that of a trial is its answer.
        """
        codes = incoming.delivery_status
        is_hard = any(code.startswith("5.") for code in codes)
        if not is_hard:
            return "not-final" if codes else self._answered(letter_id, incoming, now, door)
        with self.store.writing() as records:
            key = bounce_key(letter_id)
            if records.inbox.take(Arrival(STRANGER, key, "", now, "bounce", "bounce")) is None:
                return "counted-before"
            letter = records.outbox.entry(letter_id)
            if letter is None:
                return "no-such-letter"
            if not records.addresses.bounced(letter.address, now):
                return "counted"
            self._stop(records, letter.address, now)
            return "stopped"

    def _answered(self, letter_id: int, incoming: Incoming, now: int, door: str) -> str:
        """Note what comes back of a trial; who waits for it looks into the inbox."""
        with self.store.writing() as records:
            letter = records.outbox.entry(letter_id)
            if letter is None or letter.kind != LetterKind.TRIAL.value:
                return "no-report"
            outcome = f"{ANSWERED} {writer_of(incoming.authentication_results) or ''}".strip()
            sender = incoming.sender or ""
            records.inbox.take(Arrival(STRANGER, trial_key(letter_id), sender, now, door, outcome))
            return "trial-answered"

    def _stop(self, records: Records, address: str, now: int) -> None:
        """Drop the mail waiting for the address, and notify its opponents."""
        records.outbox.drop_all(address, now)
        letters = []
        for holder in records.addresses.holders(address):
            userid = records.players.get(holder.player_id).userid
            about = f"{userid} cannot be reached"
            story = f"{HARD_BOUNCES} mails to an address of {userid} bounced."
            lines = [f"{story} No further mail is sent there."]
            letters += [
                trouble_letter(reader, about, lines, match)
                for reader, match in _opponents(records, holder.player_id)
            ]
            if self.operator is not None:
                lines = [
                    *lines,
                    f"The address is {address}. It has not been shown to anybody else.",
                ]
                letters.append(trouble_letter(Reader(self.operator), about, lines))
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

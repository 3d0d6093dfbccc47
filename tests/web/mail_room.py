"""A club in a browser that sends mail, too: its letters, and the links in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage

from pbmserv.club.letter import LetterKind
from pbmserv.desk.door import Desk
from pbmserv.mail.compose import MailIdentity, compose
from pbmserv.mail.tokens import Key, reset_token
from pbmserv.web.club import Club
from tests.mail.loopback_mail_server import read
from tests.web.conftest import Room
from tests.web.plain_browser import HOME

US = "pbmserv@example.org"
IDENTITY = MailIdentity(US, [Key(3, b"k" * 32)], web_url=HOME)


@dataclass
class MailRoom(Room):
    """A room that writes letters, and knows the keys by which they are signed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        club = self.app.extensions["club"]
        assert isinstance(club, Club)
        club.signing_keys = lambda: IDENTITY.keys

    def new_desk(self) -> Desk:
        desk = super().new_desk()
        desk.writes_letters, desk.own_address = lambda: True, lambda: US
        return desk

    def close(self) -> None:
        for desk in self.desks:
            desk.close()

    def letters(self) -> list[EmailMessage]:
        """Send what waits, as the sender of the outbox does, and return it."""
        return list(self._sent())

    def _sent(self) -> Iterator[EmailMessage]:
        now = self.local.clock.now()
        with self.local.desk.store.writing() as records:
            for posted in records.outbox.claim(now, limit=99):
                letter = posted.letter
                if letter.kind is LetterKind.RESET and letter.player_id is not None:
                    records.resets.add(letter.player_id, reset_token(IDENTITY.keys, posted.id), now)
                records.outbox.sent(posted, now)
                yield read(compose(posted, IDENTITY).content)

    def link_to(self, address: str) -> str:
        """Return the one link into the room in the one letter that waits for an address."""
        (letter,) = (each for each in self.letters() if each["To"] == address)
        return self.link_in(letter)

    def link_in(self, letter: EmailMessage) -> str:
        text = letter.get_body(("plain",))
        assert isinstance(text, EmailMessage)
        (link,) = (line for line in str(text.get_content()).split() if line.startswith(HOME))
        return link

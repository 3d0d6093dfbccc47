"""Which mails of strangers are heard: most are spam, and whoever forged their sender gets nothing.

A stranger is a sender whose address is on no account, and who has given no right password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbmserv.club.player import USERID
from pbmserv.commands.grammar import MailSender
from pbmserv.commands.help import page
from pbmserv.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.commands.grammar import Family
    from pbmserv.desk.mail_line import MailLine
    from pbmserv.desk.request import MailRequest
    from pbmserv.store.store import Records

HELP = "help"
SIGNUP = "signup"
SIGNUP_WORDS = 3


def is_heard(tree: Family, records: Records, mail: MailRequest, lines: Sequence[MailLine]) -> bool:
    """Tell whether a mail that nobody signed is looked at any further.

    It is if its address is on file. Of strangers a Subject is heard that is ``help`` and nothing
    else, ``help`` and a page that there is, a signup, or a reset, which nobody answers.
    """
    if records.addresses.holders(mail.sender):
        return True
    if mail.unread is not None or not lines:
        return False
    first = lines[0]
    if first.call is None:
        return not mail.is_multiple and _is_misspelt_signup(first.text)
    if first.call.verb.entry.by_mail.sender is not MailSender.ANYONE:
        return False
    if mail.is_multiple or first.call.path.rpartition(" ")[2] != HELP:
        return True
    return mail.is_bare and _is_page(tree, first.text.split())


def _is_misspelt_signup(text: str) -> bool:
    """Tell whether somebody chose a userid and a password that cannot be, and is to be told so."""
    words = text.split()
    is_signup = len(words) == SIGNUP_WORDS and words[0].lower() == SIGNUP
    return is_signup and USERID.fullmatch(words[1]) is not None


def _is_page(tree: Family, words: Sequence[str]) -> bool:
    if words[0].lower() != HELP:
        return False
    try:
        topic, _ = page(tree, words[1:])
    except Refused:
        return False
    # A page that a word merely leads to is for people who sit before the program.
    return len(words) == 1 or topic.endswith(" ".join(words[1:]).lower())

"""Hundreds of mails of strangers pass the gate: no exception, no answer, no change."""

import pytest

from pbmserv.mail.inbound import Envelope, Incoming, read_mail
from tests.mail.corpus import corpus
from tests.mail.server_by_mail import US, ClubByMail


@pytest.mark.costly
def test_no_mail_of_a_stranger_changes_or_causes_anything(office: ClubByMail) -> None:
    office.join("bob", "carol")
    office.mail("bob@example.net", "star challenge bob secret-bob carol -size=4")
    office.collect()
    with office.desk.store.reading() as records:
        before = len(records.lists.audit().rows), len(records.lists.arrivals().rows)
    mails = list(corpus())
    outcomes = {office.receive(data, Envelope(recipient=US)) for data in mails}
    with office.desk.store.reading() as records:
        after = len(records.lists.audit().rows), len(records.lists.arrivals().rows)
        counted = sum(each.mails for each in records.ignored_mail.counts())

    assert len(mails) > 500
    assert counted == len(mails)
    assert office.collect() == []
    assert before == after
    assert not outcomes & {"done", "verified", "unreadable-mail"}


def test_every_form_of_a_sender_that_can_be_meant_is_read() -> None:
    found = {
        incoming.sender for incoming in map(read_mail, corpus()) if isinstance(incoming, Incoming)
    }

    assert found == {"alice@home.example", None}

"""By mail the word The word me does not work here, whoever the mail comes from."""

import pytest

from tests.mail.server_by_mail import ClubByMail


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "line",
    [
        "star move 101 me C1",
        "star subscribe 101 me",
        "message me bob",
        "star challenge me bob -size=3",
        "star challenge bob me -size=3",
        "star games me",
        "star showas me 101",
        "all show me",
        "stats me",
        "vacation me 3",
        "reset me",
        "tournament create me star Cup",
        "change address me thief@example.net",
    ],
)
def test_me_is_refused(office: ClubByMail, line: str) -> None:
    office.join("alice", "bob")
    office.mail("alice@example.net", "star challenge alice bob -size=3")
    office.collect()
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    office.mail("alice@example.net", line)
    letters = office.collect()

    assert ["alice@example.net"] == [letter.to for letter in letters]
    why = "password itself" if "address" in line else "The word me does not work here"
    assert why in letters[0].text
    with office.desk.store.reading() as records:
        assert records.matches.find("star", 101) == match
        assert records.matches.find("star", 102) is None

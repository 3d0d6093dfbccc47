"""Clocks, plans and ratings by mail: what the tick writes, and what answers to it do."""

import pytest

from pbmserv.desk.tick import tick
from tests.mail.server_by_mail import ClubByMail, Letter

pytestmark = pytest.mark.costly

DAY = 86_400


def begin(office: ClubByMail) -> dict[str, Letter]:
    """Let alice and bob play two moves, and return the last letter of each."""
    office.desk.vacation_days = lambda: 0
    tick(office.desk)
    office.join("alice", "bob")
    office.mail("alice@example.net", "star challenge alice secret-alice bob -size=5")
    for userid, move in (("alice", "C3"), ("bob", "D4")):
        office.mail(f"{userid}@example.net", f"star move 101 {userid} secret-{userid} {move}")
    return {letter.to.partition("@")[0]: letter for letter in office.collect()}


def wait(office: ClubByMail, days: int) -> None:
    for _ in range(days * 2):
        office.clock.seconds += DAY // 2
        tick(office.desk)


def test_a_plan_is_made_by_an_answer_and_told_to_nobody_else(office: ClubByMail) -> None:
    last = begin(office)
    outcome = office.reply(last["bob"], "queue E4:E5")
    told = office.collect()

    assert outcome == "done"
    assert [letter.to for letter in told] == ["bob@example.net"]
    office.reply(last["alice"], "E4")
    letters = office.collect()
    assert len(letters) == 2
    assert all("bob plays E5, as planned." in letter.text for letter in letters)


def test_a_reminder_is_answered_with_the_move(office: ClubByMail) -> None:
    begin(office)
    wait(office, 8)
    (reminder,) = office.collect()

    assert (reminder.to, reminder.subject) == (
        "alice@example.net",
        "Star Board 101 alice",
    )
    assert office.reply(reminder, "E4") == "done"
    assert any("alice plays E4." in letter.text for letter in office.collect())


def test_a_move_by_mail_that_comes_too_late_finds_the_game_over(office: ClubByMail) -> None:
    begin(office)
    wait(office, 20)
    office.collect()
    office.clock.seconds += DAY
    outcome = office.mail("alice@example.net", "star move 101 alice secret-alice E4")
    letters = office.collect()

    assert outcome == "game-over"
    ends = [letter for letter in letters if "alice has run out of time." in letter.text]
    assert sorted(letter.to for letter in ends) == ["alice@example.net", "bob@example.net"]
    assert all("Ratings: alice 1500 to 1338 (-162)" in letter.text for letter in ends)


def test_a_draw_offer_is_answered_by_one_word(office: ClubByMail) -> None:
    last = begin(office)
    office.reply(last["bob"], "propose")
    offer = next(letter for letter in office.collect() if letter.to == "alice@example.net")

    assert office.reply(offer, "accept") == "done"
    assert any("is a draw" in letter.text for letter in office.collect())

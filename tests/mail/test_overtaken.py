"""Letters that are no longer true when they leave are not sent; no comment is lost with them."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbmserv.mail.compose import OutgoingMail
from pbmserv.mail.transports import DeliveryFault
from pbmserv.store.mail.outbox import FIRST_WAIT, LEASE, LetterState
from tests.databases import made_once
from tests.mail.mail_players import Links, page_of
from tests.mail.server_by_mail import ClubByMail, Letter

pytestmark = pytest.mark.costly

ALICE, BOB, CAROL = (f"{userid}@example.net" for userid in ("alice", "bob", "carol"))
DAY = 24 * 3600


@pytest.fixture
def empty(database_url: str) -> Iterator[ClubByMail]:
    opened = ClubByMail(database_url)
    yield opened
    opened.close()


@pytest.fixture
@made_once
def club(empty: ClubByMail) -> ClubByMail:
    """Alice and bob at two boards of Star, alice and carol at one, of which all know."""
    empty.join("alice", "bob", "carol")
    for other in ("bob", "bob", "carol"):
        empty.mail(ALICE, f"star challenge alice secret-alice {other} -size=3")
    empty.collect()
    return empty


def move(club: ClubByMail, board: int, cells: str) -> None:
    """Have the two of a board move in turn, each with a comment that names the cell."""
    players = ("alice", "carol" if board == 103 else "bob")
    for number, cell in enumerate(cells.split()):
        userid = players[number % 2]
        said = f"I take {cell}.\n\nOf board {board}."
        subject = f"star move {board} {userid} secret-{userid} {cell}"
        assert club.mail(f"{userid}@example.net", subject, said) == "done"


def comments_in(letter: Letter) -> list[str]:
    return re.findall(
        r"^\| I take (\S+)\.\s+\|\s+\| Of board (?:\d+)\.$", plain(letter), re.MULTILINE
    )


def plain(letter: Letter) -> str:
    return letter.text.replace("\r", "")


def of(letters: list[Letter], to: str, board: int) -> list[Letter]:
    return [each for each in letters if each.to == to and f" {board} " in each.subject]


def break_down(club: ClubByMail, days: int = 3) -> None:
    """Have the way out refuse everything for days, with a try every few hours."""

    def refuse(mail: OutgoingMail) -> str:
        raise DeliveryFault(f"No way out for {mail.id}.", code="mail-refused")

    send, club.basket.send = club.basket.send, refuse  # type: ignore[method-assign]
    for _ in range(days * 4):
        assert club.collect() == []
        club.clock.seconds += DAY // 4
    club.basket.send = send  # type: ignore[method-assign]


def test_of_the_letters_of_one_board_to_one_reader_the_newest_goes_with_all_comments(
    club: ClubByMail,
) -> None:
    move(club, 101, "C1 C2 C3 D1")
    break_down(club)
    move(club, 103, "C1 C2")
    move(club, 101, "D2 D3")
    move(club, 102, "C4")
    letters = club.collect()

    assert sorted((each.to, each.subject) for each in letters) == [
        (ALICE, "Star Board 101 alice"),
        (ALICE, "Star Board 102 alice"),
        (ALICE, "Star Board 103 alice"),
        (BOB, "Star Board 101 bob"),
        (BOB, "Star Board 102 bob"),
        (CAROL, "Star Board 103 carol"),
    ]
    for to in (ALICE, BOB):
        (letter,) = of(letters, to, 101)
        assert comments_in(letter) == ["C1", "C2", "C3", "D1", "D2", "D3"]
        assert plain(letter).startswith(
            "There is a comment by alice. There is a comment by bob. It is"
        )
        assert plain(letter).count("It is ") == 1
        assert "bob plays D3." in plain(letter)
        assert "D2" in page_of(letter)
        assert page_of(letter).count("<blockquote") == 6
    (turn,) = of(letters, ALICE, 101)
    assert "It is your turn." in plain(turn)
    assert club.reply(turn, "B2") == "done"
    assert ["C1"] == [each for each in comments_in(of(letters, CAROL, 103)[0]) if each != "C2"]
    assert comments_in(of(letters, BOB, 102)[0]) == ["C4"]


@pytest.mark.parametrize(("days", "told"), [(0, "3 weeks"), (3, "3 weeks"), (8, "13 days")])
def test_a_deadline_is_as_far_ahead_as_it_is_when_the_letter_leaves(
    club: ClubByMail, days: int, told: str
) -> None:
    move(club, 101, "C1")
    break_down(club, days)
    letters = club.collect()
    lines = [plain(of(letters, to, 101)[0]).split("\n")[1] for to in (ALICE, BOB)]

    assert lines == [
        f"bob must move by 2027-02-05 08:00 UTC, in {told}.",
        f"You must move by 2027-02-05 08:00 UTC, in {told}.",
    ]


def test_nothing_of_it_is_sent_later(club: ClubByMail) -> None:
    move(club, 101, "C1 C2")
    break_down(club)
    move(club, 101, "C3 D1")
    first = club.collect()
    club.clock.seconds += 10 * DAY

    assert len(first) == 2
    assert club.collect() == []
    with club.desk.store.reading() as records:
        assert records.outbox.counts()[LetterState.WAITING] == 0


def test_a_letter_that_failed_alone_is_not_sent_after_a_newer_one(club: ClubByMail) -> None:
    move(club, 101, "C1")
    break_down(club, days=1)
    club.mail(BOB, "star move 101 bob secret-bob C2")
    club.mail(ALICE, "star move 101 alice secret-alice C3")
    letters = club.collect()
    club.clock.seconds += DAY

    (letter,) = of(letters, BOB, 101)
    assert comments_in(letter) == ["C1"]
    assert "alice plays C3." in plain(letter)
    assert club.collect() == []


def test_the_second_address_is_not_told_of_a_turn_that_was_made_from_the_first(
    club: ClubByMail,
) -> None:
    """Who answers from one address is told there alone: nothing newer waits for the other."""
    second = "bob@example.com"
    prove(club, second)
    club.mail(ALICE, "star move 101 alice secret-alice C1")
    club.mail(ALICE, "star move 102 alice secret-alice C1", "Good luck!")
    club.mail(BOB, "star move 101 bob secret-bob C2")
    club.mail(BOB, "star move 102 bob secret-bob C2")
    letters = [letter for letter in club.collect() if letter.to == second]

    (letter,) = letters
    assert letter.subject == "Star Board 102 bob"
    assert "alice writes:\n| Good luck!" in plain(letter)
    assert "turn" not in plain(letter)
    assert "mailto" not in page_of(letter)


def prove(club: ClubByMail, address: str) -> None:
    """Give bob a further address, as one that was proven."""
    with club.desk.store.writing() as records:
        bob = records.players.get(2)
        records.players.save(bob._replace(addresses=(*bob.addresses, address)))
        records.addresses.verify(bob.id, address, club.clock.now())


def test_what_is_said_beside_a_board_goes_with_it(club: ClubByMail) -> None:
    move(club, 101, "C1")
    club.mail(ALICE, "star chat 101 alice secret-alice", "One.")
    club.mail(BOB, "star chat 101 bob secret-bob", "Two.")
    (letter,) = of(club.collect(), BOB, 101)

    assert plain(letter).count("It is your turn.") == 1
    assert "C2" in Links(page_of(letter)).mails
    said = [plain(letter).index(words) for words in ("| I take C1.", "| One.", "| Two.")]
    assert said == sorted(said)


def test_several_remarks_are_one_letter(club: ClubByMail) -> None:
    for words in ("One.", "Two.\n\nThere is a comment by bob.", "Three."):
        club.mail(ALICE, "star chat 101 alice secret-alice", words)
    (letter,) = of(club.collect(), BOB, 101)

    assert plain(letter) == (
        "There is a comment by alice. It is alice's turn.\n\n"
        "alice writes:\n| One.\n\n"
        "alice writes:\n| Two.\n|\n| There is a comment by bob.\n\n"
        "alice writes:\n| Three.\n\n"
        "Chat at Star Board 101.\n"
    )


def test_that_a_board_is_new_is_told_with_the_first_move(club: ClubByMail) -> None:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3", "Hello!")
    club.mail(ALICE, "star move 104 alice secret-alice C1")
    (letter,) = of(club.collect(), BOB, 104)

    assert plain(letter).startswith("New board. There is a comment by alice. It is your turn.")
    assert "alice plays C1." in plain(letter)
    assert "| Hello!" in plain(letter)


def test_that_a_move_was_submitted_makes_no_letter_untrue(club: ClubByMail) -> None:
    move(club, 101, "C1")
    club.mail(BOB, "star submit 101 bob secret-bob C2")
    told = [plain(letter) for letter in of(club.collect(), BOB, 101)]

    assert any("It is your turn." in text and "alice plays C1." in text for text in told)


def test_two_who_share_an_address_are_both_told(club: ClubByMail) -> None:
    prove(club, ALICE)
    move(club, 101, "C1 C2")
    subjects = sorted(letter.subject for letter in club.collect() if letter.to == ALICE)

    assert subjects == ["Star Board 101 alice", "Star Board 101 bob"]


def test_what_another_sender_has_is_left_to_it(club: ClubByMail) -> None:
    move(club, 101, "C1")
    with club.desk.store.writing() as records:
        first = records.outbox.claim(club.clock.now(), limit=2)
    move_by_bob = club.mail(BOB, "star move 101 bob secret-bob C2", "Me too.")
    later = club.collect()
    with club.desk.store.writing() as records:
        for posted in first:
            records.outbox.sent(posted, club.clock.now())

    assert move_by_bob == "done"
    assert len(first) == len(later) == 2
    assert all(comments_in(letter) == [] for letter in later)
    club.clock.seconds += LEASE + FIRST_WAIT
    assert club.collect() == []


def test_several_senders_tell_every_comment_once(club: ClubByMail) -> None:
    move(club, 101, "C1 C2 C3 D1")
    move(club, 103, "C1 C2 C3")

    def claim_all() -> list[str]:
        found: list[str] = []
        while True:
            with club.desk.store.writing() as records:
                claimed = records.outbox.claim(club.clock.now())
            if not claimed:
                return found
            found += [f"{posted.letter.subject}\n{posted.letter.lead}" for posted in claimed]

    with ThreadPoolExecutor(4) as pool:
        told = [text for texts in pool.map(lambda _: claim_all(), range(4)) for text in texts]
    boards = sorted(text.split("\n")[0] for text in told)

    assert len(boards) == len(set(boards)) == 4
    assert sum(text.count("| I take C1.") for text in told) == 4


def test_other_letters_are_none_of_them(club: ClubByMail) -> None:
    for _ in range(2):
        club.mail(BOB, "message bob secret-bob alice", "Hello!")
        club.mail(ALICE, "star show 101")
    kinds = [letter.subject for letter in club.collect() if letter.to == ALICE]

    assert len(kinds) == 4

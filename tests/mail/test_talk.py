"""Talk by mail: texts travel in bodies, addresses stay hidden, who is blocked is not heard."""

from collections.abc import Iterator
from urllib.parse import unquote

import pytest

from pbmserv.desk.tick import tick
from pbmserv.store.tables import chat
from tests.databases import made_once
from tests.mail.mail_players import by_first_line, whose_turn
from tests.mail.server_by_mail import US, ClubByMail, Letter

ALICE, BOB, CAROL = (f"{userid}@example.net" for userid in ("alice", "bob", "carol"))
ADDRESSES = (ALICE, BOB, CAROL)


@pytest.fixture
@made_once
def joined(office: ClubByMail) -> ClubByMail:
    office.join("alice", "bob", "carol")
    return office


@pytest.fixture
def club(joined: ClubByMail) -> Iterator[ClubByMail]:
    yield joined
    # Whatever was said, nobody was shown the address of another.
    for letter in SEEN:
        others = [a for a in ADDRESSES if a != letter.to]
        assert not [a for a in others if a in letter.message.as_string()]
    SEEN.clear()


SEEN: list[Letter] = []


def collect(office: ClubByMail) -> dict[str, list[Letter]]:
    found: dict[str, list[Letter]] = {}
    for letter in office.collect():
        SEEN.append(letter)
        found.setdefault(letter.to, []).append(letter)
    return found


def texts(letters: list[Letter]) -> str:
    return "\n".join(letter.text.replace("\r", "") for letter in letters)


def test_a_message_goes_to_others(club: ClubByMail) -> None:
    outcome = club.mail(ALICE, "message alice secret-alice bob carol", "Hello,\n\nyou two!")
    told = collect(club)

    assert outcome == "done"
    assert {ALICE, BOB, CAROL} == told.keys()
    assert "alice writes:\n| Hello,\n|\n| you two!" in texts(told[BOB])
    assert "Sent to bob, carol." in texts(told[ALICE])
    assert "Hello" not in texts(told[ALICE])


def test_a_message_needs_a_text_and_a_player(club: ClubByMail) -> None:
    assert "no-text" == club.mail(ALICE, "message alice secret-alice bob", "> quoted\n")
    assert "no-such-player" == club.mail(ALICE, "message alice secret-alice nobody", "Hello")
    told = collect(club)
    assert {ALICE} == told.keys()
    assert "Write it as the text of your mail." in texts(told[ALICE])
    assert "standard input" not in texts(told[ALICE])


def test_a_broadcast_goes_to_all_who_take_it(club: ClubByMail) -> None:
    club.mail(BOB, "broadcast bob secret-bob off")
    collect(club)
    outcome = club.mail(ALICE, "broadcast alice secret-alice", "A tournament!")
    told = collect(club)

    assert outcome == "done"
    assert {ALICE, CAROL} == told.keys()
    assert "| A tournament!" in texts(told[CAROL])


def test_a_broadcast_is_answered_with_its_end(club: ClubByMail) -> None:
    club.mail(ALICE, "broadcast alice secret-alice", "A tournament!")
    (letter,) = collect(club)[CAROL]
    link = str(letter.message["List-Unsubscribe"])
    to = unquote(link.removeprefix("<mailto:").partition("?")[0])

    assert club.mail(CAROL, "broadcast off", to=to) == "done"
    collect(club)
    club.mail(ALICE, "broadcast alice secret-alice", "Another!")
    assert {ALICE, BOB} == collect(club).keys()


def test_a_message_is_answered_with_its_end(club: ClubByMail) -> None:
    club.mail(ALICE, "message alice secret-alice bob", "Hello!")
    (letter,) = collect(club)[BOB]
    link = unquote(str(letter.message["List-Unsubscribe"]).removeprefix("<mailto:").rstrip(">"))
    to, _, words = link.partition("?subject=")

    assert club.mail(BOB, words, to=to) == "done"
    collect(club)
    assert club.mail(ALICE, "message alice secret-alice bob", "Again!") == "blocked"


def start(club: ClubByMail) -> dict[str, list[Letter]]:
    club.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    return collect(club)


def test_chat_goes_to_players_and_watchers_and_is_kept(club: ClubByMail) -> None:
    news = start(club)
    club.mail(CAROL, "star subscribe 101 carol secret-carol")
    collect(club)
    outcome = club.reply(news[BOB][0], "chat\n\nGood luck!")
    told = collect(club)
    with club.desk.store.reading() as records:
        rows = records.connection.execute(chat.select()).all()

    assert outcome == "done"
    assert [(2, "Good luck!")] == [(row.player_id, row.text) for row in rows]
    assert {ALICE, BOB, CAROL} == told.keys()
    assert all("bob writes:\n| Good luck!" in texts(letters) for letters in told.values())


@pytest.mark.costly
@pytest.mark.parametrize("text", ["chat\n\nGood luck!", "resign", "unsubscribe"])
def test_an_older_letter_is_good_for_talk_until_the_match_ends(club: ClubByMail, text: str) -> None:
    old = start(club)[BOB][0]
    for move in ("alice secret-alice C1", "bob secret-bob C2", "alice secret-alice C3"):
        club.mail(f"{move.split()[0]}@example.net", f"star move 101 {move}")
    while_running = club.reply(old, "chat\n\nWell played.")
    club.mail(ALICE, "star resign 101 alice secret-alice")
    collect(club)

    assert "done" == while_running
    assert "stale-token" == club.reply(old, text)


@pytest.mark.costly
def test_watchers_are_told_and_leave_by_an_answer(club: ClubByMail) -> None:
    news = start(club)
    club.mail(CAROL, "star sub carol secret-carol 101")
    collect(club)
    letter = whose_turn([letter for letters in news.values() for letter in letters])
    assert letter is not None
    by_first_line(club, letter, "C2", 1)
    (watched,) = collect(club)[CAROL]
    outcomes = [club.reply(watched, "D1"), club.reply(watched, "unsubscribe")]
    collect(club)
    with club.desk.store.reading() as records:
        subscribers = records.talk.subscribers(1)

    assert outcomes == ["not-a-player", "done"]
    assert subscribers == []
    assert "You are watching this board" in watched.text


@pytest.mark.costly
def test_subscribing_to_all_and_to_none(club: ClubByMail) -> None:
    start(club)
    start(club)
    outcomes = [
        club.mail(CAROL, "star subscribe carol secret-carol all"),
        club.mail(CAROL, "star unsubscribe carol secret-carol all"),
        club.mail(CAROL, "star subscribe carol secret-carol"),
        club.mail(CAROL, "star subscribe 101 carol secret-carol 102"),
        club.mail(CAROL, "star subscribe 999 carol secret-carol"),
    ]
    answers = texts(collect(club)[CAROL])

    assert outcomes == ["done", "done", "missing-word", "surplus-word", "no-such-board"]
    assert "You now watch Star Board 101, Star Board 102." in " ".join(answers.split())
    assert "You no longer watch Star Board 101, Star Board 102." in " ".join(answers.split())


@pytest.mark.costly
def test_the_digest_comes_once_a_day_and_only_when_boards_wait(club: ClubByMail) -> None:
    club.mail(BOB, "digest bob secret-bob on")
    club.mail(CAROL, "digest carol secret-carol on")
    collect(club)
    idle = [tick(club.desk).digests, *collect(club)]
    news = start(club)
    start(club)
    for letter in news[ALICE]:
        by_first_line(club, letter, "C2", 1)
    collect(club)
    first, again = tick(club.desk).digests, tick(club.desk).digests
    told = collect(club)
    club.clock.seconds += 24 * 3600
    tomorrow = tick(club.desk).digests

    assert [0] == idle
    assert (1, 0, 1) == (first, again, tomorrow)
    assert {BOB} == told.keys()
    assert ["Your turn: 1 board"] == [letter.subject for letter in told[BOB]]
    assert "Star Board 101  move 2  bob against alice" in texts(told[BOB])
    assert "To stop it, answer with the Subject digest off." in texts(told[BOB])


def test_a_forgotten_password(club: ClubByMail) -> None:
    club.mail(ALICE, "reset alice")
    told = collect(club)
    line = next(
        line.strip() for line in texts(told[ALICE]).splitlines() if line.startswith("    reset ")
    )
    token = line.split()[2]
    outcomes = [
        club.mail(ALICE, line.replace("NEWPASSWORD", "another-one"), times=3),
        club.mail(ALICE, f"reset alice {token} yet-another"),
        club.mail(ALICE, "star showas alice secret-alice active"),
        club.mail(ALICE, "star showas alice another-one active"),
    ]
    answers = texts(collect(club)[ALICE])

    assert outcomes == ["done", "wrong-token", "wrong-login", "done"]
    assert token not in answers
    assert "another-one" not in answers


def reset_lines(told: dict[str, list[Letter]]) -> dict[str, str]:
    """Return the line that each was told to send for another password."""
    return {
        address: line.strip()
        for address, letters in told.items()
        for line in texts(letters).splitlines()
        if line.startswith("    reset ")
    }


def test_another_password_is_for_proven_addresses_in_whatever_letters_it_is_asked_for(
    club: ClubByMail,
) -> None:
    club.mail(ALICE, "add alice secret-alice second@example.org")
    club.mail("dora@example.net", "signup dora secret-dora")
    club.clock.seconds += 8 * 24 * 3600
    collect(club)
    for userid in ("Alice", "DORA"):
        club.mail(CAROL, f"reset {userid}")
    lines = reset_lines(collect(club))
    word, userid, token, _ = lines[ALICE].split()

    assert {ALICE, "dora@example.net"} == lines.keys()
    assert "wrong-token" == club.mail(CAROL, f"{word} dora {token} another-one")
    assert "done" == club.mail(CAROL, f"{word} {userid.upper()} {token.upper()} another-one")
    assert "done" == club.mail(ALICE, "star showas alice another-one active")


def test_the_answer_to_reset_is_the_same_for_everybody(club: ClubByMail) -> None:
    club.mail(CAROL, "reset alice")
    first = collect(club)
    club.mail(CAROL, "reset nobody")
    second = collect(club)
    for _ in range(5):
        club.mail(CAROL, "reset alice")
    later = collect(club)

    assert texts(first[CAROL]) == texts(second[CAROL])
    assert len(first[ALICE]) == 1
    assert len(later[ALICE]) == 2
    assert {CAROL} == second.keys()


def test_a_token_waits_nowhere(club: ClubByMail) -> None:
    club.mail(ALICE, "reset alice")
    with club.desk.store.reading() as records:
        from pbmserv.store.tables import metadata

        rows = [
            str(row)
            for table in metadata.sorted_tables
            for row in records.connection.execute(table.select())
        ]
    (letter,) = [letter for letter in club.collect() if "forgotten" in letter.subject]
    token = letter.text.split("reset alice ")[1].split()[0]

    assert len(token) == 26
    assert not [row for row in rows if token in row]
    with club.desk.store.reading() as records:
        kept = records.connection.exec_driver_sql("SELECT lead, tail FROM outbox").all()
        assert not [row for row in kept if token in str(row)]
    assert US not in token

"""Whatever is done at a board, each of its people is told once, and the audit names the board."""

from dataclasses import dataclass

import pytest

from pbmserv.club.letter import LetterKind
from pbmserv.desk.tick import tick
from pbmserv.store.tables import audit, notice, outbox
from tests.commands.passing_days import letters, live, pass_days, with_letters
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import LocalServer

pytestmark = ONE_DATABASE

PEOPLE = ("alice", "bob", "carol")


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Alice (X) and bob at Star board 101 after two moves, carol watches; all have addresses."""
    local.desk.vacation_days = lambda: 0
    with_letters(local, *PEOPLE)
    tick(local.desk)
    local.do("star challenge -size=3 -rated alice bob")
    local.play(101, "C1 C2")
    local.do("star subscribe 101 carol secret-carol")
    with_no_letters(local)
    return local


def with_no_letters(local: LocalServer) -> None:
    """Have all letters leave."""
    with local.desk.store.writing() as records:
        records.connection.execute(outbox.delete())


def open_again(local: LocalServer) -> None:
    """Have what the fixture said of the door hold in a copy of its database too."""
    local.desk.vacation_days = lambda: 0
    local.desk.writes_letters = lambda: True


def told(local: LocalServer) -> dict[str, int]:
    """Return how many letters each has, and take them away."""
    found = {userid: len(letters(local, userid)) for userid in PEOPLE}
    with_no_letters(local)
    return {userid: count for userid, count in found.items() if count}


ALL = {"alice": 1, "bob": 1, "carol": 1}


@pytest.mark.parametrize(
    "lines",
    [
        ["star move 101 alice secret-alice C3"],
        ["star move 101 alice secret-alice pass", "star move 101 bob secret-bob pass"],
        ["star move 101 alice secret-alice propose", "star move 101 bob secret-bob accept"],
        ["star move 101 alice secret-alice propose 3-2", "star move 101 bob secret-bob reject"],
        ["star move 101 bob secret-bob undo", "star move 101 alice secret-alice accept"],
        ["star resign 101 alice secret-alice"],
    ],
    ids=lambda lines: lines[-1].split()[-1],
)
def test_everybody_has_one_letter_for_each_thing_that_is_done(
    club: LocalServer, lines: list[str]
) -> None:
    open_again(club)
    for line in lines:
        club.do(line)
        actor = line.split()[3]
        found = told(club)
        readers = set(found) | {actor}

        assert set(PEOPLE) == readers
        assert {1} == set(found.values())


def test_what_is_said_reaches_all_but_who_blocks_the_speaker(club: LocalServer) -> None:
    open_again(club)
    club.do("star chat 101 alice secret-alice -text=hello")
    assert {"bob": 1, "carol": 1}.items() <= told(club).items()
    club.do("block carol secret-carol alice")
    club.do("star chat 101 alice secret-alice -text=hello")
    after = told(club)

    assert 1 == after["bob"]
    assert "carol" not in after
    with club.desk.store.reading() as records:
        rows = records.connection.execute(notice.select().order_by(notice.c.id)).all()
    words = [row.text for row in rows if "hello" in row.text]
    assert 3 == len(words)
    assert {"alice at Star Board 101: hello"} == set(words)


def test_what_the_clock_does_beside_a_change_is_told_once_and_in_letters_of_its_own(
    club: LocalServer,
) -> None:
    open_again(club)
    live(club, 6)
    with_no_letters(club)
    pass_days(club, 1.25)
    club.do("star chat 101 bob secret-bob -text=hurry")
    reminders = letters(club, "alice", LetterKind.REMINDER)

    assert 1 == len(reminders)
    assert "hurry" not in reminders[0]
    assert 1 == sum("hurry" in text for text in letters(club, "alice"))
    assert [] == letters(club, "bob", LetterKind.REMINDER)
    assert [] == letters(club, "carol", LetterKind.REMINDER)


def test_of_a_long_message_two_hundred_characters_are_news(club: LocalServer) -> None:
    texts = ("x" * 99 + " " + "y" * 100, "x" * 99 + " " + "y" * 101, "one\n two")
    for text in texts:
        club.do("message alice secret-alice bob -", text)
    news = [one["text"] for one in club.json("news bob secret-bob")["news"]]
    told = [text for text in news if text.startswith("alice writes: ")]

    assert told == [
        f"alice writes: {texts[0]}",
        f"alice writes: {'x' * 99} ...",
        "alice writes: one two",
    ]


def test_who_is_late_and_comes_at_last_is_not_reminded_then(club: LocalServer) -> None:
    open_again(club)
    live(club, 6)
    pass_days(club, 1.25)
    with_no_letters(club)
    club.move(101, "alice", "C3")

    assert [] == letters(club, "alice", LetterKind.REMINDER)


def test_letters_say_until_when_to_move_while_there_is_a_move_to_make(club: LocalServer) -> None:
    open_again(club)
    pass_days(club, 1)
    club.move(101, "alice", "C3")
    for userid in PEOPLE[1:]:
        assert "2027-02-06 08:00 UTC" in letters(club, userid)[-1]
    with_no_letters(club)
    club.do("star resign 101 bob secret-bob")
    for userid in (*PEOPLE[:1], PEOPLE[2]):
        assert "2027-02" not in letters(club, userid)[-1]


def test_a_rated_game_tells_both_ratings_where_it_counts(club: LocalServer) -> None:
    open_again(club)
    club.do("star resign 101 bob secret-bob")
    text = letters(club, "carol")[-1]
    lines = [line for line in text.splitlines() if line.startswith("Ratings: ")]

    assert 1 == len(lines)
    assert "alice" in lines[0]
    assert "bob" in lines[0]
    standings = {row["userid"]: row for row in club.json("star standings")["standings"]}
    assert standings["alice"]["rating"] > 1500 > standings["bob"]["rating"]
    club.do("star challenge -size=3 -unrated alice bob")
    club.play(102, "C1 C2")
    club.do("star subscribe 102 carol secret-carol")
    with_no_letters(club)
    club.do("star resign 102 bob secret-bob")
    assert "Ratings" not in letters(club, "carol")[-1]
    assert standings == {row["userid"]: row for row in club.json("star standings")["standings"]}


@dataclass(frozen=True)
class Noted:
    """What the audit says of a line: what was done, and at which board."""

    verb: str
    detail: str
    is_at_board: bool


def noted(local: LocalServer) -> list[Noted]:
    with local.desk.store.reading() as records:
        rows = records.connection.execute(audit.select().order_by(audit.c.id)).all()
    return [Noted(row.verb, row.detail, row.match_id is not None) for row in rows]


@pytest.mark.costly
def test_the_audit_names_the_board_of_all_that_happens_at_one(club: LocalServer) -> None:
    open_again(club)
    club.desk.vacation_days = lambda: 1
    club.do("star queue 101 bob secret-bob C3:B2")
    club.move(101, "alice", "C3")
    club.do("star queue 101 alice secret-alice D2:D3")
    club.move(101, "alice", "B3")
    live(club, 30)
    found = noted(club)
    by_verb = {each.verb: each for each in found}

    assert by_verb["planned"].detail.startswith("bob B2")
    assert {"queue", "planned", "forfeit", "vacation"} <= by_verb.keys()
    for verb in ("queue", "planned", "plan dropped", "forfeit", "vacation", "move"):
        lines = [each for each in found if each.verb == verb]
        assert all(each.is_at_board for each in lines), verb
    assert [Noted("vacation", "automatic", True)] == [
        each for each in found if each.verb == "vacation"
    ]
    assert [Noted("forfeit", "time", True)] == [each for each in found if each.verb == "forfeit"]


def test_a_plan_that_fails_is_told_to_its_owner_alone(club: LocalServer) -> None:
    open_again(club)
    club.do("star queue 101 bob secret-bob D1:D2")
    club.move(101, "alice", "D2")
    texts = {userid: "\n".join(letters(club, userid)) for userid in PEOPLE}
    dropped = [each for each in noted(club) if each.verb == "plan dropped"]

    assert "plan" in texts["bob"].lower()
    assert "plan" not in texts["carol"].lower()
    assert [("bob", True)] == [(each.detail, each.is_at_board) for each in dropped]


def test_a_cancelled_tournament_is_told_once_to_each_who_has_to_do_with_it(
    club: LocalServer,
) -> None:
    open_again(club)
    club.do('tournament create alice secret-alice star "Cup" -size=3 -start=2027-01-17')
    club.do("tournament join 1 bob secret-bob")
    with_no_letters(club)
    live(club, 7)
    for userid in ("alice", "bob"):
        texts = [text for text in letters(club, userid) if "cancelled" in text]
        assert 1 == len(texts)
    assert not any("cancelled" in text for text in letters(club, "carol"))


def test_only_those_who_play_or_watch_can_be_silent_at_a_board(club: LocalServer) -> None:
    open_again(club)
    club.sign_up("dora")

    assert "not-a-player" == club.code("star notify dora secret-dora 101")
    club.do("star notify carol secret-carol 101")
    club.move(101, "alice", "C3")
    assert "carol" not in told(club)
    club.do("star resign 101 bob secret-bob")
    assert 1 == told(club)["carol"]


CLOSED = [
    "UPDATE address SET is_trusted = 0, verified_at = NULL",
    "UPDATE address SET stopped_at = 1",
    "UPDATE address SET verified_at = 1, stopped_at = 1",
]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("statement", CLOSED)
def test_nothing_leaves_for_an_address_that_is_not_proven_or_is_stopped(
    club: LocalServer, statement: str
) -> None:
    open_again(club)
    club.do('tournament create alice secret-alice star "Cup" -size=3 -start=2027-01-17')
    club.do("tournament join 1 bob secret-bob")
    club.damage(statement)
    with_no_letters(club)
    club.do("star queue 101 bob secret-bob D1:D2")
    club.move(101, "alice", "D2")  # the plan is dropped
    club.do("star chat 101 alice secret-alice -text=hello")
    live(club, 9)  # a tournament is cancelled, a player reminded
    club.do("star resign 101 alice secret-alice")

    assert {} == told(club)


def test_what_is_proven_hears_again(club: LocalServer) -> None:
    open_again(club)
    club.damage("UPDATE address SET is_trusted = 0, verified_at = 1")
    club.move(101, "alice", "C3")

    assert {"bob": 1, "carol": 1} == {
        userid: count for userid, count in told(club).items() if userid != "alice"
    }

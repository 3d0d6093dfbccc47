"""Words between players without mail, the news that tells of them, and who is who."""

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.notices import NoticeKind
from pbmserv.club.player import PlayerStatus
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.messages import MAX_LENGTH
from pbmserv.desk.tick import tick
from tests.databases import made_once
from tests.desk.mail_desk import MailDesk
from tests.local_server import DAY, NOW, LocalServer, cheap_hash


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """A server with alice and bob at board 101, and carol."""
    local.start()
    local.sign_up("carol")
    return local


def told(answer: Answer) -> list[str]:
    """Return the texts of the notices that come with an answer."""
    return [notice.text for notice in answer.notices or ()]


def signed(userid: str) -> str:
    return f"{userid} secret-{userid}"


def test_chat_is_said_and_read_without_mail(club: LocalServer) -> None:
    club.do(f'star chat 101 {signed("alice")} -text="Good luck!"')
    club.do(f"star chat 101 {signed('bob')} -", "Thank\nyou!\n")
    answer = club.do(f"star chat 101 {signed('bob')}")

    assert answer.blocks == (
        "2027-01-15 08:00 UTC, alice:\n| Good luck!",
        "2027-01-15 08:00 UTC, bob:\n| Thank\n| you!",
    )
    assert answer.document["remarks"] == [
        {"at": NOW, "by": "alice", "text": "Good luck!"},
        {"at": NOW, "by": "bob", "text": "Thank\nyou!"},
    ]


def test_what_is_said_stands_in_the_line_as_it_is_spoken(club: LocalServer) -> None:
    club.do(f"star chat 101 {signed('alice')} tell me: size=7 or 10:30?")
    club.do(f"message {signed('alice')} bob carol: good luck at 10:30")
    club.do(f"message {signed('alice')} carol :see you")
    club.desk.tree = root(SHELL, shell_families())
    club.do("admin announce See you tonight")

    assert club.text(f"star chat 101 {signed('bob')}").endswith("| tell me: size=7 or 10:30?")
    assert club.text(f"messages {signed('bob')}").endswith("alice to bob:\n| good luck at 10:30")
    heard = club.do(f"messages {signed('carol')}").document["messages"]
    assert {"good luck at 10:30", "see you"} == {said["text"] for said in heard}
    assert "See you tonight" in club.text(f"news {signed('carol')}")
    assert club.code(f"star chat 101 {signed('alice')} hi -text=hello") == "mixed-words"
    assert club.code(f"message {signed('alice')} : hello") == "missing-word"


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("star chat 101 {} secret-alice", ""),
        ("star chat 101 {} secret-alice good luck", ""),
        ("star chat 101 {} -text='secret-alice'", ""),
        ("star chat 101 {} -", " secret-alice\nhello\n"),
        ("message {} bob: secret-alice", ""),
        ("message {} bob -", "secret-alice"),
        ("broadcast {} -text=secret-alice", ""),
        ("star move 101 {} D1 -comment=secret-alice", ""),
    ],
)
def test_nobody_publishes_their_password(club: LocalServer, line: str, body: str) -> None:
    before = club.tables()
    refused = club.code(line.format(signed("alice")), body)

    assert refused == "password-said"
    assert before == club.tables()


def test_a_message_without_a_colon_is_told_where_it_stands(club: LocalServer) -> None:
    error = club.refusal(f"message {signed('alice')} bob good luck")

    assert error.code == "no-such-player"
    assert error.advice == "Write a colon before the text, as in: message me bob: hello"


@pytest.mark.parametrize("line", ["message {} bob: -", "message {} bob -", "broadcast {} -"])
def test_where_standard_input_is_empty_it_is_told_as_what_a_dash_reads(
    club: LocalServer, line: str
) -> None:
    error = club.refusal(line.format(signed("alice")))

    assert error.code == "no-text"
    assert "A dash (-) reads it from standard input." in error.advice


def test_reading_the_chat_writes_nothing(club: LocalServer) -> None:
    before = club.tables(but=())
    text = club.text(f"star chat 101 {signed('alice')}")

    assert text == "No chat on this board yet."
    assert club.tables(but=()) == before


def test_who_neither_plays_nor_watches_reads_no_chat(club: LocalServer) -> None:
    denied = club.code(f"star chat 101 {signed('carol')}")
    club.do(f"star subscribe 101 {signed('carol')}")

    assert denied == "not-your-board"
    assert club.text(f"star chat 101 {signed('carol')}") == "No chat on this board yet."


def test_show_tells_the_last_remarks_to_those_at_the_board_alone(club: LocalServer) -> None:
    for word in ("one", "two", "three", "four"):
        club.do(f"star chat 101 {signed('alice')} -text={word}")
    own = club.do(f"star showas {signed('bob')} 101")
    other = club.do(f"star showas {signed('carol')} 101")

    assert [line["text"] for line in own.document["remarks"]] == ["two", "three", "four"]
    assert "2027-01-15 08:00 UTC, alice:\n| four" in own.blocks
    assert other.document["remarks"] is None
    assert club.show(101)["remarks"] is None
    assert "| four" not in club.text("star show 101")


def test_a_comment_goes_with_a_move(club: LocalServer) -> None:
    club.do(f'star move 101 {signed("alice")} C1 -comment="Your turn, bob."')
    moved = club.do(f"star move 101 {signed('bob')} C2")

    assert told(moved) == ["alice at Star Board 101: Your turn, bob."]
    assert club.text(f"star chat 101 {signed('bob')}").endswith("| Your turn, bob.")
    assert club.show(101)["moves"] == ["C1", "C2"]


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", "move 101 {} C3"),
        ("C2", "swap 101 {}"),
        ("", "resign 101 {}"),
        ("C2", "move 101 {} undo"),
    ],
)
def test_what_is_said_beside_a_turn_is_kept_and_told_to_the_other(
    club: LocalServer, before: str, line: str
) -> None:
    club.start("-size=3")
    club.play(101, before)
    actor = "bob" if "swap" in line else "alice"
    other = "alice" if actor == "bob" else "bob"
    club.do(f"star {line.format(signed(actor))} -comment='so be it'")

    assert [f"{actor} at Star Board 101: so be it"] == told(club.do(f"digest {signed(other)} off"))
    said = club.do(f"star chat 101 {signed(other)}").document["remarks"]
    assert [(actor, "so be it")] == [(each["by"], each["text"]) for each in said]
    assert [] == told(club.do(f"digest {signed(actor)} off"))
    assert [] == club.do(f"star chat 102 {signed(other)}").document["remarks"]


@pytest.mark.parametrize("words", ["", "hello", "hello there"])
def test_by_mail_its_text_is_said_behind_the_last_words(club: LocalServer, words: str) -> None:
    office = MailDesk(club)
    club.do(f"add {signed('alice')} alice@example.org")
    line = f"star chat 101 {signed('alice')} {words}".rstrip()

    assert "done" == office.mail("alice@example.org", line, comment="second\nthird")
    (said,) = club.do(f"star chat 101 {signed('bob')}").document["remarks"]
    assert "\n".join([*[words] * bool(words), "second", "third"]) == said["text"]


def test_a_mail_with_a_move_may_be_longer_than_what_is_kept_of_it(club: LocalServer) -> None:
    office = MailDesk(club)
    club.do(f"add {signed('alice')} alice@example.org")
    line = f"star move 101 {signed('alice')} C3"

    assert "done" == office.mail("alice@example.org", line, comment="x" * (MAX_LENGTH + 1))
    (said,) = club.do(f"star chat 101 {signed('bob')}").document["remarks"]
    assert "x" * MAX_LENGTH == said["text"]
    assert "text-too-long" == club.code(f"star chat 101 {signed('bob')} -", "x" * (MAX_LENGTH + 1))


def test_a_refused_move_says_nothing(club: LocalServer) -> None:
    assert club.code(f"star move 101 {signed('bob')} C1 -comment=hello") == "not-your-turn"
    assert club.text(f"star chat 101 {signed('bob')}") == "No chat on this board yet."


def test_a_message_is_read_without_mail(club: LocalServer) -> None:
    club.do(f'message {signed("alice")} bob carol -text="A game?"')
    noticed = told(club.do(f"account {signed('bob')}"))
    read = club.do(f"messages {signed('bob')}")

    assert (noticed, told(read)) == (["alice writes: A game?"], [])
    assert read.blocks == ("2027-01-15 08:00 UTC, alice to bob:\n| A game?",)
    assert [m["to"] for m in club.json(f"messages {signed('alice')}")["messages"]] == [
        "bob",
        "carol",
    ]
    assert club.text(f"messages {signed('carol')}").count("A game?") == 1


def test_a_blocked_player_reaches_nobody(club: LocalServer) -> None:
    club.do(f"block {signed('bob')} alice")
    club.do(f"star chat 101 {signed('alice')} -text=hello")

    assert club.code(f"message {signed('alice')} bob -text=hello") == "blocked"
    assert told(club.do(f"account {signed('bob')}")) == []


def test_a_broadcast_is_noticed_by_all_others_who_take_it(club: LocalServer) -> None:
    club.do(f"broadcast {signed('carol')} off")
    said = club.do(f"broadcast {signed('alice')} -text=Tournament!")

    assert (said.blocks, told(said)) == (("Sent to 1 player.",), [])
    assert told(club.do(f"account {signed('bob')}")) == ["alice writes to everybody: Tournament!"]
    for userid in ("alice", "carol"):
        assert told(club.do(f"account {signed(userid)}")) == []


def test_news_is_told_after_every_command_until_it_is_read(club: LocalServer) -> None:
    club.do(f"message {signed('alice')} bob -text=hello")
    before = [told(club.do(f"star showas {signed('bob')}")) for _ in range(2)]
    news = club.do(f"news {signed('bob')}")
    after = club.do(f"star showas {signed('bob')}")

    assert before == [["alice writes: hello"]] * 2
    assert news.blocks == ("2027-01-15 08:00 UTC, message:\nalice writes: hello",)
    assert news.document["news"] == [
        {"kind": "message", "at": NOW, "text": "alice writes: hello", "game": None, "board": None}
    ]
    assert (told(news), told(after)) == ([], [])
    assert club.text(f"news {signed('bob')}") == "No news."


def test_looking_with_unread_news_writes_nothing(club: LocalServer) -> None:
    club.do(f"message {signed('alice')} bob -text=hello")
    before = club.tables(but=())
    for line in ("account", "star showas"):
        club.do(f"{line} {signed('bob')}")

    assert club.tables(but=()) == before


def test_who_did_not_sign_is_told_nothing(club: LocalServer) -> None:
    club.do(f"message {signed('alice')} bob -text=hello")

    assert club.do("star show 101").notices is None


@pytest.mark.costly
def test_everybody_is_warned_in_the_shell_before_they_forfeit(club: LocalServer) -> None:
    # Nobody here has mail. The warning is there at least three days before the end.
    with club.desk.store.reading() as records:
        days_left = 30
    warned_at = None
    for _ in range(21 + days_left + 4):
        club.clock.seconds += DAY
        tick(club.desk)
        with club.desk.store.reading() as records:
            unread = records.notices.unread(1)
        warnings = [n for n in unread if "forfeited" in n.text]
        if warnings and warned_at is None:
            warned_at = club.clock.seconds
        if club.show(101)["status"] != "running":
            break
    shown = club.show(101)

    assert (shown["status"], shown["reason"]) == ("removed", "declined")
    assert warned_at is not None
    assert club.clock.seconds - warned_at >= 3 * DAY


def test_a_reminder_is_forgotten_when_the_move_is_made(club: LocalServer) -> None:
    club.clock.seconds += 8 * DAY
    tick(club.desk)
    before = club.do(f"account {signed('alice')}")
    after = club.do(f"star move 101 {signed('alice')} C1")

    assert [notice.kind for notice in before.notices or ()] == [NoticeKind.REMINDER]
    assert told(before)[0].startswith("It is your turn at Star Board 101.")
    assert told(after) == []


@pytest.mark.parametrize(
    ("toucher", "touch", "is_told"),
    [
        ("bob", "chat 101 {} -text=Hello!", True),
        ("bob", "move 101 {} propose", True),
        ("alice", "queue 101 {} none", False),
    ],
)
def test_who_is_late_is_reminded_whatever_the_opponent_does_meanwhile(
    club: LocalServer, toucher: str, touch: str, *, is_told: bool
) -> None:
    club.clock.seconds += 8 * DAY
    club.do(f"star {touch.format(signed(toucher))}")
    news = club.do(f"account {signed('alice')}").notices or ()

    assert [NoticeKind.REMINDER] * is_told == [
        n.kind for n in news if n.kind is NoticeKind.REMINDER
    ]


def test_nobody_hears_their_own_words_as_news(club: LocalServer) -> None:
    club.do(f"star subscribe 101 {signed('carol')}")
    for speaker in ("alice", "carol"):
        club.do(f"star chat 101 {signed(speaker)} -text=hello")

    assert told(club.do(f"account {signed('alice')}")) == ["carol at Star Board 101: hello"]
    assert told(club.do(f"account {signed('carol')}")) == ["alice at Star Board 101: hello"]
    assert len(told(club.do(f"account {signed('bob')}"))) == 2


def test_invisible_characters_are_left_out_of_a_message(club: LocalServer) -> None:
    club.do(f"message {signed('alice')} bob -", "hello\u202e\u200b you")

    assert told(club.do(f"account {signed('bob')}")) == ["alice writes: hello you"]


def test_an_account_shows_its_own_settings(club: LocalServer) -> None:
    club.do(f"star limit {signed('alice')} 5")
    club.do(f"hex reject {signed('alice')}")
    club.do(f"digest {signed('alice')} on")
    club.do(f"block {signed('alice')} carol")
    club.do(f"vacation {signed('alice')} 3")
    club.do(f"add {signed('alice')} alice@example.org")
    text = club.text(f"account {signed('alice')}")
    shown = club.json(f"account {signed('alice')}")
    games = {row["game"]: row for row in shown["games"]}

    assert "Mail:        once a day" in text
    assert "Blocked:     carol" in text
    assert "Vacation:    27 of 30 days left this year, away until 2027-01-18 08:00 UTC" in text
    assert "alice@example.org: verified" in text
    assert shown["vacation"] == {
        "left": 27,
        "days": 30,
        "until": NOW + 3 * DAY,
        "auto": True,
    }
    assert games["star"] == {"game": "star", "accepts": True, "limit": 5, "running": 1}
    assert games["hex"]["accepts"] is False


def test_the_members_are_listed(club: LocalServer) -> None:
    club.do(f"signoff {signed('carol')}")

    assert [row["userid"] for row in club.json("players")["players"]] == ["alice", "bob"]
    assert [row["userid"] for row in club.json("players LI")["players"]] == ["alice"]
    assert club.text("players x%") == "No userid contains that text."
    assert club.text("players b").splitlines()[1].split() == ["bob", "2027-01-15"]


def test_the_operator_reads_the_chat_of_a_board_and_removes_a_remark(club: LocalServer) -> None:
    club.desk.tree = root(SHELL, shell_families())
    club.do(f"star chat 101 {signed('alice')} -text=hello")
    club.do(f"star chat 101 {signed('bob')} -text=dreadful")
    chat = club.text("admin chat star 101")
    club.do("admin remark remove 2")

    assert chat == (
        "Chat line 1, 2027-01-15 08:00 UTC, alice:\n| hello\n\n"
        "Chat line 2, 2027-01-15 08:00 UTC, bob:\n| dreadful"
    )
    assert "dreadful" not in repr(club.tables(but=()))
    assert told(club.do(f"star showas {signed('bob')} 101")) == ["alice at Star Board 101: hello"]
    assert club.code("admin remark remove 2") == "no-such-remark"


def test_a_player_reads_all_that_is_stored_of_them_and_no_secret(club: LocalServer) -> None:
    for line in (
        f"add {signed('alice')} a@home.example",
        f"message {signed('alice')} bob -text=My-own-words",
        f"message {signed('bob')} carol -text=Not-for-alice",
        f"block {signed('bob')} alice",
        f"star queue 101 {signed('bob')} D3",
    ):
        club.do(line)
    text = club.text(f"account export {signed('alice')}")
    document = club.json(f"account EXPORT {signed('alice')}")

    assert document["tables"]["message"][0]["reader"] == "bob"
    assert document["tables"]["match"][0]["x"] == "alice"
    assert {"player", "address", "message", "match", "audit"} <= document["tables"].keys()
    assert "block" not in document["tables"]
    for word, is_there in (
        ("a@home.example", True),
        ("My-own-words", True),
        ("2027-01-15 08:00 UTC", True),
        ("Not-for-alice", False),
        ("D3", False),
        (cheap_hash("secret-alice"), False),
    ):
        assert (word in text, word in repr(document) or "UTC" in word) == (is_there, is_there)
    assert club.code("account export alice secret-wrong") == "wrong-login"


@pytest.mark.parametrize("count", [200, 201])
def test_a_long_list_of_members_says_what_it_leaves_out(local: LocalServer, count: int) -> None:
    with local.desk.store.writing() as records:
        for number in range(count):
            userid = f"member{number:03}"
            records.players.add(userid, None, [], status=PlayerStatus.ACTIVE, now=NOW)
    listed = local.json("players")
    found = local.json("players 199")

    assert (len(listed["players"]), listed["more"]) == (200, count > 200)
    assert ("... and more; 200 are shown." in local.text("players")) == (count > 200)
    assert (len(found["players"]), found["more"]) == (1, False)

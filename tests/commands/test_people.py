"""People: who takes challenges, how many boards, seeking, rematches and boards from positions."""

import threading

import pytest

from pbmserv.commands.answer import Answer
from pbmserv.desk.request import Request
from pbmserv.errors import PbmservError
from pbmserv.services.session import Source
from tests.databases import made_once
from tests.local_server import LocalServer, text_of


def say(local: LocalServer, line: str) -> str:
    """Do a command of alice's, her userid and password put behind its verb."""
    verb, _, rest = line.partition(" ")
    return local.text(f"star {verb} alice secret-alice {rest}")


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    local.sign_up("alice", "bob", "carol")
    return local


def test_no_challenges_until_they_are_accepted_again(club: LocalServer) -> None:
    assert "Star: alice does not accept challenges" in say(club, "reject")
    refusal = club.refusal("star challenge bob alice")

    assert (refusal.code, refusal.message) == (
        "challenge-refused",
        "alice does not accept challenges in Star.",
    )
    assert club.json("y challenge bob alice")["board"] == 101
    assert club.json("star accept alice secret-alice") == {"accepts": True, "limit": None}
    assert club.json("star challenge bob alice")["board"] == 101


def test_a_limit_counts_running_boards_of_the_game(club: LocalServer) -> None:
    club.json("y challenge alice bob")
    club.json("star limit alice secret-alice 2")
    club.json("star challenge alice bob")
    club.json("star challenge carol alice")
    refusal = club.refusal("star challenge alice carol")
    club.do("star resign 102 alice secret-alice")

    assert refusal.message == "alice has 2 running Star boards; the limit is 2."
    assert club.json("star challenge alice carol")["board"] == 103
    assert club.json("star limit alice secret-alice none") == {"accepts": True, "limit": None}
    assert club.json("star challenge alice carol")["board"] == 104


def test_a_board_against_oneself_counts_once_and_needs_no_welcome(club: LocalServer) -> None:
    say(club, "reject")
    say(club, "limit 2")

    assert club.json("star challenge alice alice")["board"] == 101
    assert club.json("star challenge alice alice")["board"] == 102
    assert club.code("star challenge alice alice") == "challenge-refused"


def test_nobody_blocks_himself(club: LocalServer) -> None:
    assert club.code("block alice secret-alice ALICE") == "own-block"
    assert club.json("star challenge alice alice")["board"] == 101


def test_one_board_is_no_boards(club: LocalServer) -> None:
    assert say(club, "limit 1").endswith("challenges; at most 1 running board.")
    assert say(club, "limit 2").endswith("challenges; at most 2 running boards.")
    assert say(club, "limit none").endswith("challenges; no limit on boards.")


def test_all_reasons_are_told_together(club: LocalServer) -> None:
    club.start(x="alice", o="carol")
    say(club, "limit 1")
    say(club, "reject")
    with club.desk.store.writing() as records:
        alice, bob = (records.players.find(userid) for userid in ("alice", "bob"))
        assert alice is not None
        assert bob is not None
        records.talk.block(bob.id, alice.id)
    refusal = club.refusal("star challenge alice bob")

    assert refusal.message == (
        "alice does not accept challenges in Star. alice has 1 running Star board; the "
        "limit is 1. One of these players does not accept challenges from the other."
    )


def test_who_asks_by_mail_need_not_take_challenges_himself(club: LocalServer) -> None:
    club.do("add alice secret-alice alice@example.org")
    say(club, "reject")

    def ask(words: str) -> Answer:
        request = Request(tuple(words.split()), Source.MAIL, sender="ALICE@example.org")
        return club.desk.handle(request)

    assert ask("star challenge alice bob").document["board"] == 101

    club.do("star reject bob secret-bob")
    with pytest.raises(PbmservError) as caught:
        ask("star challenge alice bob")

    assert caught.value.message == "bob does not accept challenges in Star."


@pytest.mark.parametrize("word", ["-1", "10000", "some", "1.5"])
def test_a_limit_is_a_number_or_none(club: LocalServer, word: str) -> None:
    assert club.code(f"star limit alice secret-alice {word}") == "bad-number"


def test_a_limit_and_challenges_are_each_changed_alone_and_in_one_game(club: LocalServer) -> None:
    own, others = (
        "alice secret-alice",
        ("hex limit alice secret-alice", "star limit bob secret-bob"),
    )
    asked = [club.json(line) for line in others]

    assert {"accepts": True, "limit": 2} == club.json(f"star limit {own} 2")
    assert {"accepts": False, "limit": 2} == club.json(f"star reject {own}")
    assert {"accepts": False, "limit": 5} == club.json(f"star limit {own} 5")
    assert {"accepts": False, "limit": 5} == club.json(f"star limit {own}")
    assert {"accepts": True, "limit": 5} == club.json(f"star accept {own}")
    assert {"accepts": True, "limit": None} == club.json(f"star limit {own} INF")
    assert [{"accepts": True, "limit": None}] * 2 == asked == [club.json(line) for line in others]


@pytest.mark.parametrize("verb", ["limit", "accept", "reject", "seek", "notify"])
def test_nobody_decides_for_another(club: LocalServer, verb: str) -> None:
    word = "3" if verb in {"limit", "seek"} else ""

    assert club.code(f"star {verb} alice secret-bob {word}") == "wrong-login"


def test_limits_hold_against_challenges_at_the_same_moment(club: LocalServer) -> None:
    say(club, "limit 3")
    servers = [LocalServer(club.url) for _ in range(4)]
    ended: list[bool] = []

    def challenge(local: LocalServer) -> None:
        for _ in range(3):
            try:
                local.do("star challenge bob alice")
                ended.append(True)
            except PbmservError:
                ended.append(False)

    threads = [threading.Thread(target=challenge, args=(local,)) for local in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for local in servers:
        local.desk.close()

    assert (ended.count(True), len(ended)) == (3, 12)
    assert len(club.json("star games alice")["matches"]) == 3


def test_a_seek_is_listed_and_taken_up(club: LocalServer) -> None:
    say(club, "seek 2 -size=7 -maxi")
    (listed,) = club.json("list")["seeks"]
    board = club.json("star challenge bob anyone")

    assert listed == {
        "game": "star",
        "userid": "alice",
        "wanted": 2,
        "options": {"size": 7, "maxi": True, "corners": 3, "komi": 0, "noswap": False},
        "rated": True,
        "limits": "7/21",
        "since": club.clock.now(),
    }
    assert (board["players"], board["options"]["size"]) == ({"X": "bob", "O": "alice"}, 7)
    assert [seek["wanted"] for seek in club.json("list")["seeks"]] == [1]
    assert "alice" in club.text("list star")
    assert club.json("list y")["seeks"] == []

    club.do("star challenge anyone bob")

    assert club.show(102)["players"] == {"X": "alice", "O": "bob"}
    assert club.json("list")["seeks"] == []
    assert club.code("star challenge bob anyone") == "no-seeker"


def as_player(local: LocalServer, userid: str, line: str) -> None:
    local.desk.handle(Request(tuple(line.split()), acts_as=userid))


@pytest.mark.parametrize("players", ["bob alice", "alice bob", "me Alice"])
def test_a_challenge_that_is_what_somebody_seeks_answers_it(
    club: LocalServer, players: str
) -> None:
    say(club, "seek 2 -size=7 -maxi -forfeittime=14")
    club.do("star seek carol secret-carol 1 -size=7 -maxi -forfeittime=14")
    as_player(club, "bob", f"star challenge {players} -maxi -size=7 -forfeittime=14")

    assert {"alice": 1, "carol": 1} == wanted(club)


@pytest.mark.parametrize(
    ("userid", "line"),
    [
        ("bob", "star challenge bob alice -size=7"),
        ("bob", "star challenge bob alice -size=7 -maxi -forfeittime=15"),
        ("bob", "star challenge bob alice -size=7 -maxi -forfeittime=14 -unrated"),
        ("bob", "star challenge bob carol -size=7 -maxi -forfeittime=14"),
        ("alice", "star challenge alice bob -size=7 -maxi -forfeittime=14"),
    ],
)
def test_any_other_challenge_answers_no_search(club: LocalServer, userid: str, line: str) -> None:
    say(club, "seek 2 -size=7 -maxi -forfeittime=14")
    as_player(club, userid, line)
    club.do("star challenge bob alice -size=7 -maxi -forfeittime=14")  # by nobody in particular

    assert {"alice": 2} == wanted(club)


def wanted(local: LocalServer) -> dict[str, int]:
    return {seek["userid"]: seek["wanted"] for seek in local.json("list")["seeks"]}


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("options", "is_rated"),
    [("-size=6", True), ("-size=6 -unrated", False), ("-size=6 -handicap=2", False)],
)
def test_whether_a_board_counts_is_said_before_it_begins(
    club: LocalServer, options: str, *, is_rated: bool
) -> None:
    sought = club.json(f"starstar seek alice secret-alice 1 {options}")["seeks"]
    boards = [
        club.json(f"starstar challenge {players}")
        for players in ("bob anyone", f"alice bob {options}", f"bob carol {options}")
    ]

    club.game = "starstar"
    ended = [club.play(board["board"], "pass pass") for board in boards]

    assert [seek["rated"] for seek in sought] == [is_rated]
    assert [board["ratings"] is not None for board in ended] == [is_rated] * 3


def test_the_oldest_fitting_seeker_comes_first(club: LocalServer) -> None:
    club.do("star seek alice secret-alice 1 -size=5")
    club.do("star seek bob secret-bob 1 -size=4")
    club.sign_up("dora")

    assert club.json("star challenge dora anyone -size=4")["players"]["O"] == "bob"
    assert club.code("star challenge dora anyone -size=4") == "no-seeker"
    assert club.code("star challenge alice anyone") == "no-seeker"
    assert club.json("star challenge dora anyone")["players"]["O"] == "alice"


def test_a_seek_is_replaced_kept_in_its_place_and_ended(club: LocalServer) -> None:
    say(club, "seek 1 -size=5")
    club.do("star seek bob secret-bob 1 -size=5")
    say(club, "seek 3 -size=5 -unrated")
    say(club, "seek 1 -size=6")
    seeks = club.json("list")["seeks"]

    assert [(s["userid"], s["options"]["size"], s["wanted"], s["rated"]) for s in seeks] == [
        ("alice", 5, 3, False),
        ("bob", 5, 1, True),
        ("alice", 6, 1, True),
    ]
    assert club.json("star challenge carol anyone -unrated")["players"]["O"] == "alice"
    assert club.json("star seek alice secret-alice none") == {"seeks": []}
    assert [seek["userid"] for seek in club.json("list")["seeks"]] == ["bob"]


def test_who_stops_seeking_in_one_game_is_sought_in_the_others(club: LocalServer) -> None:
    for line in ("star seek alice secret-alice 2", "star seek bob secret-bob 2"):
        club.do(line)
    for game in ("hex", "y"):
        club.do(f"{game} seek alice secret-alice 2")
    club.do("star seek alice secret-alice none")

    assert [("hex", "alice"), ("star", "bob"), ("y", "alice")] == sorted(
        (seek["game"], seek["userid"]) for seek in club.json("list")["seeks"]
    )


def test_a_seeker_who_cannot_play_now_is_passed_over(club: LocalServer) -> None:
    say(club, "seek 1")
    say(club, "limit 1")
    club.start(x="alice", o="carol")
    club.do("star seek bob secret-bob 1")

    assert club.json("star challenge carol anyone")["players"]["O"] == "bob"
    assert club.code("star challenge carol anyone") == "no-seeker"
    assert [seek["userid"] for seek in club.json("list")["seeks"]] == ["alice"]


def test_a_seeker_who_takes_no_challenges_any_more_is_passed_over(club: LocalServer) -> None:
    say(club, "seek 1")
    club.do("star seek bob secret-bob 1")
    say(club, "reject")

    assert club.json("star challenge carol anyone")["players"]["O"] == "bob"
    assert club.code("star challenge carol anyone") == "no-seeker"
    say(club, "accept")
    assert club.json("star challenge anyone carol")["players"]["X"] == "alice"


def test_who_takes_no_challenges_cannot_seek_but_end_it_and_take_up_another(
    club: LocalServer,
) -> None:
    club.do("star seek bob secret-bob 1")
    say(club, "seek 1")
    say(club, "reject")
    refusal = club.refusal("star seek alice secret-alice 2")

    assert (refusal.code, refusal.advice) == (
        "takes-no-challenges",
        "Accept them again with: star accept USERID PASSWORD",
    )
    assert club.json("y seek alice secret-alice 1")["seeks"][0]["wanted"] == 1
    assert club.json("star seek alice secret-alice none") == {"seeks": []}
    assert club.json("star challenge alice anyone")["players"]["O"] == "bob"


def test_leaving_ends_the_seeking(club: LocalServer) -> None:
    say(club, "seek 1")
    club.do("signoff alice secret-alice")

    assert club.json("list")["seeks"] == []
    assert club.code("star challenge bob anyone") == "no-seeker"


def test_anyone_is_for_one_of_two(club: LocalServer) -> None:
    assert club.code("star challenge anyone anyone") == "missing-word"
    assert club.code("star challenge alice anyone -from=101") == "mixed-words"
    assert club.code("star challenge nobody anyone") == "no-such-player"


def test_a_rematch_changes_colours_and_keeps_the_options(club: LocalServer) -> None:
    club.start("-size=3 -unrated -nagtime=2 -forfeittime=9 -totaltime=40")
    club.play(101, "C1 swap C2 B3 pass pass")
    board = club.json("star rematch 101 bob secret-bob")

    assert (board["board"], board["players"]) == (102, {"X": "bob", "O": "alice"})
    assert (board["options"]["size"], board["ply"]) == (3, 0)
    limits = [club.show(102)["time"][name] for name in ("nag", "forfeit", "total")]
    assert limits == [2, 9, 40]
    club.play(102, "C1 C2")
    assert club.json("star resign 102 alice secret-alice")["status"] == "won"
    assert club.json("star standings")["standings"] == []


def test_a_rematch_follows_a_finished_game_and_wants_a_willing_opponent(club: LocalServer) -> None:
    club.start()
    club.start()
    club.do("star resign 102 bob secret-bob")

    assert club.code("star rematch 101 alice secret-alice") == "not-finished"
    assert club.code("star rematch 102 alice secret-alice") == "not-finished"
    assert club.code("star rematch 101 carol secret-carol") == "not-a-player"
    assert club.code("star rematch 999 alice secret-alice") == "no-such-board"

    club.play(101, "pass pass")
    say(club, "reject")

    assert club.code("star rematch 101 bob secret-bob") == "challenge-refused"
    assert club.json("star rematch 101 alice secret-alice")["board"] == 103


def test_a_board_begins_from_a_position_and_is_unrated(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1 C2 B3")
    board = club.json("star challenge carol bob --from=101#2")

    assert (board["players"], board["moves"]) == ({"X": "carol", "O": "bob"}, ["C1", "C2"])
    assert (board["ply"], board["to_move"]) == (2, "X")
    assert club.show(102)["moves"] == ["C1", "C2"]

    played = club.play(102, "B3 A3")

    assert played["moves"] == ["C1", "C2", "B3", "A3"]
    assert club.show("102#1")["moves"] == ["C1"]
    assert "3. X B3" in club.text("star replay 102")


def test_who_is_named_first_has_the_stones_of_x_also_after_a_swap(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1 swap C2")
    board = club.json("star challenge carol bob -from=101")

    assert (board["players"], board["to_move"]) == ({"X": "carol", "O": "bob"}, "X")
    assert club.show("102#1")["players"] == {"X": "bob", "O": "carol"}


def test_a_board_from_a_position_is_declined_and_undone_by_its_own_moves(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1 C2 B3")
    club.do("star challenge alice bob -from=101")
    club.do("star challenge alice bob -from=101")
    undo = club.code("star move 102 bob secret-bob undo")
    club.play(102, "A3")

    assert undo == "nothing-to-undo"
    assert club.json("star resign 102 alice secret-alice")["status"] == "removed"

    club.play(103, "A3 B2")

    assert club.json("star resign 103 bob secret-bob")["status"] == "won"


def test_from_wants_a_position_that_can_be_played_on(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1 C2 pass pass")

    assert club.code("star challenge alice bob -from=101") == "game-over"
    assert club.code("star challenge alice bob -from=101#9") == "no-such-move"
    assert club.code("star challenge alice bob -from=102") == "no-such-board"
    assert club.code("star challenge alice bob -from=101#2 -size=4") == "mixed-words"
    assert club.code("star challenge alice bob -from=x") == "bad-board"
    assert club.json("star challenge alice bob -from=101#-1")["ply"] == 3


def test_the_answer_says_where_the_board_begins(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1")
    answer = text_of(club.do("star challenge alice bob -from=101"))

    assert "The board begins from Star Board 101 after move 1. bob is to move." in answer


def test_the_record_of_a_board_from_a_position_is_whole(club: LocalServer) -> None:
    club.start()
    club.play(101, "C1 C2")
    club.do("star challenge alice bob -from=101")
    club.play(102, "B3 pass pass")
    record = club.json("star export 102")["record"]

    assert club.json("star import bob secret-bob", record)["moves"] == [
        "C1",
        "C2",
        "B3",
        "pass",
        "pass",
    ]


def test_notify_lists_what_was_asked_for(club: LocalServer) -> None:
    for _ in range(3):
        club.start()
    own = "star notify alice secret-alice"

    assert club.json(f"{own} 101 103") == {"boards": [101, 103]}
    assert club.json(f"{own} all") == {"boards": [101, 102, 103]}
    assert club.json(f"{own} all") == {"boards": [101, 102, 103]}
    assert club.json(own) == {"boards": [101, 102, 103]}
    assert club.json(f"{own} none") == {"boards": []}
    assert club.json(f"{own} ALL") == {"boards": [101, 102, 103]}
    assert club.json(f"{own} Off") == {"boards": []}
    assert club.code(f"{own} none 101") == "bad-board"
    assert club.code("star notify carol secret-carol 101") == "not-a-player"
    assert club.code(f"{own} 104") == "no-such-board"
    assert club.code(f"{own} some") == "bad-board"


def test_one_game_and_one_player_are_told_again_and_no_other(club: LocalServer) -> None:
    for line in ("star challenge alice bob", "hex challenge alice bob"):
        club.do(line)
    for userid in ("alice", "bob"):
        for game in ("star", "hex"):
            club.do(f"{game} notify {userid} secret-{userid} all")
    club.do("star notify alice secret-alice none")

    assert [
        club.json(f"{game} notify {userid} secret-{userid}")["boards"]
        for userid in ("alice", "bob")
        for game in ("star", "hex")
    ] == [[], [101], [101], [101]]


def test_who_asked_for_it_is_told_only_of_the_end(club: LocalServer) -> None:
    club.desk.writes_letters = lambda: True
    club.do("add alice secret-alice alice@example.org")
    club.do("add bob secret-bob bob@example.org")
    club.start()
    club.do("star notify alice secret-alice 101")
    club.play(101, "C1 C2 pass pass")

    assert [address for address, _ in letters(club)] == [
        *["alice@example.org", "bob@example.org"],
        *["bob@example.org"] * 3,
        *["alice@example.org", "bob@example.org"],
    ]


def test_a_club_without_mail_writes_no_letters_that_would_never_leave(club: LocalServer) -> None:
    club.do("add alice secret-alice alice@example.org")
    club.do("add bob secret-bob bob@example.org")
    club.start()
    club.play(101, "C1 C2 pass pass")

    assert letters(club) == []


def letters(local: LocalServer) -> list[tuple[str, str]]:
    """Return address and Subject of every letter, the oldest first."""
    with local.desk.store.reading() as records:
        posted = records.lists.letters().rows
    return [(entry.address, entry.subject) for entry in reversed(posted)]

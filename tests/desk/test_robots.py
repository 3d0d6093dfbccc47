"""Robots: challenged like people, answering at once or off a list, and never twice."""

from random import Random

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.computer.level_list import Level
from pbmserv.computer.levels import Choice
from pbmserv.desk import robot_programs, robot_turns
from pbmserv.desk.request import Request
from pbmserv.desk.robot_programs import Program
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game
from pbmserv.engine.position import Position
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.services.session import Source
from pbmserv.store.mail.outbox import HOLD
from pbmserv.store.matches.robot_queue import LEASE, RobotTurn
from tests.databases import ONE_DATABASE
from tests.local_server import DAY, LocalServer


@pytest.fixture
def club(local: LocalServer) -> LocalServer:
    """Alice, a robot that answers at once, and one that leaves its turns on the list."""
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice")
    local.do("admin robot add robot1 -level=1 -games=star")
    local.do("admin robot add slow7 -level=14 -games=star")
    return local


def say(club: LocalServer, board: int, words: str) -> str:
    return club.text(f"star move {board} alice secret-alice {words}")


def challenge(club: LocalServer, words: str = "alice robot1", options: str = "-size=3") -> int:
    return int(club.json(f"star challenge {options} {words}")["board"])


def refusals(club: LocalServer) -> list[str]:
    return [outcome for _, outcome in club.audit() if outcome != "done"]


def test_a_whole_game_is_played_in_the_answers_to_its_moves(club: LocalServer) -> None:
    chance = Random(5)
    board = challenge(club, "robot1 alice")
    shown = club.show(board)
    game = parse_game("star(size=3)")

    assert (shown["ply"], shown["robots"]) == (1, ["robot1"])
    while club.show(board)["status"] == "running":
        position = game.replay(club.show(board)["moves"])
        cell = chance.choice([n for n, s in zip(game.board.names, position.stones) if not s])  # noqa: B905
        answer = club.move(board, "alice", cell)
        assert answer.document["ply"] == len(club.show(board)["moves"])
    assert "robot1 (computer)" in club.text(f"star show {board}")
    assert refusals(club) == []
    assert play_due_turns(club.desk).moves == 0
    robot = club.json("admin robot show robot1")
    assert (robot["running"], robot["waiting"], robot["matches"]) == (0, 0, [])


@ONE_DATABASE
def test_a_robot_is_marked_wherever_it_is_named(club: LocalServer) -> None:
    club.do("admin robot add robot2 -level=1 -rated=yes")
    challenge(club, "robot1 robot2", "-size=3 -rated")
    play_due_turns(club.desk)

    for line in ("star games", "star history", "star standings", "players", "star export 101"):
        assert "computer" in club.text(line), line
    assert club.json("star games")["matches"][0]["robots"] == ["robot1", "robot2"]
    assert club.json("star standings")["standings"][0]["robot"]
    assert club.show(101)["ratings"] is not None


@ONE_DATABASE
def test_a_slow_robot_moves_when_somebody_works_off_the_list(club: LocalServer) -> None:
    board = challenge(club, "alice slow7")
    say(club, board, "C2")

    assert club.show(board)["ply"] == 1
    assert play_due_turns(club.desk).moves == 1
    assert club.show(board)["ply"] == 2
    assert not club.tables()["robot_turn"]


@ONE_DATABASE
@pytest.mark.parametrize(("game", "shown"), [("star", "star"), ("hex", "pbmserv hex")])
def test_of_a_slow_robot_it_is_told_how_to_look_again(
    club: LocalServer, game: str, shown: str
) -> None:
    club.do("admin robot add other7 -level=14 -games=hex")
    for name, robot in (("star", "slow7"), ("hex", "other7")):
        club.do(f"{name} challenge -size=4 alice {robot}")
    told = club.text(f"{game} move 101 alice secret-alice C2")

    assert f"is thinking. Look again later with: {shown} show 101" in " ".join(told.split())


def claimed(club: LocalServer) -> RobotTurn | None:
    with club.desk.store.writing() as records:
        return records.robots.claim(club.clock.now())


def test_a_turn_is_one_workers_until_its_lease_is_over(club: LocalServer) -> None:
    board = challenge(club, "slow7 alice")
    first = claimed(club)

    assert first is not None
    assert (first.number, claimed(club)) == (board, None)
    club.clock.seconds += LEASE
    assert claimed(club) == first


@ONE_DATABASE
def test_a_turn_of_another_revision_is_nobodys(club: LocalServer) -> None:
    board = challenge(club, "slow7 alice")
    taken = claimed(club)
    say(club, board, "propose")
    again = claimed(club)

    assert taken is not None
    assert again == taken._replace(revision=taken.revision + 2)  # offered, rejected
    assert not robot_turns._play(club.desk, taken)
    assert club.show(board)["moves"] == []
    assert robot_turns._play(club.desk, again)


@ONE_DATABASE
def test_a_lost_race_changes_nothing(club: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    board = challenge(club, "slow7 alice")
    think = robot_turns._decide

    def decide_while_alice_proposes(*args: object) -> object:
        monkeypatch.undo()
        say(club, board, "resign")
        return think(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(robot_turns, "_decide", decide_while_alice_proposes)

    assert play_due_turns(club.desk).moves == 0
    assert club.show(board)["moves"] == []
    assert refusals(club) == []


@ONE_DATABASE
def test_an_undo_is_a_favour_in_an_unrated_game(club: LocalServer) -> None:
    board = challenge(club)
    say(club, board, "C2")
    answer = club.show(board)["moves"][1]
    said = say(club, board, "undo")

    assert f"alice asks to undo C2 and robot1's {answer}." in said
    assert f"robot1 (computer) accepts the undo of C2 and robot1's {answer}." in said
    assert (club.show(board)["moves"], club.show(board)["offer"]) == ([], None)


@ONE_DATABASE
def test_a_robot_thinks_anew_of_the_same_position_after_an_undo_and_on_another_board(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def choose(game: Game, position: Position, level: Level, seed: int) -> Choice:
        del level
        seeds.append(seed)
        return Choice(next(iter(game.legal_moves(position))))

    monkeypatch.setattr("pbmserv.computer.levels.choose", choose)
    for _ in range(2):
        board = challenge(club)
        say(club, board, "C2")
        say(club, board, "undo")
        say(club, board, "C2")
        assert 2 == club.show(board)["ply"]

    assert 4 == len(seeds) == len({*seeds})


@ONE_DATABASE
def test_a_turn_that_was_made_waits_for_nobody_and_the_others_go_on_waiting(
    club: LocalServer,
) -> None:
    at_once, later = challenge(club), challenge(club, "alice slow7")
    say(club, at_once, "C2")
    waits = []
    for line in (f"star show {at_once}", f"star move {later} alice secret-alice C2"):
        club.do(line)
        with club.desk.store.reading() as records:
            waits.append(records.robots.has_due(club.clock.now() + DAY))

    assert [False, True] == waits


@ONE_DATABASE
def test_a_robot_waits_a_day_for_the_answer_to_its_own_offer(club: LocalServer) -> None:
    board = challenge(club, "alice slow7")
    say(club, board, "C2")
    club.damage(
        "INSERT INTO offer (match_id, kind, player_id, answerer_id, offered_at) "
        "SELECT id, 'draw', second_id, first_id, changed_at FROM match"
    )
    club.clock.seconds += DAY - 1
    before = play_due_turns(club.desk).moves
    club.clock.seconds += 1

    assert (before, play_due_turns(club.desk).moves) == (0, 1)
    assert club.show(board)["ply"] == 2


@pytest.mark.costly(stay=1)
@ONE_DATABASE
@pytest.mark.parametrize(
    ("options", "is_rated"), [("", False), ("-rated", True), ("-unrated", False)]
)
def test_a_board_between_robots_is_rated_only_where_its_operator_says_so(
    club: LocalServer, options: str, *, is_rated: bool
) -> None:
    club.do("admin robot add robot2 -level=1 -rated=yes")
    said = club.text(f"star challenge -size=3 {options} robot1 robot2")
    stored = club.json("admin show star 101")["stored"]["rated"]
    play_due_turns(club.desk)

    assert f"This game is {'rated' if is_rated else 'unrated'}." in said
    assert stored is is_rated
    assert (club.show(101)["ratings"] is not None) is is_rated


@pytest.mark.parametrize("line", ["robot1 slow7", "slow7 robot1", "robot1 robot1"])
@pytest.mark.parametrize("source", [Source.SHELL, Source.GATE])
def test_a_player_starts_no_board_between_robots(
    club: LocalServer, line: str, source: Source
) -> None:
    words = tuple(f"star challenge -size=3 {line}".split())
    with pytest.raises(Refused) as refused:
        club.desk.handle(Request(words, source, acts_as="alice"))

    assert refused.value.code == "operators-only"
    assert club.json("star games")["matches"] == []


@ONE_DATABASE
def test_a_game_says_whether_it_is_rated_where_a_computer_plays(club: LocalServer) -> None:
    with_robot = club.text("star challenge -size=3 alice robot1")
    club.do("signup bob secret-bob")
    among_people = club.text("star challenge -size=3 alice bob")
    unrated = club.text("star challenge -size=3 -unrated alice bob")

    assert ["This game is unrated." in said for said in (with_robot, among_people, unrated)] == [
        True,
        False,
        True,
    ]
    assert "rated" not in among_people


@ONE_DATABASE
def test_ratings_want_the_word_of_both(club: LocalServer) -> None:
    line = "star challenge -size=3 -rated"

    assert club.code(f"{line} alice robot1") == "unrated-robot"
    club.do("admin robot change robot1 -rated=yes")
    assert club.code(f"{line} alice robot1") == "not-your-rating"
    challenge(club)
    assert club.json("admin show star 101")["stored"]["rated"] is False


@ONE_DATABASE
@pytest.mark.parametrize("is_rated", [True, False])
def test_a_rematch_counts_where_the_robot_s_games_still_do(
    club: LocalServer,
    is_rated: bool,  # noqa: FBT001
) -> None:
    club.do("admin robot change robot1 -rated=yes")
    board = challenge(club)
    club.damage("UPDATE match SET is_rated = 1")
    say(club, board, "C2")
    say(club, board, "resign")
    club.do(f"admin robot change robot1 -rated={'yes' if is_rated else 'no'}")
    again = club.json(f"star rematch {board} alice secret-alice")["board"]

    assert club.json(f"admin show star {again}")["stored"]["rated"] is is_rated


@ONE_DATABASE
def test_a_rated_game_takes_no_move_back(club: LocalServer) -> None:
    club.do("admin robot change robot1 -rated=yes")
    board = challenge(club)
    club.damage("UPDATE match SET is_rated = 1")
    say(club, board, "C2")

    assert "robot1 (computer) rejects the undo." in say(club, board, "undo")


@ONE_DATABASE
def test_a_win_is_accepted_and_no_end_that_may_be_bettered(club: LocalServer) -> None:
    board = challenge(club)
    say(club, board, "C2")

    assert "rejects" in say(club, board, "propose")
    is_x = club.show(board)["players"]["X"] == "robot1"
    assert "rejects" in say(club, board, "propose 2-4" if is_x else "propose 4-2")
    assert "robot1" in say(club, board, "propose 4-2" if is_x else "propose 2-4")
    assert club.show(board)["reason"] == "agreement"


@ONE_DATABASE
def test_boards_against_robots_are_limited(club: LocalServer) -> None:
    club.desk.max_robot_boards = lambda: 2
    for _ in range(2):
        challenge(club)

    assert club.code("star challenge -size=3 alice slow7") == "too-many-robot-boards"
    assert club.code("y challenge alice robot1") == "not-its-game"


@ONE_DATABASE
def test_a_program_is_not_asked_for_what_it_cannot_know(club: LocalServer) -> None:
    club.do("admin robot add ada -program -games=star")

    assert club.code("star challenge -size=3 -maxi alice ada") == "not-its-game"


@ONE_DATABASE
def test_each_robot_has_its_own_program_in_whatever_letters_it_is_named(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"ada": Program(("C2",), 1, 1), "bot2": Program(("B2",), 1, 1)}
    for userid in ("Ada", "BOT2"):
        club.do(f"admin robot add {userid} -program -games=star")
    club.desk.programs = lambda: programs
    monkeypatch.setattr(
        robot_programs,
        "ask_program",
        lambda record, program: program and record.game.parse_move(program.arguments[0]),
    )
    boards = [challenge(club, f"{userid} alice") for userid in ("ada", "bot2", "Ada")]

    assert [] == play_due_turns(club.desk).problems
    assert [["C2"], ["B2"], ["C2"]] == [club.show(board)["moves"] for board in boards]


@ONE_DATABASE
def test_nobody_signs_in_as_a_robot(club: LocalServer) -> None:
    board = challenge(club)

    assert club.code(f"star move {board} robot1 secret-robot1 C2") == "wrong-login"
    assert club.code("admin reset-password robot1 other-secret") == "robot"
    assert club.code("admin merge robot1 alice") == "robot"
    assert club.code("message alice secret-alice robot1 -text=hello") == "robot"


@ONE_DATABASE
def test_a_suspended_robot_does_nothing_and_a_removed_one_resigns(club: LocalServer) -> None:
    board = challenge(club)
    club.do("admin suspend robot1")
    say(club, board, "C2")

    assert (club.show(board)["ply"], play_due_turns(club.desk).moves) == (1, 0)
    assert refusals(club) == []
    club.do("admin resume robot1")
    assert play_due_turns(club.desk).moves == 1
    club.do("admin robot remove robot1")
    assert club.show(board)["status"] == "won"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("step", "problems"),
    [("_task", []), ("_decide", ["star 101: Your account is suspended."])],
)
def test_a_robot_that_is_suspended_before_it_has_moved_does_nothing(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch, step: str, problems: list[str]
) -> None:
    board = challenge(club, "slow7 alice")
    go_on = getattr(robot_turns, step)

    def stopped(*args: object) -> object:
        monkeypatch.undo()
        club.do("admin suspend slow7")
        return go_on(*args)

    monkeypatch.setattr(robot_turns, step, stopped)

    assert play_due_turns(club.desk) == robot_turns.RobotReport(0, problems)
    assert club.show(board)["ply"] == 0


@ONE_DATABASE
def test_what_goes_wrong_is_noted_and_tried_again_later(club: LocalServer) -> None:
    club.do("admin robot add ada -program -games=star")
    challenge(club, "ada alice")
    report = play_due_turns(club.desk)

    assert report.problems == ["star 101: There is no program for this robot in the settings."]
    assert refusals(club) == ["robot-program"]
    assert play_due_turns(club.desk).problems == []
    club.clock.seconds += LEASE
    assert len(play_due_turns(club.desk).problems) == 1


def letters(club: LocalServer) -> list[str]:
    with club.desk.store.writing() as records:
        return [posted.letter.lead for posted in records.outbox.claim(club.clock.now(), limit=9)]


@ONE_DATABASE
def test_one_letter_tells_of_a_move_and_its_answer(club: LocalServer) -> None:
    club.desk.writes_letters = lambda: True
    club.do("change address alice secret-alice alice@example.org")
    board = challenge(club)
    opened = len(letters(club))
    say(club, board, 'C2 -comment="Good luck!"')
    (lead,) = letters(club)

    assert opened == 1
    assert "alice plays C2.\nrobot1 (computer) " in lead
    assert "| Good luck!" in lead
    assert "It is your turn." in lead.splitlines()[0]


@ONE_DATABASE
def test_who_moved_without_a_mail_is_told_at_every_address_and_not_answered(
    club: LocalServer,
) -> None:
    club.desk.writes_letters = lambda: True
    club.do("change address alice secret-alice alice@example.org")
    club.do("add alice secret-alice second@example.org")
    board = challenge(club)
    letters(club)
    say(club, board, "C2")
    with club.desk.store.writing() as records:
        told = [posted.letter for posted in records.outbox.claim(club.clock.now(), limit=9)]

    assert {(letter.address, letter.is_answer) for letter in told} == {
        ("alice@example.org", False),
        ("second@example.org", False),
    }


@ONE_DATABASE
def test_a_letter_leaves_though_the_robot_never_answers(club: LocalServer) -> None:
    club.desk.writes_letters = lambda: True
    club.do("change address alice secret-alice alice@example.org")
    board = challenge(club, "alice slow7")
    letters(club)
    say(club, board, "C2")

    assert letters(club) == []
    club.clock.seconds += HOLD
    assert "alice plays C2." in letters(club)[0]


@ONE_DATABASE
def test_a_robot_of_every_game_makes_its_first_moves(club: LocalServer) -> None:
    club.do("admin robot add all1 -level=1")
    for name in ("starstar", "starweb", "polyy", "y", "hex"):
        size = find_game(name).options()[0]
        board = club.json(f"{name} challenge -size={size.low or min(size.choices)} alice all1")
        cell = find_game(name)(**board["options"]).board.names[0]
        club.do(f"{name} move {board['board']} alice secret-alice {cell}")
        assert club.json(f"{name} show {board['board']}")["ply"] == 2


@ONE_DATABASE
def test_an_operator_sees_what_each_robot_plays_and_what_waits_for_it(club: LocalServer) -> None:
    board = challenge(club, "alice slow7", "-size=9")
    say(club, board, "F6")
    club.do("admin robot add open1 -level=1 -games=hex,star -rated=yes")
    club.do("admin robot add ada -program -games=star")
    shown = {name: club.json(f"admin robot show {name}") for name in ("slow7", "open1", "ada")}
    texts = {name: club.text(f"admin robot show {name}") for name in shown}
    rated = "Its games against people are rated if the challenge says -rated."
    unnamed = "The settings file has no program for it yet: robot_programs.ada"

    assert {name: (r["level"], r["games"], r["rated"]) for name, r in shown.items()} == {
        "slow7": (14, ["star"], False),
        "open1": (1, ["hex", "star"], True),
        "ada": (None, ["star"], False),
    }
    assert [shown["slow7"][word] for word in ("running", "waiting")] == [1, 1]
    assert [shown["open1"][word] for word in ("running", "waiting")] == [0, 0]
    assert [match["board"] for match in shown["slow7"]["matches"]] == [board]
    assert [name for name, text in texts.items() if rated in text] == ["open1"]
    assert [name for name, text in texts.items() if unnamed in text] == ["ada"]
    assert [name for name, text in texts.items() if str(board) in text] == ["slow7"]
    listed = [line.split() for line in club.text("admin robot list").splitlines()]
    (row,) = [line for line in listed if line[:1] == ["slow7"]]
    assert row[-4:] == ["star", "no", "1", "1"]
    assert [line[-3] for line in listed if line[:1] == ["open1"]] == ["yes"]
    assert club.code("admin robot show alice") == "no-robot"

"""When a turn must be made: shown wherever boards are, and sorted by."""

from pbmserv.desk.tick import tick
from tests.local_server import DAY, NOW, LocalServer

HOUR = 3600


def pass_time(local: LocalServer, seconds: int) -> None:
    local.clock.seconds += seconds
    tick(local.desk)


def test_a_board_tells_when_the_turn_must_be_made(local: LocalServer) -> None:
    board = local.start()
    local.clock.seconds += 18 * DAY + 20 * HOUR
    text = local.text(f"star show {board}")
    shown = local.show(board)
    local.clock.seconds += 2 * DAY + 4 * HOUR
    late = local.text(f"star show {board}")
    local.move(board, "alice", "resign")
    over = local.text(f"star show {board}")

    assert "alice must move by 2027-02-05 08:00 UTC: 2 d 4 h." in text
    assert "alice must move by 2027-02-05 08:00 UTC: overdue." in late
    assert "must move by" not in over
    assert (shown["deadline"], shown["reminded"]) == (NOW + 21 * DAY, False)


def test_every_table_of_boards_tells_the_time_left(local: LocalServer) -> None:
    local.start()
    for line in ("star games", "list", "all show alice", "star games alice next"):
        assert local.text(line).splitlines()[1].endswith("alice (X) to move  21 d 0 h")
        assert local.json(line)["matches"][0]["deadline"] == NOW + 21 * DAY


def test_a_reminder_is_noted_beside_the_time(local: LocalServer) -> None:
    board = local.start()
    pass_time(local, 8 * DAY)

    assert local.json("star games")["matches"][0]["reminded"] is True
    assert "13 d 0 h, reminded" in local.text("star games")
    assert local.show(board)["reminded"] is True


def test_boards_that_wait_are_sorted_by_the_time_left(local: LocalServer) -> None:
    slow = local.start()
    fast = local.start("-size=3 -nagtime=1 -forfeittime=4")
    medium = local.start("-size=3 -nagtime=1 -forfeittime=10")
    found = [match["board"] for match in local.json("star games alice next")["matches"]]
    first = local.json("star games alice next -limit=1")
    dates = local.json("calendar alice secret-alice")["matches"]

    assert found == [match["board"] for match in dates] == [fast, medium, slow]
    assert [match["board"] for match in first["matches"]] == [fast]
    assert first["more"] is True


def test_a_board_without_a_clock_waits_behind_those_that_have_a_deadline(
    local: LocalServer,
) -> None:
    clockless, slow, fast = (
        local.start(f"-size=3 -nagtime=1 -forfeittime={days}") for days in (4, 30, 9)
    )
    local.damage("DELETE FROM clock WHERE match_id = (SELECT MIN(match_id) FROM clock)")

    for line in ("star games alice next", "star games Alice NEXT", "all show alice Next"):
        assert [fast, slow, clockless] == [row["board"] for row in local.json(line)["matches"]]
    assert [clockless, slow, fast] == sorted(
        row["board"] for row in local.json("all show ALICE Active")["matches"]
    )
    assert [fast, slow] == [
        row["board"] for row in local.json("calendar alice secret-alice")["matches"]
    ]


def test_a_vacation_moves_the_deadline(local: LocalServer) -> None:
    board = local.start()
    local.do("vacation alice secret-alice 5")

    assert local.show(board)["deadline"] == NOW + 26 * DAY


def test_a_late_warning_moves_the_deadline_to_three_days_after_it(local: LocalServer) -> None:
    board = local.start()
    local.clock.seconds += 40 * DAY
    before = local.text("star games")
    tick(local.desk)

    assert "overdue" in before
    assert local.show(board)["deadline"] == NOW + 43 * DAY
    assert "3 d 0 h, reminded" in local.text("star games")


def test_an_ended_board_and_one_of_before_have_no_deadline(local: LocalServer) -> None:
    board = local.start()
    local.play(board, "C1 C2 C3")
    local.move(board, "alice", "resign")

    assert (local.show(board)["deadline"], local.show(board)["reminded"]) == (None, None)
    assert local.show(f"{board}#1")["deadline"] is None

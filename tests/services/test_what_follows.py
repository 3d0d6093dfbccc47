"""What follows from a change at a board for its two players, and for nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.match import Match
from pbmserv.commands.command_table import root
from pbmserv.services import match_clock
from pbmserv.services.match_clock import end_maintenance
from tests import databases
from tests.commands.passing_days import letters, live, pass_days, with_letters
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import DAY, NOW, LocalServer
from tests.mail.server_by_mail import US, ClubByMail

pytestmark = ONE_DATABASE


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Alice (X) and bob at the Star boards 101 and 102 and at Hex 101; carol has an account."""
    local.desk.vacation_days = lambda: 0
    local.sign_up("alice", "bob", "carol")
    for game, size in (("star", 3), ("star", 3), ("hex", 4)):
        local.do(f"{game} challenge -size={size} alice bob")
    local.play(101, "C1 C2")
    local.play(102, "C1 C2")
    return local


@pytest.fixture(autouse=True)
def opened(local: LocalServer) -> None:
    """Have what the fixture said of the door hold in a copy of its database too."""
    local.desk.vacation_days = lambda: 0


def of(club: LocalServer, board: int, game: str = "star") -> Match:
    with club.desk.store.reading() as records:
        found = records.matches.find(game, board)
    assert found is not None
    return found


def due(club: LocalServer, board: int, game: str = "star") -> float | None:
    """Return in how many days the clock of a board has something due, None if it stands."""
    rows = {row[0]: row for row in club.tables()["clock"]}
    names = list(_columns(club))
    at = rows[of(club, board, game).id][names.index("due_at")]
    return None if at is None else (at - NOW) / DAY


def _columns(club: LocalServer) -> list[str]:
    from pbmserv.store.tables import metadata

    del club
    return [column.name for column in metadata.tables["clock"].columns]


def news(club: LocalServer, userid: str) -> list[str]:
    found = club.json(f"news {userid} secret-{userid}")["news"]
    return [" ".join(one["text"].split()) for one in found]


# Clocks


def test_a_new_board_runs_for_whoever_begins_and_is_due_by_their_vacation(
    club: LocalServer,
) -> None:
    club.desk.vacation_days = lambda: 30
    club.do("vacation alice secret-alice 5")
    boards = {
        x: club.json(f"star challenge -size=3 {x} {o}")["board"]
        for x, o in (("alice", "carol"), ("carol", "alice"))
    }

    assert 12 == due(club, boards["alice"])
    assert 7 == due(club, boards["carol"])


def test_a_board_from_another_runs_for_whoever_is_to_move_there(club: LocalServer) -> None:
    club.do("star resign 101 alice secret-alice")
    board = club.json("star challenge -from=101#1 alice carol")["board"]
    with club.desk.store.reading() as records:
        stored = records.clocks.find(of(club, board).id)
        carol = records.players.find("carol")
    assert stored is not None
    assert carol is not None
    assert carol.id == stored.clock.player_id


def test_a_vacation_moves_the_boards_at_which_its_player_is_to_move_and_no_others(
    club: LocalServer,
) -> None:
    club.desk.vacation_days = lambda: 30
    club.move(102, "alice", "C3")
    club.do("vacation alice secret-alice 5")

    assert (12, 7, 12) == (due(club, 101), due(club, 102), due(club, 101, "hex"))
    pass_days(club, 2)
    club.do("vacation alice secret-alice off")
    assert (9, 7) == (due(club, 101), due(club, 102))


@pytest.mark.parametrize("days", [9, 30])
def test_a_board_tells_who_is_away_with_the_days_that_the_operator_gives(
    club: LocalServer, days: int
) -> None:
    club.desk.vacation_days = lambda: days
    before = club.text("star show 101")
    club.do("vacation bob secret-bob 5")

    assert f"{days - 5} of {days} days of the year left" in club.text("star show 101")
    assert "days of the year left" not in before
    club.do("vacation bob secret-bob off")
    assert "days of the year left" not in club.text("star show 101")


def test_a_turn_is_due_by_the_vacation_of_whoever_has_it_now(club: LocalServer) -> None:
    club.desk.vacation_days = lambda: 30
    club.do("vacation bob secret-bob 5")
    club.move(101, "alice", "C3")

    assert 12 == due(club, 101)
    club.move(101, "bob", "B3")
    assert 7 == due(club, 101)


@pytest.mark.parametrize(("userid", "used"), [("alice", 0), ("bob", 3 * DAY)])
def test_a_turn_takes_no_time_while_its_own_player_is_away(
    club: LocalServer, userid: str, used: int
) -> None:
    club.desk.vacation_days = lambda: 30
    club.do(f"vacation {userid} secret-{userid} 5")
    pass_days(club, 3)
    club.move(101, "alice", "C3")

    assert {"X": used, "O": 0} == club.show(101)["time"]["used"]


def test_the_clock_of_a_board_that_has_ended_stands_and_the_others_go_on(
    club: LocalServer,
) -> None:
    club.do("star resign 101 alice secret-alice")

    assert (None, 7) == (due(club, 101), due(club, 102))
    shown = club.show(101)
    assert (None, None) == (shown["deadline"], shown["reminded"])


def test_whoever_acts_late_is_not_reminded_but_the_one_who_waits_does_not_spare_them(
    club: LocalServer,
) -> None:
    pass_days(club, 7.1)
    club.do("star chat 101 alice secret-alice -text=hello")
    club.do("star chat 102 bob secret-bob -text=hello")

    (reminded,) = [line for line in news(club, "alice") if "your turn" in line]
    assert "Star Board 102" in reminded


def test_whose_time_is_over_loses_before_they_can_act(club: LocalServer) -> None:
    live(club, 20.75)
    pass_days(club, 0.5)
    before = club.show(101)

    assert "running" == before["status"]
    assert "game-over" == _code(club, "star move 101 alice secret-alice C3")
    shown = club.show(101)
    assert ("won", "O", "forfeit") == (shown["status"], shown["winner"], shown["reason"])
    assert ["C1", "C2"] == shown["moves"]


def _code(club: LocalServer, line: str) -> str:
    from pbmserv.errors import Refused

    with pytest.raises(Refused) as caught:
        club.do(line)
    return caught.value.code


def test_whoever_leaves_with_their_time_over_has_lost_by_time(club: LocalServer) -> None:
    live(club, 20.75)
    pass_days(club, 0.5)
    club.do("signoff alice secret-alice")

    assert "forfeit" == club.show(101)["reason"]


def test_whoever_leaves_while_the_other_is_late_wins(club: LocalServer) -> None:
    live(club, 20.75)
    pass_days(club, 0.5)
    club.do("signoff bob secret-bob")

    assert ("O", "forfeit") == (club.show(101)["winner"], club.show(101)["reason"])


def test_of_a_vacation_day_taken_each_of_the_two_reads_what_is_theirs(club: LocalServer) -> None:
    club.desk.vacation_days = lambda: 9
    club.do("star resign 102 alice secret-alice")
    club.game = "hex"
    club.do("hex resign 101 alice secret-alice")
    live(club, 21.25)
    told = {userid: news(club, userid) for userid in ("alice", "bob", "carol")}
    taken = {
        userid: [line for line in lines if "vacation is used" in line]
        for userid, lines in told.items()
    }

    assert [1, 1, 0] == [len(lines) for lines in taken.values()]
    assert taken["alice"][0].startswith("Your time is over; one day of your vacation is used")
    assert taken["bob"][0].startswith("alice has run out of time")
    reminded = [line for line in told["bob"] if "It is your turn" in line]
    assert [] == reminded


def test_what_the_clock_does_is_the_clocks_whoever_touches_the_board(club: LocalServer) -> None:
    pass_days(club, 8)
    club.do("star chat 101 bob secret-bob -text=hello")
    live(club, 13)
    with club.desk.store.reading() as records:
        entries = records.lists.audit().rows
    forfeits = [entry for entry in entries if entry.verb == "forfeit"]

    assert forfeits
    assert {("clock", None)} == {(entry.source, entry.userid) for entry in forfeits}


def test_no_clock_spends_time_in_maintenance_however_many_there_are(
    club: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_clock, "CHUNK", 2)
    pass_days(club, 1)
    with club.desk.store.writing() as records:
        records.maintenance.begin(club.clock.now())
    pass_days(club, 4)
    with club.desk.store.writing(for_operators=True) as records:
        end_maintenance(club.desk.session_of_clock(records), NOW + DAY)

    assert [11, 11, 11] == [due(club, 101), due(club, 102), due(club, 101, "hex")]
    assert [DAY] * 2 == [club.show(number)["time"]["used"]["X"] for number in (101, 102)]
    club.move(101, "alice", "C3")


def test_a_board_that_is_opened_again_begins_its_turn_anew_with_its_warnings_forgotten(
    club: LocalServer,
) -> None:
    club.desk.tree = root(SHELL, shell_families())
    club.do("star challenge -size=3 -forfeittime=21 -totaltime=22 alice bob")
    live(club, 19)
    club.do("star resign 103 alice secret-alice")
    pass_days(club, 50)
    club.do("admin undo star 103")
    with club.desk.store.reading() as records:
        stored = records.clocks.find(of(club, 103).id)

    assert stored is not None
    assert {} == stored.clock.total_warnings
    assert NOW + 69 * DAY == stored.clock.began_at


# Plans


def plans(club: LocalServer, board: int = 101) -> dict[str, tuple[str, bool]]:
    """Return what each has planned at a board, and whether it was dropped."""
    match = of(club, board)
    with club.desk.store.reading() as records:
        stored = records.plans.of(match.id)
    names = {seat.player_id: seat.userid for seat in (match.first, match.second)}
    return {names[plan.player_id]: (plan.text, bool(plan.dropped)) for plan in stored}


def queue(club: LocalServer, userid: str, words: str, board: int = 101) -> None:
    club.do(f"star queue {board} {userid} secret-{userid} {words}")


def test_who_clears_their_plan_leaves_that_of_the_other_and_those_of_other_boards(
    club: LocalServer,
) -> None:
    for board in (101, 102):
        queue(club, "bob", "C3:B2", board)
        queue(club, "alice", "D2:D3", board)
    queue(club, "bob", "none")

    assert {"alice": ("D2:D3", False)} == plans(club)
    assert {"alice", "bob"} == plans(club, 102).keys()


def test_an_undo_forgets_the_plans_of_its_board_alone(club: LocalServer) -> None:
    for board in (101, 102):
        queue(club, "bob", "C3:B2", board)
    club.move(101, "bob", "undo")
    club.move(101, "alice", "accept")

    assert {} == plans(club)
    assert {"bob"} == plans(club, 102).keys()


def test_a_resignation_forgets_the_plans_of_its_board_alone(club: LocalServer) -> None:
    for board in (101, 102):
        queue(club, "bob", "C3:B2", board)
    club.do("star resign 101 alice secret-alice")

    assert {} == plans(club)
    assert {"bob"} == plans(club, 102).keys()


def test_what_is_said_or_offered_plays_no_plan(club: LocalServer) -> None:
    queue(club, "bob", "C3:B2")
    club.move(101, "alice", "propose")
    club.do("star chat 101 alice secret-alice -text=hello")

    assert ["C1", "C2"] == club.show(101)["moves"]
    assert {"bob": ("C3:B2", False)} == plans(club)


def test_a_plan_that_was_dropped_is_kept_until_its_owner_moves_again(club: LocalServer) -> None:
    queue(club, "bob", "C3:B2")
    queue(club, "alice", "D2:D3")
    club.move(101, "alice", "B3")
    dropped = plans(club)

    assert {"alice": ("D2:D3", False), "bob": ("C3:B2", True)} == dropped
    club.move(101, "bob", "D2")
    after = plans(club)
    assert "bob" not in after
    assert ["C1", "C2", "B3", "D2", "D3"] == club.show(101)["moves"]


def test_who_drops_a_plan_of_the_other_hears_nothing_of_it(club: LocalServer) -> None:
    queue(club, "bob", "C3:B2")
    answer = club.text("star move 101 alice secret-alice B3")

    assert "plan" not in answer
    assert "plan" in club.text("star showas bob secret-bob 101")


# Talk


def test_what_is_said_is_news_to_the_others_of_that_board_and_not_to_the_speaker(
    club: LocalServer,
) -> None:
    club.do("star subscribe 101 carol secret-carol")
    for userid in ("alice", "carol"):
        club.do(f"star chat 101 {userid} secret-{userid} -text=by-{userid}")

    assert ["carol at Star Board 101: by-carol"] == news(club, "alice")
    assert [
        "alice at Star Board 101: by-alice",
        "carol at Star Board 101: by-carol",
    ] == news(club, "bob")
    assert ["alice at Star Board 101: by-alice"] == news(club, "carol")


def test_who_blocks_somebody_is_still_heard_by_them(club: LocalServer) -> None:
    club.do("block bob secret-bob alice")
    club.do("star chat 101 bob secret-bob -text=by-bob")
    club.do("star chat 101 alice secret-alice -text=by-alice")

    assert ["bob at Star Board 101: by-bob"] == news(club, "alice")
    assert [] == news(club, "bob")


def test_who_is_silent_at_all_boards_of_a_game_is_not_in_another_nor_is_the_opponent(
    club: LocalServer,
) -> None:
    with_letters(club)
    for userid in ("alice", "bob"):
        club.do(f"add {userid} secret-{userid} {userid}@example.org")
    club.do("star notify bob secret-bob all")
    before = {userid: len(letters(club, userid)) for userid in ("alice", "bob")}
    club.move(101, "alice", "C3")
    assert before["bob"] == len(letters(club, "bob"))
    club.game = "hex"
    club.move(101, "alice", "B2")
    assert before["bob"] + 1 == len(letters(club, "bob"))
    club.game = "star"
    club.move(101, "bob", "B3")
    assert before["alice"] < len(letters(club, "alice"))


# Tournaments


@pytest.mark.costly
def test_who_declines_or_runs_out_loses_their_board_and_the_other_wins_it(
    club: LocalServer,
) -> None:
    club.do('tournament create carol secret-carol star "Cup" -size=3')
    for userid in ("alice", "bob", "carol"):
        club.do(f"tournament join 1 {userid} secret-{userid}")
    club.do("tournament start 1 carol secret-carol")
    first, second, third = 103, 104, 105
    players = {number: club.show(number)["players"] for number in (first, second, third)}
    club.move(first, players[first]["O"], "resign")
    club.move(second, players[second]["X"], "resign")
    live(club, 25)
    points = {
        line["userid"]: line["points"]
        for line in club.json("tournament show 1")["pools"][0]["standings"]
    }
    wins = [players[first]["X"], players[second]["O"], players[third]["O"]]

    assert {userid: wins.count(userid) for userid in ("alice", "bob", "carol")} == points
    assert "finished" == club.json("tournament show 1")["status"]


def test_a_swiss_round_follows_the_last_board_and_its_bye_is_no_board(club: LocalServer) -> None:
    club.do('tournament create carol secret-carol star "Cup" -kind=swiss -size=3 -rounds=2')
    for userid in ("alice", "bob", "carol"):
        club.do(f"tournament join 1 {userid} secret-{userid}")
    club.do("tournament start 1 carol secret-carol")
    count = len(club.tables()["match"])
    players = club.show(103)["players"]
    club.play(103, "C1 C2")
    club.move(103, players["X"], "resign")

    assert 4 == count
    assert 5 == len(club.tables()["match"])
    assert 2 == len({*club.show(104)["players"].values()})


# Accounts by mail


@pytest.fixture
def office(sqlite_template: Path, tmp_path: Path) -> Iterator[ClubByMail]:
    """A server that is reached by mail alone, with alice, who has proven her address."""
    opened = ClubByMail(databases.copy_template(sqlite_template, tmp_path / "office"))
    opened.join("alice")
    yield opened
    opened.close()


def test_who_signs_up_again_before_they_have_proven_their_address_is_asked_again(
    office: ClubByMail,
) -> None:
    mail = "dora@example.net", "signup dora secret-dora"
    assert "done" == office.mail(*mail)
    assert ["dora@example.net"] == [letter.to for letter in office.collect()]
    office.clock.seconds += 8 * DAY
    assert "done" == office.mail("Dora@Example.net", mail[1])
    (again,) = office.collect()

    assert "verified" == office.reply(again)
    office.collect()
    office.clock.seconds += 2 * DAY
    assert "userid-taken" == office.mail(*mail)
    assert not any("signup" in letter.subject for letter in office.collect())


def test_who_has_a_proven_address_is_asked_for_no_proof_again(office: ClubByMail) -> None:
    assert "userid-taken" == office.mail("alice@example.net", "signup alice secret-alice")
    (told,) = office.collect()

    assert "taken" in told.text
    assert told.reply_to.endswith(f"<{US}>")


def test_nobody_else_has_the_letter_of_a_newcomer_repeated(office: ClubByMail) -> None:
    office.mail("dora@example.net", "signup dora secret-dora")
    office.collect()

    assert "userid-taken" == office.mail("mallory@example.com", "signup dora secret-dora")
    assert ["mallory@example.com"] == [letter.to for letter in office.collect()]


def test_an_address_that_is_added_by_mail_is_proven_and_one_that_is_proven_stays_so(
    office: ClubByMail,
) -> None:
    outcome = office.mail(
        "alice@example.net", "add alice secret-alice Alice@example.net second@example.com"
    )
    to = [letter.to for letter in office.collect()]

    assert "done" == outcome
    assert ["alice@example.net"] == to
    with office.desk.store.reading() as records:
        alice = records.players.find("alice")
        assert alice is not None
        rows = {row.address: row.is_proven for row in records.addresses.of([alice.id])}
    assert {"alice@example.net": True, "second@example.com": False} == {
        address.lower(): proven for address, proven in rows.items()
    }


def test_an_account_has_ten_addresses_each_once_as_it_was_written_first(club: LocalServer) -> None:
    for number in range(1, 10):
        club.do(f"add carol secret-carol a{number}@example.org")
    done = club.json("add carol secret-carol A10@example.org")
    again = club.json("add carol secret-carol a10@EXAMPLE.org")

    assert 10 == len(done["addresses"]) == len(again["addresses"])
    assert "A10@example.org" in again["addresses"]
    assert "too-many-addresses" == club.code("add carol secret-carol a11@example.org")


def test_a_name_that_is_closed_or_known_by_games_alone_has_no_letter_repeated(
    office: ClubByMail,
) -> None:
    office.mail("dora@example.net", "signup dora secret-dora")
    office.collect()
    with office.desk.store.writing() as records:
        records.connection.exec_driver_sql(
            "UPDATE player SET status = 'closed' WHERE userid = 'dora'"
        )
    office.clock.seconds += 8 * DAY

    assert "userid-taken" == office.mail("dora@example.net", "signup dora secret-dora")
    assert all("signup" not in letter.subject for letter in office.collect())


def test_a_further_address_is_asked_as_one_of_an_account_that_is_there(
    office: ClubByMail,
) -> None:
    office.mail("alice@example.net", "add alice secret-alice Second@Example.net")
    office.clock.seconds += DAY
    office.mail("second@example.net", "add alice secret-alice SECOND@example.net")
    asked = [letter for letter in office.collect() if letter.to.lower() == "second@example.net"]

    assert asked
    assert not any("Welcome" in letter.text for letter in asked)
    office.mail("dora@example.net", "signup dora secret-dora")
    (welcome,) = office.collect()
    assert "Welcome" in welcome.text or welcome.text != asked[0].text


def test_a_day_that_is_taken_moves_the_clock_by_a_day(club: LocalServer) -> None:
    club.desk.vacation_days = lambda: 9
    live(club, 21.25)

    assert 22 == due(club, 101)


def test_whoever_touches_a_board_does_not_sign_what_its_clock_does(club: LocalServer) -> None:
    live(club, 20.75)
    pass_days(club, 0.5)
    _code(club, "star move 101 bob secret-bob B3")
    with club.desk.store.reading() as records:
        forfeit = next(e for e in records.lists.audit().rows if e.verb == "forfeit")

    assert ("clock", None, 101) == (forfeit.source, forfeit.userid, forfeit.number)


def test_what_a_game_did_to_ratings_is_shown_with_its_end_and_no_deadline(
    club: LocalServer,
) -> None:
    assert club.show(101)["ratings"] is None
    for text in ("C3", "B3", "resign"):
        shown = club.show(101)
        club.move(101, shown["players"][shown["to_move"]], text)
    shown = club.show(101)

    assert shown["ratings"] is not None
    assert shown["deadline"] is None
    assert club.show(102)["ratings"] is None
    assert "Ratings: " in club.text("star show 101")

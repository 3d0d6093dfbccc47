"""How the board is left, what stands beside a board of the server, and the curve of chances."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pbmserv.board.actions import press
from pbmserv.board.full_screen import colours_of_terminal, run_board
from pbmserv.board.lessons import LessonHost, lessons
from pbmserv.board.play_session import Intent
from pbmserv.board.screen import page_lines
from pbmserv.club.match import Offer, OfferKind
from pbmserv.club.player import Seat
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import EXIT_DONE, Fault, Refused
from pbmserv.render.view import View
from tests.databases import ONE_DATABASE
from tests.local_server import LocalServer

from .playing import SMALL, session

NOW = 1_700_000_000


@dataclass
class EndedApp:
    """A board that has been left, or has failed."""

    return_code: int | None = None
    failure: Exception | None = None

    def run(self) -> None:
        """Do nothing: all is over."""


@pytest.mark.parametrize(("code", "told"), [(None, EXIT_DONE), (0, 0), (130, 130), (143, 143)])
def test_the_exit_code_is_that_of_the_board(code: int | None, told: int, tmp_path: Path) -> None:
    assert told == run_board(EndedApp(code), tmp_path / "traceback")  # type: ignore[arg-type]
    assert [] == [*tmp_path.iterdir()]


def failed() -> EndedApp:
    try:
        int("of no use")
    except ValueError as error:
        return EndedApp(0, error)
    raise AssertionError


def test_a_defect_is_a_sentence_and_where_it_was_is_written(tmp_path: Path) -> None:
    file = tmp_path / "state" / "traceback"
    with pytest.raises(Fault) as caught:
        run_board(failed(), file)  # type: ignore[arg-type]

    assert "defect" == caught.value.code
    assert "Internal error of the board (ValueError); the game is saved." == caught.value.message
    assert str(file) in (caught.value.advice or "")
    assert "in failed" in file.read_text(encoding="utf-8")
    assert 0o700 == file.parent.stat().st_mode & 0o777


@pytest.mark.parametrize("is_asked", [False, True])
def test_where_nothing_can_be_written_it_is_told_on_request(
    is_asked: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "state").write_text("no folder")
    if is_asked:
        monkeypatch.setenv("PBMSERV_TRACEBACK", "1")
    with pytest.raises(Fault) as caught:
        run_board(failed(), tmp_path / "state" / "traceback")  # type: ignore[arg-type]

    assert "PBMSERV_TRACEBACK=1" in (caught.value.advice or "")
    assert is_asked is ("ValueError: invalid literal" in capsys.readouterr().err)


@pytest.mark.parametrize(
    ("variables", "colours"),
    [
        ({"TERM": "xterm", "NO_COLOR": "1", "COLORTERM": "truecolor"}, "none"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "full"),
        ({"TERM": "xterm-256color"}, "full"),
        ({"TERM": "xterm-16color"}, "16"),
        ({"TERM": "dumb"}, "none"),
    ],
)
def test_colours_are_those_of_the_terminal(
    variables: dict[str, str], colours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setitem(os.environ, name, value)

    assert colours == colours_of_terminal()


@pytest.mark.costly
@ONE_DATABASE
def test_what_is_ones_own_is_told_of_each_board_alone(local: LocalServer) -> None:
    for number in (101, 102):
        local.start("-size=3")
        local.ask(["star", "submit", str(number), "alice", "secret-alice", f"C{number - 100}"])
    local.ask(["star", "queue", "101", "alice", "secret-alice", "D1:D2"])
    seen = local.ask(["star", "showas", "alice", "secret-alice", "101", "102"])
    others = local.ask(["star", "showas", "bob", "secret-bob", "101"])
    own = [[line for line in view.beside if "ou" in line] for view in (*seen.views, *others.views)]

    assert [
        ["You have submitted C1.", "Your plan is D1:D2, from move 3 on."],
        ["You have submitted C2."],
        [],
    ] == own
    assert [{Side.X}, {Side.X}, {Side.O}] == [{*v.mine} for v in (*seen.views, *others.views)]


def test_only_the_other_side_is_told_how_to_accept_an_offer() -> None:
    record = Record(parse_game("star(size=3)"), Seat(1, "alice"), Seat(2, "bob"))
    board = View(record, "Star Board 101", 101, offer=Offer(OfferKind.RESULT, 2, "12-10"))
    other, own, looker = (replace(board, reader=number) for number in (1, 2, 3))

    assert "bob offers the result 12-10, your win by 2" == other.offered
    assert "bob offers the result 12-10, your win by 2: accept 12-10 or reject." == other.offer_line
    assert "You offer the result 12-10, your loss by 2." == own.offer_line
    assert "bob offers the result 12-10, a win for alice (X) by 2" == looker.offered
    assert ["accept 12-10", "", ""] == [view.acceptance for view in (other, own, looker)]
    assert ("", "") == (replace(other, offer=None).offered, replace(other, offer=None).acceptance)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(Side.O, Reason.RESIGNATION), "alice (O) wins by resignation."),
        (
            Outcome(Side.X, Reason.AGREEMENT, {Side.X: 12, Side.O: 10}),
            "bob (X) wins, 12 to 10, by agreement.",
        ),
        (Outcome(None, Reason.TWO_PASSES), "A draw, 1 to 1, after two passes."),
        (Outcome(None, Reason.REMOVED), "The game was removed by the operator."),
    ],
)
def test_a_game_that_ended_says_how(outcome: Outcome, words: str) -> None:
    record = played(parse_game("star(size=3)"), ["C1", "swap", "D1"], "alice", "bob")

    assert words == replace(record, outcome=outcome).result_sentence()
    assert "" == record.result_sentence()


@pytest.mark.parametrize("known", [0, 2, 5])
def test_the_curve_is_as_high_as_the_chance_and_says_what_is_missing(known: int) -> None:
    chances = (0.5, 1.0, 0.0, 0.31, 0.72)[:known]
    seated = replace(session("star(size=3)", "C1 C2 D1 B2"), curve=chances, page="g")
    lines = ["".join(span.text for span in line) for line in page_lines(seated, SMALL)]
    first = next(number for number, line in enumerate(lines) if line.startswith(" 100 % "))
    bars = [line[7:] for line in lines[first : first + 10]]
    heights = [sum(bar[3 * at : 3 * at + 3] == "###" for bar in bars) for at in range(known)]
    [end] = [line for line in lines if "0 % -" in line]

    assert [round(10 * chance) for chance in chances] == heights
    assert bars[0].startswith("   ###" if known > 1 else "")
    assert 3 * 5 == end.count("-")
    assert "move 0  1  2  3  4" in [line.strip() for line in lines]
    assert (f"{5 - known} positions to go" in "".join(lines)) is (known < 5)
    assert [" 100 % ", "  50 % "] == [line[:7] for line in lines if " %" in line[:7]][:2]


def test_of_a_long_game_the_curve_is_fitted_to_the_screen() -> None:
    seated = session("star(size=10)")
    count = 150
    record = Record(seated.game, Seat(0, ""), Seat(0, ""), known=(seated.position,) * count)
    seated = replace(seated, now=View(record, ""), curve=(0.9,) * count, page="g")
    lines = ["".join(span.text for span in line) for line in page_lines(seated, SMALL)]

    assert max(map(len, lines)) <= SMALL.width
    assert count // 3 <= max(line.count("#") for line in lines) <= 70
    assert any(
        line.strip().startswith("move 0 ") and line.strip().endswith(" 149") for line in lines
    )


def test_a_lesson_takes_only_moves_and_has_no_record() -> None:
    host = LessonHost(lessons())

    assert "Solve the task, or press q to leave." == host.perform(Intent("undo"))
    assert 1 == host.number
    with pytest.raises(Refused) as caught:
        host.record()
    assert "no-record" == caught.value.code


def test_a_line_that_is_typed_is_taken_without_blanks_around_it() -> None:
    seated = replace(session("star(size=3)"), prompt=None)
    seated = press(seated, ":")
    for key in "  c2 ":
        seated = press(seated, key)
    assert seated.prompt is not None
    done = press(seated, "enter")

    assert done.prompt is None
    assert Intent("move", "C2") == done.intent
    empty = press(press(press(session("star(size=3)"), ":"), " "), "enter")
    assert empty.intent is None
    assert "" == empty.note

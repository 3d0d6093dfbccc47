"""``play``: games in lines at one keyboard, as a newcomer types them."""

import gc
import io
import json
import os
import re
import secrets
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbmserv.board import full_screen
from pbmserv.board.app import BoardApp, Equipment
from pbmserv.board.server_host import ServerConnection
from pbmserv.cli.main import run
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.printing import fit_to_terminal
from pbmserv.computer.level_list import LEVELS, timed_level
from pbmserv.desk.local_game import LocalGame, new_game, resume
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import format_record, parse_record
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Fault, IllegalMove
from tests.in_process_shell import Result, Shell

WON = "B2 A3 B4 C4 A4"
LEGEND = ("+ empty corner;", "the bridge joins")
"""How the lines under a drawing of *Star begin, which is as wide as it is."""
LOST = "C1 A3 A4 B2 C3 C4 D1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, and a computer that always has the same luck."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 7)
    return tmp_path


@pytest.fixture
def player(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """A shell without any database."""
    monkeypatch.setenv("PBMSERV_DATABASE_URL", str(home / "none.sqlite"))
    return Shell("", monkeypatch, capsys)


def kept(home: Path, spec: str = "star-size3") -> Path:
    return home / "data" / "pbmserv" / "unfinished" / f"{spec}.game"


def lines(words: str) -> str:
    return "".join(f"{word}\n" for word in words.split())


def local_game(spec: str, moves: str = "", *, two: bool = True, begins: bool = False) -> LocalGame:
    game = parse_game(spec)
    found = new_game(game, None if two else LEVELS[0], computer_begins=begins)
    for text in moves.split():
        found = found.play(game.parse_move(text))
    return found


def test_a_newcomer_wins_at_level_1(player: Shell, home: Path) -> None:
    done = player.run("star play -size=3 -level=1", lines(WON))

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Type a cell to place a stone, help for other words")
    assert "X: you   O: computer, newcomer (1)" in done.out
    assert "The computer plays C2." in done.out
    assert "The computer resigns." in done.out
    assert "\nYou win by resignation.\n" in done.out
    assert not kept(home).exists()
    assert not (home / "none.sqlite").exists()


def test_a_level_is_named_by_a_rating(player: Shell) -> None:
    for words in ("-level=1500", "-level=1399", "-level=4", "-level=1601"):
        level = LEVELS[{"-level=1399": 2, "-level=1601": 4}.get(words, 3)]

        assert f"O: computer, {level.title}" in player.run(f"play -size=3 {words}", "").out
    found = player.json("star hint new -size=3 C1 D2 -level=2700")

    assert found["level"] == 10


def test_after_two_wins_the_next_level_is_offered_and_not_after_a_win_and_a_loss(
    player: Shell,
) -> None:
    ends = [player.run("star play -size=3", lines(moves)).out for moves in (WON, WON, LOST, WON)]
    lost = [player.run("star play -size=3 -level=3", "C1\nresign\n").out for _ in range(2)]

    assert ["Won twice in a row: try level 2." in out for out in ends] == [
        False,
        True,
        False,
        False,
    ]
    assert ["Lost twice in a row: try level 2." in out for out in lost] == [False, True]


def test_a_game_against_the_clock_goes_on_as_it_was(player: Shell) -> None:
    done = player.run("star play -size=3 -time=0.1", "B2\n")
    local = new_game(parse_game("star(size=3)"), timed_level(0.1), computer_begins=True)

    assert "X: you   O: computer, 0.1 s a move" in done.out
    assert local == resume(local.record)
    assert "computer-0.1s" == local.record.first


def test_a_newcomer_loses_at_level_1(player: Shell, home: Path) -> None:
    done = player.run("play -size=3", lines(LOST))

    assert (done.code, done.err) == (0, "")
    assert "The computer swaps" in done.out
    assert "X: computer, newcomer (1)   O: you" in done.out
    assert "\nThe computer wins, 7 to 6, on a full board.\n" in done.out
    assert "The game is over. Type help to see what still works" in done.out
    assert not kept(home).exists()


def test_two_people_play_at_one_keyboard(player: Shell) -> None:
    done = player.run("play star -size=3 -two", lines("C1 swap pass pass"))

    assert (done.code, done.err) == (0, "")
    assert "computer" not in done.out
    assert "\nX wins, 1 to 0, after two passes.\n" in done.out


def test_a_game_given_up_at_one_keyboard_calls_nobody_ahead(player: Shell) -> None:
    done = player.run("play star -size=3 -two", lines("C1 B3 A3 resign score"))
    ended = done.out.partition("X wins by resignation.")[2]

    assert done.code == 0
    assert "Points on the board: X: 2   O: 0" in ended
    assert "ahead" not in ended


def test_a_game_that_was_given_up_is_over(player: Shell) -> None:
    done = player.run("play star -size=3 -two", lines("C1 B3 A3 resign C4 resign"))

    assert "pbmserv: The game is over.\n" in done.err
    assert "C4" not in done.out.partition("X wins by resignation.")[2]


def test_the_computer_begins_where_a_person_chose_o(player: Shell) -> None:
    done = player.run("play -size=3 -side=o", "")

    assert done.out.count("The computer plays") == 1
    assert "X: computer, newcomer (1)   O: you" in done.out


def test_what_cannot_be_done_is_told_and_asked_again(player: Shell) -> None:
    done = player.run("play -size=3 -two", lines("ZZ9 swap undo resign C1 c1 save") + "\nC2\n")

    assert done.code == 0
    assert [
        "pbmserv: Not a cell of this board: ZZ9.",
        "pbmserv: Swap is not allowed now.",
        "pbmserv: There is no move to undo.",
        "pbmserv: You can resign only after the second move.",
        "pbmserv: There is already a stone on C1.",
        "pbmserv: Missing argument: FILE.",
    ] == [line for line in done.err.splitlines() if line.startswith("pbmserv:")]
    assert "Move 3: X to move." in done.out


class Terminal(io.StringIO):
    """Standard input that is a terminal, left by an end of the lines or by Ctrl-C."""

    def __init__(self, lines: str, left_by: type[BaseException]) -> None:
        super().__init__(lines)
        self.left_by = left_by

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        line = super().readline(-1 if size is None else size)
        if not line and self.left_by is KeyboardInterrupt:
            raise KeyboardInterrupt
        return line

    def isatty(self) -> bool:
        return True


def at_terminal(player: Shell, words: str, lines: str) -> Result:
    """Run a line where somebody sits at a terminal and types."""
    player.monkeypatch.setattr(sys, "stdin", Terminal(lines, EOFError))
    player.capsys.readouterr()
    code = run(words.split())
    return Result(code, *player.capsys.readouterr())


def test_an_unfinished_game_is_kept_and_offered_again(player: Shell, home: Path) -> None:
    first = player.run("play -size=3 -level=2", "B2\nquit\nnever read\n")
    again = at_terminal(player, "play -size=3", "perhaps\nyes\n")
    moves = parse_record(kept(home).read_text()).texts

    assert "The game is saved. To go on with it: pbmserv play star -size=3" in first.out
    assert "There is an unfinished game: Star (size 3), move 2. Go on with it?" in again.out
    assert again.err == "pbmserv: Answer yes or no, or press Ctrl-D to leave.\n"
    assert "beginner (2)" in again.out
    assert "Move 3: you (X) to move." in again.out
    assert (2, "B2") == (len(moves), moves[0])


def test_of_each_game_and_size_one_is_kept(player: Shell, home: Path) -> None:
    kinds = ("star -size=3", "star -size=4", "star -size=3 -maxi", "hex -size=3", "polyy -size=3")
    for kind in kinds:
        player.run(f"play {kind} -two", "A10\n" if "polyy" in kind else "B3\n")
    asked = [at_terminal(player, f"play {kind} -two", "yes\n").out for kind in kinds]

    assert len(kinds) == len(list(kept(home).parent.iterdir()))
    assert all("Move 2: O to move." in out for out in asked)
    assert [1] * 5 == [out.count("Go on with it?") for out in asked]
    assert "Go on" not in at_terminal(player, "play y -size=4 -two", "").out


def test_without_words_the_newest_is_offered_and_then_the_usual_game(
    player: Shell, home: Path
) -> None:
    player.run("play -two", "B5\n")
    player.run("play hex -size=3 -two", "B2\n")
    before = time.time() - 60
    os.utime(kept(home, "star-size6"), (before, before))
    done = at_terminal(player, "play", "no\nyes\n")

    assert ["Hex (size 3), move 1", "Star (size 6), move 1"] == re.findall(
        r"unfinished game: (.*?)\. Go on", done.out
    )
    assert "Move 2: O to move." in done.out


def test_a_pipe_is_asked_nothing_and_takes_no_kept_game_away(player: Shell, home: Path) -> None:
    player.run("play -size=3", "B2\n")
    before = kept(home).read_text()
    piped = player.run("play -size=3 -two", "D3\nA4\n")

    assert (0, "") == (piped.code, piped.err)
    assert "An unfinished game of Star (size 3) is already saved, so this game is not." in piped.out
    assert "Move 3: X to move." in piped.out
    assert "Go on" not in piped.out
    assert "The game is saved" not in piped.out
    assert before == kept(home).read_text()


def test_a_new_game_takes_the_place_of_the_unfinished_one(player: Shell, home: Path) -> None:
    player.run("play -size=3", "B2\n")
    at_terminal(player, "play -size=3 -two", "no\nA3\n")
    record = parse_record(kept(home).read_text())

    assert ("player1", ("A3",)) == (record.first, record.texts)


def test_leaving_at_the_question_keeps_the_game(player: Shell, home: Path) -> None:
    player.run("play -size=3", "B2\n")
    before = kept(home).read_text()
    done = at_terminal(player, "play -size=3", "")

    assert (0, before) == (done.code, kept(home).read_text())


def test_a_game_that_was_kept_when_there_was_only_one_goes_on(player: Shell, home: Path) -> None:
    player.run("play -size=3 -two", "B2\n")
    before = kept(home).parent.with_suffix(".game")
    kept(home).rename(before)
    done = at_terminal(player, "play -size=3", "yes\nA3\n")

    assert "Move 3: X to move." in done.out
    assert ("B2", "A3") == parse_record(before.read_text()).texts
    assert not kept(home).exists()


def test_a_file_that_holds_no_unfinished_game_is_left_alone(player: Shell, home: Path) -> None:
    kept(home).parent.mkdir(parents=True)
    kept(home).write_text("something else")
    done = player.run("play -size=3", "C3\n")

    assert "cannot be read.\nMove that file away or delete it.\n" in done.err
    assert "1. X C3" in done.out
    assert "saved" not in done.out
    assert kept(home).read_text() == "something else"


def test_a_folder_that_cannot_be_made_spoils_no_game(player: Shell, home: Path) -> None:
    (home / "data").write_text("a file")
    done = player.run("play -two -size=3", "B2\nA3\n")

    assert done.code == 0
    assert done.out.count("The game cannot be saved for next time") == 1
    assert "Move 3: X to move." in done.out


@pytest.mark.parametrize(("left_by", "code"), [(KeyboardInterrupt, 130), (EOFError, 0)])
def test_leaving_a_terminal_keeps_the_game(
    monkeypatch: pytest.MonkeyPatch, home: Path, left_by: type[BaseException], code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("B2\n", left_by))

    assert code == run(["play", "-size=3"])
    assert "B2" == parse_record(kept(home).read_text()).texts[0]


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("game", ["star", "starstar", "starweb", "polyy", "y", "hex"])
def test_at_a_terminal_no_line_is_broken_by_it(player: Shell, game: str, columns: int) -> None:
    player.monkeypatch.setenv("NO_COLOR", "1")
    player.monkeypatch.setenv("COLUMNS", str(columns))
    player.monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    size = {"starstar": 4, "starweb": 4, "star": 4, "polyy": 3, "y": 5, "hex": 5}[game]
    cells = parse_game(f"{game}(size={size})").board.names[:2]
    words = "".join(f"{word}\n" for word in (*cells, "score", "hint", "help", "back"))
    out = at_terminal(player, f"play {game} -size={size} -two", words).out.replace("> ", "")
    told = [line for line in out.splitlines() if not line.startswith(LEGEND)]

    assert [] == [line for line in told if len(line) > columns]
    assert [] == [line for line in told if re.search(r"(\b[XO]:|\bby)$", line)]
    assert any(line.startswith("Best: ") for line in told)


def test_at_a_terminal_each_line_is_asked_for_and_the_last_one_ended(player: Shell) -> None:
    out = at_terminal(player, "play -size=3 -two", "B2\nscore\n").out

    assert out.count("\n> ") == 3
    assert "\n> \nThe game is saved. To go on with it: " in out
    assert "> " not in player.run("play -size=3 -two", "B2\nscore\n").out


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_was_answered_is_read_before_the_next_line_is_typed(
    player: Shell,
    home: Path,
    is_terminal: bool,  # noqa: FBT001
) -> None:
    out, seen = home / "out", []

    class Typist(Terminal):
        def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
            seen.append(out.read_text())
            return super().readline(size)

        def isatty(self) -> bool:
            return is_terminal

    with out.open("w") as stream:
        player.monkeypatch.setattr(sys, "stdin", Typist("B2\nnonsense\n", EOFError))
        player.monkeypatch.setattr(sys, "stdout", stream)
        assert run(["play", "-size=3", "-two"]) == 0

    end = "> " if is_terminal else "\n"
    assert [True] * 3 == [text.endswith(end) for text in seen]
    assert ["Move 1: X to move.", "Move 2: O to move."] == [
        text.rpartition("Move")[1] + text.rpartition("Move")[2].splitlines()[0] for text in seen[:2]
    ]


def test_a_line_that_is_fitted_is_broken_between_words_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    name = "x" * 50

    assert fit_to_terminal(f"  see {name} there") == f"  see\n  {name}\n  there"


def test_who_sits_down_at_the_start_screen_leaves_with_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[ServerConnection, object]] = []

    def run_screen(server: ServerConnection, host: object) -> int:
        seen.append((server, host))
        if len(seen) > 1:
            raise Fault("The terminal is away.", code="away")
        return 7

    monkeypatch.setattr(full_screen, "open_screen", run_screen)
    codes = []
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            full_screen.open_start()
        codes.append(left.value.code)

    assert codes == [7, 70]
    assert [(server.options, host) for server, host in seen] == [(ShellOptions(), None)] * 2
    assert capsys.readouterr() == ("", "pbmserv: The terminal is away.\n")


@pytest.fixture
def screens(player: Shell) -> list[BoardApp]:
    """A full terminal, at which each screen that would be shown is kept here instead."""
    seen: list[BoardApp] = []
    player.monkeypatch.setattr("pbmserv.board.playing.is_full_terminal", lambda: True)

    def noted(app: BoardApp) -> None:
        seen.append(app)

    player.monkeypatch.setattr(BoardApp, "run", noted)
    return seen


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("play", None),
        ("play --style=unicode", None),
        ("play hex", "Hex"),
        ("play -two", "Star"),
        ("play -level=2", "Star"),
        ("play -side=O", "Star"),
        ("play -size=4", "Star"),
        ("star play old.game", "Star"),
    ],
)
def test_a_full_terminal_shows_what_was_named_or_the_start_screen(
    player: Shell, screens: list[BoardApp], home: Path, line: str, title: str | None
) -> None:
    player.monkeypatch.chdir(home)
    player.run("play -two -size=3 --plain", "B2\nsave old.game\n")
    kept(home).unlink()
    done = player.run(line)

    assert (0, "", "") == done
    [app] = screens
    assert title == (None if app.has_menu else app.session.now.title)
    data = home / "data" / "pbmserv"
    assert app.equipment == Equipment(
        "unicode" if "unicode" in line else "ascii",
        app.equipment.colours,
        data / "unfinished",
        None,
        lessons=data / "lessons.solved",
        puzzles=data / "puzzles.solved",
    )
    assert app.style == app.equipment.style == app.scene.style
    assert gc.isenabled()


@pytest.mark.parametrize("option", ["--plain", "--json"])
def test_who_asks_for_words_or_documents_gets_no_screen(
    player: Shell, screens: list[BoardApp], option: str
) -> None:
    assert "Type a cell to place a stone" in player.run(f"play {option}", "").out
    assert [] == screens


@pytest.mark.parametrize(
    ("stream", "term", "is_full"),
    [
        ("", "xterm", True),
        ("", "dumb", False),
        ("", "", False),
        ("", None, False),
        ("stdin", "xterm", False),
        ("stdout", "xterm", False),
        ("stderr", "xterm", False),
    ],
)
def test_a_screen_is_drawn_where_all_streams_are_a_terminal_that_can(
    monkeypatch: pytest.MonkeyPatch,
    stream: str,
    term: str | None,
    is_full: bool,  # noqa: FBT001
) -> None:
    for name in ("stdin", "stdout", "stderr"):
        is_terminal = name != stream
        monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda found=is_terminal: found))
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)

    assert is_full is full_screen.is_full_terminal()


def test_save_writes_a_record_and_overwrites_nothing(player: Shell, home: Path) -> None:
    file = home / "game.txt"
    done = player.run("play -two -size=3", f"B2\nsave {file}\nA3\nsave {file}\n")

    assert ("B2",) == parse_record(file.read_text()).texts
    assert f"pbmserv: The file {file} already exists.\nName a new file.\n" == done.err


def test_hint_tells_move_chance_margin_alternatives_and_reason(player: Shell) -> None:
    done = player.run("play -two -size=4", "D3\nC4\nhint\n")
    best, reason, *more = done.out.partition("Best: ")[2].splitlines()

    assert "winning chance" in best
    assert "expected margin" in best
    assert reason == "  It earns 1 at once."
    assert 2 == sum(line.startswith("Also: ") for line in more)


def test_score_and_help_answer_and_move_nothing(player: Shell) -> None:
    done = player.run("play -two -size=3", "C1\nscore\nhelp\nC2\n")

    assert "+1  chain" in done.out
    assert "The rules: pbmserv help star" in done.out
    assert "Move 3: X to move." in done.out


def test_plain_lists_the_stones_in_words(player: Shell) -> None:
    done = player.run("play -two -size=3 --plain", "C1\n")

    assert "X, 1 stone: C1." in done.out


def test_json_is_one_document_a_line(player: Shell) -> None:
    done = player.run("play -two -size=3 --json", "C1\nZZ\nC2\n")
    documents = [json.loads(line) for line in done.out.splitlines()]
    kinds = [next(iter(document)) for document in documents]

    assert ["note", "game", "game", "error", "game", "note"] == kinds
    assert documents[-2]["moves"] == ["C1", "C2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-level=15", "Invalid value for -level: 15 (1 to 14, or a rating from 900 to 3500)."),
        ("-level=899", "Invalid value for -level: 899 (1 to 14, or a rating from 900 to 3500)."),
        ("-level=three", "Invalid value for -level"),
        ("-side=Y", "Invalid value for -side"),
        ("-two -level=1", "The options -two and -level cannot be combined."),
        ("-two -time=1", "The options -two and -time cannot be combined."),
        ("-level=2 -time=1", "The options -time and -level cannot be combined."),
        ("-time=0", "Invalid value for -time: 0 (0.1 to 3600 seconds)."),
        ("-two -side=O", "The options -two and -side cannot be combined."),
        ("-size=99", "Invalid value for -size: 99"),
        ("hex -maxi", "No such option for hex: -maxi."),
        ("hex star", "Unexpected argument: star."),
    ],
)
def test_words_that_do_not_go_together_are_refused(player: Shell, words: str, said: str) -> None:
    done = player.run(f"play {words}")

    assert done.code == 2
    assert said.rstrip(".") in done.err


def test_undo_takes_back_the_computers_answer_too() -> None:
    game = local_game("star(size=3)", "B2 A3 C3 A4", two=False)

    assert ["B2", "A3"] == [*game.undo().record.texts]
    assert ["B2"] == [*local_game("star(size=3)", "B2 A3").undo().record.texts]


def test_undo_takes_back_a_resignation_only() -> None:
    game = local_game("star(size=3)", "B2 A3 C3 A4", two=False)

    assert Outcome(Side.O, Reason.RESIGNATION) == game.resign().record.outcome
    assert game == game.resign().undo()
    asked = local_game("star(size=3)", "B2 A3 C3", two=False)
    assert ["B2", "A3"] == [*asked.answered(None).undo().record.texts]


def test_undo_never_takes_back_the_computers_first_move_alone() -> None:
    game = local_game("star(size=3)", "B2", two=False, begins=True)

    with pytest.raises(IllegalMove, match="no move to undo"):
        game.undo()


@pytest.mark.parametrize(("begins", "moves"), [(False, "B2 swap"), (True, "B2"), (True, "B2 swap")])
def test_a_kept_game_goes_on_with_the_same_sides(begins: bool, moves: str) -> None:  # noqa: FBT001
    game = local_game("star(size=3)", moves, two=False, begins=begins)

    assert game == resume(parse_record(format_record(game.record)))


def test_a_swap_exchanges_the_sides_of_person_and_computer() -> None:
    before = local_game("star(size=3)", "B2", two=False)
    after = local_game("star(size=3)", "B2 swap", two=False)

    assert (Side.O, Side.X) == (before.computer_side, after.computer_side)
    assert (LEVELS[0], None) == (before.thinks, after.thinks)


def test_who_resigns_while_the_computer_thinks_is_the_person() -> None:
    thinking = local_game("star(size=3)", "B2 C2 B3", two=False)

    assert thinking.thinks
    assert "The computer wins by resignation." == thinking.resign().closing
    assert thinking == thinking.resign().undo()


@pytest.mark.costly
def test_the_demonstration_ends_with_an_invitation(shell: Shell) -> None:
    assert "Now you: pbmserv play" == shell.run("demo").out.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-si=3 -two", "Star (size 3)"),
        ("-si 3 -le 2 -si O", "X: computer, beginner (2)   O: you"),
        ("y -si=O -si=4", "O: you"),
        ("-threads=2 -size=3", "X: you"),
    ],
)
def test_a_short_name_of_an_option_is_told_by_its_value(
    player: Shell, words: str, told: str
) -> None:
    assert told in player.run(f"play {words}", "").out


def test_a_short_name_that_stays_unclear_is_asked_back(player: Shell) -> None:
    done = player.run("play polyy -si=3", "")

    assert "Ambiguous option: -si. Did you mean -size or -sides?\n" in done.err

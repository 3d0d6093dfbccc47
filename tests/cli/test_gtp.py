"""``gtp``: the computer as an engine for other programs."""

import io
import os
import re
import secrets
from pathlib import Path
from time import monotonic, process_time
from types import SimpleNamespace

import pytest

from pbmserv.cli.gtp import GtpClock
from pbmserv.cli.main import run
from pbmserv.computer.level_list import Level
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position
from pbmserv.engine.record import Record, played
from pbmserv.engine.spec import parse_game
from pbmserv.engine.swap_pieces import with_swapped_pieces
from tests.in_process_shell import Shell

BOARD_11 = parse_game("hex(size=11)").board.names


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A shell without any database, and a computer that always has the same luck."""
    monkeypatch.setattr(secrets, "randbits", lambda _bits: 7)
    return Shell("", monkeypatch, capsys)


def answers(engine: Shell, options: str, *lines: str) -> list[str]:
    done = engine.run(f"gtp {options}", "".join(f"{line}\n" for line in lines))

    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\n\n")
    return [each.rstrip() for each in done.out.removesuffix("\n\n").split("\n\n")]


def test_every_answer_has_its_number_and_an_empty_line(engine: Shell) -> None:
    lines = ["7 protocol_version", "", "# nothing", "8 nosuch", "name # us", "quit", "name"]

    assert ["=7 2", "?8 unknown command", "= pbmserv", "="] == answers(engine, "", *lines)


def test_an_answer_without_words_has_a_blank_for_viewers_that_look_for_it(engine: Shell) -> None:
    assert engine.run("gtp -game=hex", "clear_board\n1 undo\n").out == "= \n\n?1 cannot undo\n\n"


class Controller(io.StringIO):
    """A controller that writes its next line into a pipe as soon as it has an answer."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.reads, self.writes = os.pipe()
        self.lines = lines
        self.send()

    def send(self) -> None:
        """Write the next line, and end after the last one."""
        if self.lines:
            os.write(self.writes, self.lines.pop(0).encode("latin-1"))
            if not self.lines:
                os.close(self.writes)

    def flush(self) -> None:
        """Take an answer."""
        self.send()


def test_an_answer_is_out_before_the_next_line_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    controller = Controller(["1 name\n", "2 protocol_", "version\r\n", "3 komi \xff\n", "4 name"])
    controller.send()  # a line may come in parts
    with os.fdopen(controller.reads) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        monkeypatch.setattr("sys.stdout", controller)
        assert run(["gtp"]) == 0

    assert controller.getvalue() == (
        "=1 pbmserv\n\n=2 2\n\n?3 komi is not a number\n\n=4 pbmserv\n\n"
    )


class LateInterrupt(Controller):
    """A controller that has enough once it sees how the search goes."""

    def flush(self) -> None:
        """Interrupt a search that is shown, and take an answer."""
        if "gogui-gfx" not in self.getvalue() or self.getvalue().endswith("%.\n\n"):
            self.send()


@pytest.mark.parametrize("game", ["hex", "star"])
@pytest.mark.parametrize("ask", ["genmove w", "reg_genmove w", "best_moves w", "owner_map w"])
def test_an_interrupt_ends_a_search_that_would_take_an_hour(
    monkeypatch: pytest.MonkeyPatch, game: str, ask: str
) -> None:
    first = parse_game(f"{game}(size=9)").board.names[0]
    lines = ["param_game live_gfx 1\n", f"play b {first}\n", f"{ask}\n", "# interrupt\n"]
    controller = LateInterrupt(lines)
    with os.fdopen(controller.reads) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        monkeypatch.setattr("sys.stdout", controller)
        assert run(["gtp", f"-game={game}", "-size=9", "-time=3600"]) == 0
    _, _, shown, found, *rest = controller.getvalue().split("\n\n")

    assert shown.startswith("gogui-gfx:\nuct\nVAR W ")
    assert found.startswith("= ")
    assert len(found) > 2
    assert rest == [""]


def test_an_interrupt_between_commands_ends_nothing(engine: Shell) -> None:
    lines = ["play b c3", "# interrupt", "best_moves w"]
    quiet, interrupted = (
        answers(engine, "-game=hex -size=5", *each)[-1] for each in (lines[::2], lines)
    )

    assert quiet == interrupted


CONVERSATIONS = {
    heading: text
    for part in Path(__file__).with_name("gtp_conversations.txt").read_text().split("## ")[1:]
    for heading, _, text in [part.partition("\n\n")]
}
"""What controllers send and what they need to hear, made from what is known of them."""

WILD = {
    "CELL": r"[a-z]+\d+",
    "MOVE": r"(?:[a-z]+\d+|resign)",
    "NUMBER": r"\d+",
    r"\.\.\.": r"(?s:.*?)",
}


@pytest.mark.parametrize("heading", CONVERSATIONS)
def test_a_foreign_conversation_is_answered_as_its_controller_needs(
    heading: str, engine: Shell, tmp_path: Path
) -> None:
    for spec, moves in (("hex(size=4)", "A2 swap C2 B3 D4"), ("star(size=3)", "C2 swap D3 B2")):
        record = played(parse_game(spec), moves.split())
        name = "swapped" if spec.startswith("hex") else "star"
        (tmp_path / f"{name}.sgf").write_text(format_sgf(record))
    lines = CONVERSATIONS[heading].replace("{folder}", str(tmp_path)).strip("\n").split("\n")
    sent = "".join(f"{line[2:]}\n" for line in lines if line.startswith(">"))
    blocks = [
        block.strip("\n") for block in re.split(r"^>.*$", "\n".join(lines), flags=re.MULTILINE)
    ]
    pattern = re.escape("".join(f"{block}\n\n" for block in blocks if block))
    for word, meaning in WILD.items():
        pattern = pattern.replace(word, meaning)
    done = engine.run(f"gtp {heading.partition(' | ')[2]}", sent)

    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(pattern, done.out)


def test_what_is_listed_is_known(engine: Shell) -> None:
    listed = answers(engine, "", "list_commands")[0].removeprefix("= ").split()
    known = answers(engine, "", *(f"known_command {name}" for name in listed))

    assert {"boardsize", "clear_board", "komi", "play", "genmove", "undo"} < set(listed)
    assert {"showboard", "final_score", "cells", "quit"} < set(listed)
    assert ["= true"] * len(listed) == known
    assert ["= false"] == answers(engine, "", "known_command nosuch")


def test_cells_are_those_of_the_board(engine: Shell) -> None:
    names = " ".join(parse_game("hex(size=4)").board.names)

    assert ["=", f"= {names}"] == answers(engine, "-game=hex", "boardsize 4 4", "cells")


def stones_shown(answer: str) -> dict[str, str]:
    """Return what stands on each cell of a board of Hex that ``showboard`` has drawn."""
    rows = [line.replace("[", " ").replace("]", " ").split() for line in answer.splitlines()[1:]]
    return {
        f"{'abcdefghijk'[column]}{row[0].removesuffix('-')}": stone
        for row in rows
        if row[0][0].isdigit()
        for column, stone in enumerate(row[1:])
        if stone != "."
    }


def test_stones_of_either_colour_come_in_any_order(engine: Shell) -> None:
    """HexGui tells a board row by row, whose stones they are and whether it has ended or not."""
    lines = ["play b B1", "play b b2", "play w C1", "play BLACK b3", "play w A1", "play w c3"]
    shown = answers(engine, "-game=hex -size=3", *lines, "showboard", "final_score", "genmove w")

    assert ["="] * len(lines) == shown[:6]
    assert {"b1": "X", "b2": "X", "b3": "X", "a1": "O", "c1": "O", "c3": "O"} == stones_shown(
        shown[6]
    )
    assert ["= B+", "= resign"] == shown[7:]


def test_the_engine_moves_for_the_colour_that_is_named(engine: Shell) -> None:
    lines = ["genmove w", "genmove w", "genmove b", "showboard"]
    *made, shown = answers(engine, "-game=hex -size=5", *lines)

    assert [*"OOX"] == [stones_shown(shown)[answer.removeprefix("= ")] for answer in made]


@pytest.mark.parametrize("game", ["star", "starstar", "starweb", "polyy", "y", "hex"])
@pytest.mark.parametrize("word", ["swap", "swap-pieces", "SWAP-PIECES"])
def test_the_piece_is_swapped_mirrored_in_hex_alone(engine: Shell, game: str, word: str) -> None:
    names = parse_game(f"{game}(size=6)").board.names
    first = "B1" if game == "hex" else names[1]
    taken = "A2" if game == "hex" else names[1]
    lines = [f"play b {first}", f"play w {word}", f"play b {taken}", "undo", f"play b {names[9]}"]

    assert ["=", "=", f"? there is already a stone on {taken}", "=", "="] == answers(
        engine, f"-game={game} -size=6", *lines
    )


def test_where_sides_are_swapped_the_stone_stays_and_white_moves(engine: Shell) -> None:
    lines = ["play b b1", "play w swap-sides", "play w c2", "play b a3", "showboard"]
    shown = answers(engine, "-game=hex -size=3", *lines)

    assert ["="] * 4 == shown[:4]
    assert {"b1": "X", "c2": "O", "a3": "X"} == stones_shown(shown[4])


@pytest.mark.parametrize("before", [[], ["play b a1", "play w b2"], ["play w a1"], ["play b pass"]])
def test_only_a_first_stone_is_swapped(engine: Shell, before: list[str]) -> None:
    *_, last = answers(engine, "-game=hex -size=3", *before, "play w swap-pieces")

    assert last == "? only a first stone can be swapped"


def test_nobody_is_swapped_out_unasked(engine: Shell) -> None:
    best = ["boardsize 5 5", "play b c3"]
    told = answers(engine, "-game=hex", *best, "genmove w", "param_game")
    asked = ["param_game allow_swap 1", *best, "genmove w", "showboard", "genmove w"]
    swapped = answers(engine, "-game=hex", *asked)

    assert told[2] not in {"= swap-pieces", "= swap", "= resign"}
    assert told[3].startswith("= \n[bool] allow_swap 0\n")
    assert swapped[3] == "= swap-pieces"
    assert {"c3": "O"} == stones_shown(swapped[4])
    assert swapped[5] not in {"= swap-pieces", "= swap"}


def test_a_resignation_is_a_move_that_ends_the_game(engine: Shell) -> None:
    lines = ["play b c1", "play w resign", "final_score", "genmove b", "genmove w"]
    ended = answers(engine, "-game=star -size=3", *lines, "undo", "genmove w")

    assert ["=", "=", "= B+", "= resign", "= resign", "="] == ended[:6]
    assert ended[6] != "= resign"


@pytest.mark.parametrize("game", ["star", "starstar", "starweb", "polyy", "y", "hex"])
def test_after_the_end_the_answer_is_to_resign(engine: Shell, game: str) -> None:
    passed = ["play b pass", "play w pass", "genmove b", "genmove w"]

    assert ["=", "=", "= resign", "= resign"] == answers(engine, f"-game={game}", *passed)


HEXGUI = """
name
version
hexgui-analyze_commands
boardsize 5 5
clear_board
clear_board
play black c3
showboard
play white swap-pieces
showboard
clear_board
play white c3
showboard
play black b2
showboard
genmove white
showboard
undo
showboard
"""
"""What HexGui sends: at connect, for a move, for a swap, and when a stone is set by hand."""

TWOGTP = """
list_commands
known_command time_settings
name
version
boardsize 5
clear_board
param_game allow_swap 0
genmove black
play white a5
genmove black
play white b5
play black resign
final_score
"""
BENZENE = """
boardsize 5 5
clear_board
param_game allow_swap 1
play b c3
genmove w
play b b2
genmove w
play b resign
genmove w
final_score
clear_board
play b a1
play w resign
"""


@pytest.mark.parametrize("script", [HEXGUI, TWOGTP, BENZENE], ids=["hexgui", "twogtp", "benzene"])
def test_a_session_of_a_controller_is_answered_throughout(engine: Shell, script: str) -> None:
    lines = script.split("\n")[1:-1]
    found = answers(engine, "-game=hex -size=11 -level=3", *lines)

    assert [] == [(line, said) for line, said in zip(lines, found, strict=True) if said[0] != "="]
    for line, said in zip(lines, found, strict=True):
        if line.startswith("genmove"):
            word = said.removeprefix("= ")
            names = {name.lower() for name in parse_game("hex(size=5)").board.names}

            assert word in names | {"resign", "swap-pieces"}


def test_two_engines_play_a_game_through_as_twogtp_has_them(engine: Shell) -> None:
    """Each is told the other's moves, until one resigns or the board is decided."""
    played: list[str] = []
    for number in range(26):
        colour = "bw"[number % 2]
        *_, said = answers(engine, "-game=hex -size=4", *played, f"genmove {colour}")
        move = said.removeprefix("= ")
        if move == "resign":
            break
        played.append(f"play {colour} {move}")
    score = answers(engine, "-game=hex -size=4", *played, f"play {colour} resign", "final_score")

    assert move == "resign"
    assert len(played) > 3
    assert score[-1] == f"= {'W' if colour == 'b' else 'B'}+"


def test_a_move_that_was_made_up_can_be_played(engine: Shell) -> None:
    made = answers(engine, "-game=y -size=5 -level=2", "genmove black", "undo")[0]
    move = made.removeprefix("= ")

    assert move.upper() in parse_game("y(size=5)").board.names
    assert ["="] == answers(engine, "-game=y -size=5", f"play black {move}")


@pytest.mark.costly
def test_it_thinks_no_longer_than_its_clock_allows(engine: Shell) -> None:
    lines = ("time_settings 0 1 10", "genmove black", "time_left white 1 5", "genmove white")
    start = monotonic()
    found = answers(engine, "-game=hex -size=11 -time=3600", *lines)

    assert monotonic() - start < 5
    assert ["=", "="] == found[::2]
    assert all(said.removeprefix("= ").upper() in BOARD_11 for said in found[1::2])


@pytest.mark.costly
def test_without_a_limit_a_time_per_move_or_a_level_decides(engine: Shell) -> None:
    """A period for no moves says that there is no limit; a level plays as it always does."""
    level = answers(engine, "-game=hex -size=5 -level=3", "play b b2", "genmove w")
    clocked = ("time_settings 600 0 0", "play b b2", "genmove w")

    assert level[-1] == answers(engine, "-game=hex -size=5 -level=3", *clocked)[-1]
    start = process_time()
    answers(engine, "-game=hex -size=11 -time=0.3", "time_settings 0 1 0", "play b b2", "genmove w")
    assert 0.3 <= process_time() - start < 3


def test_a_clock_shares_what_is_left_and_goes_on_to_its_next_period() -> None:
    clock = GtpClock(100, 0, (30, 3))

    assert pytest.approx(9) == clock.share(10)
    assert pytest.approx(9) == clock.share(40)  # a tenth of a period's third is the least
    clock.spend(60)
    assert (40, 0) == (clock.seconds, clock.moves)
    clock.spend(41)
    assert (30, 3) == (clock.seconds, clock.moves)
    clock.spend(5)
    assert (25, 2) == (clock.seconds, clock.moves)
    assert pytest.approx(0.9 * 12.5) == clock.share(10)
    clock.spend(5)
    clock.spend(5)
    assert (30, 3) == (clock.seconds, clock.moves)


@pytest.mark.parametrize(
    ("options", "size", "board"),
    [
        ("-game=starweb", 7, "starweb(size=7)"),
        ("-game=starweb -notch=3", 10, "starweb(size=10)"),
        ("-game=starweb -notch=2", 10, "starweb(size=10,notch=2)"),
        ("-game=starweb -size=7 -notch=1", 8, "starweb(size=8,notch=1)"),
        ("-game=starweb -size=7", 12, "starweb(size=12)"),
    ],
)
def test_on_another_board_what_was_chosen_stays_and_what_follows_from_the_size_does_so(
    engine: Shell, options: str, size: int, board: str
) -> None:
    found = answers(engine, options, f"boardsize {size}", "cells")

    assert found == ["=", f"= {' '.join(parse_game(board).board.names)}"]


@pytest.fixture
def thought(engine: Shell) -> list[float]:
    """How long it was to think about each move; it thinks for ten seconds and plays anywhere."""
    asked: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: 10.0 * len(asked))

    def choose(game: Game, position: Position, level: Level, _seed: int) -> SimpleNamespace:
        asked.append(level.seconds)
        cell = next(n for n, stone in enumerate(position.stones) if not stone)
        return SimpleNamespace(move=game.parse_move(game.board.names[cell]))

    engine.monkeypatch.setattr("pbmserv.cli.gtp.choose", choose)
    engine.monkeypatch.setattr("pbmserv.cli.gtp.time", clock)
    return asked


def test_each_side_has_a_clock_of_its_own_for_its_turns_to_come(
    engine: Shell, thought: list[float]
) -> None:
    lines = ["time_settings 100 0 0", "time_left w 50 0", *["genmove b", "genmove w"] * 2]
    answers(engine, "-game=hex -size=5 -time=3600", *lines)
    # Of 25 cells a side fills half, and a quarter of them is expected; less than five turns never.
    assert thought == pytest.approx(
        [0.9 * 100 / (25 / 4), 0.9 * 50 / (24 / 4), 0.9 * 90 / (23 / 4), 0.9 * 40 / (22 / 4)]
    )
    thought.clear()
    answers(engine, "-game=hex -size=3 -time=3600", "time_settings 100 0 0", "genmove w")
    assert thought == pytest.approx([0.9 * 100 / 5])
    thought.clear()
    answers(engine, "-game=hex -size=3 -time=3", "time_settings 100 0 0", "genmove w")
    assert thought == [3]


def test_a_game_that_is_refused_leaves_the_clocks_as_they_were(engine: Shell) -> None:
    lines = ("time_left b 77 0", "play-game a2 b2 a2", "time_left")
    *_, refused, left = answers(engine, "-game=hex -size=4", *lines)

    assert refused.startswith("? ")
    assert left == "= Black: 77, White: inf"


def test_what_the_computer_cannot_play_is_refused_at_once(engine: Shell) -> None:
    engine.monkeypatch.setattr("pbmserv.computer.game_arrays.arrays_of", lambda _game: None)
    done = engine.run("gtp -game=hex", "name\n")

    assert (done.code, done.out) == (1, "")
    assert done.err == "pbmserv: The computer cannot play Hex.\n"


def test_komi_is_taken_where_the_game_has_one(engine: Shell) -> None:
    assert ["=", "? this game has no komi"] == answers(engine, "-game=y", "komi 0", "komi 6.5")
    assert ["="] == answers(engine, "-game=starstar -size=4", "komi 3.0")
    assert ["? komi is not a number"] == answers(engine, "", "komi much")
    assert ["=", "? Maxi-Star has no komi: lists of chains are compared, not points."] == [
        *answers(engine, "-game=star -size=4", "komi -2"),
        *answers(engine, "-game=star -size=4 -maxi", "komi 2"),
    ]


@pytest.mark.parametrize("option", ["-komi=-2", "-komi -2"])
def test_komi_may_be_negative_where_another_word_names_the_game(engine: Shell, option: str) -> None:
    assert ["= B+4"] == answers(engine, f"-game=star -size=4 {option}", "final_score")


def test_a_game_without_swap_is_not_swapped_even_where_the_engine_may(engine: Shell) -> None:
    asked = ["param_game allow_swap 1", "play b B2", "play w swap-pieces", "all_legal_moves"]
    told = answers(engine, "-game=hex -size=3 -noswap", *asked)

    assert told[2] == "? only a first stone can be swapped"
    assert "swap-pieces" not in told[3]
    assert "swap-pieces" in answers(engine, "-game=hex -size=3", *asked[:2], asked[3])[2]


@pytest.mark.parametrize(
    "line",
    [
        "play black",
        "boardsize",
        "boardsize 99",
        "undo",
        "komi 1 2",
        "param_game x 1",
        "time_settings 1 2",
        "time_settings 1 2 x",
        "time_left black -1 0",
        "time_left red 1 0",
    ],
)
def test_what_cannot_be_done_is_answered_in_one_line(engine: Shell, line: str) -> None:
    (answer,) = answers(engine, "-size=3", line)

    assert answer.startswith("? ")
    assert "\n" not in answer


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ("-game=hex -size=5", "A1 swap B2 C3 D4"),
        ("-game=hex -size=5", "A2 C3 B4"),
        ("-game=star -size=5", "D5 swap E5 pass F5"),
        ("-game=starstar -size=4 -komi=3", "A30 S21 *20"),
        ("-game=starstar -size=4 -double", "A30 S21+*10 S30+T20 *20+S10"),
        ("-game=starstar -size=10 -handicap=2", "A30 S21 *20"),
    ],
)
def test_a_file_that_was_exported_is_loaded_as_it_was_played(
    options: str, moves: str, engine: Shell, tmp_path: Path
) -> None:
    name, *given = options.removeprefix("-game=").split()
    chosen = ",".join(each.removeprefix("-") for each in given)
    record = played(parse_game(f"{name}({chosen})"), moves.split())
    file = tmp_path / "game.sgf"
    file.write_text(format_sgf(record))
    colours = "bw" * 5
    by_hand = [
        f"play {colour} {'swap-pieces' if move == 'swap' else move.replace('+', ' ')}"
        for colour, move in zip(colours, sgf_moves(record), strict=False)
    ]
    *_, expected = answers(engine, options, *by_hand, "showboard")
    *_, all_but_one = answers(engine, options, *by_hand[:-1], "showboard")
    loaded, board = answers(engine, options, f"loadsgf {file}", "showboard")
    number = len(record.moves)
    before = answers(engine, options, f"loadsgf {file} {number}", "showboard")

    assert ("=", expected) == (loaded, board)
    assert ["=", all_but_one] == before


def sgf_moves(record: Record[str]) -> list[str]:
    """Return the moves as other programs have them, in Hex mirrored after a swap."""
    is_hex = record.game.sgf_number is not None
    moves = with_swapped_pieces(record.game, record.moves) if is_hex else record.moves
    return [move.text for move in moves]


@pytest.mark.parametrize("node", ["", ";"])
def test_a_file_of_another_program_begins_with_stones_that_stand(
    engine: Shell, tmp_path: Path, node: str
) -> None:
    file = tmp_path / "set.sgf"
    text = f"(;FF[4]GM[11]SZ[3]PB[Zo\xeb]{node}AB[a1][b1]AW[c3];W[b2](;B[c2])(;B[a3]))"
    file.write_text(text, encoding="latin-1")
    *_, expected = answers(
        engine,
        "-game=hex -size=3",
        *(f"play {each}" for each in ("b a1", "b b1", "w c3", "w b2", "b c2")),
        "showboard",
    )

    assert ["=", expected] == answers(engine, "-game=hex", f"loadsgf {file}", "showboard")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot load file"),
        ("no game", "cannot load file"),
        ("(;GM[11]SZ[99];B[a1])", "This is a record of Hex of size 99"),
        ("(;GM[11]SZ[5];B[z9])", "Not a cell"),
        ("(;GM[1000]RU[star(size=5)]SZ[5];B[a1])", "the file is of another game"),
    ],
)
def test_what_cannot_be_loaded_changes_nothing(
    text: str | None, why: str, engine: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "bad.sgf"
    if text is not None:
        file.write_text(text)
    _, expected, told, after = answers(
        engine, "-game=hex -size=5", "play b c3", "showboard", f"loadsgf {file}", "showboard"
    )

    assert told.startswith(f"? {why}")
    assert expected == after


def test_a_move_may_be_asked_for_without_being_played(engine: Shell) -> None:
    _, board, told, after, played_it = answers(
        engine,
        "-game=hex -size=5",
        "play b c3",
        "showboard",
        "reg_genmove w",
        "showboard",
        "genmove w",
    )

    assert board == after
    assert told == played_it
    *_, resigned = answers(engine, "-game=hex", "play b resign", "reg_genmove w")
    assert resigned == "= resign"


def test_all_legal_moves_are_the_empty_cells_and_the_swap(engine: Shell) -> None:
    first = "a1 b1 c1 a2 c2 a3 b3 c3"
    found = answers(
        engine,
        "-game=hex -size=3",
        "play b b2",
        "all_legal_moves w",
        "param_game allow_swap 1",
        "all_legal_moves",
        "all_legal_moves b",
        "play b resign",
        "all_legal_moves",
    )

    assert ["=", f"= {first}", "=", f"= {first} swap-pieces", f"= {first}", "=", "="] == found

"""Slips: what is meant is done where that is certain, and else told in a few words."""

import re

import pytest

from pbmserv.commands.filling import first_command
from pbmserv.engine.cell_names import describe_cells
from pbmserv.engine.games import find_game, game_names
from pbmserv.errors import Misunderstood, Refused
from tests.databases import ONE_DATABASE
from tests.in_process_shell import Shell
from tests.local_server import LocalServer

NOTHING = "There are no moves yet: propose offers a draw, resign declines the game."


@ONE_DATABASE
@pytest.mark.parametrize(
    "words",
    ["Star101", "'star 101'", "star 101", "star#101", "'Star Board 101'", "STAR101", "star101#0"],
)
def test_a_board_may_be_named_with_its_game(playing: Shell, words: str) -> None:
    done = playing.run(f"star show {words}")

    assert done.out.startswith("Star Board 101")
    assert playing.run(f"star move {words.partition('#0')[0]} alice secret-alice B3").code == 0


@ONE_DATABASE
@pytest.mark.parametrize("words", ["hex101", "'hex 101'", "starweb101", "star1o1", "carol101"])
def test_a_board_of_another_game_is_not_shown(playing: Shell, words: str) -> None:
    done = playing.run(f"star show {words}")

    assert done.code != 0
    assert "Board 101" not in done.out


@ONE_DATABASE
@pytest.mark.parametrize("words", ["board 101 --help", "board --help", "move 101 -h", "MVOE -h"])
def test_help_is_had_behind_a_synonym_and_a_board(shell: Shell, words: str) -> None:
    assert shell.run(words).out == shell.run("star move -h").out != ""


@ONE_DATABASE
def test_help_of_a_server_command_is_its_own(shell: Shell) -> None:
    assert shell.run("list -h").out.startswith("pbmserv list")
    assert shell.run("-h").out.startswith("Syntax: pbmserv COMMAND")
    assert shell.run("frob 101 -h").code == 2


@ONE_DATABASE
@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("star tausch", "star swap"),
        ("hex Tausch", "pbmserv hex swap"),
        ("star tausch 101 alice secret-alice", "star swap 101 alice PASSWORD"),
        ("lern", "pbmserv play"),
        ("play lern", "pbmserv play"),
    ],
)
def test_words_of_other_languages_lead_to_ours(shell: Shell, line: str, meant: str) -> None:
    assert f"Did you mean {meant}?" in shell.run(line).err.replace("\n", " ")


@ONE_DATABASE
@pytest.mark.parametrize("userid", ["müller", "Ясон", "a", "1st"])
def test_what_a_userid_has_is_told_with_its_letters(shell: Shell, userid: str) -> None:
    err = " ".join(shell.run(f"signup {userid} correct-horse").err.split())

    assert "2 to 24 letters a to z, digits" in err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("С4", "This С is not the letter C. Did you mean C4?"),  # noqa: RUF001
        ("4с", "This С is not the letter C. Did you mean C4?"),  # noqa: RUF001
        ("Е10", "This Е is not the letter E. Did you mean E10?"),  # noqa: RUF001
        ("С3", "This С is not the letter C. The cells with C are C4 to C10."),  # noqa: RUF001
        ("E1O", "Did you mean E10, with a zero?"),
        ("e1о", "Did you mean E10, with a zero?"),  # noqa: RUF001
        ("El", ""),
        ("Al", ""),
        ("Gl", "Did you mean G1, with a one?"),
        ("A1O", "Did you mean A10, with a zero?"),
        ("A11", "The cells with A are A6 to A10."),
        ("привет", ""),
        ("Z4", ""),
        ("", ""),
    ],
)
def test_a_sign_that_looks_like_another_is_named(text: str, hint: str) -> None:
    game = find_game("star")()
    told = describe_cells(game.board.names, text)
    with pytest.raises(Refused) as error:
        game.parse_move(text)

    assert error.value.advice == told
    assert told == hint if hint else told.startswith(("Cells are ", "The cells with "))


@ONE_DATABASE
@pytest.mark.parametrize("line", ["'2. O B3'", "2. O B3", "'  2. o b3'"])
def test_a_move_pasted_from_a_list_is_that_move_or_none(playing: Shell, line: str) -> None:
    third = line.replace("2.", "3.").replace("O", "X").replace(" o ", " x ")
    again = playing.run(f"star move 101 alice secret-alice {line}")
    done = playing.run(f"star move 101 alice secret-alice {third}")

    assert (again.code, done.code) == (1, 0)
    assert "This would be move 3, not move 2." in again.err
    assert "alice plays B3." in done.out


@ONE_DATABASE
@pytest.mark.parametrize(
    "line",
    [
        "star move 101 secret-alice alice B3",
        "star resign 101 secret-alice alice",
        "star move 101 secret-alice bob swap",
        "news secret-alice alice",
        "vacation secret-alice alice off",
    ],
)
def test_userid_and_password_exchanged_are_told_so_without_them(playing: Shell, line: str) -> None:
    done = playing.run(line)

    assert "Write the userid first, then the password." in done.err
    assert "secret" not in done.err
    assert "PASSWORD" in done.err


@ONE_DATABASE
@pytest.mark.parametrize(
    "line",
    [
        "star move 101 alexander B3",
        "star move 101 alexander swap",
        "star move 101 alexander undo",
        "star move 101 alice wrong-word B3",
        "vacation alexander until 2027-03-01",
    ],
)
def test_nothing_is_said_of_an_exchange_where_the_password_is_missing(
    playing: Shell, line: str
) -> None:
    done = playing.run(line)

    assert done.code != 0
    assert "exchanged" not in done.err


@ONE_DATABASE
@pytest.mark.parametrize(
    ("password", "is_told"),
    [("Secret-alice", True), ("Secret-Alice", False), ("wrong-word", False), ("12345678", False)],
)
def test_a_capital_before_a_wrong_password_is_told(
    playing: Shell, password: str, *, is_told: bool
) -> None:
    for who in ("alice", "nobody"):
        done = playing.run(f"star move 101 {who} {password} B3")

        assert "The userid or the password is wrong." in done.err
        assert ("Capital letters count" in done.err) is is_told
        assert password not in done.err


@ONE_DATABASE
@pytest.mark.parametrize(
    ("moves", "who", "hint"),
    [
        ("", "bob", NOTHING),
        ("", "alice", NOTHING),
        ("C1", "bob", "undo N asks to undo the last N moves, N from 1 to 1."),
        ("C1 pass", "", ""),
    ],
)
def test_who_has_no_move_to_undo_is_told_what_can_be(
    local: LocalServer, moves: str, who: str, hint: str
) -> None:
    board = local.start("-size=3")
    local.play(board, moves)
    if not who:
        assert "asks to undo" in local.text(f"star move {board} bob secret-bob undo 1")
        return
    with pytest.raises(Refused) as error:
        local.do(f"star move {board} {who} secret-{who} undo")

    assert error.value.advice == hint
    if "undo" in hint:
        assert "asks to undo" in local.text(f"star move {board} {who} secret-{who} undo 1")


@pytest.mark.parametrize(
    ("game", "text", "size"),
    [
        ("star", "5x6", 6),
        ("star", "6X5", 6),
        ("star", "9*10", 10),
        ("star", "6x6", None),
        ("star", "4x6", None),
        ("star", "14x15", None),
        ("hex", "11x11", 11),
        ("hex", "5x6", None),
        ("y", "5x6", None),
        ("polyy", "5x5", None),
    ],
)
def test_a_size_may_be_written_as_both_sides_of_the_board(
    game: str, text: str, size: int | None
) -> None:
    option = find_game(game).options()[0]
    if size is None:
        with pytest.raises(Misunderstood):
            option.parse(text)
    else:
        assert option.parse(text) == size


@ONE_DATABASE
def test_a_size_of_two_sides_is_that_of_the_board(shell: Shell) -> None:
    assert shell.run("star preview new -size=5x6").out.startswith("Preview of Star (size 6)")


@ONE_DATABASE
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "starstar preview new -komi=1.5",
            "-komi: 1.5 (-99 to 99). Only whole numbers are allowed.",
        ),
        (
            "starstar preview new -komi=0,5",
            "-komi: 0,5 (-99 to 99). Only whole numbers are allowed.",
        ),
        ("star preview new -size=6.5", "-size: 6.5 (3 to 14). Only whole numbers are allowed."),
        ("starstar preview new -komi=100", "-komi: 100 (-99 to 99).\n"),
        ("starstar preview new -size=4.5", "-size: 4.5 (4, 6, 8, 10).\n"),
    ],
)
def test_where_only_whole_numbers_stand_that_is_told(shell: Shell, line: str, told: str) -> None:
    err = shell.run(line).err

    assert told in (err if told.endswith("\n") else err.replace("\n", " "))


@ONE_DATABASE
@pytest.mark.parametrize("name", game_names())
def test_who_joins_what_stands_where_a_board_is_shown(local: LocalServer, name: str) -> None:
    local.game = name
    board = local.start("")
    told = {
        line: re.findall("^[XO] joins .*", local.text(line), re.MULTILINE)
        for line in (f"{name} show {board}", f"{name} preview new", f"{name} preview {board}")
    }
    lines = ["X joins top and bottom, O joins left and right"] if name == "hex" else []

    assert told == dict.fromkeys(told, lines)


PARTING = "&& & ; | || > >> and then / + AND Then hex Starweb"


@pytest.mark.parametrize("sign", PARTING.split())
def test_a_line_is_read_up_to_where_another_command_begins(sign: str) -> None:
    words = ["star", "show", "101"]

    assert first_command([*words, sign, "list"]) == words
    assert first_command([*words, sign, "list", sign, "stats"]) == words
    assert first_command([sign, "show", "101"])[0] == sign
    assert first_command([*words, f"x{sign}x"]) == [*words, f"x{sign}x"]


@pytest.mark.parametrize("sign", ";,")
def test_a_sign_behind_a_word_ends_its_command_with_it(sign: str) -> None:
    assert first_command(["star", f"list{sign}", "stats"]) == ["star", f"list{sign}"]
    assert first_command(["star", f"{sign}list", "stats"]) == ["star", f"{sign}list", "stats"]

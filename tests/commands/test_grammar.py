"""Words, options, shortened names, synonyms and what is said of words that are wrong."""

import pytest

from pbmserv.commands.command_pages import MAX_COLUMN_WIDTH, columns, paragraphs
from pbmserv.commands.command_table import root
from pbmserv.commands.game_options import MoveWord
from pbmserv.commands.parse import parse
from pbmserv.commands.words import split_line
from pbmserv.engine.games import find_game
from pbmserv.errors import Misunderstood, may_quote, quoted

TREE = root()


def understood(line: str) -> tuple[str, dict[str, object]]:
    call = parse(TREE, split_line(line))
    return call.path.partition(" ")[2], call.params


def misunderstood(line: str) -> Misunderstood:
    with pytest.raises(Misunderstood) as caught:
        understood(line)
    return caught.value


@pytest.mark.parametrize(
    "line",
    [
        "star challenge -size=7 alice bob",
        "star challenge alice -size=7 bob",
        "star challenge alice bob -size=7",
        "star challenge alice bob -size 7",
        "star challenge alice bob --size 7",
        "star challenge alice bob --size=7",
        "star challenge alice bob -si=7",
        "star challenge -s 7 alice bob",
        "STAR Challenge alice bob -SIZE=7",
        "star chall -Si 7 alice bob",
        "star ** challenge ** alice ** bob -size=7 **",
        "star challenge alice bob -size=+7",
        "star challenge 'alice' \"bob\" '-size=7'",
    ],
)
def test_an_option_stands_anywhere_and_is_written_in_many_ways(line: str) -> None:
    assert understood(line) == (
        "star challenge",
        {
            "userid1": "alice",
            "userid2": "bob",
            "nagtime": None,
            "forfeittime": None,
            "totaltime": None,
            "unrated": False,
            "rated": False,
            "even": False,
            "start": None,
            "size": 7,
            "maxi": False,
            "corners": None,
            "komi": None,
            "noswap": False,
        },
    )


@pytest.mark.parametrize(
    ("line", "path"),
    [
        *[(f"star {'challenge'[:n]} a b", "star challenge") for n in range(5, 10)],
        *[(f"star {'preview'[:n]} new", "star preview") for n in range(4, 8)],
        *[(f"star {word} 1 a b C1", "star move") for word in ("move", "board", "mvoe", "MVOE")],
        ("signoff a b", "signoff"),
        ("delete a b", "signoff"),
        ("*star show 101", "starstar show"),
        ("StarStar show 101", "starstar show"),
    ],
)
def test_verbs_by_all_their_names(line: str, path: str) -> None:
    assert understood(line)[0] == path


@pytest.mark.parametrize(
    "line", ["star chal a b", "star c a b", "star pre new", "star mov 1 a b C1", "sta show 101"]
)
def test_verbs_cut_too_short_are_not_understood(line: str) -> None:
    assert misunderstood(line).code == "no-such-command"


@pytest.mark.parametrize(
    ("line", "likely"),
    [
        ("star chalenge alice bob", "star challenge USERID1 USERID2"),
        ("star moev 101 alice secret-alice C1", "star move 101 USERID PASSWORD C1"),
        ("star shwo 101", "star show 101"),
        ("star prevew new", "star preview new"),
        ("starr show 101", "star show 101"),
        ("sign-up alice", "pbmserv signup"),
        ("hepl", "pbmserv help"),
        ("star challenge alice bob -sise=7", "-size"),
        ("star challenge alice bob -maxy", "-maxi"),
        ("star challenge alice bob -corner2=2", "-corners"),
    ],
)
def test_a_near_miss_is_told_the_likely_word(line: str, likely: str) -> None:
    error = misunderstood(line)

    assert error.exit_code == 2
    assert f"Did you mean {likely}?" in error.advice


@pytest.mark.parametrize(
    ("line", "code", "syntax"),
    [
        ("star move", "missing-word", "star move BOARD USERID PASSWORD MOVE[#N]"),
        ("star move 101 alice secret-alice", "missing-word", "star move BOARD USERID PASSWORD"),
        ("star swap 101 alice", "missing-word", "star swap BOARD USERID PASSWORD"),
        ("star swap 101 alice secret-alice C1", "surplus-word", "star swap BOARD USERID PASSWORD"),
        ("star move 101 alice secret-alice C1 C2", "surplus-word", "star move BOARD USERID"),
        ("star show", "missing-word", "star show BOARD[#N]"),
        ("star challenge alice", "missing-word", "star challenge USERID1 USERID2 [-unrated]"),
        ("star challenge a b c", "surplus-word", "[-size=3..14] [-maxi] [-corners=2|3]"),
        ("star challenge a b -nosuch=1", "no-such-option", "star challenge USERID1 USERID2"),
        ("star challenge a b -size=7 -si=8", "option-twice", "star challenge"),
        ("star show 101 -size=7", "no-such-option", "star show"),
        ("signup alice", "missing-word", "pbmserv signup USERID PASSWORD [ADDRESS]..."),
        ("change password alice secret-alice", "missing-word", "USERID CURRENT NEW"),
        ("add alice secret-alice", "missing-word", "USERID PASSWORD ADDRESS..."),
        ("star subscribe 101", "missing-word", "star subscribe BOARD USERID PASSWORD"),
        ("star subscribe 101 alice", "missing-word", "star subscribe BOARD USERID PASSWORD"),
        ("star subscribe alice", "missing-word", "star subscribe BOARD USERID PASSWORD"),
        (
            "star subscribe alice secret-alice",
            "missing-word",
            "star subscribe BOARD USERID PASSWORD",
        ),
        ("star import surplus", "missing-word", "star import [USERID PASSWORD]"),
    ],
)
def test_missing_and_surplus_words_show_the_syntax(line: str, code: str, syntax: str) -> None:
    error = misunderstood(line)

    assert (error.code, error.exit_code) == (code, 2)
    assert syntax in error.advice.partition("Syntax: ")[2]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("star challenge alice bob -nag=0", "bad-time-limit"),
        ("star challenge alice bob -nag=20", "bad-time-limit"),
        ("star challenge anyone ANYONE", "missing-word"),
        ("star challenge alice anyone -from=101", "mixed-words"),
        ("star challenge alice bob -from=101 -maxi", "mixed-words"),
        ("starweb challenge alice bob -size=4 -notch=5", "bad-option-value"),
        ("star seek alice secret-alice 1 -forfeit=7", "bad-time-limit"),
        ("star preview 101 -size=3", "option-needs-new"),
        ("star score 101#3 -maxi", "option-needs-new"),
        ("star score 101 -o=F6", "option-needs-new"),
        ("star show 101 alice", "mixed-words"),
        ("star show alice anyone", "bad-selector"),
        ("star show next", "missing-word"),
        ("star show active", "missing-word"),
        ("star showas alice secret-alice all next", "bad-selector"),
        ("star games next", "missing-word"),
        ("star games alice bob all next", "bad-selector"),
        ("star history -limit=0", "bad-option-value"),
        ("star standings alice -history=bob", "surplus-word"),
        ("stats alice bob", "surplus-word"),
        ("reset alice 0123456789", "missing-word"),
    ],
)
def test_words_that_do_not_go_together_are_not_understood(line: str, code: str) -> None:
    assert misunderstood(line).code == code


@pytest.mark.parametrize(
    "line",
    [
        "star showas alice secret-alice",
        "star showas alice secret-alice next",
        "star showas alice secret-alice 101 102#3",
        "star score 101 -explain",
        "star challenge alice bob -from=101 -nag=3",
        "reset alice",
    ],
)
def test_words_that_do_go_together(line: str) -> None:
    assert understood(line)[0] in line


def test_an_ambiguous_option_names_the_candidates() -> None:
    error = misunderstood("starstar challenge a b -s=7")

    assert error.code == "ambiguous-option"
    assert error.advice == "Did you mean -size or -scoring?"


def test_a_short_option_is_the_one_that_can_have_the_value() -> None:
    chosen = understood("starstar challenge a b -s=4 -s=simplified")[1]

    assert (chosen["size"], chosen["scoring"]) == (4, "simplified")


def test_an_option_by_its_whole_name_is_not_ambiguous_with_a_longer_one() -> None:
    assert understood("star score new -o=C1 -x=D1")[1]["o"] == "C1"


@pytest.mark.parametrize("line", ["", "**", "star", "change", "all", "STAR **"])
def test_an_incomplete_command_is_told_what_may_follow(line: str) -> None:
    error = misunderstood(line)

    assert error.code == "incomplete-command"
    assert "Commands: " in error.advice


@pytest.mark.parametrize("word", ["-", "--", "pass", "PASS"])
def test_dashes_are_moves_and_no_options(word: str) -> None:
    line = f"star move 101 alice secret-alice {word}"

    assert understood(line)[1]["move"] == MoveWord(word)
    assert understood(f"{line}#2")[1]["move"] == MoveWord(word, 2)


@pytest.mark.parametrize("word", ["-3", "-1"])
def test_a_negative_number_is_no_option(word: str) -> None:
    assert understood(f"star replay 101 {word}")[1]["ply"] == int(word)


@pytest.mark.parametrize(
    "line",
    [
        "star seek me size=3 1 -nagtime=2",
        "star seek -nagtime=2 me size=3 1",
        "star seek -nagtime=2 ME size=3 1",
        "star seek -nagtime=2 -size=3 me 1",
    ],
)
def test_behind_me_stands_no_password_wherever_options_are(line: str) -> None:
    name, params = understood(line)
    own = understood("star seek alice size=3-secret 1 -nagtime=2")[1]

    assert (name, params["wanted"], params["size"], params["nagtime"]) == ("star seek", 1, 3, 2)
    assert (own["size"], own["wanted"], own["nagtime"]) == (None, 1, 2), "it is the password"


@pytest.mark.parametrize("text", ["abc", "-1", "0x65", "101.0", "1e3", "٣", "9" * 10, ""])
def test_a_board_is_a_number(text: str) -> None:
    error = misunderstood(f"star move '{text}' alice secret-alice C1")

    assert error.code in {"bad-board", "missing-word", "no-such-option"}


@pytest.mark.parametrize("text", ["101#", "101#x", "101#--1", "#x", "101#1#2", "101 #1x", "1_0#1"])
def test_a_moment_of_a_board_is_a_number(text: str) -> None:
    assert misunderstood(f"star replay {text}").code in {"bad-board", "bad-number"}


@pytest.mark.parametrize(
    "line",
    [
        "list -limit=99999999999999",
        "star challenge alice bob -totaltime=99999999999",
        f"star replay 101 -{'9' * 5000}",
        f"star replay 101 {'0' * 5000}7",
    ],
)
def test_a_number_may_be_too_large(line: str) -> None:
    error = misunderstood(line)

    assert (error.code, error.message) == ("bad-number", "The number is too large.")


def test_quotation_marks_must_be_closed() -> None:
    assert misunderstood("star show 'alice").code == "unbalanced-quotes"


def test_a_line_has_an_end() -> None:
    assert misunderstood("star show " + "a" * 20_000).code == "line-too-long"


@pytest.mark.parametrize(
    ("word", "may"),
    [
        ("abc", True),
        ("7letter", True),
        ("8letters", False),
        ("correct-horse", False),
        ("-unknown-option", False),
        ("--option=correct-horse", False),
        ("", False),
        ("\x1b[2J", False),
        ("kürzer", False),
        ("a\nb", False),
    ],
)
def test_only_what_can_be_no_password_is_quoted(word: str, may: bool) -> None:  # noqa: FBT001
    assert may_quote(word) is may


SECRET = "correct-horse"


@pytest.mark.parametrize(
    "line",
    [
        f"{SECRET}",
        f"star {SECRET}",
        f"star move {SECRET}",
        f"star move {SECRET} alice 101 C1",
        f"star move 101 alice C1 {SECRET} {SECRET}",
        f"star show 101#{SECRET}",
        f"star challenge a b -size={SECRET}",
        f"star challenge a b -{SECRET}={SECRET}",
        f"star challenge a b -password={SECRET}",
        f"star -password={SECRET} move",
        f"signup {SECRET}",
        f"signup 1{SECRET} alice",
        f"signup alice {SECRET} {SECRET}",
        f"change {SECRET} alice",
        f"star move 101 alice C1 C1#{SECRET}",
        f"star games -limit={SECRET}",
    ],
)
def test_no_word_that_may_be_a_password_is_quoted(line: str) -> None:
    error = misunderstood(line)
    shown = quoted(error).replace(f"-{SECRET}", "") + error.advice

    assert SECRET not in shown


def test_a_harmless_word_is_quoted() -> None:
    assert quoted(misunderstood("nosuch")) == "No such command or game: nosuch."
    assert quoted(misunderstood("star challenge a b -foo=1")) == "No such option: -foo."


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("star", "Commands: help, challenge, "),
        ("star foo", "All commands: star -h"),
        ("star 102", "Did you mean star show 102?"),
        ("star undo 101", "Did you mean star move 101 USERID PASSWORD undo?"),
        ("star propose", "Did you mean star move BOARD USERID PASSWORD propose?"),
        ("star f6 101", "Did you mean star move 101 USERID PASSWORD F6?"),
        ("star accept 101 pw", "To accept an offer: star move 101 USERID PASSWORD accept"),
        ("star signup alice", "Did you mean pbmserv signup?"),
        ("move 101 alice pw F6", "Did you mean star move 101 USERID PASSWORD F6?"),
        ("movee 101", "Did you mean star move?"),
        ("tournament creat x", "Did you mean pbmserv tournament create?"),
    ],
)
def test_words_that_are_no_command_lead_to_the_one_that_was_meant(line: str, hint: str) -> None:
    assert misunderstood(line).advice.startswith(hint)


ELSEWHERE = "This works only on the server's own command line."


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("backup", ELSEWHERE),
        ("make backup", ELSEWHERE),
        ("quit server", ELSEWHERE),
        ("admin players", ELSEWHERE),
        ("get help", "Did you mean pbmserv help?"),
        ("alice", "All commands: pbmserv -h"),
        ("alice active", "Did you mean pbmserv all show USERID active?"),
        ("star alice", "All commands: star -h\nIf you meant a player: star games USERID"),
        ("star alice next", "Did you mean pbmserv all show USERID next?"),
        ("star alice won", "All commands: star -h\nIf you meant a player: star games USERID"),
        ("star backup", "All commands: star -h\nIf you meant a player: star games USERID"),
    ],
)
def test_the_whole_hint_is_what_can_be_done_here(line: str, hint: str) -> None:
    assert misunderstood(line).advice == hint


def test_columns_are_wrapped_beside_what_they_explain() -> None:
    rows = [("-a", "one two three"), ("-bcd", ""), ("-a-very-long-option-of-all", "four-five six")]

    assert columns([("-a", "one two three"), ("-bcd", "")], 16) == [
        "  -a    one two",
        "        three",
        "  -bcd",
    ]
    assert columns([("-" + "x" * 40, ""), ("-y" * 20, "words")]) == [
        "  -" + "x" * 40,
        "  " + "-y" * 20,
        " " * MAX_COLUMN_WIDTH + "words",
    ]
    assert columns(rows, 40)[-2:] == ["  -a-very-long-option-of-all", " " * 26 + "four-five six"]


def test_paragraphs_are_wrapped_each_by_itself() -> None:
    text = """One two
        three.

        Four five-six
        seven.
        """

    assert paragraphs(text, 14) == ["One two three.", "", "Four five-six", "seven."]


@pytest.mark.parametrize(
    "line",
    [
        "star -size=7 challenge alice bob",
        "-size=7 star challenge alice bob",
        "star -size 7 challenge alice bob",
        "star challenge alice bob size=7",
        "star challenge alice bob Size=7",
        "star challenge alice bob \N{EN DASH}size=7",
        "star challenge alice bob \N{EM DASH}size=7",
        "star challenge alice bob \N{MINUS SIGN}\N{MINUS SIGN}si 7",
    ],
)
def test_an_option_is_read_before_the_verb_and_with_any_dash_or_none(line: str) -> None:
    path, params = understood(line)

    assert (path, params["size"]) == ("star challenge", 7)


def test_a_password_is_read_as_it_stands() -> None:
    _, params = understood("star seek alice size=7777 2 size=6")

    assert (params["password"].value, params["size"]) == ("size=7777", 6)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "words", ["F6", "f6", "6f", "F 6", "F-6", "f6.", "F6,", "f06", "F6**", "'F 6'"]
)
def test_a_cell_is_read_in_many_spellings(words: str) -> None:
    move = understood(f"star move 101 alice secret-alice {words}")[1]["move"]

    assert find_game("star")().parse_move(move.text).text == "F6"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("star challenge a b -size=66", "Invalid value for -size: 66 (3 to 14)."),
        ("star challenge a b foo", "Unexpected argument: foo."),
        ("star show", "Missing argument: BOARD or USERID."),
        ("star foo", "No such command: star foo."),
        ("star challange a b", "No such command: star challange."),
        ("star correct-horse", "No such command."),
        ("change", "Missing command."),
        ("star move 1o1 a b F6", "Not a board number: 1o1."),
    ],
)
def test_a_message_names_the_word_and_what_would_be_right(line: str, shown: str) -> None:
    assert quoted(misunderstood(line)).startswith(shown)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("star games alice new next", "new"),
        ("star games alice Next NEW", "new"),
        ("star show alice none next", "none"),
        ("star games alice next active", "active"),
        ("star games alice active next", "next"),
        ("star games alice anyone", "anyone"),
        ("star games alice 101", "101"),
        ("star games 102 101", "102"),
        ("star show alice 101 bob", "alice"),
    ],
)
def test_of_words_that_choose_the_one_that_cannot_is_named(line: str, wrong: str) -> None:
    assert misunderstood(line).about == wrong


@pytest.mark.parametrize("text", ["two\nlines", "=begins", "a = b", "-x -y=z\n", "'quoted'"])
@pytest.mark.parametrize("dash", ["-", "--"])
@pytest.mark.parametrize("words", [("message", "alice", "secret"), ("star", "chat", "101", "me")])
def test_a_text_is_taken_as_it_stands_behind_its_option(
    words: tuple[str, ...], dash: str, text: str
) -> None:
    to = () if "chat" in words else ("bob",)
    before, behind = (
        parse(TREE, line)
        for line in (
            (*words[:-1], f"{dash}text={text}", words[-1], *to),
            (*words, *to, f"{dash}TEXT={text}"),
        )
    )

    assert text.removeprefix("=") == before.params["text"] == behind.params["text"]
    assert before.values == behind.values


class Asked:
    """Where passwords are asked for; notes how each was."""

    dash = me = "here"
    is_at_terminal = True

    def __init__(self) -> None:
        self.asked: list[tuple[bool, bool]] = []

    def userid(self) -> str:
        raise AssertionError

    def text(self) -> str:
        return ""

    def __call__(self, *, is_new: bool, is_left_out: bool = False) -> str:
        self.asked.append((is_new, is_left_out))
        return f"typed-secret-{len(self.asked)}"


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("star move 101 alice - F6", [(False, False)]),
        ("star move 101 alice given-secret F6", []),
        ("signup dora -", [(True, False)]),
        ("signup dora", [(True, True)]),
        ("change password alice - -", [(False, False), (True, False)]),
        ("change password alice given-secret -", [(True, False)]),
        ("star queue 101 alice - none", [(False, False)]),
        ("star subscribe alice - 101", [(False, False)]),
        ("star subscribe 101 alice", [(False, True)]),
    ],
)
def test_each_password_that_is_asked_for_is_asked_as_an_old_or_a_new_one(
    line: str, asked: list[tuple[bool, bool]]
) -> None:
    ask = Asked()
    parse(TREE, split_line(line), ask)

    assert asked == ask.asked
